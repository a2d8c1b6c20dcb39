// What the verbs of `index` share: shelves, and the documents that they are of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bloomery/apps/shelf/shelf.hpp"
#include "options.hpp"

namespace bloomery::cli {

// A document is held in memory whole.
inline constexpr std::uint64_t largest_document = std::uint64_t{1} << 30;

// The SHELF argument of a verb, and the secret that it may need.
struct shelf_option {
  std::string path;
  key_file_option key_file;

  void declare(command& verb);
  // Messages begin with the path.
  [[nodiscard]] apps::shelf open() const;
  [[nodiscard]] hasher hash_for(const apps::shelf& shelf) const;
};

// errc::incompatible unless the keys of the shelf are these; `otherwise` says what to do.
void require_keys(const apps::shelf& shelf, std::initializer_list<apps::keys_of> allowed,
                  const std::string& otherwise);

// The files that are named, and those below folders that are named, as `grep -r` takes them: sorted, without
// symbolic links that it meets on the way. What cannot be looked at is told, and the rest gone on with; so is
// `except`, the file that is written.
class documents {
 public:
  documents(const std::vector<std::string>& named, const std::string& except);

  // Calls use(path, contents) for each that can be read.
  void each(const std::function<void(const std::string&, std::string_view)>& use);
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  void walk(const std::string& folder, const std::string& except);
  void skip(const std::string& why);

  std::vector<std::string> paths_;
  std::uint64_t skipped_ = 0;
};

// Calls use(contents); if the document cannot be read, says so and returns false.
bool try_document(const std::string& path, const std::function<void(std::string_view)>& use);

// Fit for a line of output.
std::string shown_label(const std::string& label);

}  // namespace bloomery::cli
