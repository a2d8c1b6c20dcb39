#include "rivals.hpp"

#include <malloc.h>

#include <array>
#include <limits>
#include <memory>
#include <unordered_set>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"

#if BLOOMERY_HAS_LIBBLOOM
#include <bloom.h>
#endif
#if BLOOMERY_HAS_BOOST_BLOOM
#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#endif
#if BLOOMERY_HAS_LIBSODIUM
#include <sodium/crypto_shorthash_siphash24.h>
#endif

namespace bloomery::bench {
namespace {

constexpr std::string_view unordered_set_name = "std::unordered_set";
constexpr std::string_view libbloom_name = "libbloom";
constexpr std::string_view boost_bloom_name = "boost::bloom fast_multiblock64";
constexpr std::string_view siphash_name = "SipHash-2-4-128 (libsodium)";

// Counts what glibc takes from the heap for each block, its own header included.
template <class T>
struct counting_allocator {
  using value_type = T;
  std::uint64_t* total;

  explicit counting_allocator(std::uint64_t* count_here) : total(count_here) {}
  template <class Other>
  explicit counting_allocator(const counting_allocator<Other>& other) : total(other.total) {}

  T* allocate(std::size_t count) {
    T* const block = std::allocator<T>{}.allocate(count);
    *total += malloc_usable_size(block) + sizeof(std::size_t);
    return block;
  }
  void deallocate(T* block, std::size_t count) { std::allocator<T>{}.deallocate(block, count); }
  friend bool operator==(const counting_allocator&, const counting_allocator&) = default;
};

// Counted apart, so that counting costs the timed set nothing.
std::uint64_t heap_bytes_of_set(const std::vector<std::uint64_t>& keys) {
  using allocator = counting_allocator<std::uint64_t>;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t, std::hash<std::uint64_t>, std::equal_to<>, allocator> set(
      allocator{&bytes});
  set.reserve(keys.size());
  set.insert(keys.begin(), keys.end());
  return bytes;
}

contestant unordered_set_contestant(const workload& work) {
  contestant set{.name = std::string(unordered_set_name), .rival = true, .run = {}};
  set.run = [bytes = heap_bytes_of_set(work.keys)](const workload& now) {
    std::unordered_set<std::uint64_t> keys;
    keys.reserve(now.keys.size());
    pass result = time_each(
        now, [&](std::uint64_t key) { keys.insert(key); },
        [&](std::uint64_t key) { return keys.find(key) != keys.end(); });
    result.bytes = bytes;
    return result;
  };
  return set;
}

#if BLOOMERY_HAS_LIBBLOOM

class libbloom_filter {
 public:
  libbloom_filter(std::uint64_t keys, double rate) {
    if (bloom_init(&bloom_, static_cast<int>(keys), rate) != 0) {
      fail(errc::out_of_memory, "libbloom refused to make its filter");
    }
  }
  libbloom_filter(const libbloom_filter&) = delete;
  libbloom_filter& operator=(const libbloom_filter&) = delete;
  ~libbloom_filter() { bloom_free(&bloom_); }

  void insert(std::uint64_t key) { bloom_add(&bloom_, &key, sizeof key); }
  bool may_contain(std::uint64_t key) { return bloom_check(&bloom_, &key, sizeof key) == 1; }
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(bloom_.bytes); }

 private:
  bloom bloom_{};
};

// Empty if libbloom can hold so many keys. It counts keys and bits in an int and does not check.
std::string libbloom_refusal(const bench_options& options) {
  constexpr std::uint64_t fewest = 1000;
  constexpr std::uint64_t most_bits = std::numeric_limits<int>::max();
  if (options.keys < fewest) return "takes " + std::to_string(fewest) + " keys or more";
  if (math::plan_standard(options.keys, options.rate).bits > most_bits) {
    return "holds fewer than 2^31 bits";
  }
  return {};
}

void add_libbloom(const bench_options& options, std::vector<contestant>& contestants,
                  std::vector<left_out>& skipped) {
  std::string name(libbloom_name);
  if (const std::string reason = libbloom_refusal(options); !reason.empty()) {
    skipped.push_back({std::move(name), reason});
    return;
  }
  contestant entry{.name = std::move(name), .rival = true, .run = {}};
  entry.run = [rate = options.rate](const workload& work) {
    libbloom_filter filter(work.keys.size(), rate);
    pass result = time_each(
        work, [&](std::uint64_t key) { filter.insert(key); },
        [&](std::uint64_t key) { return filter.may_contain(key); });
    result.bytes = filter.bytes();
    return result;
  };
  contestants.push_back(std::move(entry));
}

#endif

#if BLOOMERY_HAS_BOOST_BLOOM

// Eight bits a key, in as much memory as it says it needs for the rate.
void add_boost_bloom(const bench_options& options, std::vector<contestant>& contestants) {
  using filter_type = boost::bloom::filter<std::uint64_t, 1, boost::bloom::fast_multiblock64<8>>;
  using key_vector = std::vector<std::uint64_t>;
  const auto add = [&](bool batch, auto insert, auto count) {
    contestant entry{
        .name = std::string(boost_bloom_name), .rival = true, .batch = batch, .run = {}};
    entry.run = [rate = options.rate, insert, count](const workload& work) {
      filter_type filter(work.keys.size(), rate);
      pass result = time_all(
          work, [&](const key_vector& keys) { insert(filter, keys); },
          [&](const key_vector& keys) { return count(filter, keys); });
      result.bytes = filter.capacity() / 8;
      return result;
    };
    contestants.push_back(std::move(entry));
  };
  add(
      false,
      [](filter_type& filter, const key_vector& keys) {
        for (const std::uint64_t key : keys) filter.insert(key);
      },
      [](const filter_type& filter, const key_vector& keys) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : keys) found += std::uint64_t{filter.may_contain(key)};
        return found;
      });
  add(
      true,
      [](filter_type& filter, const key_vector& keys) { filter.insert(keys.begin(), keys.end()); },
      [](const filter_type& filter, const key_vector& keys) {
        std::uint64_t found = 0;
        filter.may_contain(keys.begin(), keys.end(),
                           [&](std::uint64_t, bool present) { found += std::uint64_t{present}; });
        return found;
      });
}

#endif

#if BLOOMERY_HAS_LIBSODIUM

std::uint64_t siphash_all(byte_view keys, std::size_t key_bytes) {
  constexpr std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES> secret{1, 2, 3, 4};
  std::array<std::byte, crypto_shorthash_siphashx24_BYTES> out{};
  std::uint64_t folded = 0;
  for (; !keys.empty(); keys = keys.subspan(key_bytes)) {
    // Bytes may be accessed as unsigned char by the aliasing rules.
    crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(out.data()),
                                reinterpret_cast<const unsigned char*>(keys.data()), key_bytes,
                                secret.data());
    folded ^=
        core::load_le<std::uint64_t>(out.data()) ^ core::load_le<std::uint64_t>(out.data() + 8);
  }
  return folded;
}

#endif

}  // namespace

std::span<const rival_info> rivals() {
  static constexpr std::array known{
      rival_info{unordered_set_name, true, ""},
      rival_info{libbloom_name, BLOOMERY_HAS_LIBBLOOM != 0, "libbloom-dev"},
      rival_info{boost_bloom_name, BLOOMERY_HAS_BOOST_BLOOM != 0, "Boost 1.89 or later"},
      rival_info{siphash_name, BLOOMERY_HAS_LIBSODIUM != 0, "libsodium-dev"},
  };
  return known;
}

void add_filter_rivals(const bench_options& options, const workload& work,
                       std::vector<contestant>& contestants, std::vector<left_out>& skipped) {
  contestants.push_back(unordered_set_contestant(work));
#if BLOOMERY_HAS_BOOST_BLOOM
  add_boost_bloom(options, contestants);
#endif
#if BLOOMERY_HAS_LIBBLOOM
  add_libbloom(options, contestants, skipped);
#else
  (void)options;
  (void)skipped;
#endif
}

std::vector<hash_side> hash_rivals() {
  std::vector<hash_side> found;
#if BLOOMERY_HAS_LIBSODIUM
  found.push_back({std::string(siphash_name), true, false, siphash_all});
#endif
  return found;
}

}  // namespace bloomery::bench
