// T3: no listed password passes, nor any that differs from one by a character; others at their exact rate.
#include <algorithm>
#include <string>
#include <string_view>

#include "bloomery/apps/gate/near_list.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/look_ups.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

constexpr char first_printable = ' ';
constexpr char last_printable = '~';

// Calls use(text) for all that is one edit away from a word, by the printable characters of ASCII. Some
// come twice.
template <class Use>
void each_neighbour(const std::string& word, const Use& use) {
  std::string near = word;
  for (std::size_t i = 0; i < word.size(); ++i) {
    for (char c = first_printable; c <= last_printable; ++c) {
      near[i] = c;
      if (c != word[i]) use(near);
    }
    near = word;
    use(near.erase(i, 1));
    near = word;
  }
  for (std::size_t i = 0; i <= word.size(); ++i) {
    near.insert(i, 1, first_printable);
    for (char c = first_printable; c <= last_printable; ++c) {
      near[i] = c;
      use(near);
    }
    near = word;
  }
}

std::vector<std::string> listed_words(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (!line.empty() && !line.starts_with("#!comment")) words.push_back(line);
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Random, of printable characters and without two equal ones in a row, which would spare a look-up.
std::string drawn_password(std::uint64_t seed, std::uint64_t number, std::uint64_t length) {
  constexpr std::uint64_t characters = last_printable - first_printable + 1;
  std::string password;
  for (std::uint64_t i = 0; i < length; ++i) {
    std::uint64_t pick = hash::reduce(lab::numbered(seed, 1 + i, number).lo, characters - 1);
    const auto before = password.empty()
                            ? characters
                            : static_cast<std::uint64_t>(password.back() - first_printable);
    if (pick >= before) ++pick;
    password += static_cast<char>(static_cast<std::uint64_t>(first_printable) + pick);
  }
  return password;
}

// By what the two begin and end with alike.
bool within_one_edit(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() > b.size() + 1) return false;
  const auto head = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  if (head == b.size()) return true;
  return a.substr(head + 1) == b.substr(head + (a.size() == b.size() ? 1 : 0));
}

struct counted {
  std::uint64_t asked = 0;
  std::uint64_t refused = 0;
};

// What a program that knows the listed words alone refuses of their neighbours, and its bytes.
void compare(const lab::request& asked, const std::vector<std::string>& words, lab::figure& refused,
             lab::figure& bytes) {
  const std::string& program = asked.text("rival");
  if (program == "none") return;
  asked.outside().phase("asking " + program);
  std::string list;
  for (const std::string& word : words) list.append(word).push_back('\n');
  const std::string file = asked.outside().scratch() + "/listed";
  asked.outside().run(
      {program, "--create=" + std::to_string(words.size() * 11 / 10), "--output=" + file}, list);
  std::string neighbours;
  std::uint64_t lines = 0;
  const std::size_t every = std::max<std::size_t>(words.size() / 40, 1);
  for (std::size_t i = 0; i < words.size(); i += every) {
    each_neighbour(words[i], [&](const std::string& near) {
      neighbours.append(near).push_back('\n');
      ++lines;
    });
  }
  const std::string answer =
      asked.outside().run({program, "--filter=" + file, "--count"}, neighbours);
  refused.rivals = {{program + ", of every " + format_count(every) + "th word",
                     static_cast<double>(parse_count(answer.substr(0, answer.find('\n')))) /
                         static_cast<double>(lines)}};
  bytes.rivals = {{program, static_cast<double>(asked.outside().read(file).size())},
                  {"the list", static_cast<double>(list.size())}};
}

}  // namespace

lab::result screening(const lab::request& asked) {
  const std::vector<std::string> words = listed_words(asked.lines("list"));
  const std::uint64_t length = asked.count("length");
  const std::uint64_t strangers = asked.count("strangers");
  // Shorter ones drawn at random share what is left of them, and are not independent.
  math::require_whole("length", length, 8, apps::near_list::longest_word);
  math::require_whole("strangers", strangers, 1, 100'000'000);
  const hasher hash(xxh3_hash(asked.seed()));
  std::vector<digest> keys{apps::near_list::mark(hash)};
  for (const std::string& word : words) apps::near_list::append_keys(word, hash, keys);
  const any_filter filter =
      apps::planned_set(std::move(keys), asked.ratio("fpr"), asked.text("kind"), hash.identity());
  const apps::near_list list(filter, hash);

  asked.outside().phase("trying all neighbours of " + format_count(words.size()) + " words");
  std::uint64_t passed = 0;
  counted near;
  for (const std::string& word : words) {
    passed += std::uint64_t{!list.refuses(word)};
    each_neighbour(word, [&](const std::string& neighbour) {
      ++near.asked;
      near.refused += std::uint64_t{list.refuses(neighbour)};
    });
  }
  counted others;
  for (std::uint64_t i = 0; i < strangers; ++i) {
    const std::string password = drawn_password(asked.seed(), i, length);
    const bool refused = list.refuses(password);
    const bool rightly = refused && std::ranges::any_of(words, [&](const std::string& word) {
                           return within_one_edit(password, word);
                         });
    if (rightly) continue;
    ++others.asked;
    others.refused += std::uint64_t{refused};
  }

  lab::result found;
  found.never("a listed password passed", passed, words.size());
  found.never("a password one edit away from a listed one passed", near.asked - near.refused,
              near.asked);
  const std::uint64_t look_ups = 2 * length + 2;
  found.add(lab::share_of("random passwords of " + std::to_string(length) + " characters refused",
                          others.refused, others.asked,
                          math::any_of(apps::rate_of(filter), look_ups)));
  lab::figure refused = lab::exactly(
      "neighbours refused", lab::unit::share,
      near.asked == 0 ? 1 : static_cast<double>(near.refused) / static_cast<double>(near.asked), 1);
  lab::figure bytes =
      lab::told("the filter", lab::unit::bytes, static_cast<double>(filter.bytes()));
  compare(asked, words, refused, bytes);
  found.add(refused);
  found
      .add(lab::exactly(
          "look-ups for a password of " + std::to_string(length) + " characters", lab::unit::count,
          static_cast<double>(apps::near_list::look_ups(drawn_password(asked.seed(), 0, length))),
          static_cast<double>(look_ups)))
      .rivals = {{"asking for each neighbour", static_cast<double>(190 * length + 95)}};
  found.add(bytes);
  found.note("The filter is of kind " + std::string(filter.kind().info.name) + " and holds " +
             format_count(filter.record().items) + " keys for " + format_count(words.size()) +
             " words.");
  return found;
}

extern constinit const system_info screening_system{
    .id = "T3",
    .name = "Password screening",
    .source = "Spafford 1992 (OPUS); Manber, Wu 1994; Broder-Mitzenmacher 3.1; Tarkoma IV-E",
    .where = pattern::gate,
    .does =
        "A filter of poor passwords refuses them, and all that differ from one by a character "
        "left out, put in or put for another.",
    .figure =
        "No listed password passes, nor any within an edit distance of 1; others are refused at "
        "1-(1-f)^(2L+2).",
    .verb = "words screen",
    .needs = "john-data passwdqc",
    .settings_or_none = {{{"list", "/usr/share/john/password.lst", "poor passwords"},
                          {"fpr", "0.01%", "of the filter, a look-up"},
                          {"kind", "", "of the filter; none for the planner's choice"},
                          {"length", "12", "characters of random passwords"},
                          {"strangers", "500k", "random passwords that are tried"},
                          {"rival", "pwqfilter", "a program to compare with, or none"}}},
    .run = screening};

}  // namespace bloomery::systems
