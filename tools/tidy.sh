#!/usr/bin/env bash
# clang-tidy over the library, the tool and the benchmarks (tests are compiled with the same warnings
# but not analysed: that would take as long again). In parallel; needs a configured build/test.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files 'src/*.cpp' 'bench/*.cpp' | grep -v '_test\.cpp$' |
  xargs -P "$(nproc)" -n 1 clang-tidy -p build/test --quiet --warnings-as-errors='*' 2> >(
    grep -v 'warnings generated\|Suppressed\|Use -header-filter' >&2 || true)
