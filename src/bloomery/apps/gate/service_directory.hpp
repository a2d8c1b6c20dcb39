// Services by what they offer: a counting filter of features before the list of services.
//
// Purpose:   a service has features as text, numbers among them in steps ("memory 4096 MB" as "memory=4
//            GiB"). Who looks for services asks for features that all must have; a feature that no service
//            has ends the search before the list is touched. Services leave again, and so do their features.
// Cost:      a look-up a feature asked for; the list is searched only if all of them pass.
// Guarantee: the answer is that of the list alone. The list is searched in vain for a feature that nobody
//            has at rate(), the filter's own.
// Citation:  Tarkoma §IV-F (web-service discovery).
//
//     bloomery::apps::service_directory services(1000, 0.01);
//     using bloomery::apps::stepped;
//     services.add("disk", std::vector<std::string>{"region=eu", stepped("price", 7.2, 5)});
//     assert(stepped("price", 7.2, 5) == "price=5" && services.find({"price=5"}).size() == 1);
//     services.remove("disk");
//     assert(services.find({"price=5"}).empty());
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/ledger.hpp"
#include "bloomery/filters/changing/counting.hpp"

namespace bloomery::apps {

// The multiple of `step` at or below a number, as text.
std::string stepped(std::string_view feature, double value, double step);

class service_directory {
 public:
  using feature_list = std::vector<std::string>;

  // Sized for so many distinct features at once.
  service_directory(std::uint64_t features, double rate);

  // errc::invalid if there is a service of this name.
  void add(const std::string& service, const feature_list& features);
  // False if there is none.
  bool remove(const std::string& service);

  // The services that have all of these, by name.
  std::vector<std::string> find(const feature_list& wanted);

  // Features asked for: whether the filter passed them, and whether a service has them.
  [[nodiscard]] const ledger& asked() const { return asked_; }
  [[nodiscard]] std::uint64_t searches() const { return searches_; }  // of the list
  [[nodiscard]] double rate() const { return filter_.current_rate(); }

 private:
  counting_filter filter_;
  // The truth, slow where it is real: what each service has, and who has each feature.
  std::map<std::string, std::set<std::string>> services_;
  std::map<std::string, std::set<std::string>> holders_;
  ledger asked_;
  std::uint64_t searches_ = 0;
};

}  // namespace bloomery::apps
