"""The run-operation `inspect_source`: what it prints, and that the model that it prints runs when it is pasted."""

from __future__ import annotations

import contextlib
import io
import json
import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from engines import ENGINE, local, needs_duckdb
from project import Project, Run

LOOK = """{% macro look(relations) %}
    {% for relation in relations %}
        {% do print('#### ' ~ loop.index0) %}
        {% do scd2_master.inspect_source(relation) %}
    {% endfor %}
{% endmacro %}
{% macro reserved() %}{% do print(scd2_master.reserved_words() | sort | join(' ')) %}{% endmacro %}
"""
D1 = date(2026, 1, 1)
T1, T2, T3, T4 = (datetime(2026, 1, number, 10) for number in (1, 2, 3, 4))
ODD = [(1, "a", "b", "c", "d", "e", 7, "x", D1, True), (2, "a", "b", "c", "d", "e", 7, "y", D1, False)]
TABLES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "customers": (
        "customer_id varchar, region varchar, segment varchar",
        [("C1", "West", "SMB"), ("C2", "East", None), ("C3", "East", "Enterprise")],
    ),
    "stores": (
        "city varchar, country varchar, no int, opened_on date, updated_at timestamp",
        [
            ("Riga", "LV", 1, date(2001, 2, 3), T1),
            ("Riga", "LV", 2, date(2001, 2, 3), T1),
            ("Oslo", "NO", 1, date(2005, 5, 5), T2),
            ("Oslo", "NO", 2, date(2001, 2, 3), T3),
            ("Riga", "NO", 3, date(2001, 2, 3), T3),
            ("Riga", "LV", 3, date(2001, 2, 3), T3),
        ],
    ),
    "triple": (
        "a int, b int, c int, v varchar",
        [(a, b, c, "same") for a in (1, 2) for b in (1, 2) for c in (1, 2)],
    ),
    "vessel_log": (
        "vessel_id int, flag varchar, changed_at timestamp",
        [(1, "PA", T1), (1, "LR", T2), (2, "LR", T2), (2, "PA", T3), (1, "PA", T3)],
    ),
    "moments": (
        "device_id int, state varchar, seen_at timestamp",
        [(1, "on", T1), (1, "off", T2), (1, "on", T3), (2, "on", T4)],
    ),
    "exported": (
        "k int, v varchar, exported_on date",
        [(1, "a", D1), (2, "b", D1)],
    ),
    "too_late": ("k int, v varchar, expires_on date", [(1, "a", date(9999, 12, 31)), (2, "b", date(9999, 12, 31))]),
    "zoned": (
        "k int, v varchar, loaded_at timestamptz",
        [(1, "a", T1.replace(tzinfo=UTC)), (2, "b", T1.replace(tzinfo=UTC))],
    ),
    "empty": ("id int, v varchar", []),
    "only_key": ("id int", [(1,), (2,)]),
    "no_key": ("a int, b int, c varchar", [(1, 1, "x"), (1, 1, "x"), (2, 1, None)]),
    '"Odd Names"': (
        '"Customer No" int, "select" varchar, "ord""er" varchar, "it\'s" varchar, "both\'""" varchar, '
        '"back\\slash" varchar, "{{ x }}" int, "日本" varchar, valid_to date, IS_CURRENT boolean',
        ODD,
    ),
    "history": (
        "k int, v varchar, valid_from date, valid_to date, is_current boolean",
        [(1, "a", D1, date(9999, 12, 31), True), (2, "b", D1, date(9999, 12, 31), True)],
    ),
}
NESTED = {
    "duckdb": """
        i as id, {'a': i, 'b': [1, 2]} as s, [i] as l, map {'k': i} as m, '{"a": 1}'::json as j, 'x'::blob as b,
        i + 0.5::double as d, i + 1.25::decimal(10, 2) as n, uuid() as u, 'a'::enum('a', 'b') as e,
        interval 1 day as iv, time '10:00' as t, '101'::bit as bi, union_value(num := 2) as un, i % 2 = 0 as f
    """,
    "postgres": """
        i as id, array[i] as l, '{"a": 1}'::json as j, '{"a": 1}'::jsonb as jb, 'x'::bytea as b,
        i + 0.5::double precision as d, (i + 1.25)::decimal(10, 2) as n, gen_random_uuid() as u, interval '1 day' as iv,
        time '10:00' as t, b'101' as bi, int4range(1, 5) as r, i % 2 = 0 as f
    """,
}[ENGINE]
WIDE = ", ".join(f"i * {number} % {number + 2} as column_number_{number}" for number in range(62))
RELATIONS = {
    **{name: name for name in TABLES if not name.startswith('"')},
    "odd": '"Odd Names"',
    "nested": "nested",
    "wide": "wide",
    "seen": "main.seen",
    "source": "raw.customers",
    "model": "customer_view",
    "version": "model.shop.product.v2",
}
PASTED = [name for name in RELATIONS if name not in ("only_key", "no_key")]


def operate(project: Project, macro: str, arguments: dict[str, Any]) -> tuple[Run, str]:
    """A run-operation, and what it wrote to standard output."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        run = project.dbt("run-operation", macro, "--args", json.dumps(arguments))
    return run, written.getvalue()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("inspect_source"))
    project.file("macros/look.sql", LOOK)
    for name, (columns, rows) in TABLES.items():
        project.table(name, columns, rows)
    project.execute(f"create table nested as select {NESTED} from range(5) as numbers(i)")
    project.execute(f"create table wide as select i as id, {WIDE} from range(1000) as numbers(i)")
    project.execute("create view seen as select * from customers")
    project.file("models/customer_view.sql", "{{ config(materialized='view') }} select * from main.customers")
    project.file("models/product_v1.sql", "select 1 as id, 'a' as name")
    project.file("models/product_v2.sql", "select 1 as id, 'b' as name")
    versions = {"models": [{"name": "product", "latest_version": 1, "versions": [{"v": 1}, {"v": 2}]}]}
    sources = {"sources": [{"name": "raw", "schema": "main", "tables": [{"name": "customers"}]}]}
    project.file("models/p.yml", json.dumps({**versions, **sources}))
    run = project.run()
    assert run.success, run.log
    return project


@pytest.fixture(scope="module")
def printed(shop: Project) -> dict[str, str]:
    run, written = operate(shop, "look", {"relations": list(RELATIONS.values())})
    assert run.success, run.log[-3000:]
    parts = re.split(r"(?m)^#### \d+\n", written)[1:]
    return {name: part.rstrip("\n") for name, part in zip(RELATIONS, parts, strict=True)}


def model_of(text: str) -> str:
    """The model in what was printed."""
    return text[text.index("{{ config(") :]


@pytest.fixture(scope="module")
def histories(shop: Project, printed: dict[str, str]) -> Run:
    """Every printed model, pasted into the project and run."""
    for name in PASTED:
        shop.file(f"models/pasted_{name}.sql", model_of(printed[name]))
    run = shop.run(*[f"pasted_{name}" for name in PASTED])
    assert run.success, [message for message in run.messages.values() if not message.startswith("SCD2")]
    return run


def test_columns_counts_keys_and_a_model_are_printed_exactly_so(printed: dict[str, str]) -> None:
    type_ = local("VARCHAR")
    assert (
        printed["customers"]
        == f"""\
customers: 3 rows, 3 columns

column       {"type".ljust(len(type_))}     nulls  distinct
customer_id  {type_}         0         3
region       {type_}         0         2
segment      {type_}         1         2

Could be the business key, being unique and without nulls:
    customer_id

No column could be an effective date.

A model to start from:

{{{{ config(
    materialized='scd2_master',
    unique_key='customer_id',
    tracked_columns=['region', 'segment'],
    effective_date='{{current_date}}',
) }}}}

select
    customer_id,
    region,
    segment
from "warehouse"."main"."customers\""""
    )


def between(text: str, start: str) -> list[str]:
    """The indented lines after a line."""
    lines = text.splitlines()
    rest = lines[lines.index(start) + 1 :]
    return [line.strip() for line in rest[: next(i for i, line in enumerate(rest) if not line.startswith("    "))]]


KEYS = {
    "stores": ["no, country"],
    "triple": ["a, b, c"],
    "vessel_log": ["vessel_id, changed_at"],
    "moments": ["seen_at"],
    "nested": ["id", "u"],
}


@pytest.mark.parametrize("name", KEYS)
def test_minimal_sets_that_are_unique_and_without_nulls_could_be_the_key(printed: dict[str, str], name: str) -> None:
    assert between(printed[name], "Could be the business key, being unique and without nulls:") == KEYS[name]


DATES = {
    "stores": ["opened_on: 2001-02-03 to 2005-05-05", "updated_at: 2026-01-01 10:00:00 to 2026-01-03 10:00:00"],
    "exported": ["exported_on: 2026-01-01, the same on every row"],
    "too_late": ["expires_on: 9999-12-31, the same on every row, too fine or too late a date"],
}


@pytest.mark.parametrize("name", DATES)
def test_dates_and_timestamps_could_be_the_effective_date(printed: dict[str, str], name: str) -> None:
    assert between(printed[name], "Could be an effective date:") == DATES[name]


CONFIGS = {
    "stores": [
        "unique_key=['no', 'country']",
        "tracked_columns=['city', 'opened_on']",
        "effective_date='{current_date}'",
    ],
    "vessel_log": [
        "unique_key='vessel_id'",
        "tracked_columns=['flag']",
        "effective_date_column='changed_at'",
        "input_kind='change_log'",
        "validity_type='timestamp'",
    ],
    "moments": [
        "unique_key='device_id'",
        "tracked_columns=['state']",
        "effective_date_column='seen_at'",
        "input_kind='change_log'",
    ],
    "exported": ["unique_key='k'", "tracked_columns=['v']", "effective_date_column='exported_on'"],
    "zoned": ["effective_date_column='loaded_at'", "validity_type='timestamp'"],
    "too_late": ["tracked_columns=['v', 'expires_on']", "effective_date='{current_date}'"],
    "empty": ["unique_key='id'", "tracked_columns=['v']"],
    "odd": ["unique_key='Customer No'", "effective_date_column='valid_to'", "'is_current': 'scd2_is_current'"],
    "history": ["'valid_to': 'scd2_valid_to'", "effective_date_column='valid_from'"],
    "source": ["from {{ source('raw', 'customers') }}"],
    "model": ["from {{ ref('customer_view') }}"],
    "version": ["from {{ ref('product', v=2) }}"],
    "odd_select": [
        '    "select",',
        '    "ord""er",',
        '    "it\'s",',
        '    "日本",',
        "    valid_to,",
        '    "IS_CURRENT"' if ENGINE == "duckdb" else "    is_current",
    ],
}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_model_says_what_the_source_suggests(printed: dict[str, str], name: str) -> None:
    model = model_of(printed[name.removesuffix("_select")])
    assert [text for text in CONFIGS[name] if text not in model] == [], model


def test_every_pasted_model_runs_and_records_every_column_and_row(shop: Project, histories: Run) -> None:
    relations = RELATIONS | {"odd": "Odd Names", "seen": "seen", "source": "customers", "version": "product_v2"}
    relations["model"] = "customer_view"
    for name in PASTED:
        source, history = (
            (dict(shop.columns(f'"{table}"')), shop.rows(f'select count(*) from "{table}"'))
            for table in (relations[name], f"pasted_{name}")
        )
        assert source[0].keys() - history[0].keys() == set(), name
        assert source[1] == history[1], name


def test_the_pasted_history_is_the_one_that_its_config_says(shop: Project, histories: Run) -> None:
    end = datetime(9999, 12, 31)
    assert shop.history("pasted_vessel_log") == [
        (1, "LR", T2, T2, T3, False),
        (1, "PA", T1, T1, T2, False),
        (1, "PA", T3, T3, end, True),
        (2, "LR", T2, T2, T3, False),
        (2, "PA", T3, T3, end, True),
    ]
    assert shop.history("pasted_odd") == [
        (1, "a", "b", "c", "d", "e", 7, "x", True, D1, date(9999, 12, 31), True),
        (2, "a", "b", "c", "d", "e", 7, "y", False, D1, date(9999, 12, 31), True),
    ]


def test_pasted_models_that_run_again_change_nothing(shop: Project, histories: Run) -> None:
    before = {name: shop.history(f"pasted_{name}") for name in ("nested", "odd", "zoned")}
    run = shop.run(*[f"pasted_{name}" for name in before])
    assert {name: shop.history(f"pasted_{name}") for name in before} == before, run.messages


def test_without_a_key_there_is_no_model_but_the_nearest_set(printed: dict[str, str]) -> None:
    assert printed["no_key"].splitlines()[6:] == [
        "",
        "Business key: no set of up to three columns is unique and without nulls.",
        "Nearest: a, but for 1 row.",
        "",
        "No column could be an effective date.",
        "",
        "Make the source return one row per business key, then a model can be written.",
    ]


def test_a_table_of_one_column_has_no_history(printed: dict[str, str]) -> None:
    assert printed["only_key"].splitlines()[-1] == "There is no column besides the key, so no history to write."


def test_an_empty_table_gives_a_model_and_says_that_its_key_is_a_guess(printed: dict[str, str]) -> None:
    assert "Business key: the table is empty, so the one below is a guess." in printed["empty"].splitlines()


def test_the_search_for_keys_is_bounded_and_says_so(printed: dict[str, str]) -> None:
    assert "Only the likeliest sets of two and three columns were tried." in printed["wide"].splitlines()
    assert "likeliest" not in printed["triple"]


@pytest.mark.parametrize("name", RELATIONS)
def test_no_line_is_longer_than_ninety_characters(printed: dict[str, str], name: str) -> None:
    assert [line for line in printed[name].splitlines() if len(line) > 90] == []


@needs_duckdb("no type's name is long")
def test_long_types_and_names_are_cut_and_their_counts_stay_in_place(printed: dict[str, str]) -> None:
    lines = printed["nested"].splitlines()
    assert lines[2:5] == [
        "column  type                         nulls  distinct",
        "id      BIGINT                           0         5",
        "s       STRUCT(a BIGINT, b IN...         0         5",
    ]


def test_a_wrong_name_stops_the_operation_with_near_names(shop: Project) -> None:
    run, _ = operate(shop, "scd2_master.inspect_source", {"relation": "raw.custmers"})
    assert not run.success
    assert "scd2_master [invalid_option] inspect_source: there is no" in run.log
    assert "Did you mean raw.customers?" in run.log


def test_every_word_that_the_engine_does_not_take_as_a_name_is_quoted(shop: Project) -> None:
    _, written = operate(shop, "reserved", {})
    refused = {"select", "order", "left", *({"between", "interval"} if ENGINE == "duckdb" else {"user", "analyse"})}
    assert refused <= set(written.split())
    assert {"region", "name", "type", "no"}.isdisjoint(written.split())
