#include "insert_lines.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

#include "bloomery/any/registry.hpp"
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

void report_skipped(std::uint64_t lines, const line_format& format) {
  if (lines == 0) return;
  fmt::print(stderr, "bloomery: skipped {} {} without field {}\n", format_count(lines),
             lines == 1 ? "line" : "lines", format.field);
}

std::uint64_t insert_lines(any_filter& filter, const hasher& hash, line_source& source,
                           const line_options& options, progress& shown) {
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
        if (!shared) fresh += filter.insert(digests);
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
