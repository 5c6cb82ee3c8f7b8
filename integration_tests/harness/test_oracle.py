"""The oracle itself, row by row of the decision table, against rows written down by hand."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from oracle import Done, Moment, Options, Refused, Row, Version, run_snapshot

MAX = date(9999, 12, 31)
JAN, FEB, MAR, APR, MAY = (date(2026, month, 1) for month in range(1, 6))

DEFAULTS = Options()
ABSENCE_CLOSES = Options(close_on_absence=True)
DATE_FROM_ROWS = Options(date_from_rows=True)


def ver(key: Any, tracked: Any, valid_from: Moment, valid_to: Moment = MAX, carried: Any = "-") -> Version:
    """A version; it is current when nothing says when it ended."""
    key = key if isinstance(key, tuple) else (key,)
    return Version(key, (tracked,), (carried,), valid_from, valid_to, valid_to == MAX)


def row(key: Any, tracked: Any, carried: Any = "-", effective_date: Moment | None = None) -> Row:
    return Row(key if isinstance(key, tuple) else (key,), (tracked,), (carried,), effective_date)


def done(
    history: list[Version], rows: list[Row], effective_date: Moment | None, options: Options = DEFAULTS
) -> tuple[list[Version], dict[str, int]]:
    """The new history, ordered by key and start, and the counts that are not zero."""
    outcome = run_snapshot(history, rows, effective_date, options)
    assert isinstance(outcome, Done), outcome
    ordered = sorted(outcome.history, key=lambda version: (version.key, version.valid_from))
    return ordered, {action: count for action, count in outcome.counts.items() if count}


def refused(
    history: list[Version], rows: list[Row], effective_date: Moment | None, options: Options = DEFAULTS
) -> set[str]:
    outcome = run_snapshot(history, rows, effective_date, options)
    assert isinstance(outcome, Refused), outcome
    return set(outcome.slugs)


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
        [Version(("C1",), ("West",), ("-",), JAN, MAR, True)],
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
