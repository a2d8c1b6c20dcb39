"""What the Redis module saves the server: attempts to compress what has no repetitions, misses of the
processor's tables of pages where huge ones are wanted, and memory; and that what measures it does."""
import json
import pathlib
import random
import re
import subprocess
import unittest

from redis_private import as_map, used_memory
from redis_servers import MODULE, WHY_NOT, Server, WithServer
from tool import PATIENCE, SOURCE

HUGE_PAGES = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")


def fill(client, key, keys, chunk):
    """A filter of that many keys, of which a part comes as one chunk."""
    client("BF.RESERVE", key, 0.01, keys)
    position, header = client("BF.SCANDUMP", key, 0)
    position, bits = client("BF.SCANDUMP", key, position)
    client("BF.LOADCHUNK", key, position, chunk(len(bits)))


class Compression(WithServer):
    def setUp(self):
        super().setUp()
        self.one("CONFIG", "SET", "rdbcompression", "yes")
        fill(self.one, "full", 1_000_000, random.Random(1).randbytes)
        fill(self.one, "sparse", 1_000_000, lambda size: random.Random(2).randbytes(size // 100).ljust(size, b"\0"))
        fill(self.one, "small", 10_000, random.Random(3).randbytes)

    def settings_made(self):
        """How often CONFIG SET has run since it was asked last."""
        told = self.one("INFO", "commandstats").decode()
        self.one("CONFIG", "RESETSTAT")
        found = re.search(r"cmdstat_config\|set:calls=(\d+)", told)
        return int(found[1]) if found else 0

    def test_only_what_has_repetitions_is_compressed(self):
        for key, times in (("full", 2), ("sparse", 0), ("small", 0)):
            with self.subTest(key=key):
                self.settings_made()
                dump = self.one("DUMP", key)
                self.assertEqual(self.settings_made(), times)
                self.assertEqual(self.one("CONFIG", "GET", "rdbcompression"), [b"rdbcompression", b"yes"])
                self.one("RESTORE", "again", 0, dump, "REPLACE")
                self.assertEqual(self.one("DUMP", "again"), dump)
        bits = self.one("BF.INFO", "sparse", "SIZE")[0]
        self.assertLess(len(self.one("DUMP", "sparse")), bits / 20)
        self.assertGreater(len(self.one("DUMP", "full")), bits - 1000)

    def test_what_is_off_stays_off(self):
        self.one("CONFIG", "SET", "rdbcompression", "no")
        self.settings_made()
        self.one("DUMP", "full")
        self.assertEqual(self.settings_made(), 0)
        self.assertEqual(self.one("CONFIG", "GET", "rdbcompression"), [b"rdbcompression", b"no"])

    def test_wherever_values_are_saved(self):
        """In scripts, in transactions, by the server and by its child: the same values, and the setting as it was."""
        dumps = {key: self.one("DUMP", key) for key in ("full", "sparse", "small")}
        self.assertEqual(self.one("EVAL", "return redis.call('DUMP', KEYS[1])", 1, "full"), dumps["full"])
        self.one("MULTI")
        self.one("DUMP", "full")
        self.assertEqual(self.one("EXEC"), [dumps["full"]])
        before = self.one("DEBUG", "DIGEST")
        for save in (["SAVE"], ["BGSAVE"], ["BGREWRITEAOF"]):
            self.one(*save)
            while re.search(rb"(rdb_bgsave|aof_rewrite)_in_progress:1", self.one("INFO", "persistence")):
                pass
            self.assertIn(b"rdb_last_bgsave_status:ok", self.one("INFO", "persistence"))
            self.assertEqual(self.one("CONFIG", "GET", "rdbcompression"), [b"rdbcompression", b"yes"])
        self.one("DEBUG", "RELOAD")
        self.assertEqual(self.one("DEBUG", "DIGEST"), before)
        self.assertEqual({key: self.one("DUMP", key) for key in dumps}, dumps)

    def test_without_config(self):
        server = Server("--rename-command", "CONFIG", "")
        self.addCleanup(server.end)
        client = server.raw()
        self.addCleanup(client.close)
        dump = self.one("DUMP", "full")
        client("RESTORE", "full", 0, dump)
        self.assertEqual(client("DUMP", "full"), dump)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class HugePages(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.end)
        self.one = self.server.raw()
        self.addCleanup(self.one.close)

    def advised(self):
        """Bytes for which huge pages were asked for."""
        regions = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", pathlib.Path(
            f"/proc/{self.server.process.pid}/smaps").read_text(), flags=re.M)
        return sum(1024 * int(re.search(r"^Size: +(\d+) kB", region, re.M)[1])
                   for region in regions if re.search(r"^VmFlags:.* hg( |$)", region, re.M))

    def test_large_filters_have_them_while_they_are_wanted(self):
        """And the same bytes, however the memory came and went."""
        size = 24 << 20
        keys = 8 * size // 11
        known = HUGE_PAGES.exists()  # else the advice is not taken
        self.assertEqual(self.one("CONFIG", "GET", "bf.huge-pages"), [b"bf.huge-pages", b"no"])
        fill(self.one, "plain", keys, random.Random(1).randbytes)
        dump = self.one("DUMP", "plain")
        self.assertEqual(self.advised(), 0)
        self.one("CONFIG", "SET", "bf.huge-pages", "yes")
        made = {"loaded": lambda: self.one("RESTORE", "loaded", 0, dump),
                "copied": lambda: self.one("COPY", "plain", "copied"),
                "filled": lambda: fill(self.one, "filled", keys, random.Random(1).randbytes)}
        for key, make in made.items():
            make()
            if known:
                self.assertGreater(self.advised(), size - (4 << 20), key)
            self.assertEqual(self.one("DUMP", key), dump)
            self.one("DEL", key)
            self.assertEqual(self.advised(), 0, key)
        self.one("BLOOM.CREATE", "native", "blocked", "SET", "blocks", size // 64, "SET", "hashes", 6)
        if known:
            self.assertGreater(self.advised(), size - (4 << 20))
        self.one("UNLINK", "native")
        self.one("BF.RESERVE", "small", 0.01, 100_000)
        self.one("CONFIG", "SET", "bf.huge-pages", "no")
        while re.search(rb"lazyfree_pending_objects:[^0]", self.one("INFO", "memory")):
            pass
        self.assertEqual(self.advised(), 0)
        self.one("COPY", "plain", "later")
        self.assertEqual((self.advised(), self.one("DUMP", "later")), (0, dump))


class Rooms(WithServer):
    """What the allocator sets aside for a filter, in its classes of sizes, against what the filter has of it."""

    def created(self, *words):
        """What is told of it, and its memory: the median of three, since the server has buffers of its own."""
        taken = []
        for _ in range(3):
            self.one("BLOOM.CREATE", "m", *words)
            told = as_map(self.one("BLOOM.INFO", "m"))
            used = used_memory(self.one)
            self.one("DEL", "m")
            taken.append(used - used_memory(self.one))
        return told, sorted(taken)[1]

    def test_a_roomy_filter_fills_its_memory(self):
        for kind in ("standard", "blocked", "counting", "cuckoo", "two-choice", "count-min"):
            for keys in (300_000, 410_000, 577_777):
                with self.subTest(kind=kind, keys=keys):
                    words = (kind, "KEYS", keys, "FPR", 0.003)
                    planned, before = self.created(*words)
                    roomy, after = self.created(*words, "ROOMY")
                    self.assertLessEqual(after, 1.05 * roomy[b"bytes"])
                    self.assertLessEqual(after, 1.05 * before)
                    self.assertGreaterEqual(roomy[b"promised keys"], keys)
                    self.assertGreaterEqual(roomy[b"bytes"], planned[b"bytes"])
                    self.assertEqual(float(roomy[b"promised rate"]), 0.003)
                    again, _ = self.created(kind, "KEYS", roomy[b"promised keys"], "FPR", 0.003)
                    self.assertEqual(again, roomy)

    def test_where_there_is_no_room_to_plan(self):
        self.assertIn("one size", self.one.refused("BLOOM.CREATE", "m", "scalable", "ROOMY"))
        self.assertIn("ROOMY plan nothing", self.one.refused(
            "BLOOM.CREATE", "m", "standard", "SET", "bits", 640, "SET", "hashes", 3, "ROOMY"))
        self.one("CONFIG", "SET", "bf.max-object-size", "1mb")
        self.addCleanup(self.one, "CONFIG", "SET", "bf.max-object-size", "4gb")
        self.assertIn("bf.max-object-size", self.one.refused("BLOOM.CREATE", "m", "standard", "KEYS", "10M", "ROOMY"))
        self.assertEqual(self.one("EXISTS", "m"), 0)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Bench(unittest.TestCase):
    """bench/redis, small, with our module as its own rival."""

    def run_it(self, *options):
        return subprocess.run([SOURCE / "bench" / "redis", "--keys", "20k", "--run-keys", "1000", "--repeats", "2",
                               *map(str, options)], capture_output=True, text=True, timeout=PATIENCE)

    def test_all_rows(self):
        done = self.run_it("--module", MODULE, "--rival", MODULE, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
        timed = [row for row in rows.values() if row["unit"] in ("ns/key", "ms")]
        self.assertEqual(len(timed), 17)
        for row in timed:
            with self.subTest(row=row["name"]):
                ours, rival = row["contestants"]["ours"], row["contestants"]["rival"]
                self.assertEqual((len(ours["runs"]), len(rival["runs"])), (2, 2))
                self.assertTrue(all(time > 0 for time in ours["runs"] + rival["runs"]))
                self.assertAlmostEqual(ours["ratio"], ours["median"] / rival["median"])
        memory = rows["memory, blocked and ROOMY, 20000 keys"]["contestants"]
        self.assertLessEqual(1, memory["ours"]["median"])

    def test_without_a_rival_and_for_people(self):
        done = self.run_it("--module", MODULE, "--only", "bf.madd")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^BF\.MADD 1000 \(ns/key\)\n  ours: [0-9.]+, least [0-9.]+\n")
        self.assertNotIn("ratio", done.stdout)
        self.assertNotIn("SAVE", done.stdout)

    def test_what_does_not_work_is_told(self):
        for options, words in ((["--module", "/nowhere"], "no module /nowhere"),
                               (["--module", MODULE, "--rival", SOURCE / "README.md"], "does not start")):
            done = self.run_it(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
