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
#include <string_view>

#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/wire/compressed.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::wire {

// load_stored owns its payload; view_stored shows that of a plain file, which must start at a multiple
// of 8 and outlive it, unless `owner` keeps it, and is errc::unsupported if a journal follows. Before a compressed one is expanded, `check` may throw.
stored_filter load_stored(byte_view file, const load_options& options = {},
                          const size_check& check = {});
stored_filter view_stored(byte_view file, std::shared_ptr<const void> owner = nullptr,
                          const load_options& options = {}, const size_check& check = {});
// The shape that a header states, by the fields of its kind; errc::corrupt if they are not those.
std::vector<field_value> stated_shape(const envelope& head, std::span<const field_info> fields);

// A file read into memory of its own, or mapped if it is plain and `mappable` says so of its kind: cells that
// may change at any time must be safe whatever they hold. Messages begin with the path. Others may change the
// file in place (in_place.hpp) meanwhile: what is read is one version of it. A change that was interrupted is
// completed in memory, and so in a copy.
using kind_check = bool (*)(std::string_view kind);
stored_filter read_stored(const std::string& path, const load_options& options,
                          const size_check& check);
stored_filter map_stored(const std::string& path, const load_options& options,
                         const size_check& check, kind_check mappable);

// What is no filter by itself: a delta.
bits::file_contents read_bytes(const std::string& path, const load_options& options);

// The result of `work` on a file. Messages begin with its path.
template <class Work>
auto naming(const std::string& path, Work work) {
  try {
    return work();
  } catch (const error& problem) {
    if (std::string_view(problem.what()).starts_with(path + ": ")) throw;
    fail(problem.code(), path + ": " + problem.what());
  }
}

}  // namespace bloomery::wire
