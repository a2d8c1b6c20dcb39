#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bloomery/any/health.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::postgres {
namespace {

using json = nlohmann::ordered_json;

json number_json(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json shape_json(const any_filter& filter) {
  const any_kind& kind = filter.kind();
  const shape_values shape = filter.shape();
  json result = json::object();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const field_info& field = kind.fields[i];
    result[std::string(field.name)] =
        field.names.empty() ? std::visit([](auto held) { return json(held); }, shape[i])
                            : json(format_value(field, shape[i]));
  }
  return result;
}

}  // namespace

void require_size(const any_kind& kind, std::uint64_t bytes) {
  if (bytes <= most_bytes) return;
  fail(errc::limit, a_filter(kind.info.name) + " of " + format_size(bytes) +
                        " is too large for PostgreSQL; allowed: up to " + format_size(most_bytes));
}

void require_useful(const any_filter& filter) {
  (void)filter.as<asks>();
  const hash_identity hash = filter.record().hash;
  if (hash.id != hash_id::xxh3) {
    fail(errc::incompatible, "the keys of this filter are hashed by " + describe(hash) +
                                 "; allowed: xxh3, whatever its seed");
  }
  const wire::filter_limits limits;
  const auto* const telling = filter.can<tells_rate>();
  wire::require_at_most("fill", telling ? telling->fill() : wire::share_of_ones(filter.payload()),
                        limits.max_fill);
  if (telling) {
    wire::require_at_most("false-positive rate", telling->current_rate(), limits.max_rate);
  }
}

any_filter loaded(byte_view stored) {
  any_filter filter = load(stored, {.max_payload_bytes = most_bytes});
  require_size(filter.kind(), std::max<std::uint64_t>(stored.size(), filter.bytes()));
  return filter;
}

any_filter opened(byte_view stored) {
  any_filter filter = loaded(stored);
  require_useful(filter);
  return filter;
}

double rate_of(const any_filter& filter) {
  if (const auto* telling = filter.can<tells_rate>()) return telling->current_rate();
  return filter.kind().predicted_rate(filter.shape(), predicted_keys(filter));
}

std::string described(const any_filter& filter) {
  const any_kind& kind = filter.kind();
  const filter_record record = filter.record();
  json result{{"kind", kind.info.name},
              {"shape", shape_json(filter)},
              {"bytes", filter.bytes()},
              {"hash", describe(record.hash)},
              {"items", record.items}};
  if (record.promised.keys != 0) {
    result["promised"] = {{"keys", record.promised.keys}, {"rate", record.promised.rate}};
  }
  if (const auto* telling = filter.can<tells_rate>()) result["fill"] = telling->fill();
  result["rate"] = rate_of(filter);
  if (const auto* measuring = filter.can<measures>()) {
    const math::estimate keys = measuring->estimated_keys();
    result["estimated_keys"] = {{"value", number_json(keys.value)},
                                {"low", number_json(keys.low)},
                                {"high", number_json(keys.high)}};
  }
  return result.dump();
}

remembered::remembered(byte_view stored)
    : filter_(opened(stored)),
      asks_(&filter_.as<asks>()),
      hash_(hasher::for_identity(filter_.record().hash)),
      size_(stored.size()) {
  const byte_view payload = wire::open_envelope(stored, {.verify_payload = false}).payload;
  const byte_view header = stored.first(stored.size() - payload.size());
  header_.assign(header.begin(), header.end());
}

bool remembered::is(byte_view stored) const {
  return stored.size() == size_ && std::ranges::equal(stored.first(header_.size()), header_);
}

}  // namespace bloomery::postgres
