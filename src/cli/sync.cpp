// sync: in which lines two files differ, on one host or two.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bloomery/apps/exchange/set_sync.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "gathered_digests.hpp"
#include "input.hpp"
#include "options.hpp"
#include "partner.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using exchange::digest_set;
using exchange::sync_answerer;
using exchange::sync_asker;
using exchange::sync_outcome;

struct sync_verb_options {
  std::vector<std::string> files;
  partner_options partner;
  std::string method = "auto";
  std::uint64_t bits = 8;
  bool mine = false;
  bool theirs = false;
  bool both = false;
  bool fetch = false;
  bool json = false;
  std::string memory = "32MiB";
  key_file_option key_file;
  line_options lines;

  [[nodiscard]] bool shows_mine() const { return mine || both; }
  [[nodiscard]] bool shows_theirs() const { return theirs || both; }
};

void declare(command& verb, sync_verb_options& options) {
  verb.add_option(
          "file", "FILE", options.files,
          "the file of lines, and the one to compare it with; `-` and a file: answer whoever "
          "asks through standard input and output")
      .required()
      .expected(1, 2);
  options.partner.declare(verb, "ssh host bloomery sync - theirs.txt");
  verb.add_option("--method", "METHOD", options.method,
                  "rateless and iblt are exact, filter and tree find most, list sends a digest of "
                  "every line; auto is exact and takes what is cheaper")
      .show_default();
  verb.add_option("--bits", "B", options.bits, "bits a line of filter and tree, for each filter")
      .between(2, 64)  // a filter of one bit a line claims most lines, and is refused
      .show_default();
  verb.add_flag("--mine", options.mine, "print the lines that only FILE has");
  verb.add_flag("--theirs", options.theirs, "print the lines that only the partner has");
  verb.add_flag("--both", options.both, "print both, after `< ` and `> `");
  verb.add_flag("--fetch", options.fetch,
                "transfer the lines that only the partner has; without, their digests are printed");
  verb.add_option("--memory", "SIZE", options.memory,
                  "how much of the 16 bytes a line is held in memory; what is more lies in a "
                  "temporary file")
      .show_default();
  verb.add_option("--key-file", "FILE", options.key_file.path,
                  "hash under this secret, which both must have: 32 bytes or 64 hex digits");
  verb.add_flag("-z,--zero", options.lines.zero, "lines end in a NUL byte, not a line end");
  verb.add_flag("--crlf", options.lines.crlf, "lines end in CR LF, as those of Windows");
  verb.add_flag("--skip-empty", options.lines.skip_empty, "leave out empty lines");
  verb.add_option("-j,--threads", "T", options.lines.threads,
                  "threads to use (default: one per core)");
  verb.add_flag("--json", options.json,
                "report as JSON; on standard error if lines are printed as well");
}

exchange::sync_method method_named(const std::string& name) {
  const auto& names = exchange::sync_methods;
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string allowed;
    for (const std::string_view each : names) {
      (allowed += allowed.empty() ? "" : ", ") += each;
    }
    fail(errc::invalid, "--method is " + in_quotes(name) + "; allowed: " + allowed);
  }
  return static_cast<exchange::sync_method>(found - names.begin());
}

hasher hash_of(const sync_verb_options& options) {
  if (const auto secret = options.key_file.secret()) return hasher(keyed_hash(*secret));
  return {};
}

// A file as a set of digests; its lines are read again where they are needed.
class file_of_lines {
 public:
  file_of_lines(std::string name, const line_options& lines, hasher hash, std::uint64_t memory)
      : name_(std::move(name)),
        input_(key_input({}, {name_}, lines).kept()),
        hash_(std::move(hash)) {
    gathered_digests digests(memory);
    std::uint64_t bytes = 0;
    input_.each(hash_, [&](const line_block& block, std::span<const digest> some) {
      digests.add(some);
      for (const std::string_view key : block.keys) bytes += key.size() + 1;
    });
    set_ = digests.set(bytes);
  }

  [[nodiscard]] const digest_set& set() const { return set_; }

  // The first line of each digest that is wanted, in the order of the file.
  template <class Use>
  void each_line(std::span<const digest> wanted, Use use) const {
    std::map<digest, std::size_t> open;
    for (std::size_t i = 0; i < wanted.size(); ++i) open.emplace(wanted[i], i);
    if (open.empty()) return;
    input_.each(hash_, [&](const line_block& block, std::span<const digest> some) {
      for (std::size_t i = 0; i < some.size() && !open.empty(); ++i) {
        const auto found = open.find(some[i]);
        if (found == open.end()) continue;
        use(found->second, block.keys[i]);
        open.erase(found);
      }
    });
    if (!open.empty()) fail(errc::io, name_ + " has changed meanwhile");
  }

  [[nodiscard]] exchange::line_source source() const {
    return [this](std::span<const digest> wanted, const auto& give) { each_line(wanted, give); };
  }

 private:
  std::string name_;
  key_input input_;
  hasher hash_;
  digest_set set_;
};

file_of_lines file_named(const std::string& name, const sync_verb_options& options,
                         const hasher& hash) {
  return {name, options.lines, hash, parse_size(options.memory)};
}

net::loop_limits limits_of(const sync_verb_options& options) {
  return options.partner.limits(exchange::longest_sync_message);
}

// What came of it, and what it cost.
struct compared {
  sync_outcome found;
  spoken bytes;
  std::vector<std::string> lines;  // that only the partner has
};

// What a partner sends instead of a line would be printed as several, also as some that nobody has.
std::string one_line(const sync_verb_options& options, std::string_view line) {
  if (line.find(options.lines.zero ? '\0' : '\n') != std::string_view::npos) {
    fail(errc::corrupt, "a line comes that has a line end in it: " + printable(line));
  }
  return std::string(line);
}

exchange::sync_options asking(const sync_verb_options& options, const hasher& hash,
                              apps::peer partner) {
  return {.method = method_named(options.method),
          .bits = options.bits,
          .fetch = options.fetch,
          .hash = hash,
          .partner = partner};
}

compared with_file(const sync_verb_options& options, const file_of_lines& mine,
                   const file_of_lines& theirs, const hasher& hash) {
  compared result;
  lab::world world(1);
  const apps::peer answerer = world.add(sync_answerer(theirs.set(), hash, theirs.source()));
  const apps::peer asker = world.add(sync_asker(
      mine.set(), asking(options, hash, answerer),
      [&](digest, std::string_view line) { result.lines.push_back(one_line(options, line)); }));
  world.connect(asker, answerer, {});
  world.run();
  result.found = world.get<sync_asker>(asker).outcome();
  result.bytes = {world.sent_by(asker).bytes, world.sent_by(answerer).bytes};
  return result;
}

compared with_partner(const sync_verb_options& options, const file_of_lines& mine,
                      const hasher& hash) {
  compared result;
  const auto take = [&](digest, std::string_view line) {
    result.lines.push_back(one_line(options, line));
  };
  net::loop loop(sync_asker(mine.set(), asking(options, hash, apps::peer{0}), take),
                 limits_of(options));
  const auto& asker = loop.get<sync_asker>();
  result.bytes = talk_with(options.partner.with, loop, [&] { return asker.outcome().finished; });
  result.found = asker.outcome();
  return result;
}

// Each partner has an answerer of its own.
struct sync_server {
  const file_of_lines* file;
  hasher hash;
  std::map<apps::peer, sync_answerer> partners{};

  void start(apps::time, apps::outbox&) {}
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
    const auto at = partners.try_emplace(from, file->set(), hash, file->source()).first;
    at->second.receive(now, from, message, out);
  }
  void tick(apps::time, std::uint64_t, apps::outbox&) {}

  // Whether the partner that is gone had all.
  bool forget(apps::peer who) {
    const auto at = partners.find(who);
    const bool had_all = at != partners.end() && at->second.finished();
    if (at != partners.end()) partners.erase(at);
    return had_all;
  }
};

exit_status answer(const sync_verb_options& options, const file_of_lines& file,
                   const hasher& hash) {
  if (options.partner.listens()) {
    net::loop loop(sync_server{&file, hash}, limits_of(options));
    auto& server = loop.get<sync_server>();
    return serve(options.partner, loop, [&](apps::peer who) { return server.forget(who); });
  }
  net::loop loop(sync_answerer(file.set(), hash, file.source()), limits_of(options));
  const auto& answerer = loop.get<sync_answerer>();
  (void)talk_with_caller(loop, [&] { return answerer.finished(); });
  return exit_status::found;
}

std::string in_hex(digest d) {
  return fmt::format("{:016x}{:016x}", d.hi, d.lo);
}

void print_lines(const sync_verb_options& options, const file_of_lines& mine, compared& result) {
  const char end = options.lines.zero ? '\0' : '\n';
  const std::string_view before_mine = options.both ? "< " : "";
  const std::string_view before_theirs = options.both ? "> " : "";
  std::string text;
  const auto print = [&](std::string_view before, std::string_view line) {
    (text += before) += line;
    text += end;
    constexpr std::size_t enough = 1 << 16;
    if (text.size() < enough) return;
    print_text(text);
    text.clear();
  };
  if (options.shows_mine()) {
    mine.each_line(result.found.differ.only_mine,
                   [&](std::size_t, std::string_view line) { print(before_mine, line); });
  }
  if (options.shows_theirs() && options.fetch) {
    std::ranges::sort(result.lines);
    for (const std::string& line : result.lines) print(before_theirs, line);
  } else if (options.shows_theirs()) {
    for (const digest d : result.found.differ.only_theirs) print(before_theirs, in_hex(d));
  }
  print_text(text);
}

json report_of(const digest_set& mine, const compared& result) {
  const sync_outcome& found = result.found;
  const auto everything = static_cast<double>(found.their_bytes);
  const auto travelled = static_cast<double>(result.bytes.sent + result.bytes.received);
  return {{"method", exchange::sync_methods[static_cast<std::size_t>(found.used)]},
          {"exact", found.exact},
          {"lines", {{"mine", mine.size()}, {"theirs", found.theirs}}},
          {"only_mine", found.differ.only_mine.size()},
          {"only_theirs", found.differ.only_theirs.size()},
          {"fetched", found.fetched},
          {"rounds", found.rounds},
          {"symbols", found.symbols},
          {"symbols_needed", found.needed},
          {"visits", found.visits},
          {"bytes", {{"sent", result.bytes.sent}, {"received", result.bytes.received}}},
          {"bytes_of_all_their_lines", found.their_bytes},
          {"times_fewer", travelled > 0 ? everything / travelled : 0}};
}

exit_status run(const sync_verb_options& options) {
  (void)method_named(options.method);
  (void)limits_of(options);
  const hasher hash = hash_of(options);
  const bool answers = options.files.front() == "-";
  if (options.partner.listens() || answers) {
    if (options.shows_mine() || options.shows_theirs() || options.fetch || options.json ||
        !options.partner.with.empty()) {
      fail(errc::invalid, "who answers prints nothing: the options are for who asks");
    }
    if (answers && options.files.size() != 2)
      fail(errc::invalid, "no file is given to answer from");
    if (!answers && options.files.size() != 1) {
      fail(errc::invalid, "--listen answers from one file");
    }
    if (options.partner.listens()) (void)net::parse_endpoint(options.partner.listen);
    return answer(options, file_named(options.files.back(), options, hash), hash);
  }
  if (options.partner.with.empty() == (options.files.size() == 1)) {
    fail(errc::invalid, "a file is compared with a second one, or with a partner by --with");
  }
  const file_of_lines mine = file_named(options.files.front(), options, hash);
  compared result;
  if (options.partner.with.empty()) {
    const file_of_lines theirs = file_named(options.files.back(), options, hash);
    result = with_file(options, mine, theirs, hash);
  } else {
    result = with_partner(options, mine, hash);
  }
  const bool shown = options.shows_mine() || options.shows_theirs();
  if (shown) print_lines(options, mine, result);
  const sync_outcome& found = result.found;
  if (options.json && shown) {
    std::fprintf(stderr, "%s\n", on_one_line(report_of(mine.set(), result)).c_str());
  } else if (options.json) {
    print_json(report_of(mine.set(), result));
  } else if (!shown) {
    print_text(fmt::format("{} only here, {} only there{}\n",
                           format_count(found.differ.only_mine.size()),
                           format_count(found.differ.only_theirs.size()),
                           found.exact ? "" : ", and perhaps some more"));
  }
  // Who is not exact has begun because something differs, and may have found nothing of it.
  const bool equal =
      found.exact && found.differ.only_mine.empty() && found.differ.only_theirs.empty();
  return equal ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_sync(verb_list& verbs) {
  verbs.add<sync_verb_options>(
      "sync",
      "Find in which lines two files differ, on one host or two\n"
      "Some 40 bytes travel for each line that differs, and none for the others. A partner is the "
      "same "
      "verb with `-` in front of its file, started by any command, such as `ssh host bloomery sync "
      "- "
      "theirs.txt`, or with --listen. Repeated lines count once. Exits with 0 if no line differs, "
      "1 if "
      "some do, and 2 if something went wrong: then nothing is printed.",
      "  seq 1000 > mine.txt; seq 5 1003 > theirs.txt\n"
      "  bloomery sync mine.txt theirs.txt  # exits 1\n"
      "  bloomery sync mine.txt theirs.txt --both --fetch  # exits 1\n"
      "  bloomery sync mine.txt --with 'bloomery sync - theirs.txt' --json  # exits 1\n"
      "  bloomery sync mine.txt mine.txt --method filter",
      declare, run);
}

}  // namespace bloomery::cli
