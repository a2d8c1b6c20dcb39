#include "bloomery/any/stored.hpp"

#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/delta.hpp"
#include "bloomery/wire/stored.hpp"

namespace bloomery {
namespace {

// A file's unknown kind is no mistake of the caller's: perhaps a later version wrote it.
const any_kind& stored_kind(std::string_view name) {
  try {
    return find_kind(name);
  } catch (const error& problem) {
    fail(errc::unsupported, problem.what());
  }
}

// A shape that is out of range is the file's fault here, not the caller's.
shape_values stored_shape(const any_kind& kind, const wire::envelope& head, std::uint64_t& bytes) {
  shape_values shape = wire::stated_shape(head, kind.fields);
  try {
    bytes = kind.payload_bytes(shape);
  } catch (const error& problem) {
    if (problem.code() != errc::invalid) throw;
    fail(errc::corrupt, std::string("the stored shape is impossible: ") + problem.what());
  }
  return shape;
}

any_filter restore(wire::stored_filter stored) {
  const any_kind& kind = stored_kind(stored.head.kind);
  std::uint64_t bytes = 0;
  const shape_values shape = stored_shape(kind, stored.head, bytes);
  return kind.restore(shape, stored.head.record, std::move(stored.payload));
}

void require_sizes(const wire::envelope& head, const wire::coded_sizes& sizes) {
  std::uint64_t bytes = 0;
  (void)stored_shape(stored_kind(head.kind), head, bytes);
  wire::require_justified(bytes, sizes);
}

wire::filter_view view_of(const any_filter& filter) {
  return {wire::make_envelope(filter.kind().info.name, filter.record(), filter.kind().fields,
                              filter.shape()),
          filter.payload()};
}

}  // namespace

std::vector<std::byte> save(const any_filter& filter) {
  const auto [head, payload] = view_of(filter);
  return wire::save(head, payload);
}

void save_file(const any_filter& filter, const std::string& path) {
  const auto [head, payload] = view_of(filter);
  wire::save_file(head, payload, path);
}

wire::written change_file(const any_filter& filter, const std::string& path,
                          const bits::file_lock& lock, wire::writing how) {
  const auto [head, payload] = view_of(filter);
  return wire::change_file(head, payload, path, lock, how);
}

std::vector<std::byte> compress(const any_filter& filter, unsigned threads) {
  const auto [head, payload] = view_of(filter);
  return wire::compress(head, payload, threads, filter.kind().payload_bytes(filter.shape()));
}

std::vector<std::byte> diff(const any_filter& before, const any_filter& after, unsigned threads) {
  return wire::diff(view_of(before), view_of(after), threads);
}

any_filter patch(const any_filter& before, byte_view delta, const wire::load_options& options) {
  return restore(wire::patch(view_of(before), delta, options));
}

any_filter load(byte_view file, const wire::load_options& options) {
  return restore(wire::load_stored(file, options, require_sizes));
}

any_filter load_file(const std::string& path, const wire::load_options& options) {
  wire::stored_filter stored = wire::read_stored(path, options, require_sizes);
  return wire::naming(path, [&] { return restore(std::move(stored)); });
}

any_filter map_file(const std::string& path, const wire::load_options& options) {
  wire::stored_filter stored =
      wire::map_stored(path, options, require_sizes,
                       [](std::string_view kind) { return stored_kind(kind).can<shares>(); });
  return wire::naming(path, [&] { return restore(std::move(stored)); });
}

}  // namespace bloomery
