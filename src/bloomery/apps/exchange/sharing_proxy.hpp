// A proxy that shares what it holds, as a party: it is told by lines, and tells its neighbours by summaries.
//
// Purpose:   what `bloomery cache share` runs beside a cache. A line of its owner is `+ URL` (it is here now), `- URL`
//            (it is gone), `? URL` (who may have it?), which is answered, or `!`, which sends what changed
//            now. Each neighbour has the summary as a whole when it comes, and changes after that.
// Cost:      that of summary_cache.hpp, and 24 bytes for each URL that is here.
// Guarantee: a URL that is here is counted once, and one that is not here cannot be taken away, so that lines that
//            repeat themselves do no harm. What a neighbour sends is hostile: what it gets wrong is the driver's to
//            hear of, and leaves what was known as it was. A summary of more than four times the bytes of one's own is
//            refused, unless it is of less than 1 MiB.
// Citation:  Fan, Cao, Almeida, Broder 2000.
//
//     bloomery::apps::sharing_proxy proxy({.documents = 100}, bloomery::apps::peer{0});
//     static_assert(bloomery::apps::party<bloomery::apps::sharing_proxy>);
//     assert(proxy.held() == 0);
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "bloomery/apps/exchange/summary_cache.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

class sharing_proxy {
 public:
  // Lines come from `owner`, and answers go there; all others are neighbours.
  sharing_proxy(const summary_plan& plan, peer owner);

  void start(time now, outbox& out);
  void receive(time now, peer from, byte_view message, outbox& out);
  void tick(time now, std::uint64_t token, outbox& out);

  // A neighbour is there, and to be sent this; or it is gone.
  [[nodiscard]] std::vector<std::byte> join(peer who, std::string name);
  void leave(peer who);

  [[nodiscard]] std::size_t held() const { return urls_.size(); }
  [[nodiscard]] std::uint64_t updates() const { return summary_.version(); }

 private:
  struct neighbour {
    std::string name;
    neighbour_summary summary = {};
  };
  void obey(std::string_view line, outbox& out);
  void answer(std::string_view url, outbox& out);
  void tell(outbox& out);

  hasher hash_;
  summary_plan plan_;
  cache_summary summary_;
  peer owner_;
  std::set<digest> urls_;
  std::map<peer, neighbour> neighbours_;
};

}  // namespace bloomery::apps
