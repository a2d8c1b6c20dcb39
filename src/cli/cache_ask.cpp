// cache ask: annotations of pages, asked for only where a filter says that there may be one; and the same as a
// helper of Squid.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "ask.hpp"
#include "bloomery/apps/gate/annotations.hpp"
#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/http_client.hpp"
#include "bloomery/wire/stored.hpp"
#include "cache_server.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t longest_question = std::size_t{1}
                                         << 20;  // more than any URL that Squid takes

struct ask_options {
  std::string server;
  std::string filter;
  std::string acl;
  std::string period = "1h";
  std::vector<std::string> urls;
  std::vector<std::string> files;
  key_file_option key_file;
  bool json = false;
};

void declare(command& verb, ask_options& options) {
  verb.add_option("--server", "URL", options.server,
                  "http://HOST:PORT of a `bloomery cache serve --annotations`");
  verb.add_option("--filter", "FILE", options.filter,
                  "where the filter is kept from one call to the next (default: nowhere; it is "
                  "downloaded each time)");
  verb.add_option("--period", "DURATION", options.period,
                  "how old that file may be before it is asked whether it has changed")
      .show_default();
  verb.add_option("--acl", "FILTER", options.acl,
                  "be an external_acl helper of Squid: answer each line of standard input, "
                  "[CHANNEL] URL, with OK if this filter may contain the URL, and ERR if not");
  verb.add_option("-f,--file", "FILE", options.files, "files of URLs, one a line");
  verb.add_keys("urls", "URL", options.urls, "pages to ask for (default: standard input)");
  options.key_file.declare(verb);
  declare_json(verb, options.json);
}

struct ask_totals {
  std::uint64_t downloads = 0;
  std::uint64_t deltas = 0;
  std::uint64_t bytes = 0;  // received
  std::uint64_t asked = 0;
  std::uint64_t requests = 0;
  std::uint64_t annotated = 0;
};

bool is_fresh(const std::string& path, const std::string& period) {
  std::error_code problem;
  const auto changed = std::filesystem::last_write_time(path, problem);
  if (problem) return false;
  const auto age = std::filesystem::file_time_type::clock::now() - changed;
  return age.count() >= 0 && age < std::chrono::milliseconds(parse_duration(period));
}

// The filter of the server: the one that is kept, as long as it is new; a delta to it, or the whole.
apps::annotation_gate current_gate(const ask_options& options, const net::http_url& server,
                                   ask_totals& totals) {
  apps::annotation_gate gate;
  std::error_code problem;
  const bool kept = !options.filter.empty() && std::filesystem::exists(options.filter, problem);
  if (kept) {
    wire::naming(options.filter, [&] {
      gate.take_whole(bits::read_file(options.filter, reading().limits().most_copied()).bytes(),
                      {.load = reading().limits()});
    });
    if (is_fresh(options.filter, options.period)) return gate;
  }
  std::vector<net::http_header> headers;
  if (kept) {
    headers = {{"If-None-Match", "\"" + gate.version() + "\""},
               {"A-IM", std::string(delta_coding)}};
  }
  const auto fetched = net::http_get(server, std::string(annotations_filter_path), headers,
                                     {.body = reading().limits().most_copied()});
  const net::http_message& answer = fetched.answer;
  totals.bytes += fetched.bytes_received;
  ++totals.downloads;
  wire::naming(options.server, [&] {
    const wire::filter_limits limits{.load = reading().limits()};
    if (answer.status == 200) {
      gate.take_whole(bytes_of(answer.body), limits);
    } else if (answer.status == 226 && kept) {
      gate.take_changes(bytes_of(answer.body), limits);
      ++totals.deltas;
    } else if (answer.status != 304 || !kept) {
      fail(errc::io, fmt::format("it serves no annotations ({} {})", answer.status,
                                 printable(answer.reason)));
    }
  });
  if (!options.filter.empty()) {
    const std::vector<std::byte> file = gate.save();
    bits::write_file(options.filter, std::array{byte_view(file)});
  }
  return gate;
}

// Squid leaves the escapes that a URL has, and escapes what it thinks unsafe beside them: which is which is not to be seen,
// so both forms are asked for, and none is missed.
std::string unescaped(std::string_view word) {
  try {
    return net::percent_decoded(word);
  } catch (const error&) {
    return std::string(word);
  }
}

// Without its end, from standard input; false when there is none.
bool next_line(std::string& line) {
  line.clear();
  int next = 0;
  while ((next = std::getchar()) != EOF && next != '\n') {
    if (line.size() == longest_question) {
      fail(errc::limit, fmt::format("a line of more than {} bytes", longest_question));
    }
    line.push_back(static_cast<char>(next));
  }
  return next != EOF || !line.empty();
}

// Squid's helpers speak in lines; with concurrency each begins with a number, which the answer repeats.
exit_status answer_acl(const ask_options& options) {
  const location where(options.acl);
  const auto theirs = where.load_foreign();
  std::optional<any_filter> ours;
  if (!theirs) ours = where.open();
  const asker ask = theirs ? asker_of(*theirs, options.key_file, {})
                           : asker_of(*ours, options.key_file, clock_option().time_for(*ours));
  std::string line;
  bool any = false;
  while (next_line(line)) {
    if (line.ends_with('\r')) line.pop_back();
    std::string_view rest = line;
    std::string channel;
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits < rest.size() && rest[digits] == ' ') {
      channel = rest.substr(0, digits + 1);
      rest.remove_prefix(digits + 1);
    }
    const std::string sent(rest.substr(0, rest.find(' ')));
    const std::string plain = unescaped(sent);
    const bool found =
        count_present(ask, std::array{std::string_view(sent)}) == 1 ||
        (plain != sent && count_present(ask, std::array{std::string_view(plain)}) == 1);
    any |= found;
    print_text(channel + (found ? "OK\n" : "ERR\n"));
    std::fflush(stdout);
  }
  return any ? exit_status::found : exit_status::not_found;
}

exit_status run(const ask_options& options) {
  if (!options.acl.empty()) {
    if (!options.server.empty()) fail(errc::invalid, "--acl asks no server: leave --server out");
    return answer_acl(options);
  }
  if (options.server.empty()) fail(errc::invalid, "give --server, or --acl with a filter");
  const net::http_url server = net::parse_http_url(options.server);
  ask_totals totals;
  const apps::annotation_gate gate = current_gate(options, server, totals);
  json listed = json::array();
  line_options lines;
  lines.crlf = true;
  lines.skip_empty = true;
  key_input(options.urls, options.files, lines).each_text([&](std::string_view url) {
    ++totals.asked;
    if (!gate.may_be_annotated(url)) return;
    ++totals.requests;
    const auto fetched =
        net::http_get(server, std::string(annotations_note_path) + net::percent_encoded(url), {},
                      {.body = longest_note + 1});
    totals.bytes += fetched.bytes_received;
    if (fetched.answer.status == 404) return;  // a false positive
    if (fetched.answer.status != 200) {
      fail(errc::io, fmt::format("{}: it answers {} {}", options.server, fetched.answer.status,
                                 printable(fetched.answer.reason)));
    }
    std::string note = fetched.answer.body;
    if (note.ends_with('\n')) note.pop_back();
    if (!is_one_line(note)) {
      fail(errc::corrupt, fmt::format("{}: its annotation of {} has control characters",
                                      options.server, in_quotes(url)));
    }
    ++totals.annotated;
    if (options.json) {
      listed.push_back({{"url", url}, {"note", note}});
    } else {
      print_text(std::string(url) + "\t" + note + "\n");
    }
  });
  if (options.json) {
    print_json({{"notes", listed},
                {"asked", totals.asked},
                {"requests", totals.requests},
                {"annotated", totals.annotated},
                {"downloads", totals.downloads},
                {"deltas", totals.deltas},
                {"bytes_received", totals.bytes},
                {"current_rate", gate.current_rate()}});
  }
  return totals.annotated != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_cache_ask(verb_list& verbs) {
  verbs.add<ask_options>(
      "cache ask",
      "Ask for annotations of pages, only where there may be one\n"
      "A filter of the annotated pages is downloaded now and then, by delta when it has changed; "
      "the server hears only of pages that are in it. As a helper of Squid, with --acl, it tells "
      "whether a filter may contain a URL: `external_acl_type listed %URI "
      "/usr/bin/bloomery cache ask --acl FILTER`. Exits 0 if any is annotated, or OK, else 1.",
      "  printf 'http://example.org/7\\tworth reading\\n' > notes.txt\n"
      "  bloomery cache serve --listen 127.0.0.1:31308 --annotations notes.txt \\\n"
      "    > log & sleep 1\n"
      "    bloomery cache ask --server http://127.0.0.1:31308 --filter notes.bloom \\\n"
      "    http://example.org/7 http://example.org/8; kill %1\n"
      "  echo http://example.org/7 | bloomery build -o listed.bloom\n"
      "  printf '0 http://example.org/7\\n1 http://b/\\n' |\n"
      "    bloomery cache ask --acl listed.bloom",
      declare, run);
}

}  // namespace bloomery::cli
