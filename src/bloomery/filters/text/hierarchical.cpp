#include "bloomery/filters/text/hierarchical.hpp"

#include <algorithm>
#include <climits>
#include <random>
#include <tuple>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery {

void hierarchical_shape::check() const {
  if (text_blocks <= max_text_bytes / block_bytes) return;
  fail(errc::invalid, "text_blocks is " + std::to_string(text_blocks) + "; allowed: up to " +
                          std::to_string(max_text_bytes / block_bytes) + " of block_bytes " +
                          std::to_string(block_bytes));
}

hierarchical_cells::hierarchical_cells(const shape& s, storage stored)
    : shape_(s),
      probing_({s.bits, s.hashes}),
      numbers_(words, stored.take_stored(bits::ledger::stored_bytes(words))),
      bits_(s.bits, std::move(stored)) {
  const std::uint64_t longest = numbers_.get(longest_blocks);
  if (sources() > s.sources || longest > s.text_blocks || (sources() == 0 && longest > 0) ||
      (longest == 0) != (bits_.count() == 0)) {
    fail(errc::corrupt, "a hierarchical filter cannot have " + std::to_string(sources()) +
                            " sources, " + std::to_string(longest) + " blocks in a text and " +
                            std::to_string(bits_.count()) + " bits set");
  }
}

hierarchical_shape hierarchical_cells::plan(std::uint64_t keys, double rate) {
  shape s;
  const math::standard_size size = math::plan_hierarchical(s.hierarchy(), keys, rate);
  s.bits = size.bits;
  s.hashes = size.hashes;
  return s;
}

text_insertion hierarchical_cells::insert_text(const hasher& hash, std::string_view text,
                                               std::uint64_t source) {
  math::require_whole("source", source, 0, shape_.sources - 1);
  const std::uint64_t blocks = text.size() / shape_.block_bytes;
  if (blocks > shape_.text_blocks) {
    fail(errc::limit, "the text has " + std::to_string(blocks) + " blocks; allowed: up to " +
                          std::to_string(shape_.text_blocks) + " (text_blocks)");
  }
  bool fresh = false;
  shape_.blocks().each(0, blocks, [&](const hash::nested_blocks::block& block) {
    const digest content = hash(text.substr(block.at, block.bytes));
    const auto set_for = [&](std::uint64_t whose) {
      fresh |= probing_.set(bits_, hash::nested_blocks::placed(content, block.number, whose));
    };
    set_for(any_source);
    if (shape_.sources > 1) set_for(1 + source);
    return true;
  });
  numbers_.set(sources_seen, std::max(sources(), source + 1));
  numbers_.set(longest_blocks, std::max(numbers_.get(longest_blocks), blocks));
  return {fresh, blocks};
}

bool hierarchical_cells::passes(const hasher& hash, std::string_view text, candidate at,
                                std::uint64_t source, std::uint64_t& work) const {
  const std::uint64_t blocks = (text.size() - at.skip) / shape_.block_bytes;
  return shape_.blocks().each(at.first, blocks, [&](const hash::nested_blocks::block& block) {
    work += 1 + block.bytes / 64;
    if (work > max_work) {
      fail(errc::limit, "the search took more than " + std::to_string(max_work) +
                            " lookups; ask for less, or with fewer repeats");
    }
    const digest content = hash(text.substr(at.skip + block.at, block.bytes));
    return probing_.test(bits_, hash::nested_blocks::placed(content, block.number, source));
  });
}

// Every offset in the longest text: the excerpt's first whole block is any of its blocks, and begins
// after any number of the excerpt's bytes below s. found(candidate, work) says whether to go on.
template <class Found>
void hierarchical_cells::each_match(const hasher& hash, std::string_view text, Found found) const {
  const std::uint64_t s = shape_.block_bytes;
  if (text.size() < 2 * s - 1) {
    fail(errc::invalid, "the text has " + std::to_string(text.size()) +
                            " bytes; allowed: " + std::to_string(2 * s - 1) +
                            " and more, since shorter ones may hold no whole block of " +
                            std::to_string(s));
  }
  std::uint64_t work = 0;
  for (std::uint64_t skip = 0; skip < s; ++skip) {
    const std::uint64_t blocks = (text.size() - skip) / s;
    const std::uint64_t longest = numbers_.get(longest_blocks);
    for (std::uint64_t first = skip == 0 ? 0 : 1; first + blocks <= longest; ++first) {
      const candidate at{skip, first};
      if (passes(hash, text, at, any_source, work) && !found(at, work)) return;
    }
  }
}

bool hierarchical_cells::contains_text(const hasher& hash, std::string_view text) const {
  bool found = false;
  each_match(hash, text, [&](candidate, std::uint64_t&) {
    found = true;
    return false;
  });
  return found;
}

std::vector<text_match> hierarchical_cells::search(const hasher& hash,
                                                   std::string_view text) const {
  std::vector<text_match> matches;
  each_match(hash, text, [&](candidate at, std::uint64_t& work) {
    for (std::uint64_t source = 0; source < sources(); ++source) {
      if (shape_.sources > 1 && !passes(hash, text, at, 1 + source, work)) continue;
      if (matches.size() == max_matches) {
        fail(errc::limit, "more than " + std::to_string(max_matches) + " matches");
      }
      matches.push_back({source, at.first * shape_.block_bytes - at.skip});
    }
    return true;
  });
  std::ranges::sort(matches, {}, [](const text_match& m) { return std::tie(m.source, m.offset); });
  return matches;
}

void hierarchical_cells::merge(const hierarchical_cells& other) {
  bits_.merge(other.bits_);
  for (std::uint64_t i = 0; i < words; ++i) {
    numbers_.set(i, std::max(numbers_.get(i), other.numbers_.get(i)));
  }
}

double hierarchical_cells::current_rate() const {
  const auto offsets = static_cast<double>(
      math::hierarchy_offsets(shape_.block_bytes, numbers_.get(longest_blocks)));
  return math::at_least_once(math::instance_rate(fill(), shape_.hashes), offsets);
}

std::function<std::string()> hierarchical_cells::random_texts(const shape& s, std::uint64_t seed) {
  if (CHAR_BIT * s.block_bytes < enough_random_bits) return {};
  return [random = std::mt19937_64(seed), bytes = 2 * s.block_bytes - 1]() mutable {
    std::string text(bytes, '\0');
    std::ranges::generate(text, [&] { return static_cast<char>(random()); });
    return text;
  };
}

template struct erasure<hierarchical_filter>;

}  // namespace bloomery
