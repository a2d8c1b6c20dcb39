#include "bloomery/filters/routing/exponential_decay.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/exponential_decay.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {
namespace {

// The same for ever for a link and a bit: a coin thrown anew at each update would make routes flicker.
bool survives(std::uint64_t link, std::uint64_t bit, double decay) {
  constexpr double unit = 0x1p-53;
  const std::uint64_t coin = hash::mix(hash::mix(link + hash::golden) + bit * hash::golden);
  return static_cast<double>(coin >> 11) * unit * decay < 1;
}

}  // namespace

exponential_decay_shape exponential_decay_cells::plan(std::uint64_t keys, double rate) {
  shape s;
  s.bits = math::plan_scored(s.hashes, keys, rate).bits;
  return s;
}

double exponential_decay_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits, keys, s.hashes);
}

bool exponential_decay_cells::insert(digest d) {
  const std::uint64_t before = ones_;
  hash::each_position(probes(), d, [&](std::uint64_t i) { ones_ += std::uint64_t{bits_.set(i)}; });
  return ones_ != before;
}

std::uint64_t exponential_decay_cells::score(digest d) const {
  std::uint64_t ones = 0;
  hash::each_position(probes(), d, [&](std::uint64_t i) { ones += std::uint64_t{bits_.test(i)}; });
  return ones;
}

std::uint64_t exponential_decay_cells::noise_floor(double chance) const {
  return math::noise_floor(shape_.hashes, fill(), chance);
}

void exponential_decay_cells::merge(const exponential_decay_cells& other) {
  bits_.merge(other.bits_);
  ones_ = bits_.count();
}

exponential_decay_cells exponential_decay_cells::advertisement(
    const exponential_decay_cells& own, std::span<const exponential_decay_cells* const> others,
    std::uint64_t link) {
  bits::bit_array sent(own.bits_.size());
  for (const exponential_decay_cells* other : others) sent.merge(other->bits_);
  for (std::uint64_t i = 0; i < sent.size(); ++i) {
    if (sent.test(i) && !survives(link, i, own.shape_.decay)) sent.clear(i);
  }
  sent.merge(own.bits_);
  return {own.shape_, std::move(sent)};
}

double exponential_decay_cells::current_rate() const {
  return math::instance_rate(fill(), shape_.hashes);
}

template struct erasure<exponential_decay_filter>;

}  // namespace bloomery
