// The stored bytes of every kind, fixed for ever: building from the same keys gives the same file.
//
// The files and the answers recorded beside them are written by
//     BLOOMERY_WRITE_GOLDEN=1 any_test --gtest_filter='*golden*'
// which a new kind needs once. An existing file keeps its shape, so that better planning changes no
// golden byte.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/hash/hasher.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

// The keys are the decimal numbers below `key_count`; strangers are those from there on.
constexpr std::uint64_t key_count = 100;
constexpr std::uint64_t strangers_end = 5000;
constexpr double rate = 0.02;

const std::filesystem::path directory = BLOOMERY_GOLDEN_DIR;
constexpr const char* command =
    "run: BLOOMERY_WRITE_GOLDEN=1 any_test --gtest_filter='*golden*', and commit the files";

bool writing() {
  return std::getenv("BLOOMERY_WRITE_GOLDEN") != nullptr;
}

// The bytes 0, 1, 2, ..., 31.
std::array<std::byte, keyed_hash::secret_bytes> golden_secret() {
  std::array<std::byte, keyed_hash::secret_bytes> secret{};
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(i);
  return secret;
}

struct golden {
  std::string name;
  std::string kind;
  hasher hash;
  std::vector<field_value> shape;  // empty: the stored file's, or planned if there is none

  [[nodiscard]] promise promised() const {
    return shape.empty() ? promise{key_count, rate} : promise{};
  }
  [[nodiscard]] std::filesystem::path path() const { return directory / (name + ".bloom"); }
};

std::vector<golden> goldens() {
  std::vector<golden> all;
  for (const any_kind& kind : kinds()) {
    all.push_back({std::string(kind.info.name), std::string(kind.info.name), hasher(), {}});
  }
  all.push_back({"keyed", "standard", hasher(keyed_hash(golden_secret())), {}});
  all.push_back({"integer", "partitioned", hasher(integer_hash()), {}});
  // More than seven positions in a block need further hash words; and a seed of the user's own.
  const std::vector<field_value> long_probes{std::uint64_t{2}, std::uint64_t{16}};
  all.push_back({"blocked_16_hashes", "blocked", hasher(xxh3_hash(7)), long_probes});
  // Four slots a key, of a width that straddles bytes.
  const std::vector<field_value> four_slots{std::uint64_t{4}, std::uint64_t{5}, std::uint64_t{4},
                                            std::uint64_t{11}, std::uint64_t{0}};
  all.push_back({"fuse_4_slots", "fuse", hasher(xxh3_hash(7)), four_slots});
  // Room for more keys, in a layer that bumps some of these.
  const std::vector<field_value> two_layers{std::uint64_t{1600}, std::uint64_t{7}, std::uint64_t{0},
                                            std::uint64_t{0}};
  all.push_back({"ribbon_layers", "ribbon", hasher(xxh3_hash(7)), two_layers});
  // The same with equations over 40 rows.
  const std::vector<field_value> wide_layers{std::uint64_t{1600}, std::uint64_t{7},
                                             std::uint64_t{0}, std::uint64_t{1}};
  all.push_back({"ribbon_wide", "ribbon", hasher(xxh3_hash(7)), wide_layers});
  return all;
}

void PrintTo(const golden& file, std::ostream* out) {
  *out << file.name;
}

std::vector<digest> digests(const hasher& hash, std::uint64_t first, std::uint64_t end) {
  std::vector<digest> result;
  for (std::uint64_t i = first; i < end; ++i) result.push_back(hash(std::to_string(i)));
  return result;
}

// For kinds that read texts: long enough to have parts.
std::vector<std::string> texts() {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < key_count; ++i) {
    result.push_back("text number " + std::to_string(i) + " of some that are to be found again");
  }
  return result;
}

// Made once by `bloomery secret new --kind KIND`.
std::filesystem::path secret_path(const any_kind& kind) {
  return directory / (std::string(kind.info.name) + ".secret");
}

any_filter build(const golden& file) {
  const any_kind& kind = find_kind(file.kind);
  std::vector<field_value> shape = file.shape;
  if (shape.empty()) {
    shape = std::filesystem::exists(file.path()) ? load(testing::read_bytes(file.path())).shape()
                                                 : kind.plan(key_count, rate);
  }
  if (kind.takes_keys()) {
    return kind.build(shape, digests(file.hash, 0, key_count), file.hash.identity(),
                      file.promised(), 1);
  }
  any_filter filter = kind.create(
      shape, kind.can<guards>() ? hash_identity{} : file.hash.identity(), file.promised());
  const std::vector<std::string> words = texts();
  const std::vector<std::string_view> views(words.begin(), words.end());
  if (kind.can<guards>()) {
    const auto secret = testing::read_bytes(secret_path(kind));
    filter.as<guards>().insert_texts(secret, views);
    if (kind.can<seals>()) filter.as<seals>().seal(secret, key_count);
  } else {
    for (const std::string_view text : views) filter.as<reads_texts>().insert_text(text);
  }
  return filter;
}

// {"accepted": {file: [the strangers it accepts], ...}}, one file a line.
std::string answers_of(const std::vector<golden>& files) {
  std::string json = "{\"keys\": " + std::to_string(key_count) +
                     ", \"strangers_end\": " + std::to_string(strangers_end) + ", \"accepted\": {";
  std::string_view file_separator = "\n";
  for (const golden& file : files) {
    const any_filter filter = build(file);
    json.append(file_separator).append("\"" + file.name + ".bloom\": [");
    file_separator = ",\n";
    std::string_view separator;
    if (!filter.kind().can<asks>()) {
      json += "]";
      continue;
    }
    for (std::uint64_t i = key_count; i < strangers_end; ++i) {
      std::array<bool, 1> answer{};
      filter.as<asks>().may_contain(std::array{file.hash(std::to_string(i))}, answer);
      if (!answer[0]) continue;
      json.append(separator).append(std::to_string(i));
      separator = ", ";
    }
    json += "]";
  }
  return json + "\n}}\n";
}

class golden_files : public ::testing::TestWithParam<golden> {};

TEST_P(golden_files, building_gives_the_same_bytes) {
  const golden& file = GetParam();
  if (!writing() && !std::filesystem::exists(file.path())) {
    FAIL() << file.path() << " is missing; " << command;
  }
  const any_filter built = build(file);
  if (writing()) save_file(built, file.path().string());
  EXPECT_EQ(testing::read_bytes(file.path()), save(built));
}

TEST_P(golden_files, opening_gives_the_keys_back) {
  const golden& file = GetParam();
  const any_filter opened = load_file(file.path().string());
  EXPECT_EQ(opened.kind().info.name, file.kind);
  EXPECT_EQ(opened.record().promised, file.promised());
  const any_kind& kind = opened.kind();
  if (kind.takes_keys()) {
    EXPECT_EQ(opened.record().hash, file.hash.identity());
    EXPECT_EQ(opened.record().items, key_count);
  }
  if (kind.can<guards>()) {
    const std::vector<std::string> words = texts();
    std::array<bool, key_count> answers{};
    EXPECT_EQ(opened.as<guards>().may_contain_texts(
                  testing::read_bytes(secret_path(opened.kind())),
                  std::vector<std::string_view>(words.begin(), words.end()), answers),
              key_count);
  }
  if (kind.can<reads_texts>()) {
    for (const std::string& text : texts())
      EXPECT_TRUE(opened.as<reads_texts>().may_contain_text(text));
  }
  if (opened.kind().can<asks>() && !opened.kind().info.false_negatives) {
    std::array<bool, key_count> answers{};
    EXPECT_EQ(opened.as<asks>().may_contain(digests(file.hash, 0, key_count), answers), key_count);
  }
  EXPECT_EQ(save(opened), testing::read_bytes(file.path()));
  if (file.kind == "standard") {
    EXPECT_NE(std::get<std::uint64_t>(opened.shape().at(0)) % 64, 0) << "no word in part";
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, golden_files, ::testing::ValuesIn(goldens()),
                         [](const auto& test) { return testing::test_name(test.param.name); });

TEST(golden_answers, are_those_recorded) {
  const std::filesystem::path path = directory / "answers.json";
  const std::string answers = answers_of(goldens());
  if (writing()) std::ofstream(path) << answers;
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing; " << command;
  const std::vector<std::byte> recorded = testing::read_bytes(path);
  EXPECT_EQ(text_of(recorded), answers) << command;
}

}  // namespace
}  // namespace bloomery
