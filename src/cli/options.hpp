// Options that verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/hash/hasher.hpp"
#include "lines.hpp"

namespace bloomery::cli {

struct line_options {
  bool zero = false;
  std::uint64_t field = 0;
  std::string separator = "\t";
  unsigned threads = 0;

  void declare(CLI::App& verb);
  [[nodiscard]] line_format format() const;
  [[nodiscard]] unsigned thread_count() const;
};

// The secret for filters built with --key-file.
struct key_file_option {
  std::string path;

  void declare(CLI::App& verb);
  // 32 raw bytes or 64 hexadecimal digits; empty if no file was given.
  [[nodiscard]] std::optional<std::vector<std::byte>> secret() const;
  // What the filter needs; refuses a key file for a filter that has no key.
  [[nodiscard]] hasher for_filter(const hash_identity& identity) const;
};

// The command line as typed, for drawings to name what made them.
std::string invocation();
void remember_invocation(int argc, char** argv);

void declare_json(CLI::App& verb, bool& json);
void declare_confidence(CLI::App& verb, std::string& confidence);
double parse_confidence(const std::string& text);

}  // namespace bloomery::cli
