#include "sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/shards.hpp"
#include "bloomery/net/redis_slots.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

constexpr std::string_view opening = R"({"bloomery":"sharded filter")";
constexpr std::uint64_t version = 1;
constexpr double overflowing_chance = 1e-6;

[[noreturn]] void refuse_text(const std::string& why) {
  fail(errc::corrupt, "what says how the filter is spread is damaged: " + why);
}

const json& member(const json& of, const char* name) {
  const auto found = of.is_object() ? of.find(name) : of.end();
  if (!of.is_object() || found == of.end()) refuse_text(std::string("it has no ") + name);
  return *found;
}

std::string text_in(const json& of, const char* name) {
  const json& held = member(of, name);
  if (!held.is_string()) refuse_text(std::string(name) + " is no text");
  return held.get<std::string>();
}

// Whole numbers are texts, since JSON's are not exact beyond 2^53.
std::uint64_t number_in(const json& of, const char* name, std::uint64_t least, std::uint64_t most) {
  const std::string text = text_in(of, name);
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    refuse_text(std::string(name) + " is " + in_quotes(text));
  }
  return value;
}

json json_of(const any_kind& kind, const generation& each) {
  json shape = json::object();
  for (std::size_t i = 0; i < each.shape.size(); ++i) {
    shape[std::string(kind.fields[i].name)] = format_value(kind.fields[i], each.shape[i]);
  }
  return {{"family", std::to_string(each.family)},
          {"shards", std::to_string(each.shards)},
          {"shape", shape},
          {"keys", std::to_string(each.promised.keys)},
          {"rate", format_value(field_value{each.promised.rate})}};
}

generation generation_in(const any_kind& kind, const json& held) {
  generation made;
  made.family = number_in(held, "family", 1, ~std::uint64_t{0});
  made.shards = number_in(held, "shards", 1, most_shards);
  made.promised.keys = number_in(held, "keys", 0, max_keys);
  const std::string rate = text_in(held, "rate");
  const auto [end, problem] =
      std::from_chars(rate.data(), rate.data() + rate.size(), made.promised.rate);
  if (problem != std::errc{} || end != rate.data() + rate.size() ||
      !(made.promised.rate >= 0 && made.promised.rate < 1)) {
    refuse_text("rate is " + in_quotes(rate));
  }
  const json& shape = member(held, "shape");
  for (const field_info& field : kind.fields) {
    made.shape.push_back(parse_field(field, text_in(shape, std::string(field.name).c_str())));
  }
  (void)kind.payload_bytes(made.shape);  // refuses what is no shape
  return made;
}

}  // namespace

promise generation::of_shard() const {
  if (promised.keys == 0) return {};
  return {math::fullest_part(promised.keys, shards, overflowing_chance), promised.rate};
}

bool sharding::is_one(std::string_view text) {
  return text.starts_with(opening);
}

std::string sharding::text() const {
  json made{{"bloomery", "sharded filter"},
            {"version", version},
            {"epoch", std::to_string(epoch)},
            {"kind", kind->info.name},
            {"hash",
             {{"id", std::to_string(static_cast<std::uint32_t>(hash.id))},
              {"tag", std::to_string(hash.tag)}}},
            {"generations", json::array()}};
  for (const generation& each : generations) made["generations"].push_back(json_of(*kind, each));
  return made.dump();
}

sharding sharding::parsed(const std::string& text) {
  if (!is_one(text)) refuse_text("it does not begin as one");
  const json held = json::parse(text, nullptr, false);
  if (held.is_discarded()) refuse_text("it is no JSON");
  if (const json& number = member(held, "version"); number != version) {
    fail(errc::unsupported, "what says how the filter is spread has version " +
                                printable(number.dump()) + ", and this tool knows " +
                                std::to_string(version));
  }
  sharding made;
  made.kind = &find_kind(text_in(held, "kind"));
  made.epoch = number_in(held, "epoch", 1, ~std::uint64_t{0} - 1);
  const json& hash = member(held, "hash");
  made.hash.id =
      static_cast<hash_id>(static_cast<std::uint32_t>(number_in(hash, "id", 0, ~std::uint32_t{0})));
  made.hash.tag = number_in(hash, "tag", 0, ~std::uint64_t{0});
  if (!is_known(made.hash.id)) refuse_text("its hash is not known");
  const json& all = member(held, "generations");
  if (!all.is_array() || all.empty() || all.size() > most_generations) {
    refuse_text(fmt::format("it has from 1 to {} generations", most_generations));
  }
  std::set<std::uint64_t> families;
  for (const json& each : all) {
    made.generations.push_back(generation_in(*made.kind, each));
    families.insert(made.generations.back().family);
  }
  if (families.size() != made.generations.size()) refuse_text("two generations are one family");
  if (!takes_digests(*made.kind)) refuse_text("no server adds keys to such a kind");
  return made;
}

generation next_generation(const sharding& of, std::uint64_t keys) {
  if (!adds_idempotently(*of.kind)) {
    refuse(*of.kind,
           " counts, forgets or lets keys go, and which generation has a key cannot be "
           "told: build it anew with more --keys");
  }
  const generation& last = of.generations.back();
  if (last.promised.keys == 0 || last.promised.rate / 2 < min_rate) {
    fail(errc::invalid, "what there is promises no rate that could be halved: build it anew");
  }
  if (keys == 0 || keys > max_keys) {
    fail(errc::invalid,
         "--grow is " + format_count(keys) + "; allowed: from 1 to " + format_count(max_keys));
  }
  generation next;
  const double shards = static_cast<double>(keys) / static_cast<double>(last.promised.keys) *
                        static_cast<double>(last.shards);
  if (shards > static_cast<double>(most_shards)) {
    fail(errc::limit, fmt::format("that takes more than {} shards of the size of those there are",
                                  format_count(most_shards)));
  }
  next.shards = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(shards)));
  next.promised = {keys, last.promised.rate / 2};
  const promise of_shard = next.of_shard();
  next.shape = of.kind->plan(of_shard.keys, of_shard.rate);
  return next;
}

void require_shardable(const std::string& name) {
  if (name.find('{') == std::string::npos) return;
  fail(errc::invalid, in_quotes(name) +
                          ": the name of a filter in shards has no {, which would put "
                          "all of them into one slot");
}

std::string shard_key(const std::string& name, const generation& of, std::uint64_t shard) {
  return fmt::format("{}:{{{}}}:{}:{:016x}", name, net::redis_tag(net::even_slot(shard, of.shards)),
                     shard, of.family);
}

bool takes_digests(const any_kind& kind) {
  return kind.can<inserts>() && !kind.can<guards>() && !kind.can<reads_texts>() &&
         !kind.can<ranks>() && !kind.can<maps>() &&
         !(kind.can<erases>() && !kind.can<forgets>() && kind.info.false_negatives);
}

bool adds_idempotently(const any_kind& kind) {
  return !kind.counts() && !kind.can<erases>() && !kind.can<forgets>() && !kind.can<ages>() &&
         !kind.info.false_negatives;
}

}  // namespace bloomery::cli
