// P4: the documents that have two words, whose lists lie on two nodes.
#include <set>
#include <string>

#include "bloomery/apps/exchange/semijoin.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/semijoin.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using listed_ids = std::vector<std::pair<std::string, std::string>>;

// Identifiers of documents: those that both lists have are of stream 0, the others of a list's own.
listed_ids ids_of(std::uint64_t seed, std::uint64_t own_stream, std::uint64_t common,
                  std::uint64_t all, std::size_t bytes) {
  listed_ids ids;
  for (std::uint64_t i = 0; i < all; ++i) {
    std::string id;
    for (std::uint64_t part = 0; id.size() < bytes; ++part) {
      const digest drawn = i < common ? lab::numbered(seed, 2 * part, i)
                                      : lab::numbered(seed, 2 * part + 1, own_stream + 2 * i);
      std::array<std::byte, sizeof drawn> raw;
      core::store_le(raw.data(), drawn.lo);
      core::store_le(&raw[8], drawn.hi);
      for (const std::byte each : raw) id += static_cast<char>(each);
    }
    id.resize(bytes);
    ids.emplace_back(std::move(id), "");
  }
  return ids;
}

}  // namespace

lab::result keyword_intersection(const lab::request& asked) {
  const std::uint64_t near_size = asked.count("near");
  const std::uint64_t far_size = asked.count("far");
  const std::uint64_t common = asked.count("common");
  const std::uint64_t id_bytes = asked.size("id");
  math::require_whole("near", near_size, 1, 10'000'000);
  math::require_whole("far", far_size, 1, 10'000'000);
  math::require_whole("common", common, 0, std::min(near_size, far_size));
  math::require_whole("id", id_bytes, 8, 256);
  const double best =
      math::best_join_rate(near_size, far_size - common, static_cast<double>(id_bytes));

  apps::listed_table near(ids_of(asked.seed(), 0, common, near_size, id_bytes));
  apps::listed_table far(ids_of(asked.seed(), 1, common, far_size, id_bytes));
  std::vector<std::string> found;
  lab::world world(asked.seed());
  const lab::peer asker = world.add(apps::join_asker(
      near, hasher(),
      {.partner = lab::peer{1},
       .want = apps::join_want::keys,
       .method = apps::join_method::filter,
       .rate = asked.text("rate").empty() ? std::min(best, 0.4) : asked.ratio("rate"),
       .kind = asked.text("kind")},
      [&](std::string_view key, std::string_view) { found.emplace_back(key); }));
  world.connect(asker, world.add(apps::join_holder(far, hasher())), {});
  world.run();
  const apps::join_report& report = world.get<apps::join_asker>(asker).report();

  // Ids of the common stream come first in either list.
  std::set<std::string> expected;
  for (const auto& id : ids_of(asked.seed(), 0, common, common, id_bytes))
    expected.insert(id.first);
  std::uint64_t wrong = 0;
  for (const std::string& id : found) wrong += std::uint64_t{expected.erase(id) == 0};

  lab::result result;
  result.never("a document with both words was missed", expected.size(), common);
  result.never("a document was found that lacks a word, or twice", wrong, found.size());
  const std::uint64_t strangers = far_size - common;
  const lab::figure let_through = lab::count_of("ids let through by mistake", report.false_ones,
                                                std::max<std::uint64_t>(1, strangers), report.rate);
  result.add(let_through);
  result.add(lab::told("bits of the filter, an id of the near list", lab::unit::real,
                       8 * report.filter_bytes / static_cast<double>(near_size)));
  // All messages of both parties, against the near list as it is. Each id comes with a byte for its length.
  const auto list = static_cast<double>(near_size * id_bytes);
  const auto sent = static_cast<double>(world.sent().bytes);
  const auto times_at = [&](double false_ones) {
    return list / (sent + (false_ones - static_cast<double>(report.false_ones)) *
                              static_cast<double>(id_bytes + 1));
  };
  lab::figure times = lab::told("times fewer bytes than the list", lab::unit::real, list / sent);
  times.predicted =
      math::interval{times_at(let_through.predicted->high), times_at(let_through.predicted->low)};
  const auto each = static_cast<double>(id_bytes);
  const double least = math::best_join_rate(near_size, strangers, each, math::least_bits_a_halving);
  times.rivals = {{"a filter of the least bits",
                   list / math::bloomjoin_bytes(
                              math::join_filter_bytes(near_size, least, math::least_bits_a_halving),
                              least, common, strangers, each)}};
  result.add(std::move(times));
  return result;
}

extern constinit const system_info keyword_intersection_system{
    .id = "P4",
    .name = "Keyword intersection",
    .source = "Reynolds and Vahdat 2003; Broder and Mitzenmacher 5.3",
    .where = pattern::exchange,
    .does =
        "Each word of a search lies on a node of its own, with the documents that have it. The "
        "first node sends a filter of its documents to the second, which answers with those "
        "that pass, and the first removes the false ones.",
    .figure = "Exactly the documents with both words, for a tenth of the bytes of a list or less.",
    .verb = "join",
    .needs = "",
    .settings_or_none = {{{"near", "10k", "documents of the first word"},
                          {"far", "10k", "documents of the second"},
                          {"common", "100", "documents of both"},
                          {"id", "16B", "bytes of a document's identifier"},
                          {"kind", "standard", "of the filter"},
                          {"rate", "", "of the filter; none for that of the fewest bytes"}}},
    .run = keyword_intersection};

}  // namespace bloomery::systems
