"""Verbs change a large plain file in place: the same bytes as a rewrite, readable at every moment."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import unittest

import xxhash

from format_reader import BLOCK, Filter, settled
from tool import PATIENCE, TOOL, Tool, lines

BITS = 1 << 25  # 4 MiB


def journal(before, after):
    """What makes the one file of the other, from docs/format.md."""
    changed = [at for at in range(0, len(before), BLOCK) if before[at:at + BLOCK] != after[at:at + BLOCK]]
    body = b"".join(struct.pack("<Q", at // BLOCK) for at in changed)
    body += b"".join(after[at:at + BLOCK].ljust(BLOCK, b"\0") for at in changed)
    head = struct.pack("<8sH6xQQQ16x", b"\x89BLMJ\r\n\x1a", 1, len(before), len(changed),
                       xxhash.xxh3_64_intdigest(body))
    return head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head)) + body


class InPlace(Tool):
    def setUp(self):
        super().setUp()
        self.write("keys", lines(0, 1000))
        self.build("f")

    def build(self, name, *options, bits=BITS):
        self.run_tool("build", "--set", f"bits={bits}", "--set", "hashes=7", *options, "-o", name, "keys")

    def inode(self, name):
        return os.stat(self.folder / name).st_ino

    def in_place(self, name, *verb, whole=True):
        """Whether the verb changes the file in place; it must make the same file as one that rewrites."""
        before, inode = self.bytes_of(name), self.inode(name)
        status = os.stat(self.folder / name)
        told = json.loads(self.run_tool(*verb, "--json", notes=None))
        after = self.bytes_of(name)
        kept = self.inode(name) == inode
        if kept:
            now = os.stat(self.folder / name)
            self.assertEqual((now.st_mode, now.st_uid), (status.st_mode, status.st_uid))
        if whole:
            self.write("other", before)
            again = [word if word != name else "other" for word in verb]
            self.run_tool(*again, "--rewrite", notes=None)
            self.assertEqual(self.bytes_of("other"), after)
        self.assertEqual(told.get("in_place", kept), kept, verb)
        return kept

    def test_verbs_that_change_little_do_it_in_place(self):
        os.chmod(self.folder / "f", 0o640)
        self.assertTrue(self.in_place("f", "add", "f", "new"))
        self.run_tool("query", "f", "new")
        (self.folder / "link").symlink_to("f")
        inode = self.inode("f")
        self.assertTrue(json.loads(self.run_tool("add", "--json", "link", "newer"))["in_place"])
        self.assertEqual(self.inode("f"), inode)
        self.build("g")
        self.run_tool("add", "g", "b")
        self.assertTrue(self.in_place("f", "union", "f", "g", "-o", "f"))
        self.run_tool("query", "f", "b")
        self.write("old", self.bytes_of("f"))
        self.run_tool("add", "f", "c")
        self.run_tool("diff", "old", "f", "-o", "delta")
        self.assertTrue(self.in_place("old", "patch", "old", "delta", "-o", "old"))
        self.assertEqual(self.bytes_of("old"), self.bytes_of("f"))
        self.run_tool("build", "--kind", "counting", "--keys", "1M", "-o", "c", "keys")
        self.assertTrue(self.in_place("c", "remove", "c", "key 7"))
        pairs = b"".join(b"k%d\t%d\n" % (i, i % 4) for i in range(900_000))
        self.run_tool("map", "build", "--kind", "bloomier-mutable", "--fpr", "1e-9", "-o", "m",
                      stdin=pairs)
        self.write("value", b"k7\t1\n")
        self.assertTrue(self.in_place("m", "map", "set", "m", "value"))
        self.assertEqual(self.run_tool("map", "get", "m", "k7"), b"k7\t1\n")

    def test_others_are_replaced(self):
        self.build("small", bits=1 << 20)
        self.assertFalse(self.in_place("small", "add", "small", "new"))
        self.run_tool("compress", "f", "-o", "z", notes=None)
        self.assertFalse(self.in_place("z", "add", "z", "new"))
        self.assertEqual(len(self.bytes_of("z")), len(self.bytes_of("f")))
        self.write("many", lines(1000, 3000))
        self.assertFalse(self.in_place("f", "add", "f", "-f", "many"))
        os.link(self.folder / "f", self.folder / "yesterday")
        before = self.bytes_of("f")
        self.assertFalse(self.in_place("f", "add", "f", "new"))
        self.assertEqual(self.bytes_of("yesterday"), before)
        self.run_tool("build", "--kind", "scalable", "--keys", "100", "-o", "s", stdin=lines(0, 100))
        self.assertFalse(self.in_place("s", "add", "s", "-f", "many"))
        self.assertFalse(self.in_place("f", "add", "f", "newer", "--rewrite", whole=False))

    def test_why_a_large_file_is_written_anew(self):
        self.build("large", bits=1 << 29)
        self.assertNotIn("why_not_in_place", json.loads(self.run_tool("add", "large", "a", "--json")))
        os.link(self.folder / "large", self.folder / "twin")
        told = json.loads(self.run_tool("add", "large", "b", "--json"))
        self.assertEqual((told["in_place"], told["why_not_in_place"]),
                         (False, "it has another name, a hard link, which keeps what it was"))
        ours, its = pty.openpty()
        adding = subprocess.Popen([TOOL, "add", "--rewrite", "large", "c"], cwd=self.folder, stderr=its)
        os.close(its)
        said = b""
        while True:
            try:
                said += os.read(ours, 1000)
            except OSError:  # the other side is closed
                break
        os.close(ours)
        self.assertEqual(adding.wait(PATIENCE), 0)
        self.assertIn(b"bloomery: large was written anew, since that was asked for\r\n", said)

    def states(self):
        """What an interrupted add can leave, and whether it then counts."""
        before = self.bytes_of("f")
        self.run_tool("add", "f", "new")
        after = self.bytes_of("f")
        whole = journal(before, after)
        for cut in (1, 8, 63, 64, 65, 4000, len(whole) - 1):
            yield before + whole[:cut], False, before, after
        yield before + bytes(64), False, before, after
        yield before + whole[:64] + bytes(len(whole) - 64), False, before, after
        for done in (0, 1, BITS // 16, len(before)):
            yield after[:done] + before[done:] + whole, True, before, after

    def test_every_reader_reads_what_a_crash_has_left(self):
        for number, (left, counts, before, after) in enumerate(self.states()):
            self.write("f", left)
            with self.subTest(number):
                found = 0 if counts else 1
                for source in (("f",), ("f", "--map"), ("-", "-f", "asked")):
                    self.write("asked", b"new\n")
                    with open(self.folder / "f", "rb") as opened:
                        done = subprocess.run([TOOL, "query", *source, *(["new"] if "-f" not in source else [])],
                                              stdin=opened, cwd=self.folder, capture_output=True)
                    self.assertEqual((done.returncode, done.stderr), (found, b""), source)
                self.run_tool("query", "-", "-f", "asked", stdin=left, status=found)  # through a pipe
                info = json.loads(self.run_tool("info", "--json", "f"))
                self.assertEqual((info["items"], info["file_bytes"]), (1001 if counts else 1000, len(before)))
                self.assertEqual(json.loads(self.run_tool("info", "--json", "-", stdin=left)), info)
                self.run_tool("compress", "f", "-o", "z", notes=None)
                self.assertEqual(self.bytes_of("f"), left)  # reading writes nothing
                self.assertEqual(settled(left), after if counts else before)
                self.assertEqual(b"new" in Filter(left), counts)
                os.chmod(self.folder / "f", 0o444)
                self.run_tool("query", "f", "new", status=found)
                self.refused("add", "f", "newer", says="write-protected")
                os.chmod(self.folder / "f", 0o644)
                self.assertTrue(json.loads(self.run_tool("add", "--json", "f", "newer"))["in_place"])
                self.write("wanted", after if counts else before)
                self.run_tool("add", "--rewrite", "wanted", "newer")
                self.assertEqual(self.bytes_of("f"), self.bytes_of("wanted"))

    def test_what_is_no_journal_is_refused_by_all(self):
        good = self.bytes_of("f")
        for tail in (b"\0", b"x" * 64, bytes(65), bytes(4096), good[:64], good):
            self.write("f", good + tail)
            for verb in (("query", "f", "new"), ("query", "--map", "f", "new"), ("info", "f"), ("add", "f", "new")):
                self.refused(*verb, says="f: the payload should be")
            self.refused("query", "-", "new", stdin=good + tail, says="the payload should be")
            with self.assertRaises(ValueError):
                Filter(good + tail)

    def test_a_reader_does_not_wait_for_a_writer_that_reads(self):
        with open(self.folder / "f", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.run_tool("query", "f", "key 1")
            for left, counts, *_ in list(self.states_of_locked()):
                (self.folder / "f").write_bytes(left)
                self.run_tool("query", "f", "new", status=0 if counts else 1)
            good = settled(self.bytes_of("f"))
            self.write("f", good[:-1] + bytes([good[-1] ^ 1]))
            self.refused("query", "f", "key 1", says="f: the payload is damaged")

    def states_of_locked(self):
        before = self.bytes_of("f")
        self.write("copy", before)
        self.run_tool("add", "copy", "new")
        whole = journal(before, self.bytes_of("copy"))
        yield before + whole[:100], False
        yield before + whole, True

    def test_readers_beside_writers_see_every_key_that_was_acknowledged(self):
        """Two loops add; meanwhile readers of every sort must find whatever an add has returned from."""
        adding = [subprocess.Popen(
            ["bash", "-c", 'for i in $(seq 40); do "$0" add f "$1-$i" || exit; echo "$1-$i" >> "$1"; done',
             TOOL, who], cwd=self.folder) for who in ("a", "b")]
        for who in ("a", "b"):
            self.write(who, b"")
        inode = self.inode("f")
        asks = 0
        while any(process.poll() is None for process in adding) or asks < 4:
            known = b"".join(line for who in ("a", "b") for line in
                             self.bytes_of(who).splitlines(keepends=True) if line.endswith(b"\n"))
            self.write("known", known)
            with open(self.folder / "f", "rb") as opened:
                source = (("f",), ("f", "--map"), ("-",), ("f",))[asks % 4]
                done = subprocess.run([TOOL, "query", "-c", *source, "-f", "known"], stdin=opened,
                                      cwd=self.folder, capture_output=True, timeout=PATIENCE)
            self.assertEqual((int(done.stdout or -1), done.stderr), (known.count(b"\n"), b""), source)
            asks += 1
        self.assertEqual([process.wait(PATIENCE) for process in adding], [0, 0])
        self.assertEqual(self.inode("f"), inode)
        self.assertEqual(self.info("f")["items"], 1080)
        self.assertEqual(settled(self.bytes_of("f")), self.bytes_of("f"))


if __name__ == "__main__":
    unittest.main()
