// Recorded requests: lines of a time in seconds, a key, and perhaps a size in bytes.
//
// Purpose:   experiments on what people really asked for, in a form that any log is easily cut into.
// Cost:      one pass; a request takes its key and 48 bytes.
// Guarantee: the text is hostile: each line is checked, and refused with its number. Times have at most nine
//            decimals, are exact, and never go back. Empty lines and those that begin with # are skipped.
//
//     const auto requests = bloomery::lab::read_trace("0 /index 1200\n0.25 /logo\n");
//     assert(requests.size() == 2 && requests[0].size == 1200 && !requests[1].size);
//     assert(requests[1].at == bloomery::apps::time(std::chrono::milliseconds(250)));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/party.hpp"

namespace bloomery::lab {

struct traced_request {
  time at;
  std::string key;
  std::optional<std::uint64_t> size;
};

struct trace_limits {
  std::uint64_t requests = 10'000'000;
  std::uint64_t key_bytes = 1 << 12;
};

// errc::invalid for a line of another form, errc::limit for more than the limits allow.
std::vector<traced_request> read_trace(std::string_view text, const trace_limits& limits = {});

}  // namespace bloomery::lab
