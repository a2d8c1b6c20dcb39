// O4: predictors of a processor, whose counters are in banks or anywhere.
#include <array>
#include <map>

#include "bloomery/apps/gate/vote.hpp"
#include "bloomery/apps/lab/lackey.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

constexpr std::uint64_t voters = 3;
constexpr std::uint64_t banks = 4;
// The paper's claim is only that banks predict about as well.
constexpr double a_point = 0.01;

struct event {
  std::uint64_t key;
  bool happens;
};

// Branches are known by their address and what the last eight did.
std::vector<event> branch_events(const lab::processor_trace& trace) {
  std::vector<event> events;
  std::uint64_t history = 0;
  for (const auto& [at, taken] : trace.branches) {
    events.push_back({(at << 8) | history, taken});
    history = ((history << 1) | std::uint64_t{taken}) & 0xff;
  }
  return events;
}

// A cache of 32 KiB, eight lines of 64 bytes in each of 64 sets, the line used longest ago goes.
class small_cache {
 public:
  // Whether the line was there, and whether it was the one that its set used last.
  struct use {
    bool hit;
    bool last;
  };
  use load(std::uint64_t line) {
    auto& set = sets_[line % sets];
    std::size_t way = 0;
    while (way + 1 < ways && set[way] != line) ++way;
    const use found{set[way] == line, way == 0 && set[way] == line};
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = line;
    return found;
  }

 private:
  static constexpr std::uint64_t sets = 64;
  static constexpr std::size_t ways = 8;
  std::array<std::array<std::uint64_t, ways>, sets> sets_{};
};

struct load_events {
  std::vector<event> hits;       // of an instruction: is what it loads in the cache?
  std::vector<event> last_tags;  // of a line: is it the one that its set used last?
};

load_events events_of_loads(const lab::processor_trace& trace) {
  constexpr std::uint64_t line_bytes = 64;
  load_events events;
  small_cache cache;
  for (const auto& [at, address] : trace.loads) {
    const std::uint64_t line = address / line_bytes;
    const auto [hit, last] = cache.load(line);
    events.hits.push_back({at, hit});
    events.last_tags.push_back({line, last});
  }
  return events;
}

digest key_of(const event& each) {
  const std::uint64_t lo = hash::mix(each.key + hash::golden);
  return {lo, hash::mix(lo ^ each.key)};
}

template <class Probes>
double accuracy(const std::vector<event>& events, const Probes& probes) {
  apps::vote<Probes> guess(probes);
  std::uint64_t right = 0;
  for (const event& each : events) {
    const digest key = key_of(each);
    right += std::uint64_t{guess.expects(key) == each.happens};
    guess.learn(key, each.happens);
  }
  return static_cast<double>(right) / static_cast<double>(events.size());
}

// A counter for each key, whatever that costs.
double ideal_accuracy(const std::vector<event>& events) {
  std::map<std::uint64_t, apps::vote<hash::uniform_probes>> guesses;
  std::uint64_t right = 0;
  for (const event& each : events) {
    auto& guess = guesses.try_emplace(each.key, hash::uniform_probes{1, 1}).first->second;
    right += std::uint64_t{guess.expects({}) == each.happens};
    guess.learn({}, each.happens);
  }
  return static_cast<double>(right) / static_cast<double>(events.size());
}

void compare(lab::result& found, const std::string& what, const std::vector<event>& events,
             std::uint64_t counters) {
  if (events.empty()) {
    found.note("The trace has nothing for: " + what + ".");
    return;
  }
  const double banked = accuracy(events, hash::banked_probes{counters / banks, banks, voters});
  const double anywhere = accuracy(events, hash::uniform_probes{counters, voters});
  auto& right = found.add(lab::told(what + ", right in banks", lab::unit::share, banked));
  right.rivals = {{"anywhere", anywhere},
                  {"one table", accuracy(events, hash::uniform_probes{counters, 1})},
                  {"a counter for each key", ideal_accuracy(events)}};
  found.add({.what = what + ", lost by banks",
             .in = lab::unit::share,
             .measured = anywhere - banked,
             .predicted = math::interval{-a_point, a_point}});
}

}  // namespace

lab::result predictors(const lab::request& asked) {
  const std::uint64_t counters = asked.count("counters");
  math::require_whole("counters", counters, banks, 1 << 26);
  std::string text;
  if (asked.text("trace").empty()) {
    const std::string file = asked.outside().scratch() + "/trace";
    asked.outside().run({"valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + file, "sh",
                         "-c", asked.text("program")},
                        {});
    text = asked.outside().read(file);
  } else {
    text = asked.outside().read(asked.text("trace"));
  }
  const lab::processor_trace trace = lab::read_lackey(text);
  lab::result found;
  compare(found, "branches", branch_events(trace), counters);
  const load_events loads = events_of_loads(trace);
  compare(found, "load hits", loads.hits, counters);
  compare(found, "last tags", loads.last_tags, counters);
  found.note("Branches " + std::to_string(trace.branches.size()) + ", loads " +
             std::to_string(trace.loads.size()) +
             "; the interval is the paper's claim, not a prediction of ours.");
  return found;
}

extern constinit const system_info predictors_system{
    .id = "O4",
    .name = "Predictors in processors",
    .source = "Tarkoma IV-F",
    .where = pattern::gate,
    .does =
        "Counters chosen as a filter chooses bits vote on whether a branch is taken, a load hits "
        "the cache, or a line is the last used of its set. In banks they need no memory with "
        "several ports.",
    .figure = "Banks predict within a point of counters that may be anywhere, at equal bits.",
    .verb = "",
    .needs = "valgrind",
    .settings_or_none = {{{"program", "gzip -c /usr/share/common-licenses/BSD >/dev/null",
                           "a shell command to watch"},
                          {"trace", "", "a file of lackey's instead"},
                          {"counters", "8192", "of two bits"}}},
    .run = predictors};

}  // namespace bloomery::systems
