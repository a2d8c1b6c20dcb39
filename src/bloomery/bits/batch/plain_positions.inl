// Keys against their positions where there are no vectors. Included by position_kernels.inl, which says what a Deed is:
// here it has few(rows, number of the first key, how many) alone, and Deed::goes_once says that it asks for
// each position of a key once, in order.

constexpr std::size_t keys_a_step = 8;

// Of one key, each worked out when it is asked for, in order.
template <class Width>
class passing_positions {
 public:
  passing_positions(const position_range& range, digest key, const Width& width)
      : width_(width), cells_(range.cells), stride_(range.stride), step_(key.hi | 1), x_(key.lo) {}

  [[gnu::always_inline]] cell_place place(std::uint64_t /*j*/, std::size_t /*key*/) {
    const std::uint64_t at = base_ + hash::reduce(hash::mix(x_), cells_);
    x_ += step_;
    base_ += stride_;
    return {at >> width_.cells_a_word_log2(), at << width_.log2_width};
  }

 private:
  const Width width_;
  const std::uint64_t cells_;
  const std::uint64_t stride_;
  const std::uint64_t step_;
  std::uint64_t x_;
  std::uint64_t base_ = 0;
};

// Of the keys of a step, written down; if they are to be compared, their lower halves as well, side by side.
template <class Width, bool compares>
struct held_positions {
  using row = std::array<std::uint32_t, keys_a_step>;
  std::array<std::array<std::uint64_t, most_positions>, keys_a_step> at;
  alignas(cache_line_bytes) std::array<row, compares ? most_positions : 1> low;
  Width width;

  [[nodiscard]] cell_place place(std::uint64_t j, std::size_t key) const {
    return {at[key][j] >> width.cells_a_word_log2(), at[key][j] << width.log2_width};
  }

  template <fetched what, class Keys>
  void hold(const position_range& range, const Keys& keys, std::size_t first,
            const std::uint64_t* words) {
    const std::size_t count = std::min(keys_a_step, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const digest key = keys[first + i];
      std::uint64_t x = key.lo;
      std::uint64_t base = 0;
      for (std::uint64_t j = 0; j < range.count; ++j) {
        const std::uint64_t place = base + hash::reduce(hash::mix(x), range.cells);
        at[i][j] = place;
        if constexpr (compares) low[j][i] = static_cast<std::uint32_t>(place);
        const std::uint64_t* const word = words + (place >> width.cells_a_word_log2());
        if constexpr (what == fetched::into_first) {
          core::prefetch_into<core::cache_level::first>(word);
        }
        if constexpr (what == fetched::into_second) {
          core::prefetch_into<core::cache_level::second>(word);
        }
        x += key.hi | 1;
        base += range.stride;
      }
    }
    if constexpr (compares) {
      for (std::size_t i = count; i < keys_a_step; ++i) {
        for (std::uint64_t j = 0; j < range.count; ++j) low[j][i] = static_cast<std::uint32_t>(j);
      }
    }
  }

  // Whether a position of one of the keys may come twice: if this says no, none does. Four keys at a time, by what
  // vectors the compiler has for any processor of this kind.
  [[nodiscard]] bool some_repeat(std::uint64_t positions) const {
    using four [[gnu::vector_size(16)]] = std::int32_t;
    four found{};
    for (std::uint64_t j = 1; j < positions; ++j) {
      for (std::size_t i = 0; i < keys_a_step; i += 4) {
        four these;
        __builtin_memcpy(&these, low[j].data() + i, sizeof these);
        for (std::uint64_t before = 0; before < j; ++before) {
          four other;
          __builtin_memcpy(&other, low[before].data() + i, sizeof other);
          found |= these == other;
        }
      }
    }
    return (found[0] | found[1] | found[2] | found[3]) != 0;
  }
};

// As many on their way as keep the memory busy.
constexpr std::size_t steps_held = 4;

template <fetched what, class Keys, class Deed>
std::uint64_t to_held(const position_range& range, const Keys& keys, Deed deed) {
  using held = held_positions<decltype(deed.width()), !Deed::goes_once>;
  constexpr std::size_t places = what == fetched::nothing ? 1 : steps_held;
  std::array<held, places> ring;
  for (held& place : ring) place.width = deed.width();
  const auto place_of = [&](std::size_t key) -> held& { return ring[key / keys_a_step % places]; };
  std::size_t next = 0;
  for (std::size_t first = 0; first < keys.size(); first += keys_a_step) {
    for (; next < std::min(keys.size(), first + places * keys_a_step); next += keys_a_step) {
      place_of(next).template hold<what>(range, keys, next, deed.words);
    }
    deed.few(place_of(first), first, std::min(keys_a_step, keys.size() - first));
  }
  return deed.count;
}

template <class Keys, class Deed>
std::uint64_t to_positions(const position_range& range, const Keys& keys, Deed deed) {
  const auto width = deed.width();
  if (!Deed::in_memory || range.end() >> width.cells_a_word_log2() <= cached_words) {
    if constexpr (Deed::goes_once) {
      const position_range own = range;  // which what is written cannot change
      for (std::size_t i = 0; i < keys.size(); ++i) {
        passing_positions positions(own, keys[i], width);
        deed.few(positions, i, 1);
      }
      return deed.count;
    } else {
      return to_held<fetched::nothing>(range, keys, deed);
    }
  }
  return core::prefetched_level() == core::cache_level::second
             ? to_held<fetched::into_second>(range, keys, deed)
             : to_held<fetched::into_first>(range, keys, deed);
}
