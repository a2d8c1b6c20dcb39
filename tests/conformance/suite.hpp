// The conformance suite: each ability has a file here with what it promises, and each kind is tested
// for what it can do, as a typed filter and erased. Nothing is registered that a kind cannot do.
//
//   template <>
//   struct conformance_of<my_ability> {
//     template <class F>
//     static void tests(const add_test& add) {
//       add("what_it_promises", [] { EXPECT_TRUE(fresh<F>().mine()); });
//     }
//   };
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/filters/any_kind.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {

class conformance_test : public ::testing::Test {
 public:
  explicit conformance_test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

// Registers tests as ability.name/kind.
struct add_test {
  std::string_view ability;
  std::string_view kind;

  void operator()(const std::string& name, const std::function<void()>& body) const {
    ::testing::RegisterTest(std::string(ability).c_str(), (name + "/" + test_name(kind)).c_str(),
                            nullptr, nullptr, __FILE__, __LINE__,
                            [body] { return new conformance_test(body); });
  }
};

// Without it, an ability on the list does not compile.
template <class Ability>
struct conformance_of;

// Of abilities that are only another way to do the same: the tests of that one see no difference.
struct tested_with_another {
  template <class F>
  static void tests(const add_test& /*add*/) {}
};

inline constexpr std::uint64_t suite_keys = 2000;
inline constexpr double suite_rate = 0.01;

template <class F>
inline constexpr bool holds_keys = able<F, inserts> || able<F, builds>;
// No key that it was given, and has no leave to forget, is ever missed.
template <class F>
inline constexpr bool exact_members = able<F, asks> && !F::kind.false_negatives;
// Kinds that can be full promise room for distinct keys; copies may take more.
template <class F>
inline constexpr std::uint64_t room_with_copies =
    able<F, has_capacity> ? suite_keys * 3 / 4 : 2 * suite_keys;

// The larger filter is beyond the size from which batches prefetch.
inline constexpr std::array<std::uint64_t, 2> batch_test_sizes{300, std::uint64_t{1} << 22};

template <class F>
F fresh(std::uint64_t keys = suite_keys, double rate = suite_rate, hash_identity hash = {}) {
  return F::for_keys(keys, rate, hash);
}

template <class F>
F filled(std::uint64_t stream, std::uint64_t first, std::uint64_t count) {
  return filled_with<F>(F::plan(suite_keys, suite_rate), numbered_digests(stream, count, first), {},
                        promise{suite_keys, suite_rate});
}

// With some keys in it, if it takes any.
template <class F>
F sample_filter(std::uint64_t stream, std::uint64_t count, std::uint64_t planned = suite_keys) {
  if constexpr (holds_keys<F>) {
    return filled_with<F>(F::plan(planned, suite_rate), numbered_digests(stream, count), {},
                          promise{planned, suite_rate});
  } else {
    return fresh<F>(planned);
  }
}

template <class F>
std::uint64_t hits(const F& filter, std::span<const digest> asked) {
  std::uint64_t count = 0;
  for (const digest d : asked) count += std::uint64_t{filter.may_contain(d)};
  return count;
}

// Whether an erased filter is this typed one, byte for byte.
template <class F>
::testing::AssertionResult same_bytes(const any_filter& erased, const F& typed) {
  if (save(erased) == wire::save(typed)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the erased filter has other bytes than the typed one";
}

// An array that vector<bool> is not.
struct flags {
  explicit flags(std::size_t size)
      : values(std::make_unique<bool[]>(size)), all(values.get(), size) {}
  std::unique_ptr<bool[]> values;
  std::span<bool> all;
};

}  // namespace bloomery::testing
