"""tools/check_layers.py passes on this tree, and sees each kind of violation in a copy of it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
CHECK = SOURCE / "tools" / "check_layers.py"


def check(root, *options):
    done = subprocess.run(["/usr/bin/python3", CHECK, *options, root], text=True,
                          capture_output=True)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


class Layers(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        shutil.copytree(SOURCE / "src", self.root / "src")
        shutil.copytree(SOURCE / "docs", self.root / "docs")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def expect(self, *problems):
        code, output = check(self.root)
        self.assertEqual(output.splitlines(), list(problems))
        self.assertEqual(code, 1 if problems else 0)

    def test_this_tree_is_clean(self):
        self.assertEqual(check(SOURCE), (0, ""))

    def test_a_header_that_needs_another_is_seen(self):
        shutil.rmtree(self.root / "src")
        self.write("src/bloomery/any/kinds.hpp", "// Kinds.\n#pragma once\n"
                   "template <class...> struct kind_list {};\nusing all_kinds = kind_list<>;\n")
        self.write("src/bloomery/core/needy.hpp", "// Needs.\n#pragma once\nstd::string text();\n")
        code, output = check(self.root, "--compile")
        self.assertEqual(code, 1)
        self.assertIn("src/bloomery/core/needy.hpp:1: does not compile by itself: ", output)
        self.assertEqual(len(output.splitlines()), 1)

    def test_a_system_without_entry_line_test_or_paragraph_is_seen(self):
        (self.root / "src/bloomery/apps/systems/wake_up_test.cpp").unlink()
        page = self.root / "docs/systems/gate.md"
        page.write_text(page.read_text().replace("### O1: Wake-up radio", "### Waking up"))
        room = "src/bloomery/apps/systems/"
        registry = self.root / f"{room}registry.cpp"
        registry.write_text(registry.read_text().replace("    &spelling_system,\n", ""))
        chains = self.root / f"{room}chains.cpp"
        chains.write_text(chains.read_text().replace("chains_system", "links_system"))
        self.expect(f"{room}chains.cpp:1: no entry chains_system with .id, .name, .where and .run in order",
                    f"{room}registry.cpp:1: spelling_system is not declared and listed here",
                    f"{room}wake_up.cpp:1: O1 has no test wake_up_test.cpp",
                    f"{room}wake_up.cpp:1: O1 has no paragraph '### O1: Wake-up radio' in "
                    "docs/systems/gate.md")

    def test_rightward_includes(self):
        rooms = ["math", "hash", "bits", "filters", "wire", "any", "apps"]
        for here, there in [("core", "math"), ("math", "hash"), ("hash", "math"), ("hash", "bits"),
                            ("bits", "filters"), ("filters", "wire"), ("wire", "any"),
                            ("any", "apps")]:
            with self.subTest(here=here, there=there):
                file = f"src/bloomery/{here}/stray.cpp"
                self.write(file, f'#include <string>\n#include "bloomery/{there}/x.hpp"\n')
                self.expect(f'{file}:2: {here} may not include "bloomery/{there}/x.hpp": '
                            f"{there} is not to its left")
                (self.root / file).unlink()
        everything = "".join(f'#include "bloomery/{room}/x.hpp"\n' for room in rooms)
        self.write("src/cli/stray.cpp", everything)
        self.write("src/bloomery/bits/stray_test.cpp", everything + '#include "testing.hpp"\n')
        self.expect()
        for room in ("ns3", "postgres", "redis"):
            self.write(f"src/{room}/stray.cpp", '#include "cli/verbs.hpp"\n')
        self.expect(*(f'src/{room}/stray.cpp:1: {room} may not include "cli/verbs.hpp": '
                      "cli is not to its left" for room in ("ns3", "postgres", "redis")))

    def test_sub_rooms_of_filters(self):
        self.write("src/bloomery/filters/map/stray.cpp",
                   '#include "bloomery/filters/set/standard.hpp"\n'
                   '#include "bloomery/filters/abilities/mapping.hpp"\n'
                   '#include "bloomery/filters/filter.hpp"\n')
        self.expect()
        include = "bloomery/filters/set/standard.hpp"
        self.write("src/bloomery/filters/window/aging.cpp", f'#include "{include}"\n')
        self.expect()
        self.write("src/bloomery/filters/stray.cpp", f'#include "{include}"\n')
        upward = "bloomery/filters/changing/counting.hpp"
        self.write("src/bloomery/filters/set/stray.cpp", f'#include "{upward}"\n')
        self.write("src/bloomery/filters/other/x.cpp", "")
        self.expect(
            "src/bloomery/filters/other/x.cpp:1: filters/other is not a room",
            f'src/bloomery/filters/set/stray.cpp:1: filters/set may not include "{upward}": '
            "changing is not to its left",
            f'src/bloomery/filters/stray.cpp:1: filters/ may not include "{include}": '
            "it is in a sub-room")

    def test_the_plain_library_does_without_openssl(self):
        for secret in ("filters/secure/encrypted", "apps/security/query_conversion", "any/secure_kinds",
                       "apps/systems/registry"):
            with self.subTest(secret=secret):
                include = f"bloomery/{secret}.hpp"
                self.write("src/bloomery/net/stray.cpp", f'#include "{include}"\n')
                self.expect(f'src/bloomery/net/stray.cpp:1: "{include}" is not in the plain library: it may '
                            "need OpenSSL")
                self.write("src/bloomery/net/stray.cpp", "")
                self.write("src/bloomery/net/stray_test.cpp", f'#include "{include}"\n')
                self.write("src/cli/stray.cpp", f'#include "{include}"\n')
                self.expect()

    def test_include_paths_are_file_paths(self):
        self.write("src/bloomery/bits/stray.cpp", '#include "storage.hpp"\n')
        self.write("src/bloomery/misc/stray.cpp", "")
        self.expect('src/bloomery/bits/stray.cpp:1: "storage.hpp" is not a path below src',
                    "src/bloomery/misc/stray.cpp:1: misc is not a room")

    def test_containers_that_chosen_keys_flood(self):
        self.write("src/cli/stray.cpp", "#include <map>\nstd::unordered_map<std::string, int> names;\n")
        self.expect("src/cli/stray.cpp:2: chosen keys flood an unordered container")

    def test_headers_open_as_they_should(self):
        self.write("src/bloomery/core/bare.hpp", "#pragma once\n")
        self.write("src/bloomery/core/twice.hpp", "// No guard.\nint x();\n")
        what = "a header starts with a comment, then #pragma once"
        self.expect(f"src/bloomery/core/bare.hpp:1: {what}", f"src/bloomery/core/twice.hpp:1: {what}")

    def test_formulas_of_a_kind_have_its_name(self):
        self.write("src/bloomery/math/kinds/blocked.cpp", "")
        self.expect()
        self.write("src/bloomery/math/kinds/growth.cpp", "")
        self.write("src/bloomery/math/kinds/growth_test.cpp", "")
        what = "no header of a sub-room of filters has this name"
        self.expect(f"src/bloomery/math/kinds/growth.cpp:1: {what}",
                    f"src/bloomery/math/kinds/growth_test.cpp:1: {what}")

    def test_no_kind_is_named_where_an_ability_should_be(self):
        self.write("src/cli/stray.cpp", "// standard_filter in a comment\n"
                   'const json told{{"standard", 1}};\n'
                   "auto* f = filter.get_if<dynamic_filter>();\n"
                   'if (kind.info.name == "count-min") find_kind("blocked");\n')
        self.write("src/cli/figures/stray.cpp", "standard_filter drawn;\n")
        self.write("src/cli/retouch.cpp", "retouched_filter made; bank_filter other;\n")
        what = "make it an ability"
        self.expect(f"src/cli/retouch.cpp:1: names the kind bank_filter: {what}",
                    f"src/cli/stray.cpp:3: names the kind dynamic_filter: {what}",
                    f'src/cli/stray.cpp:4: names the kind "count-min": {what}',
                    f'src/cli/stray.cpp:4: names the kind "blocked": {what}')

    def test_every_kind_has_page_and_test(self):
        (self.root / "docs/filters/blocked.md").unlink()
        tests = list((self.root / "src/bloomery/filters/set").glob("*_test.cpp"))
        header = "bloomery/filters/set/standard.hpp"
        for test in tests:
            test.write_text(test.read_text().replace(f'#include "{header}"', ""))
        registry = self.root / "src/bloomery/any/kinds.hpp"
        registry.write_text(registry.read_text().replace("all_kinds = kind_list<",
                                                         "all_kinds = kind_list<lost_filter, ", 1))
        self.expect("src/bloomery/any/kinds.hpp:1: lost_filter is declared in no header included here",
                    f"src/{header}:1: standard_filter has no test beside it that includes it",
                    "src/bloomery/filters/set/blocked.hpp:1: blocked has no page "
                    "docs/filters/blocked.md")


if __name__ == "__main__":
    unittest.main()
