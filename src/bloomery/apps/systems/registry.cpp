#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result hyphenation(const lab::request& asked);
lab::result screening(const lab::request& asked);
lab::result spelling(const lab::request& asked);
lab::result wake_up(const lab::request& asked);

namespace {

struct pattern_text {
  std::string_view name;
  std::string_view sentence;
};
constexpr std::array pattern_texts{
    pattern_text{"gate", "before a slow or costly truth"},
    pattern_text{"shelf", "on each of many boxes"},
    pattern_text{"exchange", "in a message between two parties, instead of the set"},
    pattern_text{"overlay", "on each link, telling what lies behind it"},
    pattern_text{"header", "in the packet, telling where it was or may go"},
    pattern_text{"table", "before each class of a forwarding table"},
    pattern_text{"meter", "in the stream, counting or remembering"},
    pattern_text{"scan", "before the content matcher"},
};

constexpr auto systems = std::to_array<system_info>({
    {.id = "O1",
     .name = "Wake-up radio",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A wake-up frame is a filter of the devices that are meant. A sleeping device compares "
         "it with its own bits by an AND circuit, and wakes only if all of them are there.",
     .figure = "A device that is meant always wakes; others wake at the exact rate of the filter.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"devices", "1000", "sleeping devices"},
                           {"meant", "10", "devices that a frame is for"},
                           {"bits", "128", "of a frame"},
                           {"hashes", "6", "bits of a device"},
                           {"frames", "1000", "frames sent"}}},
     .run = wake_up},
    {.id = "T1",
     .name = "Hyphenation",
     .source = "Bloom 1970; Broder-Mitzenmacher 3.1",
     .where = pattern::gate,
     .does =
         "Most words are hyphenated by a few rules, about a tenth only by a table. A filter of the "
         "words of the table spares reading it for the others.",
     .figure =
         "Every word as by libhyphen; the table is read for its own words, and for others at the "
         "exact rate of the filter.",
     .verb = "words hyphenate --rules 3500",
     .needs = "hyphen-en-us libhyphen0 python3 wamerican",
     .settings_or_none = {{{"patterns", "/usr/share/hyphen/hyph_en_US.dic", "those of libhyphen"},
                           {"words", "/usr/share/dict/words", "the words to hyphenate"},
                           {"rules", "3500", "patterns that are kept, those used most"},
                           {"fpr", "1%", "of the filter"},
                           {"kind", "", "of the filter; none for the planner's choice"}}},
     .run = hyphenation},
    {.id = "T2",
     .name = "Spelling",
     .source = "McIlroy 1982; Mullin, Margoliash 1990; Broder-Mitzenmacher 3.1",
     .where = pattern::gate,
     .does =
         "A dictionary is kept as a filter. Words of a text that it does not have are misspelt; a "
         "false positive lets a misspelt word pass.",
     .figure =
         "Every word of the dictionary is accepted; real misspellings are missed at the exact rate "
         "of the filter.",
     .verb = "words spell",
     .needs = "codespell hunspell-en-us wamerican",
     .settings_or_none = {{{"words", "/usr/share/dict/words", "the dictionary"},
                           {"misspellings",
                            "/usr/lib/python3/dist-packages/codespell_lib/data/dictionary.txt",
                            "those of codespell"},
                           {"fpr", "0.1%", "of the filter"},
                           {"kind", "", "of the filter; none for the planner's choice"},
                           {"filters", "10", "that are built, each of another hash"},
                           {"rival", "/usr/share/hunspell/en_US.dic", "a dictionary to compare"}}},
     .run = spelling},
    {.id = "T3",
     .name = "Password screening",
     .source = "Spafford 1992 (OPUS); Manber, Wu 1994; Broder-Mitzenmacher 3.1; Tarkoma IV-E",
     .where = pattern::gate,
     .does = "A filter of poor passwords refuses them, and all that differ from one by a character "
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
     .run = screening},
});

}  // namespace

std::string_view name_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].name;
}
std::string_view sentence_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].sentence;
}

std::span<const lab::setting> system_info::settings() const {
  const auto end = std::ranges::find(settings_or_none, std::string_view(), &lab::setting::name);
  return {settings_or_none.begin(), end};
}

std::span<const system_info> all_systems() {
  return systems;
}

const system_info& find_system(std::string_view id) {
  std::string upper(id);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto* const found = std::ranges::find(systems, std::string_view(upper), &system_info::id);
  if (found != systems.end()) return *found;
  std::vector<std::string_view> ids;
  for (const system_info& each : systems) ids.push_back(each.id);
  fail(errc::invalid,
       in_quotes(id) + " is no system that `bloomery systems` lists" + did_you_mean(upper, ids));
}

}  // namespace bloomery::systems
