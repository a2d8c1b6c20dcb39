#include "options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <thread>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "secret_file.hpp"

namespace bloomery::cli {
namespace {

constexpr unsigned most_threads = 256;
constexpr std::size_t longest_key_file = 4096;
constexpr std::uint64_t longest_secret_file = 64 << 10;

secure::secret_bytes from_hex(std::string_view digits, const std::string& path) {
  secure::secret_bytes bytes;
  const auto value = [&](char c) -> unsigned {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) {
      fail(errc::invalid, path + ": a key file holds 32 raw bytes or 64 hexadecimal digits");
    }
    return std::isdigit(static_cast<unsigned char>(c)) != 0
               ? static_cast<unsigned>(c - '0')
               : static_cast<unsigned>(std::tolower(static_cast<unsigned char>(c)) - 'a' + 10);
  };
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  return bytes;
}

}  // namespace

void remember_invocation(int argc, char** argv) {
  std::string& line = invocation();
  line = "bloomery";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$`*?&;|<>()") == std::string::npos;
    line += plain ? " " + word : " '" + word + "'";
  }
}

void line_options::declare(command& verb) {
  verb.add_option("--field", "N|NAME", field,
                  "the key is column N of each line, counted from 1, or the one of that name with "
                  "--header (default: the whole line, or column 1 of --csv)");
  declare_pairs(verb);
}

void line_options::declare_pairs(command& verb) {
  const option by_zero =
      verb.add_flag("-z,--zero", zero, "lines end in a NUL byte, not a line end");
  verb.add_option("-t,--separator", "SEP", separator,
                  "the byte between columns (default: a tab, or a comma with --csv)");
  verb.add_flag("--csv", csv,
                "columns may be \"quoted\", and then hold separators, line ends and doubled quotes "
                "(RFC 4180)")
      .excludes(by_zero);
  verb.add_flag("--crlf", crlf,
                "lines end in CR LF, as those of Windows; those of --csv may anyway");
  verb.add_flag("--header", header,
                "the first line of each file names the columns; it is copied where lines are");
  verb.add_flag("--skip-empty", skip_empty, "leave out empty lines, and those whose key is empty");
  verb.add_option("-j,--threads", "T", threads, "threads to use (default: one per core)");
}

line_format line_options::format() const {
  line_format format{.delimiter = zero ? '\0' : '\n',
                     .separator = csv ? ',' : '\t',
                     .csv = csv,
                     .crlf = crlf,
                     .skip_empty = skip_empty,
                     .header = header,
                     .counted = counted};
  if (separator.size() > 1 || (csv && (separator == "\"" || separator == "\n"))) {
    fail(errc::invalid, "the separator is " + in_quotes(separator) + "; allowed: one byte" +
                            (csv ? " that is no quote and no line end" : ""));
  }
  if (!separator.empty()) format.separator = separator.front();
  const char* const end = field.data() + field.size();
  const auto [stop, problem] = std::from_chars(field.data(), end, format.field);
  const bool number = problem == std::errc{} && stop == end && format.field != 0;
  if (!field.empty() && !number && !header) {
    fail(errc::invalid,
         "--field is '" + field +
             "'; allowed: the number of a column, from 1, or with --header its name");
  }
  if (!number) format.field = csv ? 1 : 0;
  if (!number) format.field_name = field;
  return format;
}

unsigned line_options::thread_count() const {
  if (threads > most_threads) {
    fail(errc::invalid, "threads is " + std::to_string(threads) + "; allowed: 1 to " +
                            std::to_string(most_threads));
  }
  return threads != 0 ? threads : std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
}

option key_file_option::declare(command& verb) {
  return verb.add_option(
      "--key-file", "FILE", path,
      "the secret of a keyed filter: 32 bytes, 64 hex digits, or what `secret new` made");
}

std::optional<secure::secret_bytes> key_file_option::secret() const {
  if (path.empty()) return std::nullopt;
  secure::secret_bytes held = read_secret(path, longest_key_file);
  if (held.size() == keyed_hash::secret_bytes) return held;
  std::string_view text = text_of(held);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  if (text.size() != 2 * keyed_hash::secret_bytes) {
    fail(errc::invalid, path +
                            ": a key file holds 32 raw bytes or 64 hexadecimal digits, this has " +
                            std::to_string(held.size()) + " bytes");
  }
  return from_hex(text, path);
}

secure::secret_bytes key_file_option::contents(std::string_view kind) const {
  if (path.empty()) {
    fail(errc::invalid, a_filter(kind) + " needs --key-file: its secret, as made by " +
                            "`bloomery secret new --kind " + std::string(kind) + "`");
  }
  return read_secret(path, longest_secret_file);
}

hasher key_file_option::for_filter(const hash_identity& identity) const {
  const auto key = secret();
  if (key && identity.id != hash_id::keyed) {
    fail(errc::incompatible,
         "a key file was given, but the filter is not keyed (" + describe(identity) + ")");
  }
  if (identity.id == hash_id::keyed && !key) {
    fail(errc::incompatible,
         "the filter is keyed (" + describe(identity) + "); give its secret with --key-file");
  }
  std::optional<hasher> found;
  explained([&] {
    found = hasher::for_identity(identity, key ? std::optional(byte_view(*key)) : std::nullopt);
  });
  return *found;
}

void key_file_option::explained(const std::function<void()>& work) const {
  try {
    work();
  } catch (const error& problem) {
    if (path.empty() || problem.code() != errc::incompatible) throw;
    fail(problem.code(),
         "--key-file " + path + " is not the secret of this filter: " + problem.what());
  }
}

hasher fresh_hash() {
  secure::secret_bytes drawn(universal_hash::secret_bytes);
  secure::fill_random(drawn);
  return hasher(universal_hash(drawn));
}

std::uint64_t system_time() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

void clock_option::declare(command& verb) {
  verb.add_option(
          "--at", "MS", at,
          "for a filter that forgets by time: the time, in milliseconds since 1970 (default: "
          "now)")
      .between(0, max_items);
}

void clock_option::require_use(const any_kind& kind, bool runs_on_time) const {
  if (!at || runs_on_time) return;
  fail(errc::invalid, "--at is the time for a filter that forgets by time; this is " +
                          a_filter(kind.info.name) +
                          (kind.can<keeps_time>() ? " whose window is a number of keys" : ""));
}

std::optional<std::uint64_t> clock_option::time_for(const any_filter& filter) const {
  const bool on_time = runs_on_time(filter);
  require_use(filter.kind(), on_time);
  return on_time ? std::optional(at.value_or(system_time())) : std::nullopt;
}

void clock_option::advance(any_filter& filter) const {
  if (const auto now = time_for(filter)) filter.as<keeps_time>().advance(*now);
}

void key_options::declare(command& verb, const std::string& asked, const std::string& done) {
  verb.add_option("filter", "FILTER", filter, "the filter to " + asked).required();
  verb.add_keys("keys", "KEY", keys, "keys to " + done + " (default: lines of standard input)");
  verb.add_option("-f,--file", "FILE", files, done + " the lines of this file");
  key_file.declare(verb);
  clock.declare(verb);
  lines.declare(verb);
  declare_json(verb, json);
}

void declare_json(command& verb, bool& json) {
  verb.add_flag("--json", json, "report as JSON");
}

void declare_output(command& verb, std::string& output, const std::string& what,
                    const std::string& type) {
  const std::string help = "where to write " + what + "; - is standard output";
  verb.add_option("-o,--output", type, output, help).required();
}

void declare_confidence(command& verb, std::string& confidence) {
  verb.add_option("--confidence", "P", confidence, "of the intervals").show_default();
}

double parse_confidence(const std::string& text) {
  const double confidence = parse_ratio(text);
  if (!(confidence > 0 && confidence < 1)) {
    fail(errc::invalid, "confidence is " + text + "; allowed: above 0 % and below 100 %");
  }
  return confidence;
}

}  // namespace bloomery::cli
