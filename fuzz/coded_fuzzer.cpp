// Any bytes may be taken for coded blocks, for a compressed file or for a delta: they are refused with
// bloomery::error, or decode to what codes and decodes to the same again.
//
// The first byte chooses: 0 to 83 the blocks, up to 167 a compressed file, the rest a delta; its
// lowest bit repairs the checksums first, which chance would never pass. The rest is the input.
#include <array>
#include <vector>

#include "bloomery/bits/code/entropy_coder.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/delta.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "fuzzing.hpp"
#include "reseal.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

constexpr std::uint64_t largest = 1 << 16;

void decode_blocks(byte_view coded) {
  const std::uint64_t size = bits::decoded_bytes(coded);
  if (size > largest) return;
  std::vector<std::byte> raw(size);
  bits::entropy_decode(coded, raw);
  const std::vector<std::byte> recoded = bits::entropy_encode(raw);
  std::vector<std::byte> again(size);
  law(bits::decoded_bytes(recoded) == size, "blocks say what they hold");
  bits::entropy_decode(recoded, again);
  law(again == raw, "what was coded comes back");
}

wire::filter_view view_of(const wire::stored_filter& filter) {
  return {filter.head, {filter.payload.bytes()}};
}

void load_compressed(byte_view file, const wire::load_options& options) {
  const wire::stored_filter filter = wire::load_stored(file, options);
  const std::array payload{filter.payload.bytes()};
  const wire::stored_filter again = wire::load_stored(wire::compress(filter.head, payload));
  law(wire::save(again.head, std::array{again.payload.bytes()}) == wire::save(filter.head, payload),
      "a compressed filter comes back");
}

void apply_delta(byte_view file, const wire::load_options& options) {
  // The base that the corpus has deltas from: a standard filter of 1024 zeros.
  const standard_filter empty(standard_shape{1024, 3});
  const wire::filter_view base{wire::envelope_of(empty), empty.payload()};
  const wire::stored_filter result = wire::patch(base, file, options);
  const wire::stored_filter again = wire::patch(base, wire::diff(base, view_of(result)));
  law(std::ranges::equal(again.payload.bytes(), result.payload.bytes()), "a delta comes back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if ((data[0] & 1) != 0) testing::reseal(file);
  wire::load_options options;
  options.max_payload_bytes = largest;
  try {
    if (data[0] < 84) {
      decode_blocks(file);
    } else if (data[0] < 168) {
      load_compressed(file, options);
    } else {
      apply_delta(file, options);
    }
  } catch (const error& problem) {
    law(problem.code() != errc::invalid && problem.code() != errc::io, "files are to blame");
  }
  return 0;
}
