#include "bloomery/apps/gate/near_list.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/utf8.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::apps {
namespace {

// What a string is to the list; with nothing added it is a word.
constexpr std::uint64_t left_of_a_word = 1;
constexpr std::uint64_t left_at = 2;  // and the place
constexpr std::uint64_t mark_of_a_list = ~std::uint64_t{0};

digest in_role(digest d, std::uint64_t role) {
  const std::uint64_t step = hash::mix(role);
  return {hash::mix(d.lo + step), hash::mix(d.hi ^ step)};
}

// Characters of a text begin at these bytes; the last entry is its end. No more than `most` of them.
std::vector<std::size_t> characters_of(std::string_view text, std::size_t most) {
  std::vector<std::size_t> starts{0};
  while (starts.back() < text.size() && starts.size() <= most) {
    const std::size_t size = core::first_character(text.substr(starts.back())).bytes;
    starts.push_back(starts.back() + std::max<std::size_t>(size, 1));
  }
  return starts;
}

// Calls use(what is left without a character, its place, whether that is left at the place before too).
template <class Use>
void each_left(std::string_view text, const std::vector<std::size_t>& starts, const Use& use) {
  std::string left;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::string_view gone = text.substr(starts[i], starts[i + 1] - starts[i]);
    const bool again = i > 0 && gone == text.substr(starts[i - 1], starts[i] - starts[i - 1]);
    left.assign(text.substr(0, starts[i])).append(text.substr(starts[i + 1]));
    use(std::string_view(left), std::uint64_t{i}, again);
  }
}

}  // namespace

digest near_list::mark(const hasher& hash) {
  return in_role(hash("1"), mark_of_a_list);  // a distance of 1
}

void near_list::append_keys(std::string_view word, const hasher& hash, std::vector<digest>& keys) {
  const std::vector<std::size_t> starts = characters_of(word, longest_word + 1);
  if (starts.back() < word.size() || starts.size() > longest_word + 1) {
    fail(errc::limit, "a word of " + format_size(word.size()) +
                          " is longer than the longest of a list, " + std::to_string(longest_word) +
                          " characters");
  }
  keys.push_back(hash(word));
  each_left(word, starts, [&](std::string_view left, std::uint64_t place, bool again) {
    const digest d = hash(left);
    if (!again) keys.push_back(in_role(d, left_of_a_word));
    keys.push_back(in_role(d, left_at + place));
  });
}

near_list::near_list(const any_filter& filter, hasher hash)
    : filter_(&filter), hash_(std::move(hash)) {
  if (!filter.as<asks>().may_contain(mark(hash_))) {
    fail(errc::incompatible,
         "the filter is not one of words and all that is near them, which `bloomery words list` "
         "makes");
  }
}

bool near_list::refuses(std::string_view password) const {
  const std::vector<std::size_t> starts = characters_of(password, longest_word + 2);
  if (starts.size() > longest_word + 2) return false;  // longer than any word by two
  std::array<digest, 2 * longest_word + 4> asked;
  std::array<bool, asked.size()> answers{};
  std::size_t size = 0;
  asked[size++] = hash_(password);
  asked[size++] = in_role(asked[0], left_of_a_word);
  each_left(password, starts, [&](std::string_view left, std::uint64_t place, bool again) {
    const digest d = hash_(left);
    if (!again) asked[size++] = d;
    asked[size++] = in_role(d, left_at + place);
  });
  return filter_->as<asks>().may_contain(std::span(asked).first(size),
                                         std::span(answers).first(size)) != 0;
}

std::uint64_t near_list::look_ups(std::string_view password) {
  const std::vector<std::size_t> starts = characters_of(password, longest_word + 2);
  if (starts.size() > longest_word + 2) return 0;
  std::uint64_t keys = 2;
  each_left(password, starts,
            [&](std::string_view, std::uint64_t, bool again) { keys += again ? 1 : 2; });
  return keys;
}

}  // namespace bloomery::apps
