// Any bytes may be loaded: they are refused with bloomery::error, or are a filter that can be used
// and saves as the very same bytes, or, if it was compressed, as bytes that load as the same filter. A journal
// that follows the file is written over it first.
//
// The first byte chooses: bit 0 repairs the checksums first, which chance would never pass, those of a journal
// too; bit 1 waives the payload's checksum. The rest is the file.
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/compressed.hpp"
#include "fuzzing.hpp"
#include "journaled.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

constexpr std::uint64_t largest_payload = 1 << 16;

void use(any_filter& filter) {
  const any_kind& kind = filter.kind();
  std::array<digest, 40> keys;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {hash::mix(i), hash::mix(~i)};
  std::array<bool, keys.size()> answers{};
  if (kind.can<measures>()) {
    const double fill = filter.as<tells_rate>().fill();
    law(fill >= 0 && fill <= 1, "a fill is between 0 and 1");
    const double rate = filter.as<tells_rate>().current_rate();
    law(rate >= 0 && rate <= 1, "a rate is between 0 and 1");
    const math::estimate keys_held = filter.as<measures>().estimated_keys();
    law(keys_held.low <= keys_held.value && keys_held.value <= keys_held.high,
        "an estimate lies in its interval");
  }
  const double predicted = kind.predicted_rate(filter.shape(), filter.record().items);
  law(predicted >= 0 && predicted <= 1, "a predicted rate is between 0 and 1");
  if (kind.can<asks>()) filter.as<asks>().may_contain(keys, answers);
  std::array<std::uint64_t, keys.size()> told{};
  if (kind.can<counts>()) filter.as<counts>().count(keys, told);
  if (kind.can<decodes>()) (void)filter.as<decodes>().decode(keys);
  if (kind.can<ranks>()) (void)filter.as<ranks>().top();
  if (kind.can<overflowing>()) (void)filter.as<overflowing>().overflows();
  std::array<mapped, keys.size()> values{};
  if (kind.can<maps>()) {
    const std::uint64_t present = filter.as<maps>().values(keys, values);
    law(!kind.can<asks>() || filter.as<asks>().may_contain(keys, answers) == present,
        "what has a value is present");
  }
  constexpr std::string_view text = "the quick brown fox jumps over the lazy dog, 0123456789";
  try {
    if (kind.can<reads_texts>()) (void)filter.as<reads_texts>().may_contain_text(text);
    if (kind.can<searches>()) (void)filter.as<searches>().search(text);
    if (kind.can<finds_near>()) (void)filter.as<finds_near>().nearness(text);
    if (kind.can<reads_texts>() && filter.as<reads_texts>().insert_text(text))
      (void)filter.as<reads_texts>().may_contain_text(text);
  } catch (const error& problem) {
    law(problem.code() == errc::limit || problem.code() == errc::invalid ||
            problem.code() == errc::incompatible,
        "a sound filter refuses texts for their form, its hash or the work they make");
  }
  try {
    if (kind.can<sets_values>())
      (void)filter.as<sets_values>().set_values(std::array{keyed_value{keys[0], 0}});
    if (kind.can<inserts>()) filter.as<inserts>().insert(keys);
    if (kind.can<inserts>() && kind.can<asks>() && !kind.can<forgets>() &&
        !kind.info.false_negatives) {
      law(filter.as<asks>().may_contain(keys, answers) == keys.size(), "keys inserted are found");
    }
    if (kind.can<erases>()) filter.as<erases>().erase(keys);
  } catch (const error& problem) {
    law(problem.code() == errc::limit || problem.code() == errc::unsupported,
        "a sound filter refuses keys for want of room, or by its shape");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  register_secure_kinds();
  if (size == 0) return 0;
  const bool repair = (data[0] & 1) != 0;
  wire::load_options options;
  options.max_payload_bytes = largest_payload;
  options.verify_payload = (data[0] & 2) == 0;
  const auto bytes = std::as_bytes(std::span(data, size).subspan(1));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (repair) testing::reseal_all(file);
  std::optional<any_filter> filter;
  try {
    filter = load(file, options);
  } catch (const error& problem) {
    const std::string_view reason = problem.what();
    law(!reason.empty() && reason.find('\n') == std::string_view::npos, "a reason is one line");
    return 0;
  }
  const std::vector<std::byte> plain = save(*filter);
  file = testing::settled(file);
  if (wire::open_envelope(file, options).head.kind == wire::compressed_form) {
    law(save(load(compress(*filter))) == plain, "a compressed filter comes back");
  } else if (repair || options.verify_payload) {
    law(plain == file, "a loaded file saves as it was");
  }
  use(*filter);
  return 0;
}
