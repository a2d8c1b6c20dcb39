// What the server's `rdbcompression` costs where it cannot gain: most of the time that saving, DUMP and the
// first copy for a replica take, since it looks for repetitions in every byte, and a filter in use has none.
#pragma once

#include "bloomery/core/bytes.hpp"
#include "redis/server.hpp"

namespace bloomery::redis {

// When the module is loaded.
void know_compression(RedisModuleCtx* context);

// Whether bytes are many and so evenly of ones and zeros that no compression takes off an eighth: by a sample.
bool hardly_compress(byte_view bytes);

// While it lives, strings go into files as they are, if `wanted`: the server's setting is off, and then again
// what it was. Where CONFIG is not to be had nothing changes.
class without_compression {
 public:
  explicit without_compression(bool wanted);
  without_compression(const without_compression&) = delete;
  without_compression& operator=(const without_compression&) = delete;
  ~without_compression();

 private:
  bool was_on_ = false;
};

}  // namespace bloomery::redis
