"""The materialization dimension_hierarchy: what it writes, what it refuses, and that it does so like any dbt model."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from engines import ENGINE, constraint_error, local
from guards import findings
from hierarchies import Row, Source, random_source, refusals, table
from project import Project, Run

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
FIXED_EXAMPLES = range(40, 56)

KEYS = {"unique_key": "id", "parent_key": "parent"}
TREE = [("W", None), ("E", "W"), ("D", "E"), ("B", "D"), ("A", "W"), ("X", None)]
TREE_TABLE = [
    ("A", "W", 2, "W", "W > A", True, "W", "A", None, None),
    ("B", "D", 4, "W", "W > E > D > B", True, "W", "E", "D", "B"),
    ("D", "E", 3, "W", "W > E > D", False, "W", "E", "D", None),
    ("E", "W", 2, "W", "W > E", False, "W", "E", None, None),
    ("W", None, 1, "W", "W", False, "W", None, None, None),
    ("X", None, 1, "X", "X", True, "X", None, None, None),
]
OUTPUT = ["level", "root", "path", "is_leaf"]
UNSET = None


def hierarchy(project: Project, name: str, sql: str, options: dict[str, Any] | None = None, **standard: Any) -> str:
    """Write a dimension_hierarchy model."""
    config = {key: value for key, value in (KEYS | (options or {})).items() if value is not UNSET}
    return project.model(name, sql, config, **{"materialized": "dimension_hierarchy", **standard})


def level_columns(levels: int) -> list[str]:
    return [f"level_{number}" for number in range(1, levels + 1)]


def selected(rows: Sequence[Row], types: Sequence[str] = ("varchar", "varchar")) -> str:
    """The rows as a query of the columns id and parent."""

    def literal(value: Any) -> str:
        return "null" if value is None else "'" + str(value).replace("'", "''") + "'"

    values = ", ".join(f"({literal(member)}, {literal(parent)})" for member, parent in rows) or "(null, null)"
    where = "" if rows else " where false"
    casts = f"id::{types[0]} as id, parent::{types[1]} as parent"
    return f"{{% raw %}}select {casts} from (values {values}) as t(id, parent){where}{{% endraw %}}"


SMALL = selected([("A", None), ("B", "A")])
SMALL_TABLE = [("A", None, 1, "A", "A", False, "A", None), ("B", "A", 2, "A", "A > B", True, "A", "B")]
BEFORE = [("before",)]

# --- guards: a table, a build that is refused, a build that is repaired ---------------------------------------------


@dataclass(frozen=True)
class Guard:
    """A source, or options, that the first build must refuse, and the finding with its remedy."""

    slug: str
    text: str
    rows: Sequence[Row] | str = field(default_factory=lambda: TREE)
    options: dict[str, Any] = field(default_factory=dict)
    remedy: str = ""

    @property
    def finding(self) -> str:
        return f"{self.text} {self.remedy or REMEDIES[self.slug]}"

    @property
    def sql(self) -> str:
        return self.rows if isinstance(self.rows, str) else selected(self.rows)


REMEDIES = {
    "null_key": "Filter or complete these rows.",
    "multiple_parents": "Make the SELECT return one row, with one parent, per member.",
    "duplicate_key": "Make the SELECT return one row per member.",
    "orphan_parent": "Add these members, set the parents to null, or set orphans to 'root'.",
    "hierarchy_cycle": "Correct parent of one member of each cycle.",
    "invalid_option": "Correct the option, or remove it.",
}
ITS_OWN_PARENT = (
    "Correct parent of one member of each cycle,"
    " or set self_parent to 'root' if a member that is its own parent is a root."
)

GUARDS = {
    "two_parents": Guard(
        "multiple_parents",
        "members have more than one parent: A under D and X (3 rows), B under D and null (2 rows).",
        [*TREE, ("A", "D"), ("A", "X"), ("B", None)],
    ),
    "a_root_and_below": Guard(
        "multiple_parents",
        "members have more than one parent: W under X and null (3 rows).",
        [*TREE, ("W", None), ("W", "X")],
    ),
    "twice": Guard(
        "duplicate_key",
        "unique_key (id) occurs more than once: A under W (3 rows), W (2 rows).",
        [*TREE, *[("A", "W")] * 2, ("W", None)],
    ),
    "no_key": Guard(
        "null_key", "unique_key (id) is null: null under D and W (3 rows).", [*TREE, (None, "D"), *[(None, "W")] * 2]
    ),
    "no_key_once": Guard("null_key", "unique_key (id) is null: null (1 row).", [*TREE, (None, None)]),
    "orphan": Guard(
        "orphan_parent",
        "values of parent are no member: w over A (2 rows), ? over B (1 row).",
        [("A", "w"), ("B", "?"), ("C", "w"), ("D", None)],
    ),
    "cycle": Guard(
        "hierarchy_cycle",
        "members are above themselves: A > C > B > A (3 rows), D > E > D (2 rows).",
        [("B", "C"), ("C", "A"), ("A", "B"), ("below", "B"), ("lower", "below"), ("E", "D"), ("D", "E"), ("W", None)],
    ),
    "cycle_without_any_root": Guard(
        "hierarchy_cycle", "members are above themselves: A > B > A (2 rows).", [("A", "B"), ("B", "A")]
    ),
    "cycle_of_numbers": Guard(
        "hierarchy_cycle",
        "members are above themselves: 9 > 10 > 9 (2 rows).",
        "select * from (values (10, 9), (9, 10), (1, null)) as t(id, parent)",
    ),
    "cycle_where_selfs_are_roots": Guard(
        "hierarchy_cycle",
        "members are above themselves: A > B > A (2 rows).",
        [("A", "B"), ("B", "A"), ("C", "C")],
        {"self_parent": "root"},
    ),
    "its_own_parent": Guard(
        "hierarchy_cycle",
        "members are above themselves: A > A (1 row).",
        [("A", "A"), ("B", "A"), ("C", None)],
        remedy=ITS_OWN_PARENT,
    ),
    "too_deep": Guard(
        "too_deep",
        "levels is 2, and members stand deeper: B on level 4 (1 row), D on level 3 (1 row).",
        options={"levels": 2},
        remedy="Set levels to 4, or correct parent.",
    ),
    "only_roots_fit": Guard(
        "too_deep",
        "levels is 1, and members stand deeper: B on level 2 (1 row).",
        [("A", None), ("B", "A")],
        {"levels": 1},
        remedy="Set levels to 2, or correct parent.",
    ),
    "five_of_many": Guard(
        "orphan_parent",
        "values of parent are no member: p0 over m0 (1 row), p1 over m1 (1 row), p2 over m2 (1 row),"
        " p3 over m3 (1 row), p4 over m4 (1 row) and 3 more.",
        [(f"m{number}", f"p{number}") for number in range(8)],
    ),
    "five_cycles_of_many": Guard(
        "hierarchy_cycle",
        "members are above themselves: a0 > b0 > a0 (2 rows), a1 > b1 > a1 (2 rows), a2 > b2 > a2 (2 rows),"
        " a3 > b3 > a3 (2 rows), a4 > b4 > a4 (2 rows) and 2 more.",
        [edge for n in range(7) for edge in ((f"a{n}", f"b{n}"), (f"b{n}", f"a{n}"))],
    ),
    "long_cycle": Guard(
        "hierarchy_cycle",
        f"members are above themselves: {' > '.join(map(str, range(20)))} > ... > 0 (500 rows).",
        "select i as id, (i + 499) % 500 as parent from range(500) as t(i)",
    ),
    "long_chain": Guard(
        "too_deep",
        "levels is 10, and members stand deeper: 499 on level 500 (1 row), 498 on level 499 (1 row),"
        " 497 on level 498 (1 row), 496 on level 497 (1 row), 495 on level 496 (1 row) and 485 more.",
        "select i as id, nullif(i, 0) - 1 as parent from range(500) as t(i)",
        remedy="Set levels to 500, or correct parent.",
    ),
    "reserved": Guard(
        "reserved_column",
        "source columns are named like output columns of the hierarchy: Path, LEVEL_3.",
        'select 1 as id, null::int as parent, 2 as "Path", 3 as "LEVEL_3", 4 as level_4, 5 as levels',
        {"levels": 3},
        remedy="Rename them in the SELECT.",
    ),
    "unknown_member": Guard(
        "unknown_column",
        "unique_key names idd, which the model's SELECT does not have; it has id, parent.",
        options={"unique_key": "idd"},
        remedy="Did you mean id? Correct the option, or select the column.",
    ),
    "unknown_parent": Guard(
        "unknown_column",
        "parent_key names paren, which the model's SELECT does not have; it has id, parent.",
        options={"parent_key": "paren"},
        remedy="Did you mean parent? Correct the option, or select the column.",
    ),
    "member_is_parent": Guard(
        "overlapping_roles",
        "unique_key and parent_key are the same column, id.",
        options={"parent_key": "ID"},
        remedy="Name the column of the parent in parent_key.",
    ),
    "other_types": Guard(
        "invalid_option",
        "parent_key parent is VARCHAR and unique_key id is INTEGER; no type holds the values of both exactly.",
        "select 1 as id, '01'::varchar as parent",
        remedy="Cast one of them in the model's SELECT.",
    ),
    "no_unique_key": Guard(
        "missing_unique_key",
        "unique_key is not set, or empty.",
        options={"unique_key": UNSET},
        remedy="Name the business key.",
    ),
    "no_parent_key": Guard(
        "invalid_option",
        "parent_key is not set, or empty.",
        options={"parent_key": UNSET},
        remedy="Name the column that holds the key of the member's parent.",
    ),
    "empty_parent_key": Guard(
        "invalid_option",
        "parent_key is not set, or empty.",
        options={"parent_key": []},
        remedy="Name the column that holds the key of the member's parent.",
    ),
    "blank_parent_key": Guard(
        "invalid_option",
        "parent_key is ' ', it must be a column name or a list of column names.",
        options={"parent_key": " "},
    ),
    "composite_key": Guard(
        "invalid_option",
        "unique_key is ['id', 'parent'], and a hierarchy has keys of one column: put the parts together in the SELECT.",
        options={"unique_key": ["id", "parent"]},
    ),
    **{
        f"levels_{name}": Guard(
            "invalid_option", f"levels is {shown}, it must be a whole number from 1 on.", options={"levels": value}
        )
        for name, value, shown in [
            ("zero", 0, "0"),
            ("text", "3", "'3'"),
            ("true", True, "True"),
        ]
    },
    "self_parent_unknown": Guard(
        "invalid_option",
        "self_parent is 'null', it must be one of error, root.",
        options={"self_parent": "null"},
    ),
    "orphans_true": Guard(
        "invalid_option", "orphans is True, it must be one of error, root.", options={"orphans": True}
    ),
    "conflict": Guard(
        "conflicting_config",
        "levels is 3 in config and 4 in meta.",
        options={"levels": 3, "meta": {"levels": 4}},
        remedy="Set it in one place.",
    ),
}
NEW = {f"new_{name}": GUARDS[name] for name in ("cycle", "twice", "reserved")}
REFUSED = {**GUARDS, **NEW}
REPAIRED = ["cycle", "two_parents", "unknown_parent", "conflict", *NEW]


# --- hierarchies that are fine ---------------------------------------------------------------------------------------

STRANGE = ["", " ", "a > b", "O'Hara", 'a "b"', "-- x", "/* x", "{{ x }}", "ä", "a;", "null", "NULL"]
STRANGE_ROWS = [*zip(STRANGE, [None, *STRANGE[:-1]], strict=True)]
FINE: dict[str, Source] = {
    "tree": Source(TREE, 4),
    "default_levels": Source(TREE),
    "exactly_deep_enough": Source([("A", None), ("B", "A")], 2),
    "empty": Source([], 3),
    "orphans_are_roots": Source([("A", "gone"), ("B", "A"), ("C", "gone"), ("D", None), ("E", "")], 3, orphans="root"),
    "selfs_are_roots": Source([("A", "A"), ("B", "A"), ("C", "C"), ("D", None)], 3, self_parent="root"),
    "strange_keys": Source(STRANGE_ROWS, 12),
    "cases_differ": Source([("a", None), ("A", "a"), ("a ", "A")], 3),
    "narrow_and_wide": Source(
        [(1, None), (2, 1), (10, 2), (9, 3_000_000_000)], 3, orphans="root", types=("integer", "bigint")
    ),
    "wide_and_narrow": Source([(3_000_000_000, None), (2, None), (1, 2)], 2, types=("bigint", "smallint")),
}
NESTED_TYPES = {
    "duckdb": {
        "ENUM('it''s', 'y')": ("it's", "y"),
        "STRUCT(a INTEGER, b VARCHAR)": ("{'a': 1, 'b': x}", "{'a': 1, 'b': y}"),
    },
    "postgres": {"INTEGER[]": ("{1,2}", "{}")},
}
TYPES = {
    "DATE": ("2026-01-01", "0001-01-01"),
    "BLOB": ("a", "\\x00"),
    "UUID": ("aaaaaaaa-0000-0000-0000-000000000000", "bbbbbbbb-0000-0000-0000-000000000000"),
    **NESTED_TYPES[ENGINE],
}
AS_OF = """select account_id, account_name, parent_id from main.accounts_scd2
where valid_from <= date '%s' and valid_to > date '%s'"""
HOOKS = {
    "pre_hook": [
        {"sql": "insert into hooks select 'pre', null", "transaction": False},
        "insert into hooks select 'pre inside', null",
    ],
    "post_hook": [
        "insert into hooks select 'post inside', count(*) from {{ this }}",
        {"sql": "insert into hooks select 'post', count(*) from {{ this }}", "transaction": False},
    ],
}
BROKEN = ["trapped", "mismatched", "violated"]
BROKEN_HOOK = "select case when armed then error('sprung') end from trap"


def properties(levels: int) -> str:
    """Contracts of two levels: one that is kept, one that lacks a column and one that `levels` other than 2 violate."""
    no_warning = {"warn_unsupported": False}
    columns = [
        {"name": name, "data_type": type_}
        for name, type_ in {
            **dict.fromkeys(["id", "parent"], "varchar"),
            "level": "integer",
            "root": "varchar",
            "path": "varchar",
            "is_leaf": "boolean",
            **dict.fromkeys(level_columns(2), "varchar"),
        }.items()
    ]
    key = [{"type": "primary_key", "columns": ["id"], **no_warning}]
    check = [{"type": "check", "expression": f"level <= {levels}", **no_warning}]
    named = {"name": "documented", "description": "It's a tree", "columns": [{"name": "path", "description": "Way"}]}
    contracted = {"columns": columns, "constraints": key}
    models = [
        named,
        {"name": "contracted", **contracted},
        {"name": "mismatched", "columns": columns if levels == 2 else columns[:-1]},
        {"name": "violated", "columns": columns, "constraints": check},
    ]
    return yaml.safe_dump({"models": models}, sort_keys=False)


@dataclass
class Shop:
    """The project, and after each of its two builds the tables by name and dbt's messages."""

    project: Project
    runs: list[Run] = field(default_factory=list)
    tables: list[dict[str, list[Row]]] = field(default_factory=list)

    def build(self, *models: str) -> None:
        self.runs.append(self.project.run(*models, flags=["--exclude", "tag:later"]))
        names = [name.removeprefix("main.") for name in self.project.relations()]
        with self.project.engine.session() as session:
            self.tables.append({name: session.in_order(f'select * from "{name}"') for name in names})

    def columns(self, name: str) -> dict[str, str]:
        return dict(self.project.columns(name))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A build of all models, and one of those that are good by then. The guarded ones, but for NEW, have a table."""
    shop = Shop(Project(tmp_path_factory.mktemp("hierarchies")))
    project = shop.project
    write_fine_models(project)
    for name, guard in REFUSED.items():
        hierarchy(project, name, guard.sql, guard.options)
    for name in [*GUARDS, *BROKEN]:
        project.execute(f"create table {name} as select 'before' as what")
    project.execute("create table trap as select true as armed")
    project.file("models/properties.yml", properties(levels=1))
    shop.build()
    for name in REPAIRED:
        hierarchy(project, name, SMALL, {"levels": 2})
    project.execute("update trap set armed = false")
    project.file("models/properties.yml", properties(levels=2))
    shop.build(*REPAIRED, *BROKEN, "tree", "hooked", "contracted", "documented", "indexed")
    return shop


def write_fine_models(project: Project) -> None:
    for name, source in FINE.items():
        hierarchy(project, name, selected(source.rows, source.types), source.options)
    for number, (type_, (above, below)) in enumerate(TYPES.items()):
        hierarchy(
            project,
            f"type_{number}",
            selected([(above, None), (below, above)], (local(type_), local(type_))),
            {"levels": 2},
        )
    two = {"levels": 2}
    hierarchy(project, "other_case", SMALL, {**two, "unique_key": ["ID"], "parent_key": ["Parent"]})
    hierarchy(
        project,
        "strange_names",
        'select \'A\' as "key ""x""", null::varchar as "select", 1 as "Le vel", 2 as member_key, 3 as src'
        " union all select 'B', 'A', 2, 3, 4; -- done",
        {"unique_key": 'key "x"', "parent_key": "SELECT", "levels": 2},
    )
    hierarchy(project, "no_parents", "select 'A' as id, null as parent", two)
    hierarchy(project, "hooked", SMALL, two, **HOOKS)
    hierarchy(project, "trapped", SMALL, two, post_hook=BROKEN_HOOK)
    hierarchy(project, "aliased", SMALL, two, alias="Odd Name")
    hierarchy(project, "documented", SMALL, two, persist_docs={"relation": True, "columns": True})
    hierarchy(project, "granted", SMALL, two, grants={"select": ["reporter"]}, full_refresh=False)
    hierarchy(project, "indexed", SMALL, two, indexes=[{"columns": ["id"], "unique": True}])
    header = "create temp table once as select 'A'::varchar as id;"
    hierarchy(project, "headed", "select id, null::varchar as parent from once", two, sql_header=header)
    for name in ("contracted", "mismatched", "violated"):
        hierarchy(project, name, SMALL, two, contract={"enforced": True})
    hierarchy(project, "misspelt", SMALL, {**two, "orphan": "root", "level": 3, "selfparent": "root", "owner": "me"})
    project.file("models/on_top.sql", "{{ config(materialized='view') }} select id, path from {{ ref('tree') }}")
    project.model("in_meta", selected(TREE), {**KEYS, "levels": 4}, meta=True, materialized="dimension_hierarchy")
    wrong = {"unique_key": UNSET, "parent_key": UNSET, "levels": "many", "orphans": "keep", "self_parent": 1}
    hierarchy(project, "wrong", "select error('this SQL ran')", wrong)
    project.execute("create view taken as select 1 as id")
    hierarchy(project, "taken", SMALL)
    project.execute("create table hooks (what varchar, members bigint)")
    project.file(
        "models/stg.sql",
        "{{ config(materialized='view', event_time='loaded_at') }}"
        " select id, parent, timezone('UTC', now()) - age as loaded_at from (values"
        " ('A', null, interval '1 hour'), ('B', 'A', interval '1 hour'), ('C', 'B', interval '9 day'))"
        " t(id, parent, age)",
    )
    hierarchy(project, "emptied", "select id, parent from {{ ref('stg') }}", {"levels": 3}, tags=["later"])
    first, then, after = "2026-01-01", "2026-04-01", "9999-12-31"
    versions = [
        ("W", "World", None, first, after),
        ("E", "Europe", "W", first, after),
        ("D", "Germany", "E", first, then),
    ]
    versions += [("D", "Germany", "W", then, after), ("X", "New", "D", then, after)]
    columns = "account_id varchar, account_name varchar, parent_id varchar, valid_from date, valid_to date"
    project.table("accounts_scd2", columns, versions)
    for day in ("2026-03-31", "2026-04-01"):
        name = f"accounts_{day.replace('-', '')}"
        options = {"unique_key": "account_id", "parent_key": "parent_id", "levels": 3}
        hierarchy(project, name, AS_OF % (day, day), options)


# --- what it writes --------------------------------------------------------------------------------------------------


def test_the_oracle_knows_the_tree() -> None:
    assert table(FINE["tree"]) == TREE_TABLE


@pytest.mark.parametrize("name", FINE)
def test_every_member_gets_its_place(name: str, shop: Shop) -> None:
    source = FINE[name]
    assert shop.tables[0][name] == table(source), shop.runs[0].messages[name]
    assert list(shop.columns(name)) == ["id", "parent", *OUTPUT, *level_columns(source.levels)]


def test_the_tree_has_the_columns_and_rows_that_the_readme_promises(shop: Shop) -> None:
    assert shop.tables[0]["tree"] == TREE_TABLE
    levels = dict.fromkeys(level_columns(4), "VARCHAR")
    place = {"level": "INTEGER", "root": "VARCHAR", "path": "VARCHAR", "is_leaf": "BOOLEAN"}
    assert shop.columns("tree") == {"id": "VARCHAR", "parent": "VARCHAR", **place, **levels}


@pytest.mark.parametrize(("number", "type_"), list(enumerate(TYPES)), ids=TYPES)
def test_keys_of_any_type_keep_it(number: int, type_: str, shop: Shop) -> None:
    name, (above, below) = f"type_{number}", TYPES[type_]
    ((upper, lower),) = shop.project.rows(f"select $${above}$$::{local(type_)}, $${below}$$::{local(type_)}")
    way = shop.project.rows(f"select id, parent, level, root, is_leaf, level_1, level_2 from {name} order by level")
    assert way == [(upper, None, 1, upper, False, upper, None), (lower, upper, 2, upper, True, upper, lower)]
    columns = shop.columns(name)
    assert {columns[key] for key in ("id", "root", "level_1", "level_2")} == {type_}


def test_the_columns_of_the_source_stand_first_as_they_came_and_any_name_goes(shop: Shop) -> None:
    assert shop.tables[0]["strange_names"] == [
        ("A", None, 1, 2, 3, 1, "A", "A", False, "A", None),
        ("B", "A", 2, 3, 4, 2, "A", "A > B", True, "A", "B"),
    ], shop.runs[0].messages["strange_names"]
    columns = list(shop.columns("strange_names"))
    assert columns == ['key "x"', "select", "Le vel", "member_key", "src", *OUTPUT, *level_columns(2)]


def test_names_match_without_regard_to_case_and_a_list_of_one_is_a_name(shop: Shop) -> None:
    assert shop.tables[0]["other_case"] == SMALL_TABLE


def test_options_under_meta_count_as_those_at_top_level(shop: Shop) -> None:
    assert shop.tables[0]["in_meta"] == TREE_TABLE, shop.runs[0].messages["in_meta"]


def test_a_parent_column_of_nulls_alone_makes_roots(shop: Shop) -> None:
    assert shop.tables[0]["no_parents"] == [("A", None, 1, "A", "A", True, "A", None)]


def test_an_as_of_slice_of_a_history_is_the_hierarchy_of_its_day(shop: Shop) -> None:
    assert shop.tables[0]["accounts_20260331"] == [
        ("D", "Germany", "E", 3, "W", "W > E > D", True, "W", "E", "D"),
        ("E", "Europe", "W", 2, "W", "W > E", False, "W", "E", None),
        ("W", "World", None, 1, "W", "W", False, "W", None, None),
    ]
    assert shop.tables[0]["accounts_20260401"] == [
        ("D", "Germany", "W", 2, "W", "W > D", False, "W", "D", None),
        ("E", "Europe", "W", 2, "W", "W > E", True, "W", "E", None),
        ("W", "World", None, 1, "W", "W", False, "W", None, None),
        ("X", "New", "D", 3, "W", "W > D > X", True, "W", "D", "X"),
    ]


def test_the_report_counts_members_roots_and_levels(shop: Shop) -> None:
    messages = shop.runs[0].messages
    assert messages["tree"] == "HIERARCHY: 6 members, 2 roots, 4 levels"
    assert messages["no_parents"] == "HIERARCHY: 1 member, 1 root, 1 level"
    assert messages["empty"] == "HIERARCHY: 0 members, 0 roots, 0 levels"
    response = shop.runs[0].responses["tree"]
    assert (response["code"], response["rows_affected"]) == ("HIERARCHY", 6)


# --- what it refuses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFUSED)
def test_a_guard_says_what_and_which_and_what_to_do(name: str, shop: Shop) -> None:
    guard = REFUSED[name]
    found = findings(shop.runs[0].messages[name], name)
    assert {slug: said.strip() for slug, said in found.items()} == {guard.slug: local(guard.finding)}


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_leaves_the_table_as_it_was(name: str, shop: Shop) -> None:
    assert shop.tables[0][name] == BEFORE


def test_a_first_build_that_is_refused_leaves_no_table(shop: Shop) -> None:
    assert not NEW.keys() & shop.tables[0].keys()


@pytest.mark.parametrize("name", REPAIRED)
def test_the_build_after_a_repair_works(name: str, shop: Shop) -> None:
    assert shop.tables[1][name] == SMALL_TABLE, shop.runs[1].messages[name]


def test_no_build_leaves_a_helper_relation_behind(shop: Shop) -> None:
    helpers = re.compile("__dbt|__scd2|links|places|climbs")
    assert [name for tables in shop.tables for name in tables if helpers.search(name)] == []


def test_a_view_of_the_model_s_name_is_not_replaced(shop: Shop) -> None:
    found = findings(shop.runs[0].messages["taken"], "taken")
    assert list(found) == ["target_not_table"]
    assert shop.tables[1]["taken"] == [(1,)]


def test_all_findings_on_the_configuration_come_at_once_and_before_any_sql(shop: Shop) -> None:
    found = findings(shop.runs[0].messages["wrong"], "wrong")
    assert list(found) == ["missing_unique_key", "invalid_option"]
    for option in ("parent_key", "levels", "self_parent", "orphans"):
        assert f"{option} is " in found["invalid_option"]


def test_what_is_nearly_an_option_is_warned_of_and_other_keys_are_not(shop: Shop) -> None:
    start = "scd2_master model.shop.misspelt: "
    assert sorted(line for line in shop.runs[0].log.splitlines() if line.startswith(start)) == [
        f"{start}the config has level, which is not an option. Did you mean levels?",
        f"{start}the config has orphan, which is not an option. Did you mean orphans?",
        f"{start}the config has selfparent, which is not an option. Did you mean self_parent?",
    ]
    assert shop.tables[0]["misspelt"] == SMALL_TABLE


def test_check_configs_looks_at_hierarchies_too(shop: Shop) -> None:
    log = shop.project.dbt("run-operation", "scd2_master.check_configs").log
    for model, outcome in [("tree", "ok"), ("wrong", "5 found"), ("two_parents", "ok")]:
        assert f"scd2_master model.shop.{model}: {outcome}" in log, log
    assert (
        "scd2_master [invalid_option] model.shop.wrong: levels is 'many', it must be a whole number from 1 on." in log
    )


# --- like any dbt model ----------------------------------------------------------------------------------------------


def test_hooks_run_around_the_table(shop: Shop) -> None:
    hooks = [("pre", None), ("pre inside", None), ("post inside", 2), ("post", 2)]
    assert shop.project.rows("select * from hooks") == hooks * 2
    assert [tables["hooked"] for tables in shop.tables] == [SMALL_TABLE] * 2


def test_a_hook_that_fails_leaves_the_table_as_it_was(shop: Shop) -> None:
    assert "sprung" in shop.runs[0].messages["trapped"]
    assert [tables["trapped"] for tables in shop.tables] == [BEFORE, SMALL_TABLE]


def test_alias_grants_and_header_work_as_in_a_table_model(shop: Shop) -> None:
    for name in ("Odd Name", "granted"):
        assert shop.tables[1][name] == SMALL_TABLE, name
    assert shop.tables[1]["headed"] == [("A", None, 1, "A", "A", True, "A", None)]


def test_comments_of_table_and_columns_survive_each_build(shop: Shop) -> None:
    assert shop.tables[1]["documented"] == SMALL_TABLE
    assert shop.project.comments("documented") == [("documented", "It's a tree"), ("path", "Way")]


def test_indexes_are_made_with_each_build(shop: Shop) -> None:
    assert shop.tables[1]["indexed"] == SMALL_TABLE
    assert shop.project.indexes("indexed") == [(True, "id")]


def test_a_view_on_the_hierarchy_survives_its_replacement(shop: Shop) -> None:
    assert shop.tables[1]["on_top"] == [(row[0], row[4]) for row in TREE_TABLE]


def test_a_contract_lists_the_final_columns_and_its_constraints_reach_the_table(shop: Shop) -> None:
    assert shop.tables[1]["contracted"] == SMALL_TABLE, shop.runs[1].messages["contracted"]
    with pytest.raises(constraint_error()):
        shop.project.execute("insert into contracted select * from contracted")
    assert "enforced contract that failed" in shop.runs[0].messages["mismatched"]
    assert re.search("(?i)check constraint", shop.runs[0].messages["violated"])
    for name in ("mismatched", "violated"):
        assert [tables[name] for tables in shop.tables] == [BEFORE, SMALL_TABLE], shop.runs[1].messages[name]


def test_a_full_refresh_is_an_ordinary_build_without_a_warning(shop: Shop) -> None:
    run = shop.project.run("tree", flags=["--full-refresh"])
    assert run.messages["tree"] == "HIERARCHY: 6 members, 2 roots, 4 levels"
    assert "full refresh" not in run.log
    assert shop.project.history("tree") == TREE_TABLE


def test_empty_and_sample_build_what_their_source_holds_as_a_table_model_does(shop: Shop) -> None:
    way = [("A", None, 1, "A", "A", False, "A", None, None), ("B", "A", 2, "A", "A > B", False, "A", "B", None)]
    shop.project.run("emptied")
    assert shop.project.history("emptied") == [*way, ("C", "B", 3, "A", "A > B > C", True, "A", "B", "C")]
    shop.project.run("emptied", flags=["--empty"])
    assert shop.project.history("emptied") == []
    assert list(shop.columns("emptied")) == ["id", "parent", *OUTPUT, *level_columns(3)]
    shop.project.run("emptied", flags=["--sample", "1 day"])
    assert shop.project.history("emptied") == [way[0], (*way[1][:5], True, *way[1][6:])]


# --- random forests --------------------------------------------------------------------------------------------------


def play(project: Project, seeds: Sequence[int]) -> set[str]:
    """Build the random hierarchies of these seeds in one run, compare them with the oracle, return what was seen."""
    sources = {f"forest_{seed}": random_source(seed) for seed in seeds}
    for name, source in sources.items():
        hierarchy(project, name, selected(source.rows, source.types), source.options)
    run = project.run(*sources)
    seen = set()
    for name, source in sources.items():
        expected = refusals(source)
        found = {slug: text.strip() for slug, text in findings(run.messages[name], name).items()}
        assert found == expected, f"{name}: {source}\n{run.messages[name]}"
        if not expected:
            assert project.rows(f"select * from {name} order by id") == table(source), f"{name}: {source}"
            seen |= {option for option, value in source.options.items() if value == "root" and len(source.rows) > 3}
        seen |= set(expected)
    return seen


def test_random_forests_give_the_table_or_the_refusal_of_the_oracle(tmp_path: Path) -> None:
    project = Project(tmp_path)
    seen = play(project, FIXED_EXAMPLES)
    slugs = {"multiple_parents", "duplicate_key", "null_key", "orphan_parent", "hierarchy_cycle", "too_deep"}
    assert slugs | {"self_parent", "orphans"} <= seen, "the forests are too tame"
    for batch in range(EXAMPLES // 10):
        play(project, range(1000 + 40 * batch, 1040 + 40 * batch))
