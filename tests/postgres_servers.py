"""PostgreSQL servers of a test's own, with the extension and with nothing installed.

PostgreSQL finds its libraries and extensions relative to its own program. A copy of `postgres` in a folder
that looks like the system's, with links to all that the system has, and the extension installed beside them
by `cmake --install` with DESTDIR, is therefore a server that has the extension. That needs no root; root
runs it as nobody, since PostgreSQL refuses root."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

from tool import Tool

BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
SANITIZED = re.search(r"^BLOOMERY_SANITIZE:STRING=.", (BUILD / "CMakeCache.txt").read_text(), re.M)
WHY_NOT = ("--full: runs PostgreSQL servers" if not os.environ.get("BLOOMERY_FULL")
           else "a sanitizer cannot be loaded into PostgreSQL" if SANITIZED else "")
READY = "database system is ready to accept connections"
PATIENCE = 600  # seconds; only what hangs takes them


def run(*command, **options) -> str:
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}")
    return done.stdout


def place(name: str) -> pathlib.Path:
    return pathlib.Path(run("pg_config", f"--{name}").strip())


class Failed(Exception):
    """What the server said, and its SQLSTATE."""

    def __init__(self, told: str):
        super().__init__(told)
        self.state = told.partition("ERROR:  ")[2].partition(":")[0]


def as_server(program, *arguments) -> list[str]:
    """A command under the user of the servers, whose process ends with this one."""
    user = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "INT", *user, "--", *map(str, (program, *arguments))]


class Installation:
    def __init__(self, root: pathlib.Path):
        alone = ["flock", BUILD / ".lock"]  # one build at a time, as the launchers do
        run(*alone, "cmake", "--build", BUILD, "--target", "bloomery_postgres")
        self.root = root
        self.programs = place("bindir")
        self.moved = root / self.programs.relative_to("/")
        self.moved.mkdir(parents=True)
        for program in ("postgres", "initdb"):
            shutil.copy(self.programs / program, self.moved)
        for folder in (place("pkglibdir"), place("sharedir")):
            copy = root / folder.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            run("cp", "-rs", folder, copy)
        # What an earlier installation left in the system is not what is tested.
        for path in [*root.rglob("bloomery*.sql"), *root.rglob("bloomery.*")]:
            path.unlink()
        run(*alone, "cmake", "--install", BUILD, "--component", "postgres",
            env={**os.environ, "DESTDIR": str(root)})
        if os.geteuid() == 0:
            run("chown", "-R", "nobody", root)



class Server:
    def __init__(self, installed: Installation, name: str):
        self.installed = installed
        self.folder = installed.root / name
        run(*as_server(installed.moved / "initdb", "-D", self.folder, "-A", "trust", "-U", "postgres",
                       "-E", "UTF8", "--no-locale", "--no-sync"))
        self.start()

    def start(self):
        for _ in range(10):
            with socket.socket() as free:  # somebody else may take it before the server does
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            self.process = subprocess.Popen(
                as_server(self.installed.moved / "postgres", "-D", self.folder, "-k", self.folder, "-h",
                          "127.0.0.1", "-p", self.port, "-c", "fsync=off"),
                stderr=subprocess.PIPE, text=True)
            self.log = []
            for line in self.process.stderr:
                self.log.append(line)
                if READY in line:
                    self.listening = threading.Thread(target=self.log.extend, args=(self.process.stderr,))
                    self.listening.start()
                    return
            self.process.wait()
            self.process.stderr.close()
        raise AssertionError("".join(self.log))

    def stop(self, how=signal.SIGINT):
        """Its own process, which stops its others; fast, unless told."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self.listening.join()
        self.process.stderr.close()

    def program(self, name: str, *arguments) -> list[str]:
        return [str(self.installed.programs / name), "-h", str(self.folder), "-p", str(self.port), "-U",
                "postgres", *map(str, arguments)]

    def psql(self, database="postgres", *more) -> list[str]:
        return self.program("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-d",
                            database, *more)

    def sql(self, statements: str, database="postgres") -> str:
        done = subprocess.run(self.psql(database), input=statements, text=True, capture_output=True,
                              timeout=PATIENCE, env={**os.environ, "PGCLIENTENCODING": "UTF8"})
        if done.returncode != 0:
            raise Failed(done.stderr)
        return done.stdout.strip()

    def bytes(self, expression: str, database="postgres") -> bytes:
        return bytes.fromhex(self.sql(f"select encode(({expression})::bytea, 'hex')", database))


class Proxy:
    """Between two servers: counts the bytes of both directions, and stops them when told."""

    def __init__(self, port: int):
        self.to = port
        self.lock = threading.Lock()
        self.count = 0
        self.most = None  # of bytes, before it holds on
        self.holding = threading.Event()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.door.close()

    def serve(self):
        try:
            while True:
                near, _ = self.door.accept()
                far = socket.create_connection(("127.0.0.1", self.to))
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(one, other), daemon=True).start()
        except OSError:
            pass  # closed

    def carry(self, one, other):
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    self.count += len(data)
                    if self.most is not None and self.count > self.most:
                        self.holding.set()
                        continue  # never arrives; the end of the connection does
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has gone
        finally:
            one.close()


def begun(*names: str) -> list:
    """For setUpModule: servers with the extension, for as long as the tests of the module run."""
    if WHY_NOT:
        return [None for _ in names]
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    installed = Installation(pathlib.Path(folder.name))
    servers = [Server(installed, name) for name in names]
    for server in servers:
        unittest.addModuleCleanup(server.stop)
        server.sql("create extension bloomery")
    return servers


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Postgres(Tool):
    def refused_by(self, server, statement, says="", state=None):
        with self.assertRaises(Failed, msg=statement[:300]) as caught:
            server.sql(statement)
        self.assertIn(says, str(caught.exception))
        if state:
            self.assertEqual(caught.exception.state, state, caught.exception)

    def assert_alive(self, server):
        """And no process of it has ended by a signal."""
        self.assertEqual(server.sql("select 1"), "1")
        self.assertNotIn("terminated by signal", "".join(server.log))

    def built_by_tool(self, lines, *options):
        self.run_tool("build", *options, "-o", "tool.bloom",
                      stdin="".join(f"{x}\n" for x in lines).encode(), notes=None)
        return self.bytes_of("tool.bloom")


def literal(stored: bytes) -> str:
    return f"'\\x{stored.hex()}'::bytea::bloomery"
