// What the commands on keys share: the items of a call, or the digests that a client has made of them, and the
// time for a filter that runs on it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/filters/abilities.hpp"
#include "bloomery/hash/hasher.hpp"
#include "redis/call.hpp"
#include "redis/native/value.hpp"

namespace bloomery::redis {

inline constexpr const char* no_filter = "ERR there is no such key";

// Answers, one each.
class bits {
 public:
  explicit bits(std::size_t size) : held_(std::make_unique<bool[]>(size)), size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<bool> all() { return {held_.get(), size_}; }
  bool& operator[](std::size_t i) { return held_[i]; }

  // As an array, and as a string whose first bit is the highest of its first byte, as SETBIT has it.
  void reply(RedisModuleCtx* context) const;
  void reply_packed(RedisModuleCtx* context) const;

 private:
  std::unique_ptr<bool[]> held_;
  std::size_t size_;
};

// The arguments from `first` on, every `step`th.
std::vector<std::string_view> items_of(const call& asked, int first, int step = 1);

// The hash that the server can use itself; errc::incompatible if a secret is the client's.
hasher hash_of(const any_filter& filter);
std::vector<digest> hashed(const any_filter& filter, std::span<const std::string_view> items);

// Of 16 bytes each: both halves, little-endian.
std::vector<digest> unpacked(byte_view packed);

// For a filter that runs on time, what the client says it is, which must not be before the filter's own, or
// the server's clock. None for another filter, of which no time may be said.
std::optional<std::uint64_t> time_for(const any_filter& filter, std::optional<std::uint64_t> said);
// Of an argument.
std::uint64_t time_at(const call& asked, int i);

// What may follow the packed digests: AT and a time, OF and what the client believes the key to be a part of.
struct last_words {
  std::optional<std::uint64_t> at;
  membership of;
};
last_words words_behind(const call& asked, int first);
// A family, which is not 0, and an epoch, of two arguments.
membership membership_at(const call& asked, int i);
// The client believes what is so, or the call is refused: FOREIGN if the key is no part of that family, STALE if
// it has been arranged anew since. An epoch that the key has not heard of yet is later, and believed.
void require_part(const bloom_value& held, const membership& said);

}  // namespace bloomery::redis
