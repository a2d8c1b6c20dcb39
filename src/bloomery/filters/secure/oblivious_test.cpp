#include "bloomery/filters/secure/oblivious.hpp"

#include <filesystem>
#include <vector>

#include "guarded.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::content;
using secure::modulus_bytes;
using secure::number;
using enum oblivious_protocol;

// Fixed, so that every run has the same bits.
oblivious_secret rsa_secret(const std::string& file) {
  return oblivious_secret::load(read_bytes(std::filesystem::path(BLOOMERY_GOLDEN_DIR) / file));
}
secure::secret_bytes exponent_of(const std::string& holder) {
  secure::secret_bytes exponent = secure::exponents().hash("test key", holder).bytes(modulus_bytes);
  exponent.back() |= std::byte{1};
  return exponent;
}
oblivious_secret oprf_secret(const std::string& holder) {
  secure::secret_bytes body = exponent_of(holder);
  body.insert(body.begin(), static_cast<std::byte>(oprf));
  return oblivious_secret::load(secure::enclosed(content::oblivious_secret, body));
}
const oblivious_server& server_of(oblivious_protocol protocol) {
  static const oblivious_server with_rsa(rsa_secret("oblivious.secret"));
  static const oblivious_server with_oprf(oprf_secret("server"));
  return protocol == rsa ? with_rsa : with_oprf;
}
// Its RSA modulus is the greater one, so that no request is beyond it.
const oblivious_server& impostor_of(oblivious_protocol protocol) {
  static const oblivious_server with_rsa(rsa_secret("oblivious_impostor.secret"));
  static const oblivious_server with_oprf(oprf_secret("impostor"));
  return protocol == rsa ? with_rsa : with_oprf;
}

oblivious_shape shape_with(oblivious_protocol protocol, std::uint64_t bits, std::uint64_t hashes) {
  return {bits, hashes, static_cast<std::uint64_t>(protocol)};
}

class oblivious : public ::testing::TestWithParam<oblivious_protocol> {
 protected:
  const oblivious_server& server = server_of(GetParam());
  const oblivious_client client{server.public_key()};
};

TEST_P(oblivious, keeps_every_word_and_its_key) {
  expect_guarded<oblivious_filter>(shape_with(GetParam(), 2000, 7), server.secret(),
                                   impostor_of(GetParam()).secret(), content::oblivious_secret);
}

// Nojima, Kadobayashi 2009: a client's bits are those that the server built with, word for word;
// σ^e = H(x).
TEST_P(oblivious, clients_find_what_the_server_built) {
  const auto members = numbered_words("member ", 8);
  const auto filter =
      guarded_filter_of<oblivious_filter>(shape_with(GetParam(), 60, 3), server.secret(), members);
  const oblivious_public& known = server.secret().known();
  for (const auto& words : {members, numbered_words("stranger ", 8)}) {
    for (const std::string& word : words) {
      const open_question question = open_question::load(client.ask(word).save());
      const oblivious_token token = question.finish(server.answer(question.request()));
      const number x = known.hash(word);
      const number signature = server.secret().sign(x);
      if (GetParam() == rsa) {
        EXPECT_TRUE(known.ring().power(signature, number(secure::rsa_key::exponent)) == x);
      }
      EXPECT_EQ(token.value(), oblivious_public::token(word, signature));
      EXPECT_EQ(filter.may_match(token), filter.may_contain_text(server.secret(), word));
    }
  }
  const auto& other = server_of(GetParam() == rsa ? oprf : rsa);
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.may_contain_text(other.secret(), members[0]); }));
  oblivious_filter fresh(filter.shape());
  EXPECT_TRUE(throws_error(errc::incompatible, "protocol",
                           [&] { fresh.insert_text(other.secret(), members[0]); }));
}

// Replies of another key, to another request, or tampered with, give no token.
TEST_P(oblivious, unverified_replies_are_refused) {
  const open_question question = client.ask("zebra");
  const auto reply = server.answer(question.request());
  EXPECT_NO_THROW((void)question.finish(reply));
  const auto refused = [&](const secure::message& bytes) {
    return throws_error(errc::corrupt, "", [&] { (void)question.finish(bytes); });
  };
  EXPECT_TRUE(refused(server.answer(client.ask("zebra").request()))) << "blinded otherwise";
  EXPECT_TRUE(refused(server.answer(client.ask("other").request())));
  EXPECT_TRUE(refused(impostor_of(GetParam()).answer(question.request())));
  // Every part of the body counts.
  secure::message body(reply.begin() + secure::message_head,
                       reply.end() - secure::message_checksum);
  for (std::size_t at = 0; at < body.size(); at += 61) {
    auto damaged = body;
    damaged[at] ^= std::byte{4};
    EXPECT_TRUE(refused(secure::enclosed(content::oblivious_reply, damaged))) << at;
  }
  body.assign(body.size(), std::byte{});
  EXPECT_TRUE(refused(secure::enclosed(content::oblivious_reply, body)));
}

TEST_P(oblivious, refuses_hostile_messages) {
  const open_question question = client.ask("zebra");
  const auto request = question.request();
  expect_hostile_refused(content::oblivious_public, server.public_key(),
                         [](byte_view bytes) { (void)oblivious_client(bytes); });
  expect_hostile_refused(content::oblivious_question, question.save(),
                         [](byte_view bytes) { (void)open_question::load(bytes); });
  expect_hostile_refused(content::oblivious_reply, server.answer(request),
                         [&](byte_view bytes) { (void)question.finish(bytes); });
  const auto refused = [&](const number& x) {
    const auto bytes = secure::enclosed(content::oblivious_request, x.bytes(modulus_bytes));
    return throws_error(errc::corrupt, "request", [&] { (void)server.answer(bytes); });
  };
  EXPECT_TRUE(refused(number(0)));
  EXPECT_TRUE(refused(server.secret().known().ring().value()));
  if (GetParam() == oprf) {
    EXPECT_TRUE(refused(number(1)));
    EXPECT_TRUE(refused(secure::exponents().value())) << "-1 is no square";
  }
}

TEST_P(oblivious, generated_secrets_work_and_differ) {
  const oblivious_server made(oblivious_secret::generate(GetParam()));
  EXPECT_NE(made.secret().identity(), server.secret().identity());
  const open_question question = oblivious_client(made.public_key()).ask("zebra");
  EXPECT_NO_THROW((void)question.finish(made.answer(question.request())));
}

// Requests for one word are uniform if what blinds them is, so that they say nothing of it; and
// nothing is blinded twice alike. 100 requests with fixed blinds, the last 96 bytes of each (the
// first depend on the modulus).
TEST_P(oblivious, blinded_requests_are_uniform) {
  const auto known = server.secret().known().value().bytes(modulus_bytes);
  std::vector<std::uint64_t> counts(256);
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    const auto blind =
        GetParam() == oprf
            ? exponent_of(number)
            : server.secret().known().ring().hash("test blind", number).bytes(modulus_bytes);
    secure::secret_bytes stored{static_cast<std::byte>(GetParam())};
    for (const byte_view part : {byte_view(known), byte_view(blind), bytes_of("zebra")}) {
      stored.insert(stored.end(), part.begin(), part.end());
    }
    const auto question =
        open_question::load(secure::enclosed(content::oblivious_question, stored));
    const auto request = question.request();
    const auto body = byte_view(request).subspan(secure::message_head, modulus_bytes);
    for (const std::byte byte : body.last(96)) ++counts[std::to_integer<std::size_t>(byte)];
  }
  EXPECT_TRUE(plausibly_uniform(counts));
  EXPECT_NE(client.ask("zebra").request(), client.ask("zebra").request());
}

// Who knows all that is public, the key, H and H', finds members in a plain filter by trying, and
// here no more of them than of strangers: σ is missing. Two servers' filters of one set are unrelated.
TEST_P(oblivious, withstands_the_dictionary_attack) {
  const auto members = numbered_words("member ", 100);
  EXPECT_EQ(found_in_plain(plain_filter_of({700, 4}, members), members), 100U);
  const auto filter =
      guarded_filter_of<oblivious_filter>(shape_with(GetParam(), 700, 4), server.secret(), members);
  const auto known = oblivious_public::receive(server.public_key());
  const auto guess = [&](auto signature_of) {
    return found_by_trying(filter.bits(), members, [&](const std::string& word) {
      const oblivious_token token(oblivious_public::token(word, signature_of(word)), known);
      return oblivious_rule::positions_of(filter.shape(), token);
    });
  };
  const std::uint64_t raw = guess([&](const std::string& word) { return known.hash(word); });
  EXPECT_TRUE(plausible_count(raw, 100, filter.current_rate()));
  const std::uint64_t all =
      guess([&](const std::string& word) { return server.secret().sign(known.hash(word)); });
  EXPECT_EQ(all, 100U) << "the same attack with σ";

  const auto second = guarded_filter_of<oblivious_filter>(
      shape_with(GetParam(), 700, 4), impostor_of(GetParam()).secret(), members);
  EXPECT_TRUE(seem_unrelated(filter.bits(), second.bits()));
}

INSTANTIATE_TEST_SUITE_P(protocols, oblivious, ::testing::Values(rsa, oprf),
                         [](const auto& chosen) {
                           return std::string(
                               oblivious_protocol_names[static_cast<std::size_t>(chosen.param)]);
                         });

}  // namespace
}  // namespace bloomery::testing
