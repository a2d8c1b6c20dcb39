"""The tool as a person uses it: advertise, route and age."""
import json
import unittest

from tool import Tool, fewest_of, lines, most_of


class Routing(Tool):
    SHAPE = ["--set", "bits=4096", "--set", "hashes=4", "--set", "levels=3", "-o"]

    def test_what_came_on_other_links_is_a_hop_further(self):
        for name in ["far", "middle", "here"]:
            self.run_tool("build", "--kind", "attenuated", *self.SHAPE, name, stdin=name.encode())
        self.run_tool("advertise", "middle", "far", "-o", "from-middle")
        report = json.loads(self.run_tool("advertise", "here", "from-middle", "-o", "sent", "--json"))
        self.assertEqual(report["items"], 3)
        self.assertEqual(self.run_tool("map", "get", "sent", "far", "middle", "here", "nowhere"),
                         b"far\t2\nmiddle\t1\nhere\t0\n")
        self.run_tool("advertise", "here", "sent", "-o", "again")
        self.run_tool("map", "get", "again", "far", status=1)  # beyond the last level

    def test_bits_decay_by_link(self):
        shape = ["--kind", "exponential-decay", "--set", "bits=65536", "--set", "hashes=64", "-o"]
        self.run_tool("build", *shape, "far", stdin=b"".join(b"%d\n" % i for i in range(20)))
        self.run_tool("build", *shape, "here", stdin=b"here\n")
        for name, link in [("one", "1"), ("again", "1"), ("two", "2")]:
            self.run_tool("advertise", "here", "far", "--link", link, "-o", name)
        one, again, two = ((self.folder / name).read_bytes() for name in ["one", "again", "two"])
        self.assertEqual(one, again)
        self.assertNotEqual(one, two)

    def test_bits_decay_at_every_relay_without_a_number_of_the_link(self):
        size, hashes = 65536, 64
        shape = ["--kind", "exponential-decay", "--set", f"bits={size}", "--set",
                 f"hashes={hashes}", "-o"]
        keys = [str(i) for i in range(20)]
        self.run_tool("build", *shape, "sent0", stdin="\n".join(keys).encode())
        self.run_tool("build", *shape, "empty")
        for relay in range(1, 5):
            sent = ["advertise", "empty", f"sent{relay - 1}", "-o"]
            self.run_tool(*sent, f"sent{relay}")
            self.run_tool(*sent, "again")
            self.assertEqual(self.bytes_of("again"), self.bytes_of(f"sent{relay}"))
            told = json.loads(self.run_tool("route", "--link", f"sent{relay}", "--json", *keys,
                                            status=None))
            score = sum(route["links"][0]["score"] for route in told["routes"])
            # Each of the bits, a few of which are of two keys, is there with chance 2^-relay.
            bits = len(keys) * hashes
            noise = bits / size
            kept = 2 ** -relay
            self.assertLessEqual(score, most_of(bits, kept + (1 - kept) * noise))
            self.assertGreaterEqual(score, fewest_of(bits, kept * (1 - noise)))

    def test_the_best_link_by_score(self):
        shape = ["--kind", "exponential-decay", "--keys", "100", "-o"]
        for name in ["east", "west"]:
            self.run_tool("build", *shape, name, stdin=lines(0, 50, name) + b"both\n")
        self.run_tool("build", *shape, "node", stdin=b"node\n")
        self.run_tool("advertise", "node", "west", "--link", "1", "-o", "relayed")
        route = ["route", "--link", "east", "--link", "relayed"]
        table = [line.split("\t") for line in self.run_tool(
            *route, "east7", "west7", "node", "both", "nowhere").decode().splitlines()]
        self.assertEqual([row[:2] for row in table],
                         [["east7", "east"], ["west7", "relayed"], ["node", "relayed"],
                          ["both", "east"], ["nowhere", "-"]])
        self.assertEqual([table[0][2], table[2][2], len(table[4])], ["32", "32", 2])
        self.assertTrue(int(table[1][3]) <= int(table[1][2]) < 32)
        self.run_tool(*route, "nowhere", status=1)
        self.assertEqual(self.run_tool(*route, stdin=b"nowhere\neast7\n").count(b"\n"), 2)
        report = json.loads(self.run_tool(*route, "--json", "west7", "nowhere"))
        self.assertEqual((report["asked"], report["found"]), (2, 1))
        known, unknown = report["routes"]
        self.assertEqual((known["key"], known["link"], unknown["link"]), ("west7", "relayed", None))
        east, relayed = known["links"]
        self.assertTrue(east["score"] < east["floor"] and relayed["score"] >= relayed["floor"])
        self.assertEqual([relayed["link"], relayed["score"], relayed["floor"]],
                         ["relayed", *map(int, table[1][2:])])
        self.run_tool(*route, "--chance", "1e-15", "west7", status=1)

    def test_the_nearest_link_by_hops(self):
        for name in ["far", "middle", "here"]:
            self.run_tool("build", "--kind", "attenuated", *self.SHAPE, name,
                          stdin=name.encode() + b"\nall\n")
        self.run_tool("advertise", "middle", "far", "-o", "left")
        route = ["route", "-l", "left", "-l", "here", "--"]
        self.assertEqual(self.run_tool(*route, "far", "middle", "here", "all", "nowhere"),
                         b"far\tleft\t1\nmiddle\tleft\t0\nhere\there\t0\nall\tleft\t0\nnowhere\t-\n")
        self.assertEqual(self.run_tool("route", "-l", "left", "-l", "far", "far"), b"far\tfar\t0\n")
        report = json.loads(self.run_tool(*route[:-1], "--json", "far"))
        self.assertEqual(report["routes"], [{"key": "far", "link": "left", "links": [
            {"link": "left", "hops": 1}, {"link": "here", "hops": None}]}])
        self.run_tool(*route, "nowhere", status=1)
        self.run_tool("build", "--kind", "attenuated", "--keys", "9", "-o", "other", stdin=b"a\n")
        self.refused("route", "-l", "left", "-l", "other", "a", says="one kind, shape and hash")
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("route", "-l", "plain", "a", says="no routing table")

    def test_refusals(self):
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("advertise", "plain", "-o", "x", says="no routing table")
        self.run_tool("build", "--kind", "attenuated", *self.SHAPE, "r", stdin=b"a\n")
        self.refused("advertise", "r", "plain", "-o", "x", says="the kind differs")
        self.assertFalse((self.folder / "x").exists())

    def test_states_not_touched_age(self):
        self.run_tool("map", "build", "--kind", "state-machine", "-o", "flows",
                      stdin=b"a\topen\nb\tclosed\n")
        self.assertEqual(self.run_tool("age", "flows"), b"0\n")
        self.run_tool("map", "set", "flows", stdin=b"a\tclosed\n")
        report = json.loads(self.run_tool("age", "flows", "--json"))
        self.assertEqual(report["forgotten"], 1)
        self.assertEqual(self.run_tool("map", "get", "flows", "a", "b"), b"a\tclosed\n")
        self.run_tool("build", "-o", "plain", stdin=b"a\n")
        self.refused("age", "plain", says="does not age")


if __name__ == "__main__":
    unittest.main()
