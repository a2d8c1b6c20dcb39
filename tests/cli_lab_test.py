"""The tool as a person uses it: systems and lab."""
import json
import os
import pathlib
import random
import subprocess
import unittest

from tool import TOOL, Tool


def trace(jumps: bool) -> bytes:
    """As lackey writes it: 300 branches that always or never jump, if at all."""
    chance = random.Random(1)
    text = ""
    for _ in range(3000):
        at = 0x1000 + 16 * chance.randrange(300)
        to = at + 4096 if jumps and at // 16 % 2 else at + 4
        text += f"I  {at:x},4\n L {64 * chance.randrange(2000):x},8\nI  {to:x},4\n"
    return text.encode()


class Lab(Tool):
    def systems(self):
        return json.loads(self.run_tool("systems", "--json"))

    def test_systems_are_listed_and_described(self):
        systems = self.systems()
        ids = [system["id"] for system in systems]
        self.assertEqual(len(ids), len(set(ids)))
        listed = self.run_tool("systems").decode()
        for system in systems:
            with self.subTest(system["id"]):
                self.assertIn(f"\n{system['id']} ", listed)
                told = self.run_tool("systems", system["id"].lower()).decode()
                self.assertIn(system["name"], told)
                self.assertIn(f"bloomery lab {system['id']}", told)
                self.assertEqual(json.loads(self.run_tool("systems", "--json", system["id"])), system)
                needs = self.run_tool("systems", "--needs", system["id"]).decode().split()
                self.assertEqual(needs, system["needs"].split())
                for text in [listed, told]:
                    self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))

    def test_ns3_moves_the_hosts_where_it_is_installed(self):
        if not os.environ.get("BLOOMERY_FULL"):
            self.skipTest("--full: needs ns-3, which is large")
        found = json.loads(self.run_tool("lab", "R2", "--json", "--set", "world=ns3", "--set", "rounds=20"))
        self.assertEqual([never["times"] for never in found["nevers"]], [0, 0])
        moved = next(f for f in found["figures"] if f["what"].startswith("hosts in another square"))
        self.assertGreater(moved["measured"], 0.05)

    def test_a_world_that_there_is_not_is_refused(self):
        done = subprocess.run([TOOL, "lab", "R2", "--set", "world=moon"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'moon' is no world; allowed: lab, ns3", done.stderr)

    def test_every_verb_that_a_system_names_is_one(self):
        verbs = self.run_tool("--help").decode()
        for system in self.systems():
            if system["verb"]:
                self.assertIn(f"\n  {system['verb'].split()[0]} ", verbs, system["id"])

    def test_an_experiment_tells_what_it_measured(self):
        told = self.run_tool("lab", "O1", "--set", "frames=50").decode()
        self.assertIn("never  a device that was meant slept on: 0 of 500\n", told)
        self.assertTrue(told.endswith("  as promised\n"))
        report = json.loads(self.run_tool("lab", "o1", "--json", "--set", "frames=50"))
        self.assertEqual(report["id"], "O1")
        self.assertTrue(report["as_promised"])
        figure = report["figures"][0]
        self.assertLess(figure["predicted"]["low"], figure["measured"])
        self.assertGreater(figure["predicted"]["high"], figure["measured"])
        again = json.loads(self.run_tool("lab", "O1", "--json", "--set", "frames=50"))
        self.assertEqual(report, again)
        other = json.loads(self.run_tool("lab", "O1", "--json", "--set", "frames=50", "--seed", "2"))
        self.assertNotEqual(report["figures"], other["figures"])

    def test_several_at_once(self):
        reports = json.loads(self.run_tool("lab", "O1", "N11", "--json"))
        self.assertEqual([report["id"] for report in reports], ["O1", "N11"])
        self.refused("lab", "O1", "N11", "--set", "frames=50", says="one system at a time")

    def test_a_figure_that_is_off_is_told_and_exits_1(self):
        self.write("trace", trace(jumps=True))
        told = self.run_tool("lab", "O4", "--set", "trace=trace", "--set",
                             "counters=4", status=1).decode()
        self.assertIn(": OFF ", told)
        self.assertTrue(told.endswith("  NOT as promised\n"))

    def test_what_a_trace_lacks_is_noted(self):
        self.write("trace", trace(jumps=False))
        told = self.run_tool("lab", "O4", "--set", "trace=trace").decode()
        self.assertIn("The trace has nothing for: branches.", " ".join(told.split()))

    def test_pictures(self):
        for system in ["O1", "D7"]:
            self.run_tool("lab", system, "--plot", "picture.svg")
            self.assertIn(b"</svg>", self.bytes_of("picture.svg"))

    def test_what_cannot_be_run_is_refused(self):
        self.refused("lab", "O99", says="no system")
        self.refused("lab", says="required")
        self.refused("lab", "O1", "--set", "frames", says="NAME=VALUE")
        self.refused("lab", "O1", "--set", "frame=1", says="did you mean 'frames'?")
        self.refused("lab", "O1", "--set", "frames=many", says="frames")
        self.refused("lab", "D7", "--set", "names=nobody", says="wamerican")
        self.refused("lab", "O4", "--set", "trace=/dev/null/x", says="valgrind")
        self.write("words", b"\x00\xff not a trace\n")
        self.refused("lab", "O4", "--set", "trace=words", says="line 1")
        # A program that is not there, and one that fails.
        done = subprocess.run([TOOL, "lab", "O4"], capture_output=True, text=True,
                              env={**os.environ, "PATH": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("valgrind", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_nothing_is_left_behind(self):
        folder = self.folder / "tmp"
        folder.mkdir()
        environment = {**os.environ, "TMPDIR": str(folder)}
        subprocess.run([TOOL, "lab", "O1", "--set", "frames=5"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_all_systems_keep_their_promise(self):
        """At default size, as a person runs them; what needs other programs only with --full."""
        if "BLOOMERY_FULL" not in os.environ:
            self.skipTest("--full: some experiments need programs of other packages")
        for system in self.systems():
            with self.subTest(system["id"]):
                report = json.loads(self.run_tool("lab", "--json", system["id"]))
                self.assertTrue(report["as_promised"], report)


if __name__ == "__main__":
    unittest.main()
