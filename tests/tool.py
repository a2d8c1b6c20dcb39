"""What the tests of the tool share. BLOOMERY names the binary."""
import bisect
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TOOL = os.environ["BLOOMERY"]
SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
GOLDEN = SOURCE / "tests" / "golden"
SANITIZED = re.search(r"^BLOOMERY_SANITIZE:\w+=.", pathlib.Path(
    os.environ["BLOOMERY_BUILD"], "CMakeCache.txt").read_text(), re.M) is not None
SIGNIFICANCE = 1e-6  # the chance that a sound tool fails one of the bounds below
PATIENCE = 600  # seconds that a run may take; only a tool that hangs takes them


def chance_of(k, n, p):
    """That k or more of n trials of chance p succeed."""
    if k <= 0 or p >= 1:
        return 1.0
    if k > n or p <= 0:
        return 0.0
    if k <= n * p:
        return 1 - chance_of(n - k + 1, n, 1 - p)
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    term = math.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))
    total = 0.0
    while term > total * 1e-17:
        total += term
        term *= (n - k) / (k + 1) * p / (1 - p)  # 0 beyond n
        k += 1
    return total


def most_of(n, p):
    """Of n trials of chance p no more succeed, but for one run in a million."""
    return bisect.bisect_left(range(n), -SIGNIFICANCE, key=lambda k: -chance_of(k + 1, n, p))


def fewest_of(n, p):
    """Of n trials of chance p no fewer succeed, but for one run in a million."""
    return n - most_of(n, 1 - p)


def lowest_rate(n, hits):
    """Below it, so many of n trials succeed in fewer than one run in a million."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if chance_of(hits, n, middle) > SIGNIFICANCE else (middle, high)
    return low


def highest_rate(n, hits):
    return 1 - lowest_rate(n, n - hits)


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ended(self, *arguments, stdin=b""):
        return subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.folder, timeout=PATIENCE)

    def run_tool(self, *arguments, stdin=b"", status=0, notes=b""):
        """`notes` is what it says on stderr; None if that does not matter."""
        done = self.ended(*arguments, stdin=stdin)
        if status is not None:
            self.assertEqual(done.returncode, status, (arguments, done.stdout[:500], done.stderr))
        if status != 2 and notes is not None or notes:
            self.assertEqual(done.stderr, notes)
        return done.stdout

    def refused(self, *arguments, stdin=b"", says=""):
        """Exit 2, nothing on stdout, one line of reason."""
        done = self.ended(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 2, (arguments, done))
        self.assertEqual(done.stdout, b"")
        message = done.stderr.decode()
        self.assertTrue(message.startswith("bloomery: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertIn(says, message)
        return message

    def info(self, filter_file):
        return json.loads(self.run_tool("info", "--json", filter_file))

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def kinds_that(self, *abilities):
        return [kind["name"] for kind in json.loads(self.run_tool("kinds", "--json"))
                if all(kind[ability] for ability in abilities)]

    def info_of_kind(self, kind):
        return json.loads(self.run_tool("kinds", kind, "--json"))


def output(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, check=True, text=True).stdout


def verbs():
    """As the list in help names them."""
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\S", output("--help"), re.M)
    assert len(listed) > 30, listed
    return listed


def lines(first, last, prefix="key "):
    return b"".join(f"{prefix}{i}\n".encode() for i in range(first, last))
