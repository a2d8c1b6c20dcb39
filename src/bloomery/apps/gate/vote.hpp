// What comes next, by the vote of a few small counters: a predictor as processors have.
//
// Purpose:   an event has a key, such as the address of a branch and what came before it, and happens or
//            does not. Each key has k counters of two bits, chosen as a filter chooses bits; most of them
//            decide, so that a collision in one is outvoted. `Probes` says where they are: anywhere, which
//            needs memory with k ports, or each in a bank of its own, which needs k small memories.
// Cost:      two bits a counter; k counters are read and k written an event.
// Citation:  Tarkoma §IV-F (banked Bloom filters in processors).
//
//     using bloomery::hash::banked_probes;
//     bloomery::apps::vote<banked_probes> branch(banked_probes{64, 4, 3});
//     for (int i = 0; i < 3; ++i) branch.learn({1, 2}, true);
//     assert(branch.expects({1, 2}));
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::apps {

template <class Probes>
class vote {
 public:
  // All expect that it will not happen, but only just.
  explicit vote(const Probes& probes) : probes_(probes), counters_(probes.range(), 1) {}

  [[nodiscard]] bool expects(digest key) const {
    std::uint64_t votes = 0;
    hash::each_position(probes_, key,
                        [&](std::uint64_t at) { votes += std::uint64_t{counters_[at] >= likely}; });
    return 2 * votes > probes_.count;
  }
  void learn(digest key, bool happened) {
    hash::each_position(probes_, key, [&](std::uint64_t at) {
      if (happened && counters_[at] < most) ++counters_[at];
      if (!happened && counters_[at] > 0) --counters_[at];
    });
  }
  [[nodiscard]] std::uint64_t bits() const { return 2 * counters_.size(); }

 private:
  static constexpr std::uint8_t most = 3;
  static constexpr std::uint8_t likely = 2;

  Probes probes_;
  std::vector<std::uint8_t> counters_;
};

}  // namespace bloomery::apps
