#include "bloomery/filters/text/hierarchical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

std::string random_text(std::uint64_t stream, std::uint64_t size, std::uint64_t letters) {
  std::string text(size, ' ');
  for (std::uint64_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(hash::reduce(hash::mix(hash::mix(stream) + i), letters));
  }
  return text;
}

hierarchical_shape roomy(std::uint64_t block_bytes, std::uint64_t levels, std::uint64_t sources) {
  return {1 << 20, 20, block_bytes, levels, 512, sources};
}

// What the filter would say without a false positive: the excerpt's whole blocks, as the text has
// its boundaries, are the text's.
std::vector<text_match> expected(const std::vector<std::string>& texts, const std::string& part,
                                 std::uint64_t s) {
  std::vector<text_match> matches;
  for (std::uint64_t source = 0; source < texts.size(); ++source) {
    const std::string& text = texts[source];
    for (std::uint64_t offset = 0; offset < text.size(); ++offset) {
      const std::uint64_t skip = core::round_up(offset, s) - offset;
      const std::uint64_t whole = (part.size() - skip) / s * s;
      if (offset + skip + whole > text.size() / s * s) continue;
      if (text.compare(offset + skip, whole, part, skip, whole) == 0) {
        matches.push_back({source, offset});
      }
    }
  }
  return matches;
}

// Any part of 2s-1 bytes or more is found wherever std::string::find finds it. Two letters,
// so that parts recur; texts of any length, so that last blocks are short. At 2^20 bits no lookup
// errs here, so that the answer is known exactly.
TEST(hierarchical, finds_every_part_of_every_text) {
  constexpr std::uint64_t s = 5;
  hierarchical_filter filter(roomy(s, 4, 7));
  std::vector<std::string> texts;
  for (std::uint64_t source = 0; source < 7; ++source) {
    texts.push_back(random_text(source, 2 * s - 1 + 41 * source, 2));
    EXPECT_TRUE(filter.insert_text(texts.back(), source));
    EXPECT_FALSE(filter.insert_text(texts.back(), source));
  }
  for (std::uint64_t trial = 0; trial < 600; ++trial) {
    const std::string& text = texts[hash::mix(trial) % texts.size()];
    const std::uint64_t from = hash::mix(~trial) % (text.size() - 2 * s + 2);
    const std::uint64_t size =
        2 * s - 1 +
        hash::mix(trial + 7777) % std::min<std::uint64_t>(60, text.size() - from - 2 * s + 2);
    const std::string part = text.substr(from, size);
    EXPECT_TRUE(filter.may_contain_text(part));
    const auto found = filter.search(part);
    EXPECT_EQ(found, expected(texts, part, s));
    for (std::uint64_t source = 0; source < texts.size(); ++source) {
      for (auto at = texts[source].find(part); at != std::string::npos;
           at = texts[source].find(part, at + 1)) {
        EXPECT_NE(std::find(found.begin(), found.end(), text_match{source, at}), found.end());
      }
    }
    const std::string stranger = random_text(1000 + trial, size, 2);
    EXPECT_EQ(filter.search(stranger), expected(texts, stranger, s));
  }
  EXPECT_EQ(filter.cells().sources(), 7U);
}

// Tarkoma §III-E: blocks of two texts, each at its place, pass one by one; their concatenation,
// looked up as the parent across the splice, does not.
TEST(hierarchical, rejects_a_splice_that_a_parent_spans) {
  const std::string one = random_text(1, 64, 256);
  const std::string other = random_text(2, 64, 256);
  const auto spliced = [&](std::uint64_t blocks) {
    return one.substr(0, 8 * blocks) + other.substr(8 * blocks);
  };
  for (const std::uint64_t levels : {1U, 2U, 3U, 4U}) {
    hierarchical_filter filter(roomy(8, levels, 1));
    filter.insert_text(one);
    filter.insert_text(other);
    for (std::uint64_t blocks = 1; blocks < 8; ++blocks) {
      const std::uint64_t top = std::uint64_t{1} << (levels - 1);
      EXPECT_EQ(filter.may_contain_text(spliced(blocks)), blocks % top == 0) << levels << blocks;
    }
  }
  hierarchical_filter apart(roomy(8, 1, 2));
  apart.insert_text(one, 0);
  apart.insert_text(other, 1);
  EXPECT_TRUE(apart.may_contain_text(spliced(4)));
  EXPECT_TRUE(apart.search(spliced(4)).empty()) << "no source has both halves";
}

// Of 2^16 bits at fill 0.8, k = 1: 40,000 strangers of four blocks are looked for at offset
// 0 with 7 lookups and, one byte in, at offset 3 with 4 (three blocks and a parent).
TEST(hierarchical, a_candidate_passes_with_the_power_of_its_lookups) {
  hierarchical_shape shape{1 << 16, 1, 4, 3, 4, 1};
  hierarchical_filter filter(shape);
  std::uint64_t texts = 0;
  while (filter.fill() < 0.8) {
    for (int i = 0; i < 200; ++i) filter.insert_text(random_text(++texts, 16, 256));
  }
  const double f = filter.fill();
  constexpr std::uint64_t asked = 40'000;
  std::uint64_t at_0 = 0;
  std::uint64_t at_3 = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    for (const text_match& match : filter.search(random_text(~i, 16, 256))) {
      at_0 += std::uint64_t{match.offset == 0};
      at_3 += std::uint64_t{match.offset == 3};
    }
  }
  EXPECT_EQ(math::hierarchy_lookups(0, 4, 3), 7U);
  EXPECT_EQ(math::hierarchy_lookups(1, 3, 3), 4U);
  EXPECT_TRUE(plausible_count(at_0, asked, std::pow(f, 7)));
  EXPECT_TRUE(plausible_count(at_3, asked, std::pow(f, 4)));
}

// 200 filters of one text of 64 blocks each, 20 strangers of the shortest length.
TEST(hierarchical, claims_strangers_as_predicted) {
  const auto shape = hierarchical_filter::plan(64, 0.2);
  constexpr std::uint64_t filters = 200;
  constexpr std::uint64_t asked = 20;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    hierarchical_filter filter(shape);
    filter.insert_text(random_text(i, 64 * shape.block_bytes, 256));
    for (std::uint64_t j = 0; j < asked; ++j) {
      const auto stranger = random_text(filters + i * asked + j, 2 * shape.block_bytes - 1, 256);
      hits += std::uint64_t{filter.may_contain_text(stranger)};
    }
  }
  EXPECT_TRUE(
      plausible_count(hits, filters * asked, hierarchical_filter::predicted_rate(shape, 64)));
}

TEST(hierarchical, says_what_it_does_with_short_and_long_texts) {
  hierarchical_filter filter(roomy(8, 3, 4));
  EXPECT_FALSE(filter.insert_text("seven b", 3)) << "no whole block";
  EXPECT_EQ(filter.record().items, 0U);
  EXPECT_TRUE(filter.insert_text("twelve bytes"));
  EXPECT_EQ(filter.record().items, 1U);
  EXPECT_TRUE(
      throws_error(errc::invalid, "15 and more", [&] { (void)filter.search("14 bytes long."); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "source", [&] { filter.insert_text("fifteen bytes it is", 4); }));
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::limit, "text_blocks",
                           [&] { filter.insert_text(std::string(8 * 513, 'x')); }));
  EXPECT_EQ(wire::save(filter), before);
  EXPECT_TRUE(filter.search(std::string(100'000, 'x')).empty()) << "longer than any text";
  hierarchical_filter keyed(roomy(8, 3, 4), {hash_id::keyed, 1});
  EXPECT_TRUE(throws_error(errc::incompatible, "no secret key was given",
                           [&] { keyed.insert_text("anything"); }));
}

// A text of one letter is everywhere in itself.
TEST(hierarchical, a_search_ends) {
  hierarchical_shape shape = roomy(1, 12, 1);
  shape.hashes = 2;
  shape.text_blocks = hierarchical_cells::max_matches + 2;
  hierarchical_filter filter(shape);
  filter.insert_text(std::string(shape.text_blocks, 'a'));
  EXPECT_TRUE(throws_error(errc::limit, "matches", [&] { (void)filter.search("a"); }));
  const std::string long_text(5000, 'a');
  EXPECT_TRUE(throws_error(errc::limit, "lookups", [&] { (void)filter.search(long_text); }));
  EXPECT_TRUE(filter.may_contain_text(long_text));
}

TEST(hierarchical, merges_and_reloads) {
  hierarchical_filter one(roomy(4, 3, 9));
  hierarchical_filter other = one.copy();
  one.insert_text("the quick brown fox", 2);
  other.insert_text("jumps over the lazy dog", 8);
  one.merge(other);
  const auto again = wire::load<hierarchical_filter>(wire::save(one));
  EXPECT_EQ(again.search("lazy dog"), (std::vector<text_match>{{8, 15}}));
  EXPECT_EQ(again.search("brown fox"), (std::vector<text_match>{{2, 10}}));
  EXPECT_EQ(again.record().items, 9U);
}

// Numbers that no history leaves: more sources or blocks than there can be, bits without a block.
TEST(hierarchical, impossible_numbers_are_refused) {
  hierarchical_filter filter(roomy(4, 3, 9));
  filter.insert_text("the quick brown fox", 2);
  const auto changed = [&](std::size_t word, std::uint64_t value) {
    std::vector<std::byte> bytes;
    for (const byte_view part : filter.payload())
      bytes.insert(bytes.end(), part.begin(), part.end());
    core::store_le<std::uint64_t>(bytes.data() + 8 * word, value);
    return throws_error(errc::corrupt, "cannot have", [&] {
      (void)wire::restore<hierarchical_filter>(wire::envelope_of(filter), wire::copied(bytes));
    });
  };
  EXPECT_TRUE(changed(0, 10));
  EXPECT_TRUE(changed(0, 0));
  EXPECT_TRUE(changed(1, 513));
  EXPECT_TRUE(changed(1, 0));
}

}  // namespace
}  // namespace bloomery::testing
