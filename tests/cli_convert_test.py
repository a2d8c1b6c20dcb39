"""`convert` as a person uses it: the same bits in another form, or another filter of the same keys."""
import json
import random
import unittest

from tool import Tool

PEOPLE = [f"http://example.org/{i}" for i in range(300)]
STRANGERS = 100_000


def changes(count, seed=1):
    made = random.Random(seed)
    return [made.randbytes(32).hex() for _ in range(count)]


class Convert(Tool):
    def write_keys(self, name, keys):
        return self.write(name, "".join(key + "\n" for key in keys).encode())

    def setUp(self):
        super().setUp()
        self.write_keys("changes", changes(200))
        self.write_keys("urls", PEOPLE)
        self.run_tool("build", "--format", "automerge-sync", "-o", "peer.sync", "changes")
        self.run_tool("build", "--format", "squid-digest", "-o", "urls.digest", "urls")

    def formats(self):
        told = self.refused("build", "--format", "none", "-o", "x", "urls", says="is no format")
        return told.partition("(")[2].partition(")")[0].split(", ")

    def answers(self, filter_file, keys):
        return self.run_tool("query", filter_file, "-f", keys, status=None, notes=None)

    def test_the_same_bits_in_another_form_answer_the_same(self):
        self.write_keys("strangers", changes(STRANGERS, seed=2))
        told = json.loads(self.run_tool("convert", "peer.sync", "--format", "automerge-filter", "-o", "bare", "--json"))
        self.assertEqual((told["format"], told["file_bytes"]), ("automerge-filter", len(self.bytes_of("bare"))))
        self.assertEqual(bytes.fromhex("4200000100" "fe01") + self.bytes_of("bare") + b"\0",
                         self.bytes_of("peer.sync"))  # 254 bytes: 4 and 2,000 bits
        self.run_tool("convert", "bare", "--format", "automerge-sync", "-o", "again")
        self.assertEqual(self.bytes_of("again"), self.bytes_of("peer.sync"))
        for keys in ("changes", "strangers"):
            self.assertEqual(self.answers("bare", keys), self.answers("peer.sync", keys))
        self.assertEqual(self.run_tool("query", "-c", "bare", "-f", "changes"), b"200\n")
        self.assertGreater(len(self.answers("bare", "strangers")), 0)  # or nothing was compared
        self.assertEqual(self.run_tool("convert", "bare", "--format", "automerge-sync", "-o", "-"),
                         self.bytes_of("peer.sync"))

    def test_bits_of_other_hashes_are_refused_with_a_cure(self):
        self.run_tool("build", "-o", "ours", "urls")
        for arguments in (["urls.digest", "--format", "dcso-bloom"], ["urls.digest", "--kind", "standard"],
                          ["ours", "--format", "squid-digest"], ["ours", "--kind", "blocked"],
                          ["peer.sync", "--format", "squid-digest"]):
            self.refused("convert", *arguments, "-o", "x", says="name a file of its keys by --file")
        self.refused("convert", "ours", "--kind", "blocked", "-o", "x", says="`bloomery compress`")
        self.refused("convert", "urls.digest", "-o", "x", says="name what to convert to")
        self.refused("convert", "peer.sync", "--format", "automerge-filter", "--fpr", "1%", "-o", "x", says="--fpr")
        self.refused("convert", "peer.sync", "--format", "automerge", "-o", "x", says="automerge-sync")
        self.refused("convert", "urls.digest", "--kind", "standrad", "-o", "x", says="did you mean")
        self.refused("convert", "urls", "--format", "dcso-bloom", "-o", "x", says="urls")
        self.assertFalse((self.folder / "x").exists())

    def test_every_format_becomes_every_other_by_its_keys(self):
        for old in self.formats():
            for new in self.formats():
                theirs = old.startswith("automerge")
                if theirs != new.startswith("automerge"):
                    continue  # keys of the one are none of the other
                keys = "changes" if theirs else "urls"
                count = 200 if theirs else 300
                with self.subTest(old=old, new=new):
                    self.run_tool("build", "--format", old, "-o", "old", keys)
                    told = json.loads(self.run_tool("convert", "old", "-f", keys, "--format", new, "--fpr", "0.1%",
                                                    "-o", "new", "--json"))
                    # Where cells depend on the order of the keys, it cannot be told.
                    none = None if old == "redis-cuckoo" else 0
                    self.assertEqual((told["format"], told["keys_checked"], told.get("unexplained_bits")),
                                     (new, count, none))
                    self.run_tool("build", "--format", new, "--fpr", "0.1%", "-o", "direct", keys)
                    self.assertEqual(self.bytes_of("new"), self.bytes_of("direct"))

    def test_a_foreign_filter_becomes_one_of_ours_and_back(self):
        self.run_tool("convert", "urls.digest", "-f", "urls", "-o", "ours")
        self.run_tool("build", "-o", "direct", "urls")
        self.assertEqual(self.bytes_of("ours"), self.bytes_of("direct"))
        told = json.loads(self.run_tool("convert", "urls.digest", "-f", "urls", "--kind", "blocked", "--fpr", "0.1%",
                                        "-o", "blocked", "--json"))
        self.assertEqual((told["kind"], told["keys_checked"], told["promised"]["rate"]), ("blocked", 300, 0.001))
        self.run_tool("convert", "blocked", "-f", "urls", "--format", "squid-digest", "-o", "back")
        self.assertEqual(self.bytes_of("back"), self.bytes_of("urls.digest"))
        piped = self.run_tool("convert", "urls.digest", "-f", "-", "-o", "-", stdin=self.bytes_of("urls"))
        self.assertEqual(piped, self.bytes_of("direct"))

    def test_a_filter_under_a_secret_becomes_one_under_it(self):
        self.write("key", bytes(range(32)))
        self.run_tool("build", "--key-file", "key", "-o", "keyed", "urls")
        self.refused("convert", "keyed", "-f", "urls", "--kind", "blocked", "-o", "x", says="--key-file")
        self.run_tool("convert", "keyed", "-f", "urls", "--key-file", "key", "--kind", "blocked", "-o", "x")
        self.assertEqual(self.info("x")["hash"], self.info("keyed")["hash"])
        self.refused("convert", "urls.digest", "-f", "urls", "--key-file", "key", "-o", "y", says="--key-file")

    def test_a_wrong_list_of_keys_is_told(self):
        self.write_keys("wrong", PEOPLE[:10] + ["http://example.com/none", "http://example.com/nor this"])
        before = self.write("out", b"as it was")
        message = self.refused("convert", "urls.digest", "-f", "wrong", "--format", "dcso-bloom", "-o", "out",
                               says="2 of 12 keys are certainly not in urls.digest")
        self.assertIn("'http://example.com/none'", message)
        self.assertEqual(self.bytes_of(before), b"as it was")
        self.run_tool("build", "-o", "ours", "urls")
        self.refused("convert", "ours", "-f", "wrong", "--kind", "blocked", "-o", "x", says="2 of 12 keys")

    def test_keys_that_are_missing_from_the_list_are_told(self):
        self.write_keys("half", PEOPLE[:150])
        ones = round(self.info("urls.digest")["fill"] * self.info("urls.digest")["bits"])
        done = self.ended("convert", "urls.digest", "-f", "half", "--format", "dcso-bloom", "-o", "out", "--json")
        self.assertEqual(done.returncode, 0)
        unexplained = json.loads(done.stdout)["unexplained_bits"]
        self.assertGreater(unexplained, 0)
        self.assertEqual(done.stderr.decode(), f"bloomery: urls.digest: none of the keys sets {unexplained} of its "
                         f"{ones} ones: it was built of more keys, which the result lacks\n")
        # As the same digest by the same keys alone shows.
        self.run_tool("build", "--format", "squid-digest", "--keys", "300", "-o", "half.digest", "half")
        few = self.info("half.digest")
        self.assertEqual(ones - unexplained, round(few["fill"] * few["bits"]))

    def test_no_input_is_overwritten(self):
        for arguments in (["peer.sync", "--format", "automerge-filter", "-o", "peer.sync"],
                          ["urls.digest", "-f", "urls", "-o", "urls"],
                          ["urls.digest", "-f", "urls", "-o", "urls.digest"]):
            before = self.bytes_of(arguments[-1])
            self.refused("convert", *arguments, says="both an input and the output")
            self.assertEqual(self.bytes_of(arguments[-1]), before)

    def test_hashes_of_changes_are_asked_for_as_they_are(self):
        self.refused("query", "peer.sync", "zebra", says="64 hexadecimal digits")
        self.refused("build", "--format", "automerge-sync", "-o", "x", "urls", says="64 hexadecimal digits")
        self.assertFalse((self.folder / "x").exists())
        told = self.info("peer.sync")
        self.assertEqual([told[name] for name in ("format", "entries", "bits_per_entry", "hashes", "heads", "changes")],
                         ["automerge-sync", 200, 10, 7, 0, 0])


if __name__ == "__main__":
    unittest.main()
