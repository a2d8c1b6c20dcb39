"""The planner and the formulas as a person uses them: `plan` and `rate`."""
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

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
        first = answer["plans"][0]
        described = {kind["name"]: kind for kind in json.loads(self.run_tool("kinds", "--json"))}
        self.assertTrue(described[first["kind"]]["merges"] and described[first["kind"]]["folds"])
        for p in answer["plans"]:
            if p["bytes"] < first["bytes"]:  # by a twentieth at most, and dearer
                self.assertLessEqual(first["bytes"], 1.05 * p["bytes"])
                self.assertGreater(p["lines_absent"] + p["lines_present"],
                                   first["lines_absent"] + first["lines_present"])
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
        told = " ".join(text.replace("\\\n", " ").split())  # long lines go on in the next
        for line in [*first["cpp"], first["shell"], first["redis"]]:
            self.assertIn(" ".join(line.split()), told)
        self.assertIn("exact rate", text)
        self.assertEqual(first["redis"], "BF.RESERVE KEY 0.001 10000000 NONSCALING")
        self.assertTrue(text.endswith(first["redis"] + "\n"), text)  # the answer comes last
        self.assertRegex(re.sub(r"\s+", " ", text), r"two-choice would take [\d.]+ % less, but")

    def test_the_answer_fits_a_page(self):
        """24 lines of 80 columns, whatever was asked; with --why longer, the answer still last."""
        for flags in [["--keys", "10M", "--fpr", "0.1%"], ["--keys", "1M", "--transmit", "--adversary"],
                      ["--keys", "100k", "--deletes"], ["--keys", "100k", "--static", "--adversary"],
                      ["--keys", "100k", "--multiplicity"], ["--keys", "9k", "--values", "8"],
                      ["--keys", "9k", "--values", "8", "--static", "--adversary"], ["--unknown-size"],
                      ["--window", "1M"], ["--keys", "1M", "--window", "15m", "--adversary"],
                      ["--memory", "1MiB", "--fpr", "1%", "--transmit"], ["--keys", "123456789", "--memory", "77MB"],
                      ["--keys", "1", "--fpr", "1e-15"], ["--keys", "1M", "--memory", "1kB"],
                      ["--keys", "1M", "--wire", "2MB", "--memory", "6MB", "--adversary"]]:
            with self.subTest(flags=flags):
                status = 1 if flags[-1] == "1kB" else 0
                page = self.run_tool("plan", *flags, status=status).decode()
                self.assertLessEqual(len(page.splitlines()), 24, page)
                why = self.run_tool("plan", *flags, "--why", status=status).decode()
                for text in [page, why]:
                    self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
                for kind in self.kinds():
                    self.assertRegex(why, rf"\b{kind}\b")
                if status == 0:
                    answer = page[page.index("\nBest: "):]
                    self.assertTrue(why.endswith(answer))

    def test_rates_to_copy_are_short(self):
        for size in ["700kB", "1MiB", "1.5MB", "3MB", "9MB"]:
            answer = self.plan("--keys", "1M", "--memory", size)
            rate = re.search(r"--fpr (\S+)", answer["first"]["shell"])[1]
            self.assertLessEqual(len(rate.lstrip("0.").replace(".", "").partition("e")[0]), 3, rate)
            self.assertEqual(float(rate), answer["plans"][0]["promised_rate"])
        self.assertIn("--fpr 0.00014 ", self.plan("--keys", "1k", "--fpr", "0.014%")["first"]["shell"])

    def test_redis_has_no_keyed_hash(self):
        self.assertIsNotNone(self.plan("--keys", "1M")["first"]["redis"])
        self.assertIsNone(self.plan("--keys", "1M", "--adversary")["first"]["redis"])
        self.assertNotIn(b"BF.RESERVE", self.run_tool("plan", "--keys", "1M", "--adversary"))

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
        standard = next(p for p in answer["plans"] if p["kind"] == "standard")
        self.assertEqual(standard["shape"]["hashes"], 3)  # Broder–Mitzenmacher Table 1
        self.assertLess(standard["predicted_rate"], .000_225)
        planned = answer["plans"][0]
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
        self.assertEqual(len(plans), 8)
        for p in plans:
            self.assertLessEqual(p["predicted_rate"], .0099)
            self.assertGreater(p["predicted_rate"], .007, p["kind"])
            self.run_tool("build", "--kind", p["kind"], "--keys", 2000, "-o", "f",
                          stdin=lines(0, 60_000))
            claimed = int(self.run_tool("query", "-c", "f", stdin=lines(100_000, 200_000)))
            self.assertLessEqual(claimed, most_of(100_000, p["predicted_rate"]), p["kind"])

    def test_the_cpp_lines_compile(self):
        """All in one program: they include the same header, which takes seconds to read."""
        include = '#include "bloomery/bloomery.hpp"'
        program = [include, "#include <array>", "#include <map>", "#include <string>", "#include <vector>"]
        for i, flags in enumerate([
                [], ["--adversary"], ["--transmit"], ["--transmit", "--adversary"], ["--static"],
                ["--static", "--adversary"], ["--window", "10m"], ["--window", "10m", "--adversary"],
                ["--values", "8"], ["--values", "8", "--static", "--adversary"]]):
            cpp = self.plan("--keys", "20k", *flags)["first"]["cpp"]
            self.assertEqual(cpp[0], include)
            whole = "--static" in flags or "--values" in flags
            program += [
                f"bool use_{i}() {{", "[[maybe_unused]] std::array<std::byte, 32> secret{};",
                '[[maybe_unused]] std::vector<std::string> keys{"key"};',
                '[[maybe_unused]] std::map<std::string, unsigned> pairs{{"key", 7}};', *cpp[1:],
                *([] if whole else ['filter.insert("key");']), 'return filter.may_contain("key"); }']
        self.write("use.cpp", "\n".join(program).encode())
        done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                               f"-I{SOURCE}/src", "use.cpp"], cwd=self.folder, capture_output=True, text=True)
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
                      re.sub(r"\s+", " ", self.run_tool("plan", *flags, "--why").decode()))

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

    def test_the_plot_in_characters(self):
        shown = self.run_tool("plan", "--keys", "1M", "--plot", "-").decode()
        self.assertLess(shown.index("as keys are added"), shown.index("Best: "))
        self.assertEqual([line for line in shown.splitlines() if len(line) > 80], [])

    def test_the_plot_shows_a_kind_that_refuses_keys(self):
        """In both panels, and not beyond what it holds."""
        self.run_tool("plan", "--keys", "1M", "--deletes", "--plot", "p.svg")
        drawn = xml.parse(self.folder / "p.svg").getroot()
        paths = [(group.findtext("{*}title"), group) for group in drawn.iter("{http://www.w3.org/2000/svg}g")
                 if group.findtext("{*}title") in ("cuckoo", "succinct-counting")]
        ends = {}
        for name, group in paths:
            if group.find(".//{*}text") is not None:
                continue  # its line in the legend
            line = max((path.get("d") for path in group.iter("{http://www.w3.org/2000/svg}path")), key=len)
            ends.setdefault(name, []).append(float(re.findall(r"[\d.]+", line)[-2]))
        self.assertEqual({name: len(found) for name, found in ends.items()}, {"cuckoo": 2, "succinct-counting": 2})
        self.assertLess(ends["cuckoo"][0], .75 * ends["succinct-counting"][0])

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

    def test_the_closed_forms_of_small_filters(self):
        for m, n, k in [(32, 4, 6), (64, 8, 6), (256, 40, 5)]:
            rates = self.rate(m, n, k)["rates"]
            for name in ["closed_form", "stirling"]:
                self.assertAlmostEqual(rates[name]["relative_error"], 0, delta=1e-13)
        likeliest = self.rate(32, 4, 6)["likeliest_ones"]
        self.assertEqual(likeliest["ones"], 17)
        balls = [0.] * 33  # eq. 8, ball by ball
        balls[0] = 1
        for _ in range(24):
            balls = [balls[i] * i / 32 + (balls[i - 1] * (33 - i) / 32 if i else 0) for i in range(33)]
        self.assertAlmostEqual(likeliest["probability"], max(balls), delta=1e-12)
        large = self.rate("1M", "100k", 7)
        self.assertNotIn("closed_form", large["rates"])
        self.assertNotIn("likeliest_ones", large)

    def test_unions_and_intersections(self):
        both = self.rate("100k", 8000, 7, "--with", 5000, "--common", 2000)
        self.assertEqual(both["union"]["keys"], 11_000)
        self.assertAlmostEqual(both["union"]["rate"], self.rate("100k", 11_000, 7)["rate"], delta=1e-12)
        meet = both["intersection"]
        self.assertAlmostEqual(meet["rate_if_built_from_its_keys"],
                               self.rate("100k", 2000, 7)["rate"], delta=1e-15)
        self.assertGreater(meet["rate"], meet["rate_if_built_from_its_keys"])
        self.assertGreater(meet["rate"], meet["fill"] ** 7)
        self.assertLess(meet["rate"], both["union"]["rate"])
        self.assertIn("built from the 2,000 common keys", re.sub(r"\s+", " ", self.run_tool(
            "rate", "--bits", "100k", "--keys", 8000, "--hashes", 7, "--with", 5000, "--common", 2000).decode()))
        for wrong, says in [(["--common", 1], "--with"), (["--with", 5, "--common", 6], "0 to 5"),
                            (["--with", 5, "--kind", "partitioned"], "standard")]:
            self.refused("rate", "--bits", 10_000, "--keys", 100, "--hashes", 5, *wrong, says=says)

    def test_counters(self):
        counters = self.rate("1M", 99_021, 7, "--counters", 4)["counters"]  # half of them are zero
        self.assertAlmostEqual(counters["one_overflows"] / 7.07e-17, 1, delta=1e-3)
        self.assertLessEqual(counters["any_overflows"], counters["bounds"]["union"])
        for tighter, looser in [("union", "choose"), ("choose", "power")]:
            self.assertLess(counters["bounds"][tighter], counters["bounds"][looser])
        self.assertIn("counters of 4 bits", self.run_tool(
            "rate", "--bits", "1M", "--keys", 99_021, "--hashes", 7, "--counters", 3).decode())
        self.refused("rate", "--bits", 99, "--keys", 1, "--hashes", 1, "--counters", 17, says="17")

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
