// Options that verbs share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/filters/secure/crypto.hpp"
#include "bloomery/hash/hasher.hpp"
#include "lines.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

class key_input;  // input.hpp

struct line_options {
  bool zero = false;
  bool csv = false;
  bool crlf = false;
  bool header = false;
  bool skip_empty = false;
  bool counted = false;  // not an option: whether lines are to have numbers
  std::string field;
  std::string separator;
  unsigned threads = 0;

  void declare(command& verb);
  void declare_pairs(command& verb);  // the same for lines that are KEY SEP VALUE
  [[nodiscard]] line_format format() const;
  [[nodiscard]] unsigned thread_count() const;
};

// The secret for filters built with --key-file.
struct key_file_option {
  std::string path;

  option declare(command& verb);
  // 32 raw bytes or 64 hexadecimal digits; empty if no file was given.
  [[nodiscard]] std::optional<secure::secret_bytes> secret() const;
  // Whatever the file holds, for a kind that needs a secret of its own; errc::invalid if none was given.
  [[nodiscard]] secure::secret_bytes contents(std::string_view kind) const;
  // What the filter needs; refuses a key file for a filter that has no key.
  [[nodiscard]] hasher for_filter(const hash_identity& identity) const;
  // Does `work`; if it is refused because the secret is another's, says so.
  void explained(const std::function<void()>& work) const;
};

// Under a key drawn anew, for what nobody asks later: whoever chose the lines does not know it.
hasher fresh_hash();

std::uint64_t system_time();  // milliseconds since 1970

// What time it is, for filters that forget by it: the clock's, unless told.
struct clock_option {
  std::optional<std::uint64_t> at;

  void declare(command& verb);
  // errc::invalid if a time was given for a filter that does not run on it.
  void require_use(const any_kind& kind, bool runs_on_time) const;
  // The time to ask a filter for that runs on it; none for another, and the above.
  [[nodiscard]] std::optional<std::uint64_t> time_for(const any_filter& filter) const;
  // Tells a filter that runs on time, whose own must not be later.
  void advance(any_filter& filter) const;
};

// A filter, and the keys that a verb has for it: those of the command line, then those of the files, or
// of standard input if there are neither.
struct key_options {
  std::string filter;
  std::vector<std::string> keys;
  std::vector<std::string> files;
  key_file_option key_file;
  clock_option clock;
  line_options lines;
  bool json = false;

  // `asked` says what the filter is for, `done` what is done with the keys: "ask", "look up".
  void declare(command& verb, const std::string& asked, const std::string& done);
  [[nodiscard]] key_input input() const;
  [[nodiscard]] std::vector<std::string> files_read() const;  // beside a filter that has a name
};

// The command line as typed, for drawings to name what made them.
inline std::string& invocation() {
  static std::string line;
  return line;
}
void remember_invocation(int argc, char** argv);

void declare_json(command& verb, bool& json);
void declare_output(command& verb, std::string& output, const std::string& what,
                    const std::string& type = "OUT");
void declare_confidence(command& verb, std::string& confidence);
double parse_confidence(const std::string& text);

}  // namespace bloomery::cli
