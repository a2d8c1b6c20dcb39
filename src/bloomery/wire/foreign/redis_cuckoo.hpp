// The cuckoo filter of RedisBloom, which CF.ADD makes: a value of the type MBbloomCF, as DUMP has it.
//
// Purpose:   ask, examine and make such values without a server.
// Cost:      a hash a key, and two buckets in each filter of the chain.
// Guarantee: the cells are those of RedisBloom, its fields are checked before they are believed. A key that is
//            inserted twice is in it twice, as there.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014; its fingerprints have 255 values here, whatever the rate.
//
//     using bloomery::foreign::redis_cuckoo;
//     const auto place = redis_cuckoo::place_of(bloomery::bytes_of("key"));
//     assert(place.second == (place.first ^ place.fingerprint * redis_cuckoo::factor));
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/core/int128.hpp"
#include "bloomery/hash/murmur.hpp"
#include "bloomery/wire/foreign/redis_value.hpp"

namespace bloomery::foreign {

class redis_cuckoo final : public redis_value {
 public:
  static constexpr format_info format{.name = "redis-cuckoo",
                                      .title = "cuckoo filter of Redis",
                                      .writer = "CF.ADD, as DUMP has it",
                                      .keys = "items, as they are"};
  static constexpr std::string_view type = "MBbloomCF";
  static constexpr std::uint64_t encoding = 4;
  static constexpr std::uint64_t fingerprints = 255;
  static constexpr std::uint64_t factor = 0x5bd1e995;
  static constexpr std::uint64_t usual_bucket = 2;
  static constexpr std::uint64_t usual_iterations = 20;
  static constexpr std::uint64_t usual_expansion = 1;
  static constexpr std::uint64_t most_links = 65535;

  // A key as its fingerprint and its two buckets, before they are reduced to a filter's number of buckets.
  struct place {
    std::uint64_t first;
    std::uint64_t second;
    std::uint8_t fingerprint;
  };
  static std::uint64_t other(std::uint64_t bucket, std::uint8_t fingerprint) {
    return bucket ^ fingerprint * factor;
  }
  static place place_of(byte_view key) {
    const std::uint64_t hash = hash::murmur_64a(key, 0);
    const auto fingerprint = static_cast<std::uint8_t>(hash % fingerprints + 1);
    return {hash, other(hash, fingerprint), fingerprint};
  }

  static std::unique_ptr<filter> read(byte_view payload, const wire::load_options& options);
  // Without a rate as CF.RESERVE makes it; with one, so large that it is kept.
  static std::unique_ptr<filter> make(std::uint64_t keys, std::optional<double> rate);

  [[nodiscard]] const format_info& info() const override { return format; }
  // Of the cells, and how many of these bits are set.
  [[nodiscard]] std::uint64_t bits() const override { return 8 * cells(); }
  [[nodiscard]] std::uint64_t hashes() const override { return 2; }
  [[nodiscard]] std::uint64_t ones() const override;
  // Of the cells that have a fingerprint.
  [[nodiscard]] double fill() const override;
  [[nodiscard]] double current_rate() const override;
  [[nodiscard]] std::vector<fact> facts() const override;
  [[nodiscard]] std::unique_ptr<filter> emptied() const override { return nullptr; }

 private:
  struct link {
    std::uint64_t buckets;  // a power of two
    redis_bytes cells;      // buckets one behind the other; 0 is empty
  };

  [[nodiscard]] std::uint64_t cells() const;
  [[nodiscard]] core::uint128 buckets_of(std::size_t index) const;
  void grow();
  void require_sound() const;
  [[nodiscard]] std::span<const std::byte> bucket_of(const link& in, std::uint64_t index) const;
  std::span<std::byte> bucket_of(link& in, std::uint64_t index) const;
  bool put(link& into, const place& key) const;
  bool put_by_moving(link& into, const place& key) const;
  void add(byte_view key) override;
  [[nodiscard]] bool has(byte_view key) const override;
  [[nodiscard]] redis_dump encoded() const override;

  std::uint64_t buckets_ = 0;  // of the first filter
  std::uint64_t items_ = 0;
  std::uint64_t deletions_ = 0;
  std::uint64_t bucket_size_ = usual_bucket;
  std::uint64_t iterations_ = usual_iterations;
  std::uint64_t expansion_ = usual_expansion;
  std::vector<link> links_;
};

}  // namespace bloomery::foreign
