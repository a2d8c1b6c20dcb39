#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// Each is defined behind its experiment, in the file of its name.
extern const system_info differential_file_system;
extern const system_info log_structured_store_system;
extern const system_info annotations_system;
extern const system_info bloomjoin_system;
extern const system_info map_reduce_join_system;
extern const system_info keyword_intersection_system;
extern const system_info reconciliation_system;
extern const system_info informed_delivery_system;
extern const system_info private_search_system;
extern const system_info wake_up_system;
extern const system_info power_proxy_system;
extern const system_info watch_list_system;
extern const system_info directory_system;
extern const system_info iceberg_system;
extern const system_info predictors_system;
extern const system_info filters_or_table_system;
extern const system_info planetp_system;
extern const system_info leaders_system;
extern const system_info attenuated_search_system;
extern const system_info gradient_search_system;
extern const system_info swarm_discovery_system;
extern const system_info sensor_hints_system;
extern const system_info gnutella_search_system;
extern const system_info foreseer_system;
extern const system_info similar_peers_system;
extern const system_info similar_routing_system;
extern const system_info resource_tree_system;
extern const system_info services_system;
extern const system_info cache_digests_system;
extern const system_info chains_system;
extern const system_info state_space_system;
extern const system_info document_index_system;
extern const system_info multidimensional_ranges_system;
extern const system_info forensic_sets_system;
extern const system_info hyphenation_system;
extern const system_info spelling_system;
extern const system_info summary_cache_system;
extern const system_info screening_system;
extern const system_info geographic_routing_system;

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

constexpr std::array listed{
    &differential_file_system,
    &log_structured_store_system,
    &bloomjoin_system,
    &map_reduce_join_system,
    &keyword_intersection_system,
    &reconciliation_system,
    &informed_delivery_system,
    &private_search_system,
    &wake_up_system,
    &power_proxy_system,
    &watch_list_system,
    &directory_system,
    &iceberg_system,
    &predictors_system,
    &filters_or_table_system,
    &planetp_system,
    &leaders_system,
    &attenuated_search_system,
    &gradient_search_system,
    &swarm_discovery_system,
    &sensor_hints_system,
    &gnutella_search_system,
    &foreseer_system,
    &similar_peers_system,
    &similar_routing_system,
    &resource_tree_system,
    &services_system,
    &chains_system,
    &state_space_system,
    &document_index_system,
    &multidimensional_ranges_system,
    &forensic_sets_system,
    &hyphenation_system,
    &spelling_system,
    &screening_system,
    &geographic_routing_system,
    &summary_cache_system,
    &cache_digests_system,
    &annotations_system,
};

}  // namespace

std::string_view name_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].name;
}
std::string_view sentence_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].sentence;
}

std::span<const lab::setting> system_info::settings() const {
  const auto* const end =
      std::ranges::find(settings_or_none, std::string_view(), &lab::setting::name);
  return {settings_or_none.begin(), end};
}

std::span<const system_info> all_systems() {
  static const auto all = [] {
    std::array<system_info, listed.size()> copies{};
    std::ranges::transform(listed, copies.begin(), [](const system_info* each) { return *each; });
    return copies;
  }();
  return all;
}

const system_info& find_system(std::string_view id) {
  std::string upper(id);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto systems = all_systems();
  const auto found = std::ranges::find(systems, std::string_view(upper), &system_info::id);
  if (found != systems.end()) return *found;
  std::vector<std::string_view> ids;
  for (const system_info& each : systems) ids.push_back(each.id);
  fail(errc::invalid,
       in_quotes(id) + " is no system that `bloomery systems` lists" + did_you_mean(upper, ids));
}

}  // namespace bloomery::systems
