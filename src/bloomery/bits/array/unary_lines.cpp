#include "bloomery/bits/array/unary_lines.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::bits {
namespace {

constexpr unsigned bits_of_word(std::uint64_t word) {
  return word == 0 ? unary_lines::home_bits : hash::lane_bits;
}
constexpr std::uint64_t below(unsigned bit) {
  return (std::uint64_t{1} << bit) - 1;
}
std::uint64_t ones_in(std::uint64_t word) {
  return static_cast<std::uint64_t>(std::popcount(word));
}
unsigned lane_of(unsigned at) {
  return at / hash::lane_bits;
}
std::uint64_t checked_lines(std::uint64_t lines) {
  constexpr std::uint64_t most_lines = max_bits / cache_line_bits / 2;
  if (lines < 1 || lines > most_lines) {
    fail(errc::limit,
         std::to_string(lines) + " lines of counters; allowed: 1 to " + std::to_string(most_lines));
  }
  return lines;
}

}  // namespace

unary_lines::unary_lines(std::uint64_t lines, std::uint64_t spill)
    : lines_(checked_lines(lines)),
      bits_(lines * cache_line_bits),
      codes_(storage::allocate(lines * cache_line_bytes)),
      spill_(spill, lines) {}

unary_lines::unary_lines(std::uint64_t lines, std::uint64_t spill, storage stored)
    : lines_(checked_lines(lines)),
      bits_(lines * cache_line_bits, stored.take_stored(lines * cache_line_bytes)),
      codes_(stored.take_stored(lines * cache_line_bytes)),
      spill_(spill, lines, std::move(stored)) {
  check();
}

std::uint64_t unary_lines::stored_bytes(std::uint64_t lines, std::uint64_t spill) {
  return 2 * lines * cache_line_bytes + spill_lines::stored_bytes(spill);
}

std::uint64_t* unary_lines::codes() {
  assert(codes_.writable());
  return const_cast<std::uint64_t*>(codes_.words<std::uint64_t>());
}

void unary_lines::prefetch(std::uint64_t line) const {
  bits_.prefetch(line * cache_line_bits);
  core::prefetch(codes_.words<std::uint64_t>() + line * hash::lane_count);
}

std::uint64_t unary_lines::ones(std::uint64_t line, unsigned lane) const {
  return bits_.word(line * hash::lane_count + lane);
}

bool unary_lines::flagged(std::uint64_t line) const {
  return (core::little_endian(codes_.words<std::uint64_t>()[line * hash::lane_count]) & spilled) !=
         0;
}

std::uint64_t unary_lines::code(std::uint64_t line, unsigned lane, const spill_lines::run& more,
                                std::uint64_t word) const {
  if (word != 0) return core::little_endian(spill_.line(more, word - 1)[lane]);
  return core::little_endian(codes_.words<std::uint64_t>()[line * hash::lane_count + lane]) &
         ~spilled;
}

void unary_lines::set_code(std::uint64_t line, unsigned lane, const spill_lines::run& more,
                           std::uint64_t word, std::uint64_t code) {
  if (word != 0) {
    spill_.line(more, word - 1)[lane] = core::little_endian(code);
  } else {
    const std::uint64_t flag = more.count == 0 ? 0 : spilled;
    codes()[line * hash::lane_count + lane] = core::little_endian(code | flag);
  }
}

unary_lines::spot unary_lines::start_of(std::uint64_t line, unsigned lane,
                                        const spill_lines::run& more, std::uint64_t rank) const {
  if (rank == 0) return {};
  for (std::uint64_t word = 0; word <= more.count; ++word) {
    std::uint64_t left = code(line, lane, more, word);
    const std::uint64_t here = ones_in(left);
    if (rank > here) {
      rank -= here;
      continue;
    }
    while (--rank != 0) left &= left - 1;
    const auto behind = static_cast<unsigned>(std::countr_zero(left)) + 1;
    if (behind == bits_of_word(word)) return {word + 1, 0};
    return {word, behind};
  }
  return {more.count + 1, 0};
}

std::uint64_t unary_lines::height_at(std::uint64_t line, unsigned lane,
                                     const spill_lines::run& more, spot at) const {
  std::uint64_t height = 0;
  for (; at.word <= more.count; ++at.word, at.bit = 0) {
    const std::uint64_t left = code(line, lane, more, at.word) >> at.bit;
    if (left != 0) return height + static_cast<std::uint64_t>(std::countr_zero(left)) + 1;
    height += bits_of_word(at.word) - at.bit;
  }
  return 0;
}

std::uint64_t unary_lines::get(std::uint64_t line, unsigned lane, unsigned at) const {
  assert(line < lines_ && lane < hash::lane_count && at < hash::lane_bits);
  const std::uint64_t set = ones(line, lane);
  if ((set >> at & 1) == 0) return 0;
  const spill_lines::run more = flagged(line) ? spill_.of(line) : spill_lines::run{};
  if (flagged(line) && more.count == 0) return most;
  return std::min(
      most, height_at(line, lane, more, start_of(line, lane, more, ones_in(set & below(at)))));
}

std::uint64_t unary_lines::count(std::uint64_t line, const hash::line_pattern& pattern,
                                 std::uint64_t key) const {
  std::uint64_t least = most;
  pattern.all(key, [&](unsigned at) {
    least = std::min(least, get(line, lane_of(at), at % hash::lane_bits));
    return least != 0;
  });
  return least;
}

bool unary_lines::raise(std::uint64_t line, const hash::line_pattern& pattern, std::uint64_t key) {
  bool fresh = false;
  pattern.all(key, [&](unsigned at) {
    fresh |= !bits_.test(line * cache_line_bits + at);
    raise_one(line, lane_of(at), at % hash::lane_bits);
    return true;
  });
  return fresh;
}

bool unary_lines::lower(std::uint64_t line, const hash::line_pattern& pattern, std::uint64_t key) {
  const std::uint64_t least = count(line, pattern, key);
  if (least == 0 || least == most) return false;
  pattern.all(key, [&](unsigned at) {
    lower_one(line, lane_of(at), at % hash::lane_bits);
    return true;
  });
  unspill(line);
  return true;
}

void unary_lines::raise_one(std::uint64_t line, unsigned lane, unsigned at) {
  const std::uint64_t set = ones(line, lane);
  const bool is_new =
      bits_.set(line * cache_line_bits + std::uint64_t{lane} * hash::lane_bits + at);
  spill_lines::run more = flagged(line) ? spill_.of(line) : spill_lines::run{};
  if (flagged(line) && more.count == 0) return;
  spot to = start_of(line, lane, more, ones_in(set & below(at)));
  if (!is_new && height_at(line, lane, more, to) >= most) return;
  auto moved = std::uint64_t{is_new};
  for (; to.word <= more.count || moved != 0; ++to.word, to.bit = 0) {
    if (to.word > more.count) {
      if (!spill(line)) return;
      more = spill_.of(line);
    }
    const std::uint64_t before = code(line, lane, more, to.word);
    const unsigned width = bits_of_word(to.word);
    const std::uint64_t kept = before & below(to.bit);
    const std::uint64_t after = kept | moved << to.bit | (before ^ kept) << 1;
    moved = before >> (width - 1) & 1;
    set_code(line, lane, more, to.word, to.word == 0 ? after & ~spilled : after);
  }
}

void unary_lines::lower_one(std::uint64_t line, unsigned lane, unsigned at) {
  const std::uint64_t set = ones(line, lane);
  if ((set >> at & 1) == 0) return;
  const spill_lines::run more = flagged(line) ? spill_.of(line) : spill_lines::run{};
  spot from = start_of(line, lane, more, ones_in(set & below(at)));
  if (height_at(line, lane, more, from) >= most) return;
  if ((code(line, lane, more, from.word) >> from.bit & 1) != 0) {
    bits_.clear(line * cache_line_bits + std::uint64_t{lane} * hash::lane_bits + at);
  }
  for (; from.word <= more.count; ++from.word, from.bit = 0) {
    const std::uint64_t before = code(line, lane, more, from.word);
    const std::uint64_t next =
        from.word < more.count ? code(line, lane, more, from.word + 1) & 1 : 0;
    set_code(line, lane, more, from.word,
             (before & below(from.bit)) | (before >> 1 & ~below(from.bit)) |
                 next << (bits_of_word(from.word) - 1));
  }
}

bool unary_lines::spill(std::uint64_t line) {
  if (!spill_.add(line)) {
    freeze(line);
    return false;
  }
  std::uint64_t* const its = codes() + line * hash::lane_count;
  for (unsigned lane = 0; lane < hash::lane_count; ++lane)
    its[lane] |= core::little_endian(spilled);
  return true;
}

void unary_lines::unspill(std::uint64_t line) {
  if (!flagged(line)) return;
  for (spill_lines::run more = spill_.of(line); more.count != 0; --more.count) {
    const std::uint64_t* const last = spill_.line(more, more.count - 1);
    if (std::any_of(last, last + hash::lane_count, [](std::uint64_t w) { return w != 0; })) return;
    spill_.drop(line);
    more = {spill_.of(line).first, more.count};
  }
  std::uint64_t* const its = codes() + line * hash::lane_count;
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    its[lane] &= ~core::little_endian(spilled);
  }
}

void unary_lines::freeze(std::uint64_t line) {
  for (std::uint64_t left = spill_.of(line).count; left != 0; --left) spill_.drop(line);
  std::fill_n(codes() + line * hash::lane_count, hash::lane_count, core::little_endian(spilled));
}

unary_lines::heights unary_lines::heights_of(std::uint64_t line, unsigned lane) const {
  heights all{};
  const spill_lines::run more = flagged(line) ? spill_.of(line) : spill_lines::run{};
  std::uint64_t word = 0;
  std::uint64_t left = code(line, lane, more, 0);
  std::uint64_t ended = 0;  // behind the last code read, in the string
  std::uint64_t first = 0;  // of the word, in the string
  for (std::uint64_t set = ones(line, lane); set != 0; set &= set - 1) {
    while (left == 0 && word < more.count) {
      first += bits_of_word(word);
      left = code(line, lane, more, ++word);
    }
    const std::uint64_t end = first + static_cast<std::uint64_t>(std::countr_zero(left)) + 1;
    all[static_cast<unsigned>(std::countr_zero(set))] = end - ended;
    ended = end;
    left &= left - 1;
  }
  return all;
}

// To an empty lane of a line that is not frozen.
void unary_lines::append(std::uint64_t line, unsigned lane, const heights& all) {
  std::uint64_t last = 0;
  for (unsigned at = 0; at < hash::lane_bits; ++at) {
    if (all[at] == 0) continue;
    bits_.set(line * cache_line_bits + std::uint64_t{lane} * hash::lane_bits + at);
    last += all[at];
  }
  spill_lines::run more = flagged(line) ? spill_.of(line) : spill_lines::run{};
  while (last > home_bits + more.count * hash::lane_bits) {
    if (!spill(line)) return;
    more = spill_.of(line);
  }
  std::uint64_t end = 0;
  for (const std::uint64_t height : all) {
    if (height == 0) continue;
    end += height;
    const std::uint64_t word = end <= home_bits ? 0 : (end - home_bits - 1) / hash::lane_bits + 1;
    const std::uint64_t bit = word == 0 ? end - 1 : (end - home_bits - 1) % hash::lane_bits;
    set_code(line, lane, more, word, code(line, lane, more, word) | std::uint64_t{1} << bit);
  }
}

void unary_lines::merge(const unary_lines& other) {
  assert(lines_ == other.lines_ && spill_.slots() == other.spill_.slots());
  unary_lines sum(lines_, spill_.slots());
  for (std::uint64_t line = 0; line < lines_; ++line) {
    if (frozen(line) || other.frozen(line)) sum.freeze(line);
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (sum.flagged(line) && sum.spill_.of(line).count == 0) {
        const std::uint64_t both = ones(line, lane) | other.ones(line, lane);
        sum.words()[line * hash::lane_count + lane] = core::little_endian(both);
        continue;
      }
      heights all = heights_of(line, lane);
      const heights more = other.heights_of(line, lane);
      for (unsigned at = 0; at < hash::lane_bits; ++at)
        all[at] = std::min(most, all[at] + more[at]);
      sum.append(line, lane, all);
    }
  }
  *this = std::move(sum);
}

std::uint64_t unary_lines::stuck() const {
  std::uint64_t count = 0;
  for (std::uint64_t line = 0; line < lines_; ++line) {
    if (!flagged(line)) continue;
    const bool all = frozen(line);
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (all) {
        count += ones_in(ones(line, lane));
      } else {
        const heights its = heights_of(line, lane);
        count += static_cast<std::uint64_t>(std::count(its.begin(), its.end(), most));
      }
    }
  }
  return count;
}

void unary_lines::check() const {
  for (std::uint64_t line = 0; line < lines_; ++line) check_line(line);
  std::uint64_t seen = 0;
  for (std::uint64_t line = 0; line < lines_; ++line) {
    if (flagged(line)) seen += spill_.of(line).count;
  }
  if (seen != spill_.used()) {
    fail(errc::corrupt, std::to_string(spill_.used() - seen) +
                            " lines are spilled from lines that say they have spilled none");
  }
}

void unary_lines::check_line(std::uint64_t line) const {
  const auto refuse = [&](const char* what) {
    fail(errc::corrupt, "line " + std::to_string(line) + " of counters " + what);
  };
  const std::uint64_t* const its = codes_.words<std::uint64_t>() + line * hash::lane_count;
  std::uint64_t flags = 0;
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    flags += core::little_endian(its[lane]) >> home_bits;
  }
  if (flags != 0 && flags != hash::lane_count) refuse("has spilled in part");
  const spill_lines::run more = flags == 0 ? spill_lines::run{} : spill_.of(line);
  if (flags != 0 && more.count == 0) {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (code(line, lane, more, 0) != 0) refuse("is frozen and has codes");
    }
    return;
  }
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    std::uint64_t codes_seen = 0;
    for (std::uint64_t word = 0; word <= more.count; ++word) {
      codes_seen += ones_in(code(line, lane, more, word));
    }
    if (codes_seen != ones_in(ones(line, lane))) refuse("has not as many codes as bits");
  }
  if (more.count == 0) return;
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    const heights all = heights_of(line, lane);
    if (*std::max_element(all.begin(), all.end()) > most) refuse("has a counter beyond 127");
  }
  const std::uint64_t* const last = spill_.line(more, more.count - 1);
  if (std::all_of(last, last + hash::lane_count, [](std::uint64_t w) { return w == 0; })) {
    refuse("has spilled to a line that is empty");
  }
}

}  // namespace bloomery::bits
