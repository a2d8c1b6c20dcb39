"""What verbs do when the machine fails them: memory, threads, the disk, interrupts, sudden death."""
import errno
import itertools
import os
import pathlib
import signal
import subprocess
import unittest

from format_reader import settled
from tool import PATIENCE, TOOL, Tool, lines

LIBRARY = pathlib.Path(os.environ["BLOOMERY_BUILD"]) / "tests" / "libbloomery_faults.so"
FULL = "BLOOMERY_FULL" in os.environ


@unittest.skipUnless(LIBRARY.exists(), "a sanitizer has allocations of its own")
class Faults(Tool):
    def setUp(self):
        super().setUp()
        self.note = self.folder.parent / (self.folder.name + ".note")
        self.addCleanup(lambda: self.note.unlink(missing_ok=True))
        self.write("keys", lines(0, 2000))
        self.write("more", lines(2000, 2100))
        self.write("pairs", b"".join(b"k%d\t%d\n" % (i, i % 3) for i in range(500)))
        self.run_tool("build", "--keys", "3000", "--fpr", "0.1%", "-o", "old", "keys")
        self.run_tool("build", "--keys", "3000", "--fpr", "0.1%", "-o", "other", "more")
        self.run_tool("build", "--kind", "counting", "--keys", "3000", "-o", "counted", "keys")
        # Large enough to be changed in place.
        self.write("few", lines(5000, 5005))
        self.run_tool("build", "--set", "bits=33554432", "--set", "hashes=7", "-o", "large", "keys")
        self.run_tool("build", "--kind", "counting", "--keys", "1M", "-o", "counts", "keys")
        self.kept = sorted(p.name for p in self.folder.iterdir())

    # What is run, the file that it makes or changes, and the one that it opens first.
    VERBS = (
        (("build", "--kind", "blocked", "-j", "2", "-o", "out", "keys"), "out", "keys"),
        (("add", "old", "-j", "2", "-f", "more"), "old", "old"),
        (("remove", "counted", "key 7"), "counted", "counted"),
        (("query", "-c", "old", "-j", "2", "-f", "keys"), None, "old"),
        (("union", "old", "other", "-o", "old"), "old", "old"),
        (("map", "build", "-j", "2", "-o", "out", "pairs"), "out", "pairs"),
        (("compress", "other", "-o", "out"), "out", "other"),
    )

    IN_PLACE = (
        (("add", "large", "-j", "2", "-f", "few"), "large", "large"),
        (("remove", "counts", "key 7"), "counts", "counts"),
    )

    def begun(self, fault, verb, begin_at=None):
        """Runs the verb with the fault; returns how it ended, and whether the fault came."""
        self.note.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=str(LIBRARY), BLOOMERY_FAULT=fault,
                           BLOOMERY_FAULT_NOTE=str(self.note))
        if begin_at:
            environment["BLOOMERY_FAULT_FROM"] = begin_at
        done = subprocess.run([TOOL, *verb], cwd=self.folder, env=environment, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, capture_output=True)
        return done, self.note.exists()

    def result_of(self, verb, target):
        """The bytes that the verb makes of its target, and what it prints, without a fault."""
        before = self.bytes_of(target) if target in self.kept else None
        printed = self.run_tool(*verb)
        after = self.bytes_of(target) if target else None
        self.put_back(target, before)
        return before, after, printed

    def put_back(self, target, before):
        if target is None:
            return
        if before is None:
            (self.folder / target).unlink(missing_ok=True)
        else:
            self.write(target, before)

    def check(self, done, target, wanted, context):
        """Whole or not at all, told in one line, nothing left behind."""
        before, after, printed = wanted
        now = settled(self.bytes_of(target)) if target and (self.folder / target).exists() else None
        self.assertIn(done.returncode, (0, 2), (context, done))
        if done.returncode == 0:
            self.assertEqual(now, after, context)
            self.assertEqual(done.stdout, printed, context)
        else:
            self.assertEqual(now, before, context)
            message = done.stderr.decode()
            self.assertTrue(message.startswith("bloomery: "), (context, message))
            self.assertEqual(message.count("\n"), 1, (context, message))
        left = {p.name for p in self.folder.iterdir()} - set(self.kept) - {target}
        self.assertEqual(left, set(), context)

    def walk(self, fault, numbers=None, verbs=VERBS, from_start=False):
        """Each verb with the fault at 1, 2, 3 … until it no longer comes; then yields how it ended."""
        for verb, target, first in verbs:
            wanted = self.result_of(verb, target)
            ended = set()
            for number in numbers() if numbers else itertools.count(1):
                done, came = self.begun(f"{fault}:{number}", verb, None if from_start else first)
                self.check(done, target, wanted, (fault, number, verb))
                self.put_back(target, wanted[0])
                if not came:
                    self.assertEqual(done.returncode, 0, (fault, number, verb, done))
                    break
                ended.add(done.returncode)
            yield verb, target, ended

    @staticmethod
    def wider():
        """1, 2, 3 …, and soon in steps that grow, unless the long tests are asked for."""
        at = 1
        while True:
            yield at
            at += 1 if FULL else max(1, at // 20)

    def test_memory_that_runs_out_is_told(self):
        for fault in ("alloc", "alloc+"):
            for verb, _, ended in self.walk(fault, self.wider):
                self.assertIn(2, ended, (fault, verb))
        for verb, _, ended in self.walk("alloc", self.wider, self.VERBS[1:2], from_start=True):
            self.assertIn(2, ended, verb)

    def test_threads_that_do_not_start_are_done_without(self):
        for fault in ("thread", "thread+"):
            for verb, _, ended in self.walk(fault, from_start=True):
                self.assertEqual(ended, {0} if "-j" in verb else set(), (fault, verb))

    def test_a_full_disk_leaves_the_old_file(self):
        for fault in ("full", "full+"):
            for verb, target, ended in self.walk(fault):
                self.assertEqual(ended, {2} if target else set(), (fault, verb))

    def test_what_cannot_be_synced_or_locked_is_not_replaced(self):
        for verb, target, ended in self.walk("sync"):
            # When the directory cannot be synced, the file is in place already.
            self.assertEqual(ended, {0, 2} if target else set(), verb)
        for verb, target, ended in self.walk("lock"):
            self.assertEqual(ended, {2} if target in self.kept else set(), verb)

    def test_short_writes_and_interrupts_do_not_show(self):
        for verb, target, ended in self.walk("short"):
            self.assertEqual(ended, {0} if target else set(), verb)
        for verb, _, ended in self.walk("interrupted", from_start=True):
            self.assertEqual(ended, {0}, verb)

    def test_a_killed_verb_leaves_the_file_old_or_new(self):
        for verb, target, _ in self.VERBS:
            if target is None:
                continue
            before, after, _ = self.result_of(verb, target)
            seen = set()
            for number in itertools.count(1):
                done, came = self.begun(f"kill:{number}", verb)
                now = self.bytes_of(target) if (self.folder / target).exists() else None
                self.assertIn(now, (before, after), (number, verb))
                seen.add(now)
                if not came:
                    self.assertEqual((done.returncode, now), (0, after), verb)
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, verb)
                # The next one goes on as if nothing had been.
                self.put_back(target, before)
                for name in {p.name for p in self.folder.iterdir()} - set(self.kept) - {target}:
                    self.assertTrue(name.startswith(target + "."), name)
                    (self.folder / name).unlink()
            self.assertEqual(seen, {before, after}, verb)
            self.put_back(target, before)

    def test_a_change_in_place_is_done_or_not_whatever_fails(self):
        # Before the journal is whole, the file is written anew instead; from then on the change counts.
        ends = {"alloc": {0, 2}, "alloc+": {2}, "full": {0}, "full+": {0, 2}, "sync": {0}, "sync+": {0, 2},
                "cut": {0}, "cut+": {0}, "short": {0}, "lock": {2}}
        for fault, expected in ends.items():
            numbers = self.wider if fault.startswith("alloc") else None
            for verb, _, ended in self.walk(fault, numbers, self.IN_PLACE):
                self.assertLessEqual(ended, expected, (fault, verb))
                self.assertGreaterEqual(ended, expected - {0} if "alloc" in fault else expected, (fault, verb))
        for verb, _, ended in self.walk("interrupted", None, self.IN_PLACE, from_start=True):
            self.assertEqual(ended, {0}, verb)

    def test_what_could_not_be_settled_is_told_and_settled_by_the_next(self):
        verb, target, _ = self.IN_PLACE[0]
        before, after, _ = self.result_of(verb, target)
        done, came = self.begun("cut:1", verb, target)
        self.assertEqual((done.returncode, came, done.stderr.count(b"\n")), (0, True, 1))
        self.assertIn(b"bloomery: large: the change is kept behind the filter", done.stderr)
        self.assertIn(os.strerror(errno.EIO).encode(), done.stderr)
        self.assertNotEqual(self.bytes_of(target), after)
        self.assertEqual(settled(self.bytes_of(target)), after)
        self.run_tool("query", "large", "-c", "-f", "few")
        # The next cannot settle it either, and replaces the file; or it can.
        done, came = self.begun("cut:1", ("add", "large", "key 1"), target)
        self.assertEqual((done.returncode, came, done.stderr), (0, True, b""))
        self.write("wanted", after)
        self.run_tool("add", "wanted", "key 1")
        self.assertEqual(self.bytes_of(target), self.bytes_of("wanted"))

    def test_a_killed_change_in_place_reads_as_old_or_new(self):
        for verb, target, _ in self.IN_PLACE:
            before, after, _ = self.result_of(verb, target)
            seen, unsettled = [], 0
            for number in itertools.count(1):
                done, came = self.begun(f"kill:{number}", verb)
                left = self.bytes_of(target)
                now = settled(left)
                self.assertIn(now, (before, after), (number, verb))
                seen.append(now)
                unsettled += left != now
                self.assertEqual({p.name for p in self.folder.iterdir()}, set(self.kept), (number, verb))
                if not came:
                    self.assertEqual((done.returncode, left), (0, after), verb)
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, verb)
                # Every reader agrees, and the next change goes on as if nothing had been.
                for how in ((), ("--map",)):
                    self.run_tool("query", *how, "-c", target, "-f", "keys", status=None)
                    told = self.ended("query", *how, "-c", target, "-f", "few" if target == "large" else "more")
                    self.assertIn(told.returncode, (0, 1), (number, verb, told))
                if target == "large":
                    self.assertEqual(told.stdout, b"5\n" if now == after else b"0\n", number)
                self.run_tool("add", target, "another")
                went_on = self.bytes_of(target)
                self.put_back(target, now)
                self.run_tool("add", "--rewrite", target, "another")
                self.assertEqual(self.bytes_of(target), went_on, (number, verb))
                self.put_back(target, before)
            self.assertEqual(seen, sorted(seen, key=after.__eq__), verb)
            self.assertEqual({before, after}, set(seen))
            self.assertGreater(unsettled, 5, verb)
            self.put_back(target, before)


if __name__ == "__main__":
    unittest.main()
