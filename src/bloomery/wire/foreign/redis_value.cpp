#include "bloomery/wire/foreign/redis_value.hpp"

#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/foreign/bit_filter.hpp"

namespace bloomery::foreign {

bool is_redis_dump_of(byte_view start, std::string_view type) {
  // Its first ten bytes: that it is of a module, that a number of eight bytes follows, and the type in it, whose
  // last ten bits are the encoding.
  constexpr std::size_t marked = 10;
  if (start.size() < marked) return false;
  const std::vector<std::byte> wanted =
      foreign::save({std::string(type), 0, {}}, restored_everywhere);
  return std::equal(wanted.begin(), wanted.begin() + marked - 2, start.begin()) &&
         (start[marked - 2] & std::byte{0xfc}) == (wanted[marked - 2] & std::byte{0xfc});
}

redis_dump read_redis_value(byte_view payload, std::string_view type, std::uint64_t newest,
                            const wire::load_options& options) {
  require_room(payload.size(), options);
  redis_dump dump = read_redis_dump(payload, options);
  if (dump.type != type) {
    fail(errc::corrupt, "the value dumped by Redis is of the type " + dump.type);
  }
  if (dump.version > newest) {
    fail(errc::unsupported, "the value is written in the encoding " + std::to_string(dump.version) +
                                ", which is newer than " + std::to_string(newest));
  }
  return dump;
}

template <class T>
T& redis_fields::next() {
  if (at_ == of_.fields.size()) fail(errc::corrupt, "the value dumped by Redis ends too soon");
  T* const found = std::get_if<T>(&of_.fields[at_++]);
  if (found == nullptr) {
    fail(errc::corrupt, "field " + std::to_string(at_) + " of the value dumped by Redis is of " +
                            "another form than values of its type have there");
  }
  return *found;
}

std::uint64_t redis_fields::number() {
  return next<std::uint64_t>();
}

std::uint64_t redis_fields::number(std::uint64_t most, std::string_view what) {
  const std::uint64_t value = number();
  if (value > most) {
    fail(errc::corrupt, std::string(what) + " is " + std::to_string(value) + ", at most " +
                            std::to_string(most) + " can be");
  }
  return value;
}

double redis_fields::real() {
  return next<double>();
}

redis_bytes redis_fields::bytes() {
  return std::move(next<redis_bytes>());
}

void redis_fields::require_end() const {
  if (at_ != of_.fields.size()) {
    fail(errc::corrupt, "the value dumped by Redis has more fields than values of its type have");
  }
}

void redis_value::insert(std::span<const std::string_view> keys) {
  came_as_ = {};
  for (const std::string_view key : keys) add(bytes_of(key));
}

void redis_value::may_contain(std::span<const std::string_view> keys,
                              std::span<bool> answers) const {
  std::ranges::transform(keys, answers.begin(),
                         [&](std::string_view key) { return has(bytes_of(key)); });
}

std::vector<std::byte> redis_value::save() const {
  return came_as_.empty() ? foreign::save(encoded(), restored_everywhere) : came_as_;
}

void redis_value::came_as(byte_view payload) {
  if (!std::ranges::equal(save(), payload)) came_as_.assign(payload.begin(), payload.end());
}

}  // namespace bloomery::foreign
