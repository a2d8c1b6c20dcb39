"""The pages keep their word: links lead somewhere, shell examples print what they say, and the
steps of CONTRIBUTING.md make a structure that the checks accept."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"),
                *SOURCE.glob("examples/**/*.md")])
WORDS = pathlib.Path("/usr/share/dict/words")


def blocks(page: pathlib.Path, language: str) -> list[str]:
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", page.read_text(), re.M | re.S)


def anchors(page: pathlib.Path) -> set[str]:
    """As GitHub makes them: lower case, punctuation gone, spaces to hyphens."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


class Docs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def bash(self, script: str, cwd: pathlib.Path) -> str:
        done = subprocess.run(["bash", "-euc", script], cwd=cwd, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}")
        return done.stdout

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.M | re.S)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if link.startswith("https://"):
                    continue
                with self.subTest(page=page.name, link=link):
                    path, _, anchor = link.partition("#")
                    target = page.parent / path if path else page
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_shell_examples_print_what_they_say(self):
        examples = [(page, block) for page in PAGES for block in blocks(page, "console")]
        self.assertGreaterEqual(len(examples), 2)
        for page, block in examples:
            # A reader begins with any page, so that no page needs the files of another.
            folder = self.work / str(page.relative_to(SOURCE)).replace("/", " ")
            if not folder.exists():
                folder.mkdir()
                (folder / "bloomery").symlink_to(os.environ["BLOOMERY"])
            if str(WORDS) in block and not WORDS.exists():
                continue  # the package wamerican is not installed
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                with self.subTest(page=page.name, command=command):
                    printed = self.bash(command, folder)
                    if expected == "…\n":  # too long for a page
                        self.assertNotEqual(printed, "")
                    else:
                        self.assertEqual(printed, expected)

    def test_every_kind_has_an_example_in_shell_and_in_cpp(self):
        kinds = json.loads(self.bash(f"'{os.environ['BLOOMERY']}' kinds --json", self.work))
        for kind in kinds:
            page = SOURCE / "docs" / "filters" / f"{kind['name']}.md"
            with self.subTest(page=page.name):
                self.assertIn("./bloomery ", "".join(blocks(page, "console")))
                self.assertRegex("".join(blocks(page, "cpp")),
                                 r'#include "bloomery/(bloomery|secure).hpp"\n')

    def test_the_index_lists_every_page(self):
        index = (SOURCE / "docs" / "README.md").read_text()
        for page in (SOURCE / "docs").glob("*.md"):
            if page.name != "README.md":
                self.assertIn(f"]({page.name})", index)

    def test_the_tool_has_the_verbs_of_the_readme(self):
        table = re.search(r"^\| verb \|.*?\n\n", (SOURCE / "README.md").read_text(), re.M | re.S)[0]
        rows = re.findall(r"^\| (`.*?) \|", table, re.M)
        named = {verb for row in rows for verb in re.findall(r"`([a-z]+)`", row)}
        usage = self.bash(f"'{os.environ['BLOOMERY']}' --help", self.work)
        listed = re.findall(r"^  ([a-z]+)(?: [a-z]+)?  +[A-Z]", usage, re.M)
        self.assertEqual(named, set(listed))

    def test_the_pages_tables_are_what_plan_prints(self):
        """A million keys at three rates: bits per key and k, in every page that lists them."""
        def tool(*arguments):
            return json.loads(self.bash(shlex.join([os.environ["BLOOMERY"], *arguments, "--json"]),
                                        self.work))
        columns = []
        for rate in ["1%", "0.1%", "0.01%"]:
            plans = {plan["kind"]: plan
                     for plan in tool("plan", "--static", "--keys", "1M", "--fpr", rate)["plans"]}
            columns.append(plans)

        def row(page, start):
            line = re.search(rf"^\| {re.escape(start)} \| (.*) \|$",
                             (SOURCE / "docs" / "filters" / page).read_text(), re.M)[1]
            return line.split(" | ")

        def sizes(kind):
            return [f"{plans[kind]['bits_per_key']:.2f} (k={plans[kind]['shape']['hashes']})"
                    for plans in columns]
        self.assertEqual(row("standard.md", "**standard**"), sizes("standard"))
        self.assertEqual(row("standard.md", "[partitioned](partitioned.md)"), sizes("partitioned"))
        self.assertEqual(row("standard.md", "[blocked](blocked.md)"), sizes("blocked"))
        self.assertEqual(row("partitioned.md", "bits per key, a million keys"),
                         sizes("partitioned"))
        self.assertEqual(row("blocked.md", "bits per key"), sizes("blocked"))
        more = [plans["blocked"]["bytes"] / plans["standard"]["bytes"] - 1 for plans in columns]
        self.assertEqual(row("blocked.md", "more than [standard](standard.md)"),
                         [f"{100 * part:.1f} %" for part in more])
        self.assertEqual(row("fuse.md", "bits per key"), [
            f"{plans['fuse']['bits_per_key']:.2f} (r={plans['fuse']['shape']['fingerprint_bits']})"
            for plans in columns])
        less = [plans["fuse"]["bytes"] / plans["standard"]["bytes"] for plans in columns]
        self.assertEqual(row("fuse.md", "of those of [standard](standard.md)"),
                         [f"{100 * part:.0f} %" for part in less])
        mistaken = []
        for plans in columns:
            shape = plans["standard"]["shape"]
            bits = shape["bits"] // 512 * 512
            rate = tool("rate", "--kind", "blocked", "--bits", str(bits), "--keys", "1M",
                        "--hashes", str(shape["hashes"]))["rate"]
            mistaken.append(f"{100 * rate:.3g} %")
        self.assertEqual(row("blocked.md", "rate if sized by the standard filter's plan instead"),
                         mistaken)

    def test_contributing_makes_a_structure(self):
        tree = self.work / "tree"
        for part in ["src", "docs", "examples", "tools"]:
            shutil.copytree(SOURCE / part, tree / part)
        shutil.copy(SOURCE / ".clang-format", tree)
        self.bash(blocks(SOURCE / "CONTRIBUTING.md", "bash")[0], tree)
        registry = tree / "src" / "bloomery" / "any" / "kinds.hpp"
        text = registry.read_text().replace("= kind_list<", "= kind_list<mine_filter, ")
        self.assertIn("mine_filter", text)
        include = '#include "bloomery/filters/set/mine.hpp"\n'
        registry.write_text(text.replace("#pragma once\n", "#pragma once\n" + include))
        self.assertEqual(self.bash("tools/check_layers.py .", tree), "")
        made = [*tree.glob("src/bloomery/filters/set/mine*"), tree / "docs/filters/mine.md"]
        self.assertEqual(len(made), 4)
        for file in made:
            self.assertNotIn("skeleton", file.read_text().lower())
        self.compiles(tree, "mine")

        # The shortcut for bit filters, from the second block.
        self.bash("kind=twice_hashed; " + blocks(SOURCE / "CONTRIBUTING.md", "bash")[1], tree)
        rule = (tree / "src/bloomery/filters/set/twice_hashed.hpp").read_text()
        self.assertIn('.name = "twice-hashed"', rule)
        self.assertIn("using twice_hashed_filter =", rule)
        self.compiles(tree, "twice_hashed")

    def compiles(self, tree: pathlib.Path, kind: str):
        self.bash(f"c++ -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -Isrc "
                  f"-I'{SOURCE}/tests' -include bloomery/any/kinds.hpp "
                  f"src/bloomery/filters/set/{kind}.cpp", tree)


if __name__ == "__main__":
    unittest.main()
