"""The tool as a person uses it: count and top."""
import collections
import json
import random
import unittest

from tool import Tool, lines


class Count(Tool):
    """count and top."""

    def test_count(self):
        for kind in self.kinds_that("counting", "inserts", "queries"):
            if self.info_of_kind(kind)["window"] or kind in ["space-code", "adaptive"]:
                continue  # these estimate
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "200", "--fpr", "0.01%", "-o", "f",
                              stdin=lines(0, 100) + 2 * lines(0, 10))
                told = self.run_tool("count", "f", "key 3", "key 50", "stranger", notes=None)
                self.assertEqual(told, b"3\tkey 3\n1\tkey 50\n0\tstranger\n")
                self.run_tool("count", "f", "stranger", status=1)
                report = json.loads(self.run_tool("count", "f", "--json", "key 3"))
                full = kind == "dleft"  # whose counters, as planned, end at 3
                self.assertEqual(report["counts"],
                                 [{"key": "key 3", "count": 3, "at_least": full}])
                best = self.run_tool("top", "-n", "10", "f", "-", stdin=lines(0, 100), notes=None)
                self.assertEqual(sorted(best), sorted(b"".join(
                    b"3\t" + line + b"\n" for line in lines(0, 10).splitlines())))
        self.run_tool("build", "--kind", "adaptive", "--keys", "100", "-o", "f",
                      stdin=3 * lines(0, 100), notes=None)  # each occurrence takes room
        report = json.loads(self.run_tool("count", "f", "--json", stdin=lines(0, 100)))
        self.assertTrue(all(3 <= each["count"] < 30 for each in report["counts"]))
        self.run_tool("build", "-o", "s", "--kind", "standard", stdin=lines(0, 10))
        self.refused("count", "s", "key 1", says="does not count")
        self.refused("top", "s", says="remembers no keys")

    def test_lines_above_a_share_are_those_of_sort_and_uniq(self):
        chance = random.Random(7)
        keys = [b"key %d" % min(int(chance.paretovariate(0.7)), 10**6) for _ in range(30000)]
        self.write("log", b"".join(key + b"\n" for key in keys))
        counted = collections.Counter(keys)
        for share, part in [("10%", 0.1), ("1%", 0.01), ("0.1%", 0.001), ("0.01%", 0.0001)]:
            expected = sorted(((-n, key) for key, n in counted.items() if n / len(keys) >= part))
            text = b"".join(b"%d\t%s\n" % (-n, key) for n, key in expected)
            self.assertEqual(self.run_tool("top", "--above", share, "log"), text)
            piped = self.bytes_of("log")  # a pipe cannot be read twice
            self.assertEqual(self.run_tool("top", "--above", share, stdin=piped), text)
            self.assertEqual(self.run_tool("top", "-n", "2", "--above", share, "log"),
                             b"".join(text.splitlines(True)[:2]))
        report = json.loads(self.run_tool("top", "--above", "1%", "--json", "log"))
        self.assertEqual((report["items"], report["least"]), (30000, 300))
        self.assertGreaterEqual(report["candidates"], len(report["top"]))
        self.run_tool("top", "--above", "1%", stdin=b"", status=1)
        self.refused("top", "--above", "0", "log", says="above 0")
        self.refused("top", "--above", "2", "log", says="share")
        self.refused("top", "--above", "1%", "nowhere", says="nowhere")
        self.refused("top", "--above", "1%", "--share", "1%", "log", says="--share")
        self.refused("top", says="FILTER")

    def test_counts_of_a_stated_error(self):
        """A sketch of 0.1 % and 1 % is 2,719 by 5, whatever comes, and takes keys back."""
        many = lines(0, 5000) + b"hot\n" * 400
        self.run_tool("build", "--kind", "count-min", "--error", "0.1%", "-o", "f", stdin=many)
        info = self.info("f")
        self.assertEqual((info["shape"]["width"], info["shape"]["depth"]), (2719, 5))
        self.assertIsNone(info["promised"])
        told = int(self.run_tool("count", "f", "hot").split()[0])
        self.assertTrue(400 <= told <= 400 + 5400 // 1000, told)
        self.run_tool("remove", "f", stdin=b"hot\n" * 400)
        self.assertLess(int(self.run_tool("count", "f", "hot", status=None).split()[0]), 6)
        self.refused("build", "--kind", "counting", "--error", "1%", "-o", "g", stdin=many,
                     says="is not sized by the error")
        self.run_tool("build", "--kind", "count-min", "--error", "1%", "--confidence", "90%",
                      "--set", "top=5", "-o", "g", stdin=many)
        self.assertEqual(self.info("g")["shape"]["depth"], 3)
        best = self.run_tool("top", "--share", "5%", "g")
        self.assertEqual([line.split(b"\t")[1] for line in best.splitlines()], [b"hot"])
        self.run_tool("top", "--share", "50%", "g", status=1)

    def test_likeliest_counts(self):
        keys = b"".join(b"flow %d\n" % flow for flow in range(50) for _ in range(flow + 1))
        self.run_tool("build", "--kind", "space-code", "--keys", "2000", "--fpr", "0.1%", "-o", "f",
                      stdin=keys)
        told = {}
        for option in [[], ["--likeliest"]]:
            counts = json.loads(self.run_tool("count", "f", "--json", *option, notes=None,
                                              stdin=b"".join(b"flow %d\n" % i for i in range(50))))
            told[len(option)] = [each["count"] for each in counts["counts"]]
        self.assertNotEqual(told[0], told[1])
        self.assertTrue(all(1 <= one <= 400 for one in told[1]), told[1])
        self.assertEqual(told[1][0], 1)
        self.run_tool("count", "f", "--likeliest", "stranger", status=1)
        self.run_tool("build", "--kind", "counting", "--keys", "100", "-o", "c", stdin=lines(0, 9))
        self.refused("count", "--likeliest", "c", "key 1", says="kinds with two: space-code")

    def test_inner_products(self):
        """A join of 30 and 50 times one key, and of twenty others once each."""
        for name, times in [("one", 30), ("two", 50)]:
            self.run_tool("build", "--kind", "count-min", "--error", "0.01%", "-o", name,
                          stdin=b"both\n" * times + lines(0, 20))
        found = json.loads(self.run_tool("estimate", "one", "two", "--json"))["inner_product"]
        self.assertEqual(found["value"], 30 * 50 + 20)
        self.assertEqual(found["high"], found["value"])
        self.assertLess(found["low"], found["value"])

    def test_ranges_of_numbers(self):
        """The squares from 1 to a million, in sketches so large that all counts of these are right."""
        squares = b"".join(b"%d\n" % (i * i) for i in range(1, 1001))
        for kind in "count-min", "counting", "spectral":
            with self.subTest(kind=kind):
                self.run_tool("build", "--kind", kind, "--ranges", "20", "--keys", "1000", "--fpr", "1e-6",
                              "-o", "r", stdin=squares)
                asked = ["0..9999", "1000000", "3", "0..1048575", "2..3"]
                ranges = [word for text in asked for word in ("--range", text)]
                told = json.loads(self.run_tool("count", "r", "--ranges", "20", "--json", *ranges, notes=None))
                self.assertEqual([each["key"] for each in told["counts"]], asked)
                self.assertEqual(told["present"], 3)
                if kind != "counting":  # of four bits: large ranges are full, and say so
                    self.assertEqual([each["count"] for each in told["counts"]], [99, 1, 0, 1000, 0])
                else:
                    self.assertTrue(told["counts"][0]["at_least"])
        self.assertEqual(self.run_tool("count", "r", "--ranges", "20", "--range", "4..9"), b"2\t4..9\n")
        self.run_tool("count", "r", "--ranges", "20", "--range", "2..3", status=1)
        self.refused("count", "r", "--ranges", "20", "--range", "9..4", says="begins at 9")
        self.refused("count", "r", "--ranges", "20", "--range", "0..1048576", says="allowed: 0 to 1048575")
        self.refused("count", "r", "--ranges", "20", "--range", "1..x", says="not a whole number")
        self.run_tool("build", "--kind", "count-min", "--keys", "9", "-o", "plain", stdin=b"1\n2\n")
        self.refused("count", "plain", "--range", "1..2", says="needs --ranges")
        for bits in "1", "2", "20":
            self.refused("count", "plain", "--ranges", bits, "--range", "1", says="was not built")
        self.refused("count", "r", "--ranges", "19", "--range", "1", says="was not built")
        build = ["build", "--kind", "count-min", "--ranges", "8", "-o", "no"]
        self.refused(*build, stdin=b"1\n", says="needs --keys")
        self.refused(*build, "--keys", "9", stdin=b"256\n", says="allowed: 0 to 255")
        self.refused(*build, "--keys", "9", stdin=b"-1\n", says="not a whole number")
        self.refused(*build, "--keys", "9", "--seed", "7", stdin=b"1\n", says="are not hashed")
        self.refused("build", "--ranges", "8", "--keys", "9", "-o", "no", stdin=b"1\n", says="does not count")

    def test_no_total_becomes_negative(self):
        self.run_tool("build", "--kind", "count-min", "--keys", "100", "-o", "f", stdin=b"a\na\nb\n")
        self.run_tool("remove", "f", "a", "a", "a", status=1, notes=None)
        self.assertEqual(self.run_tool("count", "f", "a", "b", notes=None), b"0\ta\n1\tb\n")
        before = self.bytes_of("f")
        left = json.loads(self.run_tool("remove", "f", "a", "stranger", "--json", status=1, notes=None))
        self.assertEqual((left["removed"], left["not_removed"]), (0, ["a", "stranger"]))
        self.assertEqual(self.bytes_of("f"), before)

    def test_equal_lines_open_no_row(self):
        self.run_tool("build", "--kind", "dynamic", "--keys", "100", "-o", "one", stdin=b"same\n")
        self.run_tool("build", "--kind", "dynamic", "--keys", "100", "-o", "many",
                      stdin=b"same\n" * 100_000)
        self.assertEqual(len(self.bytes_of("many")), len(self.bytes_of("one")))

    def test_counts_that_are_full_say_so(self):
        keys = b"hot\n" * 3000 + lines(0, 100)
        for kind, full in [("counting", True), ("blocked-counting", True), ("dleft", True),
                           ("adaptive", True), ("space-code", True), ("dynamic", True),
                           ("count-min", False), ("spectral", False)]:
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "5000", "-o", kind, stdin=keys)
                told = json.loads(self.run_tool("count", "--json", kind, "hot"))["counts"][0]
                self.assertEqual(told["at_least"], full)
                self.assertEqual(told["count"] < 3000, full)
                best = json.loads(self.run_tool("top", "--json", kind, "-", stdin=b"hot\n"))["top"]
                self.assertEqual(best, [told])
                for ask in (["count", kind, "hot"], ["top", kind, "-"]):
                    done = self.ended(*ask, stdin=b"hot\n")
                    self.assertEqual(b"may have come more often" in done.stderr, full)
        sketch = ["build", "--kind", "count-min", "--keys", "100", "--set", "top=3", "--set",
                  "counter_bits=8", "-o", "t"]
        self.run_tool(*sketch, stdin=b"hot\n" * 300 + b"cold\n")
        best = json.loads(self.run_tool("top", "--json", "t"))["top"]
        self.assertEqual([(b["key"], b["at_least"]) for b in best], [("hot", True), ("cold", False)])

    def test_top_names_the_keys_however_they_were_counted(self):
        keys = b"hot\n" * 30 + b"warm\n" * 20 + lines(0, 100)
        sketch = ["build", "--kind", "count-min", "--set", "top=100", "-o", "t"]
        for arguments, stdin in [([], keys), ([self.write("keys", keys)], b"")]:
            self.run_tool(*sketch, *arguments, stdin=stdin)
            self.assertEqual(self.run_tool("top", "-n", "2", "t"), b"30\thot\n20\twarm\n")

    def test_top_of_nothing_is_nothing(self):
        sketch = ["build", "--kind", "count-min", "--keys", "100", "-o", "t"]
        self.run_tool(*sketch, "--set", "top=10")
        self.assertEqual(self.run_tool("top", "t", status=1), b"")
        self.run_tool(*sketch)
        self.refused("top", "t", says="remembers no keys")

    def test_braids_certify_nothing_of_a_wrong_list(self):
        self.run_tool("build", "--kind", "counter-braids", "--keys", "1000", "-o", "b",
                      stdin=lines(0, 1000) * 2)
        whole = json.loads(self.run_tool("count", "--json", "b", stdin=lines(0, 1000)))
        self.assertEqual((whole["uncertain"], {c["count"] for c in whole["counts"]}), (0, {2}))
        some = json.loads(self.run_tool("count", "--json", "b", stdin=lines(0, 999)))
        self.assertEqual(some["uncertain"], 999)
        best = ["top", "b", "-"]
        self.run_tool(*best, stdin=lines(0, 1000))
        self.assertEqual(json.loads(self.run_tool(*best, "--json", stdin=lines(0, 999)))["uncertain"],
                         some["uncertain"])
        self.assertIn(b"could not be certified", self.ended(*best, stdin=lines(0, 999)).stderr)


if __name__ == "__main__":
    unittest.main()
