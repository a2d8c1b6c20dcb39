// From the input into a filter: what build and add share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "input.hpp"
#include "options.hpp"

namespace bloomery::cli {

// Inserts every key; returns how many were new to the filter. Kinds that take keys from several threads
// do; the others take them in input order, as of the time when they came. `after_block`, if any, is
// called now and then.
std::uint64_t insert_keys(any_filter& filter, const hasher& hash, const key_input& input,
                          const clock_option& clock, const std::function<void()>& after_block = {});

// Inserts one block; with labels for a kind that remembers the keys it met most.
std::uint64_t insert_block(any_filter& filter, const hasher& hash, const line_block& block,
                           std::span<const digest> digests);

// Calls use(digests) for the keys in their order, but for the last time for no fewer than `least` at once.
template <class Use>
void each_batch(const key_input& input, const hasher& hash, std::size_t least, const Use& use) {
  std::vector<digest> waiting;
  input.each(hash, [&](const line_block& /*block*/, std::span<const digest> digests) {
    if (waiting.empty() && digests.size() >= least) return use(digests);
    waiting.insert(waiting.end(), digests.begin(), digests.end());
    if (waiting.size() < least) return;
    use(std::span<const digest>(waiting));
    waiting.clear();
  });
  if (!waiting.empty()) use(std::span<const digest>(waiting));
}

// Texts and the number of their source, which has a name if lines are SOURCE SEP TEXT.
struct sourced_texts {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> sources;
  std::vector<std::string> names;
};
// `names` are those of the sources known before; further ones come after them.
sourced_texts read_texts(const key_input& input, bool sources, const name_list& names = {});

struct text_tally {
  std::uint64_t fresh = 0;
  std::uint64_t left_out = 0;  // too short to be found again
};
text_tally insert_texts(any_filter& filter, const hasher& hash, const sourced_texts& input);
void report_left_out(const text_tally& done, const sourced_texts& input);  // on standard error

}  // namespace bloomery::cli
