#include "bloomery/wire/journal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "bloomery/wire/checksum.hpp"
#include "bloomery/wire/envelope.hpp"
#include "bloomery/wire/stored.hpp"
#include "journaled.hpp"
#include "testing.hpp"

namespace bloomery::wire {
namespace {

using testing::file_bytes;
using testing::throws_error;

constexpr std::uint64_t block = bits::file_block_bytes;

// Offsets, from docs/format.md.
constexpr std::size_t version_at = 8;
constexpr std::size_t base_at = 16;
constexpr std::size_t count_at = 24;
constexpr std::size_t body_sum_at = 32;
constexpr std::size_t head_sum_at = 56;
constexpr std::size_t body_at = 64;

// A file of 10 blocks and a short one, another version of it, and the journal that makes this of that.
class journal : public ::testing::Test {
 protected:
  static file_bytes file_of(unsigned seed) {
    std::mt19937_64 random(5);
    file_bytes cells(10 * block + 320);
    for (std::byte& cell : cells) cell = static_cast<std::byte>(random());
    for (const std::uint64_t number : changed)
      cells[number * block] ^= static_cast<std::byte>(seed);
    cells.back() ^= static_cast<std::byte>(seed);
    return save(envelope{"demo", {}, {seed}}, std::array{byte_view(cells)});
  }

  static bits::block_changes difference(const file_bytes& from, const file_bytes& to) {
    bits::block_changes change;
    for (std::uint64_t at = 0; at < to.size(); at += block) {
      const std::uint64_t bytes = std::min(block, to.size() - at);
      const byte_view wanted = byte_view(to).subspan(at, bytes);
      if (std::ranges::equal(wanted, byte_view(from).subspan(at, bytes))) continue;
      change.numbers.push_back(at / block);
      change.contents.insert(change.contents.end(), wanted.begin(), wanted.end());
      change.contents.resize(change.numbers.size() * block);
    }
    return change;
  }

  static file_bytes with(file_bytes file, byte_view tail) {
    file.insert(file.end(), tail.begin(), tail.end());
    return file;
  }

  // The fields that the filter has which these bytes are read as.
  static std::uint64_t version_of(const file_bytes& file) {
    return load_stored(file).head.fields.at(0);
  }

  static file_bytes resealed(file_bytes tail) {
    if (tail.size() > body_at) {
      core::store_le<std::uint64_t>(tail.data() + body_sum_at,
                                    checksum(byte_view(tail).subspan(body_at)));
    }
    core::store_le<std::uint64_t>(tail.data() + head_sum_at,
                                  checksum(byte_view(tail).first(head_sum_at)));
    return tail;
  }

  template <std::unsigned_integral T>
  [[nodiscard]] file_bytes tail_with(std::size_t at, T value) const {
    file_bytes tail = whole;
    core::store_le<T>(tail.data() + at, value);
    return resealed(tail);
  }

  static constexpr std::array<std::uint64_t, 3> changed{1, 4, 9};
  const file_bytes before = file_of(1);
  const file_bytes after = file_of(2);
  const bits::block_changes change = difference(before, after);
  const file_bytes whole = seal_journal(change, before.size());
};

TEST_F(journal, a_whole_one_makes_the_new_of_whatever_mixture) {
  ASSERT_EQ(change.numbers, (std::vector<std::uint64_t>{0, 1, 4, 9, 10}));
  for (unsigned mask = 0; mask < 1U << change.numbers.size(); ++mask) {
    file_bytes mixed = before;
    for (std::size_t i = 0; i < change.numbers.size(); ++i) {
      const std::uint64_t at = change.numbers[i] * block;
      // Old, or new, or torn in the middle.
      const std::uint64_t bytes = std::min(block, mixed.size() - at) / ((mask >> i & 1) + 1);
      if (mask != 0)
        std::copy_n(after.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                    mixed.begin() + static_cast<std::ptrdiff_t>(at));
    }
    EXPECT_EQ(version_of(with(mixed, whole)), 2U) << mask;
  }
}

TEST_F(journal, one_that_is_cut_counts_for_nothing) {
  for (std::size_t size = 1; size < whole.size(); size += size < 200 ? 1 : 97) {
    ASSERT_EQ(version_of(with(before, byte_view(whole).first(size))), 1U) << size;
  }
  // Lengthened, but not written: the head as a whole, or anything of the body.
  EXPECT_EQ(version_of(with(before, file_bytes(64))), 1U);
  for (std::size_t from = body_at; from < whole.size(); from += 1013) {
    file_bytes tail = whole;
    std::fill(tail.begin() + static_cast<std::ptrdiff_t>(from), tail.end(), std::byte{});
    // The last block is short, and zeros fill its place anyway.
    EXPECT_EQ(version_of(with(before, tail)), tail == whole ? 2U : 1U) << from;
  }
}

TEST_F(journal, what_does_not_begin_as_one_is_refused) {
  const auto refused = [&](byte_view tail) {
    return throws_error(errc::corrupt, "the payload should be",
                        [&] { (void)load_stored(with(before, tail)); });
  };
  for (const std::size_t size : {1U, 7U, 8U, 63U, 64U, 65U, 4096U}) {
    EXPECT_TRUE(refused(file_bytes(size, std::byte{1}))) << size;
    if (size != 64) {
      EXPECT_TRUE(refused(file_bytes(size))) << size;
    }
    file_bytes near(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    near[std::min<std::size_t>(size, 8) - 1] ^= std::byte{4};
    EXPECT_TRUE(refused(near)) << size;
  }
  for (std::size_t at = 0; at < body_at; ++at) {
    file_bytes damaged = whole;
    damaged[at] ^= std::byte{1};
    EXPECT_TRUE(refused(damaged)) << at;
  }
  EXPECT_TRUE(refused(with(whole, file_bytes(1)))) << "something follows it";
  EXPECT_TRUE(refused(with(whole, whole)));
}

TEST_F(journal, a_right_checksum_excuses_nothing) {
  const auto refused = [&](const std::string& part, const file_bytes& tail) {
    return throws_error(errc::corrupt, part, [&] { (void)load_stored(with(before, tail)); });
  };
  for (std::size_t at : {10U, 15U, 40U, 47U, 48U, 55U}) {
    EXPECT_TRUE(refused("reserved", tail_with(at, std::uint8_t{1}))) << at;
  }
  for (const std::uint64_t base : {std::uint64_t{0}, before.size() - 64, before.size() + 64,
                                   std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_TRUE(refused("is for a file of", tail_with(base_at, base))) << base;
  }
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{12}, most_journal_blocks + 1, std::uint64_t{1} << 32,
        std::uint64_t{1} << 52, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_TRUE(refused("blocks, outside 1 to 11", tail_with(count_at, count))) << count;
  }
  // Four of the five: a block follows. Six: one is not there, which is how a cut looks.
  EXPECT_TRUE(refused("the payload should be", tail_with(count_at, std::uint64_t{4})));
  EXPECT_EQ(version_of(with(before, tail_with(count_at, std::uint64_t{6}))), 1U);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{11},
                                     std::uint64_t{1} << 52, ~std::uint64_t{0}}) {
    EXPECT_TRUE(refused("out of range or order", tail_with(body_at + 8, number))) << number;
  }
  EXPECT_TRUE(refused("out of range or order", tail_with(body_at + 32, std::uint64_t{11})));
  EXPECT_TRUE(refused("beyond the payload", tail_with(whole.size() - 1, std::uint8_t{1})));
  EXPECT_TRUE(throws_error(errc::unsupported, "journal version 2", [&] {
    (void)load_stored(with(before, tail_with(version_at, std::uint16_t{2})));
  }));
  // The result must be a filter, too.
  EXPECT_TRUE(refused("checksum", tail_with(body_at + 40 + 3000, std::uint8_t{1})));
}

// What the fuzzer of loading relies on: cells that differ, in the file or its journal, under right checksums.
TEST_F(journal, other_cells_load_once_their_checksums_are_right) {
  file_bytes file = with(before, whole);
  file[4 * block + 5] ^= std::byte{1};                                 // to be written over
  file[2 * block + 5] ^= std::byte{1};                                 // not in the journal
  file[before.size() + body_at + 40 + 2 * block + 7] ^= std::byte{1};  // of block 4
  EXPECT_TRUE(throws_error(errc::corrupt, "checksum", [&] { (void)load_stored(file); }));
  testing::reseal_all(file);
  file_bytes wanted = after;
  wanted[2 * block + 5] ^= std::byte{1};
  wanted[4 * block + 7] ^= std::byte{1};
  testing::reseal(wanted);
  EXPECT_EQ(testing::settled(file), wanted);
  EXPECT_EQ(version_of(file), 2U);
}

TEST_F(journal, is_read_of_compressed_files_too_but_not_viewed) {
  const std::vector<std::byte> coded = compress({"demo", {}, {1}}, std::array{byte_view(before)});
  const file_bytes torn = [&] {
    file_bytes file = coded;
    file[100] ^= std::byte{1};
    return file;
  }();
  const file_bytes tail = seal_journal(difference(torn, coded), coded.size());
  EXPECT_EQ(load_stored(with(torn, tail)).payload.size(), before.size());
  EXPECT_TRUE(
      throws_error(errc::unsupported, "load it", [&] { (void)view_stored(with(before, whole)); }));
  EXPECT_EQ(view_stored(with(before, byte_view(whole).first(100))).head.fields.at(0), 1U);
}

}  // namespace
}  // namespace bloomery::wire
