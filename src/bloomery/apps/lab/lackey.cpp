#include "bloomery/apps/lab/lackey.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::lab {
namespace {

struct step {
  std::uint64_t at;
  std::uint64_t next;  // if it does not jump
};

// "1fff000708,8" after the letter and its spaces.
bool parse_access(std::string_view text, std::uint64_t& address, std::uint64_t& size) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const char* const middle = text.data() + comma;
  const char* const end = text.data() + text.size();
  constexpr int hexadecimal = 16;
  const auto first = std::from_chars(text.data(), middle, address, hexadecimal);
  const auto second = std::from_chars(middle + 1, end, size);
  return first.ec == std::errc{} && first.ptr == middle && second.ec == std::errc{} &&
         second.ptr == end;
}

// Those that jump at times, and at times do not, in the order in which they ran.
std::vector<processor_trace::branch> branches_of(const std::vector<step>& steps) {
  std::vector<std::uint64_t> jumped;
  std::vector<std::uint64_t> went_on;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    (steps[i + 1].at == steps[i].next ? went_on : jumped).push_back(steps[i].at);
  }
  for (auto* some : {&jumped, &went_on}) {
    std::ranges::sort(*some);
    some->erase(std::unique(some->begin(), some->end()), some->end());
  }
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(jumped, went_on, std::back_inserter(both));
  std::vector<processor_trace::branch> found;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (!std::ranges::binary_search(both, steps[i].at)) continue;
    found.push_back({steps[i].at, steps[i + 1].at != steps[i].next});
  }
  return found;
}

}  // namespace

processor_trace read_lackey(std::string_view text) {
  processor_trace trace;
  std::vector<step> steps;
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with("==") || line.starts_with("--")) continue;
    constexpr std::size_t before = 3;  // "I  ", " L ", " S ", " M "
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    const std::string_view sort = line.substr(0, std::min(before, line.size()));
    const bool known = sort == "I  " || sort == " L " || sort == " S " || sort == " M ";
    if (!known || !parse_access(line.substr(before), address, size)) {
      fail(errc::corrupt,
           "line " + std::to_string(number) + " is none of lackey's: " + in_quotes(line));
    }
    if (sort[0] == 'I') {
      steps.push_back({address, address + size});
    } else if (sort[1] != 'S' && !steps.empty()) {
      trace.loads.push_back({steps.back().at, address});
    }
  }
  trace.branches = branches_of(steps);
  return trace;
}

}  // namespace bloomery::lab
