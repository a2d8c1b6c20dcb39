"""The tool as a person uses it: build --weights."""
import json
import unittest

from tool import Tool, fewest_of, lowest_rate


class Weights(Tool):
    def test_popular_keys_err_less(self):
        """Half of 100,000 listed keys are members; the first tenth gets nine tenths of the questions."""
        keys = b"".join(b"%d\n" % i for i in range(0, 100_000, 2))
        (self.folder / "weights").write_bytes(
            b"".join(b"%d\t%d\t50%%\n" % (i, 81 if i < 10_000 else 1) for i in range(100_000)))
        self.run_tool("build", "--kind", "weighted", "--weights", "weights", "-o", "w", stdin=keys)
        self.assertEqual(self.run_tool("query", "-c", "w", stdin=keys), b"50000\n")
        hot = b"".join(b"%d\n" % i for i in range(1, 10_000, 2))
        cold = b"".join(b"%d\n" % i for i in range(10_001, 100_000, 2))
        hot_claimed = int(self.run_tool("query", "-c", "w", stdin=hot, status=None))
        cold_claimed = int(self.run_tool("query", "-c", "w", stdin=cold, status=None))
        self.assertLess(hot_claimed, fewest_of(5000, lowest_rate(45_000, cold_claimed)))
        self.refused("build", "--weights", "weights", "-o", "x", stdin=keys, says="takes no weights")

    def test_the_rate_asked_for_is_that_of_the_questions_listed(self):
        keys = b"".join(b"%d\n" % i for i in range(0, 10_000, 2))
        (self.folder / "weights").write_bytes(
            b"".join(b"%d\t%d\t50%%\n" % (i, 81 if i < 1000 else 1) for i in range(10_000)))
        for kind in ("weighted", "popularity"):
            build = ["build", "--kind", kind, "--weights", "weights", "-o", "w"]
            told = json.loads(self.run_tool(*build, "--json", stdin=keys))
            self.assertTrue(told["weights"]["used"])
            self.assertLessEqual(told["weights"]["listed_rate"], .01)
            self.assertGreater(told["weights"]["other_rate"], .01)
            self.assertEqual(told["promised"]["rate"], told["weights"]["other_rate"])
            self.assertIn(b"questions listed: 0.9", self.run_tool(*build, stdin=keys))
            for setting in ("bits=1000", "hashes=2"):
                self.refused(*build, "--set", setting, stdin=keys, says="the rate would be")

    def test_weights_that_make_no_sense_are_refused_by_line(self):
        build = ["build", "--kind", "popularity", "--weights", "weights", "-o", "w"]
        for line in [b"b\t1e308", b"b\t-1", b"b\tnan", b"b\t1\t.5\t3", b"b\t1\t", b"b\t", b"b",
                     b"b\t1\t2", b"b\t1\tx"]:
            self.write("weights", b"a\t1\t.5\n" + line + b"\nc\t1\n")
            told = self.refused(*build, stdin=b"a\nb\n", says="--weights, line 2: ")
            self.assertIn("QUERIES from 0 to 1e+100 and MEMBERSHIP from 0 to 1", told)
        self.write("weights", b"a\t1e100\nb\t1e100\n")
        self.run_tool(*build, "--json", stdin=b"a\nb\n")

    def test_weights_that_bring_nothing_are_reported(self):
        keys = b"".join(b"%d\n" % i for i in range(1000))
        (self.folder / "weights").write_bytes(b"".join(b"%d\t%d\n" % (i, i) for i in range(1000)))
        build = ["build", "--kind", "popularity", "--weights", "weights", "-o", "w"]
        self.assertIn(b"weights change nothing", self.run_tool(*build, stdin=keys))
        told = json.loads(self.run_tool(*build, "--json", stdin=keys))["weights"]
        self.assertFalse(told["used"])
        self.assertEqual(told["listed_rate"], told["other_rate"])
        self.refused(*build, "--set", "bits=1000", stdin=keys, says="the rate would be")


if __name__ == "__main__":
    unittest.main()
