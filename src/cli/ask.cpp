#include "ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

template <class Filter>
asker by_digests(Filter& filter, const redis_filter::description& of,
                 const key_file_option& key_file, const clock_option& clock) {
  clock.require_use(*of.kind, of.on_time);
  // Unless it was said, the time is that of the server, which all who ask and fill the filter share.
  return [&filter, now = clock.at, hash = key_file.for_filter(of.hash)](
             std::span<const std::string_view> texts, std::span<bool> answers) {
    std::vector<digest> digests(texts.size());
    hash(texts, digests);
    filter.may_contain(digests, answers, now);
  };
}

}  // namespace

asker asker_of(const any_filter& filter, const key_file_option& key_file,
               std::optional<std::uint64_t> now) {
  using texts_type = std::span<const std::string_view>;
  const any_kind& kind = filter.kind();
  if (kind.can<guards>()) {
    return [&filter, &key_file, secret = key_file.contents(kind.info.name)](
               texts_type texts, std::span<bool> answers) {
      key_file.explained([&] { filter.as<guards>().may_contain_texts(secret, texts, answers); });
    };
  }
  if (kind.can<reads_texts>()) {
    return [&filter, hash = key_file.for_filter(filter.record().hash)](texts_type texts,
                                                                       std::span<bool> answers) {
      std::ranges::transform(texts, answers.begin(), [&](std::string_view text) {
        return filter.as<reads_texts>().may_contain_text(text, &hash);
      });
    };
  }
  return [&filter, now, hash = key_file.for_filter(filter.record().hash)](texts_type texts,
                                                                          std::span<bool> answers) {
    std::vector<digest> digests(texts.size());
    hash(texts, digests);
    if (now) {
      filter.as<keeps_time>().may_contain(digests, answers, *now);
    } else {
      filter.as<asks>().may_contain(digests, answers);
    }
  };
}

void require_no_secret(const foreign::format_info& of, const key_file_option& key_file,
                       const clock_option& clock) {
  const std::string title(of.title);
  if (!key_file.path.empty())
    fail(errc::invalid, "a " + title + " has no key: leave --key-file out");
  if (clock.at) fail(errc::invalid, "a " + title + " does not run on time: leave --at out");
}

asker asker_of(const foreign::filter& filter, const key_file_option& key_file,
               const clock_option& clock) {
  require_no_secret(filter.info(), key_file, clock);
  return [&filter](std::span<const std::string_view> texts, std::span<bool> answers) {
    filter.may_contain(texts, answers);
  };
}

std::optional<asker> asker_of(redis_filter& filter, const key_file_option& key_file,
                              const clock_option& clock) {
  if (const foreign::format* const of = filter.foreign_format()) {
    require_no_secret(*of->info, key_file, clock);
    return [&filter, of](std::span<const std::string_view> texts, std::span<bool> answers) {
      filter.may_contain(*of, texts, answers);
    };
  }
  const auto of = filter.describe();
  if (of.kind->can<guards>() || of.kind->can<reads_texts>() || !of.kind->can<asks>()) {
    return std::nullopt;
  }
  return by_digests(filter, of, key_file, clock);
}

asker asker_of(sharded_filter& filter, const key_file_option& key_file, const clock_option& clock) {
  const auto of = filter.describe();
  if (!of.kind->can<asks>()) refuse(*of.kind, " does not say whether a key is in it");
  return by_digests(filter, of, key_file, clock);
}

std::uint64_t count_present(const asker& ask, std::span<const std::string_view> texts) {
  const auto answers = std::make_unique<bool[]>(texts.size());
  ask(texts, {answers.get(), texts.size()});
  return static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + texts.size(), true));
}

std::function<std::string()> random_texts(const any_filter& filter, std::uint64_t seed) {
  const any_kind& kind = filter.kind();
  if (kind.can<reads_texts>()) return kind.as<reads_texts>().random_texts(filter.shape(), seed);
  return [random = std::mt19937_64(seed)]() mutable { return fmt::format("{:016x}", random()); };
}

}  // namespace bloomery::cli
