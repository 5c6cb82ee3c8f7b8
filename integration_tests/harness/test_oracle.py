"""The oracle itself, row by row of the decision table, against rows written down by hand."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from oracle import (
    Done,
    Moment,
    Options,
    Refused,
    Row,
    Version,
    hash_text,
    run_log,
    run_series,
    run_snapshot,
    tracked_hash,
    version_key,
)

MAX = date(9999, 12, 31)
JAN, FEB, MAR, APR, MAY = (date(2026, month, 1) for month in range(1, 6))

DAYS = D0, D1, D2, D3, D4, D5, D6, D7, D8, D9 = [date(2026, 6, 10 + n) for n in range(10)]

DEFAULTS = Options()
ABSENCE_CLOSES = Options(close_on_absence=True)
DATE_FROM_ROWS = Options(date_from_rows=True)
COALESCES = Options(close_on_absence=True, coalesce_versions=True)
TYPE_1 = Options(close_on_absence=True, type1_columns=True)
SERIES = Options(date_from_rows=True, close_on_absence=True)
LOG = Options(date_from_rows=True)


def ver(
    key: Any,
    tracked: Any,
    valid_from: Moment,
    valid_to: Moment = MAX,
    carried: Any = "-",
    type0: Any = 0,
    type1: Any = 1,
) -> Version:
    """A version; it is current when nothing says when it ended."""
    key = key if isinstance(key, tuple) else (key,)
    return Version(key, (tracked,), (carried,), valid_from, valid_to, valid_to == MAX, (type0,), (type1,))


def row(
    key: Any,
    tracked: Any,
    carried: Any = "-",
    effective_date: Moment | None = None,
    type0: Any = 0,
    type1: Any = 1,
    deleted: bool = False,
) -> Row:
    key = key if isinstance(key, tuple) else (key,)
    return Row(key, (tracked,), (carried,), effective_date, (type0,), (type1,), deleted)


def at(effective_date: Moment | None, key: Any, tracked: Any, carried: Any = "-", **values: Any) -> Row:
    """A row that brings its date along."""
    return row(key, tracked, carried, effective_date, **values)


def delete(effective_date: Moment | None, key: Any) -> Row:
    """A deletion in a change log; the values on it do not matter."""
    return row(key, None, None, effective_date, type0=None, type1=None, deleted=True)


Counted = tuple[list[Version], dict[str, int]]


def counted(outcome: Done | Refused) -> Counted:
    """The new history, ordered by key and start, and the counts that are not zero."""
    assert isinstance(outcome, Done), outcome
    ordered = sorted(outcome.history, key=lambda version: (version.key, version.valid_from))
    return ordered, {action: count for action, count in outcome.counts.items() if count}


def slugs(outcome: Done | Refused) -> set[str]:
    assert isinstance(outcome, Refused), outcome
    return set(outcome.slugs)


def done(
    history: list[Version], rows: list[Row], effective_date: Moment | None, options: Options = DEFAULTS
) -> Counted:
    return counted(run_snapshot(history, rows, effective_date, options))


def refused(
    history: list[Version], rows: list[Row], effective_date: Moment | None, options: Options = DEFAULTS
) -> set[str]:
    return slugs(run_snapshot(history, rows, effective_date, options))


def reported(outcome: Done | Refused) -> tuple[str, int]:
    assert isinstance(outcome, Done), outcome
    return outcome.report, outcome.rows_affected


# --- a key without an open version --------------------------------------------------------------------------------


def test_a_new_key_is_opened_at_the_effective_date() -> None:
    assert done([], [row("C1", "West")], JAN) == ([ver("C1", "West", JAN)], {"opened": 1})


def test_a_returned_key_is_opened_at_the_end_of_its_last_version() -> None:
    history = [ver("C1", "West", JAN, FEB)]
    assert done(history, [row("C1", "West")], FEB) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "West", FEB)],
        {"opened": 1},
    )


def test_a_returned_key_is_opened_after_a_gap() -> None:
    history = [ver("C1", "West", JAN, FEB)]
    assert done(history, [row("C1", "East")], APR) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "East", APR)],
        {"opened": 1},
    )


def test_a_returned_key_before_its_last_end_is_out_of_order() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB, APR)]
    assert refused(history, [row("C1", "East")], MAR) == {"out_of_order"}


def test_a_key_without_an_open_version_that_stays_away_is_not_counted() -> None:
    history = [ver("C1", "West", JAN, FEB)]
    assert done(history, [], MAR, ABSENCE_CLOSES) == (history, {})


def test_a_new_key_is_opened_before_the_versions_of_other_keys() -> None:
    history = [ver("C1", "West", MAR)]
    assert done(history, [row("C1", "West"), row("C2", "East")], JAN) == (
        [ver("C1", "West", MAR), ver("C2", "East", JAN)],
        {"opened": 1, "unchanged": 1},
    )


# --- a key with an open version that is in the source -------------------------------------------------------------


@pytest.mark.parametrize("effective_date", [JAN, FEB, MAR])
def test_an_equal_row_leaves_the_version_and_its_carried_value_on_any_date(effective_date: date) -> None:
    history = [ver("C1", "West", FEB, carried="SMB")]
    assert done(history, [row("C1", "West", carried="Enterprise")], effective_date) == (history, {"unchanged": 1})


def test_a_changed_row_closes_the_version_and_opens_one_with_the_carried_value_of_today() -> None:
    history = [ver("C1", "West", JAN, carried="SMB")]
    assert done(history, [row("C1", "Central", carried="Enterprise")], APR) == (
        [ver("C1", "West", JAN, APR, carried="SMB"), ver("C1", "Central", APR, carried="Enterprise")],
        {"changed": 1},
    )


def test_a_changed_row_on_the_start_date_restates_tracked_and_carried_in_place() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB, carried="SMB")]
    assert done(history, [row("C1", "Central", carried="Enterprise")], FEB) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "Central", FEB, carried="Enterprise")],
        {"restated": 1},
    )


def test_a_value_changed_back_on_the_same_day_restates_and_does_not_reopen() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB)]
    assert done(history, [row("C1", "West")], FEB) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "West", FEB)],
        {"restated": 1},
    )


def test_a_changed_row_before_the_start_date_is_out_of_order() -> None:
    assert refused([ver("C1", "West", FEB)], [row("C1", "East")], JAN) == {"out_of_order"}


def test_closed_versions_are_not_compared() -> None:
    history = [ver("C1", "East", JAN, FEB), ver("C1", "West", FEB)]
    assert done(history, [row("C1", "West")], MAR) == (history, {"unchanged": 1})


# --- a key with an open version that the source no longer has -----------------------------------------------------


@pytest.mark.parametrize("effective_date", [JAN, FEB, MAR])
def test_an_absent_key_stays_open_when_absence_does_not_close(effective_date: date) -> None:
    history = [ver("C1", "West", FEB), ver("C2", "East", JAN)]
    assert done(history, [row("C2", "East")], effective_date) == (history, {"unchanged": 2})


def test_an_absent_key_is_closed_at_the_effective_date() -> None:
    history = [ver("C1", "West", JAN, carried="SMB"), ver("C2", "East", JAN)]
    assert done(history, [row("C2", "East")], MAR, ABSENCE_CLOSES) == (
        [ver("C1", "West", JAN, MAR, carried="SMB"), ver("C2", "East", JAN)],
        {"closed": 1, "unchanged": 1},
    )


def test_an_absent_key_on_its_start_date_loses_that_version_and_its_earlier_one_stays_closed() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB), ver("C2", "East", JAN)]
    assert done(history, [row("C2", "East")], FEB, ABSENCE_CLOSES) == (
        [ver("C1", "West", JAN, FEB), ver("C2", "East", JAN)],
        {"removed": 1, "unchanged": 1},
    )


def test_a_key_left_without_any_version_is_new_when_it_returns_even_at_an_earlier_date() -> None:
    history = [ver("C1", "West", MAR), ver("C2", "East", JAN)]
    without, counts = done(history, [row("C2", "East")], MAR, ABSENCE_CLOSES)
    assert (without, counts) == ([ver("C2", "East", JAN)], {"removed": 1, "unchanged": 1})
    assert done(without, [row("C1", "North"), row("C2", "East")], FEB, ABSENCE_CLOSES) == (
        [ver("C1", "North", FEB), ver("C2", "East", JAN)],
        {"opened": 1, "unchanged": 1},
    )


def test_a_removed_key_with_an_earlier_version_returns_at_that_version_s_end() -> None:
    history = [ver("C1", "West", JAN, FEB)]
    assert refused(history, [row("C1", "East")], JAN) == {"out_of_order"}
    assert done(history, [row("C1", "East")], FEB) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB)],
        {"opened": 1},
    )


def test_an_absent_key_before_its_start_date_is_out_of_order() -> None:
    history = [ver("C1", "West", MAR), ver("C2", "East", JAN)]
    assert refused(history, [row("C2", "East")], FEB, ABSENCE_CLOSES) == {"out_of_order"}


def test_unaffected_keys_never_raise_out_of_order() -> None:
    history = [
        ver("equal", "West", APR),
        ver("gone", "West", APR, MAY),
        ver("old", "West", JAN),
        ver("stays away", "North", JAN, FEB),
    ]
    rows = [row("equal", "West"), row("new", "South"), row("old", "East")]
    assert done(history, rows, FEB, ABSENCE_CLOSES) == (
        [
            ver("equal", "West", APR),
            ver("gone", "West", APR, MAY),
            ver("new", "South", FEB),
            ver("old", "West", JAN, FEB),
            ver("old", "East", FEB),
            ver("stays away", "North", JAN, FEB),
        ],
        {"opened": 1, "changed": 1, "unchanged": 1},
    )


# --- comparison ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "incoming"),
    [(None, None), ("", ""), (Decimal("1.10"), Decimal("1.1")), (JAN, date(2026, 1, 1))],
)
def test_equal_values_open_nothing(recorded: Any, incoming: Any) -> None:
    history = [ver("C1", recorded, JAN)]
    assert done(history, [row("C1", incoming)], FEB) == (history, {"unchanged": 1})


@pytest.mark.parametrize(
    ("recorded", "incoming"),
    [(None, "x"), ("x", None), (None, ""), ("", None), ("a", "A"), ("a", "a "), (Decimal("1.10"), Decimal("1.11"))],
)
def test_different_values_open_a_version_and_the_closed_one_keeps_its_own(recorded: Any, incoming: Any) -> None:
    assert done([ver("C1", recorded, JAN)], [row("C1", incoming)], FEB) == (
        [ver("C1", recorded, JAN, FEB), ver("C1", incoming, FEB)],
        {"changed": 1},
    )


def test_one_differing_column_of_several_is_enough() -> None:
    before = Version(("C1",), ("West", None, 1), (), JAN, MAX, True)
    changed = run_snapshot([before], [Row(("C1",), ("West", None, 2))], FEB, Options())
    assert isinstance(changed, Done)
    assert changed.history == [
        Version(("C1",), ("West", None, 1), (), JAN, FEB, False),
        Version(("C1",), ("West", None, 2), (), FEB, MAX, True),
    ]


def test_the_parts_of_a_composite_key_are_never_run_together() -> None:
    history = [ver(("a", "b|c"), "West", JAN), ver(("a|b", "c"), "West", JAN)]
    assert done(history, [row(("a", "b|c"), "West"), row(("a|b", "c"), "East")], FEB) == (
        [ver(("a", "b|c"), "West", JAN), ver(("a|b", "c"), "West", JAN, FEB), ver(("a|b", "c"), "East", FEB)],
        {"changed": 1, "unchanged": 1},
    )


def test_keys_that_differ_in_case_or_trailing_blanks_are_different_keys() -> None:
    rows = [row("k", "West"), row("K", "West"), row("k ", "West"), row("", "West")]
    assert done([], rows, JAN) == (
        [ver("", "West", JAN), ver("K", "West", JAN), ver("k", "West", JAN), ver("k ", "West", JAN)],
        {"opened": 4},
    )


# --- guards -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [(None,), (None, "b"), ("a", None), (None, None)])
def test_a_null_in_any_part_of_a_key_is_refused(key: tuple[Any, ...]) -> None:
    assert refused([], [row(key, "West")], JAN) == {"null_key"}


def test_a_key_that_occurs_twice_is_refused_even_with_equal_rows_on_the_first_run() -> None:
    assert refused([], [row("C1", "West"), row("C1", "West")], JAN) == {"duplicate_key"}


def test_every_row_of_a_repeated_key_may_be_named_out_of_order() -> None:
    history = [ver("C1", "West", FEB)]
    assert refused(history, [row("C1", "East"), row("C1", "West")], JAN) == {"duplicate_key", "out_of_order"}


def test_the_effective_date_comes_from_the_rows() -> None:
    rows = [row("C1", "West", effective_date=FEB), row("C2", "East", effective_date=FEB)]
    assert done([], rows, None, DATE_FROM_ROWS) == ([ver("C1", "West", FEB), ver("C2", "East", FEB)], {"opened": 2})


def test_a_null_effective_date_is_refused() -> None:
    rows = [row("C1", "West", effective_date=FEB), row("C2", "East")]
    assert refused([], rows, None, DATE_FROM_ROWS) == {"effective_date_null"}
    assert refused([], rows[1:], None, DATE_FROM_ROWS) == {"effective_date_null"}


def test_effective_dates_that_differ_are_refused() -> None:
    rows = [row("C1", "West", effective_date=FEB), row("C2", "East", effective_date=MAR)]
    assert refused([], rows, None, DATE_FROM_ROWS) == {"effective_date_not_uniform"}


def test_what_any_of_several_effective_dates_would_raise_may_be_named() -> None:
    rows = [row("C1", "East", effective_date=JAN), row("C2", "East", effective_date=MAR)]
    history = [ver("C1", "West", FEB)]
    assert refused(history, rows, None, DATE_FROM_ROWS) == {"effective_date_not_uniform", "out_of_order"}


@pytest.mark.parametrize("effective_date", [MAR, APR])
def test_an_effective_date_on_or_after_the_max_date_is_refused(effective_date: date) -> None:
    options = Options(max_date=MAR)
    assert refused([], [row("C1", "West")], effective_date, options) == {"effective_date_not_before_max_date"}


def test_open_versions_carry_the_max_date_of_the_options() -> None:
    assert done([], [row("C1", "West")], JAN, Options(max_date=MAR)) == (
        [Version(("C1",), ("West",), ("-",), JAN, MAR, True, (0,), (1,))],
        {"opened": 1},
    )


def test_an_empty_source_that_would_close_open_versions_is_refused() -> None:
    assert refused([ver("C1", "West", JAN)], [], FEB, ABSENCE_CLOSES) == {"empty_source"}


def test_an_allowed_empty_source_closes_every_open_version() -> None:
    options = Options(close_on_absence=True, allow_empty_source=True)
    history = [ver("C1", "West", JAN), ver("C2", "East", FEB)]
    assert done(history, [], FEB, options) == ([ver("C1", "West", JAN, FEB)], {"closed": 1, "removed": 1})


def test_an_allowed_empty_source_without_a_date_is_refused_all_the_same() -> None:
    options = Options(close_on_absence=True, allow_empty_source=True, date_from_rows=True)
    assert refused([ver("C1", "West", JAN)], [], None, options) == {"empty_source"}


@pytest.mark.parametrize("history", [[], [ver("C1", "West", JAN, FEB)]])
@pytest.mark.parametrize("options", [ABSENCE_CLOSES, Options(close_on_absence=True, date_from_rows=True)])
def test_an_empty_source_changes_nothing_when_there_is_no_open_version(
    history: list[Version], options: Options
) -> None:
    assert done(history, [], None if options.date_from_rows else MAR, options) == (history, {})


@pytest.mark.parametrize("options", [Options(), DATE_FROM_ROWS])
def test_an_empty_source_changes_nothing_when_absence_does_not_close(options: Options) -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB)]
    assert done(history, [], None if options.date_from_rows else MAR, options) == (history, {"unchanged": 1})


def test_closing_a_greater_share_than_allowed_is_refused_and_the_share_itself_is_allowed() -> None:
    options = Options(close_on_absence=True, max_closed_fraction=0.5)
    history = [ver("A", "West", JAN), ver("B", "West", JAN), ver("C", "West", JAN), ver("D", "West", FEB)]
    half = [row("A", "West"), row("B", "West"), row("new", "West")]
    assert refused(history, half[1:], FEB, options) == {"too_many_closed"}
    assert done(history, half, FEB, options) == (
        [
            ver("A", "West", JAN),
            ver("B", "West", JAN),
            ver("C", "West", JAN, FEB),
            ver("new", "West", FEB),
        ],
        {"opened": 1, "closed": 1, "removed": 1, "unchanged": 2},
    )


def test_changes_and_closed_versions_do_not_count_towards_the_share() -> None:
    options = Options(close_on_absence=True, max_closed_fraction=0.0)
    history = [ver("A", "West", JAN), ver("B", "West", JAN, FEB)]
    assert done(history, [row("A", "East")], MAR, options) == (
        [ver("A", "West", JAN, MAR), ver("A", "East", MAR), ver("B", "West", JAN, FEB)],
        {"changed": 1},
    )


def test_the_share_is_one_of_the_open_versions_alone() -> None:
    options = Options(close_on_absence=True, max_closed_fraction=0.5)
    history = [ver("A", "West", JAN), ver("B", "West", JAN, FEB)]
    assert refused(history, [row("new", "West")], MAR, options) == {"too_many_closed"}


def test_no_share_is_too_great_when_absence_does_not_close() -> None:
    history = [ver("A", "West", JAN)]
    assert done(history, [], FEB, Options(max_closed_fraction=0.0)) == (history, {"unchanged": 1})


# --- type 0 ------------------------------------------------------------------------------------------------------


def test_later_versions_keep_the_type_0_value_of_the_first() -> None:
    history = [ver("C1", "West", JAN, type0="first")]
    assert done(history, [row("C1", "East", type0="second")], FEB) == (
        [ver("C1", "West", JAN, FEB, type0="first"), ver("C1", "East", FEB, type0="first")],
        {"changed": 1},
    )


def test_a_null_in_the_first_version_is_a_type_0_value_like_any_other() -> None:
    history = [ver("C1", "West", JAN, type0=None)]
    assert done(history, [row("C1", "East", type0="late")], FEB) == (
        [ver("C1", "West", JAN, FEB, type0=None), ver("C1", "East", FEB, type0=None)],
        {"changed": 1},
    )


def test_a_returned_key_keeps_the_type_0_value_of_its_first_version_though_that_is_closed() -> None:
    history = [ver("C1", "East", FEB, MAR, type0="second"), ver("C1", "West", JAN, FEB, type0="first")]
    assert done(history, [row("C1", "North", type0="third")], MAY) == (
        [
            ver("C1", "West", JAN, FEB, type0="first"),
            ver("C1", "East", FEB, MAR, type0="second"),
            ver("C1", "North", MAY, type0="first"),
        ],
        {"opened": 1},
    )


def test_restating_the_only_version_of_a_key_takes_the_type_0_value_of_the_row() -> None:
    history = [ver("C1", "West", JAN, type0="wrong")]
    assert done(history, [row("C1", "East", type0="right")], JAN) == (
        [ver("C1", "East", JAN, type0="right")],
        {"restated": 1},
    )


def test_restating_a_later_version_gives_it_the_type_0_value_of_the_first() -> None:
    history = [ver("C1", "West", JAN, FEB, type0="first"), ver("C1", "East", FEB, type0="own")]
    assert done(history, [row("C1", "North", type0="third")], FEB) == (
        [ver("C1", "West", JAN, FEB, type0="first"), ver("C1", "North", FEB, type0="first")],
        {"restated": 1},
    )


def test_a_type_0_value_alone_opens_and_restates_nothing() -> None:
    history = [ver("C1", "West", JAN, type0="first")]
    assert done(history, [row("C1", "West", type0="other")], JAN) == (history, {"unchanged": 1})
    assert done(history, [row("C1", "West", type0="other")], FEB) == (history, {"unchanged": 1})


def test_a_key_left_without_any_version_starts_anew_with_its_type_0_value() -> None:
    history = [ver("C1", "West", JAN, type0="first"), ver("C2", "West", JAN)]
    without, _ = done(history, [row("C2", "West")], JAN, ABSENCE_CLOSES)
    assert done(without, [row("C1", "West", type0="anew"), row("C2", "West")], FEB) == (
        [ver("C1", "West", FEB, type0="anew"), ver("C2", "West", JAN)],
        {"opened": 1, "unchanged": 1},
    )


# --- type 1 ------------------------------------------------------------------------------------------------------


def test_a_type_1_value_is_written_onto_every_version_of_the_key_and_opens_none() -> None:
    history = [
        ver("C1", "West", JAN, FEB, type1="old"),
        ver("C1", "East", FEB, type1="old"),
        ver("C2", "West", JAN, type1="old"),
    ]
    rows = [row("C1", "East", type1="new"), row("C2", "West", type1="old")]
    assert done(history, rows, MAR, TYPE_1) == (
        [
            ver("C1", "West", JAN, FEB, type1="new"),
            ver("C1", "East", FEB, type1="new"),
            ver("C2", "West", JAN, type1="old"),
        ],
        {"unchanged": 1, "type 1 updated": 1},
    )


def test_a_type_1_value_reaches_old_and_new_versions_of_a_key_that_changes_restates_or_returns() -> None:
    history = [
        ver("changed", "West", JAN, type1="old"),
        ver("restated", "West", JAN, FEB, type1="old"),
        ver("restated", "East", FEB, type1="old"),
        ver("returned", "West", JAN, FEB, type1="old"),
    ]
    rows = [row(key, "North", type1="new") for key in ("changed", "new", "restated", "returned")]
    assert done(history, rows, FEB, TYPE_1) == (
        [
            ver("changed", "West", JAN, FEB, type1="new"),
            ver("changed", "North", FEB, type1="new"),
            ver("new", "North", FEB, type1="new"),
            ver("restated", "West", JAN, FEB, type1="new"),
            ver("restated", "North", FEB, type1="new"),
            ver("returned", "West", JAN, FEB, type1="new"),
            ver("returned", "North", FEB, type1="new"),
        ],
        {"opened": 2, "changed": 1, "restated": 1, "type 1 updated": 3},
    )


def test_a_closed_version_alone_with_another_type_1_value_is_enough_and_the_open_one_stays_unchanged() -> None:
    history = [ver("C1", "West", JAN, FEB, type1="old"), ver("C1", "East", FEB, type1="new")]
    assert done(history, [row("C1", "East", type1="new")], FEB, TYPE_1) == (
        [ver("C1", "West", JAN, FEB, type1="new"), ver("C1", "East", FEB, type1="new")],
        {"unchanged": 1, "type 1 updated": 1},
    )


@pytest.mark.parametrize(("recorded", "incoming"), [("old", None), (None, "new")])
def test_a_null_is_a_type_1_value_like_any_other(recorded: Any, incoming: Any) -> None:
    assert done([ver("C1", "West", JAN, type1=recorded)], [row("C1", "West", type1=incoming)], FEB, TYPE_1) == (
        [ver("C1", "West", JAN, type1=incoming)],
        {"type 1 updated": 1},
    )


def test_absence_brings_no_type_1_value() -> None:
    history = [ver("C1", "West", JAN, type1="old"), ver("C2", "West", JAN)]
    assert done(history, [row("C2", "West")], FEB, TYPE_1) == (
        [ver("C1", "West", JAN, FEB, type1="old"), ver("C2", "West", JAN)],
        {"closed": 1, "unchanged": 1},
    )


def test_a_type_1_value_on_the_date_of_the_last_boundary_is_taken_and_before_it_is_out_of_order() -> None:
    history = [ver("C1", "West", JAN, FEB, type1="old"), ver("C1", "East", FEB, type1="old")]
    assert done(history, [row("C1", "East", type1="new")], FEB, TYPE_1) == (
        [ver("C1", "West", JAN, FEB, type1="new"), ver("C1", "East", FEB, type1="new")],
        {"type 1 updated": 1},
    )
    assert refused(history, [row("C1", "East", type1="new")], JAN, TYPE_1) == {"out_of_order"}
    assert done(history, [row("C1", "East", type1="old")], JAN, TYPE_1) == (history, {"unchanged": 1})


def test_a_type_1_value_that_only_a_closed_version_lacks_is_out_of_order_before_the_last_boundary_too() -> None:
    history = [ver("C1", "West", JAN, FEB, type1="old"), ver("C1", "East", FEB, type1="new")]
    assert refused(history, [row("C1", "East", type1="new")], JAN, TYPE_1) == {"out_of_order"}


# --- the first valid_from -----------------------------------------------------------------------------------------


def test_a_history_may_begin_earlier_than_its_first_snapshot() -> None:
    options = Options(close_on_absence=True, initial_valid_from=JAN)
    first, counts = done([], [row("C1", "West"), row("C2", "East")], MAR, options)
    assert (first, counts) == ([ver("C1", "West", JAN), ver("C2", "East", JAN)], {"opened": 2})
    # The same date again is later than valid_from: a change, or the end.
    assert done(first, [row("C1", "North"), row("C3", "East")], MAR, options) == (
        [ver("C1", "West", JAN, MAR), ver("C1", "North", MAR), ver("C2", "East", JAN, MAR), ver("C3", "East", MAR)],
        {"opened": 1, "changed": 1, "closed": 1},
    )


def test_a_history_with_closed_versions_alone_has_begun() -> None:
    options = Options(initial_valid_from=JAN)
    history = [ver("C1", "West", FEB, MAR)]
    assert done(history, [row("C2", "East")], APR, options) == (
        [ver("C1", "West", FEB, MAR), ver("C2", "East", APR)],
        {"opened": 1},
    )


@pytest.mark.parametrize("effective_date", [JAN, FEB])
def test_a_first_valid_from_that_is_not_before_the_effective_date_is_refused(effective_date: date) -> None:
    options = Options(initial_valid_from=FEB)
    assert refused([], [row("C1", "West")], effective_date, options) == {"invalid_option"}


# --- coalescing ---------------------------------------------------------------------------------------------------


def test_a_key_that_returns_at_its_end_with_the_same_values_is_reopened_with_its_own_other_values() -> None:
    history = [ver("C1", "West", JAN, FEB, "old", "first")]
    assert done(history, [row("C1", "West", "new", type0="second")], FEB, COALESCES) == (
        [ver("C1", "West", JAN, carried="old", type0="first")],
        {"reopened": 1},
    )


def test_a_key_that_returns_later_or_with_other_values_is_opened() -> None:
    history = [ver("C1", "West", JAN, FEB)]
    assert done(history, [row("C1", "West")], MAR, COALESCES) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "West", MAR)],
        {"opened": 1},
    )
    assert done(history, [row("C1", "East")], FEB, COALESCES) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB)],
        {"opened": 1},
    )


def test_nulls_coalesce_with_nulls_alone() -> None:
    history = [ver("C1", None, JAN, FEB), ver("C2", None, JAN, FEB)]
    assert done(history, [row("C1", None), row("C2", "")], FEB, COALESCES) == (
        [ver("C1", None, JAN), ver("C2", None, JAN, FEB), ver("C2", "", FEB)],
        {"opened": 1, "reopened": 1},
    )


def test_a_value_changed_back_on_the_same_day_reopens_the_version_before_and_its_successor_is_gone() -> None:
    history = [ver("C1", "North", JAN, FEB), ver("C1", "West", FEB, MAR, "old"), ver("C1", "East", MAR, carried="new")]
    assert done(history, [row("C1", "West", "newest")], MAR, COALESCES) == (
        [ver("C1", "North", JAN, FEB), ver("C1", "West", FEB, carried="old")],
        {"reopened": 1},
    )


def test_a_restatement_after_a_gap_or_to_other_values_reopens_nothing() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", MAR)]
    assert done(history, [row("C1", "West")], MAR, COALESCES) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "West", MAR)],
        {"restated": 1},
    )
    history = [ver("C1", "West", JAN, MAR), ver("C1", "East", MAR)]
    assert done(history, [row("C1", "North")], MAR, COALESCES) == (
        [ver("C1", "West", JAN, MAR), ver("C1", "North", MAR)],
        {"restated": 1},
    )


def test_a_key_of_which_several_versions_ended_at_the_date_is_opened() -> None:
    history = [ver("C1", "West", JAN, MAR), ver("C1", "East", FEB, MAR)]
    assert done(history, [row("C1", "West")], MAR, COALESCES) == (
        [ver("C1", "West", JAN, MAR), ver("C1", "East", FEB, MAR), ver("C1", "West", MAR)],
        {"opened": 1},
    )


def test_a_change_back_at_a_later_date_does_not_coalesce() -> None:
    history = [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB)]
    assert done(history, [row("C1", "West")], MAR, COALESCES) == (
        [ver("C1", "West", JAN, FEB), ver("C1", "East", FEB, MAR), ver("C1", "West", MAR)],
        {"changed": 1},
    )


def test_a_reopened_version_takes_the_new_type_1_value() -> None:
    options = Options(coalesce_versions=True, type1_columns=True)
    history = [ver("C1", "North", JAN, FEB, type1="old"), ver("C1", "West", FEB, MAR, type1="old")]
    assert done(history, [row("C1", "West", type1="new")], MAR, options) == (
        [ver("C1", "North", JAN, FEB, type1="new"), ver("C1", "West", FEB, type1="new")],
        {"reopened": 1, "type 1 updated": 1},
    )


def test_a_version_closed_and_reopened_on_one_day_is_as_if_nothing_had_happened() -> None:
    history = [ver("C1", "West", JAN), ver("C2", "East", JAN)]
    closed, _ = done(history, [row("C2", "East")], FEB, COALESCES)
    assert done(closed, [row("C1", "West"), row("C2", "East")], FEB, COALESCES) == (
        history,
        {"reopened": 1, "unchanged": 1},
    )


# --- a series of snapshots ----------------------------------------------------------------------------------------


def series(history: list[Version], rows: list[Row], options: Options = SERIES) -> Counted:
    return counted(run_series(history, rows, options))


def test_a_value_of_four_days_that_is_absent_on_the_fifth_becomes_two_closed_versions() -> None:
    values = [(D1, 20), (D2, 20), (D3, 21), (D4, 21)]
    rows = [at(day, "foo", value) for day, value in values] + [at(day, "bar", 1) for day in (D1, D2, D3, D4, D5)]
    assert series([], rows[::-1]) == (
        [ver("bar", 1, D1), ver("foo", 20, D1, D3), ver("foo", 21, D3, D5)],
        {"opened": 2, "changed": 1, "closed": 1},
    )


def test_without_absence_a_series_leaves_what_is_missing_open() -> None:
    rows = [at(D1, "foo", 20), at(D1, "bar", 1), at(D2, "bar", 2)]
    assert series([], rows, Options(date_from_rows=True)) == (
        [ver("bar", 1, D1, D2), ver("bar", 2, D2), ver("foo", 20, D1)],
        {"opened": 2, "changed": 1},
    )


def test_a_series_skips_what_lies_before_the_last_boundary_of_the_whole_history() -> None:
    history = [ver("C1", "West", D1), ver("C2", "West", D1, D4)]
    # D1 to D3 contradict the history and are skipped unseen, though C1 itself has no boundary after D1.
    rows = [
        at(D1, "C1", "East"),
        at(D2, "C3", "East"),
        at(D3, "C1", "North"),
        at(D4, "C1", "West"),
        at(D5, "C1", "South"),
    ]
    assert series(history, rows) == (
        [ver("C1", "West", D1, D5), ver("C1", "South", D5), ver("C2", "West", D1, D4)],
        {"changed": 1, "skipped": 3},
    )


def test_a_skipped_snapshot_must_be_sound_all_the_same() -> None:
    history = [ver("C1", "West", D4)]
    sound = [at(D1, "C1", "East"), at(D5, "C1", "East")]
    assert slugs(run_series(history, [*sound, at(D1, "C1", "East")], SERIES)) == {"duplicate_key"}
    assert slugs(run_series(history, [*sound, at(D2, (None,), "East")], SERIES)) == {"null_key"}


def test_the_date_of_the_last_boundary_is_applied_and_restates() -> None:
    history = [ver("C1", "West", D4), ver("C2", "East", D4)]
    rows = [at(D4, "C1", "East"), at(D5, "C1", "East"), at(D5, "C2", "East")]
    assert series(history, rows) == (
        [ver("C1", "East", D4), ver("C2", "East", D5)],
        {"opened": 1, "restated": 1, "removed": 1},
    )


def test_only_the_first_date_of_a_series_begins_earlier() -> None:
    options = Options(date_from_rows=True, close_on_absence=True, initial_valid_from=JAN)
    rows = [at(D1, "C1", "West"), at(D2, "C1", "West"), at(D2, "C2", "East")]
    assert series([], rows, options) == ([ver("C1", "West", JAN), ver("C2", "East", D2)], {"opened": 2})


def test_the_first_valid_from_must_lie_before_the_first_date_of_the_series() -> None:
    options = Options(date_from_rows=True, initial_valid_from=D1)
    assert slugs(run_series([], [at(D1, "C1", "West"), at(D2, "C1", "West")], options)) == {"invalid_option"}


def test_the_newest_snapshot_of_a_series_that_has_the_key_brings_its_type_1_value() -> None:
    options = Options(date_from_rows=True, close_on_absence=True, type1_columns=True)
    history = [ver("C1", "West", D0, type1="old"), ver("C2", "West", D0, type1="old")]
    rows = [at(D1, "C1", "East", type1="x"), at(D1, "C2", "West", type1="x"), at(D2, "C1", "East", type1="y")]
    assert series(history, rows, options) == (
        [
            ver("C1", "West", D0, D1, type1="y"),
            ver("C1", "East", D1, type1="y"),
            ver("C2", "West", D0, D2, type1="x"),
        ],
        {"changed": 1, "closed": 1, "type 1 updated": 2},
    )


def test_a_type_1_value_that_ends_where_it_began_updates_nothing() -> None:
    options = Options(date_from_rows=True, type1_columns=True)
    history = [ver("C1", "West", D0, type1="same")]
    rows = [at(D1, "C1", "West", type1="other"), at(D2, "C1", "West", type1="same")]
    assert series(history, rows, options) == (history, {"unchanged": 1})


def test_the_limit_on_closing_holds_for_each_snapshot_of_a_series_and_is_a_share_of_what_was_open_then() -> None:
    options = Options(date_from_rows=True, close_on_absence=True, max_closed_fraction=0.5)
    four = [at(D1, key, "West") for key in "ABCD"]
    halving = [*four, at(D2, "A", "West"), at(D2, "B", "West"), at(D3, "A", "West")]
    assert series([], halving, options) == (
        [ver("A", "West", D1), ver("B", "West", D1, D3), ver("C", "West", D1, D2), ver("D", "West", D1, D2)],
        {"opened": 4, "closed": 3},
    )
    assert slugs(run_series([], [*four, at(D2, "A", "West"), at(D3, "A", "West")], options)) == {"too_many_closed"}


def test_a_series_without_rows_does_nothing() -> None:
    history = [ver("C1", "West", D1)]
    assert series(history, []) == (history, {"unchanged": 1})


def test_a_series_equals_its_snapshots_run_one_by_one() -> None:
    options = Options(
        date_from_rows=True, close_on_absence=True, coalesce_versions=True, type1_columns=True, initial_valid_from=JAN
    )
    snapshots = [
        [at(D1, "C1", "West", "a", type1="x"), at(D1, "C2", "West", "a")],
        [at(D2, "C1", "West", "b", type0="late", type1="y")],
        [at(D3, "C1", "East", "c", type0="late", type1="y"), at(D3, "C2", "West", "c", type0="late")],
        [at(D4, "C3", "North", "d")],
    ]
    history: list[Version] = []
    for snapshot in snapshots:
        history, _ = done(history, snapshot, None, options)
    whole, counts = series([], [row for snapshot in snapshots for row in snapshot], options)
    assert whole == history
    assert whole == [
        ver("C1", "West", JAN, D3, "a", type1="y"),
        ver("C1", "East", D3, D4, "c", type1="y"),
        ver("C2", "West", JAN, D2, "a"),
        ver("C2", "West", D3, D4, "c"),
        ver("C3", "North", D4, carried="d"),
    ]
    assert counts == {"opened": 4, "changed": 1, "closed": 3}


def test_a_key_twice_at_one_date_of_a_series_is_refused_and_at_two_dates_is_not() -> None:
    rows = [at(D1, "C1", "West"), at(D2, "C1", "West")]
    assert series([], rows) == ([ver("C1", "West", D1)], {"opened": 1})
    assert slugs(run_series([], [*rows, at(D2, "C1", "West")], SERIES)) == {"duplicate_key"}


@pytest.mark.parametrize("run", [run_series, run_log])
def test_dated_rows_without_a_key_or_a_date_or_on_the_max_date_are_refused(run: Any) -> None:
    sound = at(D1, "C1", "West")
    assert slugs(run([], [sound, at(D1, (None,), "West")], LOG)) == {"null_key"}
    assert slugs(run([], [sound, at(None, "C2", "West")], LOG)) == {"effective_date_null"}
    assert slugs(run([], [sound, at(MAX, "C2", "West")], LOG)) == {"effective_date_not_before_max_date"}


# --- a change log -------------------------------------------------------------------------------------------------


def log(history: list[Version], *rows: Row, options: Options = LOG) -> Counted:
    return counted(run_log(history, rows, options))


def log_refused(history: list[Version], *rows: Row, options: Options = LOG) -> set[str]:
    return slugs(run_log(history, rows, options))


def test_a_log_with_a_repeated_value_a_deletion_and_a_return() -> None:
    rows = [at(D0, "C1", "A"), at(D1, "C1", "A"), delete(D2, "C1"), at(D9, "C1", "B")]
    expected = [ver("C1", "A", D0, D2), ver("C1", "B", D9)]
    assert log([], *rows) == (expected, {"opened": 2, "closed": 1})
    assert log([], *rows[::-1]) == (expected, {"opened": 2, "closed": 1})


def test_an_initial_load_of_one_value_three_times_is_one_version() -> None:
    assert log([], at(D0, "C1", 5), at(D1, "C1", 5), at(D2, "C1", 5)) == ([ver("C1", 5, D0)], {"opened": 1})


def test_a_change_and_a_change_back_in_one_batch_over_a_current_version_are_two_changes() -> None:
    assert log([ver("C1", "A", D0)], at(D1, "C1", "B"), at(D2, "C1", "A")) == (
        [ver("C1", "A", D0, D1), ver("C1", "B", D1, D2), ver("C1", "A", D2)],
        {"changed": 2},
    )


def test_the_same_batch_of_two_rows_twice_gives_two_versions() -> None:
    batch = [at(D1, "C1", "A"), at(D2, "C1", "B")]
    once, counts = log([], *batch)
    assert (once, counts) == ([ver("C1", "A", D1, D2), ver("C1", "B", D2)], {"opened": 1, "changed": 1})
    assert log(once, *batch) == (once, {"unchanged": 1})


def test_deleting_one_key_does_not_retire_another_that_reads_the_same_when_its_parts_are_run_together() -> None:
    history = [ver(("a", "bc"), "A", D1), ver(("ab", "c"), "A", D1)]
    assert log(history, delete(D2, ("ab", "c"))) == (
        [ver(("a", "bc"), "A", D1), ver(("ab", "c"), "A", D1, D2)],
        {"closed": 1, "unchanged": 1},
    )


def test_a_row_before_the_first_version_is_out_of_order_whatever_it_says() -> None:
    assert log_refused([ver("C1", "A", D3)], at(D2, "C1", "A")) == {"out_of_order"}
    assert log_refused([ver("C1", "A", D3)], at(D2, "C1", "B")) == {"out_of_order"}


def test_two_rows_of_a_key_at_one_instant_are_refused_even_if_they_say_the_same() -> None:
    assert log_refused([], at(D1, "C1", "A"), at(D1, "C1", "A")) == {"duplicate_key"}
    assert log_refused([], at(D1, "C1", "A"), delete(D1, "C1")) == {"duplicate_key"}


def test_two_instants_a_microsecond_apart_are_two_versions() -> None:
    options = Options(max_date=datetime(9999, 12, 31), date_from_rows=True)
    moments = [datetime(2026, 6, 10, 23, 59, 59, 999998 + n) for n in (0, 1)]
    rows = [at(moments[0], "C1", "A"), at(moments[1], "C1", "B")]
    outcome = run_log([], rows, options)
    assert isinstance(outcome, Done)
    assert [(version.valid_from, version.valid_to) for version in outcome.history] == [
        (moments[0], moments[1]),
        (moments[1], datetime(9999, 12, 31)),
    ]
    assert reported(outcome) == (
        "SCD2 2026-06-10 23:59:59.999998..2026-06-10 23:59:59.999999: "
        "1 opened, 1 changed, 0 restated, 0 closed, 0 removed, 0 unchanged",
        3,
    )


RECORDED = [ver("C1", "A", D1, D3), ver("C1", "B", D3, D5), ver("C1", "C", D7)]


@pytest.mark.parametrize(
    "row",
    [at(D1, "C1", "A"), at(D2, "C1", "A", "x", type0=9, type1=9), at(D3, "C1", "B"), at(D4, "C1", "B")]
    + [delete(day, "C1") for day in (D0, D5, D6)],
)
def test_an_early_row_that_the_history_already_says_does_nothing(row: Row) -> None:
    assert log(RECORDED, row) == (RECORDED, {"unchanged": 1})


@pytest.mark.parametrize(
    "row",
    [at(D0, "C1", "A"), at(D1, "C1", "B"), at(D3, "C1", "A"), at(D4, "C1", None), at(D5, "C1", "B"), at(D6, "C1", "C")]
    + [delete(day, "C1") for day in (D1, D2, D3, D4)],
)
def test_an_early_row_that_says_otherwise_is_out_of_order(row: Row) -> None:
    assert log_refused(RECORDED, row) == {"out_of_order"}


def test_a_row_of_a_retired_key_is_early_until_its_end() -> None:
    history = [ver("C1", "A", D1, D3)]
    assert log(history, at(D2, "C1", "A")) == (history, {})
    assert log_refused(history, at(D2, "C1", "B")) == {"out_of_order"}
    assert log(history, delete(D3, "C1")) == (history, {})
    assert log(history, delete(D4, "C1")) == (history, {})
    assert log(history, at(D3, "C1", "A")) == ([ver("C1", "A", D1, D3), ver("C1", "A", D3)], {"opened": 1})


def test_a_late_row_after_the_last_boundary_is_applied_as_the_newest() -> None:
    history, _ = log([], at(D1, "C1", "A"), at(D5, "C1", "A"))
    assert log(history, at(D3, "C1", "B")) == ([ver("C1", "A", D1, D3), ver("C1", "B", D3)], {"changed": 1})


def test_the_date_of_the_open_version_restates_or_removes_it() -> None:
    history = [ver("C1", "A", D1, D2), ver("C1", "B", D2), ver("C2", "B", D2)]
    assert log(history, at(D2, "C1", "C", "x"), delete(D2, "C2")) == (
        [ver("C1", "A", D1, D2), ver("C1", "C", D2, carried="x")],
        {"restated": 1, "removed": 1},
    )


def test_a_version_is_restated_and_then_closed_in_one_batch() -> None:
    history = [ver("C1", "A", D1)]
    assert log(history, at(D1, "C1", "B"), at(D2, "C1", "C"), delete(D3, "C1")) == (
        [ver("C1", "B", D1, D2), ver("C1", "C", D2, D3)],
        {"restated": 1, "changed": 1, "closed": 1},
    )


def test_a_deletion_without_an_open_version_leaves_no_trace() -> None:
    assert log([], delete(D1, "C1"), at(D2, "C1", "A")) == ([ver("C1", "A", D2)], {"opened": 1})


def test_keys_that_the_log_does_not_mention_stay_whatever_the_option_for_absence_says() -> None:
    history = [ver("C1", "A", D1), ver("C2", "A", D1)]
    assert log(history, at(D2, "C1", "B"), options=SERIES) == (
        [ver("C1", "A", D1, D2), ver("C1", "B", D2), ver("C2", "A", D1)],
        {"changed": 1, "unchanged": 1},
    )


def test_several_versions_of_a_new_key_share_the_type_0_value_of_its_first_row() -> None:
    rows = [at(D1, "C1", "A", type0="first"), at(D2, "C1", "B", type0="second"), delete(D3, "C1")]
    rows.append(at(D4, "C1", "B", type0="third"))
    assert log([], *rows) == (
        [
            ver("C1", "A", D1, D2, type0="first"),
            ver("C1", "B", D2, D3, type0="first"),
            ver("C1", "B", D4, type0="first"),
        ],
        {"opened": 2, "changed": 1, "closed": 1},
    )


def test_restating_the_only_version_in_a_log_decides_the_type_0_value_of_what_follows_in_the_batch() -> None:
    history = [ver("C1", "A", D1, type0="wrong"), ver("C2", "A", D1, type0="wrong")]
    rows = [at(D1, "C1", "B", type0="right"), at(D2, "C1", "C", type0="late"), delete(D1, "C2")]
    assert log(history, *rows, at(D2, "C2", "A", type0="anew")) == (
        [
            ver("C1", "B", D1, D2, type0="right"),
            ver("C1", "C", D2, type0="right"),
            ver("C2", "A", D2, type0="anew"),
        ],
        {"opened": 1, "changed": 1, "restated": 1, "removed": 1},
    )


LOG_TYPE_1 = Options(date_from_rows=True, type1_columns=True)


def test_the_newest_row_that_is_not_a_deletion_brings_the_type_1_value_even_if_it_is_unchanged() -> None:
    history = [ver("C1", "A", D1, type1="old")]
    rows = [at(D2, "C1", "B", type1="x"), at(D3, "C1", "B", type1="y"), delete(D4, "C1")]
    assert log(history, *rows, options=LOG_TYPE_1) == (
        [ver("C1", "A", D1, D2, type1="y"), ver("C1", "B", D2, D4, type1="y")],
        {"changed": 1, "closed": 1, "type 1 updated": 1},
    )


def test_early_rows_and_deletions_bring_no_type_1_value() -> None:
    history = [ver("C1", "A", D1, D3, type1="old"), ver("C1", "B", D3, type1="old")]
    assert log(history, at(D2, "C1", "A", type1="x"), options=LOG_TYPE_1) == (history, {"unchanged": 1})
    assert log(history, delete(D4, "C1"), options=LOG_TYPE_1) == (
        [ver("C1", "A", D1, D3, type1="old"), ver("C1", "B", D3, D4, type1="old")],
        {"closed": 1},
    )
    assert log(history, at(D3, "C1", "B", type1="x"), options=LOG_TYPE_1) == (
        [ver("C1", "A", D1, D3, type1="x"), ver("C1", "B", D3, type1="x")],
        {"type 1 updated": 1},
    )


LOG_COALESCES = Options(date_from_rows=True, coalesce_versions=True)


def test_a_corrected_deletion_reopens_the_version_up_to_the_next_change_of_the_batch() -> None:
    history = [ver("C1", "A", D1, D3, "old")]
    assert log(history, at(D3, "C1", "A", "new"), at(D5, "C1", "B"), options=LOG_COALESCES) == (
        [ver("C1", "A", D1, D5, "old"), ver("C1", "B", D5)],
        {"changed": 1, "reopened": 1},
    )


def test_a_corrected_change_reopens_the_version_up_to_the_deletion_of_the_batch() -> None:
    history = [ver("C1", "A", D1, D3, "old"), ver("C1", "B", D3)]
    assert log(history, at(D3, "C1", "A", "new"), delete(D5, "C1"), options=LOG_COALESCES) == (
        [ver("C1", "A", D1, D5, "old")],
        {"closed": 1, "reopened": 1},
    )


def test_a_key_deleted_and_opened_again_within_a_log_has_a_gap_and_does_not_coalesce() -> None:
    rows = [at(D1, "C1", "A"), delete(D2, "C1"), at(D3, "C1", "A")]
    assert log([], *rows, options=LOG_COALESCES) == (
        [ver("C1", "A", D1, D2), ver("C1", "A", D3)],
        {"opened": 2, "closed": 1},
    )


def test_the_limit_on_closing_counts_the_keys_of_a_log_that_were_open_before_and_are_not_after() -> None:
    options = Options(date_from_rows=True, max_closed_fraction=0.5)
    history = [ver("A", "x", D1), ver("B", "x", D1), ver("C", "x", D1, D2)]
    returned = [delete(D3, "A"), at(D4, "A", "y"), delete(D3, "B"), at(D3, "D", "x"), delete(D4, "D")]
    assert log(history, *returned, options=options) == (
        [
            ver("A", "x", D1, D3),
            ver("A", "y", D4),
            ver("B", "x", D1, D3),
            ver("C", "x", D1, D2),
            ver("D", "x", D3, D4),
        ],
        {"opened": 2, "closed": 3},
    )
    assert log_refused(history, *returned, delete(D5, "A"), options=options) == {"too_many_closed"}


def test_what_a_repeated_row_or_an_early_one_would_raise_besides_may_be_named() -> None:
    options = Options(date_from_rows=True, max_closed_fraction=0)
    history = [ver("A", "x", D2), ver("B", "x", D1)]
    rows = [at(D1, "A", "y"), delete(D3, "B"), at(D3, "B", "x")]
    assert log_refused(history, *rows, options=options) == {"duplicate_key", "out_of_order", "too_many_closed"}


def test_a_log_without_rows_does_nothing() -> None:
    assert log(RECORDED) == (RECORDED, {"unchanged": 1})


WHOLE_LOG = [
    at(D0, "C1", "A", "a", type0="first", type1="p"),
    at(D1, "C1", "A", "b", type0="second", type1="q"),
    at(D2, "C1", "B", "c", type0="third", type1="r"),
    delete(D3, "C1"),
    at(D6, "C1", "B", "d", type0="fourth", type1="s"),
    at(D8, "C1", "B", "e", type0="fifth", type1="t"),
    at(D1, "C2", "A", "f"),
    at(D2, "C2", None, "g"),
    delete(D4, "C2"),
    delete(D5, "C2"),
]


@pytest.mark.parametrize("cut", range(len(WHOLE_LOG) + 1))
def test_a_log_in_two_parts_and_read_again_as_a_whole_equals_the_log_in_one_run(cut: int) -> None:
    whole, _ = log([], *WHOLE_LOG, options=LOG_TYPE_1)
    assert whole == [
        ver("C1", "A", D0, D2, "a", "first", "t"),
        ver("C1", "B", D2, D3, "c", "first", "t"),
        ver("C1", "B", D6, MAX, "d", "first", "t"),
        ver("C2", "A", D1, D2, "f"),
        ver("C2", None, D2, D4, "g"),
    ]
    first, _ = log([], *WHOLE_LOG[:cut], options=LOG_TYPE_1)
    parts, _ = log(first, *WHOLE_LOG[cut:], options=LOG_TYPE_1)
    assert parts == whole
    assert log(parts, *WHOLE_LOG, options=LOG_TYPE_1) == (whole, {"unchanged": 1})


# --- hashes -------------------------------------------------------------------------------------------------------


def md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8")).hexdigest()


def test_the_key_of_a_version_is_the_hash_of_the_business_key_and_the_start_as_a_timestamp() -> None:
    expected = md5("2:C126:2026-01-01 00:00:00.000000")
    assert version_key(("C1",), date(2026, 1, 1)) == expected
    assert version_key(("C1",), datetime(2026, 1, 1)) == expected
    assert version_key(("C1", 7), datetime(2026, 1, 1, 2, 3, 4, 5)) == md5("2:C11:726:2026-01-01 02:03:04.000005")


def test_a_hash_is_32_lower_case_digits() -> None:
    assert tracked_hash(()) == "d41d8cd98f00b204e9800998ecf8427e"


@pytest.mark.parametrize(
    ("tracked", "text"),
    [
        (("West",), "4:West"),
        ((None,), "-"),
        (("",), "0:"),
        (("-",), "1:-"),
        ((None, "", None), "-0:-"),
        (("a|b", "c"), "3:a|b1:c"),
        (("a", "b|c"), "1:a3:b|c"),
        (("a1:b",), "4:a1:b"),
        (("Zürich €",), "8:Zürich €"),
        ((1, True, date(2026, 1, 2)), "1:14:true10:2026-01-02"),
    ],
)
def test_the_hash_of_tracked_values_tells_each_by_its_number_of_characters(tracked: tuple[Any, ...], text: str) -> None:
    assert tracked_hash(tracked) == md5(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a ", "a "),
        (0, "0"),
        (-1, "-1"),
        (9223372036854775807, "9223372036854775807"),
        (Decimal("1.10"), "1.1"),
        (Decimal("100.00"), "100"),
        (Decimal("100"), "100"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.00"), "0"),
        (Decimal("-0.50"), "-0.5"),
        (True, "true"),
        (False, "false"),
        (date(9999, 12, 31), "9999-12-31"),
        (datetime(2026, 1, 2), "2026-01-02 00:00:00.000000"),
        (datetime(2026, 1, 2, 3, 4, 5, 60), "2026-01-02 03:04:05.000060"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02 03:00:00.000000Z"),
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=5, minutes=30))), "2026-01-01 21:30:00.000000Z"),
        (b"\x00\xff", "00ff"),
    ],
)
def test_a_value_is_hashed_as_a_text_that_is_the_same_on_every_engine(value: Any, text: str) -> None:
    assert hash_text(value) == text


# --- the report ---------------------------------------------------------------------------------------------------


def test_the_report_counts_every_action_and_a_change_affects_two_rows() -> None:
    history = [
        ver("changed", "West", JAN),
        ver("closed", "West", JAN),
        ver("removed", "West", FEB),
        ver("restated", "West", FEB),
        ver("unchanged", "West", JAN),
    ]
    rows = [row("changed", "East"), row("opened", "East"), row("restated", "East"), row("unchanged", "West")]
    outcome = run_snapshot(history, rows, FEB, ABSENCE_CLOSES)
    assert isinstance(outcome, Done)
    assert outcome.report == ("SCD2 2026-02-01: 1 opened, 1 changed, 1 restated, 1 closed, 1 removed, 1 unchanged")
    assert outcome.rows_affected == 6


@pytest.mark.parametrize(
    ("effective_date", "text"),
    [
        (datetime(2026, 2, 1), "2026-02-01 00:00:00"),
        (datetime(2026, 2, 1, 7, 8, 9, 10), "2026-02-01 07:08:09.000010"),
    ],
)
def test_the_report_shows_a_timestamp_with_its_fraction_only_where_there_is_one(
    effective_date: datetime, text: str
) -> None:
    options = Options(max_date=datetime(9999, 12, 31))
    outcome = run_snapshot([], [], effective_date, options)
    assert isinstance(outcome, Done)
    assert outcome.report == f"SCD2 {text}: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 0 unchanged"


def test_the_report_says_when_there_was_no_effective_date() -> None:
    outcome = run_snapshot([ver("C1", "West", JAN)], [], None, DATE_FROM_ROWS)
    assert isinstance(outcome, Done)
    assert outcome.report == (
        "SCD2 no effective date: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged"
    )


def test_the_report_says_how_many_were_reopened_updated_and_skipped_where_that_can_happen() -> None:
    options = Options(date_from_rows=True, coalesce_versions=True, type1_columns=True)
    history = [ver("C1", "West", D1, D2, type1="old"), ver("C2", "West", D1)]
    rows = [at(D2, "C1", "West", type1="new"), at(D2, "C3", "West"), at(D3, "C2", "East")]
    zeros = "0 restated, 0 closed, 0 removed"
    assert reported(run_snapshot(history, rows[:1], None, options)) == (
        f"SCD2 2026-06-12: 0 opened, 0 changed, {zeros}, 1 unchanged, 1 reopened, 1 type 1 updated",
        0,
    )
    assert reported(run_log(history, [*rows, delete(D0, "C2")], options)) == (
        f"SCD2 2026-06-10..2026-06-13: 1 opened, 1 changed, {zeros}, 0 unchanged, 1 reopened, 1 type 1 updated",
        3,
    )
    assert reported(run_series(history, [*rows, at(D1, "C2", "North")], options)) == (
        f"SCD2 2026-06-12..2026-06-13: 1 opened, 1 changed, {zeros}, "
        "0 unchanged, 1 reopened, 1 type 1 updated, 1 skipped",
        3,
    )


def test_the_report_of_dated_rows_counts_every_event_and_knows_their_dates_but_those_a_series_skipped() -> None:
    history = [ver("C1", "A", D3)]
    early = [at(D3, "C1", "A"), delete(D1, "C1")]
    assert reported(run_log(history, early[1:], LOG)) == (
        "SCD2 2026-06-11: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged",
        0,
    )
    assert reported(run_log(history, early, LOG)) == (
        "SCD2 2026-06-11..2026-06-13: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged",
        0,
    )
    assert reported(run_log(history, [], LOG)) == (
        "SCD2 no effective date: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged",
        0,
    )
    rows = [at(D4, "C1", "B"), at(D5, "C1", "C"), delete(D6, "C1"), at(D7, "C1", "C"), at(D8, "C1", "C")]
    assert reported(run_log(history, [*early, *rows], LOG)) == (
        "SCD2 2026-06-11..2026-06-18: 1 opened, 2 changed, 0 restated, 1 closed, 0 removed, 0 unchanged",
        6,
    )
    assert reported(run_series(history, [at(D1, "C1", "B")], LOG)) == (
        "SCD2 no effective date: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged, 1 skipped",
        0,
    )


# --- whole histories ----------------------------------------------------------------------------------------------


def test_the_customer_example_of_the_specification() -> None:
    first, _ = done([], [row("C1", "West", "SMB"), row("C2", "East", "Enterprise")], JAN)
    second = done(first, [row("C1", "Central", "SMB"), row("C2", "East", "Enterprise")], APR)
    assert second == (
        [
            ver("C1", "West", JAN, APR, carried="SMB"),
            ver("C1", "Central", APR, carried="SMB"),
            ver("C2", "East", JAN, carried="Enterprise"),
        ],
        {"changed": 1, "unchanged": 1},
    )


def test_a_run_repeated_with_the_same_inputs_changes_nothing() -> None:
    history = [
        ver("changed", "West", JAN),
        ver("closed", "West", JAN),
        ver("removed", "West", FEB),
        ver("restated", "West", FEB),
    ]
    rows = [row("changed", "East"), row("opened", "East"), row("restated", "East")]
    once, counts = done(history, rows, FEB, ABSENCE_CLOSES)
    assert counts == {"opened": 1, "changed": 1, "restated": 1, "closed": 1, "removed": 1}
    assert done(once, rows, FEB, ABSENCE_CLOSES) == (once, {"unchanged": 3})
