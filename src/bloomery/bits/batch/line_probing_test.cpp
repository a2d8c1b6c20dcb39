#include "bloomery/bits/batch/line_probing.hpp"

#include <memory>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bloomery::testing::numbered_digests;

std::vector<core::backend> runnable_backends() {
  std::vector<core::backend> all;
  for (const core::backend which : core::all_backends) {
    if (core::runnable(which)) all.push_back(which);
  }
  return all;
}

// The reference: bit by bit, as the probes say.
bit_array set_bit_by_bit(const hash::blocked_probes& probes, digest_span keys) {
  bit_array bits(probes.range());
  for (const digest key : keys) {
    probes.all(key, [&](std::uint64_t at) {
      bits.set(at);
      return true;
    });
  }
  return bits;
}

bool same_bits(const bit_array& a, const bit_array& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// Digests with all bits clear, all set and single bits, which random ones do not try.
std::vector<digest> tried_digests() {
  std::vector<digest> keys = numbered_digests(30, 200);
  for (unsigned bit = 0; bit < 64; ++bit) keys.push_back({hash::mix(bit), std::uint64_t{1} << bit});
  keys.push_back({0, 0});
  keys.push_back({~std::uint64_t{0}, ~std::uint64_t{0}});
  return keys;
}

class LineProbing : public ::testing::TestWithParam<core::backend> {
 protected:
  core::forced_backend forced_{GetParam()};
};

TEST_P(LineProbing, SetsAndTestsTheBitsOfTheProbes) {
  const auto keys = tried_digests();
  const auto strangers = numbered_digests(31, 500);
  for (std::uint64_t k = 1; k <= hash::line_pattern::most_hashes; ++k) {
    SCOPED_TRACE("k " + std::to_string(k));
    const hash::blocked_probes probes(7, k);
    const probing run(probes);
    const bit_array expected = set_bit_by_bit(probes, keys);

    bit_array singly(probes.range());
    std::uint64_t fresh = 0;
    for (const digest key : keys) {
      const bool known = run.test(singly, key);
      EXPECT_EQ(run.set(singly, key), !known);
      fresh += known ? 0 : 1;
      EXPECT_TRUE(run.test(singly, key));
    }
    EXPECT_TRUE(same_bits(singly, expected));

    bit_array batched(probes.range());
    EXPECT_EQ(run.set_all(batched, digest_span(keys)), fresh);
    EXPECT_TRUE(same_bits(batched, expected));
    EXPECT_EQ(run.set_all(batched, digest_span(keys)), 0U);

    bit_array shared(probes.range());
    EXPECT_EQ(run.set_all_shared(shared, digest_span(keys)), fresh);
    EXPECT_TRUE(same_bits(shared, expected));
    EXPECT_FALSE(run.set_shared(shared, keys[0]));

    const auto answers = std::make_unique<bool[]>(strangers.size());
    std::uint64_t hits = 0;
    const std::uint64_t counted =
        run.test_all(expected, digest_span(strangers), {answers.get(), strangers.size()});
    for (std::size_t i = 0; i < strangers.size(); ++i) {
      const bool all =
          probes.all(strangers[i], [&](std::uint64_t at) { return expected.test(at); });
      EXPECT_EQ(answers[i], all);
      EXPECT_EQ(run.test(expected, strangers[i]), all);
      hits += all ? 1 : 0;
    }
    EXPECT_EQ(counted, hits);
    EXPECT_LT(hits, strangers.size()) << "or nothing was tested";
  }
}

TEST_P(LineProbing, HashesIntegersAsThePolicyDoes) {
  std::vector<std::uint64_t> ids(1000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * 12'345;
  const integer_hash hash;
  std::vector<digest> keys;
  for (const std::uint64_t id : ids) keys.push_back(hash(id));
  const hash::blocked_probes probes(20, 8);
  const probing run(probes);
  bit_array bits(probes.range());
  run.set_all(bits, integer_span(hash, ids));
  EXPECT_TRUE(same_bits(bits, set_bit_by_bit(probes, keys)));
  const auto answers = std::make_unique<bool[]>(ids.size());
  EXPECT_EQ(run.test_all(bits, integer_span(hash, ids), {answers.get(), ids.size()}), ids.size());
}

// Batches of every length up to several steps of the ring, in few lines, in those of a cache and in more.
TEST_P(LineProbing, BatchesOfAnyLengthAreTheirKeysInOrder) {
  for (const std::uint64_t blocks : {3U, 10'000U, 40'000U}) {
    for (const std::uint64_t k : {3U, 8U, 11U, 16U}) {
      const hash::blocked_probes probes(blocks, k);
      const probing run(probes);
      bit_array singly(probes.range());
      bit_array batched(probes.range());
      auto keys = numbered_digests(33, 120);
      keys[9] = keys[3];
      keys[111] = keys[110];
      const auto told = std::make_unique<bool[]>(keys.size());
      for (std::size_t size = 0; size < keys.size(); ++size) {
        const digest_span part = digest_span(keys).last(size);
        std::uint64_t fresh = 0;
        std::vector<bool> expected;
        for (const digest key : part) {
          expected.push_back(run.set(singly, key));
          fresh += std::uint64_t{expected.back()};
        }
        EXPECT_EQ(run.set_all(batched, part, {told.get(), size}), fresh);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), told.get()));
        EXPECT_EQ(run.test_all(batched, part, {told.get(), size}), size);
      }
      EXPECT_TRUE(same_bits(batched, singly));
    }
  }
}

#ifndef BLOOMERY_SANITIZED  // tens of megabytes
// Enough blocks to go by region, and more keys than blocks; some keys many times over.
TEST_P(LineProbing, BuildsInBulkWhatBatchesSet) {
  constexpr std::uint64_t blocks = 400'000;
  auto keys = numbered_digests(32, blocks + 1000);
  keys.insert(keys.end(), 20'000, keys[5]);
  for (const std::uint64_t k : {3U, 8U, 11U, 16U}) {
    const hash::blocked_probes probes(blocks, k);
    const probing run(probes);
    bit_array expected(probes.range());
    run.set_all(expected, digest_span(keys));
    for (const unsigned threads : {1U, 2U}) {
      bit_array built(probes.range());
      run.build(built, digest_span(keys), threads);
      EXPECT_TRUE(same_bits(built, expected)) << k << ' ' << threads;
    }
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Backends, LineProbing, ::testing::ValuesIn(runnable_backends()),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace bloomery::bits
