// Asks a filter for keys that nobody inserted.
//
// Purpose:   measures a rate of false positives.
// Cost:      a query per stranger.
// Guarantee: strangers are random digests, of a generator that shares nothing with the library's own
//            mixing; the same seed draws the same ones.
//
//     const auto filter = bloomery::find_kind("standard").for_keys(1000, 0.01);
//     const bloomery::tally counts = bloomery::ask_strangers(filter, {.most = 500});
//     assert(counts.asked == 500 && counts.hits == 0);  // nothing is in it
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "bloomery/any/registry.hpp"

namespace bloomery {

struct tally {
  std::uint64_t asked = 0;
  std::uint64_t hits = 0;
};

struct stranger_options {
  std::uint64_t most = 1 << 16;
  std::uint64_t enough_hits = std::numeric_limits<std::uint64_t>::max();  // ends it earlier
  std::uint64_t seed = 1970;
  std::optional<std::uint64_t> now = std::nullopt;  // of a window of time
};

// `watch`, if any, is told now and then how many more were asked.
tally ask_strangers(const any_filter& filter, const stranger_options& options,
                    const std::function<void(std::uint64_t asked)>& watch = {});

}  // namespace bloomery
