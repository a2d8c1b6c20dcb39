// Two tables that lie apart are joined: who asks, and who holds the other table.
//
// Purpose:   `join_asker` has a table, and wants of another the rows, or only the keys, that have one of its keys.
//            `join_holder` has that other table. It tells how large it is, and the asker sends what costs the fewest
//            bytes: a filter of its keys (a Bloomjoin), the keys themselves (a semijoin), or neither, for all rows.
//            What comes back is compared with the asker's own keys, so that false positives are gone.
// Cost:      each table is read twice, or thrice if its keys are sent; the asker keeps 16 bytes a row of its own
//            and what comes back and joins, the holder 8 bytes a row, while it counts its keys. A batch under way
//            takes some 64 KiB.
// Guarantee: exactly the rows that join, each as often as it is there. What a message says is checked; a holder that
//            sends more than it has told of, or an asker that sends no filter of the agreed hash, throws errc::corrupt,
//            errc::limit or errc::incompatible. One asker at a time: another has to wait (errc::limit).
// Citation:  Mackert, Lohman 1986; Mullin 1990, 1993; Broder–Mitzenmacher §3.2; Tarkoma §II-B.
//
//     using bloomery::apps::listed_table;
//     listed_table cities({{"Oslo", "dear"}, {"Bern", "dear"}});
//     listed_table people({{"Rome", "Ada"}, {"Bern", "Kim"}, {"Bern", "Lee"}});
//     std::vector<std::string> found;
//     bloomery::lab::world world(1);
//     const auto asker = world.add(bloomery::apps::join_asker(cities, {}, {.partner = bloomery::apps::peer{1}},
//                                  [&](std::string_view, std::string_view rest) { found.emplace_back(rest); }));
//     world.connect(asker, world.add(bloomery::apps::join_holder(people, {})), {});
//     world.run();
//     assert((found == std::vector<std::string>{"Kim", "Lee"}));
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bloomery/apps/party.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/any_filter.hpp"
#include "bloomery/hash/hasher.hpp"
#include "bloomery/math/laws/estimate.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::apps {

// A row: its key, and what else it has, as it is written.
struct table_row {
  std::string_view key;
  std::string_view rest;
};

// A table that is read in pieces, from its start as often as is needed.
class table {
 public:
  table() = default;
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  virtual ~table() = default;

  virtual void rewind() = 0;
  // The next rows, none at the end. They stay until the next call.
  virtual std::span<const table_row> next() = 0;
  // How its rows are to be read by others: what parts their columns, and what these are called. Tables that
  // differ in the first are not joined.
  [[nodiscard]] virtual std::string form() const { return {}; }
  [[nodiscard]] virtual std::string heading() const { return {}; }
};

// A table in memory.
class listed_table final : public table {
 public:
  explicit listed_table(std::vector<std::pair<std::string, std::string>> rows);
  void rewind() override { read_ = false; }
  std::span<const table_row> next() override;

 private:
  std::vector<std::pair<std::string, std::string>> held_;
  std::vector<table_row> rows_;
  bool read_ = false;
};

enum class join_method : std::uint8_t { filter, keys, rows };
inline constexpr std::array<std::string_view, 3> join_method_names{"filter", "keys", "rows"};

// What is wanted of the other table: only how many rows would join; the rows; or their keys, each once.
enum class join_want : std::uint8_t { count, rows, keys };

namespace join_message {

// The largest filter, and the largest row with its key, that one message may have.
inline constexpr std::uint64_t most_filter_bytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t most_row_bytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t most_in_batch = 1 << 16;
inline constexpr std::uint64_t most_count = std::uint64_t{1} << 62;
inline constexpr wire::message_limits limits{.max_bytes = most_filter_bytes + (1 << 10)};

struct ask {
  static constexpr std::string_view name = "join/ask";
  byte_view form;
  static constexpr std::tuple fields{
      wire::bytes_field("form", "how the asker's rows are written", &ask::form, 0, 64)};
};
struct told {
  static constexpr std::string_view name = "join/table";
  std::uint64_t rows = 0;
  std::uint64_t keys = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t key_bytes = 0;
  double squares = 0;
  byte_view heading;
  static constexpr std::tuple fields{
      whole_field("rows", "of the table", &told::rows, 0, max_keys),
      whole_field("keys", "distinct ones", &told::keys, 0, max_keys),
      whole_field("row_bytes", "of all rows, keys and all", &told::row_bytes, 0, most_count),
      whole_field("key_bytes", "of the keys of all rows", &told::key_bytes, 0, most_count),
      real_field("squares", "sum over keys of their rows squared", &told::squares, 0.0, 1e30),
      wire::bytes_field("heading", "names of columns", &told::heading, 0, 1 << 16)};
};
struct by_filter {
  static constexpr std::string_view name = "join/filter";
  std::uint64_t want = 0;
  wire::carried_filter filter;
  static constexpr std::tuple fields{
      whole_field("want", "count, rows or keys", &by_filter::want, 0, 2),
      wire::filter_field("filter", "of the asker's keys", &by_filter::filter, most_filter_bytes)};
};
struct by_keys {
  static constexpr std::string_view name = "join/keys";
  std::uint64_t want = 0;
  std::uint64_t last = 0;
  std::vector<byte_view> keys;
  static constexpr std::tuple fields{
      whole_field("want", "count, rows or keys", &by_keys::want, 0, 2),
      whole_field("last", "whether no more keys follow", &by_keys::last, 0, 1),
      wire::bytes_list_field("keys", "of the asker", &by_keys::keys, 0, most_in_batch, 0,
                             most_row_bytes)};
};
struct all_rows {
  static constexpr std::string_view name = "join/all";
  std::uint64_t want = 0;
  static constexpr std::tuple fields{
      whole_field("want", "count, rows or keys", &all_rows::want, 0, 2)};
};
struct more {  // of keys, or of rows, as many batches
  static constexpr std::string_view name = "join/more";
  std::uint64_t batches = 1;
  static constexpr std::tuple fields{
      whole_field("batches", "that may follow", &more::batches, 1, 1024)};
};
struct counted {
  static constexpr std::string_view name = "join/count";
  std::uint64_t rows = 0;
  std::uint64_t keys = 0;
  static constexpr std::tuple fields{
      whole_field("rows", "that passed", &counted::rows, 0, max_keys),
      whole_field("keys", "that passed, distinct ones", &counted::keys, 0, max_keys)};
};
struct batch {
  static constexpr std::string_view name = "join/rows";
  std::uint64_t last = 0;
  std::vector<byte_view> parts;  // key, rest, key, rest …; or keys alone
  static constexpr std::tuple fields{
      whole_field("last", "whether no more rows follow", &batch::last, 0, 1),
      wire::bytes_list_field("parts", "keys and rests, or keys", &batch::parts, 0,
                             2 * most_in_batch, 0, most_row_bytes)};
};

}  // namespace join_message

// The sizes of a table: what the costs of a join are made of.
struct table_size {
  std::uint64_t rows = 0;
  std::uint64_t keys = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t key_bytes = 0;
  double squares = 0;  // sum over keys of the squares of their rows
};

struct join_wish {
  peer partner{};
  join_want want = join_want::rows;
  std::optional<join_method> method = {};  // none: what costs the fewest bytes
  double rate = 0;                         // of the filter; 0: the best
  std::string kind = "ribbon";             // of the filter
};

// What was done, and what each way would have cost before a row is sent: matches come back by any.
struct join_report {
  table_size mine;
  table_size theirs;
  std::string heading;  // of the other table
  join_method method = join_method::filter;
  double rate = 1;            // of the filter
  double filter_bytes = 0;    // as it travels
  double cost_of_filter = 0;  // to join by, also if rows are only counted
  double cost_of_keys = 0;
  double cost_of_rows = 0;
  double key_bytes = 0;          // of one of mine, as it is sent
  double even_key_bytes = 0;     // a filter is cheaper than longer ones
  std::uint64_t received = 0;    // rows or keys that came back
  std::uint64_t false_ones = 0;  // of them, that do not join
  std::optional<std::pair<std::uint64_t, std::uint64_t>> passed;  // rows and keys, if counted
};

class join_asker {
 public:
  // Told of each row that joins, or with join_want::keys of each key and an empty rest.
  using found = std::function<void(std::string_view key, std::string_view rest)>;

  // The table must live as long.
  join_asker(table& mine, hasher hash, join_wish wish, found tell);

  void start(time now, outbox& out);
  void receive(time now, peer from, byte_view message, outbox& out);
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const join_report& report() const { return report_; }

 private:
  void choose(const join_message::told& told, outbox& out);
  void ask_for_nothing(outbox& out);
  void send_filter(outbox& out);
  void send_keys(outbox& out);
  void take(const join_message::batch& batch, outbox& out);

  hasher hash_;
  table* mine_;
  join_wish wish_;
  found tell_;
  join_report report_;
  std::vector<digest> keys_;  // distinct, sorted
  std::vector<std::byte> filter_;
  std::set<digest> sent_;  // of the keys, as far as they are
  std::span<const table_row> block_;
  std::uint64_t received_bytes_ = 0;
  bool chosen_ = false;
  bool done_ = false;
};

class join_holder {
 public:
  // The size of the table is found out by reading it, unless it is given.
  join_holder(table& mine, hasher hash, wire::filter_limits limits = {},
              std::optional<table_size> size = {});

  void start(time /*now*/, outbox& /*out*/) {}
  void receive(time now, peer from, byte_view message, outbox& out);
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}

  // Whether all that was asked for has been sent.
  [[nodiscard]] bool done() const { return done_; }
  // Of the table, once somebody has asked.
  [[nodiscard]] const std::optional<table_size>& size() const { return size_; }
  // The asker is gone: another may come.
  void forget(peer asker);

 private:
  void tell_size(outbox& out);
  void begin(std::uint64_t want, outbox& out);
  bool next_block();  // false at the end
  void count(outbox& out);
  void send_batch(outbox& out);

  hasher hash_;
  table* mine_;
  wire::filter_limits limits_;
  std::optional<table_size> size_;
  std::optional<peer> asker_;
  join_want want_ = join_want::rows;
  join_method method_ = join_method::rows;
  bool begun_ = false;
  bool done_ = false;
  std::optional<any_filter> filter_;
  std::vector<digest> keys_;       // that were asked for; sorted when the last has come
  std::size_t distinct_keys_ = 0;  // when they were last counted
  std::set<digest> told_;          // keys that were sent or counted, if each is wanted once

  std::span<const table_row> block_;  // as far as it is not sent
  std::vector<digest> hashed_;        // of its keys
  std::unique_ptr<bool[]> passed_;  // NOLINT(modernize-avoid-c-arrays): a span of bool is asked for
  std::size_t at_ = 0;
};

// How many keys and rows of the other table join, from what passed a filter of these keys.
struct join_estimate {
  math::estimate keys;
  math::estimate rows;
};
join_estimate estimate_join(const join_report& counted, double confidence);

}  // namespace bloomery::apps
