#include "bloomery/any/strangers.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <span>

namespace bloomery {

tally ask_strangers(const any_filter& filter, const stranger_options& options,
                    const std::function<void(std::uint64_t)>& watch) {
  constexpr std::size_t batch = 4096;
  std::mt19937_64 random(options.seed);
  std::array<digest, batch> digests{};
  std::array<bool, batch> answers{};
  tally counts;
  while (counts.asked < options.most && counts.hits < options.enough_hits) {
    const std::size_t size = std::min<std::uint64_t>(batch, options.most - counts.asked);
    const auto asked = std::span(digests).first(size);
    for (digest& d : asked) {
      d.lo = random();
      d.hi = random();
    }
    const auto told = std::span(answers).first(size);
    counts.hits += options.now ? filter.as<keeps_time>().may_contain(asked, told, *options.now)
                               : filter.as<asks>().may_contain(asked, told);
    counts.asked += size;
    if (watch) watch(size);
  }
  return counts;
}

}  // namespace bloomery
