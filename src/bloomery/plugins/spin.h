/* A filter of this library as the visited set of SPIN's verifiers (bitstate search).
 *
 * In the verifier that `spin -a` writes, one line chooses how states are remembered. With that line
 * changed, and this header in front, -w (bits, as a power of two), -k (hashes) and -h (another hash)
 * mean what they always did, and the set is a standard filter:
 *
 *     spin -a model.pml
 *     sed -i 's/b_store = bstore_reg;/b_store = bloomery_pan_store;/' pan.c
 *     gcc -O2 -DBITSTATE -DSAFETY -include bloomery/plugins/spin.h -c pan.c
 *     g++ pan.o $(pkg-config --libs bloomery) -o pan
 *     ./pan -w27 -k5 -m1000000
 *
 * States that the filter claims by mistake are left out, and what lies behind them only: see
 * bloomery/math/laws/omissions.hpp. One set a process, for one thread, as SPIN's own.
 */
#ifndef BLOOMERY_PLUGINS_SPIN_H
#define BLOOMERY_PLUGINS_SPIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* An empty set of so many bits. 0, or 1 after a line on standard error that says why not. */
int bloomery_visited_open(unsigned long long bits, unsigned hashes, unsigned long long seed);
/* Whether this state has been seen, as far as the filter knows; from now on it has. 1 for all before the
 * set is opened. */
int bloomery_visited(const char* state, int bytes);

#ifdef __cplusplus
}
#else

#include <stdlib.h>

/* Of the verifier that this is put in front of. */
extern int ssize;
static unsigned int hfns;
extern unsigned char HASH_NR;

static int bloomery_pan_store(char* state, int bytes) {
  static int opened = 0;
  if (!opened) {
    if (ssize < 0 || ssize > 62 || bloomery_visited_open(1ULL << ssize, hfns, HASH_NR)) exit(1);
    opened = 1;
  }
  return bloomery_visited(state, bytes);
}

#endif
#endif
