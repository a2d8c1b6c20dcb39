#include "insert_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <unordered_map>
#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

bool shares(const any_filter& filter, unsigned threads) {
  return threads > 1 && filter.kind().can.insert_shared;
}

}  // namespace

std::vector<digest> digests_of(const line_block& block, const hasher& hash) {
  std::vector<digest> digests(block.keys.size());
  hash(block.keys, digests);
  return digests;
}

void for_texts(const std::vector<std::string>& texts, const std::vector<std::string>& files,
               const line_options& options, const std::function<void(std::string_view)>& use) {
  for (const std::string& text : texts) use(text);
  if (!texts.empty() && files.empty()) return;
  progress shown;
  std::uint64_t skipped = 0;
  line_source source(files, options.format().delimiter, shown);
  line_block block;
  while (source.next(block)) {
    block.split(options.format());
    for (const std::string_view text : block.keys) use(text);
    skipped += block.skipped;
    shown.count(block.keys.size());
  }
  report_skipped(skipped, options.format());
}

bool try_text(std::string_view text, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const error& problem) {
    if (problem.code() != errc::invalid && problem.code() != errc::limit) throw;
    fmt::print(stderr, "bloomery: '{}': {}\n", text, problem.what());
    return false;
  }
}

bool try_texts(const std::vector<std::string>& texts, const std::vector<std::string>& files,
               const line_options& options, const std::function<void(std::string_view)>& use) {
  bool all = true;
  for_texts(texts, files, options, [&](std::string_view text) {
    if (!try_text(text, [&] { use(text); })) all = false;
  });
  return all;
}

sourced_texts read_texts(const std::vector<std::string>& texts,
                         const std::vector<std::string>& files, const line_options& options,
                         bool sources, std::vector<std::string> names) {
  sourced_texts input;
  input.names = std::move(names);
  std::unordered_map<std::string, std::uint64_t> number_of;
  for (const std::string& name : input.names) number_of.emplace(name, number_of.size());
  const char separator = options.format().separator;
  for_texts(texts, files, options, [&](std::string_view line) {
    std::uint64_t source = 0;
    if (sources) {
      const std::size_t end = line.find(separator);
      if (end == std::string_view::npos) {
        fail(errc::invalid, "line " + format_count(input.texts.size() + 1) +
                                " names no source: expected SOURCE, a separator and the text");
      }
      const auto [known, is_new] =
          number_of.try_emplace(std::string(line.substr(0, end)), number_of.size());
      if (is_new) input.names.push_back(known->first);
      source = known->second;
      line.remove_prefix(end + 1);
    }
    input.texts.emplace_back(line);
    input.sources.push_back(source);
  });
  return input;
}

text_tally insert_texts(any_filter& filter, const sourced_texts& input) {
  text_tally done;
  std::uint64_t items = filter.record().items;
  for (std::size_t i = 0; i < input.texts.size(); ++i) {
    done.fresh += std::uint64_t{filter.insert_text(input.texts[i], input.sources[i])};
    done.left_out += std::uint64_t{filter.record().items == items};
    items = filter.record().items;
  }
  return done;
}

void report_left_out(const text_tally& done, const sourced_texts& input) {
  if (done.left_out == 0) return;
  fmt::print(stderr, "bloomery: {} of {} texts are too short and were left out\n",
             format_count(done.left_out), format_count(input.texts.size()));
}

void report_skipped(std::uint64_t lines, const line_format& format) {
  if (lines == 0) return;
  fmt::print(stderr, "bloomery: skipped {} {} without field {}\n", format_count(lines),
             lines == 1 ? "line" : "lines", format.field);
}

void report_left(const std::vector<std::string>& keys, std::uint64_t asked, std::string_view what) {
  constexpr std::size_t most_named = 10;
  if (keys.empty()) return;
  std::string text = fmt::format("bloomery: {} of {} keys {}:", format_count(keys.size()),
                                 format_count(asked), what);
  for (std::size_t i = 0; i < std::min(keys.size(), most_named); ++i) {
    text += fmt::format("{} '{}'", i == 0 ? "" : ",", keys[i]);
  }
  if (keys.size() > most_named)
    text += fmt::format(" and {} more; --json names them", format_count(keys.size() - most_named));
  fmt::print(stderr, "{}\n", text);
}

line_block block_of(const std::vector<std::string>& keys) {
  line_block block;  // a key on the command line is a line of its own, whatever bytes it holds
  for (const std::string& key : keys) {
    block.line_of_key.push_back(block.lines.size());
    block.lines.emplace_back(key);
    block.keys.emplace_back(key);
  }
  return block;
}

std::uint64_t insert_block(any_filter& filter, const line_block& block,
                           std::span<const digest> digests) {
  const std::uint64_t fresh = filter.insert(digests);
  if (filter.kind().can.rank) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (filter.wants_label(digests[i])) filter.label(digests[i], block.keys[i]);
    }
  }
  return fresh;
}

std::uint64_t insert_lines(any_filter& filter, const hasher& hash, line_source& source,
                           const line_options& options, const clock_option& clock,
                           progress& shown) {
  const unsigned threads = options.thread_count();
  const bool shared = shares(filter, threads);
  std::atomic<std::uint64_t> fresh{0};
  std::uint64_t skipped = 0;
  process_lines(
      source, threads, options.format(),
      [&](const line_block& block) {
        auto digests = digests_of(block, hash);
        if (shared) fresh += filter.insert_shared(digests);
        return digests;
      },
      [&](const line_block& block, const std::vector<digest>& digests) {
        if (!shared) {
          clock.advance(filter);
          fresh += insert_block(filter, block, digests);
        }
        skipped += block.skipped;
        shown.count(digests.size());
      });
  report_skipped(skipped, options.format());
  return fresh;
}

digest_spool hash_lines(const hasher& hash, line_source& source, const line_options& options,
                        progress& shown) {
  digest_spool spool;
  std::uint64_t skipped = 0;
  process_lines(
      source, options.thread_count(), options.format(),
      [&](const line_block& block) { return digests_of(block, hash); },
      [&](const line_block& block, std::vector<digest>& digests) {
        shown.count(digests.size());
        skipped += block.skipped;
        spool.push_back(std::move(digests));
      });
  report_skipped(skipped, options.format());
  return spool;
}

std::vector<digest> joined(digest_spool spool) {
  std::size_t total = 0;
  for (const auto& digests : spool) total += digests.size();
  std::vector<digest> all;
  all.reserve(total);
  for (auto& digests : spool) {
    all.insert(all.end(), digests.begin(), digests.end());
    std::vector<digest>().swap(digests);  // so that they are not all there twice
  }
  return all;
}

void insert_spool(any_filter& filter, const digest_spool& spool, unsigned threads) {
  if (!shares(filter, threads)) {
    for (const auto& digests : spool) filter.insert(digests);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto worker = [&] {
    for (std::size_t i = next++; i < spool.size(); i = next++) filter.insert_shared(spool[i]);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(worker);
  worker();
  for (std::thread& other : others) other.join();
}

}  // namespace bloomery::cli
