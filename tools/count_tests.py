#!/usr/bin/env python3
"""Says how many single tests the programs of a ctest run had, from its log, and which were skipped.

Usage: count_tests.py LastTest.log REASONS. Fails if a test was skipped for a reason that the regular
expression REASONS does not match: a test that never runs is none."""
import os
import pathlib
import re
import sys


def tests_in(output: str) -> int:
    counts = re.findall(r"^(?:\[=+\] (\d+) tests? from .* ran\.|Ran (\d+) tests? in )", output, re.M)
    return sum(int(program or script) for program, script in counts)


def main() -> int:
    log = pathlib.Path(sys.argv[1]).read_text(errors="replace")
    entries = re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]
    again = sum(tests_in(entry) for entry in entries if entry.startswith("portable_backend"))
    reasons = re.findall(r": Skipped\n(.*)| \.\.\. skipped ['\"](.*)['\"]$", log, re.M)
    skipped = ["".join(reason) for reason in reasons]
    for reason in sorted(set(skipped)):
        print(f"skipped {skipped.count(reason)}: {reason}")
    ran = sum(map(tests_in, entries)) - again - len(skipped)
    print(f"{ran:,} single tests ran, {len(skipped):,} were skipped; {again:,} ran without vector kernels too")
    if ran == 0 and "BLOOMERY_ONLY" in os.environ:
        print("no test has such a name")
        return 1
    if all(re.search(sys.argv[2], reason) for reason in skipped):
        return 0
    print("a skipped test tests nothing: give it what it needs, or do not compile it here")
    return 1


sys.exit(main())
