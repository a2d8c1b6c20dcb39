// Filters in few bytes, for stores that keep one with each of many small tables.
//
// Purpose:   a stored file has a header, checksums and whole cache lines, some 150 bytes beyond the cells: too
//            much for the forty keys of a block. Here the name, which a store writes once, says kind, rate,
//            hash and version, and a filter is its number of keys, its shape and its cells without the runs
//            of zeros in their padding. Whoever stores it guards its bytes, as stores do by checksums.
// Cost:      6 to 20 bytes beyond the cells. Asking unpacks the filter first, which takes about a microsecond for
//            a hundred keys and grows with them. `open` it to ask often.
// Guarantee: never "no" for a key that was packed. Bytes that are no such filter answer "perhaps" to all,
//            never throw, and take no more memory than 4 KiB and 64 times their own length.
//
//     const bloomery::compact_filters filters("ribbon", 0.01);
//     const std::vector<bloomery::digest> keys{filters.digest_of("ant"), filters.digest_of("bee")};
//     const std::string packed = filters.pack(keys);
//     assert(filters.may_contain("ant", packed) && !filters.may_contain("cow", packed));
//     assert(filters.name() == "bloomery.1.ribbon.0.01" && filters.may_contain("cow", "no filter"));
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/any/registry.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery {

class compact_filters {
 public:
  // errc::invalid unless there is such a kind and such a rate; errc::unsupported if filters of the kind are
  // not made of keys, or may miss some.
  compact_filters(std::string_view kind, double rate);

  // Of what is packed under this name nothing changes, ever.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] digest digest_of(std::string_view key) const { return hash_(key); }

  // Repeats change nothing. Where no filter can be made of the keys, or there are none, what is packed says
  // "perhaps" to all. Never empty, never throws.
  [[nodiscard]] std::string pack(digest_span keys) const noexcept;

  // Nothing if the bytes are no filter.
  [[nodiscard]] std::optional<any_filter> open(std::string_view packed) const noexcept;
  [[nodiscard]] bool may_contain(digest key, std::string_view packed) const noexcept;
  [[nodiscard]] bool may_contain(std::string_view key, std::string_view packed) const noexcept {
    return may_contain(digest_of(key), packed);
  }
  // What share of strangers this filter lets pass: by its fill where the kind tells it, otherwise as predicted
  // for its keys; 1 for bytes that are no filter.
  [[nodiscard]] double rate_of(std::string_view packed) const;

 private:
  const any_kind& kind_;
  double rate_;
  xxh3_hash hash_;
  std::string name_;
};

}  // namespace bloomery
