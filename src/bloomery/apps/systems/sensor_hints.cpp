// N4: sensors on a grid; what is within a few hops is known for certain, what is beyond leaves a trace.
#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/overlay/scoped_summary.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using hint_node = overlay::node<overlay::scoped_summary>;

struct sensor_plan {
  std::uint64_t width;
  std::uint64_t scope;
  std::uint64_t seed;
  exponential_decay_shape shape;
  [[nodiscard]] digest event(std::uint64_t sensor) const { return lab::numbered(seed, 1, sensor); }
};

lab::peer sensor(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

// Every sensor has seen something that no other has.
void place_sensors(lab::world& world, const sensor_plan& plan, const lab::graph& field) {
  for (lab::graph::vertex v = 0; v < field.size(); ++v) {
    overlay::node_setup setup{.self = sensor(v), .links = {}};
    for (const lab::graph::vertex w : field.neighbours(v)) {
      setup.links.push_back(
          {sensor(w), overlay::toward::mesh, std::uint64_t{v} * field.size() + w});
    }
    setup.beats = plan.scope + 4;
    setup.seed = plan.seed;
    hint_node made(std::move(setup), overlay::scoped_summary(plan.shape, plan.scope));
    made.insert(plan.event(v));
    world.add(std::move(made));
  }
  world.connect(field, overlay_link);
  world.run();
}

struct hinted {
  question_log log;  // of first tries
  std::uint64_t tries = 0;
  std::uint64_t asked = 0;
  std::uint64_t missed = 0;
  std::uint64_t detours = 0;
  double steps = 0;
  double distance = 0;
  double messages = 0;
};

struct hint_questions {
  overlay::walk how;
  std::uint64_t least;  // how far the events are
  std::uint64_t most;
  std::uint64_t count;
  std::uint64_t first_id;
  std::uint64_t steps = overlay::most_steps;
  std::uint64_t tries = 1;  // until there is an answer
};

// Questions for events at these distances, on what is left of the field.
hinted follow_hints(lab::world& world, const sensor_plan& plan, const lab::graph& field,
                    const hint_questions& questions) {
  hinted found;
  lab::random_stream random(plan.seed, 2);
  std::uint64_t id = questions.first_id;
  while (found.asked < questions.count) {
    const auto asker = static_cast<lab::graph::vertex>(random.below(field.size()));
    const auto holder = static_cast<lab::graph::vertex>(random.below(field.size()));
    const std::uint64_t distance = lab::distances(field, asker)[holder];
    if (distance < questions.least || distance > questions.most) continue;
    ++found.asked;
    const digest word = plan.event(holder);
    const auto ask = [&] {
      return ask_overlay<hint_node>(world, sensor(asker), {&word, 1}, id++, questions.how,
                                    questions.steps);
    };
    auto got = ask();
    found.log.answered.push_back(!got.came.holders.empty());
    found.log.messages.push_back(got.spent.sent.messages);
    std::uint64_t tries = 1;
    for (; tries < questions.tries && found.missed == 0 && got.came.holders.empty(); ++tries)
      got = ask();
    found.tries += tries;
    found.missed += std::uint64_t{got.came.holders != std::vector<std::uint64_t>{holder}};
    found.detours += std::uint64_t{got.came.steps > distance};
    found.steps += static_cast<double>(got.came.steps);
    found.distance += static_cast<double>(distance);
    found.messages += static_cast<double>(got.spent.sent.messages);
  }
  const auto all = static_cast<double>(questions.count);
  found.steps /= all;
  found.distance /= all;
  found.messages /= all;
  return found;
}

}  // namespace

lab::result sensor_hints(const lab::request& asked) {
  const sensor_plan plan{.width = asked.count("width"),
                         .scope = asked.count("scope"),
                         .seed = asked.seed(),
                         .shape = {.bits = asked.count("bits"), .hashes = 16, .decay = 2}};
  const std::uint64_t questions = asked.count("questions");
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  math::require_whole("width", plan.width, 8, 100);
  math::require_whole("scope", plan.scope, 1,  // and something is beyond it
                      std::min(overlay::scoped_summary::most_scope, plan.width - 1));
  math::require_whole("questions", questions, 4, 100'000);
  require_few_leave(leaving);
  require_little_lost(loss, 4 * plan.scope);  // there and back, with detours

  const lab::graph field = lab::grid(plan.width, plan.width);
  lab::world world(plan.seed);
  place_sensors(world, plan, field);
  const hint_questions within{.how = overlay::walk::best,
                              .least = 1,
                              .most = plan.scope,
                              .count = questions,
                              .first_id = 1};
  const auto near = follow_hints(world, plan, field, within);
  const std::uint64_t few = questions / 4;
  hint_questions beyond{.how = overlay::walk::gradient,
                        .least = plan.scope + 1,
                        .most = 2 * plan.scope + 2,
                        .count = few,
                        .first_id = 1'000'000};
  const auto far = follow_hints(world, plan, field, beyond);
  beyond.how = overlay::walk::wandering;
  beyond.first_id = 2'000'000;
  beyond.steps = std::uint64_t{10} * field.size();
  const auto wandering = follow_hints(world, plan, field, beyond);
  hint_questions flooding = within;
  flooding.how = overlay::walk::flooding;
  flooding.count = few;
  flooding.first_id = 3'000'000;
  flooding.steps = plan.scope;
  const auto flood = follow_hints(world, plan, field, flooding);
  std::uint64_t most_bytes = 0;
  for (std::uint64_t v = 0; v < field.size(); ++v) {
    most_bytes = std::max(most_bytes, world.get<hint_node>(sensor(v)).table_bytes());
  }

  world.lose(loss);
  hint_questions again = within;
  again.first_id = 4'000'000;
  again.tries = most_tries;
  const auto lossy = follow_hints(world, plan, field, again);
  world.lose(0);
  const std::vector<bool> gone = some_of(field.size(), leaving, plan.seed);
  leave_overlay<hint_node>(world, field, gone);
  hint_questions later = within;
  later.first_id = 5'000'000;
  const auto deserted = follow_hints(world, plan, without(field, gone), later);

  lab::result found;
  found.never("an event within the scope was not found by hints alone", near.missed, near.asked);
  found.never("an event beyond the scope was not found", far.missed, far.asked);
  found.never("an event within the scope was not found although what was lost was asked for again",
              lossy.missed, lossy.asked);
  found.never("an event within the scope was not found after sensors had gone", deserted.missed,
              deserted.asked);
  found.never("a flood of as many hops missed an event within the scope", flood.missed,
              flood.asked);
  found.never("a sound message was refused", world.told("refused"), world.delivered().messages);
  found.add(lab::told("messages to an event within the scope", lab::unit::real, near.messages))
      .rivals = {{"flooding the scope", flood.messages}};
  // Fewer messages than a flood is what hints are for.
  found.add({.what = "share of the messages of a flood",
             .in = lab::unit::share,
             .measured = near.messages / flood.messages,
             .predicted = math::interval{0, 1}});
  found.add(lab::told("steps to an event within the scope", lab::unit::real, near.steps)).rivals = {
      {"the shortest way", near.distance}};
  found.add(lab::told("steps to an event beyond it", lab::unit::real, far.steps)).rivals = {
      {"the shortest way", far.distance}, {"random walk", wandering.steps}};
  found.add(answered_with_losses(near.log, lossy.log, loss));
  found.add(lab::told("times a question was put where messages are lost", lab::unit::real,
                      static_cast<double>(lossy.tries) / static_cast<double>(lossy.asked)));
  found
      .add(lab::told("steps to an event within the scope after sensors had gone", lab::unit::real,
                     deserted.steps))
      .rivals = {{"the shortest way", deserted.distance}};
  found.add(lab::exactly("bytes of filters at a sensor", lab::unit::bytes,
                         static_cast<double>(most_bytes),
                         static_cast<double>(4 * (plan.scope + 1) *
                                             exponential_decay_filter::payload_bytes(plan.shape))));
  return found;
}

extern constinit const system_info sensor_hints_system{
    .id = "N4",
    .name = "Hints for sensors",
    .source = "HR-SDBF; Tarkoma III-H",
    .where = pattern::overlay,
    .does =
        "Sensors tell their neighbours what they have seen: within a scope of hops without loss, "
        "beyond "
        "it by traces that fade. A question follows the nearest claim, or the strongest trace.",
    .figure =
        "An event within the scope is always found by hints alone, with fewer messages than a "
        "flood "
        "of the scope, also after sensors have gone; beyond it in fewer steps than a random walk.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"width", "24", "of the square grid"},
                          {"scope", "3", "hops without loss"},
                          {"bits", "2048", "of a filter, one for each hop and one for traces"},
                          {"questions", "1000", "for events within the scope"},
                          {"leaving", "10%", "of the sensors, before as many questions more"},
                          {"loss", "5%", "of messages, when the questions are put again"}}},
    .run = sensor_hints};

}  // namespace bloomery::systems
