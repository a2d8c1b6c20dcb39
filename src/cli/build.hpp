// build by what it takes in: keys, keys with weights, numbers, texts, or keys under a secret.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/foreign/format.hpp"
#include "changed_file.hpp"
#include "input.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sharded_filter.hpp"
#include "sizing.hpp"

namespace bloomery::cli {

struct build_options {
  std::string kind;
  std::string rate = "1%";
  std::string keys;
  window_option window;
  std::string memory;
  std::string error;
  std::string confidence = "99%";
  std::string weights;
  unsigned range_bits = 0;
  bool sources = false;
  bool transmit = false;
  shape_option shape;
  hash_options hash;
  clock_option clock;
  line_options lines;
  std::string output;
  std::string format;
  std::vector<std::string> files;
  lock_option lock;
  std::string shards;
  acknowledging_options acknowledged;
  bool json = false;
  std::optional<key_input> opened;  // instead of files, for who has read them before

  [[nodiscard]] key_input input() const { return opened ? *opened : key_input({}, files, lines); }
  [[nodiscard]] double promised_rate() const { return parse_ratio(rate); }
  [[nodiscard]] window_length window_given() const {
    return window.length_with_keys(!keys.empty());
  }
};

struct built {
  any_filter filter;
  json facts = json::object();  // beside those of the filter
  std::string told = {};        // to a person
};

built build_keys(const any_kind& kind, const build_options& options);
built build_weighted(const any_kind& kind, const build_options& options);
built build_ranges(const any_kind& kind, const build_options& options);
built build_texts(const any_kind& kind, const build_options& options);
built build_secret(const any_kind& kind, const build_options& options);

// By the kind and what the options say; within --memory.
built build_ours(const build_options& options);

// Spread over keys of a Redis Cluster, as --shards says, into which the keys go as they come.
exit_status build_in_shards(const any_kind& kind, const build_options& options);

// For another program to read.
struct built_foreign {
  std::unique_ptr<foreign::filter> filter;
  std::uint64_t items;
};
built_foreign build_foreign(const build_options& options);
json foreign_json(const foreign::filter& filter, std::uint64_t file_bytes);

// Refuses a filter that takes more than --memory; one that grows may do so with its keys.
void require_within(const any_filter& filter, const std::string& memory);

// The shape that is planned for so many keys, with what was set by hand; errc::limit if it takes more
// than --memory. `plan` and `rate_of` are as those of planned().
sized size_of(const any_kind& kind, const build_options& options, std::uint64_t keys,
              const std::function<std::vector<field_value>()>& plan,
              const std::function<double(const std::vector<field_value>&)>& rate_of = {});

// The keys to size for: those stated, which must be enough for those counted, or else these.
std::uint64_t keys_to_size_for(const std::string& stated, std::uint64_t counted);

// The filter with so many insertions on record: some were repeats and left out, since they change nothing
// else. It is for saving, not for changing.
any_filter with_insertions(any_filter filter, std::uint64_t insertions);

// Refuses what can be promised for no number of keys, before the input is read to count them.
void require_promise(const any_kind& kind, const build_options& options);

}  // namespace bloomery::cli
