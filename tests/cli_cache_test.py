"""Caches as a person uses them, without a Squid: serving and fetching digests, annotations, helpers, sharing; and
the files of other programs."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from tool import PATIENCE, SANITIZED, TOOL, Tool, fewest_of, most_of

URLS = [f"http://example.org/{i}" for i in range(500)]


def squid_bits(url, bits):
    """As Squid's: four numbers of the MD5 of the method's byte and the URL."""
    digest = hashlib.md5(b"\x01" + url.encode()).digest()
    return [chunk % bits for chunk in struct.unpack(">4I", digest)]


def in_digest(file, url):
    mask = file[128:]
    return all(mask[bit >> 3] >> (bit & 7) & 1 for bit in squid_bits(url, 8 * len(mask)))


class Liar(threading.Thread):
    """A server that says these things, one to each who comes."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = answers
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        self.start()

    def run(self):
        for answer in self.answers:
            stream, _ = self.door.accept()
            with stream:
                stream.recv(65536)
                try:
                    stream.sendall(answer)
                except OSError:  # it has heard enough
                    pass

    def end(self):
        self.join()
        self.door.close()


def answer_of(body, first="HTTP/1.1 200 OK", *headers):
    lines = "".join(header + "\r\n" for header in headers)
    return f"{first}\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body


class Cache(Tool):
    def write_urls(self, urls, name="urls.txt"):
        return self.write(name, "".join(url + "\n" for url in urls).encode())

    def serve(self, *arguments, **more):
        """Its address, once it listens. It complains into a file."""
        with open(self.folder / "complaints", "wb") as complaints:
            started = subprocess.Popen([TOOL, "cache", "serve", "--listen", "127.0.0.1:0", *arguments],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=complaints, text=True, **more)
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        port = int(re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", started.stdout.readline())[1])
        self.server = started
        self.port = port
        return f"http://127.0.0.1:{port}"

    def serve_with(self, files, *arguments):
        """With so many descriptors at most."""
        return self.serve(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))

    def memory(self):
        """The most that the server has ever taken, in bytes."""
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

    def come(self):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(stream.close)
        return stream

    def get(self, target, **headers):
        """By hand, so that any target can be asked for: status, headers, body."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as stream:
            lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
            stream.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}\r\n".encode())
            came = bytearray()
            while some := stream.recv(1 << 20):
                came += some
        head, _, body = bytes(came).partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in rest), body

    # Files of other programs.

    def test_a_squid_digest_is_built_described_and_asked(self):
        self.write_urls(URLS)
        self.run_tool("build", "--format", "squid-digest", "-o", "f", "urls.txt")
        file = self.bytes_of("f")
        self.assertTrue(all(in_digest(file, url) for url in URLS))
        self.assertEqual(struct.unpack(">HHiii", file[:16]), (5, 3, 500, 500, 0))
        self.assertEqual(self.run_tool("query", "-c", "f", "-f", "urls.txt"), b"500\n")
        told = self.info("f")
        self.assertLess(told["current_rate"], 0.012)
        self.assertEqual((told["format"], told["keys"], told["hashes"]), ("squid-digest", 500, 4))
        strangers = [f"http://example.net/{i}" for i in range(20_000)]
        self.write_urls(strangers, "strangers.txt")
        done = self.ended("query", "f", "-f", "strangers.txt")
        claimed = done.stdout.decode().split("\n")[:-1]
        self.assertEqual(claimed, [url for url in strangers if in_digest(file, url)])
        self.assertLessEqual(len(claimed), most_of(len(strangers), told["current_rate"]))
        self.assertGreaterEqual(len(claimed), fewest_of(len(strangers), told["current_rate"]))
        self.run_tool("query", "-q", "f", "http://example.com/never", status=None, notes=None)
        self.assertIn(b"Squid cache digest", self.run_tool("info", "f"))

    def test_every_format_is_built_and_asked_and_says_what_it_is(self):
        self.write_urls(URLS)
        for name in ("squid-digest", "parquet-block", "dcso-bloom"):
            report = json.loads(self.run_tool("build", "--json", "--format", name, "-o", name, "urls.txt"))
            self.assertEqual((report["format"], report["items"]), (name, 500))
            self.assertEqual(report["file_bytes"], len(self.bytes_of(name)))
            self.assertEqual(self.run_tool("query", "-c", name, "-f", "urls.txt"), b"500\n")
            self.assertEqual(self.info(name)["format"], name)
            self.refused("add", name, "x", says="filter of another program")
            self.refused("union", name, name, "-o", "x", says="another program")
            self.refused("query", "--key-file", "urls.txt", name, "x", says="no key")
            cut = self.bytes_of(name)[:-1]
            self.write("cut", cut)
            self.refused("query", "cut", "x", says="cut: ")

    def test_options_of_our_own_filters_are_refused_with_a_format(self):
        self.write_urls(URLS)
        for option in (["--kind", "blocked"], ["--set", "hashes=3"], ["--seed", "1"], ["--sources"],
                       ["--window", "10"], ["--transmit"]):
            self.refused("build", "--format", "squid-digest", *option, "-o", "f", "urls.txt", says=option[0])
        self.refused("build", "--format", "squid", "-o", "f", "urls.txt", says="squid-digest")
        self.refused("build", "--format", "squid-digest", "--memory", "10", "-o", "f", "urls.txt", says="--memory")

    @unittest.skipUnless(shutil.which("bloom"), "--full: needs DCSO's bloom")
    def test_dcso_bloom_reads_and_writes_the_same(self):
        self.write_urls(URLS)
        self.run_tool("build", "--format", "dcso-bloom", "-o", "ours.bloom", "urls.txt")
        done = subprocess.run(["bloom", "check", "ours.bloom"], cwd=self.folder, capture_output=True, check=True,
                              input=self.bytes_of("urls.txt"))
        self.assertEqual(done.stdout, self.bytes_of("urls.txt"))
        subprocess.run(["bloom", "create", "-n", "500", "-p", "0.01", "theirs.bloom"], cwd=self.folder, check=True,
                       capture_output=True)
        subprocess.run(["bloom", "insert", "theirs.bloom"], cwd=self.folder, check=True, capture_output=True,
                       input=self.bytes_of("urls.txt"))
        self.assertEqual(self.run_tool("query", "-c", "theirs.bloom", "-f", "urls.txt"), b"500\n")
        told = self.info("theirs.bloom")
        self.assertEqual(told["capacity"], 500)
        strangers = [f"http://example.net/{i}" for i in range(20_000)]
        self.write_urls(strangers, "strangers.txt")
        theirs = subprocess.run(["bloom", "check", "theirs.bloom"], cwd=self.folder, capture_output=True,
                                check=True, input=self.bytes_of("strangers.txt")).stdout
        self.assertEqual(self.ended("query", "theirs.bloom", "-f", "strangers.txt").stdout, theirs)

    # A sibling.

    def test_a_sibling_serves_its_digest_and_its_pages(self):
        self.write_urls(URLS)
        (self.folder / "site" / "example.org").mkdir(parents=True)
        self.write("site/example.org/7", b"seven\n")
        self.write("secret", b"not for you\n")
        self.write_urls([*URLS, "http://example.org/../../secret", "http://../secret"])
        server = self.serve("--urls", "urls.txt", "--root", "site", "--period", "1h")
        report = json.loads(self.run_tool("cache", "fetch", server, "-o", "got", "--json"))
        self.assertEqual(report["keys"], 502)
        self.assertRegex(report["expires"], r"^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$")
        self.assertEqual(report["bits_per_entry"], 5)
        self.assertEqual(self.run_tool("query", "-c", "got", "-f", "urls.txt"), b"502\n")
        status, headers, body = self.get("/squid-internal-periodic/store_digest")
        self.assertEqual((status, headers["Content-Type"], body),
                         (200, "application/cache-digest", self.bytes_of("got")))
        self.assertEqual(self.get("http://example.org/7", Cache_Control="only-if-cached")[::2], (200, b"seven\n"))
        for absent in ("http://example.org/8", "http://example.net/7", "http://example.org/../../secret",
                       "http://../secret"):
            self.assertEqual(self.get(absent)[0], 504, absent)
        self.assertEqual(self.get("/elsewhere")[0], 404)
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(timeout=20), 0)

    def test_a_digest_comes_in_parts_that_are_apart(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.serve("--urls", "urls.txt", "--body", "page")
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as stream:
            stream.sendall(b"GET /squid-internal-periodic/store_digest HTTP/1.1\r\n\r\n")
            pieces = [stream.recv(65536) for _ in range(3)]
        self.assertTrue(pieces[0].endswith(b"\r\n\r\n"))
        self.assertEqual([len(piece) for piece in pieces[1:]], [128, (500 * 5 + 7) // 8])

    def test_who_has_ended_to_speak_is_answered(self):
        self.write_urls(URLS)
        page = self.bytes_of(self.write("page", bytes(range(256)) * 10_000))
        self.serve("--urls", "urls.txt", "--body", "page")
        digest = "/squid-internal-periodic/store_digest"
        for ending in ("", "Connection: close\r\n"):
            for asked, lengths in (([URLS[0]], [len(page)]), ([digest], [128 + (500 * 5 + 7) // 8]),
                                   ([URLS[0], digest, URLS[1]], [len(page), 441, len(page)][:1 if ending else 3])):
                with self.subTest((ending, len(asked))), self.come() as stream:
                    stream.sendall("".join(f"GET {each} HTTP/1.1\r\n{ending}\r\n" for each in asked).encode())
                    stream.shutdown(socket.SHUT_WR)
                    came = stream.makefile("rb").read()
                    for length in lengths:
                        head, _, came = came.partition(b"\r\n\r\n")
                        self.assertIn(b"Content-Length: %d\r\n" % length, head + b"\r\n")
                        body, came = came[:length], came[length:]
                        self.assertEqual(len(body), length)
                        if length == len(page):
                            self.assertEqual(body, page)
                    self.assertEqual(came, b"")

    def test_a_digest_is_made_anew_when_it_expires(self):
        self.write_urls(URLS[:10])
        self.write("page", b"x")
        server = self.serve("--urls", "urls.txt", "--body", "page", "--period", "1s")
        self.run_tool("cache", "fetch", server, "-o", "got")
        self.write_urls(URLS[:30])
        time.sleep(2.2)
        self.assertEqual(json.loads(self.run_tool("cache", "fetch", server, "-o", "got", "--json"))["keys"], 30)
        self.assertEqual(self.get(URLS[29])[0], 200)

    def test_nonsense_over_the_wire_harms_nobody(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.serve("--urls", "urls.txt", "--body", "page")
        for nonsense in (b"\x00\xff" * 100, b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100_000,
                         b"POST http://example.org/7 HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as stream:
                try:
                    stream.sendall(nonsense)
                    stream.shutdown(socket.SHUT_WR)
                    while stream.recv(4096):
                        pass
                except OSError:  # it has closed already
                    pass
            self.assertEqual(self.get("http://example.org/7")[0], 200)

    def test_what_is_fetched_must_be_a_digest(self):
        full = struct.pack(">HHiiiiBB", 5, 3, 8, 8, 0, 5, 5, 4) + bytes(106) + b"\xff" * 5
        for answer, says in ((b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "no cache digest (404 Not Found)"),
                             (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd", "128 bytes"),
                             (b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nabcd", "middle"),
                             (b"nonsense\r\n\r\n", "no HTTP"),
                             (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
                              "no cache digest (302 Found)"),  # nobody else is asked
                             (b"HTTP/1.1 500 \x1b[2J\r\n\r\n", "control character"),
                             (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcdef\r\n0\r\n\r\n", "longer"),
                             (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", "twice"),
                             (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 20_000 + b"\r\n\r\n", "a line of more"),
                             (b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 101 + b"\r\n", "more than 100 headers"),
                             (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                              + (b"1;" + b"x" * 10_000 + b"\r\na\r\n") * 1000, "extensions"),
                             (b"HTTP/1.1 200 OK\r\n\r\n" + full, "fill")):
            liar = Liar(answer)
            self.refused("cache", "fetch", liar.address, "-o", "got", says=says)
            liar.end()
            self.assertFalse((self.folder / "got").exists())
        self.refused("cache", "fetch", "http://127.0.0.1:1", "-o", "got", says="refused")
        self.refused("cache", "fetch", "squid:3128", "-o", "got", says="http://HOST")

    # Strangers.

    def test_a_page_is_where_wget_keeps_it_and_nowhere_else(self):
        kept = {"/7": "7", "/": "index.html", "/d/": "d/index.html", "/d/?x=1": "d/index.html?x=1",
                "/q?x=1&y=a/b": "q?x=1&y=a%2Fb", "/a%20b": "a b", "/til%7Ede": "til~de", "/e%2Ff": "e%2Ff",
                "/p%25q": "p%q", "/%zz%4": "%zz%4", "/x%01y": "x%01y", "/%2e%2e/z": "%2E%2E/z"}
        site = self.folder / "site" / "example.org"
        for name in kept.values():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(f"in {name}\n")
        self.write("secret", b"not for you\n")
        (self.folder / "site" / "secret").write_text("nor this\n")
        (site / "link").symlink_to("../../secret")
        (site / "inward").symlink_to("7")
        (site / "out").symlink_to(self.folder)
        os.mkfifo(site / "pipe")
        hostile = ["/../secret", "/../../secret", "/%2e%2e/secret", "/%2e%2e/%2e%2e/secret", "/..%2f..%2fsecret",
                   "/.%2e/%2e./secret", "/link", "/inward", "/out/secret", "/pipe", "//7", "/./7", "/d", "/7/",
                   f"/{self.folder}/secret", "/7%00.html", "/" + "a" * 300, "/" + "a/" * 5000]
        elsewhere = ["http://../secret", "http:///secret", f"http://{self.folder}/secret", "http://%2e%2e/secret",
                     "http://..%2fsecret/", "http://?", "http://", "http://./secret", "http://secret"]
        listed = [*(f"http://example.org{path}" for path in (*kept, *hostile)), *elsewhere]
        self.write_urls(listed)
        self.serve("--urls", "urls.txt", "--root", "site")
        for path, name in kept.items():
            self.assertEqual(self.get(f"http://example.org{path}")[::2], (200, f"in {name}\n".encode()), path)
        for url in listed[len(kept):]:
            self.assertEqual(self.get(url)[0], 504, url)

    def test_thousands_who_say_nothing_keep_nobody_out(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.serve("--urls", "urls.txt", "--body", "page")
        guests = 10_000 if os.environ.get("BLOOMERY_FULL") else 1000
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, guests + 200)), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for i in range(guests):
            stream = self.come()
            if i % 2:  # and those who begin, and never end
                stream.sendall(b"GET http://example.org/7 HTTP/1.1\r\nX: ")
        self.assertEqual(self.get("http://example.org/7")[0], 200)

    def test_a_machine_that_opens_no_more_is_no_end(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.serve_with(24, "--urls", "urls.txt", "--body", "page")
        for _ in range(60):
            self.come()
        self.assertIn(self.get("http://example.org/7")[0], (200, 504))
        self.assertIsNone(self.server.poll())

    @unittest.skipIf(SANITIZED, "--full: memory is the sanitizer's")
    def test_pages_are_sent_to_many_at_once_in_little_memory(self):
        self.write_urls(URLS)
        with open(self.folder / "page", "wb") as page:
            page.truncate(64 << 20)
        self.serve("--urls", "urls.txt", "--body", "page")
        self.assertEqual(self.get("http://example.org/7")[0], 200)
        for _ in range(20):  # who read nothing of it
            stream = self.come()
            stream.sendall(b"GET http://example.org/7 HTTP/1.1\r\n\r\n" * 1000)
            self.assertTrue(stream.recv(100).startswith(b"HTTP/1.1 200 OK"))
        status, headers, body = self.get("http://example.org/8")
        self.assertEqual((status, headers["Content-Length"], len(body)), (200, str(64 << 20), 64 << 20))
        self.assertLess(self.memory(), 64 << 20)

    @unittest.skipIf(SANITIZED, "--full: memory is the sanitizer's")
    def test_who_asks_for_digests_again_and_again_costs_little_memory(self):
        self.write_urls([f"http://example.org/{i}" for i in range(200_000)])
        self.serve("--urls", "urls.txt", "--body", "urls.txt")
        self.assertEqual(self.get("/squid-internal-periodic/store_digest")[0], 200)
        before = self.memory()
        for _ in range(5):
            stream = self.come()
            try:
                for _ in range(20):
                    stream.sendall(b"GET /squid-internal-periodic/store_digest HTTP/1.1\r\n\r\n" * 100)
                stream.recv(100)
            except OSError:  # it has been refused
                pass
        self.assertEqual(self.get("/squid-internal-periodic/store_digest")[0], 200)
        self.assertLess(self.memory() - before, 32 << 20)

    def test_what_cannot_be_read_again_is_served_as_it_was_and_told_at_home(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.write("notes.txt", b"http://a/\tnote\n")
        self.serve("--urls", "urls.txt", "--body", "page", "--annotations", "notes.txt", "--period", "1s")
        (self.folder / "urls.txt").unlink()
        self.write("notes.txt", b"no tab\n")
        time.sleep(2.2)
        self.assertEqual(self.get("http://example.org/7")[::2], (200, b"x"))
        self.assertEqual(self.get("/squid-internal-periodic/store_digest")[0], 200)
        self.assertEqual(self.get("/bloomery/annotations/note?url=http://a/")[::2], (200, b"note\n"))
        self.assertIn(b"urls.txt", self.bytes_of("complaints"))
        self.assertIn(b"line 1", self.bytes_of("complaints"))
        status, _, body = self.get("/bloomery/annotations/note?url=%4")
        self.assertEqual(status, 400)
        self.assertNotIn(str(self.folder).encode(), body)

    def test_nothing_of_a_request_becomes_a_header(self):
        self.write_urls(URLS)
        self.write("page", b"x")
        self.write("notes.txt", b"http://a/\tnote\n")
        self.serve("--urls", "urls.txt", "--body", "page", "--annotations", "notes.txt")
        for target, given in (("/bloomery/annotations/filter", '"x\rSet-Cookie: a=b"'),
                              ("/bloomery/annotations/note?url=a%0d%0aSet-Cookie:%20a=b", "x"),
                              ("http://example.org/7%0d%0aSet-Cookie:%20a=b", "x")):
            with self.come() as stream:
                stream.sendall(f"GET {target} HTTP/1.1\r\nA-IM: bloomery-delta\r\nIf-None-Match: {given}\r\n"
                               "Connection: close\r\n\r\n".encode())
                came = b""
                try:
                    while some := stream.recv(65536):
                        came += some
                except OSError:
                    pass
            self.assertNotIn(b"Set-Cookie", came.partition(b"\r\n\r\n")[0], target)
        for method in ("POST", "DELETE", "CONNECT", "TRACE"):
            with self.come() as stream:
                stream.sendall(f"{method} /bloomery/annotations/filter HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
                self.assertTrue(stream.recv(65536).startswith(b"HTTP/1.1 405 "), method)

    # Annotations.

    def test_a_server_of_annotations_that_lies_is_refused(self):
        self.write("notes.txt", b"http://a/\tnote\n")
        server = self.serve("--annotations", "notes.txt")
        self.run_tool("cache", "ask", "--server", server, "--filter", "good", "http://a/")
        good = self.bytes_of("good")
        self.run_tool("build", "--keys", "20", "--fpr", "1%", "-o", "greedy", stdin=b"".join(b"%d\n" % i for i in range(400)),
                      notes=None)
        for note, says in ((b"fine\nhttp://bank/\tsafe\n", "control characters"), (b"\x1b[2Jgone\n", "control characters"),
                           (b"x" * 100_000, "allowed: 65537")):
            liar = Liar(answer_of(good), answer_of(note))
            self.refused("cache", "ask", "--server", liar.address, "http://a/", says=says)
            liar.end()
        for answer, says in ((answer_of(self.bytes_of("greedy")), "fill"), (answer_of(b"nonsense"), "not a Bloomery filter"),
                             (answer_of(good, "HTTP/1.1 302 Found", "Location: /"), "no annotations (302 Found)"),
                             (answer_of(b"", "HTTP/1.1 304 Not Modified"), "304"),
                             (answer_of(b"nonsense", "HTTP/1.1 226 IM Used"), "226")):
            liar = Liar(answer)
            self.refused("cache", "ask", "--server", liar.address, "http://a/", says=says)
            liar.end()
        # What is kept stays as it was.
        liar = Liar(answer_of(b"nonsense", "HTTP/1.1 226 IM Used"))
        self.refused("cache", "ask", "--server", liar.address, "--filter", "good", "--period", "0s", "http://a/",
                     says=liar.address)
        liar.end()
        self.assertEqual(self.bytes_of("good"), good)

    def test_annotations_are_asked_for_where_there_may_be_one(self):
        self.write("notes.txt", "".join(f"{url}\tnote {i}\n" for i, url in enumerate(URLS)).encode())
        server = self.serve("--annotations", "notes.txt", "--period", "1s")
        asked = [*URLS[:20], *(f"http://example.net/{i}" for i in range(3000))]
        self.write_urls(asked, "asked.txt")
        ask = ("cache", "ask", "--server", server, "--filter", "kept.bloom", "--json", "-f", "asked.txt")
        report = json.loads(self.run_tool(*ask))
        self.assertEqual([note["url"] for note in report["notes"]], URLS[:20])
        self.assertEqual(report["notes"][7]["note"], "note 7")
        self.assertEqual((report["asked"], report["downloads"], report["deltas"]), (3020, 1, 0))
        wrong = report["requests"] - 20
        self.assertLessEqual(wrong, most_of(3000, report["current_rate"]))
        self.assertGreaterEqual(wrong, fewest_of(3000, report["current_rate"]))
        _, headers, whole = self.get("/bloomery/annotations/filter")
        again = json.loads(self.run_tool(*ask))
        self.assertEqual((again["downloads"], again["notes"]), (0, report["notes"]))
        # It has changed: by delta, which is shorter.
        self.write("notes.txt", self.bytes_of("notes.txt") + b"http://example.net/7\tnew\n")
        time.sleep(2.2)
        later = json.loads(self.run_tool(*ask, "--period", "0s"))
        self.assertEqual((later["downloads"], later["deltas"], later["annotated"]), (1, 1, 21))
        status, changed, delta = self.get("/bloomery/annotations/filter", If_None_Match=headers["ETag"],
                                          A_IM="bloomery-delta")
        self.assertEqual((status, changed["Delta-Base"]), (226, headers["ETag"]))
        self.assertLess(3 * len(delta), len(whole))
        self.assertLess(later["bytes_received"] - report["bytes_received"], len(delta) + 1000 - len(whole))
        unchanged = json.loads(self.run_tool(*ask, "--period", "0s"))
        self.assertEqual((unchanged["downloads"], unchanged["deltas"], unchanged["annotated"]), (1, 0, 21))
        self.run_tool("cache", "ask", "--server", server, "http://example.com/none", status=1)
        odd = self.run_tool("cache", "ask", "--server", server, URLS[3])
        self.assertEqual(odd, f"{URLS[3]}\tnote 3\n".encode())

    def test_annotations_that_make_no_sense_are_refused(self):
        self.write("notes.txt", b"http://a/\tfine\nno tab\n")
        self.refused("cache", "serve", "--annotations", "notes.txt", says="line 2")
        self.refused("cache", "serve", says="--urls")
        self.refused("cache", "ask", says="--server")
        self.write_urls(URLS)
        self.write("page", b"x")
        server = self.serve("--urls", "urls.txt", "--body", "page")
        self.refused("cache", "ask", "--server", server, "http://a/", says="no annotations")

    def test_a_helper_of_squid_answers_each_line(self):
        # With an escape of its own, and with a byte that Squid escapes.
        self.write_urls([*URLS, "http://d/a%20b", "http://d/é"])
        self.run_tool("build", "--fpr", "0.0001%", "-o", "ours.bloom", "urls.txt")
        self.run_tool("build", "--format", "squid-digest", "--fpr", "0.1%", "-o", "squids.digest", "urls.txt")
        for name in ("ours.bloom", "squids.digest"):
            lines = b"0 http://example.org/7 -\n12 http://b.example/\nhttp://example.org/9\r\nhttp://c/%7Ex\n3 http://d/a%20b -\n4 http://d/%C3%A9\n"
            self.assertEqual(self.run_tool("cache", "ask", "--acl", name, stdin=lines),
                             b"0 OK\n12 ERR\nOK\nERR\n3 OK\n4 OK\n")
        with subprocess.Popen([TOOL, "cache", "ask", "--acl", "ours.bloom"], cwd=self.folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:
            for url, expected in ((b"http://example.org/1", b"OK\n"), (b"http://b/", b"ERR\n")):
                helper.stdin.write(url + b"\n")
                helper.stdin.flush()
                self.assertEqual(helper.stdout.readline(), expected)  # before the next is asked
            helper.stdin.close()
        self.refused("cache", "ask", "--acl", "ours.bloom", stdin=b"0 http://a/" + b"a" * (2 << 20), says="a line of more")

    # Sharing.

    def share(self, *arguments):
        with open(self.folder / "complaints", "ab") as complaints:
            started = subprocess.Popen([TOOL, "cache", "share", "--documents", "100", *arguments], cwd=self.folder,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True,
                                       bufsize=1)
        self.addCleanup(started.wait)
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.stdin.close)
        return started

    def test_strangers_keep_no_neighbour_out(self):
        one = self.share("--listen", "127.0.0.1:0")
        self.port = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", one.stdout.readline())[1]
        one.stdin.write("+ http://a/\n")
        for nonsense in (b"\xff\xff\xff\x7fvery long", b"\x08\0\0\0nonsense", b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\0"):
            with self.come() as stream:
                stream.sendall(nonsense)
                with contextlib.suppress(OSError):
                    while stream.recv(65536):
                        pass
        for _ in range(400):
            self.come()
        other = self.share("--peer", f"127.0.0.1:{self.port}")
        found = ""
        for _ in range(100):
            other.stdin.write("? http://a/\n")
            found = other.stdout.readline()
            if found != "http://a/\n":
                break
            time.sleep(0.1)
        self.assertEqual(found, f"http://a/\t127.0.0.1:{self.port}\n")
        one.stdin.write("? http://a/\n")
        self.assertEqual(one.stdout.readline(), "http://a/\there\n")

    def test_neighbours_know_what_changes(self):
        one = self.share("--listen", "127.0.0.1:0")
        port = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", one.stdout.readline())[1]
        one.stdin.write("+ http://a/\n+ http://b/\n")
        other = self.share("--peer", f"127.0.0.1:{port}")

        def asked(url, expected):
            for _ in range(100):
                other.stdin.write(f"? {url}\n")
                found = other.stdout.readline()
                if (found == f"{url}\t127.0.0.1:{port}\n") == expected:
                    return
                self.assertIn(found, (f"{url}\n", f"{url}\t127.0.0.1:{port}\n"))
                time.sleep(0.1)
            self.fail(f"{url}: {found!r}")
        asked("http://a/", True)
        asked("http://c/", False)
        one.stdin.write("- http://a/\n+ http://c/\n")
        asked("http://c/", True)
        asked("http://a/", False)
        one.stdin.write("? http://c/\n")
        self.assertEqual(one.stdout.readline(), "http://c/\there\n")


if __name__ == "__main__":
    unittest.main()
