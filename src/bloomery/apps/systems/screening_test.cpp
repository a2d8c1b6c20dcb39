#include "bloomery/math/laws/look_ups.hpp"
#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

const std::map<std::string, std::string> poor_passwords{
    {"l", "#!comment: a list\n\ndragon\npassword\nletmein\naa\nqwerty123456\ndragon\n"}};

const lab::request::values on_them{
    {"list", "l"}, {"rival", "none"}, {"fpr", "0.5%"}, {"strangers", "20k"}};

TEST(screening, refuses_all_that_is_near_and_others_at_the_exact_rate) {
  testing::paper_host outside(poor_passwords);
  for (const std::string kind : {"", "standard", "ribbon"}) {
    auto settings = on_them;
    settings.emplace_back("kind", kind);
    const lab::result found = testing::run_experiment("T3", settings, outside);
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    EXPECT_EQ(found.nevers().at(0).chances, 5);
    const std::uint64_t letters = 6 + 8 + 7 + 2 + 12;
    EXPECT_EQ(found.nevers().at(1).chances, 95 * letters + 95 * (letters + 5));
    EXPECT_EQ(found.figures().at(2).measured, 26);
  }
}

// One look-up is not what a password takes: the interval is that of all of them.
TEST(screening, tells_the_rate_of_a_password_from_that_of_a_look_up) {
  testing::paper_host outside(poor_passwords);
  const lab::result found = testing::run_experiment("T3", on_them, outside);
  EXPECT_GT(found.figures().at(0).predicted->low, 5 * 0.005);
  EXPECT_LT(found.figures().at(0).predicted->low, math::any_of(0.005, 26));
}

TEST(screening, compares_with_a_program_that_the_host_runs) {
  class with_rival : public testing::paper_host {
   public:
    with_rival() : paper_host({{"l", "dragon\n"}, {"/scratch/listed", "0123456789"}}) {}
    std::string scratch() override { return "/scratch"; }
    std::string run(const std::vector<std::string>& command, std::string_view input) override {
      if (command.at(1).starts_with("--create=")) {
        EXPECT_EQ(input, "dragon\n");
        return "";
      }
      EXPECT_EQ(std::ranges::count(input, '\n'), 95 * 6 + 95 * 7);
      return "247\n";
    }
  } outside;
  const lab::result found = testing::run_experiment(
      "T3", {{"list", "l"}, {"strangers", "100"}, {"rival", "other"}}, outside);
  EXPECT_EQ(found.figures().at(1).rivals.at(0).value, 247.0 / (95 * 13));
  EXPECT_EQ(found.figures().at(3).rivals.at(0).value, 10);
}

TEST(screening, refuses_what_makes_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  testing::paper_host outside(poor_passwords);
  const auto refused = [&](errc code, const std::string& name, const std::string& value) {
    auto settings = on_them;
    settings.emplace_back(name, value);
    EXPECT_TRUE(throws_error(code, name == "kind" ? "may miss" : name,
                             [&] { run_experiment("T3", settings, outside); }));
  };
  refused(errc::invalid, "length", "7");
  refused(errc::invalid, "strangers", "0");
  refused(errc::unsupported, "kind", "stable");
}

}  // namespace
}  // namespace bloomery::systems
