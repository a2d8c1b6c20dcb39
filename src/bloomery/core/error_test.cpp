#include "bloomery/core/error.hpp"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(error, carries_code_and_message) {
  try {
    fail(errc::read_only, "a view");
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::read_only);
    EXPECT_STREQ(problem.what(), "a view");
    return;
  }
  FAIL() << "nothing was thrown";
}

TEST(error, is_caught_as_a_standard_exception) {
  EXPECT_THROW(fail(errc::io, "gone"), std::runtime_error);
}

}  // namespace
}  // namespace bloomery
