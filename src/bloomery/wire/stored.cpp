#include "bloomery/wire/stored.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "bloomery/core/limits.hpp"

namespace bloomery::wire {
namespace {

// The header's share is far below a megabyte; the envelope checks exactly.
constexpr std::uint64_t header_room = 1 << 20;

load_options for_copies(load_options options) {
  options.max_payload_bytes = options.most_copied();
  return options;
}

// What keep(payload) makes of a plain payload; a compressed one is expanded.
template <class Keep>
stored_filter stored_in(byte_view file, const load_options& options, const size_check& check,
                        Keep keep) {
  opened_envelope opened = open_envelope(file, options);
  if (opened.head.kind == compressed_form) return expand(opened, options, check);
  if (opened.head.kind == delta_form) {
    fail(errc::unsupported, "this is a delta, to be applied to the filter it was made from");
  }
  return {std::move(opened.head), keep(opened.payload)};
}

stored_filter own_stored(bits::file_contents file, const load_options& options,
                         const size_check& check) {
  const byte_view whole = file.bytes();
  return stored_in(whole, for_copies(options), check, [&](byte_view payload) {
    (void)file.memory.take_front(static_cast<std::uint64_t>(payload.data() - whole.data()));
    return file.memory.take_front(payload.size());
  });
}

}  // namespace

stored_filter load_stored(byte_view file, const load_options& options, const size_check& check) {
  return stored_in(file, for_copies(options), check,
                   [](byte_view payload) { return joined(std::array{payload}); });
}

stored_filter view_stored(byte_view file, std::shared_ptr<const void> owner,
                          const load_options& options, const size_check& check) {
  return stored_in(file, options, check,
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

bits::file_contents read_bytes(const std::string& path, const load_options& options) {
  return bits::read_file(path, options.most_copied() + header_room, stated_bytes);
}

stored_filter read_stored(const std::string& path, const load_options& options,
                          const size_check& check) {
  bits::file_contents file = read_bytes(path, options);
  return naming(path, [&] { return own_stored(std::move(file), options, check); });
}

stored_filter map_stored(const std::string& path, const load_options& options,
                         const size_check& check, kind_check mappable) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return read_stored(path, options, check);
  const std::uint64_t most = std::min(options.max_payload_bytes, max_bits / 8);
  const bits::mapped_file file = bits::map_file(path, most + header_room);
  load_options unread = options;
  unread.verify_payload = false;
  const std::string kind =
      naming(path, [&] { return open_envelope(file.bytes, unread).head.kind; });
  if (kind == compressed_form || kind == delta_form || !mappable(kind)) {
    return read_stored(path, options, check);
  }
  return naming(path, [&] { return view_stored(file.bytes, file.owner, options, check); });
}

}  // namespace bloomery::wire
