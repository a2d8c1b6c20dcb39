// O3: every tag is known by its changing answers, and few chains are walked for it.
#include "bloomery/apps/gate/chain_directory.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

apps::tag_state state_of(std::uint64_t seed, std::uint64_t tag) {
  const digest a = lab::numbered(seed, 1, tag);
  const digest b = lab::numbered(seed, 2, tag);
  return {a.lo, a.hi, b.lo, b.hi};
}

}  // namespace

lab::result chains(const lab::request& asked) {
  const std::uint64_t tags = asked.count("tags");
  const std::uint64_t steps = asked.count("steps");
  const std::uint64_t readings = asked.count("readings");
  math::require_whole("tags", tags, 1, 1'000'000);
  math::require_whole("readings", readings, 2, 10'000'000);
  apps::chain_directory directory({.steps = steps, .rate = asked.ratio("fpr")}, tags);
  for (std::uint64_t tag = 0; tag < tags; ++tag) directory.add(state_of(asked.seed(), tag));

  lab::result found;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < readings; ++i) {
    const digest chance = lab::numbered(asked.seed(), 3, i);
    const std::uint64_t tag = hash::reduce(chance.lo, tags);
    apps::tag_state state = state_of(asked.seed(), tag);
    digest answer;
    for (std::uint64_t step = hash::reduce(chance.hi, steps) + 1; step > 0; --step) {
      answer = apps::answer_and_move(state);
    }
    wrong += std::uint64_t{directory.identify(answer) != tag};
  }
  found.never("a tag was not identified", wrong, readings);
  auto& walked = found.add(
      lab::told("steps walked for a reading", lab::unit::count,
                static_cast<double>(directory.steps_walked()) / static_cast<double>(readings)));
  // Half of all chains, on average, until the right one is met.
  walked.rivals.push_back(
      {"walking all chains", static_cast<double>(tags) * static_cast<double>(steps) / 2});

  // A reading of nobody's tag: every chain that passes is walked in vain.
  std::vector<double> walks;
  std::uint64_t taken_for_a_tag = 0;
  for (std::uint64_t i = 0; i < readings; ++i) {
    const std::uint64_t before = directory.walks();
    taken_for_a_tag +=
        std::uint64_t{directory.identify(lab::numbered(asked.seed(), 4, i)).has_value()};
    walks.push_back(static_cast<double>(directory.walks() - before));
  }
  found.never("a stranger was taken for a tag", taken_for_a_tag, readings);
  found.add(lab::mean_of("chains walked in vain for a reading", lab::unit::count, walks,
                         directory.expected_passes()));
  auto& bytes =
      found.add(lab::told("bytes", lab::unit::bytes, static_cast<double>(directory.bytes())));
  bytes.rivals.push_back(
      {"a table of all answers",
       static_cast<double>(tags) * static_cast<double>(steps) * (sizeof(digest) + 4)});
  return found;
}

extern constinit const system_info chains_system{
    .id = "O3",
    .name = "RFID identification",
    .source = "Tarkoma IV-F",
    .where = pattern::gate,
    .does =
        "A tag answers differently each time, by a chain of one-way functions, so that it cannot "
        "be traced. A filter of each tag's answers to come spares its owner from walking all "
        "chains to know it again.",
    .figure = "Every reading is identified; chains are walked in vain at the filters' rate.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"tags", "10k", "tags"},
                          {"steps", "128", "answers of each that are calculated before"},
                          {"readings", "1000", "of tags, and as many of strangers"},
                          {"fpr", "0.1%", "of a tag's filter"}}},
    .run = chains};

}  // namespace bloomery::systems
