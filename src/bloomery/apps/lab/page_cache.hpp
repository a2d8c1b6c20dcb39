// A cache of pages that keeps the most recently used ones: what proxies of experiments have.
//
// Cost:      logarithmic in the pages; some 100 bytes each.
//
//     bloomery::lab::page_cache cache(2);
//     assert(!cache.add(1) && !cache.add(2) && cache.touch(1));
//     assert(cache.add(3) == 2 && !cache.touch(2));
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

namespace bloomery::lab {

class page_cache {
 public:
  explicit page_cache(std::uint64_t most) : most_(most) {}
  page_cache(page_cache&&) = default;
  page_cache& operator=(page_cache&&) = default;
  page_cache(const page_cache&) = delete;
  page_cache& operator=(const page_cache&) = delete;
  ~page_cache() = default;

  // Whether it is there; then it is the latest.
  bool touch(std::uint64_t page) {
    const auto found = places_.find(page);
    if (found == places_.end()) return false;
    order_.splice(order_.begin(), order_, found->second);
    return true;
  }
  // One that is not there. The page that had to go for it, if one had.
  std::optional<std::uint64_t> add(std::uint64_t page) {
    std::optional<std::uint64_t> gone;
    if (places_.size() == most_) {
      gone = order_.back();
      places_.erase(*gone);
      order_.pop_back();
    }
    order_.push_front(page);
    places_.emplace(page, order_.begin());
    return gone;
  }
  [[nodiscard]] bool holds(std::uint64_t page) const { return places_.contains(page); }
  // In the order of their numbers.
  [[nodiscard]] std::vector<std::uint64_t> pages() const {
    std::vector<std::uint64_t> listed;
    listed.reserve(places_.size());
    for (const auto& [page, place] : places_) listed.push_back(page);
    return listed;
  }

 private:
  std::uint64_t most_;
  std::list<std::uint64_t> order_;
  std::map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace bloomery::lab
