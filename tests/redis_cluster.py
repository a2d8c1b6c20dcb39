"""A Redis Cluster of a test's own: masters and replicas on loopback ports, each a process in a temporary folder
that is stopped by its own id."""
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from redis_servers import MODULE, Failure, Raw
from tool import PATIENCE

SLOTS = 16384


def free_ports(count):
    """Of which the bus of the cluster, 10,000 above, is free too."""
    found = []
    held = []
    while len(found) < count:
        probe = socket.socket()
        probe.bind(("127.0.0.1", 0))
        held.append(probe)
        port = probe.getsockname()[1]
        if port > 55000:
            continue
        with socket.socket() as bus:
            try:
                bus.bind(("127.0.0.1", port + 10000))
            except OSError:
                continue
        found.append(port)
    for probe in held:
        probe.close()
    return found


class Port(Raw):
    """A conversation by port and not by socket."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")


class Node:
    def __init__(self, port, folder, timeout):
        self.port = port
        self.folder = pathlib.Path(folder) / str(port)
        self.folder.mkdir()
        self.timeout = timeout
        self.start()

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", "redis-server", "--port", str(self.port),
                 "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-node-timeout", str(self.timeout),
                 "--cluster-replica-validity-factor", "0", "--dir", str(self.folder), "--save", "",
                 "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "1mb",
                 "--enable-debug-command", "local", "--loadmodule", str(MODULE)],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("PING")
                break
            except (OSError, EOFError):
                if self.process.poll() is not None or time.monotonic() > until:
                    raise AssertionError((self.folder / "log").read_text(errors="replace"))
                time.sleep(0.02)
        self.id = self.ask("CLUSTER", "MYID").decode()

    def ask(self, *words):
        one = Port(self.port)
        try:
            return one(*words)
        finally:
            one.close()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)


class Cluster:
    """`masters` with equal ranges of slots, and a replica of each if asked for: replicas[i] is that of masters[i]."""

    def __init__(self, masters=3, replicas=True, timeout=60_000):
        self.folder = tempfile.TemporaryDirectory()
        ports = free_ports(masters * (2 if replicas else 1))
        self.nodes = [Node(port, self.folder.name, timeout) for port in ports]
        self.masters = self.nodes[:masters]
        self.replicas = self.nodes[masters:]
        for i, node in enumerate(self.masters):
            node.ask("CLUSTER", "ADDSLOTSRANGE", i * SLOTS // masters, (i + 1) * SLOTS // masters - 1)
        for i, node in enumerate(self.nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
        for node in self.nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port)
        self.until(lambda: all(b"cluster_known_nodes:%d\r" % len(self.nodes) in node.ask("CLUSTER", "INFO")
                               for node in self.nodes))
        for replica, master in zip(self.replicas, self.masters):
            replica.ask("CLUSTER", "REPLICATE", master.id)
        self.until(self.settled)

    def settled(self):
        return (all(b"cluster_state:ok" in node.ask("CLUSTER", "INFO") for node in self.nodes) and
                all(b"master_link_status:up" in node.ask("INFO", "replication") for node in self.replicas))

    @staticmethod
    def until(true):
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise AssertionError("it does not come to pass")
            time.sleep(0.02)

    def at(self, name, node=0):
        return f"redis://127.0.0.1:{self.nodes[node].port}/{name}"

    def slot_of(self, key):
        return self.nodes[0].ask("CLUSTER", "KEYSLOT", key)

    def keys(self):
        """Of all masters, with the node that has each."""
        return {key.decode(): node for node in self.masters if node.process.poll() is None
                for key in node.ask("KEYS", "*")}

    def move_slot(self, slot, source, target, while_moving=lambda: None):
        """As redis-cli does it; what is done between, and after each key, sees a slot in two places."""
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        while_moving()
        for key in source.ask("CLUSTER", "GETKEYSINSLOT", slot, 1000):
            source.ask("MIGRATE", "127.0.0.1", target.port, key, 0, 60_000)
            while_moving()
        target.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)
        source.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)

    def stop(self):
        for node in self.nodes:
            if node.process.poll() is None:
                node.resume()
                node.process.kill()
                node.process.wait(PATIENCE)
        self.folder.cleanup()


__all__ = ["Cluster", "Failure", "Port", "SLOTS", "free_ports"]
