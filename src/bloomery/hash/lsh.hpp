// Locality-sensitive hashing of texts: what is near is likely to hash alike.
//
// Purpose:   three families. Hamming: a text of hexadecimal digits is `dimension` bits, and a function
//            is one of them. Jaccard: a text is the set of its words, and a function is the least of
//            them in a random order (MinHash). Euclidean: a text is `dimension` numbers, separated by
//            commas or white space, and a function is a Gaussian projection cut into buckets of
//            `width` (2-stable).
// Cost:      values·functions times a step a bit, a word or a number.
// Guarantee: values are a function of text, parameters and seed or keyed hash; each joins `functions` functions, so
//            that two texts agree in one with the family's collision probability (math/kinds/distance_sensitive.hpp) to
//            that power, within 2^-64. Texts that are not points throw errc::invalid and say what was
//            expected. Projections are floating-point: a machine whose logarithm or cosine rounds
//            otherwise may put a point at the very edge of a bucket into the next.
// Citation:  Indyk, Motwani 1998; Broder 1997; Datar, Immorlica, Indyk, Mirrokni 2004.
//
//     const bloomery::hash::lsh_family words{bloomery::metric::jaccard, 0, 1, 0, 1};
//     std::array<std::uint64_t, 8> one{}, other{};
//     words.hash("a rose is a rose", one);
//     words.hash("rose  is  a", other);
//     assert(one == other);  // the same set
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash/hasher.hpp"

namespace bloomery {

enum class metric : std::uint64_t { hamming, jaccard, euclidean };
inline constexpr std::array<std::string_view, 3> metric_names{"hamming", "jaccard", "euclidean"};

}  // namespace bloomery

namespace bloomery::hash {

// Numbers of Euclidean points are at most this far from 0.
inline constexpr double max_coordinate = 1e15;

struct lsh_family {
  metric of;
  std::uint64_t dimension;  // bits, a multiple of 4, or numbers; words need none
  std::uint64_t functions;  // joined in a value
  double width;             // of Euclidean buckets
  std::uint64_t seed;
  const hasher* keyed = nullptr;  // what draws the functions, and hashes words, instead of the seed

  // As many values as there is room for; each has functions of its own.
  void hash(std::string_view text, std::span<std::uint64_t> values) const;
};

}  // namespace bloomery::hash
