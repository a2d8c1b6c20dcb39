"""A real Squid: its own digest is read by `cache fetch`, and it asks `cache ask --acl` about each request. Each is a process of its own in a temporary folder, on ports of 127.0.0.1, ended by its number."""
import http.server
import json
import os
import pathlib
import pwd
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
icp_port 0
shutdown_lifetime 0 seconds
digest_rebuild_period 2 seconds
digest_rewrite_period 2 seconds
digest_generation on
pinger_enable off
netdb_filename none
logfile_rotate 0
"""
PRODUCER = """
cache_dir ufs {folder}/store 50 4 4
cache_mem 8 MB
refresh_pattern . 60 100% 4320
"""

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

    def squid(self, name, text, **values):
        """Starts one; its port and its folder."""
        folder = self.folder / name
        folder.mkdir()
        os.chown(folder, self.proxy_user.pw_uid, self.proxy_user.pw_gid)
        port = free_port()
        config = folder / "squid.conf"
        config.write_text((COMMON + text + "\nhttp_access allow all\n").format(port=port, name=name, folder=folder, **values))
        if "cache_dir" in text:
            subprocess.run([SQUID, "-z", "-N", "-f", config], check=True, capture_output=True, timeout=PATIENCE)
        started = subprocess.Popen([SQUID, "-N", "-f", config], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)

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


if __name__ == "__main__":
    unittest.main()
