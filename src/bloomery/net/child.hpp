// Another program, started by a command of the shell, spoken to through its standard input and output.
//
// Purpose:   `ssh host bloomery sync - theirs.txt` as a partner: what is written reaches its standard input, what it
//            prints is read. What it complains of goes where this program's complaints go.
// Guarantee: a child is never left behind: when its owner is gone, so are its pipes, and it; first asked to
//            (SIGTERM) if it does not end by itself within `grace`, then forced.
//
//     bloomery::net::child echo("cat");
//     echo.hang_up();
//     assert(echo.wait() == "ended with status 0");
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "bloomery/net/descriptor.hpp"

namespace bloomery::net {

class child {
 public:
  static constexpr std::chrono::milliseconds grace{1000};

  explicit child(const std::string& command);
  child(child&& other) noexcept;
  child& operator=(child&&) = delete;
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child();

  [[nodiscard]] const descriptor& from() const { return from_; }
  [[nodiscard]] const descriptor& to() const { return to_; }

  // Its input ends; what it still prints can be read.
  void hang_up() { to_.close(); }
  // How it ended, in words, once it has; it is asked and forced to as said above.
  std::string wait();

 private:
  bool reap(bool now);

  pid_t process_ = -1;
  std::optional<int> status_;
  descriptor from_;
  descriptor to_;
};

}  // namespace bloomery::net
