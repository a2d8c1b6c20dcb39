// Any bytes may be taken for a secret or come from the other party: they are refused with
// bloomery::error, or are what they say they are, can be used, and are written as the same bytes
// again. A reply to a blinded request that is not refused gives the right token.
//
// The first byte chooses the reader; its highest bit puts the rest into an envelope for that reader,
// whose checksum chance would never find. The rest is the message, or the body of one.
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bloomery/filters/secure/encrypted.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/filters/secure/secure_index.hpp"
#include "fuzzing.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;
using secure::content;
using secure::modulus_bytes;
using enum oblivious_protocol;

constexpr std::string_view word = "zebra";

template <class Bytes>
void require_same(byte_view given, const Bytes& written) {
  law(std::ranges::equal(given, written), "what was read is written as it was");
}

// Odd numbers are prime to p - 1, but for one that hashing does not hit.
secure::secret_bytes exponent_of(std::string_view holder) {
  secure::secret_bytes exponent = secure::exponents().hash("fuzzer", holder).bytes(modulus_bytes);
  exponent.back() |= std::byte{1};
  return exponent;
}

cipher_key key_of(std::string_view holder) {
  return cipher_key::load(secure::enclosed(content::cipher_secret, exponent_of(holder)));
}

oblivious_secret secret_of(oblivious_protocol protocol) {
  if (protocol == rsa) {
    std::ifstream file(BLOOMERY_GOLDEN_DIR "/oblivious.secret", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return oblivious_secret::load(bytes_of(text));
  }
  secure::secret_bytes body = exponent_of("server");
  body.insert(body.begin(), static_cast<std::byte>(oprf));
  return oblivious_secret::load(secure::enclosed(content::oblivious_secret, body));
}

// Made once: keys and powers are what takes time.
struct parties {
  set_owner owner{key_of("owner")};
  set_asker asker{key_of("asker")};
  cipher_key pad = key_of("pad");
  secure::secret_bytes owner_share = owner.share(pad);
  secure::secret_bytes asker_share = asker.share(pad);
  query_converter third{asker_share, owner_share};
  encrypted_filter encrypted{{100, 5}};
  index_server indexes;
  std::array<oblivious_server, 2> servers{oblivious_server(secret_of(rsa)),
                                          oblivious_server(secret_of(oprf))};
  std::array<open_question, 2> questions{question_to(servers[0]), question_to(servers[1])};
  std::array<digest, 2> tokens{token_of(servers[0]), token_of(servers[1])};

  parties() {
    encrypted.insert_text(owner.key(), word);
    const auto master = exponent_of("index");
    const index_owner index(index_secret::load(
        secure::enclosed(content::index_secret, byte_view(master).first(sizeof(secure::block)))));
    indexes.add(index.index(7, std::array{word}, 10, 0.01));
  }

  // Blinded by a number that is the same in each run.
  static open_question question_to(const oblivious_server& server) {
    const oblivious_public& known = server.secret().known();
    secure::secret_bytes body{static_cast<std::byte>(known.protocol())};
    const secure::secret_bytes value = known.value().bytes(modulus_bytes);
    secure::secret_bytes blind = exponent_of("blind");
    blind.front() = std::byte{};  // below every modulus
    for (const byte_view part : {byte_view(value), byte_view(blind), bytes_of(word)}) {
      body.insert(body.end(), part.begin(), part.end());
    }
    return open_question::load(secure::enclosed(content::oblivious_question, body));
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
  content what;
  void (*read)(byte_view bytes);
};

constexpr std::array readers{
    reader{content::index_secret,
           [](byte_view bytes) { require_same(bytes, index_secret::load(bytes).save()); }},
    reader{content::trapdoor,
           [](byte_view bytes) {
             require_same(bytes, trapdoor(bytes).send());
             (void)all().indexes.search(bytes);
           }},
    reader{content::cipher_secret,
           [](byte_view bytes) { require_same(bytes, cipher_key::load(bytes).save()); }},
    reader{content::cipher_query,
           [](byte_view bytes) { (void)converted_query(all().third.convert(bytes)); }},
    reader{content::converted_query,
           [](byte_view bytes) { (void)all().encrypted.may_match(converted_query(bytes)); }},
    reader{content::asker_share,
           [](byte_view bytes) { (void)query_converter(bytes, all().owner_share); }},
    reader{content::owner_share,
           [](byte_view bytes) { (void)query_converter(all().asker_share, bytes); }},
    reader{content::conversion,
           [](byte_view bytes) { require_same(bytes, query_converter::load(bytes).save()); }},
    reader{content::oblivious_secret,
           [](byte_view bytes) { require_same(bytes, oblivious_secret::load(bytes).save()); }},
    reader{content::oblivious_public,
           [](byte_view bytes) { require_same(bytes, oblivious_public::receive(bytes).send()); }},
    reader{content::oblivious_question,
           [](byte_view bytes) { require_same(bytes, open_question::load(bytes).save()); }},
    reader{content::oblivious_request, read_request<rsa>},
    reader{content::oblivious_request, read_request<oprf>},
    reader{content::oblivious_reply, read_reply<rsa>},
    reader{content::oblivious_reply, read_reply<oprf>},
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const reader& chosen = readers[(data[0] & 0x7fU) % readers.size()];
  const auto rest = std::as_bytes(std::span(data, size).subspan(1));
  secure::message given(rest.begin(), rest.end());
  if ((data[0] & 0x80U) != 0) given = secure::enclosed(chosen.what, rest);
  try {
    chosen.read(given);
  } catch (const error& problem) {
    const bool same_key = problem.code() == errc::invalid && (chosen.what == content::asker_share ||
                                                              chosen.what == content::owner_share);
    const bool of_another_key = problem.code() == errc::incompatible;
    law(problem.code() == errc::corrupt || same_key || of_another_key, "messages are to blame");
  }
  return 0;
}
