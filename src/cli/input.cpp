#include "input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "message.hpp"

namespace bloomery::cli {

line_block key_input::block_of_keys() const {
  line_block block;
  for (const std::string& key : keys_) {
    block.line_of_key.push_back(block.lines.size());
    block.lines.emplace_back(key);
    block.keys.emplace_back(key);
  }
  return block;
}

std::vector<digest> key_input::hashed(const line_block& block, const hasher& hash) {
  std::vector<digest> digests(block.keys.size());
  hash(block.keys, digests);
  return digests;
}

void key_input::report_skipped(std::uint64_t lines) const {
  if (lines == 0) return;
  tell(fmt::format("skipped {} {} without field {}", format_count(lines),
                   lines == 1 ? "line" : "lines", format_.field));
}

void key_input::each_pair(const hasher& hash, const pair_use& use) const {
  key_input columns = *this;
  columns.format_.field = 1;
  std::uint64_t line_number = 0;
  columns.each(hash, [&](const line_block& block, std::span<const digest> digests) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      ++line_number;
      const std::string_view line = block.lines[block.line_of_key[i]];
      const std::string_view key = block.keys[i];
      if (key.size() == line.size()) {
        fail(errc::invalid, fmt::format("line {} has no value: expected KEY, a separator "
                                        "(--separator, a tab) and VALUE",
                                        line_number));
      }
      use(key, digests[i], line.substr(key.size() + 1));
    }
  });
}

void key_input::each_text(const text_use& use) const {
  key_input alone = *this;
  alone.threads_ = 1;
  alone.each_block([](const line_block& /*block*/) { return true; },
                   [&](const line_block& block, bool /*result*/) {
                     for (const std::string_view text : block.keys) use(text);
                   });
}

bool key_input::try_each_text(const text_use& use) const {
  bool all = true;
  each_text([&](std::string_view text) {
    if (!try_text(text, [&] { use(text); })) all = false;
  });
  return all;
}

std::vector<digest> key_input::digests(const hasher& hash) const {
  // Each piece is large enough for the allocator to give it back by itself, so that the digests are
  // never there twice.
  constexpr std::size_t piece_size = (std::size_t{32} << 20) / sizeof(digest);
  std::vector<std::vector<digest>> pieces(1);
  std::size_t total = 0;
  each(hash, [&](const line_block& /*block*/, std::span<const digest> digests) {
    if (pieces.back().size() + digests.size() > pieces.back().capacity()) {
      pieces.emplace_back().reserve(std::max(piece_size, digests.size()));
    }
    pieces.back().insert(pieces.back().end(), digests.begin(), digests.end());
    total += digests.size();
  });
  std::vector<digest> all;
  all.reserve(total);
  for (std::vector<digest>& piece : pieces) {
    all.insert(all.end(), piece.begin(), piece.end());
    std::vector<digest>().swap(piece);
  }
  return all;
}

std::vector<std::string> key_input::files_read() const {
  return keys_.empty() && files_.empty() ? std::vector<std::string>{"-"} : files_;
}

key_input key_options::input() const {
  return {keys, files, lines};
}

std::vector<std::string> key_options::files_read() const {
  std::vector<std::string> all = input().files_read();
  all.push_back(key_file.path);
  if (filter == "-") all.push_back(filter);
  return all;
}

bool try_text(std::string_view text, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const error& problem) {
    if (problem.code() != errc::invalid && problem.code() != errc::limit) throw;
    tell(in_quotes(text) + ": " + problem.what());
    return false;
  }
}

std::uint64_t count_distinct(std::span<const digest> keys, unsigned threads) {
  std::vector<std::uint64_t> sorted(keys.size());
  bits::deal_in_order(
      std::span(sorted), bits::threads_for(keys.size(), threads),
      [&](std::uint64_t i) { return keys[i].lo; }, std::identity{}, std::identity{});
  return static_cast<std::uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

}  // namespace bloomery::cli
