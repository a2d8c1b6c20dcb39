// What an experiment is given: a seed, its settings, and the world outside through one door.
//
// Purpose:   apps have no files, processes, clocks or randomness of their own. An experiment on real data
//            asks `host` for it; the tool has one for the machine, tests may have one of their own.
// Guarantee: a setting has a default, so that every experiment runs without any; settings that the
//            experiment does not have are refused by name.
//
//     constexpr std::array settings{bloomery::lab::setting{"ops", "1M", "reads and updates"}};
//     bloomery::lab::host nothing;
//     const bloomery::lab::request asked(settings, {{"ops", "10k"}}, 1, nothing);
//     assert(asked.count("ops") == 10'000 && asked.seed() == 1);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/apps/lab/store.hpp"
#include "bloomery/apps/lab/walk.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::lab {

// What a compiler is told, so that a program is compiled and linked with this library.
struct library_flags {
  std::vector<std::string> compile;
  std::vector<std::string> link;
};

// The machine, as far as experiments need it. What a host does not give it refuses with errc::unsupported;
// what fails is errc::io. This one gives nothing.
class host {
 public:
  host() = default;
  host(const host&) = delete;
  host& operator=(const host&) = delete;
  virtual ~host() = default;

  // All bytes of a file.
  virtual std::string read(const std::string& path);
  // The plain files below a folder, sorted.
  virtual std::vector<std::string> files(const std::string& folder);
  // A folder that is empty at first and gone when the host is.
  virtual std::string scratch();
  // What a program prints, given this input; errc::io with its complaint if it fails.
  virtual std::string run(const std::vector<std::string>& command, std::string_view input);
  // How programs are made with this library.
  virtual library_flags library();
  // A real store, empty at first; errc::unsupported, with the package that has it, if it is not here.
  virtual std::unique_ptr<store> open_store(const std::string& name, const store_plan& plan);
  // How walkers move in a simulator of that name; errc::unsupported, with its package, if it is not here.
  virtual std::vector<std::vector<point>> walks(const std::string& world, const walk_plan& plan,
                                                std::uint64_t seed);
  // Tells a person who watches what is being done.
  virtual void phase(std::string_view what);
};

struct setting {
  std::string_view name;
  std::string_view standard;  // what it is unless told
  std::string_view help;
};

class request {
 public:
  using values = std::vector<std::pair<std::string, std::string>>;

  // errc::invalid if a value is given for a setting that there is not. The host must live on.
  request(std::span<const setting> settings, values given, std::uint64_t seed, host& outside);

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] host& outside() const { return *outside_; }

  // By name, as people write them; errc::invalid with the setting's name if it is not one.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::uint64_t count(std::string_view name) const;
  [[nodiscard]] std::uint64_t size(std::string_view name) const;
  [[nodiscard]] double ratio(std::string_view name) const;
  // The lines of the file that the setting names.
  [[nodiscard]] std::vector<std::string> lines(std::string_view name) const;

 private:
  values values_;
  std::uint64_t seed_;
  host* outside_;
};

// Of a text, without their ends; what follows the last end is a line too.
std::vector<std::string> lines_of(std::string_view text);

// Digest number i of stream `stream` of a seed: streams never share a digest.
digest numbered(std::uint64_t seed, std::uint64_t stream, std::uint64_t i);

}  // namespace bloomery::lab
