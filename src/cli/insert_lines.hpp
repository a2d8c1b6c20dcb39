// From lines to a filter: the paths that build and add share.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "bloomery/any/any_filter.hpp"
#include "bloomery/hash/hasher.hpp"
#include "distinct.hpp"
#include "lines.hpp"
#include "options.hpp"

namespace bloomery::cli {

std::vector<digest> digests_of(const line_block& block, const hasher& hash);

// The keys of the command line, as a block of lines.
line_block block_of(const std::vector<std::string>& keys);

// Hash and insert every key; returns how many were new to the filter. Kinds that take keys from
// several threads do; the others take them in input order, as of the time when they came.
std::uint64_t insert_lines(any_filter& filter, const hasher& hash, line_source& source,
                           const line_options& options, const clock_option& clock, progress& shown);

// Inserts one block; with labels for a kind that remembers the keys it met most.
std::uint64_t insert_block(any_filter& filter, const line_block& block,
                           std::span<const digest> digests);

digest_spool hash_lines(const hasher& hash, line_source& source, const line_options& options,
                        progress& shown);
std::vector<digest> joined(digest_spool spool);
void insert_spool(any_filter& filter, const digest_spool& spool, unsigned threads);

// Calls use(block, digests) for the keys of the command line, then for the lines of the files, or of
// standard input if there are neither keys nor files; in input order.
template <class Use>
void for_keys(const hasher& hash, const std::vector<std::string>& keys,
              const std::vector<std::string>& files, const line_options& options, Use use);

// Calls use(text) for each text in the same order, on this thread alone.
void for_texts(const std::vector<std::string>& texts, const std::vector<std::string>& files,
               const line_options& options, const std::function<void(std::string_view)>& use);

// Does `work`; if the text is refused, as too short or too much of it, says so on standard error. False
// if it was.
bool try_text(std::string_view text, const std::function<void()>& work);
// As for_texts, but a text that is refused does not stop the others. False if there was one.
bool try_texts(const std::vector<std::string>& texts, const std::vector<std::string>& files,
               const line_options& options, const std::function<void(std::string_view)>& use);

// Texts and the number of their source, which has a name if lines are SOURCE SEP TEXT.
struct sourced_texts {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> sources;
  std::vector<std::string> names;
};
// `names` are those of the sources known before; further ones come after them.
sourced_texts read_texts(const std::vector<std::string>& texts,
                         const std::vector<std::string>& files, const line_options& options,
                         bool sources, std::vector<std::string> names = {});

struct text_tally {
  std::uint64_t fresh = 0;
  std::uint64_t left_out = 0;  // too short to be found again
};
text_tally insert_texts(any_filter& filter, const sourced_texts& input);
void report_left_out(const text_tally& done, const sourced_texts& input);  // on standard error

// Tells a person, on standard error, of lines that lack the field asked for.
void report_skipped(std::uint64_t lines, const line_format& format);

// Tells a person, on standard error, which of the keys asked for a verb could do nothing with.
void report_left(const std::vector<std::string>& keys, std::uint64_t asked, std::string_view what);

template <class Use>
void for_keys(const hasher& hash, const std::vector<std::string>& keys,
              const std::vector<std::string>& files, const line_options& options, Use use) {
  if (!keys.empty()) {
    const line_block block = block_of(keys);
    use(block, digests_of(block, hash));
  }
  if (!keys.empty() && files.empty()) return;
  progress shown;
  std::uint64_t skipped = 0;
  line_source source(files, options.format().delimiter, shown);
  process_lines(
      source, options.thread_count(), options.format(),
      [&](const line_block& block) { return digests_of(block, hash); },
      [&](const line_block& block, const std::vector<digest>& digests) {
        use(block, digests);
        skipped += block.skipped;
        shown.count(digests.size());
      });
  report_skipped(skipped, options.format());
}

}  // namespace bloomery::cli
