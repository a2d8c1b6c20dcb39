#include "location.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string_view>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/stored.hpp"
#include "redis_filter.hpp"
#include "sharded_filter.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

std::vector<std::string>& opened_names() {
  static std::vector<std::string> names;
  return names;
}

// A page of a mapped file is gone: someone truncated it, or its disk failed.
void on_lost_page(int /*signal*/) {
  bits::abandon_write();
  constexpr std::string_view told =
      "bloomery: a mapped file was truncated, or cannot be read any more; read without --map, "
      "which keeps a copy\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, told.data(), told.size());
  ::_exit(static_cast<int>(exit_status::error));
}

}  // namespace

std::string named_problem(const error& problem) {
  std::string message = problem.what();
  const bool of_the_filter = problem.code() == errc::unsupported ||
                             problem.code() == errc::incompatible ||
                             problem.code() == errc::read_only;
  const bool alone = opened_names().size() == 1 && opened_names().front() != "-";
  if (!of_the_filter || !alone || message.find(opened_names().front()) != std::string::npos) {
    return message;
  }
  return opened_names().front() + ": " + message;
}

void reading_options::declare(command& verb, bool only_reads) {
  verb.add_option("--max-memory", "SIZE", max_memory,
                  "refuse a filter that would take more memory (default: what the machine has)");
  if (!only_reads) return;
  verb.add_flag("--map", map,
                "leave the filter in its file, for one too large to copy; changes to the file then "
                "show, and if it is cut the verb fails");
}

wire::load_options reading_options::limits() const {
  wire::load_options options;
  if (!max_memory.empty()) options.max_memory = parse_size(max_memory);
  return options;
}

reading_options& reading() {
  static reading_options options;
  return options;
}

location::location(const std::string& text) : text_(text) {
  if (text.empty()) fail(errc::invalid, "a filter's location cannot be empty");
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return;
  if (!redis_address::is_one(text)) {
    fail(errc::unsupported, in_quotes(text) + ": locations of the form " +
                                printable(text.substr(0, scheme)) +
                                ":// are not known; a filter is kept in a file, or at "
                                "redis://HOST:PORT/KEY or unix:///SOCKET/KEY");
  }
  address_.emplace(text);
}

location::~location() = default;

std::unique_ptr<redis_filter> location::of_server() const {
  opened_names().push_back(name());
  return std::make_unique<redis_filter>(located(*address_, {}).where);
}

std::unique_ptr<sharded_filter> location::in_shards(const acknowledgement& by) const {
  return address_ ? sharded_filter::find(*address_, by) : nullptr;
}

std::unique_ptr<sharded_filter> location::in_shards() const {
  return in_shards(acknowledgement());
}

const foreign::format* location::foreign_format() const {
  if (address_) return nullptr;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(input(), problem)) return nullptr;
  const bits::readable_file file(input());
  const std::vector<std::byte> start = bits::read_on(file, foreign::recognised_bytes);
  file.go_to(0);  // of standard input, whoever reads next begins there
  return foreign::recognised(start, file.size());
}

void location::refuse_foreign() const {
  const foreign::format* of = foreign_format();
  if (of == nullptr) return;
  fail(errc::unsupported, text_ + ": this is a filter of another program (" +
                              std::string(of->info->title) +
                              "), which `bloomery query`, `info`, `doctor` and `convert` read");
}

std::unique_ptr<foreign::filter> location::load_foreign() const {
  if (address_) {
    const auto held = of_server();
    return held->foreign_format() == nullptr ? nullptr : held->load_foreign(reading().limits());
  }
  const foreign::format* of = foreign_format();
  if (of == nullptr) return nullptr;
  opened_names().push_back(text_);
  const wire::load_options limits = reading().limits();
  return wire::naming(text_, [&] {
    return of->read(bits::read_file(input(), limits.most_copied()).bytes(), limits);
  });
}

any_filter location::open() const {
  if (!reading().map || address_) return load();
  refuse_foreign();
  opened_names().push_back(text_);
  std::signal(SIGBUS, on_lost_page);
  return map_file(input(), reading().limits());
}

any_filter location::load() const {
  if (address_) return of_server()->load(reading().limits());
  refuse_foreign();
  opened_names().push_back(text_);
  return load_file(input(), reading().limits());
}

bits::file_contents location::read() const {
  if (address_) {
    fail(errc::unsupported, name() + ": this is read from a file; a server keeps filters alone");
  }
  return wire::read_bytes(input(), reading().limits());
}

}  // namespace bloomery::cli
