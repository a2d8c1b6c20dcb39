#include "child.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "bloomery/core/error.hpp"

namespace bloomery::cli {
namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

file_handle temporary_file() {
  file_handle file(std::tmpfile());
  if (!file) fail(errc::io, std::string("a temporary file: ") + std::strerror(errno));
  return file;
}

std::string contents(const file_handle& file) {
  std::string text;
  std::array<char, 1 << 14> buffer{};
  std::rewind(file.get());
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0;) {
    text.append(buffer.data(), got);
  }
  return text;
}

}  // namespace

finished_child run_child(const std::vector<std::string>& command, std::string_view input,
                         const std::string& folder) {
  const file_handle in = temporary_file();
  const file_handle out = temporary_file();
  const file_handle complaints = temporary_file();
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0) {
    fail(errc::io, "a temporary file cannot be written");
  }
  std::rewind(in.get());
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem =
      posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem == ENOENT) return {};
  if (problem != 0) fail(errc::io, command.front() + ": " + std::strerror(problem));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signalled = 128;  // as shells count
  return {.started = true,
          .status = WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status),
          .output = contents(out),
          .complaint = contents(complaints)};
}

}  // namespace bloomery::cli
