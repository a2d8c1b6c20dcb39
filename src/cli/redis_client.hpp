// A conversation with a Redis server, whose every answer has a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis_address.hpp"

struct redisReader;

namespace bloomery::cli {

struct redis_reply {
  enum class form { nothing, status, problem, text, number, list };
  form is = form::nothing;
  std::string text;  // of a status and of a problem too
  std::int64_t number = 0;
  std::vector<redis_reply> list;
};

// What a server objects to, after its name.
[[noreturn]] void refuse(const std::string& server, const redis_reply& problem);

class redis_client {
 public:
  // errc::io if nobody answers there, or takes no such password.
  explicit redis_client(const redis_address& where);
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;
  ~redis_client();

  // What an answer may take unless told.
  static constexpr std::uint64_t most_bytes = 1 << 20;
  static constexpr std::size_t most_items = 1 << 16;  // of lists, those in lists included

  // One command and its answer; what the server objects to is errc::unsupported, errc::limit or errc::io, by its
  // words.
  redis_reply ask(std::initializer_list<std::string_view> words, std::uint64_t most = most_bytes);
  // The same in two halves, to send several commands before the first is answered.
  void send(std::span<const std::string_view> words);
  redis_reply receive(std::uint64_t most = most_bytes);
  // Of a problem, too, which it returns.
  redis_reply receive_any(std::uint64_t most = most_bytes, std::size_t items = most_items);

  // What waits to be sent.
  void flush();
  // Whether the conversation goes on, as far as is known.
  [[nodiscard]] bool alive() const { return alive_; }
  // Whether the server has ended it, as far as can be told while nothing is asked.
  [[nodiscard]] bool ended() const;

  [[noreturn]] void refuse(const redis_reply& problem) const;
  // The answer has a form that it should not.
  [[noreturn]] void refuse_form() const;

 private:
  void connect(const redis_address& where);
  void read_some();
  [[noreturn]] void fail_by_system(const std::string& what);

  std::string name_;
  int socket_ = -1;
  bool alive_ = true;
  std::string waiting_;         // to be sent
  std::uint64_t unread_ = 0;    // bytes of an answer that is not complete
  std::size_t items_left_ = 0;  // that its lists may have
  struct reader_end {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, reader_end> reader_;
};

}  // namespace bloomery::cli
