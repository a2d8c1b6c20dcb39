// What the tests of secure filters share: the attacks, and what every guarded kind does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/secure/stored_secret.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::testing {

inline std::vector<std::string> numbered_words(const std::string& stem, std::uint64_t count) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < count; ++i) words.push_back(stem + std::to_string(i));
  return words;
}

template <class F>
F guarded_filter_of(const typename F::shape_type& shape, const typename F::secret_type& secret,
                    const std::vector<std::string>& words) {
  F filter(shape);
  for (const std::string& word : words) filter.insert_text(secret, word);
  return filter;
}

inline standard_filter plain_filter_of(const standard_shape& shape,
                                       const std::vector<std::string>& words) {
  standard_filter filter(shape);
  for (const std::string& word : words) filter.insert(xxh3_hash{}(word));
  return filter;
}

// The dictionary attack: how many of the words are claimed by bits that `positions` finds for them.
template <class Positions>
std::uint64_t found_by_trying(const bits::bit_array& bits, const std::vector<std::string>& words,
                              Positions positions_for) {
  return static_cast<std::uint64_t>(std::ranges::count_if(words, [&](const std::string& word) {
    const hash::positions at = positions_for(word);
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return bits.test(i); });
  }));
}

inline std::uint64_t found_in_plain(const standard_filter& filter,
                                    const std::vector<std::string>& words) {
  const hash::uniform_probes probes{filter.shape().bits, filter.shape().hashes};
  return found_by_trying(filter.cells().bits(), words, [&](const std::string& word) {
    return hash::positions_of(probes, xxh3_hash{}(word));
  });
}

// The correlation attack: are there as many ones in common as two unrelated filters have? Given how
// many each has, those are hypergeometric.
inline ::testing::AssertionResult seem_unrelated(const bits::bit_array& a,
                                                 const bits::bit_array& b) {
  const auto all = static_cast<double>(a.size());
  const auto first = static_cast<double>(a.count());
  const auto second = static_cast<double>(b.count());
  const double mean = first * second / all;
  const double variance = mean * (1 - second / all) * (all - first) / (all - 1);
  return plausible_value(static_cast<double>(a.count_common(b)), mean, std::sqrt(variance));
}

// A stored secret with its checksum made right again.
inline std::vector<std::byte> resealed_secret(std::vector<std::byte> bytes) {
  constexpr std::size_t checksum_bytes = 8;
  if (bytes.size() < checksum_bytes) return bytes;
  const byte_view checked = byte_view(bytes).first(bytes.size() - checksum_bytes);
  const secure::block check = secure::sha256(std::array{checked});
  std::copy_n(check.begin(), checksum_bytes, bytes.end() - checksum_bytes);
  return bytes;
}

// No word is lost; the stored forms of filter and secret come back; another secret is refused.
template <class F>
void expect_guarded(const typename F::shape_type& shape, const typename F::secret_type& secret,
                    const typename F::secret_type& other) {
  static_assert(able<F, guards> && !able<F, inserts> && !able<F, asks>);
  const auto words = numbered_words("member ", 40);
  F filter(shape);
  EXPECT_FALSE(filter.may_contain_text(secret, words[0]));
  for (const std::string& word : words) {
    const bool before = filter.may_contain_text(secret, word);
    EXPECT_EQ(filter.insert_text(secret, word), !before);
  }
  EXPECT_FALSE(filter.insert_text(secret, words[0]));
  EXPECT_EQ(filter.record().items, 41U);

  const auto bytes = wire::save(filter);
  const auto saved = secret.save();
  const auto loaded_secret = F::secret_type::load(saved);
  EXPECT_TRUE(std::ranges::equal(loaded_secret.save(), saved));
  F loaded = wire::load<F>(bytes);
  EXPECT_EQ(wire::save(loaded), bytes);
  for (const std::string& word : words) EXPECT_TRUE(loaded.may_contain_text(loaded_secret, word));

  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)loaded.may_contain_text(other, words[0]); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { loaded.insert_text(other, words[0]); }));
  EXPECT_EQ(wire::save(loaded), bytes);
  const storage aligned = wire::copied(wire::open_envelope(bytes).payload);
  F viewed = F::restore(shape, filter.record(), storage::view(aligned.bytes()));
  EXPECT_TRUE(viewed.may_contain_text(secret, words[1]));
  EXPECT_TRUE(throws_error(errc::read_only, "view", [&] { viewed.insert_text(secret, "new"); }));
  expect_hostile_refused(
      saved, [](byte_view stored) { (void)F::secret_type::load(stored); }, resealed_secret);
}

}  // namespace bloomery::testing
