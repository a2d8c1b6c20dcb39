// What the formulas refuse, in the words that every range check of Bloomery uses.
//
// Guarantee: errc::invalid, naming the value and what is allowed, or nothing.
//
//     bloomery::math::require_filter(1000, 7);
//     try {
//       bloomery::math::require_filter(1000, 65);
//       assert(false);
//     } catch (const bloomery::error& problem) {
//       assert(std::string(problem.what()) == "hashes is 65; allowed: 1 to 64");
//     }
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery::math {

void require_whole(std::string_view name, std::uint64_t value, std::uint64_t low,
                   std::uint64_t high);

// 1 to max_bits and 1 to max_hashes.
void require_filter(std::uint64_t bits, std::uint64_t hashes);

// Above 0 and below 1.
void require_share(std::string_view name, double value);

// 0 to 1.
void require_part(std::string_view name, double value);

// Above 0 and finite.
void require_positive(std::string_view name, double value);

}  // namespace bloomery::math
