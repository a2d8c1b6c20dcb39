#include "bloomery/apps/exchange/lt_code.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/reconciliation.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::exchange {
namespace {

// Luby's constants, as they are usually chosen for some thousand blocks.
constexpr double soliton_c = 0.03;
constexpr double soliton_delta = 0.5;

void add_bytes(std::span<std::byte> to, byte_view more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= more[i];
}

}  // namespace

lt_code::lt_code(std::uint64_t blocks, std::uint64_t block_bytes, std::uint64_t seed)
    : blocks_(blocks), block_bytes_(block_bytes), seed_(seed) {
  math::require_whole("blocks", blocks, 2, 1 << 16);
  math::require_whole("block_bytes", block_bytes, 1, 1 << 16);
  up_to_ = math::robust_soliton(blocks, soliton_c, soliton_delta);
  std::partial_sum(up_to_.begin(), up_to_.end(), up_to_.begin());
}

std::vector<std::uint32_t> lt_code::members(std::uint64_t symbol) const {
  apps::random_stream random(seed_, symbol);
  const auto found = std::ranges::upper_bound(up_to_, random.uniform());
  const auto degree =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(found - up_to_.begin()) + 1, blocks_);
  std::set<std::uint32_t> drawn;
  while (drawn.size() < degree) drawn.insert(static_cast<std::uint32_t>(random.below(blocks_)));
  return {drawn.begin(), drawn.end()};
}

std::vector<std::byte> lt_code::symbol(byte_view file, std::uint64_t number) const {
  if (file.size() != blocks_ * block_bytes_) {
    fail(errc::invalid, "the file has " + std::to_string(file.size()) +
                            " bytes; allowed: " + std::to_string(blocks_ * block_bytes_));
  }
  std::vector<std::byte> sum(block_bytes_);
  for (const std::uint32_t each : members(number)) {
    add_bytes(sum, file.subspan(each * block_bytes_, block_bytes_));
  }
  return sum;
}

lt_decoder::lt_decoder(const lt_code& code)
    : code_(&code),
      file_(code.blocks() * code.block_bytes()),
      has_(code.blocks()),
      in_(code.blocks()) {}

void lt_decoder::add(std::uint64_t number, std::vector<std::byte> symbol) {
  if (symbol.size() != code_->block_bytes()) {
    fail(errc::corrupt, "a symbol has " + std::to_string(symbol.size()) +
                            " bytes; allowed: " + std::to_string(code_->block_bytes()));
  }
  open_symbol left{{}, std::move(symbol)};
  for (const std::uint32_t each : code_->members(number)) {
    if (!has_[each]) {
      left.members.push_back(each);
    } else {
      add_bytes(left.bytes,
                byte_view(file_).subspan(each * code_->block_bytes(), left.bytes.size()));
    }
  }
  if (left.members.size() == 1) return learn(left.members.front(), left.bytes);
  if (left.members.empty()) return;
  for (const std::uint32_t each : left.members) in_[each].push_back(open_.size());
  open_.push_back(std::move(left));
}

// Takes a block out of all open symbols, and then what that leaves alone.
void lt_decoder::learn(std::uint32_t block, const std::vector<std::byte>& bytes) {
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> learnt{{block, bytes}};
  while (!learnt.empty()) {
    const auto [now, content] = std::move(learnt.back());
    learnt.pop_back();
    if (has_[now]) continue;
    has_[now] = true;
    ++known_;
    std::ranges::copy(content, file_.begin() + static_cast<std::ptrdiff_t>(now * content.size()));
    for (const std::size_t at : in_[now]) {
      open_symbol& each = open_[at];
      std::erase(each.members, now);
      add_bytes(each.bytes, content);
      if (each.members.size() == 1) learnt.emplace_back(each.members.front(), each.bytes);
    }
    in_[now].clear();
  }
}

}  // namespace bloomery::exchange
