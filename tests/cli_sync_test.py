"""The tool as a person uses it: sync, with files, programs and sockets, and partners that go or lie."""
import json
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import threading
import unittest

from partner_messages import SEED, digest, liar, written
from tool import PATIENCE, SANITIZED, TOOL, Tool, fewest_of

METHODS = ["auto", "rateless", "iblt", "list", "filter", "tree"]
EXACT = ["auto", "rateless", "iblt", "list"]


class Sync(Tool):
    def write(self, name, lines, end=b"\n", last=True):
        text = end.join(lines) + (end if last and lines else b"")
        (self.folder / name).write_bytes(text)
        return set(lines)

    def numbers(self, name, first, last):
        return self.write(name, [b"line %d" % i for i in range(first, last)])

    def partner(self, file, *options):
        return " ".join([f"'{TOOL}' sync - {file}", *options])

    def printed(self, *arguments, status=1):
        """The lines that are printed, by their prefix."""
        done = self.ended("sync", *arguments)
        self.assertEqual(done.returncode, status, done)
        lines = done.stdout.split(b"\n")
        self.assertEqual(lines.pop(), b"")
        return ({line[2:] for line in lines if line.startswith(b"< ")},
                {line[2:] for line in lines if line.startswith(b"> ")})

    def listening(self, file, *options, notes=None):
        server = subprocess.Popen([TOOL, "sync", file, "--listen", "127.0.0.1:0", *options],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=notes)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        line = server.stdout.readline().decode()
        self.assertIn("listening on 127.0.0.1:", line)
        return server, line.split()[-1]

    def test_two_files(self):
        mine = self.numbers("mine", 0, 3000)
        theirs = self.numbers("theirs", 40, 3100)
        for method in METHODS:
            with self.subTest(method):
                only_mine, only_theirs = self.printed("mine", "theirs", "--both", "--fetch",
                                                      "--method", method)
                if method in EXACT:
                    self.assertEqual(only_mine, mine - theirs)
                    self.assertEqual(only_theirs, theirs - mine)
                else:
                    self.assertLessEqual(only_mine, mine - theirs)
                    self.assertLessEqual(only_theirs, theirs - mine)
                    self.assertGreaterEqual(len(only_mine) + len(only_theirs), fewest_of(140, .95))

    def test_what_is_printed(self):
        self.numbers("mine", 0, 500)
        self.numbers("theirs", 2, 501)
        self.assertEqual(self.run_tool("sync", "mine", "theirs", status=1),
                         b"2 only here, 1 only there\n")
        self.assertEqual(self.run_tool("sync", "mine", "theirs", "--mine", status=1),
                         b"line 0\nline 1\n")
        self.assertEqual(self.run_tool("sync", "mine", "theirs", "--theirs", "--fetch", status=1),
                         b"line 500\n")
        self.assertRegex(self.run_tool("sync", "mine", "theirs", "--theirs", status=1),
                         rb"\A[0-9a-f]{32}\n\Z")
        said = self.run_tool("sync", "mine", "theirs", "--method", "filter", status=1)
        self.assertIn(b"perhaps some more", said)
        self.assertEqual(self.run_tool("sync", "mine", "mine"), b"0 only here, 0 only there\n")

    def test_pipes_and_sockets_and_files_say_the_same(self):
        self.numbers("mine", 0, 2000)
        self.numbers("theirs", 7, 2030)
        server, where = self.listening("theirs")
        for method in METHODS:
            with self.subTest(method):
                options = ["--both", "--fetch", "--method", method]
                files = self.printed("mine", "theirs", *options)
                self.assertEqual(self.printed("mine", "--with", self.partner("theirs"), *options),
                                 files)
                self.assertEqual(self.printed("mine", "--with", where, *options), files)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE), 0)

    def test_one_partner_is_enough(self):
        self.numbers("mine", 0, 20)
        server, where = self.listening("mine", "--once")
        self.run_tool("sync", "mine", "--with", where)
        self.assertEqual(server.wait(PATIENCE), 0)

    def test_the_report(self):
        self.numbers("mine", 0, 20000)
        self.numbers("theirs", 100, 20100)
        report = json.loads(self.run_tool("sync", "mine", "--with", self.partner("theirs"),
                                          "--json", status=1))
        self.assertEqual(report["method"], "rateless")
        self.assertTrue(report["exact"])
        self.assertEqual(report["lines"], {"mine": 20000, "theirs": 20000})
        self.assertEqual((report["only_mine"], report["only_theirs"]), (100, 100))
        self.assertLess(report["symbols"], 400)
        size = (self.folder / "theirs").stat().st_size
        self.assertEqual(report["bytes_of_all_their_lines"], size)
        travelled = sum(report["bytes"].values())
        self.assertAlmostEqual(report["times_fewer"], size / travelled)
        self.assertLess(travelled, 12000)
        # With lines on standard output it goes to the other.
        done = self.ended("sync", "mine", "theirs", "--json", "--mine")
        self.assertEqual(json.loads(done.stderr)["only_mine"], 100)
        self.assertEqual(done.stdout.count(b"\n"), 100)

    def test_empty_files_duplicates_and_odd_lines(self):
        self.write("empty", [])
        self.write("one", [b"a"])
        self.write("cut", [b"a", b"b"], last=False)
        self.write("twice", [b"b", b"a", b"b", b"a"])
        self.write("odd", [b"a", b"", b"nul\0inside", b"\xff\xfe", b"x" * 70000, b"a\r"])
        self.run_tool("sync", "empty", "empty")
        self.run_tool("sync", "cut", "twice")
        self.assertEqual(self.printed("empty", "one", "--both", "--fetch"), (set(), {b"a"}))
        self.assertEqual(self.printed("one", "empty", "--both", "--fetch"), ({b"a"}, set()))
        for other in [["odd"], ["--with", self.partner("odd")]]:
            self.assertEqual(self.printed("one", *other, "--both", "--fetch"),
                             (set(), {b"", b"nul\0inside", b"\xff\xfe", b"x" * 70000, b"a\r"}))
        self.write("dos", [b"a", b"b"], end=b"\r\n")
        self.run_tool("sync", "dos", "cut", "--crlf")
        self.run_tool("sync", "dos", "cut", status=1)
        self.write("zero", [b"a", b"b\nc"], end=b"\0")
        self.write("zeros", [b"a"], end=b"\0")
        self.assertEqual(self.run_tool("sync", "zero", "zeros", "-z", "--mine", status=1), b"b\nc\0")
        self.write("gaps", [b"a", b"", b"b", b""])
        self.run_tool("sync", "gaps", "cut", "--skip-empty")

    def test_a_set_larger_than_its_memory_is_the_same_set(self):
        lines = [b"line %d" % i for i in range(20_000)]
        shuffled = random.Random(1).sample(lines, len(lines))
        mine = self.write("mine", shuffled + lines[:9000])
        theirs = self.write("theirs", shuffled[70:] + [b"new %d" % i for i in range(80)] + shuffled[-5000:])
        little = ["--memory", "64KiB"]
        for method in METHODS:
            with self.subTest(method):
                options = ["--both", "--fetch", "--json", "--method", method]
                held = self.ended("sync", "mine", "theirs", *options)
                self.assertEqual(held.returncode, 1, held)
                for partner in (["theirs"], ["--with", self.partner("theirs", *little)]):
                    stored = self.ended("sync", "mine", *partner, *options, *little)
                    self.assertEqual((stored.returncode, stored.stdout), (1, held.stdout), stored.stderr)
                    if method != "iblt":  # which is as large as it must be
                        differ = {"bytes"} if "--with" in partner else set()
                        told = [{name: value for name, value in json.loads(each.stderr).items()
                                 if name not in differ | {"times_fewer"}} for each in (held, stored)]
                        self.assertEqual(*told)
        self.assertEqual(self.printed("mine", "theirs", "--both", "--fetch", *little), (mine - theirs, theirs - mine))
        self.write("same", lines * 10)  # of which no run is longer than the lines that are
        self.run_tool("sync", "same", "mine", *little)
        self.refused("sync", "mine", "theirs", "--memory", "1KiB", says="64 KiB")
        self.refused("sync", "mine", "theirs", "--memory", "much", says="much")

    def test_no_room_for_a_set_larger_than_its_memory(self):
        self.numbers("mine", 0, 20_000)
        done = subprocess.run(["sh", "-c", f"trap '' XFSZ; ulimit -f 100; '{TOOL}' sync mine mine --memory 64KiB"],
                              cwd=self.folder, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"temporary file", done.stderr)

    @unittest.skipIf(SANITIZED, "--full: memory is the sanitizer's")
    def test_memory_does_not_grow_with_the_lines(self):
        for name, first in ("mine", 0), ("theirs", 5):
            with open(self.folder / name, "w") as file:
                file.writelines(f"{i}\n" for i in range(first, 1_000_000 + first))
        for memory, least, most in ("32MiB", 32 << 20, 1 << 30), ("1MiB", 0, 30 << 20):
            server, where = self.listening("theirs", "-j", "1", "--memory", memory)
            self.assertEqual(self.run_tool("sync", "mine", "--with", where, status=1), b"5 only here, 5 only there\n")
            status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
            used = int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) << 10
            self.assertGreater(used, least)
            self.assertLess(used, most)

    def test_silent_strangers_keep_nobody_out(self):
        self.numbers("mine", 0, 50)
        self.numbers("theirs", 1, 51)
        _, where = self.listening("theirs", "--timeout", "1h", notes=subprocess.DEVNULL)
        host, port = where.split(":")
        for said in (b"", b"\x40\0\0\0s"):
            for _ in range(300):
                stranger = socket.create_connection((host, int(port)))
                self.addCleanup(stranger.close)
                stranger.sendall(said)
        self.assertEqual(self.printed("mine", "--with", where, "--both", "--fetch"), ({b"line 0"}, {b"line 50"}))

    def test_a_secret_key_is_shared_or_refused(self):
        self.numbers("mine", 0, 100)
        (self.folder / "key").write_bytes(bytes(range(32)))
        (self.folder / "other").write_bytes(bytes(32))
        self.run_tool("sync", "mine", "--key-file", "key",
                      "--with", self.partner("mine", "--key-file key"))
        self.refused("sync", "mine", "--key-file", "key",
                     "--with", self.partner("mine", "2>/dev/null"), says="hash")
        self.refused("sync", "mine", "--key-file", "key",
                     "--with", self.partner("mine", "--key-file other 2>/dev/null"), says="key")

    def test_a_partner_that_goes(self):
        self.numbers("mine", 0, 1000)
        self.numbers("theirs", 500, 1500)
        self.refused("sync", "mine", "--with", "exit 3", says="status 3")
        self.refused("sync", "mine", "--with", "cat", says="only repeats")
        self.refused("sync", "mine", "--with", "no-such-program 2>/dev/null", says="status 127")
        self.refused("sync", "mine", "--with", "kill -9 $$", says="signal 9")
        self.refused("sync", "mine", "--with", "127.0.0.1:1", says="127.0.0.1:1")
        # Who answers nobody says so too.
        whole = subprocess.run(["sh", "-c", self.partner("theirs")], cwd=self.folder, input=b"",
                               capture_output=True, check=False)
        self.assertEqual(whole.returncode, 2)
        self.assertIn(b"ended the connection", whole.stderr)
        # Cut off after so many bytes of its answers: never a list.
        for count in [0, 3, 100, 1000]:
            with self.subTest(count):
                self.refused("sync", "mine", "--both", "--fetch", "--timeout", "1s",
                             "--with", self.partner("theirs", f"2>/dev/null | head -c {count}"))

    def test_a_connection_that_ends(self):
        self.numbers("mine", 0, 1000)
        for said, says in [(b"", "ended the connection"), (b"\x64\0\0\0half", "within a message")]:
            with self.subTest(said), socket.create_server(("127.0.0.1", 0)) as server:
                def answer():
                    stranger, _ = server.accept()
                    with stranger:
                        stranger.recv(10)
                        stranger.sendall(said)
                        stranger.shutdown(socket.SHUT_WR)
                        while stranger.recv(4096):
                            pass
                thread = threading.Thread(target=answer)
                thread.start()
                self.refused("sync", "mine", "--with", f"127.0.0.1:{server.getsockname()[1]}",
                             says=says)
                thread.join()

    def test_a_partner_that_says_nothing(self):
        self.numbers("mine", 0, 10)
        self.refused("sync", "mine", "--with", "exec sleep 100", "--timeout", "200ms",
                     says="nothing was heard")

    def test_a_partner_that_lies(self):
        self.numbers("mine", 0, 10)
        for said in [b"\xff\xff\xff\xff", struct.pack("<I", 1 << 31), struct.pack("<I", 5) + b"hello",
                     struct.pack("<I", 0), b"Welcome to this host!\n"]:
            with self.subTest(said):
                (self.folder / "said").write_bytes(said)
                self.refused("sync", "mine", "--with", "cat said; exec sleep 0.2")
        # What a right partner says, with one bit changed anywhere.
        self.numbers("theirs", 5, 15)
        flip = ("import sys; data = bytearray(sys.stdin.buffer.read()); "
                "data[int(sys.argv[1]) % len(data)] ^= 1; sys.stdout.buffer.write(data)")
        for place in [0, 5, 30, 60, 90]:
            with self.subTest(place):
                self.refused("sync", "mine", "--timeout", "1s",
                             "--with", self.partner("theirs", "2>/dev/null") +
                             f" | head -c 120 | /usr/bin/python3 -c '{flip}' {place} 2>/dev/null")

    # A partner that has these lines, and says so.
    HONEST = """
from format_reader import GOLDEN, MASK, mix
def hello(held, **other):
    found = {digest(line) for line in held}
    said = {"lines": len(found), "bytes": sum(map(len, held)) + len(held),
            "lo": sum(mix(lo + GOLDEN * (hi | 1) & MASK) for lo, hi in found) & MASK,
            "hi": sum(mix(hi ^ mix(lo)) for lo, hi in found) & MASK, "hash": 1, "tag": SEED, **other}
    assert ask()[0] == "sync/hello"
    say("sync/hello", *[("u", each) for each in said.values()])
def packed(digests):
    return b"".join(struct.pack("<QQ", *each) for each in digests)

# The rateless code, from its description: which symbols a key is in, and what they are sums of.
def places(lo, hi, end):
    at = 0
    while at < end:
        yield at
        drawn = (mix(hi ^ mix(lo + (at + 1) * GOLDEN & MASK)) >> 32) + 1
        least = (at + 1) * (at + 2) << 32
        at += 1
        while (at + 1) * (at + 2) * drawn < least:
            at += 1
def symbols(sides, end):
    cells = [[0, 0, 0, 0] for _ in range(end)]
    for side, digests in sides:
        for lo, hi in digests:
            check = mix(mix(lo ^ 0x636865636B) + mix(hi + GOLDEN & MASK) & MASK)
            for at in places(lo, hi, end):
                cell = cells[at]
                cells[at] = [cell[0] ^ lo, cell[1] ^ hi, cell[2] ^ check, cell[3] + side]
    return cells
def answer_by_symbols(*sides):
    made = symbols(sides, 1000)
    while (asked := ask())[0] == "sync/more":
        what, first, count = asked[1]
        assert what == 0
        say("sync/symbols", ("u", first), ("u", count), ("b", b"".join(
            struct.pack("<QQQ", *cell[:3]) + number(2 * cell[3] if cell[3] >= 0 else -2 * cell[3] - 1)
            for cell in made[first:first + count])))
"""

    def test_a_stranger_who_knows_the_code(self):
        mine = self.numbers("mine", 0, 300)
        partner = liar(self.folder, self.HONEST + """
theirs = [b"line %d" % i for i in range(5, 310)]
hello(theirs)
answer_by_symbols((1, map(digest, theirs)))
""")
        only_mine, only_theirs = self.printed("mine", "--both", "--method", "rateless", "--with", partner)
        self.assertEqual(only_mine, {b"line %d" % i for i in range(5)})
        self.assertEqual(only_theirs, {b"%016x%016x" % digest(b"line %d" % i)[::-1] for i in range(300, 310)})
        self.assertLess(only_mine, mine)

    def test_sums_of_another_set(self):
        self.numbers("mine", 0, 100)
        for lie, says in (
                # The sums of one set, the print of another.
                ("hello(mine + [b'x']); answer_by_symbols((1, map(digest, mine + [b'y'])))", "do not make the set"),
                # That I have a line which I have not, with a print and a number to match.
                ("x = digest(b'x'); hello(mine, lines=99, "
                 "lo=total(0) - mix(x[0] + GOLDEN * (x[1] | 1) & MASK) & MASK, "
                 "hi=total(1) - mix(x[1] ^ mix(x[0])) & MASK); "
                 "answer_by_symbols((1, map(digest, mine)), (-1, [x]))", "is not here"),
                # A list with one digest changed.
                ("hello(mine + [b'x']); ask(); "
                 "say('sync/digests', ('b', packed(sorted(map(digest, mine + [b'y'])))))", "do not make the set"),
                # By filters, that I lack what I have.
                ("hello(mine[1:] + [b'x']); values = ask()[1]; "
                 "say('sync/filters', *zip('uuuffb', values[:5] + [packed([digest(b'line 3')])]))", "is here too")):
            with self.subTest(lie):
                method = "list" if "digests" in lie else "filter" if "filters" in lie else "rateless"
                partner = liar(self.folder, self.HONEST + """
mine = [b"line %d" % i for i in range(100)]
def total(which):
    return sum((mix(lo + GOLDEN * (hi | 1) & MASK), mix(hi ^ mix(lo)))[which] for lo, hi in map(digest, mine)) & MASK
""" + lie + "\nask()\n")
                self.refused("sync", "mine", "--json", "--method", method, "--with", partner, says=says)

    def test_who_asks_out_of_order_or_again(self):
        self.numbers("theirs", 0, 100)
        hello = written("sync/hello", *zip("uuuuuu", [5, 50, 1, 2, 1, SEED]))
        end = written("sync/end", ("u", 0))
        table = [written("sync/table-wanted", ("u", 8), ("u", salt)) for salt in range(3)]
        more = [written("sync/more", ("u", 0), ("u", first), ("u", 16)) for first in (0, 16)]
        self.numbers("five", 0, 5)
        stored = self.folder / "five.bloom"
        self.run_tool("build", "--kind", "standard", "--set", "bits=64", "--set", "hashes=5", "-o", stored, "five")
        filters = written("sync/filters", *zip("uuuffb", [0, 8, 1, stored.read_bytes(), b"", b""]))
        for asked, says in (([hello, filters, end], None), ([hello, filters, filters], "twice"), ([hello, *more, table[0], table[1], end], None), ([hello, table[1]], "tables"),
                            ([hello, table[0], table[0]], "tables"), ([hello, more[1]], "out of order"),
                            ([more[0]], "out of turn"), ([hello, hello], "out of turn"),
                            ([hello, end, table[0]], "out of turn")):
            with self.subTest(says):
                done = self.ended("sync", "-", "theirs", stdin=b"".join(
                    struct.pack("<I", len(message)) + message for message in asked))
                if says is None:
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                elif asked[-2:-1] != [end]:  # after the end nobody listens
                    self.assertEqual(done.returncode, 2, done)
                    self.assertIn(says.encode(), done.stderr)

    def test_a_partner_whose_lines_are_none(self):
        # Printed as they are, they would look like lines that only this side has, or that are planted.
        self.write("mine", [b"a", b"b"])
        for evil in [b"c\n< a", b"c\n> d", b"\n"]:
            with self.subTest(evil):
                partner = liar(self.folder, self.HONEST + f"""
lines = [b"a", b"b", {evil!r}]
hello(lines)
ask()
say("sync/digests", ("b", packed(sorted(map(digest, lines)))))
ask()
say("sync/lines", ("l", [{evil!r}]))
ask()
""")
                self.refused("sync", "mine", "--both", "--fetch", "--with", partner, says="line end in it")
                # Its digest is none of its contents.
                self.assertEqual(self.run_tool("sync", "mine", "--with", partner, status=1),
                                 b"0 only here, 1 only there\n")

    def test_a_filter_emptier_than_its_lines(self):
        # It would have every line of mine be missing there.
        self.numbers("mine", 0, 1000)
        self.run_tool("build", "--kind", "standard", "--set", "bits=8000", "--set", "hashes=6",
                      "-o", self.folder / "empty.bloom", "/dev/null")
        for items in [0, 1000]:
            with self.subTest(items):
                partner = liar(self.folder, self.HONEST + f"""
stored = open("empty.bloom", "rb").read()
end, = struct.unpack_from("<I", stored, 12)  # of its header, whose last bytes are a sum of the others
head = stored[:24] + struct.pack("<Q", {items}) + stored[32:end - 8]
stored = head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head)) + stored[end:]
hello([b"other %d" % i for i in range(1000)])
name, values = ask()
assert len(values[3]) == len(stored)
say("sync/filters", ("u", 0), ("u", 8), ("u", values[2]), ("f", stored), ("f", b""), ("b", b""))
ask()
""")
                self.refused("sync", "mine", "--method", "filter", "--with", partner, 
                             says="not of as many lines")

    def test_nothing_found_is_not_nothing_different(self):
        # One line of 2,000 differs: the filters miss it in some of these, and the sets differ all the same.
        for odd in range(60):
            self.write("mine", [b"line %d" % i for i in range(2000)])
            self.write("theirs", [b"line %d" % i for i in range(2000)] + [b"odd %d" % odd])
            said = self.run_tool("sync", "mine", "theirs", "--method", "filter", "--bits", "2", status=1)
            if said.startswith(b"0 only here, 0 only there"):
                return
        self.fail("the filters missed none of 60, of which they should miss a third")

    def test_sums_of_no_set(self):
        # Whatever they tell, no more are asked for than the sets could need.
        self.numbers("mine", 0, 100)
        partner = liar(self.folder, self.HONEST + """
import random
hello([b"other %d" % i for i in range(100)])
asked = 0
while True:
    what, first, count = ask()[1]
    asked += count
    assert asked < 64 + 4 * 200 + 2
    say("sync/symbols", ("u", first), ("u", count), ("b",
        b"".join(random.randbytes(24) + number(random.randrange(2**40)) for _ in range(count))))
""")
        self.refused("sync", "mine", "--method", "rateless", "--with", partner, says="of no set of keys")

    def test_more_than_a_partner_may_say(self):
        self.numbers("mine", 0, 10)
        self.numbers("theirs", 0, 20000)
        options = ["--method", "list", "--with", self.partner("theirs", "2>/dev/null")]
        self.refused("sync", "mine", *options, "--limit", "100KiB", says="more than 100 KiB")
        self.run_tool("sync", "mine", *options, "--limit", "1MB", status=1)
        # One who says it has 2^47 lines, and has them.
        partner = liar(self.folder, self.HONEST + """
hello([], lines=2**47, lo=1)
while True:
    what, first, count = ask()[1]
    say("sync/digests", ("b", packed((0, first + i) for i in range(count))))
""")
        self.refused("sync", "mine", "--method", "list", "--with", partner, "--limit", "4MiB",
                     says="more than 4 MiB")

    def test_a_server_outlives_bad_partners(self):
        self.numbers("mine", 0, 50)
        self.numbers("theirs", 1, 51)
        server, where = self.listening("theirs")
        host, port = where.split(":")
        for said in [b"", b"\xff\xff\xff\xff", b"\x05\0\0\0hel", b"GET / HTTP/1.1\r\n\r\n"]:
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as stranger:
                stranger.sendall(said)
                stranger.shutdown(socket.SHUT_WR)
                while stranger.recv(4096):
                    pass
        self.assertEqual(self.printed("mine", "--with", where, "--both", "--fetch"),
                         ({b"line 0"}, {b"line 50"}))
        self.assertIsNone(server.poll())

    def test_a_large_pair_costs_little(self):
        mine = "".join(f"user-{i:07d}@example.com\n" for i in range(100_000))
        theirs = "".join(f"user-{i:07d}@example.com\n" for i in range(500, 100_500))
        (self.folder / "mine").write_text(mine)
        (self.folder / "theirs").write_text(theirs)
        report = json.loads(self.run_tool("sync", "mine", "theirs", "--json", status=1))
        self.assertEqual((report["only_mine"], report["only_theirs"]), (500, 500))
        self.assertLessEqual(report["symbols"], 1500)
        self.assertLess(sum(report["bytes"].values()), 45_000)
        report = json.loads(self.run_tool("sync", "mine", "theirs", "--json", "--method", "filter",
                                          status=1))
        self.assertGreaterEqual(report["only_mine"] + report["only_theirs"], fewest_of(1000, .978))
        report = json.loads(self.run_tool("sync", "mine", "theirs", "--json", "--method", "tree",
                                          status=1))
        self.assertLess(report["visits"], 50_000)  # of 200,000 nodes and leaves

    def test_mistakes_are_named(self):
        self.numbers("mine", 0, 5)
        self.refused("sync", "mine", says="--with")
        self.refused("sync", "mine", "mine", "--with", "cat", says="second")
        self.refused("sync", "mine", "mine", "--method", "magic", says="rateless")
        self.refused("sync", "-", says="no file")
        self.refused("sync", "mine", "nothing-here", says="nothing-here")
        self.refused("sync", "mine", "--listen", "nowhere", says="HOST:PORT")
        self.refused("sync", "-", "mine", "--mine", says="who answers")
        self.refused("sync", "mine", "mine", "--once", says="--listen")
        self.refused("sync", "mine", "mine", "--timeout", "5", says="5")


if __name__ == "__main__":
    unittest.main()
