"""The tool as a person uses it: uniq."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from tool import TOOL, Tool, fewest_of, highest_rate, lines, lowest_rate, most_of


SEED, LOWER, WORD = int.from_bytes(b"Bloomery", "big"), 2**32 - 1, 2**64 - 1


def colliding_lines(count):
    """Of one XXH3 digest, and without a NUL byte. XXH3 multiplies the halves of a word, xored with one
    that its seed decides, and adds the word: with the lower half made 0, what one stripe of 64 bytes
    adds the next takes away."""
    first, second = 0xbe4ba423396cfeb8 + SEED & LOWER, 0x1cad21f72c81017c - SEED & LOWER
    made, i = [], 0x01010101
    while len(made) < count:
        key = bytearray(b"x" * 320)
        key[:8] = (first + (i << 32) & WORD).to_bytes(8, "little")
        key[64:72] = (second - (i << 32) & WORD).to_bytes(8, "little")
        if 0 not in key:
            made.append(bytes(key) + b"\0")
        i += 1
    return made


class Uniq(Tool):
    """Mostly under a key that is always the same, so that a test that passes once passes always."""

    def setUp(self):
        super().setUp()
        self.write("key", bytes(range(32)))

    def uniq(self, *arguments, **how):
        return self.run_tool("uniq", "--key-file", "key", *arguments, **how)

    def test_uniq_prints_lines_that_were_made_to_collide(self):
        made = colliding_lines(20_000)
        self.run_tool("build", "-z", "--fpr", "1e-12", "-o", "plain", "-", stdin=made[0])
        claimed = self.run_tool("query", "-z", "plain", stdin=b"".join(made))
        self.assertEqual(claimed, b"".join(made))
        self.assertEqual(self.run_tool("uniq", "-z", "--fpr", "1e-12", stdin=b"".join(made)), claimed)

    def test_uniq_draws_a_key_for_every_run(self):
        def printed(*arguments):
            return self.run_tool("uniq", "--memory", "1KiB", *arguments, stdin=lines(0, 5000), notes=None)
        self.assertNotEqual(printed(), printed())
        self.assertEqual(printed("--key-file", "key"), printed("--key-file", "key"))

    def test_uniq_copies_lines_once(self):
        data = lines(0, 5000) + lines(2500, 7500) + lines(0, 5000)
        for arguments in [[], ["--keys", "7500"], ["--memory", "1MiB"], ["--window", "20k"],
                          ["--window", "1h", "--keys", "20k"], ["-j", "4"]]:
            with self.subTest(arguments):
                told = self.uniq("--fpr", "1e-9", *arguments, stdin=data)
                self.assertEqual(told, lines(0, 7500))
        self.assertEqual(self.run_tool("uniq"), b"")

    def test_uniq_goes_on_when_its_first_filter_is_full(self):
        def numbers(*bounds):
            return b"".join(b"%d\n" % i for i in range(*bounds))
        done = self.ended("uniq", "--key-file", "key", "--json",
                          stdin=numbers(8_100_000) + numbers(0, 8_100_000, 50))
        report = json.loads(done.stderr)
        self.assertEqual(report["filters"], 2)
        self.assertEqual(report["printed"], done.stdout.count(b"\n"))
        self.assertEqual(report["promised"]["rate"], 0.001)
        lost = 8_100_000 - report["printed"]
        self.assertTrue(0 < lost <= most_of(8_100_000, 0.001), lost)
        # In input order, and none of them twice.
        printed = [int(line) for line in done.stdout.splitlines()]
        self.assertEqual(printed, sorted(set(printed)))

    def test_uniq_forgets_beyond_the_window(self):
        told = self.uniq("--window", "1000", "--fpr", "1e-6",
                             stdin=lines(0, 1000) + lines(0, 1000) + lines(0, 50_000)).splitlines()
        self.assertEqual(told[:1000], lines(0, 1000).splitlines())
        again = self.uniq("--window", "1000", "--fpr", "1e-6",
                              stdin=lines(0, 20_000) + lines(0, 1000)).splitlines()
        self.assertEqual(again[-1000:], lines(0, 1000).splitlines())
        # A repeat is known for so many more lines, of whatever kind: after N lines, never after more.
        rated = {p["kind"] for p in json.loads(self.run_tool(
            "plan", "--window", "100", "--json"))["plans"]}
        self.assertEqual(rated, {"age-partitioned", "block-decaying", "decaying", "double-buffered",
                                 "sliding-count", "time-decaying"})
        for kind in rated:
            for window in [1, 2, 3, 10, 100]:
                with self.subTest(kind=kind, window=window):
                    told = self.uniq("--window", window, "--kind", kind, "--fpr", "1e-7",
                                         stdin=lines(0, window) * 20)
                    self.assertEqual(told, lines(0, window))
        # Where the stable filter is sure of itself.
        self.assertEqual(self.uniq("--window", 1, "--kind", "stable", stdin=lines(0, 1) * 20), lines(0, 1))
        self.refused("uniq", "--window", 1000, "--kind", "stable", says="misses up to")
        for window in [1, 2, 3, 10, 100]:
            told = self.uniq("--window", window, "--kind", "decaying", "--fpr", "1e-9",
                                 stdin=lines(0, window + 1) * 20)
            self.assertEqual(told, lines(0, window + 1) * 20)
        # Round and round, a little longer than the window: all are new to a window that ends sharply.
        sharp = self.uniq("--window", "1000", "--fpr", "1e-6", "--kind", "decaying",
                              stdin=lines(0, 1001) * 4)
        self.assertEqual(sharp, lines(0, 1001) * 4)
        # The others have forgotten after twice as many.
        late = self.uniq("--window", "1000", "--fpr", "1e-6", stdin=lines(0, 2100) * 4)
        self.assertEqual(late, lines(0, 2100) * 4)

    def uniq_report(self, options, last):
        done = self.ended("uniq", "--key-file", "key", "--json", *options, stdin=lines(0, last))
        return json.loads(done.stderr), set(done.stdout.splitlines())

    def loses_what_it_tells(self, options, first, last):
        """As it fills up, the rate rises from that after `first` lines to that after `last`. It may
        have been measured, with 65,536 questions."""
        before, _ = self.uniq_report(options, first)
        after, printed = self.uniq_report(options, last)
        asked = last - first
        lost = len(set(lines(first, last).splitlines()) - printed)
        least = lowest_rate(1 << 16, round((1 << 16) * before["rate_at_end"]))
        most = highest_rate(1 << 16, round((1 << 16) * after["rate_at_end"]))
        self.assertTrue(after["over_filled"])
        self.assertGreater(lost, most_of(asked, after["promised"]["rate"]))
        self.assertGreaterEqual(lost, fewest_of(asked, least))
        self.assertLessEqual(lost, most_of(asked, most))

    def test_uniq_tells_what_it_loses_when_it_is_too_full(self):
        self.loses_what_it_tells(["--memory", "10KiB"], 45_000, 50_000)

    def test_a_window_of_time_tells_what_it_loses_when_it_is_too_full(self):
        for size in (["--keys", "1000"], ["--memory", "8KiB"]):
            uniq = ["uniq", "--key-file", "key", "--window", "1h", *size]
            self.loses_what_it_tells(["--window", "1h", *size], 19_000, 20_000)
            told = self.ended(*uniq, stdin=lines(0, 20_000)).stderr
            self.assertRegex(told, rb"^bloomery: a filter of .*, its window 1h, is over-filled: planned for "
                                   rb"[\d,]+ keys at .*, it has at least [\d,]+, and its rate is now .*\n$")
            enough = self.ended(*uniq, "--json", stdin=lines(0, 100))
            self.assertFalse(json.loads(enough.stderr)["over_filled"])
        self.uniq("--window", "1h", "--keys", "1000", stdin=lines(0, 1000) * 20)
        self.uniq("--window", "100", stdin=lines(0, 20_000))

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

    def test_uniq_refuses_to_lose_lines_unasked(self):
        uniq = ["uniq", "--memory", "64KiB", "--keys", "1M"]
        told = self.refused(*uniq, stdin=b"a\n", says=" KiB for 1,000,000 lines would take ")
        self.assertRegex(told, r"take 8\d\.?\d* % of new lines for seen")
        self.assertEqual(self.run_tool(*uniq, "--fpr", "90%", stdin=b"a\n"), b"a\n")
        self.run_tool("uniq", "--memory", "1MiB", "--keys", "1M", stdin=b"a\n")

    def test_uniq_reports(self):
        done = self.ended("uniq", "--key-file", "key", "--json", "--memory", "1KiB", stdin=lines(0, 20_000))
        report = json.loads(done.stderr)
        self.assertEqual((done.returncode, report["lines"]), (0, 20_000))
        self.assertEqual(report["printed"], done.stdout.count(b"\n"))
        self.assertTrue(report["over_filled"])
        self.assertGreater(report["rate_at_end"], report["promised"]["rate"])
        self.assertLessEqual(report["bytes"], 1024)
        self.refused("uniq", "--window", "0", says="--window is '0'")
        self.refused("uniq", "--memory", "1", says="does not fit one key into 1 B")
        self.refused("uniq", "--memory", "1", "--window", "10", says="into 1 B")
        self.refused("uniq", "--window", "soon", says="soon")
        self.refused("uniq", "--window", "5m", says="needs --keys")
        self.refused("uniq", "--kind", "standard", "--window", "10", says="never forgets a key")
        self.refused("uniq", "--fpr", "2", says="rate")


if __name__ == "__main__":
    unittest.main()
