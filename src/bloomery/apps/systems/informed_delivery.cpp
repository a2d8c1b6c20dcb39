// N7: two senders that have parts of a file send a receiver what it lacks, by its filter.
#include <algorithm>

#include "bloomery/apps/exchange/lt_code.hpp"
#include "bloomery/apps/exchange/reconciliation_tree.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::systems {
namespace {

using exchange::lt_code;
using numbers = std::vector<std::uint64_t>;

// Who has which symbols, by their numbers.
struct swarm {
  numbers receiver;
  std::vector<numbers> senders;
};

// What the receiver has, and senders of as many symbols each, of which a share is the receiver's as well. Their own ones
// are different: how much senders share is for them to find out.
swarm swarm_of(std::uint64_t have, std::uint64_t each, std::uint64_t shared, std::uint64_t seed) {
  swarm made;
  apps::random_stream random(seed, 1);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < have; ++i) made.receiver.push_back(next++);
  for (int sender = 0; sender < 2; ++sender) {
    numbers known = made.receiver;
    std::shuffle(known.begin(), known.end(), random);
    known.resize(shared);
    while (known.size() < each) known.push_back(next++);
    std::shuffle(known.begin(), known.end(), random);
    made.senders.push_back(std::move(known));
  }
  return made;
}

digest key_of(std::uint64_t symbol, std::uint64_t seed) {
  return lab::numbered(seed, 2, symbol);
}

struct delivery {
  std::uint64_t sent = 0;
  std::uint64_t useful = 0;       // that the receiver did not have
  std::uint64_t until_whole = 0;  // sent until the file was there; 0 if it never was
  std::vector<std::byte> file;
};

// The senders take turns; `passes` says what one sends.
template <class Passes>
delivery deliver(const swarm& all, const lt_code& code, byte_view file, Passes passes) {
  delivery done;
  exchange::lt_decoder decoder(code);
  for (const std::uint64_t each : all.receiver) decoder.add(each, code.symbol(file, each));
  const auto known = static_cast<std::uint64_t>(all.receiver.size());  // numbers below are its own
  for (std::size_t turn = 0; turn < all.senders.front().size(); ++turn) {
    for (const numbers& sender : all.senders) {
      const std::uint64_t symbol = sender[turn];
      if (!passes(symbol)) continue;
      ++done.sent;
      done.useful += std::uint64_t{symbol >= known};
      decoder.add(symbol, code.symbol(file, symbol));
      if (decoder.complete() && done.until_whole == 0) done.until_whole = done.sent;
    }
  }
  done.file = decoder.file();
  return done;
}

}  // namespace

lab::result informed_delivery(const lab::request& asked) {
  const std::uint64_t blocks = asked.count("blocks");
  const std::uint64_t block_bytes = asked.size("block");
  const std::uint64_t bits = asked.count("bits");
  const double overlap = asked.ratio("overlap");
  math::require_whole("blocks", blocks, 100, 65'536);
  math::require_whole("block", block_bytes, 1, 65'536);
  math::require_whole("bits", bits, 2, 32);
  math::require_share("overlap", overlap);
  const auto part = [&](double of) {
    return static_cast<std::uint64_t>(of * static_cast<double>(blocks));
  };
  // Together they have half as many again as the file has blocks.
  const std::uint64_t have = part(0.5);
  const std::uint64_t fresh = part(0.5);
  const auto each = static_cast<std::uint64_t>(static_cast<double>(fresh) / (1 - overlap));
  const std::uint64_t shared = std::min(each - fresh, have);
  const swarm all = swarm_of(have, fresh + shared, shared, asked.seed());

  std::vector<std::byte> file(blocks * block_bytes);
  apps::random_stream random(asked.seed(), 3);
  for (std::byte& byte : file) byte = static_cast<std::byte>(random());
  const lt_code code(blocks, block_bytes, asked.seed());

  std::vector<digest> held;
  for (const std::uint64_t symbol : all.receiver) held.push_back(key_of(symbol, asked.seed()));
  const auto message = wire::save(exchange::filter_of(held, bits, {}));
  const auto filter = wire::carried_filter(message).open<standard_filter>({});
  const delivery informed = deliver(all, code, file, [&](std::uint64_t symbol) {
    return !filter.may_contain(key_of(symbol, asked.seed()));
  });
  const delivery blind = deliver(all, code, file, [](std::uint64_t) { return true; });

  std::uint64_t wrong = 0;
  for (const delivery* done : {&informed, &blind}) {
    if (done->until_whole != 0) wrong += std::uint64_t{done->file != file};
  }
  lab::result found;
  found.never("a file came out that is not the one", wrong, 2);
  found.never("a symbol was sent that the receiver had", informed.sent - informed.useful,
              informed.sent);
  const std::uint64_t lacking = 2 * fresh;
  lab::figure& sent =
      found.add(lab::share_of("useful symbols that are sent, of those that senders have",
                              informed.useful, lacking, 1 - filter.current_rate()));
  if (bits == 8) sent.paper = 0.978;
  const double useful_blind = static_cast<double>(fresh) / static_cast<double>(fresh + shared);
  found.add(lab::exactly("useful share of what is sent without a filter", lab::unit::share,
                         static_cast<double>(blind.useful) / static_cast<double>(blind.sent),
                         useful_blind));
  found
      .add(lab::told("symbols sent until the file is whole", lab::unit::count,
                     static_cast<double>(informed.until_whole)))
      .rivals = {{"without a filter", static_cast<double>(blind.until_whole)}};
  found.add(lab::told("bytes of the filter", lab::unit::bytes, static_cast<double>(message.size())))
      .rivals = {{"bytes of what is sent in vain without",
                  static_cast<double>((blind.sent - blind.useful) * block_bytes)}};
  if (informed.until_whole == 0) {
    found.note("The symbols were not enough for the file, with or without a filter.");
  }
  return found;
}

extern constinit const system_info informed_delivery_system{
    .id = "N7",
    .name = "Informed content delivery",
    .source = "Byers et al. 2002; Broder and Mitzenmacher 5.2",
    .where = pattern::exchange,
    .does =
        "A receiver collects coded symbols of a file from peers that have parts of it. Its filter "
        "tells them which symbols it has, so that they send others.",
    .figure =
        "Nothing is sent twice; 97.8 % of what is useful is sent with a filter of 8 bits a "
        "symbol, where without one a share of 1 - overlap of all that is sent is useful.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"blocks", "2000", "blocks of the file"},
                          {"block", "64B", "bytes of a block"},
                          {"overlap", "50%", "of a sender's symbols, those that the receiver has"},
                          {"bits", "8", "bits a symbol of the filter"}}},
    .run = informed_delivery};

}  // namespace bloomery::systems
