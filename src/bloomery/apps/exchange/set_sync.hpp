// Two parties find out in what their sets of lines differ: one asks, the other answers.
//
// Purpose:   what `bloomery sync` does, without files or sockets. A line stands for itself by its 128-bit digest. The
//            methods: `rateless` and `iblt` are exact; `filter` and `tree` send filters both ways and find most; `list`
//            sends all digests; `automatic` begins as rateless, and changes to the list once the first
//            symbols tell that it is cheaper. Lines that only the other has are then fetched by their digests.
// Cost:      20 bytes of memory a line, or next to none if the set is stored (36 for the tree), and the differences. What travels is in the page, docs/sync.md.
// Guarantee: every message is hostile. A digest that is said to be only mine must be mine, one that is only theirs must not be; the
//            exact methods' differences must turn my set's print into the one that the other stated at first; a line must
//            hash to the digest that it was asked for by. Else errc::corrupt. Filters come out of messages only with hash
//            and fill checked. Both must use the same hash and key, or errc::incompatible.
// Citation:  Broder–Mitzenmacher §5.2 (the filter); Byers et al. 2002 (the tree); coded_symbols.hpp for the rest.
//
//     using namespace bloomery::exchange;
//     const digest_set mine({{1, 2}, {3, 4}}), theirs({{3, 4}, {5, 6}});
//     bloomery::lab::world world(1);
//     const auto answerer = world.add(sync_answerer(theirs, {}, {}));
//     const auto asker = world.add(sync_asker(mine, {.partner = answerer}, {}));
//     world.connect(asker, answerer, {});
//     world.run();
//     const sync_outcome& found = world.get<sync_asker>(asker).outcome();
//     assert(found.finished && found.exact && found.differ.only_theirs.size() == 1);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/apps/exchange/coded_symbols.hpp"
#include "bloomery/apps/exchange/digest_set.hpp"
#include "bloomery/apps/exchange/sync_messages.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::exchange {

enum class sync_method : std::uint8_t { automatic, rateless, iblt, tree, filter, list };
inline constexpr std::array<std::string_view, 6> sync_methods{"auto", "rateless", "iblt",
                                                              "tree", "filter",   "list"};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of their use
struct sync_options {
  sync_method method = sync_method::automatic;
  std::uint64_t bits = 8;        // of a filter, for each line; the tree has as many for its nodes
  std::uint64_t correction = 1;  // of the tree
  bool fetch = false;            // the lines that only the other has
  hasher hash{};
  apps::peer partner{};  // by the driver's number
};

struct sync_outcome {
  bool finished = false;
  bool exact = false;             // else there may be more differences
  differences differ;             // in order
  std::uint64_t theirs = 0;       // lines
  std::uint64_t their_bytes = 0;  // of all their lines, as they say
  sync_method used = sync_method::automatic;
  std::uint64_t rounds = 0;   // questions that were answered
  std::uint64_t symbols = 0;  // or cells, that came
  std::uint64_t needed = 0;   // symbols that would have been enough
  std::uint64_t visits = 0;   // of nodes and leaves, here
  std::uint64_t fetched = 0;  // lines
};

// The lines that have these digests, each by its place in the question; in any order.
using line_source =
    std::function<void(std::span<const digest> wanted,
                       const std::function<void(std::size_t place, std::string_view line)>& give)>;
// A line that only the other has, and the digest that it was fetched by.
using line_sink = std::function<void(digest of, std::string_view line)>;

class sync_asker {
 public:
  // The set must live on.
  sync_asker(const digest_set& mine, const sync_options& options, line_sink lines);
  sync_asker(sync_asker&&) noexcept;
  ~sync_asker();

  void start(apps::time now, apps::outbox& out);
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out);
  void tick(apps::time, std::uint64_t, apps::outbox&) {}

  [[nodiscard]] const sync_outcome& outcome() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class sync_answerer {
 public:
  sync_answerer(const digest_set& mine, const hasher& hash, line_source lines);
  sync_answerer(sync_answerer&&) noexcept;
  ~sync_answerer();

  void start(apps::time, apps::outbox&) {}
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out);
  void tick(apps::time, std::uint64_t, apps::outbox&) {}

  [[nodiscard]] bool finished() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace bloomery::exchange
