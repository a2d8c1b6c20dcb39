"""The tool as a person uses it: search and near, and building and asking filters of texts."""
import json
import math
import random
import unittest

from tool import Tool, most_of


class Texts(Tool):
    def test_search_finds_parts_and_sources(self):
        self.run_tool("build", "--kind", "hierarchical", "--sources", "--set", "block_bytes=4", "-o",
                      "h", stdin=b"web\tthe quick brown fox jumps over the dog\n"
                                 b"db\tlorem ipsum dolor sit amet, a longer text\n")
        self.assertEqual(self.run_tool("search", "h", "brown fox", "ipsum dolor"),
                         b"brown fox\tweb\t10\nipsum dolor\tdb\t6\n")
        self.run_tool("search", "h", "brown dolor sit", status=1)
        self.refused("search", "h", "short", says="")
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("search", "f", "brown fox", says="holds whole keys")
        self.refused("build", "--sources", "-o", "x", stdin=b"a\tb\n", says="tells no sources apart")

    def test_near(self):
        self.run_tool("build", "--kind", "distance-sensitive", "-o", "d",
                      stdin=b"the quick brown fox jumps over the lazy dog near the old river bank\n"
                            b"a completely different line with other words in it altogether\n")
        close = b"the quick brown fox jumps over the lazy dog near the old river side\n"
        far = b"nothing of this was ever given to any filter so it is far away\n"
        self.assertEqual(self.run_tool("near", "d", stdin=close + far), close)
        self.assertEqual(self.run_tool("near", "-v", "d", stdin=close + far), far)
        self.assertEqual(json.loads(self.run_tool("near", "d", "--json", stdin=close + far)),
                         {"asked": 2, "near": 1, "texts": [
                             {"text": close.decode().strip(), "near": True, "hits": self.hits(close)}]})
        told = json.loads(self.run_tool("near", "d", "--hits", "--json", stdin=close + far))
        self.assertEqual([(text["text"], text["near"]) for text in told["texts"]],
                         [(close.decode().strip(), True), (far.decode().strip(), False)])
        note = b"bloomery: '': the text is not a point; expected: words, separated by white space\n"
        self.assertEqual(self.run_tool("near", "d", stdin=b"\n" + close, status=2, notes=note), close)
        self.run_tool("add", "d", stdin=far, notes=None)  # which it was not planned for
        self.assertEqual(self.run_tool("near", "d", stdin=far), far)

    def hits(self, text):
        return int(self.run_tool("near", "d", "--hits", stdin=text).rsplit(b"\t", 1)[1])

    def test_texts_that_are_too_short(self):
        build = ["build", "--kind", "hierarchical", "-o", "h"]
        note = b"bloomery: 2 of 2 texts are too short and were left out\n"
        self.run_tool(*build, stdin=b"tiny\nalso tiny\n", notes=note)
        report = json.loads(self.run_tool(*build, "--json", stdin=b"tiny\nalso tiny\n", notes=note))
        self.assertEqual((report["items"], report["left_out"]), (0, 2))
        self.run_tool(*build, "--set", "block_bytes=4", stdin=b"the fox jumps over lorem ipsum\n")
        self.assertEqual(self.run_tool("search", "h", stdin=b"fox jumps\nabc\nlorem ipsum\n", status=2,
                                       notes=b"bloomery: 'abc': the text has 3 bytes; allowed: 7 and "
                                             b"more, since shorter ones may hold no whole block of 4\n"),
                         b"fox jumps\t0\t4\nlorem ipsum\t0\t19\n")
        for flags, selected in [([], b"fox jumps\nlorem ipsum\n"), (["-v"], b"fox gets lost\n")]:
            self.assertEqual(self.run_tool("query", *flags, "h", status=2, stdin=
                                           b"fox jumps\nabc\nfox gets lost\nlorem ipsum\n"), selected)

    def test_texts_are_added(self):
        build = ["build", "--kind", "hierarchical", "--set", "block_bytes=4", "--keys", "100"]
        self.run_tool(*build, "-o", "h", stdin=b"the quick brown fox jumps\n")
        report = json.loads(self.run_tool("add", "h", "--json", "lorem ipsum dolor", "x",
                                          notes=None))
        self.assertEqual((report["added"], report["new"], report["left_out"]), (4, 1, 1))
        self.assertEqual(self.run_tool("search", "h", "ipsum dolor"), b"ipsum dolor\t0\t6\n")
        self.refused("add", "h", "--sources", "web\tdolor sit amet", says="have no sources")
        first, second = b"web\tthe quick brown fox jumps\n", b"db\tlorem ipsum dolor sit amet\n"
        self.run_tool(*build, "--sources", "-o", "whole", stdin=first + second)
        self.run_tool(*build, "--sources", "-o", "part", stdin=first)
        self.refused("add", "part", "lorem ipsum dolor", says="with --sources")
        self.run_tool("add", "part", "--sources", stdin=second)
        self.assertEqual(self.bytes_of("part"), self.bytes_of("whole"))
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("add", "f", "--sources", "a\tb", says="tells no sources apart")

    def test_sources_are_as_many_as_there_are(self):
        many = b"".join(b"s%d\tthe text of source number %d, in full\n" % (i, i) for i in range(300))
        build = ["build", "--kind", "hierarchical", "--sources", "-o", "h"]
        self.run_tool(*build, stdin=many)
        self.assertEqual(self.info("h")["shape"]["sources"], 300)
        self.assertEqual(self.run_tool("search", "h", "the text of source number 299, in full"),
                         b"the text of source number 299, in full\ts299\t0\n")
        self.refused(*build, "--set", "sources=299", stdin=many, says="names 300 sources")

    def test_each_metric_is_planned_for_its_near_and_far(self):
        draw = random.Random(8)

        def flipped(point):
            bits = int(point, 16)
            for i in draw.sample(range(256), 12):
                bits ^= 1 << i
            return f"{bits:064x}"

        def moved(point):
            step = [draw.gauss(0, 1) for _ in range(8)]
            norm = math.hypot(*step)
            return " ".join(str(float(x) + dx / norm) for x, dx in zip(point.split(), step))

        def words(count):
            return [f"{draw.getrandbits(64):x}" for _ in range(count)]

        def half_new(point):  # 20 of 40 words in common
            return " ".join(draw.sample(point.split(), 20) + words(10))

        metrics = [
            (["metric=hamming", "dimension=256", "near=0.05", "far=0.3"],
             lambda: f"{draw.getrandbits(256):064x}", flipped),
            (["metric=euclidean", "dimension=8", "near=1", "far=10"],
             lambda: " ".join(str(draw.uniform(0, 1000)) for _ in range(8)), moved),
            (["near=0.5", "far=0.95"], lambda: " ".join(words(30)), half_new),
        ]
        for settings, point, neighbour in metrics:
            known = [point() for _ in range(100)]
            self.run_tool("build", "--kind", "distance-sensitive",
                          *[word for setting in settings for word in ("--set", setting)], "-o", "d",
                          stdin="\n".join(known).encode())
            near = "\n".join(neighbour(p) for p in known).encode()
            missed = 100 - json.loads(self.run_tool("near", "d", "--json", stdin=near))["near"]
            self.assertLessEqual(missed, most_of(100, .01), settings)
            far = "\n".join(point() for _ in range(100)).encode()
            claimed = json.loads(self.run_tool("near", "d", "--json", stdin=far, status=None))["near"]
            self.assertLessEqual(claimed, most_of(100, .01), settings)

    def test_fields_that_miss_what_is_near_are_refused(self):
        self.refused("build", "--kind", "distance-sensitive", "--set", "arrays=12", "--set",
                     "threshold=12", "-o", "d", stdin=b"a b c\n", says="missed would be")
        self.refused("build", "--kind", "distance-sensitive", "--set", "near=0.95", "-o", "d",
                     stdin=b"a b c\n", says="below far")


if __name__ == "__main__":
    unittest.main()
