#include "bloomery/apps/shelf/file_blocks.hpp"

#include <algorithm>
#include <random>

#include "bloomery/wire/checksum.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

std::string noise(std::uint64_t seed, std::size_t bytes) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

class file_blocks : public ::testing::Test {
 protected:
  file_blocks() {
    for (std::uint64_t i = 0; i < 20; ++i) {
      files.push_back(noise(i, 1000 * (i + 1) * 7));
      add_file(shelf, "file " + std::to_string(i), files.back(), 0.01, hash);
    }
    add_file(shelf, "empty", "", 0.01, hash);
    files.emplace_back();
  }
  hasher hash;
  apps::shelf shelf{{}, keys_of::blocks, 512};
  std::vector<std::string> files;
};

TEST_F(file_blocks, names_every_file_that_is_there) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto found = resembling(shelf, files[i], hash);
    ASSERT_EQ(found.size(), files.size());
    EXPECT_TRUE(found[0].known);
    EXPECT_EQ(found[0].box, i);
    EXPECT_FALSE(found[1].known);
    for (const resemblance& each : found) EXPECT_FALSE(each.doctored);
  }
}

TEST_F(file_blocks, ranks_versions_by_what_they_share) {
  std::string edited = files[9];
  for (std::size_t at = 0; at < 10; ++at) edited[at * 1024 + 511] ^= 1;  // ten blocks of 137
  const auto found = resembling(shelf, edited, hash, 1 - testing::significance);
  EXPECT_FALSE(found[0].known);
  EXPECT_EQ(found[0].box, 9);
  EXPECT_LE(found[0].share.low, 127.0 / 137);
  EXPECT_GE(found[0].share.high, 127.0 / 137);
  EXPECT_TRUE(found[0].related);
  EXPECT_LT(found[1].share.low, 0.01);
  // Blocks lie at multiples of their size, so that nothing is left behind an insertion.
  const auto shifted = resembling(shelf, "x" + files[9], hash, 1 - testing::significance);
  EXPECT_EQ(shifted[0].share.low, 0);
}

// Of 2,000 strangers one in a thousand seems to share something with one of 21 files.
TEST_F(file_blocks, relates_no_strangers) {
  constexpr std::uint64_t strangers = 2000;
  std::uint64_t related = 0;
  for (std::uint64_t i = 0; i < strangers; ++i) {
    const auto found = resembling(shelf, noise(1000 + i, 512 * (1 + i % 40)), hash);
    related += std::uint64_t{
        std::ranges::any_of(found, [](const resemblance& each) { return each.related; })};
  }
  EXPECT_TRUE(testing::plausible_limit(related, strangers, 0.001)) << related;
}

// A block is no file: a file of one block has two keys.
TEST_F(file_blocks, tells_a_whole_from_its_only_block) {
  const file_keys keys = keys_of_file("abc", 512, hash);
  EXPECT_EQ(keys.blocks.size(), 1);
  EXPECT_FALSE(keys.blocks[0] == keys.whole);
  const file_keys two = keys_of_file(std::string(1024, 'a'), 512, hash);
  EXPECT_EQ(two.blocks.size(), 1);
  EXPECT_FALSE(two.whole == keys_of_file(std::string(512, 'a'), 512, hash).whole);
}

// The blocks of three files under the count of one: it has more of them than it states.
TEST_F(file_blocks, tells_a_box_that_has_more_than_it_states) {
  const std::string large = noise(100, 300 * 512);
  std::vector<digest> blocks = keys_of_file(large, 512, hash).blocks;
  apps::shelf other({}, keys_of::blocks, 512);
  other.add("doctored", blocks, standard_shape{4000, 7});
  std::vector<std::byte> stored = other.save();
  // The count of a box is stored behind its bits, in the last field.
  const std::size_t count_at = stored.size() - 8 - 500 - 9;
  ASSERT_EQ(core::load_le<std::uint64_t>(stored.data() + count_at), 300);
  core::store_le<std::uint64_t>(stored.data() + count_at, 200);
  stored.resize(stored.size() - 8);
  std::array<std::byte, 8> sum{};
  core::store_le(sum.data(), wire::checksum(stored));
  stored.insert(stored.end(), sum.begin(), sum.end());
  const auto doctored = apps::shelf::load(stored);
  EXPECT_TRUE(resembling(doctored, large, hash).at(0).doctored);
  EXPECT_TRUE(doctored.is_doctored(0));
  EXPECT_FALSE(resembling(other, large, hash).at(0).doctored);
}

}  // namespace
}  // namespace bloomery::apps
