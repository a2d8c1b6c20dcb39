"""SPIN with a filter of this library as its visited set: the steps of the page, and the experiment."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tool import SOURCE, TOOL

BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
MODEL = """byte a, b, c, d;
active proctype count() {
  do
  :: a = (a + 1) % 9
  :: b = (b + 1) % 9
  :: c = (c + 1) % 9
  :: d = (d + 1) % 9
  od
}
"""


def cached(name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


class Spin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_here(self, *command, **environment) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, **environment})

    def test_the_steps_of_the_page_search_every_state(self):
        steps = re.search(r"^## SPIN.*?^```sh\n(.*?)^```", (SOURCE / "docs/plugins.md").read_text(),
                          re.M | re.S)[1]
        (self.folder / "model.pml").write_text(MODEL)
        # What is installed as a package is this build here.
        sanitize = cached("BLOOMERY_SANITIZE")
        flags = f"-I{SOURCE / 'src'} {BUILD / 'libbloomery.a'} {cached('HIGHWAYHASH_LIBRARY')}"
        if sanitize:
            flags += f" -fsanitize={sanitize}"
        pkg_config = self.folder / "bin" / "pkg-config"
        pkg_config.parent.mkdir()
        pkg_config.write_text(f"#!/bin/sh\nset -- $1 {flags}\n"
                              'if [ "$1" = --cflags ]; then echo "$2"; else shift 2; echo "$@"; fi\n')
        pkg_config.chmod(0o755)
        done = self.run_here("bash", "-euc", steps, PATH=f"{pkg_config.parent}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"   {9 ** 4} states, stored", done.stdout)
        # With hardly a bit a state it leaves out many, and other hashes leave out others.
        stored = {re.search(r"(\d+) states, stored", self.run_here("./pan", "-w13", "-k2", f"-h{h}").stdout)[1]
                  for h in (1, 2, 3)}
        self.assertGreater(len(stored), 1)
        self.assertLess(max(map(int, stored)), 9 ** 4)
        refused = self.run_here("./pan", "-w20", "-k99")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("bloomery: hashes is 99; allowed: 1 to 64", refused.stderr)

    def test_the_experiment(self):
        done = self.run_here(TOOL, "lab", "O6", "--set", "counters=5", "--set", "log2_bits=17")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("SPIN's own bits", done.stdout)

    def test_without_spin_it_says_which_package_has_it(self):
        commands = self.folder / "few"
        commands.mkdir()
        (commands / "tee").symlink_to("/usr/bin/tee")
        done = self.run_here(TOOL, "lab", "O6", PATH=str(commands))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, 'there is no program "?.?spin')
        self.assertIn("spin gcc g++", done.stderr)


if __name__ == "__main__":
    unittest.main()
