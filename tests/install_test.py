"""The installed copy, and the source tree as a subdirectory, serve a program outside the project."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
OUTSIDE = SOURCE / "examples" / "outside"
CACHE = (BUILD / "CMakeCache.txt").read_text()


def cached(name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", CACHE, re.M)
    return found.group(1) if found else ""


COMPILER = cached("CMAKE_CXX_COMPILER")
SANITIZE = [f"-fsanitize={x}" for x in [cached("BLOOMERY_SANITIZE")] if x]
VERSION = re.search(r"project\(bloomery VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def run(*command, **options) -> str:
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def configure(source, build, *options) -> str:
    if shutil.which("ccache"):
        options += ("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",)
    return run("cmake", "-S", source, "-B", build, "-G", "Ninja",
               f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS={' '.join(SANITIZE)}",
               *options)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.work = pathlib.Path(cls.dir.name)
        staged = cls.work / "staged"
        run("cmake", "--install", BUILD, "--prefix", staged)
        # Moved after the installation: nothing in it may remember where it was put.
        cls.prefix = staged.rename(cls.work / "moved here")
        cls.libdir = next(cls.prefix.rglob("libbloomery.a")).parent

    def check_program(self, program):
        self.assertEqual(run(program, input="a b a c b\n"), "a\nb\nc\n")

    def test_find_package(self):
        build = self.work / "found"
        configure(OUTSIDE, build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.check_program(build / "outside")

    def test_find_package_refuses_another_version(self):
        source = self.work / "later"
        source.mkdir()
        major, minor, _ = VERSION.split(".")
        text = (OUTSIDE / "CMakeLists.txt").read_text()
        wanted = f"find_package(bloomery {major}.{int(minor) + 1} REQUIRED)"
        (source / "CMakeLists.txt").write_text(re.sub(r"find_package\(.*\)", wanted, text))
        with self.assertRaisesRegex(AssertionError, f"version: {VERSION}"):
            configure(source, self.work / "refused", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config(self):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}
        self.assertEqual(run("pkg-config", "--modversion", "bloomery", env=environment).strip(),
                         VERSION)
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "bloomery", env=environment))
        program = self.work / "plain"
        run(COMPILER, "-std=c++20", *SANITIZE, OUTSIDE / "main.cpp", "-o", program, *flags)
        self.check_program(program)
        self.assertNotIn("libcrypto", run("ldd", program), "a plain filter needs no OpenSSL")

    def test_add_subdirectory(self):
        source, build = self.work / "inside", self.work / "inside-build"
        source.mkdir()
        shutil.copy(OUTSIDE / "main.cpp", source)
        text = (OUTSIDE / "CMakeLists.txt").read_text()
        (source / "CMakeLists.txt").write_text(
            re.sub(r"find_package\(.*\)", f'add_subdirectory("{SOURCE}" bloomery)', text))
        configure(source, build, f"-DBLOOMERY_SANITIZE={cached('BLOOMERY_SANITIZE')}")
        if os.environ.get("BLOOMERY_FULL"):
            run("cmake", "--build", build)
            self.check_program(build / "outside")
        else:  # the library whole would take minutes, and is what all other tests are linked with
            run("ninja", "-C", build, "CMakeFiles/outside.dir/main.cpp.o",
                "bloomery/CMakeFiles/bloomery.dir/src/bloomery/filters/set/standard.cpp.o")
        # The host project gets the library alone.
        targets = run("cmake", "--build", build, "--target", "help")
        self.assertNotRegex(targets, r"bloomery_tool|bloomery_testing|_test\b")
        self.assertFalse(list(build.rglob("bloomery.pc")))

    def test_public_headers_and_what_they_include_are_installed(self):
        include = next(self.prefix.rglob("bloomery.hpp")).parents[1]
        installed = {str(p.relative_to(include)) for p in include.rglob("*.*")}
        wanted, reached = ["bloomery/bloomery.hpp", "bloomery/secure.hpp",
                           "bloomery/filters/erasure.hpp", "bloomery/plugins/leveldb.hpp",
                           "bloomery/plugins/rival.hpp", "bloomery/plugins/rocksdb.hpp", "bloomery/plugins/spin.h"], set()
        while wanted:
            header = wanted.pop()
            if header not in reached:
                reached.add(header)
                wanted += re.findall(r'#include "(bloomery/[^"]+)"', (SOURCE / "src" / header).read_text())
        self.assertEqual(installed, reached)
        for inner in ("bits/code/rans.hpp", "bits/table/peeling.hpp", "bits/code/entropy_coder.hpp"):
            self.assertNotIn(f"bloomery/{inner}", installed)

    def test_tool_runs(self):
        tool = self.prefix / "bin" / "bloomery"
        self.assertIn(VERSION, run(tool, "--version"))

    def test_manual_pages_and_completion_are_in_place(self):
        share = self.prefix / "share"
        listed = run(self.prefix / "bin" / "bloomery", "--help")
        for verb in ("build", "map get", "secret ask"):
            self.assertIn(f"  {verb} ", listed)
            self.assertTrue((share / "man" / "man1" / f"bloomery-{verb.replace(' ', '-')}.1").exists())
        page = run("man", "-M", share / "man", "bloomery", env={**os.environ, "MANPAGER": "cat"})
        self.assertIn("bloomery VERB", page)
        for shell, path in (("bash", "bash-completion/completions/bloomery"),
                            ("zsh", "zsh/site-functions/_bloomery"),
                            ("fish", "fish/vendor_completions.d/bloomery.fish")):
            self.assertEqual((share / path).read_text(),
                             run(self.prefix / "bin" / "bloomery", "completion", shell))


if __name__ == "__main__":
    unittest.main()
