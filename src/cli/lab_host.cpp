#include "lab_host.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "child.hpp"

namespace bloomery::cli {

std::string machine::hint() const {
  return needs_.empty() ? "" : "; this experiment needs what Debian packages as " + needs_;
}

machine::~machine() {
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

std::string machine::read(const std::string& path) {
  try {
    const bits::file_contents file = bits::read_file(path, largest_file);
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  } catch (const error& problem) {
    if (problem.code() != errc::io) throw;
    fail(errc::io, problem.what() + hint());
  }
}

std::vector<std::string> machine::files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code problem;
  const auto quietly = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, quietly, problem), end; at != end && !problem;
       at.increment(problem)) {
    std::error_code not_a_file;
    if (at->is_regular_file(not_a_file) && !not_a_file) found.push_back(at->path().string());
  }
  if (problem) fail(errc::io, folder + ": " + problem.message() + hint());
  std::ranges::sort(found);
  return found;
}

std::string machine::scratch() {
  if (scratch_.empty()) {
    std::string name = (std::filesystem::temp_directory_path() / "bloomery-lab-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      fail(errc::io, name + ": " + std::strerror(errno));
    }
    scratch_ = name;
  }
  return scratch_;
}

std::string machine::run(const std::vector<std::string>& command, std::string_view input) {
  finished_child done = run_child(command, input, scratch());
  if (!done.started) fail(errc::io, "there is no program " + in_quotes(command.front()) + hint());
  if (done.status != 0) {
    fail(errc::io, command.front() + " exits with " + std::to_string(done.status) + ": " +
                       printable(done.complaint, 400));
  }
  return std::move(done.output);
}

void machine::phase(std::string_view what) {
  shown_.reset();
  shown_ = std::make_unique<cli::phase>(std::string(what));
}

}  // namespace bloomery::cli
