// The value of CF.* keys: a chain of cuckoo filters (Fan, Andersen, Kaminsky, Mitzenmacher 2014) with
// fingerprints of a byte, in the cells and the encoding of the type MBbloomCF.
//
// Guarantee: the same calls make the same bytes as in other modules of this type, in RDB, in DUMP and in the
//            chunks of SCANDUMP; nothing read is believed unchecked.
#pragma once

#include <string>
#include <vector>

#include "redis/type.hpp"

namespace bloomery::redis {

class cuckoo_chain : public stored<cuckoo_chain> {
 public:
  static constexpr const char* type_name = "MBbloomCF";
  static constexpr int encoding = 4;
  static constexpr std::uint64_t most_bytes_of_chunk = std::uint64_t{16} << 20;

  struct shape {
    std::uint64_t capacity = 1024;
    std::uint16_t bucket_size = 2;
    std::uint16_t iterations = 20;
    std::uint16_t expansion = 1;  // rounded up to a power of two; 0 does not grow
  };

  // A key as its fingerprint and its two buckets, before they are reduced to a filter's number of buckets.
  struct place {
    std::uint64_t first;
    std::uint64_t second;
    std::uint8_t fingerprint;
  };

  struct link {
    block cells;            // buckets one behind the other; 0 is empty
    std::uint64_t buckets;  // a power of two
  };

  // The capacity must be at least two buckets.
  cuckoo_chain(const shape& wanted, budget allowed);
  // Of the header that `header` makes, with all cells still to come in chunks.
  static cuckoo_chain from_header(byte_view header, budget allowed);

  [[nodiscard]] static place of(byte_view key);
  void prefetch(const place& key) const;
  [[nodiscard]] bool contains(const place& key) const;
  // Of equal fingerprints, in all filters. One whose two buckets are the same is counted in both, as other
  // modules of this type do.
  [[nodiscard]] std::uint64_t count(const place& key) const;
  // False if it is full and does not grow.
  bool add(const place& key, budget allowed);
  // False if it was not there. Now and then moves what is in later filters to earlier ones.
  bool remove(const place& key);
  // Moves what it can to earlier filters, and drops later ones that are empty then. Whether anything did.
  bool compact();

  [[nodiscard]] const auto& links() const { return links_; }
  [[nodiscard]] std::uint64_t buckets() const { return buckets_; }
  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t deletions() const { return deletions_; }
  [[nodiscard]] std::uint64_t bucket_size() const { return bucket_size_; }
  [[nodiscard]] std::uint64_t expansion() const { return expansion_; }
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  // As other modules of this type report it, whatever it takes here.
  [[nodiscard]] std::uint64_t reported_bytes() const;

  // Chunks: `position` counts bytes of all filters, in order.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] byte_view chunk(std::uint64_t position) const;  // empty behind the last
  // Throws errc::invalid if no filter has these bytes.
  void set_chunk(std::uint64_t position, byte_view bytes);

  static cuckoo_chain load(reading& from, int written);  // with which encoding
  void save(writing& to) const;
  void rewrite(rewriting& to) const;
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] cuckoo_chain copy() const;
  template <class Move>
  void relocate(const Move& move) {
    for (link& each : links_) each.cells.relocate(move);
  }

 private:
  cuckoo_chain() = default;
  [[nodiscard]] core::uint128 buckets_of(std::size_t index) const;
  void grow(budget allowed);
  bool add_by_moving(const place& key);
  bool compact(bool all);
  bool moved_to_earlier(std::size_t index, std::uint64_t bucket, std::byte& cell);
  [[nodiscard]] std::byte* bucket_of(link& in, std::uint64_t index) const;
  [[nodiscard]] const std::byte* bucket_of(const link& in, std::uint64_t index) const;
  // The first cell of either bucket with this content, or null.
  std::byte* find(link& in, const place& key, std::uint8_t content) const;
  void require_sound() const;

  std::vector<link, allocator<link>> links_;
  std::uint64_t buckets_ = 0;  // of the first filter
  std::uint64_t items_ = 0;
  std::uint64_t deletions_ = 0;
  std::uint16_t bucket_size_ = 0;
  std::uint16_t iterations_ = 0;
  std::uint16_t expansion_ = 0;
};

}  // namespace bloomery::redis
