// Peers with interests: what each holds, and what it will ask for.
//
// Purpose:   people ask for what is like what they have. A peer has one topic; what it holds and what it asks for are
//            files of it, popular ones more often by Zipf's law.
// Guarantee: the seed determines everything; files of two topics are never the same.
//
//     const bloomery::systems::interests some({.peers = 10, .topics = 2, .files = 50, .held = 5}, 1);
//     assert(some.held(3).size() == 5 && some.holders(some.held(3)[0]).size() >= 1);
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "bloomery/apps/lab/request.hpp"
#include "bloomery/apps/lab/workload.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"

namespace bloomery::systems {

struct interest_plan {
  std::uint64_t peers;
  std::uint64_t topics;
  std::uint64_t files;  // of a topic
  std::uint64_t held;   // by a peer
  double exponent = 0.8;
};

class interests {
 public:
  interests(const interest_plan& plan, std::uint64_t seed)
      : plan_(plan), seed_(seed), popular_(plan.files, plan.exponent), held_(plan.peers) {
    apps::random_stream random(seed, 11);
    for (std::uint64_t v = 0; v < plan.peers; ++v) {
      topics_.push_back(random.below(plan.topics));
      std::set<std::uint64_t> files;
      while (files.size() < plan.held) files.insert(draw(v, random));
      held_[v].assign(files.begin(), files.end());
      for (const std::uint64_t file : files) holders_[file].push_back(v);
    }
  }

  [[nodiscard]] std::uint64_t peers() const { return plan_.peers; }
  [[nodiscard]] std::uint64_t topic(std::uint64_t peer) const { return topics_[peer]; }
  [[nodiscard]] const std::vector<std::uint64_t>& held(std::uint64_t peer) const {
    return held_[peer];
  }
  [[nodiscard]] const std::vector<std::uint64_t>& holders(std::uint64_t file) const {
    static const std::vector<std::uint64_t> none;
    const auto found = holders_.find(file);
    return found == holders_.end() ? none : found->second;
  }
  [[nodiscard]] bool holds(std::uint64_t peer, std::uint64_t file) const {
    return std::ranges::binary_search(held_[peer], file);
  }
  [[nodiscard]] digest key(std::uint64_t file) const { return lab::numbered(seed_, 12, file); }

  // Whether there is a file of its topic that it does not hold, and somebody else does.
  [[nodiscard]] bool wants(std::uint64_t peer) const {
    const std::uint64_t first = topics_[peer] * plan_.files;
    for (auto file = holders_.lower_bound(first);
         file != holders_.end() && file->first < first + plan_.files; ++file) {
      if (!holds(peer, file->first)) return true;
    }
    return false;
  }
  // Those who want something; errc::invalid if nobody does.
  [[nodiscard]] std::vector<std::uint64_t> askers() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t v = 0; v < plan_.peers; ++v) {
      if (wants(v)) all.push_back(v);
    }
    if (all.empty()) fail(errc::invalid, "no two of so few peers have the same interest");
    return all;
  }

  // Such a file, of one who wants some.
  [[nodiscard]] std::uint64_t wish(std::uint64_t peer, apps::random_stream& random) const {
    for (;;) {
      const std::uint64_t file = draw(peer, random);
      if (!holds(peer, file) && !holders(file).empty()) return file;
    }
  }

 private:
  [[nodiscard]] std::uint64_t draw(std::uint64_t peer, apps::random_stream& random) const {
    return topics_[peer] * plan_.files + popular_(random);
  }

  interest_plan plan_;
  std::uint64_t seed_;
  lab::zipf popular_;
  std::vector<std::uint64_t> topics_;
  std::vector<std::vector<std::uint64_t>> held_;  // sorted
  std::map<std::uint64_t, std::vector<std::uint64_t>> holders_;
};

}  // namespace bloomery::systems
