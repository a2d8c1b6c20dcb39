// One filter whose shards are keys of a Redis Cluster (or of one server): it is asked and filled where they are, by
// digests, and reads anew how it is spread when a shard says that this has changed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/hashed_span.hpp"
#include "redis_cluster.hpp"
#include "redis_filter.hpp"
#include "sharding.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

class sharded_filter {
 public:
  // The one that is there, whose changes count as done by this; null if there is none, or a value of another kind.
  static std::unique_ptr<sharded_filter> find(const redis_address& where,
                                              const acknowledgement& by);
  // A new one, of which nobody knows before `publish`: empty shards of the generations of `plan`, whose families
  // are drawn here; or none yet, for `unite` to make them.
  static std::unique_ptr<sharded_filter> create(const redis_address& where, sharding plan,
                                                const acknowledgement& by, bool with_shards = true);

  [[nodiscard]] const std::string& name() const { return where_.name; }
  [[nodiscard]] const sharding& spread() const { return spread_; }
  [[nodiscard]] redis_filter::description describe() const;

  // As redis_filter's, by any thread. Keys that are in an earlier generation are not added again.
  void may_contain(digest_span keys, std::span<bool> answers, std::optional<std::uint64_t> now);
  void insert(digest_span keys, std::span<bool> fresh, std::optional<std::uint64_t> now);
  void erase(digest_span keys, std::span<bool> erased);

  // So many keys are worth sending at once, or every shard gets only a few.
  [[nodiscard]] std::size_t worth_sending() const;

  // Of one that nobody knows yet.
  void begin_at(std::uint64_t epoch) { spread_.epoch = epoch; }
  // In the place of the sharded filter that was there, if any, whose shards go.
  void publish();
  // A generation more, for so many keys at this rate. Who has begun before asks again how the filter is spread.
  void grow(generation next);
  // Every shard of the generations, whose answers come in their order.
  struct shard {
    const generation* of;
    std::uint64_t number;
    std::string key;
  };
  [[nodiscard]] std::vector<shard> shards() const;
  std::vector<redis_reply> ask_shards(std::span<const shard> asked,
                                      const std::vector<std::string>& verb,
                                      const std::vector<std::string>& options = {});
  // Makes the shards of those of others, of the same generations in the same cluster, each where they are.
  void unite(const std::vector<const sharded_filter*>& others);
  // Nothing goes into it or is told of it from here on, until it is replaced or opened again; of others who change
  // how it is spread, errc::io. It returns the epoch of what may take its place.
  std::uint64_t close();
  void open_again(std::uint64_t epoch) { settle(epoch); }
  // Whether `publish` puts this in its place.
  [[nodiscard]] bool replaces(const sharded_filter& other) const { return text_ == other.text_; }
  // Whether it is spread as it was when it was found.
  [[nodiscard]] bool is_as_found();
  // The shards of a filter that was not published.
  void discard();
  [[nodiscard]] std::string server_of(const shard& each) const;

 private:
  sharded_filter(redis_address where, std::unique_ptr<redis_cluster> servers);

  using positions = std::vector<std::size_t>;
  positions ask_generation(const generation& of, std::string_view verb, digest_span keys,
                           const positions& at, std::span<bool> answers,
                           std::optional<std::uint64_t> now, bool repeatable);
  void until_current(positions left, const std::function<positions(const positions&)>& work);
  void read();
  void create_shards(const generation& of, std::uint64_t epoch);
  void remove_shards(const sharding& of);
  bool fence(std::uint64_t epoch);
  void settle(std::uint64_t epoch);
  std::uint64_t latest_epoch();
  [[noreturn]] void refuse(const shard& at, const redis_reply& problem) const;

  redis_address where_;
  std::unique_ptr<redis_cluster> servers_;
  std::optional<std::string> text_;  // that is under the name
  sharding spread_;
  acknowledgement by_;
  std::mutex one_at_a_time_;
};

// What verbs are told of this.
struct acknowledging_options {
  std::uint64_t replicas = 0;
  std::string patience = "60s";

  void declare(command& verb);
  void declare_patience(command& verb);  // for what only asks
  [[nodiscard]] acknowledgement chosen() const;
  // errc::invalid if replicas are to be waited for, of a filter that is not in shards.
  void require_unused(const std::string& filter) const;
};

}  // namespace bloomery::cli
