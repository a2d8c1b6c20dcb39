#include "race.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <optional>

#include "bloomery/bits/batch/by_region.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::bench {
namespace {

// Long enough for the clock, which takes a third of a microsecond.
constexpr std::uint64_t piece_keys = std::uint64_t{1} << 15;
constexpr std::uint64_t most_pieces = 16;
constexpr unsigned most_repeats = 10'000;
constexpr std::uint64_t most_warmed = std::uint64_t{1} << 30;
constexpr std::uint64_t chunk = std::uint64_t{1} << 16;  // of strangers

double seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// An even number of pieces if there are two keys, so that both ways of doing a thing get as many.
std::uint64_t pieces_of(std::uint64_t keys) {
  const std::uint64_t wanted = std::clamp<std::uint64_t>(keys / piece_keys, 2, most_pieces);
  return std::min(keys, wanted - wanted % 2);
}

// Calls act(part, number) for each piece of the keys.
template <class Key, class Act>
void in_pieces(std::span<const Key> keys, Act act) {
  const std::uint64_t pieces = pieces_of(keys.size());
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t first = keys.size() * i / pieces;
    act(keys.subspan(first, keys.size() * (i + 1) / pieces - first), i);
  }
}

// The least time of each piece over the repeats; a row is their sum.
class least_times {
 public:
  void add(step done, std::uint64_t piece, std::uint64_t keys, double ns) {
    std::vector<entry>& pieces = steps_[done];
    if (pieces.size() <= piece) pieces.resize(piece + 1);
    pieces[piece].keys = keys;
    pieces[piece].ns = std::min(pieces[piece].ns, ns);
  }
  // Nothing if the step was never done.
  [[nodiscard]] std::optional<double> ns_per_key(step done) const {
    const auto found = steps_.find(done);
    if (found == steps_.end()) return std::nullopt;
    double ns = 0;
    double keys = 0;
    for (const entry& piece : found->second) {
      if (piece.keys == 0) continue;
      ns += piece.ns;
      keys += static_cast<double>(piece.keys);
    }
    return ns / keys;
  }

 private:
  struct entry {
    std::uint64_t keys = 0;
    double ns = std::numeric_limits<double>::infinity();
  };
  std::map<step, std::vector<entry>> steps_;
};

// Memory that the system has not handed out before may be far slower at its first touch, on a
// virtual machine above all, and the first to build would pay for all.
void warm_memory(std::uint64_t bytes) {
  storage warmed = storage::allocate(std::min(bytes, most_warmed));
  for (std::uint64_t at = 0; at < warmed.size(); at += 4096) {
    warmed.bytes_for_writing()[at] = std::byte{1};
  }
}

// One contestant: what it showed so far, or why it is out.
template <class Key>
class runner {
 public:
  runner(const contestant<Key>& side, const workload<Key>& work) : side_(side), work_(work) {}

  [[nodiscard]] const contestant<Key>& side() const { return side_; }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  void take_turn(unsigned repeat) {
    if (!refusal_.empty()) return;
    try {
      made_structure<Key> filter = side_.make ? side_.make() : built(1);
      if (filter == nullptr) fail(errc::out_of_memory, "cannot be made for so many keys");
      if (side_.make) fill(*filter, repeat);
      if (repeat == 0) examine(*filter);
      ask(*filter);
      take_out(*filter, repeat);
      filter.reset();
      if (side_.make) built(1);
      built(2);
    } catch (const error& problem) {
      refusal_ = problem.what();
    } catch (const std::bad_alloc&) {
      refusal_ = "not enough memory";
    }
  }

  void add_rows(const bench_options& options, std::vector<bench_row>& rows) const {
    for (const operation what : all_operations) {
      for (const bool batch : {false, true}) {
        const std::optional<double> ns = times_.ns_per_key({what, batch});
        if (!ns) continue;
        rows.push_back(
            {.name = side_.name,
             .hash = side_.hash,
             .rival = side_.rival,
             .what = what,
             .batch = batch,
             .ns_per_key = *ns,
             .bits_per_key = 8 * static_cast<double>(bytes_) / static_cast<double>(options.keys),
             .measured_rate =
                 static_cast<double>(mistaken_) / static_cast<double>(work_.rate_sample),
             .rate_sample = work_.rate_sample});
      }
    }
  }

 private:
  using key_span = std::span<const Key>;

  [[nodiscard]] key_span keys() const { return work_.keys.keys; }
  [[nodiscard]] bool can(operation what, bool batch) const {
    return side_.can.contains({what, batch});
  }
  // Where it can do both, batches take turns with single keys.
  [[nodiscard]] bool by_batch(operation what, std::uint64_t turn) const {
    return can(what, true) && (!can(what, false) || turn % 2 == 1);
  }

  void fill(structure<Key>& filter, unsigned repeat) {
    in_pieces(keys(), [&](key_span part, std::uint64_t piece) {
      const bool batch = by_batch(operation::insert, piece + repeat);
      filter.prepare(part);
      const double ns = time_ns([&] { filter.insert(part, batch); });
      if (!side_.only_reads) times_.add({operation::insert, batch}, piece, part.size(), ns);
    });
  }

  void ask(structure<Key>& filter) {
    for (const bool batch : {false, true}) {
      if (!can(operation::find, batch)) continue;
      std::uint64_t found = 0;
      in_pieces(key_span(work_.asked.keys), [&](key_span part, std::uint64_t piece) {
        filter.prepare(part);
        const double ns = time_ns([&] { found += filter.find(part, batch); });
        times_.add({operation::find, batch}, piece, part.size(), ns);
      });
      require_found(found, work_.hits, work_.hits);
    }
    if (!can(operation::find_dependent, false)) return;
    in_pieces(key_span(work_.asked.keys), [&](key_span part, std::uint64_t piece) {
      volatile std::uint64_t zero = 0;
      const double ns = time_ns([&] { (void)filter.find_dependent(part, zero); });
      times_.add({operation::find_dependent, false}, piece, part.size(), ns);
    });
  }

  void take_out(structure<Key>& filter, unsigned repeat) {
    if (!can(operation::remove, false) && !can(operation::remove, true)) return;
    in_pieces(keys().first(work_.asked.keys.size()), [&](key_span part, std::uint64_t piece) {
      const bool batch = by_batch(operation::remove, piece + repeat);
      const double ns = time_ns([&] { (void)filter.remove(part, batch); });
      times_.add({operation::remove, batch}, piece, part.size(), ns);
    });
  }

  made_structure<Key> built(unsigned threads) {
    const operation what = threads == 1 ? operation::build : operation::build_on_two;
    if (!can(what, true)) return nullptr;
    warm_memory(2 * keys().size() + std::min(bits::records_memory, 8 * keys().size()));
    made_structure<Key> made;
    const double ns = time_ns([&] { made = side_.build(keys(), threads); },
                              threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
    if (made != nullptr) times_.add({what, true}, 0, keys().size(), ns);
    return made;
  }

  // What is the same in every repeat, and untimed: memory, mistakes, and that no key is missed.
  void examine(structure<Key>& filter) {
    bytes_ = filter.bytes();
    if (side_.only_reads) return;
    const bool batch = can(operation::find, true);
    const key_span some = keys().first(std::min<std::uint64_t>(keys().size(), work_.rate_sample));
    filter.prepare(some);
    require_found(filter.find(some, batch), some.size(), some.size());
    for (std::uint64_t i = 0; i < work_.rate_sample; i += chunk) {
      const auto strangers =
          work_.source.from(work_.first_stranger + i, std::min(chunk, work_.rate_sample - i));
      filter.prepare(strangers.keys);
      mistaken_ += filter.find(strangers.keys, batch);
    }
  }

  void require_found(std::uint64_t found, std::uint64_t least, std::uint64_t given) const {
    if (!side_.finds_all || found >= least) return;
    fail(errc::invalid, "misses " + format_count(least - found) + " of " + format_count(given) +
                            " keys that it was given");
  }

  const contestant<Key>& side_;
  const workload<Key>& work_;
  least_times times_;
  std::uint64_t bytes_ = 0;
  std::uint64_t mistaken_ = 0;
  std::string refusal_;
};

}  // namespace

template <class Key>
void run_race(const std::vector<contestant<Key>>& sides, const workload<Key>& work,
              const bench_options& options, const progress& report, filter_results& results) {
  std::vector<runner<Key>> runners;
  runners.reserve(sides.size());
  for (const contestant<Key>& side : sides) runners.emplace_back(side, work);

  const double start = seconds_now();
  const auto share_done = [&](unsigned repeat, std::size_t turn) {
    const double turns = repeat + static_cast<double>(turn) /
                                      static_cast<double>(std::max<std::size_t>(1, runners.size()));
    const double by_repeats = turns / options.repeats;
    const double by_time =
        options.seconds > 0 ? (seconds_now() - start) / options.seconds : by_repeats;
    return std::min({by_repeats, by_time, 1.0});
  };
  double longest = 0;  // round
  for (unsigned repeat = 0; repeat < most_repeats; ++repeat) {
    const double now = seconds_now() - start;
    if (repeat >= options.repeats && now + longest > options.seconds) break;
    for (std::size_t turn = 0; turn < runners.size(); ++turn) {
      runner<Key>& next = runners[(turn + repeat) % runners.size()];
      if (report) report(share_done(repeat, turn), next.side().name);
      next.take_turn(repeat);
    }
    longest = std::max(longest, seconds_now() - start - now);
  }
  if (report) report(1, "");

  for (const runner<Key>& one : runners) {
    if (one.refusal().empty()) {
      one.add_rows(options, results.rows);
    } else {
      results.skipped.push_back({one.side().name, one.refusal()});
    }
  }
}

template void run_race(const std::vector<contestant<std::uint64_t>>&,
                       const workload<std::uint64_t>&, const bench_options&, const progress&,
                       filter_results&);
template void run_race(const std::vector<contestant<std::string_view>>&,
                       const workload<std::string_view>&, const bench_options&, const progress&,
                       filter_results&);

}  // namespace bloomery::bench
