"""The Debian packages: their contents run by themselves, and their control data say what they need."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BLOOMERY_SOURCE"])
BUILD = pathlib.Path(os.environ["BLOOMERY_BUILD"])
VERSION = re.search(r"project\(bloomery VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
SMOKE = """set -e
cd /tmp
seq 1000 >keys
bloomery build --keys 1000 --fpr 0.1% -o keys.bloom keys
test "$(bloomery query -c keys.bloom <keys)" = 1000
bloomery doctor keys.bloom >/dev/null
"""


def run(*command, **options) -> str:
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.work = pathlib.Path(directory.name)
        # What is built already, and packed fast: the test is about what is in the packages.
        run(SOURCE / "tools" / "package", "--build", BUILD, cls.work,
            env={**os.environ, "DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"})
        cls.packages = {path.name.split("_")[0]: path for path in cls.work.glob("*.deb")}
        cls.root = cls.work / "root"
        for package in cls.packages.values():
            run("dpkg-deb", "-x", package, cls.root)
        cls.tool = cls.root / "usr" / "bin" / "bloomery"

    def field(self, package: str, name: str) -> str:
        return run("dpkg-deb", "-f", self.packages[package], name).strip()

    def test_they_say_what_they_are(self):
        self.assertEqual(set(self.packages), {"bloomery", "libbloomery-dev"})
        for package in self.packages:
            self.assertEqual(self.field(package, "Version"), VERSION)
            self.assertTrue((self.root / "usr/share/doc" / package / "copyright").exists())

    def test_every_library_of_the_tool_comes_from_a_package_it_depends_on(self):
        depends = set(re.findall(r"([a-z0-9+.-]+) \(", self.field("bloomery", "Depends")))
        libraries = re.findall(r"=> (/\S+)", run("ldd", self.tool))
        self.assertGreater(len(libraries), 3)
        for library in libraries:
            # dpkg knows a file by the path in its package, with or without /usr.
            names = [library, os.path.realpath(library)]
            names += [name.removeprefix("/usr") for name in names] + ["/usr" + name for name in names]
            found = [subprocess.run(["dpkg-query", "-S", name], text=True, capture_output=True).stdout
                     for name in names]
            owners = {owner.partition(":")[0] for owner in found if owner}
            self.assertTrue(owners & depends, f"{library} of {owners}; {depends}")

    def test_the_tool_runs_from_its_root(self):
        environment = {**os.environ, "PATH": f"{self.tool.parent}:/usr/bin:/bin"}
        run("sh", "-c", SMOKE.replace("/tmp", str(self.work)), env=environment)
        self.assertIn(VERSION, run(self.tool, "--version"))

    def test_manual_pages_and_completions_lie_where_debian_looks(self):
        share = self.root / "usr" / "share"
        self.assertIn(b"bloomery", gzip.decompress((share / "man/man1/bloomery.1.gz").read_bytes()))
        self.assertGreater(len(list((share / "man/man1").glob("bloomery-*.1.gz"))), 20)
        for name in ["bash-completion/completions/bloomery", "zsh/vendor-completions/_bloomery",
                     "fish/vendor_completions.d/bloomery.fish"]:
            self.assertTrue((share / name).stat().st_size, name)

    def test_a_program_finds_the_library(self):
        description = next(self.root.rglob("bloomery.pc"))
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(description.parent)}
        flags = run("pkg-config", "--cflags", "--libs", "bloomery", env=environment).split()
        for flag in flags:
            if flag.startswith(("-I", "-L")):
                self.assertTrue(pathlib.Path(flag[2:]).resolve().is_relative_to(self.root), flag)
        self.assertTrue((description.parents[1] / "libbloomery.a").exists())
        self.assertTrue((self.root / "usr/include/bloomery/bloomery.hpp").exists())

    def test_installs_in_a_clean_system(self):
        if not os.environ.get("BLOOMERY_FULL"):
            self.skipTest("--full: makes a system")
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            self.skipTest("--full: needs root and debootstrap to make a system")
        system = self.work / "system"
        release = re.search(r"^VERSION_CODENAME=(.*)$", pathlib.Path("/etc/os-release").read_text(), re.M)
        run("debootstrap", "--variant=minbase", release[1], system)
        shutil.copy(self.packages["bloomery"], system / "tmp" / "bloomery.deb")
        run("chroot", system, "apt-get", "install", "-y", "-q", "--no-install-recommends",
            "/tmp/bloomery.deb", env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        run("chroot", system, "sh", "-c", SMOKE)


if __name__ == "__main__":
    unittest.main()
