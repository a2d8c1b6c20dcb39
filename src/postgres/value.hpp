// A value of the SQL type `bloomery`: a stored filter that has been checked and can be asked here. Nothing
// of PostgreSQL is in it; what is wrong throws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::postgres {

// Of a stored filter: written in hexadecimal digits, as dumps do, it fits PostgreSQL's gigabyte.
inline constexpr std::uint64_t most_bytes = std::uint64_t{511} << 20;

void require_size(const any_kind& kind, std::uint64_t bytes);  // or errc::limit
// Throws unless it answers membership queries under a hash without a secret and claims no more than
// wire::filter_limits allow.
void require_useful(const any_filter& filter);

// A filter that is only well-formed, and one that is useful as well. Plain or compressed.
any_filter loaded(byte_view stored);
any_filter opened(byte_view stored);

// As the cells stand, or predicted where the kind cannot tell.
double rate_of(const any_filter& filter);
std::string described(const any_filter& filter);  // in JSON

// A filter that is asked again and again. It knows itself in stored bytes by their header, which has the
// checksum of the cells.
class remembered {
 public:
  explicit remembered(byte_view stored);
  remembered(const remembered&) = delete;
  remembered& operator=(const remembered&) = delete;
  ~remembered() = default;

  [[nodiscard]] bool is(byte_view stored) const;
  [[nodiscard]] bool has(std::string_view key) const { return asks_->may_contain(hash_(key)); }

 private:
  any_filter filter_;
  const asks* asks_;
  hasher hash_;
  std::size_t size_;
  std::vector<std::byte> header_;
};

}  // namespace bloomery::postgres
