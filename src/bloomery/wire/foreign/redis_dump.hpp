// What the DUMP command of a Redis server answers for a value of a module.
//
// Purpose:   a server takes with RESTORE only what an equal or an older version has dumped. What is in the
//            payload has not changed since modules could store values, so it is read here, and dated back.
// Cost:      a pass over the bytes for their CRC-64, and a copy of the strings in them.
// Guarantee: what read_redis_dump accepts is well-formed to the last byte; all else is errc::corrupt,
//            errc::unsupported (a value of the server's own types) or errc::limit. Memory is taken for what is
//            there, not for what a length claims.
//
//     using namespace bloomery::foreign;
//     const redis_dump made{"MBbloom--", 4, {std::uint64_t{7}, 0.5, redis_bytes(40)}};
//     const std::vector<std::byte> payload = save(made, 11);
//     assert(read_redis_dump(payload).fields == made.fields);
//     assert(read_redis_dump(dated_back(payload, 10)).type == "MBbloom--");
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::foreign {

using redis_bytes = std::vector<std::byte>;
// What a module has saved, one after another: whole numbers, with or without a sign, real ones, and strings.
using redis_field = std::variant<std::uint64_t, std::int64_t, float, double, redis_bytes>;

struct redis_dump {
  std::string type;           // nine characters
  std::uint64_t version = 0;  // in which the module has encoded it, below 1024
  std::vector<redis_field> fields;
};

// Fields beyond which a payload is refused.
inline constexpr std::size_t max_redis_fields = std::size_t{1} << 20;

redis_dump read_redis_dump(byte_view payload, const wire::load_options& options = {});

// The version of the RDB format that the payload is of, and the payload as one of an earlier version; both of
// a sound payload.
std::uint16_t rdb_version(byte_view payload);
std::vector<std::byte> dated_back(byte_view payload, std::uint16_t version);

// As a server would dump it that does not compress.
std::vector<std::byte> save(const redis_dump& dump, std::uint16_t version);

// Of the polynomial that Redis has taken from Jones, as its RDB files have.
std::uint64_t redis_crc64(byte_view bytes);

}  // namespace bloomery::foreign
