#include "bloomery/wire/delta.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
using testing::resealed_with;
using testing::throws_error;

filter_view shown(const standard_filter& filter) {
  return {envelope_of(filter), filter.payload()};
}

standard_filter filter_of_keys(std::uint64_t bits, std::uint64_t hashes, std::uint64_t first,
                               std::uint64_t count) {
  standard_filter filter({.bits = bits, .hashes = hashes});
  filter.insert(numbered_digests(3, count, first));
  return filter;
}

file_bytes patched(const standard_filter& before, const file_bytes& delta) {
  const stored_filter after = patch(shown(before), delta);
  return save(after.head, std::vector<byte_view>{after.payload.bytes()});
}

TEST(delta, makes_the_new_version_of_the_old) {
  const standard_filter before = filter_of_keys(100'000, 4, 0, 5000);
  const standard_filter after = filter_of_keys(100'000, 4, 100, 5050);
  const file_bytes delta = diff(shown(before), shown(after));
  EXPECT_LT(delta.size(), 1500);
  EXPECT_EQ(patched(before, delta), save(after)) << "cells, items and promise are the new ones";
  EXPECT_EQ(patched(after, diff(shown(after), shown(before))), save(before)) << "and back";
  EXPECT_EQ(patched(before, diff(shown(before), shown(before))), save(before));
}

// Broder and Mitzenmacher, §2.6: 5 % of the keys replaced. In bytes of files, headers included.
TEST(delta, has_the_published_size) {
  constexpr std::uint64_t keys = 200'000;
  struct row {
    std::uint64_t bits_per_key;
    std::uint64_t hashes;
    double transmitted;
  };
  for (const row& now : {row{48, 3, 2.49}, row{16, 11, 3.42}}) {
    const auto before = filter_of_keys(keys * now.bits_per_key, now.hashes, 0, keys);
    const auto after = filter_of_keys(keys * now.bits_per_key, now.hashes, keys / 20, keys);
    const file_bytes delta = diff(shown(before), shown(after));
    const double per_key = 8 * static_cast<double>(delta.size()) / keys;
    // 10,000 keys leave and come; the bits that differ vary by 1 % at most.
    EXPECT_NEAR(per_key, now.transmitted, 0.01 * now.transmitted + 8 * 320.0 / keys);
    EXPECT_NEAR(math::delta_bits_per_key(static_cast<double>(now.bits_per_key), now.hashes, 0.05),
                now.transmitted, 0.005);
    EXPECT_EQ(patched(before, delta), save(after));
  }
}

TEST(delta, refuses_another_base) {
  const standard_filter before = filter_of_keys(100'000, 4, 0, 5000);
  const standard_filter after = filter_of_keys(100'000, 4, 0, 5100);
  const file_bytes delta = diff(shown(before), shown(after));
  const auto refused = [&](const filter_view& base, const std::string& reason) {
    return throws_error(errc::incompatible, reason, [&] { (void)patch(base, delta); });
  };
  EXPECT_TRUE(refused(shown(after), "made from another version"));
  EXPECT_TRUE(refused(shown(filter_of_keys(100'000, 4, 0, 4999)), "made from another version"));
  EXPECT_TRUE(refused(shown(filter_of_keys(100'000, 5, 0, 5000)), "the shapes differ"));
  EXPECT_TRUE(refused(shown(filter_of_keys(200'000, 4, 0, 5000)), "the shapes differ"));
  filter_view other = shown(before);
  other.head.kind = "blocked";
  EXPECT_TRUE(refused(other, "the kind differs: standard against blocked"));
  other = shown(before);
  other.head.record.hash.tag = 5;
  EXPECT_TRUE(refused(other, "the seed differs"));
  other = shown(before);
  other.head.record.items = 1;
  EXPECT_NO_THROW((void)patch(other, delta)) << "its bits are those of the base";
}

TEST(delta, is_only_made_between_versions_of_one_filter) {
  const standard_filter before = filter_of_keys(100'000, 4, 0, 5000);
  const auto refused = [&](const filter_view& after, const std::string& reason) {
    return throws_error(errc::incompatible, reason, [&] { (void)diff(shown(before), after); });
  };
  EXPECT_TRUE(refused(shown(filter_of_keys(100'000, 5, 0, 9)), "the shapes differ"));
  filter_view other = shown(before);
  other.head.kind = "partitioned";
  EXPECT_TRUE(refused(other, "the kind differs"));
  other = shown(before);
  other.payload.pop_back();
  EXPECT_TRUE(refused(other, "the filter has grown"));
}

TEST(delta, refuses_what_is_none) {
  const standard_filter before = filter_of_keys(100'000, 4, 0, 5000);
  const standard_filter after = filter_of_keys(100'000, 4, 0, 5100);
  const file_bytes delta = diff(shown(before), shown(after));
  const auto refused = [&](errc code, const std::string& reason, const file_bytes& bad) {
    return throws_error(code, reason, [&] { (void)patch(shown(before), bad); });
  };
  EXPECT_TRUE(refused(errc::incompatible, "a standard filter, not a delta", save(before)));
  EXPECT_TRUE(refused(errc::incompatible, "a compressed filter, not a delta",
                      compress(envelope_of(before), before.payload())));
  EXPECT_TRUE(refused(errc::corrupt, "not a Bloomery filter", {}));
  constexpr std::size_t header = 128;
  EXPECT_TRUE(refused(errc::corrupt, "the result's checksum does not match",
                      resealed_with(delta, header + 32, std::uint64_t{1})));
  EXPECT_TRUE(refused(errc::incompatible, "made from another version",
                      resealed_with(delta, header + 40, std::uint64_t{1})));
  for (std::size_t at = header + 64; at < delta.size(); at += 3) {
    const auto changed = static_cast<std::uint8_t>(std::to_integer<unsigned>(delta[at]) ^ 4);
    ASSERT_TRUE(refused(errc::corrupt, "", resealed_with(delta, at, changed))) << at;
  }
  load_options options;
  options.max_payload_bytes = 4096;
  EXPECT_TRUE(throws_error(errc::limit, "over the limit",
                           [&] { (void)patch(shown(before), delta, options); }));
}

// The stored bytes of both forms, fixed for all time: in one there are bytes, with rare ones among
// them, on four lanes, in the other gaps. BLOOMERY_WRITE_GOLDEN=1 writes the files if there are
// none.
TEST(delta, golden_files_are_written_and_read) {
  const standard_filter before = filter_of_keys(131'072, 3, 0, 2700);
  const standard_filter after = filter_of_keys(131'072, 3, 0, 2800);
  const auto golden = [](const std::string& name, const file_bytes& now) {
    const std::filesystem::path path = std::filesystem::path(BLOOMERY_GOLDEN_DIR) / name;
    if (std::getenv("BLOOMERY_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) {
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(now.data()),
                 static_cast<std::streamsize>(now.size()));
    }
    file_bytes stored = testing::read_bytes(path);
    EXPECT_EQ(now, stored) << name;
    return stored;
  };
  const file_bytes small =
      golden("standard.compressed", compress(envelope_of(before), before.payload()));
  EXPECT_EQ(save(load<standard_filter>(small)), save(before));
  const file_bytes delta = golden("standard.delta", diff(shown(before), shown(after)));
  EXPECT_EQ(patched(before, delta), save(after));
}

}  // namespace
}  // namespace bloomery::wire
