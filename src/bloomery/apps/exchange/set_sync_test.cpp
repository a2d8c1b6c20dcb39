#include "bloomery/apps/exchange/set_sync.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bloomery/apps/exchange/reconciliation_tree.hpp"
#include "bloomery/apps/lab/request.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/message.hpp"
#include "resealed.hpp"
#include "stored_digests.hpp"
#include "testing.hpp"
#include "worlds.hpp"

namespace bloomery::exchange {
namespace {

using apps::peer;
using bloomery::testing::throws_error;
using lines_of = std::set<std::string>;

std::string line_number(std::uint64_t i) {
  return "line " + std::to_string(i);
}

// Lines from first to before last.
lines_of lines_from(std::uint64_t first, std::uint64_t last) {
  lines_of lines;
  for (std::uint64_t i = first; i < last; ++i) lines.insert(line_number(i));
  return lines;
}

lines_of less(const lines_of& a, const lines_of& b) {
  lines_of left;
  std::ranges::set_difference(a, b, std::inserter(left, left.end()));
  return left;
}

// A party's lines, and their digests.
struct lines_and_set {
  explicit lines_and_set(const lines_of& given, const hasher& hash = {}) : lines(given) {
    std::vector<digest> digests;
    for (const std::string& each : lines) {
      digests.push_back(hash(each));
      by_digest[digests.back()] = each;
    }
    set = digest_set(digests);
  }
  [[nodiscard]] line_source source() const {
    return [this](std::span<const digest> wanted, const auto& give) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (by_digest.contains(wanted[i])) give(i, by_digest.at(wanted[i]));
      }
    };
  }
  lines_of named(std::span<const digest> keys) const {
    lines_of found;
    for (const digest d : keys) found.insert(by_digest.at(d));
    return found;
  }
  lines_of lines;
  std::map<digest, std::string> by_digest;
  digest_set set;
};

struct synced {
  sync_outcome outcome;
  lines_of fetched;
  apps::traffic traffic;
};

synced sync(const lines_and_set& mine, const lines_and_set& theirs, sync_options options) {
  synced result;
  lab::world world(1);
  const peer answerer = world.add(sync_answerer(theirs.set, options.hash, theirs.source()));
  options.partner = answerer;
  const peer asker = world.add(sync_asker(mine.set, options, [&](digest d, std::string_view line) {
    EXPECT_EQ(theirs.by_digest.at(d), line);
    result.fetched.emplace(line);
  }));
  world.connect(asker, answerer, {});
  world.run();
  result.outcome = world.get<sync_asker>(asker).outcome();
  EXPECT_TRUE(result.outcome.finished);
  EXPECT_TRUE(world.get<sync_answerer>(answerer).finished());
  result.traffic = world.sent();
  return result;
}

constexpr std::array all_methods{sync_method::automatic, sync_method::rateless, sync_method::iblt,
                                 sync_method::tree,      sync_method::filter,   sync_method::list};

// A set that is stored elsewhere, on either side, changes nothing of what is said.
TEST(set_sync, a_stored_set_is_as_good_as_one_in_memory) {
  const lines_and_set mine(lines_from(0, 3000));
  const lines_and_set theirs(lines_from(40, 3100));
  lines_and_set mine_stored = mine;
  mine_stored.set = testing::elsewhere(mine.set);
  lines_and_set theirs_stored = theirs;
  theirs_stored.set = testing::elsewhere(theirs.set);
  for (const sync_method method : all_methods) {
    SCOPED_TRACE(sync_methods[static_cast<std::size_t>(method)]);
    const sync_options options{.method = method, .bits = 8, .fetch = true};
    const synced expected = sync(mine, theirs, options);
    for (const auto* const one : std::array<const lines_and_set*, 2>{&mine, &mine_stored}) {
      for (const auto* const other : std::array<const lines_and_set*, 2>{&theirs, &theirs_stored}) {
        const synced got = sync(*one, *other, options);
        EXPECT_EQ(got.outcome.differ.only_mine, expected.outcome.differ.only_mine);
        EXPECT_EQ(got.outcome.differ.only_theirs, expected.outcome.differ.only_theirs);
        EXPECT_EQ(got.outcome.visits, expected.outcome.visits);
        EXPECT_EQ(got.fetched, expected.fetched);
        EXPECT_EQ(got.traffic.bytes, expected.traffic.bytes);
      }
    }
  }
}

// Exact methods find all, the others nothing wrong; what is fetched is what was found.
TEST(set_sync, every_method_finds_what_it_should) {
  for (const auto& [mine_lines, their_lines] :
       {std::pair{lines_from(0, 0), lines_from(0, 0)},
        std::pair{lines_from(0, 5), lines_from(0, 0)},
        std::pair{lines_from(0, 0), lines_from(0, 300)},
        std::pair{lines_from(0, 1000), lines_from(0, 1000)},
        std::pair{lines_from(0, 1000), lines_from(3, 1004)},
        std::pair{lines_from(0, 2000), lines_from(500, 2200)},
        std::pair{lines_from(0, 900), lines_from(900, 1800)}}) {
    const lines_and_set mine(mine_lines);
    const lines_and_set theirs(their_lines);
    for (const sync_method method : all_methods) {
      SCOPED_TRACE(std::string(sync_methods[static_cast<std::size_t>(method)]) + " of " +
                   std::to_string(mine_lines.size()) + " and " +
                   std::to_string(their_lines.size()));
      const synced got = sync(mine, theirs, {.method = method, .bits = 16, .fetch = true});
      const lines_of only_mine = mine.named(got.outcome.differ.only_mine);
      const lines_of only_theirs = theirs.named(got.outcome.differ.only_theirs);
      EXPECT_EQ(got.fetched, only_theirs);
      const bool exact = method != sync_method::tree && method != sync_method::filter;
      EXPECT_EQ(got.outcome.exact, exact || mine_lines == their_lines);
      if (got.outcome.exact) {
        EXPECT_EQ(only_mine, less(mine_lines, their_lines));
        EXPECT_EQ(only_theirs, less(their_lines, mine_lines));
      } else {
        EXPECT_TRUE(std::ranges::includes(less(mine_lines, their_lines), only_mine));
        EXPECT_TRUE(std::ranges::includes(less(their_lines, mine_lines), only_theirs));
        EXPECT_GE(
            10 * (only_mine.size() + only_theirs.size()) + 10,
            9 * (less(mine_lines, their_lines).size() + less(their_lines, mine_lines).size()));
      }
    }
  }
}

// A few differences cost bytes by their number, many no more than the list.
TEST(set_sync, automatic_takes_what_is_cheaper) {
  const lines_and_set mine(lines_from(0, 20'000));
  const synced few = sync(mine, lines_and_set(lines_from(10, 20'010)), {});
  EXPECT_EQ(few.outcome.used, sync_method::rateless);
  EXPECT_LT(few.traffic.bytes, 64 * 28 + 2000U);
  const synced many = sync(mine, lines_and_set(lines_from(15'000, 35'000)), {});
  EXPECT_EQ(many.outcome.used, sync_method::list);
  EXPECT_LT(many.traffic.bytes, 20'000 * 16 + 10'000U);
  EXPECT_TRUE(many.outcome.exact);
}

TEST(set_sync, another_hash_or_key_is_refused_by_both) {
  const lines_and_set mine(lines_from(0, 10));
  const hasher other(xxh3_hash{7});
  lab::world world(1);
  const peer answerer = world.add(sync_answerer(mine.set, other, {}));
  const peer asker = world.add(sync_asker(mine.set, {.partner = answerer}, {}));
  world.connect(asker, answerer, {});
  EXPECT_TRUE(throws_error(errc::incompatible, "seed", [&] { world.run(); }));
}

// Stands between the two and changes one message.
struct forger {
  std::uint64_t which = 0;
  std::function<void(std::vector<std::byte>&)> change;
  std::uint64_t seen = 0;
  void start(apps::time, apps::outbox&) {}
  void receive(apps::time, peer from, byte_view message, apps::outbox& out) {
    std::vector<std::byte> passed(message.begin(), message.end());
    if (seen++ == which) change(passed);
    out.send(from == peer{0} ? peer{2} : peer{0}, passed);
  }
  void tick(apps::time, std::uint64_t, apps::outbox&) {}
};

// Whatever is changed in any message, sealed anew, is an error or changes nothing that is believed.
TEST(set_sync, a_forged_message_is_never_a_wrong_list) {
  const lines_and_set mine(lines_from(0, 300));
  const lines_and_set theirs(lines_from(5, 320));
  std::uint64_t refused = 0;
  std::uint64_t unfinished = 0;
  for (const sync_method method : all_methods) {
    for (std::uint64_t trial = 0; trial < 120; ++trial) {
      const digest drawn = lab::numbered(trial, static_cast<std::uint64_t>(method), 0);
      lab::world world(1);
      const peer answerer = world.add(sync_answerer(theirs.set, {}, theirs.source()));
      world.add(forger{.which = drawn.lo % 6, .change = [&](std::vector<std::byte>& message) {
                         message[16 + drawn.hi % (message.size() - 16)] ^= std::byte{1};
                         message = testing::resealed_message(std::move(message));
                       }});
      lines_of fetched;
      const peer asker =
          world.add(sync_asker(mine.set, {.method = method, .fetch = true, .partner = peer{1}},
                               [&](digest, std::string_view line) { fetched.emplace(line); }));
      world.connect(answerer, peer{1}, {});
      world.connect(asker, peer{1}, {});
      try {
        world.run();
      } catch (const error&) {
        ++refused;
        continue;
      }
      const sync_outcome& found = world.get<sync_asker>(asker).outcome();
      if (!found.finished) {
        ++unfinished;
        continue;
      }
      SCOPED_TRACE(trial);
      EXPECT_TRUE(std::ranges::includes(less(theirs.lines, mine.lines), fetched));
      if (found.exact) {
        EXPECT_EQ(mine.named(found.differ.only_mine), less(mine.lines, theirs.lines));
        EXPECT_EQ(fetched, less(theirs.lines, mine.lines));
      }
    }
  }
  EXPECT_GT(refused, 200U);
  EXPECT_EQ(unfinished, 0U);
}

// An echo, such as `cat`, has every hello that it is sent.
struct echo {
  void start(apps::time, apps::outbox&) {}
  void receive(apps::time, peer from, byte_view message, apps::outbox& out) {
    out.send(from, message);
  }
  void tick(apps::time, std::uint64_t, apps::outbox&) {}
};

TEST(set_sync, who_says_that_it_has_the_same_is_asked_for_it) {
  for (const std::uint64_t count : {0U, 1U, 300U}) {
    SCOPED_TRACE(count);
    const lines_and_set same(lines_from(0, count));
    const lines_and_set stored = [&] {
      lines_and_set made = same;
      if (count > 0) made.set = testing::elsewhere(same.set);
      return made;
    }();
    for (const lines_and_set& theirs : {same, stored}) {
      const synced got = sync(same, theirs, {});
      EXPECT_TRUE(got.outcome.exact);
      EXPECT_EQ(got.outcome.rounds, 2U);
      EXPECT_LT(got.traffic.bytes, 600U);
    }
    lab::world mirrored(1);
    const peer mirror = mirrored.add(echo{});
    mirrored.connect(mirrored.add(sync_asker(same.set, {.partner = mirror}, {})), mirror, {});
    EXPECT_TRUE(throws_error(errc::corrupt, "only repeats", [&] { mirrored.run(); }));
    // What it answers is looked at: the second of its messages, with a bit changed.
    lab::world forged(1);
    const peer answerer = forged.add(sync_answerer(same.set, {}, {}));
    const peer between =
        forged.add(forger{.which = 3, .change = [](std::vector<std::byte>& message) {
                            message[message.size() - 12] ^= std::byte{1};
                            message = testing::resealed_message(std::move(message));
                          }});
    forged.connect(answerer, between, {});
    forged.connect(forged.add(sync_asker(same.set, {.partner = between}, {})), between, {});
    EXPECT_TRUE(throws_error(errc::corrupt, "has not the lines", [&] { forged.run(); }));
  }
}

// A full filter would make every difference vanish.
TEST(set_sync, a_full_filter_is_refused) {
  standard_filter full({1024, 4});
  for (std::uint64_t i = 0; i < 10'000; ++i) full.insert(lab::numbered(1, 0, i));
  const auto stored = wire::save(full);
  EXPECT_TRUE(throws_error(errc::limit, "fill",
                           [&] { (void)wire::carried_filter(stored).open<standard_filter>({}); }));
}

// One that is emptier than its lines would make it would have all of mine be missing there; what honest parties send
// is believed.
TEST(set_sync, a_filter_of_other_lines_is_refused) {
  const auto filter = [](std::uint64_t keys, std::uint64_t bits, std::uint64_t stream) {
    std::vector<digest> held;
    for (std::uint64_t i = 0; i < keys; ++i) held.push_back(lab::numbered(stream, keys, i));
    return filter_of(held, bits, {});
  };
  for (const std::uint64_t keys : {0U, 1U, 2U, 8U, 30U, 1000U, 20'000U}) {
    for (const std::uint64_t bits : {1U, 2U, 8U, 64U}) {
      for (std::uint64_t stream = 0; stream < 300 / (keys + 1) + 2; ++stream) {
        EXPECT_NO_THROW(require_filter_of(filter(keys, bits, stream), keys, bits))
            << keys << " of " << bits;
      }
    }
  }
  const auto refuses = [](const standard_filter& given, std::uint64_t keys, std::uint64_t bits) {
    return throws_error(errc::corrupt, "not of as many lines",
                        [&] { require_filter_of(given, keys, bits); });
  };
  EXPECT_TRUE(refuses(filter(1000, 8, 0), 1001, 8));
  EXPECT_TRUE(refuses(filter(1000, 8, 0), 1000, 9));
  standard_filter half(filter(1000, 8, 0).shape());
  for (std::uint64_t i = 0; i < 1000; ++i) half.insert(lab::numbered(1, 0, i % 500));
  EXPECT_EQ(half.record().items, 1000U);
  EXPECT_TRUE(refuses(half, 1000, 8));
}

TEST(set_sync, worlds_agree) {
  const lines_and_set mine(lines_from(0, 3000));
  const lines_and_set theirs(lines_from(200, 3300));
  for (const sync_method method : all_methods) {
    testing::scenario two;
    two.links = {{0, 1}};
    two.parties.emplace_back([&] { return sync_answerer(theirs.set, {}, theirs.source()); });
    two.parties.emplace_back([&, method] {
      return sync_asker(mine.set, {.method = method, .fetch = true, .partner = peer{0}}, {});
    });
    const lab::link_transcripts lab = testing::in_the_lab(two);
    EXPECT_GT(lab.messages(), 3U);
    EXPECT_TRUE(testing::over_sockets(two) == lab) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace bloomery::exchange
