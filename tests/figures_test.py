"""`bloomery figures`: what docs/figures holds is what the code draws, and the measured points agree
with the formulas beside them."""
import csv
import json
import math
import os
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tool import Tool  # noqa: E402  (the path comes first)

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
KEPT = SOURCE / "docs" / "figures"
# Takes most of a minute: drawn again by ./test --full.
LONG = {"kind-rates"} if not os.environ.get("BLOOMERY_FULL") else set()


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def alike(drawn, kept):
    """The same text, but for the last digits of numbers, which are the machine's."""
    def cells(text):
        return [cell for row in csv.reader(text.splitlines()) for cell in [*row, "\n"]]
    ours, theirs = cells(drawn), cells(kept)
    return len(ours) == len(theirs) and all(map(same_cell, ours, theirs))


def same_cell(a, b):
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-4)
    except ValueError:
        return a == b


class Figures(Tool):
    @classmethod
    def setUpClass(cls):
        cls.drawn = None

    def setUp(self):
        super().setUp()
        if Figures.drawn is None:  # once for all tests: it takes seconds
            names = {path.stem for path in KEPT.glob("*.csv")} - LONG
            Figures.drawn = json.loads(self.run_tool("figures", self.folder, *names, "--json"))
            for figure in self.drawn:
                for kind in ["svg", "csv"]:
                    figure[kind] = pathlib.Path(figure[kind]).read_text()

    def test_the_kept_drawings_are_what_the_code_draws(self):
        known = self.refused("figures", "d", "nonsense", says="known: ").partition("known: ")[2]
        self.assertEqual({figure["name"] for figure in self.drawn} | LONG,
                         set(known.split()))
        for figure in self.drawn:
            with self.subTest(figure["name"]):
                kept = (KEPT / f"{figure['name']}.csv").read_text()
                self.assertTrue(alike(figure["csv"], kept),
                                "draw it again: bloomery figures docs/figures")

    def test_each_names_its_source_and_command(self):
        page = (SOURCE / "docs" / "theory.md").read_text()
        for figure in self.drawn:
            with self.subTest(figure["name"]):
                text = " ".join(xml.fromstring(figure["svg"]).itertext())
                for part in [figure["title"], figure["source"],
                             f"bloomery figures DIR {figure['name']}"]:
                    self.assertIn(re.sub(r"\s+", " ", part), re.sub(r"\s+", " ", text))
                    self.assertIn(part, figure["csv"])
                self.assertIn(f"figures/{figure['name']}.svg", page)

    def test_measured_points_agree_with_the_formulas(self):
        """Each 99 % interval, doubled (5.2 standard deviations), holds the line's value."""
        compared = 0
        for path in KEPT.glob("*.csv"):
            lines, points = {}, []
            for row in rows(path):
                if "curve" not in row:
                    continue
                if row["low"]:
                    points.append(row)
                else:
                    name = row["curve"].removesuffix(", exact")
                    lines[row["panel"], name, row["x"]] = float(row["y"])
            for point in points:
                with self.subTest(path.stem, panel=point["panel"], x=point["x"]):
                    y, low, high = (float(point[name]) for name in ["y", "low", "high"])
                    name = point["curve"].removesuffix(", measured")
                    self.assertNotEqual(name, point["curve"])
                    line = lines[point["panel"], name, point["x"]]
                    compared += 1
                    self.assertLessEqual(2 * low - y, line)
                    self.assertLessEqual(line, 2 * high - y)
        self.assertGreater(compared, 100)

    def test_table_1_of_broder_and_mitzenmacher(self):
        table = {(row["m/n"], row["k"]): row for row in rows(KEPT / "broder-table-1.csv")}
        for key, transmitted, rate in [(("16", "11"), "16.000", "0.000459"),
                                       (("28", "4"), "15.846", "0.000314"),
                                       (("48", "3"), "15.829", "0.000222")]:
            self.assertEqual(table[key]["z/n by formula"], transmitted)
            self.assertEqual(table[key]["f by formula"], rate)
            self.assertAlmostEqual(float(table[key]["z/n of a real filter"]), float(transmitted),
                                   delta=.02)

    def test_every_kind_is_in_the_kinds_figures(self):
        described = json.loads(self.run_tool("kinds", "--json"))
        kinds = {kind["name"] for kind in described}
        table = rows(KEPT / "tarkoma-table-2.csv")
        self.assertEqual({row["kind"] for row in table}, kinds)
        curves = {row["curve"] for row in rows(KEPT / "kind-rates.csv")}
        for kind in described:
            if kind["queries"]:
                self.assertIn(f"{kind['name']}, measured", curves)

    def test_one_by_name_and_refusals(self):
        self.run_tool("figures", "some", "tarkoma-table-2")
        self.assertEqual(sorted(p.name for p in (self.folder / "some").iterdir()),
                         ["tarkoma-table-2.csv", "tarkoma-table-2.svg"])
        self.refused("figures", "d", "nonsense", says="known: christensen-figure-2")
        self.refused("figures", "/dev/null/x", says="Not a directory")
        self.refused("figures", says="directory")


if __name__ == "__main__":
    unittest.main()
