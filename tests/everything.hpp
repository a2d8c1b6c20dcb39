// A message with a field of every type, for tests and fuzzers.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/wire/message.hpp"

namespace bloomery::testing {

inline constexpr std::array<std::string_view, 3> ways{"none", "some", "all"};
inline constexpr std::uint64_t any_whole = std::numeric_limits<std::uint64_t>::max();

struct everything {
  static constexpr std::string_view name = "fuzz/everything";  // as the fuzzer's corpus has it
  std::uint64_t number = 1;
  double share = 0.5;
  std::uint64_t way = 0;
  byte_view word;
  std::vector<byte_view> parts;
  wire::carried_filter filter;

  static constexpr std::tuple fields{
      whole_field("number", "any", &everything::number, 0, any_whole),
      real_field("share", "of one", &everything::share, 0, 1),
      choice_field("way", "which", &everything::way, ways),
      wire::bytes_field("word", "short", &everything::word, 1, 1000),
      wire::bytes_list_field("parts", "any", &everything::parts, 0, any_whole, 0, 100),
      wire::filter_field("filter", "a set", &everything::filter),
  };
  void check() const {
    if (way == 1 && parts.empty()) fail(errc::invalid, "there is no way to some without parts");
  }
};

}  // namespace bloomery::testing
