"""The tool as a person uses it: query."""
import json
import subprocess
import unittest

from tool import PATIENCE, TOOL, Tool, lines


class Query(Tool):
    def setUp(self):
        super().setUp()
        self.run_tool("build", "--fpr", "1e-6", "-o", "f", stdin=lines(0, 1000))

    def test_as_grep(self):
        asked = b"key 1\nstranger\nkey 999\nkey 1000\n"
        self.assertEqual(self.run_tool("query", "f", stdin=asked), b"key 1\nkey 999\n")
        self.assertEqual(self.run_tool("query", "-v", "f", stdin=asked), b"stranger\nkey 1000\n")
        self.assertEqual(self.run_tool("query", "-c", "f", stdin=asked), b"2\n")
        self.assertEqual(self.run_tool("query", "-vc", "f", stdin=b"key 5\n", status=1), b"0\n")
        self.assertEqual(self.run_tool("query", "-q", "f", stdin=asked), b"")
        self.assertEqual(self.run_tool("query", "-q", "f", "stranger", status=1), b"")
        told = json.loads(self.run_tool("query", "--json", "f", stdin=asked))
        self.assertEqual(told, {"keys": [{"key": "key 1", "present": True},
                                         {"key": "stranger", "present": False},
                                         {"key": "key 999", "present": True},
                                         {"key": "key 1000", "present": False}],
                                "asked": 4, "present": 2})
        self.assertEqual(json.loads(self.run_tool("query", "--json", "-c", "f", stdin=asked)),
                         {"asked": 4, "present": 2})
        told = json.loads(self.run_tool("query", "--json", "-v", "f", "key 1", "\"\n", "-f", "/dev/null"))
        self.assertEqual(told, {"keys": [{"key": "key 1", "present": True},
                                         {"key": '"\n', "present": False}],
                                "asked": 2, "absent": 1})
        self.assertEqual(json.loads(self.run_tool("query", "--json", "f", status=1)),
                         {"keys": [], "asked": 0, "present": 0})
        self.assertEqual(self.run_tool("query", "f", "-f", self.write("asked", asked)),
                         b"key 1\nkey 999\n")
        self.assertEqual(self.run_tool("query", "f", status=1), b"")

    def test_json_goes_out_as_keys_are_answered(self):
        with subprocess.Popen([TOOL, "query", "--json", "f"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, cwd=self.folder) as query:
            for i in (1, 2):
                query.stdin.write(b"key %d\n" % i)
                query.stdin.flush()
                told = b""
                while not told.endswith(b"}"):
                    told += query.stdout.read(1)
                self.assertIn(b'"key":"key %d"' % i, told)
            query.stdin.close()
            self.assertTrue(query.stdout.read().endswith(b'],\n  "asked": 2,\n  "present": 2\n}\n'))
            self.assertEqual(query.wait(PATIENCE), 0)

    def test_order_is_kept_on_many_threads(self):
        asked = b"".join(b"key %d\nno %d\n" % (i % 1000, i) for i in range(200_000))
        expected = b"".join(b"key %d\n" % (i % 1000) for i in range(200_000))
        self.assertEqual(self.run_tool("query", "-j", 8, "f", stdin=asked), expected)

    def test_a_slow_pipe_is_answered_line_by_line(self):
        with subprocess.Popen([TOOL, "query", "f"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              cwd=self.folder) as query:
            for i in (1, 2, 3):
                query.stdin.write(b"key %d\n" % i)
                query.stdin.flush()
                self.assertEqual(query.stdout.readline(), b"key %d\n" % i)
            query.stdin.close()
            self.assertEqual(query.wait(PATIENCE), 0)

    def test_a_closed_pipe_ends_it(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TOOL, "query", "f", "key 1"], stdout=full,
                                  stderr=subprocess.PIPE, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot be written", done.stderr)

    def test_refusals(self):
        self.refused("query", "missing", "x", says="missing: No such file")
        self.refused("query", self.write("text", b"hello"), "x", says="not a Bloomery filter")
        self.refused("query", self.write("empty", b""), "x", says="not a Bloomery filter")
        self.refused("query", says="filter")
        self.refused("query", "f", "-f", "missing", says="missing")
        self.refused("info", "/dev/zero", says="not a Bloomery filter")


if __name__ == "__main__":
    unittest.main()
