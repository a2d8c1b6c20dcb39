// A call of a command, and the one boundary between C++ and the server: what a command throws becomes the
// error that the client reads, and nothing passes through the server's code in C.
//
// A command finds out all that it has to say before it says anything, since half a reply cannot be taken
// back. What it changes it tells with `changed`, and only then does the command go to replicas and to the
// file of commands, also if the rest of it failed.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis/memory.hpp"
#include "redis/server.hpp"

namespace bloomery::redis {

// An error in the words that clients know, such as "ERR not found".
class refused : public std::exception {
 public:
  explicit refused(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};
// Thrown where the number of arguments depends on more than the command's arity.
struct wrong_arity {};

// The bytes that a key's value or an argument has.
std::string_view text_of(const RedisModuleString* string);
byte_view bytes_of(std::string_view text);

// A number as the server reads them, or nothing.
std::optional<long long> integer_in(const RedisModuleString* string);
std::optional<double> real_in(const RedisModuleString* string);

class call {
 public:
  call(RedisModuleCtx* context, RedisModuleString** arguments, int count)
      : context_(context), arguments_(arguments), count_(count) {}
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call();

  [[nodiscard]] RedisModuleCtx* context() const { return context_; }
  // Of the arguments; 0 is the command, 1 nearly always the key.
  [[nodiscard]] int size() const { return count_; }
  [[nodiscard]] RedisModuleString* raw(int i) const { return arguments_[i]; }
  [[nodiscard]] RedisModuleString** arguments() const { return arguments_; }
  [[nodiscard]] std::string_view text(int i) const { return text_of(arguments_[i]); }
  [[nodiscard]] byte_view bytes(int i) const { return bytes_of(text(i)); }
  [[nodiscard]] bool says(int i, std::string_view word) const;  // whatever its case
  [[nodiscard]] std::optional<long long> integer(int i) const { return integer_in(raw(i)); }
  [[nodiscard]] std::optional<double> real(int i) const { return real_in(raw(i)); }

  // The value at argument `at`: null if there is none, and WRONGTYPE if it is of another type. A call
  // that writes says so, since only then may the value be changed.
  template <class T>
  T* find(int at = 1) {
    return static_cast<T*>(value(at, T::type, REDISMODULE_READ, true));
  }
  template <class T>
  T* find_to_change(int at = 1) {
    return static_cast<T*>(value(at, T::type, REDISMODULE_READ | REDISMODULE_WRITE, true));
  }
  // Null too if it is of another type.
  template <class T>
  T* find_if_there(int at = 1) {
    return static_cast<T*>(value(at, T::type, REDISMODULE_READ, false));
  }
  // The same, of a key that must be there.
  template <class T>
  T& get(const char* otherwise) {
    T* const found = find<T>();
    if (found == nullptr) throw refused(otherwise);
    return *found;
  }
  template <class T>
  T& get_to_change(const char* otherwise) {
    T* const found = find_to_change<T>();
    if (found == nullptr) throw refused(otherwise);
    return *found;
  }
  // Whether the key has a value of any type.
  [[nodiscard]] bool exists(int at = 1) const;

  // Makes it the value of the key, which is the caller's to change from then on.
  template <class T>
  T& keep(T made, int at = 1) {
    T* const placed = T::on_heap(std::move(made));
    put(at, T::type, placed);
    return *placed;
  }

  // To replicas, to the file of commands, and to those who listen for `event`.
  void changed(const char* event) { event_ = event; }
  // So did the arguments `head` from the key on and `items`, and no others: replicas are told of these alone,
  // since what a limit has refused here it need not refuse there.
  void changed(const char* event, int head, std::vector<RedisModuleString*> items);
  // They are told so in the words of another command: those that follow the key, and then `items`.
  void changed(const char* event, const char* command, const std::vector<std::string>& words,
               std::span<RedisModuleString* const> items);

  // Whether a master says so, or a file, which have accepted it before.
  [[nodiscard]] bool was_accepted() const;
  // What this key may take: without the configured limit for what was accepted.
  [[nodiscard]] budget allowance() const;
  [[nodiscard]] bool resp3() const;

 private:
  void* value(int at, RedisModuleType* type, int mode, bool strictly);
  void put(int at, RedisModuleType* type, void* value);

  RedisModuleCtx* context_;
  RedisModuleString** arguments_;
  int count_;
  const char* event_ = nullptr;
  const char* command_ = nullptr;
  std::vector<RedisModuleString*> instead_;  // of all arguments behind the command
  std::vector<RedisModuleString*> own_;      // of those, what no client has said
};

// Replies with the exception being handled.
void reply_with_error(RedisModuleCtx* context) noexcept;

// A command as the server calls it.
template <void (*Command)(call&)>
int guarded(RedisModuleCtx* context, RedisModuleString** arguments, int count) noexcept {
  try {
    call asked(context, arguments, count);
    Command(asked);
  } catch (...) {
    reply_with_error(context);
  }
  return REDISMODULE_OK;
}

// Values of the configuration, prefixed with the module's name there.
struct settings {
  long long max_object_size;
  // Told as arguments of the module: how a filter of BF begins of which no more is said, and from how many filters on
  // a chain of CF takes no more keys.
  double rate = 0.01;
  std::uint64_t capacity = 100;
  std::uint64_t most_filters = 32;
};
inline settings configured{};

}  // namespace bloomery::redis
