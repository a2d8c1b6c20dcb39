#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

std::string letters(std::uint64_t number) {
  std::string word;
  for (int i = 0; i < 5; ++i, number /= 26) word += static_cast<char>('a' + number % 26);
  return word;
}

// Words of five letters: 2,000 right ones, with a few in other forms, and 20,000 wrong ones.
std::map<std::string, std::string> small_world() {
  std::string list = "AOL\nLondon\ncan't\n\u00c9lys\u00e9e's\n";
  std::string wrong = "Capital->capital\nletters' s->letters'\n4x->x\n" + letters(7) + "->listed\n";
  for (std::uint64_t i = 0; i < 2000; ++i) list += letters(i) + "\n";
  for (std::uint64_t i = 0; i < 20'000; ++i) wrong += letters(10'000 + i) + "->right, rite\n";
  return {{"w", list}, {"m", wrong}, {"r", std::string(5000, 'x')}};
}

const lab::request::values in_it{
    {"words", "w"}, {"misspellings", "m"}, {"rival", "r"}, {"fpr", "2%"}};

TEST(spelling, accepts_every_word_and_misses_others_at_the_exact_rate) {
  testing::paper_host outside(small_world());
  for (const std::string kind : {"", "standard", "fuse"}) {
    auto settings = in_it;
    settings.emplace_back("kind", kind);
    const lab::result found = testing::run_experiment("T2", settings, outside);
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    EXPECT_EQ(found.nevers().at(0).chances, 10 * 2004);
    EXPECT_EQ(found.figures().at(2).rivals.at(1).value, 5000);
    EXPECT_NE(found.notes().at(0).find("20,000"), std::string::npos) << found.notes().at(0);
  }
}

TEST(spelling, refuses_what_makes_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  testing::paper_host outside(small_world());
  EXPECT_TRUE(throws_error(errc::invalid, "filters", [&] {
    auto settings = in_it;
    settings.emplace_back("filters", "1");
    run_experiment("T2", settings, outside);
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "misspellings", [&] {
    run_experiment("T2", {{"words", "w"}, {"misspellings", "w"}, {"rival", "r"}}, outside);
  }));
  EXPECT_TRUE(throws_error(errc::io, "nowhere", [&] {
    run_experiment("T2", {{"words", "nowhere"}}, outside);
  }));
}

}  // namespace
}  // namespace bloomery::systems
