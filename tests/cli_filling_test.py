"""Over-filling is told, by whatever verb and of whatever kind."""
import json
import unittest

from tool import Tool, lines


class Filling(Tool):
    def over_filled(self, *arguments, stdin=b""):
        """What the verb says, in both forms; None if nothing."""
        done = self.ended(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        if not done.stderr:
            return None
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertRegex(done.stderr.decode(), r"^bloomery: \S+ is over-filled: planned for [\d,]+ keys? "
                         r"at \S+ %, it has (at least|about|at most) [\d,]+, and its rate is now \S+ %; \S")
        return done.stderr

    def kinds(self):
        for kind in json.loads(self.run_tool("kinds", "--json")):
            if kind["inserts"] and kind["queries"] and not kind["grows"] and not kind["window"]:
                yield kind["name"]

    def test_every_kind_tells_that_it_is_over_filled(self):
        silent = []
        for kind in self.kinds():
            with self.subTest(kind):
                build = ["build", "--kind", kind, "--keys", "100", "-o", "f"]
                done = self.ended(*build, stdin=lines(0, 3000))
                if done.returncode == 2:  # it takes no more than fit
                    self.assertRegex(done.stderr, rb"full|fit|room|capacity")
                    continue
                told = self.info("f")["over_filled"]
                if told is None:
                    silent.append(kind)
                    continue
                self.assertTrue(self.over_filled(*build, stdin=lines(0, 3000)))
                self.assertEqual((told["planned_keys"], told["planned_rate"]), (100, .01))
                self.assertGreater(told["rate"], .01)
                self.assertGreater(told["keys"], 100)
                self.assertTrue(told["advice"])
        self.assertEqual(silent, [])

    def test_repeats_fill_nothing(self):
        for kind in self.kinds():
            if kind in ["adaptive", "space-code"]:
                continue  # whose occurrences all take room, and raise the rate
            with self.subTest(kind):
                build = ["build", "--kind", kind, "--keys", "1000", "-o", "f"]
                done = self.ended(*build, stdin=lines(0, 900) * 5)
                if done.returncode == 2:  # copies of a key take room
                    continue
                self.assertIsNone(self.over_filled(*build, stdin=lines(0, 900) * 5))
                self.assertIsNone(self.info("f")["over_filled"])

    def test_every_verb_that_puts_keys_in_tells_it(self):
        build = ["build", "--keys", "1000", "-o", "f"]
        self.assertIsNone(self.over_filled(*build, stdin=lines(0, 900)))
        self.assertTrue(self.over_filled("add", "f", stdin=lines(900, 9000)))
        self.assertTrue(self.over_filled("add", "f", "one more"))
        self.assertTrue(self.over_filled(*build, stdin=lines(0, 9000)))
        self.run_tool("build", "--keys", "1000", "-o", "a", stdin=lines(0, 1000))
        self.run_tool("build", "--keys", "1000", "-o", "b", stdin=lines(1000, 2000))
        self.assertTrue(self.over_filled("union", "a", "b", "-o", "u"))
        added = json.loads(self.run_tool("add", "--json", "f", "x", notes=None))["filter"]["over_filled"]
        self.assertAlmostEqual(added["keys"], 9000, delta=900)
        self.assertTrue(self.over_filled("build", "--kind", "bank", "--keys", "10", "-o", "m",
                                         stdin=lines(0, 1000)))
        # A window of time, for as many as come within it.
        self.assertTrue(self.over_filled("build", "--window", "1h", "--keys", "100", "-o", "w",
                                         stdin=lines(0, 5000)))
        self.assertIsNone(self.over_filled("build", "--window", "100", "-o", "w", stdin=lines(0, 5000)))


if __name__ == "__main__":
    unittest.main()
