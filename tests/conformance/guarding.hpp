#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

inline std::vector<std::string_view> guarded_texts() {
  return {"ant", "bee", "cat", "dog", "elk", "fox"};
}

template <class F>
void expect_guarded_texts_found() {
  const auto secret = F::secret_type::generate();
  const auto stored = secret.save();
  F filter(F::plan_guarded(100, suite_rate, secret), {}, {100, suite_rate});
  any_filter erased(filter);
  const auto texts = guarded_texts();
  std::uint64_t new_texts = 0;
  for (const std::string_view text : texts) {
    new_texts += std::uint64_t{filter.insert_text(secret, text)};
  }
  EXPECT_EQ(erased.as<guards>().insert_texts(stored, texts), new_texts);
  EXPECT_EQ(erased.record().items, texts.size());
  const flags answers(texts.size());
  EXPECT_EQ(erased.as<guards>().may_contain_texts(stored, texts, answers.all), texts.size());
  for (const std::string_view text : texts) EXPECT_TRUE(filter.may_contain_text(secret, text));
  const auto other = F::secret_type::generate();
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.may_contain_text(other, "ant"); }));
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.insert_text(other, "ant"); }));
  EXPECT_EQ(wire::save(filter), before);
}

template <>
struct conformance_of<guards> {
  template <class F>
  static void tests(const add_test& add) {
    add("texts_are_found_under_their_secret_alone", expect_guarded_texts_found<F>);
  }
};

template <class F>
void expect_sealing_to_hide_the_number() {
  const auto secret = F::secret_type::generate();
  const auto shape = F::plan_guarded(100, suite_rate, secret);
  F filter(shape);
  for (const std::string_view text : guarded_texts()) filter.insert_text(secret, text);
  any_filter erased(filter);
  EXPECT_FALSE(filter.sealed());
  EXPECT_TRUE(throws_error(errc::invalid, "distinct", [&] { filter.seal(secret, 7); }));
  filter.seal(secret, 6);
  EXPECT_TRUE(filter.sealed());
  EXPECT_EQ(filter.record().items, F::capacity(shape));
  EXPECT_TRUE(throws_error(errc::limit, "sealed", [&] { filter.seal(secret, 6); }));
  EXPECT_TRUE(throws_error(errc::limit, "", [&] { filter.insert_text(secret, "gnu"); }));
  for (const std::string_view text : guarded_texts()) {
    EXPECT_TRUE(filter.may_contain_text(secret, text));
  }
  erased.as<seals>().seal(secret.save(), 6);
  EXPECT_TRUE(erased.get_if<F>()->sealed());
  EXPECT_EQ(erased.record().items, filter.record().items);
}

template <>
struct conformance_of<seals> {
  template <class F>
  static void tests(const add_test& add) {
    add("sealing_hides_the_number_of_texts", expect_sealing_to_hide_the_number<F>);
  }
};

}  // namespace bloomery::testing
