#include "weights.hpp"

#include <algorithm>
#include <optional>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "input.hpp"

namespace bloomery::cli {
namespace {

constexpr double most_queries = 1e100;  // so that no sum or product of weights overflows

// One line of --weights; the membership may be left open.
struct weight_line {
  double queries = 0;
  std::optional<double> membership;
};

weight_line parse_weight(std::string_view line, char separator, std::uint64_t number) {
  std::vector<std::string_view> columns;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    columns.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  const auto refuse = [&](const std::string& problem) {
    fail(errc::invalid, "--weights, line " + format_count(number) + ": " + problem +
                            "; expected KEY<TAB>QUERIES[<TAB>MEMBERSHIP], QUERIES from 0 to " +
                            format_real(most_queries) + " and MEMBERSHIP from 0 to 1");
  };
  if (columns.size() < 2 || columns.size() > 3) {
    refuse(format_count(columns.size()) + (columns.size() == 1 ? " column" : " columns"));
  }
  const auto ratio = [&](std::size_t column, double most) {
    double value = -1;
    try {
      value = parse_ratio(columns[column]);
    } catch (const error&) {  // refused below
    }
    if (!(value >= 0 && value <= most)) refuse(in_quotes(columns[column]));
    return value;
  };
  weight_line parsed;
  parsed.queries = ratio(1, most_queries);
  if (columns.size() == 3) parsed.membership = ratio(2, 1);
  return parsed;
}

}  // namespace

std::vector<key_weight> read_weights(const std::string& file, const line_options& options,
                                     const hasher& hash, std::span<const digest> members) {
  std::vector<digest> known(members.begin(), members.end());
  std::sort(known.begin(), known.end());
  std::vector<key_weight> weights;
  std::vector<std::size_t> open;
  std::uint64_t listed_members = 0;
  std::uint64_t lines_before = 0;
  line_options lines = options;  // but not what is said of the keys' file alone
  lines.field = "1";
  lines.csv = lines.header = lines.skip_empty = false;
  const key_input input({}, {file}, lines);
  input.each(hash, [&](const line_block& block, std::span<const digest> digests) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      const std::size_t line = block.line_of_key[i];
      const weight_line parsed = parse_weight(without_return(block.lines[line], lines.crlf),
                                              input.separator(), lines_before + line + 1);
      if (!parsed.membership) open.push_back(weights.size());
      weights.push_back({digests[i], parsed.queries, parsed.membership.value_or(0)});
      listed_members += std::uint64_t{std::binary_search(known.begin(), known.end(), digests[i])};
    }
    lines_before += block.lines.size();
  });
  const double share =
      weights.empty() ? 0
                      : static_cast<double>(listed_members) / static_cast<double>(weights.size());
  for (const std::size_t i : open) weights[i].membership = share;
  return weights;
}

}  // namespace bloomery::cli
