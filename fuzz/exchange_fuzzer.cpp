// Whatever comes to a party of a join, or to a cache that is told what its neighbour holds: it refuses it with
// bloomery::error, or believes what can be true. Who asks is told only of rows whose key is its own, and of no more rows than the
// other has; who holds says no more than it has; no summary is believed that is of another hash or too full.
//
// The first byte says which party, and what it wants; then messages follow, each after two bytes of length, of which
// the highest bit has the message sealed anew.
#include <set>
#include <string>
#include <vector>

#include "bloomery/apps/exchange/semijoin.hpp"
#include "bloomery/apps/exchange/summary_cache.hpp"
#include "bloomery/core/error.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using apps::join_want;
using fuzzing::law;
using message_list = std::vector<std::vector<std::byte>>;

constexpr std::uint64_t table_rows = 40;

// Counts what is said.
class counting_outbox final : public apps::outbox {
 public:
  std::uint64_t bytes = 0;

 private:
  void do_send(apps::peer to, byte_view message) override {
    law(to == apps::peer{0}, "there is one partner");
    bytes += message.size();
  }
  void do_wake(apps::time, std::uint64_t) override {}
  void do_tell(const apps::event&) override {}
};

// Keys of which some repeat.
apps::listed_table some_rows() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::uint64_t i = 0; i < table_rows; ++i) {
    rows.emplace_back("key " + std::to_string(i % 30), "row " + std::to_string(i));
  }
  return apps::listed_table(std::move(rows));
}

template <class Act>
bool refused(Act act) {
  try {
    act();
    return false;
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "messages are to blame");
    return true;
  }
}

void ask(unsigned how, const message_list& messages) {
  apps::listed_table mine = some_rows();
  const auto want = static_cast<join_want>(how % 3);
  std::optional<apps::join_method> method;
  if (how / 3 % 4 != 3 && want != join_want::count) {
    method = static_cast<apps::join_method>(how / 3 % 4);
  }
  std::set<std::string> own;
  for (const apps::table_row& row : mine.next()) own.emplace(row.key);
  std::uint64_t told = 0;
  apps::join_asker party(mine, {}, {.partner = apps::peer{0}, .want = want, .method = method},
                         [&](std::string_view key, std::string_view) {
                           law(own.contains(std::string(key)), "a row that joins has my key");
                           ++told;
                         });
  counting_outbox out;
  party.start({}, out);
  for (const auto& message : messages) {
    if (refused([&] { party.receive({}, apps::peer{0}, message, out); })) return;
  }
  law(told <= party.report().theirs.rows, "no more rows join than there are");
  law(told + party.report().false_ones == party.report().received, "rows join or do not");
}

void hold(const message_list& messages) {
  apps::listed_table mine = some_rows();
  apps::join_holder party(mine, {});
  counting_outbox out;
  for (const auto& message : messages) {
    if (refused([&] { party.receive({}, apps::peer{0}, message, out); })) return;
  }
  constexpr std::uint64_t at_once = 1 << 12;  // all rows, or a size
  law(out.bytes <= at_once * (messages.size() + 1), "it says no more than it is asked for");
}

void hear_of_caches(const message_list& messages) {
  apps::neighbour_summary neighbour;
  const wire::filter_limits limits{.load = {.max_payload_bytes = 1 << 20}};
  for (const auto& message : messages) {
    const std::uint64_t before = neighbour.version();
    if (refused([&] { neighbour.receive(message, {}, {}, limits); })) {
      law(neighbour.version() == before, "what is refused changes nothing");
      continue;
    }
    law(neighbour.held() != nullptr, "what was heard is held");
    law(wire::fill_of(*neighbour.held()) <= limits.max_fill, "no summary is too full");
    law(neighbour.held()->record().hash == hash_identity{}, "a summary has the hash agreed on");
    (void)neighbour.may_hold({1, 2});
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto rest = std::span(data, size).subspan(1);
  message_list messages;
  while (rest.size() > 2) {
    const unsigned head = rest[0] | unsigned{rest[1]} << 8U;
    rest = rest.subspan(2);
    const auto some = std::as_bytes(rest.first(std::min<std::size_t>(head & 0x7FFFU, rest.size())));
    rest = rest.subspan(some.size());
    messages.emplace_back(some.begin(), some.end());
    if ((head & 0x8000U) != 0) messages.back() = testing::resealed_message(messages.back());
  }
  if (data[0] % 16 == 15) {
    hear_of_caches(messages);
  } else if (data[0] % 16 == 14) {
    hold(messages);
  } else {
    ask(data[0] % 16U, messages);
  }
  return 0;
}
