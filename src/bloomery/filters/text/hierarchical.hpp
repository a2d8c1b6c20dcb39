// The hierarchical Bloom filter: texts as blocks of growing size with their offsets, to find any part
// of them again.
//
// Purpose:   payload attribution: was this excerpt in what went by, where, and from which source?
// Cost:      two entries a block of s bytes, four with sources. A search tries every offset up to the
//            end of the longest text: s lookups for each of its blocks.
// Guarantee: every part of 2s-1 bytes or more of a text that was inserted is found, at its offset and
//            in its source; shorter ones are refused (errc::invalid), since they may hold no whole
//            block. Up to s-1 bytes at each end of an excerpt are not looked at. One candidate of l
//            aligned blocks passes by chance with f^(2l-1). A search ends with errc::limit after
//            max_work lookups or max_matches matches.
// Citation:  Shanmugasundaram, Brönnimann, Memon 2004; Tarkoma §III-E.
//
//     bloomery::hierarchical_shape shape = bloomery::hierarchical_filter::plan(1000, 0.001);
//     shape.block_bytes = 4;
//     bloomery::hierarchical_filter seen(shape);
//     seen.insert_text("the quick brown fox jumps over the lazy dog", 7);
//     assert(seen.search("brown fox").front() == (bloomery::text_match{7, 10}));
//     assert(!seen.may_contain_text("brown dog jumps"));
#pragma once

#include <array>
#include <string_view>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/batch/probing.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/nested_blocks.hpp"
#include "bloomery/math/kinds/hierarchical.hpp"

namespace bloomery {

struct hierarchical_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t block_bytes = 16;
  std::uint64_t levels = 5;
  std::uint64_t text_blocks = 4096;
  std::uint64_t sources = 256;

  static constexpr std::uint64_t max_text_bytes = std::uint64_t{1} << 23;
  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &hierarchical_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per entry", &hierarchical_shape::hashes, 1, max_hashes),
      whole_field("block_bytes", "s, bytes of the smallest block", &hierarchical_shape::block_bytes,
                  1, 4096),
      whole_field("levels", "sizes of block, each twice the one below", &hierarchical_shape::levels,
                  1, 16),
      whole_field("text_blocks", "most blocks of a text", &hierarchical_shape::text_blocks, 1,
                  max_text_bytes),
      whole_field("sources", "how many are told apart; 1 halves the entries",
                  &hierarchical_shape::sources, 1, 1 << 20),
  };
  void check() const;
  [[nodiscard]] hash::nested_blocks blocks() const { return {block_bytes, levels}; }
  [[nodiscard]] math::hierarchy hierarchy() const {
    return {block_bytes, levels, std::uint64_t{sources > 1 ? 2U : 1U}, text_blocks};
  }
};

class hierarchical_cells {
 public:
  using shape = hierarchical_shape;
  using can = ability_list<merges, tells_rate, reads_texts, searches>;
  static constexpr kind_info kind{
      .name = "hierarchical",
      .title = "Hierarchical Bloom filter",
      .answers = "Does x occur in a text, where, and in whose?",
      .citation = "Shanmugasundaram et al. 2004",
      .header = "bloomery/filters/text/hierarchical.hpp",
      .rate_is_limit = true,
  };
  // What a search may do: a lookup is one, and so is hashing 64 bytes for it.
  static constexpr std::uint64_t max_work = std::uint64_t{1} << 24;
  static constexpr std::uint64_t max_matches = std::uint64_t{1} << 16;

  explicit hierarchical_cells(const shape& s)
      : shape_(s), probing_({s.bits, s.hashes}), numbers_(words), bits_(s.bits) {}
  hierarchical_cells(const shape& s, storage stored);

  // `keys` are blocks of s bytes, of all texts together.
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::hierarchical_rate(s.hierarchy(), {s.bits, s.hashes, 0}, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::hierarchical_cost(s.hierarchy(), {s.bits, s.hashes, 0}, keys);
  }

  text_insertion insert_text(const hasher& hash, std::string_view text, std::uint64_t source = 0);
  [[nodiscard]] bool contains_text(const hasher& hash, std::string_view text) const;
  [[nodiscard]] std::vector<text_match> search(const hasher& hash, std::string_view text) const;
  void merge(const hierarchical_cells& other);

  static std::uint64_t sources(const shape& s) { return s.sources; }
  static shape with_sources(shape s, std::uint64_t sources) {
    s.sources = std::max(s.sources, sources);
    return s;
  }
  static std::function<std::string()> random_texts(const shape& s, std::uint64_t seed);

  [[nodiscard]] std::uint64_t sources() const { return numbers_.get(sources_seen); }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;  // for a text of 2s-1 bytes

  static void each_part(auto& self, auto visit) {
    visit(self.numbers_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(words) + bits::bit_array_bytes(s.bits);
  }

 private:
  enum word : std::uint64_t { sources_seen, longest_blocks, words };
  static constexpr std::uint64_t any_source = 0;  // else 1 + its number

  struct candidate {
    std::uint64_t skip;   // bytes of the excerpt before its first whole block,
    std::uint64_t first;  // which has this number in the text
  };
  template <class Found>
  void each_match(const hasher& hash, std::string_view text, Found found) const;
  [[nodiscard]] bool passes(const hasher& hash, std::string_view text, candidate at,
                            std::uint64_t source, std::uint64_t& work) const;

  shape shape_;
  bits::probing<hash::uniform_probes> probing_;
  bits::ledger numbers_;
  bits::bit_array bits_;
};

using hierarchical_filter = filter<hierarchical_cells>;

}  // namespace bloomery
