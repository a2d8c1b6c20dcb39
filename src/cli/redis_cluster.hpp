// The servers of a Redis Cluster as one: every command goes to the server that has its slot, as that moves. A
// server that is no cluster has all slots.
//
// Redirections (MOVED, ASK) are followed, and where slots are is asked anew. What a server has refused it has not
// done, so it is sent again; what a server was sent when the conversation ended it may have done, so it is sent
// again only if doing it twice does no harm.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/net/redis_slots.hpp"
#include "redis_client.hpp"

namespace bloomery::cli {

// When a change counts as done.
struct acknowledgement {
  std::uint64_t replicas = 0;                  // that have it, beside the master
  std::chrono::milliseconds patience{60'000};  // without any progress
};

// Where a key is, after what a cluster says of that, and its type; no type if the server objects. The server that
// is named must answer; where others do not, or cannot yet, they are asked again for so long.
struct located_key {
  redis_address where;
  std::string type;
};
located_key located(const redis_address& where, std::chrono::milliseconds patience);

class redis_cluster {
 public:
  // errc::io if nobody answers there.
  explicit redis_cluster(redis_address seed);

  struct command {
    std::uint16_t slot = 0;
    std::vector<std::string> words;
    bool repeatable = true;                         // twice is as once
    std::uint64_t most = redis_client::most_bytes;  // of the answer
  };
  // The answers, in the order of the commands, which are done in no certain order. What a server objects to, but
  // for redirections, is an answer. errc::io once patience ends, or if a command that is not repeatable may have
  // been done or not. By any thread, one after another.
  std::vector<redis_reply> ask(std::span<const command> all, const acknowledgement& by = {});
  redis_reply ask(const command& one, const acknowledgement& by = {});
  static command on_key(const std::string& key, std::vector<std::string> words);

  // Sets a string (or removes it, if `to` is none) if it still is `from`; false if it is not.
  bool replace(const std::string& key, const std::optional<std::string>& from,
               const std::optional<std::string>& to, const acknowledgement& by = {});

  [[nodiscard]] const std::string& name() const { return seed_.name; }
  // The server that has a slot, to be shown; empty if nobody has it.
  [[nodiscard]] std::string server_of(std::uint16_t slot) const;
  [[noreturn]] void refuse(const redis_reply& problem) const;
  [[noreturn]] void refuse_form(const std::string& key) const;

 private:
  struct job {
    std::size_t index = 0;
    std::string asked_at{};  // by ASK
    unsigned hops = 0;
  };
  using jobs = std::vector<job>;
  struct round;
  using clock = std::chrono::steady_clock;

  std::vector<redis_reply> ask_locked(std::span<const command> all, const acknowledgement& by);
  // Anew if the server has ended the conversation, which is no loss while nothing is asked.
  redis_client& connected(const std::string& server);
  void forget(const std::string& server);
  void learn_slots();
  bool learn_slots_from(const std::string& server);
  void take_slots(const redis_reply& told, const std::string& from);
  std::string server_at(const std::string& told, std::uint64_t port);
  void send(round& now, const std::string& server, const jobs& batch);
  void receive(round& now, const std::string& server, const jobs& batch);
  void take_answer(round& now, const job& each, redis_reply answer);
  void lost(round& now, const std::string& server, const jobs& batch, std::size_t from,
            const std::string& why);
  void await_replicas(round& now, redis_client& server);
  std::optional<bool> try_replace(const std::string& key, const std::optional<std::string>& from,
                                  const std::optional<std::string>& to, const acknowledgement& by);

  redis_address seed_;
  std::map<std::string, redis_address> servers_;
  std::map<std::string, std::unique_ptr<redis_client>> connections_;
  std::vector<std::string> owner_;  // by slot
  std::mutex one_at_a_time_;
};

}  // namespace bloomery::cli
