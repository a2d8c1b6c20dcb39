// Cells that a searcher finds, chosen by the shape: once for a batch, or for one key.
//
// Purpose:   filters in bucket tables, which search in several ways.
// Cost:      the choice, a branch or two.
// Guarantee: one by one and in batches, filter_of does the same. A class of cells derives from this
//            and offers
//   search(act)                act(searcher), the one that suits the shape
//   insert_by(searcher, place)  erase_by(searcher, place)  contains_by(searcher, place)
//
//     auto online = bloomery::cuckoo_filter::for_keys(1000, 0.001);
//     using bloomery::mix;
//     const std::vector<bloomery::digest> keys{{mix(1), mix(2)}, {mix(3), mix(4)}};
//     assert(online.insert(keys) == 2 && online.may_contain(keys[0]) && online.erase(keys[1]));
#pragma once

#include <type_traits>

namespace bloomery {

template <class Cells>
class searched_cells {
 public:
  // act(what inserts, erases and asks).
  template <class Self, class Act>
  static auto with_searcher(Self& self, Act act) {
    return self.search([&](const auto& in) {
      return act(searching<Self, std::remove_cvref_t<decltype(in)>>{self, in});
    });
  }

  bool insert(const auto& at) {
    return with_searcher(self(), [&](auto cells) { return cells.insert(at); });
  }
  bool erase(const auto& at) {
    return with_searcher(self(), [&](auto cells) { return cells.erase(at); });
  }
  [[nodiscard]] bool contains(const auto& at) const {
    return with_searcher(self(), [&](auto cells) { return cells.contains(at); });
  }

 private:
  template <class Self, class Searcher>
  struct searching {
    Self& cells;
    Searcher in;  // a copy, which stays in registers

    bool insert(const auto& at) const { return cells.insert_by(in, at); }
    bool erase(const auto& at) const { return cells.erase_by(in, at); }
    [[nodiscard]] bool contains(const auto& at) const { return cells.contains_by(in, at); }
  };

  Cells& self() { return static_cast<Cells&>(*this); }
  [[nodiscard]] const Cells& self() const { return static_cast<const Cells&>(*this); }
};

}  // namespace bloomery
