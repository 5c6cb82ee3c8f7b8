"""The generic tests of two tables, relationships_as_of and contained_intervals: what passes, what each fault returns.

Stories are told in symbolic moments and written down in tables of several shapes: other names, types and keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from engines import in_another_case, local
from project import PACKAGE, Project, Run
from test_generic_tests import FAR_FROM_UTC, failing_rows, in_order, quoted

AS_OF = "relationships_as_of"
CONTAINED = "contained_intervals"
MAX = 99
Row = tuple[Any, ...]

# By business key: the versions of a dimension, or of a parent, as moments.
VERSIONS: dict[str, list[tuple[int | None, int | None]]] = {
    "two": [(1, 3), (3, 5)],
    "open": [(2, MAX)],
    "gap": [(1, 2), (4, MAX)],
    "overlap": [(1, 4), (2, 6)],
    "overlap_within": [(1, 8), (2, 3), (8, 9)],
    "same_twice": [(1, 2), (1, 2)],
    "without_end": [(1, None)],
    "without_start": [(None, 5), (1, 3)],
    "inverted": [(4, 2)],
}

# Facts by key and moment, and for those at fault the number of versions, and when the key's history begins and ends.
FACTS: list[tuple[str | None, int | None, Row | None]] = [
    ("two", 1, None),
    ("two", 2, None),
    ("two", 3, None),
    ("two", 4, None),
    ("two", 0, (0, 1, 5)),
    ("two", 5, (0, 1, 5)),
    ("two", None, (0, 1, 5)),
    ("open", 2, None),
    ("open", 98, None),
    ("open", MAX, (0, 2, MAX)),
    ("gap", 1, None),
    ("gap", 2, (0, 1, MAX)),
    ("gap", 3, (0, 1, MAX)),
    ("gap", 4, None),
    ("overlap", 1, None),
    ("overlap", 2, (2, 1, 6)),
    ("overlap", 3, (2, 1, 6)),
    ("overlap", 4, None),
    ("same_twice", 1, (2, 1, 2)),
    ("without_end", 1, (0, 1, None)),
    ("inverted", 3, (0, 4, 2)),
    ("never_recorded", 1, (0, None, None)),
    (None, 1, (0, None, None)),
    (None, None, (0, None, None)),
]

# Children by the parent's key and interval, and the first part of those at fault that no version of the parent covers.
CHILDREN: list[tuple[str | None, int | None, int | None, Row | None]] = [
    ("two", 1, 3, None),
    ("two", 2, 4, None),
    ("two", 1, 5, None),
    ("two", 0, 2, (0, 1)),
    ("two", 4, 6, (5, 6)),
    ("two", 0, 6, (0, 1)),
    ("two", 5, 6, (5, 6)),
    ("two", 0, 1, (0, 1)),
    ("two", None, 3, (None, 3)),
    ("two", 1, None, (5, None)),
    ("open", 2, MAX, None),
    ("open", 7, 8, None),
    ("open", 1, MAX, (1, 2)),
    ("gap", 1, 2, None),
    ("gap", 4, MAX, None),
    ("gap", 1, 5, (2, 4)),
    ("gap", 2, 4, (2, 4)),
    ("gap", 3, MAX, (3, 4)),
    ("overlap", 1, 6, None),
    ("overlap", 3, 7, (6, 7)),
    ("overlap_within", 1, 9, None),
    ("overlap_within", 3, 10, (9, 10)),
    ("same_twice", 1, 2, None),
    ("without_end", 1, 2, (1, 2)),
    ("without_start", 1, 3, None),
    ("without_start", 2, 4, (3, 4)),
    ("inverted", 2, 4, (2, 4)),
    ("never_recorded", 1, MAX, (1, MAX)),
    (None, 1, 2, None),
]


def moment(at: int | None, kind: str) -> date | datetime | int | None:
    """Moments are days apart, from the last one of 2025 on."""
    if at is None:
        return None
    found = datetime(9999, 12, 31) if at == MAX else datetime(2025, 12, 31) + timedelta(days=at)
    if kind == "integer":
        return int(f"{found:%Y%m%d}")
    return {"date": found.date(), "timestamp": found, "timestamptz": found.replace(tzinfo=UTC)}[kind]


@dataclass(frozen=True)
class Side:
    """How one of the two tables writes a story down."""

    key: Sequence[str] = ("customer_id",)
    valid_from: str = "valid_from"
    valid_to: str = "valid_to"
    kind: str = "date"
    ends: str | None = None

    @property
    def kinds(self) -> tuple[str, str]:
        """The types of valid_from and valid_to."""
        return self.kind, self.ends or self.kind

    @property
    def renamed(self) -> dict[str, str]:
        own = {"valid_from": self.valid_from, "valid_to": self.valid_to}
        return {name: column for name, column in own.items() if name != column}

    def keys(self, name: str | None) -> Row:
        """The key of a story: of two parts, the first is the same for all."""
        return (name,) if len(self.key) == 1 else ("NL", name)

    def columns(self, **others: str) -> str:
        columns = {**others, **dict.fromkeys(self.key, "varchar")}
        return ", ".join(f"{quoted(name)} {type_}" for name, type_ in columns.items())


@dataclass(frozen=True)
class Shape:
    """A child and its parent; `given` replaces arguments as the tests are told them."""

    child: Side
    parent: Side
    as_of: str = "sold_on"
    unique_key: str = "id"
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Any:
        """The key's columns as an argument."""
        if self.child.key != self.parent.key:
            return dict(zip(self.child.key, self.parent.key, strict=True))
        return self.child.key[0] if len(self.child.key) == 1 else list(self.child.key)


ODD_CHILD = Side(("Land", 'client "no"'), "Valid From", "order", "timestamp")
ODD_PARENT = Side(("country", "Customer No"), "dim_start", "dim end", "date")
SHAPES = {
    "plain": Shape(Side(), Side()),
    "two_key_columns": Shape(Side(("country", "customer_id")), Side(("country", "customer_id"))),
    "odd_names_and_a_finer_child": Shape(ODD_CHILD, ODD_PARENT, 'Sold "on"', "Account No"),
    "another_case_and_a_finer_parent": Shape(
        Side(("customer",), "dim_start", "dim_end"),
        Side(valid_from="From", valid_to="To", kind="timestamp"),
        "as_of",
        given={
            "unique_key": "ID",
            "as_of": "As_Of",
            "key": {"CUSTOMER": "Customer_ID"},
            "column_names": {"valid_from": "DIM_START", "valid_to": "DIM_END"},
            "to_column_names": {"valid_from": "FROM", "valid_to": "tO"},
        },
    ),
    "a_zoned_child": Shape(Side(kind="timestamptz"), Side()),
    "a_zoned_parent": Shape(Side(), Side(kind="timestamptz")),
    "a_finer_child_of_a_zoned_parent": Shape(Side(kind="timestamp"), Side(kind="timestamptz")),
    "both_zoned": Shape(Side(kind="timestamptz"), Side(kind="timestamptz")),
    "a_child_with_zoned_ends": Shape(Side(ends="timestamptz"), Side()),
    "a_parent_with_zoned_starts": Shape(Side(kind="timestamp"), Side(kind="timestamptz", ends="timestamp")),
    "names_that_the_tests_add": Shape(
        Side(("versions",), "uncovered_from", "covered_to", "timestamp"),
        Side(("fact_rows",), "period", "earlier_valid_to", "timestamp"),
        "first_valid_from",
        "uncovered_to",
    ),
}


def add_dimension(project: Project, shape: Shape, table: str) -> None:
    side = shape.parent
    from_kind, to_kind = side.kinds
    interval = {side.valid_from: from_kind, side.valid_to: to_kind}
    rows = [
        (moment(start, from_kind), moment(end, to_kind), *side.keys(name))
        for name, versions in VERSIONS.items()
        for start, end in versions
    ]
    rows.append((moment(1, from_kind), moment(MAX, to_kind), *[None] * len(side.key)))
    project.table(table, side.columns(**interval), rows)


def add_facts(project: Project, shape: Shape, table: str, facts: Sequence[Row]) -> None:
    side = shape.child
    rows = [(moment(at, side.kind), *side.keys(name)) for name, at, _ in facts for _ in range(1 + (at == 3))]
    project.table(table, side.columns(**{shape.as_of: side.kind}), rows)


def add_children(project: Project, shape: Shape, table: str, children: Sequence[Row]) -> None:
    side = shape.child
    from_kind, to_kind = side.kinds
    interval = {side.valid_from: from_kind, side.valid_to: to_kind}
    rows = [
        (n, moment(start, from_kind), moment(end, to_kind), *side.keys(name))
        for n, (name, start, end, _) in enumerate(children)
    ]
    project.table(table, side.columns(**{shape.unique_key: "integer"}, **interval), rows)


def with_test(table: str, test: str, to: str, **arguments: Any) -> dict[str, Any]:
    given = {name: value for name, value in arguments.items() if value}
    properties = {"name": table, "arguments": {"to": f"source('raw', '{to}')", **given}}
    return {"name": table, "data_tests": [{f"scd2_master.{test}": properties}]}


@dataclass(frozen=True)
class Outcome:
    run: Run
    rows: Mapping[str, list[Row]]

    def of(self, test: str) -> list[Row]:
        assert self.run.statuses[test] in ("pass", "fail"), self.run.messages[test]
        return self.rows.get(test, [])


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Both tests on all stories in each shape, on the good ones alone, and on tables without rows."""
    project = Project(tmp_path_factory.mktemp("pair_tests"), zone=FAR_FROM_UTC)
    tables: list[dict[str, Any]] = []

    def add(name: str, shape: Shape, facts: Sequence[Row], children: Sequence[Row]) -> None:
        given = shape.given
        add_facts(project, shape, f"facts_{name}", facts)
        add_children(project, shape, f"children_{name}", children)
        parents = f"dimension_{'plain' if shape is SHAPES['plain'] else name}"
        key = given.get("key", shape.key)
        names = {
            "column_names": given.get("column_names", shape.child.renamed),
            "to_column_names": given.get("to_column_names", shape.parent.renamed),
        }
        as_of = {"as_of": given.get("as_of", shape.as_of), "column_names": names["to_column_names"]}
        tables.append(with_test(f"facts_{name}", AS_OF, parents, unique_key=key, **as_of))
        unique_key = given.get("unique_key", shape.unique_key)
        tables.append(
            with_test(f"children_{name}", CONTAINED, parents, unique_key=unique_key, foreign_key=key, **names)
        )

    for name, shape in SHAPES.items():
        add_dimension(project, shape, f"dimension_{name}")
        tables.append({"name": f"dimension_{name}"})
        add(name, shape, FACTS, CHILDREN)
    good = [[story for story in stories if story[-1] is None] for stories in (FACTS, CHILDREN)]
    add("good", SHAPES["plain"], *good)
    add("none", SHAPES["plain"], [], [])
    add_dimension(project, SHAPES["plain"], "dimension_without_rows")
    project.execute("truncate dimension_without_rows")
    numbers = Shape(Side(kind="integer"), Side(kind="integer"))
    add_dimension(project, numbers, "dimension_numbers")
    add_children(project, numbers, "children_numbers", CHILDREN)
    tables += [
        {"name": "dimension_without_rows"},
        {"name": "dimension_numbers"},
        with_test("children_numbers", CONTAINED, "dimension_numbers", unique_key="id", foreign_key="customer_id"),
        with_test("facts_lonely", AS_OF, "dimension_without_rows", unique_key="customer_id", as_of="sold_on"),
        with_test("children_lonely", CONTAINED, "dimension_without_rows", unique_key="id", foreign_key="customer_id"),
    ]
    add_facts(project, SHAPES["plain"], "facts_lonely", FACTS[:1])
    add_children(project, SHAPES["plain"], "children_lonely", CHILDREN[:1])
    project.file("models/raw.yml", json.dumps({"sources": [{"name": "raw", "schema": "main", "tables": tables}]}))
    run = project.dbt("test")
    assert run.statuses, run.log
    return Outcome(run, failing_rows(project))


@pytest.mark.parametrize("name", SHAPES)
def test_facts_in_no_version_or_in_several_are_returned_and_no_others(outcome: Outcome, name: str) -> None:
    child, parent = SHAPES[name].child, SHAPES[name].parent
    expected = [
        (
            *child.keys(key),
            moment(at, child.kind),
            1 + (at == 3),
            fault[0],
            *(moment(m, parent_kind) for m, parent_kind in zip(fault[1:], parent.kinds, strict=True)),
        )
        for key, at, fault in FACTS
        if fault
    ]
    assert outcome.of(f"facts_{name}") == in_order(expected)


@pytest.mark.parametrize("name", SHAPES)
def test_versions_outside_their_parents_are_returned_with_the_first_uncovered_part(outcome: Outcome, name: str) -> None:
    child, parent = SHAPES[name].child, SHAPES[name].parent
    from_kind, to_kind = child.kinds
    kinds = [
        "date" if {of_child, of_parent} == {"date"} else "timestamp"
        for of_child, of_parent in zip(child.kinds, reversed(parent.kinds), strict=True)
    ]
    expected = [
        (
            *(n, *child.keys(key), moment(start, from_kind), moment(end, to_kind)),
            *(moment(at, kind) for at, kind in zip(uncovered, kinds, strict=True)),
        )
        for n, (key, start, end, uncovered) in enumerate(CHILDREN)
        if uncovered
    ]
    assert outcome.of(f"children_{name}") == in_order(expected)


def test_bounds_that_are_all_numbers_compare_as_they_are(outcome: Outcome) -> None:
    expected = [
        (n, key, *(moment(at, "integer") for at in (start, end, *uncovered)))
        for n, (key, start, end, uncovered) in enumerate(CHILDREN)
        if uncovered
    ]
    assert outcome.of("children_numbers") == in_order(expected)


@pytest.mark.parametrize("name", ["facts_good", "children_good", "facts_none", "children_none"])
def test_what_is_right_passes(outcome: Outcome, name: str) -> None:
    assert outcome.of(name) == []


def test_without_a_row_in_the_other_table_everything_is_at_fault(outcome: Outcome) -> None:
    first, second = date(2026, 1, 1), date(2026, 1, 3)
    assert outcome.of("facts_lonely") == [("two", first, 1, 0, None, None)]
    assert outcome.of("children_lonely") == [(0, "two", first, second, first, second)]


DIMENSION = [(customer, date(2026, 1, 1), date(9999, 12, 31)) for customer in ("C1", "C3")]
EARLY, START, END = (datetime(*moment, tzinfo=UTC) for moment in [(2025, 12, 31, 20), (2026, 1, 1), (2026, 2, 1)])
SALES = [("C1", END, 1), ("C2", END, 2), ("C3", EARLY, 3)]
KINDS = ("table", "ephemeral")
INTERVALS = [(1, "C1", START, END), (2, "C2", START, END), (3, "C3", EARLY, END)]


def with_models(project: Project) -> Project:
    """Facts, accounts and their dimension as models, stored and not: C2 has no counterpart, C3 is early."""
    project.table("raw_customers", "customer_id varchar, valid_from date, valid_to date", DIMENSION)
    project.table("raw_sales", "client varchar, sold_on timestamptz, sale integer", SALES)
    interval = "valid_from timestamptz, valid_to timestamptz"
    project.table("raw_accounts", f"account integer, client varchar, {interval}", INTERVALS)
    models = []
    for kind in KINDS:
        for name in ("customers", "sales", "accounts"):
            sql = f"{{{{ config(materialized='{kind}') }}}} select * from main.raw_{name}"
            project.file(f"models/{name}_{kind}.sql", sql)
        stored = kind == "table"
        to, key = (
            f"ref('customers_{kind}')",
            {in_another_case("client", stored): in_another_case("customer_id", stored)},
        )
        for name, test, given in [
            ("sales", AS_OF, {"to": to, "unique_key": key, "as_of": in_another_case("sold_on", stored)}),
            (
                "accounts",
                CONTAINED,
                {
                    "to": to,
                    "unique_key": [in_another_case("account", stored), in_another_case("client", stored)],
                    "foreign_key": key,
                },
            ),
        ]:
            everything = {"name": f"{name}_{kind}_all", "arguments": given}
            some = {"name": f"{name}_{kind}_c1", "arguments": given, "config": {"where": "client = 'C1'"}}
            tests = [{f"scd2_master.{test}": properties} for properties in (everything, some)]
            models.append({"name": f"{name}_{kind}", "data_tests": tests})
    project.file("models/models.yml", json.dumps({"models": models}))
    return project


def test_they_stand_on_models_stored_or_not_and_respect_a_where(tmp_path: Path) -> None:
    project = with_models(Project(tmp_path, zone=FAR_FROM_UTC))
    nothing_stored = project.dbt("compile")
    assert nothing_stored.success, nothing_stored.log
    run = project.dbt("build")
    expected = {
        f"{name}_{kind}_{rows}": status
        for name in ("sales", "accounts")
        for kind in KINDS
        for rows, status in (("all", "fail"), ("c1", "pass"))
    }
    assert {name: run.statuses[name] for name in expected} == expected, run.log
    early, start, end = (moment.replace(tzinfo=None) for moment in (EARLY, START, END))
    rows = failing_rows(project)
    for kind in KINDS:
        assert rows.pop(f"sales_{kind}_all") == [
            ("C2", END, 1, 0, None, None),
            ("C3", EARLY, 1, 0, *DIMENSION[1][1:]),
        ]
        assert rows.pop(f"accounts_{kind}_all") == [
            (2, "C2", START, END, start, end),
            (3, "C3", EARLY, END, early, start),
        ]
    assert rows == {}
    empty = project.dbt("build", "--empty")
    assert {empty.statuses[name] for name in expected} == {"pass"}, empty.log


TO = "source('raw', 'customers')"
REFUSALS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "a_text_as_the_date": (
        AS_OF,
        {"to": TO, "unique_key": {"sold_on": "customer_id"}, "as_of": "CLIENT"},
        [
            "[effective_date_type]",
            "column client (as_of) of ",
            "is of type VARCHAR, which is not a date or a timestamp",
        ],
    ),
    "texts_as_bounds": (
        AS_OF,
        {"to": "source('raw', 'texts')", "unique_key": {"client": "customer_id"}, "as_of": "sold_on"},
        ["[effective_date_type]", "column valid_to of ", "is of type VARCHAR, which is not a date or a timestamp"],
    ),
    "as_of_without_key": (
        AS_OF,
        {"to": TO, "unique_key": [], "as_of": "sold_on"},
        ["[missing_unique_key]", "unique_key is not set, or empty"],
    ),
    "as_of_of_a_wrong_key": (
        AS_OF,
        {"to": TO, "unique_key": {"client": 1}, "as_of": "sold_on"},
        ["[invalid_option]", "unique_key must be a column name, a list of column names, or a mapping", "{'client': 1}"],
    ),
    "as_of_of_several_dates": (
        AS_OF,
        {"to": TO, "unique_key": {"client": "customer_id"}, "as_of": ["sold_on"]},
        ["[invalid_option]", "as_of must be a column name, it is ['sold_on']"],
    ),
    "as_of_to_a_text": (
        AS_OF,
        {"to": "customers", "unique_key": {"client": "customer_id"}, "as_of": "sold_on"},
        ["[invalid_option]", "to must be a table, as in ref('customer_scd2'), it is 'customers'"],
    ),
    "as_of_of_unknown_columns": (
        AS_OF,
        {"to": TO, "unique_key": {"cleint": "customer"}, "as_of": "sold_no", "column_names": {"valid_to": "until"}},
        [
            *("[unknown_column]", "no column cleint (unique_key)", "Did you mean client?"),
            *("[unknown_column]", "no column sold_no (as_of)", "Did you mean sold_on?"),
            *("[unknown_column]", "no column customer (unique_key); it has customer_id, valid_from, valid_to"),
            *("[unknown_column]", "no column until (valid_to)", "Name the column for valid_to in column_names"),
        ],
    ),
    "contained_without_keys": (
        CONTAINED,
        {
            "to": TO,
            "unique_key": [],
            "foreign_key": {},
            "column_names": {"valid_from": "sold_on", "valid_to": "sale"},
        },
        [
            *("[missing_unique_key]", "unique_key is not set, or empty"),
            *("[missing_unique_key]", "foreign_key is not set, or empty"),
            *("[effective_date_type]", "column sale (valid_to) of ", "is of type INTEGER, which is not a date"),
        ],
    ),
    "contained_with_other_names": (
        CONTAINED,
        {
            "to": TO,
            "unique_key": "sale",
            "foreign_key": {"client": "customer_id"},
            "column_names": {"valid_from": "sold_on", "valid_to": "sold_til"},
            "to_column_names": {"until": "x"},
        },
        [
            *("[unknown_column]", "no column sold_til (valid_to)", "in column_names"),
            *("[invalid_option]", "to_column_names must be a mapping", "it is {'until': 'x'}"),
        ],
    ),
    "contained_in_an_unknown_key_of_the_parent": (
        CONTAINED,
        {
            "to": TO,
            "unique_key": "sale",
            "foreign_key": {"client": "custmer_id"},
            "column_names": {"valid_from": "sold_on", "valid_to": "sold_until"},
        },
        [
            *("[unknown_column]", "no column sold_until (valid_to)", "in column_names"),
            *(
                "[unknown_column]",
                "no column custmer_id (foreign_key)",
                "Did you mean customer_id? Correct foreign_key",
            ),
        ],
    ),
    "contained_in_an_interval_column_of_the_parent": (
        CONTAINED,
        {
            "to": TO,
            "unique_key": "sale",
            "foreign_key": {"client": "customer_id", "sold_on": "valid_from"},
            "column_names": {"valid_from": "sold_on", "valid_to": "sold_on"},
        },
        [
            *("[overlapping_roles]", "column sold_on"),
            *("[overlapping_roles]", "column valid_from"),
        ],
    ),
    "contained_in_unknown_columns": (
        CONTAINED,
        {
            "to": TO,
            "unique_key": "sale",
            "foreign_key": {"client": "customer_id"},
            "column_names": {"valid_from": "sold_on", "valid_to": "sold_on"},
            "to_column_names": {"valid_to": "x"},
        },
        [
            *("[overlapping_roles]", "column sold_on"),
            *("[unknown_column]", "no column x (valid_to)", "in to_column_names"),
        ],
    ),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Run:
    project = Project(tmp_path_factory.mktemp("refused"))
    project.table("customers", "customer_id varchar, valid_from date, valid_to date")
    project.table("texts", "customer_id varchar, valid_from date, valid_to varchar")
    project.table("sales", "client varchar, sold_on date, sale integer")
    tests = [
        {f"scd2_master.{test}": {"name": name, "arguments": arguments}}
        for name, (test, arguments, _) in REFUSALS.items()
    ]
    tables = [{"name": "customers"}, {"name": "texts"}, {"name": "sales", "data_tests": tests}]
    project.file("models/raw.yml", json.dumps({"sources": [{"name": "raw", "schema": "main", "tables": tables}]}))
    return project.dbt("test")


@pytest.mark.parametrize("name", REFUSALS)
def test_a_wrong_argument_is_named_with_what_is_allowed_and_what_came(refused: Run, name: str) -> None:
    test, _, says = REFUSALS[name]
    message = refused.messages[name]
    assert message.count("scd2_master [") == sum(text.startswith("[") for text in says), message
    assert f"test {test} (test.shop.{name}." in message
    assert [text for text in map(local, says) if text not in message] == [], message


@pytest.mark.parametrize("test", [AS_OF, CONTAINED])
def test_the_documentation_of_a_test_describes_each_of_its_arguments(test: str) -> None:
    folder = PACKAGE / "tests" / "generic"
    signature = re.search(rf"{{% test {test}\((.*?)\) %}}", (folder / f"{test}.sql").read_text(encoding="utf-8"))
    assert signature
    documented = yaml.safe_load((folder / "_generic.yml").read_text(encoding="utf-8"))["macros"]
    descriptions = {macro["name"]: macro["description"] for macro in documented}
    arguments = re.findall(r"(\w+)(?:=[^,]*)?(?:, |$)", signature[1])
    assert re.findall(r"(?m)^- `(\w+)`: \w+", descriptions[f"test_{test}"]) == arguments
