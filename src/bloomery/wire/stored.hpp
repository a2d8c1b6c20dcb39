// A stored filter of whatever form, plain or compressed, before its kind is known.
//
// Purpose:   what loading by type (filter_io.hpp) and by name (any/) have in common.
// Guarantee: everything in the file has been checked but what only the kind can check.
//
//     const bloomery::wire::envelope head{"demo", {}, {1, 2}};
//     const std::array<std::byte, 64> cells{};
//     const auto file = bloomery::wire::save(head, std::array{bloomery::byte_view(cells)});
//     assert(bloomery::wire::load_stored(file).payload.size() == 64);
#pragma once

#include <memory>
#include <string>

#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/wire/compressed.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::wire {

// load_stored owns its payload; view_stored shows that of a plain file, which must start at a multiple
// of 8 and outlive it, unless `owner` keeps it.
stored_filter load_stored(byte_view file, const load_options& options = {});
stored_filter view_stored(byte_view file, std::shared_ptr<const void> owner = nullptr,
                          const load_options& options = {});
// The shape that a header states, by the fields of its kind; errc::corrupt if they are not those.
std::vector<field_value> stated_shape(const envelope& head, std::span<const field_info> fields);

bits::mapped_file map_stored(const std::string& path, const load_options& options);

// restore(stored_filter) of a file, which is mapped if it is plain. Messages begin with the path.
template <class Restore>
auto open_stored(const std::string& path, const load_options& options, Restore restore) {
  const bits::mapped_file file = map_stored(path, options);
  try {
    return restore(view_stored(file.bytes, file.owner, options));
  } catch (const error& problem) {
    fail(problem.code(), path + ": " + problem.what());
  }
}

}  // namespace bloomery::wire
