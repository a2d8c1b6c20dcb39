// D1: two tables that lie apart are joined; a filter of the keys goes to the rows.
#include <cmath>
#include <set>

#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/semijoin.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::systems {
namespace {

using message = std::vector<std::byte>;

struct employee {
  std::uint64_t id;
  std::uint64_t city;
};

struct join_world {
  std::uint64_t cities;
  std::uint64_t dear;  // the first so many
  std::uint64_t per_city;
  std::uint64_t row_bytes;
  std::uint64_t seed;

  [[nodiscard]] std::uint64_t matches() const { return dear * per_city; }
  [[nodiscard]] std::uint64_t strangers() const { return cities - dear; }
  [[nodiscard]] std::uint64_t rest() const { return strangers() * per_city; }
  [[nodiscard]] digest key(std::uint64_t city) const { return lab::numbered(seed, 0, city); }
};

// A row as it travels: its two numbers, and what else a row has.
constexpr std::size_t number_bytes = sizeof(std::uint64_t);

void append_row(message& sent, const employee& row, std::size_t row_bytes) {
  const std::size_t at = sent.size();
  sent.resize(at + row_bytes);
  core::store_le(&sent[at], row.id);
  core::store_le(&sent[at + number_bytes], row.city);
}

// The rows of the employees whose city `wanted` takes.
template <class Wanted>
message rows_of(const join_world& world, Wanted wanted) {
  message sent;
  for (std::uint64_t city = 0; city < world.cities; ++city) {
    if (!wanted(city)) continue;
    for (std::uint64_t i = 0; i < world.per_city; ++i) {
      append_row(sent, {i * world.cities + city, city}, world.row_bytes);
    }
  }
  return sent;
}

struct joined {
  std::uint64_t bytes = 0;  // of both messages
  std::uint64_t filter_bytes = 0;
  double rate = 0;               // of this very filter
  apps::ledger cities;           // asked by the party that has the rows
  std::uint64_t rows = 0;        // sent
  std::uint64_t kept = 0;        // after the false ones are removed
  std::uint64_t kept_wrong = 0;  // that do not join
};

// Near knows which cities are dear, far where employees live.
joined join_by_filter(const join_world& world, double rate) {
  auto made = standard_filter::for_keys(world.dear, rate);
  for (std::uint64_t city = 0; city < world.dear; ++city) made.insert(world.key(city));
  const message question = wire::save(made);

  joined found;
  const auto filter = wire::carried_filter(question).open<standard_filter>(made.record().hash);
  const message answer = rows_of(world, [&](std::uint64_t city) {
    const bool passed = filter.may_contain(world.key(city));
    found.cities.record(passed, city < world.dear);
    return passed;
  });

  std::set<std::uint64_t> dear;
  for (std::uint64_t city = 0; city < world.dear; ++city) dear.insert(city);
  for (std::size_t at = 0; at < answer.size(); at += world.row_bytes) {
    const auto id = core::load_le<std::uint64_t>(&answer[at]);
    ++found.rows;
    if (!dear.contains(core::load_le<std::uint64_t>(&answer[at + number_bytes]))) continue;
    ++found.kept;
    found.kept_wrong += std::uint64_t{id % world.cities >= world.dear};
  }
  found.bytes = question.size() + answer.size();
  found.filter_bytes = question.size();
  found.rate = filter.current_rate();
  return found;
}

// A binomial figure of cities, as one of something that grows with it.
lab::figure by_cities(lab::figure figure, std::string what, lab::unit in, double measured,
                      const auto& of_count) {
  figure.what = std::move(what);
  figure.in = in;
  figure.measured = measured;
  figure.predicted = {of_count(figure.predicted->low), of_count(figure.predicted->high)};
  return figure;
}

// How the bytes of a Bloomjoin depend on the rate, beside a semijoin, which has none.
void plot_rates(lab::result& found, const join_world& world, double semijoin) {
  lab::series by_rate{.panel = "Bytes of a join",
                      .x = "rate of the filter",
                      .y = "bytes",
                      .name = "Bloomjoin",
                      .points = {},
                      .logarithmic_x = true};
  lab::series flat = by_rate;
  flat.name = "semijoin";
  for (int exponent = 2; exponent <= 14; ++exponent) {
    const double rate = std::pow(2.0, -exponent);
    by_rate.points.emplace_back(rate, static_cast<double>(join_by_filter(world, rate).bytes));
    flat.points.emplace_back(rate, semijoin);
  }
  found.plot(std::move(by_rate));
  found.plot(std::move(flat));
}

}  // namespace

lab::result bloomjoin(const lab::request& asked) {
  const join_world world{.cities = asked.count("cities"),
                         .dear = asked.count("dear"),
                         .per_city = asked.count("employees"),
                         .row_bytes = asked.size("row"),
                         .seed = asked.seed()};
  const std::uint64_t key_bytes = asked.size("key");
  math::require_whole("cities", world.cities, 2, 1'000'000);
  math::require_whole("dear", world.dear, 1, world.cities - 1);
  math::require_whole("employees", world.per_city, 1, 100);
  math::require_whole("row", world.row_bytes, 2 * number_bytes, 4096);
  math::require_whole("key", key_bytes, 1, 4096);

  const joined join = join_by_filter(world, asked.ratio("rate"));
  // The rivals, sent as well: all keys and the rows that join, or all rows.
  const message keys(world.dear * key_bytes);
  const message exact = rows_of(world, [&](std::uint64_t city) { return city < world.dear; });
  const message all = rows_of(world, [](std::uint64_t) { return true; });
  const auto semijoin = static_cast<double>(keys.size() + exact.size());
  const auto all_bytes = static_cast<double>(all.size());

  lab::result found;
  found.never("an employee of a dear city was missed", world.matches() - join.kept,
              world.matches());
  found.never("a row was kept that does not join", join.kept_wrong, join.kept);

  const auto row = static_cast<double>(world.row_bytes);
  const auto bytes_at = [&](double false_cities) {
    return math::bloomjoin_bytes(static_cast<double>(join.filter_bytes),
                                 false_cities / static_cast<double>(world.strangers()),
                                 world.matches(), world.rest(), row);
  };
  const lab::figure base = lab::count_of(
      "strange cities let through", join.cities.false_positives(), world.strangers(), join.rate);
  found.add(base);
  found
      .add(by_cities(base, "rows sent", lab::unit::count, static_cast<double>(join.rows),
                     [&](double wrong) {
                       return static_cast<double>(world.matches()) +
                              wrong * static_cast<double>(world.per_city);
                     }))
      .rivals = {{"exact rows", static_cast<double>(exact.size()) / row}};
  found
      .add(by_cities(base, "bytes, filter and rows", lab::unit::bytes,
                     static_cast<double>(join.bytes), bytes_at))
      .rivals = {{"semijoin", semijoin}, {"all rows", all_bytes}};
  found.add(by_cities(base, "share of the bytes of all rows", lab::unit::share,
                      static_cast<double>(join.bytes) / all_bytes,
                      [&](double wrong) { return bytes_at(wrong) / all_bytes; }));
  const auto keys_sent = static_cast<double>(world.dear);
  found.add(
      by_cities(base, "key length from which a filter is cheaper", lab::unit::bytes,
                (static_cast<double>(join.bytes) - static_cast<double>(exact.size())) / keys_sent,
                [&](double wrong) {
                  return math::even_key_bytes(static_cast<double>(join.filter_bytes),
                                              wrong / static_cast<double>(world.strangers()),
                                              world.dear, world.rest(), row);
                }));
  found.add(lab::told("rate of the fewest bytes", lab::unit::share,
                      math::best_join_rate(world.dear, world.rest(), row)));
  plot_rates(found, world, semijoin);
  return found;
}

extern constinit const system_info bloomjoin_system{
    .id = "D1",
    .name = "Bloomjoin",
    .source = "Mackert and Lohman; Broder and Mitzenmacher 3.2, Tarkoma II-B and IV-A",
    .where = pattern::exchange,
    .does =
        "Two tables that lie apart are joined. The party with the keys sends a filter of them, "
        "the "
        "party with the rows sends back those that pass, and the first removes the false ones.",
    .figure = "Exactly the rows that join; bytes: the filter, and (matches + rate x rest) rows.",
    .verb = "join",
    .needs = "",
    .settings_or_none = {{{"cities", "100k", "cities in all"},
                          {"dear", "900", "cities that are looked for"},
                          {"employees", "2", "employees of a city"},
                          {"row", "21B", "bytes of an employee's row"},
                          {"key", "10B", "bytes of a city's name"},
                          {"rate", "0.2%", "false-positive rate of the filter"}}},
    .run = bloomjoin};

}  // namespace bloomery::systems
