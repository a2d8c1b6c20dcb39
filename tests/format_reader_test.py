"""docs/format.md is exact: a reader written from it agrees with the library on the golden files of
the kinds it knows (KINDS_READ); and so are the pages of the kinds in page_readers.py."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import xxhash

sys.dont_write_bytecode = True
from format_reader import Envelope, Filter
from page_readers import READERS, reader

SOURCE = os.environ.get("BLOOMERY_SOURCE", pathlib.Path(__file__).resolve().parent.parent)
GOLDEN = pathlib.Path(SOURCE) / "tests" / "golden"
RECORDED = json.loads((GOLDEN / "answers.json").read_text())
KINDS_READ = ("standard", "partitioned", "blocked", "fuse", "ribbon")


def golden(name):
    return (GOLDEN / name).read_bytes()


def resealed(file, at, form, value):
    """The file with a value changed and both checksums right."""
    bad = bytearray(file)
    struct.pack_into(form, bad, at, value)
    header = struct.unpack_from("<I", bad, 12)[0]
    struct.pack_into("<Q", bad, 88, xxhash.xxh3_64_intdigest(bytes(bad[header:])))
    struct.pack_into("<Q", bad, header - 8, xxhash.xxh3_64_intdigest(bytes(bad[:header - 8])))
    return bytes(bad)


class Golden(unittest.TestCase):
    def readable(self):
        """Files of the kinds and hashes this reader knows: all but the keyed one."""
        for name in RECORDED["accepted"]:
            if golden(name)[32:56].rstrip(b"\0").decode() in KINDS_READ and name != "keyed.bloom":
                yield name, Filter(golden(name))

    def test_answers_agree(self):
        names = []
        for name, stored in self.readable():
            as_key = int if stored.hash == 3 else lambda number: str(number).encode()
            names.append(name)
            with self.subTest(name):
                keys = RECORDED["keys"]
                self.assertEqual(stored.items, keys)
                self.assertTrue(all(as_key(i) in stored for i in range(keys)))
                strangers = range(keys, RECORDED["strangers_end"])
                accepted = [i for i in strangers if as_key(i) in stored]
                self.assertEqual(accepted, RECORDED["accepted"][name])
        self.assertLessEqual({"standard.bloom", "partitioned.bloom", "blocked.bloom",
                              "integer.bloom", "blocked_16_hashes.bloom", "fuse.bloom",
                              "fuse_4_slots.bloom", "ribbon.bloom", "ribbon_layers.bloom",
                              "ribbon_wide.bloom"},
                             set(names))

    def test_pages_say_how_their_kinds_are_stored(self):
        read = set()
        for name, accepted in RECORDED["accepted"].items():
            if Envelope(golden(name)).kind not in READERS:
                continue
            stored, claims = reader(golden(name))
            read.add(stored.kind)
            with self.subTest(name):
                claimed = [i for i in range(RECORDED["strangers_end"])
                           if claims(*stored.digest(str(i).encode()))]
                strangers = [i for i in claimed if i >= RECORDED["keys"]]
                self.assertEqual(strangers, accepted)
                if stored.kind != "generalized":  # which forgets
                    self.assertEqual(claimed[:RECORDED["keys"]], list(range(RECORDED["keys"])))
        self.assertEqual(read, set(READERS))

    def test_every_kind_has_the_envelope(self):
        for name in RECORDED["accepted"]:
            with self.subTest(name):
                self.assertLessEqual(Envelope(golden(name)).items, 2**62)

    def test_many_segments_of_ribbons(self):
        """Thresholds of every height, and three layers, which 100 keys do not make."""
        keys = [str(i).encode() for i in range(100_000)]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "f"
            subprocess.run([os.environ["BLOOMERY"], "build", "--kind", "ribbon", "--fpr", "1%", "-o",
                            file], input=b"\n".join(keys), check=True)
            stored = Filter(file.read_bytes())
            self.assertEqual((len(stored.layers), stored.layers[0] // 64), (3, 1464))
            self.assertTrue(all(key in stored for key in keys[::9]))
            asked = [str(i).encode() for i in range(100_000, 105_000)]
            told = subprocess.run([os.environ["BLOOMERY"], "query", file],
                                  input=b"\n".join(asked), capture_output=True, check=True).stdout
            self.assertEqual([key for key in asked if key in stored], told.split())

    def test_promises(self):
        planned = Filter(golden("standard.bloom"))
        self.assertEqual((planned.promised_keys, planned.promised_rate), (100, 0.02))
        unplanned = Filter(golden("blocked_16_hashes.bloom"))
        self.assertEqual((unplanned.promised_keys, unplanned.promised_rate), (0, 0))
        self.assertEqual((unplanned.size, unplanned.hashes, unplanned.tag), (2, 16, 7))

    def test_keyed_is_read_but_not_asked(self):
        keyed = Filter(golden("keyed.bloom"))
        self.assertEqual((keyed.kind, keyed.hash, keyed.items), ("standard", 2, 100))
        with self.assertRaisesRegex(ValueError, "no such hash"):
            b"0" in keyed


class Damage(unittest.TestCase):
    def test_every_bit_flip_and_truncation(self):
        for name in RECORDED["accepted"]:
            file = golden(name)
            if file[32:56].rstrip(b"\0").decode() not in KINDS_READ:
                continue
            for size in range(len(file)):
                with self.assertRaises(ValueError, msg=f"{name} cut to {size}"):
                    Filter(file[:size])
            for bit in range(8 * len(file)):
                bad = bytearray(file)
                bad[bit // 8] ^= 1 << bit % 8
                with self.assertRaises(ValueError, msg=f"{name} bit {bit}"):
                    Filter(bytes(bad))
            with self.assertRaises(ValueError):
                Filter(file + bytes(65))  # 64 are a journal that never arrived

    def test_hostile_fuse_contents(self):
        file = golden("fuse.bloom")
        at = struct.unpack_from("<I", file, 12)[0]  # of the payload
        cases = [("shape", 96, "<Q", 0), ("shape", 104, "<Q", 21), ("shape", 112, "<Q", 5),
                 ("shape", 120, "<Q", 33), ("shape and payload", 96, "<Q", 2**40),
                 ("keys", at + 8, "<Q", 0), ("keys", at + 8, "<Q", 101), ("keys", 24, "<Q", 99),
                 ("reserved", at + 16, "B", 1), ("reserved", at + 63, "B", 1),
                 ("padding", len(file) - 1, "B", 0x80)]
        for reason, where, form, value in cases:
            with self.subTest(f"{reason} {value}"), self.assertRaisesRegex(ValueError, reason):
                Filter(resealed(file, where, form, value))

    def test_hostile_ribbon_contents(self):
        for name in ("ribbon_layers.bloom", "ribbon_wide.bloom"):
            self.check_hostile_ribbon(golden(name))
        for rows in (0, 2):
            with self.assertRaisesRegex(ValueError, "shape"):
                Filter(resealed(golden("ribbon_wide.bloom"), 120, "<Q", rows))

    def check_hostile_ribbon(self, file):
        at = struct.unpack_from("<I", file, 12)[0]  # of the payload
        stored = Filter(file)
        rows_end = at + 64 + 4 * 7 * (sum(stored.layers) // 32)
        thresholds = at + stored.thresholds
        last = stored.layers[0] // 64 - 1
        cases = [("shape", 96, "<Q", 0), ("shape", 104, "<Q", 33), ("shape", 96, "<Q", 2**46),
                 ("shape and payload", 96, "<Q", 2000), ("keys", at, "<Q", 0), ("keys", 24, "<Q", 0),
                 ("reserved", at + 8, "B", 1), ("reserved", at + 63, "B", 1),
                 ("padding", rows_end, "B", 1), ("padding", thresholds - 1, "B", 0x80),
                 ("padding", len(file) - 1, "B", 0x80),
                 ("padding", thresholds + last // 4, "B", 0xff),
                 ("thresholds", thresholds + last // 4, "B", 0)]
        for reason, where, form, value in cases:
            with self.subTest(f"{reason} {value}"), self.assertRaisesRegex(ValueError, reason):
                Filter(resealed(file, where, form, value))

    def test_hostile_contents(self):
        file = golden("standard.bloom")
        cases = [("version", 8, "<H", 2), ("header size", 10, "<H", 33), ("kind", 10, "<H", 3),
                 ("payload size", 16, "<Q", 2**63), ("kind", 32, "24s", b"unheard-of"),
                 ("unknown hash", 56, "<I", 5), ("names", 60, "<I", 1), ("promise", 72, "<Q", 0),
                 ("promise", 80, "<d", float("nan")), ("promise", 80, "<d", 1.0),
                 ("shape", 96, "<Q", 2**63), ("shape", 96, "<Q", 0), ("shape", 104, "<Q", 0),
                 ("shape", 104, "<Q", 65), ("padding", len(file) - 1, "B", 0x80)]
        for reason, at, form, value in cases:
            with self.subTest(f"{reason} {value}"), self.assertRaisesRegex(ValueError, reason):
                Filter(resealed(file, at, form, value))


if __name__ == "__main__":
    unittest.main()
