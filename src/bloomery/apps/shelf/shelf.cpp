#include "bloomery/apps/shelf/shelf.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::apps {
namespace {

// Of a stored box: bits, items, hashes; then the cells.
constexpr std::size_t box_items = 8;
constexpr std::size_t box_hashes = 16;
constexpr std::size_t box_cells = 17;

std::vector<std::byte> stored_box(const standard_filter& filter) {
  const std::uint64_t bits = filter.shape().bits;
  std::vector<std::byte> stored(box_cells + (bits + 7) / 8);
  core::store_le<std::uint64_t>(stored.data(), bits);
  core::store_le<std::uint64_t>(stored.data() + box_items, filter.record().items);
  stored[box_hashes] = static_cast<std::byte>(filter.shape().hashes);
  std::ranges::copy(filter.cells().bits().bytes().first(stored.size() - box_cells),
                    stored.begin() + box_cells);
  return stored;
}

standard_filter restored_box(byte_view stored, const hash_identity& hash) {
  if (stored.size() < box_cells) fail(errc::corrupt, "a box of a shelf ends before its cells");
  const standard_shape shape{core::load_le<std::uint64_t>(stored.data()),
                             std::to_integer<std::uint64_t>(stored[box_hashes])};
  const auto items = core::load_le<std::uint64_t>(stored.data() + box_items);
  require_valid(shape);
  const byte_view cells = stored.subspan(box_cells);
  if (items > max_items || cells.size() != (shape.bits + 7) / 8) {
    fail(errc::corrupt, "a box of a shelf states " + std::to_string(shape.bits) + " bits and " +
                            std::to_string(items) + " keys, and has " +
                            std::to_string(cells.size()) + " bytes of cells");
  }
  storage room = storage::allocate(bits::bit_array_bytes(shape.bits));
  std::ranges::copy(cells, room.bytes_for_writing().begin());
  return standard_filter::restore(shape, {hash, {}, items}, std::move(room));
}

std::vector<byte_view> views_of(const auto& parts) {
  std::vector<byte_view> views;
  for (const auto& part : parts) views.push_back(bytes_of(part));
  return views;
}

}  // namespace

void require_grain(keys_of keys, std::uint64_t grain) {
  constexpr std::uint64_t largest_block = std::uint64_t{1} << 30;
  switch (keys) {
    case keys_of::ngrams:
      return math::require_whole("the length of n-grams", grain, 2, 8);
    case keys_of::blocks:
      return math::require_whole("the size of blocks", grain, 16, largest_block);
    case keys_of::segments:
      return math::require_whole("the number of segments", grain, 1, 4096);
    default:
      return;
  }
}

void shelf_message::check() const {
  require_grain(static_cast<keys_of>(keys), grain);
  if (labels.size() != boxes.size()) {
    fail(errc::invalid, "a shelf has " + std::to_string(labels.size()) + " labels for " +
                            std::to_string(boxes.size()) + " boxes");
  }
  const auto id = static_cast<hash_id>(hash);
  if (!is_known(id) || id == hash_id::guarded) {
    fail(errc::invalid, "a shelf cannot have the hash number " + std::to_string(hash));
  }
}

void shelf::add(std::string label, std::vector<digest> keys, double rate) {
  keys = core::distinct(std::move(keys));
  const auto shape = standard_filter::plan(std::max<std::uint64_t>(1, keys.size()), rate);
  add(std::move(label), std::move(keys), shape);
}

void shelf::add(std::string label, std::vector<digest> keys, const standard_shape& shape) {
  if (boxes_.size() == most_boxes) {
    fail(errc::limit, "a shelf has at most " + format_count(most_boxes) + " boxes");
  }
  if (label.size() > longest_label) {
    fail(errc::limit, "a label has " + format_count(label.size()) + " bytes; allowed: up to " +
                          format_count(longest_label));
  }
  keys = core::distinct(std::move(keys));
  for (digest& key : keys) key = digest_in(boxes_.size(), key);
  boxes_.push_back({std::move(label), standard_filter::build(shape, keys, hash_)});
}

std::vector<std::size_t> shelf::holding(std::span<const digest> keys) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (std::ranges::all_of(keys, [&](digest key) { return may_hold(i, key); })) found.push_back(i);
  }
  return found;
}

bool shelf::is_doctored(std::size_t box, double chance) const {
  const standard_filter& filter = boxes_[box].filter;
  const auto items = static_cast<double>(filter.record().items);
  const double each = chance / static_cast<double>(boxes_.size());
  const math::estimate keys = filter.estimated_keys(1 - each);
  return items < keys.low || items > keys.high;
}

std::vector<std::byte> shelf::save() const {
  std::vector<std::string_view> labels;
  std::vector<std::vector<std::byte>> stored;
  for (const shelf_box& each : boxes_) {
    labels.emplace_back(each.label);
    stored.push_back(stored_box(each.filter));
  }
  return wire::write(shelf_message{.hash = static_cast<std::uint64_t>(hash_.id),
                                   .tag = hash_.tag,
                                   .keys = static_cast<std::uint64_t>(keys_),
                                   .grain = grain_,
                                   .notes = views_of(notes_),
                                   .labels = views_of(labels),
                                   .boxes = views_of(stored)});
}

shelf shelf::load(byte_view stored, const wire::message_limits& limits) {
  const auto message = wire::read<shelf_message>(stored, limits);
  shelf loaded({static_cast<hash_id>(message.hash), message.tag},
               static_cast<keys_of>(message.keys), message.grain);
  for (const byte_view note : message.notes) loaded.notes_.emplace_back(text_of(note));
  try {
    for (std::size_t i = 0; i < message.boxes.size(); ++i) {
      loaded.boxes_.push_back(
          {std::string(text_of(message.labels[i])), restored_box(message.boxes[i], loaded.hash_)});
    }
  } catch (const error& problem) {
    if (problem.code() != errc::invalid) throw;
    fail(errc::corrupt, std::string("a box of a shelf is impossible: ") + problem.what());
  }
  return loaded;
}

}  // namespace bloomery::apps
