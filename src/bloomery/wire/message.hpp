// The one form of all messages between parties: named, described, checked.
//
// Purpose:   a message is a plain struct of views with a `name` ("protocol/type") and a tuple `fields`
//            that describes its members once, as a shape does: numbers, bytes, lists of bytes, and
//            filters as stored. `write` makes bytes of it, `read` the struct again.
// Cost:      25 bytes, the name, and one byte a field beyond the values; a pass for the checksum. What
//            was read views the received bytes, which must outlive it; nothing large is allocated.
// Guarantee: `read` trusts nothing: size, mark, version, checksum, name, number and types of fields,
//            every length and range, and that nothing follows. Exactly one run of bytes reads as a
//            given message. A filter comes out only by `open`, which checks kind, hash, shape and how
//            much it claims: one with all bits set would claim everything. Failures are errc::corrupt,
//            errc::limit (the receiver's), errc::incompatible (another message, kind or hash) or
//            errc::unsupported. The checksum finds accidents; it proves no origin.
//
//     const std::array<std::byte, 256> number{};
//     const bloomery::security::cipher_query query{.number = number, .asker = 7};
//     const std::vector<std::byte> sent = bloomery::wire::write(query);
//     assert(bloomery::wire::message_name(sent) == "encrypted/query");
//     assert(bloomery::wire::read<bloomery::security::cipher_query>(sent).asker == 7);
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/wire/filter_io.hpp"

namespace bloomery::wire {

inline constexpr std::uint8_t message_version = 1;
inline constexpr std::size_t max_message_name = 63;
inline constexpr std::size_t max_message_fields = 64;

// What a receiver takes.
struct message_limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 20;
};

// What a receiver takes for a filter of use. One of the right size is half full when it holds what it
// was made for; Squid refuses summaries beyond 65 %. The second limit is for filters of few hashes,
// which claim much while they are half empty: one that claims every other stranger spares nothing.
struct filter_limits {
  load_options load{};
  double max_fill = 0.65;
  double max_rate = 0.5;
};

double share_of_ones(std::span<const byte_view> payload);
void require_at_most(std::string_view what, double value, double most);  // or errc::limit

// How much of its room a filter uses: of several levels the fullest counts.
template <class Filter>
double fill_of(const Filter& filter) {
  if constexpr (requires { filter.fill(); }) {
    return filter.fill();
  } else if constexpr (requires { filter.cells().fill(filter.shape().levels); }) {
    double fullest = 0;
    for (std::uint64_t level = 0; level < filter.shape().levels; ++level) {
      fullest = std::max(fullest, filter.cells().fill(level));
    }
    return fullest;
  } else {
    return share_of_ones(filter.payload());
  }
}

// Throws unless a received filter has the hash that the parties agreed on and claims no more than it
// may.
template <class Filter>
void require_useful(const Filter& filter, const hash_identity& expected,
                    const filter_limits& limits = {}) {
  require_same_hash(expected, filter.record().hash);
  require_at_most("fill", fill_of(filter), limits.max_fill);
  if constexpr (requires { filter.current_rate(); }) {
    require_at_most("false-positive rate", filter.current_rate(), limits.max_rate);
  }
}

// A filter in a message: stored bytes, plain or compressed, that nobody has believed yet.
class carried_filter {
 public:
  carried_filter() = default;
  explicit carried_filter(byte_view stored) : stored_(stored) {}
  [[nodiscard]] byte_view bytes() const { return stored_; }

  template <filter_type F>
  [[nodiscard]] F open(const hash_identity& expected, const filter_limits& limits = {}) const {
    F filter = load<F>(stored_, limits.load);
    require_useful(filter, expected, limits);
    return filter;
  }

 private:
  byte_view stored_;
};

// Beside whole_field, real_field and choice_field of core/fields.hpp. Ranges are of bytes, and of a
// list's length.
template <class Message, class Member>
struct sized_field {
  field_info info;
  Member Message::*member;
};
template <class Message>
struct list_field {
  field_info info;
  field_info each;
  std::vector<byte_view> Message::*member;
};

template <class Message>
constexpr sized_field<Message, byte_view> bytes_field(std::string_view name, std::string_view help,
                                                      byte_view Message::*member,
                                                      std::uint64_t least, std::uint64_t most) {
  return {{name, help, least, most}, member};
}
template <class Message>
constexpr sized_field<Message, carried_filter> filter_field(std::string_view name,
                                                            std::string_view help,
                                                            carried_filter Message::*member,
                                                            std::uint64_t most = max_bits / 8) {
  return {{name, help, std::uint64_t{0}, most}, member};
}
template <class Message>
constexpr list_field<Message> bytes_list_field(std::string_view name, std::string_view help,
                                               std::vector<byte_view> Message::*member,
                                               std::uint64_t least, std::uint64_t most,
                                               std::uint64_t least_bytes,
                                               std::uint64_t most_bytes) {
  return {{name, help, least, most}, {name, help, least_bytes, most_bytes}, member};
}

// The name of a message whose frame is sound; its fields are not looked at.
std::string_view message_name(byte_view bytes, const message_limits& limits = {});

// How long a message that starts so says it is, unchecked; 0 if it is none, or too short to tell. For
// readers of streams, who must know when to stop.
std::uint64_t stated_message_bytes(byte_view start);

namespace detail {

// Values and their checks. A writer without a place only counts the bytes.
class message_writer {
 public:
  explicit message_writer(std::span<std::byte> place) : place_(place) {}
  void begin(std::string_view name, std::size_t fields);
  void put(std::uint64_t value, const field_info& field);
  void put(double value, const field_info& field);
  void put(byte_view value, const field_info& field);
  void put(const carried_filter& value, const field_info& field);
  void put(std::span<const byte_view> values, const field_info& field, const field_info& each);
  std::size_t end();  // of bytes in all

 private:
  void raw(byte_view bytes);
  void type(char sort);
  void number(std::uint64_t value);
  void sized(byte_view bytes);

  std::span<std::byte> place_;
  std::size_t at_ = 0;
};

class message_reader {
 public:
  message_reader(byte_view bytes, std::string_view name, std::size_t fields,
                 const message_limits& limits);
  void get(std::uint64_t& value, const field_info& field);
  void get(double& value, const field_info& field);
  void get(byte_view& value, const field_info& field);
  void get(carried_filter& value, const field_info& field);
  void get(std::vector<byte_view>& values, const field_info& field, const field_info& each);
  void end() const;

 private:
  byte_view take(std::uint64_t count);
  void type(const field_info& field, char sort);
  std::uint64_t number();
  byte_view sized(const field_info& field);

  byte_view rest_;
};

template <class Message, class Act>
void with_member(const field<Message>& described, Act act) {
  std::visit([&](auto member) { act(member, described.info); }, described.member);
}
template <class Message, class Member, class Act>
void with_member(const sized_field<Message, Member>& described, Act act) {
  act(described.member, described.info);
}
template <class Message, class Act>
void with_member(const list_field<Message>& described, Act act) {
  act(described.member, described.info, described.each);
}
template <class Message, class Act>
void each_member(Act act) {
  std::apply([&](const auto&... described) { (with_member(described, act), ...); },
             Message::fields);
}

template <class Message>
inline constexpr std::size_t field_count = std::tuple_size_v<decltype(Message::fields)>;

template <class Message>
std::size_t put_all(const Message& message, std::span<std::byte> place) {
  message_writer writer(place);
  writer.begin(Message::name, field_count<Message>);
  each_member<Message>(
      [&](auto member, const auto&... ranges) { writer.put(message.*member, ranges...); });
  return writer.end();
}

}  // namespace detail

// errc::invalid, naming the field, if a value is not what its description allows. `Bytes` is another
// vector of bytes for what must be wiped.
template <class Bytes = std::vector<std::byte>, class Message>
Bytes write(const Message& message) {
  if constexpr (requires { message.check(); }) message.check();
  Bytes bytes(detail::put_all(message, {}));
  detail::put_all(message, bytes);
  return bytes;
}

template <class Message>
Message read(byte_view bytes, const message_limits& limits = {}) {
  detail::message_reader reader(bytes, Message::name, detail::field_count<Message>, limits);
  Message message;
  try {
    detail::each_member<Message>(
        [&](auto member, const auto&... ranges) { reader.get(message.*member, ranges...); });
    reader.end();
    if constexpr (requires { message.check(); }) message.check();
  } catch (const error& problem) {
    // Here a value out of range is the sender's fault, not the caller's.
    if (problem.code() != errc::invalid) throw;
    fail(errc::corrupt,
         "the message " + std::string(Message::name) + " is impossible: " + problem.what());
  }
  return message;
}

}  // namespace bloomery::wire
