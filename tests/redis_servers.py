"""Redis servers of a test's own, with the module, each a process in a temporary folder that is stopped by its
own id; and a client that shows replies as they are, in either version of the protocol."""
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import redis

from redis_layouts import crc64
from tool import PATIENCE, SANITIZED

BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
MODULE = BUILD / "src/redis/bloomery.so"


def sanitizer() -> list[str]:
    """What a server's command begins with, so that it takes a module under the address sanitizer."""
    if not SANITIZED:
        return []
    told = dict(re.findall(r"^([\w-]+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M))
    compiler = told["CMAKE_CXX_COMPILER"]
    for name in ("libclang_rt.asan-x86_64.so", "libasan.so"):
        found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        if "/" in found.stdout and "address" in told["BLOOMERY_SANITIZE"]:
            # What the server itself keeps to its end is no leak of the module's.
            return ["env", f"LD_PRELOAD={found.stdout.strip()}",
                    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:abort_on_error=0"]
    return []


WHY_NOT = "no sanitizer but that of addresses can be loaded into Redis" if SANITIZED and not sanitizer() else ""


class Failure(Exception):
    """An error that the server replied with."""


class Raw:
    """Replies as Python has them: maps as dict, truth values as bool, errors inside of arrays as Failure."""

    def __init__(self, path, version=2):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.file = self.socket.makefile("rb")
        if version == 3:
            self("HELLO", 3)

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, *words):
        out = [b"*%d\r\n" % len(words)]
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            out.append(b"$%d\r\n%s\r\n" % (len(word), word))
        self.socket.sendall(b"".join(out))

    def __call__(self, *words):
        self.send(*words)
        reply = self.read()
        if isinstance(reply, Failure):
            raise reply
        return reply

    def refused(self, *words) -> str:
        try:
            reply = self(*words)
        except Failure as failure:
            return str(failure)
        raise AssertionError(f"{words} is answered by {reply}")

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the server has gone")
        mark, rest = line[:1], line[1:-2]
        if mark == b"+":
            return rest.decode()
        if mark == b"-":
            return Failure(rest.decode())
        if mark == b":":
            return int(rest)
        if mark == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if mark == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if mark == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        if mark == b"~":
            return [self.read() for _ in range(int(rest))]
        if mark == b"#":
            return rest == b"t"
        if mark == b",":
            return float(rest)
        if mark == b"_":
            return None
        raise AssertionError(line)


class Server:
    def __init__(self, *options, arguments=()):
        self.arguments = arguments  # of the module
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "socket"
        try:
            self.start(*options)
        except BaseException:
            self.folder.cleanup()
            raise

    def start(self, *options):
        with open(pathlib.Path(self.folder.name) / "log", "ab") as log:
            # It ends with this process, whatever becomes of that.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *sanitizer(), "redis-server", "--port", "0", "--unixsocket",
                 str(self.path), "--dir", self.folder.name, "--save", "", "--enable-debug-command", "yes",
                 "--loadmodule", str(MODULE), *map(str, self.arguments), *map(str, options)], stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                raw = Raw(self.path)
                try:
                    if raw("PING") == "PONG":
                        return
                except Failure:  # it is loading
                    pass
                finally:
                    raw.close()
            except (OSError, EOFError):
                pass
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(self.log())
            time.sleep(0.02)

    def log(self) -> str:
        return (pathlib.Path(self.folder.name) / "log").read_text(errors="replace")

    def client(self, **options):
        return redis.Redis(unix_socket_path=str(self.path), **options)

    def raw(self, version=2):
        return Raw(self.path, version)

    def stop(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self.path.unlink(missing_ok=True)

    def restart(self, *options):
        self.stop()
        self.start(*options)

    def end(self):
        if self.process.poll() is None:
            self.stop()
        self.folder.cleanup()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class WithServer(unittest.TestCase):
    """A server for all tests of the class, emptied before each."""
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        self.one = self.server.raw()
        self.addCleanup(self.one.close)
        self.three = self.server.raw(3)
        self.addCleanup(self.three.close)
        self.one("FLUSHALL")
        self.one("CONFIG", "SET", "rdbcompression", "no")

    def dumped(self, key):
        """As the server of Debian 12 says it: others differ in the version of dumps alone."""
        body = self.one("DUMP", key)[:-10] + struct.pack("<H", 10)
        return body + struct.pack("<Q", crc64(body))

    def assert_alive(self):
        self.assertIsNone(self.server.process.poll(), self.server.log()[-3000:])
        self.assertEqual(self.one("PING"), "PONG")
