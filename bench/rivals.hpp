// Other people's structures and hashes, as far as they were installed when this was compiled.
#pragma once

#include <functional>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/digest.hpp"
#include "contestant.hpp"
#include "harness.hpp"

namespace bloomery::bench {

// Adds those installed that can hold options.keys at options.rate; names the others of them in
// `skipped`.
void add_filter_rivals(const bench_options& options, const workload& work,
                       std::vector<contestant>& contestants, std::vector<left_out>& skipped);

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
