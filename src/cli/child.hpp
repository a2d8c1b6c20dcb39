// Another program, run to its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

struct finished_child {
  bool started = false;  // there is such a program
  int status = 0;        // its exit status; that of a shell if a signal ended it
  std::string output;
  std::string complaint;  // what it wrote to standard error
};

// Found as a shell finds it. Input and output go through files, so that neither side can wait for the
// other. `folder` is where it runs; empty for here.
finished_child run_child(const std::vector<std::string>& command, std::string_view input = {},
                         const std::string& folder = {});

}  // namespace bloomery::cli
