"""The tool as a person uses it: build."""
import json
import signal
import subprocess
import time
import unittest

from tool import PATIENCE, TOOL, Tool, lines, most_of


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
        for kind in self.kinds_that("builds"):
            for keys in [[], ["--keys", "60k"]]:
                if not keys and self.info_of_kind(kind)["window"]:
                    continue
                self.run_tool("build", "--kind", kind, *keys, "-j", 1, "-o", "one", stdin=data)
                self.run_tool("build", "--kind", kind, *keys, "-j", 4, "-o", "four", stdin=data)
                self.assertEqual(self.bytes_of("one"), self.bytes_of("four"))

    def test_keys_counted_first_make_the_filter_that_streaming_makes(self):
        data = lines(0, 30_000)
        for kind in self.kinds_that("builds", "inserts"):
            if self.info_of_kind(kind)["window"] or self.info_of_kind(kind)["grows"]:
                continue
            with self.subTest(kind):
                self.run_tool("build", "--kind", kind, "-j", 2, "-o", "counted", stdin=data)
                self.run_tool("build", "--kind", kind, "--keys", "30k", "-o", "streamed", stdin=data)
                self.assertEqual(self.info("counted")["items"], 30_000)
                self.assertEqual(self.bytes_of("counted"), self.bytes_of("streamed"))

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
        self.run_tool("build", "--field", "2", "-t", ",", "-o", "f", stdin=table,
                      notes=b"bloomery: skipped 1 line without field 2\n")
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
            self.assertLessEqual(strangers, most_of(100_000, .001))
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
                     says="1,000 do not fit into a table laid out for 100")

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
            (["--kind", "blommed"], "did you mean 'blocked'?"), (["--kind", "zzz"], "known: standard"),
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
        self.refused("build", "-o", "f", self.write("keys", b"key\n"), "missing", says="missing")
        self.assertEqual(self.bytes_of("f"), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["f", "keys"])

    def test_an_interrupted_build_leaves_nothing(self):
        # One thread, which waits in read(): the thread sanitizer holds signals back from a thread
        # that waits for a mutex.
        with subprocess.Popen([TOOL, "build", "-j", "1", "-o", "f"], stdin=subprocess.PIPE,
                              cwd=self.folder) as build:
            build.stdin.write(lines(0, 1000))
            build.stdin.flush()
            time.sleep(0.2)
            build.send_signal(signal.SIGINT)
            self.assertEqual(build.wait(PATIENCE), -signal.SIGINT)
        self.assertEqual(list(self.folder.iterdir()), [])


class Growing(Tool):
    def test_only_a_kind_that_is_asked_for_grows(self):
        self.run_tool("build", "-o", "f", stdin=lines(0, 1000))
        self.assertEqual(self.info("f")["kind"], "standard")
        self.run_tool("build", "--kind", "scalable", "--keys", "100", "-o", "g",
                      stdin=lines(0, 10_000))
        info = self.info("g")
        self.assertGreater(info["stages"], 4)
        self.assertLess(info["predicted_rate"], 0.01)
        self.assertEqual(self.run_tool("query", "-c", "g", stdin=lines(0, 10_000)), b"10000\n")

    def test_what_grows_stays_within_the_memory(self):
        for kind in ["scalable", "dynamic"]:
            build = ["build", "--kind", kind, "--keys", "1000", "--memory", "64KiB", "-o", kind]
            self.refused(*build, stdin=lines(0, 100_000), says="outgrows the --memory of 64KiB")
            self.assertFalse((self.folder / kind).exists())
            self.run_tool(*build, stdin=lines(0, 2000), notes=None)  # a dynamic filter's rate rises
            self.assertLessEqual(self.info(kind)["bytes"], 64 << 10)
        again = ["build", "--kind", "dynamic", "--memory", "64KiB", "-o", "x"]  # sized for one key
        self.run_tool(*again, stdin=b"same\n" * 100_000)

    def test_the_planned_keys_fit_into_the_first_stage(self):
        for size in [1, 2, 3, 10, 1000, 10_000]:
            self.run_tool("build", "--kind", "scalable", "--keys", str(size), "-o", "f",
                          stdin=lines(0, size))
            self.assertEqual(self.info("f")["stages"], 1)


if __name__ == "__main__":
    unittest.main()
