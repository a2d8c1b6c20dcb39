// What every kind can do, on record in tests/golden/abilities.txt: an ability that a kind loses, or
// gains, shows. BLOOMERY_WRITE_GOLDEN=1 any_test --gtest_filter='*golden*' writes the record anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "bloomery/any/registry.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

// kind: ability ability …, a kind a line.
std::string abilities_of_kinds() {
  std::string text;
  for (const any_kind& kind : kinds()) {
    text += std::string(kind.info.name) + ":";
    for (const std::string_view ability : kind.abilities()) text.append(" ").append(ability);
    text += "\n";
  }
  return text;
}

TEST(golden_abilities, are_those_recorded) {
  const std::filesystem::path path = std::filesystem::path(BLOOMERY_GOLDEN_DIR) / "abilities.txt";
  if (std::getenv("BLOOMERY_WRITE_GOLDEN") != nullptr) std::ofstream(path) << abilities_of_kinds();
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing";
  const std::vector<std::byte> recorded = testing::read_bytes(path);
  EXPECT_EQ(text_of(recorded), abilities_of_kinds())
      << "run: BLOOMERY_WRITE_GOLDEN=1 any_test --gtest_filter='*golden*', and commit the file";
}

}  // namespace
}  // namespace bloomery
