"""Traps that dated inputs fall into elsewhere, each with its right value, under both strategies."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from batch import MAX, Day, Told, play
from dated import GONE, LOG, SERIES, STRATEGIES, VERSIONS, BothStrategies, dated, jan, report, version
from project import Project

STORIES = BothStrategies()
STAMPS = {"validity_type": "timestamp"}
LAST = datetime(9999, 12, 31)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("traps"), STORIES)


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# A confirmed value, a deletion and a return

EVENTS = [("C1", "A", 10), ("C1", "A", 11), ("C1", GONE, 12), ("C1", "B", 20)]


@STORIES.tell("events_at_once", dated(*EVENTS), show=VERSIONS, **LOG)
def test_a_value_confirmed_then_deleted_then_back_makes_two_versions_with_a_gap(told: Told) -> None:
    assert told.rows[0] == [version("C1", "A", 10, 12), version("C1", "B", 20)], told.messages
    assert told.messages[0] == report("2026-01-10..2026-01-20", opened=2, closed=1)
    assert set(told.messages[1:]) <= {report("2026-01-10..2026-01-20", unchanged=1)}


@STORIES.tell(
    "events_one_by_one",
    *(dated(event) for event in EVENTS),
    show=VERSIONS,
    **LOG,
    scd2_strategy="merge",
    repeat=False,
)
def test_the_same_events_one_by_one_make_the_same_versions(once: Told) -> None:
    assert once.rows[:4] == [
        [version("C1", "A", 10)],
        [version("C1", "A", 10)],
        [version("C1", "A", 10, 12)],
        [version("C1", "A", 10, 12), version("C1", "B", 20)],
    ], once.messages
    assert once.messages[:4] == [
        report("2026-01-10", opened=1),
        report("2026-01-11", unchanged=1),
        report("2026-01-12", closed=1),
        report("2026-01-20", opened=1),
    ]


@STORIES.tell(
    "events_reread",
    *(dated(*EVENTS[:end]) for end in range(1, 5)),
    show=VERSIONS,
    repeat=False,
    **LOG,
    scd2_strategy="rebuild",
)
def test_a_log_that_grows_and_is_read_again_as_a_whole_makes_the_same_versions(once: Told) -> None:
    assert once.rows == [
        [version("C1", "A", 10)],
        [version("C1", "A", 10)],
        [version("C1", "A", 10, 12)],
        [version("C1", "A", 10, 12), version("C1", "B", 20)],
    ], once.messages


# Repeated values

FIVES = dated(("C1", "5", 10), ("C1", "5", 11), ("C1", "5", 12))


@STORIES.tell(
    "fives_in_a_log",
    FIVES,
    show=VERSIONS,
    **LOG,
    scd2_strategy="merge",
)
def test_an_initial_log_of_one_value_at_three_dates_makes_one_version(once: Told) -> None:
    assert once.rows[0] == [version("C1", "5", 10)], once.messages
    assert once.messages[0] == report("2026-01-10..2026-01-12", opened=1)


@STORIES.tell(
    "fives_in_a_series",
    FIVES,
    show=VERSIONS,
    **SERIES,
    scd2_strategy="rebuild",
)
def test_an_initial_series_of_one_value_at_three_dates_makes_one_version(once: Told) -> None:
    assert once.rows[0] == [version("C1", "5", 10)], once.messages
    assert once.messages[0] == report("2026-01-10..2026-01-12", opened=1, skipped=0)


@STORIES.tell("b_then_a", dated(("C1", "A", 10)), dated(("C1", "B", 11), ("C1", "A", 12)), show=VERSIONS, **LOG)
def test_a_later_batch_of_another_value_and_back_makes_three_versions(told: Told) -> None:
    assert told.rows[1] == [
        version("C1", "A", 10, 11),
        version("C1", "A", 12),
        version("C1", "B", 11, 12),
    ], told.messages
    assert told.messages[1] == report("2026-01-11..2026-01-12", changed=2)


TWO_ROWS = dated(("C1", "A", 10), ("C1", "B", 11))


@STORIES.tell(
    "batch_twice",
    TWO_ROWS,
    TWO_ROWS,
    show=VERSIONS,
    repeat=False,
    **LOG,
    scd2_strategy="merge",
)
def test_the_same_batch_of_two_rows_twice_makes_two_versions(once: Told) -> None:
    assert once.rows[0] == [version("C1", "A", 10, 11), version("C1", "B", 11)], once.messages
    assert once.rows[1] == once.rows[0]
    assert once.messages[1] == report("2026-01-10..2026-01-11", unchanged=1)


# Absence

FOO = [("foo", "20", 1), ("foo", "20", 2), ("foo", "21", 3), ("foo", "21", 4)]
BAR = [("bar", "1", day) for day in range(1, 6)]
FOO_ROWS = [version("bar", "1", 1), version("foo", "20", 1, 3), version("foo", "21", 3, 5)]


def _snapshot(day: int) -> Day:
    return Day(dated(*(row for row in FOO + BAR if row[2] == day)), {"effective_date": str(jan(day))})


@STORIES.tell(
    "foo_snapshots",
    *(_snapshot(day) for day in range(1, 6)),
    show=VERSIONS,
    close_on_absence=True,
    repeat=False,
    scd2_strategy="rebuild",
)
def test_a_key_absent_on_the_fifth_day_while_another_stands_is_closed_there(once: Told) -> None:
    assert once.rows[4] == FOO_ROWS, once.messages
    assert once.messages[4] == report("2026-01-05", closed=1, unchanged=1)


@STORIES.tell("foo_series", dated(*FOO, *BAR), show=VERSIONS, close_on_absence=True, **SERIES)
def test_the_five_snapshots_as_one_series_make_the_same_versions(told: Told) -> None:
    assert told.rows[0] == FOO_ROWS, told.messages
    assert told.messages[0] == report("2026-01-01..2026-01-05", opened=2, changed=1, closed=1, skipped=0)


def _pairs(*pairs: tuple[str, str], gone: bool = False, day: int = 1) -> str:
    rows = ", ".join(f"('{a}', '{b}', 1, date '{jan(day)}', {gone})" for a, b in pairs)
    return f"select * from (values {rows}) t(k1, k2, v, d, gone)"


BOTH = _pairs(("ab", "c"), ("a", "bc"))
PAIR = {"unique_key": ["k1", "k2"], "show": "k1, k2, v, valid_from, valid_to, is_current"}
PAIR_ROWS = [("a", "bc", 1, jan(1), MAX, True), ("ab", "c", 1, jan(1), jan(2), False)]


@STORIES.tell(
    "pair_snapshots",
    Day(BOTH, {"effective_date": str(jan(1))}),
    Day(_pairs(("a", "bc")), {"effective_date": str(jan(2))}),
    close_on_absence=True,
    **PAIR,
    scd2_strategy="merge",
)
def test_absence_of_one_key_does_not_retire_another_whose_parts_join_to_the_same_text(once: Told) -> None:
    assert once.rows[1] == PAIR_ROWS, once.messages


@STORIES.tell(
    "pair_log",
    BOTH,
    _pairs(("ab", "c"), gone=True, day=2),
    **PAIR,
    **LOG,
    scd2_strategy="rebuild",
)
def test_deletion_of_one_key_does_not_retire_another_whose_parts_join_to_the_same_text(once: Told) -> None:
    assert once.rows[1] == PAIR_ROWS, once.messages


# Guards


@STORIES.tell(
    "older_in_a_log", dated(("C1", "A", 10), ("C2", "A", 10)), dated(("C1", "B", 9), ("C2", "B", 11)), show=VERSIONS,
    repeat=False, **LOG, scd2_strategy="merge",
)  # fmt: skip
def test_a_row_of_a_log_before_the_recorded_valid_from_is_out_of_order_and_names_the_key(once: Told) -> None:
    assert once.rows[0] == [version("C1", "A", 10), version("C2", "A", 10)], once.messages
    assert once.refused(1, "out_of_order", "C1", "2026-01-09", "2026-01-10")
    assert "C2" not in once.messages[1]


@STORIES.tell(
    "older_snapshot",
    Day(dated(("C1", "A", 10)), {"effective_date": str(jan(10))}),
    Day(dated(("C1", "B", 9)), {"effective_date": str(jan(9))}),
    show=VERSIONS,
    repeat=False,
    scd2_strategy="rebuild",
)
def test_a_snapshot_before_the_recorded_valid_from_is_out_of_order_and_names_the_key(once: Told) -> None:
    assert once.rows[0] == [version("C1", "A", 10)], once.messages
    assert once.refused(1, "out_of_order", "C1", "2026-01-09", "2026-01-10")


NOON = "2026-01-10 12:00:00"
AT_ONE_INSTANT = dated(("C1", "A", NOON), ("C1", "B", NOON), ("C2", "A", NOON), kind="timestamp")


@STORIES.tell(
    "one_instant_log",
    AT_ONE_INSTANT,
    repeat=False,
    **STAMPS,
    **LOG,
    scd2_strategy="merge",
)
def test_two_rows_of_a_key_at_one_instant_of_a_log_are_a_duplicate_key(once: Told) -> None:
    assert once.refused(0, "duplicate_key", "C1", NOON)
    assert "C2" not in once.messages[0]
    assert once.rows[0] is None


@STORIES.tell(
    "one_instant_series",
    AT_ONE_INSTANT,
    repeat=False,
    **STAMPS,
    **SERIES,
    scd2_strategy="rebuild",
)
def test_two_rows_of_a_key_at_one_instant_of_a_series_are_a_duplicate_key(once: Told) -> None:
    assert once.refused(0, "duplicate_key", "C1", NOON)
    assert "C2" not in once.messages[0]
    assert once.rows[0] is None


# Microseconds

MICRO = [("C1", "A", f"{NOON}.000001"), ("C1", "B", f"{NOON}.000002"), ("C1", GONE, f"{NOON}.999999")]


def _micro(microsecond: int) -> datetime:
    return datetime(2026, 1, 10, 12, 0, 0, microsecond)


@STORIES.tell("micro_log", dated(*MICRO, kind="timestamp"), show=VERSIONS, **STAMPS, **LOG)
def test_versions_of_a_log_may_be_one_microsecond_long(told: Told) -> None:
    assert told.rows[0] == [
        ("C1", "A", _micro(1), _micro(2), False),
        ("C1", "B", _micro(2), _micro(999_999), False),
    ], told.messages
    assert told.messages[0] == report(f"{NOON}.000001..{NOON}.999999", opened=1, changed=1, closed=1)
    assert [kind for name, kind in told.columns[0].items() if name in ("valid_from", "valid_to")] == ["TIMESTAMP"] * 2


@STORIES.tell(
    "micro_series",
    dated(*MICRO[:2], kind="timestamp"),
    show=VERSIONS,
    **STAMPS,
    **SERIES,
    scd2_strategy="rebuild",
)
def test_versions_of_a_series_may_be_one_microsecond_long(once: Told) -> None:
    assert once.rows[0] == [("C1", "A", _micro(1), _micro(2), False), ("C1", "B", _micro(2), LAST, True)], once.messages


@STORIES.tell(
    "micro_snapshots",
    Day(dated(("C1", "A", 10)), {"effective_date": f"{NOON}.000001"}),
    Day(dated(("C1", "B", 10)), {"effective_date": f"{NOON}.000002"}),
    show=VERSIONS,
    **STAMPS,
    scd2_strategy="merge",
)
def test_versions_of_snapshots_may_be_one_microsecond_long(once: Told) -> None:
    assert once.rows[1] == [("C1", "A", _micro(1), _micro(2), False), ("C1", "B", _micro(2), LAST, True)], once.messages


# Sessions

ZONED = "2026-01-10 23:30:00.000001+00"
FROM, TO = datetime(2026, 1, 10, 23, 30, 0, 1), datetime(2026, 7, 10, 23, 30, 0, 1)
IN_ANY_ZONE: dict[str, tuple[str, dict[str, Any], Any, Any, Any]] = {
    "zoned_log": (dated(("C1", "A", ZONED), ("C1", "B", ZONED.replace("-01-", "-07-")), kind="timestamptz"),
                  {**STAMPS, **LOG}, FROM, TO, LAST),
    "zoned_series": (dated(("C1", "A", ZONED), ("C1", "B", ZONED.replace("-01-", "-07-")), kind="timestamptz"),
                     {**STAMPS, **SERIES}, FROM, TO, LAST),
    "plain_log": (dated(("C1", "A", str(FROM)), ("C1", "B", str(TO)), kind="timestamp"),
                  {**STAMPS, **LOG}, FROM, TO, LAST),
    "date_log": (dated(("C1", "A", 10), ("C1", "B", 11)), LOG, jan(10), jan(11), MAX),
    "date_series": (dated(("C1", "A", 10), ("C1", "B", 11)), SERIES, jan(10), jan(11), MAX),
    "midnight_log": (dated(("C1", "A", 10), ("C1", "B", 11), kind="timestamp"), LOG, jan(10), jan(11), MAX),
}  # fmt: skip


def test_a_session_in_another_time_zone_gives_the_same_boundaries(tmp_path: Path) -> None:
    project = Project(tmp_path, zone="Pacific/Kiritimati")
    for number, (model, (source, options, *_)) in enumerate(IN_ANY_ZONE.items()):
        config = {"unique_key": "k", "tracked_columns": ["v"], "scd2_strategy": STRATEGIES[number % 2], **options}
        project.model(model, source, {key: value for key, value in config.items() if value is not None})
    run = project.run()
    for model, (*_, start, change, end) in IN_ANY_ZONE.items():
        assert project.rows(f"select {VERSIONS} from {model} order by k, valid_from") == [
            ("C1", "A", start, change, False),
            ("C1", "B", change, end, True),
        ], run.messages[model]


# Generic tests

RENAMED = {"valid_from": "begins", "valid_to": "ends", "is_current": "status"}
FLAGGED = {"scd2_column_names": RENAMED, "current_flag_type": "integer"}
GENERIC_TESTS = {
    "non_overlapping_intervals": {},
    "single_current_row": {},
    "valid_intervals": {},
    "current_flag_matches_max_date": {"max_date": "9999-12-31"},
    "contiguous_intervals": {},
    "distinct_neighbours": {"tracked_columns": ["v"]},
}
# What is inserted so that each test sees a fault: versions of C1 overlap, C2 is closed at max date and has a second
# open version that ends before it begins, C3 repeats itself.
FAULTS = [
    ("C1", "B", jan(12), jan(13), 0),
    ("C2", "A", jan(20), MAX, 0),
    ("C2", "A", jan(20), jan(19), 1),
    ("C3", "A", jan(10), jan(11), 0),
    ("C3", "A", jan(11), MAX, 1),
]


def test_integer_status_and_renamed_columns_work_with_every_generic_test(project: Project) -> None:
    rows = [("C1", "A", 10), ("C1", "B", 11), ("C1", "A", 12), ("C2", "A", 10), ("C2", "A", 11), ("C2", "A", 12)]
    config = {"unique_key": "k", "tracked_columns": ["v"], "scd2_strategy": "merge", **LOG, **FLAGGED}
    project.model("flagged", dated(*rows), {key: value for key, value in config.items() if value is not None})
    tests = [
        {f"scd2_master.{test}": {"arguments": {"unique_key": "k", "column_names": RENAMED, **more}}}
        for test, more in GENERIC_TESTS.items()
    ]
    project.file("models/properties.yml", yaml.safe_dump({"models": [{"name": "flagged", "data_tests": tests}]}))

    built = project.dbt("build")
    assert project.rows("select k, v, begins, ends, status from flagged order by k, v, begins") == [
        ("C1", "A", jan(10), jan(11), 0),
        ("C1", "A", jan(12), MAX, 1),
        ("C1", "B", jan(11), jan(12), 0),
        ("C2", "A", jan(10), MAX, 1),
    ], built.messages["flagged"]
    statuses = {name: status for name, status in built.statuses.items() if name != "flagged"}
    assert len(statuses) == len(GENERIC_TESTS)
    assert set(statuses.values()) == {"pass"}, built.log

    for k, v, begins, ends, status in FAULTS:
        values = f"'{k}', '{v}', '{begins}', '{ends}', {status}"
        project.execute(f"insert into flagged (k, v, begins, ends, status) values ({values})")
    broken = project.dbt("test")
    assert {name: broken.statuses[name] for name in statuses} == dict.fromkeys(statuses, "fail"), broken.log
