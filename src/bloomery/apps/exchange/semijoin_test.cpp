#include "bloomery/apps/exchange/semijoin.hpp"

#include <map>
#include <random>

#include "bloomery/any/stored.hpp"
#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using rows = std::vector<std::pair<std::string, std::string>>;

// `count` rows whose keys are drawn from `first` to `last`, so that some repeat.
rows table_of(std::uint64_t seed, std::size_t count, int first, int last) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> key(first, last);
  rows made;
  for (std::size_t i = 0; i < count; ++i) {
    made.emplace_back("key " + std::to_string(key(random)), "row " + std::to_string(i));
  }
  return made;
}

rows joining(const rows& mine, const rows& theirs, join_want want) {
  std::set<std::string> keys;
  for (const auto& row : mine) keys.insert(row.first);
  rows expected;
  std::set<std::string> told;
  for (const auto& row : theirs) {
    if (!keys.contains(row.first)) continue;
    if (want == join_want::rows) expected.push_back(row);
    if (want == join_want::keys && told.insert(row.first).second) {
      expected.emplace_back(row.first, "");
    }
  }
  return expected;
}

struct joined {
  rows found;
  join_report report;
  bool done = false;
  traffic sent;
};

joined run_join(const rows& mine, const rows& theirs, join_wish wish) {
  wish.partner = peer{1};
  joined result;
  listed_table near(mine);
  listed_table far(theirs);
  lab::world world(1);
  const peer asker =
      world.add(join_asker(near, hasher(), wish, [&](std::string_view key, std::string_view rest) {
        result.found.emplace_back(key, rest);
      }));
  world.connect(asker, world.add(join_holder(far, hasher())), {});
  world.run();
  result.done = world.get<join_asker>(asker).done();
  result.report = world.get<join_asker>(asker).report();
  result.sent = world.sent();
  return result;
}

TEST(semijoin, every_way_finds_exactly_the_rows_that_join) {
  const rows small = table_of(1, 300, 0, 999);
  const rows large = table_of(2, 20'000, 500, 5000);
  for (const auto& [mine, theirs] : {std::pair(small, large), std::pair(large, small)}) {
    for (const join_want want : {join_want::rows, join_want::keys}) {
      for (const auto method :
           {std::optional<join_method>(), std::optional(join_method::filter),
            std::optional(join_method::keys), std::optional(join_method::rows)}) {
        SCOPED_TRACE(method ? join_method_names[static_cast<std::size_t>(*method)] : "free");
        const joined result = run_join(mine, theirs, {.want = want, .method = method});
        EXPECT_TRUE(result.done);
        EXPECT_EQ(result.found, joining(mine, theirs, want));
        EXPECT_EQ(result.report.received, result.found.size() + result.report.false_ones);
        if (method == join_method::keys) {
          EXPECT_EQ(result.report.false_ones, 0);
        }
      }
    }
  }
}

TEST(semijoin, any_kind_of_filter_will_do) {
  const rows mine = table_of(1, 300, 0, 999);
  const rows theirs = table_of(2, 5000, 500, 5000);
  for (const std::string kind : {"standard", "blocked", "fuse", "cuckoo"}) {
    const joined result = run_join(mine, theirs, {.method = join_method::filter, .kind = kind});
    EXPECT_EQ(result.found, joining(mine, theirs, join_want::rows)) << kind;
  }
}

TEST(semijoin, empty_tables_join_to_nothing) {
  const rows some = table_of(1, 10, 0, 9);
  for (const join_want want : {join_want::rows, join_want::keys, join_want::count}) {
    for (const auto& [mine, theirs] :
         {std::pair(rows{}, some), std::pair(some, rows{}), std::pair(rows{}, rows{})}) {
      const joined result = run_join(mine, theirs, {.want = want});
      EXPECT_TRUE(result.done);
      EXPECT_TRUE(result.found.empty());
    }
  }
}

// What is chosen by itself sends the fewest bytes of the three, or within what frames and rounding cost.
TEST(semijoin, the_cheapest_way_is_chosen) {
  const std::string wide(200, 'x');
  rows few;
  rows many;
  for (int i = 0; i < 2000; ++i) many.emplace_back("a rather long key " + std::to_string(i), wide);
  for (int i = 1900; i < 2000; ++i) few.emplace_back("a rather long key " + std::to_string(i), "");
  rows short_keys;
  for (int i = 0; i < 50; ++i) short_keys.emplace_back(std::to_string(i), "");
  rows narrow;
  for (int i = 0; i < 10; ++i) narrow.emplace_back("a rather long key " + std::to_string(i), "");
  struct instance {
    rows mine;
    rows theirs;
    join_method expected;
  };
  for (const auto& [mine, theirs, expected] :
       {instance{few, many, join_method::filter}, instance{short_keys, many, join_method::keys},
        instance{many, narrow, join_method::rows}}) {
    const joined chosen = run_join(mine, theirs, {});
    EXPECT_EQ(chosen.report.method, expected);
    for (const join_method other : {join_method::filter, join_method::keys, join_method::rows}) {
      const joined result = run_join(mine, theirs, {.method = other});
      EXPECT_LE(static_cast<double>(chosen.sent.bytes),
                1.05 * static_cast<double>(result.sent.bytes))
          << join_method_names[static_cast<std::size_t>(other)];
    }
  }
}

// Over 200 pairs of tables, the interval of 99 % has the truth, but for what chance allows.
TEST(semijoin, the_size_of_a_join_is_estimated_before) {
  std::uint64_t keys_missed = 0;
  std::uint64_t rows_missed = 0;
  constexpr std::uint64_t trials = 200;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const rows mine = table_of(2 * seed, 400, 0, 999);
    const rows theirs = table_of(2 * seed + 1, 3000, 500, 3000);
    const joined result = run_join(mine, theirs, {.want = join_want::count, .rate = 0.1});
    ASSERT_TRUE(result.done && result.found.empty());
    const join_estimate found = estimate_join(result.report, 0.99);
    const auto true_rows = static_cast<double>(joining(mine, theirs, join_want::rows).size());
    const auto true_keys = static_cast<double>(joining(mine, theirs, join_want::keys).size());
    keys_missed += std::uint64_t{true_keys < found.keys.low || found.keys.high < true_keys};
    rows_missed += std::uint64_t{true_rows < found.rows.low || found.rows.high < true_rows};
  }
  // P(Bin(200, .01) > 14) < 1e-6 by the exact tail.
  EXPECT_LE(keys_missed, 14);
  EXPECT_LE(rows_missed, 14);
}

// The parties that lie.

struct silent {
  void start(time, outbox&) {}
  void receive(time, peer, byte_view message, outbox& out) {
    if (answer) answer(message, out);
  }
  void tick(time, std::uint64_t, outbox&) {}
  std::function<void(byte_view, outbox&)> answer;
};

::testing::AssertionResult asker_refuses(errc code, const std::string& why, join_want want,
                                         std::function<void(byte_view, outbox&)> answer) {
  const rows mine = table_of(1, 10, 0, 9);
  listed_table near(mine);
  lab::world world(1);
  std::size_t told = 0;
  const peer asker = world.add(join_asker(near, hasher(), {.partner = peer{1}, .want = want},
                                          [&](std::string_view, std::string_view) { ++told; }));
  world.connect(asker, world.add(silent{std::move(answer)}), {});
  return testing::throws_error(code, why, [&] { world.run(); });
}

TEST(semijoin, a_holder_that_lies_is_refused) {
  using namespace join_message;
  const auto tells = [](std::uint64_t count, std::uint64_t bytes) {
    return wire::write(told{.rows = count,
                            .keys = count,
                            .row_bytes = bytes,
                            .key_bytes = count,
                            .squares = 1,
                            .heading = {}});
  };
  const auto floods = [&](byte_view message, outbox& out) {
    if (wire::message_name(message, limits) == ask::name) out.send(peer{0}, tells(2, 1000));
    if (wire::message_name(message, limits) != more::name) return;
    batch sent;
    for (int i = 0; i < 6; ++i) sent.parts.emplace_back();
    out.send(peer{0}, wire::write(sent));
  };
  EXPECT_TRUE(asker_refuses(errc::corrupt, "more rows came", join_want::rows, floods));
  EXPECT_TRUE(asker_refuses(errc::corrupt, "more keys than rows", join_want::rows,
                            [&](byte_view, outbox& out) { out.send(peer{0}, tells(5, 1)); }));
  const auto counts = [&](byte_view message, outbox& out) {
    if (wire::message_name(message, limits) == ask::name) out.send(peer{0}, tells(2, 1000));
    if (wire::message_name(message, limits) == by_filter::name) {
      out.send(peer{0}, wire::write(counted{.rows = 3, .keys = 1}));
    }
  };
  EXPECT_TRUE(asker_refuses(errc::corrupt, "more rows passed", join_want::count, counts));
  EXPECT_TRUE(asker_refuses(errc::incompatible, "join/table", join_want::rows,
                            [](byte_view message, outbox& out) { out.send(peer{0}, message); }));
}

TEST(semijoin, an_asker_that_lies_is_refused) {
  using namespace join_message;
  const auto refuses = [](errc code, const std::string& why,
                          const std::vector<std::vector<std::byte>>& messages) {
    listed_table far(table_of(1, 10, 0, 9));
    lab::world world(1);
    const peer holder = world.add(join_holder(far, hasher()));
    // Passes on what is posted to it.
    const peer other = world.add(silent{[holder](byte_view message, outbox& out) {
      if (wire::message_name(message, limits) != told::name) out.send(holder, message);
    }});
    world.connect(other, holder, {});
    return testing::throws_error(code, why, [&] {
      for (const auto& message : messages) {
        world.post(other, {}, message);
        world.run();
      }
    });
  };
  const auto hello = wire::write(ask{});
  EXPECT_TRUE(refuses(errc::incompatible, "begins with", {wire::write(more{})}));
  EXPECT_TRUE(refuses(errc::incompatible, "join/all", {hello, wire::write(more{})}));
  auto full = standard_filter::for_keys(10, 0.1);
  for (std::uint64_t i = 0; i < 1000; ++i) full.insert({i, i * i});
  const auto of_full = wire::save(full);
  EXPECT_TRUE(
      refuses(errc::limit, "false-positive rate",
              {hello, wire::write(by_filter{.want = 1, .filter = wire::carried_filter(of_full)})}));
  const auto keyed = save(
      planned_set({{1, 2}}, 0.01, "standard", keyed_hash(std::array<std::byte, 32>{}).identity()));
  EXPECT_TRUE(
      refuses(errc::incompatible, "",
              {hello, wire::write(by_filter{.want = 1, .filter = wire::carried_filter(keyed)})}));
  const std::string form = "csv;";
  EXPECT_TRUE(refuses(errc::incompatible, "csv;",
                      {wire::write(ask{.form = std::as_bytes(std::span(form))})}));
}

}  // namespace
}  // namespace bloomery::apps
