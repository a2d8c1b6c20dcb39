"""What a limit refuses in the middle of a batch: replicas and files of commands hear of the rest alone."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from redis_private import free_port
from redis_servers import WHY_NOT, Failure, Server, WithServer
from tool import TOOL


def followed(master, begun):
    """A replica, once it has all of the master, which listens for it."""
    master("CONFIG", "SET", "repl-diskless-sync-delay", 0)
    port = free_port()
    master("CONFIG", "SET", "port", port)
    replica = begun("--replicaof", f"127.0.0.1 {port}")
    while master("WAIT", 1, 1000) != 1:
        pass
    return replica


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Limits(unittest.TestCase):
    options = ["--appendonly", "yes", "--appendfsync", "always", "--bf.max-object-size", "60kb"]
    keys = [f"key {i}" for i in range(6000)]

    def begun(self, *options):
        server = Server(*options)
        self.addCleanup(server.end)
        return server

    @staticmethod
    def state(server):
        one = server.raw()
        one("CONFIG", "SET", "rdbcompression", "no")
        dumps = {key: one("DUMP", key) for key in sorted(one("KEYS", "*"))}
        one.close()
        return dumps

    def refuse_in_the_middle(self, one):
        """Batches of which only the first keys fit, since the filters may not grow."""
        for key, words in (("m", ("BF.MADD", "m")), ("i", ("BF.INSERT", "i", "EXPANSION", 60, "ITEMS"))):
            one("BF.RESERVE", key, 0.01, 1000, "EXPANSION", 60)
            *answers, why = one(*words, *self.keys)
            self.assertIn("bf.max-object-size", str(why))
            self.assertEqual(sum(answers), 1000)
        one("CF.RESERVE", "c", 1000, "EXPANSION", 64)
        one("CF.RESERVE", "n", 1000, "EXPANSION", 64)
        for words in (("CF.INSERT", "c", "ITEMS"), ("CF.INSERTNX", "n", "ITEMS")):
            answers = one(*words, *self.keys)
            self.assertIn(-1, answers)
            self.assertGreater(answers.count(1), 900)
        # A filter that arrives in pieces and is too large once it is unpacked.
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "f"
            subprocess.run([TOOL, "build", "--keys", "1M", "-o", file], input=b"a\n", check=True, capture_output=True)
            subprocess.run([TOOL, "compress", "-o", file, file], check=True, capture_output=True)
            packed = file.read_bytes()
        one("BLOOM.LOAD", "packed", 0, packed[:100])
        self.assertIn("over the limit", one.refused("BLOOM.LOAD", "packed", 100, packed[100:]))
        self.assertEqual(one("EXISTS", "packed"), 0)

    def test_a_replica_takes_what_its_master_took(self):
        master = self.begun(*self.options)
        one = master.raw()
        self.addCleanup(one.close)
        replica = followed(one, self.begun)
        self.refuse_in_the_middle(one)
        while one("WAIT", 1, 1000) != 1:
            pass
        self.assertEqual(len(self.state(master)), 4)
        self.assertEqual(self.state(replica), self.state(master))

    def test_a_file_of_commands_has_what_was_taken(self):
        server = self.begun(*self.options)
        one = server.raw()
        self.refuse_in_the_middle(one)
        one.close()
        before = self.state(server)
        server.restart(*self.options)
        self.assertEqual(self.state(server), before)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Arguments(unittest.TestCase):
    """What the module is told when it is loaded, in the words that redisbloom.so takes."""
    keeping = ["--appendonly", "yes", "--appendfsync", "always"]

    def begun(self, *options, arguments=()):
        server = Server(*options, arguments=arguments)
        self.addCleanup(server.end)
        return server

    def test_filters_begin_as_told_and_alike_where_nothing_is_told(self):
        server = self.begun(*self.keeping, arguments=["error_rate", 0.003, "INITIAL_SIZE", 77, "CF_MAX_EXPANSIONS", 2])
        one = server.raw()
        self.addCleanup(one.close)
        replica = followed(one, self.begun)
        one("BF.ADD", "a", "x")
        one("BF.MADD", "m", *range(5))
        one("BF.INSERT", "i", "EXPANSION", 3, "ITEMS", "x", "y")
        one("BF.INSERT", "n", "NONSCALING", "EXPANSION", 4, "CAPACITY", 2, "ITEMS", *range(9))  # and is full
        one("EVAL", "return redis.call('BF.ADD', 'e', 'x')", 0)
        for key in "amie":
            self.assertEqual(one("BF.INFO", key, "CAPACITY"), [77])
            self.assertIn(b"ratio:0.0015", one("BF.DEBUG", key)[1])
        self.assertIn(b"ratio:0.003", one("BF.DEBUG", "n")[1])
        one("CF.RESERVE", "c", 4)
        one("CF.INSERT", "c", "ITEMS", *range(40))
        self.assertEqual(one.refused("CF.ADD", "c", "x"), "Maximum expansions reached")
        one("CF.RESERVE", "d", 4, "MAXITERATIONS", 1)
        while "CF.ADD is taken":
            try:
                one("CF.ADD", "d", "x")
            except Failure as full:
                self.assertEqual(str(full), "Maximum expansions reached")
                break
        self.assertEqual(one("CF.INFO", "d")[5], 2)
        while one("WAIT", 1, 1000) != 1:
            pass
        before = Limits.state(server)
        self.assertEqual(len(before), 7)
        self.assertEqual(Limits.state(replica), before)
        # A file of what was accepted is read, whatever is told now.
        server.arguments = ["CF_MAX_EXPANSIONS", 1]
        server.restart(*self.keeping)
        self.assertEqual(Limits.state(server), before)

    def test_what_makes_no_sense_is_refused_in_the_log(self):
        for words in (["ERROR_RATE", 1], ["ERROR_RATE", 0], ["ERROR_RATE", "x"], ["ERROR_RATE"], ["INITIAL_SIZE", 0],
                      ["INITIAL_SIZE", "1.5"], ["CF_MAX_EXPANSIONS", -1], ["WHAT", 5], ["INITIAL_SIZE", 5, ""]):
            with self.subTest(words=words):
                with self.assertRaisesRegex(AssertionError, "the module's arguments are"):
                    self.begun(arguments=words)


@unittest.skipIf(WHY_NOT, WHY_NOT)
@unittest.skipUnless(os.environ.get("BLOOMERY_FULL"), "--full: values of 600 MB")
class Large(unittest.TestCase):
    def test_values_beyond_a_string_of_the_server_are_rewritten_and_read(self):
        options = ["--appendonly", "yes", "--aof-use-rdb-preamble", "no", "--rdbcompression", "no"]
        server = Server(*options)
        self.addCleanup(server.end)
        one = server.raw()
        one("CMS.INITBYDIM", "s", 140_000_000, 1)
        one("CMS.INCRBY", "s", "a", 5)
        one("BF.RESERVE", "b", 0.01, 5 * 10**8, "NONSCALING")
        one("BF.ADD", "b", "a")
        for key in "sb":
            self.assertGreater(one("MEMORY", "USAGE", key), 512 << 20)
        one("BGREWRITEAOF")
        while "aof_rewrite_in_progress:1" in one("INFO", "persistence").decode():
            time.sleep(0.1)
        self.assertIn("aof_last_bgrewrite_status:ok", one("INFO", "persistence").decode())
        one.close()
        server.restart(*options)
        one = server.raw()
        self.addCleanup(one.close)
        self.assertEqual((one("CMS.QUERY", "s", "a", "b"), one("BF.MEXISTS", "b", "a", "b")), ([5, 0], [1, 0]))


class Words(WithServer):
    """Errors and their order, where several things are wrong: as servers of RedisBloom 2.8 have been seen to answer."""

    def test_what_is_said_first(self):
        self.one("BF.RESERVE", "b", 0.1, 10)
        self.one("CF.RESERVE", "c", 10)
        self.one("CMS.INITBYDIM", "s", 5, 5)
        for words, says in [
                ("BF.RESERVE n 0.1 10 EXPANSION 0 NONSCALING", "Nonscaling filters cannot expand"),
                ("BF.RESERVE n 0.1 10 EXPANSION x NONSCALING", "Nonscaling filters cannot expand"),
                ("BF.RESERVE n 0.1 10 EXPANSION 0", "ERR expansion should be greater or equal to 1"),
                ("BF.LOADCHUNK b 1 xxxxxxxxxxxxxxxxxxxx", "ERR received bad data"),
                ("BF.LOADCHUNK b 20 xxxxxxxxxxxxxxxxxxxx", "ERR invalid offset - no link found"),
                ("BF.LOADCHUNK b -5 x", "ERR received bad data"),
                ("BF.INSERT n ERROR 2 CAPACITY x ITEMS a", "Bad capacity"),
                ("BF.INSERT n EXPANSION 0 WHAT ITEMS a", "Unknown argument received"),
                ("BF.INSERT n ERROR 2 ITEMS a", "Bad argument received"),
                ("BF.INSERT n NOCREATE CAPACITY", "ERR wrong number of arguments for 'bf.insert' command"),
                ("BF.INSERT n ERROR inf ERROR 0.1 NOCREATE ITEMS a", "ERR not found"),
                ("CF.INSERT c CAPACITY 3 ITEMS a", "Capacity must be at least (BucketSize * 2)"),
                ("CF.INSERTNX c CAPACITY 0 ITEMS a", "Capacity must be at least (BucketSize * 2)"),
                ("CF.INSERT n CAPACITY 3 CAPACITY 50 ITEMS a", "Capacity must be at least (BucketSize * 2)"),
                ("CF.RESERVE n 50 EXPANSION x EXPANSION 2", "Couldn't parse EXPANSION"),
                ("BF.RESERVE n 0.1 10 EXPANSION 2 EXPANSION 2",
                 "ERR wrong number of arguments for 'bf.reserve' command"),
                ("CF.RESERVE n 9 BUCKETSIZE x MAXITERATIONS 0",
                 "MAXITERATIONS: value must be an integer between 1 and 65535, inclusive."),
                ("CMS.MERGE s 16 s s WEIGHTS 0 0", "CMS: wrong number of keys/weights"),
                ("CMS.MERGE s 1 s s WEIGHTS 2 x", "CMS: wrong number of keys/weights"),
                ("CMS.MERGE s 3 s s", "CMS: wrong number of keys"),
                ("TOPK.LIST n x", "WITHCOUNT keyword expected")]:
            with self.subTest(words=words):
                self.assertEqual(self.one.refused(*words.split()), says)
        self.assertEqual(self.one.refused("CF.LOADCHUNK", "c", 2, b""), "Couldn't load chunk!")
        self.assertEqual(self.one("CF.INFO", "c")[7], 0)
        self.one("CF.RESERVE", "f", 60, "EXPANSION", 4, "EXPANSION", 2, "BUCKETSIZE", 3, "BUCKETSIZE", "x")
        self.assertEqual(self.one("CF.INFO", "f")[11::2], [3, 4, 20])


if __name__ == "__main__":
    unittest.main()
