// Two or four keys at a time. Compiled once per back end; see each_backend.inl.
//
// HighwayHash has four lanes of four words each, v0, v1, mul0 and mul1, and takes 32 bytes of the key at a
// time. Its lanes mix in pairs but for the end, where the pairs change places. So a vector has the same
// pair of lanes of several keys, and changing places costs nothing.
namespace bloomery::hash::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/hash/key_lanes.inl"

constexpr std::size_t keys_a_vector = at_once / 2;
constexpr std::size_t packet_bytes = 32;
constexpr std::size_t half_packet = packet_bytes / 2;

using pair_of_lanes = __m128i;

#if BLOOMERY_VECTOR_BITS == 512
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes side_by_side(const pair_of_lanes* of_keys) {
  return _mm512_loadu_si512(of_keys);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes in_each_key(pair_of_lanes a) {
  return _mm512_maskz_broadcast_i64x2(every_lane, a);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes both(lanes a, lanes b) {
  return _mm512_and_si512(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes bytes_moved(lanes a, lanes order) {
  return _mm512_shuffle_epi8(a, order);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes halves_swapped(lanes a) {
  return _mm512_maskz_rol_epi64(every_lane, a, 32);
}
// Each 32-bit half to the left, by less than 32.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes halves_rotated(lanes a, lanes by) {
  return _mm512_maskz_rolv_epi32(0xffff, a, by);
}
// The first words of 32 bits, and zeros.
BLOOMERY_TARGET [[gnu::always_inline]] inline pair_of_lanes first_words(const char* at,
                                                                        std::size_t words) {
  return _mm_maskz_loadu_epi32(static_cast<__mmask8>((1U << words) - 1), at);
}
#else
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes side_by_side(const pair_of_lanes* of_keys) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(of_keys[0]), of_keys[1], 1);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes in_each_key(pair_of_lanes a) {
  return _mm256_broadcastsi128_si256(a);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes both(lanes a, lanes b) {
  return _mm256_and_si256(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes bytes_moved(lanes a, lanes order) {
  return _mm256_shuffle_epi8(a, order);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes halves_swapped(lanes a) {
  return _mm256_shuffle_epi32(a, 0b10'11'00'01);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes halves_rotated(lanes a, lanes by) {
  return _mm256_or_si256(_mm256_sllv_epi32(a, by),
                         _mm256_srlv_epi32(a, _mm256_sub_epi32(_mm256_set1_epi32(32), by)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline pair_of_lanes first_words(const char* at,
                                                                        std::size_t words) {
  const __m128i wanted =
      _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(words)), _mm_setr_epi32(0, 1, 2, 3));
  return _mm_maskload_epi32(reinterpret_cast<const int*>(at), wanted);
}
#endif

// `a` where the mask is set, else `b`.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes chosen(lanes mask, lanes a, lanes b) {
  return xored(b, both(mask, xored(a, b)));
}

BLOOMERY_TARGET [[gnu::always_inline]] inline lanes zipped(lanes a) {
  return bytes_moved(a, in_each_key(_mm_set_epi64x(0x070806090d0a040b, 0x000f010e05020c03)));
}

// A pair of lanes of each key.
struct lane_pairs {
  lanes v0;
  lanes v1;
  lanes mul0;
  lanes mul1;

  BLOOMERY_TARGET [[gnu::always_inline]] void update(lanes packet) {
    v1 = plus(v1, plus(mul0, packet));
    mul0 = xored(mul0, short_product(v1, upper(v0)));
    v0 = plus(v0, mul1);
    mul1 = xored(mul1, short_product(v0, upper(v1)));
    v0 = plus(v0, zipped(v1));
    v1 = plus(v1, zipped(v0));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void prepare_for_rest(lanes size) {
    v0 = plus(v0, size);
    v1 = halves_rotated(v1, size);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void keep_where(lanes mask, const lane_pairs& after) {
    v0 = chosen(mask, after.v0, v0);
    v1 = chosen(mask, after.v1, v1);
    mul0 = chosen(mask, after.mul0, mul0);
    mul1 = chosen(mask, after.mul1, mul1);
  }
};

struct packets {
  lanes low;
  lanes high;
};

// All lanes of a step's keys.
struct key_states {
  lane_pairs low;
  lane_pairs high;

  BLOOMERY_TARGET [[gnu::always_inline]] void update(packets of) {
    low.update(of.low);
    high.update(of.high);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void prepare_for_rest(lanes size) {
    low.prepare_for_rest(size);
    high.prepare_for_rest(size);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void finish_a_round() {
    update({halves_swapped(high.v0), halves_swapped(low.v0)});
  }
  BLOOMERY_TARGET [[gnu::always_inline]] lanes hash() const {
    return plus(plus(low.v0, low.mul0), plus(high.v1, high.mul1));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void keep_where(lanes mask, const key_states& after) {
    low.keep_where(mask, after.low);
    high.keep_where(mask, after.high);
  }
};

BLOOMERY_TARGET [[gnu::always_inline]] inline lanes pair_at(const std::uint64_t* words) {
  return in_each_key(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_pairs start_of(const std::uint64_t* secret,
                                                                  const std::uint64_t* mul0,
                                                                  const std::uint64_t* mul1) {
  return {xored(pair_at(mul0), pair_at(secret)),
          xored(pair_at(mul1), halves_swapped(pair_at(secret))), pair_at(mul0), pair_at(mul1)};
}
BLOOMERY_TARGET inline key_states start_of(std::span<const std::uint64_t, 4> secret) {
  constexpr std::uint64_t mul0[] = {0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344,
                                    0x243f6a8885a308d3};
  constexpr std::uint64_t mul1[] = {0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c,
                                    0x452821e638d01377};
  return {start_of(secret.data(), mul0, mul1), start_of(secret.data() + 2, mul0 + 2, mul1 + 2)};
}

// The bytes of keys from `offset` on.
BLOOMERY_TARGET [[gnu::always_inline]] inline packets packets_at(const std::string_view* keys,
                                                                 std::size_t offset) {
  alignas(cache_line_bytes) pair_of_lanes low[keys_a_vector];
  alignas(cache_line_bytes) pair_of_lanes high[keys_a_vector];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < keys_a_vector; ++i) {
    const char* const at = keys[i].data() + offset;
    low[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    high[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + half_packet));
  }
  return {side_by_side(low), side_by_side(high)};
}

// Where the last 16 bytes of 16 to 31 go: words from the 16th byte on to their places, the last four bytes to
// the end.
constexpr auto last_bytes_in_order = [] {
  std::array<std::array<std::uint8_t, half_packet>, half_packet> orders{};
  for (std::size_t more = 0; more < half_packet; ++more) {
    for (std::size_t i = 0; i < half_packet; ++i) {
      constexpr std::uint8_t zero = 0x80;
      const bool is_last = i >= half_packet - 4;
      const std::size_t from = is_last ? i : half_packet + i - more;
      orders[more][i] = is_last || i < more / 4 * 4 ? static_cast<std::uint8_t>(from) : zero;
    }
  }
  return orders;
}();

inline unsigned byte_at(char c) {
  return static_cast<unsigned char>(c);
}

// What is left of a key after its whole packets, fewer than 32 bytes. Words of 32 bits stay in their
// places; the last bytes go to a place of their own.
BLOOMERY_TARGET [[gnu::always_inline]] inline void last_packet(const char* at, std::size_t size,
                                                               pair_of_lanes& low,
                                                               pair_of_lanes& high) {
  if (size >= half_packet) {
    low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i last = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + size - half_packet));
    const auto& order = last_bytes_in_order[size - half_packet];
    high = _mm_shuffle_epi8(last, _mm_load_si128(reinterpret_cast<const __m128i*>(order.data())));
  } else {
    low = first_words(at, size / 4);
    const std::size_t rest = size % 4;
    unsigned last = 0;
    if (rest != 0) {
      at += size - rest;
      last = byte_at(at[0]) | byte_at(at[rest / 2]) << 8 | byte_at(at[rest - 1]) << 16;
    }
    high = _mm_cvtsi32_si128(static_cast<int>(last));
  }
}

BLOOMERY_TARGET [[gnu::always_inline]] inline void update_by_rests(key_states& states,
                                                                   const std::string_view* keys) {
  alignas(cache_line_bytes) pair_of_lanes low[keys_a_vector];
  alignas(cache_line_bytes) pair_of_lanes high[keys_a_vector];
  alignas(cache_line_bytes) pair_of_lanes sizes[keys_a_vector];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < keys_a_vector; ++i) {
    const std::size_t rest = keys[i].size() % packet_bytes;
    last_packet(keys[i].data() + (keys[i].size() - rest), rest, low[i], high[i]);
    sizes[i] = _mm_set1_epi32(static_cast<int>(rest));
  }
  states.prepare_for_rest(side_by_side(sizes));
  states.update({side_by_side(low), side_by_side(high)});
}

// All ones for the keys of which it is so, else zeros.
BLOOMERY_TARGET inline lanes where(const bool* so) {
  alignas(cache_line_bytes) std::array<std::uint64_t, at_once> mask;
  for (std::size_t i = 0; i < at_once; ++i) mask[i] = 0 - std::uint64_t{so[i / 2]};
  return load_words(mask.data());
}

// The digests of a vector of keys, of which some may have packets where others have none: these change
// nothing of their lanes.
BLOOMERY_TARGET inline void digests_of_any(const key_states& start, const std::string_view* keys,
                                           digest* digests) {
  alignas(packet_bytes) static constexpr std::array<char, packet_bytes> nothing{};
  key_states states = start;
  for (std::size_t offset = 0;; offset += packet_bytes) {
    bool has_more[keys_a_vector];
    bool any = false;
    std::string_view rest[keys_a_vector];
    for (std::size_t i = 0; i < keys_a_vector; ++i) {
      has_more[i] = keys[i].size() >= offset + packet_bytes;
      any = any || has_more[i];
      rest[i] =
          has_more[i] ? keys[i].substr(offset) : std::string_view(nothing.data(), nothing.size());
    }
    if (!any) break;
    key_states after = states;
    after.update(packets_at(rest, 0));
    states.keep_where(where(has_more), after);
  }
  bool has_rest[keys_a_vector];
  for (std::size_t i = 0; i < keys_a_vector; ++i) has_rest[i] = keys[i].size() % packet_bytes != 0;
  key_states after = states;
  update_by_rests(after, keys);
  states.keep_where(where(has_rest), after);
  for (int round = 0; round < 6; ++round) states.finish_a_round();
  store_words(reinterpret_cast<std::uint64_t*>(digests), states.hash());
}

// Whether keys have as many packets, and all or none of them a rest.
inline bool are_alike(const std::string_view* keys, std::size_t count) {
  std::size_t differing = 0;
  bool all_have_rest = true;
  bool none_has_rest = true;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < count; ++i) {
    differing |= keys[i].size() ^ keys[0].size();
    const bool has_rest = keys[i].size() % packet_bytes != 0;
    all_have_rest &= has_rest;
    none_has_rest &= !has_rest;
  }
  return differing < packet_bytes && (all_have_rest || none_has_rest);
}

// The digests of keys that are alike: as many vectors of them as keep the processor busy.
template <std::size_t vectors>
BLOOMERY_TARGET [[gnu::always_inline]] inline void digests_of_alike(const key_states& start,
                                                                    const std::string_view* keys,
                                                                    digest* digests) {
  key_states states[vectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) states[v] = start;
  const std::size_t size = keys[0].size();
  for (std::size_t offset = 0; offset + packet_bytes <= size; offset += packet_bytes) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      states[v].update(packets_at(keys + v * keys_a_vector, offset));
    }
  }
  if (size % packet_bytes != 0) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) update_by_rests(states[v], keys + v * keys_a_vector);
  }
#pragma GCC unroll 6
  for (int round = 0; round < 6; ++round) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) states[v].finish_a_round();
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) {
    store_words(reinterpret_cast<std::uint64_t*>(digests + v * keys_a_vector), states[v].hash());
  }
}

BLOOMERY_TARGET inline std::size_t keyed_digests(std::span<const std::uint64_t, 4> secret,
                                                 std::span<const std::string_view> keys,
                                                 digest* digests) {
  constexpr std::size_t vectors = 2;
  constexpr std::size_t keys_a_step = vectors * keys_a_vector;
  const key_states start = start_of(secret);
  const std::size_t count = keys.size();
  std::size_t i = 0;
  for (; i + keys_a_step <= count; i += keys_a_step) {
    if (are_alike(&keys[i], keys_a_step)) [[likely]] {
      digests_of_alike<vectors>(start, &keys[i], digests + i);
    } else {
      for (std::size_t v = 0; v < vectors; ++v) {
        digests_of_any(start, &keys[i + v * keys_a_vector], digests + i + v * keys_a_vector);
      }
    }
  }
  while (i < count) {  // the last ones, the very last as often as it takes
    std::array<std::string_view, keys_a_vector> last;
    last.fill(keys.back());
    const std::size_t left = std::min(keys_a_vector, count - i);
    std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(i), left, last.begin());
    std::array<digest, keys_a_vector> made;
    digests_of_any(start, last.data(), made.data());
    std::copy_n(made.begin(), left, digests + i);
    i += left;
  }
  return count;
}

#else

inline std::size_t keyed_digests(std::span<const std::uint64_t, 4> /*secret*/,
                                 std::span<const std::string_view> /*keys*/, digest* /*digests*/) {
  return 0;
}

#endif
}  // namespace bloomery::hash::BLOOMERY_ISA
