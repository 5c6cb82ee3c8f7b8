"""Cases that break other implementations, each with its right value."""

from __future__ import annotations

from datetime import date

import pytest
from batch import D1, D2, D3, D4, MAX, Day, Stories, Story, Told, kv, play
from engines import ENGINE
from project import Project

STORIES = Stories()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("known"), STORIES)


@pytest.fixture
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    return outcomes[request.function.story]


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# Keys


@STORIES.tell("two_rows", kv(("C1", "West"), ("C1", "East"), ("C2", "North")), kv(("C1", "West"), ("C2", "North")))
def test_two_source_rows_for_a_key_stop_the_first_run(told: Told) -> None:
    assert told.refused(0, "duplicate_key", "C1")
    assert "C2" not in told.messages[0]
    assert told.rows[0] is None
    assert told.rows[1] == [("C1", "West", D2, MAX, True), ("C2", "North", D2, MAX, True)]


@STORIES.tell("two_equal_rows", kv(("C1", "West")), kv(("C1", "West"), ("C1", "West")))
def test_two_equal_source_rows_for_a_key_stop_the_run(told: Told) -> None:
    assert told.rows[0] == [("C1", "West", D1, MAX, True)]
    assert told.refused(1, "duplicate_key", "C1")


@STORIES.tell(
    "half_null_key",
    "select * from (values ('a', 'x', 1), ('b', 'y', 2)) t(k1, k2, v)",
    "select * from (values ('a', 'x', 1), ('b', null, 3)) t(k1, k2, v)",
    "select * from (values ('a', 'x', 1), ('b', 'y', 3)) t(k1, k2, v)",
    unique_key=["k1", "k2"],
)
def test_a_null_in_one_part_of_a_composite_key_stops_the_run(told: Told) -> None:
    assert told.rows[0] == [("a", "x", 1, D1, MAX, True), ("b", "y", 2, D1, MAX, True)]
    assert told.refused(1, "null_key", "b")
    assert told.rows[2] == [("a", "x", 1, D1, MAX, True), ("b", "y", 2, D1, D3, False), ("b", "y", 3, D3, MAX, True)]


@STORIES.tell(
    "pipes",
    "select * from (values ('a|b', 'c', 1), ('a', 'b|c', 1)) t(k1, k2, v)",
    "select * from (values ('a|b', 'c', 1), ('a', 'b|c', 2)) t(k1, k2, v)",
    unique_key=["k1", "k2"],
)
def test_keys_whose_parts_join_to_the_same_text_are_different_keys(told: Told) -> None:
    assert told.rows[0] == [("a", "b|c", 1, D1, MAX, True), ("a|b", "c", 1, D1, MAX, True)]
    assert told.rows[1] == [
        ("a", "b|c", 1, D1, D2, False),
        ("a", "b|c", 2, D2, MAX, True),
        ("a|b", "c", 1, D1, MAX, True),
    ]


@STORIES.tell(
    "near_keys",
    kv(("C1", "a"), ("c1", "a"), ("C1 ", "a"), ("", "a")),
    kv(("C1", "a"), ("c1", "b"), ("C1 ", "a"), ("", "a")),
)
def test_keys_that_differ_in_case_or_trailing_blanks_are_different_keys(told: Told) -> None:
    assert told.rows[1] == [
        ("", "a", D1, MAX, True),
        ("C1", "a", D1, MAX, True),
        ("C1 ", "a", D1, MAX, True),
        ("c1", "a", D1, D2, False),
        ("c1", "b", D2, MAX, True),
    ]


# Values


@STORIES.tell("null_to_x", kv(("C1", None), ("C2", None)), kv(("C1", "x"), ("C2", None)), kv(("C1", None), ("C2", "")))
def test_a_null_that_becomes_x_stays_null_in_the_closed_version(told: Told) -> None:
    assert told.rows[1] == [("C1", "x", D2, MAX, True), ("C1", None, D1, D2, False), ("C2", None, D1, MAX, True)]
    assert told.rows[2] == [
        ("C1", "x", D2, D3, False),
        ("C1", None, D1, D2, False),
        ("C1", None, D3, MAX, True),
        ("C2", "", D3, MAX, True),
        ("C2", None, D1, D3, False),
    ]


@STORIES.tell("near_values", kv(("C1", "a"), ("C2", "a")), kv(("C1", "A"), ("C2", "a ")))
def test_values_that_differ_in_case_or_trailing_blanks_are_changes(told: Told) -> None:
    assert told.rows[1] == [
        ("C1", "A", D2, MAX, True),
        ("C1", "a", D1, D2, False),
        ("C2", "a", D1, D2, False),
        ("C2", "a ", D2, MAX, True),
    ]


@STORIES.tell(
    "nan",
    "select 1 as k, 'nan'::double precision as v union all select 2, 1.0::double precision",
    "select 1 as k, 'nan'::double precision as v union all select 2, 'nan'::double precision",
    "select 1 as k, 2.0::double precision as v union all select 2, 'nan'::double precision",
    show="k, v::varchar, valid_from, valid_to, is_current",
)
def test_nan_equals_nan_and_differs_from_numbers(told: Told) -> None:
    one, two, nan = ("1.0", "2.0", "nan") if ENGINE == "duckdb" else ("1", "2", "NaN")
    assert told.rows[1] == sorted([(1, nan, D1, MAX, True), (2, one, D1, D2, False), (2, nan, D2, MAX, True)])
    assert told.rows[2] == sorted(
        [(1, two, D3, MAX, True), (1, nan, D1, D3, False), (2, one, D1, D2, False), (2, nan, D2, MAX, True)]
    )


@STORIES.tell(
    "minus_zero",
    "select 1 as k, 0.0::double precision as v union all select 2, '-0.0'::double precision",
    "select 1 as k, '-0.0'::double precision as v union all select 2, 0.0::double precision",
    show="k, v::varchar, valid_from, valid_to, is_current",
)
def test_minus_zero_is_zero(told: Told) -> None:
    zero = "0.0" if ENGINE == "duckdb" else "0"
    first = [(1, zero, D1, MAX, True), (2, f"-{zero}", D1, MAX, True)]
    assert told.rows == [first, first, first]
    assert told.messages[1] == "SCD2 2026-02-01: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 2 unchanged"


# Names

KEY_NAMES = {"key_reserved": "order", "key_blank": "Customer No", "key_mixed": "CustomerId", "key_quote": 'a"b'}
for _model, _name in KEY_NAMES.items():
    _column = '"' + _name.replace('"', '""') + '"'
    STORIES.add(
        Story(
            _model,
            [Day(f"select * from (values (1, 'a'), (2, 'b')) t({_column}, v)"),
             Day(f"select * from (values (1, 'c'), (3, 'd')) t({_column}, v)")],
            {"unique_key": _name, "close_on_absence": True},
            repeat=False,
        )
    )  # fmt: skip


@pytest.mark.parametrize("model", KEY_NAMES)
def test_a_key_column_may_have_any_name(model: str, outcomes: dict[str, Told]) -> None:
    assert list(outcomes[model].columns[1]) == [KEY_NAMES[model], "v", "valid_from", "valid_to", "is_current"]
    assert outcomes[model].rows[1] == [
        (1, "a", D1, D2, False),
        (1, "c", D2, MAX, True),
        (2, "b", D1, D2, False),
        (3, "d", D2, MAX, True),
    ]


@STORIES.tell(
    "odd_names",
    """select 1 as "select", 'a' as "t.v", 'x' as "it's" """,
    """select 1 as "select", 'b' as "t.v", 'y' as "it's" """,
    unique_key="select",
    tracked_columns=["t.v"],
    scd2_column_names={"valid_from": "from", "valid_to": 'Valid "To"', "is_current": "is it?"},
)
def test_tracked_carried_and_interval_columns_may_have_any_name(told: Told) -> None:
    assert list(told.columns[1]) == ["select", "t.v", "it's", "from", 'Valid "To"', "is it?"]
    assert told.rows[1] == [(1, "a", "x", D1, D2, False), (1, "b", "y", D2, MAX, True)]


@STORIES.tell(
    "other_case",
    """select 'C1' as "CustomerId", 'West' as "Region" """,
    """select 'C1' as "CustomerId", 'East' as "Region" """,
    unique_key="CUSTOMERID",
    tracked_columns=["region"],
)
def test_key_and_tracked_columns_may_be_given_in_another_case(told: Told) -> None:
    assert list(told.columns[1]) == ["CustomerId", "Region", "valid_from", "valid_to", "is_current"]
    assert told.rows[1] == [("C1", "East", D2, MAX, True), ("C1", "West", D1, D2, False)]


@STORIES.tell("source_case", "select 1 as k, 'a' as v", """select 1 as "K", 'b' as "V" """)
def test_a_source_column_may_change_its_case_between_runs(told: Told) -> None:
    assert list(told.columns[1]) == ["k", "v", "valid_from", "valid_to", "is_current"]
    assert told.rows[1] == [(1, "a", D1, D2, False), (1, "b", D2, MAX, True)]


@STORIES.tell("reserved", """select 1 as k, 'a' as v, date '2020-01-01' as "Valid_From" """, repeat=False)
def test_a_source_column_valid_from_in_any_case_is_reserved(told: Told) -> None:
    assert told.refused(0, "reserved_column", "Valid_From")
    assert told.rows[0] is None


@STORIES.tell("twice", kv(("C1", "West")), tracked_columns=["v", "v"], repeat=False)
def test_the_same_tracked_column_twice_is_refused(told: Told) -> None:
    assert told.refused(0, "overlapping_roles", "column v ")
    assert told.rows[0] is None


@STORIES.tell("twice_in_case", kv(("C1", "West")), tracked_columns=["v", "V"], repeat=False)
def test_the_same_tracked_column_in_two_cases_is_refused(told: Told) -> None:
    assert told.refused(0, "overlapping_roles", "column v ")
    assert told.rows[0] is None


INTERNAL_NAMES = [
    *("k1", "c1", "p", "s", "d", "t", "k", "h", "n", "__dbt_tmp", "__dbt_backup", "scd2_action", "_scd2_action"),
    *("scd2_source", "scd2_key", "action", "source", "prior", "incoming", "history", "classified", "open_versions"),
    *("changes", "rows", "this", "row_number", "rn", "effective_date", "max_date"),
]


def _internal(value: int) -> str:
    return "select " + ", ".join(f'{value if name == "s" else 1} as "{name}"' for name in INTERNAL_NAMES)


@STORIES.tell("internals", _internal(1), _internal(2), unique_key=["k1", "p"], tracked_columns=["s", "scd2_action"])
def test_source_columns_may_be_named_like_anything_inside_the_package(told: Told) -> None:
    assert list(told.columns[1]) == [*INTERNAL_NAMES, "valid_from", "valid_to", "is_current"]
    ones = [1] * len(INTERNAL_NAMES)
    changed = [2 if name == "s" else 1 for name in INTERNAL_NAMES]
    assert told.rows[1] == [(*ones, D1, D2, False), (*changed, D2, MAX, True)]


SIXTY = "customer_master_of_all_regions_and_segments_with_60_letters_"


@STORIES.tell(SIXTY, kv(("C1", "a"), ("C2", "a")), kv(("C1", "b"), ("C2", "a")), repeat=False)
def test_a_model_name_may_have_sixty_characters(told: Told) -> None:
    assert len(SIXTY) == 60
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True), ("C2", "a", D1, MAX, True)]


WIDE = ["k", *(f"t{number}" for number in range(40)), *(f"c{number}" for number in range(259))]


def _wide(key: int, changed: dict[str, int]) -> list[int]:
    return [key, *(changed.get(name, number) for number, name in enumerate(WIDE) if number)]


def _wide_sql(*rows: list[int]) -> str:
    return " union all ".join(
        "select " + ", ".join(f"{value} as {name}" for value, name in zip(row, WIDE, strict=True)) for row in rows
    )


@STORIES.tell(
    "wide",
    _wide_sql(_wide(1, {}), _wide(2, {})),
    _wide_sql(_wide(1, {"t39": 0, "c0": 0}), _wide(2, {"c258": 0})),
    tracked_columns=[name for name in WIDE if name.startswith("t")],
    repeat=False,
)
def test_forty_tracked_of_three_hundred_columns(told: Told) -> None:
    assert len(WIDE) == 300
    assert told.rows[1] == [
        (*_wide(1, {"t39": 0, "c0": 0}), D2, MAX, True),
        (*_wide(1, {}), D1, D2, False),
        (*_wide(2, {}), D1, MAX, True),
    ]


# The model's SQL

MODEL_SQL = {
    "end_comment": "select * from {source} -- the customers",
    "end_semicolon": "select * from {source};",
    "end_both": "select * from {source}; -- the customers; all of them",
    "end_block": "select * from {source} /* the customers; */",
    "end_lines": "select * from {source}\n;\n\n-- the customers\n-- it's all of them;\n",
    "end_text": "select * from {source} where v <> ';--'",
    "end_text_semicolon": "select * from {source} where v <> ';--';",
    "end_quote_in_text": "select * from {source} where v <> 'it''s --'; -- it's all",
    "end_dollars": "select * from {source} where v <> $$';--$$;",
    "end_escaped": "select * from {source} where v <> E'\\'; --';",
    "end_name": 'select k, v from (select *, 1 as "a;--" from {source}) where "a;--" = 1;',
    "with_clause": "-- first\nwith customers as (select * from {source}) select * from customers -- last",
    "order_limit": "select * from {source} order by k limit 10",
    "union_all": "select * from {source} where k = 'C1' union all select * from {source} where k <> 'C1'",
}
for _model, _sql in MODEL_SQL.items():
    STORIES.add(Story(_model, [Day(kv(("C1", "a"), ("C2", "b")))], {}, _sql, repeat=False))


@pytest.mark.parametrize("model", MODEL_SQL)
def test_a_model_may_end_in_comments_and_semicolons(model: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[model].rows[0] == [
        ("C1", "a", D1, MAX, True),
        ("C2", "b", D1, MAX, True),
    ], outcomes[model].messages


# Runs


@STORIES.tell(
    "four_runs",
    kv(("C1", "a"), ("C2", "a")),
    kv(("C1", "b"), ("C2", "a"), ("C3", "a")),
    kv(("C1", "b"), ("C3", "b")),
    kv(("C1", "a"), ("C2", "b"), ("C3", "c")),
    close_on_absence=True,
    repeat=False,
)
def test_closed_versions_never_change_over_four_runs(told: Told) -> None:
    assert told.rows == [
        [("C1", "a", D1, MAX, True), ("C2", "a", D1, MAX, True)],
        [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True),
         ("C2", "a", D1, MAX, True),
         ("C3", "a", D2, MAX, True)],
        [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True),
         ("C2", "a", D1, D3, False),
         ("C3", "a", D2, D3, False), ("C3", "b", D3, MAX, True)],
        [("C1", "a", D1, D2, False), ("C1", "a", D4, MAX, True), ("C1", "b", D2, D4, False),
         ("C2", "a", D1, D3, False), ("C2", "b", D4, MAX, True),
         ("C3", "a", D2, D3, False), ("C3", "b", D3, D4, False), ("C3", "c", D4, MAX, True)],
    ]  # fmt: skip
    assert told.messages[2] == "SCD2 2026-03-01: 0 opened, 1 changed, 0 restated, 1 closed, 0 removed, 1 unchanged"
    assert told.messages[3] == "SCD2 2026-04-01: 1 opened, 2 changed, 0 restated, 0 closed, 0 removed, 0 unchanged"


@STORIES.tell("changed_back", kv(("C1", "a")), kv(("C1", "b")), Day(kv(("C1", "a")), {"effective_date": str(D2)}))
def test_a_value_changed_and_changed_back_on_the_same_day_is_restated(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True)]
    assert told.rows[2] == [("C1", "a", D1, D2, False), ("C1", "a", D2, MAX, True)]
    assert told.messages[2] == "SCD2 2026-02-01: 0 opened, 0 changed, 1 restated, 0 closed, 0 removed, 0 unchanged"


@STORIES.tell("back_same", kv(("C1", "a"), ("C2", "a")), kv(("C2", "a")), kv(("C1", "a"), ("C2", "a")),
              close_on_absence=True)  # fmt: skip
def test_a_key_that_returns_with_the_same_values_opens_a_version_after_a_gap(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C2", "a", D1, MAX, True)]
    assert told.rows[2] == [("C1", "a", D1, D2, False), ("C1", "a", D3, MAX, True), ("C2", "a", D1, MAX, True)]


@STORIES.tell("back_other", kv(("C1", "a"), ("C2", "a")), kv(("C2", "a")), kv(("C1", "b"), ("C2", "a")),
              close_on_absence=True)  # fmt: skip
def test_a_key_that_returns_with_other_values_opens_a_version_after_a_gap(told: Told) -> None:
    assert told.rows[2] == [("C1", "a", D1, D2, False), ("C1", "b", D3, MAX, True), ("C2", "a", D1, MAX, True)]


@STORIES.tell(
    "back_same_day", kv(("C1", "a"), ("C2", "a")), kv(("C2", "a")),
    Day(kv(("C1", "a"), ("C2", "a")), {"effective_date": str(D2)}), close_on_absence=True,
)  # fmt: skip
def test_a_key_that_returns_on_the_day_of_its_absence_opens_a_version_without_a_gap(told: Told) -> None:
    assert told.rows[2] == [("C1", "a", D1, D2, False), ("C1", "a", D2, MAX, True), ("C2", "a", D1, MAX, True)]


@STORIES.tell(
    "back_too_early", kv(("C1", "a"), ("C2", "a")), kv(("C2", "a")),
    Day(kv(("C1", "a"), ("C2", "a")), {"effective_date": "2026-01-31"}), close_on_absence=True,
)  # fmt: skip
def test_a_key_that_returns_before_its_last_valid_to_is_out_of_order(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C2", "a", D1, MAX, True)]
    assert told.refused(2, "out_of_order", "C1")
    assert "C2" not in told.messages[2]


@STORIES.tell("absent_open", kv(("C1", "a"), ("C2", "a")), kv(("C2", "b")), kv(("C1", "b"), ("C2", "b")))
def test_an_absent_key_stays_open_when_absence_does_not_close(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, MAX, True), ("C2", "a", D1, D2, False), ("C2", "b", D2, MAX, True)]
    assert told.rows[2] == [
        ("C1", "a", D1, D3, False),
        ("C1", "b", D3, MAX, True),
        ("C2", "a", D1, D2, False),
        ("C2", "b", D2, MAX, True),
    ]


@STORIES.tell(
    "new_max_date", kv(("C1", "a")), Day(kv(("C1", "b")), {"max_date": "2999-12-31"}), Day(config={"max_date": None})
)
def test_another_max_date_than_the_recorded_one_is_refused(told: Told) -> None:
    assert told.refused(1, "prior_max_date_mismatch", "9999-12-31")
    assert told.rows[1] == [("C1", "a", D1, MAX, True)]
    assert told.rows[2] == [("C1", "a", D1, D3, False), ("C1", "b", D3, MAX, True)]


@STORIES.tell(
    "a_view",
    Day(kv(("C1", "a")), before="create view main.a_view as select 1 as k"),
    Day(before="drop view main.a_view"),
)
def test_a_view_in_the_place_of_the_table_is_left_alone(told: Told) -> None:
    assert told.refused(0, "target_not_table", "a_view")
    assert told.rows == [[(1,)], [("C1", "a", D2, MAX, True)], [("C1", "a", D2, MAX, True)]]


def _loaded(value: str, day: date) -> str:
    return f"select 1 as k, '{value}' as v, date '{day}' as loaded"


COLUMN = {"effective_date": None, "effective_date_column": "loaded"}
LITERAL = {"effective_date": str(D3), "effective_date_column": None}


@STORIES.tell(
    "literal_to_column", _loaded("a", date(2020, 1, 1)), Day(_loaded("b", date(2026, 2, 15)), COLUMN),
    Day(_loaded("c", D1), LITERAL),
)  # fmt: skip
def test_the_effective_date_may_move_from_a_literal_to_a_column_and_back(told: Told) -> None:
    middle = date(2026, 2, 15)
    assert told.rows[0] == [(1, "a", date(2020, 1, 1), D1, MAX, True)]
    assert told.rows[1] == [(1, "a", date(2020, 1, 1), D1, middle, False), (1, "b", middle, middle, MAX, True)]
    assert told.rows[2] == [
        (1, "a", date(2020, 1, 1), D1, middle, False),
        (1, "b", middle, middle, D3, False),
        (1, "c", D1, D3, MAX, True),
    ]


# Places


@STORIES.tell(
    "attached_source",
    Day(before="create table other.main.customers as select 'C1' as k, 'a' as v"),
    Day(before="update other.main.customers set v = 'b'"),
    sql="select * from other.main.customers",
    needs="duckdb",
)
def test_the_source_may_be_in_an_attached_database(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True)]


@STORIES.tell(
    "custom_schema", kv(("C1", "a")), kv(("C1", "b")), table="main_dim.custom_schema", standard={"schema": "dim"}
)
def test_the_target_may_be_in_a_custom_schema(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True)]


# Flags


@pytest.fixture(scope="module")
def flagged(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three histories at D1 over a source that then lost C1 and changed C2."""
    project = Project(tmp_path_factory.mktemp("flags"))
    project.file("models/sources.yml", "sources: [{name: main, tables: [{name: customers}]}]")
    project.table("customers", "k varchar, v varchar", [("C1", "a"), ("C2", "a")])
    for name in ("absent", "kept", "anew"):
        options = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "{d}"}
        project.model(name, "select * from {{ source('main', 'customers') }}", options | {"close_on_absence": True})
    assert project.run(vars={"d": str(D1)}).success
    project.table("customers", "k varchar, v varchar", [("C2", "b")])
    return project


WARNING = "scd2_master model.shop.kept: a full refresh does not discard history"
FIRST = [("C1", "a", D1, MAX, True), ("C2", "a", D1, MAX, True)]
SECOND = [("C1", "a", D1, D2, False), ("C2", "a", D1, D2, False), ("C2", "b", D2, MAX, True)]


def test_flags_keep_the_history_unless_a_var_gives_it_up(flagged: Project) -> None:
    empty = flagged.run(vars={"d": str(D2)}, flags=["--empty"])
    assert [flagged.history(name) for name in ("absent", "kept", "anew")] == [FIRST] * 3
    assert empty.messages["absent"].startswith("SCD2 skipped"), empty.log

    refresh = flagged.run(vars={"d": str(D2)}, flags=["--full-refresh"])
    assert [flagged.history(name) for name in ("absent", "kept", "anew")] == [SECOND] * 3
    assert WARNING in refresh.log

    flagged.run(vars={"d": str(D3), "scd2_allow_full_refresh": ["anew"]}, flags=["--full-refresh"])
    assert [flagged.history(name) for name in ("kept", "anew")] == [SECOND, [("C2", "b", D3, MAX, True)]]

    plain = flagged.run(vars={"d": str(D4), "scd2_allow_full_refresh": True})
    assert [flagged.history(name) for name in ("kept", "anew")] == [SECOND, [("C2", "b", D3, MAX, True)]]
    assert WARNING not in plain.log

    flagged.run(vars={"d": str(D4), "scd2_allow_full_refresh": True}, flags=["--full-refresh"])
    assert [flagged.history(name) for name in ("kept", "anew")] == [[("C2", "b", D4, MAX, True)]] * 2
