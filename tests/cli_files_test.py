"""What verbs do with the files they change and write: locks, inputs, signals, owners."""
import array
import fcntl
import json
import os
import pty
import resource
import signal
import socket
import subprocess
import termios
import time
import unittest

from tool import PATIENCE, TOOL, Tool, lines


class Locks(Tool):
    def start(self, *arguments, **how):
        return subprocess.Popen([TOOL, *map(str, arguments)], cwd=self.folder, **how)

    def at_once(self, commands):
        """Runs each list of commands in a process of its own, all at the same time; all succeed."""
        script = 'tool=$1; shift; while read -r line; do eval "\\"$tool\\" $line" || exit; done'
        running = []
        for listed in commands:
            running.append(subprocess.Popen(["bash", "-c", script, "-", TOOL], cwd=self.folder,
                                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
        for process, listed in zip(running, commands):
            process.stdin.write("".join(line + "\n" for line in listed).encode())
            process.stdin.close()
        for process in running:
            self.assertEqual(process.wait(PATIENCE), 0)

    def build(self, name, *options, stdin=b"old\n"):
        self.run_tool("build", "--keys", "1000", *options, "-o", name, stdin=stdin)

    def test_no_key_of_eight_processes_is_lost(self):
        self.build("f", "--fpr", "1e-9", stdin=b"")
        (self.folder / "link").symlink_to("f")
        keys = [[f"p{p}-{i}" for i in range(50)] for p in range(8)]
        self.at_once([[f"add {'link' if p % 2 else 'f'} {key}" for key in keys[p]]
                      for p in range(8)])
        asked = "".join(key + "\n" for listed in keys for key in listed).encode()
        self.assertEqual(self.run_tool("query", "-c", "f", stdin=asked), b"400\n")
        self.assertEqual(self.info("f")["items"], 400)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["f", "link"])

    def test_no_removal_or_value_of_several_processes_is_lost(self):
        self.build("c", "--kind", "counting", "--fpr", "1e-6", stdin=lines(0, 100, "k"))
        pairs = b"".join(b"k%d\t%d\n" % (i, i % 4) for i in range(100))
        self.run_tool("map", "build", "--kind", "bloomier-mutable", "--fpr", "1e-6", "-o", "m",
                      stdin=pairs)
        for p in range(4):
            for i in range(25):
                self.write(f"v{25 * p + i}", b"k%d\t%d\n" % (25 * p + i, (i + 1) % 4))
        numbers = [range(25 * p, 25 * p + 25) for p in range(4)]
        self.at_once([[f"remove c k{i}" for i in own] for own in numbers])
        self.assertEqual(self.run_tool("query", "-c", "c", stdin=lines(0, 100, "k"), status=1),
                         b"0\n")
        self.at_once([[f"map set m v{i}" for i in own] for own in numbers])
        answers = self.run_tool("map", "get", "m", stdin=lines(0, 100, "k")).split(b"\n")
        self.assertEqual(answers[:100], [b"k%d\t%d" % (i, (i % 25 + 1) % 4) for i in range(100)])

    def waits(self, changed, *arguments):
        """While another has the lock, the verb refuses if told so, and waits otherwise."""
        path = self.folder / changed
        before = path.read_bytes()
        with open(path, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.refused(*arguments, "--no-wait", says=f"{changed}: another process is changing it")
            verb = self.start(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
            self.let_wait(verb)
            self.assertEqual(path.read_bytes(), before, arguments)
        self.assertEqual(verb.wait(PATIENCE), 0, arguments)
        self.assertNotIn(b"waiting", verb.stderr.read(), arguments)
        verb.stderr.close()

    def let_wait(self, process):
        """Until the kernel lists it as one that waits for a lock; fails if it ends first."""
        while True:
            ended = process.poll()
            with open("/proc/locks", encoding="utf-8") as listed:
                if any("->" in line.split() and str(process.pid) in line.split() for line in listed):
                    return
            self.assertIsNone(ended, process.args)
            time.sleep(0.01)

    def test_every_verb_that_rewrites_waits_for_the_lock(self):
        self.write("keys", lines(0, 100))
        for name, kind in (("f", "standard"), ("g", "standard"), ("c", "counting"),
                           ("s", "state-machine"), ("near", "attenuated"), ("out", "standard")):
            self.build(name, "--kind", kind)
        self.run_tool("build", "--set", "bits=1024", "--set", "hashes=3", "-o", "large", "keys")
        self.run_tool("add", "g", "new")
        self.run_tool("diff", "f", "g", "-o", "delta")
        self.write("pairs", b"old\t1\n")
        self.run_tool("map", "build", "--kind", "bloomier-mutable", "-o", "m", "pairs")
        self.waits("f", "patch", "f", "delta", "-o", "f")
        self.waits("f", "add", "f", "key")
        self.waits("c", "remove", "c", "old")
        self.waits("m", "map", "set", "m", "pairs")
        self.waits("s", "age", "s")
        self.waits("large", "fold", "large", "-o", "large")
        self.waits("f", "retouch", "f", "--random-bits", "1", "-o", "f")
        self.waits("c", "plain", "c", "-o", "c")
        self.waits("g", "compress", "g", "-o", "g")
        self.waits("g", "compress", "-d", "g", "-o", "g")
        # Verbs whose output is another file replace one that may be in use.
        self.waits("out", "union", "g", "g", "-o", "out")
        self.waits("out", "intersect", "g", "g", "-o", "out")
        self.waits("out", "advertise", "near", "-o", "out")
        self.waits("out", "diff", "g", "g", "-o", "out")
        self.waits("out", "convert", "g", "-f", self.write("held", b"old\n"), "-o", "out")
        self.waits("out", "build", "-o", "out", "keys")
        self.waits("out", "map", "build", "-o", "out", "pairs")

    def test_a_union_into_its_first_filter_waits_too(self):
        self.build("f")
        self.build("g", stdin=b"new\n")
        self.waits("f", "union", "f", "g", "-o", "f")
        self.assertEqual(self.run_tool("query", "-c", "f", "old", "new"), b"2\n")
        self.waits("f", "intersect", "f", "g", "-o", "f")
        self.run_tool("query", "f", "old", status=1)

    def test_a_file_replaced_meanwhile_is_locked_anew(self):
        self.build("f")
        self.build("next", stdin=b"")
        with open(self.folder / "f", "rb") as first:
            fcntl.flock(first, fcntl.LOCK_EX)
            adding = self.start("add", "f", "key")
            self.let_wait(adding)
            second = open(self.folder / "next", "rb")
            fcntl.flock(second, fcntl.LOCK_EX)
            os.rename(self.folder / "next", self.folder / "f")
        # The lock on the old file is free, and that file is nobody's: the one on the new one counts.
        self.let_wait(adding)
        second.close()
        self.assertEqual(adding.wait(PATIENCE), 0)
        self.run_tool("query", "f", "key")
        self.run_tool("query", "f", "old", status=1)

    def test_a_person_is_told_of_the_wait(self):
        self.build("f")
        ours, its = pty.openpty()
        with open(self.folder / "f", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            adding = self.start("add", "f", "key", stderr=its)
            os.close(its)
            told = os.read(ours, 1000)
        self.assertEqual(told, b"bloomery: f: waiting for another process that is changing it\r\n")
        self.assertEqual(adding.wait(PATIENCE), 0)
        os.close(ours)

    def test_readers_wait_for_nobody(self):
        self.build("f")
        with open(self.folder / "f", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.run_tool("query", "f", "old")
            self.run_tool("info", "f")
            self.run_tool("fold", "f", "-o", "-", status=None)

    def test_a_report_is_given_without_the_lock(self):
        # More than a pipe holds: the verb is not done before it is read.
        self.build("c", "--kind", "counting")
        many = self.write("many", lines(0, 20_000))
        removing = self.start("remove", "--json", "c", "-f", many, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        self.assertEqual(os.read(removing.stdout.fileno(), 1), b"{")
        self.run_tool("add", "--no-wait", "c", "key")
        json.loads(b"{" + removing.stdout.read())
        removing.stdout.close()
        removing.wait(PATIENCE)


class Inputs(Tool):
    def setUp(self):
        super().setUp()
        self.write("keys", lines(0, 100))
        for name, kind in (("f", "standard"), ("g", "standard"), ("near", "attenuated")):
            self.run_tool("build", "--kind", kind, "--keys", "100", "-o", name, "keys")
        self.write("pairs", b"old\t1\n")
        self.write("secret", bytes(32))
        (self.folder / "link").symlink_to("keys")
        os.link(self.folder / "keys", self.folder / "twin")

    def kept(self, name, *arguments, stdin=None, stdout=subprocess.PIPE):
        before = self.bytes_of(name)
        given = open(self.folder / stdin, "rb") if stdin else subprocess.DEVNULL
        done = subprocess.run([TOOL, *arguments], stdin=given, stdout=stdout,
                              stderr=subprocess.PIPE, cwd=self.folder, timeout=PATIENCE)
        if stdin:
            given.close()
        self.assertEqual(done.returncode, 2, (arguments, done))
        self.assertIn(b"is both an input and the output; name another file", done.stderr)
        self.assertEqual(self.bytes_of(name), before, arguments)

    def test_no_output_overwrites_an_input(self):
        for name in ("keys", "link", "twin", "./keys"):
            self.kept("keys", "build", "-o", name, "keys")
        self.kept("keys", "build", "-o", "keys", "pairs", "link")
        self.kept("keys", "build", "-o", "keys", stdin="keys")
        self.kept("keys", "build", "-o", "keys", "-", stdin="keys")
        self.kept("secret", "build", "--key-file", "secret", "-o", "secret", "keys")
        self.kept("pairs", "build", "--kind", "weighted", "--weights", "pairs", "-o", "pairs",
                  "keys")
        self.kept("pairs", "map", "build", "-o", "pairs", "pairs")
        self.kept("pairs", "map", "build", "-o", "pairs", stdin="pairs")
        self.kept("g", "union", "f", "g", "-o", "g")
        self.kept("g", "intersect", "f", "g", "-o", "g")
        self.kept("f", "diff", "f", "g", "-o", "f")
        self.kept("g", "diff", "f", "g", "-o", "g")
        self.run_tool("diff", "f", "g", "-o", "delta")
        self.kept("delta", "patch", "f", "delta", "-o", "delta")
        self.kept("delta", "patch", "f", "-", "-o", "delta", stdin="delta")
        self.kept("near", "advertise", "near", "-o", "near")
        self.kept("keys", "retouch", "f", "--unwanted", "keys", "-o", "keys")
        self.kept("keys", "retouch", "f", "--random-bits", "1", "--members", "keys", "-o", "keys")

    def test_a_changed_filter_is_no_list_of_keys(self):
        self.kept("f", "add", "f", "-f", "f")
        self.kept("f", "add", "f", stdin="f")
        self.kept("f", "remove", "f", "-f", "f")
        self.kept("f", "map", "set", "f", "f")

    def test_what_cannot_be_locked_before_it_is_read_is_not_changed(self):
        for verb in ("fold", "compress", "plain"):
            self.kept("f", verb, "-", "-o", "f", stdin="f")

    def test_standard_output_overwrites_no_input_either(self):
        with open(self.folder / "keys", "ab") as appended:
            self.kept("keys", "build", "-o", "-", "keys", stdout=appended)
        with open(self.folder / "f", "ab") as appended:
            self.kept("f", "fold", "f", "-o", "-", stdout=appended)
            self.kept("f", "add", "-", "key", stdin="f", stdout=appended)
            self.kept("f", "age", "-", stdin="f", stdout=appended)
            self.kept("f", "map", "set", "-", "pairs", stdin="f", stdout=appended)

    def test_messages_overwrite_no_secret(self):
        self.run_tool("secret", "new", "--kind", "oblivious", "-o", "own")
        self.kept("own", "secret", "public", "own", "-o", "own")
        self.run_tool("secret", "public", "own", "-o", "known")
        self.kept("known", "secret", "ask", "known", "word", "--state", "s", "-o", "known")
        self.kept("known", "secret", "ask", "known", "word", "--state", "known", "-o", "m")
        self.refused("secret", "ask", "known", "word", "--state", "s", "-o", "s", says="two files")
        self.write("word", b"of no matter")  # a file of the word's name is no input
        self.run_tool("secret", "ask", "known", "word", "--state", "s", "-o", "word")
        self.kept("word", "secret", "answer", "own", "word", "-o", "word")

    def test_devices_may_be_both(self):
        self.run_tool("build", "-o", "/dev/null", "/dev/null")


class Endings(Tool):
    def test_no_signal_leaves_a_temporary(self):
        build = [TOOL, "build", "--set", "bits=256M", "--set", "hashes=1", "-o", "f"]
        self.write("f", b"as it was")
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1,
                       signal.SIGVTALRM, signal.SIGPIPE, signal.SIGALRM, signal.SIGTERM,
                       signal.SIGXCPU, signal.SIGRTMIN, signal.SIGRTMAX):
            with self.subTest(signal=number):
                self.assertEqual(self.caught_writing(build, number), -number)
                self.assertEqual([p.name for p in self.folder.iterdir()], ["f"])

    def caught_writing(self, command, number):
        """Its end, if the signal comes while a temporary is there; runs that were done first do not
        count."""
        while True:
            running = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=self.folder,
                                       preexec_fn=self.leave_no_core)
            while running.poll() is None and len(os.listdir(self.folder)) == 1:
                pass
            running.send_signal(number)
            running.wait(PATIENCE)
            if self.bytes_of("f") == b"as it was":
                return running.returncode
            self.write("f", b"as it was")

    @staticmethod
    def leave_no_core():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def test_a_file_size_limit_is_told(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        done = subprocess.run([TOOL, "build", "--set", "bits=64k", "--set", "hashes=1", "-o", "f"],
                              stdin=subprocess.DEVNULL, capture_output=True, cwd=self.folder,
                              preexec_fn=limited, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"bloomery: f: writing: File too large\n"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_ignored_signals_stay_ignored(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            with subprocess.Popen([TOOL, "build", "-j", "1", "-o", "f"], stdin=subprocess.PIPE,
                                  cwd=self.folder,
                                  preexec_fn=lambda: signal.signal(number, signal.SIG_IGN)) as build:
                build.stdin.write(b"key\n")
                build.stdin.flush()
                while not self.reads(build):
                    time.sleep(0.01)
                build.send_signal(number)
                build.stdin.close()
                self.assertEqual(build.wait(PATIENCE), 0, number)

    @staticmethod
    def reads(process):
        """Whether it is past its beginnings: it has taken the first line."""
        taken = array.array("i", [0])
        fcntl.ioctl(process.stdin, termios.FIONREAD, taken)
        return taken[0] == 0


class Owners(Tool):
    def test_a_write_protected_file_is_refused_before_the_work(self):
        self.write("keys", lines(0, 10))
        self.run_tool("build", "--keys", "100", "-o", "f", "keys")
        before = self.bytes_of("f")
        os.chmod(self.folder / "f", 0o444)
        for arguments in (["add", "f", "key"], ["fold", "f", "-o", "f"],
                          ["build", "-o", "f", "keys", "nowhere"]):
            self.refused(*arguments, says="f: is write-protected, and is not replaced")
        self.assertEqual(self.bytes_of("f"), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["f", "keys"])

    def test_rewriting_lends_no_rights(self):
        self.run_tool("build", "--keys", "100", "-o", "f")
        os.chmod(self.folder / "f", 0o6755)
        self.run_tool("add", "f", "key")
        self.assertEqual((self.folder / "f").stat().st_mode & 0o7777, 0o755)

    def test_a_socket_is_standard_input_too(self):
        self.run_tool("build", "--keys", "100", "-o", "f", stdin=b"key\n")
        for arguments, sent in ((["query", "-", "key"], self.bytes_of("f")),
                                (["query", "f"], b"key\n")):
            ours, its = socket.socketpair()
            with ours:
                asking = subprocess.Popen([TOOL, *arguments], stdin=its, stdout=subprocess.PIPE,
                                          cwd=self.folder)
                its.close()
                ours.sendall(sent)
                ours.shutdown(socket.SHUT_WR)
                self.assertEqual(asking.communicate(timeout=PATIENCE)[0], b"key\n")
                self.assertEqual(asking.returncode, 0)


if __name__ == "__main__":
    unittest.main()
