// Tarkoma, Rothenberg, Lagerspetz 2012, Figure 2, bit for bit: a 16-bit filter whose three hashes
// are MD5, SHA-1 and CRC32 modulo 16. A custom hash policy and a custom rule are all it takes.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "bloomery/filters/bloom.hpp"
#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "testing.hpp"

namespace bloomery::figure2 {

// The last four bytes of the hash, read as a big-endian number: all that a modulo 16 can see.
inline std::uint64_t low_word(const EVP_MD* method, byte_view key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  EXPECT_EQ(EVP_Digest(key.data(), key.size(), hash.data(), &length, method, nullptr), 1);
  std::uint64_t word = 0;
  for (std::size_t i = length - 4; i < length; ++i) word = word << 8 | hash.at(i);
  return word;
}

struct figure2_hash {
  [[nodiscard]] static hash_identity identity() { return {hash_id::custom, 2}; }
  [[nodiscard]] digest operator()(const byte_key auto& key) const {
    const byte_view bytes = bytes_of(key);
    const std::uint64_t crc =
        crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return {low_word(EVP_sha1(), bytes) << 32 | low_word(EVP_md5(), bytes), crc};
  }
};

// The three packed hashes, each modulo the number of cells.
struct figure2_probes {
  std::uint64_t cells;
  std::uint64_t count;
  static constexpr bool one_line = false;

  [[nodiscard]] std::uint64_t range() const { return cells; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    const std::array<std::uint64_t, 3> hashes{d.lo & 0xffffffff, d.lo >> 32, d.hi};
    for (std::size_t i = 0; i < count; ++i) {
      if (!visit(hashes.at(i) % cells)) return false;
    }
    return true;
  }
};

struct figure2_shape {
  std::uint64_t bits = 16;
  std::uint64_t hashes = 3;
  static constexpr std::array fields{
      whole_field("bits", "m", &figure2_shape::bits, 1, 1 << 20),
      whole_field("hashes", "k", &figure2_shape::hashes, 1, 3),
  };
};

struct figure2_rule {
  static constexpr kind_info kind{.name = "figure2",
                                  .title = "The survey's example",
                                  .answers = "Is x in the set?",
                                  .citation = "Tarkoma et al. 2012"};
  using shape = figure2_shape;
  using probes = figure2_probes;

  static probes probe(const shape& s) { return {s.bits, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate) {
    return {math::plan_standard(keys, rate).bits, 3};
  }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::exact_rate(s.bits, keys, s.hashes);
  }
  static double current_rate(const shape& s, const bits::bit_array& bits) {
    return math::instance_rate(static_cast<double>(bits.count()) / static_cast<double>(s.bits),
                               s.hashes);
  }
  static math::bit_layout layout(const shape& s) { return math::uniform_layout(s.bits, s.hashes); }
};

using figure2_filter = filter<bit_cells<figure2_rule>>;
static_assert(able<figure2_filter, asks, inserts, measures>);

namespace {

using example = bloom<figure2_filter, figure2_hash>;

example empty_example() {
  return example(figure2_filter(figure2_shape{}, figure2_hash::identity()));
}

std::set<std::uint64_t> set_bits(const example& filter) {
  std::set<std::uint64_t> ones;
  const bits::bit_array& bits = filter.filter().cells().bits();
  for (std::uint64_t i = 0; i < bits.size(); ++i) {
    if (bits.test(i)) ones.insert(i);
  }
  return ones;
}

TEST(tarkoma_figure_2, each_letter_probes_the_printed_positions) {
  const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> printed{
      {"a", {1, 8, 3}},  {"b", {15, 8, 9}}, {"y", {13, 10, 5}},
      {"l", {3, 7, 14}}, {"q", {13, 0, 7}}, {"z", {7, 10, 15}},
  };
  for (const auto& [letter, expected] : printed) {
    std::vector<std::uint64_t> positions;
    figure2_probes{16, 3}.all(figure2_hash{}(letter), [&](std::uint64_t at) {
      positions.push_back(at);
      return true;
    });
    EXPECT_EQ(positions, expected) << letter;
  }
}

TEST(tarkoma_figure_2, is_reproduced_bit_for_bit) {
  example filter = empty_example();
  EXPECT_TRUE(filter.insert("a"));
  EXPECT_TRUE(filter.insert("b"));
  EXPECT_EQ(set_bits(filter), (std::set<std::uint64_t>{1, 3, 8, 9, 15}));
  EXPECT_TRUE(filter.insert("y"));
  EXPECT_TRUE(filter.insert("l"));
  EXPECT_EQ(set_bits(filter), (std::set<std::uint64_t>{1, 3, 5, 7, 8, 9, 10, 13, 14, 15}));
  EXPECT_EQ(filter.filter().cells().bits().bytes()[0], std::byte{0b10101010});
  EXPECT_EQ(filter.filter().cells().bits().bytes()[1], std::byte{0b11100111});

  for (const char* member : {"a", "b", "y", "l"}) EXPECT_TRUE(filter.may_contain(member)) << member;
  EXPECT_FALSE(filter.may_contain("q")) << "bit 0 is clear";
  EXPECT_TRUE(filter.may_contain("z")) << "the figure's false positive";
  EXPECT_FALSE(filter.insert("z")) << "and so nothing new";

  EXPECT_DOUBLE_EQ(filter.filter().fill(), 10.0 / 16);
  EXPECT_DOUBLE_EQ(filter.filter().current_rate(), 1000.0 / 4096);
}

TEST(tarkoma_figure_2, a_custom_hash_is_kept_apart_from_the_others) {
  EXPECT_TRUE(testing::throws_error(errc::incompatible, "the hash function differs", [] {
    (void)example(figure2_filter(figure2_shape{}, xxh3_hash{}.identity()));
  }));
  example filter = empty_example();
  EXPECT_TRUE(testing::throws_error(errc::incompatible, "the hash function differs", [&] {
    filter.filter().merge(figure2_filter(figure2_shape{}, xxh3_hash{}.identity()));
  }));
}

}  // namespace
}  // namespace bloomery::figure2
