#include "top_above.hpp"

#include <fmt/format.h>

#include "bloomery/apps/meter/iceberg.hpp"
#include "report.hpp"

namespace bloomery::cli {

exit_status top_above(double share, const key_input& input, std::optional<std::uint64_t> most,
                      bool as_json) {
  apps::iceberg tip(share);
  const hasher hash = fresh_hash();
  const key_input lines = input.kept();
  lines.each(hash, [&](const line_block& /*block*/, std::span<const digest> digests) {
    tip.count(digests);
  });
  lines.each(hash, [&](const line_block& block, std::span<const digest> digests) {
    tip.recount(digests, block.keys);
  });
  auto found = tip.found();
  if (most && found.size() > *most) found.resize(*most);
  if (as_json) {
    json listed = json::array();
    for (const apps::iceberg::tip& each : found) {
      listed.push_back({{"key", each.key}, {"count", each.count}});
    }
    print_json({{"items", tip.total()},
                {"least", tip.threshold()},
                {"candidates", tip.candidates()},
                {"top", listed}});
  } else {
    for (const apps::iceberg::tip& each : found) fmt::print("{}\t{}\n", each.count, each.key);
  }
  return found.empty() ? exit_status::not_found : exit_status::found;
}

}  // namespace bloomery::cli
