// Filters in the files of other programs: what such a format is, and all there are.
//
// Purpose:   a format is a rule in a file of its own (squid_digest.hpp is one) and a line in formats.cpp.
//            `bloomery query`, `info` and `build --format` take it then, and the fuzzer tries it.
// Cost:      an indirect call a batch of keys; the hash of the format for each key, since no other will do.
// Guarantee: what `read` accepts is a filter that answers; all else is errc::corrupt, errc::unsupported or
//            errc::limit. What was read is saved as the same bytes. No memory is taken for what a header only
//            claims.
//
//     const auto& squid = bloomery::foreign::find_format("squid-digest");
//     const auto made = squid.make(100, std::nullopt);
//     made->insert(std::array<std::string_view, 1>{"http://example.org/"});
//     const std::vector<std::byte> file = made->save();
//     assert(bloomery::foreign::recognised(file, file.size()) == &squid);
//     assert(bloomery::foreign::read(file)->may_contain("http://example.org/"));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::foreign {

struct format_info {
  std::string_view name;    // "squid-digest"; people type it
  std::string_view title;   // "Squid cache digest"
  std::string_view writer;  // the program that reads and writes it
  std::string_view keys;    // what its keys are
};

// Something that a header says.
struct fact {
  std::string_view name;
  std::variant<std::uint64_t, double> value;
};

// A filter of whatever format. Keys are hashed as the format's program hashes them.
class filter {
 public:
  filter() = default;
  filter(const filter&) = delete;
  filter& operator=(const filter&) = delete;
  virtual ~filter() = default;

  [[nodiscard]] virtual const format_info& info() const = 0;
  virtual void insert(std::span<const std::string_view> keys) = 0;
  virtual void may_contain(std::span<const std::string_view> keys,
                           std::span<bool> answers) const = 0;
  [[nodiscard]] bool may_contain(std::string_view key) const {
    bool answer = false;
    may_contain({&key, 1}, {&answer, 1});
    return answer;
  }

  [[nodiscard]] virtual std::uint64_t bits() const = 0;
  [[nodiscard]] virtual std::uint64_t hashes() const = 0;
  [[nodiscard]] virtual std::uint64_t ones() const = 0;
  [[nodiscard]] virtual double fill() const {
    return bits() == 0 ? 0 : static_cast<double>(ones()) / static_cast<double>(bits());
  }
  [[nodiscard]] virtual double current_rate() const = 0;
  // Where the file tells one.
  [[nodiscard]] virtual std::optional<double> promised_rate() const { return std::nullopt; }
  [[nodiscard]] virtual std::vector<fact> facts() const = 0;
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
  // Of the same size and hashes, with no bit set; none if which bits keys set depends on their order.
  [[nodiscard]] virtual std::unique_ptr<filter> emptied() const = 0;
};

// The header of a file as its format's rule, and where the bits are that follow it.
template <class Rule>
struct found_bits {
  Rule rule;
  byte_view bits;
};

struct format {
  const format_info* info;
  // Whether a file of this length that starts so is of this format, sound or not.
  bool (*recognises)(byte_view start, std::uint64_t length);
  std::unique_ptr<filter> (*read)(byte_view file, const wire::load_options& options);
  // Empty, for so many keys, at no more than this rate; without one, as its program makes them.
  std::unique_ptr<filter> (*make)(std::uint64_t keys, std::optional<double> rate);
  // The very same bits and hashes in this format; none if it has no place for them.
  std::unique_ptr<filter> (*rewrap)(const filter& of);
  // The i-th of endlessly many keys of the kind that it takes, for who tries it.
  std::string (*example_key)(std::uint64_t i);
  // Of formats that are values of a Redis server, the type of the value there; else empty.
  std::string_view redis_type = {};
};

// So much of a file is enough to recognise it, unless an Automerge message names thousands of changes first.
inline constexpr std::size_t recognised_bytes = 64 << 10;

std::span<const format> formats();
// errc::invalid, with what may have been meant, if there is none.
const format& find_format(std::string_view name);
// None if it is of no format that is known here.
const format* recognised(byte_view start, std::uint64_t length);
// Of whatever format the bytes are; errc::corrupt if of none.
std::unique_ptr<filter> read(byte_view file, const wire::load_options& options = {});

}  // namespace bloomery::foreign
