// From lines to a filter: the paths that build and add share.
#pragma once

#include <cstdint>

#include "bloomery/any/any_filter.hpp"
#include "bloomery/hash/hasher.hpp"
#include "distinct.hpp"
#include "lines.hpp"
#include "options.hpp"

namespace bloomery::cli {

std::vector<digest> digests_of(const line_block& block, const hasher& hash);

// Hash and insert every key; returns how many were new to the filter. Kinds that take keys from
// several threads do; the others take them in input order.
std::uint64_t insert_lines(any_filter& filter, const hasher& hash, line_source& source,
                           const line_options& options, progress& shown);

digest_spool hash_lines(const hasher& hash, line_source& source, const line_options& options,
                        progress& shown);
std::vector<digest> joined(digest_spool spool);
void insert_spool(any_filter& filter, const digest_spool& spool, unsigned threads);

// Tells a person, on standard error, of lines that lack the field asked for.
void report_skipped(std::uint64_t lines, const line_format& format);

}  // namespace bloomery::cli
