"""The tool as a person uses it: retouch."""
import json
import unittest

from tool import Tool, lines


class Retouch(Tool):
    def test_retouch(self):
        keys = b"".join(b"member %d\n" % i for i in range(2000))
        (self.folder / "keys").write_bytes(keys)
        self.run_tool("build", "--fpr", "5%", "-o", "f", "keys")
        wrong = self.run_tool("query", "f", stdin=b"".join(b"%d\n" % i for i in range(20000)))
        (self.folder / "unwanted").write_bytes(wrong[:wrong.index(b"\n", len(wrong) // 8) + 1])
        report = json.loads(self.run_tool("retouch", "f", "--unwanted", "unwanted", "--members",
                                          "keys", "-o", "g", "--json"))
        self.assertEqual(report["removed"], report["unwanted"])
        self.assertEqual(report["members"], 2000)
        self.assertGreater(report["chi"], 1)
        self.run_tool("query", "g", "-f", "unwanted", status=1)
        kept = int(self.run_tool("query", "-c", "g", "-f", "keys"))
        self.assertEqual(kept, 2000 - report["lost"])
        self.refused("retouch", "f", "--unwanted", "unwanted", "--method", "best-ratio", says="member")

    def test_retouch_of_a_counting_filter_predicts_what_is_lost(self):
        self.write("keys", lines(0, 2000))
        self.write("unwanted", lines(5000, 9000))
        reports = []
        for kind in ("standard", "counting"):
            self.run_tool("build", "--kind", kind, "--fpr", "5%", "-o", kind, "keys")
            reports.append(json.loads(self.run_tool(
                "retouch", kind, "--unwanted", "unwanted", "--members", "keys", "--method", "random",
                "--json")))
        self.assertEqual(*reports)

    def test_retouch_at_random(self):
        self.write("keys", lines(0, 2000))
        self.run_tool("build", "--fpr", "5%", "-o", "f", "keys")
        clear = ["retouch", "f", "--random-bits", "300", "--members", "keys", "--json", "-o"]
        report = json.loads(self.run_tool(*clear, "g"))
        self.assertEqual((report["method"], report["bits_cleared"], report["members"]),
                         ("random-bits", 300, 2000))
        self.assertEqual(int(self.run_tool("query", "-c", "g", "-f", "keys")), 2000 - report["lost"])
        self.run_tool(*clear, "h", "--seed", "1")
        self.assertNotEqual(self.bytes_of("g"), self.bytes_of("h"))
        nothing = json.loads(self.run_tool("retouch", "f", "--random-bits", "0", "--json"))
        self.assertEqual((nothing["chi"], nothing["predicted_loss"]), (1, 0))
        self.refused("retouch", "f", says="--unwanted")
        self.refused("retouch", "f", "--random-bits", "3", "--method", "random", says="excludes")


if __name__ == "__main__":
    unittest.main()
