// O6: SPIN searches the states of a model, and remembers them in a filter of this library.
#include <cctype>
#include <numeric>

#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/omissions.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

// Below, searches are too much alike for their spread to tell anything.
constexpr double fewest_left_out = 100;

struct counters_model {
  std::uint64_t counters;
  std::uint64_t values;
  std::uint64_t states = 1;

  counters_model(std::uint64_t how_many, std::uint64_t of_values)
      : counters(how_many), values(of_values) {
    math::require_whole("counters", counters, 1, 16);
    math::require_whole("values", values, 2, 255);
    for (std::uint64_t i = 0; i < counters; ++i) {
      states *= values;
      math::require_whole("the number of states", states, 2, 20'000'000);
    }
  }
  // Any counter may go on by one at any time: each state has as many predecessors as there are counters.
  [[nodiscard]] std::string text() const {
    std::string model;
    for (std::uint64_t i = 0; i < counters; ++i) model += "byte c" + std::to_string(i) + ";\n";
    model += "active proctype count() {\n  do\n";
    for (std::uint64_t i = 0; i < counters; ++i) {
      const std::string name = "c" + std::to_string(i);
      model += "  :: " + name + " = (" + name + " + 1) % " + std::to_string(values) + "\n";
    }
    return model + "  od\n}\n";
  }
};

// The number in front of "states, stored" in what a verifier prints.
std::uint64_t stored_states(const std::string& printed) {
  const std::size_t end = printed.find(" states, stored");
  std::size_t start = end == std::string::npos ? 0 : end;
  while (start > 0 && std::isdigit(static_cast<unsigned char>(printed[start - 1])) != 0) --start;
  if (end == std::string::npos || start == end || end - start > 15) {
    fail(errc::io, "the verifier does not say how many states it stored");
  }
  if (printed.find("max search depth too small") != std::string::npos) {
    fail(errc::io, "the verifier gave up at its greatest depth");
  }
  return std::stoull(printed.substr(start, end - start));
}

// Verifiers `exact`, `spins` and `ours` of a model, in the scratch folder.
void make_verifiers(lab::host& outside, const counters_model& model) {
  const std::string choice = "b_store = bstore_reg;";
  const std::string changed = "b_store = bloomery_pan_store;";
  outside.run({"tee", "model.pml"}, model.text());
  outside.run({"spin", "-a", "model.pml"}, {});
  const std::string ours = outside.run({"sed", "s/" + choice + "/" + changed + "/", "pan.c"}, {});
  if (ours.find(changed) == std::string::npos) {
    fail(errc::unsupported, "the verifier that this SPIN writes has no line with " + choice);
  }
  outside.run({"tee", "ours.c"}, ours);
  outside.run({"gcc", "-O1", "-w", "-DSAFETY", "-o", "exact", "pan.c"}, {});
  outside.run({"gcc", "-O1", "-w", "-DSAFETY", "-DBITSTATE", "-o", "spins", "pan.c"}, {});
  const lab::library_flags library = outside.library();
  std::vector<std::string> compile{"gcc", "-O1", "-w", "-DSAFETY", "-DBITSTATE"};
  compile.insert(compile.end(), library.compile.begin(), library.compile.end());
  compile.insert(compile.end(), {"-include", "bloomery/plugins/spin.h", "-c", "ours.c"});
  outside.run(compile, {});
  std::vector<std::string> link{"g++", "ours.o", "-o", "ours"};
  link.insert(link.end(), library.link.begin(), library.link.end());
  outside.run(link, {});
}

struct searches {
  std::vector<double> lost;  // states, by each search

  [[nodiscard]] double coverage(double states) const {
    return 1 - std::reduce(lost.begin(), lost.end()) / static_cast<double>(lost.size()) / states;
  }
};

}  // namespace

lab::result state_space(const lab::request& asked) {
  const counters_model model(asked.count("counters"), asked.count("values"));
  const std::uint64_t log2_bits = asked.count("log2_bits");
  const std::uint64_t hashes = asked.count("hashes");
  const std::uint64_t runs = asked.count("runs");
  math::require_whole("log2_bits", log2_bits, 10, 32);
  math::require_whole("hashes", hashes, 1, 16);
  math::require_whole("runs", runs, 2, 90);  // SPIN has some 100 hash constants

  lab::host& outside = asked.outside();
  outside.phase("O6: SPIN writes the verifiers");
  make_verifiers(outside, model);
  const auto states = static_cast<double>(model.states);
  const std::string deep = "-m" + std::to_string(model.states + 10);
  const std::uint64_t exact = stored_states(outside.run({"./exact", deep, "-w20"}, {}));
  searches ours;
  searches spins;
  for (std::uint64_t run = 0; run < runs; ++run) {
    outside.phase("O6: search " + std::to_string(run + 1) + " of " + std::to_string(runs));
    const auto lost_by = [&](const std::string& verifier) {
      const std::string printed = outside.run(
          {verifier, deep, "-w" + std::to_string(log2_bits), "-k" + std::to_string(hashes),
           "-h" + std::to_string((asked.seed() + run) % 100)},
          {});
      return states - static_cast<double>(stored_states(printed));
    };
    ours.lost.push_back(lost_by("./ours"));
    spins.lost.push_back(lost_by("./spins"));
  }

  const auto lost =
      math::search_omissions(std::uint64_t{1} << log2_bits, hashes, model.states, model.counters);
  lab::result found;
  constexpr double tenth_of_a_point = 0.001;
  found.never("coverage was over a tenth of a point below that of SPIN's own bits",
              std::uint64_t{ours.coverage(states) < spins.coverage(states) - tenth_of_a_point}, 1);
  found.add(
      lab::exactly("states by exact search", lab::unit::count, static_cast<double>(exact), states));
  lab::figure& missed = found.add(
      lab::mean_of("states that a search leaves out", lab::unit::count, ours.lost, lost.expected));
  missed.predicted->high += lost.hidden;
  const double due = lost.expected * static_cast<double>(runs);
  if (due < fewest_left_out) {
    missed.predicted.reset();
    found.note("Only " + format_real(due) +
               " were to be expected in all searches: too few to judge.");
  }
  missed.rivals = {{"SPIN's own bits", states * (1 - spins.coverage(states))}};
  found.add(lab::told("states that a search covers", lab::unit::share, ours.coverage(states)))
      .rivals = {{"SPIN's own bits", spins.coverage(states)}};
  return found;
}

extern constinit const system_info state_space_system{
    .id = "O6",
    .name = "State-space verification",
    .source = "Holzmann 1998; Dillinger and Manolios 2004; Tarkoma IV-F",
    .where = pattern::gate,
    .does =
        "A model checker remembers in a filter which states it has seen, and so searches spaces "
        "that its memory could not list. A state that the filter claims by mistake is left out.",
    .figure =
        "SPIN with this library's filter covers as much as with its own bits; states left out "
        "are as many as the exact rates add up to.",
    .verb = "",
    .needs = "spin gcc g++",
    .settings_or_none = {{{"counters", "6", "of the model; each state has as many predecessors"},
                          {"values", "7", "of each counter"},
                          {"log2_bits", "20", "of the filter, as a power of two"},
                          {"hashes", "5", "of the filter"},
                          {"runs", "10", "searches, each with another hash"}}},
    .run = state_space};

}  // namespace bloomery::systems
