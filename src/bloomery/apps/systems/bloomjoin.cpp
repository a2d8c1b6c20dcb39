// D1: two tables that lie apart are joined; a filter of the keys goes to the rows.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bloomery/apps/exchange/semijoin.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/semijoin.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

// Of a city's name, whose other letters are drawn, and of an employee's number.
constexpr std::uint64_t city_digits = 6;
constexpr std::uint64_t employee_digits = 9;
constexpr std::uint64_t most_head_bytes = 64;  // of a message beside what it is sent for

struct join_world {
  std::uint64_t cities;
  std::uint64_t dear;  // the first so many
  std::uint64_t per_city;
  std::uint64_t rest_bytes;
  std::uint64_t key_bytes;
  std::uint64_t seed;

  [[nodiscard]] std::uint64_t matches() const { return dear * per_city; }
  [[nodiscard]] std::uint64_t strangers() const { return cities - dear; }
  [[nodiscard]] std::uint64_t rest() const { return strangers() * per_city; }

  [[nodiscard]] std::string name(std::uint64_t city) const {
    std::string made = std::to_string(city);
    made.insert(0, city_digits - made.size(), '0');
    for (std::uint64_t letters = lab::numbered(seed, 0, city).lo; made.size() < key_bytes;) {
      constexpr std::uint64_t alphabet = 26;
      made += static_cast<char>('a' + letters % alphabet);
      letters = letters / alphabet ^ letters << 32U;
    }
    return made;
  }
  [[nodiscard]] std::string employee(std::uint64_t city, std::uint64_t i) const {
    std::string number = std::to_string(i * cities + city);
    number.insert(0, rest_bytes - number.size(), '0');
    return number;
  }
};

// Near knows which cities are dear, far where employees live.
struct join_tables {
  apps::listed_table near;
  apps::listed_table far;
  explicit join_tables(const join_world& world) : near(dear_of(world)), far(employees_of(world)) {}

 private:
  using rows = std::vector<std::pair<std::string, std::string>>;
  static rows dear_of(const join_world& world) {
    rows made;
    for (std::uint64_t city = 0; city < world.dear; ++city) made.emplace_back(world.name(city), "");
    return made;
  }
  static rows employees_of(const join_world& world) {
    rows made;
    for (std::uint64_t i = 0; i < world.per_city; ++i) {
      for (std::uint64_t city = 0; city < world.cities; ++city) {
        made.emplace_back(world.name(city), world.employee(city, i));
      }
    }
    lab::random_stream random(world.seed, 1);
    for (std::size_t i = made.size(); i > 1; --i) std::swap(made[i - 1], made[random.below(i)]);
    return made;
  }
};

struct joined {
  apps::join_report report;
  apps::traffic traffic;         // of both parties
  std::uint64_t missed = 0;      // rows that join
  std::uint64_t kept = 0;        // after the false ones are removed
  std::uint64_t kept_wrong = 0;  // that do not join, or came before
};

joined join(const join_world& world, join_tables& tables, apps::join_method method,
            const std::string& kind, double rate) {
  std::map<std::string, std::string, std::less<>> wanted;  // city of each employee
  for (std::uint64_t city = 0; city < world.dear; ++city) {
    for (std::uint64_t i = 0; i < world.per_city; ++i) {
      wanted.emplace(world.employee(city, i), world.name(city));
    }
  }
  joined found;
  lab::world link(world.seed);
  const lab::peer asker = link.add(
      apps::join_asker(tables.near, hasher(),
                       {.partner = lab::peer{1}, .method = method, .rate = rate, .kind = kind},
                       [&](std::string_view key, std::string_view rest) {
                         ++found.kept;
                         const auto at = wanted.find(rest);
                         const bool right = at != wanted.end() && at->second == key;
                         if (right) wanted.erase(at);
                         found.kept_wrong += std::uint64_t{!right};
                       }));
  link.connect(asker, link.add(apps::join_holder(tables.far, hasher())), {});
  link.run();
  found.report = link.get<apps::join_asker>(asker).report();
  found.traffic = link.sent();
  found.missed = wanted.size();
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
void plot_rates(lab::result& found, const join_world& world, join_tables& tables,
                const std::string& kind, double semijoin) {
  lab::series by_rate{.panel = "Bytes of a join",
                      .x = "rate of the filter",
                      .y = "bytes",
                      .name = "Bloomjoin",
                      .points = {},
                      .logarithmic_x = true};
  lab::series flat = by_rate;
  flat.name = "semijoin";
  for (int exponent = 2; exponent <= 14; exponent += 2) {
    const double rate = std::pow(2.0, -exponent);
    const joined tried = join(world, tables, apps::join_method::filter, kind, rate);
    by_rate.points.emplace_back(rate, static_cast<double>(tried.traffic.bytes));
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
                         .rest_bytes = asked.size("row"),
                         .key_bytes = asked.size("key"),
                         .seed = asked.seed()};
  math::require_whole("cities", world.cities, 2, 1'000'000);
  math::require_whole("dear", world.dear, 1, world.cities - 1);
  math::require_whole("employees", world.per_city, 1, 100);
  math::require_whole("row", world.rest_bytes, employee_digits, 4096);
  math::require_whole("key", world.key_bytes, city_digits + 2, 4096);
  const std::string kind = asked.text("kind");

  join_tables tables(world);
  const auto by = [&](apps::join_method method) {
    return join(world, tables, method, kind, asked.ratio("rate"));
  };
  const joined filtered = by(apps::join_method::filter);
  // The rivals, in messages as well: all keys and the rows that join, or all rows.
  const joined by_keys = by(apps::join_method::keys);
  const joined all = by(apps::join_method::rows);
  const auto bytes = static_cast<double>(filtered.traffic.bytes);
  const auto semijoin = static_cast<double>(by_keys.traffic.bytes);
  const auto all_bytes = static_cast<double>(all.traffic.bytes);
  const apps::join_report& report = filtered.report;

  lab::result found;
  found.never("an employee of a dear city was missed", filtered.missed, world.matches());
  found.never("a row was kept that does not join", filtered.kept_wrong, filtered.kept);
  found.never("a rival found another join",
              by_keys.missed + by_keys.kept_wrong + all.missed + all.kept_wrong,
              by_keys.kept + all.kept);
  found.never("some rows of a city passed, and others did not", report.false_ones % world.per_city,
              report.false_ones);

  // As it travels: the key and the rest, and how long they are.
  const auto length_bytes = [](std::uint64_t size) { return size < 128 ? 1U : 2U; };
  const auto row =
      static_cast<double>(world.key_bytes + world.rest_bytes + length_bytes(world.key_bytes) +
                          length_bytes(world.rest_bytes));
  const auto key = static_cast<double>(world.key_bytes + length_bytes(world.key_bytes));
  const auto bytes_at = [&](double false_cities) {
    return math::bloomjoin_bytes(report.filter_bytes,
                                 false_cities / static_cast<double>(world.strangers()),
                                 world.matches(), world.rest(), row);
  };
  const auto heads = static_cast<double>(most_head_bytes * filtered.traffic.messages);
  const auto and_heads = [&](lab::figure figure, double of) {
    figure.predicted->high += of;
    return figure;
  };
  const lab::figure base =
      lab::count_of("strange cities let through", report.false_ones / world.per_city,
                    world.strangers(), report.rate);
  found.add(base);
  found
      .add(by_cities(base, "rows sent", lab::unit::count, static_cast<double>(report.received),
                     [&](double wrong) {
                       return static_cast<double>(world.matches()) +
                              wrong * static_cast<double>(world.per_city);
                     }))
      .rivals = {{"exact rows", static_cast<double>(by_keys.report.received)}};
  found
      .add(and_heads(by_cities(base, "bytes, filter and rows", lab::unit::bytes, bytes, bytes_at),
                     heads))
      .rivals = {{"semijoin", semijoin}, {"all rows", all_bytes}};
  found.add(and_heads(
      by_cities(base, "share of the bytes of all rows", lab::unit::share, bytes / all_bytes,
                [&](double wrong) { return bytes_at(wrong) / all_bytes; }),
      heads / all_bytes));
  // Keys that are longer by a byte cost the semijoin a byte for each of them more.
  const auto dear = static_cast<double>(world.dear);
  lab::figure even = by_cities(
      base, "key length from which a filter is cheaper", lab::unit::bytes,
      static_cast<double>(world.key_bytes) + (bytes - semijoin) / dear, [&](double wrong) {
        return math::even_key_bytes(report.filter_bytes,
                                    wrong / static_cast<double>(world.strangers()), world.dear,
                                    world.rest(), row) -
               (key - static_cast<double>(world.key_bytes));
      });
  even.predicted->low -= static_cast<double>(most_head_bytes * by_keys.traffic.messages) / dear;
  even.predicted->high += heads / dear;
  found.add(std::move(even));
  found.add(lab::told("rate of the fewest bytes", lab::unit::share,
                      math::best_join_rate(world.dear, world.rest(), row)));
  plot_rates(found, world, tables, kind, semijoin);
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
                          {"row", "10B", "bytes of an employee's row beside the city"},
                          {"key", "10B", "bytes of a city's name"},
                          {"kind", "standard", "of the filter"},
                          {"rate", "0.2%", "false-positive rate of the filter"}}},
    .run = bloomjoin};

}  // namespace bloomery::systems
