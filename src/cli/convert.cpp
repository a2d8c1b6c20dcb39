// convert: a filter as another program, or another kind, has it.
#include <fmt/format.h>

#include <memory>

#include "ask.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "build.hpp"
#include "message.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct convert_options {
  std::string filter;
  std::string output;
  std::string format;
  std::string kind;
  std::string rate;
  std::string memory;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, convert_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to convert, of any program")
      .required();
  declare_output(verb, options.output, "the result");
  verb.add_option("--format", "FORMAT", options.format,
                  "the format of the result; `bloomery build --help` lists them")
      .excludes(verb.add_option("--kind", "KIND", options.kind,
                                "make a filter of our own of this kind, of the keys (default: " +
                                    std::string(default_kind().info.name) + ")"));
  verb.add_option("-f,--file", "FILE", options.files,
                  "the keys of the filter, one per line: build the result of them, once the filter "
                  "is found to have them all");
  verb.add_option("--fpr", "P", options.rate,
                  "with --file, the false-positive rate to promise (default: 1%)");
  verb.add_option("--memory", "SIZE", options.memory,
                  "with --file, refuse a result that is larger than this (64MiB)");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// What is converted; of the two one is there.
struct source {
  std::unique_ptr<foreign::filter> theirs;
  std::optional<any_filter> ours;

  [[nodiscard]] std::string_view name() const {
    return theirs ? theirs->info().name : ours->kind().info.name;
  }
};

source opened(const std::string& name) {
  const location where(name);
  source found;
  found.theirs = where.load_foreign();
  if (!found.theirs) found.ours = where.open();
  return found;
}

// The same bits, where another format takes them.
void rewrap(const convert_options& options, const source& from, changed_file& target) {
  if (options.format.empty() && options.kind.empty()) {
    fail(errc::invalid, "name what to convert to: --format, or the keys by --file");
  }
  for (const auto& [given, name] :
       {std::pair(&options.rate, "--fpr"), {&options.memory, "--memory"}}) {
    if (!given->empty()) {
      fail(errc::invalid,
           std::string(name) + " is for a result that is built of keys: name them by --file");
    }
  }
  const std::string_view name = options.format.empty()
                                    ? find_kind(options.kind).info.name
                                    : foreign::find_format(options.format).info->name;
  if (name == from.name()) {
    fail(errc::invalid, fmt::format("{} is of {} already", options.filter, name));
  }
  std::unique_ptr<foreign::filter> made;
  if (from.theirs && !options.format.empty()) {
    made = foreign::find_format(options.format).rewrap(*from.theirs);
  }
  if (!made) {
    std::string told = fmt::format(
        "{}: a key sets other bits in {} than in {}; name a file of its keys by --file, and the "
        "result is built of them",
        options.filter, from.name(), name);
    if (from.ours) {
      told += ". `bloomery compress`, `plain` and `fold` write filters of our own in other ways";
    }
    fail(errc::unsupported, told);
  }
  const std::vector<std::byte> file = made->save();
  target.save(byte_view(file));
  if (options.json) print_json(foreign_json(*made, file.size()));
}

// That the filter claims all keys, or errc::invalid: they are not the ones that it was built of. How many bits of
// it none of them sets, where that can be told.
struct checked_keys {
  std::uint64_t keys = 0;
  std::optional<std::uint64_t> unexplained_bits;
};
checked_keys check(const convert_options& options, const source& from, const key_input& input) {
  const clock_option clock;
  const asker ask = from.theirs
                        ? asker_of(*from.theirs, options.key_file, clock)
                        : asker_of(*from.ours, options.key_file, clock.time_for(*from.ours));
  const auto again = from.theirs ? from.theirs->emptied() : nullptr;
  checked_keys found;
  std::uint64_t absent = 0;
  std::string first_absent;
  input.each_block(
      [&](const line_block& block) {
        std::vector<std::string_view> missing;
        const auto answers = std::make_unique<bool[]>(block.keys.size());
        ask(block.keys, {answers.get(), block.keys.size()});
        for (std::size_t i = 0; i < block.keys.size(); ++i) {
          if (!answers[i]) missing.push_back(block.keys[i]);
        }
        return missing;
      },
      [&](const line_block& block, const std::vector<std::string_view>& missing) {
        found.keys += block.keys.size();
        if (absent == 0 && !missing.empty()) first_absent = missing.front();
        absent += missing.size();
        if (again && absent == 0) again->insert(block.keys);
      });
  if (absent != 0) {
    fail(errc::invalid,
         fmt::format(
             "{} of {} keys are certainly not in {}, the first of them {}: these are not the "
             "keys that it was built of",
             absent, found.keys, options.filter, in_quotes(first_absent)));
  }
  if (again) found.unexplained_bits = from.theirs->ones() - again->ones();
  return found;
}

void rebuild(const convert_options& options, const source& from, changed_file& target) {
  build_options made;
  made.format = options.format;
  made.kind = options.kind;
  made.memory = options.memory;
  if (!options.rate.empty()) made.rate = options.rate;
  made.opened = key_input({}, options.files, options.lines).kept();
  const checked_keys checked = check(options, from, *made.opened);
  json report;
  if (options.format.empty()) {
    if (from.ours && has_secret(from.ours->record().hash)) made.hash.key_file = options.key_file;
    const built result = build_ours(made);
    target.save(result.filter);
    report = filter_json(result.filter);
  } else {
    const auto [theirs, items] = build_foreign(made);
    const std::vector<std::byte> file = theirs->save();
    target.save(byte_view(file));
    report = foreign_json(*theirs, file.size());
  }
  report["keys_checked"] = checked.keys;
  if (checked.unexplained_bits) report["unexplained_bits"] = *checked.unexplained_bits;
  if (checked.unexplained_bits.value_or(0) != 0) {
    tell(
        fmt::format("{}: none of the keys sets {} of its {} ones: it was built of more keys, "
                    "which the result lacks",
                    options.filter, *checked.unexplained_bits, from.theirs->ones()));
  }
  if (options.json) print_json(report);
}

exit_status run(const convert_options& options) {
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), {options.filter, options.key_file.path});
  changed_file target(options.output, options.lock, inputs);
  const source from = opened(options.filter);
  if (options.files.empty()) {
    rewrap(options, from, target);
  } else {
    rebuild(options, from, target);
  }
  return exit_status::found;
}

}  // namespace

void add_convert(verb_list& verbs) {
  verbs.add<convert_options>(
      "convert",
      "Write a filter in the format of another program\n"
      "Where two formats have the same bits and hashes, these are written anew: a sync message of "
      "Automerge, and the filter in it. Otherwise bits say nothing to other hashes, and the result "
      "is built of the keys, which --file names. Each of them must be in the filter, or nothing is "
      "written; if the filter has bits that no key sets, keys are missing from the file, and a "
      "note says so.",
      "  seq 99 | sed s_^_http://example.org/_ > urls.txt\n"
      "  bloomery build --format squid-digest -o urls.digest urls.txt\n"
      "  bloomery convert urls.digest -f urls.txt --format dcso-bloom -o urls.dcso\n"
      "  bloomery convert urls.digest -f urls.txt --fpr 0.1% -o urls.bloom\n"
      "  bloomery query urls.bloom http://example.org/7\n"
      "  for i in 1 2 3; do echo $i | sha256sum | cut -c 1-64; done > changes.txt\n"
      "  bloomery build --format automerge-sync -o peer.sync changes.txt\n"
      "  bloomery convert peer.sync --format automerge-filter -o peer.filter",
      declare, run);
}

}  // namespace bloomery::cli
