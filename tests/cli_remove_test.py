"""The tool as a person uses it: remove and plain."""
import json
import unittest

from tool import Tool, fewest_of, lines, most_of


class Remove(Tool):
    """remove and plain."""

    def test_remove_takes_back_what_was_added(self):
        for kind in self.kinds_that("deletion", "inserts", "queries"):
            if self.info_of_kind(kind)["window"] or self.info_of_kind(kind)["false_negatives"]:
                continue
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "1000", "-o", "f",
                              stdin=lines(0, 1000))
                report = json.loads(self.run_tool("remove", "--json", "f", stdin=lines(0, 500),
                                                  status=None, notes=None))
                self.assertEqual(report["asked"], 500)
                self.assertEqual(report["removed"] + len(report["not_removed"]), 500)
                # A deletable filter is planned to let nine of ten go, the others all.
                self.assertGreaterEqual(report["removed"], fewest_of(500, .9))
                self.assertEqual(report["filter"]["items"], 1000 - report["removed"])
                kept = self.run_tool("query", "f", stdin=lines(500, 1000))
                self.assertEqual(kept, lines(500, 1000))
                left = json.loads(self.run_tool("query", "--json", "f", stdin=lines(0, 500),
                                                status=None))["present"]
                self.assertLessEqual(left - len(report["not_removed"]), most_of(500, .01))

    def test_remove_refuses_and_changes_nothing(self):
        self.run_tool("build", "-o", "f", "--kind", "standard", stdin=lines(0, 100))
        before = self.bytes_of("f")
        self.refused("remove", "f", "key 1", says="standard filter cannot remove keys")
        self.assertEqual(self.bytes_of("f"), before)
        self.run_tool("build", "-o", "c", "--kind", "counting", "--keys", "100", stdin=lines(0, 100))
        before = self.bytes_of("c")
        self.run_tool("remove", "c", "never added", status=1,
                      notes=b"bloomery: 1 of 1 keys were not removed: 'never added'\n")
        self.assertEqual(self.bytes_of("c"), before)

    def test_rows_are_given_back(self):
        """Ten rows of a hundred keys each, of which every row keeps some: rows shrink as far as they can."""
        self.run_tool("build", "--kind", "dynamic", "--keys", "100", "-o", "f", stdin=lines(0, 100))
        self.run_tool("add", "f", stdin=lines(100, 1000), notes=None)
        leaving = b"".join(lines(100 * row, 100 * row + 70) for row in range(10))
        self.run_tool("remove", "f", stdin=leaving, notes=None, status=1)  # where rows share a key, it stays
        before = len(self.bytes_of("f"))
        self.run_tool("remove", "--compact", "f", stdin=lines(70, 80), notes=None)
        self.assertLess(len(self.bytes_of("f")), before)
        for row in range(1, 10):
            kept = lines(100 * row + 70, 100 * row + 100)
            self.assertEqual(self.run_tool("query", "f", stdin=kept), kept)
        self.run_tool("build", "--kind", "counting", "--keys", "100", "-o", "c", stdin=lines(0, 9))
        self.refused("remove", "--compact", "c", "key 1", says="has no room to give back")

    def test_remove_names_what_stays(self):
        self.run_tool("build", "--kind", "deletable", "--keys", "1000", "-o", "f",
                      stdin=lines(0, 1000))
        done = self.ended("remove", "f", "--json", stdin=lines(0, 1000))
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.stdout)
        stayed = report["not_removed"]
        self.assertEqual(report["removed"], 1000 - len(stayed))
        self.assertGreater(len(stayed), 10)
        self.assertIn(f"{len(stayed)} of 1,000 keys were not removed: '{stayed[0]}',".encode(),
                      done.stderr)
        self.assertIn(f"and {len(stayed) - 10} more; --json names them\n".encode(), done.stderr)
        there = self.run_tool("query", "f", stdin=lines(0, 1000)).decode().splitlines()
        self.assertLessEqual(set(stayed), set(there))

    def test_remove_says_that_a_key_stays_whose_counters_are_full(self):
        for kind in ["counting", "blocked-counting", "dleft", "dynamic"]:
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "100", "-o", "f",
                              stdin=20 * b"x\n" + b"y\n")
                told = json.loads(self.run_tool("count", "--json", "f", "x", notes=None))
                self.assertTrue(told["counts"][0]["at_least"])
                self.run_tool("remove", "f", "x", status=1, notes=(
                    b"bloomery: 1 of 1 keys stay, because their counters are full and have lost "
                    b"count: 'x'\n"))
                told = json.loads(self.run_tool("remove", "--json", "f", "x", "y", status=1, notes=None))
                self.assertEqual((told["removed"], told["not_removed"]), (1, ["x"]))
                self.assertEqual(self.run_tool("query", "f", "x"), b"x\n")

    def test_plain_is_the_standard_filter_of_the_live_keys(self):
        self.run_tool("build", "--kind", "counting", "--keys", "1000", "-o", "c",
                      stdin=lines(0, 1000))
        self.run_tool("remove", "c", stdin=lines(0, 400))
        self.run_tool("plain", "c", "-o", "p")
        info = self.info("p")
        self.assertEqual((info["kind"], info["items"]), ("standard", 600))
        shape = [f"--set={name}={value}" for name, value in info["shape"].items()]
        self.run_tool("build", "--kind", "standard", *shape, "-o", "s", stdin=lines(400, 1000))
        self.assertEqual(self.run_tool("query", "p", stdin=lines(0, 5000)),
                         self.run_tool("query", "s", stdin=lines(0, 5000)))
        self.refused("plain", "s", "-o", "x", says="cannot be reduced")

    def test_what_was_removed_from_two_filters_is_not_taken_back(self):
        self.run_tool("build", "--kind", "two-filter", "--keys", "100", "-o", "f", stdin=lines(0, 50))
        self.run_tool("remove", "f", "key 1", "key 2")
        note = (b"bloomery: 2 of 3 keys were not added: once removed, a key cannot come back: 'key 1', "
                b"'key 2'\n")
        self.run_tool("add", "f", "key 1", "key 2", "key 77", notes=note)
        told = json.loads(self.run_tool("add", "f", "--json", stdin=b"key 2\nkey 78\n", notes=None))
        self.assertEqual(told["not_taken"], ["key 2"])
        self.run_tool("add", "f", "key 1", status=1, notes=None)
        self.assertEqual(self.run_tool("query", "f", "key 1", "key 77", "key 78"), b"key 77\nkey 78\n")


if __name__ == "__main__":
    unittest.main()
