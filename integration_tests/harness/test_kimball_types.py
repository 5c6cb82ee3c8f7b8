"""type0_columns, type1_columns, initial_valid_from and coalesce_versions, under both strategies."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from batch import D1, D2, D3, D4, MAX, Day, Story, Told, play, text
from dated import GONE, LOG, SERIES, VERSIONS, BothStrategies, dated, jan, report

STORIES = BothStrategies()
TYPE_0: dict[str, Any] = {"type0_columns": ["x"], "show": "k, v, x, valid_from, valid_to, is_current"}
TYPE_1: dict[str, Any] = {"type1_columns": ["x"], "show": TYPE_0["show"]}
ABSENCE = {"close_on_absence": True}
AT_D1, AT_D2 = {"effective_date": str(D1)}, {"effective_date": str(D2)}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("kimball"), STORIES)


def snapshot(*rows: tuple[str, str | None, str | None]) -> str:
    """A source of k, v and x."""
    lines = ", ".join(f"({text(k)}, {text(v)}, {text(x)})" for k, v, x in rows)
    return f"select k::varchar as k, v::varchar as v, x::varchar as x from (values {lines}) t(k, v, x)"


def events(*rows: tuple[str, str | None, str | None, int]) -> str:
    """A source of k, v, x, d and gone; GONE as v makes a deletion. The last element is a day of January 2026."""
    lines = ", ".join(
        f"({text(k)}, {text(None if v == GONE else v)}, {text(x)}, '{jan(d)}', {v == GONE})" for k, v, x, d in rows
    )
    return (
        "select k::varchar as k, v::varchar as v, x::varchar as x, d::date as d, gone"
        f" from (values {lines}) t(k, v, x, d, gone)"
    )


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# Type 0


# Five runs, at D1, D1, D2, D2 and D3. K, N and U stand all the time, R is restated at D1 and again at D2, M is absent
# from the second run (and with it removed), C from the third and fourth (and with them closed).
STORIES.add(
    Story(
        "type0",
        [
            Day(snapshot(("K", "a", "x"), ("N", "a", None), ("R", "a", "x"), ("M", "a", "x"), ("C", "a", "x"),
                         ("U", "a", "x")), AT_D1),
            Day(snapshot(("K", "a", "x"), ("N", "a", None), ("R", "b", "y"), ("C", "a", "x"), ("U", "a", "x"))),
            Day(snapshot(("K", "b", "y"), ("N", "b", "y"), ("R", "c", "z"), ("U", "a", "y")), AT_D2),
            Day(snapshot(("K", "b", "y"), ("N", "b", "y"), ("R", "e", "w"), ("U", "a", "y"))),
            Day(snapshot(("K", "b", "y"), ("N", "b", "z"), ("R", "e", "w"), ("M", "b", "y"), ("C", "b", "y"),
                         ("U", "a", "z")), {"effective_date": str(D3)}),
        ],
        {"type0_columns": ["x"], "scd2_strategy": "rebuild", **ABSENCE}, show=TYPE_0["show"], repeat=False,
    )
)  # fmt: skip
TYPE_0_RULES = {
    "later_versions_keep_the_value_of_the_first": (
        "K", 4, [("K", "a", "x", D1, D2, False), ("K", "b", "x", D2, MAX, True)],
    ),
    "null_is_a_value": ("N", 4, [("N", "a", None, D1, D2, False), ("N", "b", None, D2, MAX, True)]),
    "restating_the_first_version_resets_it": ("R", 1, [("R", "b", "y", D1, MAX, True)]),
    "restating_a_later_version_does_not": ("R", 4, [("R", "b", "y", D1, D2, False), ("R", "e", "y", D2, MAX, True)]),
    "a_removed_version_is_not_the_first": ("M", 4, [("M", "b", "y", D3, MAX, True)]),
    "a_closed_version_may_be_the_first": ("C", 4, [("C", "a", "x", D1, D2, False), ("C", "b", "x", D3, MAX, True)]),
    "another_value_opens_nothing": ("U", 4, [("U", "a", "x", D1, MAX, True)]),
}  # fmt: skip


@pytest.mark.parametrize("rule", TYPE_0_RULES)
def test_the_type_0_value_is_that_of_the_keys_first_recorded_version(rule: str, outcomes: dict[str, Told]) -> None:
    told = outcomes["type0"]
    key, run, expected = TYPE_0_RULES[rule]
    assert [row for row in told.rows[run] or [] if row[0] == key] == expected, told.messages


@STORIES.tell(
    "type0_adopted",
    Day(snapshot(("K", "a", "x"))),
    Day(
        snapshot(("K", "b", "z")),
        before="insert into main.{model} values ('K', 'o', 'y', date '2026-01-10', date '2026-01-20', false)",
    ),
    **TYPE_0, repeat=False,
)  # fmt: skip
def test_the_first_version_is_the_one_that_began_first_even_if_it_is_open(told: Told) -> None:
    assert told.rows[1] == [
        ("K", "a", "x", D1, D2, False), ("K", "b", "x", D2, MAX, True),
        ("K", "o", "y", jan(10), jan(20), False),
    ], told.messages  # fmt: skip


@STORIES.tell(
    "type0_log",
    events(("C1", "a", "x", 10), ("C1", "b", "y", 12), ("C1", GONE, None, 14), ("C1", "c", "z", 16),
           ("C3", "a", "x", 10), ("C4", "a", "x", 10)),
    events(("C1", "e", "w", 17), ("C2", "a", None, 17), ("C2", "b", "y", 18),
           ("C3", "b", "y", 10), ("C3", "c", "z", 12), ("C4", GONE, None, 10), ("C4", "b", "y", 12)),
    **TYPE_0, **LOG, scd2_strategy="merge", repeat=False,
)  # fmt: skip
def test_several_versions_of_a_key_in_one_batch_have_the_type_0_value_of_the_first(once: Told) -> None:
    first = [("C1", "a", "x", jan(10), jan(12), False), ("C1", "b", "x", jan(12), jan(14), False)]
    assert once.rows[0] == [
        *first,
        ("C1", "c", "x", jan(16), MAX, True),
        ("C3", "a", "x", jan(10), MAX, True),
        ("C4", "a", "x", jan(10), MAX, True),
    ], once.messages
    # C3's only version is restated, C4's is removed: their first version is one of this batch.
    assert once.rows[1] == [
        *first,
        ("C1", "c", "x", jan(16), jan(17), False),
        ("C1", "e", "x", jan(17), MAX, True),
        ("C2", "a", None, jan(17), jan(18), False),
        ("C2", "b", None, jan(18), MAX, True),
        ("C3", "b", "y", jan(10), jan(12), False),
        ("C3", "c", "y", jan(12), MAX, True),
        ("C4", "b", "y", jan(12), MAX, True),
    ]


@STORIES.tell(
    "type0_series",
    events(("C1", "a", "x", 1), ("C2", "a", "x", 1), ("C2", "a", "y", 2), ("C1", "b", "y", 3), ("C2", "b", "y", 3)),
    **TYPE_0, **SERIES, **ABSENCE, scd2_strategy="rebuild", repeat=False,
)  # fmt: skip
def test_all_versions_of_a_series_have_the_type_0_value_of_the_first(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", "x", jan(1), jan(2), False),
        ("C1", "b", "x", jan(3), MAX, True),
        ("C2", "a", "x", jan(1), jan(3), False),
        ("C2", "b", "x", jan(3), MAX, True),
    ], once.messages


@STORIES.tell(
    "type0_new",
    "select 'C1' as k, 'a' as v union all select 'C2', 'a'",
    Day(snapshot(("C1", "b", "y"), ("C2", "a", "y"), ("C3", "a", "y")), {"type0_columns": ["x"]}),
    snapshot(("C1", "c", "z"), ("C2", "a", "z"), ("C3", "b", "z")),
    repeat=False,
    scd2_strategy="merge",
)
def test_a_type_0_column_that_comes_later_stays_null_for_the_keys_that_were_recorded(once: Told) -> None:
    assert list(once.columns[1]) == ["k", "v", "valid_from", "valid_to", "is_current", "x"], once.messages
    assert once.rows[2] == [
        ("C1", "a", D1, D2, False, None),
        ("C1", "b", D2, D3, False, None),
        ("C1", "c", D3, MAX, True, None),
        ("C2", "a", D1, MAX, True, None),
        ("C3", "a", D2, D3, False, "y"),
        ("C3", "b", D3, MAX, True, "y"),
    ]


@STORIES.tell(
    "type0_from_carried",
    snapshot(("C1", "a", "x")),
    snapshot(("C1", "b", "y")),
    Day(snapshot(("C1", "c", "z")), {"type0_columns": ["x"]}),
    repeat=False,
    **{**TYPE_0, "type0_columns": None, "scd2_strategy": "merge"},
)
def test_a_carried_column_that_becomes_type_0_goes_on_from_the_first_recorded_value(once: Told) -> None:
    assert once.rows[2] == [
        ("C1", "a", "x", D1, D2, False),
        ("C1", "b", "y", D2, D3, False),
        ("C1", "c", "x", D3, MAX, True),
    ], once.messages


@STORIES.tell(
    "type0_wider",
    "select 'C1' as k, 'a' as v, 1 as x",
    "select 'C1' as k, 'b' as v, 3000000000 as x union all select 'C2', 'a', 3000000000",
    scd2_strategy="merge",
    **TYPE_0,
    repeat=False,
)
def test_a_type_0_column_may_widen(once: Told) -> None:
    assert once.columns[1]["x"] == "BIGINT", once.messages
    assert once.rows[1] == [
        ("C1", "a", 1, D1, D2, False),
        ("C1", "b", 1, D2, MAX, True),
        ("C2", "a", 3_000_000_000, D2, MAX, True),
    ]


# Type 1


@STORIES.tell(
    "type1",
    snapshot(("C1", "a", "x"), ("C2", "a", "x"), ("C3", "a", "x"), ("C4", "a", None), ("C5", "a", "x")),
    snapshot(("C1", "b", "y"), ("C2", "a", "y"), ("C3", "a", "x"), ("C4", "a", "y"), ("C6", "a", "n")),
    Day(snapshot(("C1", "c", None), ("C2", "a", "y"), ("C3", "a", "x"), ("C4", "a", "y"), ("C6", "b", "m")), AT_D2),
    Day(snapshot(("C1", "c", None), ("C2", "a", "y"), ("C4", "a", "y"), ("C5", "a", "z"), ("C6", "b", "m")),
        {"effective_date": str(D3)}),
    **TYPE_1, **ABSENCE,
)  # fmt: skip
def test_the_newest_type_1_value_is_written_onto_every_version_of_its_key_and_opens_none(told: Told) -> None:
    assert told.messages[0] == report("2026-01-01", opened=5, type_1_updated=0)
    assert told.rows[1] == [
        ("C1", "a", "y", D1, D2, False),
        ("C1", "b", "y", D2, MAX, True),
        ("C2", "a", "y", D1, MAX, True),
        ("C3", "a", "x", D1, MAX, True),
        ("C4", "a", "y", D1, MAX, True),
        ("C5", "a", "x", D1, D2, False),
        ("C6", "a", "n", D2, MAX, True),
    ], told.messages
    assert told.messages[1] == report("2026-02-01", opened=1, changed=1, closed=1, unchanged=1, type_1_updated=3)
    # Restatements of a later and of an only version, at D2 again.
    assert told.rows[2] == [
        ("C1", "a", None, D1, D2, False),
        ("C1", "c", None, D2, MAX, True),
        *told.rows[1][2:6],
        ("C6", "b", "m", D2, MAX, True),
    ]
    assert told.messages[2] == report("2026-02-01", restated=2, unchanged=3, type_1_updated=2)
    # An absence of C3, a return of C5.
    assert told.rows[3] == [
        *told.rows[2][:3],
        ("C3", "a", "x", D1, D3, False),
        ("C4", "a", "y", D1, MAX, True),
        ("C5", "a", "z", D1, D2, False),
        ("C5", "a", "z", D3, MAX, True),
        ("C6", "b", "m", D2, MAX, True),
    ]
    assert told.messages[3] == report("2026-03-01", opened=1, closed=1, unchanged=4, type_1_updated=1)


@STORIES.tell(
    "type1_out_of_order",
    snapshot(("C1", "a", "x"), ("C2", "a", "x")),
    snapshot(("C1", "b", "x"), ("C2", "a", "x")),
    Day(snapshot(("C1", "b", "y"), ("C2", "a", "y")), {"effective_date": "2026-01-31"}),
    Day(snapshot(("C1", "b", "x"), ("C2", "a", "y"))),
    repeat=False,
    **TYPE_1,
    scd2_strategy="merge",
)
def test_another_type_1_value_before_the_keys_last_boundary_is_out_of_order(once: Told) -> None:
    before = [
        ("C1", "a", "x", D1, D2, False),
        ("C1", "b", "x", D2, MAX, True),
        ("C2", "a", "x", D1, MAX, True),
    ]
    assert once.rows[1] == before, once.messages
    assert once.refused(2, "out_of_order", "C1", "2026-01-31", "2026-02-01")
    assert "C2" not in once.messages[2]
    assert once.rows[3] == [*before[:2], ("C2", "a", "y", D1, MAX, True)]
    assert once.messages[3] == report("2026-01-31", unchanged=1, type_1_updated=1)


@STORIES.tell(
    "type1_log",
    events(("C1", "a", "x", 10), ("C1", "b", "y", 12), ("C1", GONE, "q", 14)),
    events(("C1", "c", "z", 16), ("C1", "a", "w", 11), ("C2", "a", "x", 10)),
    events(("C1", "a", "x", 10), ("C1", "b", "y", 12), ("C1", GONE, "q", 14), ("C1", "c", "z", 16)),
    events(("C1", "c", "u", 19), ("C1", "c", "t", 18), ("C2", "a", "s", 20), ("C2", GONE, "r", 21)),
    repeat=False, **TYPE_1, **LOG, scd2_strategy="merge",
)  # fmt: skip
def test_a_log_brings_the_type_1_value_of_the_keys_newest_row_that_is_no_deletion_and_not_early(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", "y", jan(10), jan(12), False),
        ("C1", "b", "y", jan(12), jan(14), False),
    ], once.messages
    assert once.messages[0] == report("2026-01-10..2026-01-14", opened=1, changed=1, closed=1, type_1_updated=0)
    then = [
        ("C1", "a", "z", jan(10), jan(12), False),
        ("C1", "b", "z", jan(12), jan(14), False),
        ("C1", "c", "z", jan(16), MAX, True),
        ("C2", "a", "x", jan(10), MAX, True),
    ]
    assert once.rows[1] == then
    assert once.messages[1] == report("2026-01-10..2026-01-16", opened=2, type_1_updated=1)
    assert once.rows[2] == then, "the whole log read again"
    assert once.messages[2] == report("2026-01-10..2026-01-16", unchanged=2, type_1_updated=0)
    assert once.rows[3] == [
        ("C1", "a", "u", jan(10), jan(12), False),
        ("C1", "b", "u", jan(12), jan(14), False),
        ("C1", "c", "u", jan(16), MAX, True),
        ("C2", "a", "s", jan(10), jan(21), False),
    ]
    assert once.messages[3] == report("2026-01-18..2026-01-21", closed=1, type_1_updated=2)


@STORIES.tell(
    "type1_series",
    events(("C1", "a", "x", 1), ("C2", "a", "x", 1), ("C1", "a", "y", 2), ("C2", "b", "y", 2), ("C2", "b", "z", 3)),
    events(("C1", "a", "q", 1), ("C2", "b", "w", 3)),
    **TYPE_1, **SERIES, **ABSENCE, scd2_strategy="rebuild",
)  # fmt: skip
def test_a_series_brings_the_type_1_value_of_the_newest_applied_snapshot_that_has_the_key(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", "y", jan(1), jan(3), False),
        ("C2", "a", "z", jan(1), jan(2), False),
        ("C2", "b", "z", jan(2), MAX, True),
    ], once.messages
    assert once.rows[1] == [
        ("C1", "a", "y", jan(1), jan(3), False),
        ("C2", "a", "w", jan(1), jan(2), False),
        ("C2", "b", "w", jan(2), MAX, True),
    ]
    assert once.messages[1] == report("2026-01-03", type_1_updated=1, skipped=1)


@STORIES.tell(
    "type1_new",
    "select 'C1' as k, 'a' as v union all select 'C2', 'a'",
    "select 'C1' as k, 'b' as v",
    Day(snapshot(("C1", "b", "y"), ("C3", "a", "y")), {"type1_columns": ["x"]}),
    repeat=False,
    scd2_strategy="merge",
)
def test_a_type_1_column_that_comes_later_is_written_onto_recorded_versions_of_the_keys_in_the_source(
    once: Told,
) -> None:
    assert list(once.columns[2]) == ["k", "v", "valid_from", "valid_to", "is_current", "x"], once.messages
    assert once.rows[2] == [
        ("C1", "a", D1, D2, False, "y"),
        ("C1", "b", D2, MAX, True, "y"),
        ("C2", "a", D1, MAX, True, None),
        ("C3", "a", D3, MAX, True, "y"),
    ]


@STORIES.tell(
    "type1_from_carried",
    snapshot(("C1", "a", "x"), ("C2", "a", "x")),
    snapshot(("C1", "b", "y"), ("C2", "a", "x")),
    Day(config={"type1_columns": ["x"]}),
    repeat=False,
    **{**TYPE_1, "type1_columns": None},
    scd2_strategy="rebuild",
)
def test_a_carried_column_that_becomes_type_1_is_made_equal_on_all_versions(once: Told) -> None:
    assert once.rows[1] == [
        ("C1", "a", "x", D1, D2, False),
        ("C1", "b", "y", D2, MAX, True),
        ("C2", "a", "x", D1, MAX, True),
    ], once.messages
    assert once.rows[2] == [
        ("C1", "a", "y", D1, D2, False),
        ("C1", "b", "y", D2, MAX, True),
        ("C2", "a", "x", D1, MAX, True),
    ]
    assert once.messages[2].endswith(", 1 type 1 updated")


@STORIES.tell(
    "type1_wider",
    "select 'C1' as k, 'a' as v, 1 as x",
    "select 'C1' as k, 'b' as v, 3000000000 as x",
    scd2_strategy="merge",
    **TYPE_1,
    repeat=False,
)
def test_a_type_1_column_may_widen(once: Told) -> None:
    assert once.columns[1]["x"] == "BIGINT", once.messages
    assert once.rows[1] == [
        ("C1", "a", 3_000_000_000, D1, D2, False),
        ("C1", "b", 3_000_000_000, D2, MAX, True),
    ]


for _number in (0, 1):
    _options = {f"type{_number}_columns": ["x"], "scd2_strategy": "rebuild"}
    _lost = "select 'C1' as k, 'b' as v"
    STORIES.add(Story(f"type{_number}_left", [Day(snapshot(("C1", "a", "x"))), Day(_lost)], _options, repeat=False))


@pytest.mark.parametrize("number", [0, 1])
def test_a_type_0_or_type_1_column_that_left_the_source_is_an_unknown_column(
    number: int, outcomes: dict[str, Told]
) -> None:
    told = outcomes[f"type{number}_left"]
    assert told.rows[0] == [("C1", "a", "x", D1, MAX, True)], told.messages
    assert told.refused(1, "unknown_column", f"type{number}_columns names x")


@STORIES.tell(
    "every_role",
    """select 'C1' as "Key", 'a' as "V", 'x' as "Zero", 'p' as "One", 'm' as c""",
    """select 'C1' as "Key", 'b' as "V", 'y' as "Zero", 'q' as "One", 'n' as c""",
    """select 'C1' as "Key", 'b' as "V", 'z' as "Zero", 'r' as "One", 'o' as c""",
    unique_key="key", tracked_columns="all", type0_columns=["ZERO"], type1_columns=["one"], carried_columns=["C"],
    repeat=False, scd2_strategy="merge",
)  # fmt: skip
def test_every_role_at_once_in_another_case_and_under_all_only_the_rest_is_tracked(once: Told) -> None:
    assert list(once.columns[0]) == ["Key", "V", "Zero", "One", "c", "valid_from", "valid_to", "is_current"]
    assert once.rows[1:3] == [
        [("C1", "a", "x", "q", "m", D1, D2, False), ("C1", "b", "x", "q", "n", D2, MAX, True)],
        [("C1", "a", "x", "r", "m", D1, D2, False), ("C1", "b", "x", "r", "n", D2, MAX, True)],
    ], once.messages


# initial_valid_from

ERA = date(2020, 1, 1)
INITIAL = {"initial_valid_from": "2020-01-01", "show": VERSIONS}
NO_ROWS = "select 'C1' as k, 'a' as v, null::varchar as x where false"


@STORIES.tell(
    "initial_first",
    snapshot(("C1", "a", ""), ("C2", "a", "")),
    snapshot(("C1", "b", ""), ("C2", "a", ""), ("C3", "a", "")),
    repeat=False,
    **INITIAL,
    scd2_strategy="rebuild",
)
def test_the_versions_of_the_first_run_begin_at_initial_valid_from_and_later_ones_at_d(once: Told) -> None:
    assert once.rows[0] == [("C1", "a", ERA, MAX, True), ("C2", "a", ERA, MAX, True)], once.messages
    assert once.messages[0] == report("2026-01-01", opened=2)
    assert once.rows[1] == [
        ("C1", "a", ERA, D2, False),
        ("C1", "b", D2, MAX, True),
        ("C2", "a", ERA, MAX, True),
        ("C3", "a", D2, MAX, True),
    ]


@STORIES.tell(
    "initial_again",
    Day(snapshot(("C1", "a", ""), ("C2", "a", ""), ("C3", "a", "")), AT_D1),
    Day(snapshot(("C1", "b", ""), ("C3", "a", ""))),
    **INITIAL,
    **ABSENCE,
    scd2_strategy="merge",
    repeat=False,
)
def test_the_first_date_run_again_changes_and_closes_versions_that_began_at_initial_valid_from(once: Told) -> None:
    assert once.rows[1] == [
        ("C1", "a", ERA, D1, False),
        ("C1", "b", D1, MAX, True),
        ("C2", "a", ERA, D1, False),
        ("C3", "a", ERA, MAX, True),
    ], once.messages
    assert once.messages[1] == report("2026-01-01", changed=1, closed=1, unchanged=1)


@STORIES.tell(
    "initial_empty", Day(NO_ROWS), Day(snapshot(("C1", "a", ""))), Day(NO_ROWS), Day(snapshot(("C2", "a", ""))),
    allow_empty_source=True, scd2_strategy="merge", repeat=False, **INITIAL, **ABSENCE,
)  # fmt: skip
def test_an_empty_table_has_no_versions_and_one_of_closed_versions_has(once: Told) -> None:
    assert once.rows == [
        [],
        [("C1", "a", ERA, MAX, True)],
        [("C1", "a", ERA, D3, False)],
        [("C1", "a", ERA, D3, False), ("C2", "a", D4, MAX, True)],
    ], once.messages


@STORIES.tell(
    "initial_series",
    dated(("C1", "a", 1), ("C2", "a", 1), ("C1", "b", 2), ("C2", "a", 2), ("C3", "a", 2)),
    dated(("C4", "a", 5)),
    **INITIAL,
    **SERIES,
    scd2_strategy="rebuild",
    repeat=False,
)
def test_only_the_first_date_of_a_series_begins_at_initial_valid_from(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", ERA, jan(2), False),
        ("C1", "b", jan(2), MAX, True),
        ("C2", "a", ERA, MAX, True),
        ("C3", "a", jan(2), MAX, True),
    ], once.messages
    assert once.rows[1] == [*once.rows[0], ("C4", "a", jan(5), MAX, True)]


@STORIES.tell(
    "initial_prior",
    Day(snapshot(("C1", "b", "")), before="create table initial_prior_legacy as select 'C1' as k, 'a' as v, '' as x,"
        " date '2025-01-01' as valid_from, date '9999-12-31' as valid_to, true as is_current"),
    prior_relation="initial_prior_legacy", scd2_strategy="rebuild", repeat=False, **INITIAL,
)  # fmt: skip
def test_another_prior_with_versions_leaves_no_room_for_initial_valid_from(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", date(2025, 1, 1), D1, False),
        ("C1", "b", D1, MAX, True),
    ], once.messages


@STORIES.tell(
    "initial_stamp",
    snapshot(("C1", "a", "")),
    validity_type="timestamp",
    scd2_strategy="merge",
    repeat=False,
    **{**INITIAL, "initial_valid_from": "2025-12-31 23:59:59.999999"},
)
def test_initial_valid_from_may_have_microseconds_under_timestamp(once: Told) -> None:
    start, last = datetime(2025, 12, 31, 23, 59, 59, 999_999), datetime(9999, 12, 31)
    assert once.rows[0] == [("C1", "a", start, last, True)], once.messages


LATE = {
    "initial_at_the_column": (dated(("C1", "a", 1)), {"effective_date": None, "effective_date_column": "d"}),
    "initial_in_the_series": (dated(("C1", "a", 1), ("C2", "a", 2)), SERIES),
}
for _name, (_source, _options) in LATE.items():
    _config = {**_options, "initial_valid_from": "2026-01-01", "scd2_strategy": "rebuild"}
    STORIES.add(Story(_name, [Day(_source)], _config, repeat=False))


@pytest.mark.parametrize("name", LATE)
def test_initial_valid_from_must_lie_before_the_dates_of_the_source(name: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[name].refused(0, "invalid_option", "initial_valid_from", "2026-01-01")
    assert outcomes[name].rows[0] is None


# coalesce_versions

COALESCE = {"coalesce_versions": True, "show": TYPE_0["show"]}
FIFTH = (("C1", "a", "y"), ("C2", "a", "x"), ("C3", None, "y"), ("C4", "a", "z"), ("C5", "a", "z"), ("C6", "c", "z"))


@STORIES.tell(
    "coalesce",
    snapshot(*((key, "a", "x") for key in ("C1", "C2", "C4", "C5", "C6", "C7")), ("C3", None, "x")),
    snapshot(("C2", "a", "x"), ("C5", "b", "y"), ("C6", "b", "y")),
    Day(snapshot(*FIFTH[:3], ("C4", "b", "y"), *FIFTH[4:]), AT_D2),
    Day(snapshot(*FIFTH)),
    Day(snapshot(*FIFTH, ("C7", "a", "x")), {"effective_date": str(D3)}),
    repeat=False,
    **COALESCE,
    **ABSENCE,
    scd2_strategy="merge",
)
def test_a_version_that_ended_at_d_with_the_values_of_the_row_is_reopened(once: Told) -> None:
    assert once.messages[1] == report("2026-02-01", changed=2, closed=4, unchanged=1, reopened=0)
    # C1 and C3 are back with their values, C4 with others; C5's change is taken back, C6's is another one.
    gone = ("C7", "a", "x", D1, D2, False)
    assert once.rows[2] == [
        ("C1", "a", "x", D1, MAX, True),
        ("C2", "a", "x", D1, MAX, True),
        ("C3", None, "x", D1, MAX, True),
        ("C4", "a", "x", D1, D2, False),
        ("C4", "b", "y", D2, MAX, True),
        ("C5", "a", "x", D1, MAX, True),
        ("C6", "a", "x", D1, D2, False),
        ("C6", "c", "z", D2, MAX, True),
        gone,
    ], once.messages
    assert once.messages[2] == report("2026-02-01", opened=1, restated=1, unchanged=1, reopened=3)
    # C4 is corrected on the same date.
    then = [*once.rows[2][:3], ("C4", "a", "x", D1, MAX, True), *once.rows[2][5:8]]
    assert once.rows[3] == [*then, gone]
    assert once.messages[3] == report("2026-02-01", unchanged=5, reopened=1)
    # C7 returns after a gap.
    assert once.rows[4] == [*then, gone, ("C7", "a", "x", D3, MAX, True)]
    assert once.messages[4] == report("2026-03-01", opened=1, unchanged=6, reopened=0)


@STORIES.tell(
    "coalesce_log",
    events(("C1", "a", "x", 10), ("C1", GONE, None, 12), ("C2", "a", "x", 10), ("C2", GONE, None, 12),
           ("C3", "a", "x", 10), ("C3", "b", "x", 12), ("C4", "a", "x", 10), ("C4", "b", "x", 12),
           ("C5", "a", "x", 10), ("C5", GONE, None, 12)),
    events(("C1", "a", "y", 12), ("C1", "b", "y", 14), ("C2", "a", "y", 12), ("C2", GONE, None, 13),
           ("C3", "a", "y", 12), ("C4", "a", "y", 12), ("C4", "c", "y", 14), ("C5", "a", "y", 13)),
    **COALESCE, **LOG, scd2_strategy="rebuild",
)  # fmt: skip
def test_a_log_reopens_versions_and_goes_on_from_them(once: Told) -> None:
    assert once.rows[1] == [
        ("C1", "a", "x", jan(10), jan(14), False),
        ("C1", "b", "y", jan(14), MAX, True),
        ("C2", "a", "x", jan(10), jan(13), False),
        ("C3", "a", "x", jan(10), MAX, True),
        ("C4", "a", "x", jan(10), jan(14), False),
        ("C4", "c", "y", jan(14), MAX, True),
        ("C5", "a", "x", jan(10), jan(12), False),
        ("C5", "a", "y", jan(13), MAX, True),
    ], once.messages
    assert once.messages[1] == report("2026-01-12..2026-01-14", opened=1, changed=2, closed=1, reopened=4)


@STORIES.tell(
    "coalesce_series",
    events(("C1", "a", "x", 1), ("C2", "a", "x", 1), ("C2", "a", "x", 2)),
    events(("C1", "a", "y", 2), ("C2", "a", "y", 2), ("C1", "b", "y", 3), ("C2", "a", "y", 3)),
    **COALESCE, **SERIES, **ABSENCE, scd2_strategy="merge", repeat=False,
)  # fmt: skip
def test_a_series_reopens_at_its_first_date(once: Told) -> None:
    assert once.rows[:2] == [
        [("C1", "a", "x", jan(1), jan(2), False), ("C2", "a", "x", jan(1), MAX, True)],
        [
            ("C1", "a", "x", jan(1), jan(3), False),
            ("C1", "b", "y", jan(3), MAX, True),
            ("C2", "a", "x", jan(1), MAX, True),
        ],
    ], once.messages
    assert once.messages[1] == report("2026-01-02..2026-01-03", changed=1, unchanged=1, reopened=1, skipped=0)


@STORIES.tell(
    "coalesce_roles",
    "select 'C1' as k, 'a' as v, 'x' as zero, 'p' as one, 'm' as c",
    "select 'C1' as k, 'b' as v, 'y' as zero, 'q' as one, 'n' as c",
    Day("select 'C1' as k, 'a' as v, 'z' as zero, 'r' as one, 'o' as c", AT_D2),
    coalesce_versions=True, type0_columns=["zero"], type1_columns=["one"], repeat=False, scd2_strategy="rebuild",
)  # fmt: skip
def test_a_reopened_version_keeps_its_type_0_and_carried_values_and_takes_the_type_1_value(once: Told) -> None:
    assert once.rows[2] == [("C1", "a", "x", "r", "m", D1, MAX, True)], once.messages
    assert once.messages[2] == report("2026-02-01", reopened=1, type_1_updated=1)
