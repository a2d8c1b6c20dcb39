"""The tool as a person uses it: damaged files."""
import subprocess
import unittest

from tool import GOLDEN, SANITIZED, TOOL, Tool

VERBS = (["info", "f"], ["query", "f", "x"], ["add", "f", "x"], ["fold", "f", "-o", "out"],
         ["union", "f", "f", "-o", "out"])


class Hostile(Tool):
    def test_damaged_files_are_refused_and_not_overwritten(self):
        """By every verb; under a sanitizer, where each start takes long, by one in turn, since what reads
        a file is tested there in any/hostile_test.cpp. Each kind then meets all verbs, and each verb all
        damages."""
        for number, golden in enumerate(sorted(GOLDEN.glob("*.bloom"))):
            good = golden.read_bytes()
            damages = (good[:-1], good + b"\0", good[:40], good[:-1] + bytes([good[-1] ^ 1]),
                       good[:16] + bytes([good[16] ^ 64]) + good[17:])
            for turn, damage in enumerate(damages, number):
                self.write("f", damage)
                for verb in [VERBS[turn % len(VERBS)]] if SANITIZED else VERBS:
                    self.refused(*verb, says="f: ")
                self.assertEqual(self.bytes_of("f"), damage)
                self.assertFalse((self.folder / "out").exists())

    def test_the_tool_is_hardened(self):
        dynamic = subprocess.run(["readelf", "-dW", TOOL], capture_output=True, text=True, check=True)
        self.assertRegex(dynamic.stdout, r"BIND_NOW|FLAGS_1.*NOW")
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", TOOL], capture_output=True, text=True,
                                 check=True)
        self.assertIn("__stack_chk_fail", symbols.stdout)
        self.assertIn("DYN", subprocess.run(["readelf", "-hW", TOOL], capture_output=True, text=True,
                                            check=True).stdout, "position-independent")


if __name__ == "__main__":
    unittest.main()
