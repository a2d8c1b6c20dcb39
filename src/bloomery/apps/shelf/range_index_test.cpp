#include "bloomery/apps/shelf/range_index.hpp"

#include <random>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

std::vector<column> random_table(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> price(0, 2);
  std::normal_distribution<double> age(40, 15);
  std::vector<column> table{{"price", {}}, {"age", {}}};
  for (std::size_t i = 0; i < rows; ++i) {
    table[0].values.push_back(price(random));
    table[1].values.push_back(std::floor(age(random)));
  }
  return table;
}

TEST(range_index, misses_no_row_of_a_range) {
  const hasher hash;
  std::mt19937_64 random(1);
  const auto table = random_table(1, 500);
  const shelf made = segmented(table, 16, 0.05, hash, "t.csv");
  const shelf loaded = shelf::load(made.save());
  const range_index index(loaded, hash);
  EXPECT_EQ(index.source(), "t.csv");
  EXPECT_EQ(index.row_count(), 500);
  EXPECT_EQ(index.attribute_named("age"), 1);
  for (int i = 0; i < 300; ++i) {
    std::vector<value_range> ranges;
    for (std::size_t a = 0; a < 2; ++a) {
      double low = table[a].values[random() % 500];
      double high = table[a].values[random() % 500];
      if (low > high) std::swap(low, high);
      ranges.push_back({a, low, high});
    }
    const auto found = index.rows(ranges);
    for (std::uint64_t row = 0; row < 500; ++row) {
      const bool inside = std::ranges::all_of(ranges, [&](const value_range& r) {
        const double value = table[r.attribute].values[row];
        return r.low <= value && value <= r.high;
      });
      EXPECT_TRUE(!inside || std::ranges::binary_search(found, row));
    }
  }
}

TEST(range_index, values_at_the_ends_of_what_numbers_there_are) {
  const hasher hash;
  constexpr double most = std::numeric_limits<double>::max();
  const shelf made = segmented({{"x", {-most, -1, 0, 1e-310, 1, most}}}, 7, 0.001, hash, "");
  const range_index index(made, hash);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(index.rows({{0, -infinity, infinity}}).size(), 6);
  EXPECT_EQ(index.segment_of(0, most), 6);
  EXPECT_EQ(index.segment_of(0, -infinity), 0);
  EXPECT_EQ(index.segment_of(0, 0), 3);
  const shelf same = segmented({{"x", {5, 5}}}, 4, 0.001, hash, "");  // a range of one value
  EXPECT_EQ(range_index(same, hash).rows({{0, 5, 5}}).size(), 2);
  const shelf none = segmented({{"x", {}}}, 4, 0.001, hash, "");
  EXPECT_TRUE(range_index(none, hash).rows({{0, 0, 1}}).empty());
}

TEST(range_index, refuses_what_is_no_table_and_no_range) {
  using testing::throws_error;
  const hasher hash;
  const auto refused = [&](const std::vector<column>& table, std::uint64_t segments, double rate,
                           const std::string& why) {
    return throws_error(errc::invalid, why, [&] { segmented(table, segments, rate, hash, ""); });
  };
  EXPECT_TRUE(refused({}, 4, 0.01, "no attributes"));
  EXPECT_TRUE(refused({{"x", {1}}}, 0, 0.01, "segments"));
  EXPECT_TRUE(refused({{"x", {1}}}, 4097, 0.01, "segments"));
  EXPECT_TRUE(refused({{"x", {1}}}, 4, 0.6, "rate"));
  EXPECT_TRUE(refused({{"x", {1}}, {"y", {}}}, 4, 0.01, "'y'"));
  EXPECT_TRUE(refused({{"x", {std::nan("")}}}, 4, 0.01, "finite"));
  const shelf made = segmented({{"price", {1}}}, 4, 0.01, hash, "");
  const range_index index(made, hash);
  EXPECT_TRUE(throws_error(errc::invalid, "mean", [&] { (void)index.attribute_named("prise"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "holds nothing", [&] { (void)index.rows({{0, 2, 1}}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "holds nothing", [&] {
    (void)index.rows({{0, std::nan(""), 1}});
  }));
}

TEST(range_index, refuses_shelves_that_are_none_of_segments) {
  using testing::throws_error;
  const hasher hash;
  EXPECT_TRUE(throws_error(errc::incompatible, "shelf of words",
                           [&] { range_index(shelf({}, keys_of::words), hash); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] {
    range_index(segmented({{"x", {1}}}, 4, 0.01, hash, ""), hasher(xxh3_hash(7)));
  }));
  const auto corrupt = [&](std::vector<std::string> notes, std::uint64_t grain, std::size_t boxes) {
    shelf made({}, keys_of::segments, grain);
    made.set_notes(std::move(notes));
    for (std::size_t i = 0; i < boxes; ++i) made.add("", {{1, 2}}, 0.01);
    return throws_error(errc::corrupt, "", [&] { range_index(made, hash); });
  };
  const std::string one(1, '\1');
  const std::string rows = one + std::string(7, '\0');
  const std::string whole(16, '\0');
  EXPECT_TRUE(corrupt({}, 1, 1));
  EXPECT_TRUE(corrupt({"", rows}, 1, 0));
  EXPECT_TRUE(corrupt({"", rows, whole}, 2, 1));
  EXPECT_TRUE(corrupt({"", "1", whole}, 1, 1));
  EXPECT_TRUE(corrupt({"", rows, "short"}, 1, 1));
  EXPECT_TRUE(corrupt({"", rows, std::string(16, '\xff')}, 1, 1));  // no numbers
  EXPECT_TRUE(corrupt({"", std::string(8, '\x7f'), whole}, 1, 1));  // more rows than there are
  shelf sound({}, keys_of::segments, 1);
  sound.set_notes({"", rows, whole});
  sound.add("", {{1, 2}}, 0.01);
  EXPECT_EQ(range_index(sound, hash).row_count(), 1);
}

}  // namespace
}  // namespace bloomery::apps
