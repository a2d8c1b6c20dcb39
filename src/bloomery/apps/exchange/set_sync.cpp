#include "bloomery/apps/exchange/set_sync.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bloomery/apps/exchange/reconciliation_tree.hpp"
#include "bloomery/apps/exchange/sync_messages.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/reconciliation.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::exchange {
namespace {

using namespace sync_message;

constexpr wire::message_limits sync_limits{.max_bytes = longest_sync_message};
constexpr std::uint64_t first_batch = 64;   // symbols, by which the difference is estimated
constexpr std::uint64_t symbol_bytes = 27;  // about
constexpr std::uint64_t list_batch = 1 << 16;
constexpr std::uint64_t answer_bytes = 1 << 20;

std::vector<std::byte> bytes_of(std::span<const digest> digests) {
  std::vector<std::byte> bytes(digests.size() * digest_bytes);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    core::store_le(&bytes[i * digest_bytes], digests[i].lo);
    core::store_le(&bytes[i * digest_bytes + 8], digests[i].hi);
  }
  return bytes;
}

// In order, and each once.
std::vector<digest> digests_in(byte_view bytes) {
  if (bytes.size() % digest_bytes != 0) fail(errc::corrupt, "a list of digests is cut off");
  std::vector<digest> digests(bytes.size() / digest_bytes);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    digests[i] = {core::load_le<std::uint64_t>(&bytes[i * digest_bytes]),
                  core::load_le<std::uint64_t>(&bytes[i * digest_bytes + 8])};
    if (i != 0 && !(digests[i - 1] < digests[i])) {
      fail(errc::corrupt, "a list of digests is not in order");
    }
  }
  return digests;
}

std::vector<std::byte> hello_of(const digest_set& set, const hasher& hash) {
  const hash_identity identity = hash.identity();
  return wire::write(hello_message{.lines = set.size(),
                                   .bytes = set.bytes(),
                                   .print_lo = set.print().lo,
                                   .print_hi = set.print().hi,
                                   .hash = static_cast<std::uint64_t>(identity.id),
                                   .tag = identity.tag});
}

void require_our_hash(const hello_message& hello, const hasher& hash) {
  require_same_hash(hash.identity(), {static_cast<hash_id>(hello.hash), hello.tag});
}

std::vector<std::byte> bytes_of(std::span<const coded_symbol> symbols) {
  std::vector<std::byte> bytes;
  bytes.reserve(symbols.size() * (symbol_bytes + 1));
  for (const coded_symbol& each : symbols) append_symbol(bytes, each);
  return bytes;
}

// The filters of a set, as they are sent.
struct own_filters {
  std::vector<std::byte> lines;
  std::vector<std::byte> nodes;

  own_filters(const digest_set& set, const reconciliation_tree* tree, std::uint64_t bits,
              const hasher& hash) {
    lines = wire::save(filter_of(set, bits, hash.identity()));
    if (tree != nullptr) nodes = wire::save(tree->node_filter(bits, hash.identity()));
  }
  [[nodiscard]] filters_message message(std::uint64_t bits, std::uint64_t correction) const {
    return {.tree = nodes.empty() ? 0U : 1U,
            .bits = bits,
            .correction = correction,
            .lines = wire::carried_filter(lines),
            .nodes = wire::carried_filter(nodes),
            .found = {}};
  }
};

// My keys that the other's filters, of so many lines, do not have.
reconciliation_tree::search_result missing_there(const filters_message& theirs,
                                                 std::uint64_t lines_there, const digest_set& mine,
                                                 const reconciliation_tree* tree,
                                                 const hasher& hash) {
  const wire::filter_limits limits{.load = {.max_payload_bytes = longest_sync_message}};
  const auto lines = theirs.lines.open<standard_filter>(hash.identity(), limits);
  require_filter_of(lines, lines_there, theirs.bits);
  if (tree != nullptr) {
    const auto nodes = theirs.nodes.open<standard_filter>(hash.identity(), limits);
    require_filter_of(nodes, lines_there - std::min<std::uint64_t>(lines_there, 1), theirs.bits);
    return tree->missing_there(nodes, lines, theirs.correction);
  }
  reconciliation_tree::search_result found;
  found.visits = mine.size();
  constexpr std::size_t batch = 1024;
  std::array<bool, batch> there{};
  mine.each([&](std::span<const digest> keys) {
    for (std::size_t first = 0; first < keys.size(); first += batch) {
      const auto now = keys.subspan(first, std::min(batch, keys.size() - first));
      lines.may_contain(digest_span(now), std::span(there).first(now.size()));
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (!there[i]) found.keys.push_back(now[i]);
      }
    }
  });
  return found;
}

}  // namespace

struct sync_asker::state {
  sync_options options;
  const digest_set* mine;
  line_sink lines;
  sync_outcome found;
  enum class step { greeted, confirmed, compared, fetched, done } at = step::greeted;
  apps::peer other{};
  set_print their_print{};
  std::optional<rateless_decoder> decoder{};
  // What is here, from where the other's list has come to.
  std::unique_ptr<digest_cursor> unlisted{};
  digest last_listed{};
  std::uint64_t listed = 0;  // of the other's, so far
  std::optional<reconciliation_tree> own_tree{};
  std::uint64_t tables = 0;
  std::uint64_t cells = 0;
  std::uint64_t asked = 0;  // symbols in the question, or lines

  template <class Message>
  void ask(const Message& question, apps::outbox& out) {
    ++found.rounds;
    out.send(other, wire::write(question));
  }

  void more(std::uint64_t what, std::uint64_t first, std::uint64_t count, apps::outbox& out) {
    asked = count;
    ask(more_message{.what = what, .first = first, .count = count}, out);
  }

  void compare(apps::outbox& out) {
    at = step::compared;
    using enum sync_method;
    // A list that is no longer than the first symbols needs no estimate.
    const bool few = found.theirs * digest_bytes <= first_batch * symbol_bytes;
    if (options.method == list || (options.method == automatic && few)) return ask_list(out);
    if (options.method == filter || options.method == sync_method::tree) {
      found.used = options.method;
      if (options.method == sync_method::tree) own_tree.emplace(*mine);
      const own_filters own(*mine, own_tree ? &*own_tree : nullptr, options.bits, options.hash);
      ask(own.message(options.bits, options.correction), out);
      return;
    }
    found.used = options.method == iblt ? iblt : rateless;
    decoder.emplace(*mine);
    more(0, 0, first_batch, out);
  }

  void ask_list(apps::outbox& out) {
    found.used = sync_method::list;
    if (!unlisted) unlisted = std::make_unique<digest_cursor>(*mine);
    if (listed == found.theirs) {
      list_mine_before(std::nullopt);
      return settle(true, out);
    }
    more(1, listed, std::min(list_batch, found.theirs - listed), out);
  }

  // How many symbols to ask for next: most of what the estimate says, by little steps from there on.
  std::uint64_t next_batch() const {
    const auto have = static_cast<double>(decoder->symbols());
    const double guess = math::rateless_overhead() * estimate();
    const double sure = guess * (1 - 2 / std::sqrt(have)) - have;
    const auto wanted = static_cast<std::uint64_t>(
        std::clamp(std::max(sure, have / 24), 16.0, static_cast<double>(largest_batch)));
    // What sums that are of no set tell may be far beyond the differences that there can be.
    return std::min(wanted, most_symbols() + 1 - decoder->symbols());
  }
  std::uint64_t most_symbols() const { return first_batch + 4 * (mine->size() + found.theirs); }
  double estimate() const {
    const auto counts = decoder->counts();
    return math::estimated_difference(counts.first(std::min<std::size_t>(counts.size(), 4096)));
  }

  void take_symbols(const symbols_message& said, apps::outbox& out) {
    if (!decoder || said.first != decoder->symbols() || said.count != asked) {
      fail(errc::corrupt, "coded symbols come that were not asked for");
    }
    decoder->add(read_symbols(said.bytes, said.count));
    found.symbols += said.count;
    if (decoder->complete()) {
      found.needed = decoder->needed();
      found.differ = decoder->found();
      return settle(true, out);
    }
    if (decoder->symbols() > most_symbols()) {
      fail(errc::corrupt, "the coded symbols are of no set of keys");
    }
    if (options.method == sync_method::automatic &&
        math::rateless_overhead() * estimate() * symbol_bytes >
            static_cast<double>(found.theirs * digest_bytes)) {
      return ask_list(out);
    }
    if (options.method == sync_method::iblt) return ask_table(out);
    more(0, decoder->symbols(), next_batch(), out);
  }

  void ask_table(apps::outbox& out) {
    if (tables == most_tables) fail(errc::corrupt, "no table of the other's can be decoded");
    if (tables == 0) {
      constexpr double room = 1.3;  // beyond the estimate, which may be too low
      cells = math::iblt_cells(static_cast<std::uint64_t>(room * estimate()) + 1, table_hashes);
    } else {
      cells *= 2;
    }
    cells = std::min(cells, most_table_cells);
    ask(table_question{.cells = cells, .salt = tables++}, out);
  }

  void take_table(const table_message& said, apps::outbox& out) {
    if (tables == 0 || said.cells != cells) {
      fail(errc::corrupt, "a table comes that was not asked for");
    }
    const std::uint64_t salt = tables - 1;
    lookup_table theirs(read_symbols(said.bytes, said.cells), table_hashes, salt);
    lookup_table ours(said.cells, table_hashes, salt);
    ours.insert(*mine);
    theirs.subtract(ours);
    found.symbols += said.cells;
    differences differ;
    if (!theirs.decode(differ)) return ask_table(out);
    found.differ = std::move(differ);
    settle(true, out);
  }

  void take_digests(const digests_message& said, apps::outbox& out) {
    const std::vector<digest> some = digests_in(said.bytes);
    if (found.used != sync_method::list || some.size() != asked ||
        (listed != 0 && !(last_listed < some.front()))) {
      fail(errc::corrupt, "digests come that were not asked for");
    }
    for (const digest theirs : some) {
      list_mine_before(theirs);
      if (!unlisted->at_end() && **unlisted == theirs) {
        unlisted->advance();
      } else {
        found.differ.only_theirs.push_back(theirs);
      }
    }
    last_listed = some.back();
    listed += some.size();
    ask_list(out);
  }

  // What the other's list has passed over.
  void list_mine_before(std::optional<digest> theirs) {
    for (; !unlisted->at_end() && (!theirs || **unlisted < *theirs); unlisted->advance()) {
      found.differ.only_mine.push_back(**unlisted);
    }
  }

  void take_filters(const filters_message& said, apps::outbox& out) {
    if (found.used != options.method || said.tree != (own_tree ? 1U : 0U) ||
        said.bits != options.bits || said.correction != options.correction) {
      fail(errc::corrupt, "filters come that were not asked for");
    }
    auto here =
        missing_there(said, found.theirs, *mine, own_tree ? &*own_tree : nullptr, options.hash);
    own_tree.reset();
    found.visits = here.visits;
    found.differ.only_mine = std::move(here.keys);
    found.differ.only_theirs = digests_in(said.found);
    if (found.differ.only_theirs.size() > found.theirs) {
      fail(errc::corrupt, "the other lacks more lines than it has");
    }
    settle(false, out);
  }

  // Believes what was found, if it can be true.
  void settle(bool exact, apps::outbox& out) {
    found.exact = exact;
    set_print becomes = mine->print();
    for (auto* list : {&found.differ.only_mine, &found.differ.only_theirs}) {
      std::ranges::sort(*list, std::less<>());
    }
    for (const digest d : found.differ.only_mine) {
      if (!mine->contains(d))
        fail(errc::corrupt, "a line that is said to be only here is not here");
      becomes.remove(d);
    }
    for (const digest d : found.differ.only_theirs) {
      if (mine->contains(d))
        fail(errc::corrupt, "a line that is said to be only there is here too");
      becomes.add(d);
    }
    const std::uint64_t size =
        mine->size() - found.differ.only_mine.size() + found.differ.only_theirs.size();
    if (exact && (becomes != their_print || size != found.theirs)) {
      fail(errc::corrupt, "the differences do not make the set that the other said it has");
    }
    decoder.reset();
    at = step::fetched;
    fetch(out);
  }

  void fetch(apps::outbox& out) {
    const auto& wanted = found.differ.only_theirs;
    if (!options.fetch || found.fetched == wanted.size()) return finish(out);
    asked = std::min(lines_at_once, wanted.size() - found.fetched);
    const auto bytes = bytes_of(std::span(wanted).subspan(found.fetched, asked));
    ask(lines_question{.bytes = bytes}, out);
  }

  void take_lines(const lines_message& said, apps::outbox& out) {
    if (at != step::fetched || said.lines.size() > asked) {
      fail(errc::corrupt, "lines come that were not asked for");
    }
    for (const byte_view each : said.lines) {
      const digest wanted = found.differ.only_theirs[found.fetched++];
      const std::string_view line(reinterpret_cast<const char*>(each.data()), each.size());
      if (options.hash(line) != wanted) {
        fail(errc::corrupt, "a line comes that was not asked for");
      }
      if (lines) lines(wanted, line);
    }
    fetch(out);
  }

  void finish(apps::outbox& out) {
    at = step::done;
    found.finished = true;
    out.send(other, wire::write(end_message{.differences = found.differ.only_mine.size() +
                                                           found.differ.only_theirs.size()}));
  }

  void greet(const hello_message& said, apps::outbox& out) {
    require_our_hash(said, options.hash);
    found.theirs = said.lines;
    found.their_bytes = said.bytes;
    their_print = {said.print_lo, said.print_hi};
    if (their_print != mine->print() || said.lines != mine->size()) return compare(out);
    // An echo would say the same. What it cannot do is to answer a question.
    at = step::confirmed;
    more(mine->size() == 0 ? 0 : 1, 0, 1, out);
  }

  void confirm(std::string_view name, byte_view message, apps::outbox& out) {
    if (name == more_message::name) {
      fail(errc::corrupt, "the other only repeats what is said to it");
    }
    bool same = false;
    if (mine->size() == 0) {
      const auto said = wire::read<symbols_message>(message, sync_limits);
      same = said.first == 0 && said.count == 1 && read_symbols(said.bytes, 1).front().is_zero();
    } else {
      const auto said = wire::read<digests_message>(message, sync_limits);
      same = digests_in(said.bytes) == mine->read(0, 1);
    }
    if (!same) fail(errc::corrupt, "the other has not the lines that it said it has");
    found.exact = true;
    finish(out);
  }
};

sync_asker::sync_asker(const digest_set& mine, const sync_options& options, line_sink lines)
    : state_(std::make_unique<state>(state{options, &mine, std::move(lines), {}})) {}
sync_asker::sync_asker(sync_asker&&) noexcept = default;
sync_asker::~sync_asker() = default;

const sync_outcome& sync_asker::outcome() const {
  return state_->found;
}

void sync_asker::start(apps::time /*now*/, apps::outbox& out) {
  state_->found.rounds = 1;
  state_->other = state_->options.partner;
  out.send(state_->other, hello_of(*state_->mine, state_->options.hash));
}

void sync_asker::receive(apps::time /*now*/, apps::peer from, byte_view message,
                         apps::outbox& out) {
  state& at = *state_;
  const std::string_view name = wire::message_name(message, sync_limits);
  if (from != at.other || at.at == state::step::done) {
    fail(errc::corrupt, "a message comes that was not asked for");
  }
  const bool greeted = at.at == state::step::greeted;
  if (greeted != (name == hello_message::name)) {
    fail(errc::corrupt, "the message " + printable(name) + " comes out of turn");
  }
  if (greeted) return at.greet(wire::read<hello_message>(message, sync_limits), out);
  if (at.at == state::step::confirmed) return at.confirm(name, message, out);
  if (at.at == state::step::fetched) {
    return at.take_lines(wire::read<lines_message>(message, sync_limits), out);
  }
  if (name == symbols_message::name) {
    return at.take_symbols(wire::read<symbols_message>(message, sync_limits), out);
  }
  if (name == table_message::name) {
    return at.take_table(wire::read<table_message>(message, sync_limits), out);
  }
  if (name == digests_message::name) {
    return at.take_digests(wire::read<digests_message>(message, sync_limits), out);
  }
  at.take_filters(wire::read<filters_message>(message, sync_limits), out);
}

struct sync_answerer::state {
  hasher hash;
  const digest_set* mine;
  line_source lines;
  std::uint64_t theirs = 0;  // lines
  std::optional<rateless_encoder> encoder{};
  // What takes a pass over all lines is asked for in its turn, so that nobody has me do it for ever.
  std::uint64_t tables = 0;
  bool filtered = false;
  bool greeted = false;
  bool done = false;

  void answer_more(apps::peer to, const more_message& said, apps::outbox& out) {
    if (said.what == 1) {
      if (said.first > mine->size() || said.count > mine->size() - said.first ||
          said.count > list_batch) {
        fail(errc::corrupt, "more digests are asked for than there are");
      }
      const auto bytes = bytes_of(mine->read(said.first, said.count));
      out.send(to, wire::write(digests_message{.bytes = bytes}));
      return;
    }
    if (!encoder) encoder.emplace(*mine);
    if (said.first != encoder->produced()) {
      fail(errc::corrupt, "coded symbols are asked for out of order");
    }
    const auto bytes = bytes_of(encoder->next(said.count));
    out.send(
        to, wire::write(symbols_message{.first = said.first, .count = said.count, .bytes = bytes}));
  }

  void answer_table(apps::peer to, const table_question& said, apps::outbox& out) {
    if (said.salt != tables++) fail(errc::corrupt, "tables are asked for out of order");
    lookup_table table(said.cells, table_hashes, said.salt);
    table.insert(*mine);
    const auto bytes = bytes_of(table.cells());
    out.send(to, wire::write(table_message{.cells = said.cells, .bytes = bytes}));
  }

  void answer_filters(apps::peer to, const filters_message& said, apps::outbox& out) {
    if (std::exchange(filtered, true)) fail(errc::corrupt, "filters are asked for twice");
    std::optional<reconciliation_tree> tree;
    if (said.tree != 0) tree.emplace(*mine);
    const auto here = missing_there(said, theirs, *mine, tree ? &*tree : nullptr, hash);
    const auto found = bytes_of(here.keys);
    const own_filters own(*mine, tree ? &*tree : nullptr, said.bits, hash);
    filters_message answer = own.message(said.bits, said.correction);
    answer.found = found;
    out.send(to, wire::write(answer));
  }

  // As many as fit into a message, and one at least.
  void answer_lines(apps::peer to, const lines_question& said, apps::outbox& out) const {
    const std::vector<digest> wanted = digests_in(said.bytes);
    std::vector<std::optional<std::string>> held(wanted.size());
    if (lines) {
      lines(wanted, [&](std::size_t place, std::string_view line) { held.at(place) = line; });
    }
    lines_message answer;
    std::uint64_t bytes = 0;
    for (const auto& each : held) {
      if (!each) fail(errc::corrupt, "a line is asked for that is not here");
      if (!answer.lines.empty() && bytes + each->size() > answer_bytes) break;
      bytes += each->size();
      answer.lines.push_back(std::as_bytes(std::span(*each)));
    }
    out.send(to, wire::write(answer));
  }
};

sync_answerer::sync_answerer(const digest_set& mine, const hasher& hash, line_source lines)
    : state_(std::make_unique<state>(state{hash, &mine, std::move(lines)})) {}
sync_answerer::sync_answerer(sync_answerer&&) noexcept = default;
sync_answerer::~sync_answerer() = default;

bool sync_answerer::finished() const {
  return state_->done;
}

void sync_answerer::receive(apps::time /*now*/, apps::peer from, byte_view message,
                            apps::outbox& out) {
  state& at = *state_;
  const std::string_view name = wire::message_name(message, sync_limits);
  if (at.done || at.greeted == (name == hello_message::name)) {
    fail(errc::corrupt, "the message " + printable(name) + " comes out of turn");
  }
  if (!at.greeted) {
    const auto said = wire::read<hello_message>(message, sync_limits);
    at.greeted = true;
    at.theirs = said.lines;
    // The other is told which hash is in use here before it is refused, and can say so as well.
    out.send(from, hello_of(*at.mine, at.hash));
    require_our_hash(said, at.hash);
    return;
  }
  if (name == more_message::name) {
    return at.answer_more(from, wire::read<more_message>(message, sync_limits), out);
  }
  if (name == table_question::name) {
    return at.answer_table(from, wire::read<table_question>(message, sync_limits), out);
  }
  if (name == filters_message::name) {
    return at.answer_filters(from, wire::read<filters_message>(message, sync_limits), out);
  }
  if (name == lines_question::name) {
    return at.answer_lines(from, wire::read<lines_question>(message, sync_limits), out);
  }
  (void)wire::read<end_message>(message, sync_limits);
  at.done = true;
}

}  // namespace bloomery::exchange
