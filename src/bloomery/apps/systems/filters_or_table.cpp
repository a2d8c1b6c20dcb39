// N8: everybody's filter at every node, against a distributed hash table.
#include <bit>
#include <cassert>

#include "bloomery/apps/overlay/chord.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

struct location_plan {
  std::uint64_t nodes;
  std::uint64_t objects;  // of a node
  double rate;
  std::uint64_t questions;
  std::uint64_t seed;
  double leaving;  // the share of the nodes
  double loss;     // and of messages
  [[nodiscard]] digest object(std::uint64_t i) const { return lab::numbered(seed, 1, i); }
};

lab::peer place(std::uint64_t node) {
  return lab::peer{static_cast<std::uint32_t>(node)};
}

// What becomes of it where messages are lost, and after nodes have gone.
struct troubled {
  std::uint64_t asked = 0;           // others, where messages are lost
  std::uint64_t answered_first = 0;  // at the first try
  std::uint64_t missed = 0;          // after so many tries
  std::uint64_t later = 0;           // look-ups after nodes had gone, for what others hold
  std::uint64_t missed_later = 0;
  std::vector<double> extra_later;  // nodes asked in vain then
  double expected_later = 0;
};

struct located {
  std::uint64_t missed = 0;
  std::vector<double> extra;     // nodes asked in vain, or steps
  std::vector<double> messages;  // a look-up, until the holder has been asked and has answered
  double expected = 0;
  std::uint64_t state = 0;        // bytes that a node keeps, on average
  double messages_of_change = 0;  // when a node has one object more
  double bytes_of_change = 0;
};

std::vector<bool> leavers(const location_plan& plan) {
  std::vector<bool> gone = some_of(plan.nodes, plan.leaving, plan.seed);
  gone[0] = false;  // so that somebody stays
  return gone;
}

// What is lost is asked for again.
void lose_some(lab::world& world, const location_plan& plan, troubled& found) {
  world.lose(plan.loss);
  lab::random_stream random(plan.seed, 4);
  std::uint64_t id = 1'000'000'000;
  for (std::uint64_t q = 0; q < plan.questions; ++q) {
    const std::uint64_t number = random.below(plan.nodes * plan.objects);
    const std::uint64_t holder = number / plan.objects;
    const std::uint64_t asker = random.below(plan.nodes);
    if (asker == holder) continue;
    ++found.asked;
    const digest key = plan.object(number);
    bool answered = false;
    for (std::uint64_t n = 0; n < (found.missed == 0 ? most_tries : 1) && !answered; ++n) {
      const auto got =
          ask_overlay<plain_node>(world, place(asker), {&key, 1}, ++id, overlay::walk::matching);
      answered = got.came.holders == std::vector{holder};
      found.answered_first += std::uint64_t{answered && n == 0};
    }
    found.missed += std::uint64_t{!answered};
  }
  world.lose(0);
}

// Nodes go without a word, and nobody notices: who claims an object and has gone is asked for nothing.
void desert(lab::world& world, const location_plan& plan, std::span<const double> rates,
            troubled& found) {
  const std::vector<bool> gone = leavers(plan);
  std::vector<double> staying;
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    if (gone[v]) {
      world.leave(place(v));
    } else {
      staying.push_back(rates[v]);
    }
  }
  const double all = math::expected_claims(staying);
  lab::random_stream random(plan.seed, 5);
  for (std::uint64_t q = 0; q < plan.questions; ++q) {
    const std::uint64_t number = random.below(plan.nodes * plan.objects);
    const std::uint64_t holder = number / plan.objects;
    const std::uint64_t asker = random.below(plan.nodes);
    if (gone[asker] || gone[holder]) continue;
    ++found.later;
    const digest key = plan.object(number);
    const auto got = ask_overlay<plain_node>(world, place(asker), {&key, 1}, 2'000'000'000 + q,
                                             overlay::walk::matching);
    found.missed_later += std::uint64_t{got.came.holders != std::vector{holder}};
    found.extra_later.push_back(static_cast<double>(got.spent.in_vain));
    found.expected_later += all - rates[asker] - (asker == holder ? 0 : rates[holder]);
  }
  found.expected_later /= static_cast<double>(std::max<std::uint64_t>(1, found.later));
}

located by_filters(const location_plan& plan, troubled* trouble) {
  lab::world world(plan.seed);
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    overlay::node_setup setup{.self = place(v), .links = {}};
    for (std::uint64_t w = 0; w < plan.nodes; ++w) {
      if (w != v) setup.links.push_back({place(w), overlay::toward::aside, v * plan.nodes + w});
    }
    plain_node made(std::move(setup),
                    plain_summary(standard_filter::for_keys(plan.objects + 1, plan.rate)));
    for (std::uint64_t i = 0; i < plan.objects; ++i) made.insert(plan.object(v * plan.objects + i));
    world.add(std::move(made));
  }
  world.connect_all(overlay_link);
  world.run();

  located found;
  std::vector<double> rates;
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    const plain_summary* told = world.get<plain_node>(place(v == 0 ? 1 : 0)).table_of(place(v));
    rates.push_back(told == nullptr ? 0 : told->filter().current_rate());
    found.state += world.get<plain_node>(place(v)).table_bytes();
  }
  assert(plan.nodes > 0);
  found.state /= plan.nodes;
  const double all = math::expected_claims(rates);
  lab::random_stream random(plan.seed, 2);
  for (std::uint64_t q = 0; q < plan.questions; ++q) {
    const std::uint64_t number = random.below(plan.nodes * plan.objects);
    const std::uint64_t holder = number / plan.objects;
    const std::uint64_t asker = random.below(plan.nodes);
    const digest key = plan.object(number);
    const auto got =
        ask_overlay<plain_node>(world, place(asker), {&key, 1}, q + 1, overlay::walk::matching);
    found.missed += std::uint64_t{got.came.holders != std::vector{holder}};
    found.extra.push_back(static_cast<double>(got.spent.in_vain));
    found.messages.push_back(static_cast<double>(got.spent.sent.messages));
    const double others = all - rates[asker] - (asker == holder ? 0 : rates[holder]);
    found.expected += others / static_cast<double>(plan.questions);
  }
  const overlay_counts before(world);
  world.get<plain_node>(place(0)).insert(lab::numbered(plan.seed, 3, 0));
  world.wake(place(0), world.now(), plain_node::advertise_token);
  world.run();
  found.messages_of_change = static_cast<double>(before.since(world).sent.messages);
  found.bytes_of_change = static_cast<double>(before.since(world).sent.bytes);
  if (trouble != nullptr) {
    lose_some(world, plan, *trouble);
    rates[0] = world.get<plain_node>(place(1)).table_of(place(0))->filter().current_rate();
    desert(world, plan, rates, *trouble);
  }
  return found;
}

// Asks the table; none if no answer comes.
const overlay::ring_node::found* look_up(lab::world& world, const location_plan& plan,
                                         std::uint64_t asker, std::uint64_t number,
                                         std::uint64_t id) {
  const digest key = plan.object(number);
  const std::vector<std::byte> packed = overlay::packed_words({&key, 1});
  world.post(place(asker), world.now(),
             wire::write(overlay::ring_question{.id = id, .asker = asker, .key = packed}));
  world.run();
  return world.get<overlay::ring_node>(place(asker)).outcome_of(id);
}

// A ring that nobody mends, with the same leavers: what a question does not reach is not found.
void trouble_table(lab::world& world, const location_plan& plan, troubled& found) {
  const auto ask_all = [&](std::uint64_t first_id, const std::vector<bool>& gone,
                           const auto& told) {
    lab::random_stream random(plan.seed, 5);
    for (std::uint64_t q = 0; q < plan.questions; ++q) {
      const std::uint64_t number = random.below(plan.nodes * plan.objects);
      const std::uint64_t holder = number / plan.objects;
      const std::uint64_t asker = random.below(plan.nodes);
      if (gone[asker] || gone[holder]) continue;
      const auto* came = look_up(world, plan, asker, number, first_id + q);
      told(came != nullptr && came->holders == std::vector{holder});
    }
  };
  world.lose(plan.loss);
  ask_all(1'000'000'000, std::vector<bool>(plan.nodes), [&](bool answered) {
    ++found.asked;
    found.answered_first += std::uint64_t{answered};
  });
  world.lose(0);
  const std::vector<bool> gone = leavers(plan);
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    if (gone[v]) world.leave(place(v));
  }
  ask_all(2'000'000'000, gone, [&](bool answered) {
    ++found.later;
    found.missed_later += std::uint64_t{!answered};
  });
}

located by_table(const location_plan& plan, troubled* trouble) {
  const overlay::ring ring(plan.nodes);
  lab::world world(plan.seed);
  for (std::uint64_t v = 0; v < plan.nodes; ++v) world.add(overlay::ring_node(ring, v));
  world.connect_all(overlay_link);
  for (std::uint64_t i = 0; i < plan.nodes * plan.objects; ++i) {
    const digest key = plan.object(i);
    const std::vector<std::byte> packed = overlay::packed_words({&key, 1});
    world.post(place(i / plan.objects), world.now(),
               wire::write(overlay::ring_entry{.key = packed, .holder = i / plan.objects}));
  }
  world.run();

  located found;
  const auto entries = static_cast<double>(plan.nodes * plan.objects);
  found.messages_of_change = static_cast<double>(world.sent().messages) / entries;
  found.bytes_of_change = static_cast<double>(world.sent().bytes) / entries;
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    found.state += world.get<overlay::ring_node>(place(v)).bytes();
  }
  assert(plan.nodes > 0);
  found.state /= plan.nodes;
  lab::random_stream random(plan.seed, 2);
  for (std::uint64_t q = 0; q < plan.questions; ++q) {
    const std::uint64_t number = random.below(plan.nodes * plan.objects);
    const std::uint64_t holder = number / plan.objects;
    const std::uint64_t asker = random.below(plan.nodes);
    const std::uint64_t before = world.sent().messages;
    const auto* came = look_up(world, plan, asker, number, q);
    const bool right = came != nullptr && came->holders == std::vector{holder};
    found.missed += std::uint64_t{!right};
    if (came != nullptr) found.extra.push_back(static_cast<double>(came->steps));
    // Then the holder is asked, and answers.
    found.messages.push_back(static_cast<double>(world.sent().messages - before) +
                             (holder == asker ? 0 : 2));
  }
  if (trouble != nullptr) trouble_table(world, plan, *trouble);
  return found;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Beside each other, at every number of nodes up to that of the experiment.
struct location_curves {
  lab::series messages_by_filters{.panel = "Messages a look-up",
                                  .x = "nodes",
                                  .y = "messages",
                                  .name = "filters",
                                  .points = {},
                                  .logarithmic_x = true};
  lab::series messages_by_table = messages_by_filters;
  lab::series state_of_filters{.panel = "Bytes that a node keeps",
                               .x = "nodes",
                               .y = "bytes",
                               .name = "filters",
                               .points = {},
                               .logarithmic_x = true,
                               .logarithmic_y = true};
  lab::series state_of_table = state_of_filters;
};

}  // namespace

lab::result filters_or_table(const lab::request& asked) {
  location_plan plan{.nodes = asked.count("nodes"),
                     .objects = asked.count("objects"),
                     .rate = asked.ratio("rate"),
                     .questions = asked.count("questions"),
                     .seed = asked.seed(),
                     .leaving = asked.ratio("leaving"),
                     .loss = asked.ratio("loss")};
  math::require_whole("nodes", plan.nodes, 8, 2048);
  math::require_whole("objects", plan.objects, 1, 10'000);
  math::require_whole("questions", plan.questions, 2, 1'000'000);
  require_useful_rate(plan.rate);
  require_few_leave(plan.leaving);
  require_little_lost(plan.loss, 2);
  if (!std::has_single_bit(plan.nodes)) {
    fail(errc::invalid, "nodes is " + std::to_string(plan.nodes) + "; allowed: powers of two");
  }

  lab::result found;
  location_curves curves;
  curves.messages_by_table.name = curves.state_of_table.name = "hash table";
  const std::uint64_t most = plan.nodes;
  located filters;
  located table;
  std::uint64_t missed_by_filters = 0;
  std::uint64_t missed_by_table = 0;
  std::uint64_t asked_in_all = 0;
  std::uint64_t crossing = 0;   // 0: there is none
  std::uint64_t may_cross = 0;  // from where on chance may say so, and from where on it must
  std::uint64_t must_cross = 0;
  troubled troubled_filters;
  troubled troubled_table;
  for (plan.nodes = 8; plan.nodes <= most; plan.nodes *= 2) {
    const bool last = plan.nodes == most;
    filters = by_filters(plan, last ? &troubled_filters : nullptr);
    table = by_table(plan, last ? &troubled_table : nullptr);
    const auto nodes = static_cast<double>(plan.nodes);
    if (crossing == 0 && mean(table.messages) < mean(filters.messages)) crossing = plan.nodes;
    // Either way the holder is asked and answers. Where the means are near to each other, chance decides.
    const auto range = [](std::span<const double> messages, double predicted) {
      return *lab::mean_of("", lab::unit::real, messages, predicted).predicted;
    };
    const math::interval few = range(filters.messages, filters.expected);
    const math::interval many = range(table.messages, math::ring_messages(plan.nodes));
    if (may_cross == 0 && many.low < few.high) may_cross = plan.nodes;
    if (must_cross == 0 && many.high < few.low) must_cross = plan.nodes;
    missed_by_filters += filters.missed;
    missed_by_table += table.missed;
    asked_in_all += plan.questions;
    curves.messages_by_filters.points.emplace_back(nodes, mean(filters.messages));
    curves.messages_by_table.points.emplace_back(nodes, mean(table.messages));
    curves.state_of_filters.points.emplace_back(nodes, static_cast<double>(filters.state));
    curves.state_of_table.points.emplace_back(nodes, static_cast<double>(table.state));
  }
  found.never("an object was not found by filters", missed_by_filters, asked_in_all);
  found.never("an object was not found by the table", missed_by_table, asked_in_all);
  found.never("an object was not found by filters although what was lost was asked for again",
              troubled_filters.missed, troubled_filters.asked);
  found.never("an object was not found by filters after nodes had gone",
              troubled_filters.missed_later, troubled_filters.later);
  found.add(lab::mean_of("nodes asked in vain a look-up", lab::unit::real, filters.extra,
                         filters.expected));
  found.add(lab::mean_of("steps of the table a look-up", lab::unit::real, table.extra,
                         math::ring_steps(most)));
  found.add(lab::told("messages a look-up", lab::unit::real, mean(filters.messages))).rivals = {
      {"hash table", mean(table.messages)}};
  if (crossing != 0 || must_cross != 0) {
    const std::uint64_t latest = must_cross != 0 ? must_cross : may_cross != 0 ? most : 0;
    found.add(
        {.what = "nodes, of those tried, from which the table takes fewer messages",
         .in = lab::unit::count,
         .measured = static_cast<double>(crossing),
         .predicted = math::interval{static_cast<double>(may_cross), static_cast<double>(latest)}});
  }
  const auto share = [](std::uint64_t some, std::uint64_t of) {
    return static_cast<double>(some) / static_cast<double>(std::max<std::uint64_t>(1, of));
  };
  // The holder is asked, and answers.
  found
      .add(lab::share_of("look-ups answered at the first try where messages are lost",
                         troubled_filters.answered_first, troubled_filters.asked,
                         math::all_arrive(plan.loss, 2)))
      .rivals = {{"hash table", share(troubled_table.answered_first, troubled_table.asked)}};
  const std::uint64_t later = troubled_filters.later;
  found
      .add(lab::told("look-ups answered after nodes had gone", lab::unit::share,
                     share(later - troubled_filters.missed_later, later)))
      .rivals = {{"hash table that nobody mends",
                  share(troubled_table.later - troubled_table.missed_later, troubled_table.later)}};
  if (troubled_filters.extra_later.size() > 1) {
    found.add(lab::mean_of("nodes asked in vain a look-up after nodes had gone", lab::unit::real,
                           troubled_filters.extra_later, troubled_filters.expected_later));
  }
  // A list of all objects has 8 bytes for each.
  found
      .add(lab::told("bytes that a node keeps", lab::unit::bytes,
                     static_cast<double>(filters.state)))
      .rivals = {{"hash table", static_cast<double>(table.state)},
                 {"lists of 64-bit names", static_cast<double>(8 * plan.objects * (most - 1))}};
  found.add(lab::told("messages when an object comes", lab::unit::real, filters.messages_of_change))
      .rivals = {{"hash table", table.messages_of_change}};
  found.add(lab::told("bytes when an object comes", lab::unit::bytes, filters.bytes_of_change))
      .rivals = {{"hash table", table.bytes_of_change}};
  const double saved = mean(table.messages) - mean(filters.messages);
  if (saved > 0) {
    found.add(lab::told("look-ups a change from which filters send less", lab::unit::real,
                        (filters.messages_of_change - table.messages_of_change) / saved));
  } else {
    found.note("At this number of nodes filters send more messages a look-up than the table does.");
  }
  for (auto* curve : {&curves.messages_by_filters, &curves.messages_by_table,
                      &curves.state_of_filters, &curves.state_of_table}) {
    found.plot(std::move(*curve));
  }
  return found;
}

extern constinit const system_info filters_or_table_system{
    .id = "N8",
    .name = "Filters against a hash table",
    .source = "Broder and Mitzenmacher 5.1 and 6.3",
    .where = pattern::overlay,
    .does =
        "Every node has a filter of every other's objects and asks those that claim one. Beside "
        "it, a "
        "distributed hash table in which every object has an owner who knows the holder.",
    .figure =
        "Every object is found, either way; nodes asked in vain: the sum of the rates; steps of "
        "the "
        "table: half the logarithm of the nodes and one. Messages and bytes of both are told, and "
        "where they cross.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"nodes", "512", "a power of two; smaller ones are tried as well"},
                          {"objects", "50", "that a node holds"},
                          {"rate", "2%", "of a filter: about 8 bits an object"},
                          {"questions", "1000", "look-ups at each number of nodes"},
                          {"leaving", "10%", "of the nodes but one, at last"},
                          {"loss", "1%", "of messages, before"}}},
    .run = filters_or_table};

}  // namespace bloomery::systems
