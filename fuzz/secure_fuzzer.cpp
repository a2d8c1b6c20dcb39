// Any bytes may be taken for a secret or come from the other party: they are refused with
// bloomery::error, or are what they say they are, can be used, and are written as the same bytes
// again. A reply to a blinded request that is not refused gives the right token.
//
// The first byte chooses the reader. The rest is what it reads; with the first byte's highest bit, of
// a message whose length and checksum are made right first, and of a secret its body.
#include <array>
#include <optional>
#include <vector>

#include "bloomery/apps/security/index_search.hpp"
#include "bloomery/apps/security/oblivious_query.hpp"
#include "bloomery/apps/security/query_conversion.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"
#include "secrets.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;
using secure::secret_sort;
using testing::fixed_cipher_key;
using testing::fixed_oblivious_secret;
using enum oblivious_protocol;

constexpr std::string_view word = "zebra";

template <class Bytes>
void require_same(byte_view given, const Bytes& written) {
  law(std::ranges::equal(given, written), "what was read is written as it was");
}

// Made once: keys and powers are what takes time.
struct parties {
  set_owner owner{fixed_cipher_key("owner")};
  set_asker asker{fixed_cipher_key("asker")};
  cipher_key pad = fixed_cipher_key("pad");
  secure::secret_bytes owner_share = owner.share(pad);
  secure::secret_bytes asker_share = asker.share(pad);
  query_converter third{asker_share, owner_share};
  encrypted_filter encrypted{{100, 5}};
  index_server indexes;
  std::array<oblivious_server, 2> servers{oblivious_server(fixed_oblivious_secret(rsa)),
                                          oblivious_server(fixed_oblivious_secret(oprf))};
  std::array<open_question, 2> questions{question_to(servers[0]), question_to(servers[1])};
  std::array<digest, 2> tokens{token_of(servers[0]), token_of(servers[1])};

  parties() {
    encrypted.insert_text(owner.key(), word);
    const index_owner index(testing::fixed_index_secret(1));
    indexes.add(index.index(7, std::array{word}, 10, 0.01));
  }

  // Blinded by a number that is the same in each run.
  static open_question question_to(const oblivious_server& server) {
    const oblivious_public& known = server.secret().known();
    const auto value = known.value().bytes();
    auto blind = testing::fixed_exponent("blind");
    blind.front() = std::byte{};  // below every modulus
    return open_question::load(wire::write(security::kept_question{
        static_cast<std::uint64_t>(known.protocol()), value, blind, bytes_of(word)}));
  }

  static digest token_of(const oblivious_server& server) {
    const oblivious_secret& secret = server.secret();
    return oblivious_public::token(word, secret.sign(secret.known().hash(word)));
  }
};

const parties& all() {
  static const parties made;
  return made;
}

// Two parties may have one key, which is nobody's fault but theirs.
template <class Pair>
void require_other_key(Pair pair) {
  try {
    pair();
  } catch (const error& problem) {
    if (problem.code() != errc::invalid) throw;
  }
}

template <oblivious_protocol Protocol>
void read_reply(byte_view bytes) {
  constexpr auto which = static_cast<std::size_t>(Protocol);
  law(all().questions[which].finish(bytes).value() == all().tokens[which],
      "a reply that is not refused is right");
}

template <oblivious_protocol Protocol>
void read_request(byte_view bytes) {
  law(!all().servers[static_cast<std::size_t>(Protocol)].answer(bytes).empty(),
      "a request that is not refused is answered");
}

struct reader {
  std::optional<secret_sort> secret;  // none reads a message
  void (*read)(byte_view bytes);
};

constexpr std::array readers{
    reader{secret_sort::index_secret,
           [](byte_view bytes) { require_same(bytes, index_secret::load(bytes).save()); }},
    reader{{},
           [](byte_view bytes) {
             require_same(bytes, send(receive_trapdoor(bytes)));
             (void)all().indexes.search(bytes);
           }},
    reader{secret_sort::cipher_key,
           [](byte_view bytes) { require_same(bytes, cipher_key::load(bytes).save()); }},
    reader{{}, [](byte_view bytes) { (void)receive_converted(all().third.convert(bytes)); }},
    reader{{}, [](byte_view bytes) { (void)all().encrypted.may_match(receive_converted(bytes)); }},
    reader{{},
           [](byte_view bytes) {
             require_other_key([&] { (void)query_converter(bytes, all().owner_share); });
           }},
    reader{{},
           [](byte_view bytes) {
             require_other_key([&] { (void)query_converter(all().asker_share, bytes); });
           }},
    reader{{}, [](byte_view bytes) { require_same(bytes, query_converter::load(bytes).save()); }},
    reader{secret_sort::oblivious_secret,
           [](byte_view bytes) { require_same(bytes, oblivious_secret::load(bytes).save()); }},
    reader{{}, [](byte_view bytes) { require_same(bytes, send(receive_public_key(bytes))); }},
    reader{{}, [](byte_view bytes) { require_same(bytes, open_question::load(bytes).save()); }},
    reader{{}, read_request<rsa>},
    reader{{}, read_request<oprf>},
    reader{{}, read_reply<rsa>},
    reader{{}, read_reply<oprf>},
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const reader& chosen = readers[(data[0] & 0x7fU) % readers.size()];
  const auto rest = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> given(rest.begin(), rest.end());
  if ((data[0] & 0x80U) != 0 && chosen.secret) {
    const auto stored = secure::enclosed(*chosen.secret, rest);
    given.assign(stored.begin(), stored.end());
  } else if ((data[0] & 0x80U) != 0) {
    given = testing::resealed_message(std::move(given));
  }
  try {
    chosen.read(given);
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "messages are to blame");
  }
  return 0;
}
