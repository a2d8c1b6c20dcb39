/* What a shared object offers to take part in `bloomery bench --rival FILE.so`.
 *
 * It has one function, bloomery_rivals, which gives a table of contestants. A contestant is a name and
 * the functions that it has; those that it lacks are null. It must have `drop`, `bytes`, one of the two
 * ways to find keys, and `build` or `make` with a way to insert. A function takes many keys: those whose
 * name ends in _batch may treat them together, the others hand over one after another, so that the call
 * through the table is paid once for all. Times are those of these functions, hashing included; `make`,
 * `drop` and `bytes` are not timed. docs/bench.md has a whole plug-in.
 *
 * C++ programs need not write the table: bloomery/plugins/rival.hpp makes it of a class.
 */
#ifndef BLOOMERY_PLUGINS_RIVAL_H
#define BLOOMERY_PLUGINS_RIVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A later one may put fields at the end of the table without a new number. */
#define BLOOMERY_RIVAL_INTERFACE 1U

struct bloomery_rival_text {
  const char* bytes;
  size_t size;
};

struct bloomery_rival {
  size_t table_bytes; /* sizeof(struct bloomery_rival) */
  const char* name;   /* that people are shown */
  uint64_t most_keys; /* that it can hold; 0 if there is no such limit */

  /* Empty, for so many keys at this rate as far as it can choose; null if there is no memory. */
  void* (*make)(uint64_t keys, double rate);
  void (*drop)(void* filter);
  uint64_t (*bytes)(const void* filter); /* that it takes in memory */

  void (*insert)(void* filter, const uint64_t* keys, size_t count);
  void (*insert_batch)(void* filter, const uint64_t* keys, size_t count);
  /* How many of the keys it holds. */
  uint64_t (*find)(const void* filter, const uint64_t* keys, size_t count);
  uint64_t (*find_batch)(const void* filter, const uint64_t* keys, size_t count);
  /* The same, where no key is known before the answer to the one before it: each key is to be combined by
   * exclusive or with BLOOMERY_RIVAL_AFTER(answer, zero), which is 0, though no compiler knows it. */
  uint64_t (*find_dependent)(const void* filter, const uint64_t* keys, size_t count, uint64_t zero);
  /* How many were removed. */
  uint64_t (*remove)(void* filter, const uint64_t* keys, size_t count);
  uint64_t (*remove_batch)(void* filter, const uint64_t* keys, size_t count);
  /* Of all keys at once; null if it cannot. */
  void* (*build)(const uint64_t* keys, size_t count, double rate, unsigned threads);

  /* The same for texts; those that have none of these take part with integers only. */
  void (*insert_texts)(void* filter, const struct bloomery_rival_text* keys, size_t count);
  void (*insert_texts_batch)(void* filter, const struct bloomery_rival_text* keys, size_t count);
  uint64_t (*find_texts)(const void* filter, const struct bloomery_rival_text* keys, size_t count);
  uint64_t (*find_texts_batch)(const void* filter, const struct bloomery_rival_text* keys,
                               size_t count);
};

/* 0 that is known only after `answer`, as long as `zero` is a 0 that came from outside. */
#define BLOOMERY_RIVAL_AFTER(answer, zero) bloomery_rival_after((uint64_t)(answer), zero)
static inline uint64_t bloomery_rival_after(uint64_t answer, uint64_t zero) {
  __asm__ volatile("" : "+r"(answer)); /* no guess in place of the answer */
  return answer & zero;
}

/* The contestants and how many; null if the plug-in does not know this interface. What it gives lives as
 * long as the program. */
const struct bloomery_rival* bloomery_rivals(unsigned interface, size_t* count);

#ifdef __cplusplus
}
#endif
#endif
