/* ns-3 as a world for parties, behind a table of functions in C.
 *
 * Its headers are C++17 and the library is C++20: neither sees the other, only this. ns-3 keeps one simulation a
 * process, so there is one world at a time. Times are nanoseconds since the world began; parties have the numbers
 * 0, 1, 2 … in the order in which they were added. Nothing is thrown through a function of either side.
 */
#ifndef BLOOMERY_NS3_WORLD_ABI_H
#define BLOOMERY_NS3_WORLD_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bloomery_ns3_world bloomery_ns3_world;

/* A party: what is called of it, each time with its context. A function that does not return 0 ends the run. The
 * bytes of a message are to be looked at during the call. */
typedef struct bloomery_ns3_party {
  void* context;
  int (*start)(void* context, int64_t now);
  int (*receive)(void* context, int64_t now, uint32_t from, const unsigned char* message,
                 size_t size);
  int (*tick)(void* context, int64_t now, uint64_t token);
} bloomery_ns3_party;

/* A walk of ns-3's RandomWalk2dMobilityModel within a square from 0 to `side`, in metres: straight on for `straight`
 * nanoseconds at a speed between the two, in metres a second, then another way; back from the border. */
typedef struct bloomery_ns3_walk {
  double x;
  double y;
  double side;
  double slowest;
  double fastest;
  int64_t straight;
} bloomery_ns3_walk;

typedef struct bloomery_ns3_position {
  double x;
  double y;
} bloomery_ns3_position;

/* What is not so is said by a text that lives on; NULL is success. */
typedef struct bloomery_ns3_api {
  /* NULL while another world is open. The seed decides all chance. */
  bloomery_ns3_world* (*open)(uint64_t seed);
  void (*close)(bloomery_ns3_world* world);
  const char* (*add)(bloomery_ns3_world* world, const bloomery_ns3_party* party, int64_t start);
  /* Both ways, a point-to-point link; a rate of 0 is so fast that sending takes no time. No message is lost, and
   * those of one way arrive in order. */
  const char* (*connect)(bloomery_ns3_world* world, uint32_t a, uint32_t b, int64_t delay,
                         uint64_t bits_per_second);
  /* For a party, during a call to it or before a run. */
  const char* (*send)(bloomery_ns3_world* world, uint32_t from, uint32_t to,
                      const unsigned char* message, size_t size);
  const char* (*wake)(bloomery_ns3_world* world, uint32_t who, int64_t at, uint64_t token);
  /* Until nothing is due, which is never as long as a party walks. */
  void (*run)(bloomery_ns3_world* world);
  /* Through what is due up to then. What comes up at that very nanosecond meanwhile waits for the next run. */
  void (*run_until)(bloomery_ns3_world* world, int64_t then);
  int64_t (*now)(const bloomery_ns3_world* world);
  const char* (*walk)(bloomery_ns3_world* world, uint32_t who, const bloomery_ns3_walk* how);
  const char* (*position)(const bloomery_ns3_world* world, uint32_t who,
                          bloomery_ns3_position* where);
} bloomery_ns3_api;

/* The one symbol of the module. */
const bloomery_ns3_api* bloomery_ns3(void);

#ifdef __cplusplus
}
#endif

#endif
