// node ask: who holds what is looked for, as far as a node can find out.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "bloomery/apps/overlay/visits.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/loop.hpp"
#include "bloomery/net/signals.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t enquiry_id = 1;
constexpr std::uint64_t most_patience = 60'000;
constexpr std::chrono::seconds grace{10};  // for an answer that is on its way

struct node_ask_options {
  std::string node;
  std::vector<std::string> words;
  std::string timeout = "5s";
  bool json = false;
};

void declare(command& verb, node_ask_options& options) {
  verb.add_option("node", "HOST:PORT", options.node, "where a `bloomery node run` listens")
      .required();
  verb.add_keys("words", "WORD", options.words,
                "what one holder has, all of them: keys, or words of a file's name")
      .required();
  verb.add_option("--timeout", "DURATION", options.timeout,
                  "how long the node may look, at most a minute")
      .show_default();
  declare_json(verb, options.json);
}

struct holder_found {
  std::uint64_t number;
  std::string place;
};

struct node_answer {
  bool over = false;
  std::uint64_t asked = 0;
  std::uint64_t lost = 0;
  std::uint64_t steps = 0;
  std::vector<holder_found> holders{};
};

// Puts one question, and keeps the answer.
struct visitor {
  std::vector<std::byte> said;
  std::chrono::nanoseconds patience;
  std::optional<node_answer> heard = {};
  bool late = false;

  void start(apps::time now, apps::outbox& out) {
    out.send(apps::peer{0}, said);
    out.wake(now + patience, 0);
  }
  void receive(apps::time, apps::peer, byte_view message, apps::outbox&) {
    const auto told = wire::read<overlay::findings>(message);
    if (told.id != enquiry_id) fail(errc::corrupt, "it answers what was not asked");
    node_answer& made = heard.emplace(node_answer{
        .over = told.over != 0, .asked = told.asked, .lost = told.lost, .steps = told.steps});
    for (std::size_t i = 0; i < told.places.size(); ++i) {
      made.holders.push_back({core::load_le<std::uint64_t>(&told.holders[8 * i]),
                              std::string(text_of(told.places[i]))});
    }
  }
  void tick(apps::time, std::uint64_t, apps::outbox&) { late = true; }
};

json or_uncounted(std::uint64_t number) {
  return number == overlay::not_counted ? json(nullptr) : json(number);
}

exit_status run(const node_ask_options& options) {
  const net::endpoint where = net::parse_endpoint(options.node);
  const std::uint64_t patience = parse_duration(options.timeout);
  if (patience < 1 || patience > most_patience) {
    fail(errc::invalid, "--timeout is " + in_quotes(options.timeout) + "; allowed: up to a minute");
  }
  overlay::enquiry asked{.id = enquiry_id, .patience = patience, .words = {}};
  for (const std::string& word : options.words) asked.words.push_back(bytes_of(word));
  const net::stop_signals stop;
  net::loop loop(
      visitor{.said = wire::write(asked), .patience = std::chrono::milliseconds(patience) + grace},
      {.message_bytes = std::uint64_t{16} << 20});
  loop.stop_on(stop);
  loop.connect(where);
  const auto& self = loop.get<visitor>();
  if (loop.run([&] { return self.heard || self.late; }) != net::ending::done) {
    fail(errc::io, "stopped before the end");
  }
  if (!self.heard) fail(errc::io, where.text() + ": it does not answer");

  const node_answer& answer = *self.heard;
  if (options.json) {
    json holders = json::array();
    for (const holder_found& each : answer.holders) {
      holders.push_back({{"number", each.number},
                         {"address", each.place.empty() ? json(nullptr) : json(each.place)}});
    }
    print_json(
        {{"holders", holders},
         {"complete", answer.over && answer.lost == 0},
         {"asked", or_uncounted(answer.asked)},
         {"lost", answer.lost},
         {"steps", or_uncounted(answer.steps)},
         {"bytes",
          {{"sent", loop.stream_bytes_sent()}, {"received", loop.stream_bytes_received()}}}});
  } else {
    for (const holder_found& each : answer.holders) {
      print_text(fmt::format("{}{}{}\n", each.number, each.place.empty() ? "" : "\t",
                             printable(each.place)));
    }
  }
  if (!answer.holders.empty()) return exit_status::found;
  if (!answer.over) {
    fail(errc::io, "not all have answered who were asked, within " + options.timeout);
  }
  if (answer.lost > 0) {
    tell(fmt::format("{} that may have it cannot be asked now", format_count(answer.lost)));
  }
  return exit_status::not_found;
}

}  // namespace

void add_node_ask(verb_list& verbs) {
  verbs.add<node_ask_options>(
      "node ask",
      "Ask a running node who holds something\n"
      "Prints the number of each holder that was found, and its address after a tab if the node "
      "knows the --network. A peer names all that hold every WORD, a node of a tree one; of leaves "
      "and ultrapeers, those that answered before a second went by without an answer. Exits with 0 "
      "if there is any, 1 if not, and 2 if the node cannot be asked or not all have answered.",
      "  seq 10 > ten.txt; seq 8 20 > more.txt\n"
      "  bloomery node run --as tree --number 7 --listen 127.0.0.1:31313 ten.txt > a &\n"
      "    until bloomery node ask 127.0.0.1:31313 3 4 2> log; do sleep 0.1; done\n"
      "    kill %1\n"
      "  bloomery node run --as tree --number 8 --listen 127.0.0.1:31314 more.txt > b &\n"
      "    until bloomery node ask --json 127.0.0.1:31314 9 2> log; do sleep 0.1; done\n"
      "    kill %1",
      declare, run);
}

}  // namespace bloomery::cli
