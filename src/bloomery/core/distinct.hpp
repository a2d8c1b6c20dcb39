// Sorted, duplicates removed.
//
//     assert((bloomery::core::distinct(std::vector<int>{3, 1, 3}) == std::vector<int>{1, 3}));
#pragma once

#include <algorithm>
#include <vector>

namespace bloomery::core {

template <class T>
std::vector<T> distinct(std::vector<T> all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace bloomery::core
