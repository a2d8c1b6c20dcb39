// build under a secret, which stands for the hash.
#include <set>

#include "build.hpp"

namespace bloomery::cli {
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
      keys_to_size_for(options.keys, by_length ? kind.as<seals>().most_texts(bytes) : texts.size());
  const auto [shape, promised] = size_of(
      kind, options, keys, [&] { return kind.as<guards>().plan_guarded(keys, rate, secret); });
  any_filter filter = kind.create(shape, {}, promised);
  filter.as<guards>().insert_texts(secret,
                                   std::vector<std::string_view>(texts.begin(), texts.end()));
  if (kind.can<seals>()) filter.as<seals>().seal(secret, texts.size());
  return {std::move(filter)};
}

}  // namespace bloomery::cli
