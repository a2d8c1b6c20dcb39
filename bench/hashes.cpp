#include <algorithm>
#include <iterator>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/policies.hpp"
#include "contestant.hpp"
#include "harness.hpp"
#include "rivals.hpp"
#include "workload.hpp"

namespace bloomery::bench {
namespace {

// Of the first-level cache, half of what the smallest of today's cores have.
constexpr std::size_t buffer_bytes = 16 << 10;

void require_valid(const hash_options& options) {
  if (options.repeats == 0) fail(errc::invalid, "a benchmark needs at least one repeat");
  for (const std::size_t length : options.key_bytes) {
    if (length == 0 || length > buffer_bytes) {
      fail(errc::invalid, "a key of " + std::to_string(length) + " bytes; allowed: 1 to " +
                              std::to_string(buffer_bytes));
    }
  }
}

// All the keys in `keys`, hashed and folded into one number so that none can be left out.
template <class Policy>
std::uint64_t hash_all(const Policy& policy, byte_view keys, std::size_t key_bytes) {
  std::uint64_t folded = 0;
  for (; !keys.empty(); keys = keys.subspan(key_bytes)) {
    digest d;
    if constexpr (std::is_same_v<Policy, integer_hash>) {
      d = policy(core::load_le<std::uint64_t>(keys.data()));
    } else {
      d = policy(keys.first(key_bytes));
    }
    folded ^= d.lo ^ d.hi;
  }
  return folded;
}

template <class Policy>
hash_side side_of(const Policy& policy) {
  return {std::string(name_of(policy.identity().id)), false, std::is_same_v<Policy, integer_hash>,
          [policy](byte_view keys, std::size_t key_bytes) {
            return bench::hash_all(policy, keys, key_bytes);
          }};
}

std::vector<hash_side> hash_sides(bool with_rivals, byte_view random) {
  const keyed_hash keyed(random.first(keyed_hash::secret_bytes));
  std::vector<hash_side> sides{side_of(xxh3_hash{}), side_of(keyed), side_of(integer_hash{})};
  if (with_rivals) std::ranges::move(hash_rivals(), std::back_inserter(sides));
  return sides;
}

std::vector<std::byte> random_bytes(std::uint64_t seed) {
  const key_source<std::uint64_t> source(seed);
  const auto numbers = source.from(0, buffer_bytes / sizeof(std::uint64_t)).keys;
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

double ns_per_key(const hash_side& side, byte_view keys, std::size_t key_bytes,
                  std::uint64_t bytes_to_hash) {
  const std::uint64_t rounds = std::max<std::uint64_t>(1, bytes_to_hash / keys.size());
  const double ns = time_ns([&] {
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t folded = side.hash_all(keys, key_bytes);
      asm volatile("" : : "r"(folded) : "memory");  // hashed anew each round
    }
  });
  const std::uint64_t hashed = rounds * (keys.size() / key_bytes);
  return ns / static_cast<double>(hashed);
}

}  // namespace

std::vector<hash_row> run_hashes(const hash_options& options, const progress& report) {
  require_valid(options);
  const std::vector<std::byte> buffer = random_bytes(options.seed);

  struct entry {
    const hash_side* side;
    std::size_t key_bytes;
    std::vector<double> times;
  };
  const std::vector<hash_side> sides = hash_sides(options.rivals, buffer);
  std::vector<entry> entries;
  for (const std::size_t key_bytes : options.key_bytes) {
    for (const hash_side& side : sides) {
      if (side.only_integers && key_bytes != sizeof(std::uint64_t)) continue;
      entries.push_back({&side, key_bytes, {}});
    }
  }

  const double turns = static_cast<double>(entries.size()) * options.repeats;
  double turn = 0;
  for (unsigned repeat = 0; repeat < options.repeats; ++repeat) {
    for (entry& now : entries) {
      if (report) report(turn++ / turns, now.side->name);
      const std::size_t whole_keys = buffer.size() - buffer.size() % now.key_bytes;
      now.times.push_back(ns_per_key(*now.side, byte_view(buffer).first(whole_keys), now.key_bytes,
                                     options.bytes_per_repeat));
    }
  }
  if (report) report(1, "");

  std::vector<hash_row> rows;
  rows.reserve(entries.size());
  for (const entry& done : entries) {
    rows.push_back({done.side->name, done.side->rival, done.key_bytes, median(done.times)});
  }
  return rows;
}

}  // namespace bloomery::bench
