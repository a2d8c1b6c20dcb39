// Which tag sent this? Tags change their answer each time by a chain of one-way functions, and a filter of
// the answers to come knows them again.
//
// Purpose:   a tag holds a secret state, answers with one function of it and moves on by another, so that
//            nobody can link two of its answers. Its owner, who knows all first states, would have to walk
//            all chains to the end. Here each tag has a small filter of its next answers, and only chains
//            whose filter passes are walked. The filters stand side by side, a row for each bit: a reading
//            is k rows ANDed.
// Cost:      look-up: k rows of a bit a tag, and a walk of at most `steps` for each tag that passes: the
//            right one, and rate() of the others. Building: all chains once. Memory: as planned for `steps`
//            keys a tag.
// Guarantee: a reading of a tag within its next `steps` answers is identified, and never as another tag.
// Citation:  Tarkoma §IV-F (RFID identification by pre-calculated outputs).
//
//     bloomery::apps::chain_directory tags(bloomery::apps::chain_directory::plan{.steps = 8}, 7);
//     const std::size_t mine = tags.add(bloomery::apps::tag_state{1, 2, 3, 4});
//     bloomery::apps::tag_state tag{1, 2, 3, 4};
//     const bloomery::digest first = bloomery::apps::answer_and_move(tag);
//     const bloomery::digest second = bloomery::apps::answer_and_move(tag);
//     assert(tags.identify(second) == mine && tags.identify(first) == mine);
//     assert(!tags.identify({1, 2}));
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bloomery/hash/probes.hpp"

namespace bloomery::apps {

using tag_state = std::array<std::uint64_t, 4>;  // secret

// What a tag does when it is read. Both functions are HighwayHash under the state, a pseudo-random
// function: neither an answer nor the next state tells the state.
digest answer_and_move(tag_state& state);

class chain_directory {
 public:
  struct plan {
    std::uint64_t steps = 128;
    double rate = 0.01;
  };

  // errc::invalid for what no filter can be planned for. `tags` is only how many to make room for.
  explicit chain_directory(const plan& wanted, std::uint64_t tags = 0);

  // A tag in this state; its number counts from 0.
  std::size_t add(const tag_state& state);
  // The tag whose next answers have this one.
  std::optional<std::size_t> identify(digest answer);

  [[nodiscard]] std::uint64_t walks() const { return walks_; }  // of chains, by all look-ups
  [[nodiscard]] std::uint64_t steps_walked() const { return steps_walked_; }
  // Of a stranger's answer: how many tags pass on average, by their bits as they are.
  [[nodiscard]] double expected_passes() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] bool bit(std::uint64_t row, std::size_t tag) const;

  std::uint64_t steps_;
  hash::uniform_probes probes_;
  std::size_t words_;                             // of a row
  std::vector<std::vector<std::uint64_t>> rows_;  // by bit of a filter, then by tag
  std::vector<std::uint64_t> ones_;               // of each tag's filter
  std::vector<tag_state> tags_;
  std::uint64_t walks_ = 0;
  std::uint64_t steps_walked_ = 0;
};

}  // namespace bloomery::apps
