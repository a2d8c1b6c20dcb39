#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// Liang's patterns, and what libhyphen 2.8.8 makes of some words by them.
constexpr const char* liang =
    "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN "
    "3\nhy3ph\nhe2n\nhena4\nhen5at\n1na\nn2at\n1tio\n2io\no2n\n";
const std::vector<std::string> marked{"ba=nana", "concate=na=tion", "hen-nana",   "hy=phen=ation",
                                      "nana's",  "na=nana",         "na=tion",    "na=tional",
                                      "ra=tio",  "rhythm",          "sta=tionary"};

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class host_with_libhyphen : public testing::paper_host {
 public:
  explicit host_with_libhyphen(std::vector<std::string> answers)
      : paper_host({{"p", liang}, {"w", words()}}), answers_(std::move(answers)) {}

  std::string run(const std::vector<std::string>& command, std::string_view input) override {
    EXPECT_EQ(command.front(), "python3");
    EXPECT_TRUE(input.ends_with("\nstationary\n"));
    return joined_lines(answers_);
  }

 private:
  static std::string words() {
    std::string text = joined_lines(marked);
    std::erase(text, '=');
    return text + "Nation\n\n";
  }
  std::vector<std::string> answers_;
};

const lab::request::values few_rules{{"patterns", "p"}, {"words", "w"}, {"rules", "3"}};

TEST(hyphenation, is_libhyphens_and_reads_the_table_for_exceptions) {
  host_with_libhyphen outside(marked);
  for (const std::string kind : {"", "standard", "ribbon"}) {
    auto settings = few_rules;
    settings.emplace_back("kind", kind);
    const lab::result found = testing::run_experiment("T1", settings, outside);
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    EXPECT_EQ(found.nevers().at(0).chances, marked.size());
    EXPECT_GT(found.nevers().at(1).chances, 0);
    EXPECT_LT(found.nevers().at(1).chances, marked.size());
  }
}

// With all patterns as rules there is nothing to read the table for.
TEST(hyphenation, needs_no_table_with_all_patterns) {
  host_with_libhyphen outside(marked);
  const lab::result found =
      testing::run_experiment("T1", {{"patterns", "p"}, {"words", "w"}, {"rules", "9"}}, outside);
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.figures().at(0).measured, 0);
  EXPECT_EQ(found.figures().at(2).measured, 0);
}

TEST(hyphenation, is_judged_by_libhyphen_and_not_by_itself) {
  auto other = marked;
  other[0] = "bana=na";
  host_with_libhyphen outside(other);
  const lab::result found = testing::run_experiment("T1", few_rules, outside);
  EXPECT_FALSE(found.as_promised());
  EXPECT_EQ(found.nevers().at(0).times, 1);
}

TEST(hyphenation, refuses_what_makes_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  host_with_libhyphen outside(marked);
  EXPECT_TRUE(throws_error(errc::invalid, "rules is 10", [&] {
    run_experiment("T1", {{"patterns", "p"}, {"words", "w"}, {"rules", "10"}}, outside);
  }));
  host_with_libhyphen silent({"one"});
  EXPECT_TRUE(throws_error(errc::io, "answers for 1 of 11",
                           [&] { run_experiment("T1", few_rules, silent); }));
  EXPECT_TRUE(throws_error(errc::io, "nowhere", [&] {
    run_experiment("T1", {{"patterns", "nowhere"}, {"words", "w"}}, outside);
  }));
}

}  // namespace
}  // namespace bloomery::systems
