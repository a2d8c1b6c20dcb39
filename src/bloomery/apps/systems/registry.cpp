#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result wake_up(const lab::request& asked);
lab::result watch_list(const lab::request& asked);
lab::result directory(const lab::request& asked);
lab::result iceberg(const lab::request& asked);
lab::result predictors(const lab::request& asked);
lab::result services(const lab::request& asked);
lab::result chains(const lab::request& asked);

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
    {.id = "D7",
     .name = "Watch list",
     .source = "Chazelle et al. 2004, section 1",
     .where = pattern::gate,
     .does =
         "A map tells suspects, names that only sound suspicious, and all others apart, where a "
         "filter would accuse the same innocent names again and again.",
     .figure = "Listed names are answered exactly; of others all but the promised share are told "
               "\"ok\". An exception list is smaller only while it is short.",
     .verb = "map build",
     .needs = "wamerican",
     .settings_or_none = {{{"names", "/usr/share/dict/words", "a file of names, one a line"},
                           {"suspects", "20k", "names on the list"},
                           {"cleared", "10k", "names that only sound suspicious"},
                           {"fpr", "1%", "share of others who are not told \"ok\""},
                           {"kind", "bloomier", "kind of map"}}},
     .run = watch_list},
    {.id = "N11",
     .name = "Directory",
     .source = "Tarkoma I; Chazelle et al. 2004, section 1",
     .where = pattern::gate,
     .does = "A map says which of many hosts or databases has an object, so that only that one is "
             "asked.",
     .figure = "No object is looked for at the wrong host; objects that nobody has cost a question "
               "at the promised rate.",
     .verb = "map get",
     .needs = "",
     .settings_or_none = {{{"objects", "200k", "objects"},
                           {"hosts", "64", "hosts that have them"},
                           {"fpr", "1%", "share of unknown objects that cost a question"},
                           {"kind", "bloomier", "kind of map"}}},
     .run = directory},
    {.id = "D5",
     .name = "Iceberg query",
     .source = "Fang et al. 1998; Tarkoma IV-D",
     .where = pattern::meter,
     .does =
         "Keys that make up at least a share of a stream are found without counting the others: "
         "a first pass counts in a small sketch, a second counts exactly what it holds for "
         "frequent.",
     .figure = "No key above the share is missed and every count is exact; few candidates are "
               "counted in vain.",
     .verb = "top --above 1%",
     .needs = "",
     .settings_or_none = {{{"above", "0.1%", "the share"},
                           {"keys", "100k", "distinct keys, whose counts follow Zipf's law"},
                           {"length", "1M", "of the stream"}}},
     .run = iceberg},
    {.id = "O4",
     .name = "Predictors in processors",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "Counters chosen as a filter chooses bits vote on whether a branch is taken, a load hits "
         "the cache, or a line is the last used of its set. In banks they need no memory with "
         "several ports.",
     .figure = "Banks predict within a point of counters that may be anywhere, at equal bits.",
     .verb = "",
     .needs = "valgrind",
     .settings_or_none = {{{"program", "gzip -c /usr/share/common-licenses/BSD >/dev/null",
                            "a shell command to watch"},
                           {"trace", "", "a file of lackey's instead"},
                           {"counters", "8192", "of two bits"}}},
     .run = predictors},
    {.id = "R3",
     .name = "Service discovery by features",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "The features of services, numbers in steps, are texts in a counting filter before the "
         "list of services: what no service has ends a search at once, and services leave again.",
     .figure =
         "Answers are those of the list, after any number of changes; the list is searched in "
         "vain at the filter's rate.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"services", "2000", "services that come and go"},
                           {"changes", "20k", "arrivals and departures"},
                           {"questions", "100k", "for features that nobody has"},
                           {"fpr", "1%", "of the filter"}}},
     .run = services},
    {.id = "O3",
     .name = "RFID identification",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A tag answers differently each time, by a chain of one-way functions, so that it cannot "
         "be traced. A filter of each tag's answers to come spares its owner from walking all "
         "chains to know it again.",
     .figure = "Every reading is identified; chains are walked in vain at the filters' rate.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"tags", "10k", "tags"},
                           {"steps", "128", "answers of each that are calculated before"},
                           {"readings", "1000", "of tags, and as many of strangers"},
                           {"fpr", "0.1%", "of a tag's filter"}}},
     .run = chains},
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
