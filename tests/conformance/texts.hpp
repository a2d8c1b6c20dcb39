#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

inline std::vector<std::string> numbered_texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) {
    texts.push_back("text number " + std::to_string(i) + " of some that are to be found again");
  }
  return texts;
}

template <class F>
void expect_texts_found() {
  F filter = fresh<F>();
  any_filter erased(filter);
  for (const std::string& text : numbered_texts()) {
    EXPECT_FALSE(filter.may_contain_text("nothing that is like any of them at all"));
    const bool changed = filter.insert_text(text);
    EXPECT_EQ(erased.as<reads_texts>().insert_text(text), changed);
    EXPECT_TRUE(filter.may_contain_text(text));
  }
  EXPECT_GE(filter.record().items, numbered_texts().size());
  EXPECT_TRUE(same_bytes(erased, filter));
  const auto strange = erased.kind().template as<reads_texts>().random_texts(erased.shape(), 1);
  ASSERT_TRUE(strange);
  for (int i = 0; i < 100; ++i) {
    const std::string text = strange();
    EXPECT_EQ(erased.as<reads_texts>().may_contain_text(text), filter.may_contain_text(text));
  }
  EXPECT_TRUE(throws_error(errc::incompatible, "texts are no integers", [] {
    (void)fresh<F>(suite_keys, suite_rate, {hash_id::integer, 1}).insert_text("text");
  }));
}

// Under a key, typed and erased: found with it, refused without it or with another.
template <class F>
void expect_texts_found_under_a_key() {
  const std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}};
  const std::array<std::byte, keyed_hash::secret_bytes> another{std::byte{2}};
  const hasher hash{keyed_hash(secret)};
  const hasher wrong{keyed_hash(another)};
  F filter = fresh<F>(suite_keys, suite_rate, hash.identity());
  F plain = fresh<F>();
  any_filter erased(filter);
  for (const std::string& text : numbered_texts()) {
    EXPECT_FALSE(filter.may_contain_text(hash, "nothing that is like any of them at all"));
    const bool changed = filter.insert_text(hash, text);
    EXPECT_EQ(erased.as<reads_texts>().insert_text(text, 0, &hash), changed);
    EXPECT_TRUE(filter.may_contain_text(hash, text));
    EXPECT_TRUE(erased.as<reads_texts>().may_contain_text(text, &hash));
    plain.insert_text(text);
  }
  EXPECT_TRUE(same_bytes(erased, filter));
  const auto same = [](byte_view a, byte_view b) { return std::ranges::equal(a, b); };
  EXPECT_FALSE(std::ranges::equal(filter.payload(), plain.payload(), same));
  const std::string text = numbered_texts().front();
  EXPECT_TRUE(throws_error(errc::incompatible, "no secret key was given",
                           [&] { (void)filter.may_contain_text(text); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "no secret key was given",
                           [&] { filter.insert_text(text); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "key fingerprint differs",
                           [&] { (void)filter.may_contain_text(wrong, text); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "key fingerprint differs",
                           [&] { erased.as<reads_texts>().insert_text(text, 0, &wrong); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "hash function differs",
                           [&] { (void)plain.may_contain_text(hash, text); }));
}

template <>
struct conformance_of<reads_texts> {
  template <class F>
  static void tests(const add_test& add) {
    add("texts_are_found", expect_texts_found<F>);
    add("texts_are_found_under_a_key", expect_texts_found_under_a_key<F>);
  }
};

template <class F>
void expect_texts_found_in_their_sources() {
  constexpr std::uint64_t sources = 5;
  const auto& kind = erasure<F>::kind().template as<searches>();
  const auto shape = kind.with_sources(values_of(F::plan(suite_keys, suite_rate)), sources);
  ASSERT_GE(kind.sources(shape), sources);
  F filter(shape_from<typename F::shape_type>(shape));
  any_filter erased(filter);
  const auto texts = numbered_texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    filter.insert_text(texts[i], i % sources);
    erased.as<reads_texts>().insert_text(texts[i], i % sources);
  }
  EXPECT_TRUE(same_bytes(erased, filter));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<text_match> found = filter.search(texts[i]);
    EXPECT_EQ(std::ranges::count(found, text_match{i % sources, 0}), 1) << texts[i];
    EXPECT_EQ(erased.as<searches>().search(texts[i]), found);
  }
}

template <>
struct conformance_of<searches> {
  template <class F>
  static void tests(const add_test& add) {
    add("texts_are_found_in_their_sources", expect_texts_found_in_their_sources<F>);
  }
};

template <class F>
void expect_a_text_nearest_to_itself() {
  F filter = fresh<F>();
  const std::uint64_t of_nothing = filter.nearness("text");
  for (const std::string& text : numbered_texts()) {
    filter.insert_text(text);
    EXPECT_GT(filter.nearness(text), of_nothing);
    EXPECT_GE(filter.nearness(text), filter.nearness("nothing like it"));
    EXPECT_EQ(any_filter(filter).as<finds_near>().nearness(text), filter.nearness(text));
  }
}

template <>
struct conformance_of<finds_near> {
  template <class F>
  static void tests(const add_test& add) {
    add("nothing_is_nearer_than_the_text_itself", expect_a_text_nearest_to_itself<F>);
  }
};

}  // namespace bloomery::testing
