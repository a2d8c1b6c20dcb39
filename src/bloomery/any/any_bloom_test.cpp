#include "bloomery/any/any_bloom.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/filters/text/hierarchical.hpp"
#include "bloomery/wire/bloom_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

std::string file_of(const char* name) {
  return ::testing::TempDir() + name;
}

TEST(any_bloom, asks_a_file_of_whatever_kind_by_key) {
  const std::string path = file_of("any_bloom.counting");
  bloom<counting_filter> made(100, 0.01, xxh3_hash(7));
  made.insert("zebra");
  made.insert("zebra");
  save(made, path);
  const any_bloom opened = open(path);
  EXPECT_TRUE(opened.may_contain("zebra"));
  EXPECT_FALSE(opened.may_contain(std::string("qzxvj")));
  EXPECT_EQ(opened.count("zebra"), 2U);
  const std::vector<std::string> keys{"zebra", "qzxvj"};
  std::array<bool, 2> answers{};
  EXPECT_EQ(opened.may_contain(keys, answers), 1U);
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(throws_error(errc::unsupported, "a counting filter cannot tell values",
                           [&] { (void)opened.value("zebra"); }));
}

TEST(any_bloom, that_was_opened_has_nothing_more_to_do_with_the_file) {
  const std::string path = file_of("any_bloom.opened");
  bloom<blocked_filter> made(100, 0.01);
  made.insert("zebra");
  save(made, path);
  any_bloom opened = open(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_TRUE(opened.may_contain("zebra") && opened.insert("yak"));
}

TEST(any_bloom, that_is_mapped_follows_the_file_if_its_cells_are_safe_then) {
  const std::string path = file_of("any_bloom.mapped");
  const auto holds_after_zeros = [&](const auto& made) {
    save(made, path);
    const any_bloom mapped = map(path);
    EXPECT_TRUE(mapped.may_contain("zebra"));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(std::filesystem::file_size(path), '\0') << std::flush;
    return mapped.may_contain("zebra");
  };
  bloom<blocked_filter> plain(100, 0.01);
  plain.insert("zebra");
  EXPECT_FALSE(holds_after_zeros(plain));
  bloom<counting_filter> counting(100, 0.01);
  counting.insert("zebra");
  EXPECT_TRUE(holds_after_zeros(counting)) << "it was read";
}

TEST(any_bloom, changes_a_copy_and_saves_it) {
  const std::string path = file_of("any_bloom.changed");
  save(bloom<blocked_filter, integer_hash>(100, 0.01), path);
  any_bloom mapped = map(path);
  EXPECT_TRUE(throws_error(errc::read_only, "view", [&] { mapped.insert(42); }));
  any_bloom own = mapped.copy();
  EXPECT_TRUE(own.insert(42));
  EXPECT_TRUE(own.insert("43")) << "integers are read as decimal numbers";
  save(own, path);
  EXPECT_TRUE(open(path).may_contain(43));
  EXPECT_FALSE(open(path).may_contain(44));
}

TEST(any_bloom, a_keyed_file_needs_its_secret) {
  const std::string path = file_of("any_bloom.keyed");
  std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}};
  bloom<blocked_filter, keyed_hash> made(100, 0.01, keyed_hash(secret));
  made.insert("zebra");
  save(made, path);
  EXPECT_TRUE(open(path, secret).may_contain("zebra"));
  EXPECT_TRUE(throws_error(errc::incompatible, path, [&] { (void)open(path); }));
  secret[0] = std::byte{2};
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint", [&] { (void)open(path, secret); }));
}

TEST(any_bloom, kinds_with_keys_of_their_own_are_asked_alike) {
  register_secure_kinds();
  const auto key = encrypted_filter::secret_type::generate();
  const auto stored = key.save();
  any_bloom guarded(encrypted_filter::for_keys(10, 0.01), byte_view(stored));
  EXPECT_TRUE(guarded.insert("zebra"));
  EXPECT_TRUE(guarded.may_contain("zebra"));
  EXPECT_FALSE(guarded.may_contain("qzxvj"));
  EXPECT_TRUE(throws_error(errc::incompatible, "secret",
                           [] { any_bloom{encrypted_filter::for_keys(10, 0.01)}; }));

  any_bloom texts(hierarchical_filter::for_keys(1000, 0.01));
  texts.insert("the quick brown fox jumps over the lazy dog");
  EXPECT_TRUE(texts.may_contain("quick brown fox jumps over the lazy"));
  EXPECT_FALSE(texts.may_contain("quick brown dog jumps over the lazy"));
}

}  // namespace
}  // namespace bloomery::testing
