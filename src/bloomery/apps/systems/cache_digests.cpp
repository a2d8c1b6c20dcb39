// C2: two proxies that are siblings; one asks the other for what is in its Squid cache digest.
#include <algorithm>
#include <array>
#include <memory>

#include "bloomery/apps/lab/page_cache.hpp"
#include "bloomery/apps/lab/workload.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"

namespace bloomery::systems {
namespace {

std::string page_url(std::uint64_t page) {
  return "http://example.org/page/" + std::to_string(page);
}

// The digest of what a proxy holds, as another gets it, and the truth at that time.
struct sent_digest {
  std::unique_ptr<foreign::filter> filter;
  std::vector<std::uint64_t> pages;  // sorted
  std::uint64_t bytes = 0;
  std::uint64_t list_bytes = 0;  // of the URLs themselves
};

sent_digest digest_of(const lab::page_cache& cache) {
  sent_digest made;
  made.pages = cache.pages();
  const foreign::format& squid = foreign::find_format(foreign::squid_digest::info.name);
  const auto filter = squid.make(made.pages.size(), std::nullopt);
  for (const std::uint64_t page : made.pages) {
    const std::string url = page_url(page);
    made.list_bytes += url.size() + 1;
    filter->insert(std::array{std::string_view(url)});
  }
  const std::vector<std::byte> file = filter->save();
  made.bytes = file.size();
  made.filter = squid.read(file, {});
  return made;
}

}  // namespace

lab::result cache_digests(const lab::request& asked) {
  const std::uint64_t documents = asked.count("documents");
  const std::uint64_t requests = asked.count("requests");
  const std::uint64_t size = asked.count("cache");
  const std::uint64_t period = asked.count("period");
  math::require_whole("documents", documents, 1, 10'000'000);
  math::require_whole("requests", requests, 1, 10'000'000);
  math::require_whole("cache", size, 1, 1'000'000);
  math::require_whole("period", period, 1, requests);
  const lab::zipf popularity(documents, asked.ratio("zipf"));
  lab::random_stream random(asked.seed(), 1);
  lab::random_stream strange(asked.seed(), 2);
  lab::page_cache mine(size);
  lab::page_cache theirs(size);

  sent_digest known = digest_of(theirs);
  apps::ledger when_sent;
  apps::ledger strangers;
  double rates = 0;
  std::uint64_t digests = 0;
  std::uint64_t digest_bytes = 0;
  std::uint64_t list_bytes = 0;
  std::uint64_t misses = 0;
  std::uint64_t sibling_hits = 0;
  std::uint64_t refused = 0;     // asked, and not there
  std::uint64_t overlooked = 0;  // there, and not asked
  for (std::uint64_t i = 0; i < requests; ++i) {
    if (i % period == 0 && i > 0) {
      known = digest_of(theirs);
      ++digests;
      digest_bytes += known.bytes;
      list_bytes += known.list_bytes;
      constexpr std::uint64_t asked_each = 2000;
      for (std::uint64_t s = 0; s < asked_each; ++s) {
        strangers.record(known.filter->may_contain(page_url(documents + (strange() >> 1))), false);
      }
      rates += known.filter->current_rate();
    }
    const std::uint64_t other = popularity(random);
    if (!theirs.touch(other)) (void)theirs.add(other);
    const std::uint64_t page = popularity(random);
    if (mine.touch(page)) continue;
    ++misses;
    const bool claimed = known.filter->may_contain(page_url(page));
    when_sent.record(claimed, std::ranges::binary_search(known.pages, page));
    const bool there = theirs.holds(page);
    sibling_hits += std::uint64_t{claimed && there};
    refused += std::uint64_t{claimed && !there};
    overlooked += std::uint64_t{!claimed && there};
    (void)mine.add(page);
  }

  lab::result found;
  found.never("a page that was there when the digest was made is not in it", when_sent.missed(),
              when_sent.asked());
  const auto share = [](std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
  };
  if (digests > 0) {
    found.add(lab::false_positives_of("strangers in a digest, by the fourth power of its fill",
                                      strangers, rates / static_cast<double>(digests)));
    found.add(lab::told("bytes of a digest", lab::unit::bytes, share(digest_bytes, digests)))
        .rivals = {{"list of URLs", share(list_bytes, digests)}};
  }
  found.add(
      lab::told("misses that the sibling answered", lab::unit::share, share(sibling_hits, misses)));
  found.add(
      lab::told("misses for which it was asked in vain", lab::unit::share, share(refused, misses)));
  found.add(lab::told("misses that it could have answered and was not asked for", lab::unit::share,
                      share(overlooked, misses)));
  found.note("The proxies are simulated; their digests are Squid's.");
  return found;
}

extern constinit const system_info cache_digests_system{
    .id = "C2",
    .name = "Squid cache digests",
    .source = "Rousskov and Wessels 1998; Broder and Mitzenmacher, section 4; Tarkoma et al., IV-A",
    .where = pattern::exchange,
    .does =
        "A Squid tells its siblings by a digest of five bits a page what it holds; they ask it for "
        "what is in it. Nothing leaves a digest: it is made anew each hour.",
    .figure =
        "No page is missing from the digest that was there when it was made; others are in it at "
        "the fourth power of its fill.",
    .verb = "cache serve",
    .needs = "",
    .settings_or_none = {{{"documents", "50k", "pages that there are"},
                          {"requests", "100k", "at each of the two proxies"},
                          {"cache", "5k", "pages that a proxy holds"},
                          {"period", "10k", "requests from one digest to the next"},
                          {"zipf", "0.75", "exponent of the pages' popularity"}}},
    .run = cache_digests};

}  // namespace bloomery::systems
