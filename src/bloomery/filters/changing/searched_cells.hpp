// Cells that a searcher finds, which is chosen by the shape: once for the whole of a batch.
//
// Purpose:   the base of filters in bucket tables, which search in several ways. Their cells offer
//            search(act), which calls act(searcher); insert_by, erase_by and contains_by(searcher,
//            place); and contains_front(keys, answers), which a kernel answers.
//
//     auto online = bloomery::cuckoo_filter::for_keys(1000, 0.001);
//     using bloomery::hash::mix;
//     const std::vector<bloomery::digest> keys{{mix(1), mix(2)}, {mix(3), mix(4)}};
//     assert(online.insert(keys) == 2 && online.may_contain(keys[0]) && online.erase(keys) == 2);
#pragma once

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/filters/filter.hpp"

namespace bloomery {

template <class Cells>
class searched_cells {
 public:
  bool insert(const auto& at) {
    return self().search([&](const auto& in) { return self().insert_by(in, at); });
  }
  bool erase(const auto& at) {
    return self().search([&](const auto& in) { return self().erase_by(in, at); });
  }
  [[nodiscard]] bool contains(const auto& at) const {
    return self().search([&](const auto& in) { return self().contains_by(in, at); });
  }

  // The searcher is a copy in each, which stays in registers.
  std::uint64_t insert_batch(digest_span keys, std::span<bool> fresh, std::uint64_t& items) {
    return self().search([&](auto in) {
      std::uint64_t count = 0;
      detail::each_place(self(), keys, [&](std::size_t i, const auto& at) {
        const bool is_new = self().insert_by(in, at);
        ++items;
        count += std::uint64_t{is_new};
        if (!fresh.empty()) fresh[i] = is_new;
      });
      return count;
    });
  }
  std::uint64_t erase_batch(digest_span keys) {
    return self().search([&](auto in) {
      std::uint64_t gone = 0;
      detail::each_place(self(), keys, [&](std::size_t, const auto& at) {
        gone += std::uint64_t{self().erase_by(in, at)};
      });
      return gone;
    });
  }
  std::uint64_t contains_batch(digest_span keys, std::span<bool> answers) const {
    const bits::answered front = self().contains_front(keys, answers);
    return self().search([&, rest = answers.subspan(front.keys)](auto in) {
      std::uint64_t hits = front.hits;
      detail::each_place(self(), keys.subspan(front.keys), [&](std::size_t i, const auto& at) {
        rest[i] = self().contains_by(in, at);
        hits += std::uint64_t{rest[i]};
      });
      return hits;
    });
  }

 private:
  [[nodiscard]] Cells& self() { return static_cast<Cells&>(*this); }
  [[nodiscard]] const Cells& self() const { return static_cast<const Cells&>(*this); }
};

}  // namespace bloomery
