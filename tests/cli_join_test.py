"""The tool as a person uses it: join, between files, over pipes and over sockets."""
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest

from partner_messages import liar, read, written
from tool import PATIENCE, TOOL, Tool


def rows(seed, count, keys, separator="\t"):
    """Rows "key <n>", and a number; keys repeat."""
    drawn = random.Random(seed)
    return [f"key {drawn.randrange(*keys)}{separator}{i}" for i in range(count)]


class Join(Tool):
    def setUp(self):
        super().setUp()
        self.mine = rows(1, 300, (0, 1000))
        self.theirs = rows(2, 5000, (500, 4000))
        self.write("mine", "".join(f"{row}\n" for row in self.mine).encode())
        self.write("theirs", "".join(f"{row}\n" for row in self.theirs).encode())

    def sorted_join(self, *options):
        """What join(1) makes of the same."""
        for name in ("mine", "theirs"):
            ordered = sorted(self.bytes_of(name).splitlines(), key=lambda row: row.split(b"\t")[0])
            self.write(f"{name}.sorted", b"\n".join(ordered) + b"\n")
        return sorted(subprocess.run(
            ["join", "-t", "\t", *options, "mine.sorted", "theirs.sorted"], cwd=self.folder,
            env={"LC_ALL": "C"}, check=True, capture_output=True).stdout.splitlines())

    def test_is_that_of_join(self):
        expected = self.sorted_join()
        self.assertGreater(len(expected), 100)
        for method in ("auto", "filter", "keys", "rows"):
            found = self.run_tool("join", "mine", "theirs", "--method", method).splitlines()
            self.assertEqual(sorted(found), expected, method)

    def test_order_is_that_of_the_first_table(self):
        found = [row.split("\t")[1] for row in self.run_tool("join", "mine", "theirs").decode().splitlines()]
        self.assertEqual(found, sorted(found, key=int))

    def test_a_program_is_the_partner(self):
        here = self.run_tool("join", "mine", "theirs")
        there = f"{TOOL} join - theirs"
        self.assertEqual(self.run_tool("join", "mine", "--with", there), here)
        told = json.loads(self.run_tool("join", "mine", "--with", there, "--json"))
        self.assertEqual(told["rows"], len(here.splitlines()))
        self.assertEqual(told["theirs"]["rows"], 5000)
        self.assertLess(told["bytes_sent"] + told["bytes_received"], told["theirs"]["bytes"])
        # What it says may take a while to come, when it has long gone.
        self.assertEqual(self.run_tool("join", "mine", "--with", f"{there} | (sleep 0.2; cat)"), here)

    def test_semi_and_keys(self):
        keys = {row.split("\t")[0] for row in self.theirs}
        semi = [row for row in self.mine if row.split("\t")[0] in keys]
        there = f"{TOOL} join - theirs"
        for partner in (["theirs"], ["--with", there]):
            found = self.run_tool("join", "--semi", "mine", *partner).decode().splitlines()
            self.assertEqual(found, semi)
            found = self.run_tool("join", "--keys-only", "mine", *partner).decode().splitlines()
            self.assertEqual(found, list(dict.fromkeys(row.split("\t")[0] for row in semi)))

    def test_nothing_joins(self):
        self.write("other", b"nothing\tof the kind\n")
        self.assertEqual(self.run_tool("join", "mine", "other", status=1), b"")
        self.write("empty", b"")
        for pair in (("mine", "empty"), ("empty", "mine"), ("empty", "empty")):
            self.run_tool("join", *pair, status=1)
            self.run_tool("join", "--estimate", *pair, status=1)

    def test_estimate(self):
        exact = len({row.split("\t")[0] for row in self.mine} & {row.split("\t")[0] for row in self.theirs})
        told = json.loads(self.run_tool("join", "--estimate", "mine", "theirs", "--json",
                                        "--confidence", "99.9999%"))
        self.assertLessEqual(told["estimated_keys"]["low"], exact)
        self.assertGreaterEqual(told["estimated_keys"]["high"], exact)
        self.assertIn(b"keys in both", self.run_tool("join", "--estimate", "mine", "theirs"))

    def test_the_cheaper_way_is_shown_before_and_taken(self):
        taken = set()
        mine = self.mine[:10]
        for longer in range(0, 72, 9):
            for name, drawn in ("a", mine), ("b", self.theirs):
                self.write(name, "".join(f"{'x' * longer}{row}\n" for row in drawn).encode())
            told = json.loads(self.run_tool("join", "--estimate", "a", "b", "--json"))
            joined = json.loads(self.run_tool("join", "a", "b", "--json"))
            costs = told["expected_bytes"]
            self.assertEqual(costs, joined["expected_bytes"])
            self.assertEqual(joined["method"], min(costs, key=costs.get))
            self.assertEqual(costs["filter"] < costs["keys"], told["key_bytes"] > told["even_key_bytes"])
            # As the two cost what is told of them, before the rows that match.
            keys = len({row.split("\t")[0] for row in mine})
            self.assertAlmostEqual(told["key_bytes"] * keys, costs["keys"])
            self.assertAlmostEqual(told["even_key_bytes"] * keys, costs["filter"])
            taken.add(joined["method"])
        self.assertEqual(taken, {"filter", "keys"})
        said = self.run_tool("join", "--estimate", "a", "b").decode()
        self.assertRegex(said, r"(?s)by a filter +[\d.,]+ \w*B\n.*a\s+filter\s+is\s+cheaper\s+than\s+keys\s+of\s+more\s+than")

    def test_csv_with_headers_and_quotes(self):
        self.write("people.csv", b'name,city\n"Ada ""A""","St. John\'s, NL"\nKim,Oslo\n')
        self.write("cities.csv", b'cost,city\r\n9,"St. John\'s, NL"\r\n4,Rome\r\n')
        expected = b'city,name,cost\n"St. John\'s, NL","Ada ""A""",9\n'
        options = ["--csv", "--header", "--on", "city"]
        self.assertEqual(self.run_tool("join", *options, "people.csv", "cities.csv"), expected)
        there = f"{TOOL} join --csv --header --on city - cities.csv"
        self.assertEqual(self.run_tool("join", *options, "people.csv", "--with", there), expected)
        self.assertEqual(self.run_tool("join", "--csv", "--header", "--on", "city=city", "--semi",
                                       "people.csv", "cities.csv"),
                         b'name,city\n"Ada ""A""","St. John\'s, NL"\n')

    def test_empty_columns_are_columns(self):
        # One, several or none beside the key, full or empty.
        for mine, theirs in ((b"a\t\n", b"a\tx\n"), (b"a\t\n", b"a\t\n"), (b"a\n", b"a\t\n"),
                             (b"a\t\n", b"a\n"), (b"a\n", b"a\n"), (b"\t\tx\n", b"\t\t\n")):
            with self.subTest((mine, theirs)):
                self.write("mine", mine)
                self.write("theirs", theirs)
                expected = b"".join(line + b"\n" for line in self.sorted_join())
                self.assertEqual(self.run_tool("join", "mine", "theirs"), expected)
                self.assertEqual(self.run_tool("join", "mine", "--with", f"{TOOL} join - theirs"), expected)
        self.write("a.csv", b'id,note\n1,""\n')
        self.write("b.csv", b"id\n1\n")
        self.assertEqual(self.run_tool("join", "--csv", "a.csv", "b.csv"), b"id,note\n1,\n")

    def test_a_header_without_rows_is_a_header(self):
        self.write("some", b"id\tname\n1\tAda\n")
        self.write("none", b"id\tcity\n")
        for mine, theirs, says in (("some", "none", b"id\tname\tcity\n"),
                                   ("none", "some", b"id\tcity\tname\n")):
            self.assertEqual(self.run_tool("join", "--header", mine, theirs, status=1), says)
        self.write("cut", b"id\tname")
        for wish, says in ([], b"id\tname\tcity\n"), (["--semi"], b"id\tname\n"), (["--keys-only"], b"id\n"):
            self.assertEqual(self.run_tool("join", "--header", *wish, "cut", "none", status=1), says)

    def test_nobody_complains_of_an_empty_table(self):
        self.write("empty", b"")
        for mine, theirs in (("mine", "empty"), ("empty", "theirs"), ("empty", "empty")):
            for wish in ([], ["--keys-only"], ["--estimate"]):
                self.run_tool("join", mine, *wish, "--with", f"{TOOL} join - {theirs}", status=1)

    # A partner whose one row has the key "a", these columns and this heading.
    ROW = """
assert ask()[0] == "join/ask"
say("join/table", ("u", 1), ("u", 1), ("u", 1000), ("u", 2), ("r", 1.0), ("b", {heading!r}))
while ask()[0] != "join/more":
    pass
say("join/rows", ("u", 1), ("l", [b"a", {rest!r}]))
"""

    def test_rows_that_are_several(self):
        # They would be printed as rows that nobody has.
        self.write("mine", b"a\tb\n")
        self.write("mine.csv", b"id,name\na,b\n")
        for options, rest, heading, sound in (
                (["mine"], b"\tc", b"", True), (["mine"], b"\tc\nx\ty", b"", False),
                (["mine"], b"c", b"", False), (["mine", "--header"], b"\tc", b"\tcity\nx", False),
                (["mine.csv", "--csv"], b',"c\nd"', b"", True), (["mine.csv", "--csv"], b",c\nx,y", b"", False),
                (["mine.csv", "--csv"], b',"c', b"", False), (["mine.csv", "--csv"], b',c"d', b"", False)):
            with self.subTest((options, rest)):
                partner = liar(self.folder, self.ROW.format(rest=rest, heading=heading))
                if sound:
                    said = self.run_tool("join", *options, "--with", partner)
                    self.assertEqual(said, self.bytes_of(options[0]).split(b"\n")[-2] + rest + b"\n")
                else:
                    self.refused("join", *options, "--with", partner, says="columns of one row")

    def test_pipes_are_read_twice(self):
        self.assertEqual(self.run_tool("join", "/dev/stdin", "theirs", stdin=self.bytes_of("mine")),
                         self.run_tool("join", "mine", "theirs"))

    def test_rows_without_the_column(self):
        self.write("short", b"a\n" + self.bytes_of("mine"))
        note = b"bloomery: short: skipped 1 row without column 2\n"
        self.run_tool("join", "--on", "2=1", "short", "theirs", status=1, notes=note)

    def test_a_server_answers_many(self):
        server = subprocess.Popen([TOOL, "join", "theirs", "--listen", "127.0.0.1:0"], cwd=self.folder,
                                  stdout=subprocess.PIPE)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.kill)
        where = re.search(rb"listening on (\S+)\n", server.stdout.readline())[1].decode()
        here = self.run_tool("join", "mine", "theirs")
        for _ in range(3):
            self.assertEqual(self.run_tool("join", "mine", "--with", where), here)
        self.run_tool("join", "mine", "--with", where, "--key-file", self.write("key", b"k" * 32), status=2,
                      notes=None)
        self.assertEqual(self.run_tool("join", "mine", "--with", where), here)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE), 0)

    def test_nobody_keeps_others_waiting(self):
        server = subprocess.Popen([TOOL, "join", "theirs", "--listen", "127.0.0.1:0", "--timeout", "1h"],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.kill)
        where = re.search(rb"listening on (\S+)\n", server.stdout.readline())[1].decode()
        here = self.run_tool("join", "mine", "theirs")
        host, port = where.split(":")
        # One in the middle of its answer, whose rows are still its own afterwards, and many who say nothing.
        slow = socket.create_connection((host, int(port)))
        self.addCleanup(slow.close)
        stream = slow.makefile("rwb")
        self.addCleanup(stream.close)
        def say(*message):
            framed = written(*message)
            stream.write(struct.pack("<I", len(framed)) + framed)
            stream.flush()
        def hear():
            return read(stream.read(*struct.unpack("<I", stream.read(4))))
        say("join/ask", ("b", rb"columns with \t"))
        self.assertEqual(hear()[0], "join/table")
        say("join/all", ("u", 1))
        say("join/more", ("u", 1))
        name, (last, parts) = hear()
        self.assertEqual((name, last), ("join/rows", 0))
        for said in (b"", b"\x40\0\0\0j"):
            for _ in range(150):
                stranger = socket.create_connection((host, int(port)))
                self.addCleanup(stranger.close)
                stranger.sendall(said)
        for method in ("filter", "rows", "keys"):
            self.assertEqual(self.run_tool("join", "mine", "--method", method, "--with", where), here)
        while last == 0:
            say("join/more", ("u", 1))
            _, (last, more) = hear()
            parts += more
        self.assertEqual([key + rest for key, rest in zip(parts[::2], parts[1::2])],
                         [row.encode() for row in self.theirs])

    def test_standard_input_is_a_table(self):
        here = self.run_tool("join", "mine", "theirs")
        for options in ([], ["--method", "keys"], ["--method", "rows"]):
            with open(self.folder / "theirs", "rb") as rows:
                self.assertEqual(self.run_tool("join", "mine", "-", *options, stdin=rows.read()), here)
            done = subprocess.run(["sh", "-c", f"'{TOOL}' join mine - {' '.join(options)} < theirs"], cwd=self.folder,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, here, b""))
            done = subprocess.run(
                ["sh", "-c", f"'{TOOL}' join - --with \"'{TOOL}' join - theirs\" {' '.join(options)} < mine"],
                cwd=self.folder, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, here, b""))

    def test_a_shared_secret(self):
        self.write("key", b"k" * 32)
        there = f"{TOOL} join - theirs --key-file key"
        self.assertEqual(self.run_tool("join", "mine", "--with", there, "--key-file", "key"),
                         self.run_tool("join", "mine", "theirs"))
        self.refused_with(f"{TOOL} join - theirs", "--key-file", "key")

    def refused_with(self, partner, *options):
        """Exit 2, no rows and a reason, also if the partner adds its own to it."""
        done = self.ended("join", "mine", "--with", partner, "--timeout", "1s", *options)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"bloomery: ", done.stderr)

    def test_partners_that_fail_or_lie(self):
        for partner in ("false", "true", "echo nonsense that is long enough to be a message",
                        "head -c 100", "cat", "cat /dev/zero", "no-such-program",
                        f"{TOOL} join - theirs | head -c 300",
                        f"{TOOL} join - theirs | tr k q"):
            with self.subTest(partner=partner):
                self.refused_with(partner)

    def test_a_partner_that_is_killed(self):
        # It dies before it has read its table: what it was asked stays unanswered.
        self.refused_with(f"{TOOL} join - theirs & kill -9 $!; wait")

    def test_command_lines_that_make_no_sense(self):
        self.refused("join", "mine", says="one table is named")
        self.refused("join", "mine", "theirs", "--with", "true", says="allowed: one of them")
        self.refused("join", "mine", "missing", says="missing")
        self.refused("join", "mine", "theirs", "--method", "magic", says="magic")
        self.refused("join", "mine", "theirs", "--on", "0", says="--field is '0'")
        self.refused("join", "mine", "theirs", "--kind", "oil", says="oil")
        self.refused("join", "mine", "theirs", "--fpr", "2", says="2")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MapReduce(Tool):
    """Filters that many processes build in parts are the filter that one builds, byte for byte."""

    BUILD = ["build", "--kind", "standard", "--keys", "10k", "--fpr", "1%", "-o"]

    def setUp(self):
        super().setUp()
        for part in range(4):
            self.write(f"part{part}", b"".join(b"key %d\n" % i for i in range(part, 8000, 4)))
        self.run_tool(*self.BUILD, "whole", *[f"part{part}" for part in range(4)])

    def check_parts(self):
        self.run_tool("union", *[f"part{part}.bloom" for part in range(4)], "-o", "united")
        self.assertEqual(self.bytes_of("united"), self.bytes_of("whole"))

    def require(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"--full: {program} is not installed")

    def test_processes(self):
        command = " ".join([TOOL, *self.BUILD[:-1]])
        subprocess.run(["xargs", "-P", "4", "-I{}", "sh", "-c", f"{command} -o {{}}.bloom {{}}"],
                       input=b"part0\npart1\npart2\npart3\n", cwd=self.folder, check=True)
        self.check_parts()

    def test_gnu_parallel(self):
        self.require("parallel")
        subprocess.run(["parallel", TOOL, *self.BUILD, "{}.bloom", "{}", ":::",
                        *[f"part{part}" for part in range(4)]], cwd=self.folder, check=True,
                       capture_output=True, env={**os.environ, "HOME": str(self.folder)})
        self.check_parts()

    def test_mpi(self):
        self.require("mpirun")
        command = " ".join([TOOL, *self.BUILD[:-1]])
        subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", "sh", "-c",
                        f"{command} -o part$OMPI_COMM_WORLD_RANK.bloom part$OMPI_COMM_WORLD_RANK"],
                       cwd=self.folder, check=True, capture_output=True)
        self.check_parts()

    def test_gearman(self):
        self.require("gearmand")
        port = str(free_port())
        server = self.started("gearmand", "-L", "127.0.0.1", "-p", port, "-l", str(self.folder / "log"))
        build = f"read part; {' '.join([TOOL, *self.BUILD[:-1]])} -o $part.bloom $part"
        self.wait_for(lambda: subprocess.run(["gearadmin", "-h", "127.0.0.1", "-p", port, "--status"],
                                             capture_output=True).returncode == 0, server)
        for _ in range(2):
            self.started("gearman", "-h", "127.0.0.1", "-p", port, "-w", "-f", "build", "--", "sh", "-c", build)
        for part in range(4):
            subprocess.run(["gearman", "-h", "127.0.0.1", "-p", port, "-f", "build"], check=True,
                           input=f"part{part}\n".encode(), cwd=self.folder, timeout=PATIENCE)
        self.check_parts()

    def started(self, *command):
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, ready, process):
        until = time.monotonic() + PATIENCE
        while not ready():
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_shuffled_rows_and_the_join(self):
        rows = [b"key %d\t%d" % (i * 7 % 100000, i) for i in range(50000)]
        self.write("large", b"\n".join(rows) + b"\n")
        passed = self.run_tool("query", "whole", "-f", "large", "--field", "1").splitlines()
        true = [row for row in rows if int(row.split(b"\t")[0][4:]) < 8000]
        self.assertLessEqual(set(true), set(passed))
        self.assertLess(len(passed) - len(true), 0.02 * (len(rows) - len(true)))
        self.write("shuffled", b"\n".join(passed) + b"\n")
        joined = self.run_tool("join", "shuffled", "part0")
        self.assertEqual(joined, self.run_tool("join", "large", "part0"))


if __name__ == "__main__":
    unittest.main()
