#include "bloomery/any/health.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/concentration.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {
namespace {

void require_sound(const examine_options& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    fail(errc::invalid, "confidence is " + format_real(options.confidence) +
                            "; allowed: above 0 % and below 100 %");
  }
  if (!(options.rate >= 0 && options.rate < 1)) {
    fail(errc::invalid, "the rate to hold the filter to is " + format_real(options.rate) +
                            "; allowed: above 0 and below 1 (0 % and 100 %)");
  }
}

tally ask_at_random(const any_filter& filter, const examine_options& options,
                    const std::function<void(std::uint64_t)>& watch) {
  const std::uint64_t most = options.probes != 0 ? options.probes : most_probes;
  const std::uint64_t enough = options.probes != 0 ? most : enough_hits(options.confidence);
  return ask_strangers(filter, {most, enough, options.seed, options.now}, watch);
}

constexpr double surely = 1 - 2 * false_alarm;

std::uint64_t whole(double keys) {
  return static_cast<std::uint64_t>(std::llround(keys));
}

std::uint64_t whole_keys(double keys) {
  return whole(std::min(keys, static_cast<double>(max_keys)));
}

// Two digits, rounded, with the letter that `--keys` reads: 23M.
std::string in_short(std::uint64_t count, bool up) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  count = (count + (up ? unit - 1 : 0)) / unit * unit;
  return short_count(count);
}

std::string at_least(std::uint64_t count) {
  return in_short(count, true);
}

std::string at_most(std::uint64_t count) {
  return in_short(count, false);
}

// "1 key", "13k keys".
std::string keys_of(const std::string& number) {
  return number + (number == "1" ? " key" : " keys");
}

struct fold_choice {
  std::uint64_t factor;
  std::vector<field_value> shape;  // expected of the fold
};

// Every factor up to `most` that divides a whole field, the largest first.
std::vector<fold_choice> fold_choices(const std::vector<field_value>& shape, std::uint64_t most) {
  std::vector<fold_choice> choices;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto* size = std::get_if<std::uint64_t>(&shape[i]);
    if (size == nullptr) continue;
    const auto consider = [&](std::uint64_t factor) {
      if (factor < 2 || factor > most) return;
      choices.push_back({factor, shape});
      choices.back().shape[i] = *size / factor;
    };
    for (std::uint64_t divisor = 1; divisor <= *size / divisor; ++divisor) {
      if (*size % divisor != 0) continue;
      consider(divisor);
      if (divisor != *size / divisor) consider(*size / divisor);
    }
  }
  std::ranges::sort(choices, std::greater(), &fold_choice::factor);
  return choices;
}

// Predictions are cheap and sort out nearly all; a fold reads every cell.
bool fold_keeps(const any_filter& filter, const fold_choice& choice, std::uint64_t keys,
                double rate) {
  try {
    if (filter.kind().predicted_rate(choice.shape, keys) > rate) return false;
    const any_filter folded = filter.as<folds>().folded(choice.factor);
    return folded.shape() == choice.shape && folded.as<tells_rate>().current_rate() <= rate;
  } catch (const error& problem) {
    if (problem.code() == errc::invalid) return false;  // it divides another field
    throw;
  }
}

std::optional<std::uint64_t> best_fold(const any_filter& filter, std::uint64_t keys,
                                       std::uint64_t capacity, double rate) {
  if (keys == 0 || capacity / keys < 2) return std::nullopt;
  // Folding by a factor leaves room for about that many times fewer keys, and never for more.
  for (const fold_choice& choice : fold_choices(filter.shape(), capacity / keys)) {
    if (fold_keeps(filter, choice, keys, rate)) return choice.factor;
  }
  return std::nullopt;
}

// Keys that take room: those estimated, and where erasing frees none also those erased.
std::optional<math::estimate> taken_keys(const any_filter& filter, double confidence) {
  if (const auto* own = filter.can<measures>()) return own->estimated_keys(confidence);
  if (const auto* own = filter.can<takes_room>()) return own->taken_keys(confidence);
  return std::nullopt;
}

class physician {
 public:
  physician(const any_filter& filter, const examine_options& options)
      : filter_(filter), kind_(filter.kind()) {
    found_.record = filter.record();
    found_.confidence = options.confidence;
    if (options.rate != 0) {
      found_.rate = options.rate;
    } else if (found_.record.promised.keys != 0) {
      found_.rate = found_.record.promised.rate;
    }
    if (found_.rate) owed_ = std::max(*found_.rate, of_no_weight());
  }

  health examine(const std::optional<tally>& counts, bool random) {
    if (counts) measure(*counts, random);
    look_for_misses();
    look_inside();
    look_for_room();
    compare_with_rate();
    compare_with_misses();
    compare_with_record();
    compare_with_cells();
    compare_with_room();
    compare_with_chance();
    remark();
    found_.advice = found_.healthy() ? advice() : remedy_;
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::uint64_t items() const { return found_.record.items; }
  // A filter that serves some keys better promises its rate of those. Others meet this one as planned.
  [[nodiscard]] double of_no_weight() const {
    const std::uint64_t planned = found_.record.promised.keys;
    if (planned == 0 || !kind_.can<weighs>()) return 0;
    if (kind_.as<weighs>().treats_alike(filter_.shape())) return 0;
    return kind_.predicted_rate(filter_.shape(), planned);
  }
  // Erasing has taken keys off the record and left their room, which the record then says nothing of.
  [[nodiscard]] bool left_behind() const {
    return filter_.kind().info.erased_keep_room &&
           (unrecorded_ || found_.false_negatives.value_or(0) > 0);
  }
  [[nodiscard]] bool saturated() const { return found_.estimated && found_.estimated->saturated; }
  // Keys in it, as well as is known: no more than were inserted, unless erased ones may keep room or
  // the cells belie the record.
  [[nodiscard]] std::uint64_t keys() const {
    if (!found_.estimated) return items();
    const std::uint64_t estimated = whole(found_.estimated->value);
    return unrecorded_ || kind_.info.erased_keep_room ? estimated : std::min(estimated, items());
  }

  [[nodiscard]] bool takes_keys() const {
    return kind_.can<inserts>() || kind_.can<reads_texts>() ||
           (kind_.can<guards>() && !kind_.can<seals>());
  }

  // How many keys arrive in a window of time is unknown.
  [[nodiscard]] bool runs_on_time() const {
    return kind_.can<forgets>() && bloomery::runs_on_time(filter_);
  }

  void measure(const tally& counts, bool random) {
    const double rate = counts.asked == 0
                            ? 0
                            : static_cast<double>(counts.hits) / static_cast<double>(counts.asked);
    found_.measured = {counts, random, rate,
                       math::binomial_interval(counts.hits, counts.asked, found_.confidence)};
  }

  void look_inside() {
    if (kind_.can<overflowing>()) found_.overflows = filter_.as<overflowing>().overflows();
    if (kind_.can<grows>()) found_.stages = filter_.as<grows>().stages();
    found_.estimated = taken_keys(filter_, found_.confidence);
    if (found_.estimated) {
      sure_ = *taken_keys(filter_, surely);
      unrecorded_ = sure_.low > static_cast<double>(items());
      if (!left_behind()) found_.consistent = !unrecorded_;
    }
    if (kind_.can<tells_rate>()) {
      found_.fill = filter_.as<tells_rate>().fill();
      found_.current_rate = filter_.as<tells_rate>().current_rate();
    }
    if (!left_behind() && !sized_by_loads()) {
      found_.predicted_of_items =
          kind_.predicted_rate(filter_.shape(), kind_.can<inserts>() ? std::min(items(), max_keys)
                                                                     : predicted_keys(filter_));
    }
    if (found_.estimated && !saturated()) {
      found_.predicted_of_estimate =
          kind_.predicted_rate(filter_.shape(), whole(found_.estimated->value));
    }
  }

  void look_for_misses() {
    if (!filter_.kind().info.false_negatives) return;
    if (kind_.can<forgets>()) {
      found_.false_negatives = missed_of(filter_.as<forgets>().window());
    } else if (const auto* worn = filter_.can<wears>()) {
      const math::estimate wearing = worn->wearing_keys(found_.confidence);
      found_.false_negatives = missed_of(whole_keys(wearing.value));
      surely_missed_ = missed_of(whole_keys(worn->wearing_keys(surely).low));
      const promise promised = found_.record.promised;
      if (promised.keys != 0) may_miss_ = std::max(promised.rate, missed_of(promised.keys));
    }
  }

  [[nodiscard]] double missed_of(std::uint64_t keys) const {
    return filter_.kind().predicted_false_negatives(filter_.shape(), keys);
  }

  void look_for_room() {
    if (!found_.rate || !takes_keys() || kind_.can<grows>() || kind_.can<forgets>()) return;
    if (sized_by_loads()) {
      look_for_room_of_values();
      return;
    }
    found_.capacity = math::keys_within(
        owed_, [&](std::uint64_t keys) { return kind_.predicted_rate(filter_.shape(), keys); });
    if (kind_.can<has_capacity>()) {
      found_.capacity =
          std::min(*found_.capacity, filter_.kind().as<has_capacity>().capacity(filter_.shape()));
    }
    if (may_miss_) {
      found_.capacity = std::min(
          *found_.capacity,
          math::keys_within(*may_miss_, [&](std::uint64_t keys) { return missed_of(keys); }));
    }
    if (saturated()) return;
    found_.headroom =
        static_cast<std::int64_t>(*found_.capacity) - static_cast<std::int64_t>(keys());
    if (kind_.can<folds>() && found_.estimated) {
      found_.fold = best_fold(filter_, keys(), *found_.capacity, *found_.rate);
    }
  }

  // Planned for as many keys of each value as there were, it has room for no more; how many more of each
  // another rate would allow is not known.
  void look_for_room_of_values() {
    const promise promised = found_.record.promised;
    if (promised.keys == 0 || *found_.rate != promised.rate) return;
    found_.capacity = promised.keys;
    found_.headroom = static_cast<std::int64_t>(promised.keys) - static_cast<std::int64_t>(items());
  }

  // The first remedy is the advice.
  void degraded(std::string reason, std::string remedy) {
    found_.reasons.push_back(std::move(reason));
    if (remedy_.empty()) remedy_ = std::move(remedy);
  }

  void compare_with_rate() {
    full_ = (!found_.estimated && found_.capacity && items() > *found_.capacity) ||
            (kind_.can<forgets>() && found_.predicted_of_items > found_.rate);
    if (!kind_.can<inserts>() && found_.rate && found_.predicted_of_items > found_.rate) {
      degraded(
          "its rate is " + format_ratio(*found_.predicted_of_items) + ", over the " +
              format_ratio(*found_.rate) + " it should keep",
          takes_keys() ? rebuild_for(items()) : "rebuild it for " + format_ratio(*found_.rate));
    } else if (saturated()) {
      saturated_at(std::max(items(), whole(std::ceil(sure_.low))));
    } else if (found_.rate && found_.estimated && found_.capacity) {
      // The interval alone would accuse one full filter in two hundred.
      const bool suspect = items() > *found_.capacity || unrecorded_;
      if (!suspect || found_.estimated->low <= static_cast<double>(*found_.capacity)) return;
      degraded("over-filled: " + format_ratio(*found_.rate) + " allows " +
                   keys_of(format_count(*found_.capacity)) + ", it holds about " +
                   format_count(keys()),
               rebuild_for(keys()));
    } else if (found_.rate && found_.measured && exceeds(owed_)) {
      if (kind_.can<erases>() && found_.overflows.value_or(0) > 0) {
        degraded_by_wear("left " + format_count(*found_.overflows) + " of its cells stuck");
        return;
      }
      if (!full_) return;  // by chance, or not: see compare_with_chance()
      degraded(measured_over(), runs_on_time()
                                    ? "rebuild for as many keys as come within its window"
                                    : rebuild_for(items()));
    } else if (!found_.rate && !found_.estimated && says_yes_to_all()) {
      saturated_at(items());
    }
  }

  void saturated_at(std::uint64_t keys) {
    const bool erased = filter_.kind().info.erased_keep_room;
    degraded(
        std::string("saturated: it says yes to every key") + (erased ? " that was not erased" : ""),
        rebuild_for(keys) + ": saturated");
  }

  [[nodiscard]] std::string rebuild_for(std::uint64_t keys) const {
    if (kind_.can<forgets>()) return "rebuild it larger, or to forget sooner";
    if (left_behind()) return "rebuild it from the keys that are not erased";
    return "rebuild for " + keys_of(at_least(keys));
  }

  [[nodiscard]] bool says_yes_to_all() const {
    constexpr double nearly_all = 0.99;
    return found_.measured && found_.measured->random &&
           found_.measured->counts.hits == found_.measured->counts.asked && exceeds(nearly_all);
  }

  void compare_with_misses() {
    if (kind_.can<forgets>() || found_.false_negatives.value_or(0) == 0) return;
    const std::string misses = "it misses about " + format_ratio(*found_.false_negatives) +
                               " of its " + (kind_.can<erases>() ? "keys" : "oldest keys");
    if (!may_miss_ || surely_missed_ <= *may_miss_) {
      found_.remarks.push_back(misses);
    } else {
      degraded(misses + ", where the plan allows " + format_ratio(*may_miss_),
               rebuild_for(items()));
    }
  }

  void compare_with_record() {
    if (found_.consistent.value_or(true)) return;
    degraded("it holds more keys (at least " + at_most(whole(std::ceil(sure_.low))) +
                 ") than insertions are on record (" + format_count(items()) +
                 "): keys came in another way, or bits were changed",
             "rebuild from the keys: what is in it is not what was recorded");
  }

  // More hits than this rate explains, however lucky.
  [[nodiscard]] bool exceeds(double rate) const {
    const tally& counts = found_.measured->counts;
    return math::binomial_upper(counts.hits, counts.asked, rate) < false_alarm;
  }

  // What explains the answers: the cells, or all that a kind built whole can be.
  [[nodiscard]] std::optional<double> own_rate() const {
    return found_.current_rate || kind_.can<inserts>() ? found_.current_rate
                                                       : found_.predicted_of_items;
  }

  void compare_with_cells() {
    const std::optional<double> own = own_rate();
    if (!found_.measured || !own || !exceeds(*own)) return;
    const std::string much = format_ratio(found_.measured->rate) + " of ";
    const std::string less = " are found, but its cells explain " + format_ratio(*own) + ": ";
    if (found_.measured->random) {
      degraded(much + "random probes" + less + "it does not answer as it should",
               "rebuild it with another seed");
    } else {
      degraded(much + "the absent keys" + less + "some are members, or the hash clusters them",
               "make sure that the absent keys are absent; if they are, rebuild with another seed");
    }
  }

  void compare_with_room() {
    if (found_.overflows.value_or(0) == 0) return;
    const std::string meaning = format_count(*found_.overflows) +
                                (*found_.overflows == 1 ? " overflow: " : " overflows: ") +
                                std::string(filter_.kind().info.overflow);
    if (filter_.kind().info.overflow_planned) {
      found_.remarks.push_back(meaning);
    } else {
      degraded(meaning, "rebuild it with wider cells, or for more keys");
    }
  }

  [[nodiscard]] bool measured_above() const {
    return found_.rate && found_.measured && found_.measured->interval.low > owed_;
  }
  [[nodiscard]] std::string measured_over() const {
    return "measured " + format_ratio(found_.measured->rate) + ", over the " + format_ratio(owed_) +
           " it should keep";
  }

  void degraded_by_wear(const std::string& what_erased_keys_did) {
    degraded(measured_over() + ": keys that were erased have " + what_erased_keys_did,
             "rebuild it from the keys that are not erased");
  }

  // By chance it may be above its rate; whatever is not, it does not keep.
  void compare_with_chance() {
    if (!found_.healthy() || !measured_above() || by_chance()) return;
    if (runs_on_time()) {
      degraded(measured_over() + ": keys came at once, and it is planned for keys that come evenly",
               "wait until they leave its window, or rebuild for as many keys as come at once");
    } else if (kind_.can<forgets>()) {
      degraded(measured_over(), "rebuild it larger, or to forget sooner");
    } else if (sized_by_loads()) {
      degraded(measured_over() + ": values are not as evenly spread as it was sized for",
               "rebuild it from all its keys and values");
    } else if (kind_.can<erases>() && kind_.can<has_capacity>()) {
      // Remainders of so many keys have their rate, whatever the hashes.
      degraded_by_wear("worn it");
    } else {
      degraded(measured_over() + ", and its keys and chance do not explain it",
               "rebuild it with another seed, or for more keys");
    }
  }

  // Of the probes, whose number of hits is binomial; or of the hashes, if the distribution is known.
  // Either once in a million.
  [[nodiscard]] bool by_chance() const {
    return !full_ && (!exceeds(owed_) || by_its_fill() || by_its_lines());
  }

  // The rate is no higher than uniform probes of its fill have, and its fill is one that no more keys
  // than it may hold can have. Answers that its cells do not explain have been accused before.
  [[nodiscard]] bool by_its_fill() const {
    const auto hashes = kind_.hashes(filter_.shape());
    constexpr double rounding = 1 + 1e-9;
    return hashes && found_.current_rate && found_.capacity && kind_.can<measures>() &&
           *found_.current_rate <= math::instance_rate(*found_.fill, *hashes) * rounding &&
           sure_.low <= static_cast<double>(*found_.capacity);
  }

  // A query reads one line, which answers it alone: lines are independent parts.
  [[nodiscard]] bool by_its_lines() const {
    if (!found_.current_rate || !found_.predicted_of_items || !found_.capacity) return false;
    if (!kind_.can<measures>() || sure_.low > static_cast<double>(*found_.capacity)) return false;
    const math::query_cost cost = kind_.query_cost(filter_.shape(), *found_.capacity);
    if (cost.present != 1 || cost.absent != 1) return false;
    const double lines = static_cast<double>(filter_.bytes()) / cache_line_bytes;
    const double expected = std::min(*found_.predicted_of_items, *found_.rate);
    return math::parted_rate_tail(lines, expected, *found_.current_rate) >= false_alarm;
  }

  // With a filter for each value, whose rate depends on how many keys have it.
  [[nodiscard]] bool sized_by_loads() const {
    return kind_.can<maps>() && kind_.as<maps>().sized_by_loads() &&
           kind_.as<maps>().value_limit(filter_.shape()) > 1;
  }

  [[nodiscard]] bool unlucky() const { return found_.healthy() && measured_above(); }

  void remark() {
    const auto say = [&](std::string text) { found_.remarks.push_back(std::move(text)); };
    if (!found_.rate) {
      say("no rate was promised: only saturation and consistency were judged");
    }
    if (unlucky()) {
      say("unlucky: over " + format_ratio(*found_.rate) +
          " by chance, not by too many keys; with another seed it would likely be under");
    }
    if (found_.measured && found_.measured->random &&
        found_.measured->counts.asked == most_probes &&
        found_.measured->counts.hits < enough_hits(found_.confidence)) {
      say("the rate is too low to be measured closely in " + format_count(most_probes) + " probes");
    }
    constexpr std::uint64_t many_stages = 4;
    if (found_.stages.value_or(0) >= many_stages) {
      say("it has grown to " + std::to_string(*found_.stages) +
          " stages, and each query may ask them all: rebuilt for " + keys_of(at_least(items())) +
          " it would be one");
    }
    if (kind_.can<forgets>()) {
      const bool by_time = bloomery::runs_on_time(filter_);
      say("it forgets what is older than " + format_count(filter_.as<forgets>().window()) +
          (by_time ? " ms" : " arrivals") +
          (!by_time && items() > filter_.as<forgets>().window()
               ? ": of " + format_count(items()) + " arrivals it answers for the latest"
               : ""));
    }
    if (kind_.can<forgets>() && found_.false_negatives.value_or(0) > 0) {
      say("it misses " + format_ratio(*found_.false_negatives) + " of keys that old");
    }
    if (left_behind() && unrecorded_ && !saturated()) {
      say("erased keys keep their room, as much as about " + at_most(keys() - items()) +
          " keys take");
    }
    if (found_.estimated && static_cast<double>(items()) > sure_.high) {
      say("about " + at_most(items() - keys()) + " of the insertions on record were repeats" +
          (kind_.can<erases>() ? " or have been erased" : ""));
    }
  }

  // For the healthy.
  [[nodiscard]] std::string advice() const {
    if (!found_.rate) return "give a rate to hold it to";
    if (unlucky()) return "rebuild with another seed, if this very filter must keep its rate";
    if (!takes_keys()) return "nothing to do: it is as it was built, and takes no more keys";
    if (kind_.can<grows>()) return "nothing to do: it grows";
    if (kind_.can<forgets>()) return "nothing to do: it forgets what is old";
    if (!found_.headroom) return "nothing to do";
    if (*found_.headroom <= 0) {
      return std::string("keep it, but add no keys: it is full") +
             (found_.estimated || *found_.headroom == 0
                  ? ""
                  : ", unless some of the insertions on record were repeats");
    }
    const std::string room = format_count(static_cast<std::uint64_t>(*found_.headroom));
    const bool one = *found_.headroom == 1;
    if (!found_.fold) return "nothing to do: " + room + (one ? " more key fits" : " more keys fit");
    return "fold by " + std::to_string(*found_.fold) + " keeps " + format_ratio(*found_.rate) +
           ", if no more keys come; as it is, " + room + (one ? " more fits" : " more fit");
  }

  const any_filter& filter_;
  const any_kind& kind_;
  health found_;
  math::estimate sure_;      // whose ends a sound filter's keys pass once in a million
  bool unrecorded_ = false;  // it holds more than the insertions on record
  bool full_ = false;
  double owed_ = 0;                 // the rate that probes are held to
  std::optional<double> may_miss_;  // as planned
  double surely_missed_ = 0;
  std::string remedy_;
};

}  // namespace

std::uint64_t enough_hits(double confidence) {
  const double z = math::normal_quantile(0.5 + confidence / 2);
  return static_cast<std::uint64_t>(
      std::ceil(std::pow(z / probe_tightness, 2) + 1 / probe_tightness));
}

std::uint64_t predicted_keys(const any_filter& filter) {
  const filter_record record = filter.record();
  const std::uint64_t items = std::min(record.items, max_keys);
  if (const auto* cells = filter.can<measures>()) {
    const math::estimate sure = cells->estimated_keys(surely);
    const bool repeated = !sure.saturated && static_cast<double>(items) > sure.high;
    return repeated ? whole(sure.value) : items;
  }
  const bool whole_set = !filter.kind().can<inserts>() && filter.kind().can<builds>();
  return whole_set && record.promised.keys != 0 ? std::min(items, record.promised.keys) : items;
}

health examine(const any_filter& filter, const examine_options& options,
               const std::function<void(std::uint64_t)>& watch) {
  require_sound(options);
  std::optional<tally> counts;
  if (filter.kind().can<asks>()) counts = ask_at_random(filter, options, watch);
  return physician(filter, options).examine(counts, true);
}

health examine(const any_filter& filter, const tally& absent, const examine_options& options,
               bool random) {
  require_sound(options);
  return physician(filter, options).examine(absent, random);
}

}  // namespace bloomery
