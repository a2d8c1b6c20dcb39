// What an experiment finds: what must never happen, and figures beside what predicts them.
//
// Purpose:   every system's experiment returns a `result`; `bloomery lab` prints it and tests judge it.
//            A figure has the measured value, the interval that math/ predicts for it, the paper's value
//            and those of rivals measured in the same run, as far as there are any.
// Guarantee: a right system leaves a predicted interval with a probability of at most `significance` a
//            figure, over seeds; intervals of counts have exact binomial tails.
//
//     bloomery::lab::result found;
//     found.never("a key was missed", 0, 1000);
//     found.add(bloomery::lab::share_of("strangers let through", 12, 1000, 0.01));
//     assert(found.as_promised());
//     found.never("a stale record was read", 1, 1000);
//     assert(!found.as_promised());
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/apps/ledger.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::lab {

// As that of the statistical tests.
inline constexpr double significance = 1e-6;

// Something that must not happen: how often it did, of how many chances it had.
struct never {
  std::string what;  // "a key was missed"
  std::uint64_t times = 0;
  std::uint64_t chances = 0;
};

enum class unit { share, count, bytes, real };

struct rival {
  std::string name;
  double value = 0;
};

struct figure {
  std::string what;
  unit in = unit::real;
  double measured = 0;
  std::optional<math::interval> predicted = {};
  std::optional<double> paper = {};
  std::vector<rival> rivals = {};

  // A figure that nothing predicts is only told.
  [[nodiscard]] bool as_predicted() const {
    return !predicted || (predicted->low <= measured && measured <= predicted->high);
  }
};

// A curve of the picture that `lab --plot` draws. Those of one panel share its title and its axes.
struct series {
  std::string panel;
  std::string x;
  std::string y;
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool logarithmic_x = false;
  bool logarithmic_y = false;
};

class result {
 public:
  void never(std::string what, std::uint64_t times, std::uint64_t chances) {
    nevers_.push_back({std::move(what), times, chances});
  }
  figure& add(figure measured) { return figures_.emplace_back(std::move(measured)); }
  void plot(series curve) { curves_.push_back(std::move(curve)); }
  // What a reader of the figures should know, such as what was left out and why. A sentence.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  [[nodiscard]] const std::vector<lab::never>& nevers() const { return nevers_; }
  [[nodiscard]] const std::vector<figure>& figures() const { return figures_; }
  [[nodiscard]] const std::vector<series>& curves() const { return curves_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  // Nothing happened that must not, and no figure left its interval.
  [[nodiscard]] bool as_promised() const;

 private:
  std::vector<lab::never> nevers_;
  std::vector<figure> figures_;
  std::vector<series> curves_;
  std::vector<std::string> notes_;
};

// So many of so many trials, each with this probability, or independent with this one on average.
figure share_of(std::string what, std::uint64_t hits, std::uint64_t trials, double probability);
figure count_of(std::string what, std::uint64_t hits, std::uint64_t trials, double probability);
// False positives among the strangers that were asked about, for a filter of this rate.
figure false_positives_of(std::string what, const apps::ledger& book, double rate);
// The mean of independent values, at least two and none negative, that is predicted; their spread is taken from themselves
// (Student's law). For shares of clusters, such as the answers of one filter, a value each.
figure mean_of(std::string what, unit in, std::span<const double> values, double predicted);
// The same if the prediction is only a bound from above.
figure mean_at_most(std::string what, unit in, std::span<const double> values, double bound);
// What must come out exactly so.
figure exactly(std::string what, unit in, double measured, double predicted);
// What is only told.
figure told(std::string what, unit in, double measured);

}  // namespace bloomery::lab
