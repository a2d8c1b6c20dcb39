// One HTTP request to a server, and its answer.
//
// Purpose:   what a command needs that asks a proxy or a server something: no loop, no redirects, no TLS.
// Guarantee: within the patience given, or errc::io; within the limits, or errc::limit.
//
//     const bloomery::net::http_url nowhere{"127.0.0.1", 1, "/"};
//     try {
//       (void)bloomery::net::http_get(nowhere, "/", {});
//     } catch (const bloomery::error& problem) {
//       assert(problem.code() == bloomery::errc::io);
//     }
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/net/http.hpp"

namespace bloomery::net {

struct http_fetched {
  http_message answer;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

// `target` is the path, or a whole URL for a proxy to fetch.
http_fetched http_get(const http_url& from, const std::string& target,
                      std::vector<http_header> headers, const http_limits& limits = {},
                      std::chrono::milliseconds patience = std::chrono::seconds(30));

}  // namespace bloomery::net
