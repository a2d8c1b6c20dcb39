"""Redis servers of a test's own, with the module, and a client that knows no more than the protocol."""
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from tool import SANITIZED

PATIENCE = 600  # seconds; only what hangs takes them
SEED = 0x426C6F6F6D657279  # of keys, unless told: the library's
_CRC = []


def require():
    """A module that a sanitizer has made can be loaded only by a program that has its runtime."""
    if SANITIZED:
        raise unittest.SkipTest("a sanitizer cannot be loaded into a Redis server")


def module() -> pathlib.Path:
    """Built, unless BLOOMERY_REDIS_MODULE names one."""
    given = os.environ.get("BLOOMERY_REDIS_MODULE")
    if given:
        return pathlib.Path(given)
    build = pathlib.Path(os.environ["BLOOMERY_BUILD"])
    subprocess.run(["flock", build / ".lock", "cmake", "--build", build, "--target", "bloomery_redis"],
                   check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    return build / "src" / "redis" / "bloomery.so"


def crc64(data: bytes) -> int:
    if not _CRC:
        for i in range(256):
            for _ in range(8):
                i = i >> 1 ^ (0x95AC9329AC4BC9B5 if i & 1 else 0)
            _CRC.append(i)
    crc = 0
    for byte in data:
        crc = _CRC[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def resealed(payload: bytes, version: int | None = None) -> bytes:
    """What DUMP answers, changed, with a footer that holds."""
    body = payload[:-10] + (payload[-10:-8] if version is None else struct.pack("<H", version))
    return body + struct.pack("<Q", crc64(body))


class Refused(Exception):
    pass


class Client:
    """RESP2, or RESP3 if asked for. Errors inside of arrays are values."""

    def __init__(self, place, protocol=2):
        family = socket.AF_UNIX if isinstance(place, (str, pathlib.Path)) else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.connect(str(place) if family == socket.AF_UNIX else place)
        except OSError:
            self.socket.close()
            raise
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self("HELLO", "3")

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, *words):
        words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(words) +
                            b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

    def receive(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has gone")
        form, rest = line[:1], line[1:-2]
        if form == b"+":
            return rest.decode()
        if form == b"-":
            return Refused(rest.decode())
        if form == b":":
            return int(rest)
        if form == b",":
            return float(rest)
        if form == b"#":
            return rest == b"t"
        if form == b"_":
            return None
        if form == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if form in b"*~>":
            return None if rest == b"-1" else [self.receive() for _ in range(int(rest))]
        if form == b"%":
            return {self.receive(): self.receive() for _ in range(int(rest))}
        raise AssertionError(line)

    def __call__(self, *words):
        self.send(*words)
        got = self.receive()
        if isinstance(got, Refused):
            raise got
        return got

    def refused(self, *words) -> str:
        try:
            got = self(*words)
        except Refused as told:
            return str(told)
        raise AssertionError(f"{words[:3]} was answered by {got!r:.200}")


class Server:
    """On a socket in a folder of its own, and on a port of the loopback if asked for."""

    def __init__(self, *options, port=0, with_module=True):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name) / "socket"
        self.port = port
        self.command = [shutil.which("redis-server"), "--port", str(port), "--bind", "127.0.0.1",
                        "--unixsocket", str(self.place), "--dir", self.folder.name, "--save", "",
                        "--enable-debug-command", "local", "--rdbcompression", "no"]
        if with_module:
            self.command += ["--loadmodule", str(module())]
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
            except (OSError, Refused) as problem:  # not there, still loading, or in want of a password
                if "NOAUTH" in str(problem):
                    return
            time.sleep(0.02)
        raise AssertionError("the server does not start: " + self.log())

    def log(self):
        return (pathlib.Path(self.folder.name) / "log").read_text(errors="replace")

    def client(self, protocol=2) -> Client:
        self.clients.append(Client(self.place, protocol))
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
