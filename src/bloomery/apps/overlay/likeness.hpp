// A summary asked how much of a question it has, not whether it has all of it.
//
// Purpose:   routing by likeness: the question's words make a filter, and the link whose filter has most of its bits
//            is taken first. Who has some of the words is of the same interest, and knows others who are.
// Cost:      k probes a word.
// Guarantee: a filter that has all words is at the top of the scale; one that has no bit of them is asked never.
// Citation:  Tarkoma §IV-B (query routing by Bloom filter similarity).
//
//     bloomery::overlay::likeness_summary some(bloomery::standard_filter::for_keys(100, 0.001));
//     const std::array words{bloomery::xxh3_hash{}("blue"), bloomery::xxh3_hash{}("monday")};
//     some.insert(words[0]);
//     const auto half = some.ask(words);
//     some.insert(words[1]);
//     assert(half > 0 && some.ask(words) == 2 * some.bits_of_a_word() && half < some.ask(words));
#pragma once

#include <utility>

#include "bloomery/apps/overlay/summary.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery::overlay {

class likeness_summary : public filter_summary<standard_filter> {
 public:
  using plain = filter_summary<standard_filter>;
  explicit likeness_summary(standard_filter filter) : plain(std::move(filter)) {}
  explicit likeness_summary(plain told) : plain(std::move(told)) {}

  [[nodiscard]] std::uint64_t bits_of_a_word() const { return filter().shape().hashes; }

  // How many of the words' bits are set.
  [[nodiscard]] std::uint64_t ask(digest_span words) const {
    std::uint64_t common = 0;
    const hash::uniform_probes probes{filter().shape().bits, filter().shape().hashes};
    for (const digest word : words) {
      hash::each_position(probes, word, [&](std::uint64_t i) {
        common += std::uint64_t{filter().cells().bits().test(i)};
      });
    }
    return common;
  }

  void merge(const likeness_summary& other) { plain::merge(other); }
  [[nodiscard]] likeness_summary advertise(std::span<const likeness_summary* const> behind,
                                           std::uint64_t link) const {
    const std::vector<const plain*> others(behind.begin(), behind.end());
    return likeness_summary(plain::advertise(others, link));
  }
  [[nodiscard]] likeness_summary open(std::span<const byte_view> stored,
                                      const wire::filter_limits& limits) const {
    return likeness_summary(plain::open(stored, limits));
  }
};

static_assert(summary<likeness_summary>);

}  // namespace bloomery::overlay
