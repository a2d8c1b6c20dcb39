// A filter of any kind by name in LevelDB: one for each block of a table, instead of LevelDB's own Bloom filter.
//
// Purpose:   a FilterPolicy for leveldb::Options. LevelDB packs one filter for each block of data (4 KiB of it
//            unless Options::block_size says otherwise) and reads no block whose filter says "no". Link with
//            bloomery and leveldb; this header is the only part that knows LevelDB.
// Cost:      asking unpacks the block's filter first; see bloomery/any/compact.hpp. docs/plugins.md has bytes
//            and rates by kind: ribbon pays from some thousand keys a block, golomb below.
// Guarantee: no key that is in a block is missed. A damaged filter lets all pass. Nothing throws into LevelDB.
//            Name() says kind, rate and version of the bytes: LevelDB reads tables of another policy without
//            filters, and needs no conversion.
// Citation:  Chang et al. 2006 (Bigtable), §6.
//
//     const auto policy = bloomery::leveldb_policy("ribbon", 0.01);
//     leveldb::Options options;
//     options.filter_policy = policy.get();  // must outlive the database
#pragma once

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/compact.hpp"

namespace bloomery {

class leveldb_filter_policy : public leveldb::FilterPolicy {
 public:
  leveldb_filter_policy(std::string_view kind, double rate) : filters_(kind, rate) {}

  const char* Name() const override { return filters_.name().c_str(); }

  void CreateFilter(const leveldb::Slice* keys, int n, std::string* out) const override {
    try {
      std::vector<digest> digests(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < digests.size(); ++i) digests[i] = digest_of(keys[i]);
      out->append(filters_.pack(digests));
    } catch (...) {
      out->push_back(
          '\0');  // no memory: all may be here. LevelDB takes an empty filter for "nothing is".
    }
  }

  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return filters_.may_contain(digest_of(key), {filter.data(), filter.size()});
  }

  [[nodiscard]] const compact_filters& filters() const { return filters_; }

 private:
  [[nodiscard]] digest digest_of(const leveldb::Slice& key) const {
    return filters_.digest_of(std::string_view(key.data(), key.size()));
  }

  compact_filters filters_;
};

// errc::invalid or errc::unsupported, as compact_filters, for a kind or rate that will not do.
inline std::unique_ptr<leveldb_filter_policy> leveldb_policy(std::string_view kind, double rate) {
  return std::make_unique<leveldb_filter_policy>(kind, rate);
}

}  // namespace bloomery
