// What the intakes of build share: how many keys a filter is for, and what it may take.
#include <algorithm>
#include <memory>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/compressed.hpp"
#include "build.hpp"

namespace bloomery::cli {

void require_within(const any_filter& filter, const std::string& memory) {
  if (memory.empty() || filter.bytes() <= parse_size(memory)) return;
  fail(errc::limit, "the filter outgrows the --memory of " + memory + ": after " +
                        format_count(filter.record().items) + " keys it takes " +
                        format_size(filter.bytes()));
}

sized size_of(const any_kind& kind, const build_options& options, std::uint64_t keys,
              const std::function<std::vector<field_value>()>& plan,
              const std::function<double(const std::vector<field_value>&)>& rate_of) {
  sized made =
      planned(kind, options.shape.fixed(kind), keys, options.promised_rate(), plan, rate_of);
  const std::uint64_t bytes = kind.payload_bytes(made.shape);
  if (!options.memory.empty() && bytes > parse_size(options.memory)) {
    fail(errc::limit, "the filter would take " + format_size(bytes) + ", over the --memory of " +
                          options.memory + " (" + shape_text(kind, made.shape) + ")");
  }
  return made;
}

std::uint64_t keys_to_size_for(const std::string& stated, std::uint64_t counted) {
  if (stated.empty()) return std::max<std::uint64_t>(1, counted);
  const std::uint64_t keys = parse_count(stated);
  if (counted > keys) {
    fail(errc::limit, "the input has " + format_count(counted) +
                          " distinct keys, over the --keys " + stated +
                          "; leave --keys out to size for what comes");
  }
  return keys;
}

void require_promise(const any_kind& kind, const build_options& options) {
  if (!all_fixed(options.shape.fixed(kind))) {
    (void)kind.plan(keys_to_size_for(options.keys, 0), options.promised_rate());
  }
  if (!options.memory.empty()) (void)parse_size(options.memory);
}

any_filter with_insertions(any_filter filter, std::uint64_t insertions) {
  filter_record record = filter.record();
  if (record.items == insertions) return filter;
  record.items = insertions;
  const auto owner = std::make_shared<const any_filter>(std::move(filter));
  const std::vector<byte_view> parts = owner->payload();
  return owner->kind().restore(
      owner->shape(), record,
      parts.size() == 1 ? storage::view(parts.front(), owner) : wire::joined(parts));
}

}  // namespace bloomery::cli
