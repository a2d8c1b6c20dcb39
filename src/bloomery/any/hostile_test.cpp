// Files that are damaged, cut or made to harm: each is refused, with its reason in one line, before
// any memory is asked for on its word. Runs over the golden files of every kind.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/hash/key.hpp"
#include "kind_names.hpp"
#include "reseal.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::file_bytes;
using testing::full_factor;
using testing::reseal;
using testing::resealed_with;
using testing::resealed_with_field;
using testing::resealed_with_kind;
namespace offset = testing::offset;

std::filesystem::path golden_path(std::string_view name) {
  return std::filesystem::path(BLOOMERY_GOLDEN_DIR) / (std::string(name) + ".bloom");
}

file_bytes golden(std::string_view name) {
  return testing::read_bytes(golden_path(name));
}

// The reason a file is refused for, or nothing if it is accepted. Exceptions of any other type end
// the test.
std::optional<error> refusal(const file_bytes& file) {
  try {
    (void)load(file);
    return std::nullopt;
  } catch (const error& problem) {
    return problem;
  }
}

::testing::AssertionResult refused(errc code, const file_bytes& file) {
  const std::optional<error> problem = refusal(file);
  if (!problem) return ::testing::AssertionFailure() << "accepted";
  const std::string message = problem->what();
  if (problem->code() != code) {
    return ::testing::AssertionFailure()
           << "code " << static_cast<int>(problem->code()) << " with: " << message;
  }
  for (const char c : message) {
    if (c < ' ' || c > '~') return ::testing::AssertionFailure() << "not one line: " << message;
  }
  return ::testing::AssertionResult(!message.empty()) << "no reason given";
}

::testing::AssertionResult refused(errc code, const std::string& reason, const file_bytes& file) {
  const ::testing::AssertionResult result = refused(code, file);
  if (!result) return result;
  const std::string message = refusal(file)->what();
  return ::testing::AssertionResult(message.find(reason) != std::string::npos) << message;
}

class hostile_files : public ::testing::TestWithParam<std::string> {
 protected:
  const file_bytes good = golden(GetParam());
};

// Every other value of a byte of the head, which decides what is looked at next; of the payload,
// which its checksum alone guards, every bit, and with --full every value too.
TEST_P(hostile_files, every_change_of_one_byte_is_refused) {
  ASSERT_EQ(refusal(good), std::nullopt);
  const auto payload = core::load_le<std::uint64_t>(good.data() + offset::payload_bytes);
  const std::size_t head = full_factor() > 1 ? good.size() : good.size() - payload;
  file_bytes bad = good;
  for (std::size_t at = 0; at < good.size(); ++at) {
    const bool in_version = at == offset::version || at == offset::version + 1;
    for (unsigned change = 1; change < 256; change += at < head ? 1 : change) {
      bad[at] = good[at] ^ static_cast<std::byte>(change);
      ASSERT_TRUE(refused(in_version ? errc::unsupported : errc::corrupt, bad))
          << "byte " << at << " xor " << change;
    }
    bad[at] = good[at];
  }
}

TEST_P(hostile_files, every_truncation_is_refused) {
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto end = good.begin() + static_cast<std::ptrdiff_t>(size);
    ASSERT_TRUE(refused(errc::corrupt, file_bytes(good.begin(), end))) << size;
  }
}

TEST_P(hostile_files, trailing_bytes_are_refused) {
  // 64 zeros are a journal that never arrived: wire/journal_test.cpp.
  for (const std::size_t extra : {1U, 8U, 63U, 65U, 512U, 4096U}) {
    file_bytes bad = good;
    bad.resize(good.size() + extra);
    EXPECT_TRUE(refused(errc::corrupt, "the payload should be", bad)) << extra;
    reseal(bad);
    EXPECT_TRUE(refused(errc::corrupt, "the payload should be", bad)) << extra << " resealed";
  }
}

// All of the kind's, but for a later one that is left out.
std::size_t fields_in(const file_bytes& file) {
  return core::load_le<std::uint16_t>(file.data() + offset::field_count);
}

TEST_P(hostile_files, fields_out_of_range_are_refused) {
  const any_kind& kind = load(good).kind();
  for (std::size_t i = 0; i < fields_in(good); ++i) {
    if (kind.fields[i].high == field_value{std::numeric_limits<std::uint64_t>::max()}) continue;
    std::vector<std::uint64_t> wrong{std::uint64_t{1} << 63,
                                     std::numeric_limits<std::uint64_t>::max()};
    if (const auto* low = std::get_if<std::uint64_t>(&kind.fields[i].low)) {
      if (*low > 0) wrong.push_back(*low - 1);
      wrong.push_back(std::get<std::uint64_t>(kind.fields[i].high) + 1);
    } else {
      wrong = {std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()),
               std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()),
               std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity())};
    }
    for (const std::uint64_t value : wrong) {
      EXPECT_TRUE(
          refused(errc::corrupt,
                  "the stored shape is impossible: " + std::string(kind.fields[i].name) + " is ",
                  resealed_with_field(good, i, value)))
          << value;
    }
  }
}

TEST_P(hostile_files, fields_too_many_or_too_few_are_refused) {
  const std::size_t count = fields_in(good);
  for (const std::size_t other : {std::size_t{0}, count - 1, count + 1}) {
    // Only counts that share the golden header's size, so that nothing but the count is wrong.
    const auto lines = [](std::size_t fields) {
      return (offset::fields + 8 * fields + 8 + 63) / 64;
    };
    if (lines(other) != lines(count)) continue;
    file_bytes bad = good;
    for (std::size_t i = other; i < count; ++i) {
      core::store_le<std::uint64_t>(bad.data() + offset::fields + 8 * i, 0);
    }
    bad = resealed_with(bad, offset::field_count, static_cast<std::uint16_t>(other));
    EXPECT_TRUE(refused(errc::corrupt, "fields, this has " + std::to_string(other), bad));
  }
}

TEST_P(hostile_files, a_payload_that_misfits_the_shape_is_refused) {
  file_bytes shorter = good;
  shorter.resize(good.size() - 64);
  const auto payload = core::load_le<std::uint64_t>(good.data() + offset::payload_bytes);
  shorter = resealed_with(shorter, offset::payload_bytes, payload - 64);
  EXPECT_TRUE(refused(errc::corrupt, shorter));
  file_bytes longer = good;
  longer.resize(good.size() + 64);
  longer = resealed_with(longer, offset::payload_bytes, payload + 64);
  EXPECT_TRUE(refused(errc::corrupt, longer));
  file_bytes empty = good;
  empty.resize(good.size() - payload);
  empty = resealed_with(empty, offset::payload_bytes, std::uint64_t{0});
  EXPECT_TRUE(refused(errc::corrupt, empty));
}

TEST_P(hostile_files, a_payload_size_that_lies_is_refused) {
  const auto with_size = [&](std::uint64_t size) {
    return resealed_with(good, offset::payload_bytes, size);
  };
  const auto payload = core::load_le<std::uint64_t>(good.data() + offset::payload_bytes);
  EXPECT_TRUE(refused(errc::corrupt, "the payload should be", with_size(payload + 64)));
  EXPECT_TRUE(refused(errc::corrupt, with_size(payload - 64)));
  EXPECT_TRUE(refused(errc::corrupt, "the payload should be", with_size(std::uint64_t{1} << 27)));
  EXPECT_TRUE(refused(errc::limit, "over the limit", with_size(max_bits / 8 + 64)));
  EXPECT_TRUE(refused(errc::limit, "over the limit", with_size(std::uint64_t{1} << 63)));
  EXPECT_TRUE(refused(errc::limit, "over the limit", with_size(~std::uint64_t{0} << 6)));
}

TEST_P(hostile_files, another_or_an_unknown_kind_is_refused) {
  for (const any_kind& other : kinds()) {
    if (other.info.name == load(good).kind().info.name) continue;
    // A kind whose shape and cells happen to fit is a filter of that kind; it must then be sound.
    const file_bytes relabelled = resealed_with_kind(good, other.info.name);
    try {
      EXPECT_EQ(save(load(relabelled)), relabelled) << other.info.name;
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt) << problem.what();
    }
  }
  EXPECT_TRUE(refused(errc::unsupported, "'unheard-of' is not a kind",
                      resealed_with_kind(good, "unheard-of")));
  for (const std::string_view malformed :
       {std::string_view(""), std::string_view("two\nlines"), std::string_view("Standard"),
        std::string_view("standard\0x", 10), std::string_view("\x1b[2J"),
        std::string_view("twenty-four-bytes-of-it-")}) {
    EXPECT_TRUE(
        refused(errc::corrupt, "the kind's name is malformed", resealed_with_kind(good, malformed)))
        << malformed;
  }
}

TEST_P(hostile_files, impossible_counts_are_refused) {
  EXPECT_TRUE(refused(errc::corrupt, "the count of items is out of range",
                      resealed_with(good, offset::items, max_items + 1)));
}

TEST_P(hostile_files, impossible_promises_are_refused) {
  const auto with_rate = [&](double rate) {
    return resealed_with(good, offset::promised_rate, std::bit_cast<std::uint64_t>(rate));
  };
  const auto with_keys = [&](std::uint64_t keys) {
    return resealed_with(good, offset::promised_keys, keys);
  };
  const std::string reason = "the promised keys and rate are out of range";
  EXPECT_TRUE(refused(errc::corrupt, reason, with_rate(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_rate(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_rate(0)));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_rate(-0.5)));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_rate(1)));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_keys(0)));
  EXPECT_TRUE(refused(errc::corrupt, reason, with_keys(max_keys + 1)));
}

TEST_P(hostile_files, unknown_hashes_and_versions_are_refused) {
  for (const std::uint32_t id : {0U, 5U, 0x7fffffffU}) {
    EXPECT_TRUE(refused(errc::unsupported, "hash id " + std::to_string(id) + " is not known",
                        resealed_with(good, offset::hash_id, id)));
  }
  for (const unsigned version : {0U, 2U, 256U, 65535U}) {
    EXPECT_TRUE(refused(errc::unsupported, "format version " + std::to_string(version),
                        resealed_with(good, offset::version, static_cast<std::uint16_t>(version))));
  }
  EXPECT_TRUE(refused(errc::corrupt, "the place of the names is out of range",
                      resealed_with(good, offset::names_bytes, 1U)));
}

INSTANTIATE_TEST_SUITE_P(kinds, hostile_files, testing::kinds_that(testing::every),
                         testing::name_of_kind);

TEST(hostile_bits, set_in_the_padding_are_refused) {
  for (const auto* const name : {"standard", "partitioned"}) {
    const file_bytes good = golden(name);
    const any_filter filter = load(good);
    std::uint64_t bits = std::get<std::uint64_t>(filter.shape()[0]);
    if (filter.kind().info.name == "partitioned")
      bits *= std::get<std::uint64_t>(filter.shape()[1]);
    const std::size_t payload = good.size() - filter.bytes();
    for (const std::uint64_t bit :
         {bits, bits | 7, core::round_up(bits, 64), 8 * filter.bytes() - 1}) {
      ASSERT_GE(bit, bits);
      file_bytes bad = good;
      bad[payload + bit / 8] |= static_cast<std::byte>(1U << bit % 8);
      reseal(bad);
      EXPECT_TRUE(refused(errc::corrupt, "bits are set in the padding", bad)) << name << bit;
    }
  }
}

TEST(hostile_bits, slices_that_together_pass_the_limit_are_refused) {
  EXPECT_TRUE(refused(errc::limit, "are more than",
                      resealed_with_field(golden("partitioned"), 0, max_bits)));
}

TEST(hostile_paths, are_named_in_the_reason) {
  const std::string path = ::testing::TempDir() + "bloomery_hostile_" + std::to_string(::getpid());
  file_bytes bad = golden("standard");
  bad.pop_back();
  std::ofstream(path, std::ios::binary) << text_of(bad);
  EXPECT_TRUE(testing::throws_error(errc::corrupt, path + ": the payload should be",
                                    [&] { (void)load_file(path); }));
  std::ofstream(path, std::ios::trunc);
  EXPECT_TRUE(testing::throws_error(errc::corrupt, path + ": this is not a Bloomery filter",
                                    [&] { (void)load_file(path); }));
  std::filesystem::remove(path);
}

TEST(hostile_paths, obey_the_largest_limit_there_is) {
  wire::load_options options;
  options.max_payload_bytes = std::numeric_limits<std::uint64_t>::max();
  auto filter =
      find_kind("standard")
          .create(std::vector<field_value>{std::uint64_t{1} << 25, std::uint64_t{1}}, {}, {});
  const std::string path = ::testing::TempDir() + "bloomery_large_" + std::to_string(::getpid());
  save_file(filter, path);
  EXPECT_EQ(load_file(path, options).bytes(), std::size_t{1} << 22);
  options.max_payload_bytes = std::size_t{1} << 20;
  EXPECT_TRUE(testing::throws_error(errc::limit, path, [&] { (void)load_file(path, options); }));
  std::filesystem::remove(path);
}

#ifndef BLOOMERY_SANITIZED  // sanitizers map terabytes of their own

// A whole number that not all values are allowed for.
bool bounded_number(const field_info& field) {
  const auto* const high = std::get_if<std::uint64_t>(&field.high);
  return high != nullptr && *high != std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t mapped_now() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// 256 bytes or so that say they expand to a gigabyte of zeros, by the header of a sound filter.
file_bytes bomb(file_bytes good, std::string_view form, std::string_view kind,
                std::uint64_t bytes) {
  const auto header = core::load_le<std::uint32_t>(good.data() + offset::header_bytes);
  constexpr std::size_t coded_head = 64;
  constexpr std::size_t block_head = 16;
  good.resize(header + coded_head);
  std::ranges::fill(std::span(good).subspan(header), std::byte{});
  std::ranges::copy(bytes_of(kind), good.begin() + header);
  core::store_le<std::uint64_t>(good.data() + header + 24, bytes);
  std::uint64_t blocks = 0;
  for (std::uint64_t left = bytes; left != 0; ++blocks) {
    const std::uint64_t part = std::min<std::uint64_t>(left, 1U << 31);
    std::array<std::byte, block_head> block{std::byte{2}};  // gaps of ones, of which there are none
    core::store_le<std::uint32_t>(block.data() + 4, static_cast<std::uint32_t>(part));
    good.insert(good.end(), block.begin(), block.end());
    left -= part;
  }
  core::store_le<std::uint64_t>(good.data() + header + 48, block_head * blocks);
  good.resize(header + core::round_up(good.size() - header, cache_line_bytes));
  good = resealed_with(good, offset::payload_bytes, std::uint64_t{good.size() - header});
  good = resealed_with(good, offset::names_bytes, std::uint32_t{0});
  return resealed_with_kind(good, form);
}

// In a child that can have 8 MiB more and no more: headers that claim what only terabytes could hold
// are refused for what they are, not for want of memory.
void refuse_giants_in_little_memory() {
  constexpr std::uint64_t allowance = 8 << 20;
  struct giant {
    std::string_view kind;
    errc code;
    file_bytes file;
  };
  std::vector<giant> giants;
  for (const any_kind& kind : kinds()) {
    const file_bytes good = golden(kind.info.name);
    const std::string_view name = kind.info.name;
    giants.push_back(
        {name, errc::limit, resealed_with(good, offset::payload_bytes, std::uint64_t{1} << 63)});
    giants.push_back(
        {name, errc::corrupt, resealed_with(good, offset::payload_bytes, std::uint64_t{1} << 27)});
    for (std::size_t i = 0; i < fields_in(good); ++i) {
      if (bounded_number(kind.fields[i])) {
        giants.push_back(
            {name, errc::corrupt, resealed_with_field(good, i, std::uint64_t{1} << 63)});
      }
      // A gigabyte of cells, which the shape allows and the payload belies.
      if (i == 0) giants.push_back({name, errc::corrupt, resealed_with_field(good, i, 1U << 30)});
    }
  }
  constexpr std::uint64_t gigabyte = 1 << 30;
  for (const any_kind& kind : kinds()) {
    const std::string_view name = kind.info.name;
    giants.push_back({name, errc::corrupt, bomb(golden(name), "compressed", name, gigabyte)});
  }
  // One that its shape justifies, but for the memory that the reader allows.
  constexpr std::uint64_t terabyte = std::uint64_t{1} << 40;
  const file_bytes wide = resealed_with_field(golden("standard"), 0, 8 * terabyte);
  giants.push_back({"standard", errc::limit, bomb(wide, "compressed", "standard", terabyte)});
  const any_filter base = load(golden("standard"));
  const file_bytes delta = bomb(golden("standard"), "delta", "standard", gigabyte);
  const rlimit little{mapped_now() + allowance, mapped_now() + allowance};
  if (::setrlimit(RLIMIT_AS, &little) != 0) ::_exit(2);
  try {
    (void)storage::allocate(4 * allowance);
    ::_exit(3);  // the limit does not hold, so passing would prove nothing
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory) ::_exit(4);
  }
  if (!testing::throws_error(errc::incompatible, "another version",
                             [&] { (void)patch(base, delta); })) {
    ::_exit(6);
  }
  for (const giant& one : giants) {
    const std::optional<error> problem = refusal(one.file);
    if (problem && problem->code() == one.code) continue;
    std::cerr << one.kind << ": " << (problem ? problem->what() : "accepted") << std::endl;
    ::_exit(5);
  }
  ::_exit(0);
}

TEST(hostile_memory, is_never_asked_for_on_the_word_of_a_header) {
  EXPECT_EXIT(refuse_giants_in_little_memory(), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace bloomery
