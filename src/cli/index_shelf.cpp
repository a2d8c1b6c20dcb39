#include "index_shelf.hpp"

#include <algorithm>
#include <filesystem>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/stored.hpp"
#include "location.hpp"
#include "message.hpp"
#include "progress.hpp"

namespace bloomery::cli {

void shelf_option::declare(command& verb) {
  verb.add_option("shelf", "SHELF", path, "what `index build` made").required();
  key_file.declare(verb);
  reading().declare(verb, false);
}

apps::shelf shelf_option::open() const {
  if (path.empty()) fail(errc::invalid, "the path of a shelf cannot be empty");
  const std::uint64_t most = reading().limits().most_copied();
  const bits::file_contents file =
      bits::read_file(path == "-" ? "/dev/stdin" : path, most, wire::stated_message_bytes);
  return wire::naming(path, [&] { return apps::shelf::load(file.bytes(), {.max_bytes = most}); });
}

hasher shelf_option::hash_for(const apps::shelf& shelf) const {
  return wire::naming(path, [&] { return key_file.for_filter(shelf.hash()); });
}

void require_keys(const apps::shelf& shelf, std::initializer_list<apps::keys_of> allowed,
                  const std::string& otherwise) {
  if (std::ranges::find(allowed, shelf.keys()) != allowed.end()) return;
  fail(errc::incompatible,
       "this is a shelf of " +
           std::string(apps::keys_of_names[static_cast<std::size_t>(shelf.keys())]) + "; " +
           otherwise);
}

documents::documents(const std::vector<std::string>& named, const std::string& except) {
  for (const std::string& name : named) {
    std::error_code problem;
    if (std::filesystem::is_directory(name, problem)) {
      walk(name, except);
    } else {
      paths_.push_back(name);
    }
  }
}

void documents::walk(const std::string& folder, const std::string& except) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::vector<std::string> folders{folder};
  while (!folders.empty()) {
    const std::string here = std::move(folders.back());
    folders.pop_back();
    std::error_code problem;
    for (fs::directory_iterator at(here, problem), end; !problem && at != end;
         at.increment(problem)) {
      std::error_code vanished;
      const fs::file_status status = at->symlink_status(vanished);
      if (fs::is_directory(status)) folders.push_back(at->path().string());
      if (!fs::is_regular_file(status)) continue;
      if (!fs::equivalent(at->path(), except, vanished)) files.push_back(at->path().string());
    }
    if (problem) skip(here + ": " + problem.message());
  }
  std::ranges::sort(files);
  paths_.insert(paths_.end(), files.begin(), files.end());
}

void documents::skip(const std::string& why) {
  ++skipped_;
  tell(why);
}

void documents::each(const std::function<void(const std::string&, std::string_view)>& use) {
  const phase reading_them("reading");
  for (const std::string& path : paths_) {
    if (!try_document(path, [&](std::string_view text) { use(path, text); })) ++skipped_;
  }
}

bool try_document(const std::string& path, const std::function<void(std::string_view)>& use) {
  bits::file_contents file;
  try {
    file = bits::read_file(path == "-" ? "/dev/stdin" : path, largest_document);
  } catch (const error& problem) {
    if (problem.code() != errc::io && problem.code() != errc::limit) throw;
    tell(problem.what());
    return false;
  }
  use(text_of(file.bytes()));
  return true;
}

std::string shown_label(const std::string& label) {
  return printable(label, apps::longest_label);
}

}  // namespace bloomery::cli
