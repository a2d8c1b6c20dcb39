"""The Redis module from outside, by a stock client and by replies as they are: against encoders that share
nothing with it, sets that keep the keys, damaged values, and servers that are killed."""
import inspect
import json
import os
import random
import re
import signal
import socket
import struct
import unittest

import redis

import redis_layouts as layouts
from redis_servers import WHY_NOT, Failure, Server, WithServer
from tool import Tool, most_of

FULL = bool(os.environ.get("BLOOMERY_FULL"))


def keys(prefix, count):
    """Of many lengths, with bytes of any value."""
    return [f"{prefix}{i}".encode() + bytes([i % 256] * (i % 23)) for i in range(count)]


class Layouts(WithServer):
    """The same bytes as an encoder of the test's own, by DUMP, by chunks and after they came back."""

    def dump_is(self, key, expected):
        self.assertEqual(self.dumped(key), expected)
        self.one("RESTORE", f"{key} again", 0, expected)
        self.assertEqual(self.dumped(f"{key} again"), expected)
        self.one("COPY", key, f"{key} copy")
        self.assertEqual(self.dumped(f"{key} copy"), expected)
        self.one("DEBUG", "RELOAD")
        self.assertEqual(self.dumped(key), expected)

    def chunks(self, group, key):
        position, result = 0, []
        while True:
            position, data = self.one(f"{group}.SCANDUMP", key, position)
            if position == 0:
                return result
            result.append((position, data))

    def test_bloom(self):
        for number, (capacity, rate, growth, scaling) in enumerate(
                [(1000, 0.001, 2, True), (7, 0.1, 3, True), (100, 0.01, 2, False), (1, 0.999, 1, True)]):
            with self.subTest(capacity=capacity):
                more = ["EXPANSION", growth] if scaling else ["NONSCALING"]
                self.one("BF.RESERVE", f"b{number}", rate, capacity, *more)
                own = layouts.Bloom(capacity, rate, growth, scaling)
                words = keys("k", 100)
                self.assertEqual(self.one("BF.MADD", f"b{number}", *words), [own.add(w) for w in words])
                asked = words + keys("stranger", 200)
                self.assertEqual(self.three("BF.MEXISTS", f"b{number}", *asked), [own.has(w) for w in asked])
                self.dump_is(f"b{number}", own.dump())
                (first, header), *rest = self.chunks("BF", f"b{number}")
                self.assertEqual((first, header), (1, own.header()))
                self.assertEqual(b"".join(data for _, data in rest), b"".join(x["bits"] for x in own.links))
                for position, data in self.chunks("BF", f"b{number}"):
                    self.one("BF.LOADCHUNK", f"loaded{number}", position, data)
                self.assertEqual(self.dumped(f"loaded{number}"), own.dump())
        self.assertEqual(self.one("BF.DEBUG", "b0")[1], b"bytes:1984 bits:15872 hashes:11 hashwidth:64 "
                         b"capacity:1000 size:100 ratio:0.0005")

    def test_cuckoo(self):
        for number, (buckets, size, iterations, expansion) in enumerate(
                [(512, 2, 20, 1), (16, 2, 20, 2), (4, 4, 3, 1), (8, 1, 50, 4)]):
            with self.subTest(buckets=buckets):
                self.one("CF.RESERVE", f"c{number}", buckets * size, "BUCKETSIZE", size, "MAXITERATIONS",
                         iterations, "EXPANSION", expansion)
                own = layouts.Cuckoo(buckets, size, iterations, expansion)
                words = keys("k", 60)
                self.assertEqual(self.one("CF.INSERT", f"c{number}", "ITEMS", *words),
                                 [1 if own.add(w) else -1 for w in words])
                for word in words[:5]:
                    self.assertEqual(self.one("CF.DEL", f"c{number}", word), own.remove(word))
                asked = words + keys("stranger", 200)
                self.assertEqual(self.three("CF.MEXISTS", f"c{number}", *asked), [own.has(w) for w in asked])
                self.dump_is(f"c{number}", own.dump())
                (first, header), *rest = self.chunks("CF", f"c{number}")
                self.assertEqual((first, header), (1, own.header()))
                self.assertEqual([data for _, data in rest], own.links)
                for position, data in self.chunks("CF", f"c{number}"):
                    self.one("CF.LOADCHUNK", f"loaded{number}", position, data)
                self.assertEqual(self.dumped(f"loaded{number}"), own.dump())

    def test_sketch(self):
        self.one("CMS.INITBYDIM", "s", 50, 4)
        own = layouts.Sketch(50, 4)
        chance = random.Random(1)
        for word in keys("k", 200):
            times = chance.randrange(1000)
            self.assertEqual(self.one("CMS.INCRBY", "s", word, times), [own.add(word, times)])
        self.dump_is("s", own.dump())

    def test_top(self):
        self.one("TOPK.RESERVE", "t", 3, 4000, 3, 0.9)
        own = layouts.TopList(3, 4000, 3, 0.9)
        for i, word in enumerate(keys("k", 10)):
            self.one("TOPK.INCRBY", "t", word, i + 1)
            own.add(word, i + 1)
        self.assertIn(layouts.u(3) + layouts.u(4000) + layouts.u(3) + layouts.d(0.9) + layouts.s(own.cell_bytes()),
                      self.dumped("t"))
        self.assertEqual(self.one("TOPK.LIST", "t", "WITHCOUNT"),
                         [x for i in (9, 8, 7) for x in (keys("k", 10)[i], i + 1)])
        self.dump_is("t", self.dumped("t"))

    def test_quantile_sketches_are_carried(self):
        fields = (layouts.d(100) + layouts.d(1) + layouts.d(3) + b"".join(map(layouts.u, (610, 2, 0, 1))) +
                  layouts.d(2) + layouts.d(0) + b"".join(map(layouts.d, (1, 3, 1, 1))))
        dump = layouts.dump("TDIS-TYPE", 0, fields)
        self.one("RESTORE", "q", 0, dump)
        self.dump_is("q", dump)
        self.assertEqual(self.one("TYPE", "q"), "TDIS-TYPE")


class Promises(WithServer, Tool):
    """Against sets that keep the keys, and predictions from math/."""

    def setUp(self):
        WithServer.setUp(self)
        Tool.setUp(self)

    def test_a_bloom_filter_never_forgets_and_errs_as_predicted(self):
        client = self.server.client()
        client.bf().create("fixed", 0.01, 20000, noScale=True)
        client.bf().create("grown", 0.01, 100)
        words = [f"key {i}" for i in range(20000)]
        for start in range(0, len(words), 1000):
            client.bf().madd("fixed", *words[start:start + 1000])
            client.bf().madd("grown", *words[start:start + 1000])
        for name in ("fixed", "grown"):
            for start in range(0, len(words), 1000):
                self.assertEqual(sum(client.bf().mexists(name, *words[start:start + 1000])), 1000)
        strangers = [f"stranger {i}" for i in range(40000)]
        wrong = {name: sum(sum(client.bf().mexists(name, *strangers[i:i + 1000]))
                           for i in range(0, len(strangers), 1000)) for name in ("fixed", "grown")}
        bits = 8 * (self.one("BF.INFO", "fixed", "SIZE")[0] - 96)
        predicted = json.loads(self.run_tool("rate", "--bits", bits, "--keys", 20000, "--hashes", 7, "--json"))["rate"]
        self.assertLess(predicted, 0.0102)
        self.assertLessEqual(wrong["fixed"], most_of(len(strangers), predicted))
        self.assertGreater(wrong["fixed"], 0)
        self.assertLessEqual(wrong["grown"], most_of(len(strangers), 0.0102))

    def test_a_cuckoo_filter_knows_what_was_added_and_not_removed(self):
        chance = random.Random(7)
        there = {}
        self.one("CF.RESERVE", "c", 64, "EXPANSION", 2)
        words = [f"word {i}" for i in range(300)]
        for _ in range(6000):
            word = chance.choice(words)
            if there.get(word) and chance.random() < 0.5:
                self.assertEqual(self.one("CF.DEL", "c", word), 1)
                there[word] -= 1
            elif self.one("CF.ADDNX", "c", word):
                there[word] = there.get(word, 0) + 1
        kept = [word for word, times in there.items() if times]
        self.assertGreater(len(kept), 50)
        self.assertEqual(self.one("CF.MEXISTS", "c", *kept), [1] * len(kept))
        for word in kept:
            self.assertGreaterEqual(self.one("CF.COUNT", "c", word), there[word])
        self.one("CF.COMPACT", "c")
        self.assertEqual(self.one("CF.MEXISTS", "c", *kept), [1] * len(kept))
        self.assertEqual(self.three("CF.INFO", "c")["Number of items inserted"], sum(there.values()))

    def test_a_sketch_never_counts_too_little_and_sums(self):
        chance = random.Random(3)
        truth = [{}, {}]
        for i in range(2):
            self.one("CMS.INITBYPROB", f"s{i}", 0.01, 0.01)
            for _ in range(500):
                word, times = f"w{int(chance.expovariate(0.05))}", chance.randrange(50)
                truth[i][word] = truth[i].get(word, 0) + times
                self.one("CMS.INCRBY", f"s{i}", word, times)
        self.one("CMS.INITBYPROB", "sum", 0.01, 0.01)
        self.one("CMS.MERGE", "sum", 2, "s0", "s1", "WEIGHTS", 1, 3)
        words = sorted(truth[0].keys() | truth[1].keys())
        for word, told in zip(words, self.one("CMS.QUERY", "sum", *words)):
            self.assertGreaterEqual(told, truth[0].get(word, 0) + 3 * truth[1].get(word, 0))
        total = sum(truth[0].values()) + 3 * sum(truth[1].values())
        self.assertEqual(self.three("CMS.INFO", "sum"), {"width": 200, "depth": 7, "count": total})

    def test_the_most_frequent_are_listed_alike_on_every_server(self):
        """Of Zipf's law, through collisions: the same list after the value went through a dump midway."""
        chance = random.Random(5)
        words = [f"w{int(1 / (1 - chance.random()))}" for _ in range(4000)]
        self.one("TOPK.RESERVE", "a", 5, 20, 4, 0.9)
        for i in range(0, 2000, 100):
            self.one("TOPK.ADD", "a", *words[i:i + 100])
        self.one("RESTORE", "b", 0, self.dumped("a"))
        for key in "ab":
            for i in range(2000, 4000, 100):
                self.one("TOPK.ADD", key, *words[i:i + 100])
        self.assertEqual(self.dumped("a"), self.dumped("b"))
        truth = sorted(set(words), key=lambda w: -words.count(w))[:3]
        self.assertEqual([w.decode() for w in self.one("TOPK.LIST", "a")][:3], truth)
        counts = dict(zip(truth, self.one("TOPK.COUNT", "a", *truth)))
        for word in truth:
            self.assertLessEqual(counts[word], words.count(word))
        self.one("TOPK.ADD", "a", b"x\0y", *[b"x\0y"] * 3000, b"x")
        self.assertIn(b"x\0y", self.one("TOPK.LIST", "a"))
        self.assertEqual(self.one("TOPK.QUERY", "a", b"x\0y", b"x\0z"), [1, 0])


class Replies(WithServer):
    def test_a_stock_client(self):
        """Under either protocol, if the client that is installed knows both: that of Debian 12 does not."""
        port = free_port()
        self.one("CONFIG", "SET", "port", port)
        self.addCleanup(self.one, "CONFIG", "SET", "port", 0)
        for protocol in (2, 3) if "protocol" in inspect.signature(redis.Redis).parameters else (2,):
            with self.subTest(protocol=protocol):
                self.one("FLUSHALL")
                options = {"protocol": 3} if protocol == 3 else {}
                self.use(*(redis.Redis("127.0.0.1", port, decode_responses=text, **options) for text in (True, False)))

    def use(self, client, binary):
        def told(info, attributes, names):  # clients of RESP3 give maps
            return [info[n] if isinstance(info, dict) else getattr(info, a)
                    for a, n in zip(attributes.split(), names.split(","))]
        self.addCleanup(client.close)
        self.addCleanup(binary.close)
        bf, cf, cms, top = client.bf(), client.cf(), client.cms(), client.topk()
        self.assertTrue(bf.create("b", 0.01, 1000, expansion=4))
        self.assertEqual((bf.add("b", "x"), bf.add("b", "x"), bf.exists("b", "x")), (1, 0, 1))
        self.assertEqual(bf.insert("b2", ["x", "y"], capacity=10, error=0.1, noScale=True), [1, 1])
        self.assertEqual(told(bf.info("b"), "capacity insertedNum filterNum expansionRate",
                              "Capacity,Number of items inserted,Number of filters,Expansion rate"), [1000, 1, 1, 4])
        self.assertEqual(binary.bf().scandump("b2", 0)[0], 1)
        self.assertTrue(cf.create("c", 1000, expansion=1, bucket_size=4, max_iterations=10))
        self.assertEqual((cf.add("c", "x"), cf.addnx("c", "x"), cf.count("c", "x"), cf.delete("c", "x")), (1, 0, 1, 1))
        self.assertEqual(cf.insertnx("c2", ["x", "x"]), [1, 0])
        self.assertEqual(told(cf.info("c"), "bucketSize deletedNum", "Bucket size,Number of items deleted"), [4, 1])
        self.assertTrue(cms.initbydim("s", 1000, 5))
        self.assertEqual(cms.incrby("s", ["x", "y"], [5, 7]), [5, 7])
        self.assertEqual(cms.query("s", "x", "z"), [5, 0])
        self.assertTrue(cms.initbydim("s2", 1000, 5) and cms.merge("s2", 1, ["s"], [2]))
        self.assertEqual((cms.query("s2", "x"), *told(cms.info("s2"), "count", "count")), ([10], 24))
        self.assertTrue(top.reserve("t", 2, 50, 4, 0.9))
        self.assertEqual(top.add("t", "x", "y", "y"), [None, None, None])
        self.assertEqual(top.incrby("t", ["z"], [9]), ["x"])
        self.assertEqual((top.query("t", "x", "y"), top.list("t"), *told(top.info("t"), "k", "k")),
                         ([0, 1], ["z", "y"], 2))
        with client.pipeline() as several:
            several.bf().add("p", "x")
            several.execute_command("BF.EXISTS", "p", "x")
            self.assertEqual(several.execute(), [1, 1])

    def test_shapes_of_both_protocols(self):
        for ask, wants in ((self.one, [1, 0]), (self.three, [True, False])):
            self.one("FLUSHALL")
            self.assertEqual(ask("BF.MADD", "b", "x", "x"), wants)
            self.assertEqual(ask("BF.MEXISTS", "b", "x", "none"), wants)
            self.assertEqual(ask("CF.ADD", "c", "x"), wants[0])
            self.assertEqual(ask("CF.INSERT", "c", "ITEMS", "y"), wants[:1])
            self.assertEqual(ask("CF.INSERTNX", "c", "ITEMS", "y"), [0])
            self.assertIs(type(ask("CF.INSERTNX", "c", "ITEMS", "y")[0]), int)
            self.assertEqual(ask("TOPK.RESERVE", "t", 2), "OK")
            self.assertEqual(ask("TOPK.ADD", "t", "x"), [None])
            self.assertEqual(ask("TOPK.QUERY", "t", "x", "y"), wants)
        self.one("BF.RESERVE", "n", 0.01, 100, "NONSCALING")
        told = {"Capacity": 100, "Size": 216, "Number of filters": 1, "Number of items inserted": 0,
                "Expansion rate": None}
        self.assertEqual(self.three("BF.INFO", "n"), told)
        self.assertEqual(self.one("BF.INFO", "n"), [x for pair in told.items() for x in pair])
        self.assertEqual((self.one("BF.INFO", "n", "size"), self.three("BF.INFO", "n", "SIZE")), ([216], {"Size": 216}))
        self.assertEqual(self.three("TOPK.INFO", "t"), {"k": 2, "width": 8, "depth": 7, "decay": 0.9})
        self.assertEqual(self.one("CF.INFO", "c")[:2], ["Size", 1080])

    def test_a_full_filter_ends_the_answers_with_why(self):
        self.one("BF.RESERVE", "n", 0.1, 2, "NONSCALING")
        *answers, why = self.one("BF.MADD", "n", "a", "b", "c", "d")
        self.assertEqual((answers, str(why)), ([1, 1], "ERR non scaling filter is full"))
        self.one("CF.RESERVE", "c", 4, "EXPANSION", 0)
        self.assertIn(-1, self.one("CF.INSERT", "c", "ITEMS", *"abcdefgh"))
        self.assertEqual(self.one.refused("CF.ADD", "c", "z"), "Filter is full")
        self.one("CMS.INITBYDIM", "s", 4, 1)
        self.assertEqual(str(self.one("CMS.INCRBY", "s", "a", 2**32)[0]), "CMS: INCRBY overflow")

    def test_errors_in_the_words_that_clients_know(self):
        self.one("SET", "text", "x")
        self.one("BF.RESERVE", "b", 0.1, 10)
        for words, says in [
                ("BF.RESERVE b 0.1 10", "ERR item exists"), ("BF.RESERVE n 2 10", "ERR (0 < error rate range < 1) "),
                ("BF.RESERVE n x 10", "ERR bad error rate"), ("BF.RESERVE n 0.1 x", "ERR bad capacity"),
                ("BF.RESERVE n 0.1 0", "ERR (capacity should be larger than 0)"),
                ("BF.RESERVE n 0.1 9 EXPANSION x", "ERR bad expansion"),
                ("BF.RESERVE n 0.1 9 NONSCALING EXPANSION 2", "Nonscaling filters cannot expand"),
                ("BF.INSERT n NOCREATE ITEMS a", "ERR not found"), ("BF.INSERT n CAPACITY x ITEMS a", "Bad capacity"),
                ("BF.INSERT n WHAT", "ERR wrong number of arguments for 'bf.insert' command"),
                ("BF.INSERT n WHAT ITEMS a", "Unknown argument received"), ("BF.INFO b x", "Invalid information value"),
                ("BF.INFO n", "ERR not found"), ("BF.LOADCHUNK b 999 x", "ERR invalid offset - no link found"),
                ("BF.ADD text x", "WRONGTYPE Operation against a key holding the wrong kind of value"),
                ("CF.RESERVE n 1", "Capacity must be at least (BucketSize * 2)"), ("CF.DEL n x", "Not found"),
                ("CF.INSERT n CAPACITY -5 ITEMS a", "Capacity must be at least (BucketSize * 2)"),
                ("CF.SCANDUMP n x", "Invalid position"), ("CF.LOADCHUNK n 1 x", "Invalid header"),
                ("CF.COMPACT n", "Cuckoo filter was not found"), ("CMS.QUERY n x", "CMS: key does not exist"),
                ("CMS.INITBYDIM n 0 1", "CMS: invalid width"), ("CMS.INITBYDIM b 1 1", "CMS: key already exists"),
                ("CMS.MERGE n 1 b", "CMS: key does not exist"), ("TOPK.RESERVE n 0", "TopK: invalid k"),
                ("TOPK.ADD n x", "TopK: key does not exist")]:
            with self.subTest(words=words):
                self.assertEqual(self.one.refused(*words.split()), says)
        self.assertEqual(self.one("BF.MEXISTS", "text", "a", "b"), [0, 0])
        self.assertEqual(self.one("KEYS", "n"), [])

    def test_what_the_server_is_told_of_commands(self):
        self.assertEqual(self.one("COMMAND", "GETKEYS", "CMS.MERGE", "to", 2, "a", "b", "WEIGHTS", 1, 2),
                         [b"to", b"a", b"b"])
        listed = [c.decode() for c in self.one("COMMAND", "LIST", "FILTERBY", "MODULE", "bf")]
        self.assertGreaterEqual(len(listed), 38)
        docs = self.three("COMMAND", "DOCS", *listed)
        for name in listed:
            with self.subTest(command=name):
                self.assertIn(b"summary", docs[name.encode()])
                _, arity, flags, first, *_ = self.one("COMMAND", "INFO", name)[0]
                self.assertNotEqual(arity, -1)
                self.assertEqual(first, 0 if name == "bloom.kinds" else 1)  # which has no key
                self.assertIn("write" if "write" in flags else "readonly", flags)


class Damage(WithServer):
    """What has broken other modules, and every byte of values changed: an error or a sound value, and no large
    allocation."""

    def test_absurd_requests_are_refused_and_take_no_memory(self):
        header = struct.pack("<QIII", 0, 1, 5, 2)
        link = struct.pack("<QQQddIQB", 2**50, 2**53, 0, 0.01, 9.6, 7, 100, 0)
        absurd = [("BF.LOADCHUNK", "k", 1, header + struct.pack("<QQQddIQB", 64, 0, 0, 0.01, 9.6, 7, 100, 0)),
            ("BF.RESERVE", "k", "1e-300", 10**15), ("BF.RESERVE", "k", 0.0001, 2**62),
            ("BF.RESERVE", "k", 0.01, 2**63 - 1), ("BF.INSERT", "k", "CAPACITY", 2**62, "ITEMS", "a"),
            ("BF.RESERVE", "k", 0.99, 1, "EXPANSION", 0), ("BF.LOADCHUNK", "k", 1, header + link),
            ("BF.LOADCHUNK", "k", 1, struct.pack("<QIII", 0, 2**32 - 1, 5, 2)), ("BF.LOADCHUNK", "k", 1, b""),
            ("CF.RESERVE", "k", 2**62), ("CF.RESERVE", "k", 2**63 - 1, "BUCKETSIZE", 255),
            ("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 0, 2**50, 0, 1, 2, 20, 1)),
            ("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 0, 8, 0, 2**40, 2, 20, 1)),
            ("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 0, 2**63, 0, 2, 255, 20, 32768)),
            ("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 0, 0, 0, 1, 2, 20, 1)),
            ("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 0, 8, 0, 1, 0, 20, 1)),
            ("CMS.INITBYDIM", "k", 10**12, 10), ("CMS.INITBYDIM", "k", 2**62, 4), ("CMS.INITBYDIM", "k", 2**32, 2**32),
            ("CMS.INITBYPROB", "k", "1e-300", 0.5), ("TOPK.RESERVE", "k", 10**9), ("TOPK.RESERVE", "k", 2**63 - 1),
            ("TOPK.RESERVE", "k", 1, 2**32 - 1, 2**32 - 1, 0.9), ("CMS.MERGE", "k", -1, "k"),
            ("CMS.MERGE", "k", 2**62, "k")]
        before = self.three("MEMORY", "STATS")[b"total.allocated"]
        for words in absurd:
            with self.subTest(words=words):
                self.one.refused(*words)
                self.assertEqual(self.one("EXISTS", "k"), 0)
        self.assert_alive()
        peak = self.three("MEMORY", "STATS")[b"peak.allocated"]
        self.assertLess(peak, before + (64 << 20))

    def test_chunks_outside_of_the_filter_are_refused(self):
        self.one("BF.RESERVE", "b", 0.01, 100)
        self.one("CF.RESERVE", "c", 100)
        dumps = self.one("DUMP", "b"), self.one("DUMP", "c")
        for position in (-2**63, -1, 0, 1, 2, 145, 146, 1000, 2**62, 2**63 - 1):
            for size in (2, 144, 200, 5000):
                for group, key in (("BF", "b"), ("CF", "c")):
                    end = position if position < 0 or position > 2**61 else position + size + 1
                    if 1 <= end - 1 - size and end - 1 <= (144 if key == "b" else 128):
                        continue  # inside
                    if 0 <= end - 1 - size and end - 1 <= (144 if key == "b" else 128):
                        continue
                    self.one.refused(f"{group}.LOADCHUNK", key, end, b"\xff" * size)
        self.assertEqual((self.one("DUMP", "b"), self.one("DUMP", "c")), dumps)
        self.assert_alive()

    def values(self):
        self.one("BF.RESERVE", "b", 0.1, 4)
        self.one("BF.MADD", "b", *"abcdefg")
        self.one("CF.RESERVE", "c", 8)
        self.one("CF.INSERT", "c", "ITEMS", *"abcdefghijkl")
        self.one("CMS.INITBYDIM", "s", 5, 2)
        self.one("CMS.INCRBY", "s", "a", 5)
        self.one("TOPK.RESERVE", "t", 2, 5, 2, 0.9)
        self.one("TOPK.ADD", "t", *"abc")
        self.one("RESTORE", "q", 0, layouts.dump("TDIS-TYPE", 0, b"".join(map(layouts.d, (1, 2, 3))) +
                 b"".join(map(layouts.u, (9, 1, 0, 1))) + b"".join(map(layouts.d, (1, 0, 2, 1)))))
        return {key: self.one("DUMP", key) for key in "bcstq"}

    def test_dumps_with_every_byte_changed(self):
        uses = {"b": [("BF.MADD", "x", "q", "r", "s"), ("BF.INFO", "x"), ("BF.SCANDUMP", "x", 1)],
                "c": [("CF.INSERT", "x", "ITEMS", "q", "r", "s"), ("CF.DEL", "x", "a"), ("CF.COMPACT", "x")],
                "s": [("CMS.INCRBY", "x", "q", 5), ("CMS.QUERY", "x", "a")],
                "t": [("TOPK.ADD", "x", "q", "r"), ("TOPK.LIST", "x", "WITHCOUNT"), ("TOPK.COUNT", "x", "a")],
                "q": []}
        refused = accepted = 0
        for key, dump in self.values().items():
            for at in range(10, len(dump) - 10):
                for flip in (0x01, 0x40, 0x80, 0xff):
                    body = dump[:at] + bytes([dump[at] ^ flip]) + dump[at + 1:-8]
                    self.one.send("RESTORE", "x", 0, body + struct.pack("<Q", layouts.crc64(body)), "REPLACE")
                    if isinstance(self.one.read(), Failure):
                        refused += 1
                        continue
                    accepted += 1
                    for words in [*uses[key], ("DUMP", "x"), ("COPY", "x", "y", "REPLACE"), ("DEL", "x", "y")]:
                        self.one.send(*words)
                        self.one.read()  # whatever it is
        self.assert_alive()
        self.assertGreater(refused, 200)
        self.assertGreater(accepted, 100)  # or nothing was tried on what is loaded

    def test_fields_that_lie(self):
        u, d, s = layouts.u, layouts.d, layouts.s
        def bloom(items=0, links=1, options=5, growth=2, hashes=7, bits=64, n2=0, size=8):
            return u(items) + u(links) + u(options) + u(growth) + u(10) + d(0.01) + u(hashes) + d(9.6) + u(bits) + \
                u(n2) + s(bytes(size)) + u(0)
        def cuckoo(links=1, buckets=8, size=2, iterations=20, expansion=1, told=8, data=16):
            return b"".join(map(u, (links, buckets, 0, 0, size, iterations, expansion, told))) + s(bytes(data))
        def top(k=2, width=3, depth=2, cells=48, records=48, decay=0.9):
            return u(k) + u(width) + u(depth) + d(decay) + s(bytes(cells)) + s(bytes(records)) + s(b"\0") * 2
        sound = [("MBbloom--", 4, bloom()), ("MBbloomCF", 4, cuckoo()), ("TopK-TYPE", 0, top()),
                 ("CMSk-TYPE", 0, u(2) + u(2) + u(0) + s(bytes(16)))]
        for name, encoding, fields in sound:
            self.one("RESTORE", "x", 0, layouts.dump(name, encoding, fields), "REPLACE")
        lies = [("MBbloom--", bloom(bits=65)), ("MBbloom--", bloom(bits=2**63)), ("MBbloom--", bloom(bits=0)),
                ("MBbloom--", bloom(links=0)), ("MBbloom--", bloom(links=2)), ("MBbloom--", bloom(links=2**40)),
                ("MBbloom--", bloom(n2=7)), ("MBbloom--", bloom(n2=64)), ("MBbloom--", bloom(n2=255)),
                ("MBbloom--", bloom(hashes=0)), ("MBbloom--", bloom(hashes=2**31)), ("MBbloom--", bloom(size=0)),
                ("MBbloom--", bloom(options=16)), ("MBbloomCF", cuckoo(links=0)), ("MBbloomCF", cuckoo(buckets=0)),
                ("MBbloomCF", cuckoo(told=0)), ("MBbloomCF", cuckoo(told=9)), ("MBbloomCF", cuckoo(data=15)),
                ("MBbloomCF", cuckoo(told=2**63)), ("MBbloomCF", cuckoo(size=0)), ("MBbloomCF", cuckoo(size=256)),
                ("MBbloomCF", cuckoo(expansion=3)), ("MBbloomCF", cuckoo(iterations=0)), ("TopK-TYPE", top(k=3)),
                ("TopK-TYPE", top(width=2**31, depth=2**31)), ("TopK-TYPE", top(cells=40)), ("TopK-TYPE", top(k=0)),
                ("TopK-TYPE", top(records=47)), ("TopK-TYPE", top(decay=2)), ("TopK-TYPE", top(decay=float("nan"))),
                ("CMSk-TYPE", u(2) + u(3) + u(0) + s(bytes(16))), ("CMSk-TYPE", u(0) + u(0) + u(0) + s(b"")),
                ("CMSk-TYPE", u(2**33) + u(2**31) + u(0) + s(b"")), ("CMSk-TYPE", u(2**62 + 1) + u(4) + u(0) + s(bytes(16)))]
        for name, fields in lies:
            with self.subTest(name=name, fields=fields):
                encoding = 4 if name.startswith("MB") else 0
                self.assertIn("Bad data format",
                              self.one.refused("RESTORE", "y", 0, layouts.dump(name, encoding, fields)))
        self.one.refused("RESTORE", "y", 0, layouts.dump("MBbloom--", 5, bloom()))  # of a later encoding
        self.assert_alive()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Keeping(unittest.TestCase):
    """What the server does with values: files, replicas, limits, memory."""

    def begun(self, *options):
        server = Server(*options)
        self.addCleanup(server.end)
        return server

    @staticmethod
    def fill(one):
        for i in range(300):
            one("BF.ADD", "b", f"k{i}")
            one("CF.ADD", "c", f"k{i}")
        one("CMS.INITBYDIM", "s", 100, 3)
        one("TOPK.RESERVE", "t", 3, 10, 3, 0.9)
        for i in range(300):
            one("CMS.INCRBY", "s", f"k{i % 7}", i)
            one("TOPK.ADD", "t", f"k{i % 7}")
        one("RESTORE", "q", 0, layouts.dump("TDIS-TYPE", 0, b"".join(map(layouts.d, (1, 2, 3))) +
            b"".join(map(layouts.u, (9, 0, 0, 0))) + b"".join(map(layouts.d, (0, 0)))))

    def state(self, server):
        one = server.raw()
        self.addCleanup(one.close)
        return {key: one("DUMP", key) for key in sorted(one("KEYS", "*"))}

    def test_all_files_bring_all_values_back(self):
        for options in (["--appendonly", "no"], ["--appendonly", "yes", "--aof-use-rdb-preamble", "yes"],
                        ["--appendonly", "yes", "--aof-use-rdb-preamble", "no"]):
            with self.subTest(options=options):
                server = self.begun(*options)
                one = server.raw()
                self.fill(one)
                if "no" == options[1]:
                    one("SAVE")
                else:
                    one("BGREWRITEAOF")
                    while "aof_rewrite_in_progress:1" in one("INFO", "persistence").decode() or \
                            "aof_rewrite_scheduled:1" in one("INFO", "persistence").decode():
                        pass
                    self.assertIn("aof_last_bgrewrite_status:ok", one("INFO", "persistence").decode())
                    one("BF.ADD", "b", "after")
                    one("CONFIG", "SET", "appendfsync", "always")
                    one("CF.ADD", "c", "last")
                before = self.state(server)
                self.assertEqual(len(before), 5)
                server.restart(*options)
                self.assertEqual(self.state(server), before)
                one.close()

    def test_nothing_acknowledged_is_lost_by_kill(self):
        options = ["--appendonly", "yes", "--appendfsync", "always"]
        server = self.begun(*options)
        added = []
        one = server.raw()
        one("CMS.INITBYDIM", "s", 1000, 5)
        for round_ in range(20 if FULL else 2):
            asked = [f"round {round_} key {i}" for i in range(200)]
            for word in asked:
                for words in [("BF.ADD", "b", word), ("CF.ADD", "c", word), ("CMS.INCRBY", "s", word, 3)]:
                    one.send(*words)
            # While the rest is under way.
            for word in asked[:random.Random(round_).randrange(20, 200)]:
                self.assertEqual([type(one.read()) for _ in range(3)], [int, int, list])
                added.append(word)
            server.process.send_signal(signal.SIGKILL)
            one.close()
            server.restart(*options)
            one = server.raw()
            self.assertEqual(one("BF.MEXISTS", "b", *added), [1] * len(added))
            self.assertEqual(one("CF.MEXISTS", "c", *added), [1] * len(added))
            self.assertTrue(all(count >= 3 for count in one("CMS.QUERY", "s", *added)))
        one.close()

    def test_a_replica_has_the_same_bytes_and_hears_of_changes_only(self):
        master = self.begun()
        one = master.raw()
        one("CONFIG", "SET", "repl-diskless-sync-delay", 0)
        port = free_port()
        one("CONFIG", "SET", "port", port)
        replica = self.begun("--replicaof", f"127.0.0.1 {port}")
        self.fill(one)
        one("CF.RESERVE", "small", 8)
        one("CF.INSERT", "small", "ITEMS", *"abcdefghijklmnop")
        one("TOPK.ADD", "t", *[f"x{i}" for i in range(500)])
        while one("WAIT", 1, 1000) != 1:
            pass
        self.assertEqual(self.state(replica), self.state(master))
        def offset():
            return int(one("INFO", "replication").decode().partition("master_repl_offset:")[2].split()[0])
        one("CONFIG", "SET", "repl-ping-replica-period", 3600)
        before = offset()
        for words in [("BF.ADD", "b", "k1"), ("BF.MADD", "b", "k1", "k2"), ("CF.ADDNX", "c", "k1"),
                      ("CF.INSERTNX", "c", "ITEMS", "k1"), ("CMS.INCRBY", "s", "k1", 0), ("TOPK.INCRBY", "t", "k1", 0),
                      ("BF.EXISTS", "b", "k1")]:
            one(*words)
        one.refused("BF.RESERVE", "b", 0.1, 10)
        self.assertLess(offset() - before, 20)  # a ping at most
        one("BF.ADD", "b", "really new")
        self.assertGreater(offset() - before, 30)
        one.close()

    def test_limits_of_memory(self):
        server = self.begun()
        one = server.raw()
        used = lambda: int(one("INFO", "memory").decode().partition("used_memory:")[2].split()[0])
        before = used()
        one("BF.RESERVE", "b", 0.01, 10**7)
        self.assertGreater(used() - before, 13 << 20)
        self.assertAlmostEqual(one("MEMORY", "USAGE", "b") / (used() - before), 1, delta=0.01)
        one("UNLINK", "b")
        one("CONFIG", "SET", "bf.max-object-size", "1mb")
        for words in [("BF.RESERVE", "x", 0.01, 10**7), ("CF.RESERVE", "x", 10**7), ("CMS.INITBYDIM", "x", 10**6, 5),
                      ("TOPK.RESERVE", "x", 10, 10**6, 5, 0.9)]:
            self.assertIn("bf.max-object-size", one.refused(*words))
        one("BF.RESERVE", "grows", 0.01, 10**5, "EXPANSION", 100)
        words = [f"k{i}" for i in range(100100)]
        *_, why = one("BF.MADD", "grows", *words)
        self.assertIn("bf.max-object-size", str(why))
        self.assertEqual(one("BF.CARD", "grows") // 1000, 100)
        one("CONFIG", "SET", "maxmemory", "1mb")
        self.assertIn("OOM", one.refused("BF.ADD", "another", "x"))
        one("CONFIG", "SET", "maxmemory", 0)
        one.close()

    def test_events_info_and_unlink(self):
        server = self.begun("--notify-keyspace-events", "KEA")
        one, listener = server.raw(), server.raw()
        listener("PSUBSCRIBE", "__keyspace@0__:*")
        one("BF.ADD", "b", "x")
        one("BF.ADD", "b", "x")  # which changes nothing
        one("CF.ADD", "c", "x")
        self.assertEqual(self.events(listener, 2), [b"bf.add", b"cf.add"])
        self.assertIn("bf_bf:1", one("INFO", "bf_objects").decode())
        names = re.findall(r"^bf_\w+(?=:)", one("INFO", "everything").decode(), re.M)
        self.assertIn("bf_moved_bf", names)
        self.assertEqual(len(names), len(set(names)))  # clients put all sections together
        one("BF.RESERVE", "large", 0.01, 10**7)
        freed = lambda: int(one("INFO", "memory").decode().partition("lazyfreed_objects:")[2].split()[0])
        before = freed()
        one("UNLINK", "large")
        while freed() <= before:
            pass  # in the background
        while "bf_bf:1" not in one("INFO", "bf_objects").decode():
            pass
        one.close()
        listener.close()

    @staticmethod
    def events(listener, count):
        told = []
        while len(told) < count:
            event = listener.read()[3]
            if b"." in event:
                told.append(event)
        return told


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
