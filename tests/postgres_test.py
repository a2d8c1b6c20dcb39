"""The PostgreSQL extension from outside: its answers against exact ones, its bytes against the tool's, and
what is kept of it. On a server of the test's own."""
import json
import random
import subprocess
import unittest
import uuid

import postgres_servers
from postgres_servers import Postgres, literal
from tool import GOLDEN


def setUpModule():
    global server
    server, = postgres_servers.begun("server")


class Agreement(Postgres):
    def test_builds_the_files_of_the_tool(self):
        ids = [str(uuid.UUID(int=random.Random(i).getrandbits(128))) for i in range(1000)]
        sources = {
            "text": ("'straße ' || i", [f"straße {i}" for i in range(1000)]),
            "bigint": ("i - 500", range(-500, 500)),
            "smallint": ("i::smallint", range(1000)),
            "bytea": ("convert_to('k' || i, 'UTF8')", [f"k{i}" for i in range(1000)]),
            "uuid": ("(select id from ids where ids.i = keys.i)", ids),
        }
        server.sql("create table ids (i int, id uuid);" +
                   "".join(f"insert into ids values ({i}, '{x.upper()}');" for i, x in enumerate(ids)))
        for name, (value, lines) in sources.items():
            for kind in ("", "standard", "blocked", "counting", "count-min"):
                with self.subTest(type=name, kind=kind):
                    options = ["--keys", "2k", "--fpr", "0.5%"] + (["--kind", kind] if kind else [])
                    told = f", '{kind}'" if kind else ""
                    self.assertEqual(
                        server.bytes(f"select bloomery_agg({value}, 2000, 0.005{told}) "
                                     "from generate_series(0, 999) keys(i)"),
                        self.built_by_tool(lines, *options))

    def test_every_kind_that_takes_and_merges_keys_is_built_and_no_other(self):
        abilities = dict(line.split(": ") for line in (GOLDEN / "abilities.txt").read_text().splitlines())
        able = [name for name, can in abilities.items() if {"query", "insert", "merge"} <= set(can.split())]
        asked = [name for name, can in abilities.items() if "guard" not in can.split()]
        self.assertIn("weighted", able)
        for name in abilities:
            with self.subTest(kind=name):
                made = f"select bloomery_agg(i, 1000, 0.01, '{name}') f from generate_series(1, 1000) i"
                if name in able:
                    self.assertEqual(server.sql(f"with made as materialized ({made}) select count(*) "
                                                "from made, generate_series(1, 1000) i "
                                                "where bloomery_has(f, i)"), "1000")
                else:
                    self.refused_by(server, made, "cannot" if name in asked else "is not a kind")

    def test_the_tool_asks_filters_of_the_server_and_the_server_those_of_the_tool(self):
        self.write("sql.bloom", server.bytes("select bloomery_agg('word ' || i, 1000, 0.01) "
                                             "from generate_series(1, 1000) i"))
        keys = "".join(f"word {i}\n" for i in range(1, 20001)).encode()
        passed = self.run_tool("query", "sql.bloom", stdin=keys)
        for seed in ("0", "7"):
            stored = self.built_by_tool([f"word {i}" for i in range(1, 1001)], "--keys", "1k", "--seed", seed)
            asked = server.sql(f"select 'word ' || i from generate_series(1, 20000) i "
                               f"where bloomery_has({literal(stored)}, 'word ' || i)")
            self.assertEqual(asked.encode() + b"\n", self.run_tool("query", "tool.bloom", stdin=keys), seed)
        self.assertEqual(passed.count(b"\n") > 1000, True)

    def test_a_compressed_filter_is_kept_plain(self):
        plain = self.built_by_tool(range(100), "--keys", "10k")
        self.run_tool("compress", "tool.bloom", "-o", "small.bloom")
        small = self.bytes_of("small.bloom")
        self.assertLess(len(small), len(plain))
        self.assertEqual(server.bytes(literal(small)), plain)

    def test_keys_are_the_same_in_any_encoding(self):
        server.sql("create database latin encoding 'LATIN1' template template0")
        server.sql("create extension bloomery", "latin")
        made = "select bloomery_agg(x, 100, 0.01) from (values ('straße'), ('é')) v(x)"
        self.assertEqual(server.bytes(made, "latin"), server.bytes(made))
        self.assertEqual(server.bytes(made), self.built_by_tool(["straße", "é"], "--keys", "100"))

    def test_reports_are_those_of_the_tool(self):
        stored = self.built_by_tool(range(900), "--keys", "1k", "--fpr", "0.1%", "--kind", "blocked")
        told = self.info("tool.bloom")
        filter_value = literal(stored)
        info = json.loads(server.sql(f"select bloomery_info({filter_value})"))
        for name in ("kind", "shape", "bytes", "items", "promised", "fill"):
            self.assertEqual(info[name], told[name], name)
        self.assertEqual(info["rate"], told["current_rate"])
        self.assertEqual(float(server.sql(f"select bloomery_rate({filter_value})")), told["current_rate"])
        row = server.sql(f"select value, low, high from bloomery_estimate({filter_value})").split("|")
        self.assertEqual([float(x) for x in row], [told["estimated_keys"][n] for n in ("value", "low", "high")])


class Meaning(Postgres):
    def test_nulls_are_skipped_and_no_rows_make_no_filter(self):
        self.assertEqual(server.sql("select bloomery_agg(null::text, 10, 0.1) is null "
                                    "from generate_series(1, 0)"), "t")
        with_nulls = "select bloomery_agg(nullif(i, 3), 10, 0.1) from generate_series(1, 5) i"
        without = "select bloomery_agg(i, 10, 0.1) from generate_series(1, 5) i where i <> 3"
        self.assertEqual(server.bytes(with_nulls), server.bytes(without))
        self.assertEqual(server.sql("select bloomery_info(bloomery_agg(null::text, 10, 0.1))->>'items' "
                                    "from generate_series(1, 5)"), "0")
        self.assertEqual(server.sql("select bloomery_has(null, 'x') is null"), "t")

    def test_what_is_equal_but_looks_different_is_refused(self):
        for value in ("1.0", "1.5::float8", "now()"):
            self.refused_by(server, f"select bloomery_agg({value}, 10, 0.1)", "does not exist", "42883")
        server.sql("create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        for statement in ("select bloomery_agg('a' collate loose, 10, 0.1)",
                          "select bloomery_has((select bloomery_agg('a', 10, 0.1)), 'A' collate loose)"):
            self.refused_by(server, statement, "loose", "0A000")

    def test_padding_is_no_part_of_a_key(self):
        self.assertEqual(server.bytes("select bloomery_agg('x'::char(9), 10, 0.1)"),
                         server.bytes("select bloomery_agg('x', 10, 0.1)"))

    def test_sizes_are_checked(self):
        for arguments, says in (("0, 0.1", "keys is 0"), ("-5, 0.1", "keys is -5"), ("10, 0", "rate"),
                                ("10, 1.5", "rate"), ("10, 'nan'", "rate"), ("10, 0.1, 'blockd'", "blocked"),
                                ("10, 0.1, ''", "is not a kind"), ("null, 0.1", "null"), ("10, null", "null"),
                                ("10, 0.1, null::text", "null"), ("10 + i, 0.1", "the same for all rows"),
                                ("10, 0.1 / i", "the same for all rows"),
                                ("10, 0.1, case i when 1 then 'standard' else 'blocked' end", "the same for all")):
            with self.subTest(arguments=arguments):
                self.refused_by(server, f"select bloomery_agg(i, {arguments}) from generate_series(1, 3) i", says)

    def test_groups_have_sizes_of_their_own(self):
        def made(group):
            return f"bloomery_agg(i, 500 * {group}, 0.1 / {group}, 'blocked') from generate_series(1, 300) i"
        together = server.sql(f"select encode(f::bytea, 'hex') from (select g, {made('g')}, generate_series(1, 3) g "
                              "group by g) made(g, f) order by g").split("\n")
        self.assertEqual([bytes.fromhex(row) for row in together],
                         [server.bytes(f"select {made(group)}") for group in ("1", "2", "3")])

    def test_a_filter_that_took_too_many_keys_is_refused(self):
        self.refused_by(server, "select bloomery_agg(i, 10, 0.01) from generate_series(1, 1000) i", "fill", "54000")

    def test_merging(self):
        def part(low, high, more="1000, 0.01"):
            return f"(select bloomery_agg(i, {more}) from generate_series({low}, {high}) i)"
        whole = server.bytes(part(1, 1000))
        self.assertEqual(server.bytes(f"select bloomery_merge({part(1, 400)}, {part(401, 1000)})"), whole)
        self.assertEqual(server.bytes(
            "select bloomery_union(f) from (values (null::bloomery), " +
            ", ".join(f"({part(i, i + 99)})" for i in range(1, 1001, 100)) + ") v(f)"), whole)
        self.assertEqual(server.sql("select bloomery_union(f) is null from (values (null::bloomery)) v(f)"), "t")
        for other, says in ((part(1, 10, "2000, 0.01"), "bits differs"),
                            (part(1, 10, "1000, 0.01, 'blocked'"), "blocked")):
            for form in ("bloomery_merge(a, b)", "(select bloomery_union(f) from (values (a), (b)) v(f))"):
                self.refused_by(server, f"select {form} from (select {part(1, 10)} a, {other} b) two", says)

    def test_workers_build_the_same_bytes(self):
        server.sql("""create table many as select i from generate_series(1, 200000) i;
                      create table parts as select bloomery_agg(i, 9000, 0.01) f from many where i <= 9000 group by i % 900;
                      alter table many set (parallel_workers = 2); alter table parts set (parallel_workers = 2);
                      analyze""")
        eager = ("set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0;"
                 "set parallel_leader_participation = off;")
        for built in ("bloomery_agg(i, 200000, 0.01) from many", "bloomery_agg(i, 200000, 0.01, 'blocked') from many",
                      "bloomery_union(f) from parts"):
            plan = server.sql(f"{eager} explain (analyze, costs off) select {built}")
            self.assertIn("Partial Aggregate", plan)
            self.assertRegex(plan, "Workers Launched: [1-9]")
            alone = server.bytes(f"select {built}")
            together = server.sql(f"{eager} select encode((select {built})::bytea, 'hex')")
            self.assertEqual(bytes.fromhex(together), alone, built)
        self.assertEqual(alone, server.bytes("select bloomery_agg(i, 9000, 0.01) from generate_series(1, 9000) i"))


class Stored(Postgres):
    def test_each_row_is_asked_of_its_own_filter(self):
        # Of one size, in line and out of line, in an order in which the filter changes at every row.
        for keys, rows in ((10, 60), (20000, 20)):
            server.sql(f"drop table if exists own; create table own as select g, bloomery_agg(g * 1000 + k, {keys}, "
                       f"1e-9) f from generate_series(1, {rows}) g, generate_series(1, 3) k group by g")
            asked = ("select count(*) from (select g, f, x from own, generate_series(1, {rows}) x order by {order} "
                     "offset 0) all_of where bloomery_has(f, x * 1000 + 2) {which}")
            for order in ("x, g", "g, x"):
                for which, expected in (("and x = g", rows), ("and x <> g", 0)):
                    self.assertEqual(server.sql(asked.format(rows=rows, order=order, which=which)), str(expected))

    def test_a_filter_out_of_line_is_fetched_once(self):
        server.sql("create table large as select bloomery_agg(i, 200000, 0.01) f from generate_series(1, 1000) i;"
                   "create table asked as select i from generate_series(1, 2000) i; analyze")
        pages = int(server.sql("select pg_relation_size(reltoastrelid) / 8192 from pg_class where relname = 'large'"))
        self.assertGreater(pages, 20)
        plan = json.loads(server.sql("explain (analyze, buffers, timing off, format json) select count(*) from asked, "
                                     "large where bloomery_has(f, i)"))[0]["Plan"]
        touched = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
        self.assertLess(touched, 10 * pages)  # a fetch a row would touch 2,000 times as many

    def test_dump_and_restore(self):
        server.sql("create table kept as select i part, bloomery_agg(i * k, 100, 0.01) f "
                   "from generate_series(1, 5) i, generate_series(1, 50) k group by i; create database restored")
        dumped = subprocess.run(server.program("pg_dump", "-t", "kept", "-e", "bloomery", "postgres"),
                                capture_output=True, text=True, check=True).stdout
        server.sql(dumped, "restored")
        rows = "select part, f::bytea from kept order by 1"
        self.assertEqual(server.sql(rows, "restored"), server.sql(rows))

    def test_binary_copies_are_checked(self):
        copied = subprocess.run(server.psql("postgres", "-c", "copy (select bloomery_agg(i, 100, 0.01) from "
                                "generate_series(1, 99) i) to stdout (format binary)"), capture_output=True,
                                check=True).stdout
        server.sql("create table received (f bloomery)")

        def receive(stored):
            return subprocess.run(server.psql("postgres", "-c", "copy received from stdin (format binary)"),
                                  input=stored, capture_output=True).returncode
        self.assertEqual(receive(copied), 0)
        self.assertNotEqual(receive(copied.replace(b"BLMY", b"BLMX")), 0)
        self.assertEqual(server.bytes("select f from received"),
                         server.bytes("select bloomery_agg(i, 100, 0.01) from generate_series(1, 99) i"))

    def test_the_extension_goes_and_comes_again(self):
        server.sql("create database briefly")
        for _ in range(2):
            server.sql("create extension bloomery version '0.1'; drop extension bloomery", "briefly")


if __name__ == "__main__":
    unittest.main()
