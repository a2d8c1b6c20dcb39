#include "bloomery/apps/gate/service_directory.hpp"

#include <random>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::throws_error;

TEST(service_directory, answers_as_a_list_does_while_services_come_and_go) {
  std::mt19937_64 random(1);
  service_directory services(300, 0.05);
  std::map<std::string, std::set<std::string>> truth;
  const auto some_feature = [&] { return "feature " + std::to_string(random() % 400); };
  for (int step = 0; step < 3000; ++step) {
    const std::string name = "service " + std::to_string(random() % 60);
    if (random() % 2 == 0) {
      EXPECT_EQ(services.remove(name), truth.erase(name) == 1);
    } else if (!truth.contains(name)) {
      const service_directory::feature_list features{some_feature(), some_feature(),
                                                     some_feature()};
      services.add(name, features);
      truth[name] = {features.begin(), features.end()};
    }
    const service_directory::feature_list wanted{some_feature()};
    std::vector<std::string> expected;
    for (const auto& [service, features] : truth) {
      if (features.contains(wanted.front())) expected.push_back(service);
    }
    ASSERT_EQ(services.find(wanted), expected);
  }
  EXPECT_EQ(services.asked().missed(), 0U);
  EXPECT_LT(services.searches(), 3000U);
}

TEST(service_directory, asks_for_all_features_at_once) {
  service_directory services(100, 0.01);
  services.add("a", {"x=1", "y=1"});
  services.add("b", {"x=1", "y=2", "y=2"});
  EXPECT_EQ(services.find({"x=1"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(services.find({"x=1", "y=2"}), std::vector<std::string>{"b"});
  EXPECT_TRUE(services.find({"y=1", "y=2"}).empty());
  EXPECT_EQ(services.find({}).size(), 2U);
  EXPECT_TRUE(throws_error(errc::invalid, "already", [&] { services.add("a", {}); }));
  EXPECT_FALSE(services.remove("c"));
}

TEST(service_directory, steps_are_text) {
  EXPECT_EQ(stepped("price", 12.5, 5), "price=10");
  EXPECT_EQ(stepped("price", -0.1, 0.5), "price=-0.5");
  EXPECT_EQ(stepped("price", 10, 5), stepped("price", 14.99, 5));
  EXPECT_TRUE(throws_error(errc::invalid, "step", [] { (void)stepped("price", 1, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "number", [] { (void)stepped("price", NAN, 1); }));
}

}  // namespace
}  // namespace bloomery::apps
