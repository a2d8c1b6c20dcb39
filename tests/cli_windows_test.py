"""The tool as a person uses it: filters that forget."""
import unittest

from tool import Tool, lines, most_of


class Windows(Tool):
    def test_windows_of_arrivals_and_of_time(self):
        self.run_tool("build", "--window", "1000", "-o", "w", stdin=lines(0, 9000))
        self.assertEqual(self.run_tool("query", "w", stdin=lines(8000, 9000)), lines(8000, 9000))
        self.assertLessEqual(int(self.run_tool("query", "-c", "w", stdin=lines(0, 5000))),
                             most_of(5000, .01))
        self.run_tool("build", "--window", "10s", "--keys", "1000", "--at", "1000000", "-o", "t",
                      stdin=lines(0, 1000))
        self.assertEqual(self.info("t")["window_unit"], "ms")
        ask = ["query", "-c", "t"]
        for at, found in [("1000000", b"1000\n"), ("1009999", b"1000\n")]:
            self.assertEqual(self.run_tool(*ask, "--at", at, stdin=lines(0, 1000)), found)
        gone = self.run_tool(*ask, "--at", "9000000", stdin=lines(0, 1000), status=None)
        self.assertLessEqual(int(gone), most_of(1000, .01))
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


if __name__ == "__main__":
    unittest.main()
