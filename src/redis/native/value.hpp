// A key of the type `bloomery1`: a filter of any kind in its stored form, or the first part of one that is
// arriving in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/hash/hasher.hpp"
#include "redis/memory.hpp"
#include "redis/type.hpp"

namespace bloomery::redis {

// In which filters are dumped, and in which they are written to RDB and to the file of commands.
inline constexpr std::uint64_t piece_bytes = std::uint64_t{16} << 20;

// A stored filter's bytes without a copy of the cells: a header, what lies in the filter, and its names.
class stored_bytes {
 public:
  // All of it, or for a piece from `position` on: to seal a header that is not asked for would take a pass over
  // the cells.
  explicit stored_bytes(const any_filter& filter, std::uint64_t position = 0);
  stored_bytes(const stored_bytes&) = delete;
  stored_bytes& operator=(const stored_bytes&) = delete;
  ~stored_bytes() = default;

  [[nodiscard]] std::uint64_t size() const { return wire::total_bytes(parts_.all); }
  [[nodiscard]] std::span<const byte_view> parts() const { return parts_.all; }
  // From there on, a piece or what is left of one.
  [[nodiscard]] std::vector<std::byte> piece(std::uint64_t position) const;

 private:
  wire::file_parts parts_;
};

// Which filter over many keys a key is a part of, and how often that has been arranged anew since.
struct membership {
  std::uint64_t family = 0;  // 0 is none
  std::uint64_t epoch = 0;
  friend bool operator==(const membership&, const membership&) = default;
};

class bloom_value : public stored<bloom_value> {
 public:
  static constexpr const char* type_name = "bloomery1";
  static constexpr int encoding = 1;  // 0 had no membership

  explicit bloom_value(any_filter filter) : filter_(std::move(filter)) {}
  // Nothing yet.
  bloom_value() = default;

  // The filter; an error while it is still arriving.
  [[nodiscard]] any_filter& filter();
  [[nodiscard]] const any_filter& filter() const;
  void replace(any_filter filter) { filter_ = std::move(filter); }
  [[nodiscard]] bool whole() const { return filter_.has_value(); }

  [[nodiscard]] const membership& part_of() const { return part_of_; }
  void join(const membership& of) { part_of_ = of; }

  // The next piece of a stored filter, which begins at `position`: errc::invalid if that is not where the last
  // one ended, and whatever loading throws once all are there.
  void take(std::uint64_t position, byte_view piece, budget allowance);

  static bloom_value load(reading& from, int written_as);
  void save(writing& to) const;
  void rewrite(rewriting& to) const;
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] bloom_value copy() const;
  template <class Move>
  void relocate(const Move& /*move*/) {
  }  // cells are few large runs, which leave no gaps between them

 private:
  [[nodiscard]] std::optional<stored_bytes> all() const;  // none while it is arriving
  template <class Use>
  void each_run(const stored_bytes* all, const Use& use) const;
  void finish(budget allowance);

  membership part_of_;
  std::optional<any_filter> filter_;
  std::vector<block> arrived_;
  std::uint64_t size_ = 0;   // of those
  std::uint64_t total_ = 0;  // that the header states
};

}  // namespace bloomery::redis
