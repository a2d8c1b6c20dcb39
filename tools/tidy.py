#!/usr/bin/env python3
"""clang-tidy over the library, the tool and the benchmarks, in parallel.

Tests are compiled with the same warnings but not analysed: that would take as long again. A file that
passed is not looked at again until it, a header, its command, .clang-tidy or clang-tidy itself is
another: build/tidy/passed keeps a hash of what was read. Without that folder all are looked at.

Usage: tools/tidy.py [FILE...], without files all of them."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"  # configured, never built: the commands that compile each source
PASSED = BUILD / "passed"
# What instantiates every kind takes the analyzer minutes, and has been analysed kind by kind; the
# tool's share of the time is as large.
NOT_ANALYSED = re.compile(r"bench/filters\.cpp|src/bloomery/any/registry\.cpp|src/cli/.*")


def output(*command: str) -> bytes:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def check(entry: dict, setup: bytes) -> str:
    """What clang-tidy says of a file; nothing if it has passed before, or passes."""
    name = str(pathlib.Path(entry["file"]).relative_to(ROOT))
    checks = ["--checks=-clang-analyzer-*"] if NOT_ANALYSED.fullmatch(name) else []
    command = re.sub(r" -o \S+ -c ", " ", entry["command"]).split()
    text = output("clang++", *[part.replace('\\"', '"') for part in command[1:]], "-Wno-everything",
                  "-E", "-C")
    stamp = PASSED / hashlib.sha256(b"\0".join([setup, repr(checks + command).encode(), text])).hexdigest()
    if stamp.exists():
        return ""
    done = subprocess.run(["clang-tidy", "-p", str(PASSED), "--quiet", "--warnings-as-errors=*", *checks, name],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        stamp.touch()
        return ""
    return done.stdout or done.stderr


def main() -> int:
    PASSED.mkdir(parents=True, exist_ok=True)
    output("cmake", "--preset", "tidy")
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    for entry in entries:  # the precompiled headers are GCC's
        entry["command"] = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
    (PASSED / "compile_commands.json").write_text(json.dumps(entries))
    wanted = {str(ROOT / name) for name in output("git", "ls-files", "src/*.cpp", "bench/*.cpp").decode().split()
              if not name.endswith("_test.cpp")}
    if len(sys.argv) > 1:
        wanted &= {str(pathlib.Path(name).resolve()) for name in sys.argv[1:]}
    by_file = {entry["file"]: entry for entry in entries if entry["file"] in wanted}
    if missing := wanted - by_file.keys():
        sys.exit(f"tidy.py: nothing compiles {', '.join(sorted(missing))}")
    setup = output("clang-tidy", "--version") + (ROOT / ".clang-tidy").read_bytes()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda entry: check(entry, setup), by_file.values()):
            if said:
                print(said, end="")
                failed = True
    return 1 if failed else 0


sys.exit(main())
