// What tells of filters and kinds.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/any/health.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis::native {
namespace {

// So many strangers take milliseconds, in which the server does nothing else.
constexpr std::uint64_t most_probes_here = 1 << 16;

// A map that is replied when all of it is known.
class report {
 public:
  void add(std::string name, std::function<void(RedisModuleCtx*)> value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  void text(std::string name, std::string value) {
    add(std::move(name), [held = std::move(value)](RedisModuleCtx* to) {
      RedisModule_ReplyWithStringBuffer(to, held.data(), held.size());
    });
  }
  void number(std::string name, std::uint64_t value) {
    add(std::move(name), [value](RedisModuleCtx* to) {
      RedisModule_ReplyWithLongLong(to, static_cast<long long>(value));
    });
  }
  void real(std::string name, double value) {
    add(std::move(name), [value](RedisModuleCtx* to) { RedisModule_ReplyWithDouble(to, value); });
  }
  void yes(std::string name, bool value) {
    add(std::move(name),
        [value](RedisModuleCtx* to) { RedisModule_ReplyWithBool(to, value ? 1 : 0); });
  }
  void texts(std::string name, std::vector<std::string> values) {
    add(std::move(name), [held = std::move(values)](RedisModuleCtx* to) {
      RedisModule_ReplyWithArray(to, static_cast<long>(held.size()));
      for (const std::string& each : held) {
        RedisModule_ReplyWithStringBuffer(to, each.data(), each.size());
      }
    });
  }
  void nested(std::string name, report values) {
    add(std::move(name), [held = std::move(values)](RedisModuleCtx* to) { held.reply(to); });
  }

  void reply(RedisModuleCtx* to) const {
    RedisModule_ReplyWithMap(to, static_cast<long>(fields_.size()));
    for (const auto& [name, value] : fields_) {
      RedisModule_ReplyWithStringBuffer(to, name.data(), name.size());
      value(to);
    }
  }

 private:
  std::vector<std::pair<std::string, std::function<void(RedisModuleCtx*)>>> fields_;
};

std::vector<std::string> owned(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

report shape_report(const any_filter& filter) {
  report made;
  const shape_values shape = filter.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const field_info& field = filter.kind().fields[i];
    const auto* const whole = std::get_if<std::uint64_t>(&shape[i]);
    if (field.names.empty() && whole != nullptr) {
      made.number(std::string(field.name), *whole);
    } else if (field.names.empty()) {
      made.real(std::string(field.name), std::get<double>(shape[i]));
    } else {
      made.text(std::string(field.name), format_value(field, shape[i]));
    }
  }
  return made;
}

report estimate_report(const math::estimate& estimate) {
  report made;
  made.yes("saturated", estimate.saturated);
  made.real("low", estimate.low);
  if (!estimate.saturated) {
    made.real("value", estimate.value);
    made.real("high", estimate.high);
  }
  return made;
}

}  // namespace

void info(call& asked) {
  const bloom_value& held = asked.get<bloom_value>(no_filter);
  const any_filter& filter = held.filter();
  const any_kind& kind = filter.kind();
  const filter_record record = filter.record();
  report made;
  made.text("kind", std::string(kind.info.name));
  made.nested("shape", shape_report(filter));
  made.number("bytes", filter.bytes());
  made.text("hash", describe(record.hash));
  made.number("hash id", static_cast<std::uint32_t>(record.hash.id));
  made.text("hash tag", std::to_string(record.hash.tag));
  made.number("keys inserted", record.items);
  made.number("promised keys", record.promised.keys);
  made.real("promised rate", record.promised.rate);
  made.real("rate predicted", kind.predicted_rate(filter.shape(), predicted_keys(filter)));
  made.yes("runs on time", runs_on_time(filter));
  if (const membership& of = held.part_of(); of.family != 0) {
    made.text("family", std::to_string(of.family));
    made.text("epoch", std::to_string(of.epoch));
  }
  if (kind.can<keeps_time>()) made.number("time", filter.as<keeps_time>().now());
  if (kind.can<forgets>()) made.number("window", filter.as<forgets>().window());
  if (kind.can<grows>()) made.number("stages", filter.as<grows>().stages());
  if (kind.can<overflowing>()) made.number("overflows", filter.as<overflowing>().overflows());
  made.texts("abilities", owned(kind.abilities()));
  made.reply(asked.context());
}

void estimate(call& asked) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  double confidence = math::default_confidence;
  if (asked.size() != 2) {
    if (asked.size() != 4 || !asked.says(2, "CONFIDENCE")) throw wrong_arity();
    confidence = parse_ratio(asked.text(3));
    if (!(confidence > 0 && confidence < 1)) {
      fail(errc::invalid, "CONFIDENCE is above 0 and below 1 (0 % and 100 %)");
    }
  }
  estimate_report(filter.as<measures>().estimated_keys(confidence)).reply(asked.context());
}

void doctor(call& asked) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  (void)filter.as<asks>();
  const health found =
      examine(filter, {.probes = most_probes_here, .now = time_for(filter, std::nullopt)});
  report made;
  made.yes("healthy", found.healthy());
  made.texts("reasons", found.reasons);
  made.texts("remarks", found.remarks);
  made.text("advice", found.advice);
  if (found.rate) made.real("rate promised", *found.rate);
  if (found.measured) {
    made.real("rate measured", found.measured->rate);
    made.number("strangers asked", found.measured->counts.asked);
    made.number("strangers claimed", found.measured->counts.hits);
  }
  if (found.current_rate) made.real("rate now", *found.current_rate);
  if (found.fill) made.real("fill", *found.fill);
  if (found.estimated) made.nested("keys estimated", estimate_report(*found.estimated));
  if (found.capacity) made.number("capacity", *found.capacity);
  made.reply(asked.context());
}

void kinds(call& asked) {
  RedisModuleCtx* const to = asked.context();
  const auto all = bloomery::kinds();
  RedisModule_ReplyWithArray(to, static_cast<long>(all.size()));
  for (const any_kind& kind : all) {
    report made;
    made.text("name", std::string(kind.info.name));
    made.text("title", std::string(kind.info.title));
    made.text("answers", std::string(kind.info.answers));
    std::vector<std::string> fields;
    for (const field_info& field : kind.fields) fields.emplace_back(field.name);
    made.texts("fields", fields);
    made.texts("abilities", owned(kind.abilities()));
    made.reply(to);
  }
}

}  // namespace bloomery::redis::native
