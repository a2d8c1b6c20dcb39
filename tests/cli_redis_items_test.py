"""The tool on values behind BF and CF: in a server, where they are asked for the keys themselves, and in files, which
are what DUMP answers. What it says is what the server says."""
import json
import os
import re
import subprocess
import unittest

import redis_layouts as layouts
import redis_private
from redis_fake import Fake, encoded
from redis_private import Server, free_port, resealed
from tool import SOURCE, TOOL, Tool, fewest_of, most_of

EVERYWHERE = 9  # the version of dumps that every server restores


def setUpModule():
    global server
    redis_private.require()
    server = Server(port=free_port())
    unittest.addModuleCleanup(server.stop)


def lines(words):
    return "".join(word + "\n" for word in words).encode()


def words(prefix, count):
    return [f"{prefix}{i}" for i in range(count)]


class Items(Tool):
    def setUp(self):
        super().setUp()
        self.ask = server.client()
        self.ask("FLUSHALL")
        self.ask("CONFIG", "SET", "rdbcompression", "no")

    def at(self, key):
        return f"unix://{server.place}/{key}"

    def dumped(self, key):
        return resealed(self.ask("DUMP", key), EVERYWHERE)

    def fill(self):
        """A chain of five filters, and one of several tables."""
        self.keys = words("key", 3000)
        self.ask("BF.RESERVE", "bf", 0.01, 100)
        self.ask("BF.MADD", "bf", *self.keys)
        self.ask("CF.RESERVE", "cf", 600)
        self.ask("CF.INSERT", "cf", "ITEMS", *self.keys)
        self.asked = self.keys[::7] + words("stranger", 20_000)

    def test_what_is_in_a_server_answers_as_the_server_does(self):
        self.fill()
        self.assertEqual(self.ask("BF.INFO", "bf", "FILTERS"), [5])
        self.write("asked", lines(self.asked))
        for group in ("bf", "cf"):
            with self.subTest(group):
                answers = self.ask(f"{group}.MEXISTS", group, *self.asked)
                expected = lines(word for word, there in zip(self.asked, answers) if there)
                self.assertGreater(len(expected), len(lines(self.keys[::7])))  # false positives are alike, too
                self.assertEqual(self.run_tool("query", self.at(group), "-f", "asked"), expected)
                # By TCP, and of a file that is read here, by functions of the tool.
                there = f"redis://127.0.0.1:{server.port}/{group}"
                self.assertEqual(self.run_tool("query", there, "-f", "asked"), expected)
                self.run_tool("copy", there, "copied")
                self.assertEqual(self.bytes_of("copied"), self.dumped(group))
                self.assertEqual(self.run_tool("query", "copied", "-f", "asked"), expected)
        self.assertEqual(self.run_tool("query", self.at("bf"), "key1", "\u00e9", "", status=0), b"key1\n")
        self.refused("query", self.at("bf"), "x", "--at", "5", says="does not run on time")
        self.refused("query", self.at("gone"), "x", says="no such key")

    def test_old_filters_are_read_by_servers_and_by_the_tool(self):
        """From before growth was stored: hashed by the 32-bit function, over 2^n2 positions or any number; in the first
        encoding, the number is not stored."""
        u, d, s = layouts.u, layouts.d, layouts.s
        old, new = words("old", 20), words("new", 100)
        for encoding, options, shape in ((2, u(2), u(512) + u(9)), (1, b"", u(240) + u(0)), (0, b"", b"")):
            with self.subTest(encoding=encoding):
                positions = 512 if encoding == 2 else 240
                bits = bytearray(64)
                for word in old:
                    a = layouts.murmur32(word.encode(), 0x9747b28c)
                    b = layouts.murmur32(word.encode(), a)
                    for i in range(4):
                        at = (a + i * b) % positions
                        bits[at // 8] |= 1 << at % 8
                fields = u(20) + u(1) + options + u(50) + d(0.1) + u(4) + d(4.8) + shape + s(bytes(bits)) + u(20)
                dump = layouts.dump("MBbloom--", encoding, fields)
                self.ask("RESTORE", "old", 0, dump, "REPLACE")
                self.assertIn(b"hashwidth:32", self.ask("BF.DEBUG", "old")[1])
                answers = self.ask("BF.MEXISTS", "old", *old, *new)
                self.assertEqual(answers[:20], [1] * 20)
                self.assertLess(sum(answers[20:]), 50)
                self.write("old", dump)
                self.assertEqual(self.run_tool("query", "old", "-f", "-", stdin=lines(old + new)),
                                 lines(word for word, there in zip(old + new, answers) if there))
                before = self.ask("DUMP", "old")  # which is of the encoding of today
                self.ask("RESTORE", "old", 0, before, "REPLACE")
                self.assertEqual(self.ask("DUMP", "old"), before)
        for capacity, a_key in ((0, 4.8), (50, 1e300), (50, -1.0), (50, float("nan")), (2**40, 9.6)):
            fields = u(20) + u(1) + u(capacity) + d(0.1) + u(4) + d(a_key) + s(bytes(64)) + u(20)
            dump = layouts.dump("MBbloom--", 0, fields)
            self.ask.refused("RESTORE", "bad", 0, dump)
            self.write("bad", dump)
            self.refused("query", "bad", "x", says="")

    def test_info(self):
        self.fill()
        told = json.loads(self.run_tool("info", "--json", self.at("bf")))
        items, capacity = (self.ask("BF.INFO", "bf", field)[0] for field in ("ITEMS", "CAPACITY"))
        self.assertEqual((told["format"], told["keys"], told["capacity"], told["filters"], told["growth"]),
                         ("redis-bloom", items, capacity, 5, 2))
        self.assertAlmostEqual(told["promised_rate"], 0.01)
        told = json.loads(self.run_tool("info", "--json", self.at("cf")))
        self.assertEqual((told["format"], told["keys"], told["bucket_size"]), ("redis-cuckoo", 3000, 2))
        self.assertAlmostEqual(told["fill"], 3000 / told["cells"])
        self.assertIn(b"cuckoo filter of Redis", self.run_tool("info", self.at("cf")))

    def test_doctor_finds_the_rate_that_strangers_meet(self):
        self.fill()
        for group in ("bf", "cf"):
            with self.subTest(group):
                told = json.loads(self.run_tool("doctor", "--json", self.at(group)))
                self.assertEqual(told["verdict"], "healthy")
                hits = sum(self.ask(f"{group}.MEXISTS", group, *words("stranger", 20_000)))
                self.assertLessEqual(hits, most_of(20_000, told["measured"]["high"]))
                self.assertGreaterEqual(hits, fewest_of(20_000, told["measured"]["low"]))
        self.assertIn(b"rate promised", self.run_tool("doctor", self.at("bf")))
        told = json.loads(self.run_tool("doctor", "--json", self.at("cf"), "--fpr", "0.1%", status=1))
        self.assertIn("over the 0.1 %", told["reasons"][0])
        # Every bit is set.
        self.ask("BF.RESERVE", "full", 0.01, 100)
        self.ask("BF.LOADCHUNK", "full", 146 - 1, b"\xff" * 144)
        told = json.loads(self.run_tool("doctor", "--json", self.at("full"), status=1))
        self.assertIn("says yes to every key", told["reasons"][0])
        # Keys that are said to be absent and are not.
        self.write("keys", lines(self.keys[:500]))
        told = json.loads(self.run_tool("doctor", "--json", self.at("bf"), "--negatives", "keys", status=1))
        self.assertEqual(told["measured"]["hits"], 500)
        self.assertIn("some are members", told["reasons"][0])
        # Without them nobody is to blame, by however many a small filter is met above what its ones explain.
        self.write("absent", lines(words("absent", 50_000)))
        self.run_tool("doctor", "--json", self.at("bf"), "--negatives", "absent")
        self.ask("BF.MADD", "small", *words("s", 90))
        told = json.loads(self.run_tool("doctor", "--json", "--probe", 1_000_000, self.at("small")))
        self.assertGreater(told["measured"]["low"], told["current_rate"])

    def test_add_and_remove(self):
        self.ask("BF.RESERVE", "bf", 0.01, 5000)
        self.ask("CF.RESERVE", "cf", 5000)
        keys = words("k", 4000)
        for group in ("bf", "cf"):
            told = json.loads(self.run_tool("add", "--json", self.at(group), "-f", "-", stdin=lines(keys)))
            self.assertEqual(told["added"], 4000)
            self.assertEqual(sum(self.ask(f"{group}.MEXISTS", group, *keys)), 4000)
        self.assertEqual(self.ask("BF.CARD", "bf"), json.loads(self.run_tool(
            "add", "--json", self.at("bf"), *keys[:3]))["new"] + self.ask("BF.CARD", "bf"))
        self.run_tool("remove", self.at("cf"), "-f", "-", stdin=lines(keys[:2000]))
        self.assertEqual(self.ask("CF.INFO", "cf")[7:10:2], [2000, 2000])
        self.assertEqual(sum(self.ask("CF.MEXISTS", "cf", *keys[2000:])), 2000)
        done = self.ended("remove", self.at("cf"), "never")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"never", done.stderr)
        self.refused("remove", self.at("bf"), "k1", says="cannot remove keys")
        self.refused("add", self.at("gone"), "x", says="no such key")
        self.ask("BF.RESERVE", "small", 0.1, 3, "NONSCALING")
        self.refused("add", self.at("small"), *keys[:50], says="full")
        self.ask("CF.RESERVE", "little", 4, "EXPANSION", 0)
        self.refused("add", self.at("little"), *keys[:50], says="is full")

    def test_files_have_the_bytes_of_an_encoder_of_the_tests_own(self):
        keys = words("w", 1000)
        self.write("words", lines(keys))
        self.run_tool("build", "--format", "redis-bloom", "--fpr", "0.1%", "--keys", 400, "-o", "bf", "words")
        own = layouts.Bloom(400, 0.001)
        for key in keys:
            own.add(key.encode())
        self.assertEqual(self.bytes_of("bf"), resealed(own.dump(), EVERYWHERE))
        self.run_tool("build", "--format", "redis-cuckoo", "--fpr", "5%", "-o", "cf", "words")
        tables = layouts.Cuckoo(json.loads(self.run_tool("info", "--json", "cf"))["cells"] // 2)
        self.assertEqual(len(tables.links), 1)
        for key in keys:
            tables.add(key.encode())
        self.assertEqual(self.bytes_of("cf"), resealed(tables.dump(), EVERYWHERE))
        for group in ("bf", "cf"):  # to a server by either way, and by the tool
            self.ask("RESTORE", group, 0, self.bytes_of(group))
            self.run_tool("copy", group, self.at(f"{group} by copy"))
            self.assertEqual(sum(self.ask(f"{group}.MEXISTS", f"{group} by copy", *keys)), 1000)
            self.assertEqual(self.ask("DUMP", group), self.ask("DUMP", f"{group} by copy"))
        self.run_tool("build", "--format", "redis-cuckoo", "-o", self.at("built"), "words")
        self.assertEqual(sum(self.ask("CF.MEXISTS", "built", *keys)), 1000)
        self.ask("EXPIRE", "built", 1000)
        self.run_tool("build", "--format", "redis-cuckoo", "-o", self.at("built"), "words")
        self.assertGreater(self.ask("TTL", "built"), 900)
        self.refused("build", "--format", "dcso-bloom", "-o", self.at("other"), "words", says="written to a file")
        self.ask("SET", "text", "value")
        self.refused("copy", "bf", self.at("text"), says="does not replace")

    def test_compressed_dumps_are_read_and_kept(self):
        self.ask("CONFIG", "SET", "rdbcompression", "yes")
        self.ask("BF.RESERVE", "bf", 0.01, 10_000)
        self.ask("BF.MADD", "bf", "a", "b")
        payload = self.ask("DUMP", "bf")
        self.assertLess(len(payload), 2000)
        self.write("bf", payload)
        self.assertEqual(self.run_tool("query", "bf", "a", "b", "c"), b"a\nb\n")
        self.run_tool("copy", "bf", "same")
        self.assertEqual(self.bytes_of("same"), payload)
        self.assertEqual(self.run_tool("query", self.at("bf"), "a", "c"), b"a\n")

    def test_convert_and_what_is_only_for_our_own(self):
        self.fill()
        self.write("keys", lines(self.keys))
        self.run_tool("convert", self.at("bf"), "-f", "keys", "--fpr", "0.1%", "-o", "ours")
        self.assertEqual(self.run_tool("query", "-c", "ours", "-f", "keys"), b"3000\n")
        self.run_tool("convert", "ours", "-f", "keys", "--format", "redis-bloom", "-o", self.at("back"))
        self.assertEqual(sum(self.ask("BF.MEXISTS", "back", *self.keys)), 3000)
        self.run_tool("convert", self.at("cf"), "-f", "keys", "--kind", "blocked", "-o", self.at("native"))
        self.assertEqual(self.run_tool("query", "-c", self.at("native"), "-f", "keys"), b"3000\n")
        self.write("wrong", lines(words("wrong", 100)))
        self.refused("convert", self.at("bf"), "-f", "wrong", "-o", "x", says="are certainly not in")
        for verb in (["union", self.at("bf"), self.at("bf"), "-o", "x"], ["estimate", self.at("bf")]):
            self.refused(*verb, says="`bloomery query`, `info`, `doctor`")

    def test_the_page_runs(self):
        (self.folder / "bloomery").symlink_to(TOOL)
        page = (SOURCE / "docs" / "redis.md").read_text()
        blocks = re.findall(r"^```bash\n(.*?)^```$", page, re.M | re.S)
        self.assertEqual(len(blocks), 2)
        script = "".join(blocks).replace("redis://localhost/", self.at("")).replace(
            "redis-cli ", f"redis-cli -s {server.place} ")
        done = subprocess.run(["bash", "-euc", script], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("1\n1\nalice\n", done.stdout)
        self.assertIn("healthy", done.stdout)
        self.assertTrue(done.stdout.endswith("alice\nuser7\n"), done.stdout)
        self.assertEqual(self.ask("BF.EXISTS", "again", "alice"), 1)
        self.assertEqual(self.ask("CF.EXISTS", "users", "user8"), 1)
        self.assertEqual(self.ask("BLOOM.HAS", "better", "user7", "user8"), [1, 1])

    def test_answers_that_make_no_sense_are_refused(self):
        def there(reply, command=b"BF.MEXISTS", kind=b"MBbloom--"):
            answers = {b"TYPE": b"+%s\r\n" % kind, command: reply}
            made = Fake(lambda: lambda asked: [answers.get(asked[0], b"-ERR no\r\n")])
            self.addCleanup(made.close)
            return f"redis://127.0.0.1:{made.port}/f"
        for reply in (encoded([1]), encoded([1, 0, 1]), encoded([b"x", 1]), b":1\r\n", b"$-1\r\n", b"*-1\r\n", encoded([]),
                      b"+OK\r\n"):
            with self.subTest(reply):
                self.refused("query", there(reply), "a", "b", says="not of the form")
        self.refused("query", there(b"-ERR told you\r\n"), "a", says="told you")
        self.refused("add", there(b"*2\r\n:1\r\n-ERR non scaling filter is full\r\n", b"BF.INSERT"), "a", "b",
                     says="non scaling filter is full")
        self.ask("BF.RESERVE", "bf", 0.01, 1000)
        good = self.dumped("bf")
        for bad in (good[:-1], good[:50] + b"\xff" + good[51:], b"", b"x" * 100,
                    resealed(good[:-11] + b"\x02\x05" + good[-11:])):
            for verb in ("info", "doctor"):
                self.refused(verb, there(encoded(bad), b"DUMP"))
        self.refused("info", "--max-memory", "500", self.at("bf"), says="")


if __name__ == "__main__":
    unittest.main()
