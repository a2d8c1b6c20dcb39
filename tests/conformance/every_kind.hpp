// What every filter does, whatever it can.
#pragma once

#include <cmath>
#include <limits>

#include "bloomery/any/registry.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "conformance/suite.hpp"

namespace bloomery::testing {

inline std::vector<std::byte> joined_bytes(const std::vector<byte_view>& parts) {
  std::vector<std::byte> all;
  for (const byte_view part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class F>
void expect_fresh_filters_empty() {
  const F filter = fresh<F>();
  EXPECT_EQ(filter.record().items, 0U);
  EXPECT_EQ(filter.record().promised, (promise{suite_keys, suite_rate}));
  EXPECT_TRUE(filter.record().names.empty());
}

template <class F>
void expect_copies_independent() {
  F filter = sample_filter<F>(42, 500);
  const auto before = wire::save(filter);
  const storage aligned = wire::copied(before);
  const F viewed = wire::view<F>(aligned.bytes().first(before.size()));
  F own = viewed;
  F copy = filter.copy();
  EXPECT_NE(copy.payload().front().data(), filter.payload().front().data());
  EXPECT_NE(own.payload().front().data(), viewed.payload().front().data());
  copy.set_names(std::vector<std::string>{"red"});
  EXPECT_NO_THROW(bloomery::detail::require_writable(own.cells_for_writing()));
  if constexpr (able<F, inserts>) {
    copy.insert(digest{1, 2});
    own.insert(digest{1, 2});
  }
  EXPECT_EQ(wire::save(filter), before);
  EXPECT_EQ(wire::save(viewed), before);
}

// Not a cell is copied or changed on the way.
template <class F>
void expect_erased_and_back_the_same() {
  register_kind<F>();  // does nothing for those that are
  F filter = sample_filter<F>(43, 500);
  const auto bytes = wire::save(filter);
  const auto* const cells = filter.payload().front().data();
  any_filter erased(std::move(filter));
  F* const back = erased.get_if<F>();
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->payload().front().data(), cells);
  EXPECT_TRUE(same_bytes(erased, *back));
  EXPECT_EQ(wire::save(*back), bytes);
  const any_filter loaded = load(bytes);
  EXPECT_EQ(save(loaded), bytes);
  EXPECT_NE(loaded.get_if<F>(), nullptr);
  EXPECT_EQ(&erased.kind(), &erasure<F>::kind());
  EXPECT_EQ(erased.shape(), values_of(back->shape()));
  EXPECT_EQ(joined_bytes(erased.payload()), joined_bytes(back->payload()));
  const any_filter copy = erased.copy();
  EXPECT_NE(copy.payload().front().data(), cells);
  EXPECT_EQ(save(copy), bytes);
}

template <class F>
void expect_saved_and_loaded_the_same() {
  const F filter = sample_filter<F>(8, 500);
  const auto bytes = wire::save(filter);
  const F loaded = wire::load<F>(bytes);
  EXPECT_EQ(wire::save(loaded), bytes);
  EXPECT_EQ(loaded.record().items, filter.record().items);
  if constexpr (able<F, asks>) {
    const auto asked = numbered_digests(8, 700);
    EXPECT_EQ(hits(loaded, asked), hits(filter, asked));
  }
}

template <class F>
void expect_views_in_place() {
  const auto bytes = wire::save(sample_filter<F>(9, 500));
  const storage aligned = wire::copied(bytes);
  const F viewed = wire::view<F>(aligned.bytes().first(bytes.size()));
  EXPECT_EQ(viewed.payload().front().data(),
            aligned.bytes().data() + bytes.size() - wire::open_envelope(bytes).payload.size());
  EXPECT_EQ(wire::save(viewed), bytes);
  F mutable_view = wire::view<F>(aligned.bytes().first(bytes.size()));
  EXPECT_TRUE(
      throws_error(errc::read_only, "view", [&] { (void)mutable_view.cells_for_writing(); }));
}

// Whatever the payload's bytes, they are refused or are a filter: one that writes the same bytes and
// answers.
template <class F>
void expect_corrupt_payloads_refused_or_sound() {
  const F filter = sample_filter<F>(17, 250, 300);
  const wire::envelope head = wire::envelope_of(filter);
  const std::vector<std::byte> payload = joined_bytes(filter.payload());
  const auto attempt = [&](const std::vector<std::byte>& bytes) {
    try {
      F restored = wire::restore<F>(head, wire::copied(bytes));
      EXPECT_EQ(joined_bytes(restored.payload()), bytes);
      if constexpr (able<F, asks>) (void)hits(restored, numbered_digests(18, 100));
      if constexpr (able<F, counts>) (void)restored.count(digest{1, 2});
      if constexpr (able<F, inserts>) (void)restored.insert(numbered_digests(18, 20));
      if constexpr (able<F, erases>) (void)restored.erase(numbered_digests(18, 20));
    } catch (const error& problem) {
      EXPECT_TRUE(problem.code() == errc::corrupt || problem.code() == errc::limit)
          << problem.what();
    }
  };
  for (std::uint64_t trial = 0; trial < 600; ++trial) {
    auto bytes = payload;
    const std::uint64_t draw = hash::mix(trial + 1);
    // The numbers in front get half of the attention.
    const std::uint64_t reach =
        trial % 2 == 0 ? bytes.size() : std::min<std::size_t>(128, bytes.size());
    bytes[draw % reach] ^= static_cast<std::byte>(1U << (draw >> 40) % 8);
    if (trial % 5 == 0) bytes[(draw >> 20) % reach] = std::byte{0xff};
    attempt(bytes);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{64}, payload.size() - 64,
                                 payload.size() + 64, 3 * payload.size()}) {
    auto bytes = payload;
    bytes.resize(size);
    if (size != payload.size()) {
      EXPECT_THROW((void)wire::restore<F>(head, wire::copied(bytes)), error) << size;
    }
  }
}

template <class F>
void expect_plans_to_keep_their_promise() {
  for (const std::uint64_t n : {1U, 10U, 1000U, 1'000'000U}) {
    for (const double p : {0.3, 0.01, 1e-5}) {
      const auto shape = F::plan(n, p);
      EXPECT_NO_THROW(require_valid(shape));
      EXPECT_LE(F::predicted_rate(shape, n), math::with_reserve(p)) << n << " keys at " << p;
      EXPECT_GE(F::predicted_rate(shape, 4 * n), F::predicted_rate(shape, n));
      const math::query_cost cost = F::query_cost(shape, n);
      EXPECT_GE(cost.absent, 1);
      EXPECT_GE(cost.present, 1);
      const any_kind& kind = erasure<F>::kind();
      EXPECT_EQ(kind.plan(n, p), values_of(shape));
      EXPECT_EQ(kind.predicted_rate(values_of(shape), n), F::predicted_rate(shape, n));
      EXPECT_EQ(kind.payload_bytes(values_of(shape)), F::payload_bytes(shape));
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, min_rate / 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, std::nan("")); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)F::plan(0, 0.01); }));
}

template <class F>
void expect_the_kind_well_described() {
  static_assert(filter_type<F>);
  EXPECT_FALSE(F::kind.name.empty());
  EXPECT_LE(F::kind.name.size(), wire::max_kind_name);
  EXPECT_EQ(F::kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
            std::string_view::npos);
  EXPECT_FALSE(F::kind.title.empty() || F::kind.answers.empty() || F::kind.citation.empty());
  using shape = typename F::shape_type;
  for (const field_info& field : field_infos<shape>()) {
    EXPECT_FALSE(field.name.empty() || field.help.empty());
    EXPECT_LE(field.low, field.high);
  }
  // Each field is refused beyond its range, and the message names it.
  const auto good = values_of(F::plan(2000, 0.01));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const field_info& field = shape::fields[i].info;
    const auto refused = [&](field_value value) {
      auto bad = good;
      bad[i] = value;
      EXPECT_TRUE(throws_error(errc::invalid, std::string(field.name),
                               [&] { (void)shape_from<shape>(bad); }));
    };
    if (const auto* low = std::get_if<std::uint64_t>(&field.low)) {
      if (*low > 0) refused(*low - 1);
      const auto high = std::get<std::uint64_t>(field.high);
      if (high != ~std::uint64_t{0}) refused(high + 1);
    } else {
      constexpr double infinite = std::numeric_limits<double>::infinity();
      refused(std::nextafter(std::get<double>(field.low), -infinite));
      refused(std::nextafter(std::get<double>(field.high), infinite));
      refused(std::numeric_limits<double>::quiet_NaN());
    }
  }
}

struct every_kind {
  static constexpr std::string_view name = "every_kind";

  template <class F>
  static void tests(const add_test& add) {
    add("is_empty_when_fresh", expect_fresh_filters_empty<F>);
    add("copies_own_their_cells", expect_copies_independent<F>);
    add("is_the_same_erased_and_back", expect_erased_and_back_the_same<F>);
    add("is_the_same_saved_and_loaded", expect_saved_and_loaded_the_same<F>);
    add("is_viewed_in_place", expect_views_in_place<F>);
    add("refuses_corrupt_payloads_or_is_sound", expect_corrupt_payloads_refused_or_sound<F>);
    add("plans_keep_their_promise", expect_plans_to_keep_their_promise<F>);
    add("is_well_described", expect_the_kind_well_described<F>);
  }
};

}  // namespace bloomery::testing
