#include "bloomery/apps/gate/service_directory.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery::apps {

std::string stepped(std::string_view feature, double value, double step) {
  if (!(step > 0) || !std::isfinite(value)) {
    fail(errc::invalid, "a feature needs a number and a step above 0");
  }
  return std::string(feature) + "=" + format_real(std::floor(value / step) * step, 12);
}

service_directory::service_directory(std::uint64_t features, double rate)
    : filter_(counting_filter::for_keys(features, rate)) {}

void service_directory::add(const std::string& service, const feature_list& features) {
  const auto [at, fresh] =
      services_.emplace(service, std::set<std::string>(features.begin(), features.end()));
  if (!fresh) fail(errc::invalid, "there is a service " + in_quotes(service) + " already");
  for (const std::string& feature : at->second) {
    auto& holders = holders_[feature];
    // Once in the filter, however many have it: its counters stay small.
    if (holders.empty()) filter_.insert(xxh3_hash{}(feature));
    holders.insert(service);
  }
}

bool service_directory::remove(const std::string& service) {
  const auto found = services_.find(service);
  if (found == services_.end()) return false;
  for (const std::string& feature : found->second) {
    const auto held = holders_.find(feature);
    held->second.erase(service);
    if (!held->second.empty()) continue;
    filter_.erase(xxh3_hash{}(feature));
    holders_.erase(held);
  }
  services_.erase(found);
  return true;
}

std::vector<std::string> service_directory::find(const feature_list& wanted) {
  bool all_pass = true;
  for (const std::string& feature : wanted) {
    const bool passed = filter_.may_contain(xxh3_hash{}(feature));
    asked_.record(passed, holders_.contains(feature));
    all_pass = all_pass && passed;
  }
  std::vector<std::string> found;
  if (!all_pass) return found;
  ++searches_;
  for (const auto& service : services_) {
    const auto has = [&](const std::string& feature) { return service.second.contains(feature); };
    if (std::ranges::all_of(wanted, has)) found.push_back(service.first);
  }
  return found;
}

}  // namespace bloomery::apps
