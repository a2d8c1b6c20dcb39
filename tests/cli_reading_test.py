"""How the tool reads filters: within the memory allowed, and whatever others do to the file meanwhile."""
import os
import resource
import subprocess
import unittest

from tool import GOLDEN, PATIENCE, TOOL, Tool, lines

# Each verb that reads a filter, with arguments that make sense but for the file.
READERS = (["query", "f", "x"], ["count", "f", "x"], ["info", "f"], ["doctor", "f"], ["top", "f"],
           ["estimate", "f"], ["search", "f", "-f", "keys"], ["near", "f", "-f", "keys"],
           ["map", "get", "f", "x"], ["route", "--link", "f", "x"])
WRITERS = (["add", "f", "x"], ["remove", "f", "x"], ["union", "f", "f", "-o", "out"],
           ["intersect", "f", "f", "-o", "out"], ["fold", "f", "-o", "out"],
           ["compress", "-d", "f", "-o", "out"], ["convert", "f", "-f", "keys", "-o", "out"],
           ["plain", "f", "-o", "out"], ["age", "f"],
           ["retouch", "f", "--random-bits", "1", "-o", "out"], ["diff", "f", "f", "-o", "out"],
           ["patch", "f", "keys", "-o", "out"], ["advertise", "f", "-o", "out"],
           ["map", "set", "f", "keys"])


class Memory(Tool):
    def setUp(self):
        super().setUp()
        self.write("keys", lines(0, 10))
        self.run_tool("build", "--set", "bits=1G", "--set", "hashes=3", "-o", "plain", stdin=b"")
        self.run_tool("compress", "plain", "-o", "small")
        self.assertLess(len(self.bytes_of("small")), 1000)

    def test_every_verb_that_reads_a_filter_keeps_to_the_limit(self):
        for name in ("small", "plain"):
            os.rename(self.folder / name, self.folder / "f")
            before = self.bytes_of("f")
            for verb in READERS + WRITERS:
                self.refused(*verb, "--max-memory", "1MiB", says="is over the limit of 1 MiB")
            self.assertEqual(self.bytes_of("f"), before)

    def test_the_limit_is_checked_before_memory_is_taken(self):
        """In an address space that has no room for the filter, with and without a limit."""
        room = 128 << 20
        for feed in ([], ["-"]):
            for limit, says in (("32MiB", b"limit of 32 MiB"), ("1TiB", b"memory")):
                done = subprocess.run(
                    [TOOL, "query", *(feed or ["small"]), "x", "--max-memory", limit],
                    cwd=self.folder, capture_output=True, timeout=PATIENCE,
                    input=self.bytes_of("small"),
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room)))
                self.assertEqual(done.returncode, 2, done)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), 1, done)
        self.run_tool("query", "small", "x", status=1)

    def test_a_stream_ends_where_its_header_says(self):
        self.run_tool("build", "--keys", "100", "-o", "f", stdin=b"x\n")
        endless = f'(cat f; exec cat /dev/zero) | "{TOOL}" query - x'
        done = subprocess.run(["sh", "-c", endless], cwd=self.folder, capture_output=True,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"the payload should be", done.stderr)
        stuck = f'exec cat /dev/zero | "{TOOL}" query - x'
        done = subprocess.run(["sh", "-c", stuck], cwd=self.folder, capture_output=True,
                              timeout=PATIENCE)
        self.assertIn(b"not a Bloomery filter", done.stderr)


class Changes(Tool):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "pipe")

    def while_asked(self, change, name, keys, *options):
        """Opens the filter, changes the file, and only then gives the keys."""
        asking = subprocess.Popen([TOOL, "query", name, "-f", "pipe", *options], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(self.folder / "pipe", "wb") as pipe:  # waits until the tool, filter in hand, opens it
            change(self.folder / name)
            try:
                pipe.write(keys)
            except BrokenPipeError:
                pass
        out, told = asking.communicate(timeout=PATIENCE)
        return asking.returncode, out, told

    @staticmethod
    def cut(path):
        os.truncate(path, 0)

    @staticmethod
    def garble(path):
        size = path.stat().st_size
        with open(path, "r+b") as file:
            file.write(bytes(range(255, -1, -1)) * (size // 256 + 1))

    def test_what_happens_to_the_file_does_not_matter(self):
        keys = b"".join(b"%d\n" % i for i in range(300))
        for golden in sorted(GOLDEN.glob("*.bloom")):
            good = golden.read_bytes()
            self.write("f", good)
            kind = self.info("f")["kind"]
            asked = self.ended("query", "f", stdin=keys)
            if asked.returncode == 2:
                continue  # needs a secret, or has no such question
            for change in (self.cut, self.garble):
                for options in ((), ("--map",)):
                    if options and change is self.cut:
                        continue
                    self.write("f", good)
                    status, out, told = self.while_asked(change, "f", keys, *options)
                    if options and kind in self.MAPPED:
                        self.assertIn(status, (0, 1), (golden.name, told))
                    else:
                        self.assertEqual((status, out, told),
                                         (asked.returncode, asked.stdout, b""), golden.name)

    MAPPED = ("standard", "partitioned", "blocked", "multi-blocked", "banked", "memory-optimised")

    def test_a_mapped_file_that_is_cut_ends_in_an_error(self):
        self.run_tool("build", "--keys", "1000000", "-o", "f", stdin=b"x\n")
        status, out, told = self.while_asked(self.cut, "f", b"x\n", "--map")
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"truncated", told)
        self.assertEqual(told.count(b"\n"), 1)

    def test_a_mapped_file_follows_what_is_added(self):
        self.run_tool("build", "--keys", "1000", "-o", "f", stdin=b"x\n")
        self.run_tool("build", "--keys", "1000", "-o", "g", stdin=b"y\n")
        other = self.bytes_of("g")

        def overwrite(path):
            with open(path, "r+b") as file:
                file.write(other)

        self.assertEqual(self.while_asked(overwrite, "f", b"x\ny\n", "--map"), (0, b"y\n", b""))
        self.run_tool("build", "--keys", "1000", "-o", "f", stdin=b"x\n")
        self.assertEqual(self.while_asked(overwrite, "f", b"x\ny\n"), (0, b"x\n", b""))


if __name__ == "__main__":
    unittest.main()
