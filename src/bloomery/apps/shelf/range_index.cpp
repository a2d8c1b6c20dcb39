#include "bloomery/apps/shelf/range_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::apps {
namespace {

// Notes are the source, the number of rows, and an attribute each: its ends, and its name.
constexpr std::size_t notes_before = 2;
constexpr std::size_t end_bytes = sizeof(std::uint64_t);
constexpr double most_segment_rate = 0.5;  // more than a bit a key
constexpr std::uint64_t most_rows = std::uint64_t{1} << 32;

std::string stored(std::uint64_t number) {
  std::string bytes(end_bytes, '\0');
  core::store_le(reinterpret_cast<std::byte*>(bytes.data()), number);
  return bytes;
}

std::uint64_t number_at(const std::string& note, std::size_t at) {
  if (note.size() < at + end_bytes) fail(errc::corrupt, "a note of a shelf of segments is cut");
  return core::load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(note.data() + at));
}

attribute_range attribute_in(const std::string& note) {
  const auto low = std::bit_cast<double>(number_at(note, 0));
  const auto high = std::bit_cast<double>(number_at(note, end_bytes));
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    fail(errc::corrupt, "the range of an attribute of a shelf is impossible");
  }
  return {note.substr(2 * end_bytes), low, high};
}

// Rises with the value, so that all values between two lie between their segments.
std::uint64_t segment_in(const attribute_range& of, std::uint64_t segments, double value) {
  if (!(value > of.low)) return 0;
  if (!(value < of.high)) return segments - 1;
  // Halved, since the difference of two numbers may be beyond any.
  const double share = (value / 2 - of.low / 2) / (of.high / 2 - of.low / 2);
  const auto segment = static_cast<std::uint64_t>(share * static_cast<double>(segments));
  return std::min(segment, segments - 1);
}

digest key_of(std::uint64_t row, const hasher& hash) {
  return hash(std::to_string(row));
}

}  // namespace

shelf segmented(const std::vector<column>& table, std::uint64_t segments, double rate,
                const hasher& hash, const std::string& source) {
  require_grain(keys_of::segments, segments);
  if (!(rate <= most_segment_rate)) {
    fail(errc::invalid, "the rate of segments is " + format_ratio(rate) + "; allowed: up to " +
                            format_ratio(most_segment_rate));
  }
  if (table.empty()) fail(errc::invalid, "a table has no attributes to be cut into segments");
  const std::size_t rows = table.front().values.size();
  shelf made(hash.identity(), keys_of::segments, segments);
  std::vector<std::string> notes{source, stored(rows)};
  for (const column& each : table) {
    if (each.values.size() != rows || rows > most_rows ||
        !std::ranges::all_of(each.values, [](double x) { return std::isfinite(x); })) {
      fail(errc::invalid, "the attribute " + in_quotes(each.name) +
                              " has not a finite value for each of the " + format_count(rows) +
                              " rows");
    }
    attribute_range of{each.name, 0, 0};
    if (rows != 0) {
      const auto ends = std::ranges::minmax(each.values);
      of.low = ends.min;
      of.high = ends.max;
    }
    std::vector<std::vector<digest>> members(segments);
    for (std::size_t row = 0; row < rows; ++row) {
      members[segment_in(of, segments, each.values[row])].push_back(key_of(row, hash));
    }
    for (std::uint64_t i = 0; i < segments; ++i) {
      made.add(each.name + " " + std::to_string(i), std::move(members[i]), rate);
    }
    notes.push_back(stored(std::bit_cast<std::uint64_t>(of.low)) +
                    stored(std::bit_cast<std::uint64_t>(of.high)) + each.name);
  }
  made.set_notes(std::move(notes));
  return made;
}

range_index::range_index(const apps::shelf& shelf, hasher hash)
    : shelf_(&shelf), hash_(std::move(hash)) {
  if (shelf.keys() != keys_of::segments) {
    fail(errc::incompatible,
         "this is a shelf of " +
             std::string(keys_of_names[static_cast<std::size_t>(shelf.keys())]) +
             ", which has no ranges");
  }
  require_same_hash(shelf.hash(), hash_.identity());
  const auto& notes = shelf.notes();
  if (notes.size() <= notes_before ||
      shelf.boxes().size() != (notes.size() - notes_before) * shelf.grain()) {
    fail(errc::corrupt, "a shelf of segments has not a box for each");
  }
  for (std::size_t i = notes_before; i < notes.size(); ++i) {
    attributes_.push_back(attribute_in(notes[i]));
  }
  // Each row is in one segment of an attribute, and takes more than a bit there at the rates that `segmented`
  // allows: a number of rows that only was stated would be work for nothing.
  std::uint64_t held = 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < shelf.grain(); ++i) {
    held += std::min(shelf.boxes()[i].filter.record().items, most_rows + 1);
    bits += shelf.boxes()[i].filter.shape().bits;
  }
  rows_ = number_at(notes[1], 0);
  if (rows_ != held || rows_ > most_rows || rows_ > bits) {
    fail(errc::corrupt, "a shelf of segments states " + format_count(rows_) + " rows and holds " +
                            format_count(held) + " in " + format_count(bits) + " bits");
  }
}

std::size_t range_index::attribute_named(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &attribute_range::name);
  if (found != attributes_.end()) return static_cast<std::size_t>(found - attributes_.begin());
  std::vector<std::string_view> names;
  std::string listed;
  for (const attribute_range& each : attributes_) {
    names.push_back(each.name);
    listed += (listed.empty() ? "" : ", ") + each.name;
  }
  fail(errc::invalid, "there is no attribute " + in_quotes(name) + "; there are " +
                          printable(listed) + did_you_mean(name, names));
}

std::uint64_t range_index::segment_of(std::size_t attribute, double value) const {
  return segment_in(attributes_[attribute], shelf_->grain(), value);
}

bool range_index::may_lie(digest row, const value_range& range) const {
  const std::uint64_t last = segment_of(range.attribute, range.high);
  for (std::uint64_t i = segment_of(range.attribute, range.low); i <= last; ++i) {
    if (shelf_->may_hold(box_of(range.attribute, i), row)) return true;
  }
  return false;
}

std::vector<std::uint64_t> range_index::rows(const std::vector<value_range>& ranges) const {
  std::vector<std::uint64_t> found;
  for (const value_range& range : ranges) {
    if (!(range.low <= range.high)) {
      fail(errc::invalid, "the range of " + in_quotes(attributes_[range.attribute].name) + " is " +
                              format_real(range.low) + " to " + format_real(range.high) +
                              ", which holds nothing");
    }
  }
  for (std::uint64_t row = 0; row < rows_; ++row) {
    const digest key = key_of(row, hash_);
    if (std::ranges::all_of(ranges, [&](const value_range& r) { return may_lie(key, r); })) {
      found.push_back(row);
    }
  }
  return found;
}

}  // namespace bloomery::apps
