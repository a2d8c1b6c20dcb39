// A filter that is a value of a Redis server, as DUMP answers it and RESTORE takes it.
//
// Purpose:   what the formats of redis_bloom.hpp and redis_cuckoo.hpp have in common: the file is a dump, told by
//            its first bytes, and its fields come in order.
// Cost:      a copy of the value while it is read, another while it is saved.
// Guarantee: a value that was read and not changed is saved as the very bytes it came in; one that was made or
//            changed, as a server would dump it that does not compress, of a version that every server restores.
//
//     using namespace bloomery::foreign;
//     const std::vector<std::byte> file = find_format("redis-bloom").make(10, 0.01)->save();
//     assert(is_redis_dump_of(file, "MBbloom--") && !is_redis_dump_of(file, "MBbloomCF"));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/wire/foreign/format.hpp"
#include "bloomery/wire/foreign/redis_dump.hpp"

namespace bloomery::foreign {

// The version of the RDB format that Redis 5 has, and every server restores that has modules with fields.
inline constexpr std::uint16_t restored_everywhere = 9;

// By the name of the type, which stands at the start of a dump.
bool is_redis_dump_of(byte_view start, std::string_view type);
// A dump of that type, in an encoding no newer than the one that is known.
redis_dump read_redis_value(byte_view payload, std::string_view type, std::uint64_t newest,
                            const wire::load_options& options);

// Fields in order; each is errc::corrupt if there is none, or one of another form.
class redis_fields {
 public:
  // The strings are taken out of `of`, which must stay.
  explicit redis_fields(redis_dump& of) : of_(of) {}
  std::uint64_t number();
  // At most `most`.
  std::uint64_t number(std::uint64_t most, std::string_view what);
  double real();
  redis_bytes bytes();
  void require_end() const;

 private:
  template <class T>
  T& next();

  redis_dump& of_;
  std::size_t at_ = 0;
};

class redis_value : public filter {
 public:
  void insert(std::span<const std::string_view> keys) final;
  using filter::may_contain;
  void may_contain(std::span<const std::string_view> keys, std::span<bool> answers) const final;
  [[nodiscard]] std::vector<std::byte> save() const final;

 protected:
  // To be called last, by who has read the value from there.
  void came_as(byte_view payload);

 private:
  // errc::limit if it has no room for the key.
  virtual void add(byte_view key) = 0;
  [[nodiscard]] virtual bool has(byte_view key) const = 0;
  [[nodiscard]] virtual redis_dump encoded() const = 0;

  std::vector<std::byte> came_as_;  // empty if `encoded` says the same
};

}  // namespace bloomery::foreign
