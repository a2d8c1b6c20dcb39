"""The tool as a person uses it: compress, diff and patch."""
import json
import unittest

from tool import GOLDEN, Tool, lines


class Travel(Tool):
    """Filters in fewer bytes, and what changed between two of them."""

    def setUp(self):
        super().setUp()
        build = ["build", "--kind", "standard", "--set", "bits=480k", "--set", "hashes=3", "-o"]
        self.run_tool(*build, "old", stdin=lines(0, 10000))
        self.run_tool(*build, "new", stdin=lines(500, 10500))

    def test_compressed_filters_are_read_by_every_verb(self):
        told = json.loads(self.run_tool("compress", "old", "-o", "small", "--json"))
        self.assertEqual(told["kind"], "standard")
        self.assertEqual(told["items"], 10000)
        self.assertEqual(told["bytes"], 60032)
        self.assertEqual(told["written"], len(self.bytes_of("small")))
        self.assertLess(told["written"], 20200)  # 15.83 bits a key, and some 300 bytes
        small, old = self.info("small"), self.info("old")
        self.assertEqual((small.pop("compressed"), old.pop("compressed")), (True, False))
        self.assertEqual(small.pop("file_bytes"), len(self.bytes_of("small")))
        self.assertEqual(old.pop("file_bytes"), len(self.bytes_of("old")))
        self.assertEqual(small, old)
        self.assertIn(b", compressed to ", self.run_tool("info", "small"))
        self.assertNotIn(b"compressed", self.run_tool("info", "old"))
        piped = json.loads(self.run_tool("info", "--json", "-", stdin=self.bytes_of("small")))
        self.assertTrue(piped["compressed"])
        self.run_tool("query", "small", "key 1")
        self.run_tool("query", "small", "nothing of the kind", status=1)
        self.run_tool("union", "small", "new", "-o", "both")
        self.run_tool("union", "old", "new", "-o", "plain")
        self.assertEqual(self.bytes_of("both"), self.bytes_of("plain"))
        self.assertEqual(self.run_tool("compress", "-d", "small", "-o", "-"), self.bytes_of("old"))
        self.assertEqual(self.run_tool("compress", "small", "-o", "-"), self.bytes_of("small"))
        self.assertEqual(self.run_tool("compress", "-d", "-", "-o", "-",
                                       stdin=self.bytes_of("small")), self.bytes_of("old"))
        self.run_tool("add", "small", "another")
        self.run_tool("query", "small", "another")

    def test_every_kind_comes_back(self):
        for golden in sorted(GOLDEN.glob("*.bloom")):
            small = self.run_tool("compress", golden, "-o", "-", notes=None)
            self.assertLessEqual(len(small), len(golden.read_bytes()))
            self.assertEqual(self.run_tool("compress", "--decompress", "-", "-o", "-", stdin=small),
                             golden.read_bytes(), golden)

    def test_what_does_not_get_smaller_stays_plain(self):
        self.run_tool("build", "-o", "full", "--kind", "standard", stdin=lines(0, 2000))
        note = b"bloomery: full does not get smaller, and is written plain\n"
        told = json.loads(self.run_tool("compress", "full", "-o", "same", "--json", notes=note))
        self.assertFalse(told["compressed"])
        self.assertEqual(self.bytes_of("same"), self.bytes_of("full"))
        self.assertTrue(json.loads(self.run_tool("compress", "old", "-o", "s", "--json"))["compressed"])

    def test_patch_makes_the_new_of_the_old(self):
        told = json.loads(self.run_tool("diff", "old", "new", "-o", "delta", "--json"))
        self.assertEqual(told["written"], len(self.bytes_of("delta")))
        self.assertLess(told["written"], 3500)  # 2.49 bits a key, and some 300 bytes
        told = json.loads(self.run_tool("patch", "old", "delta", "-o", "made", "--json"))
        self.assertEqual(told | {"compressed": False, "file_bytes": len(self.bytes_of("new"))},
                         self.info("new"))
        self.assertEqual(self.bytes_of("made"), self.bytes_of("new"))
        self.run_tool("compress", "old", "-o", "small")
        self.assertEqual(self.run_tool("patch", "small", "-", "-o", "-",
                                       stdin=self.bytes_of("delta")), self.bytes_of("new"))

    def test_refusals(self):
        self.run_tool("diff", "old", "new", "-o", "delta")
        self.refused("patch", "new", "delta", "-o", "x", says="new and delta: the delta was made from")
        self.refused("patch", "old", "new", "-o", "x", says="not a delta")
        self.refused("query", "delta", "key 1", says="delta: this is a delta")
        self.run_tool("build", "--kind", "blocked", "--keys", "1k", "-o", "other", stdin=b"a\n")
        self.refused("diff", "old", "other", "-o", "x", says="the kind differs")
        self.refused("diff", "old", "missing", "-o", "x", says="missing")
        self.refused("compress", "missing", "-o", "x", says="missing")
        for name in ("delta", "small"):
            self.run_tool("compress", "old", "-o", "small")
            good = self.bytes_of(name)
            for damage in (good[:-1], good + b"\0", good[:150],
                           good[:300] + bytes([good[300] ^ 1]) + good[301:]):
                self.write("bad", damage)
                self.refused("patch", "old", "bad", "-o", "x", says="bad: ")
                self.refused("info", "bad", says="bad: ")
        self.assertFalse((self.folder / "x").exists())


if __name__ == "__main__":
    unittest.main()
