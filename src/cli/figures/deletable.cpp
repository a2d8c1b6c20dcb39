// The survey's Fig. 7: how many keys of a deletable filter can be removed.
#include "bloomery/math/kinds/deletable.hpp"

#include <array>

#include "bloomery/filters/changing/deletable.hpp"
#include "bloomery/hash/policies.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t keys = 1000;
constexpr std::uint64_t hashes = 4;

// One member of each of many filters, so that the trials are independent.
probed removed(std::uint64_t bits, std::uint64_t regions) {
  constexpr std::uint64_t filters = 2000;
  const any_kind& kind = find_kind(deletable_filter::kind.name);
  const std::array<field_value, 3> shape{bits, hashes, regions};
  probed result{filters, 0};
  for (std::uint64_t i = 0; i < filters; ++i) {
    const integer_hash hash(i);
    std::vector<digest> members;
    for (std::uint64_t key = 0; key < keys; ++key) members.push_back(hash(key));
    any_filter filter = kind.build(shape, members, {}, {}, 1);
    result.hits += filter.as<erases>().erase({members.data(), 1});
  }
  return result;
}

}  // namespace

drawing tarkoma_figure_7() {
  constexpr std::array<std::uint64_t, 3> region_counts{250, 500, 1000};
  constexpr std::array<std::uint64_t, 7> bits_per_key{6, 8, 10, 12, 16, 20, 24};
  panel shown{"", {"bits per key, m/n"}, {"share of keys that can be removed"}, {}};
  int color = 0;
  for (const std::uint64_t regions : region_counts) {
    ++color;
    const std::string name = "r = " + std::to_string(regions);
    curve estimate{name + ", the survey's estimate", drawn::dashes, {}, color};
    curve law{name + ", exact", drawn::line, {}, color, 3};
    curve measured{name + ", measured", drawn::points, {}, color, 2, false};
    for (const std::uint64_t each : bits_per_key) {
      const std::uint64_t bits = each * keys;
      const auto x = static_cast<double>(each);
      estimate.points.push_back({x, math::deletability(bits, regions, keys, hashes)});
      law.points.push_back({x, math::deletable_share(bits, regions, keys, hashes)});
      measured.points.push_back(removed(bits, regions).at(x));
    }
    shown.curves.insert(shown.curves.end(), {estimate, law, measured});
  }
  return {.title = "How many keys of a deletable filter can be removed",
          .source =
              "After Tarkoma, Rothenberg, Lagerspetz 2012, Fig. 7: 1,000 keys, k = 4. Points: one "
              "key of each of 2,000 filters, 99 %.",
          .panels = {shown}};
}

}  // namespace bloomery::cli
