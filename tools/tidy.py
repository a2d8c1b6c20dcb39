#!/usr/bin/env python3
"""clang-tidy over the library, the tool and the benchmarks, in parallel.

Sources are looked at several at a time, since reading their headers takes longer than looking at them: those
that are compiled together, and those of a folder that are compiled alone. Where that does not pass, because
of a finding or because their nameless namespaces clash, the sources that are named are looked at alone, or
each half if none is; what is said is said of single sources. Tests are compiled with the same warnings but not analysed: that would take as
long again. What passed is not looked at again until it, a header, its command,
.clang-tidy or clang-tidy itself is another: build/tidy/passed keeps a hash of what was read. Without that
folder all are looked at.

Usage: tools/tidy.py [FILE...], without files all of them."""
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"  # configured, never built: the commands that compile each source
PASSED = BUILD / "passed"
# What instantiates every kind takes the analyzer minutes, and has been analysed kind by kind; the
# tool's share of the time is as large. In pointers that ns-3 counts the analyzer sees what is not there.
NOT_ANALYSED = re.compile(r"bench/filters\.cpp|src/bloomery/any/registry\.cpp|src/ns3/world_ns3\.cpp|src/cli/.*")


def output(*command: str) -> bytes:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def flags_of(entry: dict) -> list[str]:
    """How a source is compiled, without the source, its object or GCC's precompiled header."""
    command = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx| -o \S+ -c \S+", "", entry["command"])
    return [word for word in shlex.split(command)[1:] if not word.endswith(("/c++", "ccache"))] + ["-Wshadow"]


def sources_of(entry: dict) -> list[str]:
    """What is compiled: a source, or those that a unit of CMake's includes."""
    path = pathlib.Path(entry["file"])
    if "Unity" not in path.parts:
        return [str(path)]
    return re.findall(r'#include "(.*)"', path.read_text())


def bundle_of(names: list[str]) -> str:
    """A source that includes these. The analyzer takes what such a file includes for sources, not headers,
    if its name says so."""
    text = "".join(f'#include "{ROOT / name}"\n' for name in names)
    path = PASSED / f"UnifiedSource-{hashlib.sha256(text.encode()).hexdigest()[:12]}.cpp"
    path.write_text(text)
    return str(path)


def problems(names: list[str], flags: list[str], setup: bytes) -> str:
    """What clang-tidy says of sources; nothing if they have passed before, or pass."""
    name = names[0] if len(names) == 1 else bundle_of(names)
    checks = ["--checks=-clang-analyzer-*"] if NOT_ANALYSED.fullmatch(names[0]) else []
    if len(names) > 1:
        checks = [(checks or ["--checks="])[0] + ",-bugprone-suspicious-include",
                  r"--header-filter=(src|bench)/.*\.(hpp|cpp)$"]
    read = subprocess.run(["clang++", *flags, "-Wno-everything", "-E", "-C", name], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    stamp = PASSED / hashlib.sha256(b"\0".join([setup, repr(checks + flags).encode(), read])).hexdigest()
    if stamp.exists():
        return ""
    done = subprocess.run(["clang-tidy", "--quiet", "--warnings-as-errors=*", *checks, name, "--", *flags],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        stamp.touch()
        return ""
    if len(names) == 1:
        return done.stdout or done.stderr
    said = re.findall(r"^(\S+?):\d+:\d+: error: .*\[([^,\]]*)", done.stdout, re.M)
    places, checks_said = {path for path, _ in said}, {check for _, check in said}
    accused = [name for name in names if str(ROOT / name) in places]
    parts = [[name] for name in accused]
    if not accused:
        half = len(names) // 2
        parts = [names[:half], names[half:]]
    elif len(places) > len(accused) or "clang-diagnostic-error" in checks_said:
        parts.append([name for name in names if name not in accused])
    return "".join(problems(part, flags, setup) for part in parts if part)


def main() -> int:
    PASSED.mkdir(parents=True, exist_ok=True)
    output("cmake", "--preset", "tidy")
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    flags = {name: flags_of(entry) for entry in entries for name in sources_of(entry)}
    wanted = sorted(name for name in output("git", "ls-files", "src/*.cpp", "bench/*.cpp").decode().split()
                    if not name.endswith("_test.cpp"))
    # Some are compiled only where what they are for is installed.
    wanted = [name for name in wanted
              if not name.startswith(("src/cli/stores/", "src/ns3/", "src/postgres/", "src/redis/"))
              or str(ROOT / name) in flags]
    if len(sys.argv) > 1:
        asked = {str(pathlib.Path(name).resolve()) for name in sys.argv[1:]}
        wanted = [name for name in wanted if str(ROOT / name) in asked]
    if missing := [name for name in wanted if str(ROOT / name) not in flags]:
        sys.exit(f"tidy.py: nothing compiles {', '.join(missing)}")
    alone = [name for name in wanted if name.startswith("bench/") or "kernels" in name
             or (NOT_ANALYSED.fullmatch(name) and not name.startswith("src/cli/"))]
    jobs = [[name] for name in alone]
    rest = [name for name in wanted if name not in alone]
    for unit in map(sources_of, entries):
        if names := [name for name in rest if len(unit) > 1 and str(ROOT / name) in unit]:
            jobs.append(names)
            rest = [name for name in rest if name not in names]
    for _, folder in itertools.groupby(rest, key=os.path.dirname):
        jobs.append(list(folder))
    jobs.sort(key=len, reverse=True)  # what takes longest first
    setup = output("clang-tidy", "--version") + (ROOT / ".clang-tidy").read_bytes()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda names: problems(names, flags[str(ROOT / names[0])], setup), jobs):
            if said:
                print(said, end="")
                failed = True
    return 1 if failed else 0


sys.exit(main())
