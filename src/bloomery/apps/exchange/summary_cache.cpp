#include "bloomery/apps/exchange/summary_cache.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/wire/delta.hpp"

namespace bloomery::apps {
namespace {

constexpr std::uint64_t counter_width = 4;  // bits, as the paper's

counting_shape shape_of(const summary_plan& plan) {
  plan.check();
  return {plan.documents * plan.load_factor, plan.hashes, counter_width};
}

wire::filter_view view_of(const standard_filter& filter) {
  return {wire::envelope_of(filter), filter.payload()};
}

}  // namespace

void summary_plan::check() const {
  math::require_whole("documents", documents, 1, std::uint64_t{1} << 32);
  math::require_whole("load_factor", load_factor, 1, 256);
  math::require_whole("hashes", hashes, 1, max_hashes);
  math::require_part("threshold", threshold);
}

std::uint64_t summary_plan::most_bytes() const {
  constexpr std::uint64_t times = 4;
  constexpr std::uint64_t at_least = std::uint64_t{1} << 20;
  return std::max(at_least, times * documents * load_factor / 8);
}

cache_summary::cache_summary(const summary_plan& plan, const hash_identity& hash)
    : plan_(plan), counted_(shape_of(plan), hash, {}) {}

void cache_summary::insert(digest document) {
  counted_.insert(document);
  ++fresh_;
}

void cache_summary::erase(digest document) {
  counted_.erase(document);
}

bool cache_summary::due() const {
  const double enough = std::ceil(plan_.threshold * static_cast<double>(plan_.documents));
  return static_cast<double>(fresh_) >= std::max(1.0, enough);
}

std::vector<std::byte> cache_summary::update() {
  standard_filter now = counted_.plain();
  ++version_;
  fresh_ = 0;
  if (!told_) {
    told_ = std::move(now);
    return whole();
  }
  const std::vector<std::byte> delta = wire::diff(view_of(*told_), view_of(now));
  told_ = std::move(now);
  return wire::write(summary::changes{.version = version_, .delta = delta});
}

std::vector<std::byte> cache_summary::whole() const {
  const std::vector<std::byte> stored = wire::compress(wire::envelope_of(*told_), told_->payload());
  return wire::write(summary::whole{.version = version_, .filter = wire::carried_filter(stored)});
}

void neighbour_summary::receive(byte_view message, const hash_identity& agreed,
                                const wire::message_limits& limits,
                                const wire::filter_limits& filters) {
  if (wire::message_name(message, limits) == summary::whole::name) {
    const auto came = wire::read<summary::whole>(message, limits);
    held_ = came.filter.open<standard_filter>(agreed, filters);
    version_ = came.version;
    return;
  }
  const auto came = wire::read<summary::changes>(message, limits);
  if (!held_ || came.version != version_ + 1) {
    fail(errc::incompatible, "the changes are to version " + std::to_string(came.version - 1) +
                                 " of a summary; known here: " + std::to_string(version_));
  }
  wire::stored_filter patched = wire::patch(view_of(*held_), came.delta, filters.load);
  auto next = wire::restore<standard_filter>(patched.head, std::move(patched.payload));
  wire::require_useful(next, agreed, filters);
  held_ = std::move(next);
  version_ = came.version;
}

}  // namespace bloomery::apps
