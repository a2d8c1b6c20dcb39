"""Redis servers that a test starts, kills and starts again, listens to on a port, or has without the module."""
import pathlib
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from redis_layouts import crc64
from redis_servers import MODULE, WHY_NOT, Raw, sanitizer
from redis_servers import Failure as Refused
from tool import PATIENCE

SEED = 0x426C6F6F6D657279  # of keys, unless told: the library's


def require():
    if WHY_NOT:
        raise unittest.SkipTest(WHY_NOT)


def resealed(payload: bytes, version: int | None = None) -> bytes:
    """What DUMP answers, changed, with a footer that holds."""
    body = payload[:-10] + (payload[-10:-8] if version is None else struct.pack("<H", version))
    return body + struct.pack("<Q", crc64(body))


class Server:
    """On a socket in a folder of its own, and on a port of the loopback if asked for."""

    def __init__(self, *options, port=0, with_module=True):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name) / "socket"
        self.port = port
        self.command = ["setpriv", "--pdeathsig", "KILL", "--", *sanitizer(), "redis-server", "--port", str(port),
                        "--bind", "127.0.0.1", "--unixsocket", str(self.place), "--dir", self.folder.name, "--save", "",
                        "--enable-debug-command", "local", "--rdbcompression", "no"]
        if with_module:
            self.command += ["--loadmodule", str(MODULE)]
        self.command += options
        self.process = None
        self.clients = []
        self.start()

    def start(self):
        log = open(pathlib.Path(self.folder.name) / "log", "ab")
        with log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise AssertionError(self.log())
            try:
                self.client()("PING")
                return
            except (OSError, EOFError, Refused) as problem:  # not there, still loading, or in want of a password
                if "NOAUTH" in str(problem):
                    return
            time.sleep(0.02)
        raise AssertionError("the server does not start: " + self.log())

    def log(self):
        return (pathlib.Path(self.folder.name) / "log").read_text(errors="replace")

    def client(self, protocol=2) -> Raw:
        self.clients.append(Raw(self.place, protocol))
        return self.clients[-1]

    def kill(self):
        """As a crash would."""
        self.hang_up()
        self.process.kill()
        self.process.wait()

    def hang_up(self):
        for client in self.clients:
            client.close()
        self.clients = []

    def stop(self):
        self.hang_up()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.folder.cleanup()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stored(client, key) -> bytes:
    """The filter as BLOOM.DUMP has it."""
    made, position = b"", 0
    while True:
        position, piece = client("BLOOM.DUMP", key, position)
        made += piece
        if position == 0:
            return made


def as_map(reply) -> dict:
    """What RESP2 has instead of a map."""
    if isinstance(reply, dict):
        return reply
    return dict(zip(reply[::2], reply[1::2]))


def used_memory(client) -> int:
    found = [line for line in client("INFO", "memory").decode().splitlines()
             if line.startswith("used_memory:")]
    return int(found[0].split(":")[1])
