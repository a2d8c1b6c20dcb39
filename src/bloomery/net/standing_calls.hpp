// Connections that should always be there: whoever does not answer, or goes, is called again.
//
// Purpose:   a node keeps its neighbours. The pause before a call is repeated doubles from the least to the longest,
//            less some part of it by chance, so that those who lost somebody at one moment do not all call at one;
//            after a call that was of use it is the least again.
// Cost:      nothing between two calls of `tend`, which is to be called now and then.
// Guarantee: at most one connection to each address, and one call a pause. Whoever cannot be called, since the
//            name is unknown or the loop is full, is called again like others.
//
//     namespace net = bloomery::net;
//     net::standing_calls none({}, {});
//     assert(!none.which(bloomery::apps::peer{7}));
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/apps/random.hpp"
#include "bloomery/net/loop.hpp"

namespace bloomery::net {

struct call_pauses {
  std::chrono::nanoseconds least = std::chrono::milliseconds(500);
  std::chrono::nanoseconds longest = std::chrono::seconds(30);
  std::uint64_t seed = 0;
};

class standing_calls {
 public:
  standing_calls(const std::vector<endpoint>& to, const call_pauses& pauses);

  // Dials all that are due. `begun` is told of the connection, and of the place in the list of whom it leads to;
  // `failed` why there is none.
  void tend(loop& by, const std::function<void(peer, std::size_t)>& begun,
            const std::function<void(const error&)>& failed);

  // A connection was of use; or is gone, at this time: nothing if it is of no call.
  void useful(peer who);
  void gone(peer who, apps::time now);

  [[nodiscard]] std::optional<std::size_t> which(peer who) const;
  [[nodiscard]] std::optional<peer> connection_of(std::size_t which) const {
    return calls_.at(which).connection;
  }

 private:
  struct call {
    endpoint to;
    std::optional<peer> connection = {};
    std::chrono::nanoseconds pause;
    apps::time due = {};
  };
  void postpone(call& late, apps::time now);

  std::vector<call> calls_;
  call_pauses pauses_;
  apps::random_stream chance_;
};

}  // namespace bloomery::net
