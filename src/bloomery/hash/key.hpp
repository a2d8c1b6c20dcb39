// What counts as a key: a run of bytes. However it is held, the same bytes are the same key.
//
// Accepted: string literals, `const char*`, `std::string`, `std::string_view`, and any contiguous
// range of char, unsigned char, signed char, char8_t or std::byte. A literal's terminating zero is
// not part of the key. Wider elements are refused at compile time, since their bytes depend on the
// machine.
//
//     using namespace std::literals;
//     assert(bloomery::bytes_of("abc").size() == 3);
//     assert(bloomery::bytes_of("abc"s).size() == 3);
#pragma once

#include <cassert>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include "bloomery/core/bytes.hpp"

namespace bloomery {

template <class T>
concept byte_like = std::same_as < std::remove_cv_t<T>,
char > || std::same_as<std::remove_cv_t<T>, unsigned char> ||
    std::same_as<std::remove_cv_t<T>, signed char> || std::same_as<std::remove_cv_t<T>, char8_t> ||
    std::same_as<std::remove_cv_t<T>, std::byte>;

inline byte_view bytes_of(std::string_view key) {
  return std::as_bytes(std::span(key));
}

inline byte_view bytes_of(const char* key) {
  assert(key != nullptr);
  return bytes_of(std::string_view(key));
}

template <std::ranges::contiguous_range Bytes>
requires byte_like<std::ranges::range_value_t<Bytes>> &&
    (!std::convertible_to<const Bytes&, std::string_view>)byte_view bytes_of(const Bytes& key) {
  return std::as_bytes(std::span(std::ranges::data(key), std::ranges::size(key)));
}

template <class T>
concept byte_key = requires(const T& key) {
  bytes_of(key);
};

inline std::string_view text_of(byte_view bytes) {
  // Bytes may be read as char by the aliasing rules.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace bloomery
