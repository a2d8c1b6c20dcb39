#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result differential_file(const lab::request& asked);
lab::result log_structured_store(const lab::request& asked);
lab::result state_space(const lab::request& asked);
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
    {.id = "D2",
     .name = "Differential file",
     .source = "Severance and Lohman 1976; Gremillion 1982; Broder and Mitzenmacher 3.2",
     .where = pattern::gate,
     .does = "A large file stays as it is, and changes go to a small one. A read goes to the small "
             "one only if a filter says that the record has changed; a batch merges the two.",
     .figure = "No stale record is ever read; unchanged ones are looked for in the small file at "
               "the rate of the filter.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"records", "100k", "in the main file"},
                           {"ops", "1M", "reads and updates"},
                           {"updates", "10%", "the share of them that are updates"},
                           {"merges", "20", "batches that empty the differential file"},
                           {"rate", "1%", "of the filter, when a merge is due"}}},
     .run = differential_file},
    {.id = "D3",
     .name = "Log-structured store",
     .source = "Bigtable (Chang et al. 2006); Tarkoma IV-A, IV-F",
     .where = pattern::shelf,
     .does =
         "A store of sorted tables asks the newest first and goes on to older ones. A filter on "
         "each, of rows or of (row, column), says which need not be read.",
     .figure = "No value is missed; what is nowhere costs the rate of the filter times the tables, "
               "and a scan reads the holders of its row and that rate of the others.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"store", "lab",
                            "lab, in memory; leveldb (libleveldb-dev); or rocksdb "
                            "(librocksdb-dev)"},
                           {"kind", "ribbon", "of the filters"},
                           {"rate", "1%", "of the filters"},
                           {"tables", "4", "written one after the other"},
                           {"rows", "20k", "of each table, with two columns or three"},
                           {"questions", "100k", "for what is nowhere"},
                           {"block", "256k", "bytes of data to a filter, in LevelDB"}}},
     .run = log_structured_store},
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
    {.id = "O6",
     .name = "State-space verification",
     .source = "Holzmann 1998; Dillinger and Manolios 2004; Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A model checker remembers in a filter which states it has seen, and so searches spaces "
         "that its memory could not list. A state that the filter claims by mistake is left out.",
     .figure =
         "SPIN with this library's filter covers as much as with its own bits; states left out "
         "are as many as the exact rates add up to.",
     .verb = "",
     .needs = "spin gcc g++",
     .settings_or_none = {{{"counters", "6", "of the model; each state has as many predecessors"},
                           {"values", "7", "of each counter"},
                           {"log2_bits", "20", "of the filter, as a power of two"},
                           {"hashes", "5", "of the filter"},
                           {"runs", "10", "searches, each with another hash"}}},
     .run = state_space},
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
