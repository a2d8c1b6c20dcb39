#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result document_index(const lab::request& asked);
lab::result forensic_sets(const lab::request& asked);
lab::result multidimensional_ranges(const lab::request& asked);
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
    {.id = "T4",
     .name = "Document index of small filters",
     .source = "Mullin 1987; Christensen et al. 4",
     .where = pattern::shelf,
     .does = "Every document has a small filter of its words. A search asks all of them, and names "
             "the documents that may have the word.",
     .figure = "No document that has the word is left out; others are named at the exact rate of "
               "their filters, which the textbook's formula misses where they are small.",
     .verb = "index search",
     .needs = "",
     .settings_or_none = {{{"files", "/usr/share/doc", "folder of the documents"},
                           {"documents", "200", "documents taken from it"},
                           {"queries", "1000", "words asked for"},
                           {"fpr", "1%", "rate that each filter is sized for"},
                           {"small", "10k", "documents of few words, of each size"}}},
     .run = document_index},
    {.id = "D6",
     .name = "Multidimensional ranges",
     .source = "Tarkoma IV-F",
     .where = pattern::shelf,
     .does = "The range of each attribute is cut into segments, and each has a filter of the rows "
             "whose value lies in it. Rows that may be in segments of every range asked are read.",
     .figure = "No row inside the ranges is missed; rows of other segments are read at the rate of "
               "the filters that were asked.",
     .verb = "index search",
     .needs = "",
     .settings_or_none = {{{"ranges", "64", "segments of an attribute"},
                           {"rows", "1000", "of a table"},
                           {"tables", "20", "tables, each of its own hash"},
                           {"queries", "10k", "ranges of two attributes, in all"},
                           {"fpr", "1%", "rate that each filter is sized for"}}},
     .run = multidimensional_ranges},
    {.id = "S1",
     .name = "Forensic hash sets",
     .source = "Roussev et al. 2006 (md5bloom); Tarkoma IV-E",
     .where = pattern::shelf,
     .does = "Every known file has a filter of the hashes of its blocks and of itself. Files that "
             "are on the shelf are named, versions of them ranked by the blocks that they share.",
     .figure = "Every known file is named, the share of common blocks lies in its interval, and a "
               "set that states another number of keys than it holds is told.",
     .verb = "index like",
     .needs = "hashdeep ssdeep",
     .settings_or_none = {{{"files", "100", "known files, of random bytes"},
                           {"size", "128KiB", "of a file, on average"},
                           {"blocks", "4096", "bytes of a block"},
                           {"fpr", "1%", "rate that each filter is sized for"}}},
     .run = forensic_sets},
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
