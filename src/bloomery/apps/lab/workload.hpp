// Who asks for what, and when: popular keys by Zipf's law, arrivals by Poisson's.
//
// Purpose:   the requests of an experiment; `random_stream::below` draws keys that are all as popular, and
//            apps/lab/trace.hpp reads requests that were recorded.
// Cost:      12 bytes a key, and two steps a draw on average, whatever the exponent.
// Guarantee: the probabilities are those of math/laws/zipf.hpp to 2^-53. Arrivals are whole nanoseconds,
//            the same on every machine; so are keys, but for the last bit of a power, which moves a draw
//            with probability keys / 2^53.
// Citation:  Chen, Asau 1974 (a guide to the sums of probabilities).
//
//     const bloomery::lab::zipf popularity(1000, 0.8);
//     bloomery::apps::random_stream random(42);
//     assert(popularity(random) < 1000);
//     bloomery::lab::arrivals users(random, std::chrono::milliseconds(10));
//     const bloomery::apps::time first = users.next();
//     assert(users.next() >= first);
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "bloomery/apps/party.hpp"
#include "bloomery/apps/random.hpp"

namespace bloomery::lab {

// Keys from 0, the most popular, to keys - 1.
class zipf {
 public:
  static constexpr std::uint64_t most_keys = std::uint64_t{1} << 26;

  // errc::invalid unless keys are 1 to most_keys and the exponent 0, all alike, to 16.
  zipf(std::uint64_t keys, double exponent);

  [[nodiscard]] std::uint64_t operator()(random_stream& random) const;
  [[nodiscard]] std::uint64_t keys() const { return up_to_.size(); }

 private:
  std::vector<std::uint64_t> up_to_;  // in parts of 2^53, that a key is this one or one before it
  std::vector<std::uint32_t> guide_;  // where to begin looking for a draw's share of all keys
};

// Gaps between arrivals are of the exponential law.
class arrivals {
 public:
  // errc::invalid unless the mean gap is from a nanosecond to a day.
  arrivals(random_stream random, std::chrono::nanoseconds mean_gap, time start = {});

  // The next one; errc::limit after 292 years.
  time next();

 private:
  random_stream random_;
  std::uint64_t mean_;
  time last_;
};

}  // namespace bloomery::lab
