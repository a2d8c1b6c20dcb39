"""The tool as a person uses it. Run by ctest; BLOOMERY names the binary."""
import json
import math
import os
import pathlib
import pty
import random
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import time
import unittest

import xxhash
from format_reader import Envelope

TOOL = os.environ["BLOOMERY"]
GOLDEN = pathlib.Path(os.environ["BLOOMERY_SOURCE"]) / "tests" / "golden"
VERBS = ["build", "add", "remove", "query", "count", "top", "uniq", "map build", "map get", "map set",
         "search", "near", "retouch", "age", "advertise", "route", "info", "kinds", "plan", "rate", "doctor", "figures", "union",
         "intersect", "fold", "plain", "estimate", "secret", "compress", "diff", "patch", "bench"]


def most_of(n, p):
    """Of n trials of chance p no more succeed, but for one run in a million."""
    tail, k = 1.0, -1
    while tail > 1e-6:
        k += 1
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        tail -= math.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))
    return k


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *arguments, stdin=b"", status=0, notes=b""):
        """`notes` is what it says on stderr; None if that does not matter."""
        done = subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.folder, timeout=120)
        if status is not None:
            self.assertEqual(done.returncode, status, (arguments, done.stdout[:500], done.stderr))
        if status != 2 and notes is not None or notes:
            self.assertEqual(done.stderr, notes)
        return done.stdout

    def refused(self, *arguments, stdin=b"", says=""):
        """Exit 2, nothing on stdout, one line of reason."""
        done = subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, 2, (arguments, done))
        self.assertEqual(done.stdout, b"")
        message = done.stderr.decode()
        self.assertTrue(message.startswith("bloomery: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertIn(says, message)
        return message

    def info(self, filter_file):
        return json.loads(self.run_tool("info", "--json", filter_file))

    def forgets(self, kind):
        return json.loads(self.run_tool("kinds", kind, "--json"))["window"]

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()


def lines(first, last, prefix="key "):
    return b"".join(f"{prefix}{i}\n".encode() for i in range(first, last))


class Build(Tool):
    def test_from_file_stdin_and_several_files_is_the_same(self):
        self.write("all", lines(0, 5000))
        self.write("a", lines(0, 2000))
        self.write("b", lines(2000, 5000)[:-1])  # the last line may lack its end
        self.run_tool("build", "-o", "1", "all")
        self.run_tool("build", "--kind", "standard", "-o", "2", stdin=lines(0, 5000))
        self.run_tool("build", "-o", "3", "a", "b")
        self.run_tool("build", "-o", "4", "a", "-", stdin=lines(2000, 5000))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("2"))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("3"))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("4"))

    def test_threads_do_not_change_the_result(self):
        data = lines(0, 60_000)
        for kind in [k["name"] for k in json.loads(self.run_tool("kinds", "--json")) if k["builds"]]:
            for keys in [[], ["--keys", "60k"]]:
                if not keys and self.forgets(kind):
                    continue
                self.run_tool("build", "--kind", kind, *keys, "-j", 1, "-o", "one", stdin=data)
                self.run_tool("build", "--kind", kind, *keys, "-j", 4, "-o", "four", stdin=data)
                self.assertEqual(self.bytes_of("one"), self.bytes_of("four"))

    def test_sizes_itself_by_distinct_keys(self):
        standard = ["build", "--kind", "standard", "--fpr", "1%"]
        self.run_tool(*standard, "-o", "once", stdin=lines(0, 10_000))
        self.run_tool(*standard, "-o", "thrice", stdin=3 * lines(0, 10_000))
        once, thrice = self.info("once"), self.info("thrice")
        self.assertEqual(once["shape"], thrice["shape"])
        self.assertEqual(once["promised"], {"keys": 10_000, "rate": 0.01})
        self.assertEqual((once["items"], thrice["items"]), (10_000, 30_000))

    def test_keys_may_hold_any_byte(self):
        every = b"".join(bytes([i, j]) for i in range(256) for j in (0, 10, 13, 200))
        keys = [every, b"", b"\r", b"\xff\xfe", b" spaced ", b"a\nb"]
        ended = [k.replace(b"\0", b"\1") + b"\0" for k in keys]
        self.run_tool("build", "-z", "-o", "f", stdin=b"".join(ended))
        self.assertEqual(self.run_tool("query", "-z", "f", stdin=b"stranger\0".join(ended)),
                         b"".join(ended))

    def test_columns(self):
        table = b"1,red,x\n2,green\n3\n4,blue,,\n"
        done = subprocess.run([TOOL, "build", "--field", "2", "-t", ",", "-o", "f"], input=table,
                              capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, b"bloomery: skipped 1 line without field 2\n")
        self.assertEqual(self.run_tool("query", "f", "red", "green", "blue", "1", "x"),
                         b"red\ngreen\nblue\n")
        self.assertEqual(self.run_tool("query", "--field", "3", "-t", " ", "f",
                                       stdin=b"a b green tail\na b black\n"), b"a b green tail\n")

    def test_no_input_is_an_empty_filter(self):
        for kind in json.loads(self.run_tool("kinds", "--json")):
            if not kind["builds"]:
                continue
            window = ["--window", "10"] if kind["window"] else []
            self.run_tool("build", "--kind", kind["name"], *window, "-o", "f")
            self.assertEqual(self.info("f")["items"], 0)
            if kind["queries"]:
                self.run_tool("query", "f", "x", "", status=1)

    def test_kinds_that_are_built_whole(self):
        fixed = [k["name"] for k in json.loads(self.run_tool("kinds", "--json"))
                 if k["builds"] and not k["inserts"]]
        self.assertIn("fuse", fixed)
        for kind in fixed:
            build = ["build", "--kind", kind, "--fpr", "0.1%", "-o", "f"]
            self.run_tool(*build, stdin=lines(0, 5000) + lines(0, 1000))
            info = self.info("f")
            self.assertEqual((info["items"], info["promised"]),
                             (6000, {"keys": 5000, "rate": .001}))
            self.assertEqual(self.run_tool("query", "-c", "f", stdin=lines(0, 5000)), b"5000\n")
            strangers = int(self.run_tool("query", "-c", "f", stdin=lines(5000, 105_000), status=0))
            self.assertLess(strangers, 160)  # 98 expected; 160 are 6 standard deviations more
            before = self.bytes_of("f")
            self.refused("add", "f", "key", says="takes no keys once it is built")
            self.refused("union", "f", "f", "-o", "u", says="cannot be merged")
            self.assertEqual(self.bytes_of("f"), before)
            # --keys is the size to make room for, if they come or not; more are refused.
            self.run_tool(*build, "--keys", "10k", stdin=lines(0, 5000))
            self.assertEqual(self.info("f")["promised"], {"keys": 10_000, "rate": .001})
            self.assertGreater(self.info("f")["bytes"], 1.8 * info["bytes"])
            self.refused(*build, "--keys", "4k", stdin=lines(0, 5000),
                         says="5,000 distinct keys, over the --keys 4k")
            self.refused(*build, "--memory", "5kB", stdin=lines(0, 5000), says="over the --memory")
        shape = ["--set", "segments=1", "--set", "segment_log2=4", "--set", "arity=3",
                 "--set", "fingerprint_bits=9", "--set", "value_bits=0"]
        self.run_tool("build", "--kind", "fuse", *shape, "-o", "f", stdin=lines(0, 20))
        self.assertIsNone(self.info("f")["promised"])
        self.refused("build", "--kind", "fuse", *shape, "-o", "f", stdin=lines(0, 100),
                     says="100 distinct keys do not fit into 48 slots")
        self.refused("build", "--kind", "fuse", "--fpr", "1e-12", "-o", "f", says="32 bits reach")
        shape = ["--set", "keys=100", "--set", "fingerprint_bits=9", "--set", "value_bits=0"]
        self.run_tool("build", "--kind", "ribbon", *shape, "-o", "f", stdin=lines(0, 100))
        self.refused("build", "--kind", "ribbon", *shape, "-o", "f", stdin=lines(0, 1000),
                     says="1,000 keys do not fit into a table laid out for 100")

    def test_shape_by_hand(self):
        self.run_tool("build", "--set", "bits=1000", "--set", "hashes=3", "-o", "f",
                      stdin=lines(0, 10))
        info = self.info("f")
        self.assertEqual(info["shape"], {"bits": 1000, "hashes": 3})
        self.assertIsNone(info["promised"])
        self.run_tool("build", "--keys", "100", "--set", "bits=10k", "-o", "f", stdin=lines(0, 10))
        self.assertEqual(self.info("f")["shape"]["bits"], 10_000)
        self.refused("build", "--keys", "1M", "--set", "bits=1000", "-o", "f", says="over the 1 %")

    def test_memory_that_suffices(self):
        self.run_tool("build", "--keys", "1M", "--memory", "1.25MiB", "-o", "f", stdin=b"key\n")
        self.assertLessEqual(self.info("f")["bytes"], 1.25 * 2**20)

    def test_output_goes_to_a_pipe_too(self):
        filter_bytes = self.run_tool("build", "-o", "-", stdin=lines(0, 100))
        self.assertEqual(json.loads(self.run_tool("info", "--json", "-", stdin=filter_bytes))["items"],
                         100)

    def test_refusals(self):
        for arguments, says in [
            (["--fpr", "0"], "above 0 and below 1"),
            (["--fpr", "100%"], "above 0 and below 1"),
            (["--fpr", "nan"], "nan"),
            (["--fpr", "one"], "'one' is not understood"),
            (["--keys", "0"], "keys is 0"),
            (["--keys", "-5"], "'-5' is not understood"),
            (["--keys", "1.5"], "'1.5' is not understood"),
            (["--keys", "99999999T"], "2^64"),
            (["--keys", "1T", "--fpr", "1e-300"], "1e-15"),
            (["--keys", "100T", "--fpr", "1e-9"], "no filter within"),
            (["--keys", "10T"], "the machine refused"),
            (["--kind", "blommed"], "known: standard"),
            (["--memory", "1KB"], "'1KB' is not understood"),
            (["--keys", "1M", "--memory", "1MiB"], "would take 1.146 MiB, over the --memory of 1MiB"),
            (["--set", "bits=10k", "--set", "hashes=3", "--memory", "1kB"], "over the --memory"),
            (["--set", "bits"], "FIELD=VALUE"),
            (["--set", "bitz=5"], "bits hashes"),
            (["--set", "bits=0"], "bits is 0; allowed: 1 to"),
            (["--set", "hashes=65"], "allowed: 1 to 64"),
            (["--seed", "x"], "seed"),
            (["-t", "ab"], "one byte"),
            (["-j", "100000"], "threads is 100000"),
            (["nowhere"], "nowhere: No such file"),
            (["/"], "directory"),
            (["--key-file", "nowhere"], "nowhere: No such file"),
            (["--integers"], "not a decimal number"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused("build", *arguments, "-o", "out", stdin=b"key\n", says=says)
                self.assertFalse((self.folder / "out").exists())
        self.refused("build", says="--output")
        self.refused("build", "-o", "no/such/folder/f", says="No such file")
        self.refused("build", "-o", "/", says="directory")
        self.refused("build", "-o", "redis://host/key", says="redis://")

    def test_a_failed_build_leaves_the_old_file(self):
        self.run_tool("build", "-o", "f", stdin=lines(0, 10))
        before = self.bytes_of("f")
        self.refused("build", "-o", "f", "f", "missing", says="missing")
        self.assertEqual(self.bytes_of("f"), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["f"])

    def test_an_interrupted_build_leaves_nothing(self):
        # One thread, which waits in read(): the thread sanitizer holds signals back from a thread
        # that waits for a mutex.
        with subprocess.Popen([TOOL, "build", "-j", "1", "-o", "f"], stdin=subprocess.PIPE,
                              cwd=self.folder) as build:
            build.stdin.write(lines(0, 1000))
            build.stdin.flush()
            time.sleep(0.2)
            build.send_signal(signal.SIGINT)
            self.assertEqual(build.wait(60), -signal.SIGINT)
        self.assertEqual(list(self.folder.iterdir()), [])


class Changing(Tool):
    """remove, count, top and uniq."""

    def kinds_that(self, *abilities):
        return [kind["name"] for kind in json.loads(self.run_tool("kinds", "--json"))
                if all(kind[ability] for ability in abilities)]

    def test_remove_takes_back_what_was_added(self):
        for kind in self.kinds_that("deletion", "inserts", "queries"):
            if self.info_of_kind(kind)["window"] or self.info_of_kind(kind)["false_negatives"]:
                continue
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "1000", "-o", "f",
                              stdin=lines(0, 1000))
                report = json.loads(self.run_tool("remove", "--json", "f", stdin=lines(0, 500),
                                                  notes=None))
                self.assertEqual(report["asked"], 500)
                self.assertEqual(report["removed"] + len(report["not_removed"]), 500)
                self.assertGreater(report["removed"], 400)
                self.assertEqual(report["filter"]["items"], 1000 - report["removed"])
                kept = self.run_tool("query", "f", stdin=lines(500, 1000))
                self.assertEqual(kept, lines(500, 1000))
                left = json.loads(self.info_of_query("f", lines(0, 500)))["present"]
                self.assertLess(left, 100)

    def info_of_query(self, filter_file, keys):
        return subprocess.run([TOOL, "query", "--json", filter_file], input=keys,
                              capture_output=True, cwd=self.folder).stdout

    def info_of_kind(self, kind):
        return json.loads(self.run_tool("kinds", kind, "--json"))

    def test_remove_refuses_and_changes_nothing(self):
        self.run_tool("build", "-o", "f", "--kind", "standard", stdin=lines(0, 100))
        before = self.bytes_of("f")
        self.refused("remove", "f", "key 1", says="standard filter cannot remove keys")
        self.assertEqual(self.bytes_of("f"), before)
        self.run_tool("build", "-o", "c", "--kind", "counting", "--keys", "100", stdin=lines(0, 100))
        before = self.bytes_of("c")
        self.run_tool("remove", "c", "never added", status=1,
                      notes=b"bloomery: 1 of 1 keys were not removed: 'never added'\n")
        self.assertEqual(self.bytes_of("c"), before)

    def test_remove_names_what_stays(self):
        self.run_tool("build", "--kind", "deletable", "--keys", "1000", "-o", "f",
                      stdin=lines(0, 1000))
        done = subprocess.run([TOOL, "remove", "f", "--json"], input=lines(0, 1000),
                              capture_output=True, cwd=self.folder)
        report = json.loads(done.stdout)
        stayed = report["not_removed"]
        self.assertEqual(report["removed"], 1000 - len(stayed))
        self.assertGreater(len(stayed), 10)
        self.assertIn(f"{len(stayed)} of 1,000 keys were not removed: '{stayed[0]}',".encode(),
                      done.stderr)
        self.assertIn(f"and {len(stayed) - 10} more; --json names them\n".encode(), done.stderr)
        there = self.run_tool("query", "f", stdin=lines(0, 1000)).decode().splitlines()
        self.assertLessEqual(set(stayed), set(there))

    def test_count(self):
        for kind in self.kinds_that("counting", "inserts", "queries"):
            if self.info_of_kind(kind)["window"] or kind in ["space-code", "adaptive"]:
                continue  # these estimate
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "200", "--fpr", "0.01%", "-o", "f",
                              stdin=lines(0, 100) + 2 * lines(0, 10))
                told = self.run_tool("count", "f", "key 3", "key 50", "stranger", notes=None)
                self.assertEqual(told, b"3\tkey 3\n1\tkey 50\n0\tstranger\n")
                self.run_tool("count", "f", "stranger", status=1)
                report = json.loads(self.run_tool("count", "f", "--json", "key 3"))
                full = kind == "dleft"  # whose counters, as planned, end at 3
                self.assertEqual(report["counts"],
                                 [{"key": "key 3", "count": 3, "at_least": full}])
                best = self.run_tool("top", "-n", "10", "f", "-", stdin=lines(0, 100), notes=None)
                self.assertEqual(sorted(best), sorted(b"".join(
                    b"3\t" + line + b"\n" for line in lines(0, 10).splitlines())))
        self.run_tool("build", "--kind", "adaptive", "--keys", "100", "-o", "f",
                      stdin=3 * lines(0, 100))
        report = json.loads(self.run_tool("count", "f", "--json", stdin=lines(0, 100)))
        self.assertTrue(all(3 <= each["count"] < 30 for each in report["counts"]))
        self.run_tool("build", "-o", "s", "--kind", "standard", stdin=lines(0, 10))
        self.refused("count", "s", "key 1", says="does not count")
        self.refused("top", "s", says="remembers no keys")

    def test_uniq_copies_lines_once(self):
        data = lines(0, 5000) + lines(2500, 7500) + lines(0, 5000)
        for arguments in [[], ["--keys", "7500"], ["--memory", "1MiB"], ["--window", "20k"],
                          ["--window", "1h", "--keys", "20k"], ["-j", "4"]]:
            with self.subTest(arguments):
                told = self.run_tool("uniq", "--fpr", "1e-9", *arguments, stdin=data)
                self.assertEqual(told, lines(0, 7500))
        self.run_tool("uniq", status=1)

    def test_uniq_forgets_beyond_the_window(self):
        told = self.run_tool("uniq", "--window", "1000", "--fpr", "1e-6",
                             stdin=lines(0, 1000) + lines(0, 1000) + lines(0, 50_000)).splitlines()
        self.assertEqual(told[:1000], lines(0, 1000).splitlines())
        again = self.run_tool("uniq", "--window", "1000", "--fpr", "1e-6",
                              stdin=lines(0, 20_000) + lines(0, 1000)).splitlines()
        self.assertEqual(again[-1000:], lines(0, 1000).splitlines())
        # A repeat is known for so many more lines, of whatever kind: after N lines, never after more.
        rated = {p["kind"] for p in json.loads(self.run_tool(
            "plan", "--window", "100", "--json"))["plans"]}
        self.assertEqual(rated, {"age-partitioned", "block-decaying", "decaying", "double-buffered",
                                 "time-decaying"})
        for kind in rated:
            for window in [1, 2, 3, 10, 100]:
                with self.subTest(kind=kind, window=window):
                    told = self.run_tool("uniq", "--window", window, "--kind", kind, "--fpr", "1e-7",
                                         stdin=lines(0, window) * 20)
                    self.assertEqual(told, lines(0, window))
        for window in [1, 3, 10]:  # where the stable filter is sure of itself
            told = self.run_tool("uniq", "--window", window, "--kind", "stable",
                                 stdin=lines(0, window) * 20)
            self.assertEqual(told, lines(0, window))
        self.refused("uniq", "--window", 1000, "--kind", "stable", says="misses up to")
        for window in [1, 2, 3, 10, 100]:
            told = self.run_tool("uniq", "--window", window, "--kind", "decaying", "--fpr", "1e-9",
                                 stdin=lines(0, window + 1) * 20)
            self.assertEqual(told, lines(0, window + 1) * 20)
        # Round and round, a little longer than the window: all are new to a window that ends sharply.
        sharp = self.run_tool("uniq", "--window", "1000", "--fpr", "1e-6", "--kind", "decaying",
                              stdin=lines(0, 1001) * 4)
        self.assertEqual(sharp, lines(0, 1001) * 4)
        # The others have forgotten after twice as many.
        late = self.run_tool("uniq", "--window", "1000", "--fpr", "1e-6", stdin=lines(0, 2100) * 4)
        self.assertEqual(late, lines(0, 2100) * 4)

    def test_uniq_tells_what_it_loses_when_it_is_too_full(self):
        done = subprocess.run([TOOL, "uniq", "--json", "--memory", "10KiB"],
                              input=lines(0, 50_000), capture_output=True, cwd=self.folder)
        last = set(lines(45_000, 50_000).splitlines())
        lost = 1 - len(last & set(done.stdout.splitlines())) / 5000
        self.assertAlmostEqual(json.loads(done.stderr)["rate_at_end"], lost, delta=.03)

    def test_a_window_of_time_tells_what_it_loses_when_it_is_too_full(self):
        for size in (["--keys", "1000"], ["--memory", "8KiB"]):
            uniq = [TOOL, "uniq", "--window", "1h", *size]
            done = subprocess.run([*uniq, "--json"], input=lines(0, 20_000), capture_output=True)
            report = json.loads(done.stderr)
            self.assertTrue(report["over_filled"])
            last = set(lines(19_000, 20_000).splitlines())
            lost = 1 - len(last & set(done.stdout.splitlines())) / 1000
            self.assertGreater(lost, .1)
            self.assertAlmostEqual(report["rate_at_end"], lost, delta=.05)
            told = subprocess.run(uniq, input=lines(0, 20_000), capture_output=True).stderr
            self.assertIn(b"more distinct lines within 1h than", told)
            enough = subprocess.run([*uniq, "--json"], input=lines(0, 100), capture_output=True)
            self.assertFalse(json.loads(enough.stderr)["over_filled"])
        self.run_tool("uniq", "--window", "1h", "--keys", "1000", stdin=lines(0, 1000) * 20)
        self.run_tool("uniq", "--window", "100", stdin=lines(0, 20_000))

    def test_counts_that_are_full_say_so(self):
        keys = b"hot\n" * 3000 + lines(0, 100)
        for kind, full in [("counting", True), ("blocked-counting", True), ("dleft", True),
                           ("adaptive", True), ("space-code", True), ("dynamic", True),
                           ("count-min", False), ("spectral", False)]:
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "--keys", "5000", "-o", kind, stdin=keys)
                told = json.loads(self.run_tool("count", "--json", kind, "hot"))["counts"][0]
                self.assertEqual(told["at_least"], full)
                self.assertEqual(told["count"] < 3000, full)
                best = json.loads(self.run_tool("top", "--json", kind, "-", stdin=b"hot\n"))["top"]
                self.assertEqual(best, [told])
                for ask in (["count", kind, "hot"], ["top", kind, "-"]):
                    done = subprocess.run([TOOL, *ask], input=b"hot\n", capture_output=True,
                                          cwd=self.folder)
                    self.assertEqual(b"may have come more often" in done.stderr, full)
        sketch = ["build", "--kind", "count-min", "--keys", "100", "--set", "top=3", "--set",
                  "counter_bits=8", "-o", "t"]
        self.run_tool(*sketch, stdin=b"hot\n" * 300 + b"cold\n")
        best = json.loads(self.run_tool("top", "--json", "t"))["top"]
        self.assertEqual([(b["key"], b["at_least"]) for b in best], [("hot", True), ("cold", False)])

    def test_top_of_nothing_is_nothing(self):
        sketch = ["build", "--kind", "count-min", "--keys", "100", "-o", "t"]
        self.run_tool(*sketch, "--set", "top=10")
        self.assertEqual(self.run_tool("top", "t", status=1), b"")
        self.run_tool(*sketch)
        self.refused("top", "t", says="remembers no keys")

    def test_braids_certify_nothing_of_a_wrong_list(self):
        self.run_tool("build", "--kind", "counter-braids", "--keys", "1000", "-o", "b",
                      stdin=lines(0, 1000) * 2)
        whole = json.loads(self.run_tool("count", "--json", "b", stdin=lines(0, 1000)))
        self.assertEqual((whole["uncertain"], {c["count"] for c in whole["counts"]}), (0, {2}))
        some = json.loads(self.run_tool("count", "--json", "b", stdin=lines(0, 999)))
        self.assertGreater(some["uncertain"], 900)
        best = ["top", "b", "-"]
        self.run_tool(*best, stdin=lines(0, 1000))
        self.assertEqual(json.loads(self.run_tool(*best, "--json", stdin=lines(0, 999)))["uncertain"],
                         some["uncertain"])
        done = subprocess.run([TOOL, *best], input=lines(0, 999), capture_output=True, cwd=self.folder)
        self.assertIn(b"could not be certified", done.stderr)

    def test_uniq_bears_a_clock_that_is_set_back(self):
        if shutil.which("cc") is None or b"san_init" in pathlib.Path(TOOL).read_bytes():
            self.skipTest("needs a compiler, and no sanitizer that minds a library before it")
        self.write("back.c", b"""#include <sys/syscall.h>
            #include <time.h>
            #include <unistd.h>
            long syscall(long, ...);
            int clock_gettime(clockid_t clock, struct timespec* time) {
              static int asked;
              const int status = (int)syscall(SYS_clock_gettime, clock, time);
              if (clock == CLOCK_REALTIME) time->tv_sec -= 60 * asked++;
              return status;
            }""")
        subprocess.run(["cc", "-shared", "-fPIC", "back.c", "-o", "back.so"], cwd=self.folder, check=True)
        uniq = subprocess.Popen([TOOL, "uniq", "--window", "10m", "--keys", "1000", "-j", "1"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                env=os.environ | {"LD_PRELOAD": str(self.folder / "back.so")})
        for line in (b"a\n", b"b\n"):  # each is a block of its own, and asks for the time
            uniq.stdin.write(line)
            uniq.stdin.flush()
            self.assertEqual(uniq.stdout.readline(), line)
        self.assertEqual(uniq.communicate(b"a\nc\n"), (b"c\n", None))
        self.assertEqual(uniq.returncode, 0)

    def test_uniq_reports(self):
        done = subprocess.run([TOOL, "uniq", "--json", "--memory", "1KiB"], input=lines(0, 20_000),
                              capture_output=True, cwd=self.folder)
        report = json.loads(done.stderr)
        self.assertEqual((done.returncode, report["lines"]), (0, 20_000))
        self.assertEqual(report["printed"], done.stdout.count(b"\n"))
        self.assertTrue(report["over_filled"])
        self.assertGreater(report["rate_at_end"], 0.5)
        self.assertLessEqual(report["bytes"], 1024)
        self.refused("uniq", "--window", "0", says="--window is '0'")
        self.refused("uniq", "--memory", "1", says="does not fit one key into 1 B")
        self.refused("uniq", "--memory", "1", "--window", "10", says="into 1 B")
        self.refused("uniq", "--window", "soon", says="soon")
        self.refused("uniq", "--window", "5m", says="needs --keys")
        self.refused("uniq", "--kind", "standard", "--window", "10", says="never forgets a key")
        self.refused("uniq", "--fpr", "2", says="rate")

    def test_plain_is_the_standard_filter_of_the_live_keys(self):
        self.run_tool("build", "--kind", "counting", "--keys", "1000", "-o", "c",
                      stdin=lines(0, 1000))
        self.run_tool("remove", "c", stdin=lines(0, 400))
        self.run_tool("plain", "c", "-o", "p")
        info = self.info("p")
        self.assertEqual((info["kind"], info["items"]), ("standard", 600))
        shape = [f"--set={name}={value}" for name, value in info["shape"].items()]
        self.run_tool("build", "--kind", "standard", *shape, "-o", "s", stdin=lines(400, 1000))
        self.assertEqual(self.run_tool("query", "p", stdin=lines(0, 5000)),
                         self.run_tool("query", "s", stdin=lines(0, 5000)))
        self.refused("plain", "s", "-o", "x", says="cannot be reduced")

    def test_streams_of_unknown_size_grow(self):
        self.run_tool("build", "-o", "f", stdin=lines(0, 1000))
        self.assertEqual(self.info("f")["kind"], "scalable")
        self.run_tool("build", "--kind", "scalable", "--keys", "100", "-o", "g",
                      stdin=lines(0, 10_000))
        info = self.info("g")
        self.assertGreater(info["stages"], 4)
        self.assertLess(info["predicted_rate"], 0.01)
        self.assertEqual(self.run_tool("query", "-c", "g", stdin=lines(0, 10_000)), b"10000\n")
        self.run_tool("build", "--set", "growth=4", "-o", "h", stdin=lines(0, 100))
        self.assertEqual((self.info("h")["kind"], self.info("h")["shape"]["growth"]), ("scalable", 4))
        self.run_tool("build", "--set", "hashes=7", "-o", "s", stdin=lines(0, 100))
        self.assertEqual(self.info("s")["kind"], "standard")
        self.refused("build", "--set", "growth=4", "--set", "hashes=7", "-o", "x", says="a field of")

    def test_what_grows_stays_within_the_memory(self):
        for kind in ["scalable", "dynamic"]:
            build = ["build", "--kind", kind, "--keys", "1000", "--memory", "64KiB", "-o", kind]
            self.refused(*build, stdin=lines(0, 100_000), says="outgrows the --memory of 64KiB")
            self.assertFalse((self.folder / kind).exists())
            self.run_tool(*build, stdin=lines(0, 2000))
            self.assertLessEqual(self.info(kind)["bytes"], 64 << 10)
        again = ["build", "--kind", "dynamic", "--memory", "64KiB", "-o", "x"]  # sized for one key
        self.refused(*again, stdin=b"same\n" * 100_000, says="outgrows")

    def test_what_was_removed_from_two_filters_is_not_taken_back(self):
        self.run_tool("build", "--kind", "two-filter", "--keys", "100", "-o", "f", stdin=lines(0, 50))
        self.run_tool("remove", "f", "key 1", "key 2")
        note = (b"bloomery: 2 of 3 keys were not taken: the filter has them for removed: 'key 1', "
                b"'key 2'\n")
        self.run_tool("add", "f", "key 1", "key 2", "key 77", notes=note)
        told = json.loads(self.run_tool("add", "f", "--json", stdin=b"key 2\nkey 78\n", notes=None))
        self.assertEqual(told["not_taken"], ["key 2"])
        self.run_tool("add", "f", "key 1", status=1, notes=None)
        self.assertEqual(self.run_tool("query", "f", "key 1", "key 77", "key 78"), b"key 77\nkey 78\n")

    def test_windows_of_arrivals_and_of_time(self):
        self.run_tool("build", "--window", "1000", "-o", "w", stdin=lines(0, 9000))
        self.assertEqual(self.run_tool("query", "w", stdin=lines(8000, 9000)), lines(8000, 9000))
        self.assertLess(int(self.run_tool("query", "-c", "w", stdin=lines(0, 5000))), 100)
        self.run_tool("build", "--window", "10s", "--keys", "1000", "--at", "1000000", "-o", "t",
                      stdin=lines(0, 1000))
        self.assertEqual(self.info("t")["window_unit"], "ms")
        ask = ["query", "-c", "t"]
        for at, found in [("1000000", b"1000\n"), ("1009999", b"1000\n")]:
            self.assertEqual(self.run_tool(*ask, "--at", at, stdin=lines(0, 1000)), found)
        gone = subprocess.run([TOOL, *ask, "--at", "9000000"], input=lines(0, 1000),
                              capture_output=True, cwd=self.folder)
        self.assertLess(int(gone.stdout), 40)
        self.run_tool("add", "t", "--at", "2000000", "later")
        self.refused("add", "t", "--at", "1500000", "earlier", says="time")
        self.refused("build", "--kind", "standard", "--window", "10", "-o", "x", says="never forgets")
        self.refused("build", "--kind", "decaying", "-o", "x", says="--window")
        self.refused("build", "--window", "5m", "-o", "x", says="needs --keys")
        self.run_tool("build", "--kind", "stable", "--keys", "100", "-o", "x")
        self.refused("build", "--kind", "stable", "--keys", "100", "--set", "decrements=1", "-o", "x",
                     says="the rate would be 100 %")

    def test_numbers_and_windows_are_refused_by_name(self):
        verbs = [["uniq"], ["plan"], ["build", "-o", "x"]]
        for verb in verbs:
            for window in ["0", "soon", "-1", "0ms", "281474976710657", "9999999d", "1e99", "1.5"]:
                told = self.refused(*verb, "--window", window, says=f"--window is '{window}'; allowed: ")
                self.assertIn("1 to 281,474,976,710,656", told)
            self.refused(*verb, "--window", "", says="--window: its value is empty")
            self.refused(*verb, "--window", "500", "--keys", "1M",
                         says="--window 500 is a number of keys; --keys goes with a window of time")
        self.run_tool("build", "--window", "10s", "--keys", "10", "-o", "t", "--at", "5")
        for at in ["-5", "abc", "99999999999999999999", "1.5", "0x10", ""]:
            self.refused("query", "t", "--at", at, "a",
                         says=f"--at: '{at}' is not a whole number from 0 to 18446744073709551615")

    def test_a_time_is_for_filters_that_run_on_it(self):
        self.run_tool("build", "--window", "10", "--kind", "age-partitioned", "-o", "w", stdin=b"a\n")
        self.run_tool("build", "--kind", "counting", "--keys", "10", "-o", "c", stdin=b"a\n")
        for filter_file in ["w", "c"]:
            before = self.bytes_of(filter_file)
            self.refused("add", filter_file, "--at", "5", "b", says="--at is the time for a filter")
            self.assertEqual(self.bytes_of(filter_file), before)
        self.refused("add", "w", "--at", "5", "b", says="whose window is a number of keys")
        self.refused("count", "c", "--at", "5", "a", says="this is a counting filter")
        self.refused("top", "c", "--at", "5", "-", stdin=b"a\n", says="this is a counting filter")
        for size in [[], ["--keys", "10"], ["--window", "10"], ["--kind", "fuse"]]:
            self.refused("build", "--at", "5", *size, "-o", "x", stdin=b"a\n", says="--at")
            self.assertFalse((self.folder / "x").exists())

    def test_top_and_doctor_know_the_time(self):
        self.run_tool("build", "--kind", "time-decaying", "--window", "10s", "--keys", "100", "--at",
                      "1000000", "-o", "t", stdin=2 * b"a\n")
        self.assertEqual(self.run_tool("top", "t", "--at", "1000000", "-", stdin=b"a\n"), b"2\ta\n")
        self.run_tool("top", "t", "--at", "9000000", "-", stdin=b"a\n", status=1)
        self.run_tool("top", "t", "-", stdin=b"a\n", status=1)  # years later
        for arguments, healthy in [(["--at", "1000000"], 0), ([], 0)]:
            self.run_tool("doctor", "t", "--probe", "1k", *arguments, status=healthy)
        self.refused("doctor", "t", "--at", "999999", says="time")


class Maps(Tool):
    def test_values_by_name_and_by_number(self):
        pairs = b"".join(b"key %d\t%s\n" % (i, (b"red", b"green", b"blue")[i % 3])
                         for i in range(999))
        self.run_tool("map", "build", "--fpr", "0.01%", "-o", "m", stdin=pairs)
        self.assertEqual(self.run_tool("map", "get", "m", "key 4", "key 998", "stranger"),
                         b"key 4\tgreen\nkey 998\tblue\n")
        self.run_tool("map", "get", "m", "stranger", status=1)
        everything = self.run_tool("map", "get", "m", stdin=b"".join(
            b"key %d\n" % i for i in range(999)))
        self.assertEqual(everything, pairs)
        report = json.loads(self.run_tool("map", "get", "m", "key 1", "stranger", "--json"))
        self.assertEqual(report, {"asked": 2, "found": 1, "unknown": 0,
                                  "values": [{"key": "key 1", "value": "green"}]})
        self.run_tool("map", "build", "-o", "n", stdin=b"a\t7\nb\t70000\n")
        self.assertEqual(self.run_tool("map", "get", "n", "b", "a"), b"b\t70000\na\t7\n")

    def test_a_bank_tells_all_classes(self):
        self.run_tool("map", "build", "--kind", "bank", "--fpr", "0.01%", "-o", "m",
                      stdin=b"a\tred\na\tblue\nb\tred\n")
        self.assertEqual(self.run_tool("map", "get", "m", "b", "a", "c"),
                         b"b\tred\na\tred\na\tblue\n")
        report = json.loads(self.run_tool("map", "get", "m", "a", "--json"))
        self.assertEqual((report["found"], [v["value"] for v in report["values"]]),
                         (1, ["red", "blue"]))

    def test_values_change(self):
        self.run_tool("map", "build", "--kind", "bloomier-mutable", "-o", "m",
                      stdin=b"a\tred\nb\tgreen\n")
        self.run_tool("map", "set", "m", stdin=b"a\tgreen\n")
        self.assertEqual(self.run_tool("map", "get", "m", "a", "b"), b"a\tgreen\nb\tgreen\n")
        before = (self.folder / "m").read_bytes()
        self.refused("map", "set", "m", stdin=b"a\tblue\n", says="'blue' is none of the map's 2")
        self.assertEqual((self.folder / "m").read_bytes(), before)
        note = b"bloomery: 1 of 1 keys are not in the map and were not set: 'stranger'\n"
        self.run_tool("map", "set", "m", stdin=b"stranger\tred\n", status=1, notes=note)
        self.assertEqual((self.folder / "m").read_bytes(), before)
        report = json.loads(self.run_tool("map", "set", "m", "--json", notes=None,
                                          stdin=b"stranger\tred\nb\tred\n"))
        self.assertEqual(report, {"asked": 2, "set": 1, "not_set": ["stranger"]})
        self.assertEqual(self.run_tool("map", "get", "m", "b"), b"b\tred\n")

    def test_what_cannot_be_overwritten_is_not_set(self):
        for kind in ["bank", "coded-bank", "attenuated"]:
            self.run_tool("map", "build", "--kind", kind, "-o", "m", stdin=b"x\t0\ny\t2\n")
            before = self.bytes_of("m")
            self.refused("map", "set", "m", stdin=b"x\t2\n", says="keeps the old value beside")
            self.assertEqual(self.bytes_of("m"), before)
        self.run_tool("map", "build", "--kind", "bloomier", "-o", "m", stdin=b"x\t0\ny\t2\n")
        self.refused("map", "set", "m", stdin=b"x\t2\n", says="cannot change values")
        self.run_tool("map", "build", "--kind", "state-machine", "-o", "m", stdin=b"x\t0\ny\t2\n")
        self.run_tool("map", "set", "m", stdin=b"x\t2\n")
        self.assertEqual(self.run_tool("map", "get", "m", "x"), b"x\t2\n")

    def test_keys_without_a_value_are_not_added(self):
        for kind in ["bank", "coded-bank", "state-machine"]:
            self.run_tool("map", "build", "--kind", kind, "-o", "m", stdin=b"x\t0\ny\t2\n")
            before = self.bytes_of("m")
            self.refused("add", "m", "y", says="map set")
            self.assertEqual(self.bytes_of("m"), before)
            self.run_tool("build", "--kind", kind, "--keys", "10", "-o", "one", stdin=b"x\n")
            self.run_tool("add", "one", "y")  # of one value there is nothing to tell
            self.assertEqual(self.run_tool("query", "one", "x", "y"), b"x\ny\n")
        for kind in ["attenuated", "exponential-decay"]:
            self.run_tool("build", "--kind", kind, "--keys", "10", "-o", "r", stdin=b"x\n")
            self.run_tool("add", "r", "y")
            self.assertEqual(self.run_tool("query", "r", "y"), b"y\n")

    def test_a_key_has_one_value(self):
        for kind in ["coded-bank", "state-machine", "attenuated", "bloomier", "bloomier-mutable"]:
            self.refused("map", "build", "--kind", kind, "-o", "m", stdin=b"a\t1\nb\t1\na\t2\n",
                         says="the key 'a' has two values: '1' and '2'")

    def test_refusals(self):
        self.refused("map", "build", "-o", "m", stdin=b"a\t1\nb\t1\na\t2\n",
                     says="the key 'a' has two values: '1' and '2'")
        self.refused("map", "build", "-o", "m", stdin=b"a\t1\nb\n", says="line 2 has no value")
        self.refused("map", "build", "--kind", "standard", "-o", "m", stdin=b"a\t1\n",
                     says="stores no values")
        self.assertFalse((self.folder / "m").exists())
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("map", "get", "f", "a", says="cannot tell values")

    def test_plans_for_values(self):
        plan = json.loads(self.run_tool("plan", "--keys", "1M", "--values", "8", "--static", "--json"))
        self.assertLess(plan["plans"][0]["bits_per_key"], 1.05 * (8 + 7))
        self.assertIn("map build", plan["first"]["shell"])
        growing = json.loads(self.run_tool("plan", "--keys", "1M", "--values", "8", "--json"))
        self.assertEqual({p["kind"] for p in growing["plans"]}, {"bank", "coded-bank"})

    def test_a_bank_is_planned_for_the_code_asked_for(self):
        pairs = [b"key %d\t%d" % (i, i % 7) for i in range(2000)]
        self.write("m.tsv", b"\n".join(pairs))
        for rate in (.01, .1):
            built = json.loads(self.run_tool("map", "build", "--kind", "coded-bank", "--set",
                                             "code=binary", "--fpr", rate, "-o", "m", "m.tsv", "--json"))
            self.assertEqual((built["shape"]["code"], built["shape"]["classes"]), ("binary", 7))
            self.assertEqual(built["promised"], {"keys": 2000, "rate": rate})
            self.assertLessEqual(built["predicted_rate"], rate)
            got = self.run_tool("map", "get", "m", stdin=lines(0, 2000))
            wrong = set(pairs) - set(got.splitlines())
            self.assertLessEqual(len(wrong), most_of(2000, rate))


class Routing(Tool):
    SHAPE = ["--set", "bits=4096", "--set", "hashes=4", "--set", "levels=3", "-o"]

    def test_what_came_on_other_links_is_a_hop_further(self):
        for name in ["far", "middle", "here"]:
            self.run_tool("build", "--kind", "attenuated", *self.SHAPE, name, stdin=name.encode())
        self.run_tool("advertise", "middle", "far", "-o", "from-middle")
        report = json.loads(self.run_tool("advertise", "here", "from-middle", "-o", "sent", "--json"))
        self.assertEqual(report["items"], 3)
        self.assertEqual(self.run_tool("map", "get", "sent", "far", "middle", "here", "nowhere"),
                         b"far\t2\nmiddle\t1\nhere\t0\n")
        self.run_tool("advertise", "here", "sent", "-o", "again")
        self.run_tool("map", "get", "again", "far", status=1)  # beyond the last level

    def test_bits_decay_by_link(self):
        shape = ["--kind", "exponential-decay", "--set", "bits=65536", "--set", "hashes=64", "-o"]
        self.run_tool("build", *shape, "far", stdin=b"".join(b"%d\n" % i for i in range(20)))
        self.run_tool("build", *shape, "here", stdin=b"here\n")
        for name, link in [("one", "1"), ("again", "1"), ("two", "2")]:
            self.run_tool("advertise", "here", "far", "--link", link, "-o", name)
        one, again, two = ((self.folder / name).read_bytes() for name in ["one", "again", "two"])
        self.assertEqual(one, again)
        self.assertNotEqual(one, two)

    def test_the_best_link_by_score(self):
        shape = ["--kind", "exponential-decay", "--keys", "100", "-o"]
        for name in ["east", "west"]:
            self.run_tool("build", *shape, name, stdin=lines(0, 50, name) + b"both\n")
        self.run_tool("build", *shape, "node", stdin=b"node\n")
        self.run_tool("advertise", "node", "west", "--link", "1", "-o", "relayed")
        route = ["route", "--link", "east", "--link", "relayed"]
        table = [line.split("\t") for line in self.run_tool(
            *route, "east7", "west7", "node", "both", "nowhere").decode().splitlines()]
        self.assertEqual([row[:2] for row in table],
                         [["east7", "east"], ["west7", "relayed"], ["node", "relayed"],
                          ["both", "east"], ["nowhere", "-"]])
        self.assertEqual([table[0][2], table[2][2], len(table[4])], ["32", "32", 2])
        self.assertTrue(int(table[1][3]) <= int(table[1][2]) < 32)
        self.run_tool(*route, "nowhere", status=1)
        self.assertEqual(self.run_tool(*route, stdin=b"nowhere\neast7\n").count(b"\n"), 2)
        report = json.loads(self.run_tool(*route, "--json", "west7", "nowhere"))
        self.assertEqual((report["asked"], report["found"]), (2, 1))
        known, unknown = report["routes"]
        self.assertEqual((known["key"], known["link"], unknown["link"]), ("west7", "relayed", None))
        east, relayed = known["links"]
        self.assertTrue(east["score"] < east["floor"] and relayed["score"] >= relayed["floor"])
        self.assertEqual([relayed["link"], relayed["score"], relayed["floor"]],
                         ["relayed", *map(int, table[1][2:])])
        self.run_tool(*route, "--chance", "1e-15", "west7", status=1)

    def test_the_nearest_link_by_hops(self):
        for name in ["far", "middle", "here"]:
            self.run_tool("build", "--kind", "attenuated", *self.SHAPE, name,
                          stdin=name.encode() + b"\nall\n")
        self.run_tool("advertise", "middle", "far", "-o", "left")
        route = ["route", "-l", "left", "-l", "here", "--"]
        self.assertEqual(self.run_tool(*route, "far", "middle", "here", "all", "nowhere"),
                         b"far\tleft\t1\nmiddle\tleft\t0\nhere\there\t0\nall\tleft\t0\nnowhere\t-\n")
        self.assertEqual(self.run_tool("route", "-l", "left", "-l", "far", "far"), b"far\tfar\t0\n")
        report = json.loads(self.run_tool(*route[:-1], "--json", "far"))
        self.assertEqual(report["routes"], [{"key": "far", "link": "left", "links": [
            {"link": "left", "hops": 1}, {"link": "here", "hops": None}]}])
        self.run_tool(*route, "nowhere", status=1)
        self.run_tool("build", "--kind", "attenuated", "--keys", "9", "-o", "other", stdin=b"a\n")
        self.refused("route", "-l", "left", "-l", "other", "a", says="one kind, shape and hash")
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("route", "-l", "plain", "a", says="no routing table")

    def test_refusals(self):
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("advertise", "plain", "-o", "x", says="no routing table")
        self.run_tool("build", "--kind", "attenuated", *self.SHAPE, "r", stdin=b"a\n")
        self.refused("advertise", "r", "plain", "-o", "x", says="the kind differs")
        self.assertFalse((self.folder / "x").exists())

    def test_states_not_touched_age(self):
        self.run_tool("map", "build", "--kind", "state-machine", "-o", "flows",
                      stdin=b"a\topen\nb\tclosed\n")
        self.assertEqual(self.run_tool("age", "flows"), b"0\n")
        self.run_tool("map", "set", "flows", stdin=b"a\tclosed\n")
        report = json.loads(self.run_tool("age", "flows", "--json"))
        self.assertEqual(report["forgotten"], 1)
        self.assertEqual(self.run_tool("map", "get", "flows", "a", "b"), b"a\tclosed\n")
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("age", "plain", says="does not age")


class Texts(Tool):
    def test_search_finds_parts_and_sources(self):
        self.run_tool("build", "--kind", "hierarchical", "--sources", "--set", "block_bytes=4", "-o",
                      "h", stdin=b"web\tthe quick brown fox jumps over the dog\n"
                                 b"db\tlorem ipsum dolor sit amet, a longer text\n")
        self.assertEqual(self.run_tool("search", "h", "brown fox", "ipsum dolor"),
                         b"brown fox\tweb\t10\nipsum dolor\tdb\t6\n")
        self.run_tool("search", "h", "brown dolor sit", status=1)
        self.refused("search", "h", "short", says="")
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("search", "f", "brown fox", says="knows whole keys")
        self.refused("build", "--sources", "-o", "x", stdin=b"a\tb\n", says="tells no sources apart")

    def test_near(self):
        self.run_tool("build", "--kind", "distance-sensitive", "-o", "d",
                      stdin=b"the quick brown fox jumps over the lazy dog near the old river bank\n"
                            b"a completely different line with other words in it altogether\n")
        close = b"the quick brown fox jumps over the lazy dog near the old river side\n"
        far = b"nothing of this was ever given to any filter so it is far away\n"
        self.assertEqual(self.run_tool("near", "d", stdin=close + far), close)
        self.assertEqual(self.run_tool("near", "-v", "d", stdin=close + far), far)
        self.assertEqual(json.loads(self.run_tool("near", "d", "--json", stdin=close + far)),
                         {"asked": 2, "near": 1, "texts": [
                             {"text": close.decode().strip(), "near": True, "hits": self.hits(close)}]})
        told = json.loads(self.run_tool("near", "d", "--hits", "--json", stdin=close + far))
        self.assertEqual([(text["text"], text["near"]) for text in told["texts"]],
                         [(close.decode().strip(), True), (far.decode().strip(), False)])
        note = b"bloomery: '': the text is not a point; expected: words, separated by white space\n"
        self.assertEqual(self.run_tool("near", "d", stdin=b"\n" + close, status=2, notes=note), close)
        self.run_tool("add", "d", stdin=far)
        self.assertEqual(self.run_tool("near", "d", stdin=far), far)

    def hits(self, text):
        return int(self.run_tool("near", "d", "--hits", stdin=text).rsplit(b"\t", 1)[1])

    def test_texts_that_are_too_short(self):
        build = ["build", "--kind", "hierarchical", "-o", "h"]
        note = b"bloomery: 2 of 2 texts are too short and were left out\n"
        self.run_tool(*build, stdin=b"tiny\nalso tiny\n", notes=note)
        report = json.loads(self.run_tool(*build, "--json", stdin=b"tiny\nalso tiny\n", notes=note))
        self.assertEqual((report["items"], report["left_out"]), (0, 2))
        self.run_tool(*build, "--set", "block_bytes=4", stdin=b"the fox jumps over lorem ipsum\n")
        self.assertEqual(self.run_tool("search", "h", stdin=b"fox jumps\nabc\nlorem ipsum\n", status=2,
                                       notes=b"bloomery: 'abc': the text has 3 bytes; allowed: 7 and "
                                             b"more, since shorter ones may hold no whole block of 4\n"),
                         b"fox jumps\t0\t4\nlorem ipsum\t0\t19\n")
        for flags, selected in [([], b"fox jumps\nlorem ipsum\n"), (["-v"], b"fox gets lost\n")]:
            self.assertEqual(self.run_tool("query", *flags, "h", status=2, stdin=
                                           b"fox jumps\nabc\nfox gets lost\nlorem ipsum\n"), selected)

    def test_texts_are_added(self):
        build = ["build", "--kind", "hierarchical", "--set", "block_bytes=4", "--keys", "100"]
        self.run_tool(*build, "-o", "h", stdin=b"the quick brown fox jumps\n")
        report = json.loads(self.run_tool("add", "h", "--json", "lorem ipsum dolor", "x",
                                          notes=None))
        self.assertEqual((report["added"], report["new"], report["left_out"]), (4, 1, 1))
        self.assertEqual(self.run_tool("search", "h", "ipsum dolor"), b"ipsum dolor\t0\t6\n")
        self.refused("add", "h", "--sources", "web\tdolor sit amet", says="have no sources")
        first, second = b"web\tthe quick brown fox jumps\n", b"db\tlorem ipsum dolor sit amet\n"
        self.run_tool(*build, "--sources", "-o", "whole", stdin=first + second)
        self.run_tool(*build, "--sources", "-o", "part", stdin=first)
        self.refused("add", "part", "lorem ipsum dolor", says="with --sources")
        self.run_tool("add", "part", "--sources", stdin=second)
        self.assertEqual(self.bytes_of("part"), self.bytes_of("whole"))
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("add", "f", "--sources", "a\tb", says="tells no sources apart")

    def test_sources_are_as_many_as_there_are(self):
        many = b"".join(b"s%d\tthe text of source number %d, in full\n" % (i, i) for i in range(300))
        build = ["build", "--kind", "hierarchical", "--sources", "-o", "h"]
        self.run_tool(*build, stdin=many)
        self.assertEqual(self.info("h")["shape"]["sources"], 300)
        self.assertEqual(self.run_tool("search", "h", "the text of source number 299, in full"),
                         b"the text of source number 299, in full\ts299\t0\n")
        self.refused(*build, "--set", "sources=299", stdin=many, says="names 300 sources")

    def test_each_metric_is_planned_for_its_near_and_far(self):
        draw = random.Random(8)

        def flipped(point):
            bits = int(point, 16)
            for i in draw.sample(range(256), 12):
                bits ^= 1 << i
            return f"{bits:064x}"

        def moved(point):
            step = [draw.gauss(0, 1) for _ in range(8)]
            norm = math.hypot(*step)
            return " ".join(str(float(x) + dx / norm) for x, dx in zip(point.split(), step))

        def words(count):
            return [f"{draw.getrandbits(64):x}" for _ in range(count)]

        def half_new(point):  # 20 of 40 words in common
            return " ".join(draw.sample(point.split(), 20) + words(10))

        metrics = [
            (["metric=hamming", "dimension=256", "near=0.05", "far=0.3"],
             lambda: f"{draw.getrandbits(256):064x}", flipped),
            (["metric=euclidean", "dimension=8", "near=1", "far=10"],
             lambda: " ".join(str(draw.uniform(0, 1000)) for _ in range(8)), moved),
            (["near=0.5", "far=0.95"], lambda: " ".join(words(30)), half_new),
        ]
        for settings, point, neighbour in metrics:
            known = [point() for _ in range(100)]
            self.run_tool("build", "--kind", "distance-sensitive",
                          *[word for setting in settings for word in ("--set", setting)], "-o", "d",
                          stdin="\n".join(known).encode())
            near = "\n".join(neighbour(p) for p in known).encode()
            missed = 100 - json.loads(self.run_tool("near", "d", "--json", stdin=near))["near"]
            self.assertLessEqual(missed, most_of(100, .01), settings)
            far = "\n".join(point() for _ in range(100)).encode()
            claimed = json.loads(self.run_tool("near", "d", "--json", stdin=far, status=None))["near"]
            self.assertLessEqual(claimed, most_of(100, .01), settings)

    def test_fields_that_miss_what_is_near_are_refused(self):
        self.refused("build", "--kind", "distance-sensitive", "--set", "arrays=12", "--set",
                     "threshold=12", "-o", "d", stdin=b"a b c\n", says="missed would be")
        self.refused("build", "--kind", "distance-sensitive", "--set", "near=0.95", "-o", "d",
                     stdin=b"a b c\n", says="below far")


class Weights(Tool):
    def test_popular_keys_err_less(self):
        """Half of 10,000 listed keys are members; the first thousand get nine tenths of the questions."""
        keys = b"".join(b"%d\n" % i for i in range(0, 10_000, 2))
        (self.folder / "weights").write_bytes(
            b"".join(b"%d\t%d\t50%%\n" % (i, 81 if i < 1000 else 1) for i in range(10_000)))
        self.run_tool("build", "--kind", "weighted", "--weights", "weights", "-o", "w", stdin=keys)
        self.assertEqual(self.run_tool("query", "-c", "w", stdin=keys), b"5000\n")
        hot = b"".join(b"%d\n" % i for i in range(1, 1000, 2))
        cold = b"".join(b"%d\n" % i for i in range(1001, 10_000, 2))
        hot_rate = int(self.run_tool("query", "-c", "w", stdin=hot, status=None)) / 500
        cold_rate = int(self.run_tool("query", "-c", "w", stdin=cold, status=None)) / 4500
        self.assertLess(hot_rate, cold_rate / 2)
        self.refused("build", "--weights", "weights", "-o", "x", stdin=keys, says="takes no weights")

    def test_the_rate_asked_for_is_that_of_the_questions_listed(self):
        keys = b"".join(b"%d\n" % i for i in range(0, 10_000, 2))
        (self.folder / "weights").write_bytes(
            b"".join(b"%d\t%d\t50%%\n" % (i, 81 if i < 1000 else 1) for i in range(10_000)))
        for kind in ("weighted", "popularity"):
            build = ["build", "--kind", kind, "--weights", "weights", "-o", "w"]
            told = json.loads(self.run_tool(*build, "--json", stdin=keys))
            self.assertTrue(told["weights"]["used"])
            self.assertLessEqual(told["weights"]["listed_rate"], .01)
            self.assertGreater(told["weights"]["other_rate"], .01)
            self.assertEqual(told["promised"]["rate"], told["weights"]["other_rate"])
            self.assertIn(b"questions listed: 0.9", self.run_tool(*build, stdin=keys))
            for setting in ("bits=1000", "hashes=2"):
                self.refused(*build, "--set", setting, stdin=keys, says="the rate would be")

    def test_weights_that_make_no_sense_are_refused_by_line(self):
        build = ["build", "--kind", "popularity", "--weights", "weights", "-o", "w"]
        for line in [b"b\t1e308", b"b\t-1", b"b\tnan", b"b\t1\t.5\t3", b"b\t1\t", b"b\t", b"b",
                     b"b\t1\t2", b"b\t1\tx"]:
            self.write("weights", b"a\t1\t.5\n" + line + b"\nc\t1\n")
            told = self.refused(*build, stdin=b"a\nb\n", says="--weights, line 2: ")
            self.assertIn("QUERIES from 0 to 1e+100 and MEMBERSHIP from 0 to 1", told)
        self.write("weights", b"a\t1e100\nb\t1e100\n")
        self.run_tool(*build, "--json", stdin=b"a\nb\n")

    def test_weights_that_bring_nothing_are_reported(self):
        keys = b"".join(b"%d\n" % i for i in range(1000))
        (self.folder / "weights").write_bytes(b"".join(b"%d\t%d\n" % (i, i) for i in range(1000)))
        build = ["build", "--kind", "popularity", "--weights", "weights", "-o", "w"]
        self.assertIn(b"weights change nothing", self.run_tool(*build, stdin=keys))
        told = json.loads(self.run_tool(*build, "--json", stdin=keys))["weights"]
        self.assertFalse(told["used"])
        self.assertEqual(told["listed_rate"], told["other_rate"])
        self.refused(*build, "--set", "bits=1000", stdin=keys, says="the rate would be")

    def test_retouch(self):
        keys = b"".join(b"member %d\n" % i for i in range(2000))
        (self.folder / "keys").write_bytes(keys)
        self.run_tool("build", "--fpr", "5%", "-o", "f", "keys")
        wrong = self.run_tool("query", "f", stdin=b"".join(b"%d\n" % i for i in range(20000)))
        (self.folder / "unwanted").write_bytes(wrong[:wrong.index(b"\n", len(wrong) // 8) + 1])
        report = json.loads(self.run_tool("retouch", "f", "--unwanted", "unwanted", "--members",
                                          "keys", "-o", "g", "--json"))
        self.assertEqual(report["removed"], report["unwanted"])
        self.assertEqual(report["members"], 2000)
        self.assertGreater(report["chi"], 1)
        self.run_tool("query", "g", "-f", "unwanted", status=1)
        kept = int(self.run_tool("query", "-c", "g", "-f", "keys"))
        self.assertEqual(kept, 2000 - report["lost"])
        self.refused("retouch", "f", "--unwanted", "unwanted", "--method", "best-ratio", says="member")

    def test_retouch_of_a_counting_filter_predicts_what_is_lost(self):
        self.write("keys", lines(0, 2000))
        self.write("unwanted", lines(5000, 9000))
        reports = []
        for kind in ("standard", "counting"):
            self.run_tool("build", "--kind", kind, "--fpr", "5%", "-o", kind, "keys")
            reports.append(json.loads(self.run_tool(
                "retouch", kind, "--unwanted", "unwanted", "--members", "keys", "--method", "random",
                "--json")))
        self.assertEqual(*reports)

    def test_retouch_at_random(self):
        self.write("keys", lines(0, 2000))
        self.run_tool("build", "--fpr", "5%", "-o", "f", "keys")
        clear = ["retouch", "f", "--random-bits", "300", "--members", "keys", "--json", "-o"]
        report = json.loads(self.run_tool(*clear, "g"))
        self.assertEqual((report["method"], report["bits_cleared"], report["members"]),
                         ("random-bits", 300, 2000))
        self.assertEqual(int(self.run_tool("query", "-c", "g", "-f", "keys")), 2000 - report["lost"])
        self.run_tool(*clear, "h", "--seed", "1")
        self.assertNotEqual(self.bytes_of("g"), self.bytes_of("h"))
        nothing = json.loads(self.run_tool("retouch", "f", "--random-bits", "0", "--json"))
        self.assertEqual((nothing["chi"], nothing["predicted_loss"]), (1, 0))
        self.refused("retouch", "f", says="--unwanted")
        self.refused("retouch", "f", "--random-bits", "3", "--method", "random", says="excludes")


class Guarded(Tool):
    def secret(self, kind, name, *options):
        self.run_tool("secret", "new", "--kind", kind, *options, "-o", name)
        return name

    def build(self, kind, key, name, words, *options):
        self.run_tool("build", "--kind", kind, "--key-file", key, *options, "-o", name,
                      stdin=b"".join(word + b"\n" for word in words))
        return name

    def altered(self, name, change):
        """The message with other fields, under a length and a checksum that fit."""
        message = self.bytes_of(name)
        fields = 16 + message[6]
        made = message[:fields] + change(message[fields:-8])
        made = made[:8] + struct.pack("<Q", len(made) + 8) + made[16:]
        return self.write("altered", made + struct.pack("<Q", xxhash.xxh3_64_intdigest(made)))


class Secrets(Guarded):
    def test_only_the_secret_opens_it(self):
        for kind in ("secure-index", "encrypted", "oblivious"):
            secret = self.secret(kind, kind + ".secret")
            self.assertEqual((self.folder / secret).stat().st_mode & 0o077, 0)
            self.build(kind, secret, kind, [b"red", b"green", b"red"])
            self.assertEqual(self.run_tool("query", kind, "--key-file", secret, "green", "blue"),
                             b"green\n")
            self.refused("query", kind, "green", says="needs --key-file")
            if kind == "secure-index":
                self.refused("add", kind, "--key-file", secret, "blue", says="is sealed")
                continue
            self.refused("add", kind, "blue", says="needs --key-file")
            self.run_tool("add", kind, "--key-file", secret, "blue")
            self.assertEqual(self.run_tool("query", kind, "--key-file", secret, "green", "blue"),
                             b"green\nblue\n")

    def test_a_secret_is_not_overwritten(self):
        kept = self.bytes_of(self.secret("secure-index", "owner"))
        (self.folder / "link").symlink_to("owner")
        for name in ("owner", "link"):
            self.refused("secret", "new", "--kind", "secure-index", "-o", name,
                         says=name + ": exists, and is not replaced")
        self.assertEqual(self.bytes_of("owner"), kept)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "owner"])
        self.secret("secure-index", "/dev/null")
        racing = [subprocess.Popen([TOOL, "secret", "new", "--kind", "secure-index", "-o", "new"],
                                   cwd=self.folder, stderr=subprocess.DEVNULL) for _ in range(8)]
        self.assertEqual(sorted(maker.wait(60) for maker in racing), [0] + 7 * [2])

    def test_messages_are_no_secrets_of_another_sort(self):
        self.secret("secure-index", "owner")
        self.secret("encrypted", "key")
        self.refused("secret", "ask", "owner", "word", says="expected: bloomery secret ask")
        self.refused("secret", "public", "key", "-o", "p", says="is a cipher key, not an oblivious")
        self.refused("secret", "answer", "owner", "key", "-o", "r", says="owner is a secure-index")
        self.refused("secret", "finish", "key", "key", says="key is a cipher key")
        self.refused("build", "--kind", "oblivious", "--key-file", "key", "-o", "f", stdin=b"a\n",
                     says="is a cipher key, not an oblivious secret")

    def test_trapdoors(self):
        self.secret("secure-index", "owner")
        for name, words in (("1", [b"one", b"fish", b"two", b"fish"]), ("2", [b"red", b"fish"])):
            self.build("secure-index", "owner", name, words, "--fpr", "1e-9")

        def finish(word, key="owner", status=0):
            self.run_tool("secret", "ask", key, word, "-o", "trapdoor")
            return self.run_tool("secret", "finish", "trapdoor", "1", "2", status=status)
        self.assertEqual(finish("fish"), b"1\n2\n")
        self.assertEqual(finish("red"), b"2\n")
        self.assertEqual(finish("blue", status=1), b"")
        self.run_tool("secret", "ask", self.secret("secure-index", "other"), "fish", "-o", "trapdoor")
        self.refused("secret", "finish", "trapdoor", "1", says="fingerprint")
        finish("red")
        self.refused("secret", "finish", self.altered("trapdoor", lambda body: body[:-1]), "2",
                     says="ends inside a field")
        # The fingerprint of the key, the number of parts, and parts of a length byte and 32 bytes.
        parts = 64 * 33
        self.refused("secret", "finish",
                     self.altered("trapdoor", lambda body: body[:-parts - 1] + b"\1" + body[-33:]), "2",
                     says="the trapdoor has 1 parts")
        turned = self.altered("trapdoor", lambda body: body[:-parts] + bytes(
            byte ^ (i % 33 != 0) for i, byte in enumerate(body[-parts:])))
        self.assertEqual(self.run_tool("secret", "finish", turned, "2", status=1), b"")
        self.write("trapdoor", self.bytes_of("trapdoor")[:-1] + b"?")
        self.refused("secret", "finish", "trapdoor", "2", says="trapdoor: a message is damaged")

    def test_a_third_party_converts(self):
        for key in ("owner", "asker", "stranger", "pad"):
            self.secret("encrypted", key)
        self.build("encrypted", "owner", "set", [b"Moriarty", b"Moran"], "--fpr", "1e-9")
        self.run_tool("secret", "share", "owner", "owner", "pad", "-o", "of-owner")
        for name in ("asker", "stranger"):
            self.run_tool("secret", "share", "asker", name, "pad", "-o", "of-" + name)
            self.run_tool("secret", "pair", "of-" + name, "of-owner", "-o", "for-" + name)

        def finish(word, conversion="for-asker", status=0):
            self.run_tool("secret", "ask", "asker", word, "-o", "query")
            self.run_tool("secret", "answer", conversion, "query", "-o", "converted")
            return self.run_tool("secret", "finish", "converted", "set", status=status)
        self.assertEqual(finish("Watson", status=1), b"")
        self.refused("secret", "answer", "for-stranger", "query", "-o", "x", says="not under the key")
        self.run_tool("secret", "share", "asker", "asker", "stranger", "-o", "other-pad")
        self.refused("secret", "pair", "other-pad", "of-owner", "-o", "x", says="the pad")
        self.assertEqual(finish("Moriarty"), b"set\n")
        for secret in ("of-owner", "for-asker"):
            self.assertEqual((self.folder / secret).stat().st_mode & 0o077, 0)
        self.refused("secret", "finish", "query", "set", says="query is encrypted/query")
        self.refused("secret", "pair", "of-owner", "of-asker", "-o", "x",
                     says="this is the message encrypted/owner-share, not encrypted/asker-share")
        self.refused("secret", "share", "third", "owner", "pad", "-o", "x", says="neither")
        for step, name in ((["finish"], "converted"), (["answer", "for-asker"], "query")):
            beyond = self.altered(name, lambda body: body[:3] + b"\xff" * 256 + body[259:])
            output = ["-o", "x"] if step[0] == "answer" else ["set"]
            self.refused("secret", *step, beyond, *output, says="holds no quadratic residue")

    def oblivious(self, protocol):
        self.secret("oblivious", "server", "--protocol", protocol)
        self.run_tool("secret", "public", "server", "-o", "public")
        self.build("oblivious", "server", "set", [b"zebra", b"okapi"], "--fpr", "1e-9")
        self.assertEqual(self.info("set")["shape"]["protocol"], protocol)

        def ask(word):
            self.run_tool("secret", "ask", "public", word, "--state", word, "-o", "request")
            self.run_tool("secret", "answer", "server", "request", "-o", "reply")
            return ["secret", "finish", "reply", "set", "--state", word]
        self.assertEqual(self.run_tool(*ask("qzxvj"), status=1), b"")
        self.assertEqual(self.run_tool(*ask("zebra")), b"set\n")
        self.assertEqual((self.folder / "zebra").stat().st_mode & 0o077, 0)
        self.refused("secret", "finish", "reply", "set", "--state", "qzxvj", says="reply")
        self.refused("secret", "finish", "reply", "set", says="--state")
        turned = self.altered("reply", lambda body: body[:99] + bytes([body[99] ^ 1]) + body[100:])
        self.refused("secret", "finish", turned, "set", "--state", "zebra", says="reply")
        self.refused("secret", "answer", "server",
                     self.altered("request", lambda body: body[:3] + b"\xff" * 256), "-o", "x",
                     says="request")
        self.refused("secret", "ask", "server", "zebra", "--state", "q", "-o", "x",
                     says="server is an oblivious secret")

    def test_a_blind_signature(self):
        self.oblivious("rsa")

    def test_an_oblivious_function(self):
        self.oblivious("oprf")
        self.refused("build", "--kind", "oblivious", "--key-file", "server", "--set",
                     "protocol=rsa", "-o", "f", stdin=b"a\n", says="is rsa, the key's oprf")


class Attacks(Guarded):
    """Those of docs/threat-model.md, by who has files of secure indexes that the tool wrote and not
    their key. Keys and documents are random: each bound fails once in a million runs."""
    chance = 1e-6

    def setUp(self):
        super().setUp()
        self.secret("secure-index", "owner")

    def index(self, words, *options):
        shape = self.info(self.build("secure-index", "owner", "f", words, *options))["shape"]
        return shape, int.from_bytes(Envelope(self.bytes_of("f")).cells[64:], "little")

    def fits(self, words, index):
        """Whether the ones may be those of so many words."""
        shape, bits = index
        m, throws = shape["bits"], words * shape["hashes"]
        zeros = m * (1 - 1 / m)**throws
        spread = math.sqrt(m * (m - 1) * (1 - 2 / m)**throws + zeros - zeros**2)
        return (abs(m - bits.bit_count() - zeros)
                <= statistics.NormalDist().inv_cdf(1 - self.chance / 2) * spread)

    def related(self, one, other):
        """Whether they share more ones than unrelated words would: a hypergeometric tail."""
        m, a, b = one[0]["bits"], one[1].bit_count(), other[1].bit_count()

        def ways(n, k):
            return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return sum(math.exp(ways(a, i) + ways(m - a, b - i) - ways(m, b))
                   for i in range((one[1] & other[1]).bit_count(), min(a, b) + 1)) < self.chance

    words = [b"word %d" % i for i in range(100, 250)]

    def test_how_many_words(self):
        few, many = 3 * self.words[:50], self.words
        for document in (few, many, sorted(many)):
            shape, _ = index = self.index(document)
            self.assertEqual(shape["tokens"], sum(len(word) + 1 for word in document) / 2)
            self.assertTrue(self.fits(shape["tokens"], index))
            self.assertFalse(self.fits(50, index))
            self.assertFalse(self.fits(150, index))
        self.assertTrue(self.fits(400, self.index(few, "--keys", 400)))
        self.assertTrue(self.fits(50, self.index(few, "--keys", 50)), "the attack would work")
        self.refused("build", "--kind", "secure-index", "--key-file", "owner", "--keys", 49, "-o",
                     "f", stdin=b"".join(word + b"\n" for word in few), says="50 distinct")

    def test_which_documents_share_words(self):
        one, other = self.words[:50], self.words[10:60]
        for bound in ([], ["--keys", 50]):
            self.assertFalse(self.related(self.index(one, *bound), self.index(other, *bound)))
            self.assertFalse(self.related(self.index(one, *bound), self.index(one, *bound)))
            fixed = [*bound, "--set", "document=7"]
            self.assertEqual(self.index(one, *fixed), self.index(one, *fixed))
            self.assertTrue(self.related(self.index(one, *fixed), self.index(other, *fixed)),
                            "the attack would work")


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
        self.assertEqual(json.loads(self.run_tool("query", "--json", "f", stdin=asked)),
                         {"asked": 4, "present": 2})
        self.assertEqual(self.run_tool("query", "f", "-f", self.write("asked", asked)),
                         b"key 1\nkey 999\n")
        self.assertEqual(self.run_tool("query", "f", status=1), b"")

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
            self.assertEqual(query.wait(10), 0)

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


class Keyed(Tool):
    def test_only_the_key_opens_it(self):
        self.write("key", bytes(range(32)))
        self.write("hex", bytes(range(32)).hex().encode() + b"\n")
        self.write("other", bytes(range(1, 33)))
        self.run_tool("build", "--key-file", "key", "-o", "f", stdin=lines(0, 100))
        for key in ("key", "hex"):
            self.assertEqual(self.run_tool("query", "--key-file", key, "f", "key 7"), b"key 7\n")
        self.refused("query", "f", "key 7", says="no secret key was given")
        self.refused("query", "--key-file", "other", "f", "key 7", says="key fingerprint differs")
        self.refused("add", "--key-file", "other", "f", "key 7", says="key fingerprint differs")
        self.assertNotIn(bytes(range(32)), self.bytes_of("f"))
        self.assertEqual(self.info("f")["hash"]["function"], "keyed")
        self.run_tool("build", "-o", "open", stdin=lines(0, 100))
        self.refused("query", "--key-file", "key", "open", "x", says="not keyed")
        for content in (b"", b"short", bytes(33), b"x" * 64):
            self.refused("build", "--key-file", self.write("bad", content), "-o", "g",
                         says="32 raw bytes")
        self.refused("build", "--key-file", "key", "--seed", "1", "-o", "g", says="--seed")

    def test_seeds_do_not_mix(self):
        for seed in ("1", "0x2"):
            self.run_tool("build", "--keys", 100, "--seed", seed, "-o", seed, stdin=lines(0, 100))
        self.refused("union", "1", "0x2", "-o", "u", says="seed differs: xxh3 seed 0x1 against")
        self.refused("estimate", "1", "0x2", says="seed differs")

    def test_integer_keys(self):
        self.run_tool("build", "--integers", "-o", "f", stdin=b"1\n18446744073709551615\n007\n")
        self.assertEqual(self.run_tool("query", "f", "1", "2", "7", "18446744073709551615"),
                         b"1\n7\n18446744073709551615\n")
        self.refused("query", "f", "18446744073709551616", says="decimal number below 2^64")


class Combine(Tool):
    def kinds(self):
        return [k for k in json.loads(self.run_tool("kinds", "--json")) if k["builds"]]

    def build(self, name, kind, content, *more):
        self.run_tool("build", "--kind", kind, "--keys", "10k", *more, "-o", name, stdin=content)

    def test_union_of_halves_is_the_whole(self):
        for kind in self.kinds():
            if not kind["merges"]:
                continue
            name = kind["name"]
            self.build("whole", name, lines(0, 10_000))
            self.build("a", name, lines(0, 5000))
            self.build("b", name, lines(5000, 10_000))
            self.run_tool("union", "a", "b", "-o", "both")
            if name == "spectral":  # its counters lie as their history left them
                self.assertEqual(self.run_tool("count", "both", stdin=lines(0, 11_000)),
                                 self.run_tool("count", "whole", stdin=lines(0, 11_000)))
                continue
            self.assertEqual(self.bytes_of("both"), self.bytes_of("whole"), name)

    def test_fold_is_the_smaller_build(self):
        for kind in self.kinds():
            if not kind["folds"]:
                continue
            name = kind["name"]
            first = kind["fields"][0]["name"]
            for factor in (2, 3, 5):
                more = ["--set", "banks=8"] if name == "banked" else []
                shape = [["--set", f"{first}={30_000 // f}", "--set", "hashes=5", *more]
                         for f in (1, factor)]
                self.run_tool("build", "--kind", name, *shape[0], "-o", "l", stdin=lines(0, 3000))
                self.run_tool("build", "--kind", name, *shape[1], "-o", "s", stdin=lines(0, 3000))
                self.run_tool("fold", "l", "--by", factor, "-o", "folded")
                self.assertEqual(self.bytes_of("folded"), self.bytes_of("s"), (name, factor))
            self.refused("fold", "l", "--by", 7, "-o", "x", says="does not divide " + first)
            self.refused("fold", "l", "--by", 0, "-o", "x", says="fold by 0")

    def test_intersect_holds_the_common_keys(self):
        self.build("a", "blocked", lines(0, 6000))
        self.build("b", "blocked", lines(4000, 10_000))
        self.run_tool("intersect", "a", "b", "-o", "c")
        self.assertEqual(self.run_tool("query", "-c", "c", stdin=lines(4000, 6000)), b"2000\n")
        self.assertLess(int(self.run_tool("query", "-c", "c", stdin=lines(0, 4000))), 200)

    def test_estimate(self):
        for kind in self.kinds():
            if not kind["measures"]:
                continue
            self.build("a", kind["name"], lines(0, 6000))
            self.build("b", kind["name"], lines(4000, 10_000))
            result = json.loads(self.run_tool("estimate", "--confidence", "99.9999%", "--json",
                                              "a", "b"))
            for name, truth in [("first", 6000), ("second", 6000), ("union", 10_000),
                                ("intersection", 2000), ("jaccard", .2)]:
                self.assertLessEqual(result[name]["low"], truth)
                self.assertGreaterEqual(result[name]["high"], truth)
        self.refused("estimate", "a", "--confidence", "2", says="below 100 %")

    def test_strangers_are_refused(self):
        self.build("a", "standard", lines(0, 10))
        self.build("b", "blocked", lines(0, 10))
        self.build("c", "standard", lines(0, 10), "--fpr", "2%")
        self.refused("union", "a", "b", "-o", "u", says="kind differs: standard against blocked")
        self.refused("union", "a", "c", "-o", "u", says="bits differs")
        self.assertFalse((self.folder / "u").exists())

    def test_add_is_as_building_with_more(self):
        self.build("whole", "standard", lines(0, 1000))
        self.build("part", "standard", lines(0, 500))
        self.run_tool("add", "part", "key 500", "key 501")
        report = json.loads(self.run_tool("add", "--json", "part", stdin=lines(502, 1000)))
        self.assertEqual((report["added"], report["new"] > 480), (498, True))
        self.assertEqual(self.bytes_of("part"), self.bytes_of("whole"))


class Reports(Tool):
    def test_every_verb_explains_itself_with_two_examples(self):
        for verb in VERBS:
            text = self.run_tool(*verb.split(), "--help").decode()
            examples = text.split("Examples:\n")[1].strip().splitlines()
            self.assertEqual(len(examples), 2, verb)
            self.assertTrue(all("bloomery " + verb in e for e in examples), verb)
        for verb in VERBS:
            self.assertIn(verb.split()[0], self.run_tool("--help").decode())
        self.assertRegex(self.run_tool("--version").decode(), r"^\d+\.\d+\.\d+\n$")

    def test_kinds(self):
        for kind in json.loads(self.run_tool("kinds", "--json")):
            text = self.run_tool("kinds", kind["name"]).decode()
            for field in kind["fields"]:
                self.assertIn(field["name"], text)
        self.refused("kinds", "unkind", says="not a kind")

    def test_info_of_an_overfull_filter(self):
        self.run_tool("build", "--set", "bits=64", "--set", "hashes=4", "-o", "f",
                      stdin=lines(0, 1000))
        info = self.info("f")
        self.assertTrue(info["estimated_keys"]["saturated"])
        self.assertIsNone(info["estimated_keys"]["value"])
        self.assertIn(b"saturated: at least", self.run_tool("info", "f"))

    def test_bench_reports_rows_for_every_kind(self):
        for options in (["--keys", "2k", "--repeats", "1"], ["--hash", "--repeats", "1"]):
            done = subprocess.run([TOOL, "bench", "--json", *options], capture_output=True,
                                  cwd=self.folder, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads(done.stdout)["rows"]
            self.assertTrue(all(row["ns_per_key"] > 0 for row in rows))
            if "--hash" not in options:
                names = {row["name"] for row in rows}
                for kind in json.loads(self.run_tool("kinds", "--json")):
                    self.assertTrue(kind["name"] in names or not kind["queries"], kind["name"])

    def test_bench_draws_several_sizes(self):
        run = subprocess.run([TOOL, "bench", "--json", "--keys", "2k,4k", "--repeats", "1",
                              "--kind", "blocked", "--chart", "speed.svg"], capture_output=True,
                             cwd=self.folder, timeout=120, check=True)
        done = json.loads(run.stdout)
        self.assertEqual([run["keys"] for run in done["runs"]], [2000, 4000])
        operations = [row["operation"] for row in done["runs"][0]["rows"]
                      if row["name"] == "blocked"]
        self.assertIn("build, 2 threads", operations)
        drawn = (self.folder / "speed.svg").read_text()
        self.assertIn("<svg", drawn)
        self.assertIn("libbloom", drawn)

    def test_misuse(self):
        self.refused(says="--help")
        self.refused("frobnicate", says="frobnicate")
        self.refused("query", "--no-such-option", "f", says="no-such-option")

    def test_progress_is_for_terminals_only(self):
        main, side = pty.openpty()
        with subprocess.Popen([TOOL, "build", "--keys", "10k", "-o", "f"], stdin=subprocess.PIPE,
                              stderr=side, cwd=self.folder) as build:
            os.close(side)
            for _ in range(4):
                build.stdin.write(lines(0, 100))
                build.stdin.flush()
                time.sleep(0.15)
            build.stdin.close()
            self.assertEqual(build.wait(10), 0)
        shown = os.read(main, 65536)
        os.close(main)
        self.assertIn(b"keys,", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)


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
        self.assertEqual(self.info("small"), self.info("old"))
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
        self.assertEqual(told, self.info("new"))
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


class Hostile(Tool):
    def test_damaged_files_are_refused_and_not_overwritten(self):
        for golden in sorted(GOLDEN.glob("*.bloom")):
            good = golden.read_bytes()
            for damage in (good[:-1], good + b"\0", good[:40], good[:-1] + bytes([good[-1] ^ 1]),
                           good[:16] + bytes([good[16] ^ 64]) + good[17:]):
                self.write("f", damage)
                for verb in (["info", "f"], ["query", "f", "x"], ["add", "f", "x"],
                             ["fold", "f", "-o", "out"], ["union", "f", "f", "-o", "out"]):
                    self.refused(*verb, says="f: ")
                self.assertEqual(self.bytes_of("f"), damage)
                self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
