"""Filters inside real stores: the examples of the pages and of the plug-ins' headers, and the experiment on
stores, as a user runs them. LevelDB is small and always there; RocksDB is for --full."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tool import SOURCE, TOOL

BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
CACHE = (BUILD / "CMakeCache.txt").read_text()


def cached(name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", CACHE, re.M)
    return found[1] if found else ""


class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_here(self, *command, status=0, stdin="") -> subprocess.CompletedProcess:
        done = subprocess.run([str(word) for word in command], cwd=self.folder, input=stdin, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, status, (command, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def compile(self, *arguments, stdin=""):
        sanitize = [f"-fsanitize={x}" for x in [cached("BLOOMERY_SANITIZE")] if x]
        self.run_here(cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-Wall", "-Wextra", "-Werror",
                      *sanitize, f"-I{SOURCE / 'src'}", *arguments, stdin=stdin)

    def check_store(self, store: str, printed: str):
        example = SOURCE / "examples" / store / "main.cpp"
        self.assertIn(f"```c++\n{example.read_text()}```", (SOURCE / "docs" / "plugins.md").read_text())
        self.compile(example, BUILD / "libbloomery.a", cached("HIGHWAYHASH_LIBRARY"), f"-l{store}",
                     "-o", "example")
        self.assertRegex(self.run_here("./example", "database").stdout, printed)

        header = (SOURCE / "src/bloomery/plugins" / f"{store}.hpp").read_text()
        opening = header.partition("#pragma once")[0]
        lines = re.findall(r"^//     (.*)$", opening.rpartition("\n//\n")[2], re.M)
        self.assertGreater(len(lines), 2)
        self.compile("-fsyntax-only", "-Wno-unused", "-xc++", "-", stdin="\n".join([
            f"#include <{store}/options.h>", f'#include "bloomery/plugins/{store}.hpp"', "int main() {",
            *lines, "}"]))

        found = json.loads(self.run_here(TOOL, "lab", "D3", "--json", "--set", f"store={store}", "--set",
                                         "rows=5k", "--set", "questions=10k").stdout)
        self.assertEqual([never["times"] for never in found["nevers"]], [0] * len(found["nevers"]))
        asked = next(f for f in found["figures"] if f["what"].startswith("filters asked"))
        self.assertGreater(asked["measured"], 3.9)
        bits = next(f for f in found["figures"] if f["what"] == "bits a key")
        self.assertLess(bits["measured"], bits["rivals"]["the store's own filter"])

    def test_leveldb(self):
        self.check_store("leveldb", r"^bloomery\.1\.ribbon\.0\.01: 100000 found\n$")

    def test_rocksdb(self):
        if not os.environ.get("BLOOMERY_FULL"):
            self.skipTest("--full: needs RocksDB, which is large")
        self.check_store("rocksdb", r": 2 columns in [1-9] of 20 tables\n$")

    def test_small_blocks_and_many_tables_are_as_predicted_too(self):
        self.run_here(TOOL, "lab", "D3", "--set", "store=leveldb", "--set", "block=4k", "--set",
                      "kind=golomb", "--set", "tables=9", "--set", "rows=2k", "--set", "questions=5k")

    def test_a_store_that_is_not_there_is_named_with_its_package(self):
        shutil.copy(TOOL, self.folder / "bloomery")
        done = self.run_here("./bloomery", "lab", "D3", "--set", "store=leveldb", status=2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"D3: this build has no leveldb: install libleveldb-dev")
        (self.folder / "store_leveldb.so").write_text("no module")
        done = self.run_here("./bloomery", "lab", "D3", "--set", "store=leveldb", status=2)
        self.assertIn("store_leveldb.so", done.stderr)

    def test_the_tool_itself_needs_no_store(self):
        self.assertNotRegex(self.run_here("ldd", TOOL).stdout, "leveldb|rocksdb|ns3")


if __name__ == "__main__":
    unittest.main()
