#include "bloomery/plugins/spin.h"

#include <cstdio>
#include <exception>
#include <optional>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery {
namespace {

struct visited_states {
  xxh3_hash hash;
  standard_filter seen;
};
std::optional<visited_states> visited;  // SPIN's verifiers have one, too

}  // namespace
}  // namespace bloomery

int bloomery_visited_open(unsigned long long bits, unsigned hashes, unsigned long long seed) {
  using namespace bloomery;
  try {
    visited.reset();
    const xxh3_hash hash(seed);
    visited.emplace(visited_states{hash, standard_filter({bits, hashes}, hash.identity())});
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bloomery: %s\n", problem.what());
    return 1;
  }
}

int bloomery_visited(const char* state, int bytes) {
  using namespace bloomery;
  if (!visited || bytes < 0) return 1;
  const std::string_view name(state, static_cast<std::size_t>(bytes));
  return visited->seen.insert(visited->hash(name)) ? 0 : 1;
}
