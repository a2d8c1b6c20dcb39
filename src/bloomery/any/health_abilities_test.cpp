// Verdicts of kinds that lack abilities, or answer wrongly.
#include "bloomery/any/health.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "examined.hpp"

namespace bloomery {
namespace {

using testing::filled;
using testing::mentions;
using testing::told;

// A standard filter that lacks abilities, or claims every key.
enum : unsigned { no_query = 1, no_measure = 2, no_fold = 4, no_rate = 8, wrong = 16 };

template <class... A, class... B>
ability_list<A..., B...> operator+(ability_list<A...> /*a*/, ability_list<B...> /*b*/) {
  return {};
}
template <bool Can, class A>
using if_able = std::conditional_t<Can, ability_list<A>, ability_list<>>;

template <unsigned Lacks>
class limited_cells {
  using whole = standard_filter::cells_type;
  static constexpr bool query = (Lacks & no_query) == 0;
  static constexpr bool measure = (Lacks & no_measure) == 0;
  static constexpr bool fold = (Lacks & no_fold) == 0;
  static constexpr bool rate = measure || (Lacks & no_rate) == 0;

 public:
  using shape = standard_shape;
  using can = decltype(ability_list<inserts, lays_out>{} + if_able<query, asks>{} +
                       if_able<measure, measures>{} + if_able<fold, folds>{} +
                       if_able<rate, tells_rate>{});
  static constexpr kind_info kind = standard_filter::kind;

  explicit limited_cells(const shape& s) : cells_(s) {}
  limited_cells(const shape& s, storage stored) : cells_(s, std::move(stored)) {}
  static std::uint64_t payload_bytes(const shape& s) { return whole::payload_bytes(s); }
  static shape plan(std::uint64_t keys, double p) { return whole::plan(keys, p); }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return whole::predicted_rate(s, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return whole::query_cost(s, keys);
  }
  static math::bit_layout layout(const shape& s) { return whole::layout(s); }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return whole::of_bits(bits, hashes);
  }
  static void each_part(auto& self, auto visit) { visit(self.cells_); }

  bool insert(digest d) { return cells_.insert(d); }
  [[nodiscard]] bool contains(digest d) const requires(query) {
    return (Lacks & wrong) != 0 || cells_.contains(d);
  }
  [[nodiscard]] double fill() const requires(rate) { return cells_.fill(); }
  [[nodiscard]] double current_rate() const requires(rate) { return cells_.current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const requires(measure) {
    return cells_.estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const limited_cells& other, double confidence) const
      requires(measure) {
    return cells_.estimated_overlap(other.cells_, confidence);
  }
  static shape folded_shape(const shape& s, std::uint64_t factor) requires(fold) {
    return whole::folded_shape(s, factor);
  }
  [[nodiscard]] limited_cells folded(const shape& smaller, std::uint64_t factor) const
      requires(fold) {
    limited_cells result(smaller);
    result.cells_ = cells_.folded(smaller, factor);
    return result;
  }

 private:
  whole cells_;
};

template <unsigned Lacks>
const any_kind& limited() {
  return erasure<filter<limited_cells<Lacks>>>::kind();
}

void expect_judged_by_what_it_can(const any_kind& kind, unsigned lacks) {
  for (const std::uint64_t keys : {0U, 200U, 1000U, 2000U}) {
    SCOPED_TRACE(std::to_string(lacks) + " lacking, " + std::to_string(keys) + " keys");
    const health found = examine(filled(kind, 1000, 0.01, keys), {.probes = 100'000});
    // Over-filling shows by the estimate against the capacity, or else by asking.
    const bool can_tell = kind.can<measures>() || kind.can<asks>();
    EXPECT_EQ(found.healthy(), keys <= 1000 || !can_tell) << told(found);
    EXPECT_EQ(found.measured.has_value(), kind.can<asks>());
    EXPECT_EQ(found.fill.has_value(), kind.can<tells_rate>());
    EXPECT_EQ(found.current_rate.has_value(), kind.can<tells_rate>());
    EXPECT_EQ(found.estimated.has_value(), kind.can<measures>());
    EXPECT_EQ(found.consistent.has_value(), kind.can<measures>());
    EXPECT_TRUE(found.capacity.has_value());
    EXPECT_EQ(found.predicted_of_estimate.has_value(), kind.can<measures>());
    EXPECT_FALSE(found.advice.empty());
    if (!kind.can<folds>()) {
      EXPECT_EQ(found.fold, std::nullopt);
    }
    if (!found.healthy() && !kind.can<measures>()) {
      EXPECT_TRUE(mentions(found.reasons, "over the 1 % it should keep")) << told(found);
      EXPECT_EQ(found.advice, "rebuild for 2k keys");
    }
  }
}

TEST(kinds_that_cannot, are_judged_by_what_they_can) {
  []<unsigned... Lacks>(std::integer_sequence<unsigned, Lacks...>) {
    (expect_judged_by_what_it_can(limited<Lacks>(), Lacks), ...);
  }
  (std::make_integer_sequence<unsigned, 16>{});
}

TEST(a_filter_that_answers_wrongly, is_noticed) {
  const any_filter filter = filled(limited<wrong>(), 1000, 0.01, 500);
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "does not answer as it should")) << told(found);
}

}  // namespace
}  // namespace bloomery
