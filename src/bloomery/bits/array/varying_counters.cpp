#include "bloomery/bits/array/varying_counters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/math/kinds/spectral.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t run_counters = 256;
constexpr std::uint64_t group_counters = 16;
constexpr std::uint64_t groups = run_counters / group_counters;
constexpr std::uint64_t head_words = groups * 16 / 64;
constexpr std::uint64_t slack_bits = 80;  // more than a code can grow by at once

[[noreturn]] void corrupt(const char* what) {
  fail(errc::corrupt, std::string("the counters are damaged: ") + what);
}

std::uint64_t runs_of(std::uint64_t counters) {
  return (counters + run_counters - 1) / run_counters;
}

std::uint64_t directory_words(std::uint64_t counters) {
  return core::round_up(8 * (runs_of(counters) + 1), cache_line_bytes) / 8;
}

std::uint64_t run_words(std::uint64_t code_bits) {
  return head_words + (code_bits + slack_bits + 63) / 64;
}

constexpr std::uint64_t low_bits(std::uint64_t value, std::uint64_t count) {
  return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

// A string of bits in little-endian words.
struct bit_string {
  std::byte* words;

  // `count` bits from bit `at`; 1 to 64, none beyond the string's last word.
  [[nodiscard]] std::uint64_t read(std::uint64_t at, std::uint64_t count) const {
    const std::uint64_t shift = at % 64;
    std::uint64_t value = core::load_le<std::uint64_t>(words + at / 64 * 8) >> shift;
    if (shift + count > 64)
      value |= core::load_le<std::uint64_t>(words + at / 64 * 8 + 8) << (64 - shift);
    return low_bits(value, count);
  }
  void write(std::uint64_t at, std::uint64_t count, std::uint64_t value) const {
    const std::uint64_t shift = at % 64;
    const std::uint64_t mask = low_bits(~std::uint64_t{0}, count);
    replace(at / 64, mask << shift, value << shift);
    if (shift + count > 64) replace(at / 64 + 1, mask >> (64 - shift), value >> (64 - shift));
  }
  void replace(std::uint64_t word, std::uint64_t mask, std::uint64_t bits) const {
    core::store_le(words + word * 8,
                   (core::load_le<std::uint64_t>(words + word * 8) & ~mask) | bits);
  }
  // As memmove does.
  void move(std::uint64_t from, std::uint64_t to, std::uint64_t count) const {
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t piece = std::min<std::uint64_t>(64, count - done);
      const std::uint64_t skip = to > from ? count - done - piece : done;
      write(to + skip, piece, read(from + skip, piece));
      done += piece;
    }
  }
};

// Value + 1 in Elias's delta code: the length of its length in unary, its length, its lower bits.
struct delta_code {
  std::uint64_t prefix_bits;
  std::uint64_t value_bits;

  [[nodiscard]] constexpr std::uint64_t bits() const { return prefix_bits + value_bits; }

  static delta_code of(std::uint64_t value) {
    const auto length = static_cast<unsigned>(std::bit_width(value + 1));
    return {2 * static_cast<unsigned>(std::bit_width(length)) - 1U, length - 1U};
  }
  static constexpr std::uint64_t longest_prefix = 11;
  // The code that `bits` begin with; no bits if they are none.
  static constexpr delta_code in(std::uint64_t bits) {
    const auto zeros = static_cast<std::uint64_t>(std::countr_zero(bits));
    if (2 * zeros + 1 > longest_prefix) return {0, 0};
    const std::uint64_t length = std::uint64_t{1} << zeros | low_bits(bits >> (zeros + 1), zeros);
    return {2 * zeros + 1, length - 1};
  }
  [[nodiscard]] std::uint64_t value(const bit_string& bits, std::uint64_t at) const {
    if (value_bits == 0) return 0;
    const std::uint64_t lower = bits.read(at + prefix_bits, value_bits);
    return (std::uint64_t{1} << value_bits | lower) - 1;
  }
  void write(const bit_string& bits, std::uint64_t at, std::uint64_t value) const {
    const std::uint64_t length = value_bits + 1;
    const std::uint64_t zeros = (prefix_bits - 1) / 2;
    assert(zeros < 32);
    bits.write(at, prefix_bits, std::uint64_t{1} << zeros | low_bits(length, zeros) << (zeros + 1));
    if (value_bits != 0) bits.write(at + prefix_bits, value_bits, low_bits(value + 1, value_bits));
  }
};

// Of the codes that begin with these bits: no branch to mispredict at every neighbour.
constexpr auto code_lengths = [] {
  std::array<std::uint8_t, std::size_t{1} << delta_code::longest_prefix> lengths{};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = static_cast<std::uint8_t>(delta_code::in(i).bits());
  }
  return lengths;
}();

}  // namespace

struct varying_counters::run {
  bit_string head;
  bit_string codes;
  std::uint64_t capacity;  // in bits, of the codes

  [[nodiscard]] std::uint64_t end(std::uint64_t group) const { return head.read(16 * group, 16); }
  void set_end(std::uint64_t group, std::uint64_t bit) const { head.write(16 * group, 16, bit); }
  // Moves the ends from `group` on, four in a word; none leaves its 16 bits.
  void move_ends(std::uint64_t group, std::uint64_t by) const {
    constexpr std::uint64_t each = 0x0001000100010001;
    for (std::uint64_t word = group / 4; word < head_words; ++word) {
      const std::uint64_t from = word == group / 4 ? 16 * (group % 4) : 0;
      std::byte* const lanes = head.words + 8 * word;
      core::store_le(lanes, core::load_le<std::uint64_t>(lanes) + ((each * by) << from));
    }
  }
  [[nodiscard]] std::uint64_t used() const { return end(groups - 1); }
  // Up to 64 bits from bit `at`, with zeros behind the last word.
  [[nodiscard]] std::uint64_t window(std::uint64_t at) const {
    const std::uint64_t rest = capacity - at;
    return rest == 0 ? 0 : codes.read(at, std::min<std::uint64_t>(64, rest));
  }
  [[nodiscard]] std::uint64_t find(std::uint64_t i) const {
    const std::uint64_t group = i / group_counters;
    std::uint64_t at = group == 0 ? 0 : end(group - 1);
    std::uint64_t bits = window(at);
    std::uint64_t seen = 0;  // of the window
    for (std::uint64_t left = i % group_counters; left != 0; --left) {
      const std::uint64_t length = code_lengths[low_bits(bits, delta_code::longest_prefix)];
      seen += length;
      bits = length < 64 ? bits >> length : 0;
      if (seen > 64 - delta_code::longest_prefix) {
        at += seen;
        bits = window(at);
        seen = 0;
      }
    }
    return at + seen;
  }
};

std::uint64_t varying_counters::in_run(std::uint64_t r) const {
  return std::min(run_counters, counters_ - r * run_counters);
}

varying_counters::run varying_counters::run_at(std::uint64_t r) const {
  const std::byte* directory = stored_.bytes().data();
  const auto first = core::load_le<std::uint64_t>(directory + 8 * r);
  const auto last = core::load_le<std::uint64_t>(directory + 8 * r + 8);
  auto* words = const_cast<std::byte*>(directory) + 8 * (directory_words(counters_) + first);
  return {{words}, {words + 8 * head_words}, 64 * (last - first - head_words)};
}

std::uint64_t varying_counters::empty_bytes(std::uint64_t counters) {
  const std::uint64_t whole = counters / run_counters;
  const std::uint64_t rest = counters % run_counters;
  const std::uint64_t words =
      whole * run_words(run_counters) + (rest == 0 ? 0 : run_words(rest));  // a bit for each 0
  return 8 * directory_words(counters) + core::round_up(8 * words, cache_line_bytes);
}

std::uint64_t varying_counters::expected_bytes(std::uint64_t counters, double load) {
  const auto of_run = [&](std::uint64_t some) {
    const double code_bits = static_cast<double>(some) * math::delta_code_bits(load);
    // Whole words are half a word longer on average.
    return static_cast<double>(head_words) + (code_bits + slack_bits) / 64 + 0.5;
  };
  const std::uint64_t whole = counters / run_counters;
  const std::uint64_t rest = counters % run_counters;
  const double words =
      static_cast<double>(whole) * of_run(run_counters) + (rest == 0 ? 0 : of_run(rest));
  return 8 * directory_words(counters) +
         core::round_up(8 * static_cast<std::uint64_t>(std::ceil(words)), cache_line_bytes);
}

template <class BitsOf, class Write>
varying_counters::varying_counters(std::uint64_t counters, BitsOf bits_of, Write write)
    : counters_(counters) {
  std::uint64_t words = 0;
  for (std::uint64_t r = 0; r < runs_of(counters_); ++r) words += run_words(bits_of(r));
  stored_ = storage::allocate(8 * (directory_words(counters) + words));
  std::byte* directory = stored_.bytes_for_writing().data();
  words = 0;
  for (std::uint64_t r = 0; r < runs_of(counters_); ++r) {
    core::store_le(directory + 8 * r, words);
    words += run_words(bits_of(r));
    core::store_le(directory + 8 * r + 8, words);
    write(r, run_at(r));
  }
}

varying_counters::varying_counters(std::uint64_t counters)
    : varying_counters(
          counters, [this](std::uint64_t r) { return in_run(r); },  // a bit for each 0
          [this](std::uint64_t r, const run& here) {
            for (std::uint64_t i = 0; i < in_run(r); ++i) delta_code::of(0).write(here.codes, i, 0);
            for (std::uint64_t g = 0; g < groups; ++g) {
              here.set_end(g, std::min((g + 1) * group_counters, in_run(r)));
            }
          }) {}

varying_counters::varying_counters(std::uint64_t counters, storage stored)
    : counters_(counters), stored_(std::move(stored)) {
  if (stored_bytes(counters_, stored_.bytes()) != stored_.size()) corrupt("their length");
  check();
}

std::uint64_t varying_counters::stored_bytes(std::uint64_t counters, byte_view stored) {
  if (stored.size() < 8 * directory_words(counters)) corrupt("their directory is cut short");
  const auto words = core::load_le<std::uint64_t>(stored.data() + 8 * runs_of(counters));
  if (words > stored.size() / 8) corrupt("their directory points beyond them");
  return 8 * directory_words(counters) + core::round_up(8 * words, cache_line_bytes);
}

void varying_counters::check() const {
  const std::byte* directory = stored_.bytes().data();
  const auto entry = [&](std::uint64_t r) {
    return core::load_le<std::uint64_t>(directory + 8 * r);
  };
  if (entry(0) != 0) corrupt("their directory");
  const auto clean = [&](std::uint64_t first_word, std::uint64_t last_word) {
    const byte_view part = stored_.bytes().subspan(8 * first_word, 8 * (last_word - first_word));
    if (!core::all_zero(part)) corrupt("bits are set in the padding");
  };
  const std::uint64_t runs = runs_of(counters_);
  clean(runs + 1, directory_words(counters_));
  clean(directory_words(counters_) + entry(runs), stored_.size() / 8);
  for (std::uint64_t r = 0; r < runs; ++r) {
    if (entry(r + 1) > entry(runs) || entry(r + 1) < entry(r) + head_words ||
        entry(r + 1) - entry(r) > run_words(run_counters * 2 * 64)) {
      corrupt("their directory");
    }
    const run here = run_at(r);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < run_counters; ++i) {
      if (i < in_run(r)) {
        const std::uint64_t left = here.capacity - at;
        const std::uint64_t bits = left == 0 ? 0 : delta_code::in(here.window(at)).bits();
        if (bits == 0 || bits > left) corrupt("a code");
        at += bits;
      }
      if (i % group_counters == group_counters - 1 && here.end(i / group_counters) != at) {
        corrupt("the end of a group");
      }
    }
    for (; at < here.capacity; ++at) {
      if (here.codes.read(at, 1) != 0) corrupt("bits are set in the slack");
    }
  }
}

std::uint64_t varying_counters::get(std::uint64_t i) const {
  assert(i < counters_);
  const run here = run_at(i / run_counters);
  const std::uint64_t at = here.find(i % run_counters);
  return delta_code::in(here.window(at)).value(here.codes, at);
}

void varying_counters::set(std::uint64_t i, std::uint64_t value) {
  const run here = run_at(i / run_counters);
  const std::uint64_t at = here.find(i % run_counters);
  replace(i, at, delta_code::in(here.window(at)).bits(), value);
}

std::uint64_t varying_counters::add(std::uint64_t i, std::uint64_t weight) {
  const run here = run_at(i / run_counters);
  const std::uint64_t at = here.find(i % run_counters);
  const delta_code code = delta_code::in(here.window(at));
  const std::uint64_t before = code.value(here.codes, at);
  replace(i, at, code.bits(), before + std::min(weight, max_value - before));
  return before;
}

void varying_counters::replace(std::uint64_t i, std::uint64_t at, std::uint64_t before,
                               std::uint64_t value) {
  assert(i < counters_ && value <= max_value && stored_.writable());
  run here = run_at(i / run_counters);
  const delta_code code = delta_code::of(value);
  if (const std::uint64_t after = code.bits(); after != before) {
    const std::uint64_t used = here.used();
    if (used - before + after > here.capacity) {
      pack_anew();
      here = run_at(i / run_counters);
    }
    here.codes.move(at + before, at + after, used - at - before);
    here.move_ends(i % run_counters / group_counters, after - before);
    for (std::uint64_t end = used - before + after; end < used;) {
      const std::uint64_t piece = std::min<std::uint64_t>(64, used - end);
      here.codes.write(end, piece, 0);
      end += piece;
    }
  }
  code.write(here.codes, at, value);
}

void varying_counters::pack_anew() {
  *this = varying_counters(
      counters_, [this](std::uint64_t r) { return run_at(r).used(); },
      [this](std::uint64_t r, const run& to) {
        const run from = run_at(r);
        const std::uint64_t taken = head_words + (from.used() + 63) / 64;
        std::copy_n(from.head.words, 8 * taken, to.head.words);
      });
}

void varying_counters::read_run(std::uint64_t r, std::span<std::uint64_t> values) const {
  const run here = run_at(r);
  std::uint64_t at = 0;
  for (std::uint64_t& value : values) {
    const delta_code code = delta_code::in(here.window(at));
    value = code.value(here.codes, at);
    at += code.bits();
  }
}

varying_counters varying_counters::sum(const varying_counters& other) const {
  assert(counters_ == other.counters_);
  std::array<std::uint64_t, run_counters> sums{};
  std::array<std::uint64_t, run_counters> others{};
  const auto add_up = [&](std::uint64_t r) {
    const std::span values = std::span(sums).first(in_run(r));
    read_run(r, values);
    other.read_run(r, std::span(others).first(in_run(r)));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += std::min(others[i], max_value - values[i]);
      bits += delta_code::of(values[i]).bits();
    }
    return bits;
  };
  const auto write = [&](std::uint64_t r, const run& to) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < run_counters; ++i) {
      if (i < in_run(r)) {
        const delta_code code = delta_code::of(sums[i]);
        code.write(to.codes, at, sums[i]);
        at += code.bits();
      }
      if (i % group_counters == group_counters - 1) to.set_end(i / group_counters, at);
    }
  };
  return {counters_, add_up, write};
}

void varying_counters::prefetch(std::uint64_t i) const {
  const run here = run_at(i / run_counters);
  core::prefetch(here.head.words);
  core::prefetch(here.codes.words + i % run_counters / 4);  // about two bits a counter
}

}  // namespace bloomery::bits
