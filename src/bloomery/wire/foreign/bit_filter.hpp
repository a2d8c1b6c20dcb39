// A foreign filter that is an array of bits behind a header, from what its format's rule says.
//
// Purpose:   most formats differ in their header and in how a key becomes bits, and in nothing else. A rule has
//            `info`; `recognises`, `read` (the header of a file, checked, and where its bits lie) and `plan`;
//            `bytes` of bits, how many are `bits`, `hashes`, `each_bit` of a key until it is told false,
//            `inserted`, `current_rate`, `facts`; `head` and `tail`, what stands before and behind the bits. If the
//            file promises a rate, `promised_rate`; if its keys have a form, `example_key`; if another format has the same filter, `of` that one's rule.
// Cost:      a bit at a time, of a byte array; what is asked of foreign filters is hashing.
// Guarantee: bit b is in byte b / 8, the lowest first. A file's bits beyond the last are zero.
//
//     using squid = bloomery::foreign::bit_filter<bloomery::foreign::squid_digest>;
//     assert(squid(bloomery::foreign::squid_digest::plan(8, std::nullopt)).bits() == 40);
#pragma once

#include <bit>
#include <string>
#include <type_traits>

#include "bloomery/core/error.hpp"
#include "bloomery/wire/foreign/format.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::foreign {

// Throws errc::limit unless so many bytes may be taken.
inline void require_room(std::uint64_t bytes, const wire::load_options& options) {
  if (bytes <= options.most_copied()) return;
  fail(errc::limit, "the filter takes " + std::to_string(bytes) +
                        " bytes; allowed: " + std::to_string(options.most_copied()));
}

template <class Rule>
class bit_filter final : public filter {
 public:
  explicit bit_filter(Rule rule) : rule_(std::move(rule)), bytes_(rule_.bytes()) {}
  bit_filter(Rule rule, byte_view bits) : rule_(std::move(rule)), bytes_(bits.begin(), bits.end()) {
    for (std::uint64_t i = rule_.bits(); i < 8 * bytes_.size(); ++i) {
      if (test(i)) fail(errc::corrupt, "bits are set beyond the last");
    }
  }

  [[nodiscard]] const format_info& info() const override { return Rule::info; }
  [[nodiscard]] const Rule& rule() const { return rule_; }

  [[nodiscard]] byte_view stored() const { return bytes_; }

  void insert(std::span<const std::string_view> keys) override {
    if (bits() == 0 && !keys.empty()) fail(errc::limit, "the filter is empty, and has no room");
    for (const std::string_view key : keys) {
      bool fresh = false;
      rule_.each_bit(key, [&](std::uint64_t i) {
        fresh |= !test(i);
        bytes_[i / 8] |= std::byte{1} << i % 8;
        return true;
      });
      rule_.inserted(fresh);
    }
  }
  using filter::may_contain;
  void may_contain(std::span<const std::string_view> keys, std::span<bool> answers) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      bool all = bits() != 0;
      if (all) rule_.each_bit(keys[k], [&](std::uint64_t i) { return all = test(i); });
      answers[k] = all;
    }
  }

  [[nodiscard]] std::uint64_t bits() const override { return rule_.bits(); }
  [[nodiscard]] std::uint64_t hashes() const override { return rule_.hashes(); }
  [[nodiscard]] std::uint64_t ones() const override {
    std::uint64_t count = 0;
    for (const std::byte byte : bytes_) {
      count += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
    }
    return count;
  }
  [[nodiscard]] double current_rate() const override { return rule_.current_rate(*this, bytes_); }
  [[nodiscard]] std::optional<double> promised_rate() const override {
    if constexpr (requires { rule_.promised_rate(); }) return rule_.promised_rate();
    return std::nullopt;
  }
  [[nodiscard]] std::vector<fact> facts() const override { return rule_.facts(); }
  [[nodiscard]] std::vector<std::byte> save() const override {
    std::vector<std::byte> file = rule_.head();
    file.insert(file.end(), bytes_.begin(), bytes_.end());
    const byte_view tail = rule_.tail();
    file.insert(file.end(), tail.begin(), tail.end());
    return file;
  }
  [[nodiscard]] std::unique_ptr<filter> emptied() const override {
    return std::make_unique<bit_filter>(rule_);
  }

 private:
  [[nodiscard]] bool test(std::uint64_t i) const {
    return (bytes_[i / 8] >> i % 8 & std::byte{1}) != std::byte{0};
  }

  Rule rule_;
  std::vector<std::byte> bytes_;
};

// `Twin` is the rule of a format in which the same filter may stand; `Rule` has `of` that one's, then.
template <class Rule, class Twin = void>
inline constexpr format format_of{
    .info = &Rule::info,
    .recognises = Rule::recognises,
    .read = [](byte_view file, const wire::load_options& options) -> std::unique_ptr<filter> {
      require_room(file.size(), options);  // with what stands around the bits, which is kept
      found_bits<Rule> found = Rule::read(file);
      auto made = std::make_unique<bit_filter<Rule>>(std::move(found.rule), found.bits);
      if constexpr (requires { Rule::max_fill; }) {
        wire::require_at_most("fill", made->fill(), Rule::max_fill);
      }
      return made;
    },
    .make = [](std::uint64_t keys, std::optional<double> rate) -> std::unique_ptr<filter> {
      Rule planned = Rule::plan(keys, rate);
      require_room(planned.bytes(), {});
      return std::make_unique<bit_filter<Rule>>(std::move(planned));
    },
    .rewrap = []([[maybe_unused]] const filter& of) -> std::unique_ptr<filter> {
      if constexpr (!std::is_void_v<Twin>) {
        if (const auto* const same = dynamic_cast<const bit_filter<Twin>*>(&of)) {
          return std::make_unique<bit_filter<Rule>>(Rule::of(same->rule()), same->stored());
        }
      }
      return nullptr;
    },
    .example_key = [](std::uint64_t i) -> std::string {
      if constexpr (requires { Rule::example_key(i); }) {
        return Rule::example_key(i);
      } else {
        return "http://example.org/" + std::to_string(i);
      }
    }};

}  // namespace bloomery::foreign
