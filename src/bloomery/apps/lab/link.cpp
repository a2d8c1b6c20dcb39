#include "bloomery/apps/lab/link.hpp"

#include <algorithm>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::lab {
namespace {

constexpr std::uint64_t bit_nanoseconds = 8'000'000'000;  // bits a byte × nanoseconds a second
constexpr std::chrono::nanoseconds longest_delay = std::chrono::hours(24);

}  // namespace

link::link(const link_spec& spec, random_stream chance) : spec_(spec), chance_(chance) {
  if (spec.delay < std::chrono::nanoseconds::zero() || spec.delay > longest_delay) {
    fail(errc::invalid, "the delay of a link is " + std::to_string(spec.delay.count()) +
                            " ns; allowed: 0 to " + std::to_string(longest_delay.count()));
  }
  lose(spec.loss);
}

void link::lose(double share) {
  if (!(share >= 0 && share <= 1)) {
    fail(errc::invalid, "the loss of a link is " + format_real(share) + "; allowed: 0 to 1");
  }
  spec_.loss = share;
}

std::uint64_t link::waiting_bytes(time now) const {
  const auto left = static_cast<std::uint64_t>((free_at_ - now).count());
  return static_cast<std::uint64_t>(static_cast<core::uint128>(left) * spec_.bits_per_second /
                                    bit_nanoseconds);
}

std::optional<time> link::transmit(time now, std::uint64_t bytes) {
  counts_.sent += {1, bytes};
  const time begin = std::max(now, free_at_);
  if (begin > now) {
    const std::uint64_t waiting = waiting_bytes(now);
    if (waiting > spec_.queue_bytes || bytes > spec_.queue_bytes - waiting) {
      ++counts_.dropped;
      return std::nullopt;
    }
  }
  core::uint128 sending = 0;
  if (spec_.bits_per_second != 0) {
    sending = (static_cast<core::uint128>(bytes) * bit_nanoseconds + spec_.bits_per_second - 1) /
              spec_.bits_per_second;
  }
  const auto room = static_cast<std::uint64_t>((time::max() - begin).count());
  if (sending + static_cast<std::uint64_t>(spec_.delay.count()) > room) {
    fail(errc::limit, "a message of " + std::to_string(bytes) + " bytes on a link of " +
                          std::to_string(spec_.bits_per_second) +
                          " bits a second arrives beyond the end of time, after 292 years");
  }
  free_at_ = begin + std::chrono::nanoseconds(static_cast<std::int64_t>(sending));
  if (spec_.loss > 0 && chance_.chance(spec_.loss)) {
    ++counts_.lost;
    return std::nullopt;
  }
  return free_at_ + spec_.delay;
}

}  // namespace bloomery::lab
