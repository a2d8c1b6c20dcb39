"""What verbs read: CSV, CRLF, headers, empty lines, long lines, input of every sort."""
import json
import os
import pty
import resource
import subprocess
import unittest

from tool import PATIENCE, TOOL, Tool, lines

TABLE = (b'id,"e-mail, of the ""user""",town\r\n'
         b'1,ada@x.org,"Lon\ndon"\r\n'
         b'2,"bob ""b"" <bob@x.org>",Paris\n'
         b'3,"c,d",""\n'
         b'\n'
         b'4,,Rome\n')


class Csv(Tool):
    def keys(self, *options, data=TABLE, notes=b""):
        """The keys that a verb sees in the data, in order."""
        self.run_tool("build", "--csv", *options, "-o", "f", "--fpr", "1e-9", stdin=data, notes=notes)
        told = self.run_tool("query", "--csv", *options, "--json", "f", stdin=data, notes=notes)
        return [key["key"] for key in json.loads(told)["keys"]]

    def test_quotes(self):
        self.assertEqual(self.keys("--header", "--skip-empty"), ["1", "2", "3", "4"])
        self.assertEqual(self.keys("--header", "--field", "3",
                                   notes=b"bloomery: skipped 1 line without field 3\n"),
                         ["Lon\ndon", "Paris", "", "Rome"])
        name = 'e-mail, of the "user"'
        told = f"bloomery: skipped 1 line without field {name}\n".encode()
        self.assertEqual(self.keys("--header", "--field", name, notes=told),
                         ["ada@x.org", 'bob "b" <bob@x.org>', "c,d", ""])
        self.assertEqual(self.keys("--header", "--field", name, "--skip-empty", notes=told),
                         ["ada@x.org", 'bob "b" <bob@x.org>', "c,d"])
        self.assertEqual(self.keys(data=b"\xef\xbb\xbfa,b\n"), ["a"])  # a mark of byte order is no key
        self.assertEqual(self.keys("-t", ";", data=b'a;b\n"c;""d""";e'), ["a", 'c;"d"'])
        self.assertEqual(self.keys(data=b'""'), [""])

    def test_a_record_may_cross_any_block(self):
        # Blocks are read by the mebibyte; quoted line ends are everywhere.
        row = b'"%d\n,""x""",%d\r\n'
        data = b"".join(row % (i, i) for i in range(150_000))
        self.run_tool("build", "--csv", "--keys", "150k", "-j", "3", "--fpr", "1e-9", "-o", "f",
                      stdin=data)
        asked = "".join(f'{i}\n,"x"\0' for i in range(150_000)).encode()
        self.assertEqual(self.run_tool("query", "-z", "-c", "f", stdin=asked), b"150000\n")
        self.assertEqual(self.info("f")["items"], 150_000)

    def test_lines_are_copied_as_they_came(self):
        told = self.run_tool("uniq", "--csv", "--header", "--field", "town", stdin=TABLE + TABLE[TABLE.index(b"1,ada"):],
                             notes=b"bloomery: skipped 2 lines without field town\n")
        self.assertEqual(told, TABLE.replace(b"\n\n", b"\n"))
        self.write("a", b"n,v\r\nx,1\r\n")
        self.write("b", b"v,n\r\n2,x\r\n1,y\r\n")  # each file has its own header, the first is copied
        self.assertEqual(self.run_tool("uniq", "--csv", "--header", "--field", "n", "a", "b"),
                         b"n,v\r\nx,1\r\n1,y\r\n")

    def test_bad_quotes_are_refused_with_their_line(self):
        build = ["build", "--csv", "-o", "f", self.write("t.csv", b"a\nb\n\"c\nd\n")]
        self.refused(*build, says="t.csv: line 3: a quote is not closed")
        self.write("t.csv", b'a\n"b\nc"\n5" and 6" pipes\n')
        self.refused(*build, says="t.csv: line 4: a quote stands inside a field that is not quoted")
        self.write("t.csv", b'a\n"b" c,d\n')
        self.refused(*build, says="t.csv: line 2: text follows the closing quote")
        self.refused("build", "--csv", "-z", "-o", "f", says="--csv")
        self.refused("build", "--csv", "-t", '"', "-o", "f", says="no quote")
        self.assertFalse((self.folder / "f").exists())

    def test_columns_have_names_only_with_a_header(self):
        self.refused("build", "--csv", "--field", "town", "-o", "f", stdin=TABLE, says="--header")
        self.refused("build", "--field", "0", "-o", "f", stdin=b"x\n", says="--field is '0'")
        self.refused("build", "--csv", "--header", "--field", "city", "-o", "f", stdin=b"a,b\nc,d\n",
                     says="no column 'city'; its columns: 'a', 'b'")
        self.run_tool("build", "--header", "--field", "b", "-o", "f", stdin=b"a\tb\n1\t2\n")
        self.assertEqual(self.run_tool("query", "f", "1", "2", "b"), b"2\n")

    def test_pairs_and_sources(self):
        data = b'key,value\n"a,b",1\n"c""d",2\n'
        self.run_tool("map", "build", "--csv", "--header", "-o", "m", stdin=data)
        told = json.loads(self.run_tool("map", "get", "--json", "m", "a,b", 'c"d'))["values"]
        self.assertEqual(told, [{"key": "a,b", "value": 1}, {"key": 'c"d', "value": 2}])
        self.assertEqual(self.run_tool("map", "get", "--csv", "m", "a,b", 'c"d'),
                         b'"a,b",1\n"c""d",2\n')
        self.refused("map", "build", "--csv", "-o", "m", self.write("p", b'a,1\n"x\ny",2,3\n'),
                     says="p: line 2 has 3 columns")
        self.refused("map", "build", "-o", "m", self.write("p", b"a\t1\nb\n"),
                     says="p: line 2 has no value")
        self.run_tool("build", "--kind", "hierarchical", "--sources", "--csv", "-o", "h",
                      stdin=b'"s,1","a long text, with a comma in it, to be found"\n')
        self.assertIn(b"s,1", self.run_tool("search", "h", "text, with a comma in it, to be found"))


class Lines(Tool):
    def test_crlf_and_empty_lines(self):
        data = b"a\r\n\r\nb\r\n\n"
        self.run_tool("build", "--crlf", "--skip-empty", "--fpr", "1e-9", "-o", "f", stdin=data)
        self.assertEqual(self.info("f")["items"], 2)
        self.assertEqual(self.run_tool("query", "f", "a", "a\r", "b", ""), b"a\nb\n")
        self.assertEqual(self.run_tool("query", "--crlf", "f", stdin=data), b"a\r\nb\r\n")
        self.run_tool("build", "--crlf", "-o", "f", stdin=data)
        self.assertEqual(self.info("f")["items"], 4)
        self.run_tool("map", "build", "--crlf", "-o", "m", stdin=b"a\tx\r\nb\ty\r\n")
        self.assertEqual(self.run_tool("map", "get", "m", "b"), b"b\ty\n")

    def test_long_lines(self):
        long = b"x" * (100 << 20)
        self.run_tool("build", "--fpr", "1e-9", "-o", "f", stdin=b"a\n" + long + b"\nb")
        self.assertEqual(self.run_tool("query", "-c", "f", stdin=b"a\n" + long + b"\nb"), b"3\n")
        self.run_tool("query", "-c", "f", stdin=long + b"x", status=1)
        with open(self.folder / "endless", "wb") as file:
            file.truncate(300 << 20)
        self.refused("build", "-o", "g", "endless", says="a line is longer than 256 MiB")

    def test_the_same_bytes_make_the_same_filter_however_they_come(self):
        data = lines(0, 3000) + lines(1000, 2000)
        self.write("keys", data)
        for kind in [[], ["--kind", "counting"], ["--kind", "count-min", "--set", "top=5"],
                     ["--kind", "fuse"], ["--kind", "dleft"]]:
            with self.subTest(kind):
                build = [TOOL, "build", *kind, "-o"]
                subprocess.run([*build, "1", "keys"], cwd=self.folder, check=True)
                subprocess.run([*build, "2", "-"], input=data, cwd=self.folder, check=True)
                subprocess.run([*build, "3"], input=data, cwd=self.folder, check=True)
                with open(self.folder / "keys", "rb") as file:
                    subprocess.run([*build, "4"], stdin=file, cwd=self.folder, check=True)
                with open(self.folder / "keys", "rb") as file:
                    subprocess.run([*build, "5", "-"], stdin=file, cwd=self.folder, check=True)
                self.write("part", b"skipped\n" + data)
                with open(self.folder / "part", "rb") as file:
                    file.seek(len(b"skipped\n"))
                    subprocess.run([*build, "6"], stdin=file, cwd=self.folder, check=True)
                self.assertEqual(self.info("1")["promised"]["keys"], 3000)
                self.assertEqual(self.info("1")["items"], 4000)
                for other in "23456":
                    self.assertEqual(self.bytes_of("1"), self.bytes_of(other), other)

    def test_counting_takes_memory_by_distinct_keys(self):
        # Held whole, digests would take 24 bytes a line. What repeats often is left out at once, what
        # repeats far apart once there is much of it; the filter is that of all lines.
        for distinct in [3, 50_000]:
            with self.subTest(distinct):
                data = lines(0, distinct) * (8_000_000 // distinct)
                self.write("keys", data)
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                self.run_tool("build", "-j", "2", "-o", "f", "keys")
                after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                self.assertEqual(self.info("f")["promised"]["keys"], distinct)
                self.assertEqual(self.info("f")["items"], data.count(b"\n"))
                self.run_tool("build", "--keys", distinct, "-o", "g", "keys")
                self.assertEqual(self.bytes_of("f"), self.bytes_of("g"))
                self.assertTrue(after == before or after << 10 < 24 * data.count(b"\n"), after)


class Watched(Tool):
    """Standard error is a terminal."""

    def watched(self, *arguments, stdin=b""):
        terminal, end = pty.openpty()
        with subprocess.Popen([TOOL, *map(str, arguments)], stdin=subprocess.PIPE, stderr=end,
                              stdout=subprocess.PIPE, cwd=self.folder) as running:
            os.close(end)
            running.stdin.write(stdin)
            running.stdin.close()
            told = b""
            try:
                while piece := os.read(terminal, 1 << 16):
                    told += piece
            except OSError:  # Linux: the other end is closed
                pass
            os.close(terminal)
            self.assertEqual(running.wait(PATIENCE), 0)
        return told.decode()

    def test_phases_and_what_was_made(self):
        told = self.watched("build", "-o", "f", stdin=lines(0, 1000))
        phases = [part.split(" …")[0] for part in told.split("\r\x1b[K") if part.endswith(" …")]
        self.assertEqual(phases, ["counting the distinct keys", "building a standard filter",
                                  "writing f"])
        last = told.split("\x1b[K")[-1]
        self.assertRegex(last, r"^wrote f: a standard filter, 1,000 keys, 1\.\d+ KiB, rate 1 %, "
                               r"in \d+\.\d s\r\n$")
        self.assertRegex(self.watched("add", "f", "another"), r"wrote f: .*1,001 keys")

    def test_nothing_is_shown_to_nobody(self):
        self.run_tool("build", "-o", "f", stdin=lines(0, 1000))


if __name__ == "__main__":
    unittest.main()
