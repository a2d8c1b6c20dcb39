"""The command line as a person meets it: help, manual pages, completion, misuse and what is said of it."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from tool import PATIENCE, TOOL, Tool, output, verbs

GROUPS = ["map", "secret"]


def on_terminal(columns, *arguments):
    """What it prints on a terminal of so many columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = b""
    with subprocess.Popen([TOOL, *arguments], stdout=side) as running:
        os.close(side)
        try:
            while piece := os.read(main, 65536):
                shown += piece
        except OSError:  # the other side is closed
            pass
        assert running.wait(PATIENCE) == 0
    os.close(main)
    return shown.decode().replace("\r\n", "\n")


class Help(Tool):
    def test_fits_the_page(self):
        for verb in ["", *GROUPS, *verbs()]:
            for line in output(*verb.split(), "--help").splitlines():
                self.assertLessEqual(len(line), 80, (verb, line))

    def test_fits_narrow_terminals(self):
        for columns in (60, 40):
            for verb in ["", *GROUPS, *verbs()]:
                text = on_terminal(columns, *verb.split(), "--help").split("Examples:\n")[0]
                for line in text.splitlines():
                    alone = len(line.split()) == 1  # a word that no line holds
                    self.assertTrue(len(line) <= columns or alone, (columns, verb, line))
        self.assertEqual(on_terminal(200, "query", "--help"), output("query", "--help"))
        self.assertEqual(on_terminal(10, "query", "--help"), on_terminal(40, "query", "--help"))

    def test_each_verb_has_one_line_under_a_title(self):
        text = output("--help")
        self.assertGreaterEqual(len(re.findall(r"^[A-Z].*:\n  [a-z]", text, re.M)), 6)
        for verb in verbs():
            self.assertRegex(text, rf"(?m)^  {verb}  +[A-Z].*[^.,]$")
        self.assertNotRegex(text, r"(?m)^   ", "a line that goes on")
        self.assertIn("1e7", text)
        self.assertIn("ms, s, m, h or d", re.sub(r"\s+", " ", text))

    def test_verbs_explain_themselves(self):
        for verb in verbs():
            text = output(*verb.split(), "--help")
            self.assertIn(f"Usage: bloomery {verb} [OPTION]...", text)
            self.assertIn("-h, --help", text)
        for group in GROUPS:
            text = output(group, "--help")
            for verb in verbs():
                if verb.startswith(group + " "):
                    self.assertRegex(text, rf"(?m)^  {verb}  +[A-Z]")
        self.assertRegex(output("--version"), r"^\d+\.\d+\.\d+\n$")


class Misuse(Tool):
    def test_complaints_lead_to_the_verbs_help(self):
        self.refused(says="(see bloomery --help)")
        self.refused("frobnicate", says="'frobnicate' is not a verb (see bloomery --help)")
        self.refused("query", says="(see bloomery query --help)")
        self.refused("map", "get", "--frob", "m", says="(see bloomery map get --help)")
        self.refused("map", "frob", says="'frob' is not a verb (see bloomery map --help)")
        self.refused("info", "a", "b", says="'b' is one argument too many (see bloomery info --help)")

    def test_did_you_mean(self):
        for arguments, meant in ((["qurey"], "query"), (["map", "gte"], "get"),
                                 (["build", "--fprr", "1%"], "--fpr"),
                                 (["build", "--kidn=blocked"], "--kind"),
                                 (["build", "--kind", "blokced", "-o", "f"], "blocked"),
                                 (["build", "--set", "hases=3", "-o", "f"], "hashes"),
                                 (["kinds", "cukoo"], "cuckoo"), (["man", "unoin"], "union")):
            self.refused(*arguments, says=f"; did you mean '{meant}'?")

    def test_options_take_one_word_each(self):
        self.write("pw.txt", b"a\nb\n")
        self.run_tool("build", "--set", "bits=640", "--set", "hashes=8", "-o", "f", "pw.txt")
        self.assertEqual(self.info("f")["shape"]["hashes"], 8)
        self.run_tool("build", "-o", "g", "--fpr", "9%", "--set", "hashes=2", "pw.txt")
        self.assertEqual(self.run_tool("query", "f", "-f", "pw.txt", "zz", "b"), b"b\na\nb\n")
        self.refused("query", "f", "-f", says="--file")

    def test_keys_are_taken_as_they_are(self):
        keys = ["[a,b]", "[]", "build", "--", "'", " ", "\u00e9"]
        self.run_tool("build", "--keys", "9", "-o", "f", stdin="\n".join(keys).encode() + b"\n")
        self.assertEqual(self.run_tool("query", "f", "--", *keys).decode().splitlines(), keys)

    def test_numbers_as_people_write_them(self):
        self.refused("build", "--field", "0", "-o", "f", says="--field is '0'; allowed: the number")
        for keys in ("1e3", "1,000", "1k"):
            self.run_tool("build", "--keys", keys, "-o", keys, stdin=b"a\n")
            self.assertEqual(self.info(keys)["promised"]["keys"], 1000)
        self.run_tool("build", "--keys", "1k", "--memory", "64M", "-o", "f", stdin=b"a\n")
        self.refused("build", "--keys", "1k", "--memory", "1", "-o", "f", stdin=b"a\n", says="--memory of 1 ")
        self.assertIn("ms, s, m, h, d", re.sub(r"\s+", " ", output("build", "--help")))

    def test_drawings_are_svg_by_name(self):
        for arguments in (["plan", "--keys", "1k", "--plot"],
                          ["bench", "--keys", "1k", "--kind", "standard", "--chart"]):
            self.refused(*arguments, "x.png", says="does not end in .svg")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_key_that_names_a_file(self):
        self.write("list.txt", b"a\nb\n")
        self.run_tool("build", "--keys", "9", "-o", "f", "list.txt")
        note = (b"bloomery: 'list.txt' is taken as a key, though there is a file of that name; "
                b"-f FILE reads the lines of one\n")
        self.run_tool("query", "f", "list.txt", status=1, notes=note)
        self.run_tool("add", "f", "list.txt", notes=note)
        self.run_tool("query", "-q", "f", "list.txt")
        self.run_tool("query", "f", "list.txt", "-f", "list.txt")
        self.run_tool("query", "f", stdin=b"list.txt\n")
        self.run_tool("query", "f", "f", status=1)  # a filter has no lines to read
        self.write("other", b"")
        self.run_tool("query", "f", "list.txt", "other", "a",
                      notes=note.replace(b"name;", b"name, as of 1 others;"))

    def test_a_keyed_filter_asks_for_its_key_file(self):
        self.write("key", bytes(range(32)))
        self.run_tool("build", "--keys", "9", "--key-file", "key", "-o", "f", stdin=b"a\n")
        self.refused("query", "f", "a", says="--key-file")

    def test_remove_tells_whether_keys_stayed(self):
        self.run_tool("build", "--kind", "counting", "--keys", "9", "-o", "f", stdin=b"a\nb\nc\n")
        self.run_tool("remove", "f", "a", "stranger", status=1,
                      notes=b"bloomery: 1 of 2 keys were not removed: 'stranger'\n")
        self.run_tool("remove", "f", "b", "c")
        self.run_tool("remove", "f", stdin=b"")

    def test_files_at_fault_are_named(self):
        self.write("garbage", b"no filter")
        self.run_tool("build", "--keys", "9", "-o", "good", stdin=b"a\n")
        for arguments in (["info", "garbage"], ["query", "garbage", "a"], ["add", "garbage", "a"],
                          ["union", "good", "garbage", "-o", "x"], ["estimate", "good", "garbage"],
                          ["diff", "good", "garbage", "-o", "x"], ["fold", "garbage", "-o", "x"],
                          ["route", "-l", "garbage", "a"], ["map", "get", "garbage", "a"],
                          ["secret", "public", "garbage", "-o", "x"],
                          ["build", "--key-file", "garbage", "-o", "x"],
                          ["advertise", "garbage", "-o", "x"], ["compress", "garbage", "-o", "x"],
                          ["convert", "garbage", "-f", "garbage", "-o", "x"]):
            self.refused(*arguments, says="garbage")
        for arguments in (["map", "get", "good", "a"],
                          ["top", "good"], ["age", "good"], ["plain", "good", "-o", "x"],
                          ["count", "good", "a"], ["route", "-l", "good", "a"],
                          ["remove", "good", "a"], ["near", "good", "a"], ["search", "good", "a"]):
            self.refused(*arguments, says="good")

    def test_complaints_echo_no_commands_and_little_else(self):
        for nasty in ("a\nb", "\x1b[2J\x07", "\u202etxt", "x" * 100_000):
            for arguments in ([nasty], ["query", nasty], ["query", "--" + nasty, "f"],
                              ["build", "--keys", nasty, "-o", "f"], ["kinds", nasty],
                              ["build", "--kind", nasty, "-o", "f"], ["map", nasty],
                              ["build", "--set", nasty, "-o", "f"], ["figures", ".", nasty],
                              ["build", "--seed", nasty, "-o", "f"], ["info", "f", nasty],
                              ["build", "-o", "f", nasty], ["build", "-t", nasty, "-o", "f"]):
                message = self.refused(*arguments).rstrip("\n")
                self.assertTrue(message.isprintable(), message)
                self.assertLess(len(message), 2600)
            pairs = f"k{nasty}\t1\nk{nasty}\t2\n".encode()
            for arguments in (["map", "build", "-z", "-t", ":", "-o", "m"],
                              ["secret", "new", "--kind", nasty, "-o", "s"],
                              ["secret", "share", nasty, "a", "b", "-o", "s"],
                              ["secret", "new", "--kind", "oblivious", "--protocol", nasty, "-o", "s"],
                              ["info", "x://" + nasty],
                              ["completion", nasty], ["man", nasty], ["plan", "--window", nasty]):
                stdin = pairs.replace(b"\t", b":").replace(b"1\nk", b"1\0k") if "-z" in arguments else b""
                message = self.refused(*arguments, stdin=stdin).rstrip("\n")
                self.assertTrue(message.isprintable(), message)
                self.assertLess(len(message), 1000)
        done = subprocess.run([TOOL.encode(), b"query", b"\xff\xfe"], capture_output=True)
        self.assertIn(b"\\xff\\xfe", done.stderr)
        self.run_tool("build", "--kind", "counting", "--keys", "9", "-o", "f", stdin=b"a\n")
        self.run_tool("remove", "f", "\x1b[2J", status=1,
                      notes=b"bloomery: 1 of 1 keys were not removed: '\\x1b[2J'\n")


class Manual(Tool):
    def test_pages_are_clean_and_complete(self):
        self.run_tool("man", "--all", "pages")
        pages = sorted(os.listdir(self.folder / "pages"))
        self.assertEqual(pages, sorted(["bloomery.1", *("bloomery-" + verb.replace(" ", "-") + ".1"
                                                        for verb in verbs())]))
        environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"}
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-l", self.folder / "pages" / page],
                                  env=environment, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            text = re.sub(r"\s+", " ", done.stdout)
            if page == "bloomery.1":
                continue
            verb = page[len("bloomery-"):-2].replace("-", " ")
            self.assertIn("bloomery " + verb, text)
            for option in re.findall(r"^  (-\S+)", output(*verb.split(), "--help"), re.M):
                self.assertIn(option.rstrip(","), text)
        self.assertEqual(self.run_tool("man", "map", "get"),
                         self.bytes_of("pages/bloomery-map-get.1"))


class Completion(Tool):
    def script(self, shell):
        path = self.folder / ("bloomery." + shell)
        path.write_bytes(self.run_tool("completion", shell))
        return path

    def run_shell(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              cwd=self.folder, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout.split("\n")[:-1]

    def in_bash(self, *words):
        listed = " ".join(f"'{word}'" for word in words)
        return self.run_shell("bash", "--norc", "-c", f"source bloomery.bash; COMP_WORDS=({listed}); "
                              f"COMP_CWORD={len(words) - 1}; _bloomery; "
                              "((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"; true")

    def test_shells_can_read_them(self):
        for shell in ("bash", "zsh", "fish"):
            self.run_shell(shell, "-n", self.script(shell))
        self.refused("completion", "csh", says="bash, zsh, fish")

    def test_bash_completes(self):
        self.script("bash")
        kinds = [kind for kind in self.kinds_that() if kind.startswith("block")]
        self.assertEqual(self.in_bash("bloomery", "bu"), ["build"])
        self.assertEqual(set(self.in_bash("bloomery", "")),
                         {verb.split()[0] for verb in verbs()} | {"--help", "--version"})
        self.assertEqual(self.in_bash("bloomery", "map", "g"), ["get"])
        self.assertEqual(self.in_bash("bloomery", "build", "--ki"), ["--kind"])
        self.assertEqual(self.in_bash("bloomery", "build", "--kind", "block"), kinds)
        self.assertEqual(self.in_bash("bloomery", "build", "--kind", "=", "block"), kinds)
        self.assertEqual(self.in_bash("bloomery", "kinds", "block"), kinds)
        self.assertEqual(self.in_bash("bloomery", "build", "--kind", "count-min", "--set", "t"),
                         ["top="])
        self.assertEqual(self.in_bash("bloomery", "secret", "new", "--protocol", ""), ["rsa", "oprf"])
        self.assertEqual(self.in_bash("bloomery", "secret", "share", "o"), ["owner"])
        self.assertEqual(self.in_bash("bloomery", "build", "--fpr", ""), [])
        self.assertEqual(self.in_bash("bloomery", "query", ""), [], "bash then completes file names")

    def test_fish_completes(self):
        self.script("fish")

        def completed(line):
            said = self.run_shell("fish", "--no-config", "-c", "source bloomery.fish; complete -C '" + line + "'")
            return {word.split("\t")[0] for word in said}
        self.assertEqual(completed("bloomery bu"), {"build"})
        self.assertEqual(completed("bloomery map "), {"build", "get", "set"})
        self.assertIn("--kind", completed("bloomery build --ki"))
        self.assertNotIn("--kind", completed("bloomery map get --ki"))
        self.assertIn("blocked", completed("bloomery build --kind "))

    def test_a_tabulator_completes(self):
        self.script("bash")
        main, side = pty.openpty()
        shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=side, stdout=side,
                                 stderr=side, cwd=self.folder, start_new_session=True,
                                 env={**os.environ, "TERM": "dumb", "PS1": "$ ", "INPUTRC": "/dev/null"})
        os.close(side)
        os.write(main, b"source bloomery.bash; bloomery() { echo \"<$*>\"; }\n")
        os.write(main, b"bloomery inters\t\n")
        shown = b""
        while b"<intersect>" not in shown:
            shown += os.read(main, 65536)  # fails once the shell has ended
        os.write(main, b"exit\n")
        os.close(main)
        shell.wait(PATIENCE)


if __name__ == "__main__":
    unittest.main()
