#include "input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

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
  tell(fmt::format(
      "skipped {} {} without field {}", format_count(lines), lines == 1 ? "line" : "lines",
      format_.field_name.empty() ? std::to_string(format_.field) : format_.field_name));
}

key_input key_input::of_pairs() const {
  key_input columns = *this;
  columns.format_.field = 1;
  columns.format_.pairs = true;
  return columns;
}

void key_input::each_pair(const hasher& hash, const pair_use& use) const {
  of_pairs().each(hash, [&](const line_block& block, std::span<const digest> digests) {
    for (std::size_t i = 0; i < digests.size(); ++i)
      use(block.keys[i], digests[i], block.values[i]);
  });
}

void key_input::each_sourced_text(const sourced_use& use) const {
  key_input alone = of_pairs();
  alone.threads_ = 1;
  alone.each_block([](const line_block& /*block*/) { return true; },
                   [&](const line_block& block, bool /*result*/) {
                     for (std::size_t i = 0; i < block.keys.size(); ++i) {
                       use(block.keys[i], block.values[i]);
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
  std::vector<digest> all;
  each(hash, [&](const line_block& /*block*/, std::span<const digest> digests) {
    all.insert(all.end(), digests.begin(), digests.end());
  });
  return all;
}

distinct_keys key_input::distinct(const hasher& hash) const {
  distinct_keys all(threads_);
  each_block([&](const line_block& block) { return without_close_repeats(hashed(block, hash)); },
             [&](const line_block& block, const std::vector<digest>& digests) {
               all.add(digests, block.keys.size());
             });
  return all;
}

key_input key_input::kept() const {
  key_input again = *this;
  if (keys_.empty() && files_.empty()) again.files_.emplace_back("-");
  for (std::string& name : again.files_) {
    if (name == "-" && can_be_read_again(name)) name = "/dev/stdin";
    if (can_be_read_again(name)) continue;
    again.copies_.push_back(copy_of(name));
    name = fmt::format("/dev/fd/{}", ::fileno(again.copies_.back().get()));
  }
  return again;
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

}  // namespace bloomery::cli
