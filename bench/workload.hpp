// The keys of a run, the same for every contestant.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bloomery::bench {

// Integers, or texts of one length, which lie end to end in `letters`.
template <class Key>
struct key_block {
  std::vector<Key> keys;
  std::vector<char> letters;
};

// An endless row of distinct random keys: those of a run come first, then strangers.
template <class Key>
class key_source {
 public:
  // key_bytes is the length of a text, 8 at least; integers have 8 bytes.
  explicit key_source(std::uint64_t seed, std::size_t key_bytes = 8);

  // The keys at these places of the row.
  [[nodiscard]] key_block<Key> at(std::span<const std::uint64_t> places) const;
  // So many from this place on.
  [[nodiscard]] key_block<Key> from(std::uint64_t first, std::uint64_t count) const;

 private:
  template <class PlaceOf>
  key_block<Key> block(std::uint64_t count, PlaceOf place_of) const;

  std::uint64_t start_;
  std::size_t key_bytes_;
};

extern template class key_source<std::uint64_t>;
extern template class key_source<std::string_view>;

// Look-ups of any size of run: half of them, in random order, ask for random keys of the run, the others for
// strangers. Never more than a few million, so that time does not grow with the run.
template <class Key>
struct workload {
  key_source<Key> source;
  key_block<Key> keys;
  key_block<Key> asked;
  std::uint64_t hits = 0;            // among those asked
  std::uint64_t first_stranger = 0;  // that nobody was asked for yet
  std::uint64_t rate_sample = 0;     // strangers that tell the rate
};

template <class Key>
workload<Key> make_workload(std::uint64_t keys, std::uint64_t seed, std::size_t key_bytes = 8);

extern template workload<std::uint64_t> make_workload(std::uint64_t, std::uint64_t, std::size_t);
extern template workload<std::string_view> make_workload(std::uint64_t, std::uint64_t, std::size_t);

}  // namespace bloomery::bench
