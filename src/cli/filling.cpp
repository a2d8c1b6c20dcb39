#include "filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/any/health.hpp"
#include "bloomery/any/strangers.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "message.hpp"
#include "progress.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t probes = 1 << 16;
constexpr std::array<std::string_view, 3> words{"at least", "about", "at most"};

bool can_be_over_filled(const any_filter& filter) {
  const any_kind& kind = filter.kind();
  const filter_record record = filter.record();
  const bool takes_keys = kind.can<inserts>() || kind.can<reads_texts>() || kind.can<guards>();
  return takes_keys && record.promised.keys != 0 && record.items > record.promised.keys &&
         !kind.can<grows>() && (!kind.can<forgets>() || runs_on_time(filter));
}

// Those estimated, or else as many as would explain the rate.
void count_keys(const any_filter& filter, const health& examined, over_filling& found) {
  const std::uint64_t items = filter.record().items;
  if (const auto& estimated = examined.estimated) {
    found.known = estimated->saturated ? knowledge::at_least : knowledge::about;
    found.keys = static_cast<std::uint64_t>(
        std::llround(estimated->saturated ? std::ceil(estimated->low) : estimated->value));
    return;
  }
  const std::uint64_t explained = math::keys_within(found.rate, [&](std::uint64_t keys) {
    return filter.kind().predicted_rate(filter.shape(), keys);
  });
  found.known = explained < items ? knowledge::about : knowledge::at_most;
  found.keys = std::min(explained, items);
}

}  // namespace

double rate_now(const any_filter& filter) {
  if (filter.kind().can<tells_rate>()) return filter.as<tells_rate>().current_rate();
  const tally strangers = ask_strangers(filter, {.most = probes});
  return static_cast<double>(strangers.hits) / static_cast<double>(strangers.asked);
}

std::optional<over_filling> over_filled(const any_filter& filter) {
  if (!can_be_over_filled(filter)) return std::nullopt;
  const health examined = examine(filter, {.probes = probes});
  over_filling found{.planned = filter.record().promised, .advice = examined.advice};
  if (examined.current_rate) {
    found.rate = *examined.current_rate;
  } else if (examined.measured) {
    found.rate = examined.measured->rate;
  } else {
    found.rate = filter.kind().predicted_rate(filter.shape(), predicted_keys(filter));
  }
  if (found.rate <= found.planned.rate) return std::nullopt;
  count_keys(filter, examined, found);
  // The rate may be above the planned one by chance. Where the keys are not estimated, the cells' own
  // word is taken for a rate that is too low to be measured.
  if (examined.healthy() && (examined.estimated || !examined.current_rate)) return std::nullopt;
  if (examined.healthy()) found.advice = "rebuild for " + short_count(found.keys) + " keys";
  return found;
}

json to_json(const std::optional<over_filling>& found) {
  if (!found) return nullptr;
  return {{"planned_keys", found->planned.keys},
          {"planned_rate", found->planned.rate},
          {"keys", found->keys},
          {"known", words[static_cast<std::size_t>(found->known)]},
          {"rate", found->rate},
          {"advice", found->advice}};
}

std::string to_text(const over_filling& found, const std::string& what) {
  return fmt::format(
      "{} is over-filled: planned for {} {} at {}, it has {} {}, and its rate is now {}; {}", what,
      format_count(found.planned.keys), found.planned.keys == 1 ? "key" : "keys",
      format_ratio(found.planned.rate), words[static_cast<std::size_t>(found.known)],
      format_count(found.keys), format_ratio(found.rate), found.advice);
}

void tell_of(const any_filter& filter, const std::string& name) {
  const auto over = over_filled(filter);
  if (over) tell(to_text(*over, name));
  if (!is_watched()) return;
  const filter_record record = filter.record();
  const double rate = over ? over->rate
                      : record.promised.keys != 0
                          ? record.promised.rate
                          : filter.kind().predicted_rate(filter.shape(), predicted_keys(filter));
  fmt::print(stderr, "wrote {}: {}, {} {}, {}, rate {}, in {:.1f} s\n", printable(name),
             a_filter(filter.kind().info.name), format_count(record.items),
             record.items == 1 ? "key" : "keys", format_size(filter.bytes()), format_ratio(rate),
             seconds_spent());
}

}  // namespace bloomery::cli
