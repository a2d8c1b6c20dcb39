// What each link carried, in order: two worlds agree if they carried the same over every link.
//
// Purpose:   compares worlds whose clocks differ, such as the laboratory, sockets and another simulator. In none of
//            them does a link change the order of its messages; which of two links is first is up to the
//            clock, and no part of it.
// Cost:      a transcript for each link, two hashes a message.
//
//     bloomery::lab::link_transcripts a, b;
//     a.add(bloomery::apps::peer{1}, bloomery::apps::peer{2}, std::as_bytes(std::span("x")));
//     a.add(bloomery::apps::peer{2}, bloomery::apps::peer{1}, std::as_bytes(std::span("y")));
//     b.add(bloomery::apps::peer{2}, bloomery::apps::peer{1}, std::as_bytes(std::span("y")));
//     assert(a != b);
//     b.add(bloomery::apps::peer{1}, bloomery::apps::peer{2}, std::as_bytes(std::span("x")));
//     assert(a == b && a.messages() == 2);
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "bloomery/apps/lab/transcript.hpp"

namespace bloomery::lab {

class link_transcripts {
 public:
  void add(peer from, peer to, byte_view message) {
    links_[{from, to}].add({}, from, to, message);
    ++messages_;
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  friend bool operator==(const link_transcripts& a, const link_transcripts& b) {
    const auto same = [](const auto& one, const auto& other) {
      return one.first == other.first && one.second.summary() == other.second.summary();
    };
    return a.messages_ == b.messages_ && a.links_.size() == b.links_.size() &&
           std::equal(a.links_.begin(), a.links_.end(), b.links_.begin(), same);
  }

 private:
  std::map<std::pair<peer, peer>, transcript> links_;
  std::uint64_t messages_ = 0;
};

}  // namespace bloomery::lab
