// The names of kinds, as parameters of tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/secure_kinds.hpp"
#include "testing.hpp"

namespace bloomery::testing {

inline bool every(const any_kind& /*kind*/) {
  return true;
}

template <class Which>
auto kinds_that(Which which) {
  register_secure_kinds();
  std::vector<std::string> names;
  for (const any_kind& kind : kinds()) {
    if (which(kind)) names.emplace_back(kind.info.name);
  }
  return ::testing::ValuesIn(names);
}

inline std::string name_of_kind(const ::testing::TestParamInfo<std::string>& kind) {
  return test_name(kind.param);
}

}  // namespace bloomery::testing
