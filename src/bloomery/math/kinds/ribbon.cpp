#include "bloomery/math/kinds/ribbon.hpp"

#include <algorithm>
#include <cassert>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// 67.2 keys a bucket of 64 rows. Measured at 3 M keys: 4.5 % more keys than rows take 1.57 % more
// bits than the values, 5 % take 1.49 % and 6 % take 1.40 %; the more, the longer building takes and
// the more queries go on to the next layer.
constexpr std::uint64_t narrow_keys_per_5_buckets = 336;

// Bumped for want of rows: 5.64 % of the keys, with a standard deviation of at most 0.35·√keys
// (measured at 3 M and 10 M keys); and all of a segment's last bucket.
constexpr std::uint64_t narrow_bumped_per_4096 = 231;
constexpr std::uint64_t narrow_bumped_per_segment = 68;

// 68.6 keys a bucket. Measured at 1 M keys: 6 % more keys than rows take 0.76 % more bits than values
// of eight bits, 7 % take 0.70 % and 8 % 0.69 %.
constexpr std::uint64_t wide_keys_per_5_buckets = 343;

// Rows that are filled, but for the last bucket of each segment, with a standard deviation of 0.22·√keys
// (measured at 7,000 and 100,000 keys); and a few of that bucket.
constexpr std::uint64_t wide_filled_per_4096 = 4083;
constexpr std::uint64_t wide_filled_per_segment = 10;

// From here on the last layer takes all. One of 44,000 tables of 1 to 5,000 keys with narrow equations
// needed a second seed, and no larger one did.
constexpr std::uint64_t most_last_keys = 1536;

// Segments are solved four at a time, so that there are one or four or eight …
constexpr std::uint64_t segments_together = 4;
constexpr std::uint64_t fewest_to_divide = 1024;  // buckets

// Which block after the first an equation ends in that begins at this row of the first; a narrow one is
// always read from two.
constexpr unsigned last_block(unsigned row, unsigned band) {
  return std::max(1U, (row + band - 1) / ribbon_block);
}

constexpr std::uint64_t quotient_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

std::uint64_t whole_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return root;
}

// As many segments for this many buckets.
std::uint64_t segments_for(std::uint64_t buckets) {
  if (buckets < fewest_to_divide) return 1;
  return segments_together * quotient_up(buckets, segments_together * (ribbon_segment - 1));
}

// Every layer is laid out for four deviations more keys than it will probably have.
ribbon_size narrow_size(std::uint64_t keys) {
  ribbon_size size{.band = ribbon_narrow, .layers = {}};
  while (keys > most_last_keys) {
    const std::uint64_t buckets = quotient_up(5 * keys, narrow_keys_per_5_buckets);
    const std::uint64_t segments = segments_for(buckets);
    size.layers.at(size.bumping++) = {segments,
                                      segments == 1 ? buckets + 1 : quotient_up(buckets, segments)};
    keys = quotient_up(keys * narrow_bumped_per_4096, 4096) + whole_root(2 * keys) +
           segments * narrow_bumped_per_segment;
  }
  size.last_rows =
      quotient_up(keys + keys / 4 + std::uint64_t{2} * ribbon_block, ribbon_block) * ribbon_block;
  return size;
}

// Keys beyond those that a layer is laid out for are bumped like others: only the last layer has to
// have room for them, 2.6 deviations of the sum of all and what it has to spare.
ribbon_size wide_size(std::uint64_t keys) {
  ribbon_size size{.band = ribbon_wide, .layers = {}};
  std::uint64_t in_layers = 0;
  while (keys > most_last_keys) {
    const std::uint64_t buckets = quotient_up(5 * keys, wide_keys_per_5_buckets);
    const std::uint64_t segments = segments_for(buckets);
    const ribbon_layer layer{segments, quotient_up(buckets, segments) + 1};
    size.layers.at(size.bumping++) = layer;
    in_layers += keys;
    keys = ribbon_bumped(layer, keys);
  }
  size.last_rows =
      quotient_up(keys + keys / 8 + ribbon_wide + whole_root(in_layers / 32 * 11), ribbon_block) *
      ribbon_block;
  return size;
}

}  // namespace

std::uint64_t ribbon_size::rows() const {
  std::uint64_t sum = last_rows;
  for (unsigned i = 0; i < bumping; ++i) sum += layers[i].rows();
  return sum;
}

std::uint64_t ribbon_size::buckets() const {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < bumping; ++i) sum += layers[i].all_buckets();
  return sum;
}

ribbon_size plan_ribbon(std::uint64_t keys, unsigned band) {
  require_whole("keys", keys, 1, max_keys);
  assert(band == ribbon_narrow || band == ribbon_wide);
  return band == ribbon_wide ? wide_size(keys) : narrow_size(keys);
}

std::uint64_t ribbon_bumped(const ribbon_layer& layer, std::uint64_t keys) {
  const std::uint64_t rows = (layer.buckets - 1) * ribbon_bucket;
  return keys - layer.segments * (rows * wide_filled_per_4096 / 4096 + wide_filled_per_segment);
}

double ribbon_bits(const ribbon_size& size, unsigned width) {
  return real(size.rows()) * width + 2 * real(size.buckets());
}

query_cost ribbon_cost(const ribbon_size& size, unsigned width) {
  constexpr unsigned words_per_line = cache_line_bytes / 4;
  // Over as many rows as there are places of a block in a line.
  constexpr unsigned rows = words_per_line * ribbon_block;
  unsigned lines = 0;
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned first = row / ribbon_block * width;
    const unsigned last = (last_block(row % ribbon_block, size.band) + 1) * width - 1;
    lines += (first + last) / words_per_line - first / words_per_line + 1;
  }
  const double most = real(size.rows()) * width / cache_line_bits + 1;
  const double mean = std::min(real(lines) / rows, most);
  return {mean, mean};
}

}  // namespace bloomery::math
