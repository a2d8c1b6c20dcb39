// What the tests share: seeded digests, statistical verdicts, golden files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/digest.hpp"

// Sanitizers map terabytes of their own and slow everything: tests of limits on memory and of gigabytes
// are not compiled for them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BLOOMERY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BLOOMERY_SANITIZED 1
#endif
#endif

namespace bloomery::testing {

// Every statistical test fails a right implementation with at most this probability. Seeds are
// fixed, so a test that passes once passes always; the level says how much a wrong one can hide.
inline constexpr double significance = 1e-6;

// How many times more trials `./test --full` asks for; 1 otherwise.
std::uint64_t full_factor();

// Digest number i of stream `stream`: distinct streams never share a digest.
digest numbered_digest(std::uint64_t stream, std::uint64_t i);
std::vector<digest> numbered_digests(std::uint64_t stream, std::uint64_t count,
                                     std::uint64_t first = 0);

// Fails the test if `hits` of `trials` is incredible for probability p.
::testing::AssertionResult plausible_count(std::uint64_t hits, std::uint64_t trials, double p);
// The same if the probability may be lower than p.
::testing::AssertionResult plausible_limit(std::uint64_t hits, std::uint64_t trials, double p);
// Fails if the cells' counts are not those of the expected probabilities (chi-square).
::testing::AssertionResult plausible_counts(std::span<const std::uint64_t> counts,
                                            std::span<const double> probabilities);
::testing::AssertionResult plausibly_uniform(std::span<const std::uint64_t> counts);
// Fails if `value` is too far from `mean` for a normal deviation.
::testing::AssertionResult plausible_value(double value, double mean, double deviation);

// Fails unless `action` throws bloomery::error with this code and a message containing `part`.
template <class Action>
::testing::AssertionResult throws_error(errc code, const std::string& part, Action action) {
  try {
    action();
  } catch (const error& problem) {
    const std::string message = problem.what();
    if (problem.code() != code) {
      return ::testing::AssertionFailure() << "another code, with: " << message;
    }
    if (message.find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "'" << part << "' is not in: " << message;
    }
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

// A kind's name as GoogleTest takes names: letters, digits and underscores.
std::string test_name(std::string_view kind);

std::vector<std::byte> read_bytes(const std::filesystem::path& path);

}  // namespace bloomery::testing
