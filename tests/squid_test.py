"""A real Squid, both ways: its own digest is read by `cache fetch`; it is the sibling of `cache serve`; it asks `cache ask
--acl` about each request; and it counts what it sends by ICP. Each is a process of its own in a temporary folder, on ports of
127.0.0.1, ended by its number."""
import collections
import concurrent.futures
import http.server
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from tool import TOOL, fewest_of, most_of

SQUID = "/usr/sbin/squid"
PATIENCE = 90

COMMON = """
http_port 127.0.0.1:{port}
visible_hostname {name}
pid_filename {folder}/squid.pid
cache_log {folder}/cache.log
access_log stdio:{folder}/access.log
coredump_dir {folder}
cache_effective_user proxy
shutdown_lifetime 0 seconds
digest_rebuild_period 2 seconds
digest_rewrite_period 2 seconds
digest_generation on
pinger_enable off
netdb_filename none
logfile_rotate 0
"""
PRODUCER = """
icp_port 0
cache_dir ufs {folder}/store 50 4 4
cache_mem 8 MB
refresh_pattern . 60 100% 4320
"""
# Origins are on this machine, where Squid would rather go to than to a sibling.
DISTANT = """
prefer_direct off
minimum_direct_hops 0
minimum_direct_rtt 0
"""
CONSUMER = DISTANT + """
icp_port 0
digest_generation off
strip_query_terms off
cache_peer 127.0.0.1 sibling {sibling} 0 no-query no-netdb-exchange name=ours
"""
# Squid's clock, for a Squid that waits five minutes between two digests of a sibling.
CLOCK = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
CLOCK_RUNS = 30  # times as fast

def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Origin(http.server.BaseHTTPRequestHandler):
    """A site whose pages may be kept for an hour; it counts who asks."""
    asked = []

    def do_GET(self):
        Origin.asked.append(self.path)
        body = f"origin {self.path}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Squid(unittest.TestCase):
    def setUp(self):
        if not os.environ.get("BLOOMERY_FULL"):
            self.skipTest("--full: needs Squid, and minutes of its patience")
        if os.geteuid() != 0:
            self.fail("a Squid with a store has to be started by root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-squid-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.proxy_user = pwd.getpwnam("proxy")
        os.chown(self.folder, self.proxy_user.pw_uid, self.proxy_user.pw_gid)

    def squid(self, name, text, hurried=False, **values):
        """Starts one, whose clock runs fast if it is hurried; its port and its folder."""
        folder = self.folder / name
        folder.mkdir()
        os.chown(folder, self.proxy_user.pw_uid, self.proxy_user.pw_gid)
        port = free_port()
        config = folder / "squid.conf"
        config.write_text((COMMON + text + "\nhttp_access allow all\n").format(port=port, name=name, folder=folder, **values))
        if "cache_dir" in text:
            subprocess.run([SQUID, "-z", "-N", "-f", config], check=True, capture_output=True, timeout=PATIENCE)
        clock = {"LD_PRELOAD": CLOCK, "FAKETIME": f"+0 x{CLOCK_RUNS}"} if hurried else {}
        self.assertTrue(not hurried or pathlib.Path(CLOCK).exists(), "needs faketime")
        started = subprocess.Popen([SQUID, "-N", "-f", config], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, **clock})

        def end():
            started.terminate()
            try:
                started.wait(timeout=20)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
        self.addCleanup(end)
        self.wait_for(lambda: self.connects(port), f"{name} listens")
        return port, folder

    @staticmethod
    def connects(port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            return False

    def wait_for(self, condition, what):
        for _ in range(PATIENCE * 5):
            if condition():
                return
            time.sleep(0.2)
        self.fail(f"not within {PATIENCE} seconds: {what}")

    def origin(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        Origin.asked.clear()
        return f"http://127.0.0.1:{server.server_port}"

    def through(self, port, url):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"}))
        with opener.open(url, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def tool(self, *arguments, status=0):
        done = subprocess.run([TOOL, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done)
        return done.stdout

    def test_what_a_squid_holds_is_in_its_digest(self):
        site = self.origin()
        port, _ = self.squid("producer", PRODUCER)
        cached = [f"{site}/kept/{i}" for i in range(20)]
        for url in cached:
            self.through(port, url)
        (self.folder / "cached.txt").write_text("".join(url + "\n" for url in cached))

        def all_there():
            done = subprocess.run([TOOL, "cache", "fetch", f"http://127.0.0.1:{port}", "-o", "proxy.digest"],
                                  cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
            if done.returncode != 0:
                return False
            count = subprocess.run([TOOL, "query", "-c", "proxy.digest", "-f", "cached.txt"], cwd=self.folder,
                                   capture_output=True, text=True, timeout=PATIENCE)
            return count.stdout == "20\n"
        self.wait_for(all_there, "20 of 20 pages are in the digest")
        found = json.loads(self.tool("info", "proxy.digest", "--json"))
        self.assertEqual((found["format"], found["hashes"], found["bits_per_entry"]), ("squid-digest", 4, 5))
        self.assertAlmostEqual(found["current_rate"], found["fill"] ** 4)
        strangers = 20_000
        (self.folder / "absent.txt").write_text("".join(f"{site}/absent/{i}\n" for i in range(strangers)))
        claimed = int(subprocess.run([TOOL, "query", "-c", "proxy.digest", "-f", "absent.txt"], cwd=self.folder,
                                     capture_output=True, text=True, timeout=PATIENCE).stdout)
        self.assertLessEqual(claimed, most_of(strangers, found["current_rate"]))
        self.assertGreaterEqual(claimed, fewest_of(strangers, found["current_rate"]))

    def test_a_squid_takes_our_word_for_what_is_listed(self):
        site = self.origin()
        listed = [f"{site}/listed/{i}" for i in range(30)]
        (self.folder / "listed.txt").write_text("".join(url + "\n" for url in listed))
        self.tool("build", "--fpr", "0.0001%", "-o", "listed.bloom", "listed.txt")
        helper = f"""
icp_port 0
cache deny all
external_acl_type listed concurrency=8 children-max=1 %URI {TOOL} cache ask --acl {self.folder}/listed.bloom
acl bad external listed
http_access deny bad
"""
        port, _ = self.squid("guard", helper)
        for url in listed:
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.through(port, url)
            self.assertEqual(refused.exception.code, 403)
            refused.exception.close()
        for i in range(30):
            self.assertEqual(self.through(port, f"{site}/other/{i}"), f"origin /other/{i}\n")

    # We are its sibling.

    def serve(self, *arguments):
        """Starts one; its port, its process, and the file in which it tells of requests."""
        log = self.folder / f"serve{len(list(self.folder.glob('serve*')))}.log"
        with open(log, "wb") as out:
            started = subprocess.Popen([TOOL, "cache", "serve", "-v", "--listen", "127.0.0.1:0", *map(str, arguments)],
                                       cwd=self.folder, stdout=out)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        self.wait_for(lambda: "listening" in log.read_text(), "the sibling listens")
        return int(re.match(r"listening on 127\.0\.0\.1:(\d+)\n", log.read_text())[1]), started, log

    @staticmethod
    def went(folder):
        """By URL, how the Squid found what it was asked for last."""
        lines = [line.split() for line in (folder / "access.log").read_text().splitlines()]
        return {fields[6]: fields[8].partition("/")[0] for fields in lines if len(fields) > 8}

    def write_mirror(self, site, paths):
        """Pages of the site, other than its own, where wget would keep them; their URLs."""
        root = self.folder / "mirror" / site.removeprefix("http://")
        for path, name in paths.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"mirror {path}\n")
        return [site + path for path in paths]

    def list_urls(self, urls):
        (self.folder / "urls.txt").write_text("".join(url + "\n" for url in urls))

    def asks_us(self, port, url, log):
        """Whether the Squid asks us for that page, which we have not got."""
        self.through(port, url)
        return f"504 GET {url}\n" in log.read_text()

    def squid_that_knows(self, sibling, log, lost):
        """A Squid that has read our digest. One that was busy while it arrived, for longer than we wait between its parts,
        has lost some of the bits by a mistake of its own; then it is another's turn."""
        for turn in range(5):
            port, folder = self.squid(f"consumer{turn}", CONSUMER, sibling=sibling)
            self.wait_for(lambda: self.asks_us(port, next(lost), log), "a digest has arrived")
            if all([self.asks_us(port, next(lost), log) for _ in range(20)]):
                return port, folder
        return self.fail("five Squids have lost bits of the digest")

    def test_a_squid_takes_every_listed_page_from_us_and_no_other(self):
        site = self.origin()
        paths = {f"/kept/{i}": f"kept/{i}" for i in range(400)}
        paths |= {"/": "index.html", "/a%20b": "a b", "/q?x=1&y=a/b": "q?x=1&y=a%2Fb", "/til%7Ede": "til~de", "/d/": "d/index.html"}
        listed = self.write_mirror(site, paths)
        # Listed, and not to be had: the digest claims them wrongly.
        lost = [f"{site}/lost/{i}" for i in range(3000)]
        self.list_urls([*listed, *lost])
        sibling, server, log = self.serve("--urls", "urls.txt", "--root", "mirror")
        rest = iter(lost)
        port, folder = self.squid_that_knows(sibling, log, rest)
        lost = list(rest)[:20]
        Origin.asked.clear()
        for path, url in zip(paths, listed):
            self.assertEqual(self.through(port, url), f"mirror {path}\n")
        self.assertEqual(Origin.asked, [])
        went = self.went(folder)
        self.assertEqual(collections.Counter(went[url] for url in listed), {"CD_SIBLING_HIT": len(listed)})
        # Told at once that we have not got it, it goes where it would have gone.
        for url in lost:
            self.assertEqual(self.through(port, url), f"origin {url.removeprefix(site)}\n")
            self.assertIn(f"504 GET {url}\n", log.read_text())
        self.assertEqual(Origin.asked, [url.removeprefix(site) for url in lost])
        # What the digest does not claim we do not hear of; what it does is its rate.
        ours = re.match(r"listening on (.*)\n", log.read_text())[1]
        self.tool("cache", "fetch", f"http://{ours}", "-o", "digest")
        strangers = [f"{site}/strange/{i}" for i in range(500)]
        (self.folder / "strangers.txt").write_text("".join(url + "\n" for url in strangers))
        done = subprocess.run([TOOL, "query", "digest", "-f", "strangers.txt"], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        claimed = done.stdout.split()
        for url in strangers:
            self.assertEqual(self.through(port, url), f"origin {url.removeprefix(site)}\n")
        self.assertEqual([url for url in strangers if f"504 GET {url}\n" in log.read_text()], claimed)
        self.assertGreater(len(claimed), 0)
        rate = json.loads(self.tool("info", "digest", "--json"))["current_rate"]
        self.assertLessEqual(len(claimed), most_of(len(strangers), rate))
        self.assertGreaterEqual(len(claimed), fewest_of(len(strangers), rate))
        # We are gone, without a word: all pages are still there, from where they come from.
        server.kill()
        server.wait()
        again = [f"{url}{'&' if '?' in url else '?'}again" for url in listed]
        for url in [*again, *lost]:
            self.assertRegex(self.through(port, url), "^origin ")
        self.assertNotIn("CD_SIBLING_HIT", [self.went(folder)[url] for url in again])

    def test_a_squid_reads_the_digest_again_when_it_has_expired(self):
        site = self.origin()
        early = self.write_mirror(site, {f"/early/{i}": f"early/{i}" for i in range(300)})
        self.list_urls(early)
        sibling, _, log = self.serve("--urls", "urls.txt", "--root", "mirror", "--period", "1s")
        port, folder = self.squid("consumer", CONSUMER, hurried=True, sibling=sibling)
        late = self.write_mirror(site, {f"/late/{i}": f"late/{i}" for i in range(600)})

        def comes_from_us(url):
            number = len(Origin.asked)
            self.through(port, f"{url}")
            return len(Origin.asked) == number
        tries = iter(early)
        self.wait_for(lambda: comes_from_us(next(tries)), "the first digest has arrived")
        self.list_urls([*early, *late])
        self.wait_for(lambda: log.read_text().count("/squid-internal-periodic/store_digest") >= 3, "more digests are asked for")
        tries = iter(late)
        self.wait_for(lambda: all([comes_from_us(next(tries)) for _ in range(5)]), "one has arrived")
        left = list(tries)
        for url in left:
            self.assertEqual(self.through(port, url), f"mirror {url.removeprefix(site)}\n")
        self.assertEqual({self.went(folder)[url] for url in left}, {"CD_SIBLING_HIT"})

    def test_helpers_answer_a_squid_that_asks_many_things_at_once(self):
        site = self.origin()
        listed = [f"{site}/listed/{i}" for i in range(300)] + [f"{site}/a%20b", f"{site}/p%25q", f"{site}/q?x=1&y=2", f"{site}/til%7Ede"]
        others = [f"{site}/other/{i}" for i in range(1500)]
        (self.folder / "listed.txt").write_text("".join(url + "\n" for url in listed))
        (self.folder / "others.txt").write_text("".join(url + "\n" for url in others))
        self.tool("build", "--fpr", "5%", "-o", "listed.bloom", "listed.txt")
        done = subprocess.run([TOOL, "query", "listed.bloom", "-f", "others.txt"], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        wrong = set(done.stdout.split())
        port, _ = self.squid("guard", f"""
icp_port 0
cache deny all
external_acl_type listed concurrency=8 children-max=2 ttl=0 negative_ttl=0 cache=0 %URI {TOOL} cache ask --acl {self.folder}/listed.bloom
acl bad external listed
http_access deny bad
""")

        def refused(url):
            try:
                return None if self.through(port, url) == f"origin {url.removeprefix(site)}\n" else "another page"
            except urllib.error.HTTPError as problem:
                problem.close()
                return problem.code
        with concurrent.futures.ThreadPoolExecutor(16) as crowd:
            answers = dict(zip([*listed, *others], crowd.map(refused, [*listed, *others])))
        self.assertEqual(answers, {url: 403 if url in wrong or url in listed else None for url in answers})
        # Refused are those that are listed, and of the rest the filter's rate.
        rate = json.loads(self.tool("info", "listed.bloom", "--json"))["current_rate"]
        count = list(answers.values()).count(403) - len(listed)
        self.assertLessEqual(count, most_of(len(others), rate))
        self.assertGreaterEqual(count, fewest_of(len(others), rate))

    # The rival.

    def counters(self, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/squid-internal-mgr/counters", timeout=PATIENCE) as answer:
            lines = re.findall(r"^(\S+) = (\S+)$", answer.read().decode(), re.M)
        return {name: float(value) for name, value in lines}

    def test_squids_that_ask_by_icp_send_what_the_experiment_counts(self):
        """One question to each sibling for each miss, and one answer of each; as long as RFC 2186 says."""
        site = self.origin()
        icp = [free_port(), free_port(), free_port()]
        http = []
        for name, own in zip(("one", "two", "three"), icp):
            peers = "".join(f"cache_peer 127.0.0.1 sibling {port} {number} no-digest no-netdb-exchange name={other}\n"
                            for other, port, number in zip(("one", "two"), http, icp))
            port, _ = self.squid(name, f"icp_port {own}\nicp_access allow all\nlog_icp_queries off\n" + DISTANT + peers)
            http.append(port)
        asker, sibling = http[2], http[0]
        held = [f"{site}/held/{i:03}" for i in range(40)]
        misses = [f"{site}/miss/{i:03}" for i in range(60)]
        for url in held:
            self.through(sibling, url)
        self.assertEqual(self.counters(asker)["icp.queries_sent"], 0)
        for url in [*held, *misses]:
            self.through(asker, url)
        for url in held:  # which the asker has now
            self.through(asker, url)
        asked = 2 * len([*held, *misses])
        self.wait_for(lambda: self.counters(asker)["icp.replies_recv"] == asked, "all answers have come")
        told = self.counters(asker)
        self.assertEqual((told["icp.queries_sent"], told["icp.pkts_sent"], told["icp.pkts_recv"]), (asked, asked, asked))
        self.assertEqual([self.counters(port)["icp.replies_sent"] for port in http[:2]], [asked / 2, asked / 2])
        # In KiB, of which it tells the whole ones.
        length = sum(len(url) for url in [*held, *misses]) * 2
        self.assertEqual(told["icp.kbytes_sent"], (length + asked * (20 + 4 + 1)) // 1024)
        self.assertEqual(told["icp.kbytes_recv"], (length + asked * (20 + 1)) // 1024)


if __name__ == "__main__":
    unittest.main()
