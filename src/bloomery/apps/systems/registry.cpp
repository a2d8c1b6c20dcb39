#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result bloomjoin(const lab::request& asked);
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
    {.id = "D1",
     .name = "Bloomjoin",
     .source = "Mackert and Lohman; Broder and Mitzenmacher 3.2, Tarkoma II-B and IV-A",
     .where = pattern::exchange,
     .does =
         "Two tables that lie apart are joined. The party with the keys sends a filter of them, "
         "the "
         "party with the rows sends back those that pass, and the first removes the false ones.",
     .figure = "Exactly the rows that join; bytes: the filter, and (matches + rate x rest) rows.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"cities", "100k", "cities in all"},
                           {"dear", "900", "cities that are looked for"},
                           {"employees", "2", "employees of a city"},
                           {"row", "21B", "bytes of an employee's row"},
                           {"key", "10B", "bytes of a city's name"},
                           {"rate", "0.2%", "false-positive rate of the filter"}}},
     .run = bloomjoin},
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
