#include "insertion.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <map>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "message.hpp"

namespace bloomery::cli {

std::uint64_t insert_block(any_filter& filter, const hasher& hash, const line_block& block,
                           std::span<const digest> digests) {
  const std::uint64_t fresh = filter.as<inserts>().insert(digests);
  if (filter.kind().can<ranks>()) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (filter.as<ranks>().wants_label(digests[i]))
        filter.as<ranks>().label(digests[i], block.keys[i], &hash);
    }
  }
  return fresh;
}

std::uint64_t insert_keys(any_filter& filter, const hasher& hash, const key_input& input,
                          const clock_option& clock, const std::function<void()>& after_block) {
  const bool shared = input.threads() > 1 && filter.kind().can<shares>();
  std::atomic<std::uint64_t> fresh{0};
  input.each_block(
      [&](const line_block& block) {
        auto digests = key_input::hashed(block, hash);
        if (shared) fresh += filter.as<shares>().insert_shared(digests);
        return digests;
      },
      [&](const line_block& block, const std::vector<digest>& digests) {
        if (!shared) {
          clock.advance(filter);
          fresh += insert_block(filter, hash, block, digests);
        }
        if (after_block) after_block();
      });
  return fresh;
}

sourced_texts read_texts(const key_input& input, bool sources, const name_list& names) {
  sourced_texts read;
  read.names.assign(names.begin(), names.end());
  std::map<std::string, std::uint64_t> number_of;
  for (const std::string& name : read.names) number_of.emplace(name, number_of.size());
  const auto add = [&](std::uint64_t source, std::string_view text) {
    read.texts.emplace_back(text);
    read.sources.push_back(source);
  };
  if (!sources) {
    input.each_text([&](std::string_view text) { add(0, text); });
    return read;
  }
  input.each_sourced_text([&](std::string_view source, std::string_view text) {
    const auto [known, is_new] = number_of.try_emplace(std::string(source), number_of.size());
    if (is_new) read.names.push_back(known->first);
    add(known->second, text);
  });
  return read;
}

text_tally insert_texts(any_filter& filter, const hasher& hash, const sourced_texts& input) {
  text_tally done;
  std::uint64_t items = filter.record().items;
  for (std::size_t i = 0; i < input.texts.size(); ++i) {
    done.fresh += std::uint64_t{
        filter.as<reads_texts>().insert_text(input.texts[i], input.sources[i], &hash)};
    done.left_out += std::uint64_t{filter.record().items == items};
    items = filter.record().items;
  }
  return done;
}

void report_left_out(const text_tally& done, const sourced_texts& input) {
  if (done.left_out == 0) return;
  tell(fmt::format("{} of {} texts are too short and were left out", format_count(done.left_out),
                   format_count(input.texts.size())));
}

}  // namespace bloomery::cli
