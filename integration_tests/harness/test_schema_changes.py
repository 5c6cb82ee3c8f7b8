"""The source's columns and types change between runs: SPEC section 6."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest
from batch import D1, D2, D3, MAX, Day, Stories, Story, Told, play
from engines import ENGINE

STORIES = Stories()
ALL = {"tracked_columns": "all"}
INTERVAL = ["valid_from", "valid_to", "is_current"]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("schema"), STORIES)


@pytest.fixture
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    return outcomes[request.function.story]


def source(columns: str, *rows: str) -> str:
    """A source query: `source("k, v", "1, 'a'", "2, 'b'")`."""
    return f"select * from (values {', '.join(f'({row})' for row in rows)}) t({columns})"


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


BASE = source("k, v", "1, 'a'", "2, 'a'")
BASE_ROWS = [(1, "a", D1, MAX, True), (2, "a", D1, MAX, True)]


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# append_new_columns


@STORIES.tell(
    "added_null_all",
    BASE,
    source("k, v, w", "1, 'a', null::integer", "2, 'a', null"),
    source("k, v, w", "1, 'a', 5", "2, 'a', null"),
    **ALL,
)
def test_under_all_a_new_column_without_values_opens_nothing_and_is_tracked_from_then_on(told: Told) -> None:
    assert list(told.columns[1].items())[-1] == ("w", "INTEGER")
    assert list(told.columns[1]) == ["k", "v", *INTERVAL, "w"]
    assert told.rows[1] == [(1, "a", D1, MAX, True, None), (2, "a", D1, MAX, True, None)]
    assert told.rows[2] == [
        (1, "a", D1, D3, False, None),
        (1, "a", D3, MAX, True, 5),
        (2, "a", D1, MAX, True, None),
    ]


@STORIES.tell("added_value_all", BASE, source("k, v, w", "1, 'a', 5", "2, 'a', null"), **ALL)
def test_under_all_a_new_column_with_values_opens_versions_and_stays_null_in_the_closed_ones(told: Told) -> None:
    assert told.rows[1] == [
        (1, "a", D1, D2, False, None),
        (1, "a", D2, MAX, True, 5),
        (2, "a", D1, MAX, True, None),
    ]


@STORIES.tell(
    "added_null_list",
    BASE,
    source("k, v, w", "1, 'a', null::integer", "2, 'a', null"),
    source("k, v, w", "1, 'b', 5", "2, 'a', null"),
)
def test_with_a_list_a_new_column_without_values_is_carried(told: Told) -> None:
    assert told.rows[1] == [(1, "a", D1, MAX, True, None), (2, "a", D1, MAX, True, None)]
    assert told.rows[2] == [
        (1, "a", D1, D3, False, None),
        (1, "b", D3, MAX, True, 5),
        (2, "a", D1, MAX, True, None),
    ]


@STORIES.tell(
    "added_value_list",
    BASE,
    source("k, w, v", "1, 5, 'b'", "2, 6, 'a'", "3, 7, 'a'"),
    on_schema_change="append_new_columns",
)
def test_with_a_list_a_new_column_is_written_onto_new_versions_only(told: Told) -> None:
    assert list(told.columns[1]) == ["k", "v", *INTERVAL, "w"]
    assert told.rows[1] == [
        (1, "a", D1, D2, False, None),
        (1, "b", D2, MAX, True, 5),
        (2, "a", D1, MAX, True, None),
        (3, "a", D2, MAX, True, 7),
    ]


@STORIES.tell(
    "added_tracked", BASE, Day(source("k, v, w", "1, 'a', 5", "2, 'a', null"), {"tracked_columns": ["v", "w"]})
)
def test_a_new_column_that_joins_the_tracked_list_is_compared_with_null(told: Told) -> None:
    assert told.rows[1] == [
        (1, "a", D1, D2, False, None),
        (1, "a", D2, MAX, True, 5),
        (2, "a", D1, MAX, True, None),
    ]


@STORIES.tell("carried_left", source("k, v, c", "1, 'a', 'x'", "2, 'a', 'y'"), source("k, v", "1, 'b'", "2, 'a'"))
def test_a_carried_column_that_left_stays_and_is_null_on_new_versions(told: Told) -> None:
    assert list(told.columns[1]) == ["k", "v", "c", *INTERVAL]
    assert told.rows[1] == [
        (1, "a", "x", D1, D2, False),
        (1, "b", None, D2, MAX, True),
        (2, "a", "y", D1, MAX, True),
    ]


@STORIES.tell(
    "carried_left_restated", source("k, v, c", "1, 'a', 'x'"), source("k, v", "1, 'b'"), effective_date=str(D1)
)
def test_a_restated_version_keeps_the_value_of_a_carried_column_that_left(told: Told) -> None:
    assert told.rows[1] == [(1, "b", "x", D1, MAX, True)]


@STORIES.tell("tracked_left", source("k, v, w", "1, 'a', 5"), source("k, v", "1, 'b'"), tracked_columns=["v", "w"])
def test_a_tracked_column_that_left_is_refused(told: Told) -> None:
    assert told.rows[0] == [(1, "a", 5, D1, MAX, True)]
    assert told.refused(1, "unknown_column", "w")


@STORIES.tell("key_left", source("k, j, v", "1, 1, 'a'"), source("k, v", "1, 'b'"), unique_key=["k", "j"])
def test_a_key_column_that_left_is_refused(told: Told) -> None:
    assert told.rows[0] == [(1, 1, "a", D1, MAX, True)]
    assert told.refused(1, "unknown_column", "j")


@STORIES.tell(
    "all_left",
    source("k, v, w", "1, 'a', 5", "2, 'a', 6"),
    source("k, v", "1, 'b'", "2, 'a'"),
    Day(config={"carried_columns": ["w"]}),
    **ALL,
)
def test_under_all_a_column_that_left_is_refused_until_it_is_named_as_carried(told: Told) -> None:
    assert told.rows[0] == [(1, "a", 5, D1, MAX, True), (2, "a", 6, D1, MAX, True)]
    assert told.refused(1, "unknown_column", "w", "carried_columns")
    assert told.rows[2] == [
        (1, "a", 5, D1, D3, False),
        (1, "b", None, D3, MAX, True),
        (2, "a", 6, D1, MAX, True),
    ]


@STORIES.tell("carried_nowhere", BASE, carried_columns=["c"], **ALL)
def test_a_carried_column_that_is_nowhere_is_refused(told: Told) -> None:
    assert told.refused(0, "unknown_column", "c")
    assert told.rows[0] is None


@STORIES.tell(
    "reordered", source("k, v, c", "1, 'a', 'x'", "2, 'a', 'y'"), source("c, k, v", "'z', 1, 'b'", "'z', 2, 'a'")
)
def test_a_change_of_column_order_changes_nothing(told: Told) -> None:
    assert list(told.columns[1]) == ["k", "v", "c", *INTERVAL]
    assert told.rows[1] == [
        (1, "a", "x", D1, D2, False),
        (1, "b", "z", D2, MAX, True),
        (2, "a", "y", D1, MAX, True),
    ]


# fail and ignore, in config and in meta

CHANGES = {
    "fail_added": (BASE, source("k, v, w", "1, 'b', 5", "2, 'a', 6"), "w"),
    "fail_left": (source("k, v, w", "1, 'a', 5", "2, 'a', 6"), BASE, "w"),
    "fail_retyped": (BASE, source("k, v", "1::bigint, 'b'", "2, 'a'"), "k"),
    "fail_in_meta": (BASE, source("k, v, w", "1, 'a', null", "2, 'a', null"), "w"),
}
for _model, (_first, _second, _) in CHANGES.items():
    _fail = {"on_schema_change": "fail"}
    _config = {"meta": _fail} if _model == "fail_in_meta" else _fail
    STORIES.add(Story(_model, [Day(_first), Day(_second)], _config, repeat=False))


@pytest.mark.parametrize("model", CHANGES)
def test_fail_refuses_any_difference_of_names_and_types(model: str, outcomes: dict[str, Told]) -> None:
    assert [row[0] for row in outcomes[model].rows[0] or []] == [1, 2]
    assert outcomes[model].refused(1, "schema_changed", CHANGES[model][2])


@STORIES.tell("fail_same", BASE, source("v, k", "'b', 1", "'a', 2"), on_schema_change="fail")
def test_fail_accepts_the_same_columns_in_another_order(told: Told) -> None:
    assert told.rows[1] == [(1, "a", D1, D2, False), (1, "b", D2, MAX, True), (2, "a", D1, MAX, True)]


_added = [Day(BASE), Day(source("k, v, w", "1, 'b', 5", "2, 'a', 6"))]
STORIES.add(Story("ignore_in_config", _added, {"on_schema_change": "ignore"}))
STORIES.add(Story("ignore_in_meta", _added, {"meta": {"on_schema_change": "ignore"}}))
STORIES.add(Story("ignore_all", _added, ALL | {"on_schema_change": "ignore"}))


@pytest.mark.parametrize("model", ["ignore_in_config", "ignore_in_meta", "ignore_all"])
def test_ignore_neither_adds_nor_tracks_a_new_column(model: str, outcomes: dict[str, Told]) -> None:
    assert list(outcomes[model].columns[1]) == ["k", "v", *INTERVAL]
    assert outcomes[model].rows[1] == [(1, "a", D1, D2, False), (1, "b", D2, MAX, True), (2, "a", D1, MAX, True)]


# Types that go together: the value is the same all the time, so only the type may change

STRUCT, OTHER_STRUCT = "{'x': 1, 'y': 'a'}", "{'x': 1, 'z': 'a'}"
DUCKDB_PAIRS = {
    "integers": {
        "wider": ("1::integer", "1::bigint", "BIGINT"),
        "narrower": ("1::bigint", "1::integer", "BIGINT"),
        "tiny": ("-1::tinyint", "-1::integer", "INTEGER"),
        "unsigned": ("1::uinteger", "1::integer", "BIGINT"),
        "signed": ("1::integer", "1::uinteger", "BIGINT"),
        "small_unsigned": ("1::integer", "1::utinyint", "INTEGER"),
        "unsigned_only": ("1::utinyint", "1::usmallint", "USMALLINT"),
        "huge": ("1::ubigint", "1::bigint", "HUGEINT"),
    },
    "decimals": {
        "scale": ("1.23::decimal(10, 2)", "1.23::decimal(10, 4)", "DECIMAL(12,4)"),
        "scale_back": ("1.23::decimal(10, 4)", "1.23::decimal(10, 2)", "DECIMAL(12,4)"),
        "fits": ("1.23::decimal(12, 4)", "1.23::decimal(10, 2)", "DECIMAL(12,4)"),
        "precision": ("1.23::decimal(4, 2)", "1.23::decimal(18, 2)", "DECIMAL(18,2)"),
        "whole": ("1::integer", "1::decimal(4, 2)", "DECIMAL(12,2)"),
        "big_whole": ("1.00::decimal(4, 2)", "1::bigint", "DECIMAL(21,2)"),
        "fitting_whole": ("1.00::decimal(12, 2)", "1::integer", "DECIMAL(12,2)"),
    },
    "floats": {
        "wider": ("1.5::float", "1.5::double", "DOUBLE"),
        "narrower": ("1.5::double", "1.5::float", "DOUBLE"),
        "whole": ("1::integer", "1::double", "DOUBLE"),
        "whole_later": ("1::double", "1::integer", "DOUBLE"),
        "small_whole": ("1::smallint", "1::float", "FLOAT"),
        "whole_float": ("1::integer", "1::float", "DOUBLE"),
    },
    "texts": {
        "longer": ("'a'::varchar(10)", "'a'::varchar(20)", "VARCHAR"),
        "shorter": ("'a'::varchar(20)", "'a'::varchar(10)", "VARCHAR"),
        "from_enum": ("'a'::enum('a', 'b')", "'a'::varchar", "VARCHAR"),
        "to_enum": ("'a'::varchar", "'a'::enum('a', 'b')", "VARCHAR"),
        "other_enum": ("'a'::enum('a', 'b')", "'a'::enum('a', 'c')", "VARCHAR"),
        "same_enum": ("'a'::enum('a', 'b')", "'a'::enum('a', 'b')", "ENUM('a', 'b')"),
    },
    "times": {
        "date": ("date '2026-01-01'", "timestamp '2026-01-01 00:00:00'", "TIMESTAMP"),
        "timestamp": ("timestamp '2026-01-01 00:00:00'", "date '2026-01-01'", "TIMESTAMP"),
        "seconds": ("timestamp_s '2026-01-01 10:00:00'", "timestamp '2026-01-01 10:00:00'", "TIMESTAMP"),
        "zoned": ("timestamptz '2026-01-01 10:00:00+02'", "timestamptz '2026-01-01 08:00:00+00'",
                  "TIMESTAMP WITH TIME ZONE"),
    },
    "others": {
        "struct": (STRUCT, STRUCT, "STRUCT(x INTEGER, y VARCHAR)"),
        "list": ("[1, null, 2]", "[1, null, 2]", "INTEGER[]"),
        "array": ("[1, 2]::integer[2]", "[1, 2]::integer[2]", "INTEGER[2]"),
        "map": ("map {'a': 1}", "map {'a': 1}", "MAP(VARCHAR, INTEGER)"),
        "json": ("""'{"a": 1}'::json""", """'{"a": 1}'::json""", "JSON"),
        "blob": ("'a'::blob", "'a'::blob", "BLOB"),
        "time": ("time '10:00'", "time '10:00'", "TIME"),
        "interval": ("interval 1 day", "interval 1 day", "INTERVAL"),
        "null_struct": (f"case when false then {STRUCT} end", f"case when false then {STRUCT} end",
                        "STRUCT(x INTEGER, y VARCHAR)"),
    },
    "nulls": {
        "typed": ("null", "null::integer", "INTEGER"),
        "untyped": ("null::integer", "null", "INTEGER"),
        "never": ("null", "null", '"NULL"'),
    },
}  # fmt: skip
POSTGRES_PAIRS = {
    "integers": {
        "wider": ("1::integer", "1::bigint", "BIGINT"),
        "narrower": ("1::bigint", "1::integer", "BIGINT"),
        "small": ("1::smallint", "1::integer", "INTEGER"),
    },
    "decimals": {
        **DUCKDB_PAIRS["decimals"],
        "no_limits": ("1.23::decimal(10, 2)", "1.23::decimal", "DECIMAL"),
        "limits": ("1.23::decimal", "1.23::decimal(10, 2)", "DECIMAL"),
        "many_digits": ("1::decimal(38, 0)", "1::decimal(38, 10)", "DECIMAL(48,10)"),
    },
    "floats": {
        "wider": ("1.5::real", "1.5::double precision", "DOUBLE"),
        "narrower": ("1.5::double precision", "1.5::real", "DOUBLE"),
        "whole": ("1::integer", "1::double precision", "DOUBLE"),
        "whole_later": ("1::double precision", "1::integer", "DOUBLE"),
        "small_whole": ("1::smallint", "1::real", "FLOAT"),
        "whole_float": ("1::integer", "1::real", "DOUBLE"),
    },
    "texts": {
        "longer": ("'a'::varchar(10)", "'a'::varchar(20)", "VARCHAR(20)"),
        "shorter": ("'a'::varchar(20)", "'a'::varchar(10)", "VARCHAR(20)"),
        "no_limit": ("'a'::varchar(20)", "'a'::text", "VARCHAR"),
        "fixed": ("'a'::char(3)", "'a'::char(3)", "character(3)"),
    },
    "times": {
        "date": ("date '2026-01-01'", "timestamp '2026-01-01 00:00:00'", "TIMESTAMP"),
        "timestamp": ("timestamp '2026-01-01 00:00:00'", "date '2026-01-01'", "TIMESTAMP"),
        "seconds": ("timestamp(0) '2026-01-01 10:00:00'", "timestamp '2026-01-01 10:00:00'", "TIMESTAMP"),
        "zoned": ("timestamptz '2026-01-01 10:00:00+02'", "timestamptz '2026-01-01 08:00:00+00'",
                  "TIMESTAMP WITH TIME ZONE"),
    },
    "others": {
        "list": ("array[1, null, 2]", "array[1, null, 2]", "INTEGER[]"),
        "json": ("""'{"a": 1}'::json""", """'{"a": 1}'::json""", "json"),
        "jsonb": ("""'{"a": 1, "b": 2}'::jsonb""", """'{"b": 2, "a": 1}'::jsonb""", "jsonb"),
        "time": ("time '10:00'", "time '10:00'", "time without time zone"),
        "interval": ("interval '1 day'", "interval '24 hours'", "interval"),
        "uuid": (f"'{'a' * 32}'::uuid", f"'{'A' * 32}'::uuid", "UUID"),
        "range": ("int4range(1, 5)", "int4range(1, 5)", "int4range"),
        "inet": ("'10.0.0.1'::inet", "'10.0.0.1'::inet", "inet"),
    },
}  # fmt: skip
PAIRS = {"duckdb": DUCKDB_PAIRS, "postgres": POSTGRES_PAIRS}[ENGINE]
for _model, _pairs in PAIRS.items():
    _first, _second = (
        f"select 1 as k, {', '.join(f'{pair[place]} as {name}' for name, pair in _pairs.items())}" for place in (0, 1)
    )
    STORIES.add(Story(f"pairs_{_model}", [Day(_first), Day(_second), Day(), Day(_first)], ALL, repeat=False))


@pytest.mark.parametrize(("model", "name"), [(model, name) for model, pairs in PAIRS.items() for name in pairs])
def test_two_types_of_an_equal_value_become_the_narrowest_that_holds_both_and_never_open_a_version(
    model: str, name: str, outcomes: dict[str, Told]
) -> None:
    told = outcomes[f"pairs_{model}"]
    place = list(told.columns[0]).index(name)
    value = (told.rows[0] or [])[0][place]
    if isinstance(value, date) and not isinstance(value, datetime):
        value = midnight(value)
    for run in (1, 2, 3):
        assert told.columns[run][name] == PAIRS[model][name][2], told.messages
        assert [(row[place], *row[-3:]) for row in told.rows[run] or []] == [(value, D1, MAX, True)], told.messages


# Types that do not go together

CLASHES = {
    "letters": ("1", "'one'"),
    "big_double": ("1::bigint", "1::double precision"),
    "double_big": ("1::double precision", "1::bigint"),
    "decimal_double": ("1.1::decimal(4, 1)", "1.1::double precision"),
    "text_date": ("'2026-01-01'", "date '2026-01-01'"),
    "zone": ("timestamp '2026-01-01'", "timestamptz '2026-01-01'"),
    "date_number": ("date '2026-01-01'", "20260101"),
    **{
        "duckdb": {
            "too_many_digits": ("1::decimal(38, 0)", "1::decimal(38, 10)"),
            "nanoseconds": ("timestamp '2026-01-01'", "timestamp_ns '2026-01-01'"),
            "struct": (STRUCT, OTHER_STRUCT),
        },
        "postgres": {
            "fixed_text": ("'a'::char(2)", "'a'::text"),
            "unlimited_decimal_double": ("1::decimal", "1::double precision"),
            "arrays": ("array[1]", "array['a']"),
        },
    }[ENGINE],
}
for _model, (_first, _second) in CLASHES.items():
    STORIES.add(
        Story(f"clash_{_model}", [Day(f"select 1 as k, {value} as v") for value in (_first, _second)], {}, repeat=False)
    )


@pytest.mark.parametrize("model", CLASHES)
def test_types_without_a_common_one_are_refused(model: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"clash_{model}"]
    assert [row[-3:] for row in told.rows[0] or []] == [(D1, MAX, True)]
    assert told.refused(1, "type_changed", "v")


@STORIES.tell("clash_carried", source("k, v, c", "1, 'a', 1"), source("k, v, c", "1, 'a', 'one'"))
def test_a_carried_column_that_changes_from_numbers_to_letters_is_refused(told: Told) -> None:
    assert told.rows[0] == [(1, "a", 1, D1, MAX, True)]
    assert told.refused(1, "type_changed", "c")


@STORIES.tell("key_text", source("k, v", "1, 'a'"), source("k, v", "'01', 'a'"))
def test_a_key_that_changes_from_number_to_text_is_refused(told: Told) -> None:
    assert told.rows[0] == [(1, "a", D1, MAX, True)]
    assert told.refused(1, "type_changed", "k")


@STORIES.tell("key_number", source("k, v", "'01', 'a'"), source("k, v", "1, 'a'"))
def test_a_key_that_changes_from_text_to_number_is_refused(told: Told) -> None:
    assert told.rows[0] == [("01", "a", D1, MAX, True)]
    assert told.refused(1, "type_changed", "k")


# Values that only the wider type holds


@STORIES.tell("decimals", source("k, v", "1, 1.23::decimal(10, 2)", "2, 12345678.90::decimal(10, 2)"),
              source("k, v", "1, 1.2345::decimal(10, 4)", "2, 1.2::decimal(10, 4)"), Day())  # fmt: skip
def test_a_finer_decimal_is_neither_rounded_nor_a_change_on_every_run(told: Told) -> None:
    assert told.columns[1]["v"] == "DECIMAL(12,4)"
    assert told.rows[1] == [
        (1, Decimal("1.23"), D1, D2, False),
        (1, Decimal("1.2345"), D2, MAX, True),
        (2, Decimal("1.2"), D2, MAX, True),
        (2, Decimal("12345678.90"), D1, D2, False),
    ]
    assert told.rows[2] == told.rows[1]


@STORIES.tell("bigints", source("k, v", "1, 7", "2, 7"), source("k, v", "1, 3000000000", "2, 7::bigint"),
              source("k, v", "1, 8", "2, 7"))  # fmt: skip
def test_an_integer_that_outgrows_its_type_widens_the_table_for_good(told: Told) -> None:
    assert [columns["v"] for columns in told.columns] == ["INTEGER", "BIGINT", "BIGINT", "BIGINT"]
    assert told.rows[2] == [
        (1, 7, D1, D2, False),
        (1, 8, D3, MAX, True),
        (1, 3000000000, D2, D3, False),
        (2, 7, D1, MAX, True),
    ]


@STORIES.tell("big_key", source("k, v", "1, 'a'", "2, 'a'"), source("k, v", "1::bigint, 'b'", "3000000000, 'a'"),
              close_on_absence=True)  # fmt: skip
def test_a_key_that_widens_is_the_same_key(told: Told) -> None:
    assert told.columns[1]["k"] == "BIGINT"
    assert told.rows[1] == [
        (1, "a", D1, D2, False),
        (1, "b", D2, MAX, True),
        (2, "a", D1, D2, False),
        (3000000000, "a", D2, MAX, True),
    ]


@STORIES.tell("carried_wider", source("k, v, c", "1, 'a', 1.5::decimal(2, 1)", "2, 'a', 2.5::decimal(2, 1)"),
              source("k, v, c", "1, 'b', 1.2345::decimal(10, 4)", "2, 'a', 0.0001::decimal(10, 4)"))  # fmt: skip
def test_a_carried_column_widens_too_and_keeps_its_recorded_values(told: Told) -> None:
    assert told.columns[1]["c"] == "DECIMAL(10,4)"
    assert told.rows[1] == [
        (1, "a", Decimal("1.5"), D1, D2, False),
        (1, "b", Decimal("1.2345"), D2, MAX, True),
        (2, "a", Decimal("2.5"), D1, MAX, True),
    ]


@STORIES.tell("null_then_text", "select 1 as k, null as v", source("k, v", "1, 'a'"), "select 1 as k, null as v",
              needs="duckdb")  # fmt: skip
def test_a_column_of_nothing_but_null_takes_a_type_later_and_keeps_it(told: Told) -> None:
    assert [columns["v"] for columns in told.columns[1:3]] == ["VARCHAR", "VARCHAR"]
    assert told.rows[1] == [(1, "a", D2, MAX, True), (1, None, D1, D2, False)]
    assert told.rows[2] == [(1, "a", D2, D3, False), (1, None, D1, D2, False), (1, None, D3, MAX, True)]


@STORIES.tell("lists", "select 1 as k, [1, 2] as v, {'x': 1} as s", "select 1 as k, [1, null] as v, {'x': 1} as s",
              "select 1 as k, [1, null] as v, {'x': null::integer} as s", tracked_columns=["v", "s"],
              needs="duckdb")  # fmt: skip
def test_a_change_inside_a_list_or_struct_is_a_change(told: Told) -> None:
    versions = [
        (1, [1, 2], {"x": 1}, D1, D2, False),
        (1, [1, None], {"x": 1}, D2, D3, False),
        (1, [1, None], {"x": None}, D3, MAX, True),
    ]
    assert sorted(told.rows[2] or [], key=lambda row: row[3]) == versions


# Interval columns and flag


@STORIES.tell("to_integer_flag", BASE, Day(source("k, v", "1, 'b'", "2, 'a'"), {"current_flag_type": "integer"}),
              Day(source("k, v", "1, 'b'", "2, 'b'"), {"current_flag_type": "boolean"}))  # fmt: skip
def test_the_flag_changes_from_boolean_to_integer_and_back(told: Told) -> None:
    assert [columns["is_current"] for columns in told.columns[:3]] == ["BOOLEAN", "INTEGER", "BOOLEAN"]
    assert told.rows[1] == [(1, "a", D1, D2, 0), (1, "b", D2, MAX, 1), (2, "a", D1, MAX, 1)]
    assert [type(row[-1]) for row in told.rows[1]] == [int, int, int]
    assert told.rows[2] == [
        (1, "a", D1, D2, False),
        (1, "b", D2, MAX, True),
        (2, "a", D1, D3, False),
        (2, "b", D3, MAX, True),
    ]
    assert [type(row[-1]) for row in told.rows[2]] == [bool, bool, bool, bool]


@STORIES.tell(
    "to_timestamp", BASE,
    Day(source("k, v", "1, 'b'", "2, 'a'"), {"validity_type": "timestamp", "effective_date": "2026-02-01 10:30:00.5"}),
    Day(source("k, v", "1, 'b'", "2, 'b'"), {"validity_type": None, "effective_date": str(D3)}),
)  # fmt: skip
def test_dates_become_midnight_under_timestamp_and_never_go_back(told: Told) -> None:
    noon, last = datetime(2026, 2, 1, 10, 30, 0, 500000), midnight(MAX)
    assert [told.columns[1][name] for name in INTERVAL] == ["TIMESTAMP", "TIMESTAMP", "BOOLEAN"]
    assert told.rows[1] == [
        (1, "a", midnight(D1), noon, False),
        (1, "b", noon, last, True),
        (2, "a", midnight(D1), last, True),
    ]
    assert told.refused(2, "type_changed", "valid_from")


RENAMED = {"valid_from": "dim_start", "valid_to": "dim_end", "is_current": "is_open"}
for _name, _new in RENAMED.items():
    STORIES.add(Story(f"renamed_{_name}", [Day(BASE), Day(config={"scd2_column_names": {_name: _new}})], {}))


@pytest.mark.parametrize("name", RENAMED)
def test_an_interval_column_renamed_between_runs_is_refused(name: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[f"renamed_{name}"].rows[0] == BASE_ROWS
    assert outcomes[f"renamed_{name}"].refused(1, "prior_not_scd2", RENAMED[name])
