"""The tool on filters in Redis servers of the test's own: what it does there is what it does with files, and
what a server says is believed no further than it should be."""
import json
import os
import random
import re
import struct
import subprocess
import time
import unittest

import redis_private
from redis_fake import Fake, encoded
from redis_private import Server, resealed, stored
from tool import SOURCE, TOOL, Tool, lines


def setUpModule():
    global server, bare
    redis_private.require()
    server = Server()
    unittest.addModuleCleanup(server.stop)
    bare = Server("--requirepass", "se cret/", port=redis_private.free_port(), with_module=False)
    unittest.addModuleCleanup(bare.stop)


class Redis(Tool):
    def setUp(self):
        super().setUp()
        self.ask = server.client()
        self.ask("FLUSHALL")
        self.ask("CONFIG", "SET", "rdbcompression", "no")

    def at(self, key):
        return f"unix://{server.place}/{key}"

    def fake(self, answer):
        return self.faking(lambda: answer)

    def faking(self, answering):
        made = Fake(answering)
        self.addCleanup(made.close)
        return f"redis://127.0.0.1:{made.port}/f"


class Places(Redis):
    def test_filters_there_are_those_of_files(self):
        for kind in ("standard", "blocked", "counting", "fuse", "cuckoo", "count-min"):
            with self.subTest(kind):
                there = self.at(kind)
                options = ["--kind", kind, "--keys", 1000, "-j1"]
                self.run_tool("build", *options, "-o", "file", stdin=lines(0, 900))
                self.run_tool("build", *options, "-o", there, stdin=lines(0, 900))
                self.assertEqual(stored(self.ask, kind), self.bytes_of("file"))
                for verb in (["info"], ["info", "--json"]):
                    self.assertEqual(self.run_tool(*verb, there), self.run_tool(*verb, "file"))
                if kind != "count-min":
                    asked = lines(800, 3000)
                    self.assertEqual(self.run_tool("query", there, stdin=asked),
                                     self.run_tool("query", "file", stdin=asked))
                    self.assertEqual(self.run_tool("query", "-c", "-v", there, stdin=asked),
                                     self.run_tool("query", "-c", "-v", "file", stdin=asked))
                self.assertEqual(self.run_tool("doctor", there, status=None).replace(
                    there.encode(), b"file"), self.run_tool("doctor", "file", status=None))

    def test_keys_are_added_and_removed_where_the_filter_is(self):
        for kind in ("standard", "counting", "count-min", "age-partitioned"):
            there = self.at(kind)
            timed = kind == "age-partitioned"
            window, begun, at = ((["--window", "1h"], ["--at", 1000], ["--at", 2000]) if timed
                                 else ([], [], []))
            self.run_tool("build", "--kind", kind, "--keys", 30_000, *window, *begun, "-j1", "-o", "file",
                          stdin=lines(0, 10))
            self.run_tool("copy", "file", there)
            for name in ("file", there):
                self.run_tool("add", name, *at, stdin=lines(10, 25_000))
            self.assertEqual(stored(self.ask, kind), self.bytes_of("file"))
        self.run_tool("remove", self.at("counting"), stdin=lines(5, 9000))
        self.run_tool("build", "--kind", "counting", "--keys", 30_000, "-j1", "-o", "rest",
                      stdin=lines(0, 5) + lines(9000, 25_000))
        self.assertEqual(stored(self.ask, "counting"), self.bytes_of("rest"))
        stranger = self.run_tool("remove", self.at("counting"), "never there", "--json", status=1, notes=None)
        self.assertEqual(json.loads(stranger)["not_removed"], ["never there"])
        report = json.loads(self.run_tool("add", self.at("standard"), "key 7", "new one", "--json"))
        self.assertEqual((report["added"], report["new"]), (2, 1))

    def test_the_time_is_that_of_the_server_unless_it_is_said(self):
        self.run_tool("build", "--kind", "age-partitioned", "--window", "1h", "--keys", 1000, "-o", self.at("w"),
                      stdin=lines(0, 100))
        self.ask("BLOOM.ADDAT", "w", int(time.time() * 1000) + 100_000, "somebody's whose clock is ahead")
        self.run_tool("add", self.at("w"), stdin=lines(100, 200))
        self.assertEqual(self.run_tool("query", "-c", self.at("w"), stdin=lines(0, 200)), b"200\n")

    def hanging_up(self, command, after, info=lambda told: told):
        """A stand-in for the server that ends a conversation twice, when it has passed this command on, or before."""
        left = [2]

        def answering():
            behind = server.client()

            def answer(words):
                ends = words[0] == command and left[0] > 0
                left[0] -= ends
                if ends and not after:
                    raise OSError("enough")
                behind.send(*words)
                told = behind.read()
                if ends:
                    raise OSError("enough")
                return [encoded(info(told) if words[0] == b"INFO" else told)]
            return answer
        return self.faking(answering)

    def test_a_conversation_that_ends_is_taken_up_again(self):
        self.run_tool("build", "--kind", "blocked", "--keys", 20_000, "-j1", "-o", "file", stdin=lines(0, 20_000))
        for after in (True, False):
            self.run_tool("build", "--kind", "blocked", "--keys", 20_000, "-o", self.at("f"), stdin=b"")
            report = json.loads(self.run_tool("add", "--json", self.hanging_up(b"BLOOM.ADDP", after), stdin=lines(0, 20_000)))
            self.assertEqual(report["added"], 20_000)
            asked = lines(10_000, 40_000)
            self.assertEqual(self.run_tool("query", self.hanging_up(b"BLOOM.HASP", after), stdin=asked),
                             self.run_tool("query", "file", stdin=asked))
            # What may have counted is not sent again, nor anything to a server that has started anew.
            self.run_tool("build", "--kind", "counting", "--keys", 20_000, "-o", self.at("f"), stdin=b"")
            self.refused("add", self.hanging_up(b"BLOOM.ADDP", after), stdin=lines(0, 20_000), says="has taken the first 0 keys")
            items = redis_private.as_map(self.ask("BLOOM.INFO", "f"))[b"keys inserted"]
            self.assertEqual(items > 0, after)
            self.assertLessEqual(items, 8192)  # those of one command, once
            started = iter(range(100))
            other = lambda told: re.sub(rb"run_id:\w+", b"run_id:%d" % next(started), told)
            self.refused("query", self.hanging_up(b"BLOOM.HASP", after, other), stdin=asked, says="server")
        for kind, command in (("bloom", b"BF.INSERT"), ("cuckoo", b"CF.INSERT")):
            self.ask("DEL", "f")
            self.run_tool("build", "--format", f"redis-{kind}", "--keys", 1000, "-o", self.at("f"), stdin=b"a\n")
            there = self.hanging_up(command, True)
            if kind == "bloom":
                self.run_tool("add", there, stdin=lines(0, 500))
                self.assertEqual(self.run_tool("query", "-c", self.at("f"), stdin=lines(0, 500)), b"500\n")
            else:
                self.refused("add", there, stdin=lines(0, 500), says="has taken the first 0 keys")

    def test_what_was_ended_while_nothing_was_asked_counts_once(self):
        self.run_tool("build", "--kind", "counting", "--keys", 20_000, "-o", self.at("f"), stdin=b"")
        tool = subprocess.Popen([TOOL, "add", self.at("f")], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        tool.stdin.write(lines(0, 3000))
        tool.stdin.flush()
        items = lambda: redis_private.as_map(self.ask("BLOOM.INFO", "f"))[b"keys inserted"]
        while items() < 3000:
            time.sleep(0.01)
        self.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        _, noted = tool.communicate(lines(3000, 5000), timeout=redis_private.PATIENCE)
        self.assertEqual((tool.returncode, noted, items()), (0, b"", 5000))

    def test_who_removes_is_told_how_far_that_came(self):
        self.run_tool("build", "--kind", "counting", "--keys", 100, "-o", self.at("c"), stdin=lines(0, 10))
        def answering():
            behind = server.client()

            def answer(words):
                if words[0] == b"BLOOM.REMOVEP":
                    raise OSError("enough")
                behind.send(*words)
                return [encoded(behind.read())]
            return answer
        self.refused("remove", self.faking(answering).replace("/f", "/c"), "key 1", says="it is done with the first 0 keys")

    def test_filters_are_combined_across_places(self):
        self.run_tool("build", "--keys", 1000, "-o", self.at("a"), stdin=lines(0, 400))
        self.run_tool("build", "--keys", 1000, "-o", "b", stdin=lines(400, 800))
        self.run_tool("union", self.at("a"), "b", "-o", self.at("both"))
        self.run_tool("union", self.at("a"), "b", "-o", "both")
        self.assertEqual(stored(self.ask, "both"), self.bytes_of("both"))
        self.run_tool("union", self.at("a"), "b", "-o", self.at("a"))
        self.assertEqual(stored(self.ask, "a"), self.bytes_of("both"))
        self.assertEqual(self.run_tool("estimate", self.at("a")), self.run_tool("estimate", "both"))

    def test_a_filter_is_copied_between_files_and_servers(self):
        self.run_tool("build", "--kind", "fuse", "-o", "file", stdin=lines(0, 5000))
        self.run_tool("copy", "file", self.at("one"))
        self.run_tool("copy", self.at("one"), self.at("two"))
        self.run_tool("copy", self.at("two"), "back")
        self.assertEqual(self.bytes_of("back"), self.bytes_of("file"))
        self.ask("PEXPIRE", "one", 500_000)
        self.run_tool("copy", self.at("one"), self.at("expiring"))
        self.assertGreater(self.ask("PTTL", "expiring"), 400_000)
        self.assertEqual([key for key in self.ask("KEYS", "*loading*")], [])

    def test_what_is_replaced_keeps_its_time_to_live(self):
        self.run_tool("build", "--keys", 100, "-o", self.at("f"), stdin=lines(0, 10))
        self.ask("PEXPIRE", "f", 500_000)
        self.run_tool("build", "--keys", 100, "-o", self.at("f"), stdin=lines(0, 20))
        self.assertGreater(self.ask("PTTL", "f"), 400_000)

    def test_large_filters_go_in_pieces(self):
        self.run_tool("build", "--keys", "20M", "-o", self.at("large"), stdin=lines(0, 1000))
        self.run_tool("copy", self.at("large"), "large")
        self.assertGreater((self.folder / "large").stat().st_size, 20_000_000)
        self.assertEqual(self.run_tool("query", "-c", "large", stdin=lines(0, 1000)), b"1000\n")

    def test_a_key_may_hold_any_bytes(self):
        self.run_tool("build", "--keys", 100, "-o", self.at("a%2Fb%3F%25%00c"), stdin=lines(0, 10))
        self.assertEqual(self.ask("KEYS", "*"), [b"a/b?%\0c"])
        self.run_tool("build", "--keys", 100, "-o", self.at("f?db=3"), stdin=lines(0, 10))
        self.ask("SELECT", 3)
        self.assertEqual(self.ask("EXISTS", "f"), 1)
        for key in ("", "f?db=", "f?db=x", "f?database=1", "f%zz", "f%2"):
            self.refused("info", self.at(key), says="is no place in a Redis server")
        for place in ("redis://", "redis:///f", "redis://host", "redis://host/", "redis://host:0/f",
                      "redis://host:99999/f", "redis://host:x/f", "redis://user@host/f", "unix:///f"):
            self.refused("info", place, says="is no place in a Redis server")

    def test_a_password_is_sent_and_not_shown(self):
        at = lambda login: f"redis://{login}127.0.0.1:{bare.port}/f"
        told = self.refused("info", at(":wrong@"), says="the server says")
        self.assertNotIn("wrong@", told)
        self.refused("info", at(""), says="NOAUTH")
        self.refused("info", at(":se%20cret%2F@"), says="no such key")
        self.refused("info", at("default:se%20cret%2F@"), says="no such key")
        self.refused("info", at(":se%20cret%2F@").replace("/f", "/"), says="names no key")

    def test_others_who_change_it_meanwhile_lose_nothing(self):
        self.run_tool("build", "--keys", 100, "-o", "file", stdin=lines(0, 10))
        self.run_tool("copy", "file", self.at("f"))
        filter_bytes = self.bytes_of("file")
        self.ask("SET", "other", "value")
        # Between reading and writing somebody adds a key: a stand-in plays the server, and passes on the rest.
        def answering():
            behind = server.client()

            def answer(words):
                if words[0] == b"MULTI":
                    self.ask("BLOOM.ADD", "f", "somebody's")
                behind.send(*words)
                return [encoded(behind.read())]
            return answer
        there = self.faking(answering)
        self.refused("union", there, there, "-o", there, says="another client has changed it")
        self.assertEqual(self.ask("BLOOM.HAS", "f", "somebody's"), [1])
        self.assertEqual(self.ask("KEYS", "*loading*"), [])
        self.assertNotEqual(stored(self.ask, "f"), filter_bytes)

    def test_what_is_no_filter_is_left_alone(self):
        self.ask("SET", "text", "value")
        self.refused("info", self.at("text"), says="type string")
        self.refused("build", "--keys", 9, "-o", self.at("text"), stdin=b"a\n", says="does not replace")
        self.assertEqual(self.ask("GET", "text"), b"value")
        self.refused("query", self.at("nothing"), "key", says="no such key")
        self.refused("add", self.at("nothing"), "key", says="no such key")
        self.refused("copy", self.at("text"), "file", says="own types")
        self.run_tool("build", "--keys", 9, "-o", "f", stdin=b"a\n")
        self.refused("diff", "f", "f", "-o", self.at("f"), says="a server keeps filters")
        self.refused("copy", "f", f"redis://:se%20cret%2F@127.0.0.1:{bare.port}/f", says="bloomery.so")
        self.refused("info", f"unix://{server.place}.not/f", says="no connection")


class Page(Redis):
    """docs/redis-native.md, as it is printed."""
    TEXT = (SOURCE / "docs" / "redis-native.md").read_text()

    def blocks(self, language):
        found = re.findall(rf"^```{language}\n(.*?)^```$", self.TEXT, re.M | re.S)
        self.assertTrue(found)
        return found

    def test_sessions_are_what_redis_cli_shows(self):
        for block in self.blocks("redis"):
            for command, expected in re.findall(r"^> (.*)\n((?:(?!> ).*\n)*)", block, re.M):
                with self.subTest(command):
                    shown = subprocess.run(["redis-cli", "-s", server.place, "--no-raw"], text=True,
                                           input=command + "\n", capture_output=True, check=True)
                    self.assertEqual(shown.stdout.strip(), expected.strip())

    def test_commands_run(self):
        (self.folder / "bloomery").symlink_to(TOOL)
        for block in self.blocks("bash"):
            done = subprocess.run(["bash", "-euc", block.replace("redis://localhost/", self.at(""))],
                                  cwd=self.folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("alice\nuser7\n", done.stdout)


class Migration(Redis):
    """From servers whose dumps this one does not restore."""

    def later(self, payload, kind):
        """A server that has dumped this under a key of that type."""
        answers = {b"TYPE": b"+%s\r\n" % kind, b"PTTL": b":-1\r\n", b"DUMP": encoded(payload)}
        return self.fake(lambda words: [answers.get(words[0], b"-ERR unknown command\r\n")])

    def test_values_of_a_later_server_are_copied(self):
        made = {"MBbloom--": [("BF.RESERVE", "old", 0.01, 1000), ("BF.MADD", "old", *range(200))],
                "MBbloomCF": [("CF.RESERVE", "old", 1000), ("CF.INSERT", "old", "ITEMS", *range(200))],
                "CMSk-TYPE": [("CMS.INITBYDIM", "old", 100, 5), ("CMS.INCRBY", "old", "a", 7, "b", 9)],
                "TopK-TYPE": [("TOPK.RESERVE", "old", 3), ("TOPK.ADD", "old", "a", "b", "a", "c", "d")]}
        for kind, commands in made.items():
            with self.subTest(kind):
                self.ask("FLUSHALL")
                for words in commands:
                    self.ask(*words)
                payload = resealed(self.ask("DUMP", "old"), 80)
                self.assertIn("version", self.ask.refused("RESTORE", "direct", 0, payload))
                there = self.later(payload, kind.encode())
                report = json.loads(self.run_tool("copy", there, self.at("new"), "--json"))
                self.assertEqual(report["type"], kind)
                self.assertEqual(self.ask("DUMP", "new"), self.ask("DUMP", "old"))
                if kind in ("MBbloom--", "MBbloomCF"):
                    self.run_tool("copy", there, "file")
                    self.assertEqual(self.bytes_of("file"), resealed(payload, 9))
                else:
                    self.refused("copy", there, "file", says="in no form for a file")
                self.ask("SET", "text", "value")
                self.refused("copy", there, self.at("text"), says="does not replace")

    def test_damaged_dumps_are_refused_before_they_are_sent_on(self):
        self.ask("BF.RESERVE", "old", 0.01, 1000)
        good = self.ask("DUMP", "old")
        random_ = random.Random(1)
        for i in range(60):
            at = random_.randrange(len(good))
            bad = good[:at] + bytes([good[at] ^ 1 << i % 8]) + good[at + 1:]
            self.refused("copy", self.later(bad, b"MBbloom--"), self.at("new"), says="damaged")
        self.assertEqual(self.ask("EXISTS", "new"), 0)


class HostileServers(Redis):
    def test_answers_that_make_no_sense_are_refused(self):
        described = [b"kind", b"standard", b"hash id", 1, b"hash tag", b"7", b"runs on time", 0]
        for info in (b"+OK\r\n", b":1\r\n", b"*0\r\n", b"$-1\r\n", encoded([b"kind"]),
                     encoded(described[:-2]), encoded([b"kind", b"no such kind", *described[2:]]),
                     encoded([*described[:3], 77, *described[4:]]),
                     encoded([*described[:5], b"x", *described[6:]]), b"garbage\r\n", b"$5\r\nab\r\n",
                     b"*1000000000\r\n", b"*2147483647\r\n", b"$-7\r\n", b"*-9\r\n", b"+" + b"x" * 3_000_000,
                     b"*1\r\n" * 20, b"-" + b"E" * 5000 + b"\x1b[31m\r\n"):
            with self.subTest(info[:60]):
                answers = {b"TYPE": b"+bloomery1\r\n", b"BLOOM.INFO": info}
                there = self.fake(lambda words, a=answers: [a.get(words[0], b"-ERR no\r\n")])
                if info in (b"$5\r\nab\r\n",):
                    continue  # one that ends later is only slow
                message = self.refused("query", there, "key")
                self.assertLess(len(message), 1000)
                self.assertNotIn("\x1b", message)

    def test_answers_that_do_not_end_are_not_kept(self):
        def endless(words):
            if words[0] == b"TYPE":
                yield b"+bloomery1\r\n"
                return
            yield b"*2\r\n:0\r\n$900000000000\r\n"
            while True:
                yield b"x" * (1 << 20)
        self.refused("info", self.fake(endless), says="")

        def pieces(words):
            if words[0] == b"TYPE":
                yield b"+bloomery1\r\n"
                return
            yield encoded([int(words[2]) + (1 << 20), b"x" * (1 << 20)])
        self.refused("info", "--max-memory", "8MiB", self.fake(pieces), says="more than 8 MiB")

    def test_bits_must_be_as_many_as_were_asked_for(self):
        described = [b"kind", b"standard", b"hash id", 1, b"hash tag", b"7", b"runs on time", 0]
        for reply in (b"$0\r\n\r\n", encoded(b"ab"), b":1\r\n", b"$-1\r\n"):
            answers = {b"TYPE": b"+bloomery1\r\n", b"BLOOM.INFO": encoded(described), b"BLOOM.HASP": reply}
            there = self.fake(lambda words, a=answers: [a.get(words[0], b"-ERR no\r\n")])
            self.refused("query", there, "key", says="not of the form")

    def test_filters_that_are_damaged_are_refused(self):
        self.run_tool("build", "--keys", 100, "-o", "f", stdin=lines(0, 10))
        good = self.bytes_of("f")
        for bad in (good[:-1], good + b"x", good[:100] + b"\xff" + good[101:], b"", b"x" * 300,
                    good[:40] + struct.pack("<Q", 1 << 60) + good[48:]):
            answers = {b"TYPE": b"+bloomery1\r\n", b"BLOOM.DUMP": encoded([0, bad])}
            there = self.fake(lambda words, a=answers: [a[words[0]]])
            self.refused("info", there)
            self.refused("union", there, there, "-o", "out")


if __name__ == "__main__":
    unittest.main()
