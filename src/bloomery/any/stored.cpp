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
any_filter restore(wire::stored_filter stored) {
  const any_kind& kind = stored_kind(stored.head.kind);
  const shape_values shape = wire::stated_shape(stored.head, kind.fields);
  try {
    (void)kind.payload_bytes(shape);
  } catch (const error& problem) {
    if (problem.code() != errc::invalid) throw;
    fail(errc::corrupt, std::string("the stored shape is impossible: ") + problem.what());
  }
  return kind.restore(shape, stored.head.record, std::move(stored.payload));
}

wire::filter_view view_of(const any_filter& filter) {
  return {wire::make_envelope(filter.kind().info.name, filter.record(), filter.shape()),
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

std::vector<std::byte> compress(const any_filter& filter, unsigned threads) {
  const auto [head, payload] = view_of(filter);
  return wire::compress(head, payload, threads);
}

std::vector<std::byte> diff(const any_filter& before, const any_filter& after, unsigned threads) {
  return wire::diff(view_of(before), view_of(after), threads);
}

any_filter patch(const any_filter& before, byte_view delta, const wire::load_options& options) {
  return restore(wire::patch(view_of(before), delta, options));
}

any_filter load(byte_view file, const wire::load_options& options) {
  return restore(wire::load_stored(file, options));
}

any_filter open_file(const std::string& path, const wire::load_options& options) {
  return wire::open_stored(path, options, restore);
}

}  // namespace bloomery
