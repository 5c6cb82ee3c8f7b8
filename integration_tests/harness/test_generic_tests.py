"""The generic tests on histories with known faults: which of them fail, and which rows they return.

A fault is told once, in symbolic moments, and then written down in tables of many shapes: other names, other types,
other keys. What a test must return for it is part of the fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import yaml
from engines import in_another_case, local
from project import PACKAGE, Project, Run

VALID = "valid_intervals"
OVERLAP = "non_overlapping_intervals"
SINGLE = "single_current_row"
FLAG = "current_flag_matches_max_date"
CONTIGUOUS = "contiguous_intervals"
DISTINCT = "distinct_neighbours"
TESTS = (VALID, OVERLAP, SINGLE, FLAG, CONTIGUOUS, DISTINCT)
EXACTLY_ONE = "exactly_one_current_row"

# A zoned midnight is of the day before in this session.
FAR_FROM_UTC = "America/Los_Angeles"

Row = tuple[Any, ...]


class At(Enum):
    """A moment of a story, whatever date or timestamp a shape makes of it."""

    T0 = 0
    T1 = 1
    T2 = 2
    T3 = 3
    MAX = 4
    OTHER_MAX = 5


T0, T1, T2, T3, MAX, OTHER_MAX = At


@dataclass(frozen=True)
class Version:
    """One version of a key; `region` and `tier` are tracked."""

    region: str | None
    valid_from: At | None
    valid_to: At | None
    is_current: bool | int | None
    tier: int = 1


@dataclass(frozen=True)
class Fault:
    """The versions of a key that is at fault, and by test the rows that it returns, without the key.

    After valid_from and valid_to come: the version before (OVERLAP, CONTIGUOUS, DISTINCT), then the latest end of all
    before (OVERLAP); the flag (FLAG, SINGLE), then the number of open versions (SINGLE).
    """

    versions: Sequence[Version]
    fails: Mapping[str, list[Row]]
    needs_integer_flag: bool = False


GOOD: dict[str, list[Version]] = {
    "changed": [Version("W", T0, T1, False), Version("C", T1, T2, False), Version("W", T2, MAX, True)],
    "never_changed": [Version("W", T0, MAX, True)],
    "closed_by_absence": [Version("W", T0, T2, False)],
    "from_null": [Version(None, T0, T1, False), Version("W", T1, MAX, True)],
    "to_null": [Version("W", T0, T1, False), Version(None, T1, MAX, True)],
    "one_of_two_tracked": [Version("W", T0, T1, False, tier=1), Version("W", T1, MAX, True, tier=2)],
}

FAULTS: dict[str, Fault] = {
    "gap": Fault(
        [Version("W", T0, T1, False), Version("C", T2, MAX, True)],
        {CONTIGUOUS: [(T2, MAX, T0, T1)]},
    ),
    "gap_between_equals": Fault(
        [Version("W", T0, T1, False), Version("W", T2, MAX, True)],
        {CONTIGUOUS: [(T2, MAX, T0, T1)]},
    ),
    "overlap": Fault(
        [Version("W", T0, T2, False), Version("C", T1, MAX, True)],
        {OVERLAP: [(T1, MAX, T0, T2, T2)], CONTIGUOUS: [(T1, MAX, T0, T2)]},
    ),
    "overlap_with_one_before_the_last": Fault(
        [Version("W", T0, MAX, True), Version("C", T1, T2, False), Version("W", T2, T3, False)],
        {
            OVERLAP: [(T1, T2, T0, MAX, MAX), (T2, T3, T1, T2, MAX)],
            CONTIGUOUS: [(T1, T2, T0, MAX)],
        },
    ),
    "same_start": Fault(
        [Version("W", T0, T1, False), Version("C", T0, MAX, True)],
        {OVERLAP: [(T0, MAX, T0, T1, T1)], CONTIGUOUS: [(T0, MAX, T0, T1)]},
    ),
    "zero_width": Fault(
        [Version("W", T0, T1, False), Version("C", T1, T1, False)],
        {VALID: [(T1, T1)]},
    ),
    "zero_width_at_the_start_of_another": Fault(
        [Version("W", T0, T0, False), Version("C", T0, MAX, True)],
        {VALID: [(T0, T0)], OVERLAP: [(T0, MAX, T0, T0, T0)]},
    ),
    "inverted": Fault(
        [Version("W", T0, T2, False), Version("C", T2, T1, False)],
        {VALID: [(T2, T1)]},
    ),
    "valid_from_null": Fault(
        [Version("W", None, T1, False), Version("C", T1, MAX, True)],
        {VALID: [(None, T1)]},
    ),
    "valid_from_null_twice": Fault(
        [Version("W", None, T1, False), Version("C", None, MAX, True)],
        {
            VALID: [(None, T1), (None, MAX)],
            OVERLAP: [(None, MAX, None, T1, T1)],
            CONTIGUOUS: [(None, MAX, None, T1)],
        },
    ),
    "valid_from_null_hides_no_overlap": Fault(
        [Version("W", T0, T1, False), Version("C", None, T2, False)],
        {
            VALID: [(None, T2)],
            OVERLAP: [(T0, T1, None, T2, T2)],
            CONTIGUOUS: [(T0, T1, None, T2)],
        },
    ),
    "valid_to_null_at_the_end": Fault(
        [Version("W", T0, T1, False), Version("C", T1, None, False)],
        {VALID: [(T1, None)], FLAG: [(T1, None, False)]},
    ),
    "valid_to_null_before_the_end": Fault(
        [Version("W", T0, None, False), Version("C", T1, T2, False), Version("W", T2, MAX, True)],
        {
            VALID: [(T0, None)],
            FLAG: [(T0, None, False)],
            OVERLAP: [(T1, T2, T0, None, None), (T2, MAX, T1, T2, None)],
            CONTIGUOUS: [(T1, T2, T0, None)],
        },
    ),
    "valid_to_null_on_open_versions": Fault(
        [Version("W", T0, None, True), Version("C", T1, None, True)],
        {
            VALID: [(T0, None), (T1, None)],
            FLAG: [(T0, None, True), (T1, None, True)],
            SINGLE: [(T0, None, True, 2), (T1, None, True, 2)],
            OVERLAP: [(T1, None, T0, None, None)],
            CONTIGUOUS: [(T1, None, T0, None)],
        },
    ),
    "two_flags_set": Fault(
        [Version("W", T0, T1, True), Version("C", T1, MAX, True)],
        {SINGLE: [(T0, T1, True, 2), (T1, MAX, True, 2)], FLAG: [(T0, T1, True)]},
    ),
    "two_open_versions": Fault(
        [Version("W", T0, MAX, True), Version("C", T1, MAX, True)],
        {
            SINGLE: [(T0, MAX, True, 2), (T1, MAX, True, 2)],
            OVERLAP: [(T1, MAX, T0, MAX, MAX)],
            CONTIGUOUS: [(T1, MAX, T0, MAX)],
        },
    ),
    "flag_null": Fault(
        [Version("W", T0, T1, False), Version("C", T1, MAX, None)],
        {SINGLE: [(T1, MAX, None, 0)], FLAG: [(T1, MAX, None)]},
    ),
    "flag_neither_0_nor_1": Fault(
        [Version("W", T0, T1, False), Version("C", T1, MAX, 2)],
        {SINGLE: [(T1, MAX, 2, 0)], FLAG: [(T1, MAX, 2)]},
        needs_integer_flag=True,
    ),
    "flag_set_on_a_closed_version": Fault(
        [Version("W", T0, T1, True)],
        {FLAG: [(T0, T1, True)]},
    ),
    "flag_not_set_on_an_open_version": Fault(
        [Version("W", T0, MAX, False)],
        {FLAG: [(T0, MAX, False)]},
    ),
    "open_until_another_max_date": Fault(
        [Version("W", T0, OTHER_MAX, True)],
        {FLAG: [(T0, OTHER_MAX, True)]},
    ),
    "equal_neighbours": Fault(
        [Version("W", T0, T1, False), Version("W", T1, MAX, True)],
        {DISTINCT: [(T1, MAX, T0, T1)]},
    ),
    "equal_neighbours_null": Fault(
        [Version("C", T0, T1, False), Version(None, T1, T2, False), Version(None, T2, MAX, True)],
        {DISTINCT: [(T2, MAX, T1, T2)]},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How a table writes a history down, and what the tests are told about it.

    `ends` is the type of valid_to where it differs from that of valid_from, `interval`.
    `given` overrides the names that the tests are told, where they are not the columns' own.
    """

    key: Sequence[str] = ("id",)
    tracked: Sequence[str] = ("region", "tier")
    valid_from: str = "valid_from"
    valid_to: str = "valid_to"
    is_current: str = "is_current"
    interval: str = "date"
    ends: str | None = None
    flag: str = "boolean"
    max_date: str | None = None
    other_max_date: str = "2999-12-31"
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [*self.key, *self.tracked, "segment", self.valid_from, self.valid_to, self.is_current]

    @property
    def kinds(self) -> tuple[str, str]:
        return self.interval, self.ends or self.interval

    @property
    def columns(self) -> str:
        types = ["varchar"] * len(self.key) + ["varchar", "integer", "varchar", *self.kinds, self.flag]
        return ", ".join(f"{quoted(name)} {type_}" for name, type_ in zip(self.names, types, strict=True))

    def arguments(self, test: str) -> dict[str, Any]:
        """The arguments of one test, defaults left out."""
        key = list(self.key)
        arguments: dict[str, Any] = {"unique_key": self.given.get("unique_key", key[0] if len(key) == 1 else key)}
        if test == DISTINCT:
            arguments["tracked_columns"] = self.given.get("tracked_columns", list(self.tracked))
        if test == FLAG and self.max_date:
            arguments["max_date"] = self.max_date
        own = {"valid_from": self.valid_from, "valid_to": self.valid_to, "is_current": self.is_current}
        renamed = {name: column for name, column in own.items() if name != column}
        if renamed:
            arguments["column_names"] = self.given.get("column_names", renamed)
        return arguments

    def value(self, value: Any, kind: str) -> Any:
        """A symbolic value as the table holds it in a column of type `kind`."""
        if isinstance(value, bool) and self.flag == "integer":
            return int(value)
        return self.moment(value, kind) if isinstance(value, At) else value

    def moment(self, at: At, kind: str) -> date | datetime:
        """Dates are months apart, timestamps microseconds."""
        if at in (MAX, OTHER_MAX):
            moment = datetime.fromisoformat(self.other_max_date if at is OTHER_MAX else self.max_date or "9999-12-31")
        elif "date" not in self.kinds:
            moment = datetime(2026, 1, 1, 10, 30, 0, at.value)
        else:
            moment = datetime(2026, 1 + at.value, 1)
        return {"date": moment.date(), "timestamp": moment, "timestamptz": moment.replace(tzinfo=UTC)}[kind]

    def rows(self, key: Row, versions: Iterable[Version]) -> list[Row]:
        """The versions of a key as rows of the table; the carried segment always differs."""
        return [
            (*key, v.region, v.tier, f"S{n}", *self.values((v.valid_from, v.valid_to, v.is_current)))
            for n, v in enumerate(versions)
        ]

    def failing(self, key: Row, rows: Iterable[Row]) -> list[Row]:
        """The rows that a test returns for a key."""
        return [(*key, *self.values(row)) for row in rows]

    def values(self, row: Row) -> list[Any]:
        """Start and end as the table has them, then those of other versions: plain where the two differ in type."""
        start, end = self.kinds
        others = (
            (start, end, end)
            if start == end
            else ("timestamp" if kind == "timestamptz" else kind for kind in (start, end, end))
        )
        return [self.value(value, kind) for value, kind in zip(row, (start, end, *others), strict=False)]


ODD_NAMES = Shape(
    key=("Customer No", 'a"b'),
    tracked=('Sales "Region"', "order"),
    valid_from="Valid From",
    valid_to="validTo",
    is_current="it's current",
)
SHAPES: dict[str, Shape] = {
    "one_key_column": Shape(),
    "two_key_columns": Shape(key=("country", "id")),
    "renamed_columns": Shape(valid_from="dim_start", valid_to="dim_end", is_current="dim_flag"),
    "integer_flag": Shape(flag="integer"),
    "timestamps": Shape(interval="timestamp"),
    "zoned_timestamps": Shape(interval="timestamptz"),
    "zoned_starts": Shape(interval="timestamptz", ends="timestamp"),
    "zoned_ends_after_dates": Shape(interval="date", ends="timestamptz"),
    "early_max_date": Shape(max_date="2999-12-31", other_max_date="9999-12-31"),
    "timestamps_and_early_max_date": Shape(
        interval="timestamp", max_date="2999-12-31 23:59:59.5", other_max_date="2999-12-31 00:00:00"
    ),
    "odd_names": ODD_NAMES,
    "odd_names_in_another_case": replace(
        ODD_NAMES,
        flag="integer",
        given={
            "unique_key": ["customer no", 'A"B'],
            "tracked_columns": ['SALES "region"', "Order"],
            "column_names": {"valid_from": "VALID FROM", "valid_to": "validto", "is_current": "It's Current"},
        },
    ),
    "names_that_the_tests_add": Shape(
        key=("previous_valid_from", "previous_valid_to_"),
        tracked=("previous_value_1", "EARLIER_VALID_TO"),
        valid_from="open_versions",
        valid_to="Version_Number",
        is_current="previous_valid_to",
    ),
}
STORED = ("all_names_that_the_tests_add", "all_odd_names")
PLAIN = "one_key_column"
PLAIN_KEYS: list[Row] = [("K",), (None,)]


def quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def faults_of(shape: Shape) -> dict[str, Fault]:
    return {name: fault for name, fault in FAULTS.items() if shape.flag == "integer" or not fault.needs_integer_flag}


def key_of(shape: Shape, name: str) -> Row:
    """The key of one story: where it has two parts, one is null."""
    return (name,) if len(shape.key) == 1 else (None, name)


def with_all_tests(shape: Shape, table: str) -> dict[str, Any]:
    """The properties of a source table on which each test stands, under the name <test>__<table>."""
    config = {"store_failures": table in STORED}
    return {
        "name": table,
        "data_tests": [
            {
                f"scd2_master.{test}": {
                    "name": f"{test}__{table}",
                    "arguments": shape.arguments(test),
                    "config": config,
                }
            }
            for test in TESTS
        ],
    }


@dataclass(frozen=True)
class Outcome:
    """What one `dbt test` said about all tables, and the rows that the failing tests return."""

    project: Project
    run: Run
    rows: Mapping[str, list[Row]]

    def of(self, table: str) -> dict[str, list[Row]]:
        """The rows that each failing test returns for a table."""
        names = {test: f"{test}__{table}" for test in TESTS}
        for name in names.values():
            assert self.run.statuses[name] in ("pass", "fail"), self.run.messages[name]
        return {test: self.rows[name] for test, name in names.items() if self.run.statuses[name] == "fail"}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All tests on all tables: all faults in each shape, and in the plain shape one table per fault."""
    project = Project(tmp_path_factory.mktemp("generic_tests"), zone=FAR_FROM_UTC)
    tables = []

    def add(shape: Shape, table: str, stories: Iterable[tuple[Row, Sequence[Version]]]) -> None:
        project.table(table, shape.columns, [row for key, versions in stories for row in shape.rows(key, versions)])
        tables.append(with_all_tests(shape, table))

    for name, shape in SHAPES.items():
        faults = {key: fault.versions for key, fault in faults_of(shape).items()}
        add(shape, f"all_{name}", [(key_of(shape, key), versions) for key, versions in {**GOOD, **faults}.items()])
    for name, fault in FAULTS.items():
        add(shape_for(fault), name, [(key, fault.versions) for key in PLAIN_KEYS])
    plain = SHAPES[PLAIN]
    add(plain, "good", [(key_of(plain, key), versions) for key, versions in GOOD.items()])
    exactly_one = {"name": EXACTLY_ONE, "arguments": {**plain.arguments(SINGLE), "exactly_one": True}}
    tables[-1]["data_tests"].append({f"scd2_master.{SINGLE}": exactly_one})
    add(plain, "empty", [])

    properties = {"sources": [{"name": "histories", "schema": "main", "tables": tables}]}
    project.file("models/histories.yml", json.dumps(properties))
    run = project.dbt("test")
    assert run.statuses, run.log
    return Outcome(project, run, failing_rows(project))


def results(project: Project) -> dict[str, dict[str, Any]]:
    """What dbt wrote about each node of the last invocation, by the node's name."""
    written = json.loads((project.root / "target" / "run_results.json").read_text(encoding="utf-8"))
    return {result["unique_id"].split(".")[2]: result for result in written["results"]}


def failing_rows(project: Project) -> dict[str, list[Row]]:
    """By the name of each test that failed in the last invocation: what its SQL returns."""
    with project.engine.session() as session:
        session.execute(f"set TimeZone = '{FAR_FROM_UTC}'")
        return {
            name: session.in_order(result["compiled_code"])
            for name, result in results(project).items()
            if result["status"] == "fail"
        }


def shape_for(fault: Fault) -> Shape:
    return SHAPES["integer_flag" if fault.needs_integer_flag else PLAIN]


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows as `order by all` gives them: nulls last."""
    return sorted(rows, key=lambda row: [(value is None, 0 if value is None else value) for value in row])


def test_no_test_fails_on_a_good_history(outcome: Outcome) -> None:
    assert outcome.of("good") == {}


def test_no_test_fails_on_an_empty_history(outcome: Outcome) -> None:
    assert outcome.of("empty") == {}


def test_with_exactly_one_a_key_without_an_open_version_fails(outcome: Outcome) -> None:
    closed = [(T0, T2, False, 0)]
    assert outcome.rows[EXACTLY_ONE] == SHAPES[PLAIN].failing(("closed_by_absence",), closed)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_alone_fails_exactly_the_tests_that_are_for_it(outcome: Outcome, name: str) -> None:
    fault = FAULTS[name]
    shape = shape_for(fault)
    expected = {
        test: in_order(row for key in PLAIN_KEYS for row in shape.failing(key, rows))
        for test, rows in fault.fails.items()
    }
    assert outcome.of(name) == expected


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("test", TESTS)
def test_only_the_faults_of_a_history_are_returned_whatever_its_names_and_types(
    outcome: Outcome, test: str, name: str
) -> None:
    shape = SHAPES[name]
    expected = in_order(
        row
        for key, fault in faults_of(shape).items()
        for row in shape.failing(key_of(shape, key), fault.fails.get(test, []))
    )
    assert expected
    assert outcome.of(f"all_{name}")[test] == expected


@pytest.mark.parametrize("table", STORED)
def test_stored_failures_are_the_failing_rows(outcome: Outcome, table: str) -> None:
    stored = {test: outcome.project.history(f"main_dbt_test__audit.{test}__{table}") for test in TESTS}
    assert stored == outcome.of(table)


def test_failing_rows_name_the_key_the_interval_and_the_version_before(outcome: Outcome) -> None:
    audit = "main_dbt_test__audit"
    odd = [name for name, _ in outcome.project.columns(f"{audit}.{OVERLAP}__all_odd_names")]
    assert odd == [
        *("Customer No", 'a"b', "Valid From", "validTo"),
        *("previous_valid_from", "previous_valid_to", "earlier_valid_to"),
    ]
    colliding = [name for name, _ in outcome.project.columns(f"{audit}.{OVERLAP}__all_names_that_the_tests_add")]
    assert colliding == [
        *("previous_valid_from", "previous_valid_to_", "open_versions", "Version_Number"),
        *("previous_valid_from_", "previous_valid_to", "earlier_valid_to"),
    ]


HISTORY = "id varchar, region varchar, valid_from date, valid_to date, is_current boolean"
JAN, FEB, MAR, END = date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1), date(9999, 12, 31)
GAP = [("sound", "W", JAN, END, True), ("gap", "W", JAN, FEB, False), ("gap", "C", MAR, END, True)]


def with_gap_tests(name: str, **properties: Any) -> dict[str, Any]:
    """A node on which contiguous_intervals stands twice: on all rows, and where there is no gap."""
    key = in_another_case("id", name != "as_ephemeral")
    tests = [
        {"name": f"{name}_all", "arguments": {"unique_key": key}},
        {"name": f"{name}_sound", "arguments": {"unique_key": key}, "config": {"where": "id <> 'gap'"}},
    ]
    return {"name": name, **properties, "data_tests": [{f"scd2_master.{CONTIGUOUS}": test} for test in tests]}


def gap_project(project: Project) -> Project:
    """One history with a gap as a source, a view, an ephemeral model and two versions of a model."""
    select = "select * from main.histories"
    project.file("models/as_view.sql", f"{{{{ config(materialized='view') }}}} {select}")
    project.file("models/as_ephemeral.sql", f"{{{{ config(materialized='ephemeral') }}}} {select}")
    project.file("models/versioned_v1.sql", f"{select} where id <> 'gap'")
    project.file("models/versioned_v2.sql", select)
    models = [
        with_gap_tests("as_view"),
        with_gap_tests("as_ephemeral"),
        with_gap_tests("versioned", latest_version=2, versions=[{"v": 1, "data_tests": []}, {"v": 2}]),
    ]
    tables = [with_gap_tests("histories"), with_gap_tests("numbered")]
    sources = [{"name": "raw", "schema": "main", "tables": tables}]
    project.file("models/properties.yml", json.dumps({"models": models, "sources": sources}))
    return project


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def numbered(value: Any) -> Any:
    return int(f"{value:%Y%m%d}") if isinstance(value, date) else value


def add_histories(project: Project, rows: Sequence[Row]) -> None:
    """The history, and the same with dates as numbers."""
    project.table("histories", HISTORY, rows)
    project.table("numbered", HISTORY.replace(" date", " integer"), [tuple(map(numbered, row)) for row in rows])


NODES = ("histories", "numbered", "as_view", "as_ephemeral", "versioned")


def partitions(project: Project) -> dict[str, str]:
    """By test: the key as the compiled SQL of the last invocation names it."""
    found = {name: re.search("partition by (.*)", r["compiled_code"] or "") for name, r in results(project).items()}
    return {name: match[1] for name, match in found.items() if match}


def test_a_where_is_respected_on_sources_and_on_models_of_any_kind(project: Project) -> None:
    add_histories(project, GAP)
    run = gap_project(project).dbt("build")
    statuses = {name: status for name, status in run.statuses.items() if name.endswith(("_all", "_sound"))}
    assert statuses == {f"{node}_all": "fail" for node in NODES} | {f"{node}_sound": "pass" for node in NODES}, run.log
    fault = ("gap", MAR, END, JAN, FEB)
    found = {f"{node}_all": [fault] for node in NODES}
    found["as_ephemeral_all"] = [(*fault[:3], *map(midnight, fault[3:]))]
    found["numbered_all"] = [tuple(map(numbered, fault))]
    assert failing_rows(project) == found


def test_names_are_those_of_the_stored_columns_where_there_are_any(project: Project) -> None:
    tests = [f"{node}_{rows}" for node in NODES for rows in ("all", "sound")]
    nothing_stored = gap_project(project).dbt("compile")
    assert nothing_stored.success, nothing_stored.log
    assert partitions(project) == {test: f'"{in_another_case("id", "ephemeral" not in test)}"' for test in tests}
    add_histories(project, [])
    stored = project.dbt("build")
    assert set(stored.statuses.values()) == {"pass", "success"}, stored.log
    assert partitions(project) == {
        test: f'"{in_another_case("id")}"' if "ephemeral" in test else '"id"' for test in tests
    }


def test_under_empty_the_tests_see_no_rows(project: Project) -> None:
    add_histories(project, GAP)
    run = gap_project(project).dbt("build", "--empty")
    assert set(run.statuses.values()) == {"pass", "success"}, run.log
    assert len(partitions(project)) == 2 * len(NODES)


@dataclass(frozen=True)
class Refusal:
    """Arguments that a test refuses, and what its message says about each."""

    test: str
    arguments: dict[str, Any]
    says: Sequence[str]
    where: str | None = None


RENAME = "column_names must be a mapping that gives column names to valid_from, valid_to, is_current, it is "
ALL_COLUMNS = "it has id, region, valid_from, valid_to, is_current"
REFUSALS = {
    "no_key": Refusal(VALID, {}, ["[missing_unique_key]", "unique_key is not set, or empty"]),
    "empty_key": Refusal(VALID, {"unique_key": []}, ["[missing_unique_key]", "unique_key is not set, or empty"]),
    "key_of_another_type": Refusal(
        OVERLAP,
        {"unique_key": 7},
        ["[invalid_option]", "unique_key must be a column name or a list of column names, it is 7"],
    ),
    "unknown_key": Refusal(
        CONTIGUOUS,
        {"unique_key": ["id", "regoin"]},
        ["[unknown_column]", "no column regoin (unique_key)", ALL_COLUMNS, "Did you mean region?"],
    ),
    "unknown_key_where": Refusal(
        CONTIGUOUS,
        {"unique_key": "regoin"},
        ["[unknown_column]", "no column regoin (unique_key)", ALL_COLUMNS, "Did you mean region?"],
        where="id = 'sound'",
    ),
    "exactly_one_as_a_number": Refusal(
        SINGLE,
        {"unique_key": "id", "exactly_one": 1},
        ["[invalid_option]", "exactly_one must be true or false, it is 1"],
    ),
    "key_twice": Refusal(SINGLE, {"unique_key": ["id", "ID"]}, ["[overlapping_roles]", "column id "]),
    "no_tracked": Refusal(
        DISTINCT, {"unique_key": "id"}, ["[missing_tracked_columns]", "tracked_columns is not set, or empty"]
    ),
    "tracked_as_text": Refusal(
        DISTINCT,
        {"unique_key": "id", "tracked_columns": "region"},
        ["[invalid_option]", "tracked_columns must be a list of column names, it is 'region'"],
    ),
    "tracked_key": Refusal(
        DISTINCT, {"unique_key": "id", "tracked_columns": ["region", "id"]}, ["[overlapping_roles]", "column id "]
    ),
    "column_names_of_something_else": Refusal(
        SINGLE,
        {"unique_key": "id", "column_names": {"valid_until": "valid_to"}},
        ["[invalid_option]", RENAME + "{'valid_until': 'valid_to'}"],
    ),
    "column_names_as_a_list": Refusal(
        SINGLE, {"unique_key": "id", "column_names": ["valid_to"]}, ["[invalid_option]", RENAME + "['valid_to']"]
    ),
    "unknown_interval_column": Refusal(
        VALID,
        {"unique_key": "id", "column_names": {"valid_to": "valid_until"}},
        ["[unknown_column]", "no column valid_until (valid_to)", "Name the column for valid_to in column_names"],
    ),
    "no_real_max_date": Refusal(
        FLAG,
        {"unique_key": "id", "max_date": "9999-02-30"},
        ["[invalid_date]", "max_date '9999-02-30'", "YYYY-MM-DD"],
    ),
    "all_at_once": Refusal(
        DISTINCT,
        {"unique_key": "idd", "tracked_columns": [], "column_names": {"valid_from": 1}},
        [
            "[unknown_column]",
            "no column idd (unique_key)",
            "[missing_tracked_columns]",
            "[invalid_option]",
            RENAME + "{'valid_from': 1}",
        ],
    ),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Run:
    project = Project(tmp_path_factory.mktemp("refused"))
    project.table("history", HISTORY, [GAP[0]])
    tests = [
        {
            f"scd2_master.{refusal.test}": {
                "name": name,
                "arguments": refusal.arguments,
                "config": {"where": refusal.where} if refusal.where else {},
            }
        }
        for name, refusal in REFUSALS.items()
    ]
    tables = [{"name": "history", "data_tests": tests}]
    project.file("models/p.yml", json.dumps({"sources": [{"name": "raw", "schema": "main", "tables": tables}]}))
    return project.dbt("test")


@pytest.mark.parametrize("name", REFUSALS)
def test_a_wrong_argument_is_named_with_what_is_allowed_and_what_came(refused: Run, name: str) -> None:
    refusal = REFUSALS[name]
    message = refused.messages[name]
    assert message.count("scd2_master [") == sum(text.startswith("[") for text in refusal.says), message
    assert f"test {refusal.test} (test.shop.{name}." in message
    assert [text for text in map(local, refusal.says) if text not in message] == [], message


@pytest.mark.parametrize("test", TESTS)
def test_the_documentation_of_a_test_describes_each_of_its_arguments(test: str) -> None:
    folder = PACKAGE / "tests" / "generic"
    signature = re.search(rf"{{% test {test}\((.*?)\) %}}", (folder / f"{test}.sql").read_text(encoding="utf-8"))
    assert signature
    arguments = re.findall(r"(\w+)(?:=[^,]*)?(?:, |$)", signature[1])
    documented = yaml.safe_load((folder / "_generic.yml").read_text(encoding="utf-8"))["macros"]
    descriptions = {macro["name"]: macro["description"] for macro in documented}
    assert re.findall(r"(?m)^- `(\w+)`: \w+", descriptions[f"test_{test}"]) == arguments


def test_the_tests_parse_without_any_warning(tmp_path: Path) -> None:
    flags = {"send_anonymous_usage_stats": False, "validate_macro_args": True}
    project = Project(tmp_path, project={"flags": flags})
    run = gap_project(project).dbt("--warn-error", "parse")
    assert run.success, run.log
    manifest = json.loads((project.root / "target" / "manifest.json").read_text(encoding="utf-8"))
    described = {test: manifest["macros"][f"macro.scd2_master.test_{test}"]["description"] for test in TESTS}
    assert [test for test, text in described.items() if "Arguments:" not in text] == []


def test_all_tests_pass_on_what_the_materialization_writes(project: Project) -> None:
    config = {
        "unique_key": ["country", "Customer No"],
        "tracked_columns": ["region"],
        "effective_date": "{now}",
        "validity_type": "timestamp",
        "current_flag_type": "integer",
        "max_date": "2999-12-31 23:59:59.5",
        "close_on_absence": True,
        "scd2_column_names": {"valid_from": "Dim Start", "valid_to": "dim_end", "is_current": "dim_flag"},
    }
    project.model("customer_scd2", "select * from main.customer_master", config)
    given = {"unique_key": config["unique_key"], "column_names": config["scd2_column_names"]}
    more = {DISTINCT: {"tracked_columns": ["region"]}, FLAG: {"max_date": config["max_date"]}}
    tests = [{f"scd2_master.{test}": {"name": test, "arguments": {**given, **more.get(test, {})}}} for test in TESTS]
    project.file("models/p.yml", json.dumps({"models": [{"name": "customer_scd2", "data_tests": tests}]}))
    columns = 'country varchar, "Customer No" varchar, region varchar'
    project.table("customer_master", columns, [("NL", "1", "W"), ("NL", "2", "W"), ("BE", "1", None)])
    first = project.dbt("build", vars={"now": "2026-01-01 10:30:00"})
    project.table("customer_master", columns, [("NL", "1", "C"), ("BE", "1", "E")])
    second = project.dbt("build", vars={"now": "2026-01-01 10:30:00.000001"})
    start, then = datetime(2026, 1, 1, 10, 30), datetime(2026, 1, 1, 10, 30, 0, 1)
    end = datetime(2999, 12, 31, 23, 59, 59, 500_000)
    assert project.history("customer_scd2") == [
        ("BE", "1", "E", then, end, 1),
        ("BE", "1", None, start, then, 0),
        ("NL", "1", "C", then, end, 1),
        ("NL", "1", "W", start, then, 0),
        ("NL", "2", "W", start, then, 0),
    ], second.log
    for run in (first, second):
        assert {test: run.statuses[test] for test in TESTS} == dict.fromkeys(TESTS, "pass"), run.log
