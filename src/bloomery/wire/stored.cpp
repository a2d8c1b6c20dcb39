#include "bloomery/wire/stored.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/core/limits.hpp"

namespace bloomery::wire {
namespace {

// What keep(payload) makes of a plain payload; a compressed one is expanded.
template <class Keep>
stored_filter stored_in(byte_view file, const load_options& options, Keep keep) {
  opened_envelope opened = open_envelope(file, options);
  if (opened.head.kind == compressed_form) return expand(opened, options);
  if (opened.head.kind == delta_form) {
    fail(errc::unsupported, "this is a delta, to be applied to the filter it was made from");
  }
  return {std::move(opened.head), keep(opened.payload)};
}

}  // namespace

stored_filter load_stored(byte_view file, const load_options& options) {
  return stored_in(file, options, [](byte_view payload) { return joined(std::array{payload}); });
}

stored_filter view_stored(byte_view file, std::shared_ptr<const void> owner,
                          const load_options& options) {
  return stored_in(file, options,
                   [&](byte_view payload) { return storage::view(payload, std::move(owner)); });
}

std::vector<field_value> stated_shape(const envelope& head, std::span<const field_info> fields) {
  if (head.fields.size() != fields.size()) {
    fail(errc::corrupt, a_filter(head.kind) + " has " + std::to_string(fields.size()) +
                            " fields, this has " + std::to_string(head.fields.size()));
  }
  std::vector<field_value> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    values.push_back(decode_value(fields[i], head.fields[i]));
  }
  return values;
}

bits::mapped_file map_stored(const std::string& path, const load_options& options) {
  // The header's share is far below a megabyte; the envelope checks exactly.
  const std::uint64_t most = std::min(options.max_payload_bytes, max_bits / 8);
  return bits::map_file(path, most + (1 << 20), stated_bytes);
}

}  // namespace bloomery::wire
