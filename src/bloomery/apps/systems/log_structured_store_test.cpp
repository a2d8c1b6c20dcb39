#include "bloomery/apps/shelf/table_store.hpp"
#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

lab::request::values small(std::string kind = "ribbon") {
  return {{"kind", std::move(kind)}, {"rows", "2k"}, {"questions", "20k"}};
}

TEST(log_structured_store, reads_what_the_rate_says_and_misses_nothing) {
  for (const std::string kind : {"ribbon", "standard", "fuse"}) {
    const lab::result found = testing::run_experiment("D3", small(kind));
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    EXPECT_EQ(found.nevers().size(), 3U);
    EXPECT_GT(found.nevers().at(0).chances, 16'000U);  // all that was written
  }
}

// At 10^5 keys a table a ribbon takes a quarter less than the standard filter.
TEST(log_structured_store, ribbons_take_fewer_bits) {
  const lab::result found =
      testing::run_experiment("D3", {{"rows", "50k"}, {"tables", "2"}, {"questions", "40k"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_LT(found.figures().at(3).measured, 0.77 * found.figures().at(3).rivals.at(0).value);
}

// A store that reads a block more than its filters let pass, or loses what was written.
class faulty_host : public testing::paper_host {
 public:
  enum class fault { reads, loses };
  explicit faulty_host(fault wrong) : wrong_(wrong) {}

  std::unique_ptr<lab::store> open_store(const std::string& /*name*/,
                                         const lab::store_plan& plan) override {
    class faulty : public lab::store {
     public:
      faulty(std::string_view kind, fault wrong) : tables_(kind, 0.01), wrong_(wrong) {}
      void write(const std::vector<apps::table_cell>& cells) override { tables_.write(cells); }
      std::optional<std::string> read(const std::string& row, const std::string& column) override {
        auto value = tables_.read(row, column);
        return wrong_ == fault::loses ? std::nullopt : value;
      }
      [[nodiscard]] bool scans() const override { return false; }
      std::map<std::string, std::string> scan(const std::string& /*row*/) override { return {}; }
      lab::store_counts take_counts() override {
        const auto& book = tables_.book();
        const std::uint64_t reads =
            wrong_ == fault::reads ? book.passed() + book.asked() / 100 : book.passed();
        return {book.asked(), book.passed(), reads, tables_.expected_passed()};
      }
      double bits_a_key() override { return 8; }

     private:
      apps::table_store tables_;
      fault wrong_;
    };
    return std::make_unique<faulty>(plan.built_in() ? "standard" : plan.kind, wrong_);
  }

 private:
  fault wrong_;
};

TEST(log_structured_store, notices_faulty_stores) {
  for (const auto wrong : {faulty_host::fault::reads, faulty_host::fault::loses}) {
    faulty_host outside(wrong);
    auto settings = small();
    settings.emplace_back("store", "leveldb");
    EXPECT_FALSE(testing::run_experiment("D3", settings, outside).as_promised());
  }
}

TEST(log_structured_store, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"store", "mongo"},
                                                                      {"kind", ""},
                                                                      {"kind", "ribon"},
                                                                      {"rate", "0"},
                                                                      {"tables", "0"},
                                                                      {"rows", "0"},
                                                                      {"questions", "1"},
                                                                      {"block", "1"}}) {
    EXPECT_TRUE(throws_error(errc::invalid, name == "kind" ? "kind" : name,
                             [&, named = name, given = value] {
                               run_experiment("D3", {{named, given}});
                             }))
        << name;
  }
  EXPECT_TRUE(throws_error(errc::unsupported, "leveldb", [] {
    run_experiment("D3", {{"store", "leveldb"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
