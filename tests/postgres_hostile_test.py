"""The PostgreSQL extension takes nothing on trust: each hostile value is an ERROR, and the server lives."""
import random
import struct
import subprocess
import unittest

import xxhash

import postgres_servers
from postgres_servers import Postgres, literal


def setUpModule():
    global server
    server, = postgres_servers.begun("server")
    if server:
        # The state of the error that a value is refused with, in one process of the server for all.
        server.sql("""create function refusal(stored bytea) returns text language plpgsql as
                      $$ begin perform stored::bloomery; return 'accepted';
                      exception when others then return sqlstate; end $$""")


def resealed(stored: bytes) -> bytes:
    """With the checksums that its bytes should have: what a forger would send."""
    header = struct.unpack_from("<I", stored, 12)[0]
    made = bytearray(stored)
    made[88:96] = xxhash.xxh3_64_intdigest(bytes(made[header:])).to_bytes(8, "little")
    made[header - 8:header] = xxhash.xxh3_64_intdigest(bytes(made[:header - 8])).to_bytes(8, "little")
    return bytes(made)


class Hostile(Postgres):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.assert_alive, server)
        self.stored = self.built_by_tool(range(1000), "--keys", "1k")

    def states(self, values):
        """How often each state of refusal came."""
        rows = ", ".join(f"('\\x{value.hex()}'::bytea)" for value in values)
        told = server.sql(f"select refusal(x), count(*) from (values {rows}) v(x) group by 1").split("\n")
        return {state: int(count) for state, count in (row.split("|") for row in told)}

    def test_what_is_cut_or_longer_is_refused(self):
        lengths = [*range(0, 200), *range(200, len(self.stored), 37)]
        states = self.states([self.stored[:n] for n in lengths] + [self.stored + b"\0", self.stored * 2])
        self.assertEqual(set(states), {"22P03"})

    def test_every_flipped_bit_is_seen(self):
        def flipped(bit):
            made = bytearray(self.stored)
            made[bit // 8] ^= 1 << bit % 8
            return bytes(made)
        bits = [*range(128 * 8), *random.Random(1).sample(range(128 * 8, 8 * len(self.stored)), 500)]
        self.assertEqual(sum(self.states([flipped(bit) for bit in bits]).values()), len(bits))
        self.assertLessEqual(set(self.states([flipped(bit) for bit in bits])), {"22P03", "54000", "0A000"})

    def test_forged_headers_are_refused(self):
        def forged(place, form, value):
            made = bytearray(self.stored)
            struct.pack_into(form, made, place, value)
            return resealed(bytes(made))
        kind = "<24s"
        self.assertEqual(self.states([resealed(self.stored)]), {"accepted": 1})
        hostile = [forged(96, "<Q", 2**48), forged(96, "<Q", 2**63), forged(96, "<Q", 0), forged(104, "<Q", 0),
                   forged(104, "<Q", 65), forged(16, "<Q", 2**40), forged(24, "<Q", 2**63), forged(60, "<I", 64),
                   forged(80, "<d", float("nan")), forged(72, "<Q", 2**60), forged(32, kind, b"no-such-kind"),
                   forged(32, kind, b"fuse"), forged(32, kind, b"counting"), forged(32, kind, b"compressed"),
                   forged(32, kind, b"delta"), forged(56, "<I", 9), forged(56, "<I", 2**31), forged(8, "<H", 2)]
        self.assertNotIn("accepted", self.states(hostile))

    def test_garbage_is_refused_in_every_form(self):
        draw = random.Random(2)
        garbage = [draw.randbytes(draw.randrange(300)) for _ in range(300)]
        garbage += [self.stored[:128] + draw.randbytes(len(self.stored) - 128) for _ in range(50)]
        self.assertEqual(set(self.states(garbage)), {"22P03"})
        for written in ("", "x", "\\\\x", "\\\\x1", "\\\\xzz", "BLMY"):
            self.refused_by(server, f"select E'{written}'::bloomery")

    def test_one_that_claims_everything_is_refused(self):
        full = self.built_by_tool(range(20000), "--kind", "standard", "--set", "bits=512", "--set", "hashes=1")
        self.assertEqual(full[128:], b"\xff" * 64)
        self.refused_by(server, f"select {literal(full)}", "fill", "54000")
        # Half empty, and yet it claims every other stranger.
        few = self.built_by_tool(range(400), "--kind", "standard", "--set", "bits=512", "--set", "hashes=1")
        self.refused_by(server, f"select {literal(few)}", "rate", "54000")

    def test_other_hashes_and_kinds_are_refused(self):
        self.write("key", bytes(range(32)))
        for options, says in ((("--key-file", "key"), "keyed"), (("--integers",), "integer"),
                              (("--kind", "counter-braids"), "cannot answer membership queries")):
            with self.subTest(options=options):
                self.refused_by(server, f"select {literal(self.built_by_tool(range(100), '--keys', '1k', *options))}",
                                says)
        self.run_tool("diff", "tool.bloom", "tool.bloom", "-o", "delta")
        self.refused_by(server, f"select {literal(self.bytes_of('delta'))}", "delta")
        other = self.built_by_tool(range(100), "--keys", "1k", "--seed", "9")
        self.refused_by(server, f"select bloomery_merge({literal(self.stored)}, {literal(other)})", "seed", "22023")

    def test_what_would_take_too_much_is_refused(self):
        self.refused_by(server, "select bloomery_agg(1, 1000000000, 0.01)", "allowed: up to 511 MiB", "54000")
        for keys in (10**12, 2**48, 10**18, 2**63 - 1):
            self.refused_by(server, f"select bloomery_agg(1, {keys}, 0.01)")
        # A small file that holds a filter of 600 MB, all of it empty.
        self.run_tool("build", "--keys", "500M", "-o", "huge.bloom", stdin=b"")
        self.run_tool("compress", "huge.bloom", "-o", "small.bloom")
        small = self.bytes_of("small.bloom")
        self.assertLess(len(small), 100_000)
        self.refused_by(server, f"select {literal(small)}", state="54000")

    def test_memory_that_the_machine_refuses_is_an_error(self):
        session = subprocess.Popen(server.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(session.communicate)
        session.stdin.write("\\unset ON_ERROR_STOP\nselect pg_backend_pid();\n")
        session.stdin.flush()
        backend = int(session.stdout.readline())
        postgres_servers.run(*postgres_servers.as_server("prlimit", "--pid", backend, f"--as={1 << 29}"))
        session.stdin.write("select bloomery_agg(1, 400000000, 0.01);\n"
                            "select bloomery_has(bloomery_agg(7, 1000, 0.01), 7) from (values (1)) v;\n")
        answer, complaint = session.communicate(timeout=postgres_servers.PATIENCE)
        self.assertIn("ERROR:  53200", complaint)
        self.assertEqual(answer, "t\n")  # the same process answers the next question


if __name__ == "__main__":
    unittest.main()
