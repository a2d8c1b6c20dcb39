#include "bloomery/wire/in_place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "bloomery/any/stored.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "bloomery/wire/journal.hpp"
#include "testing.hpp"

namespace bloomery::wire {
namespace {

namespace fs = std::filesystem;
using testing::numbered_digests;
using testing::throws_error;
using file_bytes = std::vector<std::byte>;

class in_place : public ::testing::Test {
 protected:
  in_place() {
    std::string pattern = (fs::temp_directory_path() / "bloomery-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    path = (folder / "f").string();
    filter.insert(numbered_digests(1, 100));
    wire::save_file(filter, path);
  }
  ~in_place() override { fs::remove_all(folder); }

  [[nodiscard]] static written change(const standard_filter& to, const std::string& path,
                                      writing how = writing::least) {
    const bits::file_lock lock(path);
    return change_file(envelope_of(to), to.payload(), path, lock, how);
  }

  [[nodiscard]] ino_t inode() const {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found.st_ino;
  }

  void put(const file_bytes& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text_of(bytes);
  }

  // Not done in place, for a reason with this in it; and done nevertheless.
  ::testing::AssertionResult rewrites(const std::string& why, const standard_filter& to,
                                      writing how = writing::least) {
    const ino_t old = inode();
    const written done = change(to, path, how);
    if (done.in_place || inode() == old) return ::testing::AssertionFailure() << "in place";
    if (testing::read_bytes(path) != wire::save(to))
      return ::testing::AssertionFailure() << "not written";
    if (done.why_not.find(why) == std::string::npos) {
      return ::testing::AssertionFailure() << done.why_not;
    }
    return ::testing::AssertionSuccess();
  }

  fs::path folder;
  std::string path;
  standard_filter filter{standard_shape{std::uint64_t{1} << 25, 7}};  // 4 MiB
};

TEST_F(in_place, writes_only_what_differs) {
  const ino_t old = inode();
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  fs::create_symlink("f", folder / "link");
  for (std::uint64_t i = 0; i < 5; ++i) {
    filter.insert(numbered_digests(2 + i, 15));
    const written done = change(filter, i % 2 == 0 ? path : (folder / "link").string());
    EXPECT_TRUE(done.in_place) << done.why_not;
    EXPECT_EQ(testing::read_bytes(path), wire::save(filter));
  }
  EXPECT_TRUE(change(filter, path).in_place) << "nothing differs";
  EXPECT_EQ(inode(), old);
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0640));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "nothing is left beside it";
}

TEST_F(in_place, says_why_not) {
  filter.insert({1, 1});
  EXPECT_TRUE(rewrites("asked for", filter, writing::whole));
  filter.insert(numbered_digests(7, 100));  // 700 positions in 1024 blocks, of which 128 may change
  EXPECT_TRUE(rewrites("more than 128 of its 1,024 blocks", filter));
  EXPECT_TRUE(
      rewrites("its length changes", standard_filter(standard_shape{std::uint64_t{1} << 26, 7})));
  filter = standard_filter(standard_shape{std::uint64_t{1} << 20, 7});
  wire::save_file(filter, path);
  filter.insert({1, 1});
  EXPECT_TRUE(rewrites("smaller than 4 MiB", filter));
  fs::remove(path);
  EXPECT_FALSE(change(filter, path).in_place);
  EXPECT_EQ(testing::read_bytes(path), wire::save(filter));
}

TEST_F(in_place, another_name_keeps_what_it_was) {
  fs::create_hard_link(path, folder / "yesterday");
  const file_bytes yesterday = wire::save(filter);
  filter.insert({1, 1});
  EXPECT_TRUE(rewrites("hard link", filter));
  EXPECT_EQ(testing::read_bytes(folder / "yesterday"), yesterday);
  ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
  filter.insert({1, 2});
  EXPECT_TRUE(rewrites("owner's rights", filter));
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0755));
}

TEST_F(in_place, a_file_that_took_its_place_is_replaced) {
  const bits::file_lock lock(path);
  const file_bytes old = testing::read_bytes(path);
  fs::rename(path, folder / "aside");
  put(old);
  filter.insert({1, 1});
  EXPECT_FALSE(change_file(envelope_of(filter), filter.payload(), path, lock).in_place);
  EXPECT_EQ(testing::read_bytes(path), wire::save(filter));
  EXPECT_EQ(testing::read_bytes(folder / "aside"), old);
}

// What a crash leaves, by every way to read it; and the next change settles it.
TEST_F(in_place, goes_on_from_every_interruption) {
  const file_bytes old = wire::save(filter);
  filter.insert(numbered_digests(9, 3));
  const file_bytes now = wire::save(filter);
  const bits::file_lock lock(path);
  const bits::block_file file(lock.number(), path);
  const auto change = bits::differing_blocks(file, std::array{byte_view(now)}, 1000);
  ASSERT_TRUE(change);
  const file_bytes journal = seal_journal(*change, old.size());
  std::vector<std::pair<file_bytes, bool>> states;  // and whether it is the new one
  for (const std::size_t cut : {0UL, 1UL, 8UL, 63UL, 64UL, 65UL, 5000UL, journal.size() - 1}) {
    states.emplace_back(old, false);
    states.back().first.insert(states.back().first.end(), journal.begin(),
                               journal.begin() + static_cast<std::ptrdiff_t>(cut));
  }
  for (const std::size_t done : {std::size_t{0}, std::size_t{1}, change->numbers.size()}) {
    states.emplace_back(old, true);
    for (std::size_t i = 0; i < done; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(change->numbers[i] * bits::file_block_bytes);
      std::copy_n(now.begin() + at, bits::file_block_bytes / (i + 1 == done ? 2 : 1),
                  states.back().first.begin() + at);
    }
    states.back().first.insert(states.back().first.end(), journal.begin(), journal.end());
  }
  standard_filter later = wire::load<standard_filter>(now);
  later.insert({5, 5});
  for (std::size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(i);
    put(states[i].first);
    const file_bytes& wanted = states[i].second ? now : old;
    EXPECT_EQ(bloomery::save(bloomery::load_file(path)), wanted);
    EXPECT_EQ(bloomery::save(bloomery::map_file(path)), wanted);
    EXPECT_EQ(wire::save(wire::load_file<standard_filter>(path)), wanted);
    EXPECT_EQ(bloomery::save(bloomery::load(states[i].first)), wanted);
    EXPECT_EQ(testing::read_bytes(path), states[i].first) << "reading writes nothing";
    EXPECT_TRUE(change_file(envelope_of(later), later.payload(), path, lock).in_place);
    EXPECT_EQ(testing::read_bytes(path), wire::save(later));
  }
}

TEST_F(in_place, what_follows_a_file_and_is_no_journal_is_refused_and_replaced) {
  file_bytes longer = wire::save(filter);
  longer.resize(longer.size() + 100);
  put(longer);
  for (const bool mapped : {false, true}) {
    EXPECT_TRUE(throws_error(errc::corrupt, path + ": the payload should be", [&] {
      (void)(mapped ? bloomery::map_file(path) : bloomery::load_file(path));
    }));
  }
  EXPECT_TRUE(rewrites("its length changes", filter));
}

TEST_F(in_place, a_damaged_file_is_refused_though_it_is_locked) {
  file_bytes damaged = wire::save(filter);
  damaged[damaged.size() / 2] ^= std::byte{1};
  put(damaged);
  for (const bool locked : {false, true}) {
    std::optional<bits::file_lock> lock;
    if (locked) lock.emplace(path);
    for (const bool mapped : {false, true}) {
      EXPECT_TRUE(throws_error(errc::corrupt, path + ": the payload is damaged", [&] {
        (void)(mapped ? bloomery::map_file(path) : bloomery::load_file(path));
      }));
    }
  }
}

// Readers that wait for nobody see one version or another, and none that is older than one seen before.
TEST_F(in_place, readers_beside_it_see_one_version_or_another) {
  const auto changes = static_cast<std::uint64_t>(60 * testing::full_factor());
  std::atomic<std::uint64_t> acknowledged{filter.record().items};
  std::atomic<bool> done{false};
  const auto keys_of = [](std::uint64_t i) { return numbered_digests(1000 + i, 15); };
  std::vector<std::string> problems(2);
  std::vector<std::thread> reading;
  for (std::size_t reader = 0; reader < problems.size(); ++reader) {
    reading.emplace_back([&, reader] {
      try {
        while (!done) {
          const std::uint64_t least = acknowledged;
          const any_filter seen =
              reader == 0 ? bloomery::load_file(path) : bloomery::map_file(path);
          const std::uint64_t items = seen.record().items;
          if (items < least || items % 15 != 100 % 15)
            problems[reader] = "an older version, or none";
          for (std::uint64_t i = 0; reader == 0 && 100 + 15 * i < items; ++i) {
            for (const digest key : keys_of(i)) {
              if (!seen.get_if<standard_filter>()->may_contain(key))
                problems[reader] = "a key is lost";
            }
          }
        }
      } catch (const error& problem) {
        problems[reader] = problem.what();
      }
    });
  }
  for (std::uint64_t i = 0; i < changes; ++i) {
    filter.insert(keys_of(i));
    EXPECT_TRUE(change(filter, path).in_place);
    acknowledged = filter.record().items;
  }
  done = true;
  for (std::thread& reader : reading) reader.join();
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace bloomery::wire
