// build under a secret, which stands for the hash.
#include <array>
#include <set>

#include "bloomery/core/bytes.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/math/kinds/secure_index.hpp"
#include "build.hpp"

namespace bloomery::cli {
namespace {

// What the number of keys leaves open. The number of a document is its own, so that equal words set
// unrelated bits in two files; the protocol is that of the secret.
std::vector<field_value> plan_guarded(const any_kind& kind, std::uint64_t keys, double rate,
                                      byte_view secret) {
  std::vector<field_value> shape = kind.plan(keys, rate);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (kind.fields[i].name == "document") {
      std::array<std::byte, sizeof(std::uint64_t)> random{};
      secure::fill_random(random);
      shape[i] = load_le<std::uint64_t>(random.data());
    } else if (kind.fields[i].name == "protocol") {
      shape[i] = static_cast<std::uint64_t>(oblivious_secret::load(secret).known().protocol());
    }
  }
  return shape;
}

}  // namespace

// Repeats are left out, so that a seal knows how many words differ. What seals is sized by the length of
// the words alone: their number is what it hides.
built build_secret(const any_kind& kind, const build_options& options) {
  const auto secret = options.hash.key_file.contents(kind.info.name);
  const double rate = options.promised_rate();
  std::set<std::string, std::less<>> texts;
  std::uint64_t bytes = 0;
  options.input().each_text([&](std::string_view text) {
    bytes += text.size() + 1;
    if (!texts.contains(text)) texts.emplace(text);
  });
  const bool by_length = kind.can<seals>() && options.keys.empty();
  const std::uint64_t keys =
      keys_to_size_for(options.keys, by_length ? math::most_words(bytes) : texts.size());
  const auto [shape, promised] =
      size_of(kind, options, keys, [&] { return plan_guarded(kind, keys, rate, secret); });
  any_filter filter = kind.create(shape, {}, promised);
  filter.as<guards>().insert_texts(secret, std::vector<std::string_view>(texts.begin(), texts.end()));
  if (kind.can<seals>()) filter.as<seals>().seal(secret, texts.size());
  return {std::move(filter)};
}

}  // namespace bloomery::cli
