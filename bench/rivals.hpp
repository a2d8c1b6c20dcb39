// Other people's structures and hashes: those that were installed when this was compiled, and those that
// plug-ins bring.
#pragma once

#include <functional>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/plugins/rival.h"
#include "contestant.hpp"

namespace bloomery::bench {

// Adds those installed that can hold options.keys at options.rate, and those of the plug-ins; names the others
// in `skipped`. errc::io or errc::invalid for a plug-in that cannot be loaded or breaks the rules.
template <class Key>
void add_rivals(const bench_options& options, std::vector<contestant<Key>>& contestants,
                std::vector<left_out>& skipped);

extern template void add_rivals(const bench_options&, std::vector<contestant<std::uint64_t>>&,
                                std::vector<left_out>&);
extern template void add_rivals(const bench_options&, std::vector<contestant<std::string_view>>&,
                                std::vector<left_out>&);

// Those that were installed, and those of a plug-in: each table as long as ours, with null for what it does not
// know.
std::vector<bloomery_rival> installed_rivals(const bench_options& options,
                                             std::vector<left_out>& skipped);
std::vector<bloomery_rival> load_rivals(const std::string& plugin);

// One side in the race of hashes.
struct hash_side {
  std::string name;
  bool rival;
  bool only_integers;  // takes keys of eight bytes alone
  // The hashes of keys of `key_bytes` each that lie end to end, folded into one.
  std::function<std::uint64_t(byte_view keys, std::size_t key_bytes)> hash_all;
};
std::vector<hash_side> hash_rivals();

}  // namespace bloomery::bench
