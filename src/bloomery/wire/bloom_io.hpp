// Keyed filters to files and back: save(f, path), load<bloom<…>>(path).
//
// Guarantee: as wire/filter_io.hpp. A seed other than the default is found in the file; a keyed hash
//            must be given, and another than the file's own is refused.
//
//     bloomery::bloom<bloomery::blocked_filter> seen(100, 0.01);
//     seen.insert("zebra");
//     bloomery::save(seen, "seen.bloom");
//     const auto again = bloomery::load<bloomery::bloom<bloomery::blocked_filter>>("seen.bloom");
//     assert(again.may_contain("zebra"));
#pragma once

#include <string>

#include "bloomery/filters/bloom.hpp"
#include "bloomery/wire/filter_io.hpp"

namespace bloomery {

template <class Filter, class Hash>
void save(const bloom<Filter, Hash>& filter, const std::string& path) {
  wire::save_file(filter.filter(), path);
}

// Owned, so that it can change.
template <class Edge>
Edge load(const std::string& path, const typename Edge::hash_kind& hash) {
  return Edge(wire::load_file<typename Edge::filter_kind>(path), hash);
}
template <class Edge>
Edge load(const std::string& path) {
  auto filter = wire::load_file<typename Edge::filter_kind>(path);
  const typename Edge::hash_kind hash(filter.record().hash.tag);
  return Edge(std::move(filter), hash);
}

}  // namespace bloomery
