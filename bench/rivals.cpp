#include "rivals.hpp"

#include <malloc.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <unordered_set>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/plugins/rival.hpp"

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

// Beyond this a set takes gigabytes and minutes.
constexpr std::uint64_t most_in_a_set = 20'000'000;

// What glibc takes from the heap for a block, its own header included.
std::uint64_t heap_bytes(std::size_t block) {
  void* const probe = std::malloc(block);
  const std::uint64_t taken = malloc_usable_size(probe) + sizeof(std::size_t);
  std::free(probe);
  return taken;
}

struct key_set {
  key_set(std::uint64_t count, double /*rate*/) { keys.reserve(count); }
  // A node is a key and a pointer, and there is a pointer a bucket.
  [[nodiscard]] std::uint64_t bytes() const {
    return keys.size() * heap_bytes(2 * sizeof(void*)) + keys.bucket_count() * sizeof(void*);
  }
  void insert(std::uint64_t key) { keys.insert(key); }
  [[nodiscard]] bool contains(std::uint64_t key) const { return keys.find(key) != keys.end(); }
  bool remove(std::uint64_t key) { return keys.erase(key) != 0; }

  std::unordered_set<std::uint64_t> keys;
};

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
  [[nodiscard]] bool contains(std::uint64_t key) const { return found(&key, sizeof key); }
  void insert_text(std::string_view key) {
    bloom_add(&bloom_, key.data(), static_cast<int>(key.size()));
  }
  [[nodiscard]] bool contains_text(std::string_view key) const {
    return found(key.data(), static_cast<int>(key.size()));
  }
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(bloom_.bytes); }

 private:
  // It takes the filter as one that may change, but only reads.
  [[nodiscard]] bool found(const void* key, int bytes) const {
    return bloom_check(const_cast<bloom*>(&bloom_), key, bytes) == 1;
  }

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

#endif

#if BLOOMERY_HAS_BOOST_BLOOM

// Eight bits a key, in as much memory as it says it needs for the rate.
struct boost_filter {
  boost_filter(std::uint64_t keys, double rate) : filter(keys, rate) {}
  [[nodiscard]] std::uint64_t bytes() const { return filter.capacity() / 8; }
  void insert(std::uint64_t key) { filter.insert(key); }
  [[nodiscard]] bool contains(std::uint64_t key) const { return filter.may_contain(key); }
  void insert_batch(const std::uint64_t* keys, std::size_t count) {
    filter.insert(keys, keys + count);
  }
  [[nodiscard]] std::uint64_t contains_batch(const std::uint64_t* keys, std::size_t count) const {
    std::uint64_t found = 0;
    filter.may_contain(keys, keys + count,
                       [&](std::uint64_t, bool present) { found += std::uint64_t{present}; });
    return found;
  }

  boost::bloom::filter<std::uint64_t, 1, boost::bloom::fast_multiblock64<8>> filter;
};

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

std::vector<bloomery_rival> installed_rivals([[maybe_unused]] const bench_options& options,
                                             [[maybe_unused]] std::vector<left_out>& skipped) {
  std::vector<bloomery_rival> tables{rival_of<key_set>(unordered_set_name.data(), most_in_a_set)};
#if BLOOMERY_HAS_BOOST_BLOOM
  tables.push_back(rival_of<boost_filter>(boost_bloom_name.data()));
#endif
#if BLOOMERY_HAS_LIBBLOOM
  if (const std::string reason = libbloom_refusal(options); reason.empty()) {
    tables.push_back(rival_of<libbloom_filter>(libbloom_name.data()));
  } else {
    skipped.push_back({std::string(libbloom_name), reason});
  }
#endif
  return tables;
}

std::vector<hash_side> hash_rivals() {
  std::vector<hash_side> found;
#if BLOOMERY_HAS_LIBSODIUM
  found.push_back({std::string(siphash_name), true, false, siphash_all});
#endif
  return found;
}

}  // namespace bloomery::bench
