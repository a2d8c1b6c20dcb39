// Any bytes may come as a message: they are refused with bloomery::error, or are a message that is
// written as the same bytes again. A filter in it that is not refused is of the hash and the fill that
// were asked for, and answers.
//
// The highest bit of the first byte makes stated length and checksum right, which chance would never
// find; the rest is the message.
#include <vector>

#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "everything.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;
using testing::everything;

template <filter_type F>
void open(const wire::carried_filter& carried) {
  const hash_identity agreed{};
  const wire::filter_limits limits{.load = {.max_payload_bytes = 1 << 20}};
  try {
    const F filter = carried.open<F>(agreed, limits);
    law(filter.record().hash == agreed, "a filter has the hash that was agreed on");
    law(wire::fill_of(filter) <= limits.max_fill, "no filter is fuller than was asked for");
    (void)filter.may_contain({1, 2});
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "filters in messages are to blame");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> given(rest.begin(), rest.end());
  if ((data[0] & 0x80U) != 0) given = testing::resealed_message(std::move(given));
  law(wire::stated_message_bytes(given) == 0 || given.size() >= 16, "short starts tell nothing");
  try {
    const auto message = wire::read<everything>(given);
    law(wire::message_name(given) == everything::name, "a message that was read has its name");
    law(wire::write(message) == given, "what was read is written as it was");
    open<standard_filter>(message.filter);
    open<attenuated_filter>(message.filter);
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "messages are to blame");
  }
  return 0;
}
