// O1: frames wake the devices that are meant, and few others.
#include "bloomery/apps/gate/wake_mask.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {

lab::result wake_up(const lab::request& asked) {
  const std::uint64_t devices = asked.count("devices");
  const std::uint64_t meant = asked.count("meant");
  const std::uint64_t bits = asked.count("bits");
  const std::uint64_t hashes = asked.count("hashes");
  const std::uint64_t frames = asked.count("frames");
  math::require_whole("devices", devices, 2, 1'000'000);
  math::require_whole("meant", meant, 0, devices - 1);

  math::require_whole("frames", frames, 2, 1'000'000);

  // Each frame has devices of its own. Its share of them is a value: devices that meet one frame are not
  // independent of each other.
  std::uint64_t slept = 0;
  std::vector<double> shares;
  std::vector<apps::wake_mask> masks;
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    masks.clear();
    for (std::uint64_t i = 0; i < devices; ++i) {
      masks.emplace_back(lab::numbered(asked.seed(), frame, i), bits, hashes);
    }
    apps::wake_mask sent(bits);
    for (std::uint64_t i = 0; i < meant; ++i) sent |= masks[i];
    apps::ledger book;
    for (std::uint64_t i = 0; i < devices; ++i) book.record(sent.wakes(masks[i]), i < meant);
    slept += book.missed();
    shares.push_back(static_cast<double>(book.false_positives()) /
                     static_cast<double>(book.strangers()));
  }

  lab::result found;
  found.never("a device that was meant slept on", slept, frames * meant);
  found.add(lab::mean_of("others that woke", lab::unit::share, shares,
                         math::exact_rate(bits, meant, hashes)));
  return found;
}

extern constinit const system_info wake_up_system{
    .id = "O1",
    .name = "Wake-up radio",
    .source = "Tarkoma IV-F",
    .where = pattern::gate,
    .does =
        "A wake-up frame is a filter of the devices that are meant. A sleeping device compares "
        "it with its own bits by an AND circuit, and wakes only if all of them are there.",
    .figure = "A device that is meant always wakes; others wake at the exact rate of the filter.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"devices", "1000", "sleeping devices"},
                          {"meant", "10", "devices that a frame is for"},
                          {"bits", "128", "of a frame"},
                          {"hashes", "6", "bits of a device"},
                          {"frames", "1000", "frames sent"}}},
    .run = wake_up};

}  // namespace bloomery::systems
