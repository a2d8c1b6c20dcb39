#!/usr/bin/python3
"""Checks the room arrow of ARCHITECTURE.md and the habits that a compiler cannot.

    core -> math, hash -> bits -> filters -> wire -> any -> apps -> bloomery -> plugins -> cli | redis | postgres
                                                                    apps -> net, ns3 -> cli

  * a file includes only its own room and rooms to its left; a sub-room of a room likewise, and what
    lies in the room itself; the last room of the library is its umbrella headers;
  * what the plain library is made of includes nothing that needs OpenSSL, nor the experiments, some of
    which do;
  * under src/bloomery the include path is the file path; tests, which are linked with the whole
    library, may include any room of it and the helpers in tests/;
  * a header starts with a comment, then #pragma once;
  * nothing is kept in an unordered_map or unordered_set: whoever chooses the keys can put them all
    into one of its buckets;
  * a file of math/kinds is named as a header of a sub-room of filters;
  * the tool, but for its figures, and the planner name no kind, neither by its class nor by its
    name: what they do for it is an ability; ONE_KIND has the verbs that are there for a kind;
  * every kind of any/*kinds.hpp has a page docs/filters/<name>.md and a test beside its header
    that includes it;
  * every experiment in apps/systems has its entry behind it, its line in registry.cpp, its test and a
    paragraph "### ID: Name" in docs/systems/<pattern>.md.

With --compile, also that each header compiles by itself, unless its own source includes it first
and so proves it, or the library that it plugs into is not installed. Prints file:line: what, and exits 1.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LEFT_OF = {
    "core": [],
    "math": ["core"],
    "hash": ["core"],
    "bits": ["core", "math", "hash"],
}
for room, left in [("filters", "bits"), ("wire", "filters"), ("any", "wire"), ("apps", "any"),
                   ("bloomery", "apps"), ("net", "apps"), ("plugins", "bloomery"), ("cli", "plugins"),
                   ("redis", "bloomery"), ("postgres", "bloomery"), ("ns3", "apps")]:
    LEFT_OF[room] = [*LEFT_OF[left], left]
LEFT_OF["cli"] += ["net", "ns3"]  # which plug-ins do not know
SUB_LEFT_OF = {
    "math": {"numeric": [], "laws": ["numeric"], "kinds": ["numeric", "laws"]},
    "bits": {"memory": [], "code": ["memory"], "array": ["memory"], "batch": ["memory", "array"],
             "table": ["memory", "code", "array", "batch"]},
    "filters": {"abilities": [], "set": [], "changing": ["set"], "frequency": ["set", "changing"],
                "growing": ["set", "changing"], "window": ["set", "changing"], "map": ["set"],
                "weighted": ["set"], "routing": ["set"], "text": ["set"], "secure": ["set"]},
    "wire": {"foreign": []},
    "apps": {"lab": [], "gate": [], "shelf": [], "exchange": ["gate"], "meter": [], "routing": [],
             "overlay": ["routing"], "security": [],
             "systems": ["lab", "gate", "shelf", "exchange", "meter", "routing", "overlay", "security"]},
}

# Verbs that make, or are parties to, filters of these kinds: what would be an ability is theirs alone.
ONE_KIND = {
    "retouch.cpp": {"standard_filter", "counting_filter", "retouched_filter"},
    "secret.cpp": {"secure_index_filter", "encrypted_filter", "oblivious_filter"},
}

# What is not in the CMake target bloomery, of all that is below src/bloomery.
NEEDS_OPENSSL = re.compile(r"bloomery/(filters/secure/|apps/(security|systems)/|(any/secure_kinds|secure)\.)")

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def room_of(path: pathlib.PurePath) -> str:
    """`path` is below src: bloomery/<room>/..., bloomery/x.hpp, or cli, ns3, redis, postgres/..."""
    return path.parts[1 if path.parts[0] == "bloomery" and len(path.parts) > 2 else 0]


def sub_room_of(path: pathlib.PurePath) -> str | None:
    """numeric, array, set ... for what is in a sub-room of its room."""
    return path.parts[2] if path.parts[0] == "bloomery" and len(path.parts) > 3 else None


def is_test(path: pathlib.PurePath) -> bool:
    return path.stem.endswith("_test")


def wrong_include(file: pathlib.PurePath, include: str) -> str | None:
    target = pathlib.PurePath(include)
    in_library = file.parts[0] == "bloomery"
    if target.parts[0] not in ("bloomery", "cli", "redis", "postgres", "ns3"):
        if not in_library or is_test(file):
            return None
        return f'"{include}" is not a path below src'
    here, there = room_of(file), room_of(target)
    if there not in LEFT_OF:
        return f'"{include}": {there} is not a room'
    if in_library and is_test(file) and target.parts[0] == "bloomery":
        return None
    if there != here and there not in LEFT_OF[here]:
        return f'{here} may not include "{include}": {there} is not to its left'
    if in_library and NEEDS_OPENSSL.match(include) and not NEEDS_OPENSSL.match(file.as_posix()):
        return f'"{include}" is not in the plain library: it may need OpenSSL'
    mine, other = sub_room_of(file), sub_room_of(target)
    if here != there or other in (None, mine, "abilities"):
        return None
    if mine and other not in SUB_LEFT_OF[here][mine]:
        return f'{here}/{mine} may not include "{include}": {other} is not to its left'
    if not mine:
        return f'{here}/ may not include "{include}": it is in a sub-room'
    return None


class Check:
    def __init__(self, root: pathlib.Path):
        self.root = root
        self.source = root / "src"
        self.problems: list[str] = []

    def report(self, path: pathlib.Path, line: int, what: str):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {what}")

    def headers(self) -> list[pathlib.Path]:
        return sorted(self.source.glob("bloomery/**/*.hpp"))

    def includes(self):
        for path in sorted([*self.source.rglob("*.hpp"), *self.source.rglob("*.inl"),
                            *self.source.rglob("*.cpp")]):
            file = path.relative_to(self.source)
            if file.parts[0] == "bloomery" and room_of(file) not in LEFT_OF:
                self.report(path, 1, f"{room_of(file)} is not a room")
                continue
            subs = SUB_LEFT_OF.get(room_of(file), {})
            if sub_room_of(file) not in (None, *subs):
                self.report(path, 1, f"{room_of(file)}/{sub_room_of(file)} is not a room")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                wrong = found and wrong_include(file, found[1])
                if wrong:
                    self.report(path, number, wrong)
                if re.search(r"\bunordered_\w+", line):
                    self.report(path, number, "chosen keys flood an unordered container")

    def openings(self):
        for path in self.headers():
            if not re.match(r"(//.*\n)+#pragma once\n", path.read_text()):
                self.report(path, 1, "a header starts with a comment, then #pragma once")

    def formulas(self):
        kinds = {path.stem for path in self.source.glob("bloomery/filters/*/*.hpp")}
        for path in sorted(self.source.glob("bloomery/math/kinds/*")):
            if path.stem.removesuffix("_test") not in kinds:
                self.report(path, 1, "no header of a sub-room of filters has this name")

    def kinds(self):
        named = {}
        for registry in sorted(self.source.glob("bloomery/any/*kinds.hpp")):
            named |= self.kinds_of(registry)
        self.named_kinds(named)

    def named_kinds(self, named: dict[str, str]):
        """That no kind is named where an ability should be; `named` are the names by class."""
        if not named:
            return
        by_class = "|".join(named)
        by_name = "|".join(named.values())
        found = re.compile(rf'\b(?:{by_class})\b|(?<=[=!]= )"(?:{by_name})"|(?<=find_kind\()"(?:{by_name})"')
        for path in sorted([*self.source.glob("cli/*.?pp"),
                            *self.source.glob("bloomery/any/planner.?pp")]):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for kind in found.findall(re.sub(r"//.*", "", line)):
                    if kind not in ONE_KIND.get(path.name, ()):
                        self.report(path, number, f"names the kind {kind}: make it an ability")

    def kinds_of(self, registry: pathlib.Path) -> dict[str, str]:
        text = registry.read_text()
        lists = re.findall(r"using \w+_kinds = kind_list<(.*?)>;", text, re.S)
        if not lists:
            self.report(registry, 1, "no `using ..._kinds = kind_list<...>;`")
        named = {}
        headers = [self.source / i for i in re.findall(r'#include "(bloomery/filters/[^"]+)"', text)]
        for kind in re.findall(r"\w+", re.sub(r"//.*", "", " ".join(lists))):
            declares = re.compile(rf"^(using {kind} =|(class|struct) {kind}\b(?!;))", re.M)
            header = next((h for h in headers if h.exists() and declares.search(h.read_text())), None)
            if header is None:
                self.report(registry, 1, f"{kind} is declared in no header included here")
                continue
            include = f'#include "{header.relative_to(self.source)}"'
            if not any(include in t.read_text() for t in header.parent.glob("*_test.cpp")):
                self.report(header, 1, f"{kind} has no test beside it that includes it")
            names = re.findall(r'\.name = "([^"]+)"', header.read_text())
            if not names:
                self.report(header, 1, f"{kind} has no kind_info with a .name")
            for name in names:
                named[kind] = name
                if not (self.root / "docs" / "filters" / f"{name}.md").exists():
                    self.report(header, 1, f"{name} has no page docs/filters/{name}.md")
        return named

    def systems(self):
        room = self.source / "bloomery/apps/systems"
        registry = room / "registry.cpp"
        if not registry.exists():
            return
        listed = registry.read_text()
        entry = re.compile(r'const system_info (\w+)_system\{\s*\.id = "(\w+)",\s*\.name = "([^"]+)",'
                           r".*?\.where = pattern::(\w+),.*?\.run = (\w+)\}", re.S)
        for file in sorted(room.glob("*.cpp")):
            if file == registry or file.stem.endswith("_test"):
                continue
            found = entry.findall(file.read_text())
            if len(found) != 1 or {found[0][0], found[0][4]} != {file.stem}:
                self.report(file, 1, f"no entry {file.stem}_system with .id, .name, .where and .run "
                            "in order")
                continue
            _, id, name, pattern, _ = found[0]
            if len(re.findall(rf"\b{file.stem}_system\b", listed)) != 2:
                self.report(registry, 1, f"{file.stem}_system is not declared and listed here")
            if not file.with_name(f"{file.stem}_test.cpp").exists():
                self.report(file, 1, f"{id} has no test {file.stem}_test.cpp")
            page = self.root / "docs" / "systems" / f"{pattern}.md"
            if not page.exists() or f"\n### {id}: {name}\n" not in page.read_text():
                self.report(file, 1, f"{id} has no paragraph '### {id}: {name}' in "
                            f"docs/systems/{pattern}.md")

    def includes_first(self, header: pathlib.Path) -> bool:
        """Whether the source beside a header includes it before anything: the build compiles it then."""
        beside = header.with_suffix(".cpp")
        if not beside.exists():
            return False
        first = next((x for x in beside.read_text().splitlines() if x.startswith("#include")), "")
        return first == f'#include "{header.relative_to(self.source)}"'

    def compile(self):
        compiler = os.environ.get("CXX", "c++")

        def can_be(path: pathlib.Path) -> bool:
            """Of a plug-in: whether the headers of its host are there."""
            if room_of(path.relative_to(self.source)) != "plugins":
                return True
            wanted = re.findall(r"^#include <(\w+/[^>]+)>", path.read_text(), re.M)
            text = "".join(f"#if !__has_include(<{x}>)\n#error\n#endif\n" for x in wanted)
            return subprocess.run([compiler, "-E", "-xc++", "-"], input=text, text=True,
                                  capture_output=True).returncode == 0

        headers = [path for path in self.headers() if not self.includes_first(path) and can_be(path)]

        def alone(path: pathlib.Path) -> str | None:
            done = subprocess.run(
                [compiler, "-std=c++20", "-fsyntax-only", f"-I{self.source}",
                 f"-I{self.root / 'tests'}", "-xc++", "-"],
                input=f'#include "{path.relative_to(self.source)}"\n', text=True,
                capture_output=True)
            return done.stderr if done.returncode else None

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for path, errors in zip(headers, pool.map(alone, headers)):
                if errors:
                    first = next((x for x in errors.splitlines() if "error" in x), errors)
                    self.report(path, 1, f"does not compile by itself: {first}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="compile each header by itself")
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    check = Check(arguments.root)
    check.includes()
    check.openings()
    check.formulas()
    check.kinds()
    check.systems()
    if arguments.compile:
        check.compile()
    print("\n".join(check.problems), end="\n" if check.problems else "")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
