// S11: a search of documents that hides the words asked for, of which a third party lets only some pass.
#include <string>

#include "bloomery/apps/security/query_conversion.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

// The same in every run, as everything in an experiment is. Odd numbers are prime to p - 1, but for one that
// hashing does not hit.
cipher_key key_of(std::uint64_t seed, std::string_view holder) {
  secure::secret_bytes exponent =
      secure::exponents().hash("lab S11", std::to_string(seed) + std::string(holder)).bytes();
  exponent.back() |= std::byte{1};
  return cipher_key::load(secure::enclosed(secure::secret_sort::cipher_key, exponent));
}

// Words by whether the documents have them and whether they may be asked for.
struct asked_word {
  std::string text;
  bool held = false;
  bool permitted = false;
};

std::vector<asked_word> words_of(std::uint64_t seed, std::uint64_t held, std::uint64_t permitted,
                                 std::uint64_t forbidden) {
  std::vector<asked_word> words;
  const auto add = [&](std::uint64_t stream, std::uint64_t count, bool has, bool may) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const digest drawn = lab::numbered(seed, stream, i);
      words.push_back({std::to_string(drawn.lo) + std::to_string(drawn.hi), has, may});
    }
  };
  // Half of what is permitted is in the documents, and so is half of what is not.
  add(0, permitted / 2, true, true);
  add(1, permitted - permitted / 2, false, true);
  add(2, held - permitted / 2, true, false);
  const std::uint64_t others = held - permitted / 2;
  add(3, forbidden - std::min(forbidden, others), false, false);
  return words;
}

}  // namespace

lab::result private_search(const lab::request& asked) {
  const std::uint64_t held = asked.count("words");
  const std::uint64_t permitted = asked.count("permitted");
  const std::uint64_t forbidden = asked.count("forbidden");
  const double rate = asked.ratio("rate");
  const double policy_rate = asked.ratio("policy");
  math::require_whole("words", held, 1, 100'000);
  math::require_whole("permitted", permitted, 2, 2 * held);
  math::require_whole("forbidden", forbidden, held - permitted / 2, 100'000);

  const set_owner owner(key_of(asked.seed(), "owner"));
  const set_asker asker(key_of(asked.seed(), "asker"));
  const cipher_key pad = key_of(asked.seed(), "pad");
  const query_converter third(asker.share(pad), owner.share(pad));
  const std::vector<asked_word> words = words_of(asked.seed(), held, permitted, forbidden);
  auto documents = encrypted_filter::for_keys(held, rate);
  auto policy = encrypted_filter::for_keys(permitted, policy_rate);
  asked.outside().phase("the owner encrypts its words, and those it permits");
  for (const asked_word& word : words) {
    if (word.held) documents.insert_text(owner.key(), word.text);
    if (word.permitted) policy.insert_text(owner.key(), word.text);
  }

  asked.outside().phase("the asker asks through the third party");
  apps::ledger at_policy;  // passed the third party, may be asked for
  apps::ledger answers;    // of what passed: the filter's answer, the documents' truth
  apps::ledger unconverted;
  std::uint64_t different = 0;
  std::uint64_t bytes = 0;
  for (const asked_word& word : words) {
    const std::vector<std::byte> query = asker.ask(word.text);
    bytes += query.size();
    // What the owner would see in a query that came to it as it is, if it took it for one under its own key.
    const auto sent = wire::read<security::cipher_query>(query);
    const converted_query seen(secure::number(sent.number), owner.key().identity());
    unconverted.record(policy.may_match(seen), false);
    try {
      const std::vector<std::byte> converted = third.convert(query, policy);
      at_policy.record(true, word.permitted);
      bytes += converted.size();
      const bool answer = documents.may_match(receive_converted(converted));
      different += std::uint64_t{answer != documents.may_contain_text(owner.key(), word.text)};
      answers.record(answer, word.held);
    } catch (const error& refusal) {
      if (refusal.code() != errc::unsupported) throw;
      at_policy.record(false, word.permitted);
    }
  }

  lab::result found;
  found.never("a permitted word was refused", at_policy.missed(), permitted);
  found.never("a word of the documents was denied", answers.missed(),
              answers.asked() - answers.strangers());
  found.never("an answer was not the owner's own", different, answers.asked());
  // Of a filter as it stands the rate is exact: words that are not in it are independent of each other.
  found.add(
      lab::false_positives_of("forbidden words let through", at_policy, policy.current_rate()));
  found.add(
      lab::false_positives_of("absent words found by mistake", answers, documents.current_rate()));
  found.add(lab::false_positives_of("queries that look permitted before they are converted",
                                    unconverted, policy.current_rate()));
  found.add(lab::told("bytes of messages a query", lab::unit::real,
                      static_cast<double>(bytes) / static_cast<double>(words.size())));
  return found;
}

extern constinit const system_info private_search_system{
    .id = "S11",
    .name = "Private search",
    .source = "Bellovin and Cheswick 2004; Tarkoma III-W, IV-E",
    .where = pattern::exchange,
    .does =
        "An owner gives away a filter of its documents' words, encrypted under its key. A third "
        "party turns queries under the asker's key into queries under the owner's, and refuses "
        "those for words that the owner does not permit, without knowing any word.",
    .figure =
        "No permitted word is refused, no answer differs from the owner's own; forbidden "
        "words pass at the rate of the filter of those that are permitted.",
    .verb = "secret",
    .needs = "",
    .settings_or_none = {{{"words", "80", "words of the documents"},
                          {"permitted", "60", "words that may be asked for, half of them there"},
                          {"forbidden", "200",
                           "words that may not, all the documents' others first"},
                          {"rate", "10%", "of the filter of the documents"},
                          {"policy", "10%", "rate of the filter of what is permitted"}}},
    .run = private_search};

}  // namespace bloomery::systems
