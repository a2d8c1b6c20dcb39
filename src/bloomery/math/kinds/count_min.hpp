// Count-min sketches: how far off their counts are.
//
// Purpose:   (ε, δ) to width and depth, and back.
// Cost:      nothing to speak of.
// Guarantee: the paper's bound; arguments out of range throw errc::invalid.
// Citation:  Cormode, Muthukrishnan 2005, Theorem 1.
//
//     const auto size = bloomery::math::count_min_for(0.01, 0.01);
//     assert(size.width == 272 && size.depth == 5);
#pragma once

#include <cstdint>
#include <span>

namespace bloomery::math {

struct count_min_size {
  std::uint64_t width;
  std::uint64_t depth;
};

// ⌈e/ε⌉ by ⌈ln 1/δ⌉: a count of N in all is more than ε·N too high with probability δ at most.
count_min_size count_min_for(double epsilon, double delta);

// What a width and a depth promise: ε = e/w, δ = e^-d.
double count_min_epsilon(std::uint64_t width);
double count_min_delta(std::uint64_t depth);

// The share of the total that a count exceeds with probability 1 - confidence at most: Markov's bound in
// each of d independent rows, (1 - confidence)^(-1/d)/w, which is ε for a confidence of 1 - δ.
double count_min_excess(std::uint64_t width, std::uint64_t depth, double confidence);

// How many keys that came fewer than `threshold` times are counted that high, on average at most: a row puts
// (N - c)/w others beside a key of count c on average, so that they reach what it lacks with probability
// (N - c)/w(threshold - c) at most (Markov), and all d rows must. `counts` are of distinct keys, N in all.
// Conservative update counts no higher. Citation: Estan, Varghese 2002, Theorem 3, for the given counts.
double count_min_false_heavy(std::span<const std::uint64_t> counts, std::uint64_t threshold,
                             std::uint64_t width, std::uint64_t depth);

}  // namespace bloomery::math
