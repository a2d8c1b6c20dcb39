// Every kind keeps its promise: over hashes, the expected rate of filters of the planned keys is at most
// the promised one. For few keys, for skewed ones, for a set of keys that is replaced again and again, and
// for one that outgrows its plan, if the kind is for that.
//
// An instance's rate is its own current_rate(), which is exact, or the share of strangers that it claims.
// The mean of many is above the promise by more than chance allows at testing::significance if it is so
// by that many standard errors of the sample. Rates of small filters are skewed to the right, whereby the
// test errs on the side of passing.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/strangers.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/kinds/cuckoo.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "kind_names.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

constexpr std::uint64_t windows = 20;  // how often a set is replaced

// What is known of the expected rate after some instances.
class expected_rate {
 public:
  void add(double rate) {
    sum_ += rate;
    squares_ += rate * rate;
    instances_ += 1;
  }
  [[nodiscard]] double mean() const { return sum_ / instances_; }
  [[nodiscard]] double deviation() const {
    const double variance = (squares_ / instances_ - mean() * mean()) / (instances_ - 1);
    return std::sqrt(std::max(0.0, variance));
  }
  [[nodiscard]] ::testing::AssertionResult within(double promised) const {
    const double most = promised + math::normal_quantile(1 - significance) * deviation();
    if (mean() <= most * (1 + 1e-12)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "expected " << mean() << " ± " << deviation() << ", "
                                         << mean() / promised << " times the promised " << promised;
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double instances_ = 0;
};

double rate_of(const any_filter& filter, double promised, std::uint64_t seed) {
  if (const auto* cells = filter.can<tells_rate>()) return cells->current_rate();
  constexpr double hits = 4;  // expected of strangers; the instances differ more than their answers
  const auto asked = static_cast<std::uint64_t>(std::ceil(hits / promised));
  const tally counts = ask_strangers(filter, {.most = asked, .enough_hits = asked, .seed = seed});
  return static_cast<double>(counts.hits) / static_cast<double>(counts.asked);
}

struct sample {
  std::uint64_t keys;
  double rate;
  std::uint64_t instances;
};

// Together they see an excess of some tenth of the rate. Larger filters differ less from each other.
std::vector<sample> samples() {
  std::vector<sample> all;
  for (const double rate : {0.3, 0.1, 0.01}) {
    for (const std::uint64_t keys : {1U, 2U, 3U, 10U, 20U}) {
      all.push_back({keys, rate, 600 * full_factor()});
    }
    all.push_back({300, rate, 20 * full_factor()});
  }
  return all;
}

template <class Make>
expected_rate rate_over(const sample& s, Make make) {
  expected_rate result;
  for (std::uint64_t i = 0; i < s.instances; ++i) {
    result.add(rate_of(make(/*stream=*/1000 + i), s.rate, i));
  }
  return result;
}

class promises_of : public ::testing::TestWithParam<std::string> {
 protected:
  const any_kind& kind = find_kind(GetParam());

  // For each sample, verdict(the expected rate, what was promised).
  template <class Make, class Verdict>
  void each_sample(Make make, Verdict verdict) {
    for (const sample& s : samples()) {
      SCOPED_TRACE(std::to_string(s.keys) + " keys at " + std::to_string(s.rate));
      const auto shape = kind.plan(s.keys, s.rate);
      verdict(rate_over(s, [&](std::uint64_t stream) { return make(s, shape, stream); }), s.rate);
    }
  }
};
const auto kept = [](const expected_rate& found, double promised) {
  EXPECT_TRUE(found.within(promised));
};

bool asked(const any_kind& kind) {
  return kind.takes_keys() && kind.can<asks>();
}
class promises_of_all : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_all, kinds_that(asked), name_of_kind);

TEST_P(promises_of_all, hold_for_few_keys) {
  each_sample(
      [&](const sample& s, const auto& shape, std::uint64_t stream) {
        return kind.build(shape, numbered_digests(stream, s.keys), {}, {s.keys, s.rate}, 1);
      },
      kept);
}

// Key i comes n/i times.
bool takes_repeats(const any_kind& kind) {
  return asked(kind) && kind.can<inserts>() && !kind.can<forgets>() &&
         !kind.info.fills_with_repeats;
}
class promises_of_kinds_that_take_repeats : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_kinds_that_take_repeats, kinds_that(takes_repeats),
                         name_of_kind);

TEST_P(promises_of_kinds_that_take_repeats, hold_for_skewed_ones) {
  each_sample(
      [&](const sample& s, const auto& shape, std::uint64_t stream) {
        any_filter filter = kind.create(shape, {}, {s.keys, s.rate});
        for (std::uint64_t i = 1; i <= s.keys; ++i) {
          const std::vector<digest> repeats(s.keys / i, numbered_digest(stream, i));
          filter.as<inserts>().insert(repeats);
        }
        return filter;
      },
      kept);
}

// Of 20 keys 17 have one value, two another and one a third: three values of a possible eight.
bool maps_built(const any_kind& kind) {
  return kind.can<maps>() && kind.can<asks>();
}
class promises_of_maps : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_maps, kinds_that(maps_built), name_of_kind);

TEST_P(promises_of_maps, hold_for_skewed_values) {
  const auto& map = kind.as<maps>();
  for (const sample& s : samples()) {
    SCOPED_TRACE(std::to_string(s.keys) + " keys at " + std::to_string(s.rate));
    const auto entries = [&](std::uint64_t stream) {
      std::vector<keyed_value> all;
      for (std::uint64_t i = 0; i < s.keys; ++i) {
        all.push_back({numbered_digest(stream, i), i % 20 == 0 ? 7U : i % 10 == 1 ? 3U : 0U});
      }
      return all;
    };
    const auto shape = map.plan_entries(map.plan_map(s.keys, s.rate, 8), entries(1), s.rate);
    kept(rate_over(s,
                   [&](std::uint64_t stream) {
                     return map.build_map(shape, entries(stream), {}, {s.keys, s.rate}, 1);
                   }),
         s.rate);
  }
}

// n keys are in it at any time: the oldest is erased when the next comes. It ends where a kind that can be
// full refuses a key, which each of the tables of n keys that come about may do once in a million.
any_filter replaced(const any_kind& kind, const sample& s, std::span<const field_value> shape,
                    std::uint64_t stream, std::uint64_t& refused) {
  any_filter filter = kind.create(shape, {}, {s.keys, s.rate});
  const auto keys = numbered_digests(stream, windows * s.keys);
  try {
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      if (i >= s.keys) filter.as<erases>().erase(keys[i - s.keys]);
      filter.as<inserts>().insert(keys[i]);
    }
  } catch (const error& problem) {
    EXPECT_TRUE(kind.can<has_capacity>() && problem.code() == errc::limit) << problem.what();
    ++refused;
  }
  return filter;
}
bool erased(const any_kind& kind) {
  return asked(kind) && kind.can<inserts>() && kind.can<erases>() && !kind.info.erased_keep_room;
}
class promises_of_kinds_that_erase : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_kinds_that_erase, kinds_that(erased), name_of_kind);

TEST_P(promises_of_kinds_that_erase, hold_when_keys_are_replaced) {
  std::uint64_t refused = 0;
  std::uint64_t tables = 0;
  each_sample(
      [&](const sample& s, const auto& shape, std::uint64_t stream) {
        tables += windows * s.keys;
        return replaced(kind, s, shape, stream, refused);
      },
      kept);
  EXPECT_TRUE(plausible_limit(refused, tables, math::planned_failure));
}

// They say so, and it is no idle excuse: strangers are claimed, or members are missed, at ten times the rate.
bool worn(const any_kind& kind) {
  return asked(kind) && kind.can<erases>() && kind.info.erased_keep_room;
}
class promises_of_kinds_that_wear : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_kinds_that_wear, kinds_that(worn), name_of_kind);

TEST_P(promises_of_kinds_that_wear, are_broken_when_keys_are_replaced) {
  const sample s{300, 0.01, 1};
  std::uint64_t refused = 0;
  const any_filter filter = replaced(kind, s, kind.plan(s.keys, s.rate), 1000, refused);
  const auto members = numbered_digests(1000, s.keys, (windows - 1) * s.keys);
  std::uint64_t missed = 0;
  for (const digest d : members) missed += std::uint64_t{!filter.as<asks>().may_contain(d)};
  const tally strangers = ask_strangers(filter, {.most = s.keys, .enough_hits = s.keys});
  EXPECT_GT(strangers.hits + missed, s.keys / 10);
  EXPECT_EQ(refused, 0U);
}

// However long it goes on, and when the window is fullest.
bool forgetful(const any_kind& kind) {
  return asked(kind) && kind.can<inserts>() && kind.can<forgets>();
}
class promises_of_kinds_that_forget : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_kinds_that_forget, kinds_that(forgetful), name_of_kind);

TEST_P(promises_of_kinds_that_forget, hold_for_ever) {
  each_sample(
      [&](const sample& s, const auto& shape, std::uint64_t stream) {
        const std::uint64_t end = windows * s.keys;
        const std::uint64_t peak = kind.as<forgets>().peak(shape);
        const bool at_peak = stream % 2 == 0 && peak != 0 && peak < end;
        any_filter filter = kind.create(shape, {}, {s.keys, s.rate});
        filter.as<inserts>().insert(numbered_digests(stream, at_peak ? peak : end));
        return filter;
      },
      kept);
}

bool grown(const any_kind& kind) {
  return asked(kind) && kind.can<inserts>() && kind.can<grows>();
}
class promises_of_kinds_that_grow : public promises_of {};
INSTANTIATE_TEST_SUITE_P(kinds, promises_of_kinds_that_grow, kinds_that(grown), name_of_kind);

TEST_P(promises_of_kinds_that_grow, hold_beyond_the_plan) {
  for (const std::uint64_t factor : {2U, 5U, 20U}) {
    SCOPED_TRACE(factor);
    each_sample(
        [&](const sample& s, const auto& shape, std::uint64_t stream) {
          any_filter filter = kind.create(shape, {}, {s.keys, s.rate});
          filter.as<inserts>().insert(numbered_digests(stream, factor * s.keys));
          return filter;
        },
        kept);
  }
}

}  // namespace
}  // namespace bloomery::testing
