// The machine that experiments run on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/lab/request.hpp"
#include "progress.hpp"

namespace bloomery::cli {

class machine : public lab::host {
 public:
  static constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;

  // `needs` are Debian packages, for whoever lacks a file or a program.
  explicit machine(std::string_view needs) : needs_(needs) {}
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine() override;

  std::string read(const std::string& path) override;
  std::vector<std::string> files(const std::string& folder) override;
  std::string scratch() override;
  std::string run(const std::vector<std::string>& command, std::string_view input) override;
  lab::library_flags library() override;
  std::unique_ptr<lab::store> open_store(const std::string& name,
                                         const lab::store_plan& plan) override;
  std::vector<std::vector<lab::point>> walks(const std::string& world, const lab::walk_plan& plan,
                                             std::uint64_t seed) override;
  void phase(std::string_view what) override;

 private:
  [[nodiscard]] std::string hint() const;

  std::string needs_;
  std::string scratch_;
  unsigned stores_ = 0;
  std::unique_ptr<cli::phase> shown_;
};

}  // namespace bloomery::cli
