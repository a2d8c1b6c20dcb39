#include "redis/native/items.hpp"

#include <algorithm>
#include <charconv>

#include "bloomery/core/error.hpp"

namespace bloomery::redis {
namespace {

constexpr std::size_t digest_bytes = 16;

std::string in_milliseconds(std::uint64_t time) {
  return std::to_string(time) + " ms";
}

}  // namespace

void bits::reply(RedisModuleCtx* context) const {
  RedisModule_ReplyWithArray(context, static_cast<long>(size_));
  for (std::size_t i = 0; i < size_; ++i) RedisModule_ReplyWithBool(context, held_[i] ? 1 : 0);
}

void bits::reply_packed(RedisModuleCtx* context) const {
  std::string packed((size_ + 7) / 8, '\0');
  for (std::size_t i = 0; i < size_; ++i) {
    if (held_[i]) packed[i / 8] = static_cast<char>(packed[i / 8] | 0x80 >> i % 8);
  }
  RedisModule_ReplyWithStringBuffer(context, packed.data(), packed.size());
}

std::vector<std::string_view> items_of(const call& asked, int first, int step) {
  std::vector<std::string_view> items;
  for (int i = first; i < asked.size(); i += step) items.push_back(asked.text(i));
  return items;
}

hasher hash_of(const any_filter& filter) {
  const hash_identity hash = filter.record().hash;
  if (hash.id != hash_id::xxh3 && hash.id != hash_id::integer) {
    fail(errc::incompatible, "the keys of this filter are hashed by " + describe(hash) +
                                 ", which only clients can: send digests, as BLOOM.ADDP, "
                                 "BLOOM.HASP and BLOOM.REMOVEP take them");
  }
  return hasher::for_identity(hash);
}

std::vector<digest> hashed(const any_filter& filter, std::span<const std::string_view> items) {
  std::vector<digest> digests(items.size());
  hash_of(filter)(items, digests);
  return digests;
}

std::vector<digest> unpacked(byte_view packed) {
  if (packed.size() % digest_bytes != 0) {
    fail(errc::invalid, "packed digests have 16 bytes each; these have " +
                            std::to_string(packed.size()) + " in all");
  }
  std::vector<digest> digests(packed.size() / digest_bytes);
  const std::byte* at = packed.data();
  for (digest& each : digests) {
    each = {core::load_le<std::uint64_t>(at), core::load_le<std::uint64_t>(at + 8)};
    at += digest_bytes;
  }
  return digests;
}

std::optional<std::uint64_t> time_for(const any_filter& filter, std::optional<std::uint64_t> said) {
  if (!runs_on_time(filter)) {
    if (said) fail(errc::invalid, "AT is for a filter that forgets by time, which this does not");
    return std::nullopt;
  }
  const std::uint64_t own = filter.as<keeps_time>().now();
  if (!said) return std::max(own, static_cast<std::uint64_t>(RedisModule_Milliseconds()));
  if (*said < own) {
    fail(errc::invalid, "AT is " + in_milliseconds(*said) + ", and the filter's own time is " +
                            in_milliseconds(own) + " already");
  }
  return said;
}

std::uint64_t time_at(const call& asked, int i) {
  const auto time = asked.integer(i);
  if (!time || *time < 0) fail(errc::invalid, "the time is a number of milliseconds, from 0");
  return static_cast<std::uint64_t>(*time);
}

last_words words_behind(const call& asked, int first) {
  last_words told;
  for (int i = first; i < asked.size();) {
    const int words = asked.says(i, "AT") ? 2 : asked.says(i, "OF") ? 3 : 0;
    if (words == 0) {
      fail(errc::invalid,
           "only AT and a time, and OF with a family and an epoch, may follow the digests");
    }
    if (i + words > asked.size()) throw wrong_arity();
    if (words == 2) {
      told.at = time_at(asked, i + 1);
    } else {
      told.of = membership_at(asked, i + 1);
    }
    i += words;
  }
  return told;
}

membership membership_at(const call& asked, int i) {
  const auto number = [&](int at) {
    const std::string_view text = asked.text(at);
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) {
      fail(errc::invalid, "a family and an epoch are whole numbers below 2^64");
    }
    return value;
  };
  const membership told{number(i), number(i + 1)};
  if (told.family == 0) fail(errc::invalid, "the family is 0, which is none");
  return told;
}

void require_part(const bloom_value& held, const membership& said) {
  const membership& own = held.part_of();
  if (said.family == 0) return;
  if (own.family != said.family) {
    throw refused("FOREIGN the key is no part of the family " + std::to_string(said.family));
  }
  if (own.epoch > said.epoch) {
    throw refused("STALE the family is at epoch " + std::to_string(own.epoch) + ", and not " +
                  std::to_string(said.epoch));
  }
}

}  // namespace bloomery::redis
