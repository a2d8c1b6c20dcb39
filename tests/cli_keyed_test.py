"""The tool as a person uses it: filters of every kind under a secret key."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from tool import TOOL, Tool

TEXT = b"a text of some length that a filter of texts can find again, word for word"


class Keyed(Tool):
    def build(self, kind):
        """Builds `f` from one text, under the secret `right`; `wrong` is another."""
        name = kind["name"]
        for key, secret in (("right", b"\1" * 32), ("wrong", b"\2" * 32)):
            if kind["guarded"]:
                self.run_tool("secret", "new", "--kind", name, "-o", key)
            else:
                self.write(key, secret)
        made = ["--kind", name, "--key-file", "right", "-o", "f", "-"]
        if kind["values"]:
            return self.run_tool("map", "build", *made, stdin=TEXT + b"\t1\n", notes=None)
        size = ["--window" if kind["window"] else "--keys", "100"]
        return self.run_tool("build", *size, *made, stdin=TEXT + b"\n", notes=None)

    def test_every_kind_is_built_and_asked_under_a_key(self):
        kinds = json.loads(self.run_tool("kinds", "--json"))
        self.assertGreater(len(kinds), 50)
        for kind in kinds:
            with self.subTest(kind["name"]):
                self.setUp()
                self.build(kind)
                asked = [*self.verb_for(kind), "f", TEXT.decode()]
                self.assertIn(TEXT, self.run_tool(*asked, "--key-file", "right", notes=None))
                self.refused(*asked, says="--key-file")
                self.refused(*asked, "--key-file", "wrong", says="--key-file wrong")
                stored = self.bytes_of("f")
                for start in range(0, len(TEXT) - 8, 8):
                    self.assertNotIn(TEXT[start:start + 8], stored)

    @staticmethod
    def verb_for(kind):
        if kind["values"]:
            return ["map", "get"]
        return ["query"] if kind["queries"] or kind["texts"] or kind["guarded"] else ["count"]

    def test_top_of_a_keyed_filter_needs_the_key(self):
        self.write("k", b"\1" * 32)
        self.write("other", b"\2" * 32)
        keys = b"confidential\n" * 3 + b"hush\n" + b"x" * 200 + b"\n"
        self.run_tool("build", "--kind", "count-min", "--keys", "10", "--set", "top=5", "--key-file", "k",
                      "-o", "f", "-", stdin=keys)
        self.assertNotIn(b"confidential", self.bytes_of("f"))
        self.assertEqual(self.run_tool("top", "-n", "1", "f", "--key-file", "k"), b"3\tconfidential\n")
        self.assertIn("1\t" + "x" * 102 + "…", self.run_tool("top", "f", "--key-file", "k").decode())
        self.refused("top", "f", says="--key-file")
        self.refused("top", "f", "--key-file", "other", says="--key-file other")
        self.run_tool("add", "f", "confidential", "--key-file", "k")
        self.run_tool("union", "f", "f", "-o", "both")
        self.assertEqual(self.run_tool("top", "-n", "1", "both", "--key-file", "k"),
                         b"8\tconfidential\n")

    def test_texts_are_searched_and_compared_under_a_key(self):
        self.write("k", b"\1" * 32)
        for kind, verb in (("hierarchical", "search"), ("distance-sensitive", "near")):
            self.run_tool("build", "--kind", kind, "--key-file", "k", "-o", kind, "-", stdin=TEXT + b"\n")
            self.assertIn(TEXT, self.run_tool(verb, kind, TEXT.decode(), "--key-file", "k"))
            self.refused(verb, kind, TEXT.decode(), says="--key-file")
            self.assertIn(b"give --key-file",
                          b" ".join(self.run_tool("doctor", kind, status=None, notes=None).split()))
            self.run_tool("doctor", kind, "--key-file", "k", notes=None)
            self.run_tool("add", kind, TEXT.decode(), "--key-file", "k", notes=None)
            self.refused("add", kind, TEXT.decode(), says="--key-file")

    def test_secrets_are_wiped_before_their_memory_is_given_back(self):
        if shutil.which("cc") is None or b"san_init" in pathlib.Path(TOOL).read_bytes():
            self.skipTest("needs a compiler, and no sanitizer that minds a library before it")
        self.write("free.c", b"""#define _GNU_SOURCE
            #include <malloc.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            void __libc_free(void*);
            void free(void* p) {
              const char* secret = getenv("SECRET");
              if (p != 0 && secret != 0 && memmem(p, malloc_usable_size(p), secret, strlen(secret)) != 0)
                if (write(2, "LEFT\\n", 5) != 5) abort();
              __libc_free(p);
            }""")
        subprocess.run(["cc", "-shared", "-fPIC", "free.c", "-o", "free.so"], cwd=self.folder, check=True)

        def left(secret, *arguments, stdin):
            done = subprocess.run(
                [TOOL, *arguments], input=stdin, capture_output=True, cwd=self.folder,
                env=os.environb | {b"LD_PRELOAD": bytes(self.folder / "free.so"), b"SECRET": secret})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr.count(b"LEFT")
        secret = b"0123456789abcdefghijklmnopqrstuv"
        self.write("keys", b"zebra\n" + secret + b"\n")
        build = ["build", "--keys", "10", "-o", "f", "keys"]
        self.assertGreater(left(secret, *build, stdin=b""), 0, "a key is no secret, and shows the way to look")
        self.write("keys", b"zebra\n")
        for sent in (secret, secret.hex().encode()):
            self.assertEqual(left(secret, *build, "--key-file", "/dev/stdin", stdin=sent), 0)
            self.assertEqual(left(sent, "query", "f", "zebra", "--key-file", "/dev/stdin", stdin=sent), 0)
        while True:  # until it fits in a variable
            self.run_tool("secret", "new", "--kind", "secure-index", "-o", "owner")
            stored = self.bytes_of("owner")
            inside = stored[8:32]
            if 0 not in inside:
                break
            os.unlink(self.folder / "owner")
        self.run_tool("build", "--kind", "secure-index", "--keys", "9", "--key-file", "owner", "-o", "g", "keys")
        self.assertEqual(left(inside, "query", "g", "zebra", "--key-file", "/dev/stdin", stdin=stored), 0)


if __name__ == "__main__":
    unittest.main()
