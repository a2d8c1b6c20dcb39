// How fast each kind of filter and each hash is on this machine, next to its rivals, in one run.
//
// Purpose:   `bloomery bench` prints it. Kinds come from the registry: a new one appears by itself.
// Terms:     all contestants get the same distinct random 64-bit keys, in the same order, and are
//            sized for the same number of keys and, where they are filters, the same rate. Time
//            includes hashing on both sides: kinds use integer_hash, rivals their own hash of the
//            same eight bytes. Hits are asked in shuffled order, so that no rival finds its nodes
//            in the order it allocated them. Sizing is untimed; the first touch of fresh memory is
//            part of the insertions, as it is for a user. A kind that is built whole shows its
//            building, divided by the keys, as its insertion.
// Method:    every repeat runs all contestants once, each time starting with another; a row is the
//            median over the repeats of the thread's processor time, so a disturbance hits all
//            alike and none for good. Keys do not depend on each other's answers: it is throughput
//            on one thread, not latency.
//
//     bloomery::bench::bench_options options;
//     options.keys = 10'000;
//     const auto results = bloomery::bench::run_filters(options);
//     const auto ratios = bloomery::bench::ratios_to_rivals(results.rows);
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

inline constexpr std::uint64_t max_bench_keys = std::uint64_t{1} << 30;  // 24 GiB of keys

struct bench_options {
  std::uint64_t keys = 1'000'000;
  double rate = 0.01;
  unsigned repeats = 5;
  std::vector<std::string> kinds;  // empty: all
  bool rivals = true;
  std::uint64_t seed = 1;
};

enum class operation { insert, query_hit, query_miss };
inline constexpr std::array all_operations{operation::insert, operation::query_hit,
                                           operation::query_miss};

struct bench_row {
  std::string name;
  bool rival = false;
  operation what = operation::insert;
  bool batch = false;  // keys handed over by the group, through any_filter
  double ns_per_key = 0;
  double bits_per_key = 0;   // of the cells; for std::unordered_set, of its heap blocks
  double measured_rate = 0;  // false positives among as many other keys
};

std::string label(const bench_row& row);  // "query hit", "insert batch"

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

// For each row, its time over that of the fastest rival at the same operation. Rivals have no
// batches, so batch rows are held against the same single-key rows. None where there is no rival.
std::vector<std::optional<double>> ratios_to_rivals(std::span<const bench_row> rows);

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
