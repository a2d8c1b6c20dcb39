// Filters of any kind to bytes and files, and back.
//
// Purpose:   the same as wire/filter_io.hpp for a kind that only the file knows.
// Guarantee: what load, load_file and map_file accept is a valid filter; all else throws.
//
//     const bloomery::any_filter made(bloomery::standard_filter::for_keys(100, 0.01));
//     const std::vector<std::byte> bytes = bloomery::save(made);
//     assert(bloomery::save(bloomery::load(bytes)) == bytes);
//     assert(bloomery::load(bloomery::compress(made)).get_if<bloomery::standard_filter>());
#pragma once

#include <string>
#include <vector>

#include "bloomery/filters/any_filter.hpp"
#include "bloomery/wire/envelope.hpp"
#include "bloomery/wire/in_place.hpp"

namespace bloomery {

std::vector<std::byte> save(const any_filter& filter);
void save_file(const any_filter& filter, const std::string& path);
// Into the file that is locked and was read, where it lies if that is less work: see wire/in_place.hpp.
wire::written change_file(const any_filter& filter, const std::string& path,
                          const bits::file_lock& lock, wire::writing how = wire::writing::least);
any_filter load(byte_view file, const wire::load_options& options = {});  // owned
// Reads the file into memory of its own: it can change, and nothing that happens to the file matters.
any_filter load_file(const std::string& path, const wire::load_options& options = {});
// Maps a plain file of a kind that takes keys from several threads, and reads any other: see
// wire/filter_io.hpp. copy() it to change it.
any_filter map_file(const std::string& path, const wire::load_options& options = {});

// The same file in fewer bytes, which the above take as well; and what changed between two
// versions of a filter, which patch makes the new one of again (wire/compressed.hpp, wire/delta.hpp).
std::vector<std::byte> compress(const any_filter& filter, unsigned threads = 1);
std::vector<std::byte> diff(const any_filter& before, const any_filter& after,
                            unsigned threads = 1);
any_filter patch(const any_filter& before, byte_view delta, const wire::load_options& options = {});

}  // namespace bloomery
