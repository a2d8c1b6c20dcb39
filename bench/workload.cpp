#include "workload.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t most_asked = std::uint64_t{1} << 21;
constexpr std::uint64_t most_for_rate = std::uint64_t{1} << 22;
constexpr std::uint64_t least_for_rate = std::uint64_t{1} << 14;

}  // namespace

template <class Key>
key_source<Key>::key_source(std::uint64_t seed, std::size_t key_bytes)
    : start_(hash::mix(seed)), key_bytes_(key_bytes) {}

// SplitMix64: a bijection of the place, so no key comes twice; the letters of a text begin with it.
template <class Key>
template <class PlaceOf>
key_block<Key> key_source<Key>::block(std::uint64_t count, PlaceOf place_of) const {
  key_block<Key> made;
  made.keys.resize(count);
  const auto number = [this](std::uint64_t place) {
    return hash::mix(start_ + (place + 1) * hash::golden);
  };
  if constexpr (std::is_same_v<Key, std::uint64_t>) {
    for (std::uint64_t i = 0; i < count; ++i) made.keys[i] = number(place_of(i));
  } else {
    made.letters.resize(count * key_bytes_);
    for (std::uint64_t i = 0; i < count; ++i) {
      char* const text = made.letters.data() + i * key_bytes_;
      std::uint64_t word = number(place_of(i));
      for (std::size_t at = 0; at < key_bytes_; at += sizeof word) {
        std::memcpy(text + at, &word, std::min(sizeof word, key_bytes_ - at));
        word = hash::mix(word);
      }
      made.keys[i] = {text, key_bytes_};
    }
  }
  return made;
}

template <class Key>
key_block<Key> key_source<Key>::at(std::span<const std::uint64_t> places) const {
  return block(places.size(), [places](std::uint64_t i) { return places[i]; });
}

template <class Key>
key_block<Key> key_source<Key>::from(std::uint64_t first, std::uint64_t count) const {
  return block(count, [first](std::uint64_t i) { return first + i; });
}

template <class Key>
workload<Key> make_workload(std::uint64_t keys, std::uint64_t seed, std::size_t key_bytes) {
  workload<Key> work{.source = key_source<Key>(seed, key_bytes), .keys = {}, .asked = {}};
  work.keys = work.source.from(0, keys);
  std::vector<std::uint64_t> places(std::min(keys, most_asked));
  // A coin for each, so that no answer can be guessed from those before.
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    const std::uint64_t drawn = hash::mix(seed ^ hash::mix(i + 1));
    const bool hits = (drawn & 1) == 0;
    places[i] = hits ? hash::reduce(hash::mix(drawn), keys) : keys + i;
    work.hits += std::uint64_t{hits};
  }
  work.asked = work.source.at(places);
  work.first_stranger = keys + places.size();
  work.rate_sample = std::clamp(4 * keys, least_for_rate, most_for_rate);
  return work;
}

template class key_source<std::uint64_t>;
template class key_source<std::string_view>;
template workload<std::uint64_t> make_workload(std::uint64_t, std::uint64_t, std::size_t);
template workload<std::string_view> make_workload(std::uint64_t, std::uint64_t, std::size_t);

}  // namespace bloomery::bench
