#include "bloomery/wire/compressed.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "bloomery/bits/code/entropy_coder.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::wire {
namespace {

// Offsets into a coded payload; docs/format.md has the same table.
constexpr std::size_t at_kind = 0;
constexpr std::size_t at_raw_bytes = 24;
constexpr std::size_t at_result = 32;
constexpr std::size_t at_base = 40;
constexpr std::size_t at_coded_bytes = 48;
constexpr std::size_t at_reserved = 56;
constexpr std::size_t at_coded = 64;
static_assert(at_raw_bytes - at_kind == max_kind_name + 1);

void require(bool sound, const char* what) {
  if (!sound) fail(errc::corrupt, what);
}

constexpr std::uint64_t within(std::uint64_t shape_bytes, std::uint64_t coded) {
  return shape_bytes + most_growth * coded;
}

// Blocks of `raw`, no fewer bytes than justify it: of an empty one the first part goes as it is.
std::vector<std::byte> justified_blocks(byte_view raw, std::uint64_t shape_bytes,
                                        unsigned threads) {
  std::vector<std::byte> coded = bits::entropy_encode(raw, threads);
  if (raw.size() <= within(shape_bytes, coded.size())) return coded;
  const std::size_t plain = core::round_up(raw.size() / most_growth, cache_line_bytes);
  const std::vector<std::byte> rest = bits::entropy_encode(raw.subspan(plain), threads);
  coded = bits::raw_blocks(raw.first(plain));
  coded.insert(coded.end(), rest.begin(), rest.end());
  return coded;
}

}  // namespace

void require_justified(std::uint64_t shape_bytes, const coded_sizes& sizes) {
  if (sizes.bytes <= within(shape_bytes, sizes.coded)) return;
  fail(errc::corrupt, "the decoded payload of " + format_size(sizes.bytes) +
                          " is more than its shape takes, which is " + format_size(shape_bytes));
}

storage joined(std::span<const byte_view> parts) {
  storage whole = storage::allocate(total_bytes(parts));
  auto to = whole.bytes_for_writing().begin();
  for (const byte_view part : parts) to = std::ranges::copy(part, to).out;
  return whole;
}

std::vector<std::byte> seal_coded(std::string_view form, const coded_payload& from,
                                  unsigned threads, std::uint64_t shape_bytes) {
  std::vector<std::byte> payload(at_coded);
  std::ranges::copy(bytes_of(from.head.kind), payload.begin());
  const std::vector<std::byte> coded = justified_blocks(from.payload.bytes(), shape_bytes, threads);
  core::store_le<std::uint64_t>(payload.data() + at_raw_bytes, from.payload.size());
  core::store_le<std::uint64_t>(payload.data() + at_result, from.result);
  core::store_le<std::uint64_t>(payload.data() + at_base, from.base);
  core::store_le<std::uint64_t>(payload.data() + at_coded_bytes, coded.size());
  payload.reserve(core::round_up(at_coded + coded.size(), cache_line_bytes));
  payload.insert(payload.end(), coded.begin(), coded.end());
  payload.resize(core::round_up(payload.size(), cache_line_bytes));
  envelope outer = from.head;
  outer.kind = form;
  return save(outer, std::array{byte_view(payload)});
}

coded_payload open_coded(std::string_view form, const opened_envelope& opened,
                         const load_options& options, unsigned threads, const size_check& check) {
  assert(opened.head.kind == form);
  const byte_view payload = opened.payload;
  require(payload.size() >= at_coded, "the coded payload is cut");
  coded_payload result;
  result.head = opened.head;
  result.head.kind = read_name(payload.subspan(at_kind, max_kind_name + 1));
  const auto raw_bytes = core::load_le<std::uint64_t>(payload.data() + at_raw_bytes);
  result.result = core::load_le<std::uint64_t>(payload.data() + at_result);
  result.base = core::load_le<std::uint64_t>(payload.data() + at_base);
  const auto coded_bytes = core::load_le<std::uint64_t>(payload.data() + at_coded_bytes);
  require(core::load_le<std::uint64_t>(payload.data() + at_reserved) == 0,
          "reserved bytes of the coded payload are not zero");
  require(raw_bytes % cache_line_bytes == 0, "the decoded payload is not whole 64-byte lines");
  if (const std::uint64_t most = options.most_copied(); raw_bytes > most) {
    fail(errc::limit, "the decoded payload of " + format_size(raw_bytes) +
                          " is over the limit of " + format_size(most));
  }
  require(coded_bytes <= payload.size() - at_coded &&
              core::round_up(at_coded + coded_bytes, cache_line_bytes) == payload.size(),
          "the coded payload has another size than it says");
  const byte_view coded = payload.subspan(at_coded, coded_bytes);
  require(core::all_zero(payload.subspan(at_coded + coded_bytes)),
          "the padding of the coded payload is not zero");
  require(bits::decoded_bytes(coded) == raw_bytes, "the coded blocks do not make up the payload");
  if (check) check(result.head, {raw_bytes, coded_bytes});
  result.payload = storage::allocate(raw_bytes);
  if (raw_bytes != 0) bits::entropy_decode(coded, result.payload.bytes_for_writing(), threads);
  return result;
}

stored_filter expand(const opened_envelope& opened, const load_options& options,
                     const size_check& check) {
  require(opened.payload.size() < at_coded ||
              core::load_le<std::uint64_t>(opened.payload.data() + at_base) == 0,
          "a compressed filter names a base");
  coded_payload coded = open_coded(compressed_form, opened, options, 1, check);
  require(checksum(coded.payload.bytes()) == coded.result,
          "the decompressed payload is damaged (its checksum does not match)");
  return {std::move(coded.head), std::move(coded.payload)};
}

std::vector<std::byte> compress(const envelope& head, std::span<const byte_view> payload,
                                unsigned threads, std::uint64_t shape_bytes) {
  const bool whole =
      payload.size() == 1 && reinterpret_cast<std::uintptr_t>(payload.front().data()) % 8 == 0;
  storage bytes = whole ? storage::view(payload.front()) : joined(payload);
  return seal_coded(compressed_form, {head, std::move(bytes), checksum(payload), 0}, threads,
                    shape_bytes);
}

}  // namespace bloomery::wire
