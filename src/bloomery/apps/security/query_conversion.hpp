// Asking about an encrypted filter: its owner, one who asks, and the third party between them.
//
// Purpose:   the third party turns queries under the asker's key into queries under the owner's, with
//            what both gave it once: their shares. It can hold the asker to a list of words without
//            knowing them.
// Cost:      that of filters/secure/encrypted.hpp: a power modulo 2048 bits, some 3 ms, at each party;
//            messages of some 310 bytes.
// Guarantee: messages name the keys they were made with: shares of different pads, a query of another
//            asker, and a converted query for another owner's filter throw errc::incompatible. Received
//            numbers that are no residues, or exponents that send words to a few, are refused.
//            What leaks: docs/threat-model.md.
// Citation:  Bellovin, Cheswick 2004 (ePrint 2004/022); Tarkoma §III-W.
//
//     using namespace bloomery;
//     const set_owner owner(cipher_key::generate());
//     const set_asker asker(cipher_key::generate());
//     const auto pad = cipher_key::generate();  // known to these two alone
//     const query_converter third(asker.share(pad), owner.share(pad));
//     auto set = encrypted_filter::for_keys(10, 0.001);
//     set.insert_text(owner.key(), "zebra");
//     assert(set.may_match(receive_converted(third.convert(asker.ask("zebra")))));
//     assert(!third.convert(asker.ask("zebra"), set).empty());  // only what `set` has may be asked for
#pragma once

#include <limits>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bloomery/filters/secure/encrypted.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery {
namespace security {

template <class Message>
constexpr auto number_field(std::string_view help) {
  return wire::bytes_field("number", help, &Message::number, secure::modulus_bytes,
                           secure::modulus_bytes);
}
template <class Message>
constexpr field<Message> key_field(std::string_view name, std::uint64_t Message::*member) {
  return whole_field(name, "fingerprint of a key", member, 0,
                     std::numeric_limits<std::uint64_t>::max());
}

struct cipher_query {
  static constexpr std::string_view name = "encrypted/query";
  byte_view number;
  std::uint64_t asker = 0;
  static constexpr std::tuple fields{number_field<cipher_query>("E_A(H(word))"),
                                     key_field("asker", &cipher_query::asker)};
};
struct converted_message {
  static constexpr std::string_view name = "encrypted/converted-query";
  byte_view number;
  std::uint64_t owner = 0;
  static constexpr std::tuple fields{number_field<converted_message>("E_B(H(word))"),
                                     key_field("owner", &converted_message::owner)};
};
struct asker_share {
  static constexpr std::string_view name = "encrypted/asker-share";
  byte_view number;
  std::uint64_t asker = 0;
  std::uint64_t pad = 0;
  static constexpr std::tuple fields{number_field<asker_share>("pad / k_A modulo p - 1"),
                                     key_field("asker", &asker_share::asker),
                                     key_field("pad", &asker_share::pad)};
};
struct owner_share {
  static constexpr std::string_view name = "encrypted/owner-share";
  byte_view number;
  std::uint64_t owner = 0;
  std::uint64_t pad = 0;
  static constexpr std::tuple fields{number_field<owner_share>("k_B / pad modulo p - 1"),
                                     key_field("owner", &owner_share::owner),
                                     key_field("pad", &owner_share::pad)};
};
struct conversion {
  static constexpr std::string_view name = "encrypted/conversion";
  byte_view number;
  std::uint64_t asker = 0;
  std::uint64_t owner = 0;
  static constexpr std::tuple fields{number_field<conversion>("k_B / k_A modulo p - 1"),
                                     key_field("asker", &conversion::asker),
                                     key_field("owner", &conversion::owner)};
};

}  // namespace security

// Has the set, and the key it is kept under.
class set_owner {
 public:
  explicit set_owner(cipher_key key) : key_(std::move(key)) {}
  [[nodiscard]] const cipher_key& key() const { return key_; }
  [[nodiscard]] secure::secret_bytes share(const cipher_key& pad) const;  // k / pad, to the third

 private:
  cipher_key key_;
};

// Has a word to ask for, and a key of its own.
class set_asker {
 public:
  explicit set_asker(cipher_key key) : key_(std::move(key)) {}
  [[nodiscard]] secure::secret_bytes share(const cipher_key& pad) const;  // pad / k, to the third
  [[nodiscard]] std::vector<std::byte> ask(std::string_view word) const;  // to the third party

 private:
  cipher_key key_;
};

// The third party: turns queries under the asker's key into queries under the owner's.
class query_converter {
 public:
  query_converter(byte_view asker_share, byte_view owner_share);
  static query_converter load(byte_view stored);
  [[nodiscard]] secure::secret_bytes save() const;
  [[nodiscard]] std::vector<std::byte> convert(byte_view query) const;
  // The same, if the word is one of those that the owner permits: an encrypted filter of them, under the
  // owner's key. Any other word throws errc::unsupported, but for the filter's false positives.
  [[nodiscard]] std::vector<std::byte> convert(byte_view query,
                                               const encrypted_filter& permitted) const;

 private:
  query_converter(secure::number ratio, std::uint64_t asker, std::uint64_t owner)
      : ratio_(std::move(ratio)), asker_(asker), owner_(owner) {}

  secure::number ratio_;  // k_owner / k_asker modulo p - 1
  std::uint64_t asker_;   // fingerprints of their keys
  std::uint64_t owner_;
};

// For the one who has the filter.
converted_query receive_converted(byte_view received);

}  // namespace bloomery
