"""A history taken back to a date is the one from before it, and what came since gives the same history again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
from batch import MAX
from dated import jan, version
from hypothesis import strategies as st
from operations import operate, operate_each, refused
from oracle import Moment, Row
from project import Project
from sequences import (
    ABSENCE,
    COALESCES,
    COIN,
    COUNT,
    DELETIONS,
    HASHED,
    INTEGER_FLAG,
    LESS_WRITING,
    NUMBERS,
    PAIRS,
    RENAMED,
    SERIES,
    STAMPS,
    TIMESTAMP,
    WORD,
    Chooser,
    MasterData,
    Player,
    Round,
    Slot,
    Table,
    given_batches,
    ordered,
)

# --- exact histories ----------------------------------------------------------------------------------------------

# a changed twice, b was closed, c came, d went and came back, e never changed.
HISTORY = [
    *(version("a", "1", 1, 5), version("a", "2", 5, 9), version("a", "3", 9)),
    version("b", "1", 1, 5),
    version("c", "1", 5),
    *(version("d", "1", 1, 4), version("d", "2", 7)),
    version("e", "1", 1),
]
# What it was just before a day of January. A version that ended on the day was open before it.
BEFORE = {
    1: [],
    4: [version("a", "1", 1), version("b", "1", 1), version("d", "1", 1), version("e", "1", 1)],
    5: [version("a", "1", 1), version("b", "1", 1), version("d", "1", 1, 4), version("e", "1", 1)],
    6: [*HISTORY[:1], version("a", "2", 5), *HISTORY[3:6], version("e", "1", 1)],
    9: [*HISTORY[:1], version("a", "2", 5), *HISTORY[3:]],
    10: HISTORY,
}
PLAIN = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "{no_such_var}"}
NAMES = {"valid_from": 'Dim "From"', "valid_to": "to", "is_current": "Current"}
NAMED = {"scd2_column_names": NAMES, "current_flag_type": "integer", "validity_type": "timestamp"}


@dataclass
class Rewound:
    """A project of models whose tables were made by hand, and what each operation printed."""

    project: Project
    printed: dict[int, list[str]]


@pytest.fixture(scope="module")
def rewound(tmp_path_factory: pytest.TempPathFactory) -> Rewound:
    project = Project(tmp_path_factory.mktemp("rewound"), project=LESS_WRITING)
    for day in BEFORE:
        project.model(f"to_{day}", "select 'e' as k, '1' as v", PLAIN)
    project.model("other", "select 'e' as k, '1' as v", {**PLAIN, "type1_columns": ["phone"]})
    project.model("named", "select 1 as k", {**PLAIN, "unique_key": ["K 1", "k2"], **NAMED})
    for day in BEFORE:
        make_history(project, f"to_{day}")
    calls = [{"model": f"to_{day}", "to": jan(day), "confirm": True} for day in BEFORE]
    printed = operate_each(project, "rewind", calls)
    return Rewound(project, dict(zip(BEFORE, printed, strict=True)))


def make_history(project: Project, table: str, rows: Sequence[tuple[Any, ...]] = HISTORY) -> None:
    project.table(table, "k varchar, v varchar, valid_from date, valid_to date, is_current boolean", rows)


@pytest.mark.parametrize("day", BEFORE)
def test_a_history_is_what_it_was_just_before_the_date(rewound: Rewound, day: int) -> None:
    assert rewound.project.history(f"to_{day}") == sorted(BEFORE[day], key=repr)


def test_it_is_said_what_was_dropped_and_reopened(rewound: Rewound) -> None:
    assert rewound.printed[5] == [
        'scd2_master rewind: "warehouse"."main"."to_5" to 2026-01-05: 4 versions dropped, 2 reopened, 2 unchanged',
        "  dropped: a [2026-01-05, 2026-01-09), a [2026-01-09, 9999-12-31), c [2026-01-05, 9999-12-31), "
        "d [2026-01-07, 9999-12-31)",
        "  reopened: a [2026-01-01, 2026-01-05), b [2026-01-01, 2026-01-05)",
    ]
    assert rewound.printed[1] == [
        'scd2_master rewind: "warehouse"."main"."to_1" to 2026-01-01: 8 versions dropped, 0 reopened, 0 unchanged',
        "  dropped: a [2026-01-01, 2026-01-05), a [2026-01-05, 2026-01-09), a [2026-01-09, 9999-12-31), "
        "b [2026-01-01, 2026-01-05), c [2026-01-05, 9999-12-31) and 3 more",
        "  no version is left: the next run is a first one",
    ]


def test_nothing_is_done_where_no_boundary_is_on_or_after_the_date(rewound: Rewound) -> None:
    assert rewound.printed[10] == [
        'scd2_master rewind: nothing to do, "warehouse"."main"."to_10" has no boundary on or after 2026-01-10'
    ]


def test_without_confirm_it_is_said_what_would_be_done_and_nothing_is_written(rewound: Rewound) -> None:
    make_history(rewound.project, "other")
    run, printed = operate(rewound.project, "rewind", model="other", to="2026-01-09")
    assert run.success, run.log
    assert printed == [
        'scd2_master rewind: "warehouse"."main"."other" to 2026-01-09 would do this: 1 version dropped, 1 reopened, '
        "6 unchanged",
        "  dropped: a [2026-01-09, 9999-12-31)",
        "  reopened: a [2026-01-05, 2026-01-09)",
        "  type 1 columns (phone) keep their newest values",
        "  nothing is written: add confirm: true to do it",
    ]
    assert rewound.project.history("other") == HISTORY


def test_names_flags_and_instants_are_those_of_the_table(rewound: Rewound) -> None:
    project = rewound.project
    columns = '"k 1" varchar, k2 integer, v varchar, "Dim ""From""" timestamp, "TO" timestamp, "current" smallint'
    noon, later, end = datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 12, 0, 0, 1), datetime(9999, 12, 31)
    rows = [("a", 1, "1", noon, later, 0), ("a", 1, "2", later, end, 1), ("a", 2, "1", noon, end, 1)]
    project.table("named", columns, rows)
    run, printed = operate(project, "rewind", model="named", to="2026-01-01 12:00:00.000001", confirm=True)
    assert run.success, run.log
    assert project.history("named") == [("a", 1, "1", noon, end, 1), ("a", 2, "1", noon, end, 1)]
    assert printed[1:] == [
        "  dropped: (a, 1) [2026-01-01 12:00:00.000001, 9999-12-31 00:00:00)",
        "  reopened: (a, 1) [2026-01-01 12:00:00, 2026-01-01 12:00:00.000001)",
    ]


@pytest.mark.parametrize(
    ("slug", "arguments", "words"),
    [
        (
            "invalid_date",
            {"to": "2026-02-30", "confirm": "yes"},
            [
                "rewind of model.shop.other: to '2026-02-30' is not a real date",
                "confirm must be true or false, it is 'yes'",
            ],
        ),
        ("invalid_date", {"to": "2026-01-05 10:00:00"}, ["10:00:00' has a time, and validity_type is date"]),
        ("invalid_option", {"model": "to_55"}, ["there is no scd2_master model 'to_55'. Did you mean to_5"]),
        ("invalid_option", {"model": "named"}, ["model.shop.named has no table in the database"]),
    ],
)
def test_wrong_arguments_are_refused(rewound: Rewound, slug: str, arguments: dict[str, Any], words: list[str]) -> None:
    make_history(rewound.project, "other")
    rewound.project.execute("drop table if exists named")
    run, _ = operate(rewound.project, "rewind", **{"model": "other", "to": "2026-01-05", "confirm": True, **arguments})
    assert refused(run, slug, *words)
    assert rewound.project.history("other") == HISTORY


CORRUPT = {
    # both were open just before the 4th
    "overlap": [version("a", "1", 1, 5), version("a", "2", 3, 7)],
    "two open versions": [version("a", "1", 1), version("a", "2", 3), version("b", "1", 5)],
    "null in the key": [("x", "1", jan(1), jan(5), False), (None, "1", jan(1), MAX, True)],
}


@pytest.mark.parametrize("fault", CORRUPT)
def test_a_history_that_would_be_corrupt_is_left_as_it_is(rewound: Rewound, fault: str) -> None:
    make_history(rewound.project, "other", CORRUPT[fault])
    before = rewound.project.history("other")
    run, _ = operate(rewound.project, "rewind", model="other", to="2026-01-04", confirm=True)
    assert refused(run, "prior_corrupt", 'the history that "warehouse"."main"."other" would become')
    assert rewound.project.history("other") == before


def test_another_sentinel_and_a_table_that_is_no_history_are_refused(rewound: Rewound) -> None:
    early = [("a", "1", jan(1), jan(31), True), ("b", "1", jan(2), jan(31), True)]
    make_history(rewound.project, "other", early)
    run, _ = operate(rewound.project, "rewind", model="other", to="2026-01-02", confirm=True)
    assert refused(run, "prior_max_date_mismatch", "do not end at max_date 9999-12-31: 2026-01-31 (1 row)")
    assert rewound.project.history("other") == early
    rewound.project.table("other", "k varchar, valid_from date, valid_to date", [("a", jan(1), MAX)])
    run, _ = operate(rewound.project, "rewind", model="other", to="2026-01-02", confirm=True)
    assert refused(run, "prior_not_scd2", "is_current is missing")


# --- random histories ---------------------------------------------------------------------------------------------

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0")) or 1
ROUNDS = 3

RICH = {**HASHED, **COALESCES}
TYPES: dict[str, Any] = {"keys": NUMBERS, "tracked": (COIN,), "type0": (COUNT,), "type1": (WORD,)}
INSTANTS: dict[str, Any] = {"keys": PAIRS, "tracked": (COIN, WORD), "axis": STAMPS, "date_type": "timestamp"}
STAMPED = {**TIMESTAMP, **RENAMED, **INTEGER_FLAG, **HASHED}
REBUILD, MERGE = {"strategies": ("rebuild",)}, {"strategies": ("merge",)}
SLOTS = [
    Slot("days_of_types", config={**ABSENCE, **RICH}, **TYPES, **MERGE),
    Slot("days_begun", config={**ABSENCE, **RICH, "initial_valid_from": "2025-12-01"}, **TYPES, **REBUILD),
    Slot("stamps", config={**ABSENCE, **STAMPED, **COALESCES}, **INSTANTS, **MERGE),
    Slot("series", config={**SERIES, **ABSENCE, **STAMPED}, **INSTANTS, **REBUILD),
    Slot("log_of_stamps", config={**DELETIONS, **STAMPED, **COALESCES}, **INSTANTS, **MERGE),
]


@dataclass(frozen=True)
class Past:
    """Rounds in the order of their dates, and the date to rewind to."""

    rounds: list[Round]
    to: Moment

    def until(self) -> list[Round]:
        return [this for this in self.rounds if self._begins(this) < self.to]

    def since(self) -> list[Round]:
        return [this for this in self.rounds if self._begins(this) >= self.to]

    @staticmethod
    def _begins(this: Round) -> Moment:
        return min(row.effective_date for row in this.rows if row.effective_date)


@st.composite
def pasts(draw: st.DrawFn, slot: Slot) -> Past:
    """Snapshots, sometimes two of one date, stacks of two, or rows of a log; rewound to a date of theirs or between."""
    choose = Chooser(draw, slot.name)
    data = MasterData(slot, choose)
    rounds: list[Round] = []
    at, begins = 0, []
    for _ in range(ROUNDS):
        at += choose.pick([1, 1, 2]) if slot.input_kind != "snapshot" or not rounds else choose.pick([0, 1, 1, 2])
        begins.append(at)
        rows = _snapshot(slot, data, at)
        if slot.input_kind == "snapshot_series":
            at += choose.pick([1, 2])
            rows += _snapshot(slot, data, at)
        elif slot.input_kind == "change_log":
            rows = [_change(slot, choose, row, at) for row in rows if choose.pick([True, True, False])] or rows
            at += 2
        rounds.append(Round(tuple(rows)))
    between = [begin - 1 for begin in begins[1:]] if slot.input_kind == "snapshot" else []
    return Past(rounds, slot.axis[choose.pick([*begins[1:], *between])])


def _snapshot(slot: Slot, data: MasterData, at: int) -> list[Row]:
    data.move_on()
    return [slot.finished(row, slot.axis[at]) for row in data.snapshot() or [data.row(slot.keys.values[0])]]


def _change(slot: Slot, choose: Chooser, row: Row, at: int) -> Row:
    """A row of the log, on one of the three dates of its round."""
    changed = replace(row, carried=row.carried[: len(slot.carried)], deleted=choose.pick([False, False, True]))
    return slot.finished(changed, slot.axis[at + choose.pick([0, 1, 2])])


def without_type1(table: Table) -> Table:
    """The table without type 1 columns, which keep their newest values."""
    kept = [at for at, name in enumerate(table[0]) if not (name[0] == "y" and name[1:].isdigit())]
    return [tuple(row[at] for at in kept) for row in table]


def test_a_rewound_history_is_the_earlier_one_and_the_replay_gives_the_later_one(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    player = Player(Project(tmp_path_factory.mktemp("replayed"), project=LESS_WRITING), SLOTS)
    # the macro that each batch is rewound by, so that the project is parsed once
    operate_each(player.project, "rewind", [])

    def held(drawn: dict[str, Past]) -> None:
        earlier = player.tell({name: past.until() for name, past in drawn.items()})
        later = player.tell_on({name: past.since() for name, past in drawn.items()})
        calls = [
            {"model": model, "to": drawn[slot.name].to, "confirm": True} for slot in SLOTS for model in slot.models
        ]
        operate_each(player.project, "rewind", calls)
        rewound = player.told(drawn)
        replayed = player.tell_on({name: past.since() for name, past in drawn.items()})
        for name, past in drawn.items():
            was, now = (without_type1(table) for table in (earlier.get(name, later[name][:1]), rewound[name]))
            if name != "days_begun" or past.until():
                assert ordered(now) == ordered(was), f"{name} to {past.to}: {past.rounds}"
            assert ordered(replayed[name]) == ordered(later[name]), f"{name} again from {past.to}: {past.rounds}"

    strategy = st.fixed_dictionaries({slot.name: pasts(slot) for slot in SLOTS})
    given_batches(strategy, held, EXAMPLES, fixed=EXAMPLES == 1)
