#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_the_plain_filter_of_the_keys() {
  F filter = filled<F>(39, 0, 1000);
  filter.set_names(std::vector<std::string>{"red"});
  const auto keys = numbered_digests(39, 1000);
  if constexpr (able<F, erases>) filter.erase(std::span(keys).first(500));
  const auto plain = filter.plain();
  EXPECT_EQ(hits(plain, std::span(keys).subspan(500)), 500U);
  EXPECT_EQ(plain.record().items, filter.record().items);
  EXPECT_EQ(plain.record().hash, filter.record().hash);
  EXPECT_EQ(plain.record().names, filter.record().names);
  EXPECT_TRUE(same_bytes(any_filter(filter).template as<reduces>().plain(), plain));
}

template <>
struct conformance_of<reduces> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_plain_filter_has_the_keys_that_are_left", expect_the_plain_filter_of_the_keys<F>);
  }
};

}  // namespace bloomery::testing
