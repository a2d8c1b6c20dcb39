// An open file of the operating system, closed when its owner is gone.
//
// Purpose:   sockets and pipes by their numbers. One that somebody else owns, such as standard input, is
//            borrowed: it stays open.
//
//     const bloomery::net::descriptor none;
//     assert(!none && bloomery::net::descriptor::borrowed(0).number() == 0);
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bloomery::net {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int owned) : number_(owned), owned_(true) {}
  static descriptor borrowed(int number) {
    descriptor held;
    held.number_ = number;
    return held;
  }
  descriptor(descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)), owned_(std::exchange(other.owned_, false)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
      owned_ = std::exchange(other.owned_, false);
    }
    return *this;
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { close(); }

  void close();
  [[nodiscard]] int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
  bool owned_ = false;
};

struct descriptor_pair {
  descriptor first;
  descriptor second;
};

// errc::io, with what the system says of the latest failure.
[[noreturn]] void fail_system(std::string_view what);

// Both ends close when another program is started, and do not block.
descriptor_pair make_pipe();     // first is read from, second written to
descriptor_pair make_sockets();  // two ends of one connection within this machine
void set_nonblocking(const descriptor& open);

}  // namespace bloomery::net
