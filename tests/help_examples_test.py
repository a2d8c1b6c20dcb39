"""Every example that help prints runs as printed: all of them in one empty folder, verb after verb in the
order of `bloomery --help`, and those of each verb in a folder of its own."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tool import PATIENCE, TOOL, output, verbs

STATUS = re.compile(r"# exits (\d)")


def examples(verb):
    """Commands: a line that is indented further belongs to the one before."""
    block = output(*verb.split(), "--help").split("\nExamples:\n")[1]
    return re.findall(r"^  \S.*\n(?:   .*\n)*", block, re.M)


class HelpExamples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "bloomery").symlink_to(TOOL)
        cls.environment = {**os.environ, "PATH": folder.name + os.pathsep + os.environ["PATH"]}
        cls.examples = {verb: examples(verb) for verb in verbs()}

    def run_examples(self, verb, folder):
        shown = ""
        for example in self.examples[verb]:
            with self.subTest(verb=verb, example=example):
                done = subprocess.run(["bash", "-c", example], cwd=folder, env=self.environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=PATIENCE)
                expected = STATUS.search(example)
                self.assertEqual(done.returncode, int(expected[1]) if expected else 0, done)
                self.assertEqual(done.stderr, "")
                shown += done.stdout
        self.assertTrue(shown, verb + ": the examples show nothing")

    def test_each_verb_has_examples_of_itself(self):
        for verb, commands in self.examples.items():
            own = [command for command in commands if "bloomery " + verb in command]
            self.assertGreaterEqual(len(own), 1 if verb.startswith("secret ") else 2, verb)

    def test_they_run_one_after_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for verb in self.examples:
                self.run_examples(verb, folder)

    def test_those_of_a_verb_need_no_other(self):
        for verb in self.examples:
            with tempfile.TemporaryDirectory() as folder:
                self.run_examples(verb, folder)


if __name__ == "__main__":
    unittest.main()
