// Digests applied to a bit array: set all of a key's bits, or ask whether all are set.
//
// Purpose:   the hot path of every bit filter, for one key and for batches. The probes say which
//            bits; line_probing.hpp has the faster way for probes that stay in one line.
// Cost:      batches prefetch once the array outgrows the cache. Where the positions are those of
//            position_kernels.hpp, batches are its kernels'.
// Guarantee: batches and single keys leave and see the same bits. The _shared ones may run beside
//            themselves and test from any number of threads. Batches take anything with size() and
//            operator[] that gives digests.
//
//     bloomery::bits::bit_array bits(1000);
//     const bloomery::bits::probing probing(bloomery::hash::uniform_probes{1000, 7});
//     assert(probing.set(bits, {1, 2}) && probing.test(bits, {1, 2}));
//     assert(!probing.set(bits, {1, 2}) && !probing.test(bits, {3, 4}));
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <span>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/batch/one_key.hpp"
#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/bits/batch/position_kernels.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/parallel.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::bits {

// Whether to write keys down by region before their bits are set, beyond the cache. Where lines are asked for into the
// second-level cache, many are on their way at once, and one thread is done sooner with setting bits where they lie.
inline bool pays_in_regions(unsigned threads) {
  return threads > 1 || core::prefetched_level() == core::cache_level::first;
}

template <class Probes>
class probing {
 public:
  explicit probing(const Probes& probes) : probes_(probes), which_(core::inlined_backend()) {}

  // True if any bit was clear before: the key was new.
  bool set(bit_array& bits, digest key) const {
    if constexpr (has_positions) {
      const position_range range(probes_);
      if (vectors_for(which_, range)) return set_key_bits(range, bits.words(), key);
    }
    return set_each(key, [&](std::uint64_t i) { return bits.set(i); });
  }
  bool set_shared(bit_array& bits, digest key) const {
    return set_each(key, [&](std::uint64_t i) { return bits.set_shared(i); });
  }
  [[nodiscard]] bool test(const bit_array& bits, digest key) const {
    if constexpr (has_positions) {
      const position_range range(probes_);
      if (vectors_for(which_, range)) return key_bits_set(range, bits.words(), key);
    }
    if constexpr (requires { probes_.in_fours(key, [](auto...) { return true; }); }) {
      return hash::all_pass(probes_, key, [&](std::uint64_t at) { return bits.test(at); });
    } else {
      return probes_.all(key, [&](std::uint64_t i) { return bits.test(i); });
    }
  }

  // How many keys were new.
  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys) const {
    if (by_kernel<Keys>()) return set_by_kernel(bits, keys, nullptr);
    return set_batch(
        bits, keys, [&](std::uint64_t i) { return bits.set(i); }, [](std::size_t, bool) {});
  }
  // And which they were.
  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys, std::span<bool> fresh) const {
    if (by_kernel<Keys>()) return set_by_kernel(bits, keys, fresh.data());
    return set_batch(
        bits, keys, [&](std::uint64_t i) { return bits.set(i); },
        [&](std::size_t i, bool is_new) { fresh[i] = is_new; });
  }
  template <class Keys>
  std::uint64_t set_all_shared(bit_array& bits, const Keys& keys) const {
    return set_batch(
        bits, keys, [&](std::uint64_t i) { return bits.set_shared(i); }, [](std::size_t, bool) {});
  }

  // As set_all, in the fastest way for this many keys, without counting.
  template <class Keys>
  void build(bit_array& bits, const Keys& keys, unsigned threads) const {
    if constexpr (has_kernel<Keys>) {
      if (by_kernel<Keys>() && pays_by_region(bits, keys.size(), threads)) {
        position_kernels_now().of(keys).set_bulk(position_range(probes_), bits.words(), keys,
                                                 threads);
        return;
      }
    }
    core::in_parallel(keys.size(), threads, [&](std::size_t first, std::size_t count) {
      const Keys mine = keys.subspan(first, count);
      threads == 1 ? set_all(bits, mine) : set_all_shared(bits, mine);
    });
  }

  // How many may be present.
  template <class Keys>
  std::uint64_t test_all(const bit_array& bits, const Keys& keys, std::span<bool> answers) const {
    assert(keys.size() == answers.size());
    if constexpr (has_kernel<Keys>) {
      if (by_kernel<Keys>()) {
        return position_kernels_now().of(keys).test_bits(position_range(probes_), bits.words(),
                                                         keys, answers.data());
      }
    }
    std::uint64_t hits = 0;
    const auto answer = [&](std::size_t i, bool present) {
      answers[i] = present;
      hits += std::uint64_t{present};
    };
    if (fits_cache(bits)) {
      for (std::size_t i = 0; i < keys.size(); ++i) answer(i, test(bits, keys[i]));
    } else {
      prefetched(bits, keys, [&](std::size_t i, std::span<const std::uint64_t> positions) {
        bool all = true;  // without a branch: the lines are here, a wrong guess costs more
        for (const std::uint64_t at : positions) all &= bits.test(at);
        answer(i, all);
      });
    }
    return hits;
  }

 private:
  static constexpr bool has_positions = std::constructible_from<position_range, const Probes&>;
  template <class Keys>
  static constexpr bool has_kernel = has_positions&& requires(const Keys& keys) {
    position_kernels{}.of(keys);
  };
  template <class Keys>
  [[nodiscard]] bool by_kernel() const {
    return has_kernel<Keys> && probes_.count <= most_positions;
  }
  template <class Keys>
  std::uint64_t set_by_kernel(bit_array& bits, const Keys& keys, bool* fresh) const {
    if constexpr (has_kernel<Keys>) {
      return position_kernels_now().of(keys).set_bits(position_range(probes_), bits.words(), keys,
                                                      fresh);
    } else {
      return 0;
    }
  }

  // Beyond the last-level cache, and for several threads, which would need atomics otherwise; if there are
  // enough keys to reach most lines.
  [[nodiscard]] bool pays_by_region(const bit_array& bits, std::uint64_t keys,
                                    unsigned threads) const {
    constexpr std::uint64_t outgrown_bytes = std::uint64_t{24} << 20;
    constexpr std::uint64_t worth_sharing = std::uint64_t{1} << 16;
    const std::uint64_t bytes = bits.bytes().size();
    const bool pays = threads > 1 ? bytes >= outgrown_bytes || keys >= worth_sharing
                                  : bytes >= outgrown_bytes && pays_in_regions(threads);
    return pays && keys * probes_.count >= bytes / cache_line_bytes;
  }

  // Up to this size prefetching costs more than it saves, since one key's lines arrive together
  // anyway: measured, the size of a second-level cache.
  static constexpr std::uint64_t cached_bytes = 512 << 10;
  static bool fits_cache(const bit_array& bits) { return bits.bytes().size() <= cached_bytes; }

  template <class Set>
  bool set_each(digest key, Set set_one) const {
    bool fresh = false;
    probes_.all(key, [&](std::uint64_t i) {
      fresh |= set_one(i);
      return true;
    });
    return fresh;
  }

  template <class Keys, class Set, class Tell>
  std::uint64_t set_batch(const bit_array& bits, const Keys& keys, Set set_one, Tell tell) const {
    std::uint64_t fresh_keys = 0;
    const auto note = [&](std::size_t i, bool fresh) {
      fresh_keys += std::uint64_t{fresh};
      tell(i, fresh);
    };
    if (fits_cache(bits)) {
      for (std::size_t i = 0; i < keys.size(); ++i) note(i, set_each(keys[i], set_one));
    } else {
      prefetched(bits, keys, [&](std::size_t i, std::span<const std::uint64_t> positions) {
        bool fresh = false;
        for (const std::uint64_t at : positions) fresh |= set_one(at);
        note(i, fresh);
      });
    }
    return fresh_keys;
  }

  // Calls act(i, positions of key i) for each key in order.
  template <class Keys, class Act>
  void prefetched(const bit_array& bits, const Keys& keys, Act act) const {
    constexpr std::size_t group = 16;  // keys, of some seven lines each
    using slots = std::array<std::uint64_t, max_hashes>;
    pipelined<group, slots>(
        keys.size(),
        [&](std::size_t first, std::span<slots> of_keys) {
          for (std::size_t i = 0; i < of_keys.size(); ++i) {
            std::uint64_t* next = of_keys[i].data();
            probes_.all(keys[first + i], [&](std::uint64_t position) {
              bits.prefetch(position);
              *next++ = position;
              return true;
            });
          }
        },
        [&](std::size_t first, std::span<const slots> of_keys) {
          for (std::size_t i = 0; i < of_keys.size(); ++i) {
            act(first + i, std::span<const std::uint64_t>(of_keys[i].data(), probes_.count));
          }
        });
  }

  Probes probes_;
  core::backend which_;
};

}  // namespace bloomery::bits
