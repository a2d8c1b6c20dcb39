// What it takes to find how two sets differ: symbols, cells, and the share that is found.
//
// Purpose:   sizes for coded symbols and invertible Bloom lookup tables, an estimate of the difference from the
//            first symbols, and what approximate ways find of it.
// Cost:      microseconds, but for iblt_cells: milliseconds.
// Guarantee: rateless_overhead is the limit for many differences; a few hundred take some 5 % more. The estimate's mean is
//            the number of differences, its standard error sqrt(2/symbols) of it. tree_share_at_least is a union bound;
//            tree_visits_at_most is exact but for what false positives and leaves that are equal spare.
// Citation:  Yang, Gilad, Alizadeh, Practical rateless set reconciliation, 2024 (§4: the density 1/(1+i/2), and its density
//            evolution); Goodrich, Mitzenmacher, Invertible Bloom lookup tables, 2011 (peeling); Byers, Considine,
//            Mitzenmacher, Rost, Informed content delivery across adaptive overlay networks, 2002 (the tree);
//            Broder–Mitzenmacher §5.2 (the filter); Luby, LT codes, 2002 (the soliton).
//
//     using namespace bloomery::math;
//     assert(std::abs(rateless_overhead() - 1.35) < 0.005);
//     assert(rateless_density(0) == 1 && rateless_density(2) == 0.5);
//     assert(iblt_cells(1000, 4) > 1300);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bloomery::math {

// How likely coded symbol i has a key in it: 1/(1 + i/2).
double rateless_density(std::uint64_t symbol);

// Symbols a difference from which peeling succeeds, for many of them: the least η for which
// exp(-2·E1(2q/η)) < q for all shares q of keys that are left, E1 the exponential integral.
double rateless_overhead();

// How many keys two sets differ in, by the counts of the first coded symbols of one less the other's. Each key is in
// symbol i with probability ρ, so that the square of the count less ρ times the first count, which has all, is ρ(1-ρ) a
// key on average.
double estimated_difference(std::span<const std::int64_t> counts);

// Cells of a table with k for each key that fails to decode so many with a chance of 1 % at most.
std::uint64_t iblt_cells(std::uint64_t differences, std::uint64_t k);

// The share of differences that a tree of filters finds at least: each of the `depth` nodes above a leaf is taken for the other's
// with the node filter's rate, and `correction` + 1 in a row must be for the search to stop.
double tree_share_at_least(double node_rate, double leaf_rate, double depth,
                           std::uint64_t correction);

// The nodes and leaves that a search visits on average at most, of a uniform tree over `common` keys that both have and
// `mine` that only the searcher has, where the other has `theirs` more. With b(k, h) the chance that either half of a
// prefix has one of k keys, h the share of a half, a node differs if it is one of mine and not of the common keys alone:
// sum over depths 2^j [b(mine + common, h) - (1-2h)^(mine+theirs) b(common, h)], h = 2^-(j+1). All these and my leaves are
// visited, and of what is equal but hangs below one that differs, the first `correction` + 1 rows: false positives
// only end a search earlier.
double tree_visits_at_most(std::uint64_t common, std::uint64_t mine, std::uint64_t theirs,
                           std::uint64_t correction);

// Of a uniform tree, the nodes above a leaf: log2 of the leaves, and the 1.33 that chance adds to the middle depth
// (Knuth, vol. 3, §6.3: lg n + γ/ln 2 + 1/2).
double trie_depth(std::uint64_t leaves);

// The shares of degrees 1, 2, … of an LT code's symbols over `blocks`: the robust soliton, with the usual c and δ.
std::vector<double> robust_soliton(std::uint64_t blocks, double c, double delta);

}  // namespace bloomery::math
