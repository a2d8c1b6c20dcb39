// join: rows of two tables that share a key, wherever the tables lie.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bloomery/apps/exchange/semijoin.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "options.hpp"
#include "partner.hpp"
#include "report.hpp"
#include "row_table.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct join_options {
  std::vector<std::string> tables;
  std::string on;
  line_options lines;
  bool semi = false;
  bool keys_only = false;
  bool estimate = false;
  std::string method = "auto";
  std::string rate;
  std::string kind;
  std::string confidence = "95%";
  key_file_option key_file;
  partner_options partner;
  bool json = false;
};

void declare(command& verb, join_options& options) {
  verb.add_option("tables", "TABLE", options.tables,
                  "two files of rows; or one and --with; or one, behind `-` if whoever started "
                  "this asks, or with --listen")
      .required()
      .expected(1, 2);
  verb.add_option("--on", "COLUMN[=COLUMN]", options.on,
                  "the column that both share, by number or with --header by name; after `=` that "
                  "of the second table (default: 1)");
  const option semi = verb.add_flag("--semi", options.semi,
                                    "print the rows of the first table that have a partner");
  const option keys = verb.add_flag("--keys-only", options.keys_only,
                                    "print only the keys that both have, each once")
                          .excludes(semi);
  verb.add_flag("--estimate", options.estimate,
                "tell only how many rows would join, by a filter of the keys")
      .excludes(semi)
      .excludes(keys);
  verb.add_option("--method", "METHOD", options.method,
                  "what is sent: a filter of the keys, the keys, or neither, for all rows: "
                  "filter, keys, rows; auto takes what costs the fewest bytes")
      .show_default();
  verb.add_option("--fpr", "P", options.rate,
                  "false-positive rate of the filter (default: what costs the fewest bytes)");
  verb.add_option("--kind", "KIND", options.kind, "of the filter (default: ribbon)");
  options.partner.declare(verb, "ssh host bloomery join - cities.csv");
  options.lines.declare_pairs(verb);
  options.key_file.declare(verb);
  declare_confidence(verb, options.confidence);
  declare_json(verb, options.json);
}

line_format format_on(const join_options& options, bool second) {
  line_options lines = options.lines;
  const std::size_t parted = options.on.find('=');
  lines.field = options.on.substr(0, parted);
  if (second && parted != std::string::npos) lines.field = options.on.substr(parted + 1);
  return lines.format();
}

hasher hash_of(const join_options& options) {
  const auto secret = options.key_file.secret();
  return secret ? hasher(keyed_hash(*secret)) : hasher();
}

apps::join_wish wish_of(const join_options& options) {
  apps::join_wish wish{.partner = apps::peer{}};
  if (options.semi || options.keys_only) wish.want = apps::join_want::keys;
  if (options.estimate) wish.want = apps::join_want::count;
  if (options.method != "auto") {
    const auto* const found = std::ranges::find(apps::join_method_names, options.method);
    if (found == apps::join_method_names.end() ||
        (options.estimate && options.method != "filter")) {
      fail(errc::invalid, "the method is " + in_quotes(options.method) + "; allowed: auto, filter" +
                              (options.estimate ? "" : ", keys, rows"));
    }
    wish.method = static_cast<apps::join_method>(found - apps::join_method_names.begin());
  }
  if (!options.rate.empty()) wish.rate = parse_ratio(options.rate);
  if (!options.kind.empty()) wish.kind = options.kind;
  return wish;
}

net::loop_limits limits_of(const join_options& options) {
  return options.partner.limits(apps::join_message::limits.max_bytes);
}

// What came back of the other table, by key: the rests of its rows, one after another, each behind its length, so
// that many short ones take little more memory than they took to be sent.
class found_rows {
 public:
  void add(std::string_view key, std::string_view rest) {
    auto at = rests_.find(key);
    if (at == rests_.end()) at = rests_.emplace(key, std::string()).first;
    std::array<std::byte, length_bytes> length{};
    core::store_le(length.data(), static_cast<std::uint32_t>(rest.size()));
    at->second.append(reinterpret_cast<const char*>(length.data()), length.size()).append(rest);
  }
  // None if no row has the key.
  [[nodiscard]] std::optional<std::vector<std::string_view>> find(std::string_view key) const {
    const auto at = rests_.find(key);
    if (at == rests_.end()) return std::nullopt;
    std::vector<std::string_view> found;
    for (std::string_view all = at->second; !all.empty();) {
      const auto length = core::load_le<std::uint32_t>(std::as_bytes(std::span(all)).data());
      found.push_back(all.substr(length_bytes, length));
      all.remove_prefix(length_bytes + length);
    }
    return found;
  }

 private:
  static constexpr std::size_t length_bytes = 4;  // a rest is no longer than a message may be
  std::map<std::string, std::string, std::less<>> rests_;
};

struct joined {
  found_rows found;
  apps::join_report report;
  spoken bytes;
};

joined ask(const join_options& options, row_table& mine) {
  joined result;
  apps::join_wish wish = wish_of(options);
  const auto take = [&](std::string_view key, std::string_view rest) {
    mine.require_rest(rest);
    result.found.add(key, rest);
  };
  if (!options.partner.with.empty()) {
    net::loop loop(apps::join_asker(mine, hash_of(options), wish, take), limits_of(options));
    const auto& asker = loop.get<apps::join_asker>();
    result.bytes = talk_with(options.partner.with, loop, [&] { return asker.done(); });
    result.report = asker.report();
    mine.require_rest(result.report.heading);
    return result;
  }
  row_table theirs(options.tables.back(), format_on(options, true));
  lab::world world(0);
  wish.partner = apps::peer{1};
  const apps::peer asker = world.add(apps::join_asker(mine, hash_of(options), wish, take));
  const apps::peer holder = world.add(apps::join_holder(theirs, hash_of(options)));
  world.connect(asker, holder, {});
  world.run();
  theirs.report_skipped();
  result.report = world.get<apps::join_asker>(asker).report();
  result.bytes = {world.sent_by(asker).bytes, world.sent_by(holder).bytes};
  return result;
}

// Prints, unless nobody wants to see it, and counts: the own table again, beside what came back.
std::uint64_t print_joined(const join_options& options, row_table& mine, const joined& result) {
  const line_format& format = mine.format();
  std::uint64_t rows = 0;
  std::string text;
  const auto print_row = [&](std::initializer_list<std::string_view> parts) {
    ++rows;
    for (const std::string_view part : parts) text += part;
    text += format.delimiter;
  };
  std::set<std::string, std::less<>> told;
  bool headed = !format.header;
  const auto head_once = [&] {
    if (std::exchange(headed, true)) return;
    const std::string key(mine.key_heading());
    if (options.keys_only) {
      print_row({key});
    } else if (options.semi) {
      text += mine.header_line();
      if (!text.empty() && !text.ends_with(format.delimiter)) text += format.delimiter;
    } else {
      print_row({key, mine.heading(), result.report.heading});
    }
    rows = 0;
  };
  mine.rewind();
  for (auto block = mine.next(); !block.empty(); block = mine.next()) {
    head_once();
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto found = result.found.find(block[i].key);
      if (!found) continue;
      if (options.keys_only) {
        if (told.emplace(block[i].key).second) print_row({format.column(block[i].key)});
      } else if (options.semi) {
        ++rows;
        text.append(mine.line(i)) += format.delimiter;
      } else {
        for (const std::string_view rest : *found) {
          print_row({format.column(block[i].key), block[i].rest, rest});
        }
      }
    }
    if (!options.json) print_text(text);
    text.clear();
  }
  head_once();  // a table of no rows has one as well
  if (!options.json) print_text(text);
  mine.report_skipped();
  return rows;
}

json size_json(const apps::table_size& size) {
  return {{"rows", size.rows}, {"keys", size.keys}, {"bytes", size.row_bytes}};
}

json report_json(const joined& result) {
  const apps::join_report& report = result.report;
  json told{{"method", apps::join_method_names[static_cast<std::size_t>(report.method)]},
            {"mine", size_json(report.mine)},
            {"theirs", size_json(report.theirs)},
            {"bytes_sent", result.bytes.sent},
            {"bytes_received", result.bytes.received},
            {"received", report.received},
            {"false", report.false_ones},
            {"filter_bytes", report.filter_bytes},
            {"fpr", report.rate},
            {"expected_bytes",
             {{"filter", report.cost_of_filter},
              {"keys", report.cost_of_keys},
              {"rows", report.cost_of_rows}}},
            {"key_bytes", report.key_bytes},
            {"even_key_bytes", report.even_key_bytes}};
  return told;
}

exit_status print_estimate(const join_options& options, const joined& result) {
  const double confidence = parse_confidence(options.confidence);
  const apps::join_estimate found = apps::estimate_join(result.report, confidence);
  if (options.json) {
    json told = report_json(result);
    told["confidence"] = confidence;
    told["estimated_keys"] = to_json(found.keys);
    told["estimated_rows"] = to_json(found.rows);
    print_json(told);
  } else {
    const apps::join_report& report = result.report;
    const auto size = [](double bytes) {
      return format_size(static_cast<std::uint64_t>(std::ceil(bytes)));
    };
    std::vector<std::vector<std::string>> lines{
        {"keys in both", to_text(found.keys)},
        {"rows of the second that join", to_text(found.rows)}};
    const bool weighed = report.cost_of_rows > 0;
    if (weighed) {
      lines.push_back({"to join them by a filter", size(report.cost_of_filter)});
      lines.push_back({"to join them by the keys", size(report.cost_of_keys)});
      lines.push_back({"to join them by all rows", size(report.cost_of_rows)});
    }
    print_table(lines);
    print_text("\n");
    std::string text =
        fmt::format("In brackets: intervals of {} confidence. This took {} there and {} back.",
                    format_ratio(confidence), format_size(result.bytes.sent),
                    format_size(result.bytes.received));
    if (weighed) {
      text += fmt::format(
          " To join takes the rows that match as well, by any method; a filter is cheaper than "
          "keys "
          "of more than {:.1f} bytes, and these have {:.1f} on average.",
          std::max(0.0, report.even_key_bytes), report.key_bytes);
    }
    print_paragraph(text);
  }
  return found.rows.high > 0 ? exit_status::found : exit_status::not_found;
}

// Each partner has a holder of its own, with a reader of its own, so that a slow one keeps nobody waiting.
struct join_server {
  struct answering {
    std::unique_ptr<row_table> table;
    apps::join_holder holder;
    answering(const row_table& of, const hasher& hash, std::optional<apps::table_size> size)
        : table(of.another()), holder(*table, hash, {}, size) {}
  };
  const row_table* table;
  hasher hash;
  std::optional<apps::table_size> size{};  // which takes a pass over the table to find out
  std::map<apps::peer, std::unique_ptr<answering>> partners{};

  void start(apps::time, apps::outbox&) {}
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
    auto& partner = partners[from];
    if (!partner) partner = std::make_unique<answering>(*table, hash, size);
    partner->holder.receive(now, from, message, out);
    size = partner->holder.size();
  }
  void tick(apps::time, std::uint64_t, apps::outbox&) {}

  // Whether the partner that is gone had all.
  bool forget(apps::peer who) {
    const auto at = partners.find(who);
    if (at == partners.end()) return false;
    const bool had_all = at->second->holder.done();
    at->second->table->report_skipped();
    partners.erase(at);
    return had_all;
  }
};

exit_status answer(const join_options& options) {
  row_table table(options.tables.back(), format_on(options, true));
  if (options.partner.listens()) {
    net::loop loop(join_server{&table, hash_of(options)}, limits_of(options));
    auto& server = loop.get<join_server>();
    return serve(options.partner, loop, [&](net::peer who) { return server.forget(who); });
  }
  net::loop loop(apps::join_holder(table, hash_of(options)), limits_of(options));
  const auto& holder = loop.get<apps::join_holder>();
  (void)talk_with_caller(loop, [&] { return holder.done(); });
  table.report_skipped();
  return exit_status::found;
}

exit_status run(const join_options& options) {
  const bool two = options.tables.size() == 2;
  const bool by_caller = options.tables.front() == "-" && two && options.partner.listen.empty();
  if (two && !by_caller && (!options.partner.with.empty() || !options.partner.listen.empty())) {
    fail(errc::invalid, "a second table is here, and a partner is named; allowed: one of them");
  }
  if (!two && options.partner.with.empty() && options.partner.listen.empty()) {
    fail(errc::invalid, "one table is named; allowed: two, or one and --with or --listen");
  }
  if (by_caller || !options.partner.listen.empty()) return answer(options);
  row_table mine(options.tables.front(), format_on(options, false));
  const joined result = ask(options, mine);
  if (options.estimate) return print_estimate(options, result);
  const std::uint64_t rows = print_joined(options, mine, result);
  if (options.json) {
    json told = report_json(result);
    told["rows"] = rows;
    print_json(told);
  }
  return rows == 0 ? exit_status::not_found : exit_status::found;
}

}  // namespace

void add_join(verb_list& verbs) {
  verbs.add<join_options>(
      "join",
      "Join two tables, wherever they lie, by a filter of the keys\n"
      "Prints the key, then the other columns of the first table, then those of the second, in the "
      "order of the first. If the second table lies elsewhere, a filter of the first one's keys "
      "goes there and only rows that pass come back; those that passed wrongly are removed. "
      "The output is exact by any method.",
      "  printf 'Ada\\tBern\\nKim\\tOslo\\nLee\\tBern\\n' > people.tsv\n"
      "  printf 'Bern\\tdear\\nRome\\tcheap\\n' > cities.tsv\n"
      "  bloomery join --on 2=1 people.tsv cities.tsv\n"
      "  bloomery join --on 2=1 --semi people.tsv cities.tsv\n"
      "  bloomery join --on 2=1 --estimate people.tsv cities.tsv\n"
      "  bloomery join --on 2 people.tsv --with 'bloomery join - cities.tsv'",
      declare, run);
}

}  // namespace bloomery::cli
