#!/usr/bin/env bash
# clang-tidy over the library, the tool and the benchmarks (tests are compiled with the same warnings
# but not analysed: that would take as long again). In parallel; needs a configured build/test, whose
# precompiled headers are GCC's.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/tidy
sed 's/ -Winvalid-pch//; s/ -include [^ ]*cmake_pch.hxx//' build/test/compile_commands.json \
  > build/tidy/compile_commands.json
# What instantiates every kind takes the analyzer minutes, and has been analysed kind by kind; the
# tool's share of the time is as large.
not_analysed='^(bench/filters\.cpp|src/bloomery/any/registry\.cpp|src/cli/.*)$'
check() {
  xargs -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' "$@" 2> >(
    grep -v 'warnings generated\|Suppressed\|Use -header-filter' >&2 || true)
}
sources=$(git ls-files 'src/*.cpp' 'bench/*.cpp' | grep -v '_test\.cpp$')
grep -E "$not_analysed" <<<"$sources" | check --checks='-clang-analyzer-*'
grep -Ev "$not_analysed" <<<"$sources" | check
