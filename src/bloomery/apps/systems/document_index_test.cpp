#include <random>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

std::map<std::string, std::string> some_documents() {
  std::map<std::string, std::string> files;
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    const auto words = 20 + random() % 200;
    for (std::uint64_t j = 0; j < words; ++j)
      text += "Word" + std::to_string(random() % 2000) + " ";
    files["docs/" + std::to_string(i)] = text;
  }
  files["docs/packed.gz"] = "not a text";
  return files;
}

TEST(document_index, names_what_has_the_word_and_others_at_the_exact_rate) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    testing::paper_host host(some_documents());
    const lab::result found =
        testing::run_experiment("T4", {{"files", "docs"}, {"small", "3k"}}, host, seed);
    EXPECT_TRUE(testing::as_promised(found)) << seed;
    EXPECT_GT(found.nevers().at(0).chances, 1000);
    EXPECT_EQ(found.curves().size(), 3);
  }
}

// Where a document has four words in 32 bits the textbook's formula is rejected.
TEST(document_index, rejects_the_textbooks_formula_where_filters_are_small) {
  testing::paper_host host(some_documents());
  const lab::result found = testing::run_experiment("T4", {{"files", "docs"}}, host);
  const lab::figure& small = found.figures().at(3);
  EXPECT_EQ(small.what.substr(0, 18), "4 words in 32 bits");
  EXPECT_TRUE(small.as_predicted());
  EXPECT_DOUBLE_EQ(small.rivals.at(0).value, math::classic_rate(32, 4, 6));
  EXPECT_LT(small.rivals.at(0).value, small.predicted->low);
}

TEST(document_index, refuses_a_folder_without_words) {
  testing::paper_host host({{"docs/a", "one two"}, {"docs/b", "three"}});
  EXPECT_TRUE(testing::throws_error(errc::invalid, "words", [&] {
    testing::run_experiment("T4", {{"files", "docs"}}, host);
  }));
}

}  // namespace
}  // namespace bloomery::systems
