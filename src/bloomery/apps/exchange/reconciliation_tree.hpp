// The approximate reconciliation tree: filters of a hash tree's nodes, searched from the root.
//
// Purpose:   finds most keys that the other party lacks without asking about every key: where the other has the
//            same keys below a node it has the same node, and nothing below needs to be looked at.
// Cost:      two filters of as many entries as there are keys; 16 bytes a key beside the set while it lives. A search looks at
//            some d·log2(n/d) nodes for d differences, times 2^(correction+1).
// Guarantee: what is found is missing there, always. Each difference is found unless its leaf, or `correction` + 1 nodes above it in a
//            row, are false positives (math::tree_share_at_least).
// Citation:  Byers, Considine, Mitzenmacher, Rost 2002; Broder–Mitzenmacher §5.2.
//
//     using namespace bloomery::exchange;
//     const digest_set mine({{1, 2}, {3, 4}, {5, 6}}), theirs({{1, 2}, {5, 6}});
//     const reconciliation_tree tree(theirs);
//     const auto nodes = tree.node_filter(16, {}), leaves = tree.leaf_filter(16, {});
//     const auto found = reconciliation_tree(mine).missing_there(nodes, leaves, 1);
//     assert(found.keys.size() == 1 && found.keys.front() == (bloomery::digest{3, 4}));
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/apps/exchange/digest_set.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery::exchange {

// Of a set of keys, with this many bits each and as many hashes as are best for them.
standard_filter filter_of(std::span<const digest> keys, std::uint64_t bits_per_key,
                          const hash_identity& hash);
standard_filter filter_of(const digest_set& set, std::uint64_t bits_per_key,
                          const hash_identity& hash);

// errc::corrupt unless a received filter can be `filter_of` so many keys: it has their shape, and is as full as so many
// make one but for a chance of 10^-9. An emptier one would have me believe that the other lacks what it has.
void require_filter_of(const standard_filter& filter, std::uint64_t keys,
                       std::uint64_t bits_per_key);

class reconciliation_tree {
 public:
  explicit reconciliation_tree(const digest_set& of);  // which must live on
  reconciliation_tree(reconciliation_tree&&) = default;
  reconciliation_tree& operator=(reconciliation_tree&&) = default;
  ~reconciliation_tree() = default;

  [[nodiscard]] standard_filter node_filter(std::uint64_t bits_per_node,
                                            const hash_identity& hash) const;
  [[nodiscard]] standard_filter leaf_filter(std::uint64_t bits_per_leaf,
                                            const hash_identity& hash) const {
    return filter_of(keys_, bits_per_leaf, hash);
  }

  struct search_result {
    std::vector<digest> keys;  // in order
    std::uint64_t visits = 0;  // of nodes and leaves
  };
  [[nodiscard]] search_result missing_there(const standard_filter& nodes,
                                            const standard_filter& leaves,
                                            std::uint64_t correction) const;

 private:
  // Keys from first to before last, which share more leading bits with each other than with any other.
  struct node {
    std::size_t first;
    std::size_t last;
    std::uint64_t matched;  // in a row, above
  };
  [[nodiscard]] digest value(std::size_t first, std::size_t last) const;
  [[nodiscard]] std::size_t middle(std::size_t first, std::size_t last) const;
  template <class Visit>
  void walk(Visit visit) const;

  std::vector<digest> held_;  // of a set that is stored
  std::span<const digest> keys_;
  std::vector<digest> sums_;  // of all keys before
};

}  // namespace bloomery::exchange
