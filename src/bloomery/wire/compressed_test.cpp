#include "bloomery/wire/compressed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/compression.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "reseal.hpp"
#include "testing.hpp"

namespace bloomery::wire {
namespace {

using testing::file_bytes;
using testing::numbered_digests;
using testing::reseal;
using testing::resealed_with;
using testing::throws_error;
namespace offset = testing::offset;

// Written out again, from docs/format.md.
constexpr std::size_t header = 128;  // of a filter of at most three fields
constexpr std::size_t at_kind = header;
constexpr std::size_t at_raw_bytes = header + 24;
constexpr std::size_t at_result = header + 32;
constexpr std::size_t at_base = header + 40;
constexpr std::size_t at_coded_bytes = header + 48;
constexpr std::size_t at_reserved = header + 56;
constexpr std::size_t at_coded = header + 64;

template <class Filter>
file_bytes compressed(const Filter& filter) {
  return compress(envelope_of(filter), filter.payload());
}

standard_filter sparse_filter() {
  standard_filter filter({.bits = 200'000, .hashes = 3}, {hash_id::integer, 42}, {1000, 0.01});
  filter.insert(numbered_digests(1, 1000));
  return filter;
}

TEST(compressed, is_read_as_if_it_were_plain) {
  const standard_filter filter = sparse_filter();
  const file_bytes file = compressed(filter);
  EXPECT_LT(file.size(), 3200);
  EXPECT_EQ(file.size() % 64, 0);
  EXPECT_EQ(save(load<standard_filter>(file)), save(filter));
  auto seen = view<standard_filter>(file);
  EXPECT_EQ(save(seen), save(filter));
  seen.insert(digest{1, 2});
  EXPECT_EQ(seen.record().items, 1001) << "its cells are its own";
  EXPECT_EQ(stated_bytes(file), file.size()) << "for readers of streams";
  file_bytes moved(file.size() + 3);
  std::ranges::copy(file, moved.begin() + 3);
  EXPECT_EQ(save(view<standard_filter>(byte_view(moved).subspan(3))), save(filter));
}

TEST(compressed, keeps_payloads_of_any_parts) {
  const filter_record record{{hash_id::xxh3, 7}, {5, 0.5}, 3};
  const envelope head{"demo", record, {1, 2, 3, 4, 5}};
  const file_bytes first(64, std::byte{1});
  const file_bytes second(640, std::byte{0x5a});
  for (const std::vector<byte_view>& parts :
       {std::vector<byte_view>{}, std::vector<byte_view>{first},
        std::vector<byte_view>{first, second, first}}) {
    const stored_filter again = load_stored(compress(head, parts));
    EXPECT_EQ(again.head.kind, "demo");
    EXPECT_EQ(again.head.fields, head.fields);
    EXPECT_EQ(save(again.head, std::array{again.payload.bytes()}), save(head, parts));
  }
}

// Table 1 of Broder and Mitzenmacher, and the 8 bits of Mitzenmacher 2002, in bytes of files: all of
// them, headers included. 200,000 keys; as many strangers as the rate needs.
TEST(compressed, reproduces_the_published_sizes_and_rates) {
  struct row {
    std::uint64_t bits_per_key;
    std::uint64_t hashes;
    double transmitted;
    double rate;
    double rate_tolerance;
    std::uint64_t strangers;
  };
  constexpr std::uint64_t keys = 200'000;
  for (const row& now :
       {row{14, 2, 7.923, 0.0177, 5e-5, 200'000}, row{92, 1, 7.923, 0.0108, 5e-5, 200'000},
        row{28, 4, 15.846, 3.14e-4, 5e-7, 1'000'000},
        row{48, 3, 15.829, 2.22e-4, 5e-7, 1'000'000}}) {
    standard_filter filter({.bits = keys * now.bits_per_key, .hashes = now.hashes});
    filter.insert(numbered_digests(now.bits_per_key, keys));
    const file_bytes file = compressed(filter);
    const double per_key = 8 * static_cast<double>(file.size()) / keys;
    // The fill is random. A key more or less sets at most k bits, each worth some log2(1/p - 1): in
    // standard deviations of the number of ones, well below sqrt(kn), far less than these.
    const double fill = filter.fill();
    const double entropy =
        static_cast<double>(now.bits_per_key) * math::entropy(fill);  // of the bits that are there
    EXPECT_LE(per_key, 1.001 * entropy + 8 * 320.0 / keys);
    EXPECT_NEAR(per_key, now.transmitted, 0.002 * now.transmitted + 8 * 320.0 / keys);
    EXPECT_EQ(save(load<standard_filter>(file)), save(filter));

    const math::compressed_size math =
        math::compressed_filter(static_cast<double>(now.bits_per_key), now.hashes);
    EXPECT_NEAR(math.rate, now.rate, now.rate_tolerance);
    std::vector<digest> strangers = numbered_digests(1000 + now.bits_per_key, now.strangers);
    const auto answers = std::make_unique<bool[]>(strangers.size());
    const std::uint64_t hits =
        filter.may_contain(strangers, std::span(answers.get(), strangers.size()));
    EXPECT_TRUE(testing::plausible_count(hits, now.strangers,
                                         standard_filter::predicted_rate(filter.shape(), keys)));
    EXPECT_NEAR(standard_filter::predicted_rate(filter.shape(), keys) / now.rate, 1, 0.01);
  }
}

// The best (m, k) for what is transmitted, made and sent: within the limit, and at its rate.
TEST(compressed, best_filter_for_a_transmitted_size_fits_it) {
  constexpr std::uint64_t keys = 50'000;
  for (const double limit : {4.0, 8.0, 16.0}) {
    const math::compressed_size best = math::best_compressed(limit, 64);
    const auto bits = static_cast<std::uint64_t>(best.bits_per_key * keys);
    standard_filter filter({.bits = bits, .hashes = best.hashes});
    filter.insert(numbered_digests(static_cast<std::uint64_t>(limit), keys));
    const double per_key = 8 * static_cast<double>(compressed(filter).size()) / keys;
    EXPECT_NEAR(per_key, limit, 0.005 * limit + 8 * 320.0 / keys);
    const double plain =
        math::compressed_filter(limit, static_cast<std::uint64_t>(std::lround(limit * M_LN2))).rate;
    EXPECT_LT(best.rate, plain) << "less than any filter of that size uncompressed";
  }
}

TEST(compressed, refuses_each_wrong_value_with_its_reason) {
  const file_bytes file = compressed(sparse_filter());
  const auto refused = [](errc code, const std::string& reason, const file_bytes& bad) {
    return throws_error(code, reason, [&] { (void)load_stored(bad); });
  };
  const auto with = [&](std::size_t at, std::uint64_t value) {
    return resealed_with(file, at, value);
  };
  EXPECT_TRUE(refused(errc::corrupt, "kind's name is malformed", with(at_kind, 0)));
  EXPECT_TRUE(refused(errc::corrupt, "not whole 64-byte lines", with(at_raw_bytes, 25'001)));
  EXPECT_TRUE(refused(errc::corrupt, "do not make up the payload", with(at_raw_bytes, 25'088)));
  EXPECT_TRUE(refused(errc::corrupt, "do not make up", with(at_raw_bytes, std::uint64_t{1} << 27)));
  EXPECT_TRUE(
      refused(errc::limit, "is over the limit", with(at_raw_bytes, std::uint64_t{1} << 63)));
  EXPECT_TRUE(refused(errc::corrupt, "the decompressed payload is damaged", with(at_result, 1)));
  EXPECT_TRUE(refused(errc::corrupt, "names a base", with(at_base, 1)));
  EXPECT_TRUE(refused(errc::corrupt, "another size than it says", with(at_coded_bytes, 0)));
  EXPECT_TRUE(refused(errc::corrupt, "another size", with(at_coded_bytes, ~std::uint64_t{0})));
  EXPECT_TRUE(refused(errc::corrupt, "reserved bytes", with(at_reserved, 1)));
  EXPECT_TRUE(refused(errc::corrupt, "no known form", with(at_coded, 9)));
  EXPECT_TRUE(
      refused(errc::unsupported, "this is a delta", testing::resealed_with_kind(file, "delta")));

  file_bytes cut(file.begin(), file.begin() + header);
  EXPECT_TRUE(refused(errc::corrupt, "the coded payload is cut",
                      resealed_with(cut, offset::payload_bytes, std::uint64_t{0})));
  file_bytes longer = file;
  longer.resize(file.size() + 64);
  EXPECT_TRUE(
      refused(errc::corrupt, "another size than it says",
              resealed_with(longer, offset::payload_bytes, std::uint64_t{longer.size() - header})));
  const envelope head{"demo", {}, {}};  // nothing but a block's head of 16 bytes, and padding
  const file_bytes empty = compress(head, std::array{byte_view(file).first(0)});
  const file_bytes zeros = compress(head, std::array{byte_view(file_bytes(6400))});
  ASSERT_EQ(zeros.size(), at_coded + 64);
  EXPECT_TRUE(refused(errc::corrupt, "padding of the coded payload",
                      resealed_with(zeros, zeros.size() - 1, std::uint8_t{1})));
  EXPECT_EQ(load_stored(empty).payload.size(), 0);

  load_options options;
  options.max_payload_bytes = 25'000;
  EXPECT_TRUE(throws_error(errc::limit, "the decoded payload of",
                           [&] { (void)load_stored(file, options); }));
}

TEST(compressed, finds_damage_anywhere) {
  const file_bytes file = compressed(sparse_filter());
  for (std::size_t at = 0; at < file.size(); ++at) {
    file_bytes bad = file;
    bad[at] ^= std::byte{0x10};
    const errc code =
        at == offset::version || at == offset::version + 1 ? errc::unsupported : errc::corrupt;
    ASSERT_TRUE(throws_error(code, "", [&] { (void)load_stored(bad); })) << at;
    if (at < at_result) continue;
    reseal(bad);  // then the coder notices, or the checksum of what it decoded
    ASSERT_TRUE(throws_error(errc::corrupt, "", [&] { (void)load_stored(bad); })) << at;
  }
}

// What has grown beyond its shape and is empty again is coded in as many bytes as justify it.
TEST(compressed, what_has_grown_and_is_empty_comes_back) {
  envelope head;
  head.kind = "demo";
  std::vector<std::byte> cells(10 << 20);
  cells.back() = std::byte{1};
  const std::array payload{byte_view(cells)};
  constexpr std::uint64_t shape_bytes = 6400;
  const size_check check = [](const envelope& /*head*/, const coded_sizes& sizes) {
    require_justified(shape_bytes, sizes);
  };
  EXPECT_TRUE(throws_error(errc::corrupt, "more than its shape takes",
                           [&] { (void)load_stored(compress(head, payload), {}, check); }));
  const std::vector<std::byte> file = compress(head, payload, 1, shape_bytes);
  EXPECT_LT(file.size(), cells.size() / 500);
  const stored_filter again = load_stored(file, {}, check);
  EXPECT_TRUE(std::ranges::equal(again.payload.bytes(), cells));
}

}  // namespace
}  // namespace bloomery::wire
