// O5: peers ask hosts that sleep; a proxy answers, and wakes its host only for downloads.
#include "bloomery/apps/overlay/power_proxy.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/kinds/best_of_n.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

namespace said = apps::proxy_message;

byte_view bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string shared_name(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) {
  const digest drawn = lab::numbered(seed, stream, i);
  return std::to_string(drawn.lo) + "." + std::to_string(drawn.hi);
}
std::string content_of(std::string_view file) {
  return "content of " + std::string(file);
}

// Asks the proxy for one file after the other, and downloads what is said to be there. It knows what is.
class curious_peer {
 public:
  curious_peer(apps::peer proxy, std::vector<std::pair<std::string, bool>> files)
      : proxy_(proxy), files_(std::move(files)) {}

  void start(apps::time /*now*/, apps::outbox& out) { ask(out); }
  void receive(apps::time /*now*/, apps::peer /*from*/, byte_view message, apps::outbox& out) {
    if (done()) {  // nothing was asked for
      ++wrong;
      return;
    }
    const auto& [file, there] = files_[at_];
    if (wire::message_name(message) == said::answer::name) {
      const bool has = wire::read<said::answer>(message).has != 0;
      answers.record(has, there);
      if (has) {
        ++downloads;
        out.send(proxy_, wire::write(said::fetch{bytes_in(file)}));
        return;
      }
    } else {
      const auto came = wire::read<said::delivered>(message);
      const std::string content = content_of(file);
      const bool whole = came.has != 0 && std::ranges::equal(came.content, bytes_in(content));
      wrong += std::uint64_t{there ? !whole : came.has != 0};
    }
    ++at_;
    ask(out);
  }
  void tick(apps::time /*now*/, std::uint64_t /*token*/, apps::outbox& /*out*/) {}

  [[nodiscard]] bool done() const { return at_ == files_.size(); }

  apps::ledger answers;  // of the proxy, beside what the host has
  std::uint64_t downloads = 0;
  std::uint64_t wrong = 0;  // what came was not the file, or there is no such file

 private:
  void ask(apps::outbox& out) {
    if (!done()) out.send(proxy_, wire::write(said::query{bytes_in(files_[at_].first)}));
  }

  apps::peer proxy_;
  std::vector<std::pair<std::string, bool>> files_;
  std::size_t at_ = 0;
};

// The ones of the filter under each seed, by the positions of its keys alone.
std::vector<std::uint64_t> ones_by_seed(const best_of_n_shape& shape,
                                        const std::vector<digest>& keys) {
  std::vector<std::uint64_t> ones;
  const hash::uniform_probes probes{shape.bits, shape.hashes};
  for (std::uint64_t seed = 0; seed < shape.seeds; ++seed) {
    std::vector<bool> set(shape.bits);
    for (const digest key : keys) {
      hash::each_position(probes, hash::digest_of_set(key, seed, shape.hashes),
                          [&](std::uint64_t i) { set[i] = true; });
    }
    ones.push_back(static_cast<std::uint64_t>(std::ranges::count(set, true)));
  }
  return ones;
}

}  // namespace

lab::result power_proxy(const lab::request& asked) {
  const std::uint64_t hosts = asked.count("hosts");
  const std::uint64_t files = asked.count("files");
  const std::uint64_t absent = asked.count("absent");
  // While a message goes to a peer and back, its host has long been asleep again.
  using namespace std::chrono_literals;
  const apps::sleep_plan plan{.bits_a_file = asked.count("bits"),
                              .hashes = asked.count("hashes"),
                              .seeds = asked.count("seeds"),
                              .linger = 1ms};
  math::require_whole("hosts", hosts, 2, 10'000);
  math::require_whole("files", files, 1, 10'000);
  math::require_whole("absent", absent, 1, 1'000'000);
  math::require_whole("bits", plan.bits_a_file, 1, 64);
  const best_of_n_shape shape{files * plan.bits_a_file, plan.hashes, plan.seeds};
  require_valid(shape);

  // Host, proxy and peer number i are the parties 3·i, 3·i + 1 and 3·i + 2.
  const hasher hash;
  lab::world world(asked.seed());
  std::vector<std::vector<digest>> keys(hosts);
  std::vector<double> first_shares;
  const auto party = [](std::uint64_t i, std::uint32_t which) {
    return static_cast<apps::peer>(3 * static_cast<std::uint32_t>(i) + which);
  };
  for (std::uint64_t i = 0; i < hosts; ++i) {
    apps::sleeping_host host(party(i, 1), hash, plan);
    std::vector<std::pair<std::string, bool>> wanted;
    for (std::uint64_t file = 0; file < files + absent; ++file) {
      wanted.emplace_back(shared_name(asked.seed(), i, file), file < files);
      if (file >= files) continue;
      keys[i].push_back(hash(wanted.back().first));
      host.share(wanted.back().first, content_of(wanted.back().first));
    }
    const auto first = best_of_n_filter::build({shape.bits, shape.hashes, 1}, keys[i]);
    apps::ledger book;
    for (const auto& [name, there] : wanted) book.record(first.may_contain(hash(name)), there);
    first_shares.push_back(static_cast<double>(book.false_positives()) /
                           static_cast<double>(book.strangers()));
    world.add(std::move(host));
    world.add(apps::power_proxy(party(i, 0), hash));
    // After the host has fallen asleep.
    world.add(curious_peer(party(i, 1), std::move(wanted)), apps::time(1s));
    world.connect(party(i, 0), party(i, 1), {.delay = 10us});
    world.connect(party(i, 1), party(i, 2), {.delay = 5ms});
  }
  std::vector<double> kept;
  std::vector<double> means;
  std::uint64_t emptier = 0;
  world.on_message([&](apps::peer from, apps::peer /*to*/, byte_view message) {
    if (wire::message_name(message) != said::shared::name) return;
    const auto filter =
        wire::read<said::shared>(message).filter.open<best_of_n_filter>(hash.identity());
    double sum = 0;
    for (const std::uint64_t ones :
         ones_by_seed(shape, keys[static_cast<std::uint32_t>(from) / 3])) {
      emptier += std::uint64_t{ones < filter.cells().ones()};
      sum += static_cast<double>(ones);
    }
    kept.push_back(static_cast<double>(filter.cells().ones()));
    means.push_back(sum / static_cast<double>(shape.seeds));
  });
  world.run();

  apps::ledger answers;
  std::uint64_t downloads = 0;
  std::uint64_t wrong = 0;
  std::uint64_t woken = 0;
  std::uint64_t slept = 0;        // through a download
  std::uint64_t for_nothing = 0;  // woken without a download
  std::vector<double> shares;
  for (std::uint64_t i = 0; i < hosts; ++i) {
    const auto& peer = world.get<curious_peer>(party(i, 2));
    const std::uint64_t wakes = world.get<apps::sleeping_host>(party(i, 0)).wakes();
    answers += peer.answers;
    downloads += peer.downloads;
    wrong += peer.wrong + std::uint64_t{!peer.done()};
    woken += wakes;
    slept += peer.downloads - std::min(wakes, peer.downloads);
    for_nothing += wakes - std::min(wakes, peer.downloads);
    shares.push_back(static_cast<double>(peer.answers.false_positives()) /
                     static_cast<double>(peer.answers.strangers()));
  }

  lab::result found;
  found.never("a file that the host has was denied", answers.missed(), hosts * files);
  found.never("a download did not wake its host", slept, downloads);
  found.never("a host was woken by less than a download", for_nothing, answers.asked());
  found.never("what was delivered was not the file", wrong, downloads);
  found.never("a seed would have had fewer ones", emptier, hosts * shape.seeds);
  const double first =
      math::uniform_layout(shape.bits, shape.hashes).expected_zeros(static_cast<double>(files));
  lab::figure vain =
      lab::mean_of("absent files that a host was woken for", lab::unit::share, shares,
                   math::best_of_rate(shape.bits, files, shape.hashes, shape.seeds));
  vain.rivals = {{"the first seed", std::accumulate(first_shares.begin(), first_shares.end(), 0.0) /
                                        static_cast<double>(hosts)}};
  found.add(std::move(vain));
  found.add(lab::mean_of("ones of the filter that is kept", lab::unit::real, kept,
                         math::fewest_ones(shape.bits, files, shape.hashes, shape.seeds)));
  found.add(lab::mean_of("ones of the filter of any seed", lab::unit::real, means,
                         static_cast<double>(shape.bits) - first));
  found.add(lab::told("questions answered while the host slept", lab::unit::share,
                      1 - static_cast<double>(woken) / static_cast<double>(answers.asked())));
  return found;
}

extern constinit const system_info power_proxy_system{
    .id = "O5",
    .name = "Power proxy",
    .source = "Jimeno, Christensen and Roginsky 2007; Tarkoma IV-F",
    .where = pattern::overlay,
    .does =
        "Before a host falls asleep it leaves with its network card a filter of the files that "
        "it shares: the emptiest of those under N seeds. The card answers what peers ask, and "
        "wakes the host only for downloads.",
    .figure =
        "No file is denied and no question wakes; a host wakes in vain at the rate of the "
        "best of N filters.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"hosts", "200", "that sleep, each with a proxy and a peer who asks"},
                          {"files", "32", "that a host shares"},
                          {"absent", "500", "files that a peer asks for in vain"},
                          {"bits", "8", "of the filter, a file"},
                          {"hashes", "6", "bits of a file"},
                          {"seeds", "16", "filters of which one is kept"}}},
    .run = power_proxy};

}  // namespace bloomery::systems
