"""Nodes of an overlay as a person runs them: ten hosts, each a network namespace of its own on one bridge, which
needs no rights; neighbours that die, come back, send garbage or say who they are not."""
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

from tool import TOOL, Tool, fewest_of, most_of

HOSTS = range(1, 11)
ROUNDS = 2000  # of a tenth of a second or more, that a condition may take; only one that never comes takes them


def why_not():
    """Why there can be no namespaces here, or nothing."""
    if missing := [name for name in ("unshare", "nsenter", "ip") if not shutil.which(name)]:
        return "there is no " + missing[0]
    done = subprocess.run(["unshare", "-Urn", "ip", "link", "add", "name", "try", "type", "bridge"],
                          capture_output=True, text=True)
    return done.stderr.strip() or "unshare fails" if done.returncode else ""


class Network:
    """Hosts 10.9.0.1 to 10.9.0.10 on a bridge, which is 10.9.0.254: processes that sleep hold them."""

    def __init__(self):
        self.sleepers = []
        self.hub = self.sleeper(["unshare", "-Urn"])
        self.hosts = {i: self.sleeper([*self.at_hub(), "unshare", "-n"]) for i in HOSTS}
        script = "set -e; ip link add name bridge type bridge; ip addr add 10.9.0.254/24 dev bridge\n" \
                 "ip link set bridge up; ip link set lo up\n"
        for i, pid in self.hosts.items():
            script += f"ip link add name host{i} type veth peer name eth0 netns {pid}\n" \
                      f"ip link set host{i} master bridge up\n" \
                      f"nsenter -t {pid} -n sh -ec 'ip addr add 10.9.0.{i}/24 dev eth0; " \
                      "ip link set eth0 up; ip link set lo up'\n"
        subprocess.run([*self.at_hub(), "sh", "-c", script], check=True)

    def sleeper(self, command):
        started = subprocess.Popen([*command, "sh", "-c", "echo ready; exec sleep infinity"],
                                   stdout=subprocess.PIPE, text=True)
        self.sleepers.append(started)
        assert started.stdout.readline() == "ready\n"
        return started.pid

    @staticmethod
    def within(pid):
        return ["nsenter", "-t", str(pid), "-U", "-n", "--preserve-credentials"]

    def at_hub(self):
        return self.within(self.hub)

    def at(self, host):
        return self.within(self.hosts[host])

    def close(self):
        for each in self.sleepers:
            each.kill()
            each.wait()
            each.stdout.close()


class Node(Tool):
    def started(self, before, *arguments, stdin=None):
        """A node and where it listens."""
        log = open(self.folder / f"log{len(self.logs)}", "w+")
        self.addCleanup(log.close)
        self.logs.append(log)
        node = subprocess.Popen([*before, TOOL, "node", "run", "-v", *map(str, arguments)], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        self.addCleanup(node.stdout.close)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        told = re.fullmatch(r"listening on (.+:\d+)\n", node.stdout.readline())
        self.assertTrue(told, self.told(log))
        return node, told[1]

    @staticmethod
    def told(log):
        log.seek(0)
        return log.read()

    def setUp(self):
        super().setUp()
        self.logs = []

    def eventually(self, condition):
        for _ in range(ROUNDS):
            if condition():
                return
            time.sleep(0.1)
        self.fail("it never came: " + "".join(f"\n{log.name}:\n{self.told(log)}" for log in self.logs))

    def stopped(self, node):
        node.send_signal(signal.SIGTERM)
        self.assertEqual(node.wait(timeout=600), 0)


class Alone(Node):
    def test_a_node_answers_from_its_keys_and_ends_when_told(self):
        self.write("keys", b"one\ntwo\nthree\n")
        for station in ("tree", "ultrapeer"):
            node, place = self.started([], "--as", station, "--number", 7, "keys")
            self.assertTrue(place.startswith("127.0.0.1:"))
            self.assertEqual(self.run_tool("node", "ask", place, "two"), b"7\n")
            told = json.loads(self.run_tool("node", "ask", "--json", place, "two"))
            self.assertEqual((told["holders"], told["complete"]), ([{"number": 7, "address": None}], True))
            self.assertEqual(self.run_tool("node", "ask", place, "four", status=1), b"")
            both = self.run_tool("node", "ask", place, "one", "two", status=None)
            self.assertEqual(both, b"7\n" if station == "tree" else b"")  # in one name of a file, there
            self.stopped(node)
            self.refused("node", "ask", place, "two", says="127.0.0.1")

    def test_silent_strangers_keep_nobody_out(self):
        self.write("keys", b"one\ntwo\nthree\n")
        for station in ("tree", "ultrapeer"):
            node, place = self.started([], "--as", station, "--number", 7, "keys")
            host, port = place.split(":")
            for said in (b"", b"\x40\0\0\0s"):
                for _ in range(150):
                    stranger = socket.create_connection((host, int(port)))
                    self.addCleanup(stranger.close)
                    stranger.sendall(said)
            self.assertEqual(self.run_tool("node", "ask", place, "two"), b"7\n")
            self.stopped(node)

    def test_what_makes_no_sense_is_refused(self):
        self.write("keys", b"one\ntwo\n")
        self.write("network", b"127.0.0.1:1\n127.0.0.1:2\n")
        run = ("node", "run", "keys", "--number")
        self.refused(*run, 1, "--as", "broker", says="peer, tree, leaf, ultrapeer")
        self.refused(*run, 0, "--as", "tree", says="--number")
        self.refused(*run, 3, "--as", "peer", "--network", "network", says="a line of --network")
        self.refused(*run, 1, "--as", "peer", says="network of 0")
        self.refused(*run, 1, "--as", "peer", "--network", "keys", says="no address")
        self.refused(*run, 1, "--as", "leaf", says="--neighbour")
        self.refused(*run, 1, "--as", "tree", "--neighbour", "a:1", "--neighbour", "b:1", says="one parent")
        self.refused(*run, 1, "--as", "tree", "--keys", 1, says="give all nodes more keys")
        self.refused(*run, 1, "--as", "tree", "--keys", "100M", says="a message carries")
        self.refused(*run, 1, "--as", "ultrapeer", "--slots", 1000, says="powers of two")
        self.write("many", b"".join(f"song no{i}\n".encode() for i in range(64)))
        self.refused("node", "run", "many", "--number", 1, "--as", "ultrapeer", "--slots", 64, says="fill")
        self.refused("node", "ask", "127.0.0.1:1", "word", "--timeout", "2m", says="a minute")
        self.refused("node", "ask", "127.0.0.1:1", "x" * 1025, says="words")


@unittest.skipIf(not os.environ.get("BLOOMERY_FULL") and why_not(), f"--full: no namespaces: {why_not()}")
class TenHosts(Node):
    @classmethod
    def setUpClass(cls):
        cls.network = Network()
        cls.addClassCleanup(cls.network.close)

    def at(self, host, port, *arguments):
        return self.started(self.network.at(host), "--listen", f"10.9.0.{host}:{port}", "--number", host,
                            "--beat", "50ms", *arguments)[0]

    def asking(self, host, port, *words):
        return subprocess.Popen([*self.network.at_hub(), TOOL, "node", "ask", "--json", "--timeout", "60s",
                                 f"10.9.0.{host}:{port}", *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def asked(self, host, port, *words):
        with self.asking(host, port, *words) as run:
            out, err = run.communicate(timeout=600)
        self.assertIn(run.returncode, (0, 1), err)
        told = json.loads(out)
        self.assertEqual(run.returncode, 0 if told["holders"] else 1)
        told["who"] = {each["number"] for each in told["holders"]}
        self.assertEqual(len(told["who"]), len(told["holders"]))
        return told

    def from_hub(self, script, *arguments):
        """What a program of Python at the bridge prints."""
        done = subprocess.run([*self.network.at_hub(), sys.executable, "-c", script, *map(str, arguments)],
                              capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_peers_ask_all_that_have_the_words_and_few_others(self):
        chance = random.Random(7)
        held = {i: {f"word{chance.randrange(2000)}" for _ in range(190)} | {"everybody", f"own{i}"}
                for i in HOSTS}
        for i, words in held.items():
            self.write(f"keys{i}", "".join(word + "\n" for word in sorted(words)).encode())
        self.write("network", "".join(f"10.9.0.{i}:7000\n" for i in HOSTS).encode())
        run = ("--as", "peer", "--network", "network", "--keys", 200, "--fpr", "5%")
        nodes = {i: self.at(i, 7000, *run, f"keys{i}") for i in HOSTS}
        for i in HOSTS:
            self.eventually(lambda i=i: self.asked(i, 7000, "everybody")["who"] == set(HOSTS))

        # Each peer's filter, as the others have it, from outside: its rate, and what it claims.
        questions = [[f"word{chance.randrange(2000)}" for _ in range(chance.choice((1, 1, 2)))] for _ in range(120)]
        self.write("asked", "".join(word + "\n" for each in questions for word in each).encode())
        rate, claims = {}, {}
        for i in HOSTS:
            self.run_tool("build", "--kind", "standard", "--keys", 200, "--fpr", "5%", "-o", f"f{i}", f"keys{i}")
            rate[i] = self.info(f"f{i}")["current_rate"]
            claims[i] = set(self.run_tool("query", f"f{i}", "-f", "asked").decode().split())
        in_vain, chances, expected = 0, 0, 0.0
        for number, words in enumerate(questions):
            asker = 1 + number % len(HOSTS)
            told = self.asked(asker, 7000, *words)
            holders = {i for i in HOSTS if held[i] >= set(words)}
            self.assertEqual(told["who"], holders, words)
            self.assertEqual(told["complete"], True)
            self.assertTrue(all(each["address"] == f"10.9.0.{each['number']}:7000" for each in told["holders"]))
            claiming = {i for i in HOSTS if i != asker and claims[i] >= set(words)}
            self.assertEqual(told["asked"], len(claiming), words)
            in_vain += told["asked"] - len(holders - {asker})
            for i in set(HOSTS) - holders - {asker}:
                chances += 1
                expected += rate[i] ** len(set(words) - held[i])
        # Chances differ, which only makes the sum less uncertain than as many equal ones.
        self.assertGreaterEqual(in_vain, max(1, fewest_of(chances, expected / chances)))
        self.assertLessEqual(in_vain, most_of(chances, expected / chances))

        # Three die without a word; what the others have is found, and what only they have is not denied.
        for i in (1, 4, 9):
            nodes[i].kill()
            nodes[i].wait()
        living = set(HOSTS) - {1, 4, 9}
        for i in living:
            self.eventually(lambda i=i: self.asked(i, 7000, "everybody")["lost"] == 3)
            self.assertEqual(self.asked(i, 7000, "everybody")["who"], living)
        told = self.asked(2, 7000, "own4")
        self.assertEqual((told["who"], told["lost"] > 0, told["complete"]), (set(), True, False))
        # They come back, one with other keys, one as it was.
        self.write("keys4", b"everybody\nnewly here\n")
        for i in (1, 4, 9):
            nodes[i] = self.at(i, 7000, *run, f"keys{i}")
        for i in HOSTS:
            self.eventually(lambda i=i: self.asked(i, 7000, "newly here")["who"] == {4})
            self.eventually(lambda i=i: self.asked(i, 7000, "everybody")["who"] == set(HOSTS))
        self.assertEqual(self.asked(9, 7000, "own1")["who"], {1})
        for node in nodes.values():
            self.stopped(node)

    GARBAGE = """
import os, random, socket, struct, sys
place = sys.argv[1], int(sys.argv[2])
chance = random.Random(int(sys.argv[3]))
hello = bytes.fromhex(sys.argv[4])
frame = lambda body: struct.pack("<I", len(body)) + body
said = [chance.randbytes(5000), struct.pack("<I", 1 << 31), struct.pack("<I", 100) + b"short",
        frame(b"") * 100, frame(chance.randbytes(300)) * 50, frame(hello), frame(hello) * 2,
        frame(hello[:-1] + bytes([hello[-1] ^ 1])), frame(hello) + frame(chance.randbytes(40)) * 50]
for each in said:
    with socket.create_connection(place, timeout=600) as to:
        try:
            to.sendall(each)
            to.shutdown(socket.SHUT_WR)
            while to.recv(65536):
                pass
        except OSError:
            pass
print("done")
"""
    # Listens as the node that is to be called, and tells what the first caller says; then talks nonsense.
    LISTENER = """
import random, socket, struct, sys
chance = random.Random(3)
with socket.create_server(("10.9.0.254", int(sys.argv[1]))) as door:
    door.settimeout(600)
    for turn in range(3):
        caller, _ = door.accept()
        with caller:
            caller.settimeout(600)
            head = caller.recv(4, socket.MSG_WAITALL)
            said = caller.recv(struct.unpack("<I", head)[0], socket.MSG_WAITALL)
            if turn == 0:
                print(said.hex())
            try:
                caller.sendall(struct.pack("<I", 200) + chance.randbytes(200))
                while caller.recv(65536):
                    pass
            except OSError:
                pass
"""

    def test_who_sends_garbage_or_lies_costs_nobody_else(self):
        # A node of a tree whose parent is a program that talks nonsense; it is refused, and called again.
        self.write("keys", b"one\n")
        listener = subprocess.Popen([*self.network.at_hub(), sys.executable, "-c", self.LISTENER, "7300"],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.stdout.close)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        child = self.at(3, 7300, "--as", "tree", "--neighbour", "10.9.0.254:7300", "keys")
        hello, _ = listener.communicate(timeout=600)
        self.assertEqual(listener.returncode, 0)
        self.assertEqual(self.asked(3, 7300, "one")["who"], {3})
        self.assertGreaterEqual(self.told(self.logs[0]).count("before it said who it is"), 3)
        self.stopped(child)

        # Its hello, from somebody else, to a root that has another child: also while the true one is there.
        self.write("other", b"two\n")
        root = self.at(1, 7301, "--as", "tree", "keys")
        other = self.at(2, 7301, "--as", "tree", "--neighbour", "10.9.0.1:7301", "other")
        self.eventually(lambda: self.asked(1, 7301, "two")["who"] == {2})
        for turn in (1, 2):
            self.assertEqual(self.from_hub(self.GARBAGE, "10.9.0.1", 7301, turn, hello.strip()), b"done\n")
            self.assertEqual(self.asked(1, 7301, "one")["who"], {1})
            self.assertEqual(self.asked(1, 7301, "two")["who"], {2})
            self.assertEqual(self.asked(2, 7301, "one")["who"], {1})
            if turn == 1:
                child = self.at(3, 7301, "--as", "tree", "--neighbour", "10.9.0.1:7301", "keys")
                self.eventually(lambda: "1 neighbours" in self.told(self.logs[-1]))
        told = self.told(self.logs[1])
        for why in ("messages of no use", "neighbour of number 3 already", "before it said who it is", "allowed: at most",
                    "within a message"):
            self.assertIn(why, told)
        for node in (root, other, child):
            self.stopped(node)

    def test_a_tree_finds_whatever_is_there(self):
        for i in HOSTS:
            self.write(f"keys{i}", f"key{i}\nboth\n".encode() if i in (1, 10) else f"key{i}\n".encode())
        run = ("--as", "tree", "--keys", 20, "--fpr", "10%")
        parent = {i: ("--neighbour", f"10.9.0.{i // 2}:7100") if i > 1 else () for i in HOSTS}
        # The leaves first: who is not there yet is called again.
        nodes = {i: self.at(i, 7100, *run, *parent[i], f"keys{i}") for i in reversed(HOSTS)}
        for i in HOSTS:
            self.eventually(lambda i=i: self.asked(1, 7100, f"key{i}")["who"] == {i})
        asking = {(asker, i): self.asking(asker, 7100, f"key{i}") for asker in HOSTS for i in HOSTS
                  if asker % 3 == i % 3}
        for (asker, i), run_ in asking.items():
            out, err = run_.communicate(timeout=600)
            self.assertEqual([each["number"] for each in json.loads(out)["holders"]], [i], (asker, err))
        told = self.asked(7, 7100, "nobody has this")
        self.assertEqual((told["who"], told["complete"], told["steps"] % 2), (set(), True, 0))
        self.assertEqual(self.asked(5, 7100, "both", "key10")["who"], {10})

        # An inner node dies: questions that it was to answer go on, and what is elsewhere is found.
        nodes[2].kill()
        nodes[2].wait()
        self.eventually(lambda: self.asked(3, 7100, "key4")["who"] == set())
        for asker, i in ((3, 7), (6, 1), (1, 6), (4, 9), (8, 4)):
            self.assertEqual(self.asked(asker, 7100, f"key{i}")["who"], {i})
        nodes[2] = self.at(2, 7100, *run, *parent[2], "keys2")
        for i in HOSTS:
            self.eventually(lambda i=i: self.asked(7, 7100, f"key{i}")["who"] == {i})
        for node in nodes.values():
            self.stopped(node)

    def test_leaves_and_ultrapeers_find_files_by_their_words(self):
        for i in HOSTS:
            self.write(f"files{i}", f"Common song no{i}.mp3\n".encode())
        run = ("--slots", 1024)
        # Ultrapeers 1, 2 and 3 in a line; leaf i at one of them.
        place = {i: f"10.9.0.{i}:7200" for i in HOSTS}
        nodes = {3: self.at(3, 7200, "--as", "ultrapeer", *run, "--neighbour", place[2], "files3"),
                 2: self.at(2, 7200, "--as", "ultrapeer", *run, "--neighbour", place[1], "files2"),
                 1: self.at(1, 7200, "--as", "ultrapeer", *run, "files1")}
        for i in range(4, 11):
            nodes[i] = self.at(i, 7200, "--as", "leaf", *run, "--neighbour", place[1 + i % 3], f"files{i}")
        self.eventually(lambda: self.asked(5, 7200, "SONG", "common")["who"] == set(HOSTS))
        self.eventually(lambda: self.asked(10, 7200, "no4")["who"] == {4})
        nodes[4].kill()
        nodes[4].wait()
        self.write("files4", b"another\n")
        nodes[4] = self.at(4, 7200, "--as", "leaf", *run, "--neighbour", place[3], "files4")
        self.eventually(lambda: self.asked(10, 7200, "another")["who"] == {4})
        self.assertEqual(self.asked(10, 7200, "no4")["who"], set())
        for node in nodes.values():
            self.stopped(node)


if __name__ == "__main__":
    unittest.main()
