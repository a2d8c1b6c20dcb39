#include "bloomery/apps/shelf/shelf.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "resealed.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digest;
using testing::numbered_digests;

shelf small_shelf() {
  shelf made({}, keys_of::words, 7);
  made.set_notes({"note", ""});
  for (std::uint64_t i = 0; i < 5; ++i) {
    made.add("box " + std::to_string(i), numbered_digests(i, 10 * i), 0.01);
  }
  return made;
}

TEST(shelf, holds_what_was_added_and_little_else) {
  const shelf made = small_shelf();
  for (std::size_t box = 0; box < 5; ++box) {
    for (const digest key : numbered_digests(box, 10 * box)) {
      EXPECT_TRUE(made.may_hold(box, key));
      const auto named = made.holding(std::array{key});
      EXPECT_NE(std::ranges::find(named, box), named.end());
    }
    EXPECT_EQ(made.boxes()[box].filter.record().items, 10 * box);
  }
  EXPECT_EQ(made.holding({}).size(), 5);
  EXPECT_TRUE(made.holding(std::array{numbered_digest(90, 1), numbered_digest(90, 2)}).empty());
}

TEST(shelf, counts_repeated_keys_once) {
  shelf made;
  made.add("twice", {{1, 2}, {3, 4}, {1, 2}}, 0.01);
  EXPECT_EQ(made.boxes()[0].filter.record().items, 2);
}

// Boxes of 32 bits: their rate is the exact one, which the textbook's formula misses by a tenth.
TEST(shelf, small_boxes_have_the_exact_rate) {
  shelf made;
  constexpr std::uint64_t boxes = 20'000;
  constexpr std::uint64_t strangers = 50;
  for (std::uint64_t i = 0; i < boxes; ++i) {
    made.add("", numbered_digests(i, 4), standard_shape{32, 6});
  }
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < boxes; ++i) {
    double hits = 0;
    for (std::uint64_t j = 0; j < strangers; ++j) {
      hits += made.may_hold(i, numbered_digest(boxes, j)) ? 1 : 0;
    }
    sum += hits / strangers;
    squares += hits * hits / strangers / strangers;
  }
  const double mean = sum / boxes;
  const double deviation = std::sqrt((squares / boxes - mean * mean) / boxes);
  EXPECT_TRUE(testing::plausible_value(mean, math::exact_rate(32, 4, 6), deviation));
  EXPECT_FALSE(testing::plausible_value(mean, math::classic_rate(32, 4, 6), deviation));
}

// One stranger is asked of many boxes with the same keys: were the positions the same in each, all would
// answer alike.
TEST(shelf, boxes_err_independently) {
  shelf made;
  constexpr std::uint64_t boxes = 2000;
  for (std::uint64_t i = 0; i < boxes; ++i) {
    made.add("", numbered_digests(1, 20), standard_shape{64, 3});
  }
  double rate = 0;
  for (const shelf_box& each : made.boxes()) rate += each.filter.current_rate() / boxes;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto named = made.holding(std::array{numbered_digest(2, i)});
    EXPECT_TRUE(testing::plausible_count(named.size(), boxes, rate));
  }
}

TEST(shelf, comes_back_from_its_bytes) {
  const shelf made = small_shelf();
  const std::vector<std::byte> stored = made.save();
  const shelf again = shelf::load(stored);
  EXPECT_EQ(again.save(), stored);
  EXPECT_EQ(again.boxes()[3].label, "box 3");
  EXPECT_EQ(again.keys(), keys_of::words);
  EXPECT_EQ(again.grain(), 7);
  EXPECT_EQ(again.notes(), made.notes());
  for (const digest key : numbered_digests(3, 30)) EXPECT_TRUE(again.may_hold(3, key));
  EXPECT_EQ(shelf::load(shelf().save()).boxes().size(), 0);
}

TEST(shelf, is_refused_if_it_is_cut_anywhere_or_any_byte_differs) {
  const std::vector<std::byte> stored = small_shelf().save();
  for (std::size_t size = 0; size < stored.size(); ++size) {
    const byte_view cut = byte_view(stored).first(size);
    EXPECT_THROW(shelf::load(cut), error) << size;
    EXPECT_THROW(shelf::load(testing::resealed_message({cut.begin(), cut.end()})), error) << size;
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    std::vector<std::byte> other = stored;
    other[i] ^= std::byte{1};
    EXPECT_THROW(shelf::load(other), error) << i;
  }
}

std::vector<std::byte> message_of(const std::vector<byte_view>& labels,
                                  const std::vector<byte_view>& boxes, std::uint64_t hash = 1) {
  // As a stranger may send it: wire::write would check it.
  const shelf_message message{.hash = hash, .notes = {}, .labels = labels, .boxes = boxes};
  std::vector<std::byte> bytes(wire::detail::put_all(message, {}));
  wire::detail::put_all(message, bytes);
  return bytes;
}

TEST(shelf, refuses_boxes_that_are_none) {
  std::vector<std::byte> box(17 + 4);
  box[0] = std::byte{30};
  box[16] = std::byte{3};
  const std::vector<byte_view> label{byte_view()};
  EXPECT_EQ(shelf::load(message_of(label, {box})).boxes()[0].filter.shape().bits, 30);
  const auto refused = [&](std::size_t at, unsigned value, const std::string& why) {
    std::vector<std::byte> other = box;
    other[at] = static_cast<std::byte>(value);
    return testing::throws_error(errc::corrupt, why,
                                 [&] { shelf::load(message_of(label, {other})); });
  };
  EXPECT_TRUE(refused(20, 0x40, ""));            // a bit behind the last
  EXPECT_TRUE(refused(16, 0, "hashes"));         // no hashes
  EXPECT_TRUE(refused(16, 65, "hashes"));        // too many
  EXPECT_TRUE(refused(0, 0, "bits"));            // no bits
  EXPECT_TRUE(refused(0, 40, "40 bits"));        // more than there are cells
  EXPECT_TRUE(refused(5, 1, "bytes of cells"));  // a terabit in four bytes
  EXPECT_TRUE(refused(15, 0xff, "keys"));        // more items than can be
  EXPECT_TRUE(
      testing::throws_error(errc::corrupt, "labels", [&] { shelf::load(message_of({}, {box})); }));
  for (const std::uint64_t hash : {std::uint64_t{4}, std::uint64_t{9}}) {
    EXPECT_TRUE(testing::throws_error(errc::corrupt, "hash",
                                      [&] { shelf::load(message_of(label, {box}, hash)); }));
  }
  EXPECT_TRUE(testing::throws_error(
      errc::limit, "limit", [&] { shelf::load(message_of(label, {box}), {.max_bytes = 20}); }));
}

TEST(shelf, refuses_a_grain_that_its_keys_cannot_have) {
  const auto refused = [](keys_of keys, std::uint64_t grain) {
    const shelf_message message{.hash = 1,
                                .keys = static_cast<std::uint64_t>(keys),
                                .grain = grain,
                                .notes = {},
                                .labels = {},
                                .boxes = {}};
    std::vector<std::byte> bytes(wire::detail::put_all(message, {}));
    wire::detail::put_all(message, bytes);
    return testing::throws_error(errc::invalid, "", [&] { shelf({}, keys, grain); }) &&
           testing::throws_error(errc::corrupt, "", [&] { shelf::load(bytes); });
  };
  EXPECT_TRUE(refused(keys_of::ngrams, 1));
  EXPECT_TRUE(refused(keys_of::ngrams, 9));
  EXPECT_TRUE(refused(keys_of::blocks, 15));
  EXPECT_TRUE(refused(keys_of::segments, 0));
  EXPECT_TRUE(refused(keys_of::segments, 4097));
}

TEST(shelf, refuses_labels_that_are_too_long) {
  shelf made;
  EXPECT_TRUE(testing::throws_error(errc::limit, "4,097",
                                    [&] { made.add(std::string(4097, 'x'), {}, 0.01); }));
}

// Of 4,000 honest shelves of 3 boxes one in a thousand is accused; one that holds twice what it states is.
TEST(shelf, tells_a_doctored_box) {
  std::uint64_t accused = 0;
  constexpr std::uint64_t shelves = 4000;
  for (std::uint64_t i = 0; i < shelves; ++i) {
    shelf made;
    for (std::uint64_t j = 0; j < 3; ++j) {
      made.add("", numbered_digests(3 * i + j, 1 + (i % 50) * 4), 0.01);
    }
    bool any = false;
    for (std::size_t box = 0; box < 3; ++box) any |= made.is_doctored(box);
    accused += std::uint64_t{any};
  }
  EXPECT_TRUE(testing::plausible_limit(accused, shelves, 0.001)) << accused;
  shelf honest;
  honest.add("", numbered_digests(1, 200), 0.01);
  std::vector<std::byte> stored = honest.save();
  EXPECT_FALSE(honest.is_doctored(0));
  const standard_filter& filter = honest.boxes()[0].filter;
  for (const std::uint64_t stated : {100U, 300U}) {
    std::vector<std::byte> box(17);
    core::store_le<std::uint64_t>(box.data(), filter.shape().bits);
    core::store_le<std::uint64_t>(box.data() + 8, stated);
    box[16] = static_cast<std::byte>(filter.shape().hashes);
    const byte_view cells = filter.cells().bits().bytes().first((filter.shape().bits + 7) / 8);
    box.insert(box.end(), cells.begin(), cells.end());
    EXPECT_TRUE(shelf::load(message_of({byte_view()}, {box})).is_doctored(0)) << stated;
  }
}

}  // namespace
}  // namespace bloomery::apps
