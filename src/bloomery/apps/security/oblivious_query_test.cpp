#include "bloomery/apps/security/oblivious_query.hpp"

#include <gtest/gtest.h>

#include <string>

#include "guarded.hpp"
#include "hostile.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::number;
using enum oblivious_protocol;

class oblivious_query : public ::testing::TestWithParam<oblivious_protocol> {
 protected:
  const oblivious_server server{fixed_oblivious_secret(GetParam())};
  const oblivious_server impostor{impostor_secret(GetParam())};
  const oblivious_client client{server.public_key()};
};

// A client's bits are those that the server built with, word for word.
TEST_P(oblivious_query, clients_find_what_the_server_built) {
  const auto members = numbered_words("member ", 8);
  const auto filter =
      guarded_filter_of<oblivious_filter>(shape_with(GetParam(), 60, 3), server.secret(), members);
  const oblivious_public& known = server.secret().known();
  for (const auto& words : {members, numbered_words("stranger ", 8)}) {
    for (const std::string& word : words) {
      const open_question question = open_question::load(client.ask(word).save());
      const oblivious_token token = question.finish(server.answer(question.request()));
      const number signature = server.secret().sign(known.hash(word));
      EXPECT_EQ(token.value(), oblivious_public::token(word, signature));
      EXPECT_EQ(filter.may_match(token), filter.may_contain_text(server.secret(), word));
    }
  }
}

// Whoever asks with the public key of another server is told, and does not get a number of no use.
TEST_P(oblivious_query, requests_for_another_key_are_refused) {
  EXPECT_TRUE(throws_error(errc::incompatible, "key fingerprint differs",
                           [&] { (void)impostor.answer(client.ask("zebra").request()); }));
}

// Replies of another key, to another request, or tampered with, give no token.
TEST_P(oblivious_query, unverified_replies_are_refused) {
  const open_question question = client.ask("zebra");
  const auto reply = server.answer(question.request());
  EXPECT_NO_THROW((void)question.finish(reply));
  const auto refused = [&](const std::vector<std::byte>& bytes) {
    return throws_error(errc::corrupt, "", [&] { (void)question.finish(bytes); });
  };
  EXPECT_TRUE(refused(server.answer(client.ask("zebra").request()))) << "blinded otherwise";
  EXPECT_TRUE(refused(server.answer(client.ask("other").request())));
  const auto asked = question.request();
  const auto number = wire::read<security::blinded_request>(asked).number;
  EXPECT_TRUE(refused(impostor.answer(
      wire::write(security::blinded_request{number, impostor.secret().identity().tag}))));
  // Every part of it counts.
  const auto sent = wire::read<security::signed_reply>(reply);
  const auto altered = [](byte_view bytes, std::size_t at) {
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    copy[at] ^= std::byte{4};
    return copy;
  };
  for (std::size_t at = 0; at < sent.number.size(); at += 51) {
    EXPECT_TRUE(refused(wire::write(security::signed_reply{altered(sent.number, at), sent.proof})));
  }
  for (std::size_t at = 0; at < sent.proof.size(); at += 41) {
    EXPECT_TRUE(refused(wire::write(security::signed_reply{sent.number, altered(sent.proof, at)})));
  }
  const std::vector<std::byte> zeros(oblivious_secret::proof_bytes);
  EXPECT_TRUE(refused(
      wire::write(security::signed_reply{byte_view(zeros).first(sent.number.size()), sent.proof})));
  EXPECT_TRUE(refused(wire::write(security::signed_reply{sent.number, zeros})))
      << "RSA has no proof";
  EXPECT_EQ(refused(wire::write(security::signed_reply{sent.number, {}})), GetParam() == oprf);
}

TEST_P(oblivious_query, refuses_hostile_messages) {
  const open_question question = client.ask("zebra");
  const auto request = question.request();
  expect_hostile_message_refused(server.public_key(), [](byte_view bytes) {
    EXPECT_TRUE(std::ranges::equal(send(receive_public_key(bytes)), bytes));
  });
  expect_hostile_message_refused(question.save(), [](byte_view bytes) {
    EXPECT_TRUE(std::ranges::equal(open_question::load(bytes).save(), bytes));
  });
  expect_hostile_message_refused(request, [&](byte_view bytes) { (void)server.answer(bytes); });
  expect_hostile_message_refused(server.answer(request),
                                 [&](byte_view bytes) { (void)question.finish(bytes); });
  const auto refused = [&](const number& x) {
    const auto number_bytes = x.bytes();
    const auto bytes =
        wire::write(security::blinded_request{number_bytes, server.secret().identity().tag});
    return throws_error(errc::corrupt, "request", [&] { (void)server.answer(bytes); });
  };
  EXPECT_TRUE(refused(number(0)));
  EXPECT_TRUE(refused(server.secret().known().ring().value()));
  if (GetParam() == oprf) {
    EXPECT_TRUE(refused(number(1)));
    EXPECT_TRUE(refused(secure::exponents().value())) << "-1 is no square";
  }
}

TEST_P(oblivious_query, generated_secrets_work_and_differ) {
  const oblivious_server made(oblivious_secret::generate(GetParam()));
  EXPECT_NE(made.secret().identity(), server.secret().identity());
  const open_question question = oblivious_client(made.public_key()).ask("zebra");
  EXPECT_NO_THROW((void)question.finish(made.answer(question.request())));
}

// Requests for one word are uniform if what blinds them is, so that they say nothing of it;
// and nothing is blinded twice alike. 100 requests with fixed blinds, the last 96 bytes of each (the
// first depend on the modulus).
TEST_P(oblivious_query, blinded_requests_are_uniform) {
  const oblivious_public& known = server.secret().known();
  const auto value = known.value().bytes();
  std::vector<std::uint64_t> counts(256);
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    const auto blind = GetParam() == oprf ? fixed_exponent(number)
                                          : known.ring().hash("test blind", number).bytes();
    const auto question = open_question::load(wire::write(security::kept_question{
        static_cast<std::uint64_t>(GetParam()), value, blind, bytes_of("zebra")}));
    const auto request = question.request();
    const byte_view body = wire::read<security::blinded_request>(request).number;
    for (const std::byte byte : body.last(96)) ++counts[std::to_integer<std::size_t>(byte)];
  }
  EXPECT_TRUE(plausibly_uniform(counts));
  EXPECT_NE(client.ask("zebra").request(), client.ask("zebra").request());
}

INSTANTIATE_TEST_SUITE_P(protocols, oblivious_query, ::testing::Values(rsa, oprf),
                         [](const auto& chosen) {
                           return std::string(
                               oblivious_protocol_names[static_cast<std::size_t>(chosen.param)]);
                         });

}  // namespace
}  // namespace bloomery::testing
