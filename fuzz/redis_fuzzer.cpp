// Any bytes may come as a value that a Redis server has dumped: they are refused with bloomery::error, or are a
// value that is saved as one of the same fields, and stays the same when it is dated back.
//
// The first byte says whether the CRC-64 is made right before, since hardly any bytes have theirs.
#include <algorithm>
#include <vector>

#include "bloomery/wire/foreign/redis_dump.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

const wire::load_options small{.max_payload_bytes = 1 << 20};

bool same(const foreign::redis_field& a, const foreign::redis_field& b) {
  const auto bits_of = [](const foreign::redis_field& field) {
    return foreign::save({"AAAAAAAAA", 0, {field}}, 10);  // NaN is not equal to itself
  };
  return bits_of(a) == bits_of(b);
}

void use(byte_view payload) {
  const foreign::redis_dump read = foreign::read_redis_dump(payload, small);
  for (const std::vector<std::byte>& made :
       {foreign::save(read, 10), foreign::dated_back(payload, 9)}) {
    const foreign::redis_dump again = foreign::read_redis_dump(made, small);
    law(again.type == read.type && again.version == read.version, "a type stays");
    law(std::ranges::equal(again.fields, read.fields, same), "fields stay");
  }
  law(foreign::rdb_version(foreign::dated_back(payload, 9)) <= 9, "a date goes back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto given = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> payload(given.begin(), given.end());
  if (data[0] % 2 != 0 && payload.size() >= 8) {
    const std::size_t signed_bytes = payload.size() - 8;
    core::store_le<std::uint64_t>(payload.data() + signed_bytes,
                                  foreign::redis_crc64(byte_view(payload).first(signed_bytes)));
  }
  try {
    use(payload);
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "servers are to blame");
  }
  return 0;
}
