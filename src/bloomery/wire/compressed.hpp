// Filters in fewer bytes: a stored file whose payload is entropy-coded.
//
// Purpose:   a filter that is sparse, or made to be sent (math/laws/compression.hpp), travels in little
//            more than the entropy of its bits. Every reader of files reads it as if it were plain.
// Cost:      that of entropy_coder. The decoded payload is memory of its own, whereas a plain file
//            is viewed in place.
// Guarantee: header and payload come back as they were. Nothing is allocated before kind, shape and sizes
//            agree and the result is within load_options: a payload is what its shape takes, and of kinds
//            that grow at most `most_growth` bytes more for each that is coded. A small file can still hold
//            a large filter, empty or nearly so; max_memory is for that. Every failure is errc::corrupt,
//            errc::limit, errc::unsupported or errc::out_of_memory.
// Citation:  Mitzenmacher 2002.
//
//     const bloomery::wire::envelope head{"demo", {}, {1, 2}};
//     const std::vector<std::byte> cells(6400);
//     const std::array payload{bloomery::byte_view(cells)};
//     const std::vector<std::byte> file = bloomery::wire::compress(head, payload);
//     assert(file.size() < 300);
//     const bloomery::wire::stored_filter again = bloomery::wire::load_stored(file);
//     assert(again.head.kind == "demo" && again.payload.size() == 6400);
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::wire {

// Where a header has its kind, these have the form, and the kind is in the payload.
inline constexpr std::string_view compressed_form = "compressed";
inline constexpr std::string_view delta_form = "delta";

inline constexpr std::uint64_t most_growth = 1024;

// What a file promises before anything is decoded, for its kind to judge.
struct coded_sizes {
  std::uint64_t bytes = 0;  // of the payload
  std::uint64_t coded = 0;  // of the blocks that it is decoded from
};
using size_check = std::function<void(const envelope& head, const coded_sizes& sizes)>;
// errc::corrupt unless a shape that takes `shape_bytes` to begin with justifies the sizes.
void require_justified(std::uint64_t shape_bytes, const coded_sizes& sizes);

// `shape_bytes` as above: what has grown beyond, and is empty again, is coded in as many bytes as it takes.
std::vector<std::byte> compress(const envelope& head, std::span<const byte_view> payload,
                                unsigned threads = 1, std::uint64_t shape_bytes = max_bits / 8);

// A header and its cells, owned or viewed.
struct stored_filter {
  envelope head;
  storage payload;
};
stored_filter expand(const opened_envelope& opened, const load_options& options,
                     const size_check& check);

// What compressed files and deltas share: any payload, coded, and what must come of it.
struct coded_payload {
  envelope head;
  storage payload;
  std::uint64_t result = 0;  // checksum of the filter's payload
  std::uint64_t base = 0;    // of the payload that it was coded against; 0 if none
};
std::vector<std::byte> seal_coded(std::string_view form, const coded_payload& from,
                                  unsigned threads, std::uint64_t shape_bytes = max_bits / 8);
coded_payload open_coded(std::string_view form, const opened_envelope& opened,
                         const load_options& options, unsigned threads, const size_check& check);
storage joined(std::span<const byte_view> parts);

}  // namespace bloomery::wire
