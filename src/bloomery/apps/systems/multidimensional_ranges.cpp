// D6: rows in ranges of two attributes are all read, and few others.
#include <algorithm>
#include <cmath>
#include <random>

#include "bloomery/apps/shelf/range_index.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/set_operations.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using apps::column;
using apps::range_index;
using apps::value_range;

std::vector<column> drawn_table(std::uint64_t rows, std::mt19937_64& random) {
  std::lognormal_distribution<double> price(3, 1);
  std::normal_distribution<double> age(40, 15);
  std::vector<column> table{{"price", {}}, {"age", {}}};
  for (std::uint64_t i = 0; i < rows; ++i) {
    table[0].values.push_back(std::round(price(random) * 100) / 100);
    table[1].values.push_back(std::floor(age(random)));
  }
  return table;
}

// From one value of the column to another that is up to a tenth of the rows further.
value_range drawn_range(std::size_t attribute, const std::vector<double>& sorted,
                        std::mt19937_64& random) {
  const std::size_t first = random() % sorted.size();
  const std::size_t last = std::min(first + random() % (sorted.size() / 10 + 1), sorted.size() - 1);
  return {attribute, sorted[first], sorted[last]};
}

struct counts {
  std::uint64_t inside = 0;
  std::uint64_t missed = 0;       // of those
  std::uint64_t overlapping = 0;  // in segments that overlap every range
  std::uint64_t left_out = 0;     // of those
  double others = 0;              // read beside them
  double predicted = 0;
};

void ask(const std::vector<column>& table, const apps::shelf& shelf, const range_index& index,
         const std::vector<value_range>& ranges, counts& sum) {
  // What a row passes an attribute with, if it is in none of the segments that overlap.
  std::vector<double> passing;
  for (const value_range& range : ranges) {
    std::vector<double> rates;
    const std::uint64_t last = index.segment_of(range.attribute, range.high);
    for (auto i = index.segment_of(range.attribute, range.low); i <= last; ++i) {
      rates.push_back(shelf.boxes()[index.box_of(range.attribute, i)].filter.current_rate());
    }
    passing.push_back(math::any_claims(rates));
  }
  const std::vector<std::uint64_t> read = index.rows(ranges);
  for (std::uint64_t row = 0; row < index.row_count(); ++row) {
    bool inside = true;
    bool overlapping = true;
    double chance = 1;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const value_range& range = ranges[i];
      const double value = table[range.attribute].values[row];
      const std::uint64_t segment = index.segment_of(range.attribute, value);
      inside &= range.low <= value && value <= range.high;
      const bool overlaps = index.segment_of(range.attribute, range.low) <= segment &&
                            segment <= index.segment_of(range.attribute, range.high);
      overlapping &= overlaps;
      if (!overlaps) chance *= passing[i];
    }
    const bool is_read = std::ranges::binary_search(read, row);
    sum.inside += std::uint64_t{inside};
    sum.missed += std::uint64_t{inside && !is_read};
    sum.overlapping += std::uint64_t{overlapping};
    sum.left_out += std::uint64_t{overlapping && !is_read};
    if (overlapping) continue;
    sum.others += is_read ? 1 : 0;
    sum.predicted += chance;
  }
}

}  // namespace

lab::result multidimensional_ranges(const lab::request& asked) {
  const std::uint64_t rows = asked.count("rows");
  const std::uint64_t tables = asked.count("tables");
  const std::uint64_t queries = asked.count("queries");
  math::require_whole("rows", rows, 10, 1'000'000);
  math::require_whole("tables", tables, 2, 10'000);
  math::require_whole("queries", queries, tables, 10'000'000);
  const std::uint64_t asked_here = queries / std::max<std::uint64_t>(1, tables);
  std::mt19937_64 random(asked.seed());
  counts all;
  std::vector<double> others;
  double predicted = 0;
  double bytes = 0;
  for (std::uint64_t t = 0; t < tables; ++t) {
    const std::vector<column> table = drawn_table(rows, random);
    const hasher hash{xxh3_hash(random())};
    const apps::shelf shelf =
        apps::segmented(table, asked.count("ranges"), asked.ratio("fpr"), hash, "");
    bytes += static_cast<double>(shelf.save().size());
    const range_index index(shelf, hash);
    std::vector<std::vector<double>> sorted;
    for (const column& each : table) {
      sorted.push_back(each.values);
      std::ranges::sort(sorted.back());
    }
    counts own;
    for (std::uint64_t q = 0; q < asked_here; ++q) {
      ask(table, shelf, index,
          {drawn_range(0, sorted[0], random), drawn_range(1, sorted[1], random)}, own);
    }
    all.inside += own.inside;
    all.missed += own.missed;
    all.overlapping += own.overlapping;
    all.left_out += own.left_out;
    const auto mean = [&](double of) { return of / static_cast<double>(asked_here); };
    predicted += mean(own.predicted);
    others.push_back(mean(own.others - own.predicted));
  }
  const auto count = static_cast<double>(tables);
  // Tables differ in what is predicted for them, which is no error: what remains beside it does not.
  for (double& each : others) each += predicted / count;
  const auto per_query = [&](std::uint64_t of) {
    return static_cast<double>(of) / count / static_cast<double>(asked_here);
  };
  lab::result found;
  found.never("a row inside the ranges was missed", all.missed, all.inside);
  found.never("a row of overlapping segments was missed", all.left_out, all.overlapping);
  found.add(lab::told("rows inside both ranges, a query", lab::unit::real, per_query(all.inside)));
  found.add(lab::told("rows of segments that overlap both, a query", lab::unit::real,
                      per_query(all.overlapping)));
  found
      .add(lab::mean_of("rows read beside them, a query", lab::unit::real, others,
                        predicted / count))
      .rivals = {{"a scan reads", static_cast<double>(rows)}};
  found.add(lab::told("bytes of a shelf", lab::unit::bytes, bytes / count));
  return found;
}

extern constinit const system_info multidimensional_ranges_system{
    .id = "D6",
    .name = "Multidimensional ranges",
    .source = "Tarkoma IV-F",
    .where = pattern::shelf,
    .does =
        "The range of each attribute is cut into segments, and each has a filter of the rows "
        "whose value lies in it. Rows that may be in segments of every range asked are read.",
    .figure =
        "No row inside the ranges is missed; rows of other segments are read at the rate of "
        "the filters that were asked.",
    .verb = "index search",
    .needs = "",
    .settings_or_none = {{{"ranges", "64", "segments of an attribute"},
                          {"rows", "1000", "of a table"},
                          {"tables", "20", "tables, each of its own hash"},
                          {"queries", "10k", "ranges of two attributes, in all"},
                          {"fpr", "1%", "rate that each filter is sized for"}}},
    .run = multidimensional_ranges};

}  // namespace bloomery::systems
