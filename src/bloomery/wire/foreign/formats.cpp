#include <algorithm>
#include <array>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/wire/foreign/automerge_bloom.hpp"
#include "bloomery/wire/foreign/bit_filter.hpp"
#include "bloomery/wire/foreign/dcso_bloom.hpp"
#include "bloomery/wire/foreign/parquet_block.hpp"
#include "bloomery/wire/foreign/redis_bloom.hpp"
#include "bloomery/wire/foreign/redis_cuckoo.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"

namespace bloomery::foreign {
namespace {

template <class Value>
constexpr format redis_format{
    .info = &Value::format,
    .recognises = [](byte_view start,
                     std::uint64_t /*length*/) { return is_redis_dump_of(start, Value::type); },
    .read = Value::read,
    .make = Value::make,
    .rewrap = [](const filter& /*of*/) -> std::unique_ptr<filter> { return nullptr; },
    .example_key = [](std::uint64_t i) { return "item:" + std::to_string(i); },
    .redis_type = Value::type};

constexpr std::array all_formats{
    format_of<squid_digest>,
    format_of<parquet_block>,
    format_of<dcso_bloom>,
    format_of<automerge_sync, automerge_filter>,
    format_of<automerge_filter, automerge_sync>,
    redis_format<redis_bloom>,
    redis_format<redis_cuckoo>,
};

}  // namespace

std::span<const format> formats() {
  return all_formats;
}

const format& find_format(std::string_view name) {
  const auto* const found =
      std::ranges::find(all_formats, name, [](const format& each) { return each.info->name; });
  if (found != all_formats.end()) return *found;
  std::vector<std::string_view> names;
  std::string listed;
  for (const format& each : all_formats) {
    names.push_back(each.info->name);
    (listed += listed.empty() ? "" : ", ") += each.info->name;
  }
  fail(errc::invalid, in_quotes(name) + " is no format that is known here (" + listed + ")" +
                          did_you_mean(name, names));
}

const format* recognised(byte_view start, std::uint64_t length) {
  const auto* const found = std::ranges::find_if(
      all_formats, [&](const format& each) { return each.recognises(start, length); });
  return found == all_formats.end() ? nullptr : found;
}

std::unique_ptr<filter> read(byte_view file, const wire::load_options& options) {
  const format* of = recognised(file.first(std::min(file.size(), recognised_bytes)), file.size());
  if (of == nullptr) fail(errc::corrupt, "the bytes are of no format that is known here");
  return of->read(file, options);
}

}  // namespace bloomery::foreign
