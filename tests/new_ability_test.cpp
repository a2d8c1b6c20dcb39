// A new ability, and a new kind that has it, from outside the library: nothing in it is changed.
#include <array>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery {

// Doubles what it holds: cells have `std::uint64_t doubled(digest) const`.
struct doubles : ability<doubles> {
  static constexpr std::string_view name = "double";
  static constexpr std::string_view refusal = "double anything";
  template <class C>
  static constexpr bool of = requires(const C cells, digest d) {
    { cells.doubled(d) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t doubled(digest d) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t doubled(digest d) const {
      return filter_in<F>(*this).cells().doubled(d);
    }
  };
};

// Holds every key there is.
struct everything_shape {
  std::uint64_t lines = 1;
  static constexpr std::array fields{
      whole_field("lines", "cache lines", &everything_shape::lines, 1, 4)};
};

class everything_cells {
 public:
  using shape = everything_shape;
  using can = ability_list<asks, doubles>;
  static constexpr kind_info kind{.name = "everything",
                                  .title = "Filter of everything",
                                  .answers = "Is it?",
                                  .citation = "none"};

  explicit everything_cells(const shape& s) : lines_(storage::allocate(64 * s.lines)) {}
  everything_cells(const shape& s, storage stored) : lines_(std::move(stored)) {
    if (lines_.bytes().size() != 64 * s.lines) fail(errc::corrupt, "not the lines it says");
  }
  static std::uint64_t payload_bytes(const shape& s) { return 64 * s.lines; }
  static shape plan(std::uint64_t /*keys*/, double /*rate*/) { return {}; }
  static double predicted_rate(const shape& /*shape*/, std::uint64_t /*keys*/) { return 1; }
  static math::query_cost query_cost(const shape& /*shape*/, std::uint64_t /*keys*/) {
    return {1, 1};
  }
  static void each_part(auto& self, auto visit) { visit(self.lines_); }

  [[nodiscard]] bool contains(digest /*d*/) const { return true; }
  [[nodiscard]] std::uint64_t doubled(digest d) const { return 2 * d.lo; }

 private:
  storage lines_;
};
using everything_filter = filter<everything_cells>;

template struct erasure<everything_filter>;

namespace {

using testing::throws_error;

TEST(a_new_ability, is_a_method_of_the_typed_filter) {
  static_assert(able<everything_filter, asks, doubles>);
  EXPECT_EQ(everything_filter::for_keys(10, 0.5).doubled({21, 0}), 42U);
}

TEST(a_new_ability, is_asked_for_like_any_other) {
  const any_filter any(everything_filter::for_keys(10, 0.5));
  EXPECT_EQ(any.as<doubles>().doubled({21, 0}), 42U);
  EXPECT_TRUE(any.as<asks>().may_contain({1, 2}));
  EXPECT_TRUE(any.kind().can<doubles>());
  const any_filter other(standard_filter::for_keys(10, 0.5));
  EXPECT_EQ(other.can<doubles>(), nullptr);
  EXPECT_FALSE(other.kind().can<doubles>());
  EXPECT_TRUE(throws_error(errc::unsupported, "a standard filter cannot double anything",
                           [&] { (void)other.as<doubles>(); }));
}

TEST(a_new_kind, is_found_by_name_once_it_is_registered) {
  EXPECT_TRUE(throws_error(errc::invalid, "is not a kind", [] { (void)find_kind("everything"); }));
  const std::size_t before = kinds().size();
  register_kind<everything_filter>();
  register_kind<everything_filter>();  // the same again is no other
  EXPECT_EQ(kinds().size(), before + 1);
  const any_kind& kind = find_kind("everything");
  any_filter made = kind.for_keys(10, 0.5);
  made.set_names(std::vector<std::string>{"red"});
  const any_filter loaded = load(save(made));
  EXPECT_EQ(&loaded.kind(), &kind);
  EXPECT_EQ(save(loaded), save(made));
  EXPECT_EQ(loaded.as<doubles>().doubled({4, 0}), 8U);
  EXPECT_NE(loaded.get_if<everything_filter>(), nullptr);
}

}  // namespace
}  // namespace bloomery
