#include "bloomery/wire/filter_io.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <vector>

#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "reseal.hpp"
#include "testing.hpp"

namespace bloomery::wire {
namespace {

using testing::file_bytes;
using testing::numbered_digests;
using testing::throws_error;
namespace offset = testing::offset;

template <class Filter>
class stored : public ::testing::Test {
 protected:
  stored() { filter.insert(keys); }

  // Storage starts at a multiple of 64, a vector at one of 16: viewable both.
  [[nodiscard]] static bool aligned(const file_bytes& file) {
    return reinterpret_cast<std::uintptr_t>(file.data()) % 8 == 0;
  }

  const std::vector<digest> keys = numbered_digests(1, 300);
  Filter filter = Filter::for_keys(300, 0.01, {hash_id::integer, 42});
};

using kinds = ::testing::Types<standard_filter, partitioned_filter, blocked_filter>;
TYPED_TEST_SUITE(stored, kinds);

TYPED_TEST(stored, loads_as_it_was_saved) {
  const file_bytes file = save(this->filter);
  EXPECT_EQ(file.size() % 64, 0);
  const auto again = load<TypeParam>(file);
  EXPECT_EQ(values_of(again.shape()), values_of(this->filter.shape()));
  EXPECT_EQ(again.record().hash, (hash_identity{hash_id::integer, 42}));
  EXPECT_EQ(again.record().promised, (promise{300, 0.01}));
  EXPECT_EQ(again.record().items, 300);
  for (const digest key : this->keys) ASSERT_TRUE(again.may_contain(key));
  EXPECT_EQ(save(again), file);
}

TYPED_TEST(stored, view_copies_nothing_and_refuses_change) {
  const file_bytes file = save(this->filter);
  ASSERT_TRUE(this->aligned(file));
  auto seen = view<TypeParam>(file);
  ASSERT_EQ(seen.payload().size(), 1);
  EXPECT_EQ(seen.payload()[0].data(), file.data() + (file.size() - seen.payload()[0].size()));
  EXPECT_EQ(seen.payload()[0].data() + seen.payload()[0].size(), file.data() + file.size());
  for (const digest key : this->keys) ASSERT_TRUE(seen.may_contain(key));
  const digest stranger{1, 2};
  const std::array batch{stranger};
  const std::string reason = "read-only view";
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.insert(stranger); }));
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.insert(batch); }));
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.insert_shared(stranger); }));
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.insert_shared(batch); }));
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.merge(this->filter); }));
  EXPECT_TRUE(throws_error(errc::read_only, reason, [&] { seen.intersect(this->filter); }));
  EXPECT_EQ(save(seen), save(this->filter)) << "a refused change left a trace";
  auto own = seen.copy();
  own.insert(stranger);
  EXPECT_TRUE(own.may_contain(stranger));
  EXPECT_EQ(file, save(this->filter));
}

TYPED_TEST(stored, view_keeps_its_owner) {
  auto file = std::make_shared<file_bytes>(save(this->filter));
  const std::weak_ptr<file_bytes> watched = file;
  {
    const byte_view bytes(*file);
    const auto seen = view<TypeParam>(bytes, std::move(file));
    ASSERT_FALSE(watched.expired());
    EXPECT_TRUE(seen.may_contain(this->keys[0]));
  }
  EXPECT_TRUE(watched.expired());
}

TYPED_TEST(stored, load_takes_bytes_from_anywhere) {
  const file_bytes file = save(this->filter);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    file_bytes moved(file.size() + shift);
    std::ranges::copy(file, moved.begin() + static_cast<std::ptrdiff_t>(shift));
    const byte_view place = byte_view(moved).subspan(shift);
    auto again = load<TypeParam>(place);
    EXPECT_EQ(save(again), file);
    again.insert(digest{1, 2});
    EXPECT_TRUE(std::ranges::equal(place, file)) << "the caller's bytes changed";
    EXPECT_TRUE(throws_error(errc::invalid, "must start at a multiple of 8",
                             [&] { (void)view<TypeParam>(place); }));
  }
}

TYPED_TEST(stored, options_reach_the_envelope) {
  file_bytes file = save(this->filter);
  load_options options;
  options.max_payload_bytes = 63;
  EXPECT_TRUE(
      throws_error(errc::limit, "over the limit", [&] { (void)load<TypeParam>(file, options); }));
  EXPECT_TRUE(throws_error(errc::limit, "over the limit",
                           [&] { (void)view<TypeParam>(file, nullptr, options); }));
  options = {};
  options.verify_payload = false;
  file[file.size() - this->filter.payload()[0].size()] ^= std::byte{1};  // the first cell's
  EXPECT_TRUE(
      throws_error(errc::corrupt, "the payload is damaged", [&] { (void)load<TypeParam>(file); }));
  EXPECT_NE(save(load<TypeParam>(file, options)), save(this->filter));
  file[offset::items] ^= std::byte{1};
  EXPECT_TRUE(throws_error(errc::corrupt, "the header is damaged",
                           [&] { (void)load<TypeParam>(file, options); }));
}

TEST(restore, refuses_another_kind) {
  const file_bytes file = save(standard_filter::for_keys(10, 0.1));
  EXPECT_TRUE(throws_error(errc::incompatible, "the kind of this filter is standard, not blocked",
                           [&] { (void)load<blocked_filter>(file); }));
}

TEST(restore, refuses_shapes_out_of_range_and_payloads_that_misfit) {
  const file_bytes file = save(standard_filter(standard_shape{.bits = 1000, .hashes = 7}));
  const auto with = [&](std::size_t field, std::uint64_t value) {
    return [bad = testing::resealed_with_field(file, field, value)] {
      (void)load<standard_filter>(bad);
    };
  };
  EXPECT_TRUE(throws_error(errc::corrupt, "bits is 9223372036854775808; allowed: 1 to",
                           with(0, std::uint64_t{1} << 63)));
  EXPECT_TRUE(throws_error(errc::corrupt, "hashes is 0; allowed: 1 to 64", with(1, 0)));
  EXPECT_TRUE(throws_error(errc::corrupt, "hashes is 65; allowed: 1 to 64", with(1, 65)));
  EXPECT_TRUE(
      throws_error(errc::corrupt, "1025 bits need 192 bytes, there are 128", with(0, 1025)));
  EXPECT_TRUE(throws_error(errc::corrupt, "512 bits need 64 bytes, there are 128", with(0, 512)));
  EXPECT_NO_THROW(with(0, 1024)());
}

// A kind with a field of each type: the three first kinds have whole fields alone.
struct gauge_shape {
  std::uint64_t lines = 0;
  double level = 0;
  static constexpr std::array fields{
      whole_field("lines", "cache lines", &gauge_shape::lines, 0, 4),
      real_field("level", "between nothing and all", &gauge_shape::level, 0, 1),
  };
};

class gauge_cells {
 public:
  using shape = gauge_shape;
  using can = ability_list<>;
  static constexpr kind_info kind{
      .name = "gauge", .title = "Gauge", .answers = "How full?", .citation = "none"};
  explicit gauge_cells(const shape& s) : lines_(storage::allocate(payload_bytes(s))) {}
  gauge_cells(const shape& /*shape*/, storage stored) : lines_(std::move(stored)) {}
  static std::uint64_t payload_bytes(const shape& s) { return 64 * s.lines; }
  static shape plan(std::uint64_t /*keys*/, double /*rate*/) { return {}; }
  static double predicted_rate(const shape& /*shape*/, std::uint64_t /*keys*/) { return 1; }
  static math::query_cost query_cost(const shape& /*shape*/, std::uint64_t /*keys*/) { return {}; }
  static void each_part(auto& self, auto visit) { visit(self.lines_); }

 private:
  storage lines_;
};
using gauge = filter<gauge_cells>;

TEST(restore, reads_real_fields) {
  for (const double level : {0.0, 0.1, 5e-324, 1.0}) {
    const file_bytes file = save(gauge(gauge_shape{.lines = 2, .level = level}));
    EXPECT_EQ(load<gauge>(file).shape().level, level);
    EXPECT_EQ(load<gauge>(file).shape().lines, 2);
  }
  const file_bytes empty = save(gauge(gauge_shape{.lines = 0, .level = 0.5}));
  EXPECT_EQ(save(load<gauge>(empty)), empty) << "no payload at all";
}

// The same after it has got a further field.
struct later_gauge_shape {
  std::uint64_t lines = 0;
  double level = 0;
  std::uint64_t form = 0;
  static constexpr std::array fields{
      whole_field("lines", "cache lines", &later_gauge_shape::lines, 0, 4),
      real_field("level", "between nothing and all", &later_gauge_shape::level, 0, 1),
      later_field(whole_field("form", "how it looks", &later_gauge_shape::form, 0, 2)),
  };
};

TEST(restore, reads_what_was_written_before_a_later_field) {
  const auto infos = field_infos<later_gauge_shape>();
  const std::vector<field_value> before = values_of(later_gauge_shape{1, 0.5, 0});
  const envelope old = make_envelope("gauge", {}, infos, before);
  EXPECT_EQ(old.fields,
            make_envelope("gauge", {}, field_infos<gauge_shape>(), values_of(gauge_shape{1, 0.5}))
                .fields);
  EXPECT_EQ(stated_shape(old, infos), before);

  const std::vector<field_value> after = values_of(later_gauge_shape{1, 0.5, 2});
  envelope stated = make_envelope("gauge", {}, infos, after);
  EXPECT_EQ(stated.fields.size(), 3U);
  EXPECT_EQ(stated_shape(stated, infos), after);

  stated.fields.back() = 0;
  EXPECT_TRUE(throws_error(errc::corrupt, "form is stated to be 0",
                           [&] { (void)stated_shape(stated, infos); }));
  stated.fields.push_back(1);
  EXPECT_TRUE(throws_error(errc::corrupt, "there are 2 to 3 fields, this has 4",
                           [&] { (void)stated_shape(stated, infos); }));
  stated.fields.resize(1);
  EXPECT_TRUE(throws_error(errc::corrupt, "there are 2 to 3 fields, this has 1",
                           [&] { (void)stated_shape(stated, infos); }));
}

TEST(restore, refuses_real_fields_out_of_range) {
  const file_bytes file = save(gauge(gauge_shape{.lines = 1, .level = 0.5}));
  for (const double level : {-0.1, 1.5, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const file_bytes bad =
        testing::resealed_with_field(file, 1, std::bit_cast<std::uint64_t>(level));
    EXPECT_TRUE(throws_error(errc::corrupt, "the stored shape is impossible: level is",
                             [&] { (void)load<gauge>(bad); }));
  }
}

}  // namespace
}  // namespace bloomery::wire
