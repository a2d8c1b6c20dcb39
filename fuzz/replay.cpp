// Runs a fuzzer over each file of the directories given: what was once found stays fixed.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "fuzzing.hpp"

int main(int count, char** arguments) {
  int files = 0;
  for (const char* directory : std::span(arguments, static_cast<std::size_t>(count)).subspan(1)) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      std::cout << entry.path().filename().string() << std::endl;  // seen even if this one aborts
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++files;
    }
  }
  std::cout << files << " files replayed\n";
  return files > 0 ? 0 : 1;
}
