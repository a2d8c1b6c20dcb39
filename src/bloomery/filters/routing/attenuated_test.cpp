#include "bloomery/filters/routing/attenuated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <queue>
#include <vector>

#include "testing.hpp"
#include "uneven.hpp"

namespace bloomery::testing {
namespace {

using table = std::vector<std::vector<std::uint64_t>>;  // the neighbours of each node

table random_network(std::uint64_t seed, std::uint64_t nodes, std::uint64_t extra_edges) {
  table edges(nodes);
  const auto join = [&](std::uint64_t a, std::uint64_t b) {
    if (a == b || std::find(edges[a].begin(), edges[a].end(), b) != edges[a].end()) return;
    edges[a].push_back(b);
    edges[b].push_back(a);
  };
  for (std::uint64_t i = 1; i < nodes; ++i) join(i, hash::mix(seed + i) % i);
  for (std::uint64_t i = 0; i < extra_edges; ++i) {
    join(hash::mix(seed - 2 * i) % nodes, hash::mix(~seed + 2 * i) % nodes);
  }
  return edges;
}

std::vector<std::uint64_t> distances(const table& edges, std::uint64_t from) {
  std::vector<std::uint64_t> far(edges.size(), edges.size());
  std::queue<std::uint64_t> next({from});
  far[from] = 0;
  for (; !next.empty(); next.pop()) {
    for (const std::uint64_t to : edges[next.front()]) {
      if (far[to] < edges.size()) continue;
      far[to] = far[next.front()] + 1;
      next.push(to);
    }
  }
  return far;
}

// Rhea, Kubiatowicz 2002: an item i <= d hops away is found at level i, on a link that leads there,
// and nowhere below: level i - 1 counted from the neighbour. On a tree only that link has it.
// Levels are roomy, so that no false positive is expected: 30 items in 2^14 bits, k = 20.
TEST(attenuated, finds_the_nearest_by_breadth_first_search) {
  constexpr std::uint64_t nodes = 30;
  const attenuated_shape shape{1 << 14, 20, 5};
  for (const std::uint64_t extra : {0U, 12U}) {
    const table edges = random_network(17 + extra, nodes, extra);
    std::vector<attenuated_filter> own;
    std::map<std::pair<std::uint64_t, std::uint64_t>, attenuated_filter> heard;  // by, from
    for (std::uint64_t a = 0; a < nodes; ++a) {
      own.emplace_back(shape);
      own[a].insert(numbered_digest(1, a));
      for (const std::uint64_t b : edges[a]) heard.emplace(std::pair{a, b}, shape);
    }
    for (std::uint64_t round = 0; round < shape.levels; ++round) {
      std::map<std::pair<std::uint64_t, std::uint64_t>, attenuated_filter> news;
      for (const auto& [link, unused] : heard) {
        const auto [to, from] = link;
        std::vector<const attenuated_filter*> others;
        for (const std::uint64_t b : edges[from]) {
          if (b != to) others.push_back(&heard.at({from, b}));
        }
        news.emplace(link, attenuated_filter::advertisement(own[from], others, 0));
      }
      heard = std::move(news);
    }
    for (std::uint64_t a = 0; a < nodes; ++a) {
      const auto far = distances(edges, a);
      for (std::uint64_t item = 0; item < nodes; ++item) {
        if (item == a) continue;
        std::uint64_t links_with_it = 0;
        std::uint64_t nearest = shape.levels;
        for (const std::uint64_t b : edges[a]) {
          const mapped answer = heard.at({a, b}).value(numbered_digest(1, item));
          if (answer.is == mapped::state::absent) continue;
          ++links_with_it;
          nearest = std::min(nearest, answer.value);
        }
        EXPECT_EQ(nearest, std::min(far[item] - 1, shape.levels)) << a << " to " << item;
        if (extra == 0) {
          EXPECT_EQ(links_with_it, std::uint64_t{far[item] <= shape.levels});
        }
      }
    }
  }
}

TEST(attenuated, is_planned_for_the_keys_at_each_distance) {
  EXPECT_TRUE(uneven_rate_as_planned<attenuated_filter>(3, 0.05));
  EXPECT_TRUE(uneven_rate_as_planned<attenuated_filter>(64, 0.05));
}

// Errata 13: a level holds what is exactly so far, and deeper levels are fuller where networks branch.
TEST(attenuated, levels_move_up_by_one_and_the_last_falls_off) {
  const attenuated_shape shape{5000, 7, 3};
  attenuated_filter own(shape);
  attenuated_filter left(shape);
  attenuated_filter right(shape);
  own.insert(digest{1, 1});
  own.set_value({9, 9}, 1);  // hearsay of one's own is not passed on
  left.insert(digest{2, 2});
  right.insert(digest{3, 3});
  right.set_value({4, 4}, 1);
  right.set_value({5, 5}, 2);
  const std::vector<const attenuated_filter*> others{&left, &right};
  const auto sent = attenuated_filter::advertisement(own, others, 0);
  const auto at = [](std::uint64_t hops) { return mapped{mapped::state::present, hops}; };
  EXPECT_EQ(sent.value({1, 1}), at(0));
  EXPECT_EQ(sent.value({2, 2}), at(1));
  EXPECT_EQ(sent.value({3, 3}), at(1));
  EXPECT_EQ(sent.value({4, 4}), at(2));
  EXPECT_EQ(sent.value({5, 5}), mapped{});
  EXPECT_EQ(sent.value({9, 9}), mapped{});
  EXPECT_EQ(sent.record().items, 6U);
  EXPECT_GT(sent.cells().fill(1), sent.cells().fill(0));
  attenuated_filter larger({6000, 7, 3});
  const std::vector<const attenuated_filter*> stranger{&larger};
  EXPECT_TRUE(throws_error(errc::incompatible, "bits",
                           [&] { (void)attenuated_filter::advertisement(own, stranger, 0); }));
}

// 20,000 keys at level 2, below which 900 and 700 keys fill two levels of 4000 bits, k = 4: the answer
// is too low as often as either claims the key.
TEST(attenuated, what_lies_behind_needs_a_second_level) {
  attenuated_filter own({1000, 4, 1});
  own.insert({1, 2});
  EXPECT_TRUE(attenuated_filter::advertisement(own, {}, 0).may_contain({1, 2}));
  const attenuated_filter* behind[] = {&own};
  EXPECT_TRUE(testing::throws_error(errc::invalid, "levels is 1", [&] {
    (void)attenuated_filter::advertisement(own, behind, 0);
  }));
}

TEST(attenuated, errs_to_lower_levels_as_often_as_they_claim_strangers) {
  const attenuated_shape shape{4000, 4, 3};
  attenuated_filter filter(shape);
  for (const digest d : numbered_digests(1, 900)) filter.set_value(d, 0);
  for (const digest d : numbered_digests(2, 700)) filter.set_value(d, 1);
  constexpr std::uint64_t asked = 20'000;
  const double at_0 = std::pow(filter.cells().fill(0), 4);
  const double at_1 = std::pow(filter.cells().fill(1), 4);
  std::array<std::uint64_t, 3> seen{};
  for (const digest d : numbered_digests(3, asked)) {
    const mapped before = filter.value(d);
    ++seen[before.is == mapped::state::absent ? 2 : before.value];
  }
  const std::array expected{at_0, (1 - at_0) * at_1, (1 - at_0) * (1 - at_1)};
  EXPECT_TRUE(plausible_counts(seen, expected));
  for (const digest d : numbered_digests(3, 100)) {
    const mapped before = filter.value(d);
    filter.set_value(d, 2);
    EXPECT_EQ(filter.value(d).value, before.is == mapped::state::absent ? 2 : before.value);
  }
}

}  // namespace
}  // namespace bloomery::testing
