"""Cells that claim what they cannot do, or hide what they can, do not compile, and the compiler says why."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])

CELLS = """
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/filters/filter.hpp"
using namespace bloomery;
struct demo_shape {
  std::uint64_t lines = 1;
  static constexpr std::array fields{whole_field("lines", "cache lines", &demo_shape::lines, 1, 4)};
};
struct demo_cells {
  using shape = demo_shape;
  using can = ability_list<CLAIMS>;
  static constexpr kind_info kind{.name = "demo", .title = "", .answers = "", .citation = ""};
  explicit demo_cells(const shape& s) : lines(storage::allocate(64 * s.lines)) {}
  demo_cells(const shape&, storage stored) : lines(std::move(stored)) {}
  static std::uint64_t payload_bytes(const shape& s) { return 64 * s.lines; }
  static shape plan(std::uint64_t, double) { return {}; }
  static double predicted_rate(const shape&, std::uint64_t) { return 1; }
  static math::query_cost query_cost(const shape&, std::uint64_t) { return {1, 1}; }
  static void each_part(auto& self, auto visit) { visit(self.lines); }
  std::uint64_t METHOD(digest) const { return 1; }
  storage lines;
};
filter<demo_cells> made(demo_shape{});
"""


class ClaimsTest(unittest.TestCase):
    def compiled(self, claims: str, method: str) -> subprocess.CompletedProcess:
        text = CELLS.replace("CLAIMS", claims).replace("METHOD", method)
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "demo.cpp"
            path.write_text(text)
            return subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-I",
                                   SOURCE / "src", path], capture_output=True, text=True, check=False)

    def test_true_claims_compile(self):
        done = self.compiled("counts", "count")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_misspelt_method_is_refused(self):
        done = self.compiled("counts", "cuont")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("`can` lists an ability that the cells lack a method for", done.stderr)

    def test_an_unlisted_ability_is_refused(self):
        done = self.compiled("", "count")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the cells have what an ability needs, and `can` does not list it", done.stderr)


if __name__ == "__main__":
    unittest.main()
