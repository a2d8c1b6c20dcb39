// Any bytes may be taken for a shelf: they are refused with bloomery::error, or are a shelf that answers and
// saves as the very same bytes.
//
// The highest bit of the first byte makes stated length and checksum right, which chance would never find; the
// rest is the shelf.
#include <vector>

#include "bloomery/apps/shelf/file_blocks.hpp"
#include "bloomery/apps/shelf/range_index.hpp"
#include "bloomery/apps/shelf/texts.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

constexpr std::uint64_t largest_shelf = 1 << 16;

void use(const apps::shelf& shelf) {
  const hasher hash;
  const std::vector<digest> keys{hash("word"), hash("other")};
  const auto both = shelf.holding(keys);
  law(both.size() <= shelf.holding(std::span(keys).first(1)).size(), "more words name fewer boxes");
  for (std::size_t i = 0; i < shelf.boxes().size(); ++i) (void)shelf.is_doctored(i);
  if (shelf.keys() == apps::keys_of::blocks) {
    for (const apps::resemblance& each : apps::resembling(shelf, "file", hash)) {
      law(each.share.low <= each.share.value && each.share.value <= each.share.high &&
              each.share.high <= 1,
          "a share lies in its interval");
    }
  }
  if (shelf.keys() == apps::keys_of::ngrams) {
    (void)shelf.holding(apps::text_keys("a text", shelf.keys(), shelf.grain(), hash));
  }
  if (shelf.keys() != apps::keys_of::segments) return;
  const apps::range_index index(shelf, hasher::for_identity(shelf.hash()));
  for (const std::uint64_t row : index.rows({{0, -1, 1}})) {
    law(row < index.row_count(), "a row is one of those there are");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> given(rest.begin(), rest.end());
  if ((data[0] & 0x80U) != 0) given = testing::resealed_message(std::move(given));
  try {
    const auto shelf = apps::shelf::load(given, {.max_bytes = largest_shelf});
    law(shelf.save() == given, "a shelf that was loaded saves as it was");
    use(shelf);
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "shelves are to blame");
  }
  return 0;
}
