// Whatever a partner says, in whichever order: a party of sync refuses it, or believes what can be true. Who asks ends
// only with differences that its own set allows; who answers says nothing that it was not asked.
//
// The first byte says which party, and which method; then messages follow, each after two bytes of length, of
// which the highest bit has the message sealed anew.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bloomery/apps/exchange/set_sync.hpp"
#include "bloomery/core/error.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"
#include "stored_digests.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

// Counts what is said, and forgets it.
class counting_outbox final : public apps::outbox {
  void do_send(apps::peer to, byte_view message) override {
    law(to == apps::peer{0}, "there is one partner");
    law(message.size() <= exchange::longest_sync_message, "messages have a limit");
  }
  void do_wake(apps::time, std::uint64_t) override {}
  void do_tell(const apps::event&) override {}
};

const exchange::digest_set& some_lines() {
  static const exchange::digest_set set = [] {
    std::vector<digest> digests;
    for (int i = 0; i < 40; ++i) digests.push_back(hasher{}("line " + std::to_string(i)));
    return exchange::digest_set(digests, 300);
  }();
  return set;
}

const exchange::digest_set& some_lines_elsewhere() {
  static const exchange::digest_set set = testing::elsewhere(some_lines());
  return set;
}

template <class Party>
void hear(Party& party, std::span<const std::uint8_t> data) {
  counting_outbox out;
  party.start({}, out);
  while (data.size() >= 2) {
    const std::size_t stated = data[0] + 256U * data[1];
    data = data.subspan(2);
    const std::size_t size = std::min<std::size_t>(stated & 0x7fffU, data.size());
    const auto said = std::as_bytes(data.first(size));
    data = data.subspan(size);
    std::vector<std::byte> message(said.begin(), said.end());
    if ((stated & 0x8000U) != 0) message = testing::resealed_message(std::move(message));
    try {
      party.receive({}, apps::peer{0}, message, out);
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
      return;  // as a loop ends the connection
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest = std::span(data, size).subspan(1);
  const exchange::digest_set& mine = (data[0] & 0x40U) != 0 ? some_lines_elsewhere() : some_lines();
  if ((data[0] & 0x80U) != 0) {
    exchange::sync_answerer party(mine, {}, [](std::span<const digest> wanted, const auto& give) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (some_lines().contains(wanted[i])) give(i, "a line");
      }
    });
    hear(party, rest);
    return 0;
  }
  const auto method = static_cast<exchange::sync_method>(data[0] % exchange::sync_methods.size());
  exchange::sync_asker party(
      mine, {.method = method, .fetch = true},
      [](digest of, std::string_view line) { law(hasher{}(line) == of, "a line has its digest"); });
  hear(party, rest);
  const exchange::sync_outcome& found = party.outcome();
  if (!found.finished) return 0;
  const auto& [only_mine, only_theirs] = found.differ;
  for (const digest d : only_mine) law(mine.contains(d), "what is only mine is mine");
  for (const digest d : only_theirs) law(!mine.contains(d), "what is only theirs is not mine");
  if (found.exact) {
    law(mine.size() - only_mine.size() + only_theirs.size() == found.theirs, "sizes add up");
  }
  law(found.fetched == only_theirs.size(), "all lines were fetched");
  return 0;
}
