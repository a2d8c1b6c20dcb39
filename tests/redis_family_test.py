"""Keys that are parts of one filter over many: what they refuse, and that they stay what they are."""
import time
import unittest

import redis_private
from redis_layouts import dump, s, u
from redis_private import Server, as_map, stored
from tool import Tool

PACKED = bytes(range(16)) * 3
MOST = 2 ** 64 - 1


def setUpModule():
    global server
    redis_private.require()
    server = Server("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
    unittest.addModuleCleanup(server.stop)


class Family(Tool):
    def setUp(self):
        super().setUp()
        self.ask = server.client()
        self.ask("FLUSHALL")

    def membership(self, key="f", ask=None):
        told = as_map((ask or self.ask)("BLOOM.INFO", key))
        return (int(told[b"family"]), int(told[b"epoch"])) if b"family" in told else None

    def test_a_part_knows_its_family_from_the_start(self):
        self.ask("BLOOM.CREATE", "f", "counting", "KEYS", 100, "OF", MOST, MOST - 1)
        self.assertEqual(self.membership(), (MOST, MOST - 1))
        self.assertEqual(self.ask("BLOOM.ADDP", "f", PACKED, "OF", MOST, MOST - 1), b"\x80")
        self.assertEqual(self.ask("BLOOM.HASP", "f", PACKED, "OF", MOST, MOST - 1), b"\xe0")
        self.assertEqual(self.ask("BLOOM.REMOVEP", "f", PACKED, "OF", MOST, MOST - 1), b"\xe0")
        self.ask("BLOOM.CREATE", "plain", "standard", "KEYS", 100)
        self.assertIsNone(self.membership("plain"))
        for command in ("BLOOM.ADDP", "BLOOM.HASP"):
            self.assertIn("FOREIGN", self.ask.refused(command, "plain", PACKED, "OF", 1, 1))
        self.assertEqual(self.ask("BLOOM.ADDP", "f", PACKED), b"\x80")  # of whoever says nothing, nothing is known

    def test_an_epoch_rises_and_never_falls(self):
        self.ask("BLOOM.CREATE", "f", "standard", "KEYS", 100)
        self.assertEqual(self.ask("BLOOM.FENCE", "f", 7, 3), "OK")
        self.assertEqual(self.ask("BLOOM.FENCE", "f", 7, 3), "OK")
        self.assertIn("STALE", self.ask.refused("BLOOM.FENCE", "f", 7, 2))
        self.assertIn("FOREIGN", self.ask.refused("BLOOM.FENCE", "f", 8, 9))
        before = stored(self.ask, "f")
        for command in ("BLOOM.ADDP", "BLOOM.HASP"):
            self.assertIn("STALE", self.ask.refused(command, "f", PACKED, "OF", 7, 2))
        self.assertEqual(stored(self.ask, "f"), before)
        self.assertEqual(self.ask("BLOOM.HASP", "f", PACKED, "OF", 7, 5), b"\0")  # it has not heard of it yet
        self.assertEqual(self.membership(), (7, 3))
        self.ask("BLOOM.ADDP", "f", PACKED, "OF", 7, 5)
        self.assertEqual(self.membership(), (7, 5))

    def test_words_that_make_no_sense_are_refused(self):
        self.ask("BLOOM.CREATE", "f", "standard", "KEYS", 100)
        for words in ((0, 1), ("x", 1), (1, "x"), (-1, 1), (2 ** 64, 1), (1, 2 ** 64), ("", 1)):
            self.ask.refused("BLOOM.FENCE", "f", *words)
            self.ask.refused("BLOOM.ADDP", "f", PACKED, "OF", *words)
            self.ask.refused("BLOOM.CREATE", "g", "standard", "KEYS", 9, "OF", *words)
        for words in (("OF",), ("OF", 1), ("OF", 1, 1, 1), ("AT",), ("BY", 1, 1), ("OF", 1, 1, "AT")):
            self.ask.refused("BLOOM.ADDP", "f", PACKED, *words)
            self.ask.refused("BLOOM.HASP", "f", PACKED, *words)
        self.assertIn("no such key", self.ask.refused("BLOOM.FENCE", "none", 1, 1))
        self.ask("BLOOM.LOAD", "half", 0, stored(self.ask, "f")[:100])
        self.assertIn("arriving", self.ask.refused("BLOOM.FENCE", "half", 1, 1))
        self.assertIsNone(self.membership())

    def test_a_window_takes_a_time_and_a_family(self):
        self.ask("BLOOM.CREATE", "f", "age-partitioned", "KEYS", 100, "WINDOW", "1h", "OF", 3, 1)
        self.ask("BLOOM.ADDP", "f", PACKED, "OF", 3, 1, "AT", 1000)
        self.assertEqual(self.ask("BLOOM.HASP", "f", PACKED, "AT", 2000, "OF", 3, 1), b"\xe0")
        self.assertIn("STALE", self.ask.refused("BLOOM.HASP", "f", PACKED, "AT", 2000, "OF", 3, 0))

    def test_it_is_kept_copied_and_told_to_replicas(self):
        replica = Server(port=redis_private.free_port())
        self.addCleanup(replica.stop)
        master = Server(port=redis_private.free_port())
        self.addCleanup(master.stop)
        replica.client()("REPLICAOF", "127.0.0.1", master.port)
        for ask in (self.ask, master.client()):
            ask("BLOOM.CREATE", "f", "age-partitioned", "KEYS", 100, "WINDOW", "1h", "OF", 5, 1)
            ask("BLOOM.ADDP", "f", PACKED, "OF", 5, 2)  # at the server's time
            ask("BLOOM.FENCE", "f", 5, MOST)
            ask("COPY", "f", "g")
        there = replica.client()
        until = time.monotonic() + redis_private.PATIENCE
        while there("EXISTS", "g") == 0 and time.monotonic() < until:
            time.sleep(0.02)
        self.assertEqual(self.membership("g", there), (5, MOST))
        self.assertEqual(stored(there, "f"), stored(master.client(), "f"))
        self.ask("DEBUG", "RELOAD")
        self.assertEqual((self.membership(), self.membership("g")), ((5, MOST), (5, MOST)))
        self.ask("BGREWRITEAOF")
        while b"aof_rewrite_in_progress:0" not in self.ask("INFO", "persistence") and time.monotonic() < until:
            time.sleep(0.02)
        self.ask("DEBUG", "LOADAOF")
        self.assertEqual((self.membership(), self.membership("g")), ((5, MOST), (5, MOST)))
        self.ask("BLOOM.CREATE", "s", "standard", "KEYS", 100, "OF", 6, 1)
        self.ask("BLOOM.CREATE", "t", "standard", "KEYS", 100)
        self.ask("BLOOM.MERGE", "s", 1, "t")
        self.assertEqual(self.membership("s"), (6, 1))

    def test_what_was_dumped_before_there_were_families_is_read(self):
        self.ask("BLOOM.CREATE", "f", "standard", "KEYS", 100)
        self.ask("BLOOM.ADD", "f", "alice")
        bytes_ = stored(self.ask, "f")
        self.ask("RESTORE", "old", 0, dump("bloomery1", 0, u(len(bytes_)) * 2 + s(bytes_)))
        self.assertEqual(stored(self.ask, "old"), bytes_)
        self.assertIsNone(self.membership("old"))
        for family, epoch in ((0, 1), (0, MOST)):  # which no file of commands could say
            bad = dump("bloomery1", 1, u(family) + u(epoch) + u(len(bytes_)) * 2 + s(bytes_))
            self.ask.refused("RESTORE", "bad", 0, bad)

    def test_estimates_have_the_confidence_that_is_asked_for(self):
        self.ask("BLOOM.CREATE", "f", "standard", "KEYS", 1000)
        self.ask("BLOOM.ADD", "f", *range(600))
        width = lambda *words: (lambda told: float(told[b"high"]) - float(told[b"low"]))(
            as_map(self.ask("BLOOM.ESTIMATE", "f", *words)))
        self.assertEqual(width(), width("CONFIDENCE", "95%"))
        self.assertGreater(width("CONFIDENCE", "99.9%"), 1.5 * width())
        for words in (("CONFIDENCE",), ("CONFIDENCE", 0), ("CONFIDENCE", 1), ("CONFIDENCE", "x"), ("x", 0.9)):
            self.ask.refused("BLOOM.ESTIMATE", "f", *words)


if __name__ == "__main__":
    unittest.main()
