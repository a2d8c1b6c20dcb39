// Asking a filter for texts, whatever its kind makes of them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/any/stored.hpp"
#include "bloomery/wire/foreign/format.hpp"
#include "options.hpp"
#include "redis_filter.hpp"
#include "sharded_filter.hpp"

namespace bloomery::cli {

// Answers for the texts, by any thread.
using asker = std::function<void(std::span<const std::string_view> texts, std::span<bool> answers)>;

// As the kind takes them: under its secret, as they are, or hashed; as of `now`, if it runs on time.
// Filter and option must stay.
asker asker_of(const any_filter& filter, const key_file_option& key_file,
               std::optional<std::uint64_t> now);

// A filter of another program has neither secret nor clock: errc::invalid if it is given one.
void require_no_secret(const foreign::format_info& of, const key_file_option& key_file,
                       const clock_option& clock);

// The same of a filter of another program, which must stay.
asker asker_of(const foreign::filter& filter, const key_file_option& key_file,
               const clock_option& clock);

// The same of a filter in a server, asked where it is by digests, or behind BF or CF by the texts; none if its
// kind is asked otherwise.
std::optional<asker> asker_of(redis_filter& filter, const key_file_option& key_file,
                              const clock_option& clock);

// The same of one in shards, whose kind is always asked so.
asker asker_of(sharded_filter& filter, const key_file_option& key_file, const clock_option& clock);

// How many of the texts the filter may contain.
std::uint64_t count_present(const asker& ask, std::span<const std::string_view> texts);

// Texts that nobody inserted, of a form that the filter takes; empty if a random text may be there.
std::function<std::string()> random_texts(const any_filter& filter, std::uint64_t seed);

}  // namespace bloomery::cli
