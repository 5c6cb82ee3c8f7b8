"""Random series of snapshots and change logs: after every run the whole table equals the oracle's, refused runs too.

Like test_property.py, with rows that bring their dates. The laws at the end compare the package with itself: a series
with its snapshots run one by one, a change log with any split of it and with reading it again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import strategies as st
from oracle import Done, Key, Moment, Row, Version, by_key, last_boundary
from project import Project
from sequences import (
    ABSENCE,
    AMOUNT,
    BOTH,
    COALESCES,
    COIN,
    COUNT,
    DAYS,
    DELETIONS,
    HASHED,
    INSTANT,
    INTEGER_FLAG,
    LESS_WRITING,
    LOG,
    NUMBERS,
    PAIRS,
    RENAMED,
    SERIES,
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
    given_batches,
    null_key,
    ordered,
)

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
FIXED_EXAMPLES = 2
ROUNDS = 5
LAW_EXAMPLES = 1


SLOTS = (
    Slot("series", config={**SERIES, **ABSENCE}),
    Slot(
        "series_timestamp",
        PAIRS,
        (AMOUNT, INSTANT),
        config={**SERIES, **TIMESTAMP, **HASHED, **RENAMED, **INTEGER_FLAG},
        axis=STAMPS,
        date_type="timestamp",
    ),
    Slot(
        "series_types",
        NUMBERS,
        tracked=(COIN,),
        type0=(COUNT,),
        type1=(WORD,),
        config={
            **(SERIES | ABSENCE | COALESCES | HASHED),
            "max_closed_fraction": 0.75,
            "initial_valid_from": "2025-12-20",
        },
        date_column="valid_to",
    ),
    Slot("log", config={**DELETIONS, **HASHED}),
    Slot(
        "log_without_deletions",
        PAIRS,
        (TEXT, TEXT),
        config={**LOG, "tracked_columns": "all", "carried_columns": ["c1"]},
    ),
    Slot(
        "log_types",
        PAIRS,
        tracked=(COIN,),
        type0=(COUNT,),
        type1=(TEXT, COUNT),
        config={**DELETIONS, **TIMESTAMP, **COALESCES, **HASHED, **RENAMED, **INTEGER_FLAG},
        strategies=(*BOTH, SWITCHING),
        axis=STAMPS,
        date_type="timestamp",
    ),
    Slot(
        "log_limited",
        TRIPLES,
        config={**DELETIONS, "max_closed_fraction": 0.5},
        date_type="timestamp",
        as_stored=lambda moment: datetime(moment.year, moment.month, moment.day),
    ),
)

# --- sequences of rounds ------------------------------------------------------------------------------------------

FAULTS = ["empty", "duplicate", "null key", "null date", "late date"]
ROUND_KINDS = ["new"] * 9 + ["stacked"] * 6 + ["again"] * 3 + ["contradicting"] * 2 + FAULTS
STEPS = [1] * 8 + [2] * 2 + [0] * 4
CHANGES = ["new"] * 6 + ["same"] * 3 + ["back"] * 3

Rows = dict[tuple[Key, Moment], Row]  # the rows of one source, without their dates


@st.composite
def dated_rounds(draw: st.DrawFn, slot: Slot) -> list[Round]:
    """Rounds of one slot: what is new, or all that has gone through so far with it."""
    choose = Chooser(draw, slot.name)
    source = Source(slot, choose)
    rounds: list[Round] = []
    for _ in range(ROUNDS):
        kind = choose.pick(ROUND_KINDS)
        rounds.append(replace(rounds[-1], again=True) if kind == "again" and rounds else source.next_round(kind))
        source.went(rounds[-1])
    return rounds


class Source:
    """What the source of one slot holds from run to run. It knows which rows went through."""

    def __init__(self, slot: Slot, choose: Chooser):
        self._slot, self._choose = slot, choose
        self._data = MasterData(slot, choose)
        self._history: list[Version] = []
        self._accepted: Rows = {}
        self._rows: Rows = {}

    def next_round(self, kind: str) -> Round:
        news = self._snapshots() if self._slot.input_kind == "snapshot_series" else self._changes()
        if kind == "contradicting":
            news |= self._contradiction()
        self._rows = {} if kind == "empty" else self._stacked(news) if kind == "stacked" else news
        rows: list[tuple[Row, Moment | None]] = [(row, moment) for (_, moment), row in self._rows.items()]
        rows = self._with_fault(kind, rows)
        return Round(tuple(self._slot.finished(row, moment) for row, moment in rows))

    def went(self, this: Round) -> None:
        outcome = self._slot.expect(self._history, this)
        if isinstance(outcome, Done):
            self._history = outcome.history
            self._accepted = self._stacked(self._rows)

    def _stacked(self, news: Rows) -> Rows:
        """All that went through and the news; a new snapshot takes the place of the one of its date as a whole."""
        replaced = {moment for _, moment in news} if self._slot.input_kind == "snapshot_series" else set()
        return {at: row for at, row in self._accepted.items() if at[1] not in replaced} | news

    def _snapshots(self) -> Rows:
        at = max((self._slot.axis.index(moment) for _, moment in self._accepted), default=2)
        snapshots: Rows = {}
        for _ in range(self._choose.pick([1, 2, 2, 3])):
            at += self._choose.pick([1, 1, 2, 0] if snapshots else [1, 1, 1, 2, 0, 0, -1, -2])
            moment = self._slot.axis[min(max(at, 0), len(self._slot.axis) - 1)]
            if self._history or snapshots:
                self._data.move_on()
            snapshots = {key: row for key, row in snapshots.items() if key[1] != moment}
            snapshots |= {(row.key, moment): row for row in self._data.snapshot()}
        return snapshots

    def _changes(self) -> Rows:
        axis, pick = self._slot.axis, self._choose.pick
        ends = {key: last_boundary(versions) for key, versions in by_key(self._history).items()}
        changes: Rows = {}
        for key in self._slot.keys.values:
            seen = {moment: row for (other, moment), row in self._accepted.items() if other == key}
            last = max(seen, default=axis[1])
            # Unchanged rows leave no boundary: what comes after it is applied even where it is not the newest row.
            at = axis.index(pick([last, last, last, ends.get(key, last)]) if last in axis else axis[1])
            said = [row for _, row in sorted(seen.items()) if not row.deleted]
            for _ in range(pick([0, 0, 1, 1, 2, 3])):
                at = min(at + pick(STEPS), len(axis) - 1)
                changes[key, axis[at]] = self._change(key, said)
                said = [*said, changes[key, axis[at]]]
        return changes

    def _change(self, key: Key, said: Sequence[Row] = ()) -> Row:
        """What happens to a key of which something has been said already."""
        row, pick = self._data.row(key), self._choose.pick
        match pick([*CHANGES, *(["deletion"] * 4 if self._slot.has_deletions else [])]):
            case "same" if said:
                return replace(row, tracked=said[-1].tracked)
            case "back" if said:
                return replace(row, tracked=pick(said).tracked)
            case "deletion":
                nothing = replace(row, tracked=(None,) * len(row.tracked), type1=(None,) * len(row.type1))
                return replace(pick([row, nothing]), deleted=True)
        return row

    def _contradiction(self) -> Rows:
        """Any row before the last boundary of any key."""
        early = [(v.key, m) for v in self._history for m in self._slot.axis if m < last_boundary([v])]
        if not early:
            return {}
        key, moment = self._choose.pick(early)
        return {(key, moment): self._change(key)}

    def _with_fault(self, kind: str, rows: list[tuple[Row, Moment | None]]) -> list[tuple[Row, Moment | None]]:
        pick = self._choose.pick
        row, moment = pick(rows) if rows else (self._data.row(self._slot.keys.values[0]), self._slot.axis[0])
        match kind:
            case "duplicate":
                return [*rows, (row, moment), (pick([row, self._change(row.key)]), moment)][-len(rows) - 1 :]
            case "null key":
                return [*rows, (null_key(self._slot, self._choose), moment)]
            case "null date":
                return [*rows, (row, None)]
            case "late date":
                return [*rows, (row, self._slot.options.max_date)]
        return rows


def _told(slot: str, *rows: tuple[Any, ...]) -> Round:
    """A round written by hand: each row as date, key, tracked, and where they matter carried, type 0, type 1.

    Without tracked values it is a deletion.
    """
    [played] = [other for other in SLOTS if other.name == slot]
    return Round(tuple(played.finished(_row(played, *row), row[0]) for row in rows))


def _row(
    slot: Slot,
    _moment: Moment,
    key: Any,
    tracked: tuple[Any, ...] | None = None,
    carried: tuple[Any, ...] = (0,),
    type0: tuple[Any, ...] = (),
    type1: tuple[Any, ...] = (),
) -> Row:
    nothing = (None,) * len(slot.tracked)
    keys = key if isinstance(key, tuple) else (key,)
    return Row(
        keys,
        nothing if tracked is None else tracked,
        carried,
        None,
        type0 or (None,) * len(slot.type0),
        type1 or (None,) * len(slot.type1),
        tracked is None,
    )


A, B = ("a", None), ("b", None)
T, U = ("heads",), (None,)
K = ("a", "")

# Sequences worth playing every time, {slot: [Round, ...]}: written by hand, or as a failure prints them.
REPLAYS: list[Batch] = [
    {
        # A value repeated, a deletion and a return; then as a whole again, and what it says of a time long past.
        "log": [
            _told("log", (DAYS[2], "k", A), (DAYS[3], "k", A), (DAYS[4], "k"), (DAYS[9], "k", B), (DAYS[9], "K", A)),
            _told("log", (DAYS[2], "k", A), (DAYS[3], "k", A), (DAYS[4], "k"), (DAYS[9], "k", B), (DAYS[9], "K", A)),
            _told("log", (DAYS[1], "k"), (DAYS[4], "k"), (DAYS[6], "k"), (DAYS[3], "k", A), (DAYS[5], "K")),
            _told("log", (DAYS[6], "k", B), (DAYS[10], "K", B)),
            _told("log", (DAYS[3], "k"), (DAYS[10], "K", B)),
            _told("log", (DAYS[9], "k"), (DAYS[9], "K"), (DAYS[10], "K", A), (DAYS[11], "K", B)),
            _told("log", (DAYS[12], "K", A), (DAYS[13], "K", B), (DAYS[14], "K", A), (None, "k", A)),
        ],
        # Corrections: a deletion and a change that were none reopen, up to the next change of the batch.
        "log_types": [
            _told("log_types", (STAMPS[1], K, T, (1,), (1,), ("a", 1)), (STAMPS[3], K), (STAMPS[1], ("", "a"), U)),
            _told("log_types", (STAMPS[3], K, T, (0,), (0,), ("A", 1)), (STAMPS[5], K, U, (0,), (0,), ("", 0))),
            _told("log_types", (STAMPS[5], K, T, (None,)), (STAMPS[6], K), (STAMPS[1], ("", "a"), T, (0,), (1,))),
            _told("log_types", (STAMPS[1], ("", "a")), (STAMPS[2], ("", "a"), T, (0,), (0,)), (STAMPS[6], K, T, (1,))),
            _told("log_types", (STAMPS[7], K, U, (0,), (1,), ("a", 0)), (STAMPS[8], K, U, (1,), (0,), (None, 1))),
        ],
        # An earlier start than the recorded one is refused, whatever it says; a null in the second part of a key.
        "log_without_deletions": [
            _told("log_without_deletions", (DAYS[3], K, A), (DAYS[5], K, A), (DAYS[4], ("a|b", "c"), B)),
            _told("log_without_deletions", (DAYS[2], K, A), (DAYS[4], ("a", "b|c"), B)),
            _told("log_without_deletions", (DAYS[4], K, B), (DAYS[4], ("a", None), B)),
            _told("log_without_deletions", (DAYS[4], K, B), (DAYS[4], ("a", "b|c"), B)),
        ],
        # One of two open versions may go in a run, whatever happens to the key in between, and no more.
        "log_limited": [
            _told("log_limited", *((DAYS[1], key, A) for key in TRIPLES.values[:2])),
            _told("log_limited", *((DAYS[2], key) for key in TRIPLES.values[:2]), (DAYS[2], TRIPLES.values[2], A)),
            _told("log_limited", *((DAYS[2], key) for key in TRIPLES.values[:2]), (DAYS[3], TRIPLES.values[0], A)),
            _told("log_limited", (DAYS[4], TRIPLES.values[1], A), (DAYS[4], TRIPLES.values[1])),
        ],
        # Absent where another key still stands; then a stack whose old dates are skipped though they say otherwise.
        "series": [
            _told(
                "series",
                *((DAYS[n], "k", A if n < 3 else B) for n in range(1, 5)),
                *((DAYS[n], "K", A) for n in range(1, 6)),
            ),
            _told(
                "series", (DAYS[3], "k", A), (DAYS[4], "K", B), (DAYS[5], "K", A), (DAYS[6], "K", B), (DAYS[6], "k", B)
            ),
            _told("series", (DAYS[6], "K", B), (DAYS[7], "K", A)),
            _told("series", (DAYS[7], "k", A), (DAYS[8], None, A)),
        ],
        # Begins earlier; at the last date fewer stand than the limit allows, counted by what was open then.
        "series_types": [
            _told("series_types", *((DAYS[1], n, T) for n in (0, 1, 10)), *((DAYS[2], n, U) for n in (0, 1, -1))),
            _told("series_types", (DAYS[2], 0, T), (DAYS[3], 0, U), (DAYS[4], 1, U)),
            _told(
                "series_types", (DAYS[2], 0, T, (0,), (1,), ("é€",)), (DAYS[3], 0, U), (DAYS[3], 1, U), (DAYS[3], -1, U)
            ),
            _told("series_types", *((DAYS[n], 0, T) for n in (1, 2)), *((DAYS[4], m, U) for m in (0, 1))),
        ],
    },
]

SITUATIONS = {
    *(
        f"{kind}: {case}"
        for kind in ("snapshot_series", "change_log")
        for case in (
            *("opened", "changed", "restated", "closed", "removed", "unchanged", "reopened", "type 1 updated"),
            *("several dates", "repeated", "duplicate_key", "null_key", "effective_date_null", "too_many_closed"),
            "effective_date_not_before_max_date",
        )
    ),
    "snapshot_series: skipped",
    "change_log: out_of_order",
    "change_log: early row",
    "change_log: early deletion",
    "change_log: early row refused",
    "change_log: early deletion refused",
    "change_log: several versions of a key",
    "change_log: opened and closed",
}


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return Player(Project(tmp_path_factory.mktemp("dated"), project=LESS_WRITING), SLOTS)


def test_every_run_of_random_dated_rows_gives_the_table_of_the_oracle(player: Player) -> None:
    player.play_random_batches(dated_rounds, EXAMPLES or FIXED_EXAMPLES, fixed=not EXAMPLES)
    if not EXAMPLES:
        kept = sum(map(player.situations, REPLAYS), Counter())
        assert not SITUATIONS - (player.seen + kept).keys(), "the sequences are too tame"


@pytest.mark.parametrize("batch", REPLAYS)
def test_every_run_of_kept_dated_rows_gives_the_table_of_the_oracle(player: Player, batch: Batch) -> None:
    player.play(batch)


# --- laws that need no oracle -------------------------------------------------------------------------------------

# Each law tells the same in different runs, by different strategies, and compares the tables in the end.
RICH = {**HASHED, **COALESCES, "entity_name": "law"}
BEGUN = {**ABSENCE, **RICH, "initial_valid_from": "2025-12-01"}
STAMPED = {**TIMESTAMP, **RICH, **RENAMED, **INTEGER_FLAG}
DATES: dict[str, Any] = {"keys": NUMBERS, "tracked": (COIN,), "type0": (COUNT,), "type1": (WORD,)}
INSTANTS: dict[str, Any] = {"keys": PAIRS, "type1": (COUNT,), "axis": STAMPS, "date_type": "timestamp"}

SERIES_LAWS = {
    "dates": (
        Slot("days_one_by_one", config=BEGUN, strategies=("merge",), **DATES),
        Slot("days_whole", config={**SERIES, **BEGUN}, strategies=("rebuild",), **DATES),
        Slot("days_halves", config={**SERIES, **BEGUN}, strategies=("merge",), **DATES),
    ),
    "timestamps": (
        Slot("stamps_one_by_one", config=STAMPED, strategies=("rebuild",), **INSTANTS),
        Slot("stamps_whole", config={**SERIES, **STAMPED}, strategies=("merge",), **INSTANTS),
        Slot("stamps_halves", config={**SERIES, **STAMPED}, strategies=("rebuild",), **INSTANTS),
    ),
}
LOG_LAWS = {
    "dates": (
        Slot("log_whole", config={**DELETIONS, **RICH}, strategies=("rebuild",), **DATES),
        Slot("log_split", config={**DELETIONS, **RICH}, strategies=("merge",), **DATES),
        Slot("log_growing", config={**DELETIONS, **RICH}, strategies=("rebuild",), **DATES),
    ),
    "timestamps": (
        Slot("stamped_whole", config={**DELETIONS, **STAMPED}, strategies=("merge",), **INSTANTS),
        Slot("stamped_split", config={**DELETIONS, **STAMPED}, strategies=("rebuild",), **INSTANTS),
        Slot("stamped_growing", config={**DELETIONS, **STAMPED}, strategies=("merge",), **INSTANTS),
    ),
}
PARTS = 4


@st.composite
def stacked_snapshots(draw: st.DrawFn, slot: Slot) -> list[list[Row]]:
    """Successive snapshots, none without rows."""
    choose = Chooser(draw, slot.name)
    data = MasterData(slot, choose)
    snapshots: list[list[Row]] = []
    at = 0
    for _ in range(PARTS):
        at += choose.pick([1, 1, 2])
        data.move_on()
        rows = data.snapshot() or [data.row(slot.keys.values[0])]
        snapshots.append([slot.finished(row, slot.axis[at]) for row in rows])
    return snapshots


@st.composite
def split_log(draw: st.DrawFn, slot: Slot) -> list[list[Row]]:
    """A change log in parts: in each key's date order, and in no order otherwise."""
    choose = Chooser(draw, slot.name)
    data = MasterData(slot, choose)
    parts: list[list[Row]] = [[] for _ in range(PARTS)]
    for key in slot.keys.values:
        at, part = 0, 0
        for _ in range(choose.pick([1, 2, 3, 4, 5])):
            at, part = at + choose.pick([1, 1, 2]), min(part + choose.pick([0, 0, 1, 2]), PARTS - 1)
            row = replace(data.row(key), deleted=choose.pick([False, False, True]))
            parts[part].append(slot.finished(row, slot.axis[at]))
    return [draw(st.permutations(rows)) for rows in parts]


def _rounds(*runs: Sequence[list[Row]]) -> list[Round | None]:
    """What runs read, each some parts or nothing at all."""
    return [Round(tuple(row for part in parts for row in part)) if parts else None for parts in runs]


def _held(player: Player, laws: Mapping[str, tuple[Slot, ...]], batch: Mapping[str, Sequence[Round | None]]) -> None:
    tables = player.tell(batch)
    for slots in laws.values():
        first, *others = slots
        for other in others:
            assert len(tables[first.name]) > 1
            assert ordered(tables[other.name]) == ordered(tables[first.name]), (
                f"{other.name} is not {first.name}: {batch}"
            )


def _laws_player(tmp_path_factory: pytest.TempPathFactory, laws: Mapping[str, tuple[Slot, ...]]) -> Player:
    slots = [slot for group in laws.values() for slot in group]
    return Player(Project(tmp_path_factory.mktemp("laws"), project=LESS_WRITING), slots)


def test_a_series_equals_its_snapshots_run_one_by_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    player = _laws_player(tmp_path_factory, SERIES_LAWS)

    def held(drawn: Mapping[str, list[list[Row]]]) -> None:
        batch: dict[str, list[Round | None]] = {}
        for name, (one_by_one, whole, halves) in SERIES_LAWS.items():
            parts = drawn[name]
            batch[one_by_one.name] = _rounds(*([part] for part in parts))
            batch[whole.name] = _rounds((), (), (), parts)
            batch[halves.name] = _rounds((), parts[:2], (), parts)
        _held(player, SERIES_LAWS, batch)

    series = {name: stacked_snapshots(slots[0]) for name, slots in SERIES_LAWS.items()}
    given_batches(st.fixed_dictionaries(series), held, EXAMPLES or LAW_EXAMPLES, fixed=not EXAMPLES)


def test_a_change_log_equals_any_split_of_it_in_date_order_per_key_and_reading_it_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    player = _laws_player(tmp_path_factory, LOG_LAWS)

    def held(drawn: Mapping[str, list[list[Row]]]) -> None:
        batch: dict[str, list[Round | None]] = {}
        for name, (whole, split, growing) in LOG_LAWS.items():
            parts = drawn[name]
            batch[whole.name] = _rounds((), (), (), parts)
            batch[split.name] = _rounds(*([part] for part in parts))
            batch[growing.name] = _rounds(parts[:1], (), parts[:3], parts[::-1])
        _held(player, LOG_LAWS, batch)

    logs = {name: split_log(slots[0]) for name, slots in LOG_LAWS.items()}
    given_batches(st.fixed_dictionaries(logs), held, EXAMPLES or LAW_EXAMPLES, fixed=not EXAMPLES)
