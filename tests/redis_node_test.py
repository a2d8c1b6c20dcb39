"""A stock client of Node, the package `redis` of npm, with the Redis module under both versions of the
protocol."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from redis_servers import WithServer
from tool import PATIENCE, SOURCE

WHY_NOT = "" if os.environ.get("BLOOMERY_FULL") else "--full: installs a package of npm"


@unittest.skipIf(WHY_NOT, WHY_NOT)
class StockClient(WithServer):
    def test_both_protocols(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_in(folder, "npm", "install", "--no-audit", "--no-fund", "--silent", "redis@5")
            shutil.copy(SOURCE / "tests" / "redis_client.mjs", folder)
            for version in (2, 3):
                with self.subTest(version=version):
                    told = json.loads(self.run_in(folder, "node", "redis_client.mjs", self.server.path, version))
                    self.check(told)

    def run_in(self, folder, *command):
        done = subprocess.run(list(map(str, command)), cwd=folder, text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, told):
        *answers, info, fixed = told["bf"]
        self.assertEqual(answers, [True, False, True, [False, True, True], [True, False], [True, True], 3])
        self.assertEqual((info["Capacity"], info["Number of items inserted"], info["Expansion rate"]), (1000, 3, 4))
        self.assertEqual((fixed["Capacity"], fixed["Expansion rate"]), (10, None))
        self.assertEqual(told["loaded"], 1000)
        *answers, info = told["cf"]
        self.assertEqual(answers, [True, False, True, 1, True, False, [True, True], [False, True]])
        self.assertEqual((info["Bucket size"], info["Expansion rate"], info["Number of items deleted"]), (4, 2, 1))
        self.assertEqual(told["cms"], [[5, 7], [5, 0], "OK", [14], {"width": 1000, "depth": 5, "count": 24}])
        self.assertEqual(told["topk"][:4], [[None, None, None], ["x"], [False, True], ["z", "y"]])
        self.assertEqual(told["topk"][4], [{"item": "z", "count": 9}, {"item": "y", "count": 2}])
        self.assertEqual(told["topk"][5], {"k": 2, "width": 50, "depth": 4, "decay": 0.9})


if __name__ == "__main__":
    unittest.main()
