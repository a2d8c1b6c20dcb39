#include "bloomery/any/any_filter.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/delta.hpp"
#include "bloomery/wire/filter_io.hpp"

namespace bloomery {

any_filter any_filter::copy() const {
  any_filter result(model_->copy());
  result.set_names(names());
  return result;
}

void any_filter::merge(const any_filter& other) {
  if (names() != other.names()) fail(errc::incompatible, "their values or sources are named apart");
  model_->merge(*other.model_);
}

any_filter any_filter::advertisement(std::span<const any_filter* const> others,
                                     std::uint64_t link) const {
  std::vector<const model*> behind;
  behind.reserve(others.size());
  for (const any_filter* other : others) behind.push_back(other->model_.get());
  return any_filter(model_->advertisement(behind, link));
}

std::uint64_t any_filter::bytes() const {
  std::uint64_t total = 0;
  for (const byte_view part : payload()) total += part.size();
  return total;
}

namespace {

// A file's unknown kind is no mistake of the caller's: perhaps a later version wrote it.
const kind_entry& stored_kind(std::string_view name) {
  try {
    return find_kind(name);
  } catch (const error& problem) {
    fail(errc::unsupported, problem.what());
  }
}

any_filter restore(wire::stored_filter stored) {
  any_filter filter = stored_kind(stored.head.kind).restore(stored.head, std::move(stored.payload));
  filter.set_names(std::move(stored.head.names));
  return filter;
}

wire::envelope envelope_of(const any_filter& filter) {
  auto head = wire::make_envelope(filter.kind().info.name, filter.record(), filter.shape());
  head.names = filter.names();
  return head;
}

}  // namespace

std::vector<std::byte> save(const any_filter& filter) {
  return wire::save(envelope_of(filter), filter.payload());
}

void save_file(const any_filter& filter, const std::string& path) {
  wire::save_file(envelope_of(filter), filter.payload(), path);
}

std::vector<std::byte> compress(const any_filter& filter, unsigned threads) {
  return wire::compress(envelope_of(filter), filter.payload(), threads);
}

std::vector<std::byte> diff(const any_filter& before, const any_filter& after, unsigned threads) {
  return wire::diff({envelope_of(before), before.payload()}, {envelope_of(after), after.payload()},
                    threads);
}

any_filter patch(const any_filter& before, byte_view delta, const wire::load_options& options) {
  return restore(wire::patch({envelope_of(before), before.payload()}, delta, options));
}

any_filter load(byte_view file, const wire::load_options& options) {
  return restore(wire::load_stored(file, options));
}

any_filter open_file(const std::string& path, const wire::load_options& options) {
  // The header's share is far below a megabyte; the envelope checks exactly.
  const std::uint64_t most = std::min(options.max_payload_bytes, max_bits / 8);
  const mapped_file file = map_file(path, most + (1 << 20), wire::stated_bytes);
  try {
    return restore(wire::view_stored(file.bytes, file.owner, options));
  } catch (const error& problem) {
    fail(problem.code(), path + ": " + problem.what());
  }
}

}  // namespace bloomery
