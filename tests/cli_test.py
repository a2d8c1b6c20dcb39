"""The tool as a person uses it. Run by ctest; BLOOMERY names the binary."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import tempfile
import time
import unittest

TOOL = os.environ["BLOOMERY"]
GOLDEN = pathlib.Path(os.environ["BLOOMERY_SOURCE"]) / "tests" / "golden"
VERBS = ["build", "add", "query", "info", "kinds", "plan", "rate", "doctor", "figures", "union",
         "intersect", "fold", "estimate", "bench"]


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *arguments, stdin=b"", status=0):
        done = subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, status, (arguments, done.stdout[:500], done.stderr))
        if status != 2:
            self.assertEqual(done.stderr, b"")
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

    def info(self, filter_file):
        return json.loads(self.run_tool("info", "--json", filter_file))

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
        self.run_tool("build", "-o", "2", stdin=lines(0, 5000))
        self.run_tool("build", "-o", "3", "a", "b")
        self.run_tool("build", "-o", "4", "a", "-", stdin=lines(2000, 5000))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("2"))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("3"))
        self.assertEqual(self.bytes_of("1"), self.bytes_of("4"))

    def test_threads_do_not_change_the_result(self):
        data = lines(0, 200_000)
        for kind in [k["name"] for k in json.loads(self.run_tool("kinds", "--json"))]:
            for keys in [[], ["--keys", "200k"]]:
                self.run_tool("build", "--kind", kind, *keys, "-j", 1, "-o", "one", stdin=data)
                self.run_tool("build", "--kind", kind, *keys, "-j", 4, "-o", "four", stdin=data)
                self.assertEqual(self.bytes_of("one"), self.bytes_of("four"))

    def test_sizes_itself_by_distinct_keys(self):
        self.run_tool("build", "--fpr", "1%", "-o", "once", stdin=lines(0, 10_000))
        self.run_tool("build", "--fpr", "1%", "-o", "thrice", stdin=3 * lines(0, 10_000))
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
            self.run_tool("build", "--kind", kind["name"], "-o", "f")
            self.assertEqual(self.info("f")["items"], 0)
            self.run_tool("query", "f", "x", "", status=1)

    def test_kinds_that_are_built_whole(self):
        fixed = [k["name"] for k in json.loads(self.run_tool("kinds", "--json"))
                 if not k["inserts"]]
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
                 "--set", "fingerprint_bits=9"]
        self.run_tool("build", "--kind", "fuse", *shape, "-o", "f", stdin=lines(0, 20))
        self.assertIsNone(self.info("f")["promised"])
        self.refused("build", "--kind", "fuse", *shape, "-o", "f", stdin=lines(0, 100),
                     says="100 distinct keys do not fit into 48 slots")
        self.refused("build", "--kind", "fuse", "--fpr", "1e-12", "-o", "f", says="32 bits reach")
        shape = ["--set", "keys=100", "--set", "fingerprint_bits=9"]
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
        return [k for k in json.loads(self.run_tool("kinds", "--json"))]

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
            self.assertEqual(self.bytes_of("both"), self.bytes_of("whole"), name)

    def test_fold_is_the_smaller_build(self):
        for kind in self.kinds():
            if not kind["folds"]:
                continue
            name = kind["name"]
            first = kind["fields"][0]["name"]
            for factor in (2, 3, 5):
                shape = [["--set", f"{first}={30_000 // f}", "--set", "hashes=5"]
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
            text = self.run_tool(verb, "--help").decode()
            examples = text.split("Examples:\n")[1].strip().splitlines()
            self.assertEqual(len(examples), 2, verb)
            self.assertTrue(all("bloomery " + verb in e for e in examples), verb)
        for verb in VERBS:
            self.assertIn(verb, self.run_tool("--help").decode())
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
                    self.assertTrue(any(kind["name"] in name for name in names), names)

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
