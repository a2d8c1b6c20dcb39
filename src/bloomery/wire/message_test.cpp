#include "bloomery/wire/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/filters/changing/cuckoo.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/key.hpp"
#include "everything.hpp"
#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

struct nothing {
  static constexpr std::string_view name = "test/nothing";
  static constexpr std::tuple<> fields{};
};
struct number_alone {
  static constexpr std::string_view name = "test/number";
  std::uint64_t number = 0;
  static constexpr std::tuple fields{
      whole_field("number", "any", &number_alone::number, 0, any_whole)};
};
// The same message as a party of another day has it.
struct number_with_more {
  static constexpr std::string_view name = number_alone::name;
  std::uint64_t number = 0;
  byte_view more;
  static constexpr std::tuple fields{
      whole_field("number", "any", &number_with_more::number, 0, any_whole),
      wire::bytes_field("more", "any", &number_with_more::more, 0, 10)};
};
struct number_as_bytes {
  static constexpr std::string_view name = number_alone::name;
  byte_view number;
  static constexpr std::tuple fields{
      wire::bytes_field("number", "any", &number_as_bytes::number, 0, 100)};
};

struct few_parts {
  static constexpr std::string_view name = "test/parts";
  std::vector<byte_view> parts;
  static constexpr std::tuple fields{
      wire::bytes_list_field("parts", "few", &few_parts::parts, 0, 3, 2, 4)};
};

standard_filter some_filter() {
  auto filter = standard_filter::for_keys(100, 0.01);
  filter.insert(numbered_digests(1, 100));
  return filter;
}

everything with_all(byte_view filter) {
  return {300,
          0.25,
          1,
          bytes_of("zebra"),
          {bytes_of("ab"), bytes_of("wxyz")},
          wire::carried_filter(filter)};
}

TEST(message, comes_back_as_it_was) {
  const auto stored = wire::save(some_filter());
  const auto sent = wire::write(with_all(stored));
  EXPECT_EQ(wire::message_name(sent), "fuzz/everything");
  EXPECT_EQ(wire::stated_message_bytes(byte_view(sent).first(16)), sent.size());
  EXPECT_EQ(wire::stated_message_bytes(byte_view(sent).first(15)), 0U);
  EXPECT_EQ(wire::stated_message_bytes(stored), 0U) << "a stored filter is another thing";
  const auto read = wire::read<everything>(sent);
  EXPECT_EQ(read.number, 300U);
  EXPECT_EQ(read.share, 0.25);
  EXPECT_EQ(read.way, 1U);
  EXPECT_EQ(text_of(read.word), "zebra");
  ASSERT_EQ(read.parts.size(), 2U);
  EXPECT_EQ(text_of(read.parts[1]), "wxyz");
  EXPECT_TRUE(
      read.filter.open<standard_filter>(hash_identity{}).may_contain(numbered_digest(1, 7)));
  EXPECT_EQ(wire::write(read), sent);
  EXPECT_NO_THROW((void)wire::read<nothing>(wire::write(nothing{})));
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 63, any_whole}) {
    EXPECT_EQ(wire::read<number_alone>(wire::write(number_alone{value})).number, value);
  }
}

TEST(message, refuses_to_write_what_nobody_would_read) {
  const auto stored = wire::save(some_filter());
  const auto refused = [&](const std::string& part, auto change) {
    everything message = with_all(stored);
    change(message);
    return throws_error(errc::invalid, part, [&] { (void)wire::write(message); });
  };
  EXPECT_TRUE(refused("share is 2; allowed: 0 to 1", [](everything& m) { m.share = 2; }));
  EXPECT_TRUE(refused("way is 3; allowed: none, some, all", [](everything& m) { m.way = 3; }));
  EXPECT_TRUE(refused("word has 0 bytes; allowed: 1 to 1000", [](everything& m) { m.word = {}; }));
  const auto refused_parts = [](const std::string& part, const few_parts& message) {
    return throws_error(errc::invalid, part, [&] { (void)wire::write(message); });
  };
  EXPECT_TRUE(refused_parts("parts has 4 parts; allowed: 0 to 3",
                            {std::vector<byte_view>(4, bytes_of("ab"))}));
  EXPECT_TRUE(refused_parts("parts has 1 bytes in a part; allowed: 2 to 4", {{bytes_of("a")}}));
  EXPECT_TRUE(refused("no way to some", [](everything& m) { m.parts.clear(); }));
}

TEST(message, refuses_hostile_bytes) {
  const auto stored = wire::save(some_filter());
  expect_hostile_message_refused(wire::write(with_all(stored)), [](byte_view bytes) {
    const auto read = wire::read<everything>(bytes);
    EXPECT_TRUE(std::ranges::equal(wire::write(read), bytes)) << "one run of bytes a message";
    (void)read.filter.open<standard_filter>(hash_identity{});
  });
  EXPECT_TRUE(is_refused([] { (void)wire::read<nothing>({}); }));
}

TEST(message, says_what_is_wrong) {
  const auto sent = wire::write(number_alone{128});
  const auto refused = [&](errc code, const std::string& part, auto read) {
    return throws_error(code, part, [&] { (void)read(); });
  };
  EXPECT_TRUE(refused(errc::incompatible, "this is the message test/number, not test/nothing",
                      [&] { return wire::read<nothing>(sent); }));
  EXPECT_TRUE(refused(errc::corrupt, "the message test/number has 2 fields, this has 1",
                      [&] { return wire::read<number_with_more>(sent); }));
  EXPECT_TRUE(refused(errc::corrupt, "the message test/number has 1 fields, this has 2", [&] {
    return wire::read<number_alone>(wire::write(number_with_more{128, {}}));
  }));
  EXPECT_TRUE(refused(errc::corrupt, "should be of type 'b'",
                      [&] { return wire::read<number_as_bytes>(sent); }));
  EXPECT_TRUE(refused(errc::limit, "over the limit", [&] {
    return wire::read<number_alone>(sent, {.max_bytes = sent.size() - 1});
  }));
  EXPECT_NO_THROW((void)wire::read<number_alone>(sent, {.max_bytes = sent.size()}));
  const auto changed = [&](std::size_t at, int value) {
    auto bytes = sent;
    bytes[at] = static_cast<std::byte>(value);
    return resealed_message(bytes);
  };
  const auto read = [](const std::vector<std::byte>& bytes) {
    return wire::read<number_alone>(bytes);
  };
  EXPECT_TRUE(refused(errc::unsupported, "version 2", [&] { return read(changed(4, 2)); }));
  EXPECT_TRUE(refused(errc::corrupt, "malformed", [&] { return read(changed(7, 1)); }));
  EXPECT_TRUE(refused(errc::corrupt, "malformed", [&] { return read(changed(16, 'T')); }));
  EXPECT_TRUE(refused(errc::corrupt, "ends in its name", [&] { return read(changed(6, 255)); }));
  auto damaged = sent;
  damaged.back() ^= std::byte{1};
  EXPECT_TRUE(refused(errc::corrupt, "damaged", [&] { return read(damaged); }));
  auto longer = sent;
  longer.push_back(std::byte{});
  EXPECT_TRUE(
      refused(errc::corrupt, "1 bytes follow", [&] { return read(resealed_message(longer)); }));
  EXPECT_TRUE(refused(errc::corrupt, "should be", [&] { return read(longer); }));
}

// 0x80 0x00 would be another zero, and eleven groups a number beyond 64 bits.
TEST(message, numbers_have_one_form) {
  const auto with = [](const std::vector<int>& groups) {
    auto bytes = wire::write(number_alone{0});
    bytes.resize(bytes.size() - 9);  // the number and the checksum
    for (const int group : groups) bytes.push_back(static_cast<std::byte>(group));
    bytes.resize(bytes.size() + 8);
    return resealed_message(bytes);
  };
  const auto read = [&](const std::vector<int>& groups) {
    return wire::read<number_alone>(with(groups)).number;
  };
  EXPECT_EQ(read({0x80, 0x01}), 128U);
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), any_whole);
  for (const auto& groups : std::vector<std::vector<int>>{
           {0x80, 0x00},
           {0x80},
           {},
           {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
           {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}}) {
    EXPECT_TRUE(throws_error(errc::corrupt, "", [&] { (void)read(groups); }));
  }
}

// A list may say that it is long; room is made for what is there.
TEST(message, lengths_are_believed_when_the_bytes_are_there) {
  struct long_list {
    std::vector<byte_view> parts;
  };
  const field_info count{"parts", "", std::uint64_t{0}, any_whole};
  auto bytes = wire::write(number_alone{any_whole});
  bytes[16 + number_alone::name.size()] = std::byte{'l'};
  bytes = resealed_message(bytes);
  wire::detail::message_reader reader(bytes, number_alone::name, 1, {});
  long_list list;
  EXPECT_TRUE(
      throws_error(errc::corrupt, "ends inside", [&] { reader.get(list.parts, count, count); }));
  EXPECT_EQ(list.parts.capacity(), 0U);
}

// All bits set claim everything: refused whatever the kind, unless the receiver says otherwise.
template <filter_type F>
void expect_full_refused(const typename F::shape_type& shape) {
  storage ones = wire::copied(std::vector<std::byte>(F::payload_bytes(shape), std::byte{0xff}));
  const wire::envelope head = wire::envelope_of(F(shape));
  const auto bytes = wire::save(head, std::array{ones.bytes()});
  EXPECT_TRUE(throws_error(errc::limit, "fill is 1; this party takes up to 0.65", [&] {
    (void)wire::carried_filter(bytes).open<F>(hash_identity{});
  })) << F::kind.name;
  EXPECT_NO_THROW((void)wire::carried_filter(bytes).open<F>(
      hash_identity{}, {.load = {}, .max_fill = 1, .max_rate = 1}));
}

TEST(message, a_filter_that_claims_everything_is_refused) {
  expect_full_refused<standard_filter>({1024, 7});  // no padding that must be zero
  expect_full_refused<blocked_filter>({blocked_filter::plan(100, 0.01)});
  expect_full_refused<attenuated_filter>({512, 7, 8});
  // One level suffices to be taken for the nearest.
  attenuated_filter near({512, 7, 8});
  for (std::uint64_t i = 0; i < 2000; ++i) near.set_value(numbered_digest(1, i), 0);
  EXPECT_LT(wire::share_of_ones(near.payload()), 0.2);
  EXPECT_TRUE(
      throws_error(errc::limit, "fill", [&] { wire::require_useful(near, hash_identity{}); }));
  // A kind that has no fill is judged by its ones.
  cuckoo_filter cuckoo = cuckoo_filter::for_keys(1000, 0.01);
  cuckoo.insert(numbered_digests(2, 1000));
  EXPECT_EQ(wire::fill_of(cuckoo), wire::share_of_ones(cuckoo.payload()));
  EXPECT_NO_THROW(wire::require_useful(cuckoo, hash_identity{}));
  // Half full with one hash: every other stranger.
  standard_filter single({1024, 1});
  for (std::uint64_t i = 0; single.fill() <= 0.55; ++i) single.insert(numbered_digest(3, i));
  EXPECT_TRUE(throws_error(errc::limit, "false-positive rate",
                           [&] { wire::require_useful(single, hash_identity{}); }));
}

TEST(message, a_filter_of_another_hash_kind_or_size_is_refused) {
  const auto stored = wire::save(some_filter());
  const wire::carried_filter carried(stored);
  EXPECT_NO_THROW((void)carried.open<standard_filter>(hash_identity{}));
  EXPECT_TRUE(throws_error(errc::incompatible, "seed", [&] {
    (void)carried.open<standard_filter>({hash_id::xxh3, 1});
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "kind",
                           [&] { (void)carried.open<blocked_filter>(hash_identity{}); }));
  EXPECT_TRUE(throws_error(errc::limit, "over the limit", [&] {
    (void)carried.open<standard_filter>(hash_identity{}, {.load = {.max_payload_bytes = 64}});
  }));
  EXPECT_TRUE(throws_error(errc::corrupt, "not a Bloomery filter", [&] {
    (void)wire::carried_filter().open<standard_filter>(hash_identity{});
  }));
  // Compressed, it is the same filter.
  const auto filter = some_filter();
  const auto small = wire::compress(wire::envelope_of(filter), filter.payload());
  EXPECT_EQ(wire::save(wire::carried_filter(small).open<standard_filter>(hash_identity{})), stored);
}

}  // namespace
}  // namespace bloomery::testing
