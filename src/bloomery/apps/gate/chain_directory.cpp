#include "bloomery/apps/gate/chain_directory.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::apps {
namespace {

constexpr std::uint64_t most_steps = 1 << 20;

hash::uniform_probes probes_for(const chain_directory::plan& wanted) {
  math::require_whole("steps", wanted.steps, 1, most_steps);
  const math::standard_size size = math::plan_standard(wanted.steps, wanted.rate);
  return {size.bits, size.hashes};
}

}  // namespace

digest answer_and_move(tag_state& state) {
  const keyed_hash under(std::as_bytes(std::span(state)));
  const digest first = under(std::string_view("next, first half"));
  const digest second = under(std::string_view("next, second half"));
  state = {first.lo, first.hi, second.lo, second.hi};
  return under(std::string_view("answer"));
}

chain_directory::chain_directory(const plan& wanted, std::uint64_t tags)
    : steps_(wanted.steps),
      probes_(probes_for(wanted)),
      words_(tags / 64 + 1),
      rows_(probes_.cells, std::vector<std::uint64_t>(words_)) {}

bool chain_directory::bit(std::uint64_t row, std::size_t tag) const {
  return ((rows_[row][tag / 64] >> (tag % 64)) & 1) != 0;
}

std::size_t chain_directory::add(const tag_state& state) {
  const std::size_t tag = tags_.size();
  if (tag / 64 >= words_) {
    words_ *= 2;
    for (auto& row : rows_) row.resize(words_);
  }
  tags_.push_back(state);
  ones_.push_back(0);
  tag_state walked = state;
  for (std::uint64_t step = 0; step < steps_; ++step) {
    hash::each_position(probes_, answer_and_move(walked), [&](std::uint64_t row) {
      ones_[tag] += std::uint64_t{!bit(row, tag)};
      rows_[row][tag / 64] |= std::uint64_t{1} << (tag % 64);
    });
  }
  return tag;
}

std::optional<std::size_t> chain_directory::identify(digest answer) {
  std::vector<std::uint64_t> pass(words_, ~std::uint64_t{0});
  hash::each_position(probes_, answer, [&](std::uint64_t row) {
    for (std::size_t i = 0; i < words_; ++i) pass[i] &= rows_[row][i];
  });
  for (std::size_t i = 0; i < words_; ++i) {
    for (std::uint64_t left = pass[i]; left != 0; left &= left - 1) {
      const std::size_t tag = 64 * i + static_cast<std::size_t>(std::countr_zero(left));
      ++walks_;
      tag_state walked = tags_[tag];
      for (std::uint64_t step = 0; step < steps_; ++step) {
        ++steps_walked_;
        if (answer_and_move(walked) == answer) return tag;
      }
    }
  }
  return std::nullopt;
}

double chain_directory::expected_passes() const {
  double sum = 0;
  for (const std::uint64_t ones : ones_) {
    const double fill = static_cast<double>(ones) / static_cast<double>(probes_.cells);
    sum += math::instance_rate(fill, probes_.count);
  }
  return sum;
}

std::uint64_t chain_directory::bytes() const {
  return rows_.size() * words_ * 8 + tags_.size() * sizeof(tag_state);
}

}  // namespace bloomery::apps
