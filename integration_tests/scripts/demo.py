"""Build four histories with dbt on a fresh DuckDB file and print what came out: `make demo`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

PROJECT = Path(__file__).resolve().parents[1]
DATABASE = PROJECT / "target" / "demo.duckdb"
CELL = 33

SNAPSHOT_DATES = ["2026-01-01", "2026-04-01"]
AIRPORT_RELEASES = ["2022-01-07", "2024-03-09", "2026-02-08"]
VESSEL_LOG_ENDS = ["2023-10-01", "2024-10-01", "2025-10-01"]

HISTORY_OF_CUSTOMERS = "select * from customer_scd2 order by customer_id, valid_from"
ORDERS = "select order_id, customer_id, ordered_on, amount, region from order_regions order by order_id"
AIRPORTS_WITH_A_PAST = """
select icao, iata, name, city, subdivision, elevation as feet, valid_from, valid_to
from airport_scd2
where country = '{country}'
qualify count(*) over (partition by icao) > 1 or not bool_or(is_current) over (partition by icao)
order by count(*) over (partition by icao), icao, valid_from
"""
VERSIONS = """
select
    count(distinct icao) as airports,
    count(*) as versions,
    count(*) filter (where is_current) as open,
    count(*) filter (where not is_current) as closed
from airport_scd2
"""
NAME_ON_A_DAY = """
select icao, name, city, valid_from, valid_to
from airport_scd2
where icao = 'VRMM' and date '2023-06-01' >= valid_from and date '2023-06-01' < valid_to
"""
HISTORIES_OF_VESSELS = """
select
    vessel_id as vessel,
    vessel_name as name,
    vessel_type as type,
    flag_state as flag,
    left(vessel_scd_id, 5) || '..' as scd_id,
    left(datahash, 5) || '..' as hash,
    valid_from,
    valid_to,
    validity_status as status
from vessel_scd2
where vessel_id in (select vessel_id from vessel_scd2 where vessel_name in ('Amber Tide', 'Granite Star', 'North Wind'))
order by vessel_id desc, valid_from
"""
VESSEL_DIFFERENCES = """
select
    (select count(*) from vessel_scd2) as versions_in_increments,
    (select count(*) from vessel_scd2_at_once) as versions_at_once,
    (select count(*) from (from vessel_scd2 except all from vessel_scd2_at_once))
    + (select count(*) from (from vessel_scd2_at_once except all from vessel_scd2)) as rows_that_differ
"""
TREE = """
select repeat('  ', level - 1) || territory_name as territory, level, is_leaf, path, level_2, level_3
from {model}
order by path
"""
MOVES = """
select territory_id, start.path as at_start, now.path as on_2026_04_01
from territory_hierarchy_at_start as start
full join territory_hierarchy as now using (territory_id)
where start.path is distinct from now.path
order by territory_id
"""


@dataclass
class Table:
    """A query's answer, as text."""

    header: list[str]
    rows: list[list[str]]
    numeric: list[bool]

    def show(self, most: int | None = None) -> None:
        """Print the rows in aligned columns; with `most`, only the first ones, to the end of a business key."""
        shown = self.rows if most is None else list(first_keys(self.rows, most))
        widths = [max(map(len, column)) for column in zip(self.header, *shown, strict=True)]
        for cells in [self.header, ["-" * width for width in widths], *shown]:
            columns = zip(cells, widths, self.numeric, strict=True)
            aligned = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns]
            print(("  " + "  ".join(aligned)).rstrip())
        if len(shown) < len(self.rows):
            print(f"  ... and {len(self.rows) - len(shown)} more versions like these")
        print()


def first_keys(rows: Sequence[list[str]], most: int) -> Iterator[list[str]]:
    """All rows of the first keys, until `most` rows are reached."""
    count = 0
    for _, versions in groupby(rows, key=lambda row: row[0]):
        if count >= most:
            return
        for row in versions:
            count += 1
            yield row


def text(value: Any) -> str:
    """One value as a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        value = f"{value:f}".removesuffix(".0")
    cell = str(value)
    return cell if len(cell) <= CELL else cell[: CELL - 2] + ".."


def query(sql: str) -> Table:
    """Ask the demo's database."""
    with duckdb.connect(str(DATABASE), read_only=True) as connection:
        answer = connection.execute(sql)
        header = [column[0] for column in answer.description]
        rows = answer.fetchall()
    numeric = [any(type(value) in (int, Decimal) for value in column) for column in zip(*rows, strict=True)]
    return Table(header, [[text(value) for value in row] for row in rows], numeric)


def dbt(*args: str) -> list[Any]:
    """Run dbt silently and return its results; on failure show its log and give up."""
    lines: list[str] = []

    def keep(event: Any) -> None:
        if event.info.level != "debug":
            lines.append(event.info.msg)

    folders = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    outcome = dbtRunner(callbacks=[keep]).invoke(["--log-level", "none", "--no-use-colors", *args, *folders])
    release_database()
    if not outcome.success:
        print("\n".join(lines))
        sys.exit(f"dbt {' '.join(args)} failed: {outcome.exception or 'see the log above'}")
    return list(getattr(outcome.result, "results", []))


def release_database() -> None:
    """dbt-duckdb keeps the file open for the life of the process; let go of it."""
    if DuckDBConnectionManager._ENV is not None:
        DuckDBConnectionManager._ENV.close()
    DuckDBConnectionManager.close_all_connections()


def build(select: str, variables: str, *reporting: str) -> None:
    """Build and test models as of one day, and print the command and the report lines of some."""
    print(f"$ dbt build --select {select} --vars '{variables}'", flush=True)
    results = dbt("build", "--select", select, "--vars", variables)
    reports = {result.node.name: result.message for result in results}
    tests = sum(str(result.node.resource_type) == "test" for result in results)
    for model in reporting:
        print(f"  {reports[model]}")
    print(f"  {tests} data tests passed\n")


def title(words: str) -> None:
    print(f"{words}\n{'-' * len(words)}\n")


def customers() -> None:
    title("1. Customers: C1 moves from West to Central on 2026-04-01")
    print("customer_scd2 tracks the region and carries the segment. Its history after each run:\n")
    for day in SNAPSHOT_DATES:
        build("+order_regions", f"{{snapshot_date: {day}}}", "customer_scd2")
        query(HISTORY_OF_CUSTOMERS).show()
    print("Each order belongs to the region of its day: the order of 2026-04-01 to Central, not to West.\n")
    query(ORDERS).show()


def airports() -> None:
    title("2. Airports: three releases of real master data")
    print("airport_scd2 tracks code, name, city, subdivision and elevation, carries the rest, and closes")
    print("airports that a release no longer has. The effective date is the day of the release.\n")
    for release in AIRPORT_RELEASES:
        build("+airport_scd2", f"{{airport_release: {release}}}", "airport_scd2")
        query(VERSIONS).show()
    print("The airports that changed, disappeared or came back.\n")
    print("Kosovo: LYPR took the place of BKPR in one release, and BKPR came back with the next.\n")
    query(AIRPORTS_WITH_A_PAST.format(country="XK")).show()
    print("The Maldives: names, atolls and elevations were corrected.\n")
    query(AIRPORTS_WITH_A_PAST.format(country="MV")).show()
    print("Iceland: three airports were dropped, names got their own letters.\n")
    query(AIRPORTS_WITH_A_PAST.format(country="IS")).show(most=12)
    print("What was VRMM called on 2023-06-01?\n")
    query(NAME_ON_A_DAY).show()


def vessels() -> None:
    title("3. Vessels: a change log of names, types and flags, read in three increments")
    print("vessel_log joins the register's messages to one row per vessel and change. vessel_scd2 reads it until a")
    print("day and merges what is new; what it shares with dimensions like it stands once, in dbt_project.yml.\n")
    for end in VESSEL_LOG_ENDS:
        build("+vessels", f"{{vessel_log_until: {end}}}", "vessel_scd2")
    print("Each change opens a version at its own instant: several of a vessel in one batch, two of them on one day.")
    print("The Granite Star ends: it was struck off. Full names are vessel_id, vessel_scd_id, validity_status, ...\n")
    query(HISTORIES_OF_VESSELS).show()
    print("vessel_scd2_at_once reads the whole log in one batch, from an empty history. The rows are the same:\n")
    query(VESSEL_DIFFERENCES).show()


def territories() -> None:
    title("4. Territories: a tree that was divided anew on 2026-04-01")
    print("territory_scd2 is the history of the territories and of what each belongs to. From it dimension_hierarchy")
    print("makes the tree of any date: territory_hierarchy as of the snapshot, territory_hierarchy_at_start as of")
    print("2026-01-01.\n")
    for day in SNAPSHOT_DATES:
        build("+territories", f"{{snapshot_date: {day}}}", "territory_scd2", "territory_hierarchy")
    print("The tree as of 2026-01-01 (territory_hierarchy_at_start):\n")
    query(TREE.format(model="territory_hierarchy_at_start")).show()
    print("The tree as of 2026-04-01 (territory_hierarchy):\n")
    query(TREE.format(model="territory_hierarchy")).show()
    print("Who came, went or moved:\n")
    query(MOVES).show()


def next_steps() -> None:
    file = os.path.relpath(DATABASE, PROJECT.parent)
    title("What to try next")
    print(f"The tables are in {file}, a DuckDB file. Ask it something:\n")
    print("""  make query SQL="select * from airport_scd2 where city = 'Gan'"\n""")
    print("Change a region in integration_tests/seeds/customers/customers_20260401.csv and run `make demo`")
    print("again. Read the models: customers/customer_scd2.sql, airports/airport_scd2.sql, vessels/ and")
    print("territories/ in integration_tests/models. README.md says how to install the package.")


def main() -> None:
    DATABASE.parent.mkdir(exist_ok=True)
    for file in (DATABASE, DATABASE.with_name(DATABASE.name + ".wal")):
        file.unlink(missing_ok=True)
    os.environ["SCD2_DUCKDB"] = str(DATABASE)
    dbt("deps")
    print()
    customers()
    airports()
    vessels()
    territories()
    next_steps()


if __name__ == "__main__":
    main()
