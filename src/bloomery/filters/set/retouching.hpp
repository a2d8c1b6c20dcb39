// Retouching a filter, and what was gained and lost by it.
//
// Purpose:   clears bits of filters/set/retouched.hpp: at random, or one bit of each unwanted key,
//            chosen at random, by the members it bears (fewest), by the unwanted keys it bears (most),
//            or by the ratio of the two.
// Cost:      some 40 bytes for each bit of an unwanted key that is claimed, and 24 for each time that a
//            member lies there.
// Guarantee: none of the unwanted keys is claimed afterwards. The outcome depends on neither order nor
//            repeats.
// Citation:  Donnet, Baynat, Friedman 2006.
//
//     const bloomery::retouch_report report{.removed = 9, .predicted_loss = 0.01};
//     assert(report.lost_share() == 0.01);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/filters/set/retouched.hpp"

namespace bloomery {

enum class retouch_method : std::uint8_t { random, fewest_members, most_unwanted, best_ratio };
inline constexpr std::array<std::string_view, 4> retouch_methods{"random", "fewest-members",
                                                                 "most-unwanted", "best-ratio"};

// What is known of the members: all of them, or how many lie on each bit, as a counting filter of the
// same shape knows. fewest_members and best_ratio need one of the two.
struct known_members {
  std::span<const digest> keys{};
  std::function<std::uint64_t(std::uint64_t)> on_bit{};
};

struct retouch_report {
  std::uint64_t unwanted = 0;                // distinct keys listed that were claimed
  std::uint64_t removed = 0;                 // of them
  std::uint64_t cleared = 0;                 // bits
  std::optional<std::uint64_t> members{};    // distinct ones given that were claimed
  std::optional<std::uint64_t> lost{};       // of them
  double predicted_loss = 0;                 // share of the members, as if bits did not conspire
  double strangers_removed = 0;              // share of all false positives, listed or not
  [[nodiscard]] double lost_share() const;   // as counted, else as predicted
  [[nodiscard]] double gain() const;         // χ: of all false positives
  [[nodiscard]] double listed_gain() const;  // χ: of those listed
};

retouch_report retouch(retouched_filter& filter, std::span<const digest> unwanted,
                       retouch_method method, const known_members& members = {});

// `count` of the ones, drawn by the seed; errc::invalid if there are fewer.
retouch_report clear_random(retouched_filter& filter, std::uint64_t count, std::uint64_t seed);

}  // namespace bloomery
