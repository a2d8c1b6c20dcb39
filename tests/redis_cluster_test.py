"""One filter over a Redis Cluster: what is true of a filter in a file is true of one in shards, while slots move and
servers die."""
import json
import os
import re
import subprocess
import threading
import time
import unittest

import redis_private
from cli_redis_test import Fake
from redis_cluster import SLOTS, Cluster, Failure, Port, free_ports
from redis_private import as_map
from tool import PATIENCE, SOURCE, TOOL, Tool, lines, most_of


def setUpModule():
    global quiet
    redis_private.require()
    quiet = Cluster()
    unittest.addModuleCleanup(quiet.stop)


class OnCluster(Tool):
    """With a cluster whose slots stay where they are, which is emptied before each test."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = quiet

    def setUp(self):
        super().setUp()
        for node in self.cluster.masters:
            node.ask("FLUSHALL")

    def at(self, name="f", node=0):
        return self.cluster.at(name, node)

    def shards(self, name="f"):
        return sorted((key for key in self.cluster.keys() if key.startswith(name + ":{")),
                      key=lambda key: int(key.split(":")[2]))

    def told_of(self, key):
        return as_map(self.cluster.keys()[key].ask("BLOOM.INFO", key))

    def spread(self, name="f"):
        for node in self.cluster.masters:
            try:
                return json.loads(node.ask("GET", name))
            except Failure:
                pass  # MOVED


class Whole(OnCluster):
    def test_a_filter_in_shards_is_built_asked_and_filled(self):
        self.run_tool("build", "--kind", "blocked", "--keys", 20_000, "--shards", 12, "-o", self.at(),
                      stdin=lines(0, 15_000))
        shards = self.shards()
        self.assertEqual(len(shards), 12)
        masters = [self.cluster.keys()[key] for key in shards]
        self.assertEqual([masters.count(node) for node in self.cluster.masters], [4, 4, 4])
        self.run_tool("add", self.at(node=1), stdin=lines(15_000, 20_000))
        for node in range(6):  # replicas send us on
            answer = self.run_tool("query", "-c", self.at(node=node), stdin=lines(0, 20_000))
            self.assertEqual(answer, b"20000\n")
        self.assertEqual(sum(self.told_of(key)[b"keys inserted"] for key in shards), 20_000)
        self.assertEqual(self.run_tool("query", self.at(), "key 7", "key 19999"), b"key 7\nkey 19999\n")

    def test_the_rate_on_twelve_shards_is_as_promised(self):
        for kind in ("blocked", "standard", "cuckoo"):
            self.run_tool("build", "--kind", kind, "--keys", 60_000, "--fpr", "1%", "--shards", 12,
                          "-o", self.at(kind), stdin=lines(0, 60_000))
            asked = 200_000
            claimed = int(self.run_tool("query", "-c", self.at(kind), status=None,
                                        stdin=lines(0, asked, "stranger ")))
            # A promise is kept in expectation over hashes: some spread of theirs is the filter's own.
            self.assertLessEqual(claimed, most_of(asked, 0.0102), kind)
            self.assertGreater(claimed, 0, kind)

    def test_shards_of_a_size(self):
        self.run_tool("build", "--keys", "1M", "--shards", "100KiB", "-o", self.at(), stdin=b"a\n")
        shards = self.shards()
        sizes = [self.told_of(key)[b"bytes"] for key in shards]
        self.assertLessEqual(max(sizes), 100 << 10)
        self.assertGreater(max(sizes), 90 << 10)
        self.assertEqual(len(set(sizes)), 1)

    def test_secrets_windows_and_fields_are_those_of_other_filters(self):
        self.write("secret", bytes(range(32)))
        self.run_tool("build", "--shards", 5, "--key-file", "secret", "-o", self.at("keyed"), stdin=lines(0, 500))
        self.assertEqual(self.run_tool("query", "-c", "--key-file", "secret", self.at("keyed"), stdin=lines(0, 500)), b"500\n")
        self.refused("query", self.at("keyed"), "key 1", says="--key-file")
        self.run_tool("build", "--kind", "age-partitioned", "--window", "1h", "--keys", 1000, "--shards", 3, "--at", 1000,
                      "-o", self.at("w"), stdin=lines(0, 100))
        self.run_tool("add", "--at", 2_000_000, self.at("w"), stdin=lines(100, 200))
        self.assertEqual(self.run_tool("query", "-c", "--at", 2_000_000, self.at("w"), stdin=lines(0, 200)), b"200\n")
        late = int(self.run_tool("query", "-c", "--at", 8_000_000, self.at("w"), stdin=lines(0, 200), status=None))
        self.assertLessEqual(late, most_of(200, 0.01))
        self.run_tool("build", "--kind", "blocked", "--set", "blocks=10", "--set", "hashes=4", "--shards", 4, "-o",
                      self.at("fixed"), stdin=lines(0, 50))
        self.assertEqual(self.spread("fixed")["generations"][0]["keys"], "0")
        self.refused("add", self.at("fixed"), "--grow", 100, stdin=b"", says="promises no rate")

    def test_a_plain_filter_in_a_cluster_is_found(self):
        for name in ("plain", "a}b", "a{}b", "{t}x", "a{b}c{d}"):
            self.run_tool("build", "--keys", 100, "-o", self.at(name), stdin=lines(0, 50))
            for node in range(3):
                self.assertEqual(self.run_tool("query", "-c", self.at(name, node), stdin=lines(0, 50)), b"50\n")

    def test_the_time_is_that_of_the_servers_unless_it_is_said(self):
        self.run_tool("build", "--kind", "age-partitioned", "--window", "1h", "--keys", 1000, "--shards", 3, "-o",
                      self.at("w"), stdin=lines(0, 100))
        for key in self.shards("w"):  # of another client, whose clock is ahead of ours
            self.cluster.keys()[key].ask("BLOOM.ADDAT", key, int(time.time() * 1000) + 100_000, "x")
        self.run_tool("add", self.at("w"), stdin=lines(100, 200))
        self.assertEqual(self.run_tool("query", "-c", self.at("w"), stdin=lines(0, 200)), b"200\n")
        self.run_tool("doctor", self.at("w"))

    def test_conversations_that_ended_while_nothing_was_asked_are_no_loss(self):
        self.run_tool("build", "--kind", "spectral", "--keys", 10_000, "--shards", 6, "-o", self.at("c"), stdin=b"")
        items = lambda: sum(self.told_of(key)[b"keys inserted"] for key in self.shards("c"))
        tool = fed("add", "--json", self.at("c"), folder=self.folder)
        tool.stdin.write(lines(0, 3000))
        tool.stdin.flush()
        Cluster.until(lambda: items() == 3000)
        for node in self.cluster.nodes:
            node.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        told, noted = tool.communicate(lines(3000, 5000), timeout=PATIENCE)
        self.assertEqual((tool.returncode, noted), (0, b""))
        self.assertEqual((json.loads(told)["added"], items()), (5000, 5000))

    def test_a_build_that_no_replica_acknowledged_leaves_a_whole_filter(self):
        self.run_tool("build", "--keys", 1000, "--shards", 4, "-o", self.at(), stdin=lines(0, 500))
        old = self.shards()
        tool = fed("build", "--keys", 1000, "--shards", 4, "--wait", 1, "--patience", "500ms", "-o", self.at(),
                   folder=self.folder)
        tool.stdin.write(lines(500, 1000))
        tool.stdin.flush()
        new = lambda: [key for key in self.shards() if key not in old]
        Cluster.until(lambda: sum(self.told_of(key)[b"keys inserted"] for key in new()) == 500)
        time.sleep(0.5)  # for it to hear that its replicas have them: else it fails earlier, and nothing is replaced
        for replica in self.cluster.replicas:
            self.addCleanup(replica.resume)
            replica.pause()
        _, noted = tool.communicate(timeout=PATIENCE)
        self.assertEqual(tool.returncode, 2, noted)
        self.assertIn(b"replica", noted)
        there = [int(self.run_tool("query", "-c", self.at(), stdin=asked, status=None))
                 for asked in (lines(0, 500), lines(500, 1000))]
        self.assertIn(500, there)



def fed(*arguments, folder):
    """The tool as it reads a pipe, for a test to write to."""
    return subprocess.Popen([TOOL, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, cwd=folder)


class Feeder(threading.Thread):
    """Writes numbered keys until it is told to stop, or the reader ends."""

    def __init__(self, tool, first=0, at_once=2000, most=4_000_000):
        super().__init__(daemon=True)
        self.tool, self.written, self.at_once, self.most = tool, first, at_once, most
        self.stopping = threading.Event()
        self.start()

    def run(self):
        try:
            while not self.stopping.is_set() and self.written < self.most:
                self.tool.stdin.write(lines(self.written, self.written + self.at_once))
                self.tool.stdin.flush()
                self.written += self.at_once
                time.sleep(0.005)
        except OSError:
            pass

    def finish(self):
        self.stopping.set()
        self.join(PATIENCE)
        try:
            self.tool.stdin.close()
        except OSError:
            pass
        self.tool.stdin = None
        told, noted = self.tool.communicate(timeout=PATIENCE)
        return self.tool.returncode, told, noted.decode()


class Moving(OnCluster):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)

    def redirected(self, how):
        return sum(int(line.split(b"=")[1]) for node in self.cluster.masters
                   for line in node.ask("INFO", "errorstats").splitlines()
                   if line.startswith(b"errorstat_%s:" % how))

    def items(self, name="f"):
        return sum(self.told_of(key)[b"keys inserted"] for key in self.shards(name))

    def load_while_slots_move(self, name):
        before = self.redirected(b"MOVED"), self.redirected(b"ASK")
        tool = fed("add", self.at(name), "--json", folder=self.folder)
        feeder = Feeder(tool)
        Cluster.until(lambda: self.items(name) > 0)
        masters = self.cluster.masters
        moves = [(key, self.cluster.keys()[key]) for key in self.shards(name)[::3]]
        for key, source in moves:
            target = masters[(masters.index(source) + 1) % len(masters)]
            asked = self.redirected(b"ASK")
            gone = lambda: not source.ask("CLUSTER", "COUNTKEYSINSLOT", self.cluster.slot_of(key))

            def until_asked():
                if gone():  # and until the slot is the other's, each key of it is asked for there
                    Cluster.until(lambda: self.redirected(b"ASK") > asked)
            self.cluster.move_slot(self.cluster.slot_of(key), source, target, until_asked)
        # That of the name, for those who begin meanwhile.
        owner = self.cluster.keys()[name]
        begin = lambda: [self.run_tool("info", self.cluster.at(name, node)) for node in range(3)]
        self.cluster.move_slot(self.cluster.slot_of(name), owner, masters[masters.index(owner) - 1], begin)
        moved = self.redirected(b"MOVED")
        Cluster.until(lambda: self.redirected(b"MOVED") > before[0])
        status, told, noted = feeder.finish()
        self.assertEqual((status, noted), (0, ""))
        self.assertGreater(self.redirected(b"ASK"), before[1])
        self.assertEqual(json.loads(told)["added"], feeder.written)
        return feeder.written, moved

    def test_nothing_is_lost_while_slots_move(self):
        self.run_tool("build", "--kind", "blocked", "--keys", "200k", "--shards", 12, "-o", self.at(), stdin=b"")
        owners = self.cluster.keys()
        written, _ = self.load_while_slots_move("f")
        self.assertNotEqual(self.cluster.keys(), owners)
        self.assertEqual(self.run_tool("query", "-c", self.at(), stdin=lines(0, written)), b"%d\n" % written)

    def test_kinds_that_count_count_each_key_once_while_slots_move(self):
        self.run_tool("build", "--kind", "spectral", "--keys", "200k", "--shards", 12, "-o", self.at("c"), stdin=b"")
        written, _ = self.load_while_slots_move("c")
        self.assertEqual(self.items("c"), written)


class Dying(Tool):
    """A cluster for each test: what it kills stays dead."""

    def setUp(self):
        super().setUp()
        self.cluster = Cluster()
        self.addCleanup(self.cluster.stop)

    items_at = lambda self, node: sum(as_map(node.ask("BLOOM.INFO", key))[b"keys inserted"]
                                      for key in node.ask("KEYS", "f:*"))

    def load_and_kill(self, *options):
        """Kills a master that waits for a replica which has stopped; that is its heir."""
        first, heir = self.cluster.masters[0], self.cluster.replicas[0]
        tool = fed("add", self.cluster.at("f", node=1), *options, folder=self.folder)
        feeder = Feeder(tool)
        Cluster.until(lambda: self.items_at(first) > 20_000)
        heir.pause()
        Cluster.until(lambda: b"blocked_clients:1" in first.ask("INFO", "clients"))
        before = self.items_at(first)
        first.kill()
        heir.resume()
        Cluster.until(lambda: heir.ask("CLUSTER", "FAILOVER", "TAKEOVER") == "OK")
        Cluster.until(lambda: all(b"cluster_state:ok" in node.ask("CLUSTER", "INFO")
                                  for node in [heir, *self.cluster.masters[1:]]))
        self.cluster.masters[0] = heir
        return feeder, before

    def test_what_is_acknowledged_by_a_replica_outlives_its_master(self):
        self.run_tool("build", "--kind", "blocked", "--keys", "1M", "--shards", 12, "-o",
                      self.cluster.at("f"), stdin=b"")
        feeder, _ = self.load_and_kill("--wait", 1, "--patience", "2s")
        Cluster.until(lambda: feeder.tool.poll() is not None)  # the heir has no replica
        status, told, noted = feeder.finish()
        self.assertEqual((status, told), (2, b""))
        self.assertIn("replica", noted)
        certain = int(noted.split("the first ")[1].split()[0].replace(",", ""))
        self.assertGreater(certain, 20_000)
        self.assertLess(certain, feeder.written)
        answer = self.run_tool("query", "-c", self.cluster.at("f", node=1), stdin=lines(0, certain))
        self.assertEqual(answer, b"%d\n" % certain)
        # Without the promise, it goes on with the heir.
        self.run_tool("add", self.cluster.at("f", node=2), stdin=lines(0, 50_000))
        self.assertEqual(self.run_tool("query", "-c", self.cluster.at("f", node=2), stdin=lines(0, 50_000)), b"50000\n")

    def test_kinds_that_count_are_not_sent_what_may_be_counted(self):
        self.run_tool("build", "--kind", "spectral", "--keys", "1M", "--shards", 12, "-o",
                      self.cluster.at("f"), stdin=b"")
        feeder, _ = self.load_and_kill("--wait", 1, "--patience", "20s")
        Cluster.until(lambda: feeder.tool.poll() is not None)
        status, told, noted = feeder.finish()
        self.assertEqual((status, told), (2, b""))
        self.assertIn("could count twice", noted)
        certain = int(noted.split("the first ")[1].split()[0].replace(",", ""))
        items = sum(self.items_at(node) for node in self.cluster.masters)
        self.assertGreaterEqual(items, certain)
        self.assertLessEqual(items, feeder.written)


class Families(OnCluster):
    def build(self, name="f", *options):
        self.run_tool("build", "--kind", "blocked", "--keys", 3000, "--shards", 4, *options, "-o", self.at(name),
                      stdin=lines(0, 2000))

    def raw(self, key, *words):
        one = Port(self.cluster.keys()[key].port)
        self.addCleanup(one.close)
        return one.refused(words[0], key, *words[1:])

    def test_shards_refuse_who_knows_an_earlier_epoch_or_another_family(self):
        self.build()
        key = self.shards()[0]
        family, epoch = self.told_of(key)[b"family"], int(self.told_of(key)[b"epoch"])
        self.run_tool("add", self.at(), "--grow", 3000, stdin=b"")
        packed = bytes(16)
        for command in ("BLOOM.ADDP", "BLOOM.HASP"):
            self.assertIn("STALE", self.raw(key, command, packed, "OF", family, epoch))
            self.assertIn("FOREIGN", self.raw(key, command, packed, "OF", int(family) ^ 1, epoch + 1))
        self.assertEqual(self.cluster.keys()[key].ask("BLOOM.HASP", key, packed, "OF", family, epoch + 1), b"\0")

    def test_who_loads_goes_on_with_a_new_generation(self):
        self.build("f", "--fpr", "0.1%")
        tool = fed("add", self.at(), "--json", folder=self.folder)
        feeder = Feeder(tool, first=2000, at_once=100)
        Cluster.until(lambda: sum(self.told_of(key)[b"keys inserted"] for key in self.shards()) > 2500)
        self.run_tool("add", self.at(), "--grow", "200k", "--json", stdin=b"")
        added = lambda: sum(self.told_of(key)[b"keys inserted"] for key in self.shards())
        now = added()
        Cluster.until(lambda: added() > now + 1000)
        status, told, noted = feeder.finish()
        self.assertEqual((status, noted), (0, ""))
        self.assertEqual(self.run_tool("query", "-c", self.at(), stdin=lines(0, feeder.written)),
                         b"%d\n" % feeder.written)
        old, new = self.spread()["generations"]
        held = [sum(self.told_of(key)[b"keys inserted"] for key in self.shards()
                    if key.endswith("%016x" % int(each["family"]))) for each in (old, new)]
        self.assertGreater(held[1], 1000)
        self.assertLess(held[0], feeder.written - 1000)

    def test_a_generation_that_was_begun_and_never_ended_is_got_over(self):
        self.build()
        for key, node in self.cluster.keys().items():
            if key != "f":
                told = as_map(node.ask("BLOOM.INFO", key))
                node.ask("BLOOM.FENCE", key, told[b"family"], int(told[b"epoch"]) + 1)
        answer = self.run_tool("query", "-c", "--patience", "100ms", self.at(), stdin=lines(0, 2000))
        self.assertEqual(answer, b"2000\n")
        self.assertEqual(self.spread()["epoch"], "2")
        self.run_tool("add", self.at(), "--grow", 3000, stdin=b"")
        self.assertEqual(self.spread()["epoch"], "3")

    def test_a_generation_adds_its_rate_and_known_keys_are_not_added_again(self):
        self.run_tool("build", "--kind", "blocked", "--keys", 40_000, "--fpr", "2%", "--shards", 12, "-o",
                      self.at(), stdin=lines(0, 40_000))
        self.run_tool("add", self.at(), "--grow", 40_000, stdin=b"")
        self.run_tool("add", self.at(), stdin=lines(0, 80_000))
        newest = "%016x" % int(self.spread()["generations"][1]["family"])
        held = sum(self.told_of(key)[b"keys inserted"] for key in self.shards() if key.endswith(newest))
        self.assertLessEqual(held, 40_000)
        self.assertGreater(held, 38_500)  # but for those that the first one claims wrongly
        info = self.info(self.at())
        self.assertAlmostEqual(info["promised"]["rate"], 1 - 0.98 * 0.99)
        asked = 200_000
        claimed = int(self.run_tool("query", "-c", self.at(), stdin=lines(0, asked, "stranger ")))
        self.assertLessEqual(claimed, most_of(asked, 0.0302))
        keys = json.loads(self.run_tool("estimate", self.at(), "--confidence", "99.9999%", "--json"))["keys"]
        self.assertTrue(keys["low"] < 40_000 + held < keys["high"], keys)
        for kind in ("counting", "cuckoo", "spectral", "age-partitioned"):
            window = ["--window", "1h"] if kind == "age-partitioned" else []
            self.run_tool("build", "--kind", kind, *window, "--keys", 100, "--shards", 2, "-o", self.at(kind), stdin=b"a\n")
            self.refused("add", "--grow", 100, self.at(kind), stdin=b"", says="which generation")

    def test_of_several_who_make_it_grow_each_does_or_says_that_it_has_not(self):
        self.build()
        growing = [fed("add", self.at(node=i), "--grow", 3000, folder=self.folder) for i in range(3)]
        told = [tool.communicate(lines(2000, 2100), timeout=PATIENCE)[1].decode() for tool in growing]
        done = [tool.returncode for tool in growing]
        self.assertIn(0, done)
        for status, noted in zip(done, told):
            self.assertEqual(status, 2 if "run this again" in noted else 0, noted)
        self.assertEqual(len(self.spread()["generations"]), 1 + done.count(0))
        self.assertEqual(len(self.shards()), 4 * (1 + done.count(0)))  # of the others nothing is left
        answer = self.run_tool("query", "-c", "--patience", "1s", self.at(), stdin=lines(0, 2100))
        self.assertEqual(answer, b"2100\n")

    def test_who_asks_does_not_go_on_with_another_filter(self):
        self.build()
        for node in self.cluster.masters:
            node.ask("CONFIG", "RESETSTAT")
        tool = fed("query", "-c", self.at(), folder=self.folder)
        tool.stdin.write(lines(0, 100))
        tool.stdin.flush()
        Cluster.until(lambda: any(b"cmdstat_bloom.hasp" in node.ask("INFO", "commandstats")
                                  for node in self.cluster.masters))
        self.run_tool("build", "--kind", "blocked", "--seed", 7, "--keys", 3000, "--shards", 4, "-o", self.at(),
                      stdin=lines(0, 2000))
        _, noted = tool.communicate(lines(100, 2000), timeout=PATIENCE)
        self.assertEqual(tool.returncode, 2, noted)

    def test_a_filter_is_replaced_whole(self):
        self.build()
        before = self.shards()
        self.build("f", "--fpr", "0.1%")
        self.assertEqual(len(self.shards()), 4)
        self.assertFalse(set(before) & set(self.shards()))
        self.cluster.keys()  # of the first build nothing is left
        node = self.cluster.keys()[self.shards()[0]]
        node.ask("DEL", self.shards()[0])
        self.refused("query", self.at(), stdin=lines(0, 100), says="shard 1 of 4")


class Reports(OnCluster):
    def setUp(self):
        super().setUp()
        self.run_tool("build", "--kind", "blocked", "--keys", 30_000, "--shards", 12, "-o", self.at(), stdin=lines(0, 30_000))

    def test_estimates_add_up(self):
        keys = json.loads(self.run_tool("estimate", self.at(), "--confidence", "99.9999%", "--json"))["keys"]
        self.assertTrue(keys["low"] < 30_000 < keys["high"], keys)
        self.assertLess(keys["high"] - keys["low"], 3000)  # variances were added, and not ends
        parts = [as_map(self.cluster.keys()[key].ask("BLOOM.ESTIMATE", key)) for key in self.shards()]
        self.assertAlmostEqual(keys["value"], sum(float(part[b"value"]) for part in parts), places=3)
        self.assertIn(b"in 1 generation", self.run_tool("info", self.at()))
        self.assertEqual(self.info(self.at())["items"], 30_000)

    def test_the_doctor_names_the_worst_shard(self):
        report = json.loads(self.run_tool("doctor", self.at(), "--json"))
        self.assertEqual((report["verdict"], report["degraded_shards"], len(report["shards"])), ("healthy", 0, 12))
        self.assertLess(report["measured"]["low"], 0.0102)
        sick = self.shards()[6]
        node = self.cluster.keys()[sick]
        node.ask("BLOOM.ADD", sick, *range(4000))
        report = json.loads(self.run_tool("doctor", self.at(), "--json", status=1))
        self.assertEqual((report["verdict"], report["degraded_shards"]), ("degraded", 1))
        self.assertEqual(report["worst"]["key"], sick)
        self.assertIn(sick.encode(), self.run_tool("doctor", self.at(), status=1))

    def test_filters_in_shards_are_united_where_they_are(self):
        self.run_tool("build", "--kind", "blocked", "--keys", 30_000, "--shards", 12, "-o", self.at("g"),
                      stdin=lines(20_000, 50_000))
        self.run_tool("union", self.at(), self.at("g"), "-o", self.at("h"))
        self.assertEqual(self.run_tool("query", "-c", self.at("h"), stdin=lines(0, 50_000)), b"50000\n")
        self.run_tool("union", self.at(), self.at("g"), "-o", self.at())
        self.assertEqual(self.run_tool("query", "-c", self.at(), stdin=lines(0, 50_000)), b"50000\n")
        self.assertEqual(len(self.shards()), 12)
        for name in ("f", "g"):
            self.run_tool("add", "--grow", 1000, self.at(name), stdin=b"")
        self.run_tool("union", self.at(), self.at("g"), "-o", self.at("h"))
        self.assertEqual(len(self.shards("h")), len(self.shards("g")))
        self.run_tool("build", "--kind", "blocked", "--keys", 30_000, "--shards", 6, "-o", self.at("k"), stdin=b"a\n")
        self.refused("union", self.at(), self.at("k"), "-o", self.at("h"), says="spread otherwise")
        self.refused("intersect", self.at(), self.at("g"), "-o", self.at("h"), says="in shards")
        for verb in (["top", self.at()], ["copy", self.at(), "file"], ["count", self.at(), "a"]):
            self.refused(*verb, says="in shards")

    def test_keys_that_come_while_a_filter_takes_others_in_are_kept(self):
        for kind in ("blocked", "counting"):  # the first in its place, the other by one that takes it
            for name in ("s", "t"):
                self.run_tool("build", "--kind", kind, "--keys", "400k", "--shards", 12, "-o", self.at(name),
                              stdin=lines(0, 100, name))
            tool = fed("add", self.at("s"), "--json", folder=self.folder)
            feeder = Feeder(tool, at_once=500)
            for _ in range(5):
                self.run_tool("union", self.at("s"), self.at("t"), "-o", self.at("s"))
            status, told, noted = feeder.finish()
            certain = feeder.written
            if kind == "counting" and status == 2:  # it asked a shard that was gone
                self.assertIn("is not there", noted)
                certain = int(noted.split("the first ")[1].split()[0].replace(",", ""))
            else:
                self.assertEqual((status, noted), (0, ""))
            self.assertEqual(self.run_tool("query", "-c", self.at("s"), stdin=lines(0, certain)), b"%d\n" % certain)
            self.assertEqual(self.run_tool("query", "-c", self.at("s"), stdin=lines(0, 100, "t")), b"100\n")
            self.assertEqual(len(self.shards("s")), 12)
            for node in self.cluster.masters:
                node.ask("FLUSHALL")

    def test_keys_are_removed_where_they_are(self):
        self.run_tool("build", "--kind", "counting", "--keys", 5000, "--shards", 5, "-o", self.at("c"),
                      stdin=lines(0, 5000))
        self.run_tool("remove", self.at("c"), stdin=lines(0, 4000))
        self.assertEqual(self.run_tool("query", "-c", self.at("c"), stdin=lines(4000, 5000)), b"1000\n")
        left = int(self.run_tool("query", "-c", self.at("c"), stdin=lines(0, 4000), status=None))
        self.assertLessEqual(left, most_of(4000, 0.01))

    def test_what_cannot_be_in_shards_is_said(self):
        for shards, options, why in ((4, ["--kind", "fuse"], "all its keys at once"), (4, ["--kind", "count-min"], "digests"),
                                     (4, ["--kind", "counter-braids"], "does not say whether"),
                                     (0, [], "--shards is 0"), (99_999, [], "65,536"), ("1KiB", [], "do not hold"),
                                     (4, ["--transmit"], "--shards goes with"),
                                     (4, ["--kind", "sliding-count", "--window", "1k"], "a number of keys")):
            keys = [] if "--window" in options else ["--keys", "1G"]
            self.refused("build", *keys, "--shards", shards, *options, "-o", self.at("x"), stdin=b"a\n", says=why)
        self.refused("build", "--keys", 10, "--shards", 4, "-o", "file", stdin=b"a\n", says="Redis Cluster")
        self.refused("build", "--keys", 10, "--wait", 1, "-o", "file", stdin=b"a\n", says="not in shards")
        self.run_tool("build", "--keys", 10, "-o", "file", stdin=b"a\n")
        for options in (["--wait", 1], ["--grow", 100]):
            self.refused("add", "file", "b", *options, says="not in shards")
        self.refused("build", "--keys", 10, "--shards", 4, "-o", self.at("a{b}"), stdin=b"a\n", says="no {")
        for node in self.cluster.masters:
            try:
                node.ask("SET", "text", "value")
            except Failure:
                continue
        self.refused("build", "--keys", 10, "--shards", 4, "-o", self.at("text"), stdin=b"a\n", says="not replace")
        self.assertEqual(self.shards("x"), [])


class Hostile(OnCluster):
    def fake(self, answers):
        made = Fake(lambda: lambda words: [answers(words, made.port)])
        self.addCleanup(made.close)
        return f"redis://127.0.0.1:{made.port}/f"

    def spread_by(self, **changes):
        said = {"bloomery": "sharded filter", "version": 1, "epoch": "1", "kind": "blocked",
                "hash": {"id": "1", "tag": "7"},
                "generations": [{"family": "5", "shards": "2", "shape": {}, "keys": "10", "rate": "0.01"}]}
        said.update(changes)
        return json.dumps(said, separators=(",", ":")).encode()

    def test_servers_that_send_us_in_circles_are_left(self):
        def answers(words, port):
            return b"-MOVED 1 127.0.0.1:%d\r\n" % port
        self.refused("query", self.fake(answers), "key", says="")

        def slots(words, port):
            if words[0] == b"TYPE":
                return b"+string\r\n"
            if words[0] == b"CLUSTER":
                return b"-ERR This instance has cluster support disabled\r\n"
            return b"-ASK 1 127.0.0.1:%d\r\n" % port if words[0] != b"ASKING" else b"+OK\r\n"
        self.refused("query", self.fake(slots), "key", says="redirections")

    def test_what_says_how_a_filter_is_spread_is_checked(self):
        good = json.loads(self.spread_by())["generations"][0]
        for text in (self.spread_by()[:-1], self.spread_by(version=2), self.spread_by(epoch="0"),
                     self.spread_by(kind="no such kind"), self.spread_by(kind="fuse"), self.spread_by(hash=7),
                     self.spread_by(generations=[]), self.spread_by(generations=[7]), self.spread_by(),
                     self.spread_by(generations=[{**good, "shards": "99999999"}]),
                     self.spread_by(generations=[{**good, "shape": {"blocks": "18446744073709551615", "hashes": "8"}}]),
                     b'{"bloomery":"sharded filter"' + b"[" * 500_000):
            with self.subTest(text[:200]):
                def answers(words, port):
                    if words[0] == b"TYPE":
                        return b"+string\r\n"
                    if words[0] == b"CLUSTER":
                        return b"-ERR This instance has cluster support disabled\r\n"
                    return b"$%d\r\n%s\r\n" % (len(text), text)
                self.refused("query", self.fake(answers), "key")

    def test_slots_that_make_no_sense_are_refused(self):
        for told in (b"*1\r\n:1\r\n", b"*1\r\n*3\r\n:5\r\n:2\r\n*2\r\n$1\r\na\r\n:1\r\n",
                     b"*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
                     b"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\na\r\n:99999\r\n"):
            def answers(words, port):
                return b"+string\r\n" if words[0] == b"TYPE" else told
            self.refused("query", self.fake(answers), "key")


    def test_every_slot_may_be_a_range_of_its_own(self):
        def answers(words, port):
            if words[0] == b"CLUSTER":
                server = b"*4\r\n$9\r\n127.0.0.1\r\n:%d\r\n$1\r\nx\r\n*0\r\n" % port
                return b"*16384\r\n" + b"".join(b"*3\r\n:%d\r\n:%d\r\n%s" % (i, i, server) for i in range(16384))
            return b"+string\r\n" if words[0] == b"TYPE" else b"$-1\r\n"
        self.refused("query", self.fake(answers), "key", says="type string")


class Page(OnCluster):
    def test_commands_run(self):
        """docs/scale.md, as it is printed."""
        (self.folder / "bloomery").symlink_to(TOOL)
        blocks = re.findall(r"^```bash\n(.*?)^```$", (SOURCE / "docs" / "scale.md").read_text(), re.M | re.S)
        self.assertTrue(blocks)
        shown = ""
        for block in blocks:
            done = subprocess.run(["bash", "-euc", block.replace("redis://localhost:7000/", self.at(""))],
                                  cwd=self.folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            shown += done.stdout
        self.assertIn("7\n149999\n", shown)
        self.assertIn("in 2 generations", shown)


class Alone(Tool):
    def test_one_server_takes_shards_too(self):
        server = redis_private.Server()
        self.addCleanup(server.stop)
        there = f"unix://{server.place}/f"
        self.run_tool("build", "--keys", 5000, "--shards", 7, "-o", there, stdin=lines(0, 5000))
        self.assertEqual(self.run_tool("query", "-c", there, stdin=lines(0, 5000)), b"5000\n")
        self.assertEqual(len(server.client()("KEYS", "*")), 8)

    def test_a_server_that_does_not_know_its_address_is_on_this_machine(self):
        server = redis_private.Server("--cluster-enabled", "yes", port=free_ports(1)[0])
        self.addCleanup(server.stop)
        ask = server.client()
        ask("CLUSTER", "ADDSLOTSRANGE", 0, SLOTS - 1)
        Cluster.until(lambda: b"cluster_state:ok" in ask("CLUSTER", "INFO"))
        self.assertEqual(ask("CLUSTER", "SLOTS")[0][2][0], b"")
        there = f"unix://{server.place}/f"
        self.run_tool("build", "--keys", 5000, "--shards", 7, "-o", there, stdin=lines(0, 5000))
        self.assertEqual(self.run_tool("query", "-c", there, stdin=lines(0, 5000)), b"5000\n")


@unittest.skipUnless(os.environ.get("BLOOMERY_FULL"), "--full: waits for a cluster to find out that a master died")
class FailingOver(Tool):
    def test_a_load_goes_on_by_itself(self):
        cluster = Cluster(timeout=2000)
        self.addCleanup(cluster.stop)
        self.run_tool("build", "--kind", "blocked", "--keys", "1M", "--shards", 12, "-o", cluster.at("f"), stdin=b"")
        tool = fed("add", cluster.at("f", node=1), "--json", folder=self.folder)
        feeder = Feeder(tool)
        time.sleep(0.5)
        cluster.masters[0].kill()
        began = self.run_tool("query", cluster.at("f", node=1), "key 1", "key 2")  # of the name, which was there
        self.assertEqual(began, b"key 1\nkey 2\n")
        Cluster.until(lambda: b"role:master" in cluster.replicas[0].ask("INFO", "replication"))
        time.sleep(1)
        status, told, noted = feeder.finish()
        self.assertEqual((status, noted), (0, ""))
        self.assertEqual(json.loads(told)["added"], feeder.written)


if __name__ == "__main__":
    unittest.main()
