"""The tool as a person uses it: secret, and filters under one."""
import math
import os
import pty
import statistics
import struct
import subprocess
import unittest

import xxhash
from format_reader import Envelope
from tool import PATIENCE, TOOL, Tool, lines


class Guarded(Tool):
    def secret(self, kind, name, *options):
        self.run_tool("secret", "new", "--kind", kind, *options, "-o", name)
        return name

    def build(self, kind, key, name, words, *options):
        # Secrets are new each time, and no test is to fail for a false positive of one of them.
        rate = [] if "--fpr" in options else ["--fpr", "1e-9"]
        self.run_tool("build", "--kind", kind, "--key-file", key, *rate, *options, "-o", name,
                      stdin=b"".join(word + b"\n" for word in words))
        return name

    def altered(self, name, change):
        """The message with other fields, under a length and a checksum that fit."""
        message = self.bytes_of(name)
        fields = 16 + message[6]
        made = message[:fields] + change(message[fields:-8])
        made = made[:8] + struct.pack("<Q", len(made) + 8) + made[16:]
        return self.write("altered", made + struct.pack("<Q", xxhash.xxh3_64_intdigest(made)))


class Secrets(Guarded):
    def test_only_the_secret_opens_it(self):
        for kind in ("secure-index", "encrypted", "oblivious"):
            secret = self.secret(kind, kind + ".secret")
            self.assertEqual((self.folder / secret).stat().st_mode & 0o077, 0)
            self.build(kind, secret, kind, [b"red", b"green", b"red"])
            self.assertEqual(self.run_tool("query", kind, "--key-file", secret, "green", "blue"),
                             b"green\n")
            self.refused("query", kind, "green", says="needs --key-file")
            if kind == "secure-index":
                self.refused("add", kind, "--key-file", secret, "blue", says="is sealed")
                continue
            self.refused("add", kind, "blue", says="needs --key-file")
            self.run_tool("add", kind, "--key-file", secret, "blue", notes=None)  # one more than planned
            self.assertEqual(self.run_tool("query", kind, "--key-file", secret, "green", "blue"),
                             b"green\nblue\n")

    def test_a_secret_is_not_overwritten(self):
        kept = self.bytes_of(self.secret("secure-index", "owner"))
        (self.folder / "link").symlink_to("owner")
        for name in ("owner", "link"):
            self.refused("secret", "new", "--kind", "secure-index", "-o", name,
                         says=name + ": exists, and is not replaced")
        self.assertEqual(self.bytes_of("owner"), kept)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "owner"])
        self.secret("secure-index", "/dev/null")
        racing = [subprocess.Popen([TOOL, "secret", "new", "--kind", "secure-index", "-o", "new"],
                                   cwd=self.folder, stderr=subprocess.DEVNULL) for _ in range(8)]
        self.assertEqual(sorted(maker.wait(PATIENCE) for maker in racing), [0] + 7 * [2])

    def test_messages_are_no_secrets_of_another_sort(self):
        self.secret("secure-index", "owner")
        self.secret("encrypted", "key")
        self.refused("secret", "ask", "owner", "word", says="--output is required")
        self.refused("secret", "public", "key", "-o", "p", says="is a cipher key, not an oblivious")
        self.refused("secret", "answer", "owner", "key", "-o", "r", says="owner is a secure-index")
        self.refused("secret", "finish", "key", "key", says="key is a cipher key")
        self.refused("build", "--kind", "oblivious", "--key-file", "key", "-o", "f", stdin=b"a\n",
                     says="is a cipher key, not an oblivious secret")

    def test_trapdoors(self):
        self.secret("secure-index", "owner")
        for name, words in (("1", [b"one", b"fish", b"two", b"fish"]), ("2", [b"red", b"fish"])):
            self.build("secure-index", "owner", name, words, "--fpr", "1e-9")

        def finish(word, key="owner", status=0):
            self.run_tool("secret", "ask", key, word, "-o", "trapdoor")
            return self.run_tool("secret", "finish", "trapdoor", "1", "2", status=status)
        self.assertEqual(finish("fish"), b"1\n2\n")
        self.assertEqual(finish("red"), b"2\n")
        self.assertEqual(finish("blue", status=1), b"")
        self.run_tool("secret", "ask", self.secret("secure-index", "other"), "fish", "-o", "trapdoor")
        self.refused("secret", "finish", "trapdoor", "1", says="fingerprint")
        finish("red")
        self.refused("secret", "finish", self.altered("trapdoor", lambda body: body[:-1]), "2",
                     says="ends inside a field")
        # The fingerprint of the key, the number of parts, and parts of a length byte and 32 bytes.
        parts = 64 * 33
        self.refused("secret", "finish",
                     self.altered("trapdoor", lambda body: body[:-parts - 1] + b"\1" + body[-33:]), "2",
                     says="the trapdoor has 1 parts")
        turned = self.altered("trapdoor", lambda body: body[:-parts] + bytes(
            byte ^ (i % 33 != 0) for i, byte in enumerate(body[-parts:])))
        self.assertEqual(self.run_tool("secret", "finish", turned, "2", status=1), b"")
        self.write("trapdoor", self.bytes_of("trapdoor")[:-1] + b"?")
        self.refused("secret", "finish", "trapdoor", "2", says="trapdoor: a message is damaged")

    def test_words_come_by_ways_that_others_cannot_see(self):
        self.secret("secure-index", "owner")
        self.build("secure-index", "owner", "1", [b"red", b"fish"], "--fpr", "1e-9")
        self.write("word", b"fish\nand another line\n")

        def asked(*arguments, stdin=b""):
            self.run_tool("secret", "ask", "owner", *arguments, "-o", "trapdoor", stdin=stdin)
            self.assertEqual((self.folder / "trapdoor").stat().st_mode & 0o077, 0)
            return self.bytes_of("trapdoor")
        trapdoor = asked("fish")
        self.assertEqual(asked(stdin=b"fish\nred\n"), trapdoor)
        self.assertEqual(asked(stdin=b"fish"), trapdoor)
        self.assertEqual(asked("--word-file", "word"), trapdoor)
        self.assertEqual(asked("--word-file", "-", stdin=b"fish\n"), trapdoor)
        self.assertNotEqual(asked(stdin=b"red\n"), trapdoor)
        self.refused("secret", "ask", "owner", "-o", "x", says="standard input holds no line")
        self.refused("secret", "ask", "owner", "-o", "x", stdin=b"a" * 70_000, says="64 KiB")
        self.refused("secret", "ask", "owner", "a", "--word-file", "word", "-o", "x", says="excludes")
        self.refused("secret", "ask", "-", "-o", "x", stdin=self.bytes_of("owner"),
                     says="give --word-file")
        self.refused("secret", "ask", "owner", "--word-file", self.write("empty", b"\n"), "-o", "x",
                     says="empty: its first line is empty")

    def test_a_terminal_is_asked_and_does_not_show_the_word(self):
        self.secret("secure-index", "owner")
        self.run_tool("secret", "ask", "owner", "fish", "-o", "expected")
        main, side = pty.openpty()
        asking = subprocess.Popen([TOOL, "secret", "ask", "owner", "-o", "trapdoor"], stdin=side,
                                  stderr=side, cwd=self.folder)
        shown = b""
        while b"What to ask for: " not in shown:
            shown += os.read(main, 1024)
        os.write(main, b"fish\n")
        self.assertEqual(asking.wait(PATIENCE), 0)
        os.write(main, b"shown again\n")  # so that there is something to read
        while b"shown again" not in shown:
            shown += os.read(main, 1024)
        self.assertNotIn(b"fish", shown)
        os.close(side)
        os.close(main)
        self.assertEqual(self.bytes_of("trapdoor"), self.bytes_of("expected"))

    def test_a_third_party_converts(self):
        for key in ("owner", "asker", "stranger", "pad"):
            self.secret("encrypted", key)
        self.build("encrypted", "owner", "set", [b"Moriarty", b"Moran"], "--fpr", "1e-9")
        self.run_tool("secret", "share", "owner", "owner", "pad", "-o", "of-owner")
        for name in ("asker", "stranger"):
            self.run_tool("secret", "share", "asker", name, "pad", "-o", "of-" + name)
            self.run_tool("secret", "pair", "of-" + name, "of-owner", "-o", "for-" + name)

        def finish(word, conversion="for-asker", status=0):
            self.run_tool("secret", "ask", "asker", word, "-o", "query")
            self.run_tool("secret", "answer", conversion, "query", "-o", "converted")
            return self.run_tool("secret", "finish", "converted", "set", status=status)
        self.assertEqual(finish("Watson", status=1), b"")
        self.refused("secret", "answer", "for-stranger", "query", "-o", "x", says="not under the key")
        self.run_tool("secret", "share", "asker", "asker", "stranger", "-o", "other-pad")
        self.refused("secret", "pair", "other-pad", "of-owner", "-o", "x", says="the pad")
        self.assertEqual(finish("Moriarty"), b"set\n")
        self.build("encrypted", "owner", "allowed", [b"Moriarty", b"Watson"], "--fpr", "1e-9")
        answer = ["secret", "answer", "for-asker", "query", "--permitted", "allowed", "-o"]
        self.run_tool(*answer, "converted")
        self.assertEqual(self.run_tool("secret", "finish", "converted", "set"), b"set\n")
        self.run_tool("secret", "ask", "asker", "Moran", "-o", "query")
        self.refused(*answer, "x", says="none of the words that the owner permits")
        self.refused(*answer, "allowed", says="allowed")
        self.run_tool("secret", "ask", "asker", "Moriarty", "-o", "query")
        for secret in ("of-owner", "for-asker", "query", "converted"):
            self.assertEqual((self.folder / secret).stat().st_mode & 0o077, 0)
        self.refused("secret", "finish", "query", "set", says="query is encrypted/query")
        self.refused("secret", "pair", "of-owner", "of-asker", "-o", "x",
                     says="this is the message encrypted/owner-share, not encrypted/asker-share")
        self.refused("secret", "share", "third", "owner", "pad", "-o", "x", says="neither")
        for step, name in ((["finish"], "converted"), (["answer", "for-asker"], "query")):
            beyond = self.altered(name, lambda body: body[:3] + b"\xff" * 256 + body[259:])
            output = ["-o", "x"] if step[0] == "answer" else ["set"]
            self.refused("secret", *step, beyond, *output, says="holds no quadratic residue")

    def oblivious(self, protocol):
        self.secret("oblivious", "server", "--protocol", protocol)
        self.run_tool("secret", "public", "server", "-o", "public")
        self.build("oblivious", "server", "set", [b"zebra", b"okapi"], "--fpr", "1e-9")
        self.assertEqual(self.info("set")["shape"]["protocol"], protocol)

        def ask(word):
            self.run_tool("secret", "ask", "public", word, "--state", word, "-o", "request")
            self.run_tool("secret", "answer", "server", "request", "-o", "reply")
            return ["secret", "finish", "reply", "set", "--state", word]
        self.assertEqual(self.run_tool(*ask("qzxvj"), status=1), b"")
        self.assertEqual(self.run_tool(*ask("zebra")), b"set\n")
        self.assertEqual((self.folder / "zebra").stat().st_mode & 0o077, 0)
        self.refused("secret", "finish", "reply", "set", "--state", "qzxvj", says="reply")
        self.refused("secret", "finish", "reply", "set", says="--state")
        turned = self.altered("reply", lambda body: body[:99] + bytes([body[99] ^ 1]) + body[100:])
        self.refused("secret", "finish", turned, "set", "--state", "zebra", says="reply")
        self.refused("secret", "answer", "server",
                     self.altered("request", lambda body: body[:3] + b"\xff" * 256 + body[259:]),
                     "-o", "x",
                     says="request")
        self.refused("secret", "ask", "server", "zebra", "--state", "q", "-o", "x",
                     says="server is an oblivious secret")

        self.secret("oblivious", "another", "--protocol", protocol)
        self.refused("secret", "answer", "another", "request", "-o", "x", says="key fingerprint differs")

    def test_a_blind_signature(self):
        self.oblivious("rsa")

    def test_an_oblivious_function(self):
        self.oblivious("oprf")
        self.refused("build", "--kind", "oblivious", "--key-file", "server", "--set",
                     "protocol=rsa", "-o", "f", stdin=b"a\n", says="is rsa, the key's oprf")


class Attacks(Guarded):
    """Those of docs/threat-model.md, by who has files of secure indexes that the tool wrote and not
    their key. Keys and documents are random: each bound fails once in a million runs."""
    chance = 1e-6

    def setUp(self):
        super().setUp()
        self.secret("secure-index", "owner")

    def index(self, words, *options):
        shape = self.info(self.build("secure-index", "owner", "f", words, *options))["shape"]
        return shape, int.from_bytes(Envelope(self.bytes_of("f")).cells[64:], "little")

    def fits(self, words, index):
        """Whether the ones may be those of so many words."""
        shape, bits = index
        m, throws = shape["bits"], words * shape["hashes"]
        zeros = m * (1 - 1 / m)**throws
        spread = math.sqrt(m * (m - 1) * (1 - 2 / m)**throws + zeros - zeros**2)
        return (abs(m - bits.bit_count() - zeros)
                <= statistics.NormalDist().inv_cdf(1 - self.chance / 2) * spread)

    def related(self, one, other):
        """Whether they share more ones than unrelated words would: a hypergeometric tail."""
        m, a, b = one[0]["bits"], one[1].bit_count(), other[1].bit_count()

        def ways(n, k):
            return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return sum(math.exp(ways(a, i) + ways(m - a, b - i) - ways(m, b))
                   for i in range((one[1] & other[1]).bit_count(), min(a, b) + 1)) < self.chance

    words = [b"word %d" % i for i in range(100, 250)]

    def test_how_many_words(self):
        few, many = 3 * self.words[:50], self.words
        for document in (few, many, sorted(many)):
            shape, _ = index = self.index(document)
            self.assertEqual(shape["tokens"], sum(len(word) + 1 for word in document) / 2)
            self.assertTrue(self.fits(shape["tokens"], index))
            self.assertFalse(self.fits(50, index))
            self.assertFalse(self.fits(150, index))
        self.assertTrue(self.fits(400, self.index(few, "--keys", 400)))
        self.assertTrue(self.fits(50, self.index(few, "--keys", 50)), "the attack would work")
        self.refused("build", "--kind", "secure-index", "--key-file", "owner", "--keys", 49, "-o",
                     "f", stdin=b"".join(word + b"\n" for word in few), says="50 distinct")

    def test_which_documents_share_words(self):
        one, other = self.words[:50], self.words[10:60]
        for bound in ([], ["--keys", 50]):
            self.assertFalse(self.related(self.index(one, *bound), self.index(other, *bound)))
            self.assertFalse(self.related(self.index(one, *bound), self.index(one, *bound)))
            fixed = [*bound, "--set", "document=7"]
            self.assertEqual(self.index(one, *fixed), self.index(one, *fixed))
            self.assertTrue(self.related(self.index(one, *fixed), self.index(other, *fixed)),
                            "the attack would work")


class Keyed(Tool):
    def test_only_the_key_opens_it(self):
        self.write("key", bytes(range(32)))
        self.write("hex", bytes(range(32)).hex().encode() + b"\n")
        self.write("other", bytes(range(1, 33)))
        self.run_tool("build", "--key-file", "key", "-o", "f", stdin=lines(0, 100))
        for key in ("key", "hex"):
            self.assertEqual(self.run_tool("query", "--key-file", key, "f", "key 7"), b"key 7\n")
        self.refused("query", "f", "key 7", says="give its secret with --key-file")
        self.refused("query", "--key-file", "other", "f", "key 7", says="key fingerprint differs")
        self.refused("add", "--key-file", "other", "f", "key 7", says="key fingerprint differs")
        self.assertNotIn(bytes(range(32)), self.bytes_of("f"))
        self.assertEqual(self.info("f")["hash"]["function"], "keyed")
        self.run_tool("build", "-o", "open", stdin=lines(0, 100))
        self.refused("query", "--key-file", "key", "open", "x", says="not keyed")
        for content in (b"", b"short", bytes(33), b"x" * 64):
            self.refused("build", "--key-file", self.write("bad", content), "-o", "g",
                         says="32 raw bytes")
        self.refused("build", "--key-file", "key", "--seed", "1", "-o", "g", says="--seed")

    def test_seeds_do_not_mix(self):
        for seed in ("1", "0x2"):
            self.run_tool("build", "--keys", 100, "--seed", seed, "-o", seed, stdin=lines(0, 100))
        self.refused("union", "1", "0x2", "-o", "u", says="seed differs: xxh3 seed 0x1 against")
        self.refused("estimate", "1", "0x2", says="seed differs")

    def test_integer_keys(self):
        self.run_tool("build", "--integers", "-o", "f", stdin=b"1\n18446744073709551615\n007\n")
        self.assertEqual(self.run_tool("query", "f", "1", "2", "7", "18446744073709551615"),
                         b"1\n7\n18446744073709551615\n")
        self.refused("query", "f", "18446744073709551616", says="decimal number below 2^64")


if __name__ == "__main__":
    unittest.main()
