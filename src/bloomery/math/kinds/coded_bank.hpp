// Coded banks of filters, one for each bit of a code: words, rates, sizes.
//
// Purpose:   a key of class c goes into filter j for each bit j of the word of c. Errors only turn zeros
//            into ones, so what comes out holds the true word.
// Cost:      microseconds a filter; plans take milliseconds.
// Guarantee: rates are for keys whose classes are drawn evenly and independently, or for as many keys in
//            each class as are given, and exact for each filter; together the filters count as
//            independent.
// Citation:  Tarkoma §III-M; words of constant weight by rank: the combinatorial number system (Knuth
//            4A, 7.2.1.3).
//
//     const bloomery::math::bank_code binary(7, bloomery::math::code_kind::binary);
//     assert(binary.width() == 3 && binary.word(6) == 7 && binary.word(0) == 1);
//     const bloomery::math::bank_code steady(7, bloomery::math::code_kind::constant_weight);
//     assert(steady.width() == 5 && steady.weight() == 2 && steady.word(6) == 0b10001);
//     assert(steady.value(0b10001) == 6 && !steady.value(0b10011));
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/math/kinds/bank.hpp"

namespace bloomery::math {

enum class code_kind : std::uint64_t { binary, constant_weight };

// Words for the values 0 to classes-1, none of them 0, which stands for absent.
class bank_code {
 public:
  bank_code(std::uint64_t classes, code_kind kind);

  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned weight() const { return weight_; }  // ones in every word; 0 if it varies
  [[nodiscard]] std::uint64_t word(std::uint64_t value) const;
  [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t word) const;
  // The share of the values that have bit j, for each.
  [[nodiscard]] std::vector<double> shares() const;

 private:
  std::uint64_t classes_;
  unsigned width_ = 1;
  unsigned weight_ = 0;
};

struct coded_size {
  std::uint64_t bits;  // of each filter
  std::uint64_t hashes;
  std::uint64_t classes;
  code_kind code;
};

// A stranger is not absent: some filter claims it, or as many as a word has ones.
double coded_rate(const coded_size& size, std::uint64_t keys);
// At most this many members are told another value, or that it is unknown.
double coded_error(const coded_size& size, std::uint64_t keys);
// (1-f)^zeros: none of the filters that a key is not in claims it.
double correct_probability(double rate, std::uint64_t zeros);

// All filters are asked, each until a bit is zero.
query_cost coded_cost(const coded_size& size, std::uint64_t keys);

// The fewest bits for which neither is above `rate`.
coded_size plan_coded(std::uint64_t keys, double rate, std::uint64_t classes, code_kind code);

// The same of this many keys in each class; classes that are not named have none.
double coded_rate(const coded_size& size, std::span<const value_load> loads);
double coded_error(const coded_size& size, std::span<const value_load> loads);
coded_size plan_coded(std::span<const value_load> loads, double rate, std::uint64_t classes,
                      code_kind kind);

}  // namespace bloomery::math
