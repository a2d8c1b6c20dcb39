#include "bloomery/apps/shelf/file_blocks.hpp"

#include <algorithm>

#include "bloomery/core/distinct.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery::apps {
namespace {

constexpr double mistaken_by_chance = 0.001;

math::estimate divided(math::estimate common, std::size_t by) {
  const auto whole = static_cast<double>(std::max<std::size_t>(by, 1));
  return {common.value / whole, common.low / whole, common.high / whole, common.saturated};
}

}  // namespace

file_keys keys_of_file(std::string_view contents, std::uint64_t block, const hasher& hash) {
  std::vector<digest> blocks;
  std::string all = "blocks of a file:";  // so that no block is taken for a whole
  for (std::size_t at = 0; at < contents.size(); at += block) {
    const digest key = hash(contents.substr(at, block));
    blocks.push_back(key);
    for (const std::uint64_t half : {key.lo, key.hi}) {
      const std::uint64_t stored = core::little_endian(half);
      all.append(reinterpret_cast<const char*>(&stored), sizeof stored);
    }
  }
  return {hash(all), core::distinct(std::move(blocks))};
}

void add_file(shelf& shelf, std::string label, std::string_view contents, double rate,
              const hasher& hash) {
  file_keys keys = keys_of_file(contents, shelf.grain(), hash);
  keys.blocks.push_back(keys.whole);
  shelf.add(std::move(label), std::move(keys.blocks), rate);
}

std::vector<resemblance> resembling(const shelf& shelf, std::string_view contents,
                                    const hasher& hash, double confidence) {
  const file_keys keys = keys_of_file(contents, shelf.grain(), hash);
  const double certain = 1 - mistaken_by_chance / static_cast<double>(shelf.boxes().size());
  std::vector<resemblance> found;
  for (std::size_t i = 0; i < shelf.boxes().size(); ++i) {
    const standard_filter& filter = shelf.boxes()[i].filter;
    const auto claimed = static_cast<std::uint64_t>(
        std::ranges::count_if(keys.blocks, [&](digest key) { return shelf.may_hold(i, key); }));
    const double rate = filter.current_rate();
    const auto common = [&](double sure) {
      return math::estimate_common(keys.blocks.size(), claimed, rate, sure);
    };
    const bool whole = shelf.may_hold(i, keys.whole);
    const std::uint64_t items = filter.record().items;
    const bool as_many = items == keys.blocks.size() + 1;
    found.push_back({.box = i,
                     .known = whole && as_many && claimed == keys.blocks.size(),
                     .share = divided(common(confidence), keys.blocks.size()),
                     .related = common(certain).low > 0,
                     .doctored = common(certain).low > static_cast<double>(items)});
  }
  std::ranges::stable_sort(found, [](const resemblance& a, const resemblance& b) {
    return a.known != b.known ? a.known : a.share.value > b.share.value;
  });
  return found;
}

}  // namespace bloomery::apps
