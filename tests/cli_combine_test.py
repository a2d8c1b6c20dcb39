"""The tool as a person uses it: union, intersect, fold, estimate and add."""
import json
import unittest

from tool import Tool, lines, most_of


class Combine(Tool):
    def kinds(self):
        return [k for k in json.loads(self.run_tool("kinds", "--json")) if k["builds"]]

    def build(self, name, kind, content, *more):
        self.run_tool("build", "--kind", kind, "--keys", "10k", *more, "-o", name, stdin=content)

    def test_united_spectral_filters_count_as_the_whole(self):
        build = ["build", "--kind", "spectral", "--keys", "5000", "-o"]
        one, two = lines(0, 3000), lines(2000, 5000)
        for name, keys in [("one", one), ("two", two), ("whole", one + two), ("other", two + one)]:
            self.run_tool(*build, name, stdin=keys)
        self.run_tool("union", "one", "two", "-o", "united")
        counts = [self.run_tool("count", name, stdin=lines(0, 6000))
                  for name in ["united", "whole", "other"]]
        self.assertEqual(counts[0], counts[1])
        self.assertEqual(counts[0], counts[2])

    def test_union_of_halves_is_the_whole(self):
        for kind in self.kinds():
            if not kind["merges"]:
                continue
            name = kind["name"]
            self.build("whole", name, lines(0, 10_000))
            self.build("a", name, lines(0, 5000))
            self.build("b", name, lines(5000, 10_000))
            self.run_tool("union", "a", "b", "-o", "both")
            if name == "spectral":  # its counters lie as their history left them
                self.assertEqual(self.run_tool("count", "both", stdin=lines(0, 11_000)),
                                 self.run_tool("count", "whole", stdin=lines(0, 11_000)))
                continue
            self.assertEqual(self.bytes_of("both"), self.bytes_of("whole"), name)

    def test_fold_is_the_smaller_build(self):
        for kind in self.kinds():
            if not kind["folds"]:
                continue
            name = kind["name"]
            first = kind["fields"][0]["name"]
            for factor in (2, 3, 5):
                more = {"banked": ["--set", "banks=8"], "multi-blocked": ["--set", "parts=2"]}.get(name, [])
                shape = [["--set", f"{first}={30_000 // f}", "--set", "hashes=5", *more]
                         for f in (1, factor)]
                self.run_tool("build", "--kind", name, *shape[0], "-o", "l", stdin=lines(0, 3000))
                self.run_tool("build", "--kind", name, *shape[1], "-o", "s", stdin=lines(0, 3000))
                self.run_tool("fold", "l", "--by", factor, "-o", "folded")
                self.assertEqual(self.bytes_of("folded"), self.bytes_of("s"), (name, factor))
            self.refused("fold", "l", "--by", 7, "-o", "x", says="does not divide " + first)
            self.refused("fold", "l", "--by", 0, "-o", "x", says="fold by 0")

    def test_intersect_holds_the_common_keys(self):
        self.build("a", "blocked", lines(0, 6000))
        self.build("b", "blocked", lines(4000, 10_000))
        self.run_tool("intersect", "a", "b", "-o", "c")
        self.assertEqual(self.run_tool("query", "-c", "c", stdin=lines(4000, 6000)), b"2000\n")
        self.assertLessEqual(int(self.run_tool("query", "-c", "c", stdin=lines(0, 4000))),
                             most_of(4000, .01))

    def test_estimate(self):
        for kind in self.kinds():
            if not kind["measures"]:
                continue
            self.build("a", kind["name"], lines(0, 6000))
            self.build("b", kind["name"], lines(4000, 10_000))
            result = json.loads(self.run_tool("estimate", "--confidence", "99.9999%", "--json",
                                              "a", "b"))
            for name, truth in [("first", 6000), ("second", 6000), ("union", 10_000),
                                ("intersection", 2000), ("jaccard", .2)]:
                self.assertLessEqual(result[name]["low"], truth)
                self.assertGreaterEqual(result[name]["high"], truth)
        self.refused("estimate", "a", "--confidence", "2", says="below 100 %")

    def test_strangers_are_refused(self):
        self.build("a", "standard", lines(0, 10))
        self.build("b", "blocked", lines(0, 10))
        self.build("c", "standard", lines(0, 10), "--fpr", "2%")
        self.refused("union", "a", "b", "-o", "u",
                     says="kind differs: standard against blocked; build them of one --kind")
        self.refused("union", "a", "c", "-o", "u", says="build them with the same --keys and --fpr")
        self.build("d", "standard", lines(0, 10), "--seed", "7")
        self.refused("union", "a", "d", "-o", "u", says="build them with the same --seed")
        for name, bits in [("small", 1000), ("large", 3000)]:
            self.build(name, "standard", lines(0, 10), "--set", f"bits={bits}", "--set", "hashes=3")
        self.refused("union", "small", "large", "-o", "u", says="`bloomery fold --by 3 -o SMALL large`")
        self.assertFalse((self.folder / "u").exists())

    def test_add_is_as_building_with_more(self):
        self.build("whole", "standard", lines(0, 1000))
        self.build("part", "standard", lines(0, 500))
        self.run_tool("add", "part", "key 500", "key 501")
        report = json.loads(self.run_tool("add", "--json", "part", stdin=lines(502, 1000)))
        self.assertEqual((report["added"], report["new"] > 480), (498, True))
        self.assertEqual(self.bytes_of("part"), self.bytes_of("whole"))


if __name__ == "__main__":
    unittest.main()
