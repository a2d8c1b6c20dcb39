#!/usr/bin/env bash
# clang-tidy over every source of ours, in parallel. Needs a configured build/test.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files 'src/*.cpp' 'bench/*.cpp' |
  xargs -P "$(nproc)" -n 1 clang-tidy -p build/test --quiet --warnings-as-errors='*' 2> >(
    grep -v 'warnings generated\|Suppressed\|Use -header-filter' >&2 || true)
