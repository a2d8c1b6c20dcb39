// Compression: Broder and Mitzenmacher 2004, Table 1, and the curve that its columns lie on.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bloomery/core/units.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/compression.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t keys = 100'000;
constexpr std::uint64_t strangers = 20'000'000;

struct column {
  std::uint64_t bits_per_key;
  std::uint64_t hashes;
};

std::string figures4(double value) {
  return fmt::format("{:.3f}", value);
}

}  // namespace

drawing broder_table_1() {
  constexpr std::array<column, 5> columns{{{16, 11}, {28, 4}, {48, 3}, {14, 2}, {92, 1}}};
  const any_kind& standard = find_kind(standard_filter::kind.name);
  table cells{{"m/n", "k", "z/n by formula", "z/n of a real filter", "f by formula", "f measured"}};
  for (const column& c : columns) {
    const math::compressed_size size =
        math::compressed_filter(static_cast<double>(c.bits_per_key), c.hashes);
    const any_filter filter =
        filled(standard, std::array<field_value, 2>{c.bits_per_key * keys, c.hashes}, keys);
    const chart_point rate = probe_strangers(filter, strangers).at(0);
    cells.push_back({std::to_string(c.bits_per_key), std::to_string(c.hashes),
                     figures4(size.transmitted),
                     figures4(static_cast<double>(c.bits_per_key) *
                              math::entropy(filter.as<tells_rate>().fill())),
                     format_real(size.rate, 3),
                     fmt::format("{} ({} to {})", format_real(rate.y, 3), format_real(rate.low, 3),
                                 format_real(rate.high, 3))});
  }
  return {.title = "At 16 transmitted bits a key, a larger and sparser filter errs less",
          .source =
              "After Broder, Mitzenmacher 2004, Table 1, and two columns at 8 bits. z: entropy "
              "of the array; " +
              format_count(keys) + " keys, " + format_count(strangers) +
              " strangers, 99 % intervals.",
          .cells = cells};
}

drawing broder_compression() {
  panel shown{"", {"m/n, bits per key in memory"}, {"false-positive rate", true}, {}};
  int color = 0;
  for (const double limit : {8.0, 12.0, 16.0}) {
    ++color;
    const std::string bits = fmt::format("{:g}", limit);
    curve best{bits + " bits sent", drawn::line, {}, color};
    constexpr int eighths = 96;
    for (int i = 8; i <= eighths; ++i) {
      const double most = limit * i / 8;
      best.points.push_back({most, math::best_compressed(limit, most).rate});
    }
    curve bound{"bound, " + bits + " bits", drawn::dashes, {}, color};
    for (const double x : {limit, 12 * limit}) bound.points.push_back({x, std::exp2(-limit)});
    shown.curves.insert(shown.curves.end(), {best, bound});
  }
  return {.title = "What memory at both ends buys, for a fixed number of transmitted bits",
          .source =
              "After Broder, Mitzenmacher 2004, section 2.6: the best k at each m/n, an ideal "
              "entropy coder.",
          .panels = {shown}};
}

}  // namespace bloomery::cli
