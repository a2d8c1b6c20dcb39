// What the tests of systems share: an experiment by its id, at settings of the test's own, in a world of
// the test's own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Files that are only in memory, and no programs.
class paper_host : public lab::host {
 public:
  explicit paper_host(std::map<std::string, std::string> files = {}) : files_(std::move(files)) {}

  std::string read(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) fail(errc::io, path + ": there is no such file");
    return found->second;
  }
  std::vector<std::string> files(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [path, text] : files_) {
      if (path.starts_with(folder + "/")) names.push_back(path);
    }
    return names;
  }

 private:
  std::map<std::string, std::string> files_;
};

inline lab::result run_experiment(const std::string& id, lab::request::values settings,
                                  lab::host& outside, std::uint64_t seed = 1) {
  const systems::system_info& tried = systems::find_system(id);
  return tried.run(lab::request(tried.settings(), std::move(settings), seed, outside));
}
inline lab::result run_experiment(const std::string& id, lab::request::values settings = {}) {
  paper_host nothing;
  return run_experiment(id, std::move(settings), nothing);
}

inline const lab::figure& figure_of(const lab::result& found, std::string_view what) {
  for (const lab::figure& each : found.figures()) {
    if (each.what == what) return each;
  }
  fail(errc::invalid, "no figure is called " + std::string(what));
}

// Says what happened that must not, and which figure is not as predicted.
inline ::testing::AssertionResult as_promised(const lab::result& found) {
  auto verdict = ::testing::AssertionFailure();
  for (const lab::never& each : found.nevers()) {
    if (each.times > 0)
      verdict << each.what << ": " << each.times << " of " << each.chances << "; ";
  }
  for (const lab::figure& each : found.figures()) {
    if (each.as_predicted()) continue;
    verdict << each.what << ": " << each.measured << ", predicted " << each.predicted->low << " to "
            << each.predicted->high << "; ";
  }
  return found.as_promised() ? ::testing::AssertionSuccess() : verdict;
}

}  // namespace bloomery::testing
