// What BLOOM.CREATE asks for, and the same said in full, as replicas are told: the same filter anywhere.
#pragma once

#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "redis/call.hpp"
#include "redis/native/value.hpp"

namespace bloomery::redis {

struct creation {
  const any_kind* kind;
  shape_values shape;
  hash_identity hash;
  promise promised;
  membership part_of = {};

  // The arguments from the third on; errc::invalid or errc::unsupported for what makes no filter. What may be
  // drawn at random is drawn here.
  static creation asked_by(const call& asked);

  [[nodiscard]] any_filter made() const { return kind->create(shape, hash, promised); }
  // As arguments for BLOOM.CREATE behind the key.
  [[nodiscard]] std::vector<std::string> in_full() const;
};

}  // namespace bloomery::redis
