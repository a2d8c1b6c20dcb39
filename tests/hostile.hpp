// What every reader of a stranger's bytes must stand: messages and stored secrets, cut, lengthened,
// damaged, and damaged under a checksum that fits.
#pragma once

#include <vector>

#include "bloomery/core/bytes.hpp"
#include "resealed.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Fails unless `action` throws what is the sender's fault.
template <class Action>
::testing::AssertionResult is_refused(Action action) {
  try {
    action();
  } catch (const error& problem) {
    if (is_senders_fault(problem)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "another code, with: " << problem.what();
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

template <class Parse, class Reseal>
void expect_hostile_refused(byte_view good, Parse parse, Reseal reseal) {
  using bytes_type = std::vector<std::byte>;
  const auto refused = [&](const bytes_type& bytes) {
    return is_refused([&] { parse(byte_view(bytes)); });
  };
  const bytes_type whole(good.begin(), good.end());
  EXPECT_EQ(reseal(whole), whole);
  const auto cut = [&](std::size_t size) {
    return bytes_type(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
  };
  bytes_type longer = whole;
  longer.push_back(std::byte{});
  EXPECT_TRUE(refused(longer));
  EXPECT_TRUE(refused(reseal(longer)));
  for (std::size_t size = 0; size < whole.size(); size += size < 40 ? 1 : 37) {
    EXPECT_TRUE(refused(cut(size))) << size;
    EXPECT_TRUE(refused(reseal(cut(size)))) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += at < 48 ? 1 : 29) {
    for (const std::byte change : {std::byte{1}, std::byte{0x81}, std::byte{0xff}}) {
      bytes_type damaged = whole;
      damaged[at] ^= change;
      EXPECT_TRUE(refused(damaged)) << at;
      try {
        parse(byte_view(reseal(damaged)));
      } catch (const error& problem) {
        EXPECT_TRUE(is_senders_fault(problem)) << at << ": " << problem.what();
      }
    }
  }
  EXPECT_TRUE(refused(bytes_type((std::size_t{1} << 20) + 1)));
}

template <class Parse>
void expect_hostile_message_refused(byte_view good, Parse parse) {
  expect_hostile_refused(good, parse, resealed_message);
}

}  // namespace bloomery::testing
