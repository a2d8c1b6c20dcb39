"""A Bloomjoin between two PostgreSQL servers: the filter travels to the rows. Broder and Mitzenmacher's
example, 900 dear cities on one server and 200,000 employees on the other; Mackert and Lohman 1986."""
import json
import re
import signal
import subprocess
import threading
import unittest

import postgres_servers
from postgres_servers import Postgres
from tool import SOURCE, fewest_of, most_of

CITIES, DEAR, EMPLOYEES = 100_000, 900, 200_000
PER_CITY = EMPLOYEES // CITIES
PLAIN = "select id, city from city join employee using (city) where cost > 990 order by id"
JOIN = """with dear as materialized (select bloomery_agg(city, 900, 0.002) f from city where cost > 990)
select id, city from city join employee using (city)
where cost > 990 and bloomery_has((select f from dear), employee.city) order by id"""


def setUpModule():
    global near, far, proxy
    near, far = postgres_servers.begun("near", "far")
    if postgres_servers.WHY_NOT:
        return
    far.sql(f"""create table employee as select i id, 'city ' || i % {CITIES} city
                from generate_series(1, {EMPLOYEES}) i; analyze employee""")
    proxy = postgres_servers.Proxy(far.port)
    unittest.addModuleCleanup(proxy.close)
    near.sql(f"""create table city as select 'city ' || i city, i % 1000 cost from generate_series(0, {CITIES} - 1) i;
                 create extension postgres_fdw;
                 create server far foreign data wrapper postgres_fdw
                   options (host '127.0.0.1', port '{proxy.port}', dbname 'postgres', extensions 'bloomery');
                 create user mapping for postgres server far options (user 'postgres');
                 create foreign table employee (id int, city text) server far; analyze city""")


class Bloomjoin(Postgres):
    def bytes_and_rows(self, query):
        before = proxy.count
        rows = near.sql(query)
        return proxy.count - before, rows

    def scan(self, query):
        """The part of a plan that reads the other server, as it was run."""
        plan = json.loads(near.sql(f"explain (analyze, verbose, timing off, format json) {query}"))[0]["Plan"]
        waiting = [plan]
        while waiting:
            node = waiting.pop()
            if node["Node Type"] == "Foreign Scan":
                return node
            waiting += node.get("Plans", [])
        raise AssertionError(plan)

    def test_the_same_rows_for_a_fiftieth_of_the_bytes(self):
        plain_bytes, plain_rows = self.bytes_and_rows(PLAIN)
        join_bytes, join_rows = self.bytes_and_rows(JOIN)
        self.assertEqual(join_rows, plain_rows)
        self.assertEqual(join_rows.count("\n") + 1, DEAR * PER_CITY)
        self.assertGreater(plain_bytes, EMPLOYEES * 10)
        self.assertLessEqual(join_bytes, 0.02 * plain_bytes, (join_bytes, plain_bytes))

    def test_the_filter_is_asked_where_the_rows_are(self):
        self.assertEqual(self.scan(PLAIN)["Actual Rows"], EMPLOYEES)
        scan = self.scan(JOIN)
        self.assertRegex(scan["Remote SQL"], r"WHERE \(\(?public\.bloomery_has\(\$1::public\.bloomery, city\)")
        rate = float(near.sql("select bloomery_rate(bloomery_agg(city, 900, 0.002)) from city where cost > 990"))
        strangers = CITIES - DEAR
        claimed = scan["Actual Rows"] - DEAR * PER_CITY
        self.assertEqual(claimed % PER_CITY, 0)
        self.assertGreaterEqual(claimed // PER_CITY, fewest_of(strangers, rate))
        self.assertLessEqual(claimed // PER_CITY, most_of(strangers, rate))

    def test_without_being_named_it_is_not_sent(self):
        near.sql("alter server far options (drop extensions)")
        try:
            scan = self.scan(JOIN)
            self.assertNotIn("bloomery_has", scan["Remote SQL"])
            self.assertEqual(scan["Actual Rows"] + scan["Rows Removed by Filter"], EMPLOYEES)
        finally:
            near.sql("alter server far options (add extensions 'bloomery')")

    def test_no_keys_no_rows(self):
        none = JOIN.replace("> 990", "> 5000")
        self.assertEqual(near.sql(none), "")

    def test_a_server_that_dies_in_the_middle_is_an_error_and_no_more(self):
        proxy.holding.clear()
        proxy.most = proxy.count + 100_000  # the rows stop coming on the way
        session = subprocess.Popen(near.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        told = []
        asking = threading.Thread(target=lambda: told.extend(session.communicate(PLAIN)))
        asking.start()
        self.assertTrue(proxy.holding.wait(postgres_servers.PATIENCE))
        far.stop(signal.SIGQUIT)  # at once
        asking.join(postgres_servers.PATIENCE)
        proxy.most = None
        self.assertEqual(told[0], "")
        self.assertRegex(told[1], "ERROR:  .*(closed the connection|terminating connection|connection)")
        self.assert_alive(near)
        far.start()
        proxy.to = far.port
        self.assertEqual(near.sql(JOIN).count("\n") + 1, DEAR * PER_CITY)

    def test_the_page_tells_what_happens(self):
        page = (SOURCE / "docs" / "postgres.md").read_text()
        for server in (near, far):
            server.sql("create database page")
            server.sql("create extension bloomery", "page")
        printed = ""
        for place, statements in re.findall(r"```sql\n-- on (\w+)\n(.*?)```", page, re.S):
            # In databases of the page's own, and the other server is not where it says.
            for said, meant in (("dbname 'postgres'", "dbname 'page'"), ("far.example.org", "127.0.0.1"),
                                ("port '5432'", f"port '{proxy.port}'")):
                statements = statements.replace(said, meant)
            printed += {"near": near, "far": far}[place].sql(statements, "page") + "\n"
        plan, = re.findall(r"```plan\n(.*?)```", page, re.S)
        for line in plan.splitlines():
            self.assertIn(line + "\n", printed)
        self.assertTrue(printed.startswith("t\n"), printed)


if __name__ == "__main__":
    unittest.main()
