// How fast each kind of filter and each hash is on this machine, next to its rivals, in one run.
//
// Purpose:   `bloomery bench` prints it. Kinds come from the registry: a new one appears by itself.
// Terms:     all contestants get the same distinct random keys, in the same order: 64-bit integers, or
//            texts of one length. Kinds are sized for the same number of keys and the same rate, or as
//            they were told; rivals by themselves. Time includes hashing on both sides. Half of the
//            look-ups are for random keys that are there, half for strangers, in random order. Memory
//            has been touched before it is timed. A kind that is built whole has no insertions.
//            Besides, the floor: how fast the memory of a blocked filter of that rate gives up random
//            lines, asked for in time, to a program that does nothing with them.
// Method:    every repeat gives all contestants one turn, each time starting with another. A turn is
//            timed in pieces of some ten thousand keys by the thread's processor time, and a row is the
//            sum of the least times of its pieces: disturbances only ever add. Insertions one by one and
//            in batches take turns within one filling, so that each is timed at every load. Building on two
//            threads is timed by the clock on the wall.
//            Keys do not depend on each other's answers, which makes it throughput, except for dependent
//            look-ups, which measure how long one answer takes.
// Ratios:    a row is held against the fastest rival that takes no more bits and makes no more mistakes,
//            but for what counting them can tell, and that can insert and remove if the row's structure
//            can. Batches compete with whatever a rival does fastest,
//            single keys with single keys.
//
//     bloomery::bench::bench_options options;
//     options.keys = 10'000;
//     const auto results = bloomery::bench::run_filters(options);
//     const auto held = bloomery::bench::against_rivals(results.rows);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::bench {

inline constexpr std::uint64_t max_bench_keys = std::uint64_t{1} << 30;  // 8 GiB of integers

// A kind with some fields of its shape fixed; a value may end in n, times the number of keys.
struct fixed_field {
  std::string name;
  std::string value;
};
struct fixed_shape {
  std::string text;  // as it was given, and as rows are named
  std::string kind;
  std::vector<fixed_field> fields;
};
// "blocked:blocks=0.0208n,hashes=8"
fixed_shape parse_shape(std::string_view text);

struct bench_options {
  std::uint64_t keys = 1'000'000;
  double rate = 0.01;
  std::size_t key_bytes = 0;        // texts of so many bytes; 0: integers
  unsigned repeats = 3;             // at least, and
  double seconds = 0;               // more while another is over in this time
  std::vector<std::string> kinds;   // empty: all, unless there are shapes
  std::vector<fixed_shape> shapes;  // beside those
  bool rivals = true;
  std::vector<std::string> plugins;  // shared objects with further rivals
  std::uint64_t seed = 1;
};

enum class operation { insert, find, find_dependent, remove, build, build_on_two };
inline constexpr std::array all_operations{operation::insert,         operation::find,
                                           operation::find_dependent, operation::remove,
                                           operation::build,          operation::build_on_two};

struct bench_row {
  std::string name;
  std::string hash;  // of ours; rivals have their own
  bool rival = false;
  operation what = operation::insert;
  bool batch = false;  // keys handed over by the group
  double ns_per_key = 0;
  double bits_per_key = 0;   // of the cells; of std::unordered_set, of its heap blocks
  double measured_rate = 0;  // false positives among so many strangers
  std::uint64_t rate_sample = 0;
};

std::string label(const bench_row& row);  // "look-up", "insert batch"

struct left_out {
  std::string name;
  std::string reason;
};

struct filter_results {
  std::vector<bench_row> rows;
  std::vector<left_out> skipped;  // cannot take part: a kind that answers no queries, say
};

// Called before each contestant's turn with the share done, and once at the end with 1.
using progress = std::function<void(double done, std::string_view contestant)>;

// Throws errc::invalid or errc::limit for options out of range, errc::out_of_memory.
filter_results run_filters(const bench_options& options, const progress& report = {});

// What a row is held against.
struct comparison {
  std::size_t rival = 0;  // its row
  double ratio = 0;       // our time over its
  bool fair = false;      // it takes no more bits and makes no more mistakes
};

// For each row of ours: the fastest fair rival; without one, the rival whose bits and rate are nearest.
// None where nobody else does that, and for the rivals themselves.
std::vector<std::optional<comparison>> against_rivals(std::span<const bench_row> rows);

struct hash_options {
  std::vector<std::size_t> key_bytes{8, 20, 64, 256, 1024};
  unsigned repeats = 5;
  std::uint64_t bytes_per_repeat = std::uint64_t{16} << 20;  // hashed per row and repeat
  bool rivals = true;
  std::uint64_t seed = 1;
};

struct hash_row {
  std::string name;
  bool rival = false;
  std::size_t key_bytes = 0;
  double ns_per_key = 0;
};

// Keys lie in the first-level cache; the integer policy appears at 8 bytes only.
std::vector<hash_row> run_hashes(const hash_options& options, const progress& report = {});
std::vector<std::optional<double>> ratios_to_rivals(std::span<const hash_row> rows);

struct rival_info {
  std::string_view name;
  bool installed;            // when this program was compiled
  std::string_view package;  // of Debian; empty if none is needed
};
std::span<const rival_info> rivals();

double median(std::vector<double> values);

}  // namespace bloomery::bench
