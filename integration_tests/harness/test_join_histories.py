"""join_histories: random histories against a day-by-day expansion, and what is told apart by hand.

In a random history every version has a value of its own, so a day's value names its version, and the expected rows are
the longest runs of days with the same values. SCD2_EXAMPLES=50 takes that many times the keys, and fresh ones.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby, product
from typing import Any

import pytest
from batch import MAX
from engines import ENGINE, local
from project import Project, Run
from test_generic_tests import quoted

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
SEED = random.randrange(10**9) if EXAMPLES else 20260101
KEYS = 120 * max(1, EXAMPLES)
# The last day stands for all days until the max date.
LAST = 14

Row = tuple[Any, ...]
# By entity: its key in the other history, and the version of each day, or none.
Days = dict[str, tuple[str | None, list[str | None]]]


def random_days(rng: random.Random, name: str, entities: Iterable[tuple[str, str | None]]) -> Days:
    """A history per entity, now and then none: versions that touch, gaps, an open or a closed end."""
    histories: Days = {}
    for entity, key in entities:
        if rng.random() < 0.1:
            continue
        cuts = sorted({0, *(rng.randint(0, LAST) for _ in range(rng.randint(0, 7)))})
        absent = rng.choice([0.0, 0.0, 0.3, 0.6])
        days: list[str | None] = []
        for start, end in zip(cuts, [*cuts[1:], LAST + 1], strict=True):
            version = None if rng.random() < absent else f"{name}:{entity}:{start}"
            days += [version] * (end - start)
        histories[entity] = (key, days)
    return histories


def day(number: int) -> date:
    return MAX if number > LAST else date(2026, 1, 1) + timedelta(days=number)


def runs(days: Sequence[Any]) -> list[tuple[Any, int, int]]:
    """Each value with the first day of its run and the day after its last."""
    found, start = [], 0
    for value, run in groupby(days):
        end = start + len(list(run))
        found.append((value, start, end))
        start = end
    return found


def versions(histories: Days) -> list[Row]:
    """The rows of a table (entity, key, value, from, to, open)."""
    return [
        (entity, key, value, day(start), day(end), end > LAST)
        for entity, (key, days) in histories.items()
        for value, start, end in runs(days)
        if value
    ]


def expected(left: Days, *rights: tuple[str, Days]) -> list[Row]:
    """The rows (entity, key, values, from, to, open) of one join after the other, by day."""
    rows = []
    for entity, (key, days) in left.items():
        values: list[Row | None] = [(value,) if value else None for value in days]
        for join_type, right in rights:
            others = right.get(key, (None, [None] * len(days)))[1] if key else [None] * len(days)
            values = [
                None if value is None or (other is None and join_type == "inner") else (*value, other)
                for value, other in zip(values, others, strict=True)
            ]
        rows += [
            (entity, key, *value, day(start), day(end), end > LAST)
            for value, start, end in runs(values)
            if value is not None
        ]
    return in_order(rows)


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: [(value is None, str(value)) for value in row])


def literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value or False).lower() if value is not None else "null"
    return "'" + str(value).replace("'", "''") + "'"


def written(value: Any, type_: str) -> str:
    """A value of a column of this type."""
    return literal(int(value) if type_ == "integer" else value)


def create(project: Project, table: str, columns: Sequence[str], types: Sequence[str], rows: Iterable[Row]) -> None:
    names = ", ".join(f"{quoted(name)} {type_}" for name, type_ in zip(columns, types, strict=True))
    values = ", ".join("(" + ", ".join(map(written, row, types)) + ")" for row in rows)
    project.execute(f"create table {table} ({names})")
    if values:
        project.execute(f"insert into {table} values {values}")


RENAMES = {"valid_from": "Valid From", "valid_to": "order", "is_current": "ends_at"}
NAMES = ["valid_from", "valid_to", "is_current"]


@pytest.fixture(scope="module")
def random_case(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, Days]]:
    """Histories a, b and c of one key, accounts of whose parents there are several each, and their joins as views."""
    rng = random.Random(SEED)
    keys = [f"k{number}" for number in range(KEYS)]
    project = Project(tmp_path_factory.mktemp("random"))
    histories = {name: random_days(rng, name, [(key, key) for key in keys]) for name in ("a", "b", "c")}
    accounts = [(f"i{number}", rng.choice([*keys, None])) for number in range(2 * KEYS)]
    histories["accounts"] = random_days(rng, "accounts", accounts)
    types = {"a": ("date", "boolean"), "b": ("timestamp", "integer"), "c": ("date", "integer")}
    for name, (interval, flag) in types.items():
        rows = [row[1:] for row in versions(histories[name])]
        of_type = ["varchar", "varchar", interval, interval, flag]
        create(project, name, ["id", name, *NAMES], of_type, rows)
        # the same with odd names and a key of two columns
        odd = ["key_1", 'the "id"', f"starts at {name}", *RENAMES.values()]
        create(project, f"odd_{name}", odd, ["varchar", *of_type], [("NL", *row) for row in rows])
    of_type = ["varchar", "varchar", "varchar", "date", "date", "boolean"]
    create(project, "accounts", ["account", "client", "value", *NAMES], of_type, versions(histories["accounts"]))
    project.file(
        "models/raw.yml",
        "sources: [{name: raw, schema: main, tables: ["
        + ", ".join(f"{{name: {name}}}" for name in ("a", "b", "c", "accounts", "odd_a", "odd_b", "odd_c"))
        + "]}]",
    )
    for name, sql in RANDOM_MODELS.items():
        project.file(f"models/{name}.sql", sql)
    run = project.run()
    assert run.success, run.log
    return project, histories


def joined(left: str, right: str, join_type: str, key: str = "'id'", more: str = "") -> str:
    """A call of the macro; a name of one word is a source."""
    inputs = [f"source('raw', '{name}')" if name.isidentifier() else name for name in (left, right)]
    return f"scd2_master.join_histories({inputs[0]}, {inputs[1]}, {key}, '{join_type}'{more})"


ODD = ("""['key_1', 'the "id"']""", f", column_names={RENAMES}")
RANDOM_MODELS = {
    "inner_ab": f"{{{{ {joined('a', 'b', 'inner')} }}}}",
    "left_ab": f"{{{{ {joined('a', 'b', 'left')} }}}}",
    "left_left": f"{{{{ {joined(joined('a', 'b', 'left'), 'c', 'left')} }}}}",
    "left_inner": f"{{{{ {joined(joined('a', 'b', 'left'), 'c', 'inner')} }}}}",
    "inner_left": f"{{{{ {joined(joined('a', 'b', 'inner'), 'c', 'left')} }}}}",
    "inner_of_inner": f"{{{{ {joined('a', joined('b', 'c', 'inner'), 'inner')} }}}}",
    "odd_left_left": f"{{{{ {joined(joined('odd_a', 'odd_b', 'left', *ODD), 'odd_c', 'left', *ODD)} }}}}",
    "inner_accounts": "{{ " + joined("accounts", "a", "inner", "{'client': 'id'}") + " }}",
    "left_accounts": "{{ " + joined("accounts", "b", "left", "{'client': 'id'}") + " }}",
}


@pytest.mark.parametrize(
    ("model", "joins"),
    [
        ("inner_ab", [("inner", "b")]),
        ("left_ab", [("left", "b")]),
        ("left_left", [("left", "b"), ("left", "c")]),
        ("left_inner", [("left", "b"), ("inner", "c")]),
        ("inner_left", [("inner", "b"), ("left", "c")]),
        ("inner_of_inner", [("inner", "b"), ("inner", "c")]),
        ("odd_left_left", [("left", "b"), ("left", "c")]),
    ],
)
def test_a_row_per_interval_in_which_no_history_changed(
    random_case: tuple[Project, dict[str, Days]], model: str, joins: list[tuple[str, str]]
) -> None:
    project, histories = random_case
    rows = [row[1:] for row in expected(histories["a"], *((kind, histories[name]) for kind, name in joins))]
    assert len(rows) > KEYS
    # the odd ones have a column more, the first one
    found = [row[model.startswith("odd") :] for row in project.rows(f"select * from {model}")]
    assert in_order(as_dates(found)) == in_order(rows), SEED


@pytest.mark.parametrize(
    ("model", "join_type", "right"), [("inner_accounts", "inner", "a"), ("left_accounts", "left", "b")]
)
def test_each_child_s_versions_are_cut_by_those_of_its_parent(
    random_case: tuple[Project, dict[str, Days]], model: str, join_type: str, right: str
) -> None:
    project, histories = random_case
    rows = expected(histories["accounts"], (join_type, histories[right]))
    assert len(rows) > KEYS
    assert in_order(as_dates(project.rows(f"select * from {model}"))) == rows, SEED


def as_dates(rows: Iterable[Row]) -> list[Row]:
    """Plain midnights as dates."""
    return [tuple(value.date() if is_midnight(value) else value for value in row) for row in rows]


def is_midnight(value: Any) -> bool:
    return isinstance(value, datetime) and value.tzinfo is None and value.time() == time.min


def test_the_finer_of_the_two_types_is_that_of_the_interval_and_the_flag_is_boolean(
    random_case: tuple[Project, dict[str, Days]],
) -> None:
    project, _ = random_case
    assert project.columns("left_ab") == [
        *(("id", "VARCHAR"), ("a", "VARCHAR"), ("b", "VARCHAR")),
        *(("valid_from", "TIMESTAMP"), ("valid_to", "TIMESTAMP"), ("is_current", "BOOLEAN")),
    ]
    assert [name for name, _ in project.columns("odd_left_left")] == [
        *("key_1", 'the "id"', "starts at a", "starts at b", "starts at c"),
        *RENAMES.values(),
    ]


def jan(number: int) -> date:
    return date(2026, 1, number)


HISTORY = "id varchar, region varchar, valid_from date, valid_to date, is_current boolean"
PLANS = "id varchar, plan varchar, valid_from date, valid_to date, is_current boolean"
EARLY_MAX = date(2999, 12, 31)
CUSTOMERS = [
    ("C1", "West", jan(1), jan(10), False),
    ("C1", "East", jan(10), MAX, True),
    ("C2", "West", jan(1), MAX, True),
    ("C3", "West", jan(1), MAX, True),
    ("C4", "West", jan(1), jan(5), False),
    ("null bounds", "a", None, jan(5), False),
    ("null bounds", "b", jan(5), None, True),
    ("zero width", "c", jan(5), jan(5), False),
    (None, "West", jan(1), MAX, True),
]
PLAN_ROWS = [
    ("C1", "basic", jan(5), jan(10), False),
    ("C1", "gold", jan(10), MAX, True),
    ("C2", "basic", jan(5), jan(7), False),
    ("C2", None, jan(5), None, True),
    ("C2", "void", jan(6), jan(6), False),
    ("C3", "basic", jan(3), EARLY_MAX, True),
    ("C4", "basic", jan(1), jan(3), None),
    ("null bounds", "basic", jan(1), MAX, True),
    ("zero width", "basic", jan(1), MAX, True),
    (None, "basic", jan(1), MAX, True),
]
RAW = "source('raw', 'customers'), source('raw', 'plans'), 'id'"
ZONED_RAW = RAW.replace("plans", "zoned_plans")
WITH_CTES = """
with right_versions as (select *, 'x' as key_1, 'y' as starts_at from {{ source('raw', 'customers') }}),
right_periods as (select *, 1 as is_open, 2 as column_1, 3 as next_starts_at from {{ source('raw', 'plans') }}),
joined as (
    {{ scd2_master.join_histories(
        'right_versions', 'right_periods', 'id', 'left', left_columns=['key_1', 'starts_at', 'region'],
        right_columns=['plan', 'is_open', 'column_1', 'next_starts_at'], prefix='plan '
    ) }}
)
select * from joined
"""
# a field's name is no column's
STRUCT = """"select *, {'field': 1} as struct from \"""" if ENGINE == "duckdb" else '"select *, 1 as struct from "'
MODELS = {
    "as_inner": f"{{{{ scd2_master.join_histories({RAW}) }}}}",
    "as_left": f"{{{{ scd2_master.join_histories({RAW}, join_type='left') }}}}",
    "some_columns": f"{{{{ scd2_master.join_histories({RAW}, left_columns=['REGION'], right_columns=[]) }}}}",
    "of_ctes": WITH_CTES,
    "without_plans": """{{ scd2_master.join_histories(
        source('raw', 'customers'), 'select * from ' ~ source('raw', 'plans') ~ ' where false', 'id', 'left'
    ) }}""",
    "without_customers": """{{ scd2_master.join_histories(
        "-- none
        SELECT * from " ~ source('raw', 'customers') ~ ' where false; -- all', source('raw', 'plans'), 'id', 'left'
    ) }}""",
    "of_other_names": """{{ scd2_master.join_histories(
        source('raw', 'customers'),
        'select id as customer, plan, valid_from as start from ' ~ source('raw', 'plans'),
        {'id': 'customer'}, left_columns=['region'], column_names={'valid_from': 'start'}
    ) }}""",
    "renamed": """{{ scd2_master.join_histories(
        'select id, region, valid_from as start, valid_to, is_current from ' ~ source('raw', 'customers'),
        'select id as customer, plan, valid_from as start, valid_to, is_current from ' ~ source('raw', 'plans'),
        {'id': 'customer'}, column_names={'valid_from': 'start'}
    ) }}""",
    "zoned_right": f"{{{{ scd2_master.join_histories({ZONED_RAW}, 'left') }}}}",
    "zoned_left": """{{ scd2_master.join_histories(
        """
    + STRUCT
    + """ ~ source('raw', 'zoned_plans'), source('raw', 'customers'), 'id'
    ) }}""",
    **{
        f"zoned_{left}_{right}": f"{{{{ {joined(f'{left}_customers', f'{right}_plans', 'left')} }}}}"
        for left, right in [("zoned", "mixed"), ("mixed", "zoned"), ("mixed", "mixed"), ("finest", "zoned")]
    },
    "numbers": """{{ scd2_master.join_histories(
        source('raw', 'numbered_customers'), source('raw', 'numbered_plans'), 'id'
    ) }}""",
    "zoned_beside_a_cte": """with untyped as (select * from {{ source('raw', 'plans') }}), joined as (
    {{ scd2_master.join_histories(
        source('raw', 'zoned_customers'), 'untyped', 'id', 'left', right_columns=['plan']
    ) }}) select * from joined""",
    "zoned_both": """{{ scd2_master.join_histories(
        source('raw', 'zoned_plans'), source('raw', 'zoned_plans'), 'id', right_columns=[]
    ) }}""",
    "ephemeral_plans": "{{ config(materialized='ephemeral') }} select * from {{ source('raw', 'plans') }}",
    "of_an_ephemeral_model": """{{ scd2_master.join_histories(
        source('raw', 'customers'), ref('ephemeral_plans'), 'id', right_columns=['plan']
    ) }}""",
}
# Models that are refused, and what the message says.
REFUSED: dict[str, tuple[str, list[str]]] = {
    "of_no_key": (
        "source('raw', 'customers'), source('raw', 'plans'), none",
        ["[missing_unique_key]", "key is not set"],
    ),
    "of_a_wrong_key": (
        f"{RAW[:-4]} {{'id': ''}}",
        ["[invalid_option]", "key must be a column name, a list of", "{'id': ''}"],
    ),
    "of_an_unknown_key": (
        f"{RAW[:-4]} {{'id': 'customer_id'}}",
        ["[unknown_column]", "has no column customer_id (key); it has id, plan, valid_from", "Correct key"],
    ),
    "of_a_full_join": (f"{RAW}, 'full'", ["[invalid_option]", "join_type must be inner or left, it is 'full'"]),
    "of_a_number": ("7, source('raw', 'plans'), 'id'", ["[invalid_option]", "left must be a relation", "it is 7"]),
    "of_same_names": (
        "source('raw', 'customers'), source('raw', 'customers'), 'id'",
        ["[reserved_column]", "more than one column named region", "with prefix"],
    ),
    "of_an_interval_column": (
        f"{RAW}, right_columns=['plan', 'valid_to']",
        ["[reserved_column]", "more than one column named valid_to"],
    ),
    "of_a_column_twice": (f"{RAW}, left_columns=['region', 'Region']", ["[reserved_column]", "column named region"]),
    "of_unknown_columns": (
        f"{RAW}, left_columns=['regoin'], right_columns='plan', prefix=1",
        [
            *("[unknown_column]", "no column regoin (left_columns)", "Did you mean region?"),
            *("[invalid_option]", "right_columns must be a list of column names, it is 'plan'"),
            *("[invalid_option]", "prefix must be a text, it is 1"),
        ],
    ),
    "of_a_cte": (
        "'customers', source('raw', 'plans'), 'id'",
        ["[invalid_option]", "left_columns is not set, and the columns of customers are not known", "List the columns"],
    ),
    "of_an_ephemeral_query": (
        "source('raw', 'customers'), 'select * from ' ~ ref('ephemeral_plans'), 'id'",
        ["[invalid_option]", "right_columns is not set, and the columns of select * from __dbt__cte__ephemeral_plans"],
    ),
    "of_names_that_the_right_has_not": (
        f"{RAW}, column_names={{'valid_from': 'plan'}}",
        [
            *(
                "[unknown_column]",
                "no column plan (valid_from); ",
                "for both histories, or rename it in a query",
            ),
            *("[effective_date_type]", "column plan (valid_from) of ", "is of type VARCHAR, which is not a date"),
        ],
    ),
    "of_wrong_column_names": (
        f"{RAW}, column_names={{'until': 'x'}}",
        ["[invalid_option]", "column_names must be a mapping"],
    ),
}
UNIT_TEST = """
unit_tests:
  - name: unit
    model: tested
    given:
      - input: ref('customers_view')
        rows:
          - {id: C1, region: West, valid_from: 2026-01-01, valid_to: 2026-01-10, is_current: false}
      - input: ref('plans_view')
        rows:
          - {id: C1, plan: gold, valid_from: 2026-01-05, valid_to: 9999-12-31, is_current: true}
    expect:
      rows:
        - {id: C1, region: West, plan: gold, valid_from: 2026-01-05, valid_to: 2026-01-10, is_current: false}
"""


def zoned(row: Row) -> Row:
    """Dates as their midnights in UTC."""
    return tuple(datetime(*value.timetuple()[:3], tzinfo=UTC) if isinstance(value, date) else value for value in row)


FINEST = "timestamp_ns" if ENGINE == "duckdb" else "timestamp"
# The types of the bounds in copies of the two tables.
KINDS = {
    "zoned": ("timestamptz", "timestamptz"),
    "mixed": ("timestamptz", "timestamp"),
    "finest": (FINEST, FINEST),
    "numbered": ("integer", "integer"),
}


def as_type(column: str, type: str) -> str:
    """A date column as its midnight in UTC; a TIMESTAMP_NS does not reach the max dates and has infinity."""
    if type == "timestamptz":
        return f"timezone('UTC', cast({column} as timestamp))"
    if type == "timestamp_ns":
        return f"case when {column} < '2200-01-01' then cast({column} as varchar) else 'infinity' end::timestamp_ns"
    if type == "integer":
        return f"cast(replace(cast({column} as varchar), '-', '') as integer)"
    return f"cast({column} as {type})"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Run]:
    project = Project(tmp_path_factory.mktemp("told"), zone="Pacific/Kiritimati")
    project.table("customers", HISTORY, CUSTOMERS)
    project.table("plans", PLANS, PLAN_ROWS)
    names = ["customers", "plans"]
    for kind, table in product(KINDS, ("customers", "plans")):
        bounds = (f"{as_type(name, type)} as {name}" for name, type in zip(NAMES[:2], KINDS[kind], strict=True))
        values = {"customers": "id, region", "plans": "id, plan"}[table]
        project.execute(f"create table {kind}_{table} as select {values}, {', '.join(bounds)}, is_current from {table}")
        names.append(f"{kind}_{table}")
    tables = ", ".join(f"{{name: {name}}}" for name in names)
    project.file("models/raw.yml", f"sources: [{{name: raw, schema: main, tables: [{tables}]}}]")
    for name, sql in MODELS.items():
        project.file(f"models/{name}.sql", sql)
    for name, (arguments, _) in REFUSED.items():
        project.file(f"models/{name}.sql", f"{{{{ scd2_master.join_histories({arguments}) }}}}")
    for name in ("customers", "plans"):
        project.file(f"models/{name}_view.sql", f"select * from {{{{ source('raw', '{name}') }}}}")
    project.file(
        "models/tested.sql", "{{ scd2_master.join_histories(ref('customers_view'), ref('plans_view'), 'id') }}"
    )
    project.file("models/unit.yml", UNIT_TEST)
    run = project.dbt("build")
    assert run.statuses, run.log
    return project, run


def rows_of(told: tuple[Project, Run], model: str) -> list[Row]:
    project, run = told
    assert run.statuses[model] == "success", run.messages[model]
    return in_order(project.rows(f"select * from {model}"))


INNER = [
    ("C1", "East", "gold", jan(10), MAX, True),
    ("C1", "West", "basic", jan(5), jan(10), False),
    ("C2", "West", "basic", jan(5), jan(7), False),
    ("C3", "West", "basic", jan(3), EARLY_MAX, True),
    ("C4", "West", "basic", jan(1), jan(3), False),
]
LEFT = in_order(
    [
        ("C1", "West", None, jan(1), jan(5), False),
        ("C1", "West", "basic", jan(5), jan(10), False),
        ("C1", "East", "gold", jan(10), MAX, True),
        ("C2", "West", None, jan(1), jan(5), False),
        ("C2", "West", "basic", jan(5), jan(7), False),
        ("C2", "West", None, jan(7), MAX, True),
        ("C3", "West", None, jan(1), jan(3), False),
        ("C3", "West", "basic", jan(3), EARLY_MAX, False),
        ("C3", "West", None, EARLY_MAX, MAX, True),
        ("C4", "West", "basic", jan(1), jan(3), False),
        ("C4", "West", None, jan(3), jan(5), False),
        (None, "West", None, jan(1), MAX, True),
    ]
)


def test_an_inner_join_has_what_both_histories_cover(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "as_inner") == INNER


def test_a_left_join_keeps_what_the_right_does_not_cover(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "as_left") == LEFT


def test_zoned_bounds_beside_plain_ones_are_not_read_in_the_time_zone_of_the_session(told: tuple[Project, Run]) -> None:
    assert in_order(as_dates(rows_of(told, "zoned_right"))) == LEFT
    assert in_order(as_dates(rows_of(told, "zoned_beside_a_cte"))) == LEFT
    swapped = [
        (id, plan, {"field": 1} if ENGINE == "duckdb" else 1, region, *rest) for id, region, plan, *rest in INNER
    ]
    assert in_order(as_dates(rows_of(told, "zoned_left"))) == in_order(swapped)


@pytest.mark.parametrize("model", ["zoned_zoned_mixed", "zoned_mixed_zoned", "zoned_mixed_mixed"])
def test_zoned_and_plain_bounds_of_one_history_neither(told: tuple[Project, Run], model: str) -> None:
    assert in_order(as_dates(rows_of(told, model))) == LEFT


def test_bounds_finer_than_microseconds_meet_zoned_ones(told: tuple[Project, Run]) -> None:
    found = in_order(as_dates(row for row in rows_of(told, "zoned_finest_zoned") if row[0] == "C1" and row[2]))
    assert [row[:5] for row in found] == [row[:5] for row in INNER if row[0] == "C1"]


def test_bounds_that_are_all_numbers_compare_as_they_are(told: tuple[Project, Run]) -> None:
    numbered = [tuple(int(f"{v:%Y%m%d}") if isinstance(v, date) else v for v in row) for row in INNER]
    assert rows_of(told, "numbers") == in_order(numbered)


def test_bounds_that_are_all_zoned_stay_so(told: tuple[Project, Run]) -> None:
    assert [type_ for name, type_ in told[0].columns("zoned_both") if name in NAMES] == [
        *("TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE", "BOOLEAN")
    ]
    assert ("C1", "gold", *zoned((jan(10), MAX)), True) in rows_of(told, "zoned_both")


def test_a_wrong_time_zone_is_named_once(told: tuple[Project, Run]) -> None:
    message = told[0].run("as_left", vars={"scd2_timezone": "Mars/Olympus_Mons"}).messages["as_left"]
    assert "[invalid_option] join_histories (model.shop.as_left): var('scd2_timezone') is" in message
    assert message.count("scd2_master [") == 1, message


def test_listed_columns_alone_are_taken_and_the_key_is_always_there(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "some_columns") == in_order((row[:2] + row[3:]) for row in INNER)
    assert [name for name, _ in told[0].columns("some_columns")] == ["id", "region", *NAMES]


def test_ctes_are_joined_whatever_they_and_their_columns_are_called(told: tuple[Project, Run]) -> None:
    rows = [(*row[:1], "x", "y", *row[1:3], *((None,) * 3 if row[2] is None else (1, 2, 3)), *row[3:]) for row in LEFT]
    assert rows_of(told, "of_ctes") == in_order(rows)
    assert [name for name, _ in told[0].columns("of_ctes")] == [
        *("id", "key_1", "starts_at", "region", "plan plan", "plan is_open", "plan column_1", "plan next_starts_at"),
        *NAMES,
    ]


def test_without_a_row_on_the_right_a_left_join_is_the_left_history(told: tuple[Project, Run]) -> None:
    whole = [row for row in CUSTOMERS if None not in row[2:4] and row[2] != row[3]]
    assert rows_of(told, "without_plans") == in_order((*row[:2], None, *row[2:]) for row in whole)


def test_without_a_row_on_the_left_there_is_none(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "without_customers") == []


def test_histories_with_other_names_are_joined_once_a_query_renames_them(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "renamed") == INNER
    assert [name for name, _ in told[0].columns("renamed")] == [
        "id",
        "region",
        "plan",
        "start",
        "valid_to",
        "is_current",
    ]
    assert "[unknown_column]" in told[1].messages["of_other_names"]


def test_an_ephemeral_model_is_joined_when_its_columns_are_listed(told: tuple[Project, Run]) -> None:
    assert rows_of(told, "of_an_ephemeral_model") == INNER


def test_a_model_that_joins_histories_takes_unit_tests(told: tuple[Project, Run]) -> None:
    assert told[1].statuses["unit"] == "pass", told[1].messages["unit"]
    assert rows_of(told, "tested") == INNER


@pytest.mark.parametrize("model", REFUSED)
def test_what_cannot_be_joined_is_named_with_a_way_out(told: tuple[Project, Run], model: str) -> None:
    message = told[1].messages[model]
    says = REFUSED[model][1]
    assert message.count("scd2_master [") == sum(text.startswith("[") for text in says), message
    assert f"join_histories (model.shop.{model}): " in message
    assert [text for text in map(local, says) if text not in message] == [], message
