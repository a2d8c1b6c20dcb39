#include "bloomery/wire/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numbers>
#include <vector>

#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "reseal.hpp"
#include "testing.hpp"

namespace bloomery::wire {
namespace {

using testing::file_bytes;
using testing::resealed_with;
using testing::resealed_with_kind;
using testing::throws_error;
namespace offset = testing::offset;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

envelope sample() {
  return {"demo",
          {{hash_id::keyed, 0x0123456789abcdef}, {12345, 0.001}, max_items - 1},
          {1, largest, std::uint64_t{1} << 63}};
}

// Two parts of one and two lines, no two bytes alike in a line.
struct sample_payload {
  std::array<std::byte, 64> first{};
  std::array<std::byte, 128> second{};
  sample_payload() {
    for (std::size_t i = 0; i < 64; ++i) first[i] = static_cast<std::byte>(i + 1);
    for (std::size_t i = 0; i < 128; ++i) second[i] = static_cast<std::byte>(255 - i);
  }
  [[nodiscard]] std::vector<byte_view> parts() const { return {first, second}; }
};

file_bytes sample_file() {
  return save(sample(), sample_payload().parts());
}

::testing::AssertionResult opening_throws(errc code, const std::string& part,
                                          const file_bytes& file,
                                          const load_options& options = {}) {
  return throws_error(code, part, [&] { (void)open_envelope(file, options); });
}

TEST(envelope, comes_back_as_it_went) {
  const file_bytes file = sample_file();
  const opened_envelope opened = open_envelope(file);
  EXPECT_EQ(opened.head.kind, "demo");
  EXPECT_EQ(opened.head.record.hash, (hash_identity{hash_id::keyed, 0x0123456789abcdef}));
  EXPECT_EQ(opened.head.record.promised, (promise{12345, 0.001}));
  EXPECT_EQ(opened.head.record.items, max_items - 1);
  EXPECT_EQ(opened.head.fields, sample().fields);
  EXPECT_EQ(opened.payload.size(), 192);
  EXPECT_EQ(opened.payload[63], std::byte{64});
  EXPECT_EQ(opened.payload[64], std::byte{255});
  const std::array again{opened.payload};
  EXPECT_EQ(save(opened.head, again), file);
}

TEST(envelope, puts_each_value_where_the_format_says) {
  const file_bytes file = sample_file();
  const std::byte* at = file.data();
  EXPECT_EQ(text_of(byte_view(file).first(8)),
            "\x89"
            "BLMY\r\n\x1a");
  EXPECT_EQ(core::load_le<std::uint16_t>(at + offset::version), 1);
  EXPECT_EQ(core::load_le<std::uint16_t>(at + offset::field_count), 3);
  EXPECT_EQ(core::load_le<std::uint32_t>(at + offset::header_bytes), 128);
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::payload_bytes), 192);
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::items), max_items - 1);
  EXPECT_EQ(text_of(byte_view(file).subspan(offset::kind, 5)), std::string_view("demo\0", 5));
  EXPECT_EQ(core::load_le<std::uint32_t>(at + offset::hash_id), 2);
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::hash_tag), 0x0123456789abcdef);
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::promised_keys), 12345);
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::promised_rate),
            std::bit_cast<std::uint64_t>(0.001));
  EXPECT_EQ(core::load_le<std::uint64_t>(at + offset::fields + 8), largest);
  file_bytes resealed = file;
  testing::reseal(resealed);
  EXPECT_EQ(resealed, file) << "the checksums are elsewhere or of something else";
}

TEST(envelope, holds_up_to_32_fields_in_whole_lines) {
  for (std::size_t count = 0; count <= max_fields; ++count) {
    envelope head = sample();
    head.fields.assign(count, largest);
    const file_bytes file = save(head, {});
    EXPECT_EQ(file.size(), core::round_up(96 + 8 * count + 8, 64));
    EXPECT_EQ(open_envelope(file).head.fields, head.fields);
  }
}

TEST(envelope, refuses_a_33rd_field) {
  envelope head = sample();
  head.fields.assign(max_fields, 0);
  const file_bytes file = save(head, {});  // with room to spare for one more
  EXPECT_TRUE(opening_throws(errc::corrupt, "the header's size does not fit its fields",
                             resealed_with(file, offset::field_count, std::uint16_t{33})));
}

TEST(envelope, holds_a_name_of_23_bytes) {
  envelope head = sample();
  head.kind = "twenty-three-bytes-0123";
  ASSERT_EQ(head.kind.size(), max_kind_name);
  EXPECT_EQ(open_envelope(save(head, {})).head.kind, head.kind);
}

TEST(envelope, carries_doubles_to_the_last_bit) {
  for (const double value :
       {0.1, -0.0, 1e-308, 5e-324, std::numbers::pi, std::numeric_limits<double>::infinity()}) {
    const std::array<field_value, 2> shape{value, std::uint64_t{3}};
    const std::array<field_info, 2> infos{};
    const envelope head = make_envelope("demo", {}, infos, shape);
    const file_bytes file = save(head, {});
    const std::vector<std::uint64_t> fields = open_envelope(file).head.fields;
    ASSERT_EQ(fields.size(), 2);
    EXPECT_EQ(fields[0], std::bit_cast<std::uint64_t>(value));
    EXPECT_EQ(fields[1], 3);
  }
}

TEST(envelope, accepts_no_promise_and_custom_hashes) {
  envelope head{"demo", {{static_cast<hash_id>(0x80000007), 9}, {}, 0}, {}};
  const opened_envelope opened = open_envelope(save(head, {}));
  EXPECT_EQ(opened.head.record.hash, head.record.hash);
  EXPECT_EQ(opened.head.record.promised, promise{});
  EXPECT_TRUE(opened.payload.empty());
}

TEST(envelope, refuses_what_is_not_one) {
  const std::string reason = "not a Bloomery filter";
  EXPECT_TRUE(opening_throws(errc::corrupt, reason, {}));
  EXPECT_TRUE(opening_throws(errc::corrupt, reason, file_bytes(7)));
  EXPECT_TRUE(opening_throws(errc::corrupt, reason, file_bytes(1000)));
  const file_bytes file = sample_file();
  EXPECT_TRUE(opening_throws(errc::corrupt, reason, file_bytes(file.begin(), file.begin() + 7)));
  EXPECT_TRUE(opening_throws(errc::corrupt, "ends inside its header",
                             file_bytes(file.begin(), file.begin() + 8)));
  EXPECT_TRUE(opening_throws(errc::corrupt, "ends inside its header",
                             file_bytes(file.begin(), file.begin() + 95)));
  EXPECT_TRUE(opening_throws(errc::corrupt, "ends inside its header",
                             file_bytes(file.begin(), file.begin() + 127)));
}

TEST(envelope, refuses_each_wrong_value_with_its_reason) {
  const file_bytes file = sample_file();
  EXPECT_TRUE(opening_throws(errc::unsupported, "format version 2 is not known; this program reads",
                             resealed_with(file, offset::version, std::uint16_t{2})));
  const std::string misfit = "the header's size does not fit its fields";
  EXPECT_TRUE(opening_throws(errc::corrupt, misfit,
                             resealed_with(file, offset::field_count, std::uint16_t{33})));
  EXPECT_TRUE(opening_throws(errc::corrupt, misfit,
                             resealed_with(file, offset::field_count, std::uint16_t{4})));
  EXPECT_TRUE(opening_throws(errc::corrupt, misfit,
                             resealed_with(file, offset::header_bytes, std::uint32_t{192})));
  EXPECT_TRUE(opening_throws(errc::corrupt, misfit,
                             resealed_with(file, offset::header_bytes, ~std::uint32_t{0})));
  const std::string reserved = "reserved bytes of the header are not zero";
  EXPECT_TRUE(opening_throws(errc::corrupt, "the place of the names is out of range",
                             resealed_with(file, offset::names_bytes + 3, std::uint8_t{1})));
  EXPECT_TRUE(opening_throws(errc::corrupt, reserved,  // the fields left over from the third
                             resealed_with(file, offset::field_count, std::uint16_t{2})));
  EXPECT_TRUE(opening_throws(errc::corrupt, "the payload should be 191 bytes, there are 192",
                             resealed_with(file, offset::payload_bytes, std::uint64_t{191})));
  EXPECT_TRUE(
      opening_throws(errc::corrupt, "the kind's name is malformed", resealed_with_kind(file, "")));
  EXPECT_TRUE(opening_throws(errc::corrupt, "the kind's name is malformed",
                             resealed_with_kind(file, "a b")));
  EXPECT_TRUE(opening_throws(errc::unsupported, "hash id 5 is not known",
                             resealed_with(file, offset::hash_id, std::uint32_t{5})));
  EXPECT_TRUE(opening_throws(errc::corrupt, "the promised keys and rate are out of range",
                             resealed_with(file, offset::promised_keys, std::uint64_t{0})));
}

TEST(envelope, keeps_names_behind_the_cells) {
  envelope head = sample();
  std::vector<std::string> names{"red", "", std::string(max_name_bytes, 'x'), "blue\n"};
  head.record.names = names;
  const file_bytes file = save(head, sample_payload().parts());
  const opened_envelope opened = open_envelope(file);
  EXPECT_EQ(opened.head.record.names, head.record.names);
  EXPECT_EQ(opened.payload.size(), 192U);
  EXPECT_EQ(file.size() - sample_file().size(), core::round_up(4 + 4 * 2 + 3 + 4096 + 5, 64));

  names.back() += std::string(max_name_bytes, 'y');
  head.record.names = names;
  EXPECT_TRUE(throws_error(errc::invalid, "is too long",
                           [&] { (void)save(head, sample_payload().parts()); }));
  EXPECT_TRUE(throws_error(errc::invalid, "too many",
                           [&] { (void)stored_names(std::vector<std::string>(max_names + 1)); }));
}

// Whatever is changed in the names, they are refused or other names.
TEST(envelope, refuses_names_that_do_not_fill_their_place) {
  envelope head = sample();
  head.record.names = std::vector<std::string>{"red", "green", "blue"};
  const std::vector<std::byte> stored = stored_names(head.record.names.all());
  ASSERT_EQ(stored.size(), 64U);
  const auto with = [&](std::size_t at, unsigned value) {
    auto names = stored;
    names[at] = static_cast<std::byte>(value);
    const sample_payload cells;
    const std::array<byte_view, 2> payload{byte_view(cells.first), byte_view(names)};
    file_bytes file = seal(head, payload);
    for (const byte_view part : payload) file.insert(file.end(), part.begin(), part.end());
    return file;
  };
  EXPECT_EQ(open_envelope(with(6, 'R')).head.record.names[0], "Red");
  for (const auto& [at, value] :
       {std::pair{0U, 0U}, {0U, 2U}, {3U, 1U}, {4U, 60U}, {5U, 255U}, {63U, 1U}, {9U, 9U}}) {
    EXPECT_TRUE(opening_throws(errc::corrupt, "name", with(at, value))) << at << ' ' << value;
  }
}

TEST(envelope, refuses_a_payload_of_broken_lines) {
  file_bytes file = sample_file();
  file.resize(file.size() - 1);
  EXPECT_TRUE(opening_throws(errc::corrupt, "the payload is not whole 64-byte lines",
                             resealed_with(file, offset::payload_bytes, std::uint64_t{191})));
}

TEST(envelope, refuses_damage_to_header_and_payload_apart) {
  file_bytes header = sample_file();
  header[offset::items] ^= std::byte{1};
  EXPECT_TRUE(opening_throws(errc::corrupt, "the header is damaged", header));
  file_bytes payload = sample_file();
  payload.back() ^= std::byte{1};
  EXPECT_TRUE(opening_throws(errc::corrupt, "the payload is damaged", payload));
}

TEST(load_options, set_the_largest_payload) {
  const file_bytes file = sample_file();
  load_options options;
  options.max_payload_bytes = 192;
  EXPECT_EQ(open_envelope(file, options).payload.size(), 192);
  options.max_payload_bytes = 191;
  EXPECT_TRUE(opening_throws(
      errc::limit, "the payload of 192 B is over the limit of " + format_size(191), file, options));
}

TEST(load_options, waive_the_payload_checksum_alone) {
  load_options waived;
  waived.verify_payload = false;
  file_bytes file = sample_file();
  EXPECT_EQ(open_envelope(file, waived).payload.size(), 192);
  file.back() ^= std::byte{1};
  EXPECT_TRUE(opening_throws(errc::corrupt, "the payload is damaged", file));
  EXPECT_EQ(open_envelope(file, waived).payload.back(), file.back());
  for (std::size_t at = 0; at < 128; ++at) {
    file_bytes damaged = file;
    damaged[at] ^= std::byte{0x10};
    EXPECT_THROW((void)open_envelope(damaged, waived), error) << at;
  }
  file.pop_back();
  EXPECT_TRUE(opening_throws(errc::corrupt, "the payload should be 192", file, waived));
}

TEST(envelope, opens_in_place_wherever_the_bytes_lie) {
  const file_bytes file = sample_file();
  for (std::size_t shift = 0; shift < 8; ++shift) {
    file_bytes moved(file.size() + shift);
    std::ranges::copy(file, moved.begin() + static_cast<std::ptrdiff_t>(shift));
    const byte_view place = byte_view(moved).subspan(shift);
    EXPECT_EQ(open_envelope(place).payload.data(), place.data() + 128);
  }
}

}  // namespace
}  // namespace bloomery::wire
