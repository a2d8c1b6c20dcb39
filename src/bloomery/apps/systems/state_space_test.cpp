#include "bloomery/plugins/spin.h"
#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// A machine whose SPIN is this: depth first over counters modulo `values`, with the set of the plug-in.
class paper_spin : public testing::paper_host {
 public:
  std::uint64_t forgets_every = 0;  // a fault: the verifier loses each so manieth state
  std::string pan = "  b_store = bstore_reg; /* default */\n";

  lab::library_flags library() override { return {}; }
  std::string run(const std::vector<std::string>& command, std::string_view input) override {
    if (command.front() == "tee") files_[command.at(1)] = input;
    if (command.front() == "sed") {
      const std::size_t at = pan.find("bstore_reg;");
      return at == std::string::npos ? pan
                                     : std::string(pan).replace(at, 11, "bloomery_pan_store;");
    }
    if (!command.front().starts_with("./")) return "";
    const std::string& model = files_["model.pml"];
    const auto counters = static_cast<std::size_t>(std::ranges::count(model, ':') / 2);
    const auto values = std::stoull(model.substr(model.find('%') + 1));
    std::uint64_t stored = 0;
    if (command.front() == "./exact") {
      stored = 1;
      for (std::size_t i = 0; i < counters; ++i) stored *= values;
    } else {
      EXPECT_EQ(bloomery_visited_open(std::uint64_t{1} << std::stoul(command.at(2).substr(2)),
                                      static_cast<unsigned>(std::stoul(command.at(3).substr(2))),
                                      std::stoul(command.at(4).substr(2))),
                0);
      stored = search(std::string(counters, '\0'), values);
    }
    return "State-vector 20 byte\n   " + std::to_string(stored) + " states, stored\n";
  }

 private:
  std::uint64_t search(const std::string& start, std::uint64_t values) const {
    std::uint64_t stored = 0;
    std::vector<std::string> open{start};
    while (!open.empty()) {
      std::string state = std::move(open.back());
      open.pop_back();
      if (bloomery_visited(state.data(), static_cast<int>(state.size())) != 0) continue;
      if (forgets_every != 0 && ++asked_ % forgets_every == 0) continue;
      ++stored;
      for (std::size_t i = 0; i < state.size(); ++i) {
        std::string next = state;
        next[i] = static_cast<char>((static_cast<std::uint64_t>(next[i]) + 1) % values);
        open.push_back(std::move(next));
      }
    }
    return stored;
  }

  std::map<std::string, std::string> files_;
  mutable std::uint64_t asked_ = 0;
};

lab::request::values small_model() {
  return {{"counters", "5"}, {"values", "6"}, {"log2_bits", "16"}, {"hashes", "4"}};
}

TEST(state_space, leaves_out_as_many_states_as_predicted) {
  paper_spin spin;
  const lab::result found = testing::run_experiment("O6", small_model(), spin);
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.figures().at(0).measured, 7776);
  EXPECT_GT(found.figures().at(1).measured, 10);
}

TEST(state_space, says_when_there_is_too_little_to_judge) {
  paper_spin spin;
  const lab::result found = testing::run_experiment(
      "O6", {{"counters", "3"}, {"values", "4"}, {"log2_bits", "20"}, {"runs", "2"}}, spin);
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.notes().size(), 1U);
}

TEST(state_space, notices_a_search_that_loses_more) {
  paper_spin spin;
  spin.forgets_every = 50;
  EXPECT_FALSE(testing::run_experiment("O6", small_model(), spin).as_promised());
}

TEST(state_space, refuses_a_spin_that_it_does_not_know_and_settings_that_make_no_sense) {
  using testing::throws_error;
  paper_spin spin;
  spin.pan = "another";
  EXPECT_TRUE(throws_error(errc::unsupported, "bstore_reg",
                           [&] { testing::run_experiment("O6", {}, spin); }));
  for (const auto& [name, value] : std::map<std::string, std::string>{{"counters", "0"},
                                                                      {"values", "1"},
                                                                      {"log2_bits", "60"},
                                                                      {"hashes", "0"},
                                                                      {"runs", "1"}}) {
    EXPECT_TRUE(throws_error(errc::invalid, name, [&, named = name, given = value] {
      testing::run_experiment("O6", {{named, given}}, spin);
    })) << name;
  }
  EXPECT_TRUE(
      throws_error(errc::unsupported, "no programs", [] { testing::run_experiment("O6"); }));
}

TEST(visited_states, refuses_what_is_no_filter_and_knows_all_then) {
  EXPECT_EQ(bloomery_visited_open(0, 3, 0), 1);
  EXPECT_EQ(bloomery_visited("a", 1), 1);
  EXPECT_EQ(bloomery_visited_open(1000, 3, 0), 0);
  EXPECT_EQ(bloomery_visited("a", 1), 0);
  EXPECT_EQ(bloomery_visited("a", 1), 1);
  EXPECT_EQ(bloomery_visited("", 0), 0);
  EXPECT_EQ(bloomery_visited("a", -1), 1);
}

}  // namespace
}  // namespace bloomery::systems
