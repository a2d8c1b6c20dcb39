"""BLOOM.* from outside, on servers of the test's own: every kind against a set of its keys and against the
tool's bytes, what replicas and files keep of it, and what hostile bytes do."""
import itertools
import json
import os
import random
import struct
import subprocess
import time
import unittest

import xxhash

import redis_layouts as layouts
import redis_private
from redis_private import Refused, Server, as_map, resealed, stored
from tool import Tool, most_of

FULL = bool(os.environ.get("BLOOMERY_FULL"))
KEYS = 400
NOW = 1_700_000_000_000


def setUpModule():
    global server, tool_kinds
    redis_private.require()
    server = Server("--maxmemory", "2gb")
    unittest.addModuleCleanup(server.stop)
    tool_kinds = {kind["name"]: kind for kind in
                  json.loads(subprocess.run([os.environ["BLOOMERY"], "kinds", "--json"],
                                            capture_output=True, check=True).stdout)}


def keys_of(first, last):
    return [b"key %d" % i for i in range(first, last)]


def packed(keys, seed=redis_private.SEED):
    both = [xxhash.xxh3_128_intdigest(key, seed) for key in keys]
    return b"".join(struct.pack("<QQ", d & (1 << 64) - 1, d >> 64) for d in both)


def bits(text, count):
    return [text[i // 8] >> 7 - i % 8 & 1 for i in range(count)]


class Native(Tool):
    def setUp(self):
        super().setUp()
        self.ask = server.client()
        self.ask("FLUSHALL")

    def kinds(self, *abilities):
        found = [name for name, can in self.abilities().items() if set(abilities) <= can]
        self.assertTrue(found, abilities)
        return found

    def abilities(self):
        listed = [as_map(kind) for kind in self.ask("BLOOM.KINDS")]
        return {kind[b"name"].decode(): {a.decode() for a in kind[b"abilities"]} for kind in listed}

    def created(self, kind, name=None, keys=KEYS, *options):
        name = name or kind
        self.assertEqual(self.ask("BLOOM.CREATE", name, kind, "KEYS", keys, *options), "OK")
        return name


class Kinds(Native):
    def test_every_kind_that_takes_keys_holds_what_the_tool_would_build(self):
        taking = [kind for kind in self.kinds("query", "insert") if "value" not in self.abilities()[kind]]
        self.assertGreater(len(taking), 15)
        lines = b"".join(key + b"\n" for key in keys_of(0, KEYS))
        strangers = keys_of(10_000, 14_000)
        for kind in taking:
            with self.subTest(kind):
                self.created(kind)
                fresh = self.ask("BLOOM.ADD", kind, *keys_of(0, KEYS))
                self.assertEqual(len(fresh), KEYS)
                has = self.ask("BLOOM.HAS", kind, *keys_of(0, KEYS))
                if not tool_kinds[kind]["false_negatives"]:
                    self.assertEqual(has, [1] * KEYS)
                told = as_map(self.ask("BLOOM.INFO", kind))
                self.assertEqual(told[b"keys inserted"], KEYS)
                wrong = sum(self.ask("BLOOM.HAS", kind, *strangers))
                rate = max(float(told[b"rate predicted"]), 0.01)
                self.assertLessEqual(wrong, most_of(len(strangers), 2 * rate))
                self.assertEqual(self.ask("BLOOM.HASP", kind, packed(keys_of(0, 9))),
                                 bytes([sum(b << 7 - i for i, b in enumerate(has[:8])), has[8] << 7]))
                if "time" not in self.abilities()[kind] and "rank" not in self.abilities()[kind]:
                    self.run_tool("build", "--kind", kind, "--keys", KEYS, "-o", "built", "-j1",
                                  stdin=lines, notes=None)
                    self.assertEqual(stored(self.ask, kind), self.bytes_of("built"))

    def test_digests_do_what_their_keys_would(self):
        for kind in self.kinds("query", "insert"):
            if "value" in self.abilities()[kind] or "rank" in self.abilities()[kind]:
                continue
            with self.subTest(kind):
                self.created(kind, "keys", KEYS)
                self.created(kind, "digests", KEYS)
                by_key = self.ask("BLOOM.ADD", "keys", *keys_of(0, 100))
                by_digest = self.ask("BLOOM.ADDP", "digests", packed(keys_of(0, 100)))
                self.assertEqual(bits(by_digest, 100), by_key)
                self.assertEqual(stored(self.ask, "keys"), stored(self.ask, "digests"))
                self.ask("DEL", "keys", "digests")
        self.created("standard", "filter")
        self.assertEqual(self.ask("BLOOM.ADDP", "filter", b""), b"")
        self.assertIn("16 bytes", self.ask.refused("BLOOM.ADDP", "filter", b"x" * 17))
        self.assertIn("AT is for", self.ask.refused("BLOOM.HASP", "filter", b"", "AT", "5"))
        self.assertIn("wrong number", self.ask.refused("BLOOM.HASP", "filter", b"", "AT"))

    def test_removed_keys_are_gone_and_others_stay(self):
        for kind in self.kinds("query", "insert", "erase"):
            with self.subTest(kind):
                self.created(kind)
                self.ask("BLOOM.ADD", kind, *keys_of(0, KEYS))
                gone = self.ask("BLOOM.REMOVE", kind, *keys_of(0, 100))
                gone += bits(self.ask("BLOOM.REMOVEP", kind, packed(keys_of(100, 200))), 100)
                if tool_kinds[kind]["false_negatives"]:
                    continue
                self.assertEqual(self.ask("BLOOM.HAS", kind, *keys_of(200, KEYS)), [1] * (KEYS - 200))
                still = sum(self.ask("BLOOM.HAS", kind, *keys_of(0, 200)))
                self.assertLessEqual(still, 200 - sum(gone) + most_of(200, 0.02))
                self.assertEqual(as_map(self.ask("BLOOM.INFO", kind))[b"keys inserted"], KEYS - sum(gone))

    def test_counts_are_never_below_what_was_added(self):
        counting = [kind for kind in self.kinds("count", "insert")  # some only weigh what is likeliest
                    if not {"time", "likeliest"} & self.abilities()[kind]]
        self.assertGreater(len(counting), 2)
        for kind in counting:
            with self.subTest(kind):
                self.created(kind, kind, 4000)
                for times in range(1, 4):
                    self.ask("BLOOM.ADD", kind, *keys_of(0, 50 * times))
                counts = self.ask("BLOOM.COUNT", kind, *keys_of(0, 150))
                least = [3] * 50 + [2] * 50 + [1] * 50
                if not tool_kinds[kind]["false_negatives"]:
                    self.assertTrue(all(c >= l for c, l in zip(counts, least)), counts)

    def test_what_came_most_is_on_top(self):
        for kind in self.kinds("rank", "insert"):
            with self.subTest(kind):
                field = [f for f in tool_kinds[kind]["fields"] if f["name"] == "top"]
                self.assertTrue(field, tool_kinds[kind]["fields"])
                self.created(kind, kind, KEYS, "SET", "top", 3)
                for times in (30, 20, 10):
                    for _ in range(times):
                        self.ask("BLOOM.ADD", kind, b"seen %d" % times, *keys_of(0, 1))
                top = self.ask("BLOOM.TOP", kind)
                self.assertEqual(top, [[b"key 0", 60], [b"seen 30", 30], [b"seen 20", 20]])

    def test_maps_tell_the_values_that_were_set(self):
        setting = [kind for kind in self.kinds("value", "set_value") if "insert" in self.abilities()[kind]]
        for kind in setting:
            with self.subTest(kind):
                self.created(kind, kind, KEYS, "VALUES", 4)
                pairs = [(key, i % 4) for i, key in enumerate(keys_of(0, KEYS))]
                if "merge" not in self.abilities()[kind]:  # what keeps one value a key has to have the key
                    self.ask("BLOOM.ADD", kind, *keys_of(0, KEYS))
                done = self.ask("BLOOM.SET", kind, *itertools.chain(*pairs))
                got = self.ask("BLOOM.GET", kind, *keys_of(0, KEYS))
                for (key, value), took, told in zip(pairs, done, got):
                    right = told in (value, "unknown") or kind == "attenuated" and told < value  # the nearest
                    self.assertTrue(not took or right, (key, value, told))
                self.assertGreater(sum(done), KEYS * 0.9)
        self.assertIn("cannot tell values", self.ask.refused(
            "BLOOM.GET", self.created("standard"), "key"))

    def test_windows_forget_by_the_time_that_they_are_told(self):
        for kind in self.kinds("query", "insert", "time"):
            with self.subTest(kind):
                self.assertEqual(self.ask("BLOOM.CREATE", kind, kind, "KEYS", KEYS, "WINDOW", "10s"), "OK")
                self.ask("BLOOM.ADDAT", kind, NOW, *keys_of(0, 100))
                self.ask("BLOOM.ADDP", kind, packed(keys_of(100, 200)), "AT", NOW + 9000)
                self.assertEqual(self.ask("BLOOM.HASAT", kind, NOW + 9000, *keys_of(0, 200)), [1] * 200)
                later = NOW + 60_000
                self.assertLessEqual(sum(self.ask("BLOOM.HASAT", kind, later, *keys_of(0, 200))),
                                     most_of(200, 0.01))
                self.assertEqual(sum(bits(self.ask("BLOOM.HASP", kind, packed(keys_of(0, 200)), "AT",
                                                   NOW + 9000), 200)), 200)
                self.assertIn("already", self.ask.refused("BLOOM.ADDAT", kind, NOW, "late"))
                self.assertEqual(sum(self.ask("BLOOM.HAS", kind, *keys_of(0, 20))), 0)  # years have passed
        self.assertIn("never forgets", self.ask.refused("BLOOM.CREATE", "f", "standard", "WINDOW", "10s"))

    def test_texts_are_read(self):
        for kind in self.kinds("text"):
            with self.subTest(kind):
                self.created(kind, kind, 2000)
                text = b"the quick brown fox jumps over the lazy dog, twice and again"
                self.assertEqual(self.ask("BLOOM.ADD", kind, text), [1])
                self.assertEqual(self.ask("BLOOM.HAS", kind, text), [1])

    def test_merging_and_folding_make_what_the_tool_makes(self):
        merging = [k for k in self.kinds("merge", "insert", "query") if "time" not in self.abilities()[k]
                   and "rank" not in self.abilities()[k] and "value" not in self.abilities()[k]]
        self.assertGreater(len(merging), 5)
        for kind in merging:
            with self.subTest(kind):
                for name, first in (("one", 0), ("two", 100)):
                    self.created(kind, name, KEYS)
                    self.ask("BLOOM.ADD", name, *keys_of(first, first + 200))
                    self.write(name, stored(self.ask, name))
                self.assertEqual(self.ask("BLOOM.MERGE", "both", 2, "one", "two"), "OK")
                self.run_tool("union", "one", "two", "-o", "both", notes=None)
                self.assertEqual(stored(self.ask, "both"), self.bytes_of("both"))
                self.assertEqual(self.ask("BLOOM.MERGE", "one", 1, "two"), "OK")
                self.assertEqual(stored(self.ask, "one"), stored(self.ask, "both"))
                self.ask("DEL", "one", "two", "both")
        self.created("standard", "other", KEYS, "SEED", 5)
        self.created("standard", "mine")
        before = stored(self.ask, "mine")
        self.assertIn("seed", self.ask.refused("BLOOM.MERGE", "mine", 2, "mine", "other"))
        self.assertEqual(stored(self.ask, "mine"), before)
        for words in (("0",), ("-1", "other"), ("3", "other"), ("x", "other"), (1 << 62, "other")):
            self.assertIn("number of keys", self.ask.refused("BLOOM.MERGE", "mine", *words, *["other"] * (
                1 if len(words) == 1 else 0)))
        self.assertEqual(self.ask("BLOOM.CREATE", "wide", "standard", "SET", "bits", 4096, "SET", "hashes", 3),
                         "OK")
        self.ask("BLOOM.ADD", "wide", *keys_of(0, 50))
        self.assertEqual(self.ask("BLOOM.FOLD", "narrow", "wide", 4), "OK")
        self.assertEqual(self.ask("BLOOM.HAS", "narrow", *keys_of(0, 50)), [1] * 50)
        self.write("wide", stored(self.ask, "wide"))
        self.run_tool("fold", "--by", 4, "wide", "-o", "narrow")
        self.assertEqual(stored(self.ask, "narrow"), self.bytes_of("narrow"))

    def test_doctor_and_estimate_say_what_the_tool_says(self):
        self.created("standard", "f", 100)
        self.ask("BLOOM.ADD", "f", *keys_of(0, 100))
        self.assertEqual(as_map(self.ask("BLOOM.DOCTOR", "f"))[b"healthy"], 1)
        self.ask("BLOOM.ADD", "f", *keys_of(100, 1000))
        told = as_map(self.ask("BLOOM.DOCTOR", "f"))
        self.assertEqual(told[b"healthy"], 0)
        self.assertTrue(told[b"reasons"])
        self.assertIn(b"rebuild for", told[b"advice"])
        self.created("standard", "g", 1000)
        self.ask("BLOOM.ADD", "g", *keys_of(0, 700))
        self.write("f", stored(self.ask, "g"))
        found = json.loads(self.run_tool("estimate", "f", "--json"))
        estimate = as_map(self.ask("BLOOM.ESTIMATE", "g"))
        self.assertAlmostEqual(float(estimate[b"value"]), found["value"] if "value" in found
                               else found["keys"]["value"], places=6)

    def test_what_cannot_be_made_is_said(self):
        for words, says in (
                (("nonsense", "KEYS", 5), "is not"),
                (("standard",), "KEYS is missing"),
                (("standard", "KEYS", 0), "from 1"),
                (("standard", "KEYS", "x"), "x"),
                (("standard", "KEYS", 100, "FPR", "2"), "rate"),
                (("standard", "KEYS", 100, "BITS", "2"), "no option"),
                (("standard", "KEYS", 100, "KEYS"), "wrong number"),
                (("standard", "SET", "bits", 5, "SET", "hashs", 2), "no field"),
                (("standard", "SET", "bits", 5), "KEYS is missing"),
                (("standard", "KEYS", 100, "SET", "bits", 128), "over the"),
                (("standard", "KEYS", "1e15", "FPR", "1e-9"), ""),
                (("blocked", "KEYS", "1T"), ""),
                (("fuse", "KEYS", 100), "built from all"),
                (("standard", "KEYS", 9, "SEED", "-1"), "SEED"),
                (("standard", "KEYS", 9, "SEED"), "wrong number"),
                (("standard", "KEYS", 9, "HASH", "77", "1"), "HASH")):
            with self.subTest(words):
                self.assertIn(says, self.ask.refused("BLOOM.CREATE", "f", *words))
                self.assertEqual(self.ask("EXISTS", "f"), 0)
        self.created("standard", "f")
        self.assertIn("exists", self.ask.refused("BLOOM.CREATE", "f", "standard", "KEYS", 9))
        self.ask("SET", "text", "value")
        for command in ("BLOOM.ADD", "BLOOM.HAS", "BLOOM.COUNT", "BLOOM.REMOVE"):
            self.assertIn("WRONGTYPE", self.ask.refused(command, "text", "key"))
            self.assertIn("no such key", self.ask.refused(command, "nothing", "key"))
        self.assertIn("remove", self.ask.refused("BLOOM.REMOVE", "f", "key"))
        self.assertIn("count", self.ask.refused("BLOOM.COUNT", "f", "key"))

    def test_a_key_has_a_limit(self):
        self.created("standard", "large", 1_000_000)
        large = stored(self.ask, "large")
        self.ask("CONFIG", "SET", "bf.max-object-size", 100_000)
        self.addCleanup(lambda: server.client()("CONFIG", "SET", "bf.max-object-size", 4 << 30))
        self.assertIn("allowed", self.ask.refused("BLOOM.CREATE", "f", "standard", "KEYS", "10M"))
        self.assertIn("allowed", self.ask.refused("BLOOM.LOAD", "f", 0, large[:200]))
        self.assertEqual(self.ask("BLOOM.CREATE", "grown", "scalable", "KEYS", 1000), "OK")
        told = ""
        for first in range(0, 400_000, 10_000):
            try:
                self.ask("BLOOM.ADDP", "grown", packed(keys_of(first, first + 10_000)))
            except Refused as problem:
                told = str(problem)
                break
        self.assertIn("allowed", told)
        self.assertLess(as_map(self.ask("BLOOM.INFO", "grown"))[b"bytes"], 400_000)


class Protocols(Native):
    def test_three_has_truth_and_maps(self):
        three = server.client(3)
        self.created("counting", "f")
        self.assertEqual(three("BLOOM.ADD", "f", "a", "b"), [True, True])
        self.assertEqual(three("BLOOM.HAS", "f", "a", "z"), [True, False])
        self.assertEqual(three("BLOOM.REMOVE", "f", "a", "z"), [True, False])
        told = three("BLOOM.INFO", "f")
        self.assertEqual((told[b"kind"], told[b"runs on time"]), (b"counting", False))
        self.assertIsInstance(told[b"shape"], dict)
        self.assertEqual(as_map(self.ask("BLOOM.INFO", "f"))[b"runs on time"], 0)
        self.assertIsInstance(three("BLOOM.ESTIMATE", "f")[b"value"], float)

    def test_the_server_knows_where_keys_are(self):
        self.assertEqual(self.ask("COMMAND", "GETKEYS", "BLOOM.MERGE", "to", "2", "a", "b"),
                         [b"to", b"a", b"b"])
        self.assertEqual(self.ask("COMMAND", "GETKEYS", "BLOOM.FOLD", "to", "from", "2"), [b"to", b"from"])
        self.assertEqual(self.ask("COMMAND", "GETKEYS", "BLOOM.ADD", "f", "a"), [b"f"])

    def test_events_tell_of_changes_alone(self):
        self.ask("CONFIG", "SET", "notify-keyspace-events", "AKE")
        self.addCleanup(lambda: server.client()("CONFIG", "SET", "notify-keyspace-events", ""))
        listener = server.client()
        listener("PSUBSCRIBE", "__keyspace@0__:*")
        self.created("counting", "f")
        self.ask("BLOOM.ADD", "f", "a")
        self.ask("BLOOM.HAS", "f", "a")
        self.ask("BLOOM.REMOVE", "f", "stranger")
        self.ask("BLOOM.REMOVE", "f", "a")
        self.ask("BLOOM.MERGE", "g", 1, "f")
        heard = [listener.read()[-1] for _ in range(4)]
        self.assertEqual(heard, [b"bloom.create", b"bloom.add", b"bloom.remove", b"bloom.merge"])

    def test_keys_are_copied_measured_and_let_go(self):
        self.created("standard", "f", 1_000_000)
        self.ask("BLOOM.ADD", "f", *keys_of(0, 1000))
        self.assertEqual(self.ask("COPY", "f", "g"), 1)
        self.ask("BLOOM.ADD", "f", "only here")
        self.assertEqual(self.ask("BLOOM.HAS", "g", "key 7", "only here"), [1, 0])
        size = self.ask("MEMORY", "USAGE", "g")
        self.assertGreaterEqual(size, as_map(self.ask("BLOOM.INFO", "g"))[b"bytes"])
        self.assertLess(size, 1.4 * 1_200_000)
        before = redis_private.used_memory(self.ask)
        self.assertEqual(self.ask("UNLINK", "f", "g"), 2)
        until = time.monotonic() + redis_private.PATIENCE
        while before - redis_private.used_memory(self.ask) < 2_000_000 and time.monotonic() < until:
            time.sleep(0.02)
        self.assertGreater(before - redis_private.used_memory(self.ask), 2_000_000)


class Changes:
    """A stream of changes of all sorts, the same for a seed."""

    def __init__(self, test, client, seed):
        self.random = random.Random(seed)
        self.client = client
        self.abilities = test.abilities()
        self.names = []
        for kind in test.kinds("insert"):
            if "value" in self.abilities[kind]:
                continue
            client("BLOOM.CREATE", kind, kind, "KEYS", 300, "SEED", "RANDOM")
            self.names.append(kind)
            if "time" in self.abilities[kind]:
                client("BLOOM.CREATE", kind + " timed", kind, "KEYS", 300, "WINDOW", "1h")
                self.names.append(kind + " timed")
                self.abilities[kind + " timed"] = self.abilities[kind]

    def make(self, count):
        for _ in range(count):
            name = self.random.choice(self.names)
            keys = [b"k%d" % self.random.randrange(600) for _ in range(self.random.randrange(1, 20))]
            act = self.random.randrange(4)
            try:
                if act == 0 and "erase" in self.abilities[name]:
                    self.client("BLOOM.REMOVE", name, *keys)
                elif act == 1:
                    self.client("BLOOM.ADDP", name, packed(keys))
                elif act == 2 and "merge" in self.abilities[name] and "timed" not in name:
                    self.client("BLOOM.MERGE", name + " merged", 1, name)
                else:
                    self.client("BLOOM.ADD", name, *keys)
            except Refused as told:  # full, or merged with too much: refused alike everywhere
                assert not str(told).startswith("WRONGTYPE"), told


def everything(client):
    return {key: stored(client, key) for key in client("KEYS", "*")}


class Keeping(Native):
    def test_reload_and_rewritten_commands_give_the_same_bytes(self):
        own = Server("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
        self.addCleanup(own.stop)
        client = own.client()
        Changes(self, client, 1).make(400)
        incomplete = stored(client, b"standard")
        client("BLOOM.LOAD", "half", 0, incomplete[:100])
        before = everything_but(client, b"half")
        client("DEBUG", "RELOAD")
        self.assertEqual(everything_but(client, b"half"), before)
        client("BGREWRITEAOF")
        until = time.monotonic() + redis_private.PATIENCE
        while b"aof_rewrite_in_progress:0" not in client("INFO", "persistence") and \
                time.monotonic() < until:
            time.sleep(0.02)
        client("BLOOM.ADD", "standard", "after the rewrite")
        before = everything_but(client, b"half")
        client("DEBUG", "LOADAOF")
        self.assertEqual(everything_but(client, b"half"), before)
        client("BLOOM.LOAD", "half", 100, incomplete[100:])
        self.assertEqual(stored(client, "half"), incomplete)

    def test_replicas_have_the_same_bytes(self):
        master = Server(port=redis_private.free_port(), *["--repl-diskless-sync-delay", "0"])
        self.addCleanup(master.stop)
        replica = Server(port=redis_private.free_port())
        self.addCleanup(replica.stop)
        there, here = master.client(), replica.client()
        changes = Changes(self, there, 2)
        changes.make(150)
        here("REPLICAOF", "127.0.0.1", master.port)
        changes.make(150)  # while it synchronises, or before
        until = time.monotonic() + redis_private.PATIENCE
        while b"master_link_status:up" not in here("INFO", "replication") and time.monotonic() < until:
            time.sleep(0.02)
        there("BLOOM.CREATE", "late", "standard", "KEYS", 300, "SEED", "RANDOM")
        there("BLOOM.ADD", "late", "key")
        changes.make(300)
        whole = stored(there, b"standard")
        there("BLOOM.LOAD", "loaded", 0, whole[:128])
        there("BLOOM.LOAD", "loaded", 128, whole[128:])
        self.assertEqual(there("WAIT", 1, 60_000), 1)
        self.assertEqual(everything(here), everything(there))
        offset = there("INFO", "replication").split(b"master_repl_offset:")[1].split()[0]
        there("BLOOM.REMOVE", "counting", "nobody has added this")
        there("BLOOM.HAS", "counting", "k1")
        self.assertEqual(there("INFO", "replication").split(b"master_repl_offset:")[1].split()[0], offset)

    def test_nothing_acknowledged_is_lost_when_the_server_is_killed(self):
        own = Server("--appendonly", "yes", "--appendfsync", "always")
        self.addCleanup(own.stop)
        random_ = random.Random(3)
        acknowledged = set()
        own.client()("BLOOM.CREATE", "f", "counting", "KEYS", 100_000)
        for turn in range(30 if FULL else 3):
            client = own.client()
            sent = 0
            for _ in range(random_.randrange(20, 60)):
                batch = keys_of(1000 * turn + sent, 1000 * turn + sent + 10)
                sent += 10
                client("BLOOM.ADD", "f", *batch)
                acknowledged.update(batch)
            client.send("BLOOM.ADD", "f", "in flight %d" % turn)  # acknowledged or not
            own.kill()
            own.start()
            keys = sorted(acknowledged)
            self.assertEqual(own.client()("BLOOM.HAS", "f", *keys), [1] * len(keys))


def everything_but(client, name):
    return {key: stored(client, key) for key in client("KEYS", "*") if key != name}


class Hostile(Native):
    def test_damaged_dumps_are_refused_or_whole(self):
        random_ = random.Random(4)
        memory = redis_private.used_memory(self.ask)
        accepted = 0
        for kind in self.kinds("insert"):
            self.created(kind, "f", 100)
            if "value" not in self.abilities()[kind]:
                self.ask("BLOOM.ADD", "f", *keys_of(0, 50))
            good = self.ask("DUMP", "f")
            self.ask("DEL", "f")
            for _ in range(200 if FULL else 12):
                bad = bytearray(good)
                for _ in range(random_.randrange(1, 4)):
                    at = random_.choice([random_.randrange(len(bad) - 10), random_.randrange(min(300, len(bad) - 10))])
                    bad[at] = random_.choice([0, 1, 0x7F, 0x80, 0x81, 0xFF, random_.randrange(256)])
                if random_.randrange(4) == 0:
                    del bad[random_.randrange(1, len(bad) - 10):-10]
                try:
                    self.ask("RESTORE", "bad", 0, resealed(bytes(bad)), "REPLACE")
                except Refused:
                    continue
                accepted += 1
                try:
                    self.ask("BLOOM.INFO", "bad")
                    self.ask("BLOOM.HAS", "bad", "key")
                    self.ask("BLOOM.ADD", "bad", "key")
                except Refused:
                    pass
            self.ask("DEL", "bad")
        self.assertEqual(self.ask("PING"), "PONG")
        self.assertLess(redis_private.used_memory(self.ask) - memory, 64 << 20)

    def test_a_value_without_a_byte_is_refused(self):
        """It would be saved as one that no server reads, and none would start again."""
        for coming, total in ((0, 0), (0, 5), (0, 2**40), (5, 0)):
            fields = layouts.u(coming) + layouts.u(total)
            self.ask.refused("RESTORE", "f", 0, layouts.dump("bloomery1", 0, fields))
        self.assertEqual(self.ask("EXISTS", "f"), 0)

    def test_a_large_filter_in_a_few_bytes_is_refused(self):
        """Nothing that a server saves is compressed, and nobody has said how much may become of it."""
        self.run_tool("build", "--keys", "10M", "-o", "large", stdin=b"key\n")
        self.run_tool("compress", "large", "-o", "small")
        small = self.bytes_of("small")
        self.assertLess(len(small), 50_000)
        before = redis_private.used_memory(self.ask)
        for total in (len(small), 1 << 30):
            fields = layouts.u(0) + layouts.u(0) + layouts.u(len(small)) + layouts.u(total) + layouts.s(small)
            self.ask.refused("RESTORE", "f", 0, layouts.dump("bloomery1", 1, fields))
        self.assertLess(redis_private.used_memory(self.ask) - before, 1 << 20)
        self.assertEqual(self.ask("BLOOM.LOAD", "f", 0, small), "OK")  # which has a limit
        self.assertEqual(self.ask("BLOOM.HAS", "f", "key", "other"), [1, 0])

    def test_pieces_come_in_order_and_no_more_than_there_are(self):
        self.created("standard", "f", 100)
        whole = stored(self.ask, "f")
        def load(position, piece):
            self.ask("BLOOM.LOAD", "g", position, piece)

        def refused(*words):
            return self.ask.refused("BLOOM.LOAD", "g", *words)
        self.assertIn("no such key", refused(128, whole[128:]))
        self.assertIn("not the start", refused(0, b""))
        self.assertIn("not the start", refused(0, b"x" * 200))
        self.assertIn("position", refused(-1, whole))
        self.assertIn("position", refused("x", whole))
        load(0, whole[:128])
        self.assertIn("arriving", self.ask.refused("BLOOM.HAS", "g", "key"))
        self.assertIn("begins at byte 128", refused(129, whole[129:]))
        self.assertIn("missing", self.ask.refused("BLOOM.LOAD", "g", 128, whole[128:] + b"x"))
        self.assertEqual(self.ask("EXISTS", "g"), 0)
        load(0, whole[:128])
        load(128, whole[128:])
        self.assertEqual(stored(self.ask, "g"), whole)
        self.assertIn("has a filter", refused(0, whole))
        self.ask("DEL", "g")
        load(0, whole[:-64])
        self.assertIn("checksum", refused(len(whole) - 64, b"x" * 64))
        self.assertEqual(self.ask("EXISTS", "g"), 0)

    def test_a_length_that_is_only_claimed_takes_no_memory(self):
        self.created("standard", "f", 100)
        whole = bytearray(stored(self.ask, "f"))
        before = redis_private.used_memory(self.ask)
        for at in range(8, 96, 8):
            for value in (1 << 40, 1 << 62, (1 << 64) - 1):
                bad = bytes(whole[:at]) + struct.pack("<Q", value) + bytes(whole[at + 8:])
                try:
                    self.ask("BLOOM.LOAD", "g", 0, bad)
                except Refused:
                    pass
                self.ask("DEL", "g")
        self.assertLess(redis_private.used_memory(self.ask) - before, 1 << 20)


if __name__ == "__main__":
    unittest.main()
