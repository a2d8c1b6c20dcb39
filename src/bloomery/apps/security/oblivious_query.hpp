// Asking about an oblivious filter: the server that signs without seeing, and its clients.
//
// Purpose:   a client blinds a word, the server signs what it cannot read, the client checks the
//            signature, takes the blind off, and knows where to look in the filter.
// Cost:      that of filters/secure/oblivious.hpp; requests of some 300 bytes, replies of up to 600.
// Guarantee: a reply that is not the server's true answer to this very request throws errc::corrupt and
//            answers nothing; requests are uniform whatever the word. What leaks: docs/threat-model.md.
// Citation:  Nojima, Kadobayashi 2009; Tarkoma §III-W.
//
//     using namespace bloomery;
//     const oblivious_server server(oblivious_secret::generate(oblivious_protocol::oprf));
//     auto set = oblivious_filter(oblivious_shape{1000, 10, 1});
//     set.insert_text(server.secret(), "zebra");
//     const oblivious_client client(server.public_key());
//     const open_question question = client.ask("zebra");
//     assert(set.may_match(question.finish(server.answer(question.request()))));
#pragma once

#include <limits>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery {
namespace security {

template <class Message>
constexpr auto ring_field(std::string_view name, std::string_view help,
                          byte_view Message::*member) {
  return wire::bytes_field(name, help, member, secure::modulus_bytes, secure::modulus_bytes);
}

struct public_key {
  static constexpr std::string_view name = "oblivious/public-key";
  std::uint64_t protocol = 0;
  byte_view value;
  static constexpr std::tuple fields{
      choice_field("protocol", "how keys are signed", &public_key::protocol,
                   oblivious_protocol_names),
      ring_field("value", "the RSA modulus, or g^k", &public_key::value)};
};
struct blinded_request {
  static constexpr std::string_view name = "oblivious/request";
  byte_view number;
  std::uint64_t key = 0;
  static constexpr std::tuple fields{
      ring_field("number", "H(word), blinded", &blinded_request::number),
      whole_field("key", "fingerprint of the server's public key", &blinded_request::key, 0,
                  std::numeric_limits<std::uint64_t>::max())};
};
struct signed_reply {
  static constexpr std::string_view name = "oblivious/reply";
  byte_view number;
  byte_view proof;
  static constexpr std::tuple fields{
      ring_field("number", "the request to the secret power", &signed_reply::number),
      wire::bytes_field("proof", "of equal logarithms; none with RSA", &signed_reply::proof, 0,
                        oblivious_secret::proof_bytes)};
};
// What a client keeps until the reply comes.
struct kept_question {
  static constexpr std::string_view name = "oblivious/question";
  static constexpr std::uint64_t longest_word = std::uint64_t{1} << 19;
  std::uint64_t protocol = 0;
  byte_view value;
  byte_view blind;
  byte_view word;
  static constexpr std::tuple fields{
      choice_field("protocol", "how keys are signed", &kept_question::protocol,
                   oblivious_protocol_names),
      ring_field("value", "the RSA modulus, or g^k", &kept_question::value),
      ring_field("blind", "the number that blinds the word", &kept_question::blind),
      wire::bytes_field("word", "what is asked for", &kept_question::word, 0, longest_word)};
};

}  // namespace security

std::vector<std::byte> send(const oblivious_public& known);
oblivious_public receive_public_key(byte_view received);

class oblivious_server {
 public:
  explicit oblivious_server(oblivious_secret secret) : secret_(std::move(secret)) {}
  [[nodiscard]] const oblivious_secret& secret() const { return secret_; }
  [[nodiscard]] std::vector<std::byte> public_key() const { return send(secret_.known()); }
  // errc::incompatible if the request was made for another key.
  [[nodiscard]] std::vector<std::byte> answer(byte_view request) const;

 private:
  oblivious_secret secret_;
};

// A word that was asked for and the number that blinds it. Saved, it is as secret as the word.
class open_question {
 public:
  open_question(oblivious_public known, std::string_view word);
  static open_question load(byte_view stored);
  [[nodiscard]] secure::secret_bytes save() const;
  [[nodiscard]] std::vector<std::byte> request() const;  // to the server
  // errc::corrupt unless the reply is the server's true answer to this request.
  [[nodiscard]] oblivious_token finish(byte_view reply) const;

 private:
  open_question(oblivious_public known, byte_view word, secure::number blind);
  [[nodiscard]] secure::number blinded() const;

  oblivious_public known_;
  secure::secret_bytes word_;
  secure::number blind_;
};

class oblivious_client {
 public:
  explicit oblivious_client(byte_view public_key) : known_(receive_public_key(public_key)) {}
  [[nodiscard]] open_question ask(std::string_view word) const { return {known_.copy(), word}; }

 private:
  oblivious_public known_;
};

}  // namespace bloomery
