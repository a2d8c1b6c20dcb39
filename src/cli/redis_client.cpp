#include "redis_client.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr timeval to_connect{10, 0};
constexpr timeval to_answer{60, 0};
constexpr std::size_t batch = 1 << 20;  // bytes that wait to be sent together

using form = redis_reply::form;

// hiredis tells what it reads by these, and would make room for as many items as a list claims. None may throw.
redis_reply* place_of(const redisReadTask* task) {
  if (task->parent == nullptr) return new (std::nothrow) redis_reply;
  auto& list = static_cast<redis_reply*>(task->parent->obj)->list;
  const auto index = static_cast<std::size_t>(task->idx);
  return index < list.size() ? &list[index] : nullptr;
}

template <class Work>
void* placed(const redisReadTask* task, const Work& work) {
  redis_reply* const made = place_of(task);
  if (made == nullptr) return nullptr;
  try {
    work(*made);
    return made;
  } catch (const std::exception&) {
    if (task->parent == nullptr) delete made;
    return nullptr;
  }
}

void* on_string(const redisReadTask* task, char* text, std::size_t size) {
  return placed(task, [&](redis_reply& made) {
    made.is = task->type == REDIS_REPLY_ERROR    ? form::problem
              : task->type == REDIS_REPLY_STATUS ? form::status
                                                 : form::text;
    made.text.assign(text, size);
  });
}

void* on_list(const redisReadTask* task, int items) {
  return placed(task, [&](redis_reply& made) {
    auto& left = *static_cast<std::size_t*>(task->privdata);
    if (items < 0 || static_cast<std::size_t>(items) > left) throw std::bad_alloc();
    left -= static_cast<std::size_t>(items);
    made.is = form::list;
    made.list.resize(static_cast<std::size_t>(items));
  });
}

void* on_number(const redisReadTask* task, long long number) {
  return placed(task, [&](redis_reply& made) {
    made.is = form::number;
    made.number = number;
  });
}

void* on_nothing(const redisReadTask* task) {
  return placed(task, [](redis_reply&) {});
}

void on_end(void* reply) {
  delete static_cast<redis_reply*>(reply);
}

// Not const, since hiredis takes it so; nobody changes it.
redisReplyObjectFunctions made_by{on_string, on_list, on_number, on_nothing, on_end};

errc code_of(std::string_view problem) {
  if (problem.starts_with("ERR unknown command") || problem.starts_with("WRONGTYPE"))
    return errc::unsupported;
  if (problem.starts_with("OOM")) return errc::limit;
  return errc::io;
}

}  // namespace

void redis_client::reader_end::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

redis_client::redis_client(const redis_address& where)
    : name_(where.name), reader_(redisReaderCreateWithFunctions(&made_by)) {
  if (reader_ == nullptr) throw std::bad_alloc();
  connect(where);
  if (!where.password.empty()) {
    if (where.user.empty()) {
      (void)ask({"AUTH", where.password});
    } else {
      (void)ask({"AUTH", where.user, where.password});
    }
  }
  if (where.database != 0) (void)ask({"SELECT", std::to_string(where.database)});
}

redis_client::~redis_client() {
  if (socket_ >= 0) ::close(socket_);
}

void redis_client::connect(const redis_address& where) {
  struct context_end {
    void operator()(redisContext* held) const { redisFree(held); }
  };
  std::unique_ptr<redisContext, context_end> made(
      where.socket.empty() ? redisConnectWithTimeout(where.host.c_str(), where.port, to_connect)
                           : redisConnectUnixWithTimeout(where.socket.c_str(), to_connect));
  if (made == nullptr) throw std::bad_alloc();
  if (made->err != 0) fail(errc::io, name_ + ": no connection: " + printable(made->errstr));
  if (redisSetTimeout(made.get(), to_answer) != REDIS_OK) fail_by_system("no time limit");
  socket_ = redisFreeKeepFd(made.release());  // to read no more from it than there should be
}

bool redis_client::ended() const {
  char next = 0;
  const ssize_t got = ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void redis_client::fail_by_system(const std::string& what) {
  const int problem = errno;
  alive_ = false;
  if (problem == EAGAIN || problem == EWOULDBLOCK) {
    fail(errc::io, fmt::format("{}: the server has not answered for {} s", name_,
                               static_cast<std::int64_t>(to_answer.tv_sec)));
  }
  fail(errc::io, fmt::format("{}: {}: {}", name_, what, std::strerror(problem)));
}

void redis_client::send(std::span<const std::string_view> words) {
  waiting_ += fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    waiting_ += fmt::format("${}\r\n", word.size());
    waiting_ += word;
    waiting_ += "\r\n";
  }
  if (waiting_.size() >= batch) flush();
}

void redis_client::flush() {
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail_by_system("the server takes no more");
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  waiting_.clear();
}

void redis_client::read_some() {
  std::array<char, 1 << 16> place;
  const ssize_t got = ::recv(socket_, place.data(), place.size(), 0);
  if (got < 0 && errno == EINTR) return;
  if (got < 0) fail_by_system("the server cannot be read");
  if (got == 0) {
    alive_ = false;
    fail(errc::io, name_ + ": the server has ended the conversation");
  }
  unread_ += static_cast<std::uint64_t>(got);
  if (redisReaderFeed(reader_.get(), place.data(), static_cast<std::size_t>(got)) != REDIS_OK)
    throw std::bad_alloc();
}

redis_reply redis_client::receive_any(std::uint64_t most, std::size_t items) {
  flush();
  items_left_ = items;
  reader_->privdata = &items_left_;
  for (;;) {
    void* made = nullptr;
    if (redisReaderGetReply(reader_.get(), &made) != REDIS_OK) {
      fail(errc::corrupt, name_ + ": the server's answer is none of Redis, or too long: " +
                              printable(reader_->errstr));
    }
    if (made != nullptr) {
      const std::unique_ptr<redis_reply> owned(static_cast<redis_reply*>(made));
      unread_ = reader_->len - reader_->pos;
      return std::move(*owned);
    }
    if (unread_ > most) {
      fail(errc::limit, fmt::format("{}: the server's answer has more than {}, which is the limit",
                                    name_, format_size(most)));
    }
    read_some();
  }
}

redis_reply redis_client::receive(std::uint64_t most) {
  redis_reply got = receive_any(most);
  if (got.is == form::problem) refuse(got);
  return got;
}

redis_reply redis_client::ask(std::initializer_list<std::string_view> words, std::uint64_t most) {
  send({words.begin(), words.size()});
  return receive(most);
}

void redis_client::refuse(const redis_reply& problem) const {
  cli::refuse(name_, problem);
}

void refuse(const std::string& server, const redis_reply& problem) {
  std::string_view told = problem.text;
  constexpr std::string_view plain = "ERR ";
  const errc code = code_of(told);
  if (code == errc::unsupported && told.starts_with("ERR unknown command 'BLOOM")) {
    fail(code, server + ": this server has no BLOOM commands: it needs the module bloomery.so");
  }
  if (told.starts_with(plain)) told.remove_prefix(plain.size());
  fail(code, server + ": the server says: " + printable(told, 300));
}

void redis_client::refuse_form() const {
  fail(errc::corrupt, name_ + ": the server's answer is not of the form that it should have");
}

}  // namespace bloomery::cli
