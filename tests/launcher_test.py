"""./bloomery and what it shares with ./test: apt is asked only for what is not there and is needed, and
nobody needs apt where all is there. Compiler, CMake, Ninja and apt are stand-ins that see the packages
of a made-up machine; the last test has the real ones."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
COMMANDS = ["bash", "env", "dirname", "readlink", "mkdir", "flock", "cat", "sed", "touch", "chmod"]
LIBRARIES = {"libxxhash-dev": "xxhash.h", "libhighwayhash-dev": "highwayhash/highwayhash_target.h",
             "libssl-dev": "openssl/evp.h", "libcli11-dev": "CLI/CLI.hpp",
             "libfmt-dev": "fmt/format.h", "nlohmann-json3-dev": "nlohmann/json.hpp",
             "libhiredis-dev": "hiredis/hiredis.h"}
STAND_INS = {
    "c++": """header=$(sed -n 's/.*(<\\(.*\\)>).*/\\1/p')
              test -e "$MACHINE/include/$header" """,
    "cmake": """echo "cmake $*" >>"$MACHINE/calls"
                for header in HEADERS; do
                  test -e "$MACHINE/include/$header" || { echo "no $header"; exit 1; }
                done
                touch build/release/build.ninja""",
    "ninja": """echo "ninja $*" >>"$MACHINE/calls"
                mkdir -p "$2/src/cli"
                {
                  echo '#!/bin/sh'
                  echo 'test "$1 $2" != "systems O4" || echo valgrind'
                  echo 'test "$1" = systems || echo "$@"'
                } >"$2/src/cli/bloomery"
                chmod +x "$2/src/cli/bloomery" """,
    "ccache": "",
    "gnuplot": "",
    "sudo": 'exec "$@"',
    "apt-get": """echo "apt-get $*" >>"$MACHINE/calls"
                  if [ "$BROKEN" ]; then exit 1; fi
                  for name in "$@"; do cp -r "$MACHINE/archive/$name/." "$MACHINE" 2>/dev/null; done
                  exit 0""",
}


def script(path: pathlib.Path, body: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body.replace('HEADERS', ' '.join(LIBRARIES.values()))}\n")
    path.chmod(0o755)


class Launcher(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name) / "tree"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(SOURCE / "bloomery", self.root)
        shutil.copy(SOURCE / "tools" / "prepare.sh", self.root / "tools")
        self.machine = pathlib.Path(directory.name) / "machine"
        for name in COMMANDS + ["cp"]:
            (self.machine / "bin").mkdir(parents=True, exist_ok=True)
            (self.machine / "bin" / name).symlink_to(shutil.which(name))
        for name, body in STAND_INS.items():
            script(self.machine / "bin" / name, body)
        for package, header in LIBRARIES.items():
            for place in [self.machine, self.machine / "archive" / package]:
                (place / "include" / header).parent.mkdir(parents=True, exist_ok=True)
                (place / "include" / header).touch()
        for library, file in (("leveldb", "db.h"), ("rocksdb", "db.h"), ("ns3", "core-module.h")):
            header = self.machine / "archive" / f"lib{library}-dev" / "include" / library / file
            header.parent.mkdir(parents=True)
            header.touch()
        script(self.machine / "archive" / "gnuplot-nox" / "bin" / "gnuplot", "")
        script(self.machine / "archive" / "cmake" / "bin" / "cmake", STAND_INS["cmake"])

    def lacks(self, *names: str):
        for name in names:
            header = self.machine / "include" / LIBRARIES.get(name, "-")
            (header if header.exists() else self.machine / "bin" / name).unlink()

    def launch(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.machine / "bin" / "bash", self.root / "bloomery", *arguments],
                              text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              env={"PATH": str(self.machine / "bin"), "MACHINE": str(self.machine),
                                   "BROKEN": "", **environment})

    def calls(self, command: str) -> list[str]:
        log = self.machine / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.startswith(command + " ")]

    def runs(self, *arguments: str):
        done = self.launch(*arguments)
        self.assertEqual((done.returncode, done.stdout), (0, " ".join(arguments) + "\n"), done.stderr)

    INSTALL = "apt-get install -y -q --no-install-recommends "

    def test_where_all_is_there_apt_is_not_asked(self):
        self.runs("build", "-o", "f", "figures")
        self.runs("figures", "out")
        self.assertEqual(self.calls("apt-get"), [])
        self.assertEqual(len(self.calls("cmake")), 1)

    def test_where_all_is_there_apt_need_not_be(self):
        self.lacks("apt-get", "sudo", "gnuplot", "ccache")
        self.runs("query", "f", "key")
        self.assertIn("-DCMAKE_CXX_COMPILER_LAUNCHER=", self.calls("cmake")[0].split())

    def test_only_what_is_missing_is_asked_for(self):
        self.lacks("libfmt-dev", "cmake", "gnuplot", "ccache")
        self.runs("query", "f", "--", "--plot")
        self.runs("plan", "--plot", "x.svg", "--help")
        self.assertEqual(self.calls("apt-get"), [self.INSTALL + "cmake", self.INSTALL + "libfmt-dev"])

    def test_what_draws_needs_gnuplot(self):
        for arguments in [["figures", "out"], ["plan", "--keys", "9", "--plot", "x.svg"],
                          ["bench", "--chart=x.svg"]]:
            with self.subTest(arguments):
                (self.machine / "bin" / "gnuplot").unlink()
                self.runs(*arguments)
                self.assertEqual(self.calls("apt-get"), [self.INSTALL + "gnuplot-nox"])
                (self.machine / "calls").unlink()

    def test_an_experiment_gets_what_its_system_needs(self):
        self.runs("lab", "O4", "--seed", "7")
        self.assertEqual(self.calls("apt-get"), [self.INSTALL + "valgrind"])
        (self.machine / "calls").unlink()
        script(self.machine / "bin" / "valgrind", "")
        self.runs("lab", "O4", "D5", "--json")
        self.runs("lab", "--help")
        self.assertEqual(self.calls("apt-get"), [])
        (self.machine / "bin" / "valgrind").unlink()
        script(self.machine / "bin" / "dpkg-query", "echo installed")
        self.runs("lab", "O4")
        self.assertEqual(self.calls("apt-get"), [])

    def test_a_store_is_fetched_for_its_experiment_and_compiled_in(self):
        self.runs("lab", "D3")
        self.assertEqual((self.calls("apt-get"), len(self.calls("ninja"))), ([], 1))
        for store, arguments in (("leveldb", ["--set", "store=leveldb"]),
                                 ("rocksdb", ["--set=store=rocksdb"]),
                                 ("ns3", ["--set", "world=ns3"])):
            with self.subTest(store):
                (self.machine / "calls").unlink()
                self.runs("lab", "D3", *arguments)
                self.assertEqual(self.calls("apt-get"), [f"{self.INSTALL}lib{store}-dev"])
                self.assertEqual(len(self.calls("ninja")), 2)
                self.runs("lab", "D3", *arguments)
                self.assertEqual((len(self.calls("apt-get")), len(self.calls("ninja"))), (1, 3))

    def test_what_is_missing_is_said(self):
        self.lacks("libfmt-dev", "libssl-dev")
        done = self.launch("kinds", BROKEN="yes")
        self.assertEqual(done.returncode, 2)
        self.assertIn("could not install libssl-dev libfmt-dev", done.stderr)
        self.assertEqual(self.calls("apt-get")[1], "apt-get update -q")
        self.lacks("apt-get")
        done = self.launch("kinds")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bloomery: what Debian packages as libssl-dev libfmt-dev is needed, and apt-get "
                      "is not here to install it\n", done.stderr)

    def test_cmake_configures_without_apt_and_dpkg(self):
        tree = self.root.parent / "real"
        tree.mkdir()
        for path in SOURCE.iterdir():
            if path.name not in ("build", ".git"):
                (tree / path.name).symlink_to(path)
        commands = self.root.parent / "commands"
        commands.mkdir()
        for folder in ["/usr/local/bin", "/usr/bin", "/bin"]:
            for path in pathlib.Path(folder).iterdir():
                if not path.name.startswith(("apt", "dpkg", "sudo")):
                    link = commands / path.name
                    if not link.is_symlink():
                        link.symlink_to(path)
        done = subprocess.run(["bash", "-euc", "root=$PWD; source tools/prepare.sh; configure release"],
                              cwd=tree, env={**os.environ, "PATH": str(commands)},
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((tree / "build" / "release" / "build.ninja").exists())


if __name__ == "__main__":
    unittest.main()
