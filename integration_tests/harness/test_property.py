"""Random sequences of snapshots: after every run the whole table equals the oracle's, refused runs included.

A batch is one sequence of rounds for each of the SLOTS. Each is played under both strategies, whose tables are thereby
compared with each other, too. SCD2_EXAMPLES=50 plays that many fresh batches instead of the few fixed ones.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import strategies as st
from oracle import Key, Moment, Row, Values
from project import Project
from sequences import (
    ABSENCE,
    AMOUNT,
    BOTH,
    COALESCES,
    COIN,
    COUNT,
    DAY,
    DAYS,
    FLAG,
    HASHED,
    INSTANT,
    INTEGER_FLAG,
    LESS_WRITING,
    MIDNIGHTS,
    NUMBER,
    NUMBERS,
    PAIRS,
    RENAMED,
    STAMPS,
    SWITCHING,
    TEXT,
    TIMESTAMP,
    TRIPLES,
    WORD,
    Batch,
    Chooser,
    MasterData,
    Player,
    Round,
    Slot,
    null_key,
)

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
FIXED_EXAMPLES = 2
ROUNDS = 6
TOKEN_ROUNDS = 4

SWITCHED = (*BOTH, SWITCHING)

SLOTS = (
    Slot("single_absence", config=ABSENCE),
    Slot("pair", PAIRS, tracked=(TEXT, WORD), config={**HASHED, "on_schema_change": "fail"}),
    Slot(
        "triple_absence",
        TRIPLES,
        tracked=(FLAG, DAY),
        carried=(TEXT, NUMBER),
        config={
            **ABSENCE,
            **HASHED,
            "unique_key": ["K3", "K1", "K2"],
            "tracked_columns": ["T2", "T1"],
            "prior_relation": "the own table",
        },
    ),
    Slot(
        "half_may_close",
        NUMBERS,
        config={**ABSENCE, **RENAMED, **INTEGER_FLAG, "max_date": "2999-12-31", "max_closed_fraction": 0.5},
        meta=True,
    ),
    Slot(
        "none_may_close",
        tracked=(COUNT,),
        config={**ABSENCE, "max_closed_fraction": 0, "allow_empty_source": True},
        date_column="valid_from",
    ),
    Slot("timestamp", PAIRS, (AMOUNT, INSTANT), config={**TIMESTAMP, **HASHED}, axis=STAMPS, date_type="timestamp"),
    Slot(
        "dates_as_timestamp",
        PAIRS,
        carried=(COUNT, TEXT),
        config={**TIMESTAMP, **ABSENCE, "tracked_columns": "all", "carried_columns": ["c1", "c2"]},
        axis=MIDNIGHTS,
        as_stored=lambda moment: moment.date(),
    ),
    Slot(
        "timestamps_as_date",
        config={**RENAMED, **ABSENCE},
        date_column="dim_end",
        date_type="timestamp",
        as_stored=lambda moment: datetime(moment.year, moment.month, moment.day),
    ),
    Slot("literal", config={**ABSENCE, "allow_empty_source": True}, date_from="literal", strategies=SWITCHED),
    Slot("type_1", tracked=(TEXT,), carried=(), type1=(TEXT, NUMBER), config={**ABSENCE, "tracked_columns": "all"}),
    Slot("coalesces", NUMBERS, tracked=(COIN, COIN), config={**ABSENCE, **COALESCES, **HASHED}),
    Slot(
        "types",
        PAIRS,
        tracked=(COIN,),
        type0=(COUNT, WORD),
        type1=(COUNT,),
        config={**TIMESTAMP, **ABSENCE, **COALESCES, **HASHED, **RENAMED, **INTEGER_FLAG},
        strategies=SWITCHED,
        axis=STAMPS,
        date_type="timestamp",
    ),
    Slot(
        "begun_earlier",
        TRIPLES,
        tracked=(TEXT,),
        type0=(TEXT,),
        config={**ABSENCE, **HASHED, "initial_valid_from": str(DAYS[2])},
    ),
)
TOKEN_SLOTS = (
    Slot("token", PAIRS, config={**ABSENCE, "allow_empty_source": True}, date_from="token"),
    Slot(
        "token_timestamp",
        config={**TIMESTAMP, **ABSENCE, "max_closed_fraction": 0.5},
        axis=STAMPS,
        date_from="token",
        meta=True,
    ),
)

# --- sequences of rounds ------------------------------------------------------------------------------------------

FAULTS = ["empty", "duplicate", "null key", "null key", "null date", "two dates", "late date"]
ROUND_KINDS = ["plain"] * 15 + ["quiet"] * 3 + ["again"] * 5 + FAULTS
MOVES = [1] * 6 + [2, 3] + [0] * 5 + [-1] * 2 + [-2] * 2 + [-3]


@st.composite
def snapshots(draw: st.DrawFn, slot: Slot) -> list[Round]:
    """Rounds of one slot. The source lives on from round to round, whether its run was refused or not."""
    choose = Chooser(draw, slot.name)
    data = MasterData(slot, choose)
    latest = 3
    rounds: list[Round] = []
    for number in range(TOKEN_ROUNDS if slot.date_from == "token" else ROUNDS):
        kind = choose.pick(ROUND_KINDS)
        if kind == "again" and rounds:
            rounds.append(replace(rounds[-1], again=True))
            continue
        at = min(max(latest + choose.pick(MOVES), 0), len(slot.axis) - 1)
        latest = max(latest, at)
        if number and kind != "quiet":
            data.move_on()
        rounds.append(_finished(slot, kind, data.snapshot(), slot.axis[at], choose))
    return rounds


def _finished(slot: Slot, kind: str, rows: list[Row], at: Moment, choose: Chooser) -> Round:
    """The round with its fault, if it has one, and with the date where the model looks for it."""
    pick = choose.pick
    if kind == "empty":
        rows = []
    if kind == "null key":
        rows = [*rows, null_key(slot, choose)]
    if kind == "duplicate" and rows:
        repeated = pick(rows)
        rows = [*rows, pick([repeated, replace(repeated, tracked=pick(rows).tracked)])]
    if kind == "late date":
        at = slot.options.max_date
    dates: list[Moment | None] = [at] * len(rows)
    if kind == "null date" and rows:
        dates[pick(range(len(rows)))] = None
    if kind == "two dates" and rows:
        dates[pick(range(len(rows)))] = pick(slot.axis)
    finished = tuple(slot.finished(row, moment) for row, moment in zip(rows, dates, strict=True))
    return Round(finished, None if slot.date_from == "column" else at)


def _dated_round(at: Moment, *rows: tuple[Values, ...]) -> Round:
    """A round written by hand, each row as key, tracked, carried, type 0, type 1; the date is carried, too."""
    return Round(tuple(_row(at, *row) for row in rows))


def _midnight_round(at: int, *rows: tuple[Values, ...]) -> Round:
    """The same where the source has dates and the history timestamps."""
    return Round(tuple(Row(key, tracked, (*carried, DAYS[at]), MIDNIGHTS[at]) for key, tracked, carried in rows))


def _row(at: Moment, key: Key, tracked: Values, carried: Values, type0: Values = (), type1: Values = ()) -> Row:
    return Row(key, tracked, (*carried, at), at, type0, type1)


# Sequences worth playing every time, {slot: [Round, ...]}: written by hand, or as a failure prints them.
REPLAYS: list[Batch] = [
    {
        # A key removed on its first day is new again, even earlier; on its second start it keeps its first version.
        "single_absence": [
            _dated_round(DAYS[5], (("k",), ("a", None), (1,)), (("K",), ("a", None), (1,))),
            _dated_round(DAYS[5], (("K",), ("a", None), (0,))),
            _dated_round(DAYS[3], (("k",), ("A", None), (0,)), (("K",), ("a", None), (0,))),
            _dated_round(DAYS[7], (("k",), ("A", None), (0,))),
            _dated_round(DAYS[7], (("k",), ("A", None), (0,)), (("K",), ("a", None), (1,))),
            _dated_round(DAYS[7], (("k",), ("A", None), (0,))),
            _dated_round(DAYS[6], (("k",), ("A", None), (0,)), (("K",), ("a", None), (1,))),
        ],
        # Every neighbour is one that a careless comparison takes for equal.
        "pair": [
            _dated_round(DAYS[n], (("a", ""), (text, None), (n,)), (("A", ""), (None, text), (n,)))
            for n, text in enumerate(("a", "A", "a ", "", None, ""))
        ]
        + [_dated_round(DAYS[2], (("A", ""), (None, ""), (1,)))],
        # One of one open version would go, however many rows the source has; one of three may.
        "half_may_close": [
            _dated_round(DAYS[1], ((-1,), ("a", None), (1,))),
            _dated_round(DAYS[2], ((0,), ("a", None), (1,)), ((1,), ("a", None), (1,))),
            _dated_round(DAYS[3], *(((n,), ("a", None), (1,)) for n in (-1, 0, 1))),
            _dated_round(DAYS[4], *(((n,), ("a", None), (1,)) for n in (0, 1))),
            _dated_round(DAYS[5], ((10,), ("a", None), (1,))),
        ],
        # A null in the second part alone; keys that read the same when they are run together.
        "dates_as_timestamp": [
            _midnight_round(1, (("a", None), ("a", None), (1, ""))),
            _midnight_round(2, (("a|b", "c"), ("a", None), (1, "")), (("a", "b|c"), ("A", None), (1, ""))),
            _midnight_round(3, (("a|b", "c"), ("a", None), (1, "")), (("a", "b|c"), ("a", None), (1, ""))),
        ],
        # Type 1 values reach closed versions, also those of a key that returns or is restated; null is a value.
        "type_1": [
            _dated_round(DAYS[1], (("k",), ("a",), (), (), ("a", None)), (("K",), ("a",), (), (), (None, None))),
            _dated_round(DAYS[2], (("k",), ("A",), (), (), ("a", None))),
            _dated_round(DAYS[3], (("k",), ("A",), (), (), (None, None)), (("K",), ("A",), (), (), ("", None))),
            _dated_round(DAYS[3], (("k",), ("",), (), (), ("A", None)), (("K",), ("a",), (), (), ("A", None))),
            _dated_round(DAYS[2], (("k",), ("",), (), (), ("A", None)), (("K",), ("a",), (), (), (None, None))),
            _dated_round(DAYS[3], (("k",), ("",), (), (), ("A", None)), (("K",), ("a",), (), (), (None, None))),
        ],
        # Reopened: when an absence is corrected, and by a restatement to what ended that day; each with its own values.
        "coalesces": [
            _dated_round(DAYS[1], ((0,), ("heads", None), (1,)), ((1,), ("heads", None), (1,))),
            _dated_round(DAYS[2], ((0,), (None, None), (0,))),
            _dated_round(DAYS[2], ((0,), ("heads", None), (None,)), ((1,), ("heads", None), (0,))),
            _dated_round(DAYS[3], ((0,), ("heads", "heads"), (0,)), ((1,), (None, None), (0,))),
            _dated_round(DAYS[4], ((0,), (None, "heads"), (0,)), ((1,), ("heads", None), (0,))),
            _dated_round(DAYS[4], ((0,), ("heads", "heads"), (1,)), ((1,), (None, "heads"), (1,))),
            _dated_round(DAYS[5], ((0,), ("heads", None), (1,)), ((1,), ("heads", None), (1,))),
        ],
        # Type 0: null is a value; the first version decides, its restatement renews it, a key without any starts anew.
        "types": [
            _dated_round(STAMPS[1], (("a", ""), ("heads",), (1,), (None, "a"), (1,))),
            _dated_round(
                STAMPS[2], (("a", ""), (None,), (1,), (1, "a"), (1,)), (("", "a"), (None,), (1,), (0, "-"), (1,))
            ),
            _dated_round(
                STAMPS[2], (("a", ""), (None,), (1,), (1, ""), (0,)), (("", "a"), ("heads",), (1,), (1, ""), (1,))
            ),
            _dated_round(STAMPS[2], (("a", ""), ("heads",), (0,), (1, ""), (1,))),
            _dated_round(
                STAMPS[3], (("a", ""), (None,), (1,), (0, ""), (1,)), (("", "a"), (None,), (1,), (None, ""), (1,))
            ),
            _dated_round(STAMPS[3], (("a", ""), (None,), (1,), (0, ""), (1,))),
            _dated_round(STAMPS[4], (("", "a"), (None,), (1,), (1, None), (0,))),
        ],
        # The first versions begin earlier, in an empty table, too; the same date again is then a change; a date that is
        # not later is refused.
        "begun_earlier": [
            Round(()),
            _dated_round(DAYS[2], ((1, DAYS[6], ""), ("a",), (1,), ("a",))),
            _dated_round(DAYS[4], ((1, DAYS[6], ""), ("a",), (1,), ("a",)), ((1, DAYS[6], "1"), ("a",), (1,), ("A",))),
            _dated_round(DAYS[4], ((1, DAYS[6], ""), ("A",), (0,), ("",)), ((11, DAYS[6], ""), ("A",), (0,), ("",))),
            _dated_round(DAYS[4], ((1, DAYS[6], ""), ("",), (0,), ("",))),
            _dated_round(DAYS[5], ((11, DAYS[6], ""), ("A",), (0,), ("A",)), ((1, DAYS[6], "1"), ("A",), (0,), ("",))),
        ],
    },
]

# Every row of the decision table and every guard that a sequence can run into.
SITUATIONS = {
    "no p, s: opened",
    "no p, s, closed versions: opened",
    "no p, s, closed versions: out_of_order",
    "no p, s, closed versions: reopened",
    "p, s: unchanged",
    "p, s: unchanged, before its start",
    "p, s: changed",
    "p, s: restated",
    "p, s: reopened",
    "p, s: out_of_order",
    "p, no s: unchanged",
    "p, no s: unchanged, before its start",
    "p, no s: closed",
    "p, no s: removed",
    "p, no s: out_of_order",
    "type 0 differs: opened",
    "type 0 differs: changed",
    "type 0 differs: restated",
    "type 0 differs: restated the only one",
    "type 1 differs alone: unchanged",
    "type 1 differs alone: out_of_order",
    "type 1 differs: opened",
    "type 1 differs: changed",
    "type 1 differs: restated",
    "type 1 differs: reopened",
    "type 1 on closed versions",
    "begun earlier",
    "null and a value",
    "null and empty",
    "case alone",
    "trailing blanks alone",
    "repeated",
    "null_key",
    "duplicate_key",
    "effective_date_null",
    "effective_date_not_uniform",
    "effective_date_not_before_max_date",
    "invalid_option",
    "out_of_order",
    "empty_source",
    "too_many_closed",
}


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return Player(Project(tmp_path_factory.mktemp("sequences"), project=LESS_WRITING), SLOTS)


@pytest.fixture(scope="module")
def token_player(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return Player(Project(tmp_path_factory.mktemp("tokens"), project=LESS_WRITING), TOKEN_SLOTS)


def test_every_run_of_a_random_sequence_gives_the_table_of_the_oracle(player: Player) -> None:
    player.play_random_batches(snapshots, EXAMPLES or FIXED_EXAMPLES, fixed=not EXAMPLES)
    if not EXAMPLES:
        kept = sum(map(player.situations, REPLAYS), Counter())
        assert not SITUATIONS - (player.seen + kept).keys(), "the sequences are too tame"


# dbt parses the whole project again for every new value of a variable, so there is little of this.
@pytest.mark.skipif(not EXAMPLES, reason="a part of `make test-all`")
def test_every_run_with_a_token_for_the_date_gives_the_table_of_the_oracle(token_player: Player) -> None:
    token_player.play_random_batches(snapshots, max(EXAMPLES // 10, 1), fixed=False)


@pytest.mark.parametrize("batch", REPLAYS)
def test_every_run_of_a_kept_sequence_gives_the_table_of_the_oracle(player: Player, batch: Batch) -> None:
    player.play(batch)
