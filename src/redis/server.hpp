// The header of the server, in C. Its functions are pointers that loading fills in: one each for the whole
// module, and null in a test that runs without a server.
#pragma once

#define REDISMODULE_API inline
#define REDISMODULE_ATTR

extern "C" {
#include <redismodule.h>
}
