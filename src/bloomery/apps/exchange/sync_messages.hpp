// What the two parties of a sync say to each other.
//
// Purpose:   a question of the asker and its answer a pair; the hello comes first from both, the end from the asker.
// Guarantee: sizes are within what a message may have, and counts within what is ever asked for. Whether a message makes sense
//            where it comes is for its reader, set_sync.cpp.
//
//     using namespace bloomery::exchange;
//     const auto said = bloomery::wire::write(sync_message::table_question{.cells = 100, .salt = 1});
//     assert(bloomery::wire::read<sync_message::table_question>(said, {}).cells == 100);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::exchange {

// No message is longer: a filter of 10^8 lines has 100 MB at 8 bits.
inline constexpr std::uint64_t longest_sync_message = std::uint64_t{256} << 20;

namespace sync_message {

inline constexpr std::uint64_t any_number = ~std::uint64_t{0};
inline constexpr std::uint64_t largest_batch = 1 << 20;
inline constexpr std::uint64_t digest_bytes = 16;
inline constexpr std::uint64_t lines_at_once = 4096;  // that are asked for
inline constexpr std::uint64_t table_hashes = 4;
inline constexpr std::uint64_t most_tables = 12;
inline constexpr std::uint64_t most_table_cells = 1 << 22;  // 128 MB, for two million differences
inline constexpr std::array<std::string_view, 2> more_of{"symbols", "digests"};

// What each is: how many lines, which, under which hash.
struct hello_message {
  static constexpr std::string_view name = "sync/hello";
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t print_lo = 0;
  std::uint64_t print_hi = 0;
  std::uint64_t hash = 0;
  std::uint64_t tag = 0;
  static constexpr std::tuple fields{
      whole_field("lines", "distinct", &hello_message::lines, 0, max_keys),
      whole_field("bytes", "of all lines", &hello_message::bytes, 0, max_keys),
      whole_field("print_lo", "of the set", &hello_message::print_lo, 0, any_number),
      whole_field("print_hi", "of the set", &hello_message::print_hi, 0, any_number),
      whole_field("hash", "which", &hello_message::hash, 0, 0xffff'ffffU),
      whole_field("tag", "its seed, or its key's", &hello_message::tag, 0, any_number)};
};
// The next symbols, or digests in order.
struct more_message {
  static constexpr std::string_view name = "sync/more";
  std::uint64_t what = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  static constexpr std::tuple fields{
      choice_field("what", "of what", &more_message::what, more_of),
      whole_field("first", "how many came before", &more_message::first, 0, max_keys),
      whole_field("count", "how many", &more_message::count, 1, largest_batch)};
};
struct symbols_message {
  static constexpr std::string_view name = "sync/symbols";
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  byte_view bytes;
  static constexpr std::tuple fields{
      whole_field("first", "how many came before", &symbols_message::first, 0, max_keys),
      whole_field("count", "how many", &symbols_message::count, 0, largest_batch),
      wire::bytes_field("bytes", "of symbols", &symbols_message::bytes, 0, longest_sync_message)};
};
struct digests_message {
  static constexpr std::string_view name = "sync/digests";
  byte_view bytes;
  static constexpr std::tuple fields{
      wire::bytes_field("bytes", "of digests", &digests_message::bytes, 0, longest_sync_message)};
};
struct table_question {
  static constexpr std::string_view name = "sync/table-wanted";
  std::uint64_t cells = 0;
  std::uint64_t salt = 0;
  static constexpr std::tuple fields{
      whole_field("cells", "in all", &table_question::cells, table_hashes, most_table_cells),
      whole_field("salt", "of the hashes", &table_question::salt, 0, most_tables)};
};
struct table_message {
  static constexpr std::string_view name = "sync/table";
  std::uint64_t cells = 0;
  byte_view bytes;
  static constexpr std::tuple fields{
      whole_field("cells", "in all", &table_message::cells, table_hashes, most_table_cells),
      wire::bytes_field("bytes", "of cells", &table_message::bytes, 0, longest_sync_message)};
};
// Filters of the lines and, for the tree, of its nodes; and how the other's are to be.
struct filters_message {
  static constexpr std::string_view name = "sync/filters";
  std::uint64_t tree = 0;
  std::uint64_t bits = 8;
  std::uint64_t correction = 0;
  wire::carried_filter lines;
  wire::carried_filter nodes;
  byte_view found;  // digests that the other lacks
  static constexpr std::tuple fields{
      whole_field("tree", "whether there are nodes", &filters_message::tree, 0, 1),
      whole_field("bits", "of each entry", &filters_message::bits, 1, 64),
      whole_field("correction", "of the tree", &filters_message::correction, 0, 16),
      wire::filter_field("lines", "a filter", &filters_message::lines, longest_sync_message),
      wire::filter_field("nodes", "a filter", &filters_message::nodes, longest_sync_message),
      wire::bytes_field("found", "digests", &filters_message::found, 0, longest_sync_message)};
};
struct lines_question {
  static constexpr std::string_view name = "sync/lines-wanted";
  byte_view bytes;
  static constexpr std::tuple fields{wire::bytes_field("bytes", "digests", &lines_question::bytes,
                                                       digest_bytes, lines_at_once* digest_bytes)};
};
// The first of those that were asked for.
struct lines_message {
  static constexpr std::string_view name = "sync/lines";
  std::vector<byte_view> lines;
  static constexpr std::tuple fields{wire::bytes_list_field(
      "lines", "as they are", &lines_message::lines, 1, lines_at_once, 0, longest_sync_message)};
};
struct end_message {
  static constexpr std::string_view name = "sync/end";
  std::uint64_t differences = 0;
  static constexpr std::tuple fields{
      whole_field("differences", "that were found", &end_message::differences, 0, any_number)};
};

}  // namespace sync_message
}  // namespace bloomery::exchange
