"""The tool as a person uses it: index build, index search and index like."""
import csv
import json
import os
import pathlib
import random
import subprocess
import unittest

import xxhash

from tool import PATIENCE, Tool, most_of

LICENSES = pathlib.Path("/usr/share/common-licenses")
C_LOCALE = {**os.environ, "LC_ALL": "C"}


def lines_of(output):
    return output.decode().splitlines()


class Documents(Tool):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.words = [f"{draw.choice('abcXYZ')}{draw.randrange(10**5)}_" for _ in range(3000)]
        (self.folder / "docs" / "sub").mkdir(parents=True)
        self.names = []
        for i in range(60):
            name = f"docs/{'sub/' if i % 3 == 0 else ''}{i:02}.txt"
            glue = [" ", "\n", ", ", "-", "\u2014"]
            text = "".join(draw.choice(self.words) + draw.choice(glue)
                           for _ in range(draw.randrange(5, 300)))
            self.write(name, text.encode())
            self.names.append(name)

    def grep(self, *arguments):
        done = subprocess.run(["grep", "-rl", *arguments, "docs"], cwd=self.folder,
                              env=C_LOCALE, capture_output=True, timeout=PATIENCE)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return set(lines_of(done.stdout))

    def test_what_grep_finds_is_named_and_verified_it_is_just_that(self):
        self.run_tool("index", "build", "-o", "s", "docs")
        named_in_vain = strangers = 0
        for word in self.words[:60] + ["nowhere", "X"]:
            truth = self.grep("-iw", "--", word)
            found = set(lines_of(self.run_tool("index", "search", "s", word.upper(), status=None)))
            self.assertLessEqual(truth, found, word)
            named_in_vain += len(found - truth)
            strangers += len(self.names) - len(truth)
            sure = self.run_tool("index", "search", "s", "--verify", word,
                                 status=0 if truth else 1)
            self.assertEqual(set(lines_of(sure)), truth, word)
        self.assertLessEqual(named_in_vain, most_of(strangers, .01))

    def test_all_words_must_be_there(self):
        self.run_tool("index", "build", "-o", "s", "docs")
        for one, two in zip(self.words[:20], self.words[20:40]):
            both = self.grep("-iw", one) & self.grep("-iw", two)
            found = self.run_tool("index", "search", "s", one, two, "--verify", status=None)
            self.assertEqual(set(lines_of(found)), both)

    def test_parts_of_lines_by_ngrams(self):
        self.run_tool("index", "build", "--ngrams", "3", "-o", "s", "docs")
        for part in ["x12", "_, X", "7\u2014", "9_ z", self.words[7][1:] + "-"]:
            truth = self.grep("-iF", "--", part)
            named = self.run_tool("index", "search", "s", "--substring", part, status=None)
            self.assertLessEqual(truth, set(lines_of(named)), part)
            sure = self.run_tool("index", "search", "s", "--substring", "--verify", part, status=None)
            self.assertEqual(set(lines_of(sure)), truth, part)
        word = self.words[3]
        sure = self.run_tool("index", "search", "s", "--verify", word, status=None)
        self.assertEqual(set(lines_of(sure)), self.grep("-iw", word))
        self.refused("index", "search", "s", "ab", says="3 bytes")
        self.refused("index", "search", "s", "abc\ndef", says="one line")

    def test_json(self):
        told = json.loads(self.run_tool("index", "build", "-o", "s", "docs", "--json"))
        self.assertEqual((told["boxes"], told["keys"], told["skipped"]), (60, "words", 0))
        self.assertEqual(told["bytes"], len(self.bytes_of("s")))
        word = (self.folder / self.names[0]).read_text().replace("\u2014", " ").split()[0].strip(",-")
        report = json.loads(self.run_tool("index", "search", "s", word, "--json", "--verify"))
        self.assertIn(self.names[0], report["documents"])
        self.assertEqual(report["boxes"], 60)
        self.assertEqual(self.run_tool("index", "search", "s", "nowhere", "-z", "--verify", status=1),
                         b"")

    def test_small_filters_of_a_given_shape(self):
        told = json.loads(self.run_tool("index", "build", "--set", "bits=32", "--set", "hashes=6",
                                        "-o", "s", "docs", "--json"))
        self.assertLess(told["bytes"], 60 * 50)
        self.refused("index", "build", "--set", "bits=32", "-o", "t", "docs", says="both bits and hashes")

    def test_a_key_is_needed_again(self):
        self.write("key", b"k" * 32)
        self.write("other", b"x" * 32)
        self.run_tool("index", "build", "--key-file", "key", "-o", "s", "docs")
        word = self.words[0]
        found = self.run_tool("index", "search", "--key-file", "key", "s", word, status=None)
        self.assertLessEqual(self.grep("-iw", word), set(lines_of(found)))
        self.refused("index", "search", "s", word, says="--key-file")
        self.refused("index", "search", "--key-file", "other", "s", word, says="not the secret")

    def test_what_cannot_be_read_is_told_and_left_out(self):
        os.symlink("loop", self.folder / "loop")
        os.symlink("..", self.folder / "docs" / "up")
        for name in ("loop", "missing", "docs/00.txt/x"):
            done = self.ended("index", "build", "-o", "s", "docs", name)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(name.encode(), done.stderr)
            report = json.loads(self.ended("index", "build", "-o", "s", "docs", name, "--json").stdout)
            self.assertEqual((report["boxes"], report["skipped"]), (60, 1))
        done = self.ended("index", "build", "-o", "none", "missing")
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 2))
        self.assertFalse((self.folder / "none").exists())
        os.unlink(self.folder / self.names[1])
        first = (self.folder / self.names[0]).read_text().replace("\u2014", " ").split()[0].strip(",-")
        found = self.ended("index", "search", "s", "--verify", first)
        self.assertIn(self.names[0].encode(), found.stdout)

    def test_a_document_that_is_gone_is_told_when_it_is_read(self):
        self.write("one", b"rare\n")
        self.run_tool("index", "build", "-o", "s", "one")
        os.unlink(self.folder / "one")
        self.assertEqual(self.run_tool("index", "search", "s", "rare"), b"one\n")
        self.refused("index", "search", "s", "rare", "--verify", says="one")

    def test_the_shelf_in_its_own_folder_is_left_out(self):
        for _ in range(2):
            told = json.loads(self.run_tool("index", "build", "-o", "docs/s", "docs", "--json"))
            self.assertEqual(told["boxes"], 60)
        before = self.bytes_of("docs/s")
        self.refused("index", "build", "-o", "docs/s", "docs/s", says="both an input and the output")
        self.assertEqual(self.bytes_of("docs/s"), before)

    def test_binary_documents_long_lines_and_names_that_command(self):
        self.write("binary", bytes(range(256)) * 50 + b" needle \0\xff")
        self.write("long", b"hay" * (8 << 20) + b" needle")
        name = "evil\x1b[2J\nname"
        self.write(name, b"needle")
        self.write("empty", b"")
        self.run_tool("index", "build", "-o", "s", "binary", "long", "empty", name)
        self.assertEqual(self.run_tool("index", "search", "s", "needle"),
                         b"binary\nlong\nevil\\x1b[2J\\nname\n")
        self.assertEqual(self.run_tool("index", "search", "s", "-z", "needle", "--verify"),
                         b"binary\0long\0" + name.encode() + b"\0")
        self.assertEqual(json.loads(self.run_tool("index", "search", "s", "needle", "--json"))
                         ["documents"][2], name)

    def test_damaged_shelves_are_refused(self):
        self.write("one", b"a few words\n")
        self.run_tool("index", "build", "-o", "s", "one")
        good = self.bytes_of("s")
        for size in range(0, len(good)):
            self.write("cut", good[:size])
            self.refused("index", "search", "cut", "few", says="cut")
        for verb in (["search", "x", "few"], ["like", "x", "one"]):
            for damage in (good + b"\0", good[:-1] + bytes([good[-1] ^ 1]), b"plain text\n", b""):
                self.write("x", damage)
                self.refused("index", *verb, says="x: ")
        self.run_tool("build", "-o", "f", stdin=b"a\n")
        self.refused("index", "search", "f", "few", says="f: ")
        self.refused("query", "s", "few", says="s: ")
        self.refused("index", "search", "s", "few", "--max-memory", "20", says="limit")

    def test_questions_that_do_not_fit(self):
        self.write("one", b"a few words\n")
        self.run_tool("index", "build", "-o", "s", "one")
        self.refused("index", "search", "s", says="which words")
        self.refused("index", "search", "s", "\u00e9", says="--ngrams")
        self.refused("index", "search", "s", "--substring", "few", says="--ngrams")
        self.refused("index", "search", "s", "--range", "a=1..2", says="--ranges")
        self.refused("index", "like", "s", "one", says="--blocks")
        self.refused("index", "build", "--ngrams", "9", "-o", "t", "one", says="2 to 8")
        self.refused("index", "build", "--blocks", "1", "-o", "t", "one", says="16")
        self.refused("index", "build", "--fields", "1", "-o", "t", "one", says="--ranges")
        self.assertFalse((self.folder / "t").exists())

    def test_licenses_of_debian_against_grep(self):
        if not LICENSES.is_dir():
            self.fail("a Debian system has /usr/share/common-licenses")
        self.run_tool("index", "build", "--fpr", "5%", "-o", "s", LICENSES)
        for word in ("warranty", "patent", "copyleft", "trademark", "Germany", "covenant"):
            done = subprocess.run(["grep", "-rliw", word, LICENSES], env=C_LOCALE,
                                  capture_output=True, timeout=PATIENCE)
            sure = self.run_tool("index", "search", "s", "--verify", word, status=None)
            self.assertEqual(set(lines_of(sure)), set(lines_of(done.stdout)), word)


class Ranges(Tool):
    def setUp(self):
        super().setUp()
        draw = random.Random(2)
        self.rows = [(i, round(draw.lognormvariate(3, 1), 2), draw.randrange(100))
                     for i in range(800)]
        with open(self.folder / "t.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id, quoted", "price", "age"])
            writer.writerows(self.rows)
        self.build = ["index", "build", "--ranges", "64", "--header", "--fields", "price,age"]

    def test_no_row_is_missed_and_verified_it_is_just_those(self):
        self.run_tool(*self.build, "-o", "s", "t.csv")
        draw = random.Random(3)
        for _ in range(40):
            low, high = sorted(draw.uniform(0, 80) for _ in range(2))
            young, old = sorted(draw.randrange(110) for _ in range(2))
            truth = [row for row in self.rows if low <= row[1] <= high and young <= row[2] <= old]
            ranges = ["--range", f"price={low}..{high}", "--range", f"age={young}..{old}"]
            named = lines_of(self.run_tool("index", "search", "s", *ranges, status=None))
            self.assertLessEqual({str(row[0] + 1) for row in truth}, set(named))
            sure = self.run_tool("index", "search", "s", *ranges, "--verify",
                                 status=0 if truth else 1)
            self.assertEqual(lines_of(sure), [",".join(map(str, row)) for row in truth])

    def test_columns_by_number_open_ranges_and_json(self):
        self.write("n.csv", b"5,10\r\n\"2\",20\r\n-3e2,30\n")
        self.run_tool("index", "build", "--ranges", "4", "--fields", "1,2", "-o", "s", "n.csv")
        report = json.loads(self.run_tool("index", "search", "s", "--range", "2=15..", "--range",
                                          "1=..0", "--verify", "--json"))
        self.assertEqual([row["row"] for row in report["found"]], [3])
        self.assertEqual(report["rows"], 3)

    def test_tables_that_are_none_and_ranges_that_are_none(self):
        self.write("bad.csv", b"price,age\n1,2\n3,old\n")
        self.refused(*self.build, "-o", "x", "bad.csv", says="record 3: column 2 is 'old'")
        self.write("short.csv", b"price,age\n1\n")
        self.refused(*self.build, "-o", "x", "short.csv", says="no column 2")
        self.refused(*self.build, "-o", "x", "missing.csv", says="missing.csv")
        self.refused(*self.build, "-o", "x", "t.csv", "bad.csv", says="one table")
        self.refused("index", "build", "--ranges", "4", "-o", "x", "t.csv", says="--fields")
        self.refused("index", "build", "--ranges", "4", "--fields", "price", "-o", "x", "t.csv",
                     says="--header")
        self.assertFalse((self.folder / "x").exists())
        self.run_tool(*self.build, "-o", "s", "t.csv")
        for text, says in [("price", "LOW..HIGH"), ("prize=1..2", "price"), ("price=x..2", "no number"),
                           ("price=3..2", "holds nothing")]:
            self.refused("index", "search", "s", "--range", text, says=says)
        self.refused("index", "search", "s", "price", says="--range")
        self.write("t.csv", b"price,age\n1,2\n")
        self.refused("index", "search", "s", "--range", "price=..", "--verify", says="t.csv")


class Likeness(Tool):
    def setUp(self):
        super().setUp()
        draw = random.Random(4)
        (self.folder / "libs").mkdir()
        self.files = [draw.randbytes(512 * draw.randrange(1, 60) + draw.randrange(512))
                      for _ in range(20)]
        for i, content in enumerate(self.files):
            self.write(f"libs/{i}.so", content)
        self.write("libs/empty", b"")
        self.run_tool("index", "build", "--blocks", "512", "-o", "s", "libs")

    def test_known_files_are_named_by_whatever_name(self):
        for i, content in enumerate(self.files):
            self.write("unknown", content)
            self.assertEqual(self.run_tool("index", "like", "s", "unknown"),
                             f"unknown\tknown\tlibs/{i}.so\n".encode())
        self.write("unknown", random.Random(9).randbytes(5000))
        self.run_tool("index", "like", "s", "unknown", status=1)

    def test_versions_are_ranked_with_an_interval_that_holds(self):
        longest = max(range(20), key=lambda i: len(self.files[i]))
        blocks = [self.files[longest][at:at + 512] for at in range(0, len(self.files[longest]), 512)]
        changed = b"".join(b"!" * len(block) if i < 5 else block for i, block in enumerate(blocks))
        self.write("new", changed)
        mine = {changed[at:at + 512] for at in range(0, len(changed), 512)}
        share = len(mine & set(blocks)) / len(mine)
        report = json.loads(self.run_tool("index", "like", "s", "new", "--json", "--confidence",
                                          "99.9999%"))
        first = report["files"][0]["like"][0]
        self.assertEqual((first["label"], first["known"]), (f"libs/{longest}.so", False))
        self.assertLessEqual(first["share"]["low"], share + 1e-12)
        self.assertGreaterEqual(first["share"]["high"], share - 1e-12)
        self.assertEqual(report["doctored"], [])
        self.write("shifted", b"x" + self.files[longest])  # as the help says
        self.run_tool("index", "like", "s", "shifted", status=1)

    def restated(self, shelf, keys):
        """The same bytes, but that the only box states so many keys: as docs/format.md has them."""
        for at in range(len(shelf) - 8 - 17, 16, -1):
            if at + 17 + (int.from_bytes(shelf[at:at + 8], "little") + 7) // 8 == len(shelf) - 8:
                break
        self.assertLess(at, len(shelf) - 25)
        body = shelf[:at + 8] + keys.to_bytes(8, "little") + shelf[at + 16:-8]
        return body + xxhash.xxh3_64_intdigest(body).to_bytes(8, "little")

    def test_a_doctored_set_is_told(self):
        longest = max(range(20), key=lambda i: len(self.files[i]))
        blocks = -(-len(self.files[longest]) // 512)
        self.run_tool("index", "build", "--blocks", "512", "-o", "one", f"libs/{longest}.so")
        good = self.bytes_of("one")
        self.assertEqual(self.restated(good, blocks + 1), good)
        for keys in (blocks // 2, 2 * blocks):
            self.write("doctored", self.restated(good, keys))
            done = self.ended("index", "like", "doctored", f"libs/{longest}.so", "--json")
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done)
            self.assertIn(b"has been doctored", done.stderr)
            self.assertEqual(json.loads(done.stdout)["doctored"], [f"libs/{longest}.so"])

    def test_a_file_that_is_missing_is_told(self):
        done = self.ended("index", "like", "s", "missing", "libs/3.so")
        self.assertEqual((done.returncode, done.stdout), (2, b"libs/3.so\tknown\tlibs/3.so\n"))
        self.assertIn(b"missing", done.stderr)


if __name__ == "__main__":
    unittest.main()
