// What the verbs that make filters share: the hash, the shape, the window and the size of a new one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/hash/hasher.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

struct hash_options {
  std::string seed;
  bool integers = false;
  key_file_option key_file;

  void declare(command& verb);
  [[nodiscard]] hasher chosen() const;
};

// How many of the latest keys, or how long.
struct window_length {
  std::uint64_t arrivals = 0;
  std::uint64_t milliseconds = 0;
};

// --window N or --window DURATION.
struct window_option {
  std::string text;

  option declare(command& verb, const std::string& help);
  [[nodiscard]] bool given() const { return !text.empty(); }
  // Zeros if none was given. Refuses --keys beside a number of keys: it says the same.
  [[nodiscard]] window_length length(bool keys_given) const;
  // The same, where a time needs --keys for how many come in it.
  [[nodiscard]] window_length length_with_keys(bool keys_given) const;
};

// --set FIELD=VALUE.
struct shape_option {
  std::vector<std::string> settings;

  void declare(command& verb);
  // By position; nothing where the plan decides.
  [[nodiscard]] std::vector<std::optional<field_value>> fixed(const any_kind& kind) const;
};

bool all_fixed(const std::vector<std::optional<field_value>>& fixed);

struct sized {
  std::vector<field_value> shape;
  promise promised;
};

// A plan with some fields overruled keeps its promise, and misses no more keys, or is refused; where the
// kind can, the rest is planned around them. `rate_of` is the rate that was asked for, if that is not
// the predicted one; `around` plans the rest around a shape, if the kind's own way is not meant. With all
// fields fixed there is nothing to plan or promise.
sized planned(
    const any_kind& kind, const std::vector<std::optional<field_value>>& fixed, std::uint64_t keys,
    double rate, const std::function<std::vector<field_value>()>& plan,
    const std::function<double(const std::vector<field_value>&)>& rate_of = {},
    const std::function<std::vector<field_value>(const std::vector<field_value>&)>& around = {});

}  // namespace bloomery::cli
