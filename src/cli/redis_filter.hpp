// A filter under a key of a Redis server that has the module bloomery.so. What only concerns some keys is sent
// as their digests, many commands before the first is answered; for all else the filter is fetched. A value of
// the types behind BF and CF, of whatever module, is asked for the keys themselves, and fetched by DUMP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/wire/foreign/format.hpp"
#include "redis_client.hpp"

namespace bloomery::cli {

// Digests as BLOOM.ADDP, BLOOM.HASP and BLOOM.REMOVEP take them, and the answer to one of them.
inline constexpr std::size_t packed_keys = 8192;  // of one command
std::string packed_digests(digest_span keys);
bool packed_answer(std::string_view bits, std::size_t i);

class redis_filter {
 public:
  explicit redis_filter(redis_address where);

  [[nodiscard]] const std::string& name() const { return where_.name; }

  // What the server says of it, which is enough to hash keys for it.
  struct description {
    const any_kind* kind;
    hash_identity hash;
    bool on_time;
  };
  [[nodiscard]] description describe();
  // By the answer to BLOOM.INFO; errc::corrupt, after the name, if it is none.
  static description described(const redis_reply& told, const std::string& name);
  // The epoch of its family, if it is of one.
  static std::optional<std::uint64_t> epoch_told(const redis_reply& told);

  // Digests there and answers back, for kinds that ask, insert or erase; as of `now`, if it runs on time. By
  // any thread, one after another. If the conversation ends and the server goes on, another one is begun, and what
  // was not answered is sent again, unless that could count twice. What the server does not answer for a batch
  // throws, and whether it has done that is not known.
  void may_contain(digest_span keys, std::span<bool> answers, std::optional<std::uint64_t> now);
  void insert(digest_span keys, std::span<bool> fresh, std::optional<std::uint64_t> now);
  void erase(digest_span keys, std::span<bool> erased);

  // All of it. Pieces of different moments do not fit together: then it is fetched again.
  [[nodiscard]] any_filter load(const wire::load_options& limits);
  // What others change from here on makes `save` refuse.
  void watch();
  // In the place of what was there: whole, or not at all. It expires when that would have, or in so many
  // milliseconds; 0 is never.
  void save(const any_filter& filter, std::optional<std::uint64_t> expires = {});

  // The format of what is there, if that is a value of the types behind BF and CF; else null.
  [[nodiscard]] const foreign::format* foreign_format();
  // Of such a value, all of it, or what it is asked and told where it is.
  [[nodiscard]] std::unique_ptr<foreign::filter> load_foreign(const wire::load_options& limits);
  using items_type = std::span<const std::string_view>;
  void may_contain(const foreign::format& of, items_type items, std::span<bool> answers);
  void insert(const foreign::format& of, items_type items, std::span<bool> fresh);
  void erase(const foreign::format& of, items_type items, std::span<bool> erased);

  // Of any module's type. What a server of whatever version has dumped can be restored, if the other server
  // knows the type.
  [[nodiscard]] bool native();
  [[nodiscard]] std::uint64_t time_to_live();  // in milliseconds; 0 is for ever
  [[nodiscard]] std::string dump(const wire::load_options& limits);
  void restore(std::string_view payload, std::uint64_t expires);

 private:
  std::string type();
  void require_filter();
  void require_no_shards();
  void require_replaceable(std::string_view by);
  struct item_command;
  void ask_items(const item_command& command, items_type items, std::span<bool> answers);
  void ask_packed(std::string_view command, digest_span keys, std::span<bool> answers,
                  std::optional<std::uint64_t> now, bool repeatable);
  bool resume();
  void keep_at(bool repeatable, const std::size_t& answered, const std::function<void()>& work);
  std::vector<std::byte> fetch_once(std::uint64_t most);
  std::string staging_key() const;

  redis_address where_;
  std::unique_ptr<redis_client> server_;
  std::optional<std::string> process_;  // of the server, once keys are asked for
  std::mutex one_at_a_time_;
  bool watching_ = false;
  bool repeatable_ = false;  // whether adding twice is adding once, once it is described
};

}  // namespace bloomery::cli
