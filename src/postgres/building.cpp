#include "building.hpp"

#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "value.hpp"

namespace bloomery::postgres {
namespace {

constexpr std::size_t batch = 1024;

bool same(const order& asked, const promise& promised, const any_kind& kind) {
  return static_cast<std::uint64_t>(asked.keys) == promised.keys && asked.rate == promised.rate &&
         asked.kind == kind.info.name;
}

}  // namespace

plan::plan(const order& asked) : kind_(&find_kind(asked.kind)) {
  (void)kind_->as<asks>();
  (void)kind_->as<inserts>();
  (void)kind_->as<merges>();
  if (asked.keys < 1) {
    fail(errc::invalid, "keys is " + std::to_string(asked.keys) + "; allowed: from 1");
  }
  promised_ = {static_cast<std::uint64_t>(asked.keys), asked.rate};
  shape_ = kind_->plan(promised_.keys, promised_.rate);
  require_size(*kind_, kind_->payload_bytes(shape_));
}

bool plan::is_for(const order& asked) const {
  return same(asked, promised_, *kind_);
}

building::building(any_filter begun)
    : hash_(hasher::for_identity(begun.record().hash)),
      filter_(std::move(begun)),
      inserts_(filter_.can<inserts>()),
      promised_(filter_.record().promised) {
  (void)filter_.as<merges>();
}

void building::require_same(const order& asked) const {
  if (same(asked, promised_, filter_.kind())) return;
  fail(errc::invalid, "keys, rate and kind must be the same for all rows: here are " +
                          format_count(promised_.keys) + ", " + format_ratio(promised_.rate) +
                          " and " + std::string(filter_.kind().info.name) + ", then " +
                          std::to_string(asked.keys) + ", " + format_ratio(asked.rate) + " and " +
                          printable(asked.kind));
}

void building::add(std::string_view key) {
  if (waiting_.size() == batch) (void)now();
  waiting_.push_back(hash_(key));
}

any_filter& building::now() {
  if (!waiting_.empty()) inserts_->insert(waiting_);
  waiting_.clear();
  return filter_;
}

}  // namespace bloomery::postgres
