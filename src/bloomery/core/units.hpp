// Numbers as people write them: `10M`, `1%`, `64MiB`, and back.
//
// Counts take k, M, G, T (powers of 1000), 1e6 and 1,000,000; sizes take kB, MB, GB, TB (powers of 1000)
// and KiB, MiB, GiB, TiB or K, M, G, T (of 1024); ratios a number or a percentage; durations ms, s, m,
// h, d. Anything else throws errc::invalid and says what is accepted. Parsing is exact: `1.5M` is
// 1500000, `1.5` as a count is refused.
//
//     assert(bloomery::parse_count("10M") == 10'000'000);
//     assert(bloomery::parse_ratio("1%") == 0.01);
//     assert(bloomery::parse_size("64MiB") == std::uint64_t{64} << 20);
//     assert(bloomery::format_size(std::uint64_t{3} << 19) == "1.5 MiB");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

std::uint64_t parse_count(std::string_view text);
std::uint64_t parse_size(std::string_view text);
double parse_ratio(std::string_view text);
std::uint64_t parse_duration(std::string_view text);  // in milliseconds; the unit is not optional

std::string format_count(std::uint64_t count);  // 12,345,678
std::string short_count(std::uint64_t count);   // 10M, 1.5M, 12345678: parses back exactly
std::string format_size(std::uint64_t bytes);   // 1.5 MiB
std::string format_ratio(double ratio);         // 1.03 %
std::string format_real(double value, int significant = 4);

}  // namespace bloomery
