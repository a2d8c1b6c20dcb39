#include "bloomery/filters/frequency/spectral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "checked_filter.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

constexpr std::uint64_t ms = spectral_shape::minimum_selection;
constexpr std::uint64_t mi = spectral_shape::minimal_increase;
constexpr std::uint64_t rm = spectral_shape::recurring_minimum;

using places = std::vector<std::uint64_t>;

// k balls into m cells, each cell once.
places thrown(std::mt19937_64& random, std::uint64_t k, std::uint64_t m) {
  std::set<std::uint64_t> at;
  for (std::uint64_t i = 0; i < k; ++i) at.insert(random() % m);
  return {at.begin(), at.end()};
}

// Where a key lies: in the primary, the secondary and the marker filter.
struct key_places {
  places primary;
  places secondary;
  places marks;
};

// The three methods on plain vectors, as the paper tells them.
class plain_spectrum {
 public:
  plain_spectrum(std::uint64_t counters, std::vector<key_places> keys)
      : selected_(counters),
        raised_(counters),
        second_(counters / 2),
        marks_(counters),
        keys_(std::move(keys)) {}

  void insert(std::size_t key) {
    const key_places& at = keys_[key];
    const std::uint64_t before = least(raised_, at.primary);
    for (const std::uint64_t i : at.primary) {
      ++selected_[i];
      raised_[i] = std::max(raised_[i], before + 1);
    }
    std::uint64_t moved = 1;
    if (!migrated(at)) {
      if (recurs(at)) return;
      moved = least(selected_, at.primary);
      for (const std::uint64_t i : at.marks) marks_[i] = 1;
    }
    for (const std::uint64_t i : at.secondary) second_[i] += moved;
  }

  [[nodiscard]] std::uint64_t count(std::uint64_t method, std::size_t key) const {
    const key_places& at = keys_[key];
    const std::uint64_t first = least(selected_, at.primary);
    if (method == mi) return least(raised_, at.primary);
    if (method == ms || recurs(at) || !migrated(at)) return first;
    const std::uint64_t second = least(second_, at.secondary);
    return second == 0 ? first : std::min(first, second);
  }

 private:
  static std::uint64_t least(const places& cells, const places& at) {
    std::uint64_t found = cells[at[0]];
    for (const std::uint64_t i : at) found = std::min(found, cells[i]);
    return found;
  }
  [[nodiscard]] bool recurs(const key_places& at) const {
    const std::uint64_t lowest = least(selected_, at.primary);
    return std::ranges::count_if(at.primary,
                                 [&](std::uint64_t i) { return selected_[i] == lowest; }) > 1;
  }
  [[nodiscard]] bool migrated(const key_places& at) const { return least(marks_, at.marks) != 0; }

  places selected_;  // the counters of minimum selection and of recurring minimum
  places raised_;    // those of minimal increase
  places second_;
  places marks_;
  std::vector<key_places> keys_;
};

// An experiment in the manner of Cohen, Matias 2003: k = 5, k·n/m = 0.7, each key some twenty
// times, all alike or by Zipf's law, in random order.
struct experiment {
  static constexpr std::uint64_t n = 400;
  static constexpr std::uint64_t k = 5;
  static constexpr std::uint64_t m = k * n * 10 / 7;
  static constexpr std::uint64_t times = 20;

  std::vector<std::uint64_t> truth;
  std::vector<std::size_t> arrivals;

  experiment(std::mt19937_64& random, bool zipf) : truth(n, 1) {
    const auto log_n = static_cast<std::uint64_t>(std::log(static_cast<double>(n)));
    for (std::uint64_t i = 0; zipf && i < n; ++i) truth[i] += times * n / (i + 1) / log_n;
    for (std::uint64_t i = 0; !zipf && i < times * n; ++i) ++truth[random() % n];
    for (std::size_t i = 0; i < n; ++i) arrivals.insert(arrivals.end(), truth[i], i);
    std::shuffle(arrivals.begin(), arrivals.end(), random);
  }

  // The share of keys with a wrong count.
  template <class Count>
  [[nodiscard]] double wrong(Count count) const {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < n; ++i) found += std::uint64_t{count(i) != truth[i]};
    return static_cast<double>(found) / n;
  }
};

// 25 filters, and 50 of the plain ones with places drawn at random. A key counts wrongly by minimum
// selection exactly if the others cover all its counters, as they cover a stranger's; of the other
// methods the plain filters are all that is known. Where the places are the filter's own, so is
// every count.
TEST(spectral, counts_are_wrong_as_often_as_the_papers) {
  constexpr std::uint64_t n = experiment::n;
  std::mt19937_64 random(20);
  for (const bool zipf : {false, true}) {
    std::array<sample, 3> wrong;
    std::array<sample, 3> wrong_plain;
    std::array<sample, 3> fewer;  // than by minimum selection
    for (std::uint64_t run = 0; run < 25; ++run) {
      const experiment given(random, zipf);
      const auto keys = numbered_digests(100 + run, 2 * n);  // the second half are strangers
      std::vector<spectral_filter> filters;
      double by_selection = 0;
      for (const std::uint64_t method : {ms, mi, rm}) {
        filters.push_back(spectral_filter({experiment::m, experiment::k, method}));
        for (const std::size_t i : given.arrivals) filters.back().insert(keys[i]);
        const auto count = [&](std::size_t i) { return filters.back().count(keys[i]); };
        const double share = given.wrong(count);
        wrong[method].add(share);
        if (method == ms) by_selection = share;
        fewer[method].add(by_selection - share);
      }
      std::vector<key_places> own;
      for (const digest d : keys) {
        const spectral_cells& cells = filters[rm].cells();
        const auto listed = [](const hash::positions& at) { return places(at.begin(), at.end()); };
        own.push_back({listed(cells.locate(d).at), listed(cells.second_positions(d)),
                       listed(cells.marks_of(d))});
      }
      plain_spectrum twin(experiment::m, std::move(own));
      for (const std::size_t i : given.arrivals) twin.insert(i);
      for (std::size_t i = 0; i < 2 * n; ++i) {
        for (const std::uint64_t method : {ms, mi, rm}) {
          EXPECT_EQ(filters[method].count(keys[i]), twin.count(method, i));
          EXPECT_GE(filters[method].count(keys[i]), i < n ? given.truth[i] : 0);
          EXPECT_LE(filters[method].count(keys[i]), filters[ms].count(keys[i]));
        }
      }
    }
    for (std::uint64_t run = 0; run < 50; ++run) {
      const experiment given(random, zipf);
      std::vector<key_places> drawn(n);
      for (key_places& at : drawn) {
        at = {thrown(random, experiment::k, experiment::m),
              thrown(random, experiment::k, experiment::m / 2),
              thrown(random, experiment::k, experiment::m)};
      }
      plain_spectrum plain(experiment::m, std::move(drawn));
      for (const std::size_t i : given.arrivals) plain.insert(i);
      for (const std::uint64_t method : {ms, mi, rm}) {
        wrong_plain[method].add(given.wrong([&](std::size_t i) { return plain.count(method, i); }));
      }
    }
    const double predicted = math::exact_rate(experiment::m, n - 1, experiment::k);
    EXPECT_TRUE(plausible_mean(wrong[ms], predicted));
    EXPECT_TRUE(plausible_mean(wrong_plain[ms], predicted));
    for (const std::uint64_t method : {mi, rm}) {
      EXPECT_TRUE(plausibly_one_mean(wrong[method], wrong_plain[method])) << "method " << method;
      EXPECT_FALSE(plausible_mean(fewer[method], 0)) << "enough to tell them apart";
    }
  }
}

// Legal: only what is in it is erased. Recurring minimum leaves what keys brought along when they
// migrated, so it may count more, never less.
TEST(spectral, legal_histories_never_count_too_low) {
  for (const std::uint64_t method : {ms, rm}) {
    checked_filter filter(spectral_filter({2500, 4, method}));
    const auto pool = numbered_digests(1, 400);
    for (std::uint64_t step = 0; step < 30'000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      if (hash::mix(~step) % 8 < 5) {
        filter.insert(d);
      } else if (filter.copies(d) != 0) {
        filter.erase(d);
      }
    }
    filter.check_all();
    for (const digest d : pool) {
      while (filter.copies(d) != 0) ASSERT_TRUE(filter.erase(d));
    }
    for (const digest d : pool) EXPECT_EQ(filter.filter().count(d), 0U);
    EXPECT_EQ(filter.filter().fill(), 0);
  }
}

TEST(spectral, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  for (const std::uint64_t method : {ms, rm}) {
    spectral_filter filter({1500, 4, method});
    filter.insert(numbered_digests(2, 400));
    const auto before = wire::save(filter);
    std::uint64_t claimed = 0;
    for (const digest d : numbered_digests(3, 500)) {
      spectral_filter trial = filter.copy();
      EXPECT_EQ(trial.erase(d), filter.may_contain(d));
      EXPECT_EQ(wire::save(trial) == before, !filter.may_contain(d));
      claimed += std::uint64_t{filter.may_contain(d)};
    }
    EXPECT_GT(claimed, 0U);
  }
}

TEST(spectral, what_a_method_cannot_do_is_refused_and_changes_nothing) {
  const auto refused = [](std::uint64_t method, auto action) {
    spectral_filter filter({500, 4, method});
    spectral_filter other({500, 4, method});
    filter.insert({1, 2});
    other.insert({1, 2});
    const auto before = wire::save(filter);
    EXPECT_TRUE(throws_error(errc::unsupported, method == mi ? "minimal" : "migrated",
                             [&] { action(filter, other); }));
    EXPECT_EQ(wire::save(filter), before);
  };
  refused(mi, [](spectral_filter& filter, spectral_filter&) { filter.erase({1, 2}); });
  refused(mi, [](spectral_filter& filter, spectral_filter& other) { filter.merge(other); });
  refused(rm, [](spectral_filter& filter, spectral_filter& other) { filter.merge(other); });
}

TEST(spectral, merging_adds_the_counters) {
  spectral_filter one({2000, 5, ms});
  spectral_filter two({2000, 5, ms});
  spectral_filter both({2000, 5, ms});
  for (const auto& [filter, first] : {std::pair{&one, 0}, std::pair{&two, 100}}) {
    filter->insert(numbered_digests(4, 300, static_cast<std::uint64_t>(first)));
    both.insert(numbered_digests(4, 300, static_cast<std::uint64_t>(first)));
  }
  one.merge(two);
  for (const digest d : numbered_digests(4, 1000)) EXPECT_EQ(one.count(d), both.count(d));
}

// Keys that migrated are told from others after loading, too; damage is refused or harmless.
TEST(spectral, the_parts_of_recurring_minimum_are_stored) {
  spectral_filter filter({1000, 5, rm});
  for (std::uint64_t i = 0; i < 2000; ++i) filter.insert(numbered_digest(5, hash::mix(i) % 150));
  const auto saved = wire::save(filter);
  spectral_filter loaded = wire::load<spectral_filter>(saved);
  EXPECT_EQ(wire::save(loaded), saved);
  for (const digest d : numbered_digests(5, 300)) EXPECT_EQ(loaded.count(d), filter.count(d));
  const auto head = wire::envelope_of(filter);
  std::vector<std::byte> payload;
  for (const byte_view part : filter.payload()) {
    payload.insert(payload.end(), part.begin(), part.end());
  }
  for (std::uint64_t trial = 0; trial < 1000; ++trial) {
    auto bytes = payload;
    bytes[hash::mix(trial) % bytes.size()] ^= static_cast<std::byte>(1U << hash::mix(~trial) % 8);
    if (trial % 10 == 0) bytes.resize(bytes.size() - 64 * (1 + trial / 10 % 8));
    try {
      auto again = wire::restore<spectral_filter>(head, wire::copied(bytes));
      again.insert(numbered_digests(6, 20));
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt) << problem.what();
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
