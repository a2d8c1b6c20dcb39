// D3: tables of a log-structured store, each behind a filter; in memory, in LevelDB or in RocksDB.
#include <cmath>

#include "bloomery/apps/shelf/table_store.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using apps::table_cell;

// The store in memory; its own filters are standard ones.
class memory_store : public lab::store {
 public:
  explicit memory_store(const lab::store_plan& plan)
      : tables_(plan.built_in() ? "standard" : plan.kind, plan.rate) {}

  void write(const std::vector<table_cell>& cells) override {
    keys_ += cells.size();
    tables_.write(cells);
  }
  std::optional<std::string> read(const std::string& row, const std::string& column) override {
    return tables_.read(row, column);
  }
  [[nodiscard]] bool scans() const override { return true; }
  std::map<std::string, std::string> scan(const std::string& row) override {
    return tables_.scan(row);
  }
  lab::store_counts take_counts() override {
    const auto& book = tables_.book();
    const lab::store_counts all{book.asked(), book.passed(), book.passed(),
                                tables_.expected_passed()};
    const lab::store_counts since{all.asked - before_.asked, all.passed - before_.passed,
                                  all.read - before_.read,
                                  all.expected_passed - before_.expected_passed};
    before_ = all;
    return since;
  }
  double bits_a_key() override {
    return 8 * static_cast<double>(tables_.filter_bytes()) / static_cast<double>(keys_);
  }

 private:
  apps::table_store tables_;
  std::uint64_t keys_ = 0;
  lab::store_counts before_;
};

std::unique_ptr<lab::store> open_store(const lab::request& asked, const lab::store_plan& plan) {
  const std::string& name = asked.text("store");
  if (name == "lab") return std::make_unique<memory_store>(plan);
  if (name != "leveldb" && name != "rocksdb") {
    fail(errc::invalid,
         "the setting store is " + in_quotes(name) + "; allowed: lab, leveldb, rocksdb");
  }
  return asked.outside().open_store(name, plan);
}

// Rows are spread over all tables; row r of table t has columns "a" and "b", and only rows that are 0 modulo 8
// are in a second table as well, with column "c".
constexpr std::uint64_t shared_rows = 8;

class world {
 public:
  world(std::uint64_t seed, std::uint64_t tables, std::uint64_t rows)
      : seed_(seed), tables_(tables), rows_(rows) {}

  [[nodiscard]] std::string row(std::uint64_t table, std::uint64_t i) const {
    return name(table, i);
  }
  // Of a name that no table has, among the others in the order of keys.
  [[nodiscard]] std::string stranger(std::uint64_t i) const { return name(tables_, i); }

  void fill(lab::store& store) const {
    for (std::uint64_t table = 0; table < tables_; ++table) {
      std::vector<table_cell> cells;
      for (std::uint64_t i = 0; i < rows_; ++i) {
        cells.push_back({row(table, i), "a", "a" + std::to_string(i)});
        cells.push_back({row(table, i), "b", "b" + std::to_string(i)});
        if (table > 0 && i % shared_rows == 0) {
          cells.push_back({row(table - 1, i), "c", "c" + std::to_string(i)});
        }
      }
      store.write(cells);
    }
  }
  [[nodiscard]] std::map<std::string, std::string> columns(std::uint64_t table,
                                                           std::uint64_t i) const {
    std::map<std::string, std::string> all{{"a", "a" + std::to_string(i)},
                                           {"b", "b" + std::to_string(i)}};
    if (table + 1 < tables_ && i % shared_rows == 0) all["c"] = "c" + std::to_string(i);
    return all;
  }
  [[nodiscard]] std::uint64_t tables() const { return tables_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  [[nodiscard]] std::string name(std::uint64_t stream, std::uint64_t i) const {
    const std::uint64_t number = lab::numbered(seed_, stream, i).lo;
    std::string digits = std::to_string(number);
    return "r" + std::string(20 - digits.size(), '0') + digits;
  }

  std::uint64_t seed_;
  std::uint64_t tables_;
  std::uint64_t rows_;
};

struct answers {
  std::uint64_t asked = 0;
  std::uint64_t wrong = 0;
};

// Every column of the first rows of each table.
answers ask_present(lab::store& store, const world& made, std::uint64_t rows) {
  answers given;
  for (std::uint64_t table = 0; table < made.tables(); ++table) {
    for (std::uint64_t i = 0; i < std::min(rows, made.rows()); ++i) {
      for (const auto& [column, value] : made.columns(table, i)) {
        ++given.asked;
        if (store.read(made.row(table, i), column) != value) ++given.wrong;
      }
    }
  }
  return given;
}

// Rows that are nowhere, and columns that rows do not have.
answers ask_absent(lab::store& store, const world& made, std::uint64_t questions) {
  answers given;
  for (std::uint64_t i = 0; i < questions; ++i) {
    ++given.asked;
    const bool stranger = i % 2 == 0;
    const std::string row =
        stranger ? made.stranger(i) : made.row(i % made.tables(), i % made.rows());
    if (store.read(row, stranger ? "a" : "absent" + std::to_string(i))) ++given.wrong;
  }
  return given;
}

// Bits a key for each halving of the rate: what a filter costs whatever rate it came out with.
double bits_a_halving(double bits, const lab::store_counts& absent) {
  if (absent.passed == 0 || absent.passed == absent.asked) return bits;
  return bits / std::log2(static_cast<double>(absent.asked) / static_cast<double>(absent.passed));
}

void add_scans(lab::store& store, const world& made, std::uint64_t rows, lab::result& found) {
  (void)store.take_counts();
  answers given;
  std::uint64_t holders = 0;
  std::uint64_t questions = 0;
  for (std::uint64_t table = 0; table < made.tables(); ++table) {
    for (std::uint64_t i = 0; i < std::min(rows, made.rows()); ++i, ++questions) {
      const auto columns = made.columns(table, i);
      holders += columns.size() - 1;  // "c" is in a table of its own
      ++given.asked;
      if (store.scan(made.row(table, i)) != columns) ++given.wrong;
    }
  }
  const lab::store_counts counts = store.take_counts();
  found.never("a scan returned other columns than were written", given.wrong, given.asked);
  const auto strangers = counts.asked - holders;
  // Each filter has its rate for the rows that it does not hold; the holders pass in any case.
  const double rate = counts.expected_passed / static_cast<double>(counts.asked);
  found
      .add(lab::count_of("tables that scans of a row read beyond those that hold it",
                         counts.passed - holders, strangers, rate))
      .rivals = {{"without filters", static_cast<double>(strangers)}};
}

}  // namespace

lab::result log_structured_store(const lab::request& asked) {
  const world made(asked.seed(), asked.count("tables"), asked.count("rows"));
  const std::uint64_t questions = asked.count("questions");
  const lab::store_plan plan{asked.text("kind"), asked.ratio("rate"), asked.size("block")};
  math::require_whole("tables", made.tables(), 1, 1000);
  math::require_whole("rows", made.rows(), 1, 10'000'000);
  math::require_whole("questions", questions, 2, 100'000'000);
  math::require_whole("block", plan.block_bytes, 1024, std::uint64_t{64} << 20);
  if (plan.built_in())
    fail(errc::invalid, "the setting kind is empty; `bloomery kinds` lists them");
  const std::uint64_t scanned = std::max<std::uint64_t>(1, questions / 40 / made.tables());

  lab::host& outside = asked.outside();
  outside.phase("D3: writes " + format_count(made.tables()) + " tables");
  const auto store = open_store(asked, plan);
  made.fill(*store);
  outside.phase("D3: asks");
  const answers known = ask_present(*store, made, made.rows());  // and every table has been opened
  (void)store->take_counts();
  const answers unknown = ask_absent(*store, made, questions);
  const lab::store_counts absent = store->take_counts();
  const double bits = store->bits_a_key();

  lab::result found;
  found.never("a value that was written was missed", known.wrong, known.asked);
  found.never("a value was found that nobody wrote", unknown.wrong, unknown.asked);
  if (absent.asked == 0) fail(errc::io, "the store asked no filter");
  found.add(lab::share_of("blocks read for absent (row, column), of those asked about", absent.read,
                          absent.asked,
                          absent.expected_passed / static_cast<double>(absent.asked)));
  found.add(lab::told("filters asked for each question", lab::unit::real,
                      static_cast<double>(absent.asked) / static_cast<double>(unknown.asked)));
  if (store->scans()) add_scans(*store, made, scanned, found);

  outside.phase("D3: the same with the store's own filters");
  const auto own =
      open_store(asked, {.kind = "", .rate = plan.rate, .block_bytes = plan.block_bytes});
  made.fill(*own);
  (void)ask_present(*own, made, 1);
  (void)own->take_counts();
  (void)ask_absent(*own, made, questions);
  const lab::store_counts rival = own->take_counts();
  const double own_bits = own->bits_a_key();
  found.add(lab::told("bits a key", lab::unit::real, bits)).rivals = {
      {"the store's own filter", own_bits},
      {"which lets pass a share of",
       static_cast<double>(rival.passed) /
           static_cast<double>(std::max<std::uint64_t>(1, rival.asked))}};
  const double cost = bits_a_halving(bits, absent);
  const double own_cost = bits_a_halving(own_bits, rival);
  found.add(lab::told("bits a key for each halving of the rate", lab::unit::real, cost)).rivals = {
      {"the store's own filter", own_cost}};
  found.add(lab::told("fewer bits than its own filter at the same rate", lab::unit::share,
                      1 - cost / own_cost));
  return found;
}

extern constinit const system_info log_structured_store_system{
    .id = "D3",
    .name = "Log-structured store",
    .source = "Bigtable (Chang et al. 2006); Tarkoma IV-A, IV-F",
    .where = pattern::shelf,
    .does =
        "A store of sorted tables asks the newest first and goes on to older ones. A filter on "
        "each, of rows or of (row, column), says which need not be read.",
    .figure =
        "No value is missed; what is nowhere costs the rate of the filter times the tables, "
        "and a scan reads the holders of its row and that rate of the others.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"store", "lab",
                           "lab, in memory; leveldb (libleveldb-dev); or rocksdb "
                           "(librocksdb-dev)"},
                          {"kind", "ribbon", "of the filters"},
                          {"rate", "1%", "of the filters"},
                          {"tables", "4", "written one after the other"},
                          {"rows", "20k", "of each table, with two columns or three"},
                          {"questions", "100k", "for what is nowhere"},
                          {"block", "256k", "bytes of data to a filter, in LevelDB"}}},
    .run = log_structured_store};

}  // namespace bloomery::systems
