#include "bloomery/apps/exchange/coded_symbols.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bloomery/apps/lab/request.hpp"
#include "bloomery/apps/lab/result.hpp"
#include "bloomery/math/laws/reconciliation.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::exchange {
namespace {

using bloomery::testing::throws_error;

// `shared` keys of both, and so many of each alone.
struct two_sets {
  digest_set mine;
  digest_set theirs;
  std::vector<digest> only_mine;
  std::vector<digest> only_theirs;
};
two_sets sets_of(std::uint64_t seed, std::uint64_t shared, std::uint64_t mine,
                 std::uint64_t theirs) {
  const auto keys = [&](std::uint64_t stream, std::uint64_t count) {
    std::vector<digest> drawn;
    for (std::uint64_t i = 0; i < count; ++i) drawn.push_back(lab::numbered(seed, stream, i));
    return drawn;
  };
  const std::vector<digest> both = keys(0, shared);
  two_sets made{{}, {}, keys(1, mine), keys(2, theirs)};
  std::vector<digest> all = made.only_mine;
  all.insert(all.end(), both.begin(), both.end());
  made.mine = digest_set(all);
  all = made.only_theirs;
  all.insert(all.end(), both.begin(), both.end());
  made.theirs = digest_set(all);
  std::ranges::sort(made.only_mine, std::less<>());
  std::ranges::sort(made.only_theirs, std::less<>());
  return made;
}

void expect_found(const two_sets& sets, differences found) {
  std::ranges::sort(found.only_mine, std::less<>());
  std::ranges::sort(found.only_theirs, std::less<>());
  EXPECT_EQ(found.only_mine, sets.only_mine);
  EXPECT_EQ(found.only_theirs, sets.only_theirs);
}

TEST(coded_symbols, the_difference_is_found_exactly) {
  for (const auto& [shared, mine, theirs] :
       {std::tuple{0U, 0U, 0U}, std::tuple{0U, 1U, 0U}, std::tuple{1000U, 0U, 1U},
        std::tuple{1000U, 7U, 3U}, std::tuple{500U, 0U, 400U}, std::tuple{0U, 50U, 60U}}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::to_string(mine) + " and " + std::to_string(theirs));
      const two_sets sets = sets_of(seed, shared, mine, theirs);
      rateless_encoder sender(sets.theirs.keys());
      rateless_decoder receiver(sets.mine.keys());
      while (!receiver.complete()) {
        ASSERT_LT(receiver.symbols(), 5000U);
        receiver.add(sender.next(1 + receiver.symbols() / 8));
      }
      expect_found(sets, receiver.found());
      EXPECT_LE(receiver.needed(), receiver.symbols());

      const std::uint64_t cells = math::iblt_cells(mine + theirs, 4);
      bool decoded = false;
      for (std::uint64_t salt = 0; salt < 3 && !decoded; ++salt) {
        lookup_table table(cells, 4, salt);
        table.insert(sets.theirs.keys());
        lookup_table other(cells, 4, salt);
        other.insert(sets.mine.keys());
        table.subtract(other);
        differences found;
        decoded = table.decode(found);
        if (decoded) expect_found(sets, found);
      }
      EXPECT_TRUE(decoded);
    }
  }
}

// Near the limit of Yang et al. for many differences: their figure 4 has 1.40 or less at a thousand.
TEST(coded_symbols, as_many_symbols_as_the_paper_says) {
  std::vector<double> overheads;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const two_sets sets = sets_of(seed, 0, 500, 500);
    rateless_encoder sender(sets.theirs.keys());
    rateless_decoder receiver(sets.mine.keys());
    while (!receiver.complete()) receiver.add(sender.next(100));
    overheads.push_back(static_cast<double>(receiver.needed()) / 1000);
  }
  const lab::figure mean =
      lab::mean_at_most("symbols a difference", lab::unit::real, overheads, 1.42);
  EXPECT_TRUE(mean.as_predicted()) << mean.measured;
  EXPECT_GT(mean.measured, math::rateless_overhead() - 0.05);
}

// Symbol i has a key with the probability that math/ says.
TEST(coded_symbols, keys_are_in_symbols_as_often_as_they_should_be) {
  constexpr std::uint64_t keys = 20'000;
  std::map<std::uint32_t, std::uint64_t> times;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const digest d = lab::numbered(3, 0, i);
    for (std::uint32_t at = 0; at < 3000; at = next_symbol(d, at)) ++times[at];
  }
  EXPECT_EQ(times[0], keys);
  for (const std::uint32_t at : {1U, 2U, 3U, 10U, 100U, 999U}) {
    const lab::figure share = lab::share_of("keys", times[at], keys, math::rateless_density(at));
    EXPECT_TRUE(share.as_predicted()) << at << ": " << share.measured;
  }
  EXPECT_EQ(next_symbol({1, 2}, 0xffff'fff0U) > 0xffff'fff0U, true);
}

// Too few cells: some keys may come out, but it is never called complete.
TEST(coded_symbols, a_table_that_is_too_small_says_so) {
  const two_sets sets = sets_of(1, 100, 60, 60);
  lookup_table table(60, 4, 0);
  table.insert(sets.theirs.keys());
  lookup_table other(60, 4, 0);
  other.insert(sets.mine.keys());
  table.subtract(other);
  differences found;
  EXPECT_FALSE(table.decode(found));
  EXPECT_TRUE(throws_error(errc::incompatible, "salts", [&] { table.subtract({60, 4, 1}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells", [] { lookup_table(3, 4, 0); }));
}

TEST(coded_symbols, bytes_are_read_as_they_were_written) {
  std::vector<coded_symbol> symbols;
  for (const std::int64_t count : {0LL, 1LL, -1LL, 63LL, -64LL, 64LL, 1LL << 40, -(1LL << 48)}) {
    symbols.push_back({{1, 2}, 3, count});
  }
  std::vector<std::byte> bytes;
  for (const coded_symbol& each : symbols) append_symbol(bytes, each);
  EXPECT_EQ(read_symbols(bytes, symbols.size()), symbols);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_TRUE(throws_error(errc::corrupt, "", [&] {
      (void)read_symbols(byte_view(bytes).first(cut), symbols.size());
    })) << cut;
  }
  EXPECT_TRUE(throws_error(errc::corrupt, "follow", [&] { (void)read_symbols(bytes, 7); }));
  EXPECT_TRUE(
      throws_error(errc::corrupt, "do not fit", [&] { (void)read_symbols(bytes, 1ULL << 60); }));
}

// Whoever makes symbols up gets an error or is asked for more: no loop, no key that is in no cell.
TEST(coded_symbols, lies_end_in_an_error_or_in_nothing) {
  const two_sets sets = sets_of(1, 50, 5, 5);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    rateless_encoder sender(sets.theirs.keys());
    std::vector<coded_symbol> lies = sender.next(60);
    const digest drawn = lab::numbered(seed, 9, 0);
    coded_symbol& lie = lies[drawn.lo % lies.size()];
    if (seed % 2 == 0) {
      lie.add(drawn, 1);  // a key that is in one cell only
    } else {
      lie.count += 1;
    }
    rateless_decoder receiver(sets.mine.keys());
    try {
      receiver.add(lies);
      // Either it is not complete, or the lie was in a cell that was not needed and is then found out.
      EXPECT_FALSE(receiver.complete()) << seed;
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt);
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace bloomery::exchange
