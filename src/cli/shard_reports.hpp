// What info, estimate and doctor say of a filter in shards: what the shards tell, put together.
#pragma once

#include <cstdint>
#include <optional>

#include "sharded_filter.hpp"

namespace bloomery::cli {

exit_status describe_shards(sharded_filter& filter, bool as_json);

exit_status estimate_shards(sharded_filter& filter, double confidence, bool as_json);

struct shard_examination {
  std::uint64_t probes = 0;  // 0: as many as take a moment
  std::uint64_t seed = 0;
  double confidence = 0;
  std::optional<double> rate;        // to hold it to; none: the one promised
  std::optional<std::uint64_t> now;  // for one that runs on time
};
exit_status examine_shards(sharded_filter& filter, const shard_examination& how, bool as_json);

}  // namespace bloomery::cli
