// D2: a differential file with a filter before it, against a map that knows every record.
#include <algorithm>

#include "bloomery/apps/gate/changed_records.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

// Below, periods are too much alike for their spread to tell anything.
constexpr double fewest_due = 100;

struct workload {
  std::uint64_t records;
  std::uint64_t ops;  // between merges
  double updates;     // the share of ops that are
};

struct period {
  std::uint64_t reads = 0;
  std::uint64_t stale = 0;
  std::uint64_t unchanged = 0;  // of the reads
  std::uint64_t in_vain = 0;    // of them, those that went to the differential file
  double expected = 0;          // by the state of the filter at each of them

  [[nodiscard]] double share(double hits) const { return hits / static_cast<double>(unchanged); }
};

// One batch of reads and updates, and the merge after it.
period run_period(const workload& given, std::uint64_t seed, std::uint64_t number,
                  apps::changed_records& records, std::vector<std::string>& oracle) {
  period seen;
  std::vector<bool> changed(given.records);
  double rate = records.current_rate();
  const std::uint64_t in_vain_before = records.book().false_positives();
  for (std::uint64_t i = 0; i < given.ops; ++i) {
    const digest chance = lab::numbered(seed, number, i);
    const std::uint64_t record = hash::reduce(chance.lo, given.records);
    if (static_cast<double>(chance.hi) * 0x1p-64 < given.updates) {
      oracle[record] = std::to_string(number) + " " + std::to_string(i);
      records.update(record, oracle[record]);
      changed[record] = true;
      rate = records.current_rate();
      continue;
    }
    ++seen.reads;
    if (records.read(record) != oracle[record]) ++seen.stale;
    if (changed[record]) continue;
    ++seen.unchanged;
    seen.expected += rate;
  }
  seen.in_vain = records.book().false_positives() - in_vain_before;
  records.merge();
  return seen;
}

}  // namespace

lab::result differential_file(const lab::request& asked) {
  const std::uint64_t ops = asked.count("ops");
  const std::uint64_t merges = asked.count("merges");
  const workload given{asked.count("records"), ops / std::max<std::uint64_t>(merges, 1),
                       asked.ratio("updates")};
  math::require_whole("records", given.records, 2, 10'000'000);
  math::require_whole("merges", merges, 2, 10'000);
  math::require_whole("ops", ops, 100 * merges, 100'000'000);
  math::require_share("updates", given.updates);
  const auto changes = static_cast<std::uint64_t>(given.updates * static_cast<double>(given.ops));

  apps::records_in_memory main;
  apps::records_in_memory differential;
  std::vector<std::string> oracle(given.records);
  for (std::uint64_t i = 0; i < given.records; ++i) {
    main.write(i, oracle[i] = "record " + std::to_string(i));
  }
  apps::changed_records records(main, differential, std::max<std::uint64_t>(changes, 1),
                                asked.ratio("rate"), asked.seed());
  std::uint64_t reads = 0;
  std::uint64_t stale = 0;
  std::uint64_t left = 0;
  std::vector<double>
      shares;  // a value a period: within one, a record that is read twice is answered alike
  double expected = 0;
  double due = 0;
  for (std::uint64_t number = 0; number < merges; ++number) {
    const period seen = run_period(given, asked.seed(), number, records, oracle);
    reads += seen.reads;
    stale += seen.stale;
    left += std::uint64_t{records.current_rate() != 0 || !differential.all().empty()};
    if (seen.unchanged == 0) fail(errc::invalid, "updates leave no record unchanged");
    shares.push_back(seen.share(static_cast<double>(seen.in_vain)));
    expected += seen.share(seen.expected) / static_cast<double>(merges);
    due += seen.expected;
  }

  lab::result found;
  found.never("a stale record was read", stale, reads);
  found.never("a merge left something in the filter or in the differential file", left, merges);
  lab::figure& in_vain =
      found.add(lab::mean_of("reads of unchanged records that go to the differential file",
                             lab::unit::share, shares, expected));
  if (due < fewest_due) {
    in_vain.predicted.reset();
    found.note("Only " + format_real(due) +
               " reads in vain were to be expected: too few to judge.");
  }
  found
      .add(lab::told("reads of the differential file, of all", lab::unit::share,
                     static_cast<double>(records.book().passed()) / static_cast<double>(reads)))
      .rivals = {{"without a filter", 1.0}};
  return found;
}

extern constinit const system_info differential_file_system{
    .id = "D2",
    .name = "Differential file",
    .source = "Severance and Lohman 1976; Gremillion 1982; Broder and Mitzenmacher 3.2",
    .where = pattern::gate,
    .does =
        "A large file stays as it is, and changes go to a small one. A read goes to the small "
        "one only if a filter says that the record has changed; a batch merges the two.",
    .figure =
        "No stale record is ever read; unchanged ones are looked for in the small file at "
        "the rate of the filter.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"records", "100k", "in the main file"},
                          {"ops", "1M", "reads and updates"},
                          {"updates", "10%", "the share of them that are updates"},
                          {"merges", "20", "batches that empty the differential file"},
                          {"rate", "1%", "of the filter, when a merge is due"}}},
    .run = differential_file};

}  // namespace bloomery::systems
