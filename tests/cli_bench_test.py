"""`bloomery bench` as a person uses it: rows, charts, shapes, and rivals that plug-ins bring."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from tool import SANITIZED, SOURCE, Tool

BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
QUICK = ["--repeats", "1", "--seconds", "0"]


class Bench(Tool):
    def measured(self, *options):
        return json.loads(self.run_tool("bench", "--json", *QUICK, *options, notes=None))

    def plugin(self, source, name="rival.so"):
        """Compiles it as the page says."""
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]
        self.write("rival.cpp", source.encode())
        done = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                               f"-I{SOURCE / 'src'}", "rival.cpp", "-o", name],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name

    def example(self):
        return re.search(r"^```c\+\+\n(.*?)^```$", (SOURCE / "docs" / "bench.md").read_text(), re.M | re.S)[1]

    def test_rows_for_every_kind(self):
        rows = self.measured("--keys", "2k")["rows"]
        self.assertTrue(all(row["ns_per_key"] > 0 for row in rows))
        names = {row["name"] for row in rows}
        for kind in json.loads(self.run_tool("kinds", "--json")):
            self.assertTrue(kind["name"] in names or not kind["queries"], kind["name"])

    def test_hashes_at_lengths(self):
        rows = self.measured("--hash", "--key-bytes", "8,20")["rows"]
        self.assertTrue(all(row["ns_per_key"] > 0 for row in rows))
        self.assertEqual({row["key_bytes"] for row in rows}, {8, 20})

    def test_several_sizes_in_a_chart(self):
        done = self.measured("--keys", "2k,4k", "--kind", "blocked", "--chart", "speed.svg")
        self.assertEqual([run["keys"] for run in done["runs"]], [2000, 4000])
        rows = [row for row in done["runs"][0]["rows"] if row["name"] == "blocked"]
        self.assertEqual([row["operation"] for row in rows],
                         ["insert", "insert batch", "look-up", "look-up batch", "look-up dependent", "build",
                          "build, 2 threads"])
        self.assertEqual({row["hash"] for row in rows}, {"integer"})
        drawn = (self.folder / "speed.svg").read_text()
        self.assertIn("<svg", drawn)
        self.assertIn("libbloom (rival)", drawn)
        width = int(re.search(r'<svg[^>]* width="(\d+)"', drawn)[1])
        self.assertLessEqual(width, 900)  # a page
        places = re.findall(r'<text x="24.0" y="([\d.]+)" >', drawn)
        self.assertEqual(len(places), len(set(places)))  # none on another

    def test_shapes_and_texts(self):
        done = self.measured("--keys", "2k", "--shape", "blocked:blocks=0.05n,hashes=4", "--key-bytes", "20,64",
                             "--no-rivals")
        self.assertEqual([run["key_bytes"] for run in done["runs"]], [20, 64])
        for run in done["runs"]:
            self.assertEqual({row["name"] for row in run["rows"]}, {"blocked:blocks=0.05n,hashes=4"})
            self.assertEqual({row["hash"] for row in run["rows"]}, {"xxh3", "keyed"})
            self.assertEqual({row["bits_per_key"] for row in run["rows"]}, {25.6})
        self.refused("bench", "--shape", "blocked:bits=1", says="no field 'bits'")
        self.refused("bench", "--key-bytes", "7", says="7 bytes")

    @unittest.skipIf(SANITIZED, "a plug-in that is not")
    def test_the_plug_in_of_the_page_takes_part(self):
        self.plugin(self.example())
        for name in ("./rival.so", "rival.so", self.folder / "rival.so"):
            rows = self.measured("--keys", "20k", "--kind", "blocked", "--no-rivals", "--rival", name)["rows"]
            rival = [row for row in rows if row["rival"]]
            self.assertEqual([row["operation"] for row in rival], ["insert", "look-up", "look-up dependent"])
            self.assertEqual({row["name"] for row in rival}, {"four bits of a word"})
            self.assertTrue(all(0 < row["measured_rate"] < 0.2 for row in rival))
            ours = [row for row in rows if row["name"] == "blocked" and row["operation"] == "look-up batch"]
            held = ours[0].get("nearest_rival") or ours[0]["best_rival"]
            self.assertEqual(held["name"], "four bits of a word")

    @unittest.skipIf(SANITIZED, "a plug-in that is not")
    def test_a_rival_that_misses_keys_or_throws_is_left_out(self):
        asked = ["--keys", "20k", "--kind", "blocked", "--no-rivals", "--rival", "rival.so"]
        for change, reason in ((("== 0; }", "== 0 && key % 8 != 0; }"), "keys that it was given"),
                               (("words[place(key)] |=", "throw std::bad_alloc(); words[place(key)] |="),
                                "not enough memory")):
            source = self.example()
            self.assertIn(change[0], source)
            self.plugin(source.replace(*change))
            done = self.measured(*asked)
            self.assertEqual({row["name"] for row in done["rows"]}, {"blocked", "(one random line)"})
            self.assertEqual(done["left_out"][0]["name"], "four bits of a word")
            self.assertIn(reason, done["left_out"][0]["reason"])

    @unittest.skipIf(SANITIZED, "a plug-in that is not")
    def test_a_plug_in_that_breaks_the_rules_is_refused(self):
        asked = ["bench", "--keys", "1k", "--kind", "blocked", *QUICK, "--rival", "rival.so"]
        self.refused(*asked, says="rival.so")
        self.write("rival.so", b"no library")
        self.refused(*asked, says="rival.so")
        self.plugin("int nothing;\n")
        self.refused(*asked, says="has no function bloomery_rivals")

        head = '#include "bloomery/plugins/rival.h"\n'
        function = 'extern "C" const bloomery_rival* bloomery_rivals(unsigned, size_t* count)'
        self.plugin(f"{head}{function} {{ *count = 1; return nullptr; }}\n")
        self.refused(*asked, says="offers no rivals by interface 1")
        drop = "t.drop = [](void*) {}; t.bytes = [](const void*) -> uint64_t { return 1; };"
        find = "t.find = [](const void*, const uint64_t*, size_t) -> uint64_t { return 0; };"
        insert = "t.insert = [](void*, const uint64_t*, size_t) {};"
        make = "t.make = [](uint64_t, double) -> void* { return nullptr; };"
        name = 't.name = "mine";'
        for fields, reason in (("t.table_bytes = 8;", "a table has 8 bytes"),
                               (drop + find + insert + make, "needs a name"),
                               ('t.name = "\\033[2J";' + drop + find + insert + make, "needs a name"),
                               (name + find + insert + make, "lacks drop or bytes"),
                               (name + drop + find + insert, "neither build nor make"),
                               (name + drop + insert + make, "both take keys and find them")):
            self.plugin(f"{head}{function} {{ static bloomery_rival t; t.table_bytes = sizeof t; "
                        f"{fields} *count = 1; return &t; }}\n")
            with self.subTest(reason):
                self.refused(*asked, says=reason)
        whole = name + drop + find + insert + make
        self.plugin(f"{head}{function} {{ static bloomery_rival t; t.table_bytes = sizeof t; "
                    f"{whole} *count = 1; return &t; }}\n")
        left_out = self.measured("--keys", "1k", "--kind", "blocked", "--rival", "rival.so")["left_out"]
        self.assertIn({"name": "mine", "reason": "cannot be made for so many keys"},
                      [{**one, "reason": one["reason"].split(": ")[-1]} for one in left_out])
        self.refused(*asked, "--rival", "./rival.so", says="two contestants are called 'mine'")


if __name__ == "__main__":
    unittest.main()
