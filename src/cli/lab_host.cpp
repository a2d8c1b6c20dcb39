#include "lab_host.hpp"

#include <dlfcn.h>
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
#include "ns3/world.hpp"
#include "stores/store_module.hpp"

namespace bloomery::cli {
namespace {

// Where this program lies.
std::filesystem::path own_folder() {
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) fail(errc::io, "/proc/self/exe: " + problem.message());
  return self.parent_path();
}

// A function of a module beside this program, which `what` is in. Never unloaded: what it makes lives in its code.
void* loaded_function(const std::string& module, const char* function, const std::string& what,
                      const std::string& package) {
  const std::filesystem::path path = own_folder() / module;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    fail(errc::unsupported, "this build has no " + what + ": install " + package +
                                " and build again, which ./bloomery does by itself");
  }
  void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded == nullptr ? nullptr : ::dlsym(loaded, function);
  if (found == nullptr) fail(errc::io, ::dlerror());
  return found;
}

// The value of a line NAME:TYPE=VALUE of CMake's cache.
std::string cached(std::string_view cache, const std::string& name) {
  for (const std::string& line : lab::lines_of(cache)) {
    const std::size_t equals = line.find('=');
    if (line.starts_with(name + ":") && equals != std::string::npos) return line.substr(equals + 1);
  }
  return {};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = std::min(text.find_first_not_of(" \n", at), text.size());
    at = std::min(text.find_first_of(" \n", start), text.size());
    if (at > start) words.emplace_back(text.substr(start, at - start));
  }
  return words;
}

}  // namespace

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

// Of the build that the tool lies in; otherwise what pkg-config knows.
lab::library_flags machine::library() {
  namespace fs = std::filesystem;
  const fs::path build = own_folder().parent_path().parent_path();
  std::error_code none;
  if (fs::exists(build / "libbloomery.a", none) && fs::exists(build / "CMakeCache.txt", none)) {
    const std::string cache = read(build / "CMakeCache.txt");
    std::vector<std::string> link{build / "libbloomery.a", cached(cache, "HIGHWAYHASH_LIBRARY")};
    const std::string sanitizers = cached(cache, "BLOOMERY_SANITIZE");
    if (!sanitizers.empty()) link.push_back("-fsanitize=" + sanitizers);
    return {{"-I" + cached(cache, "CMAKE_HOME_DIRECTORY") + "/src"}, link};
  }
  const auto told = [&](const char* option) {
    const finished_child done = run_child({"pkg-config", option, "bloomery"});
    if (!done.started || done.status != 0) {
      fail(errc::io,
           "this experiment links a program with the library, and pkg-config finds none; "
           "the package libbloomery-dev has it");
    }
    return words_of(done.output);
  };
  return {told("--cflags"), told("--libs")};
}

std::unique_ptr<lab::store> machine::open_store(const std::string& name,
                                                const lab::store_plan& plan) {
  void* const function =
      loaded_function("store_" + name + ".so", "bloomery_open_store", name, "lib" + name + "-dev");
  const std::string folder = scratch() + "/store" + std::to_string(++stores_);
  return std::unique_ptr<lab::store>(
      reinterpret_cast<decltype(&bloomery_open_store)>(function)(folder, plan));
}

std::vector<std::vector<lab::point>> machine::walks(const std::string& world,
                                                    const lab::walk_plan& plan,
                                                    std::uint64_t seed) {
  if (world != "ns3") fail(errc::invalid, in_quotes(world) + " is no world; allowed: lab, ns3");
  void* const function = loaded_function("world_ns3.so", "bloomery_ns3", "ns-3", "libns3-dev");
  return ns3::walks(*reinterpret_cast<decltype(&bloomery_ns3)>(function)(), plan, seed);
}

void machine::phase(std::string_view what) {
  shown_.reset();
  shown_ = std::make_unique<cli::phase>(std::string(what));
}

}  // namespace bloomery::cli
