// Any bytes may come as a filter of another program: each format refuses them with bloomery::error, or they are
// a filter that answers, takes keys, misses none of them, and is saved as the very same bytes before.
//
// The first byte chooses the format, or that the bytes be recognised, and whether the CRC-64 that ends a dump of
// Redis is made right before, since hardly any bytes have theirs; the rest is the file.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/wire/foreign/format.hpp"
#include "bloomery/wire/foreign/redis_dump.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

const wire::load_options small{.max_payload_bytes = 1 << 20};

void use(foreign::filter& read, byte_view given) {
  const foreign::format& of = foreign::find_format(read.info().name);
  const std::vector<std::byte> saved = read.save();
  law(std::ranges::equal(saved, given), "a filter that was read is saved as it was");
  law(read.ones() <= read.bits(), "a filter has no more ones than bits");
  law(read.current_rate() >= 0 && read.current_rate() <= 1, "a rate is a probability");
  law(!read.facts().empty(), "a header says something");
  const auto emptied = read.emptied();
  law(!emptied || emptied->ones() == 0, "an emptied filter has no ones");
  const std::array<std::string, 3> texts{of.example_key(0), of.example_key(1), of.example_key(2)};
  const std::array<std::string_view, 3> keys{texts[0], texts[1], texts[2]};
  if (read.bits() == 0) {
    law(!read.may_contain(keys[0]), "a filter without bits claims nothing");
    return;
  }
  try {
    read.insert(keys);
  } catch (const error& problem) {
    law(problem.code() == errc::limit, "a filter refuses keys only if it is full");
    return;
  }
  for (const std::string_view key : keys) {
    law(read.may_contain(key), "a key that was inserted is there");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> given(bytes.begin(), bytes.end());
  if (data[0] >= 128 && given.size() >= 8) {
    const std::size_t signed_bytes = given.size() - 8;
    core::store_le<std::uint64_t>(given.data() + signed_bytes,
                                  foreign::redis_crc64(byte_view(given).first(signed_bytes)));
  }
  const auto formats = foreign::formats();
  try {
    const std::size_t chosen = data[0] % 128;
    const auto read =
        chosen < formats.size() ? formats[chosen].read(given, small) : foreign::read(given, small);
    use(*read, given);
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "files are to blame");
  }
  return 0;
}
