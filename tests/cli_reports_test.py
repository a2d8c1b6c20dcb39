"""The tool as a person uses it: kinds, info, rate and progress."""
import json
import os
import pty
import subprocess
import time
import unittest

from tool import GOLDEN, PATIENCE, TOOL, Tool, lines


class Reports(Tool):
    def test_kinds(self):
        for kind in json.loads(self.run_tool("kinds", "--json")):
            text = self.run_tool("kinds", kind["name"]).decode()
            for field in kind["fields"]:
                self.assertIn(field["name"], text)
        self.refused("kinds", "unkind", says="not a kind")

    def test_kinds_is_a_table_of_traits(self):
        described = json.loads(self.run_tool("kinds", "--json"))
        rows = {line.split()[0]: line.split()[1] for line in
                self.run_tool("kinds").decode().partition("\n\n")[0].splitlines() if line[0] != " "}
        letters = rows.pop("kind")
        self.assertEqual(set(rows), {kind["name"] for kind in described})
        traits = {"A": "inserts", "R": "deletion", "C": "counting", "V": "values", "U": "merges",
                  "G": "grows", "F": "window", "W": "popularity", "M": "false_negatives"}
        self.assertEqual(letters, "".join(traits))
        for kind in described:
            self.assertEqual(rows[kind["name"]], "".join(
                letter if kind[trait] else "." for letter, trait in traits.items()), kind["name"])

    def test_reports_fit_the_page(self):
        """80 columns of whatever kind, however long its shape, name or interval."""
        reports = [["kinds"], ["rate", "--bits", "255", "--keys", "40", "--hashes", "11", "--with", "30",
                               "--common", "7", "--counters", "3"],
                   ["rate", "--bits", "123456789504", "--keys", "9876543210", "--hashes", "7", "--kind", "blocked"],
                   ["rate", "--bits", "123456789950", "--keys", "9876543210", "--hashes", "13", "--with",
                    "9876543219", "--counters", "4"]]
        for kind in json.loads(self.run_tool("kinds", "--json")):
            reports.append(["kinds", kind["name"]])
            golden = GOLDEN / f"{kind['name']}.bloom"
            if golden.exists():
                reports += [["info", golden], ["doctor", golden, "--fpr", "1%"]]
        self.assertGreater(len(reports), 100)
        for report in reports:
            with self.subTest(report=report):
                text = self.run_tool(*report, status=None, notes=None).decode()
                self.assertTrue(text)
                self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_info_of_an_overfull_filter(self):
        self.run_tool("build", "--set", "bits=64", "--set", "hashes=4", "-o", "f",
                      stdin=lines(0, 1000))
        info = self.info("f")
        self.assertTrue(info["estimated_keys"]["saturated"])
        self.assertIsNone(info["estimated_keys"]["value"])
        self.assertIn(b"saturated: at least", self.run_tool("info", "f"))

    def test_rate_bounds_only_what_the_bounds_are_of(self):
        asked = ["rate", "--bits", "82944", "--keys", "10000", "--hashes", "6", "--kind"]
        plain = json.loads(self.run_tool(*asked, "standard", "--json"))
        self.assertGreaterEqual(plain["bounds"]["mcdiarmid_rate"], plain["rate"])
        self.assertIn(b"McDiarmid", self.run_tool(*asked, "standard"))
        for kind in ["blocked", "partitioned"]:
            self.assertNotIn("bounds", json.loads(self.run_tool(*asked, kind, "--json")))
            told = self.run_tool(*asked, kind)
            for bound in [b"McDiarmid", b"Azuma", b"Bose et al.  "]:
                self.assertNotIn(bound, told)

    def test_progress_is_for_terminals_only(self):
        main, side = pty.openpty()
        with subprocess.Popen([TOOL, "build", "--keys", "10k", "-o", "f"], stdin=subprocess.PIPE,
                              stderr=side, cwd=self.folder) as build:
            os.close(side)
            for _ in range(4):
                build.stdin.write(lines(0, 100))
                build.stdin.flush()
                time.sleep(0.15)
            build.stdin.close()
            self.assertEqual(build.wait(PATIENCE), 0)
        shown = os.read(main, 65536)
        os.close(main)
        self.assertIn(b"keys,", shown)
        self.assertTrue(shown.split(b"\r\x1b[K")[-1].startswith(b"wrote f: "), shown)


if __name__ == "__main__":
    unittest.main()
