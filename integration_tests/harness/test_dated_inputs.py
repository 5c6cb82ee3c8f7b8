"""Sources whose rows bring their dates: change logs and series of snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from batch import MAX, Day, Row, Story, Told, play, text
from dated import GONE, LOG, SERIES, STRATEGIES, VERSIONS, BothStrategies, dated, jan, report, version
from engines import ENGINE, needs_duckdb
from project import Project

STORIES = BothStrategies()
LAST = datetime(9999, 12, 31)
STAMPS = {"validity_type": "timestamp"}
KINDS = {"log": LOG, "series": SERIES}
ABSENCE = {"close_on_absence": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dated")


@pytest.fixture(scope="module")
def outcomes(folder: Path) -> dict[str, Told]:
    return play(folder, STORIES)


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# Change logs


def changes(*rows: tuple[str, str | None, str | None, str, int]) -> str:
    """A source of key, tracked, carried, operation and day of January 2026."""
    lines = ", ".join(
        f"('{k}', {text(v)}, {text(c)}, '{op}', date '{jan(day)}')" for k, v, c, op, day in rows
    )  # fmt: skip
    return f"select k, v::varchar as v, c::varchar as c, op, d from (values {lines}) t(k, v, c, op, d)"


@STORIES.tell(
    "worked_log",
    changes(
        ("C3", "a", "q", "u", 10),
        ("C1", "a", "x", "u", 10),
        ("C1", "a", "y", "u", 12),
        ("C1", "b", "z", "u", 15),
        ("C2", "a", "p", "u", 11),
        ("C2", None, None, "d", 13),
    ),
    changes(
        ("C1", "a", "v", "u", 11),
        ("C1", "b", "w", "u", 16),
        ("C2", "a", "r", "u", 20),
        ("C3", "b", "s", "u", 16),
        ("C3", "a", "t", "u", 18),
        ("C3", None, None, "d", 19),
        ("C4", None, None, "d", 17),
        ("C5", "a", "o", "u", 17),
    ),
    deleted_when="op = 'd'",
    **{key: value for key, value in LOG.items() if key != "deleted_when"},
    scd2_strategy="merge",
)
def test_a_log_opens_changes_and_closes_key_by_key_in_date_order(once: Told) -> None:
    assert list(once.columns[0]) == ["k", "v", "c", "op", "d", "valid_from", "valid_to", "is_current"], once.messages
    assert once.rows[0] == [
        ("C1", "a", "x", "u", jan(10), jan(10), jan(15), False),
        ("C1", "b", "z", "u", jan(15), jan(15), MAX, True),
        ("C2", "a", "p", "u", jan(11), jan(11), jan(13), False),
        ("C3", "a", "q", "u", jan(10), jan(10), MAX, True),
    ]
    assert once.messages[0] == report("2026-01-10..2026-01-15", opened=3, changed=1, closed=1)
    # An early row of C1 says what the history says (its carried value does not matter) and a later one confirms it,
    # C2 returns after a gap, C3 changes twice and goes, C4 never was, C5 is new.
    assert once.rows[1] == [
        ("C1", "a", "x", "u", jan(10), jan(10), jan(15), False),
        ("C1", "b", "z", "u", jan(15), jan(15), MAX, True),
        ("C2", "a", "p", "u", jan(11), jan(11), jan(13), False),
        ("C2", "a", "r", "u", jan(20), jan(20), MAX, True),
        ("C3", "a", "q", "u", jan(10), jan(10), jan(16), False),
        ("C3", "a", "t", "u", jan(18), jan(18), jan(19), False),
        ("C3", "b", "s", "u", jan(16), jan(16), jan(18), False),
        ("C5", "a", "o", "u", jan(17), jan(17), MAX, True),
    ]
    assert once.messages[1] == report("2026-01-11..2026-01-20", opened=2, changed=2, closed=1, unchanged=1)


# Each key follows a rule of its own: what its three batches hold, and its versions after the third.
Events = Sequence[tuple[str | None, int]]
RULES: dict[str, tuple[Events, Events, Events, Sequence[Row]]] = {
    "a_late_row_after_the_last_boundary_is_the_newest": (
        [("a", 10), ("a", 20)], [("b", 15)], [],
        [version("", "a", 10, 15), version("", "b", 15)],
    ),
    "absence_means_nothing": ([("a", 10)], [], [], [version("", "a", 10)]),
    "the_open_version_is_restated_and_then_changes": (
        [("a", 10), ("b", 12)], [("c", 12), ("d", 14)], [],
        [version("", "a", 10, 12), version("", "c", 12, 14), version("", "d", 14)],
    ),
    "the_only_version_is_restated": ([("a", 10)], [("b", 10)], [], [version("", "b", 10)]),
    "restated_and_back": (
        [("a", 10)], [("b", 10), ("a", 11)], [],
        [version("", "a", 11), version("", "b", 10, 11)],
    ),
    "restated_and_deleted": ([("a", 10)], [("b", 10), (GONE, 11)], [], [version("", "b", 10, 11)]),
    "deleted_at_its_valid_from": ([("a", 10), ("b", 12)], [(GONE, 12)], [], [version("", "a", 10, 12)]),
    "deleted_at_its_valid_from_and_back": (
        [("a", 10), ("b", 12)], [(GONE, 12), ("c", 14)], [],
        [version("", "a", 10, 12), version("", "c", 14)],
    ),
    "removed_and_then_a_new_key": ([("a", 10)], [(GONE, 10)], [("b", 5)], [version("", "b", 5)]),
    "deleted_again_leaves_no_trace": (
        [("a", 10), (GONE, 12), (GONE, 13)], [(GONE, 15)], [("a", 12)],
        [version("", "a", 10, 12), version("", "a", 12)],
    ),
    "deleted_before_it_was_leaves_no_trace": ([(GONE, 9)], [], [("a", 8)], [version("", "a", 8)]),
    "back_after_a_gap": (
        [("a", 10), (GONE, 12)], [("a", 13)], [("a", 11), (GONE, 12)],
        [version("", "a", 10, 12), version("", "a", 13)],
    ),
    "early_rows_that_the_history_already_says_do_nothing": (
        [("a", 10), ("b", 12), (GONE, 14), ("c", 20)],
        [("a", 10), ("a", 11), ("b", 13), (GONE, 14), (GONE, 19), (GONE, 1)],
        [("b", 12), ("c", 20)],
        [version("", "a", 10, 12), version("", "b", 12, 14), version("", "c", 20)],
    ),
    "early_rows_of_a_closed_key": (
        [("a", 10), (GONE, 20)], [(GONE, 9), ("a", 19), (GONE, 20)], [],
        [version("", "a", 10, 20)],
    ),
    "null_is_a_value": (
        [(None, 10), (None, 11), ("a", 12)], [(None, 11), (None, 14)], [],
        [version("", "a", 12, 14), version("", None, 10, 12), version("", None, 14)],
    ),
}  # fmt: skip


def _batch(number: int) -> str:
    return dated(*((rule, value, day) for rule, parts in RULES.items() for value, day in parts[number]))


STORIES.add(Story("rules", [Day(_batch(0)), Day(_batch(1)), Day(_batch(2))], LOG, show=VERSIONS))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_rows_of_a_key_are_applied_in_date_order_by_the_decision_table(
    rule: str, strategy: str, outcomes: dict[str, Told]
) -> None:
    told = outcomes[f"rules_{strategy}"]
    rows = [row for row in told.rows[2] or [] if row[0] == rule]
    assert rows == [(rule, *row[1:]) for row in RULES[rule][3]], told.messages


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_report_of_a_log_counts_events(strategy: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"rules_{strategy}"]
    assert [row for row in told.rows[2] or [] if row[0] not in RULES] == []
    assert told.messages == [
        report("2026-01-09..2026-01-20", opened=15, changed=5, closed=4),
        report("2026-01-01..2026-01-20", opened=2, changed=4, restated=4, closed=1, removed=3, unchanged=2),
        report("2026-01-05..2026-01-20", opened=3, unchanged=9),
        *([report("2026-01-05..2026-01-20", unchanged=12)] if strategy == "merge" else []),
    ]


# Rows before the last boundary of their key that say otherwise; a message names five keys.
EARLY_START = [("a", 10), ("b", 12), (GONE, 14), ("c", 20)]
EARLY: dict[str, tuple[str | None, int]] = {
    "another_value": ("b", 11),
    "another_value_at_a_boundary": ("a", 12),
    "a_value_before_the_first_version": ("a", 9),
    "a_value_in_a_gap": ("b", 14),
    "null_for_a_value": (None, 13),
    "a_deletion_of_a_version": (GONE, 13),
    "a_deletion_at_a_valid_from": (GONE, 10),
}
for _names in (list(EARLY)[:5], list(EARLY)[5:]):
    _first = dated(*((name, *event) for name in _names for event in EARLY_START), ("fine", "x", 10))
    _second = dated(
        *((name, *EARLY[name]) for name in _names), *((name, "c", 21) for name in _names), ("fine", "y", 11)
    )
    _config = {**LOG, "scd2_strategy": "rebuild"}
    STORIES.add(Story(f"early_{len(_names)}", [Day(_first), Day(_second)], _config, show=VERSIONS, repeat=False))


@pytest.mark.parametrize("name", EARLY)
def test_an_early_row_that_says_otherwise_is_out_of_order_and_names_the_key(
    name: str, outcomes: dict[str, Told]
) -> None:
    told = outcomes[f"early_{5 if name in list(EARLY)[:5] else 2}"]
    assert [row for row in told.rows[0] or [] if row[0] == name] == [
        version(name, "a", 10, 12),
        version(name, "b", 12, 14),
        version(name, "c", 20),
    ], told.messages
    assert told.refused(1, "out_of_order", f"{name} ", str(jan(EARLY[name][1])))
    assert "fine" not in told.messages[1]


@STORIES.tell("early_closed", dated(("C1", "a", 10), ("C1", GONE, 20), ("C2", "x", 1)), dated(("C1", "b", 19)),
              show=VERSIONS, repeat=False, scd2_strategy="merge", **LOG)  # fmt: skip
def test_the_last_boundary_of_a_key_without_an_open_version_is_its_last_valid_to(once: Told) -> None:
    assert once.rows[0] == [version("C1", "a", 10, 20), version("C2", "x", 1)], once.messages
    assert once.refused(1, "out_of_order", "C1", "2026-01-19", "2026-01-20")


# deleted_when

CONDITIONS = {
    "condition_or": ("op = 'd' or op = '{x}'", "d"),
    "condition_null": ("nullif(op, 'u') = 'd'", "d"),
    "condition_in": ("op in ('d', 'x') -- gone", "dx"),
    "condition_quotes": ("op || '''--' = 'x''--'", "x"),
}
OPERATIONS = changes(("d", "a", "", "u", 10), ("d", "a", "", "d", 12), ("x", "a", "", "u", 10), ("x", "a", "", "x", 12))
for _name, (_condition, _) in CONDITIONS.items():
    _config = {**LOG, "deleted_when": _condition, "scd2_strategy": "rebuild"}
    STORIES.add(Story(_name, [Day(OPERATIONS)], _config, show=VERSIONS, repeat=False))


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_row_is_a_deletion_where_the_condition_is_true_and_not_where_it_is_null(
    name: str, outcomes: dict[str, Told]
) -> None:
    deleted = CONDITIONS[name][1]
    assert outcomes[name].rows[0] == [version(key, "a", 10, 12 if key in deleted else None) for key in "dx"], outcomes[
        name
    ].messages


@STORIES.tell(
    "no_condition",
    OPERATIONS,
    show=VERSIONS,
    scd2_strategy="merge",
    **{**LOG, "deleted_when": None},
    repeat=False,
)
def test_without_a_condition_no_row_is_a_deletion(once: Told) -> None:
    assert once.rows[0] == [version("d", "a", 10), version("x", "a", 10)], once.messages


WRONG_CONDITIONS = {
    "wrong_syntax": "op = ",
    "wrong_column": "no_such_column = 'd'",
    "wrong_function": "no_such_function(op)",
    "wrong_type": "d",
    "wrong_aggregate": "count(*) > 0",
    "wrong_window": "row_number() over () = 1",
    "wrong_unnest": "unnest([false, true])",
    "wrong_qualifier": "foo.op = 'd'",
    "wrong_list": "op = 'd'), (true",
    "wrong_branches": "op = 'd') then false when (true",
    "wrong_second_statement": "true; drop table main.victim",
    "wrong_closed_bracket": "true); drop table main.victim; --",
    "wrong_closed_brackets": "true) from main.victim; drop table main.victim; select (true",
}
for _name, _condition in WRONG_CONDITIONS.items():
    _config = {**LOG, "deleted_when": _condition, "scd2_strategy": "rebuild"}
    _before = "create table if not exists main.victim as select 1 as still_here"
    STORIES.add(Story(_name, [Day(OPERATIONS, before=_before)], _config, repeat=False))


@pytest.mark.parametrize("name", WRONG_CONDITIONS)
def test_a_condition_that_is_none_is_an_invalid_option(name: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[name].refused(0, "invalid_option", "deleted_when")
    assert outcomes[name].rows[0] is None


@needs_duckdb("reads the database's file")
def test_no_condition_did_anything_else(folder: Path, outcomes: dict[str, Told]) -> None:
    assert outcomes
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        assert connection.execute("select * from main.victim").fetchall() == [(1,)]


# Series

STACK = [
    ("A", "1", 1), ("B", "1", 1), ("A", "1", 2), ("B", "2", 2), ("B", "2", 3), ("A", "3", 4), ("B", "2", 4),
    ("B", "2", 5), ("A", "3", 6), ("B", "2", 6), ("C", "1", 6),
]  # fmt: skip


def stack(*days: int) -> str:
    return dated(*(row for row in STACK if row[2] in days))


@STORIES.tell("series_absence", stack(4, 2, 3, 1), stack(1, 2, 3, 4, 5, 6), show=VERSIONS, **ABSENCE, **SERIES)
def test_a_series_equals_its_snapshots_one_by_one_absence_included(told: Told) -> None:
    first = [version("A", "1", 1, 3), version("A", "3", 4), version("B", "1", 1, 2), version("B", "2", 2)]
    assert told.rows[0] == first, told.messages
    assert told.messages[0] == report("2026-01-01..2026-01-04", opened=3, changed=1, closed=1, skipped=0)
    assert told.rows[1] == [
        version("A", "1", 1, 3),
        version("A", "3", 4, 5),
        version("A", "3", 6),
        version("B", "1", 1, 2),
        version("B", "2", 2),
        version("C", "1", 6),
    ]
    assert told.messages[1] == report("2026-01-04..2026-01-06", opened=2, closed=1, unchanged=1, skipped=3)


@STORIES.tell(
    "series_open",
    stack(1, 2, 3, 4),
    stack(1, 2, 3, 4, 5, 6),
    show=VERSIONS,
    **SERIES,
    scd2_strategy="rebuild",
    repeat=False,
)
def test_absence_from_a_snapshot_of_a_series_means_nothing_unless_it_closes(once: Told) -> None:
    first = [version("A", "1", 1, 4), version("A", "3", 4), version("B", "1", 1, 2), version("B", "2", 2)]
    assert once.rows[0] == first, once.messages
    assert once.messages[0] == report("2026-01-01..2026-01-04", opened=2, changed=2, skipped=0)
    assert once.rows[1] == [*first, version("C", "1", 6)]
    assert once.messages[1] == report("2026-01-04..2026-01-06", opened=1, unchanged=2, skipped=3)


@STORIES.tell(
    "series_of_one",
    dated(("A", "1", 5), ("B", "1", 5)),
    dated(("A", "2", 6)),
    show=VERSIONS,
    **ABSENCE,
    **SERIES,
    scd2_strategy="merge",
    repeat=False,
)
def test_a_series_of_one_snapshot_is_that_snapshot(once: Told) -> None:
    assert once.rows[:2] == [
        [version("A", "1", 5), version("B", "1", 5)],
        [version("A", "1", 5, 6), version("A", "2", 6), version("B", "1", 5, 6)],
    ], once.messages
    assert once.messages[:2] == [
        report("2026-01-05", opened=2, skipped=0),
        report("2026-01-06", changed=1, closed=1, skipped=0),
    ]


@STORIES.tell(
    "series_restated",
    dated(("A", "1", 1), ("B", "1", 1), ("C", "1", 1), ("A", "2", 3), ("B", "2", 3), ("C", "2", 3)),
    dated(("A", "9", 3), ("B", "9", 3), ("A", "9", 4), ("B", "8", 4)),
    show=VERSIONS,
    **ABSENCE,
    **SERIES,
)
def test_a_series_that_begins_at_the_latest_boundary_restates_and_removes(told: Told) -> None:
    assert told.rows[1] == [
        version("A", "1", 1, 3),
        version("A", "9", 3),
        version("B", "1", 1, 3),
        version("B", "8", 4),
        version("B", "9", 3, 4),
        version("C", "1", 1, 3),
    ], told.messages
    assert told.messages[1] == report("2026-01-03..2026-01-04", changed=1, restated=2, removed=1, skipped=0)


@STORIES.tell(
    "series_closed_last", dated(("A", "1", 1), ("B", "1", 1), ("A", "1", 8)), dated(("B", "1", 7), ("A", "3", 7)),
    dated(("A", "2", 8)), show=VERSIONS, **ABSENCE, **SERIES, scd2_strategy="rebuild", repeat=False,
)  # fmt: skip
def test_snapshots_before_the_latest_boundary_of_any_key_are_skipped_unverified(once: Told) -> None:
    first = [version("A", "1", 1), version("B", "1", 1, 8)]
    assert once.rows[:2] == [first, first], once.messages
    assert once.messages[1] == report("no effective date", unchanged=1, skipped=1)
    assert once.rows[2] == [version("A", "1", 1, 8), version("A", "2", 8), version("B", "1", 1, 8)]


@STORIES.tell(
    "series_after_snapshot", Day(dated(("A", "1", 1)), {"effective_date": "2026-01-05"}),
    Day(dated(("A", "1", 4), ("A", "2", 6)), SERIES), Day(dated(("A", "3", 7)), LOG),
    Day(dated(("A", "4", 1)), {"input_kind": None, "deleted_when": None, "effective_date": "2026-01-08",
                               "effective_date_column": None}),
    show=VERSIONS, scd2_strategy="merge", repeat=False,
)  # fmt: skip
def test_the_kind_of_input_may_change_from_run_to_run(once: Told) -> None:
    assert once.rows[3] == [
        version("A", "1", 5, 6),
        version("A", "2", 6, 7),
        version("A", "3", 7, 8),
        version("A", "4", 8),
    ], once.messages


# Absence that is too much

FOUR = [(key, "1", 1) for key in "ABCD"]
HALF = {"max_closed_fraction": 0.5, "show": VERSIONS, "repeat": False}


@STORIES.tell(
    "fraction_of_a_series",
    dated(*FOUR, ("A", "1", 2), *((key, "1", 3) for key in "ABCD")),
    dated(*FOUR, ("A", "1", 2), ("B", "1", 2), ("A", "1", 3)),
    dated(("E", "1", 4), ("F", "1", 4)),
    **HALF,
    **ABSENCE,
    **SERIES,
    scd2_strategy="rebuild",
)
def test_each_snapshot_of_a_series_may_close_the_fraction_and_no_more(once: Told) -> None:
    # Three of four are absent on one date, even though they return on the next.
    assert once.refused(0, "too_many_closed", "2026-01-02", "3", "4", "0.5", "max_closed_fraction")
    assert "2026-01-03" not in once.messages[0].split("> in macro")[0]
    assert once.rows[0] is None
    # Two of four, then one of two.
    assert once.rows[1] == [
        version("A", "1", 1),
        version("B", "1", 1, 3),
        version("C", "1", 1, 2),
        version("D", "1", 1, 2),
    ], once.messages
    # One of one.
    assert once.refused(2, "too_many_closed", "2026-01-04", "1", "0.5")


@STORIES.tell("removed_by_a_series", dated(*FOUR), dated(("A", "1", 1), ("A", "1", 2)), scd2_strategy="merge",
              **HALF, **ABSENCE, **SERIES)  # fmt: skip
def test_removals_of_a_series_count_as_closed(once: Told) -> None:
    assert once.rows[0] == [version(key, "1", 1) for key in "ABCD"], once.messages
    assert once.refused(1, "too_many_closed", "2026-01-01", "3", "4", "0.5")


@STORIES.tell(
    "fraction_of_a_log",
    dated(*FOUR),
    dated(("A", GONE, 2), ("B", GONE, 1), ("C", "2", 2), ("C", GONE, 3)),
    dated(("A", GONE, 2), ("B", GONE, 2), ("C", GONE, 2), ("C", "2", 3), ("E", "1", 1), ("E", GONE, 2)),
    **HALF,
    **LOG,
    scd2_strategy="merge",
)
def test_a_log_may_close_the_fraction_of_the_keys_that_were_open_and_no_more(once: Told) -> None:
    assert once.rows[0] == [version(key, "1", 1) for key in "ABCD"], once.messages
    assert once.refused(1, "too_many_closed", "3", "4", "0.5", "max_closed_fraction")
    # C is open again in the end, E was not open before.
    assert once.rows[2] == [
        version("A", "1", 1, 2),
        version("B", "1", 1, 2),
        version("C", "1", 1, 2),
        version("C", "2", 3),
        version("D", "1", 1),
        version("E", "1", 1, 2),
    ], once.messages


# No rows

for _kind, _strategy in (("log", "merge"), ("series", "rebuild")):
    _absence = ABSENCE if _kind == "series" else {}
    _days = [Day(dated()), Day(dated(("A", "1", 1), ("B", "2", 1))), Day(dated())]
    _config = {**KINDS[_kind], **_absence, "scd2_strategy": _strategy}
    STORIES.add(Story(f"no_rows_{_kind}", _days, _config, show=VERSIONS, repeat=False))


@pytest.mark.parametrize("kind", KINDS)
def test_without_rows_nothing_happens(kind: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"no_rows_{kind}"]
    skipped = {"skipped": 0} if kind == "series" else {}
    assert told.rows[0] == [], told.messages
    assert list(told.columns[0]) == ["k", "v", "d", "gone", "valid_from", "valid_to", "is_current"]
    assert told.rows[1:] == [[version("A", "1", 1), version("B", "2", 1)]] * 2
    assert told.messages[0] == report("no effective date", **skipped)
    assert told.messages[2] == report("no effective date", unchanged=2, **skipped)


# Guards on the rows, for both kinds

BAD_SOURCES: dict[str, tuple[str, str, Sequence[str], Sequence[str], dict[str, Any]]] = {
    # name: (source, slug, what the message has, what it has not, options)
    "key_twice_at_a_date": (
        dated(("C1", "a", 1), ("C1", "a", 2), ("C1", "b", 2), ("C1", "c", 2), ("C2", "a", 1), ("C2", "a", 2)),
        "duplicate_key", ("C1", "2026-01-02", "3"), ("C2", "2026-01-01"), {},
    ),
    "key_null": (
        dated(("C1", "a", 1)) + " union all select null, 'a', date '2026-01-02', false"
        " union all select null, 'a', date '2026-01-03', true",
        "null_key", ("k", "2"), ("C1",), {},
    ),
    "date_null": (
        dated(("C1", "a", 1), ("C2", "a", 2)) + " union all select 'C3', 'a', null, false"
        " union all select 'C4', 'a', null, true",
        "effective_date_null", ("d", "2", "C3 (1 row)", "C4 (1 row)"), ("C1",), {},
    ),
    "date_as_text": (
        dated(("C1", "a", 1), ("C1", "b", 2), kind="varchar"),
        "effective_date_type", ("d", "VARCHAR"), ("duplicate_key",), {},
    ),
    "date_as_integer": (
        "select 'C1' as k, 'a' as v, 20260101 as d, false as gone",
        "effective_date_type", ("d", "INTEGER"), (), {},
    ),
    "date_with_a_time": (
        dated(("C1", "a", 1), ("C2", "a", "2026-01-02 12:00:00"), kind="timestamp"),
        "effective_date_type", ("2026-01-02 12:00:00",), ("2026-01-01",), {},
    ),
    "date_with_a_zone": (
        dated(("C1", "a", 1), kind="timestamptz"), "effective_date_type", ("d", "TIMESTAMP WITH TIME ZONE"), (), {},
    ),
    "date_infinite": (
        dated(("C1", "a", 1), ("C2", "a", "infinity")), "effective_date_type", ("infinity",), ("2026-01-01",), {},
    ),
    "date_in_nanoseconds": (
        dated(("C1", "a", 1), ("C2", "a", "2026-01-01 12:00:00.123456789"), kind="timestamp_ns"),
        "effective_date_type", ("2026-01-01 12:00:00.123456789",), (), STAMPS,
    ),
    "date_at_max_date": (
        dated(("C1", "a", 1), ("C2", "a", 31)),
        "effective_date_not_before_max_date", ("2026-01-31", "max_date"), ("2026-01-01",), {"max_date": "2026-01-31"},
    ),
    "date_after_max_date": (
        dated(("C1", "a", 1), ("C1", "b", 31)),
        "effective_date_not_before_max_date", ("2026-01-31", "max_date"), ("2026-01-01",), {"max_date": "2026-01-30"},
    ),
    "date_column_missing": (
        dated(("C1", "a", 1)), "unknown_column", ("happened", "gone"), (), {"effective_date_column": "happened"},
    ),
    "column_reserved": (
        dated(("C1", "a", 1)).replace(" gone::boolean as gone", " gone::boolean as gone, d as valid_to"),
        "reserved_column", ("valid_to",), (), {},
    ),
}  # fmt: skip
IN_A_SERIES_TOO = ["key_twice_at_a_date", "date_null", "date_with_a_time", "date_at_max_date", "column_reserved"]
BAD = [("log", name) for name in BAD_SOURCES] + [("series", name) for name in IN_A_SERIES_TOO]
if ENGINE != "duckdb":
    BAD.remove(("log", "date_in_nanoseconds"))
for _kind, _name in BAD:
    _source, *_, _more = BAD_SOURCES[_name]
    _config = {**KINDS[_kind], **_more, "scd2_strategy": "rebuild"}
    STORIES.add(Story(f"{_name}_{_kind}", [Day(_source)], _config, repeat=False))


@pytest.mark.parametrize(("kind", "name"), BAD)
def test_rows_that_cannot_be_right_are_refused(kind: str, name: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"{name}_{kind}"]
    _, slug, says, silent_on, _ = BAD_SOURCES[name]
    assert told.refused(0, slug, *says)
    raised = told.messages[0].split("> in macro")[0]
    assert [word for word in silent_on if word in raised] == []
    assert told.rows[0] is None


@STORIES.tell("key_twice_later", dated(("C1", "a", 1)), dated(("C1", "b", 2), ("C1", "b", 2)), show=VERSIONS,
              repeat=False, **LOG, scd2_strategy="merge",
)  # fmt: skip
def test_a_refused_batch_leaves_the_table_as_it_was(once: Told) -> None:
    assert once.rows[0] == [version("C1", "a", 1)], once.messages
    assert once.refused(1, "duplicate_key", "C1", "2026-01-02")


# The date column

STRATEGY = {"log": "merge", "series": "rebuild"}
for _kind, _options in KINDS.items():
    _source = dated(("C1", "a", 1), ("C1", "b", 2)).replace(" as d,", " as valid_from,")
    _config = {**_options, "effective_date_column": "VALID_FROM", "scd2_strategy": STRATEGY[_kind]}
    _days = [Day(_source), Day(_source.replace("'b'", "'c'"))]
    STORIES.add(Story(f"consumed_{_kind}", _days, _config, repeat=False))


@pytest.mark.parametrize("kind", KINDS)
def test_a_date_column_named_like_an_output_column_is_consumed(kind: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"consumed_{kind}"]
    assert list(told.columns[0]) == ["k", "v", "gone", "valid_from", "valid_to", "is_current"], told.messages
    assert told.rows[0] == [("C1", "a", False, jan(1), jan(2), False), ("C1", "b", False, jan(2), MAX, True)]
    assert told.rows[1] == [("C1", "a", False, jan(1), jan(2), False), ("C1", "c", False, jan(2), MAX, True)]


@STORIES.tell("all_log", dated(("C1", "a", 1), ("C1", "a", 2), ("C1", GONE, 3)),
              **{**LOG, "tracked_columns": "all", "carried_columns": ["gone"], "scd2_strategy": "merge"}, repeat=False,
)  # fmt: skip
def test_under_all_the_date_column_is_not_tracked(once: Told) -> None:
    assert once.rows[0] == [("C1", "a", jan(1), False, jan(1), jan(3), False)], once.messages


MIXED = (
    dated(("C1", "a", 1), ("C1", "b", 2)).replace(" as d,", ' as "Seen On",').replace("k::varchar as k", 'k as "K 1"')
)
for _kind, _options in KINDS.items():
    _config = {**_options, "unique_key": "k 1", "effective_date_column": "SEEN ON", "scd2_strategy": STRATEGY[_kind]}
    STORIES.add(Story(f"names_{_kind}", [Day(MIXED)], _config, repeat=False))


@pytest.mark.parametrize("kind", KINDS)
def test_the_date_column_and_the_key_may_have_any_name(kind: str, outcomes: dict[str, Told]) -> None:
    told = outcomes[f"names_{kind}"]
    assert list(told.columns[0])[:4] == ["K 1", "v", "Seen On", "gone"], told.messages
    assert told.rows[0] == [
        ("C1", "a", jan(1), False, jan(1), jan(2), False),
        ("C1", "b", jan(2), False, jan(2), MAX, True),
    ]


# Another prior

OLD = date(2025, 1, 1)
LEGACY = f"""
    create table {{model}}_legacy as
    select k, v, null::date as d, null::boolean as gone, valid_from, valid_to, is_current
    from (values ('C1', 'o', date '{OLD}', date '9999-12-31', true), ('C2', 'x', date '{OLD}', date '{jan(5)}', false))
        t(k, v, valid_from, valid_to, is_current)
"""
FROM_LEGACY = dated(("C1", "a", 6), ("C2", "x", 6), ("C1", "b", 8), ("C2", "x", 8))
AFTER_LEGACY = [
    ("C1", "a", jan(6), jan(8), False),
    ("C1", "b", jan(8), MAX, True),
    ("C1", "o", OLD, jan(6), False),
    ("C2", "x", OLD, jan(5), False),
    ("C2", "x", jan(6), MAX, True),
]
for _kind, _options in KINDS.items():
    _config = {**_options, "scd2_strategy": "rebuild", "prior_relation": f"prior_{_kind}_legacy"}
    _before = LEGACY.replace("{model}", f"prior_{_kind}")
    _days = [Day(FROM_LEGACY, before=_before), Day(), Day(dated(("C1", "c", 9))), Day(config={"prior_relation": None})]
    STORIES.add(Story(f"prior_{_kind}", _days, _config, show=VERSIONS, repeat=False))


@pytest.mark.parametrize("kind", KINDS)
def test_dated_rows_may_start_from_another_prior_and_do_not_discard_the_own_history(
    kind: str, outcomes: dict[str, Told]
) -> None:
    told = outcomes[f"prior_{kind}"]
    assert told.rows[:2] == [AFTER_LEGACY, AFTER_LEGACY], told.messages
    assert told.refused(2, "prior_would_discard", f"prior_{kind}_legacy", "2026-01-08")
    assert told.rows[3] == sorted(
        [*(row for row in AFTER_LEGACY if row[:2] != ("C1", "b")), ("C1", "b", jan(8), jan(9), False),
         ("C1", "c", jan(9), MAX, True)]
    ), told.messages  # fmt: skip


@STORIES.tell(
    "prior_skips",
    Day(dated(("C1", "o", 4), ("C1", "a", 5), ("C1", "b", 6)), before=LEGACY.replace("{model}", "prior_skips")),
    show=VERSIONS,
    repeat=False,
    **{**SERIES, "scd2_strategy": "rebuild", "prior_relation": "prior_skips_legacy"},
)
def test_the_dates_before_the_latest_boundary_of_another_prior_are_skipped(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", jan(5), jan(6), False),
        ("C1", "b", jan(6), MAX, True),
        ("C1", "o", OLD, jan(5), False),
        ("C2", "x", OLD, jan(5), False),
    ], once.messages
    assert once.messages[0] == report("2026-01-05..2026-01-06", changed=2, skipped=1)


# What needs a project of its own: dbt's log, its flags, its responses, a session far from UTC

SHOP = {"log_rebuild": LOG, "series_merge": SERIES}


def _histories(project: Project) -> list[list[Row]]:
    return [project.rows(f"select {VERSIONS} from {model} order by k, valid_from, valid_to") for model in SHOP]


def test_flags_vars_and_the_log_of_dated_inputs(tmp_path: Path) -> None:
    project = Project(tmp_path, zone="Asia/Kolkata", project={"vars": {"scd2_timezone": "Europe/Berlin"}})
    project.file("models/sources.yml", "sources: [{name: main, tables: [{name: changes}]}]")
    for model, options in SHOP.items():
        config = {
            "unique_key": "k",
            "tracked_columns": ["v"],
            "scd2_strategy": model.split("_")[1],
            **options,
            **STAMPS,
        }
        given = {key: value for key, value in config.items() if value is not None}
        project.model(model, "select * from {{ source('main', 'changes') }}", given)
    rows = [("C1", "a", "2026-01-10 23:00:00+00"), ("C1", "b", "2026-07-10 23:00:00+00")]
    project.execute(f"create table changes as {dated(*rows, kind='timestamptz')}")

    empty = project.run(flags=["--empty"])
    assert _histories(project) == [[], []], empty.log

    first = project.run()
    winter, summer = datetime(2026, 1, 11), datetime(2026, 7, 11, 1)
    history = [("C1", "a", winter, summer, False), ("C1", "b", summer, LAST, True)]
    assert _histories(project) == [history] * 2, first.log
    for model in SHOP:
        skipped = {"skipped": 0} if model.startswith("series") else {}
        dates = "2026-01-11 00:00:00..2026-07-11 01:00:00"
        assert first.messages[model] == report(dates, opened=1, changed=1, **skipped)
        assert first.responses[model]["rows_affected"] == 3

    project.execute("update changes set v = case extract(month from d) when 1 then 'skipped anyway' else 'c' end")
    empty = project.run(flags=["--empty"])
    assert _histories(project) == [history] * 2, empty.log
    assert [message for message in empty.messages.values() if not message.startswith("SCD2 skipped")] == []

    second = project.run("series_merge")
    assert _histories(project) == [history, [("C1", "a", winter, summer, False), ("C1", "c", summer, LAST, True)]]
    assert second.messages["series_merge"] == report("2026-07-11 01:00:00", restated=1, skipped=1), second.log
    [warning] = {line for line in second.log.splitlines() if "skipped" in line and "model.shop.series_merge:" in line}
    assert "2026-01-11 00:00:00" in warning
