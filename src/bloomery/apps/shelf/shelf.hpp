// A filter on each of many boxes, under one hash, in one file.
//
// Purpose:   boxes are documents, files, segments of a table: whatever has a label and a set of keys. Each
//            has a standard filter sized for its own set. A key is hashed once, and all boxes are asked.
// Cost:      a box of m bits takes m/8 bytes, 19 more and its label, and a question to it at most k probes.
// Guarantee: a box that holds a key is always among those named; others are at the exact rate of their own
//            filter, each independently of the others: box i takes the i-th set of positions of the digest.
//            `load` trusts nothing, as docs/format.md says: errc::corrupt, errc::limit, errc::unsupported.
// Citation:  Mullin 1987 (documents); Christensen et al. 2010, eq. 17 (the rate of filters so small).
//
//     bloomery::apps::shelf shelf;
//     const bloomery::xxh3_hash hash;
//     shelf.add("one.txt", {hash("red"), hash("fish")}, 0.001);
//     shelf.add("two.txt", {hash("blue"), hash("fish")}, 0.001);
//     assert(shelf.holding(std::array{hash("red"), hash("fish")}) == std::vector<std::size_t>{0});
//     const auto again = bloomery::apps::shelf::load(shelf.save());
//     assert(again.boxes()[1].label == "two.txt" && again.may_hold(1, hash("blue")));
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::apps {

// What the keys of the boxes are, so that a shelf is asked as it was made.
enum class keys_of : std::uint64_t { lines, words, ngrams, blocks, segments };
inline constexpr std::array<std::string_view, 5> keys_of_names{"lines", "words", "ngrams", "blocks",
                                                               "segments"};

// The length of n-grams or of blocks, or the number of segments; anything for other keys. errc::invalid,
// naming what is allowed.
void require_grain(keys_of keys, std::uint64_t grain);

inline constexpr std::uint64_t most_boxes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t longest_label = 4096;

// The stored form.
struct shelf_message {
  static constexpr std::string_view name = "shelf/boxes";
  static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t hash = 0;
  std::uint64_t tag = 0;
  std::uint64_t keys = 0;
  std::uint64_t grain = 0;
  std::vector<byte_view> notes;
  std::vector<byte_view> labels;
  std::vector<byte_view> boxes;

  static constexpr std::tuple fields{
      whole_field("hash", "its number", &shelf_message::hash, 1,
                  std::numeric_limits<std::uint32_t>::max()),
      whole_field("tag", "seed, or fingerprint of the secret", &shelf_message::tag, 0, any_number),
      choice_field("keys", "what they are", &shelf_message::keys, keys_of_names),
      whole_field("grain", "how long or how many", &shelf_message::grain, 0, any_number),
      wire::bytes_list_field("notes", "what else is kept", &shelf_message::notes, 0, most_boxes, 0,
                             longest_label),
      wire::bytes_list_field("labels", "of boxes", &shelf_message::labels, 0, most_boxes, 0,
                             longest_label),
      wire::bytes_list_field("boxes", "bits, items, hashes and cells", &shelf_message::boxes, 0,
                             most_boxes, 0, max_bits),
  };
  void check() const;  // as many labels as boxes, a hash that digests come from, a grain
};

struct shelf_box {
  std::string label;
  standard_filter filter;  // of digests as shelf::digest_in gives them; items are distinct keys
};

class shelf {
 public:
  explicit shelf(hash_identity hash = {}, keys_of keys = keys_of::lines, std::uint64_t grain = 0)
      : hash_(hash), keys_(keys), grain_(grain) {
    require_grain(keys, grain);
  }

  // The smallest box for these keys, repeats left out, at this exact rate; or of a given shape.
  // errc::limit beyond most_boxes.
  void add(std::string label, std::vector<digest> keys, double rate);
  void add(std::string label, std::vector<digest> keys, const standard_shape& shape);
  // What the maker of the shelf wants to know again.
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

  [[nodiscard]] bool may_hold(std::size_t box, digest key) const {
    return boxes_[box].filter.may_contain(digest_in(box, key));
  }
  // The boxes that may hold all of the keys; all boxes for none.
  [[nodiscard]] std::vector<std::size_t> holding(std::span<const digest> keys) const;

  [[nodiscard]] const std::vector<shelf_box>& boxes() const { return boxes_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const hash_identity& hash() const { return hash_; }
  [[nodiscard]] keys_of keys() const { return keys_; }
  [[nodiscard]] std::uint64_t grain() const { return grain_; }

  // Whether a box claims another number of keys than it states: its fill is outside the band of all but
  // `chance` of honest shelves with as many boxes.
  [[nodiscard]] bool is_doctored(std::size_t box, double chance = 0.001) const;

  [[nodiscard]] std::vector<std::byte> save() const;
  static shelf load(byte_view stored,
                    const wire::message_limits& limits = {.max_bytes = max_bits / 8});

  // The key as this box knows it: its own positions of those that a digest has.
  static digest digest_in(std::size_t box, digest key) {
    return hash::digest_of_set(key, box, max_hashes);
  }

 private:
  hash_identity hash_;
  keys_of keys_;
  std::uint64_t grain_;
  std::vector<std::string> notes_;
  std::vector<shelf_box> boxes_;
};

}  // namespace bloomery::apps
