"""The planner and the formulas as a person uses them: `plan` and `rate`."""
import json
import math
import os
import pathlib
import pty
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tool import TOOL, Tool, lines, most_of  # noqa: E402  (the path comes first)

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])


class Plan(Tool):
    def plan(self, *arguments, status=0):
        return json.loads(self.run_tool("plan", *arguments, "--json", status=status))

    def kinds(self):
        return {kind["name"] for kind in json.loads(self.run_tool("kinds", "--json"))}

    def test_every_kind_is_ranked_or_left_out_with_a_reason(self):
        answer = self.plan("--keys", "1M", "--fpr", "1%")
        ranked = [p["kind"] for p in answer["plans"]]
        others = {o["kind"]: o["reasons"] for o in answer["left_out"]}
        self.assertEqual({*ranked, *others}, self.kinds())
        self.assertTrue(all(others.values()))
        for kind in ["hierarchical", "distance-sensitive"]:
            self.assertEqual(others[kind], ["reads texts, not keys"])
        self.assertEqual(others["encrypted"], ["needs a secret"])
        self.assertEqual(others["secure-index"], ["needs a secret", "takes no keys once it is built"])
        sizes = [p["bytes"] for p in answer["plans"]]
        self.assertEqual(sizes, sorted(sizes))
        for p in answer["plans"]:
            self.assertLessEqual(p["predicted_rate"], .0099)
            self.assertGreater(p["bits_per_key"], answer["lower_bound_bits_per_key"])
            self.assertGreater(p["over_bound"], 1)
            self.assertLessEqual(1, p["lines_absent"])
            self.assertLessEqual(p["lines_absent"], p["lines_present"])
        blocked = next(p for p in answer["plans"] if p["kind"] == "blocked")
        self.assertEqual((blocked["lines_absent"], blocked["lines_present"]), (1, 1))

    def test_the_text_says_the_same(self):
        text = self.run_tool("plan", "--keys", "10M", "--fpr", "0.1%").decode()
        first = self.plan("--keys", "10M", "--fpr", "0.1%")["first"]
        for line in [*first["cpp"], first["shell"], first["redis"]]:
            self.assertIn(line, text)
        self.assertIn("exact rate", text)
        self.assertEqual(first["redis"], "BF.RESERVE KEY 0.001 10000000 NONSCALING")

    def test_needs_that_no_kind_meets(self):
        for flags in [["--unknown-size", "--values", "8"], ["--keys", "1k", "--multiplicity", "--values", "8"],
                      ["--window", "1M", "--values", "8"], ["--keys", "1M", "--memory", "1kB"]]:
            answer = self.plan(*flags, status=1)
            self.assertEqual(answer["plans"], [], flags)
            self.assertEqual({o["kind"] for o in answer["left_out"]}, self.kinds())
            self.assertIn("No kind qualifies", self.run_tool("plan", *flags, status=1).decode())

    def test_memory_settles_what_is_left_open(self):
        for p in self.plan("--keys", "1M", "--memory", "1MiB")["plans"]:
            self.assertLessEqual(p["bytes"], 1 << 20)
            if p["kind"] in ("standard", "partitioned", "blocked"):
                self.assertLess(p["promised_rate"], .03)
        for p in self.plan("--memory", "1MiB", "--fpr", "1%")["plans"]:
            self.assertLessEqual(p["bytes"], 1 << 20)
            if p["kind"] in ("standard", "partitioned", "blocked"):
                self.assertGreater(p["keys"], 800_000)
        over = self.plan("--keys", "1M", "--fpr", "1%", "--memory", "1.22MB")
        self.assertIn("blocked", [o["kind"] for o in over["left_out"]])
        self.assertIn("standard", [p["kind"] for p in over["plans"]])

    def test_the_shell_line_builds_what_was_planned(self):
        self.write("KEYS", lines(0, 2000))
        for arguments in [["--keys", "2k", "--fpr", "0.1%"], ["--keys", "2k", "--memory", "4kB"]]:
            answer = self.plan(*arguments)
            line = shlex.split(answer["first"]["shell"])
            self.assertEqual(line[0], "bloomery")
            self.run_tool(*line[1:])
            built = json.loads(self.run_tool("info", "--json", "FILTER"))
            planned = answer["plans"][0]
            self.assertEqual(built["shape"], planned["shape"])
            self.assertEqual(built["kind"], planned["kind"])
            self.assertEqual(built["promised"], {"keys": 2000, "rate": planned["promised_rate"]})
        answer = self.plan("--keys", "2k", "--window", "10m")
        self.run_tool(*shlex.split(answer["first"]["shell"])[1:])
        built = json.loads(self.run_tool("info", "--json", "FILTER"))
        self.assertEqual((built["kind"], built["shape"], built["window"], built["window_unit"]),
                         (answer["plans"][0]["kind"], answer["plans"][0]["shape"], 600_000, "ms"))
        self.write("SECRET", os.urandom(32))
        line = shlex.split(self.plan("--keys", "2k", "--adversary")["first"]["shell"])
        self.run_tool(*line[1:])
        self.assertEqual(json.loads(self.run_tool("info", "--json", "FILTER"))["hash"]["function"],
                         "keyed")

    def test_a_filter_to_be_sent_is_sparse_and_as_small_as_planned(self):
        self.write("KEYS", lines(0, 100_000))
        answer = self.plan("--keys", "100k", "--wire", "200kB", "--memory", "600kB")
        planned = answer["plans"][0]
        self.assertEqual(planned["shape"]["hashes"], 3)  # Broder–Mitzenmacher Table 1
        self.assertLess(planned["predicted_rate"], .000_225)
        self.run_tool(*shlex.split(answer["first"]["shell"])[1:])
        built = json.loads(self.run_tool("info", "--json", "FILTER"))
        self.assertEqual(built["shape"], planned["shape"])
        self.assertEqual(built["promised"]["rate"], planned["promised_rate"])
        self.run_tool("compress", "FILTER", "-o", "SMALL")
        sent = (self.folder / "SMALL").stat().st_size
        self.assertLess(sent, planned["wire_bytes"] * 1.001 + 1024)
        self.assertLess(sent, 200_000 * 1.001 + 1024)
        self.assertIsNone(answer["first"]["redis"])
        self.refused("build", "--kind", "counting", "--transmit", "--keys", "9", "-o", "x", "KEYS",
                     says="cannot be made sparse")

    def test_a_fixed_set_gets_a_kind_that_is_built_whole(self):
        self.write("KEYS", lines(0, 20_000) * 3)
        answer = self.plan("--keys", "20k", "--fpr", "0.1%", "--static")
        first, shell = answer["plans"][0], shlex.split(answer["first"]["shell"])
        self.assertIn(first["kind"], {kind["name"] for kind in json.loads(
            self.run_tool("kinds", "--json")) if not kind["inserts"]})
        self.assertIsNone(answer["first"]["redis"])
        self.assertNotIn("--keys", shell)
        self.assertNotIn("BF.RESERVE", self.run_tool("plan", "--keys", "20k", "--static").decode())
        self.run_tool(*shell[1:])
        built = json.loads(self.run_tool("info", "--json", "FILTER"))
        self.assertEqual((built["kind"], built["shape"], built["bytes"], built["items"]),
                         (first["kind"], first["shape"], first["bytes"], 60_000))
        self.assertEqual(built["promised"], {"keys": 20_000, "rate": .001})
        self.assertEqual(self.run_tool("query", "-c", "FILTER", stdin=lines(0, 20_000)), b"20000\n")

    def test_windows_show_the_highest_rate(self):
        plans = self.plan("--window", "2000", "--allow-false-negatives", "2%")["plans"]
        self.assertEqual(len(plans), 7)
        for p in plans:
            self.assertLessEqual(p["predicted_rate"], .0099)
            self.assertGreater(p["predicted_rate"], .007, p["kind"])
            self.run_tool("build", "--kind", p["kind"], "--keys", 2000, "-o", "f",
                          stdin=lines(0, 60_000))
            claimed = int(self.run_tool("query", "-c", "f", stdin=lines(100_000, 200_000)))
            self.assertLessEqual(claimed, most_of(100_000, p["predicted_rate"]), p["kind"])

    def test_the_cpp_lines_compile(self):
        for flags in [[], ["--adversary"], ["--transmit"], ["--transmit", "--adversary"], ["--static"], ["--static", "--adversary"],
                      ["--window", "10m"]]:
            cpp = self.plan("--keys", "20k", *flags)["first"]["cpp"]
            includes = [line for line in cpp if line.startswith("#include")]
            body = [line for line in cpp if not line.startswith("#include")]
            self.write("use.cpp", "\n".join([
                *includes, "#include <array>", "#include <string>", "#include <vector>",
                "int main() {",
                "[[maybe_unused]] std::array<std::byte, 32> secret{};",
                '[[maybe_unused]] std::vector<std::string> keys{"key"};', *body,
                *([] if "--static" in flags else ['filter.insert("key");']),
                'return filter.may_contain("key") ? 0 : 1;', "}"]).encode())
            done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                                   "-Werror", f"-I{SOURCE}/src", "use.cpp"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_counts_repeats_does(self):
        self.write("KEYS", lines(0, 1000) * 5)
        for flags in [["--multiplicity"], ["--multiplicity", "--deletes"]]:
            answer = self.plan("--keys", "1k", *flags)
            self.assertGreater(len(answer["plans"]), 2)
            for kind in [p["kind"] for p in answer["plans"]]:
                self.run_tool("build", "--kind", kind, "--keys", "1k", "-o", "f", "KEYS")
                self.assertGreaterEqual(int(self.run_tool("count", "f", "key 7").split()[0]), 5, kind)
            reasons = {o["kind"]: " ".join(o["reasons"]) for o in answer["left_out"]}
            for kind in ["cuckoo", "adaptive", "dleft"]:
                self.assertIn("come once", reasons[kind])
            self.assertIn("when told them", reasons["counter-braids"])

    def test_the_bound_counts_the_values(self):
        flags = ["--keys", "10k", "--values", "8"]
        answer = self.plan(*flags)
        self.assertAlmostEqual(answer["lower_bound_bits_per_key"], 8 + math.log2(100))
        self.assertIn("No map without false negatives needs fewer than 14.644 bits a key at 1 %",
                      self.run_tool("plan", *flags).decode())

    def test_every_kind_names_its_header_and_class(self):
        for kind in self.kinds():
            header = json.loads(self.run_tool("kinds", kind, "--json"))["header"]
            text = (SOURCE / "src" / header).read_text()
            self.assertRegex(text, rf"\b{kind.replace('-', '_')}_filter\b")

    def test_the_plot(self):
        self.run_tool("plan", "--keys", "1M", "--fpr", "1%", "--plot", "it's.svg")
        svg = (self.folder / "it's.svg").read_text()
        self.assertTrue(svg.startswith("<?xml"))
        self.assertIn("</svg>", svg)
        for text in ["1,000,000 keys at 1 %", "bits per key", "standard", "blocked",
                     "bloomery plan --keys 1M"]:
            self.assertIn(text, svg)
        self.refused("plan", "--keys", "1M", "--plot", "no/such/folder/p.svg", says="No such file")
        self.refused("plan", "--unknown-size", "--values", "8", "--plot", "p.svg", says="no kind qualifies")
        without = {**os.environ, "PATH": "/nowhere"}
        done = subprocess.run([TOOL, "plan", "--keys", "1M", "--plot", "p.svg"], env=without,
                              cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"gnuplot", done.stderr)
        self.assertFalse((self.folder / "p.svg").exists())

    def test_a_terminal_gets_a_picture(self):
        def seen(environment):
            leader, follower = pty.openpty()
            with subprocess.Popen([TOOL, "plan", "--keys", "1M"], stdout=follower,
                                  env=environment, cwd=self.folder) as tool:
                os.close(follower)
                shown = b""
                try:
                    while part := os.read(leader, 1 << 16):
                        shown += part
                except OSError:
                    pass  # the other side is closed
                self.assertEqual(tool.wait(), 0)
            os.close(leader)
            return shown
        self.assertIn(b"as keys are added", seen(None))
        self.assertNotIn(b"as keys are added", seen({**os.environ, "PATH": "/nowhere"}))
        self.assertNotIn(b"as keys are added", self.run_tool("plan", "--keys", "1M"))

    def test_bad_requests(self):
        self.refused("plan", says="--keys")
        self.refused("plan", "--keys", "1M", "--fpr", "2", says="below 1")
        self.refused("plan", "--keys", "0", says="keys is 0")
        self.refused("plan", "--memory", "1MiB", says="--keys")
        self.refused("plan", "--keys", "1M", "--values", "65", says="65")
        self.refused("plan", "--window", "15m", says="needs --keys")
        self.refused("plan", "--window", "15x", says="--window is '15x'")
        self.refused("plan", "--keys", "1M", "--allow-false-negatives", "2", says="0 to 1")
        self.refused("plan", "--unknown-size", "--static", says="known size")
        self.refused("plan", "--keys", "1M", "--no-false-negatives", "--allow-false-negatives",
                     "1%", says="excludes")


class Rate(Tool):
    def rate(self, m, n, k, *arguments):
        return json.loads(self.run_tool("rate", "--bits", m, "--keys", n, "--hashes", k,
                                        *arguments, "--json"))

    def test_the_published_figures(self):
        for m, n, k, exact, low in [(32, 4, 6, .0261751, .1216), (64, 8, 6, .0238092, .0646),
                                    (32, 2, 11, 8.27819e-4, .375)]:
            rates = self.rate(m, n, k)["rates"]
            self.assertAlmostEqual(rates["exact"]["rate"], exact, delta=exact * 2e-6)
            self.assertAlmostEqual(rates["classic"]["relative_error"], -low, delta=5e-4)
        self.assertAlmostEqual(self.rate("1M", "100k", 7)["rate"], .00819379440, delta=1e-11)
        self.assertEqual(self.rate(32, 2, 11)["best_hashes"], 9)

    def test_each_kind_by_its_own_formula(self):
        self.assertAlmostEqual(self.rate(960, 120, 6, "--kind", "partitioned")["rate"], .021851,
                               delta=1e-6)
        blocked = self.rate(8 * 512_000, 512_000, 5, "--kind", "blocked")
        self.assertAlmostEqual(blocked["rate"], .0231, delta=3e-4)
        self.assertEqual(list(blocked["rates"]), ["bloom_1970", "classic", "asymptotic",
                                                  "second_order", "exact", "blocked"])
        self.refused("rate", "--bits", 1000, "--keys", 1, "--hashes", 5, "--kind", "blocked",
                     says="512")
        self.refused("rate", "--bits", 1000, "--keys", 1, "--hashes", 7, "--kind", "partitioned",
                     says="7 hashes")

    def test_text(self):
        text = self.run_tool("rate", "--bits", 32, "--keys", 4, "--hashes", 6).decode()
        for part in ["2.61751", "classic", "-12.16 %", "expected fill", "McDiarmid", "best k"]:
            self.assertIn(part, text)
        self.assertIn("0 %", self.run_tool("rate", "--bits", 32, "--keys", 0, "--hashes",
                                           6).decode())

    def test_the_fill(self):
        fill = self.rate("1M", "100k", 7)["fill"]
        self.assertAlmostEqual(fill["mean"], .503415, delta=1e-6)
        self.assertLess(fill["low"], fill["mean"])
        self.assertLess(fill["high"] - fill["low"], .002)

    def test_refusals(self):
        self.refused("rate", "--bits", 0, "--keys", 1, "--hashes", 1, says="bits is 0")
        self.refused("rate", "--bits", 10, "--keys", 1, "--hashes", 65, says="hashes is 65")
        self.refused("rate", "--bits", "1e-3", "--keys", 1, "--hashes", 1, says="not understood")
        self.refused("rate", "--bits", 10, "--keys", 1, says="--hashes")
        self.refused("rate", "--bits", 10, "--keys", 1, "--hashes", 1, "--kind", "x",
                     says="not a kind")


if __name__ == "__main__":
    unittest.main()
