#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bloomery/any/health.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "filling.hpp"
#include "message.hpp"

namespace bloomery::cli {
namespace {

json finite_or_null(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

// Of three numbers that belong together, all are whole or none: by the largest.
std::string number(double value, double largest) {
  constexpr double many = 100;
  if (!std::isfinite(value)) return "unbounded";
  if (largest >= many) return format_count(static_cast<std::uint64_t>(std::llround(value)));
  return format_real(value);
}

}  // namespace

json to_json(const math::estimate& estimate) {
  return {{"value", finite_or_null(estimate.value)},
          {"low", finite_or_null(estimate.low)},
          {"high", finite_or_null(estimate.high)},
          {"saturated", estimate.saturated}};
}

json to_json(const promise& promised) {
  if (promised.keys == 0) return nullptr;
  return {{"keys", promised.keys}, {"rate", promised.rate}};
}

json exact_json(std::uint64_t value) {
  constexpr std::uint64_t exact_in_doubles = std::uint64_t{1} << 53;
  return value <= exact_in_doubles ? json(value) : json(std::to_string(value));
}

json to_json(const field_value& value) {
  return std::visit([](auto held) { return json(held); }, value);
}

json shape_json(const any_kind& kind, std::span<const field_value> shape) {
  json result = json::object();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const field_info& field = kind.fields[i];
    result[std::string(field.name)] =
        field.names.empty() ? to_json(shape[i]) : json(format_value(field, shape[i]));
  }
  return result;
}

bool has_secret(const hash_identity& hash) {
  return hash.id == hash_id::keyed || hash.id == hash_id::guarded;
}

json hash_json(const hash_identity& hash) {
  return {{"function", name_of(hash.id)},
          {has_secret(hash) ? "key_fingerprint" : "seed", fmt::format("{:#x}", hash.tag)}};
}

json filter_json(const any_filter& filter) {
  const any_kind& kind = filter.kind();
  const filter_record record = filter.record();
  json result{{"kind", kind.info.name},  {"shape", shape_json(kind, filter.shape())},
              {"bytes", filter.bytes()}, {"hash", hash_json(record.hash)},
              {"items", record.items},   {"promised", to_json(record.promised)}};
  if (kind.can<measures>())
    result["estimated_keys"] = to_json(filter.as<measures>().estimated_keys());
  if (kind.can<tells_rate>()) {
    result["fill"] = filter.as<tells_rate>().fill();
    result["current_rate"] = filter.as<tells_rate>().current_rate();
  }
  result["over_filled"] = to_json(over_filled(filter));
  result["predicted_rate"] = kind.predicted_rate(filter.shape(), predicted_keys(filter));
  if (kind.can<overflowing>()) result["overflows"] = filter.as<overflowing>().overflows();
  if (kind.can<grows>()) result["stages"] = filter.as<grows>().stages();
  if (kind.can<forgets>()) {
    result["window"] = filter.as<forgets>().window();
    result["window_unit"] = runs_on_time(filter) ? "ms" : "arrivals";
  }
  return result;
}

std::string to_text(const math::estimate& estimate) {
  if (estimate.saturated) {
    return fmt::format("saturated: at least {}",
                       format_count(static_cast<std::uint64_t>(std::ceil(estimate.low))));
  }
  const auto text = [&](double value) { return number(value, estimate.high); };
  return fmt::format("{} ({} to {})", text(estimate.value), text(estimate.low),
                     text(estimate.high));
}

std::string shape_text(const any_kind& kind, std::span<const field_value> shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", kind.fields[i].name,
                        format_value(kind.fields[i], shape[i]));
  }
  return text;
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

void print_table(const std::vector<std::vector<std::string>>& rows) {
  const std::vector<std::size_t> widths = column_widths(rows);
  for (const auto& row : rows) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
      column += widths[i] + 2;
    }
    line += wrapped(row.back(), page_width, column);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_paragraph(std::string_view text, std::size_t indent) {
  fmt::print("{:{}}{}\n", "", indent, wrapped(text, page_width, indent));
}

void print_text(std::string_view text) {
  if (text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail(errc::io, "standard output cannot be written");
  }
}

void refuse(const any_kind& kind, const std::string& why) {
  fail(errc::unsupported, a_filter(kind.info.name) + why);
}

void report_left(const std::vector<std::string>& keys, std::uint64_t asked, std::string_view what) {
  constexpr std::size_t most_named = 10;
  if (keys.empty()) return;
  std::string text =
      fmt::format("{} of {} keys {}:", format_count(keys.size()), format_count(asked), what);
  for (std::size_t i = 0; i < std::min(keys.size(), most_named); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", in_quotes(keys[i]));
  }
  if (keys.size() > most_named)
    text += fmt::format(" and {} more; --json names them", format_count(keys.size() - most_named));
  tell(text);
}

// Keys may hold any byte; what is not UTF-8 is shown as U+FFFD.
void print_json(const json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, json::error_handler_t::replace));
}

std::string on_one_line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace bloomery::cli
