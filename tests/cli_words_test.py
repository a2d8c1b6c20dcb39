"""The tool as a person uses it: words spell, list, screen and hyphenate."""
import ctypes
import json
import os
import pathlib
import random
import subprocess
import unittest

from tool import GOLDEN, TOOL, Tool, fewest_of, most_of

WORDS = pathlib.Path("/usr/share/dict/words")
PATTERNS = pathlib.Path("/usr/share/hyphen/hyph_en_US.dic")


class Spell(Tool):
    @classmethod
    def setUpClass(cls):
        cls.words = WORDS.read_bytes().split()

    def setUp(self):
        super().setUp()
        self.run_tool("build", "--fpr", "0.1%", "-o", "w", WORDS)

    def spell(self, text, *options, status=0):
        return self.run_tool("words", "spell", "w", *options, stdin=text.encode(), status=status)

    def test_every_word_of_the_list_is_accepted_also_in_capitals(self):
        self.assertEqual(self.run_tool("words", "spell", "w", WORDS, status=1), b"")
        lower = b"\n".join(w for w in self.words if w.isalpha() and w.islower())
        self.assertEqual(self.run_tool("words", "spell", "w", stdin=lower.upper(), status=1), b"")
        self.assertEqual(self.run_tool("words", "spell", "w", stdin=lower.title(), status=1), b"")

    def test_words_of_a_text(self):
        text = "The qick 'brown' fox; it\u2019s Londons's\nMP3 x86 \u00c9lan\u2014jmps LONDON'S tHe\n"
        self.assertEqual(self.spell(text).decode().split(), ["qick", "Londons's", "jmps", "tHe"])
        self.assertEqual(self.spell(text, "-n").decode().split(),
                         ["1:qick", "1:Londons's", "2:jmps", "2:tHe"])
        self.assertEqual(self.spell(text, "-c"), b"4\n")
        self.assertEqual(self.spell(text, "-q"), b"")
        self.assertEqual(self.spell("the cat", "-c", status=1), b"0\n")
        report = json.loads(self.spell("the\n\ncaat\n", "--json"))
        self.assertEqual(report, {"words": 2, "misspelt": 1, "list": [
            {"word": "caat", "file": "standard input", "line": 3}]})

    def test_lines_are_numbered_in_each_file(self):
        self.write("a", b"good\n" * 200_000 + b"baad\n")
        self.write("b", b"good\nwrongg")
        self.assertEqual(self.run_tool("words", "spell", "-n", "w", "a", "b", "a"),
                         b"a:200001:baad\nb:2:wrongg\na:200001:baad\n")

    def test_misspellings_are_missed_at_the_rate(self):
        listed = set(self.words)
        draw = random.Random(1)
        wrong = set()
        while len(wrong) < 100_000:
            word = draw.choice(self.words)
            i = draw.randrange(len(word))
            word = word[:i] + bytes([draw.randrange(97, 123)]) + word[i:]
            if word.isalpha() and word.islower() and word not in listed:
                wrong.add(word)
        text = b"\n".join(sorted(wrong))
        rate = self.info("w")["current_rate"]
        missed = len(wrong) - int(self.run_tool("words", "spell", "-c", "w", stdin=text))
        self.assertLessEqual(missed, most_of(len(wrong), rate))
        self.assertGreaterEqual(missed, fewest_of(len(wrong), rate))

    def test_any_kind_that_answers_for_keys(self):
        for kind in ("ribbon", "cuckoo", "counting"):
            self.run_tool("build", "--kind", kind, "--fpr", "0.01%", "-o", "k", stdin=b"right\n")
            self.assertEqual(self.run_tool("words", "spell", "k", stdin=b"Right wrong"), b"wrong\n")
        self.write("key", b"k" * 32)
        self.run_tool("build", "--key-file", "key", "-o", "k", stdin=b"right\n")
        self.assertEqual(self.run_tool("words", "spell", "--key-file", "key", "k",
                                       stdin=b"right wrong"), b"wrong\n")
        self.refused("words", "spell", "k", stdin=b"right", says="key")

    def test_what_is_no_text_or_no_filter(self):
        self.run_tool("words", "spell", "w", stdin=os.urandom(1_000_000), status=None)
        self.assertEqual(self.run_tool("words", "spell", "w", stdin=b"", status=1), b"")
        endless = b"a" * 20_000_000
        self.assertEqual(self.run_tool("words", "spell", "w", stdin=endless), endless + b"\n")
        self.refused("words", "spell", "w", "missing", says="missing")
        self.refused("words", "spell", "w", ".", says=".: ")
        self.refused("words", "spell", "missing", says="missing")
        self.refused("words", "spell", WORDS, says="words")
        self.refused("words", "spell", GOLDEN / "hierarchical.bloom", stdin=b"a", says="hierarchical")
        self.refused("words", "spell", GOLDEN / "secure-index.bloom", stdin=b"a", says="secure-index")


class Screen(Tool):
    POOR = b"password\ndragon\nletmein\n\xc3\xa9t\xc3\xa9\n"

    def setUp(self):
        super().setUp()
        self.write("poor", self.POOR)
        self.run_tool("words", "list", "--fpr", "0.0001%", "-o", "f", "poor")

    def screen(self, passwords, *options, status=0):
        return self.run_tool("words", "screen", "f", *options, stdin=passwords, status=status)

    def test_what_is_near_is_refused(self):
        tried = "dragon Dragon drago dragoon DRAGON ragon dragon12 \u00e9t\u00e9 ete \u00e9te \u20act\u00e9"
        lines = "\n".join(tried.split()).encode()
        refused = "dragon Dragon drago dragoon ragon \u00e9t\u00e9 \u00e9te \u20act\u00e9".split()
        self.assertEqual(self.screen(lines).decode().split(), refused)
        self.assertEqual(self.screen(lines, "-v").decode().split(), ["DRAGON", "dragon12", "ete"])
        self.assertEqual(self.screen(lines, "-c"), b"8\n")
        self.assertEqual(self.screen(lines, "--distance", "0").decode().split(),
                         ["dragon", "\u00e9t\u00e9"])
        self.assertEqual(json.loads(self.screen(b"dragon\nother words\n", "--json")),
                         {"asked": 2, "refused": 1, "list": ["dragon"]})
        self.assertEqual(json.loads(self.screen(b"dragon\nother words\n", "--json", "-v", "-c")),
                         {"asked": 2, "allowed": 1})
        self.screen(b"other words\n", status=1)

    def test_the_form_that_pam_needs(self):
        for end in (b"", b"\0", b"\n\0"):  # as versions of pam_exec write it, or as a line
            pam = ("-q", "-v", "-z") if end != b"\n\0" else ("-q", "-v")
            text = end if end != b"\n\0" else b"\n"
            self.screen(b"correct horse" + text, *pam, status=0)
            self.screen(b"dragon1" + text, *pam, status=1)
        self.screen(b"", "-q", "-v", "-z", status=1)  # no password, no entry

    def test_the_list(self):
        report = json.loads(self.run_tool("words", "list", "--fpr", "0.1%", "--kind", "blocked",
                                          "--json", "-o", "g", "poor"))
        self.assertEqual((report["kind"], report["words"]), ("blocked", 4))
        for each in report["refused_by_chance"]:
            self.assertAlmostEqual(each["share"], 1 - (1 - 0.001) ** (2 * each["length"] + 2))
        self.assertEqual(self.run_tool("words", "list", "--fpr", "0.0001%", "-o", "-", "poor"),
                         self.bytes_of("f"))
        self.run_tool("words", "list", "--fpr", "0.0001%", "-o", "empty", stdin=b"")
        self.run_tool("words", "screen", "empty", stdin=b"anything\n", status=1)
        self.write("key", b"k" * 32)
        self.run_tool("words", "list", "--key-file", "key", "-o", "k", "poor")
        self.assertEqual(self.run_tool("words", "screen", "--key-file", "key", "k",
                                       stdin=b"dragom\nother words\n"), b"dragom\n")
        self.refused("words", "screen", "k", stdin=b"dragon\n", says="key")

    def test_two_lists_are_one_after_a_union(self):
        made = ["words", "list", "--kind", "standard", "--fpr", "0.0001%"]
        self.run_tool(*made, "-o", "a", stdin=b"dragon\n")
        self.run_tool(*made, "-o", "b", stdin=b"monkey\n")
        self.run_tool("union", "a", "b", "-o", "c", notes=None)  # it is over-filled
        self.assertEqual(self.run_tool("words", "screen", "c", stdin=b"drgon\nmoonkey\nlion\n"),
                         b"drgon\nmoonkey\n")

    def test_a_filter_of_words_alone_is_refused_rather_than_trusted(self):
        self.run_tool("build", "--fpr", "0.0001%", "-o", "plain", "poor")
        self.refused("words", "screen", "plain", stdin=b"dragom\n", says="plain: ")
        self.assertEqual(self.run_tool("words", "screen", "--distance", "0", "plain",
                                       stdin=b"dragom\ndragon\n"), b"dragon\n")

    def test_nonsense(self):
        self.refused("words", "screen", "--distance", "2", "f", says="2")
        self.refused("words", "screen", "missing", says="missing")
        self.refused("words", "screen", "poor", says="poor")
        self.refused("words", "screen", "f", "missing", says="missing")
        self.refused("words", "list", "-o", "out", "missing", says="missing")
        self.refused("words", "list", "-o", "poor", "poor", says="poor")
        self.refused("words", "list", "-o", "gone/out", "poor", says="gone")
        self.refused("words", "list", "--kind", "stable", "-o", "out", "poor", says="may miss")
        self.refused("words", "list", "--kind", "nokind", "-o", "out", "poor", says="nokind")
        self.refused("words", "list", "--fpr", "2", "-o", "out", "poor", says="2")
        self.refused("words", "list", "-o", "out", stdin=b"x" * 300, says="256 characters")
        self.refused("words", "list", "-o", "out", stdin=b"x" * 30_000_000, says="256 characters")
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(self.bytes_of("poor"), self.POOR)
        self.screen(b"x" * 30_000_000, status=1)
        self.screen(os.urandom(1_000_000), status=None)
        damaged = bytearray(self.bytes_of("f"))
        damaged[-1] ^= 1
        self.write("f", bytes(damaged))
        self.refused("words", "screen", "f", stdin=b"x", says="f: ")

    @unittest.skipUnless(os.environ.get("BLOOMERY_FULL"), "--full: needs pamtester")
    def test_pam_refuses_what_is_near(self):
        """The line of docs/systems/gate.md, in a mount namespace of its own."""
        services = self.folder / "pam.d"
        services.mkdir()
        (services / "trial").write_text(
            f"auth requisite pam_exec.so expose_authtok quiet {TOOL} words screen -q -v -z "
            f"{self.folder}/f\nauth required pam_permit.so\n")
        for password, status in ((b"dragon", 1), (b"drag0n", 1), (b"correct horse", 0)):
            done = subprocess.run(
                ["unshare", "-rm", "sh", "-c", f"mount --bind '{services}' /etc/pam.d && "
                 "exec pamtester trial root authenticate"],
                input=password + b"\n", capture_output=True)
            self.assertEqual(done.returncode, status, (password, done))


class Hyphenate(Tool):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.CDLL("libhyphen.so.0")
        cls.library.hnj_hyphen_load.restype = ctypes.c_void_p

    def by_libhyphen(self, patterns, words):
        """As libhyphen marks them; lower case, as its callers must."""
        loaded = ctypes.c_void_p(self.library.hnj_hyphen_load(str(patterns).encode()))
        marked = []
        for word in words:
            points = ctypes.create_string_buffer(len(word) + 5)
            text = ctypes.create_string_buffer(2 * len(word) + 5)
            nothing = [ctypes.byref(ctypes.c_void_p()) for _ in range(3)]
            self.library.hnj_hyphen_hyphenate2(loaded, word, len(word), points, text, *nothing)
            marked.append(text.value)
        self.library.hnj_hyphen_free(loaded)
        return marked

    def test_every_word_is_hyphenated_as_by_libhyphen(self):
        words = WORDS.read_bytes().lower().split()  # of ASCII; the patterns have no others
        expected = self.by_libhyphen(PATTERNS, words)
        for options in ([], ["--rules", "3500"], ["--rules", "0"], ["--rules", "100k"]):
            printed = self.run_tool("words", "hyphenate", "--mark", "=", *options, WORDS)
            self.assertEqual(printed.lower().split(), expected, options)

    def test_the_table_is_read_for_a_tenth_of_the_words(self):
        done = self.ended("words", "hyphenate", "--rules", "3500", "--json", WORDS)
        report = json.loads(done.stderr)
        self.assertEqual(report["words"], len(WORDS.read_bytes().split()))
        self.assertEqual(report["hyphens"], done.stdout.count(b"-"))
        self.assertEqual(report["rules"], 3500)
        self.assertLess(report["exceptions"], 0.12 * report["words"])
        strangers = report["words"] - (report["table_reads"] - report["needless_reads"])
        self.assertLessEqual(report["needless_reads"], most_of(strangers, 0.01))

    def random_patterns(self, draw, letters):
        lines = ["UTF-8", f"LEFTHYPHENMIN {draw.randrange(1, 4)}",
                 f"RIGHTHYPHENMIN {draw.randrange(2, 4)}",
                 f"COMPOUNDLEFTHYPHENMIN {draw.randrange(2, 4)}",
                 f"COMPOUNDRIGHTHYPHENMIN {draw.randrange(2, 4)}"]
        levels = draw.choice([1, 2])
        for level in range(levels):
            if level > 0:
                lines.append("NEXTLEVEL")
            elif levels == 2:
                lines.append("NOHYPHEN " + ",".join(draw.sample(letters, 2)))
            for _ in range(draw.randrange(2, 30)):
                parts = draw.choices(letters, k=draw.randrange(1, 5))
                inside = "".join(p + str(draw.choice(["", "", 1, 2, 3])) for p in parts)
                line = draw.choice(["", "", ".", "1"]) + inside + draw.choice(["", "", "."])
                lines.append(line.replace("..", "."))
        return "\n".join(lines) + "\n"

    def test_patterns_of_chance_mean_what_they_mean_to_libhyphen(self):
        draw = random.Random(1)
        letters = ["a", "b", "c", "\u00e9", "\ufb03"]
        for _ in range(300 if os.environ.get("BLOOMERY_FULL") else 60):
            text = self.random_patterns(draw, letters)
            name = self.write("p", text.encode())
            words = ["".join(draw.choices([*letters, "'", "4"], k=draw.randrange(1, 14)))
                     for _ in range(200)]
            # What the tool sees as one word: no apostrophe at an end, none beside another.
            words = [w for w in words if not w.startswith("'") and not w.endswith("'") and "''" not in w]
            words = [w.encode() for w in words]
            expected = self.by_libhyphen(self.folder / name, words)
            printed = self.run_tool("words", "hyphenate", "--patterns", name, "--mark", "=",
                                    stdin=b"\n".join(words) + b"\n")
            self.assertEqual(printed.split(), expected, text)

    def test_texts_keep_all_else(self):
        text = ("Hyphenation,  CONSIDERABLE \u201ccomplexity\u201d\tisn't\n\n"
                "well-known\u2014Algorithms 42 \xff\n").encode("utf-8", "surrogateescape")
        marked = self.run_tool("words", "hyphenate", stdin=text)
        self.assertEqual(marked.decode(), "Hy-phen-ation,  CON-SID-ER-ABLE "
                         "\u201ccom-plex-ity\u201d\tisn't\n\nwell-known\u2014Al-go-rithms 42 \xff\n")
        soft = self.run_tool("words", "hyphenate", "--mark", "\u00ad", stdin=text)
        self.assertEqual(soft.replace("\u00ad".encode(), b""), text)
        self.assertEqual(self.run_tool("words", "hyphenate", stdin=b""), b"")
        endless = b"a" * 20_000_000 + b"\n"
        self.assertEqual(self.run_tool("words", "hyphenate", stdin=endless), endless)
        noise = random.Random(1).randbytes(1_000_000) + b"\n"
        marked = self.run_tool("words", "hyphenate", "--mark", "<a hyphen>", stdin=noise)
        self.assertEqual(marked.replace(b"<a hyphen>", b""), noise)

    def test_what_are_no_patterns(self):
        def refused(content, says):
            self.write("p", content)
            self.refused("words", "hyphenate", "--patterns", "p", stdin=b"word\n", says=says)
        refused(b"", "p: line 1")
        refused(os.urandom(100_000), "p: line 1")
        refused(b"UTF-8\n" + b"a" * 200, "p: line 2")
        refused(b"UTF-8\nf1f/ff=f,1,2\n", "p: line 2")
        refused(b"UTF-8\n" + b"a1b\n" * 2_000_000, "4")
        refused(b"ISO8859-1\n\xe91\n", "iconv")
        self.refused("words", "hyphenate", "--patterns", "missing", says="hyphen-en-us")
        self.refused("words", "hyphenate", "--patterns", ".", says=".")
        self.refused("words", "hyphenate", "--rules", "x", says="x")
        self.refused("words", "hyphenate", "--rules", "10", "--words", "missing", says="missing")
        self.refused("words", "hyphenate", "--rules", "10", "--kind", "stable", says="may miss")
        self.refused("words", "hyphenate", "missing", says="missing")


class Experiments(Tool):
    def test_hyphenation(self):
        report = json.loads(self.run_tool("lab", "T1", "--json"))
        self.assertEqual([n["times"] for n in report["nevers"]], [0, 0])

    @unittest.skipUnless(os.environ.get("BLOOMERY_FULL"), "--full: needs codespell, john-data, passwdqc")
    def test_spelling_and_screening(self):
        for seed in ("1", "2"):
            self.run_tool("lab", "T2", "--seed", seed)
            report = json.loads(self.run_tool("lab", "T3", "--seed", seed, "--json"))
            self.assertGreater(report["nevers"][1]["chances"], 4_000_000)


if __name__ == "__main__":
    unittest.main()
