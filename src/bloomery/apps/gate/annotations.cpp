#include "bloomery/apps/gate/annotations.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/wire/delta.hpp"

namespace bloomery::apps {
namespace {

const hasher& url_hash() {
  static const hasher hash;
  return hash;
}

std::string fingerprint_of(const standard_filter& filter) {
  constexpr std::string_view digits = "0123456789abcdef";
  const std::vector<std::byte> stored = wire::save(filter);
  std::uint64_t value = url_hash()(text_of(stored)).lo;
  std::string name;
  for (int i = 0; i < 16; ++i, value /= 16) name.push_back(digits[value % 16]);
  return name;
}

wire::filter_view parts_of(const standard_filter& filter) {
  return {wire::envelope_of(filter), filter.payload()};
}

}  // namespace

annotated_pages::annotated_pages(notes annotations, double rate, std::size_t versions_kept)
    : notes_(std::move(annotations)),
      rate_(rate),
      most_versions_(std::max<std::size_t>(1, versions_kept)) {
  publish();
}

void annotated_pages::replace(notes annotations) {
  notes_ = std::move(annotations);
  publish();
}

void annotated_pages::publish() {
  if (versions_.empty() || notes_.size() > room_) {
    room_ = 2 * std::max<std::uint64_t>(8, notes_.size());
  }
  standard_filter made(standard_filter::plan(room_, rate_), url_hash().identity(),
                       {.keys = room_, .rate = rate_});
  for (const auto& [url, note] : notes_) made.insert(url_hash()(url));
  std::string name = fingerprint_of(made);
  if (!versions_.empty() && versions_.back().name == name) return;
  versions_.push_back({std::move(name), std::move(made)});
  if (versions_.size() > most_versions_) versions_.pop_front();
}

const std::string* annotated_pages::find(std::string_view url) const {
  const auto found = notes_.find(url);
  return found == notes_.end() ? nullptr : &found->second;
}

std::vector<std::byte> annotated_pages::whole() const {
  return wire::compress(wire::envelope_of(filter()), filter().payload());
}

std::optional<std::vector<std::byte>> annotated_pages::changes_since(
    std::string_view version) const {
  const auto found = std::ranges::find(versions_, version, &kept_version::name);
  if (found == versions_.end() || found->filter.shape().bits != filter().shape().bits) {
    return std::nullopt;
  }
  return wire::diff(parts_of(found->filter), parts_of(filter()));
}

void annotation_gate::take(standard_filter next, const wire::filter_limits& limits) {
  wire::require_useful(next, url_hash().identity(), limits);
  filter_ = std::move(next);
}

void annotation_gate::take_whole(byte_view file, const wire::filter_limits& limits) {
  take(wire::load<standard_filter>(file, limits.load), limits);
}

void annotation_gate::take_changes(byte_view delta, const wire::filter_limits& limits) {
  if (!filter_) fail(errc::incompatible, "there is no filter yet that could change");
  wire::stored_filter patched = wire::patch(parts_of(*filter_), delta, limits.load);
  take(wire::restore<standard_filter>(patched.head, std::move(patched.payload)), limits);
}

std::vector<std::byte> annotation_gate::save() const {
  return filter_ ? wire::save(*filter_) : std::vector<std::byte>();
}

bool annotation_gate::may_be_annotated(std::string_view url) const {
  return !filter_ || filter_->may_contain(url_hash()(url));
}

std::string annotation_gate::version() const {
  return filter_ ? fingerprint_of(*filter_) : std::string();
}

}  // namespace bloomery::apps
