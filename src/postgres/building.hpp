// A filter while an aggregate builds it: keys come one by one and go in by batches, and the parts of
// several workers are merged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::postgres {

// What the arguments of an aggregate ask for. The kind is that of `bloomery build` unless told.
struct order {
  std::int64_t keys = 0;
  double rate = 0;
  std::string_view kind = standard_filter::kind.name;
};

// The size that a kind plans for an order. Some plans take milliseconds, and a group may be small.
class plan {
 public:
  explicit plan(const order& asked);

  [[nodiscard]] bool is_for(const order& asked) const;
  [[nodiscard]] any_filter begun() const { return kind_->create(shape_, {}, promised_); }

 private:
  const any_kind* kind_;
  promise promised_;
  shape_values shape_;
};

class building {
 public:
  // An empty filter, what a worker has built, or the first of a union.
  explicit building(any_filter begun);
  building(const building&) = delete;
  building& operator=(const building&) = delete;
  ~building() = default;

  // errc::invalid if the arguments change from row to row.
  void require_same(const order& asked) const;
  void add(std::string_view key);
  void merge(const any_filter& other) { now().as<merges>().merge(other); }
  // With all keys in it.
  [[nodiscard]] any_filter& now();

 private:
  hasher hash_;
  any_filter filter_;
  inserts* inserts_;  // none in a union of filters that take no keys
  promise promised_;
  std::vector<digest> waiting_;
};

}  // namespace bloomery::postgres
