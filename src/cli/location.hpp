// Where a filter is kept, to be read: a FILTER argument. It is a file, or a key of a Redis server.
// What is written goes through changed_file.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/foreign/format.hpp"
#include "redis_address.hpp"

namespace bloomery::cli {

class command;           // verbs.hpp
class redis_filter;      // redis_filter.hpp
class sharded_filter;    // sharded_filter.hpp
struct acknowledgement;  // redis_cluster.hpp

// How filters are read, by every verb that reads one.
struct reading_options {
  std::string max_memory;
  bool map = false;

  void declare(command& verb, bool only_reads);
  [[nodiscard]] wire::load_options limits() const;
};
reading_options& reading();

class location {
 public:
  // A path, `-` for standard input, or what redis_address.hpp says.
  explicit location(const std::string& text);
  ~location();

  // To be shown: a password is left out.
  [[nodiscard]] const std::string& name() const { return address_ ? address_->name : text_; }
  [[nodiscard]] bool in_server() const { return address_.has_value(); }
  // The filter where it is, in a server, with a conversation of its own.
  [[nodiscard]] std::unique_ptr<redis_filter> of_server() const;
  // The one that is spread over keys of servers, if that is what is there.
  [[nodiscard]] std::unique_ptr<sharded_filter> in_shards() const;
  [[nodiscard]] std::unique_ptr<sharded_filter> in_shards(const acknowledgement& by) const;
  [[nodiscard]] const redis_address* address() const { return address_ ? &*address_ : nullptr; }

  // In memory of its own, unless the person chose to map it; to be changed, always so.
  [[nodiscard]] any_filter open() const;
  [[nodiscard]] any_filter load() const;

  // A filter in a file of another program, or behind BF or CF in a server; none if it is in none that is known
  // here, or in a pipe, whose start can be read once.
  [[nodiscard]] std::unique_ptr<foreign::filter> load_foreign() const;

  // What is kept there and no filter by itself.
  [[nodiscard]] bits::file_contents read() const;

 private:
  [[nodiscard]] const foreign::format* foreign_format() const;
  void refuse_foreign() const;
  [[nodiscard]] std::string input() const { return text_ == "-" ? "/dev/stdin" : text_; }

  std::string text_;
  std::optional<redis_address> address_;
};

// What went wrong; if a filter is not of the kind that was needed, and it is the only one that was
// opened, after its name.
std::string named_problem(const error& problem);

// The result of `work` on the locations of these names, which go before its complaints.
template <class Work>
auto with_names(const std::vector<std::string>& names, const Work& work) {
  try {
    return work();
  } catch (const error& problem) {
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : " and ") + name;
    if (std::string_view(problem.what()).starts_with(listed)) throw;
    fail(problem.code(), listed + ": " + problem.what());
  }
}

}  // namespace bloomery::cli
