"""Random sequences of runs: after every one the whole table equals the oracle's, refused runs included.

A batch is one sequence of rounds for each of the SLOTS, models that stay as they are; round n of all sequences is one
dbt invocation. SCD2_EXAMPLES=50 plays that many fresh batches instead of the few fixed ones. A failure prints the
sequence in a form that can be pasted into REPLAYS.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from oracle import Done, Moment, Options, Refused, Row, Version, by_key, decide, run_snapshot
from project import PROJECT, Project, Run

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
FIXED_EXAMPLES = 2
ROUNDS = 7
TOKEN_ROUNDS = 6

Table = list[tuple[Any, ...]]
INTERVAL = ("valid_from", "valid_to", "is_current")

# --- the models and the domains of their columns ------------------------------------------------------------------


@dataclass(frozen=True)
class Domain:
    """A column's type and the values that it takes."""

    type: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Keys:
    """The types of the key columns and the business keys that come and go."""

    types: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


TEXT = Domain("varchar", ("a", "A", "a ", "", None))
NUMBER = Domain("decimal(10,2)", (Decimal("1.10"), Decimal("1.11"), None))
COUNT = Domain("integer", (0, 1, None))
FLAG = Domain("boolean", (True, False, None))
DAY = Domain("date", (date(2026, 1, 1), date(9999, 12, 31), None))

WORDS = Keys(("varchar",), (("k",), ("K",), ("k ",), ("",)))
NUMBERS = Keys(("bigint",), ((-1,), (0,), (1,), (10,), (9223372036854775807,)))
PAIRS = Keys(("varchar", "varchar"), (("a|b", "c"), ("a", "b|c"), ("a", ""), ("", "a"), ("A", "")))
TRIPLES = Keys(
    ("integer", "date", "varchar"),
    ((1, date(2026, 1, 1), ""), (1, date(2026, 1, 1), "1"), (11, date(2026, 1, 1), ""), (1, date(2026, 1, 2), "")),
)

DAYS = tuple(date(2025, 12, 26) + timedelta(days=n) for n in range(16))
_STEPS = (timedelta(microseconds=1), timedelta(seconds=1), timedelta(hours=5), timedelta(days=1))
STAMPS = tuple(
    datetime(2025, 12, 31, 23, 59, 59, 999998) + (n // 4) * sum(_STEPS, timedelta()) + sum(_STEPS[: n % 4], timedelta())
    for n in range(16)
)
MIDNIGHTS = tuple(datetime(day.year, day.month, day.day) for day in DAYS)


@dataclass(frozen=True)
class Slot:
    """One model: what it is configured with, and what its source may hold.

    `date_from` says how the effective date reaches the model: as a source column, as a literal in its file, or as a
    token. The columns of the source are c1.., k1.., t1.. (carried, key, tracked), the date's among the carried ones.
    """

    name: str
    keys: Keys = WORDS
    tracked: tuple[Domain, ...] = (TEXT, NUMBER)
    carried: tuple[Domain, ...] = (COUNT,)
    config: Mapping[str, Any] = field(default_factory=dict)
    meta: bool = False
    axis: Sequence[Moment] = DAYS
    date_from: str = "column"
    date_column: str = "dated"
    date_type: str = "date"
    as_stored: Callable[[Any], Any] = lambda moment: moment

    @property
    def date_is_consumed(self) -> bool:
        names = self.config.get("scd2_column_names", {})
        return self.date_column in {names.get(name, name) for name in INTERVAL}

    @property
    def options(self) -> Options:
        """What the oracle has to know of the configuration."""
        max_date = date.fromisoformat(self.config.get("max_date", "9999-12-31"))
        known = ("close_on_absence", "allow_empty_source", "max_closed_fraction")
        return Options(
            max_date=datetime(max_date.year, max_date.month, max_date.day) if _is_timestamp(self) else max_date,
            date_from_rows=self.date_from == "column",
            **{name: self.config[name] for name in known if name in self.config},
        )

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The source's columns in their order: carried with the date, key, tracked, a consumed date."""
        dated = [(self.date_column, self.date_type)] if self.date_from == "column" else []
        return [
            *((f"c{n}", domain.type) for n, domain in enumerate(self.carried, 1)),
            *(dated if not self.date_is_consumed else []),
            *((f"k{n}", type_) for n, type_ in enumerate(self.keys.types, 1)),
            *((f"t{n}", domain.type) for n, domain in enumerate(self.tracked, 1)),
            *(dated if self.date_is_consumed else []),
        ]

    def source_values(self, row: Row) -> tuple[Any, ...]:
        stored = None if row.effective_date is None else self.as_stored(row.effective_date)
        consumed = (stored,) if self.date_from == "column" and self.date_is_consumed else ()
        return (*row.carried, *row.key, *row.tracked, *consumed)

    def table(self, history: Sequence[Version]) -> Table:
        """The table that says this: a first row with the column names, then a row per version."""
        intervals = [self.config.get("scd2_column_names", {}).get(name, name) for name in INTERVAL]
        header = (*(name for name, _ in self.columns if name not in intervals), *intervals)
        return [header, *map(self._table_row, history)]

    def _table_row(self, version: Version) -> tuple[Any, ...]:
        flag = int(version.is_current) if self.config.get("current_flag_type") == "integer" else version.is_current
        return (*version.carried, *version.key, *version.tracked, version.valid_from, version.valid_to, flag)

    def full_config(self, effective_date: Moment | None = None) -> dict[str, Any]:
        keys = [f"k{n}" for n in range(1, len(self.keys.types) + 1)]
        dated = {
            "column": {"effective_date_column": self.date_column},
            "literal": {"effective_date": str(effective_date)},
            "token": {"effective_date": f"{{{self.name}_date}}"},
        }
        return {
            "unique_key": keys if len(keys) > 1 else keys[0],
            "tracked_columns": [f"t{n}" for n in range(1, len(self.tracked) + 1)],
            **dated[self.date_from],
            **self.config,
        }


def _is_timestamp(slot: Slot) -> bool:
    return slot.config.get("validity_type") == "timestamp"


ABSENCE = {"close_on_absence": True}
TIMESTAMP = {"validity_type": "timestamp"}
RENAMED = {"scd2_column_names": {"valid_from": "dim_start", "valid_to": "dim_end", "is_current": "dim_flag"}}

SLOTS = (
    Slot("single"),
    Slot("single_absence", config=ABSENCE),
    Slot("pair", PAIRS, config={"on_schema_change": "fail"}),
    Slot("pair_absence", PAIRS, tracked=(TEXT, TEXT), config=ABSENCE),
    Slot("triple_absence", TRIPLES, tracked=(FLAG, DAY), carried=(TEXT, NUMBER), config=ABSENCE),
    Slot("half_may_close", NUMBERS, config={**ABSENCE, "max_closed_fraction": 0.5}),
    Slot("none_may_close", NUMBERS, tracked=(COUNT,), config={**ABSENCE, "max_closed_fraction": 0}),
    Slot("empty_needs_a_date", config={**ABSENCE, "allow_empty_source": True}),
    Slot("timestamp", PAIRS, config=TIMESTAMP, axis=STAMPS, date_type="timestamp"),
    Slot("timestamp_absence", config={**TIMESTAMP, **ABSENCE}, axis=STAMPS, date_type="timestamp"),
    Slot("dates_as_timestamp", config={**TIMESTAMP, **ABSENCE}, axis=MIDNIGHTS, as_stored=lambda moment: moment.date()),
    Slot(
        "timestamps_as_date",
        config=ABSENCE,
        date_type="timestamp",
        as_stored=lambda moment: datetime(moment.year, moment.month, moment.day),
    ),
    Slot("integer_flag", NUMBERS, config={"current_flag_type": "integer"}),
    Slot("renamed", PAIRS, config={**RENAMED, **ABSENCE, "current_flag_type": "integer"}),
    Slot("under_meta", PAIRS, config={**RENAMED, **ABSENCE, "max_date": "2999-12-31"}, meta=True),
    Slot("all_columns", tracked=(TEXT, COUNT), carried=(), config={"tracked_columns": "all"}),
    Slot(
        "all_but_carried",
        PAIRS,
        carried=(COUNT, TEXT),
        config={**ABSENCE, "tracked_columns": "all", "carried_columns": ["c1", "c2"]},
    ),
    Slot("consumed", tracked=(TEXT,), config=ABSENCE, date_column="valid_from"),
    Slot("consumed_renamed", PAIRS, config={**RENAMED, **ABSENCE}, date_column="dim_end"),
    Slot("own_prior", config={**ABSENCE, "prior_relation": "own_prior"}),
    Slot("other_case", tracked=(TEXT,), config={**ABSENCE, "unique_key": ["K1"], "tracked_columns": ["T1"]}),
    Slot("literal", PAIRS, tracked=(TEXT, TEXT), date_from="literal"),
    Slot("literal_absence", config={**ABSENCE, "allow_empty_source": True}, date_from="literal"),
    Slot(
        "literal_timestamp",
        config={**TIMESTAMP, **ABSENCE, "allow_empty_source": True, "max_closed_fraction": 0.5},
        axis=STAMPS,
        date_from="literal",
    ),
)
TOKEN_SLOTS = (
    Slot("token", PAIRS, config={**ABSENCE, "allow_empty_source": True}, date_from="token"),
    Slot("token_timestamp", config={**TIMESTAMP, **ABSENCE}, axis=STAMPS, date_from="token", meta=True),
)

# --- sequences of rounds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Round:
    """What one run of one model finds. `again`: the very inputs of the round before."""

    rows: tuple[Row, ...]
    effective_date: Moment | None = None
    again: bool = False


Batch = Mapping[str, Sequence[Round]]

FAULTS = ["empty", "duplicate", "null key", "null key", "null date", "two dates", "late date"]
ROUND_KINDS = ["plain"] * 15 + ["quiet"] * 3 + ["again"] * 5 + FAULTS
MOVES = [1] * 6 + [2, 3] + [0] * 5 + [-1] * 2 + [-2] * 2 + [-3]
ROW_EVENTS = ["keep"] * 5 + ["absent"] * 2 + ["new value"] * 4 + ["new values", "new carried"]


@st.composite
def sequences(draw: st.DrawFn, slot: Slot) -> list[Round]:
    """Rounds of one model. The source lives on from round to round, whether its run was refused or not."""
    # Hypothesis plays the first choice everywhere first: shuffled, that batch is as good as any other.
    shuffle = random.Random(slot.name)

    def pick(choices: Sequence[Any]) -> Any:
        return draw(st.sampled_from(shuffle.sample(list(choices), len(choices))))

    def values(domains: Sequence[Domain]) -> tuple[Any, ...]:
        return tuple(pick(domain.values) for domain in domains)

    latest = 3
    source: dict[tuple[Any, ...], tuple[tuple[Any, ...], tuple[Any, ...], bool]] = {
        key: (values(slot.tracked), values(slot.carried), pick([True, True, False])) for key in slot.keys.values
    }
    rounds: list[Round] = []
    for number in range(TOKEN_ROUNDS if slot.date_from == "token" else ROUNDS):
        kind = pick(ROUND_KINDS)
        if kind == "again" and rounds:
            rounds.append(Round(rounds[-1].rows, rounds[-1].effective_date, again=True))
            continue
        at = min(max(latest + pick(MOVES), 0), len(slot.axis) - 1)
        latest = max(latest, at)
        for key, (tracked, carried, present) in source.items() if number and kind != "quiet" else ():
            event = pick(ROW_EVENTS)
            if event == "new value":
                changed = pick(range(len(tracked)))
                tracked = (*tracked[:changed], pick(slot.tracked[changed].values), *tracked[changed + 1 :])
            elif event == "new values":
                tracked, carried = values(slot.tracked), values(slot.carried)
            elif event == "new carried":
                carried = values(slot.carried)
            source[key] = (tracked, carried, present if event == "keep" else event != "absent")
        rows = [Row(key, tracked, carried) for key, (tracked, carried, present) in source.items() if present]
        rounds.append(_finished(slot, kind, rows, slot.axis[at], pick))
    return rounds


def _finished(slot: Slot, kind: str, rows: list[Row], at: Moment, pick: Callable[[Sequence[Any]], Any]) -> Round:
    """The round with its fault, if it has one, and with the date where the model looks for it."""
    if kind == "empty":
        rows = []
    if kind == "null key":
        key = list(pick(slot.keys.values))
        key[pick(range(len(key)))] = None
        rows = [*rows, Row(tuple(key), tuple(domain.values[0] for domain in slot.tracked), (None,) * len(slot.carried))]
    if kind == "duplicate" and rows:
        repeated = pick(rows)
        rows = [*rows, pick([repeated, Row(repeated.key, pick(rows).tracked, repeated.carried)])]
    if kind == "late date":
        at = slot.options.max_date
    if slot.date_from != "column":
        return Round(tuple(rows), at)
    dates: list[Moment | None] = [at] * len(rows)
    if kind == "null date" and rows:
        dates[pick(range(len(rows)))] = None
    if kind == "two dates" and rows:
        dates[pick(range(len(rows)))] = pick(slot.axis)
    return Round(tuple(_dated(slot, row, moment) for row, moment in zip(rows, dates, strict=True)))


def _dated(slot: Slot, row: Row, moment: Moment | None) -> Row:
    """The row with its date, which is a carried column like any other unless it is consumed."""
    stored = () if slot.date_is_consumed else (None if moment is None else slot.as_stored(moment),)
    return replace(row, carried=(*row.carried, *stored), effective_date=moment)


def _dated_round(at: Moment, *rows: tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]) -> Round:
    """A round written by hand, each row as key, tracked, carried; the date is one of the carried columns."""
    return Round(tuple(Row(key, tracked, (*carried, at), at) for key, tracked, carried in rows))


# Sequences worth playing every time, {model: [Round, ...]}: written by hand, or as a failure prints them.
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
        "single": [
            _dated_round(DAYS[n], (("k",), (text, Decimal("1.10")), (n,)))
            for n, text in enumerate(("a", "A", "A ", "A", "", None, ""))
        ],
        # One of one open version would go, however many rows the source has; one of three may.
        "half_may_close": [
            _dated_round(DAYS[1], ((-1,), ("a", None), (1,))),
            _dated_round(DAYS[2], ((0,), ("a", None), (1,)), ((1,), ("a", None), (1,))),
            _dated_round(DAYS[3], *(((n,), ("a", None), (1,)) for n in (-1, 0, 1))),
            _dated_round(DAYS[4], *(((n,), ("a", None), (1,)) for n in (0, 1))),
            _dated_round(DAYS[5], ((10,), ("a", None), (1,))),
        ],
        # A null in the second part alone; keys that read the same when they are run together.
        "pair": [
            _dated_round(DAYS[1], (("a", None), ("a", None), (1,))),
            _dated_round(DAYS[2], (("a|b", "c"), ("a", None), (1,)), (("a", "b|c"), ("A", None), (1,))),
            _dated_round(DAYS[3], (("a|b", "c"), ("a", None), (1,)), (("a", "b|c"), ("a", None), (1,))),
        ],
    },
]

# --- playing them -------------------------------------------------------------------------------------------------

# Every row of the decision table and every guard that a sequence can run into.
SITUATIONS = {
    "no p, s: opened",
    "no p, s, closed versions: opened",
    "no p, s, closed versions: out_of_order",
    "p, s: unchanged",
    "p, s: unchanged, before its start",
    "p, s: changed",
    "p, s: restated",
    "p, s: out_of_order",
    "p, no s: unchanged",
    "p, no s: unchanged, before its start",
    "p, no s: closed",
    "p, no s: removed",
    "p, no s: out_of_order",
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
    "out_of_order",
    "empty_source",
    "too_many_closed",
}


class Player:
    """One project for all batches; tables are dropped in between, models stay."""

    def __init__(self, project: Project, slots: Sequence[Slot]):
        self.project = project
        self.slots = {slot.name: slot for slot in slots}
        self.seen: Counter[str] = Counter()
        for slot in slots:
            self._model(slot, slot.axis[0])

    def _model(self, slot: Slot, effective_date: Moment | None) -> None:
        columns = ", ".join(name for name, _ in slot.columns)
        sql = f"select {columns} from main.source_{slot.name}"
        self.project.model(slot.name, sql, slot.full_config(effective_date), meta=slot.meta)

    def play(self, batch: Batch) -> None:
        """All rounds of a batch, from no tables at all; raises with the sequences that went wrong."""
        with duckdb.connect(str(self.project.path)) as connection:
            for name in self.slots:
                connection.execute(f"drop table if exists {name}")
                connection.execute(f"drop table if exists source_{name}")
        histories: dict[str, list[Version]] = {name: [] for name in batch}
        before: dict[str, Table] = {}
        through: dict[str, bool] = {}
        for number in range(max(map(len, batch.values()))):
            current = {name: rounds[number] for name, rounds in batch.items() if number < len(rounds)}
            self._write_sources(current)
            run = self._run(current)
            after = self._tables(current)
            faults = []
            for name, this in current.items():
                slot = self.slots[name]
                outcome = run_snapshot(histories[name], this.rows, this.effective_date, slot.options)
                problems = _compare(slot, outcome, run, before.get(name), after.get(name))
                if this.again and through[name]:
                    problems += _changed_by_a_repeated_run(name, run, before[name], after.get(name))
                if problems:
                    told = _story(slot, batch[name][: number + 1], histories[name], outcome, run, after.get(name))
                    faults.append("\n".join([f"{name}, round {number + 1}: " + "; ".join(problems), *told]))
                self._count(slot, histories[name], this, outcome)
                through[name] = isinstance(outcome, Done)
                if isinstance(outcome, Done):
                    histories[name] = outcome.history
            leftovers = self._leftovers(before.keys() | after.keys())
            if leftovers:
                faults.append(f"round {number + 1}: relations that do not belong here: {leftovers}")
            if faults:
                raise AssertionError("\n\n".join([f"{len(faults)} of {len(current)} models went wrong", *faults[:4]]))
            before.update(after)

    def _write_sources(self, current: Mapping[str, Round]) -> None:
        with duckdb.connect(str(self.project.path)) as connection:
            for name, this in current.items():
                slot = self.slots[name]
                columns = ", ".join(f"{column} {type_}" for column, type_ in slot.columns)
                connection.execute(f"create or replace table source_{name} ({columns})")
                if this.rows:
                    marks = f"({', '.join('?' for _ in slot.columns)})"
                    connection.execute(
                        f"insert into source_{name} values {', '.join([marks] * len(this.rows))}",
                        [value for row in this.rows for value in slot.source_values(row)],
                    )
                if slot.date_from == "literal":
                    self._model(slot, this.effective_date)

    def _run(self, current: Mapping[str, Round]) -> Run:
        tokens = {
            f"{name}_date": str(this.effective_date)
            for name, this in current.items()
            if self.slots[name].date_from == "token"
        }
        return self.project.run(*current, vars=tokens)

    def _tables(self, current: Mapping[str, Round]) -> dict[str, Table]:
        """Every model's table that there is, in the form of `Slot.table`."""
        tables: dict[str, Table] = {}
        with duckdb.connect(str(self.project.path)) as connection:
            names = connection.execute("select table_name from information_schema.tables").fetchall()
            for name in current.keys() & {row[0] for row in names}:
                result = connection.execute(f"from {name}")
                tables[name] = [tuple(column[0] for column in result.description), *result.fetchall()]
        return tables

    def _leftovers(self, tables: Collection[str]) -> list[str]:
        expected = {f"main.source_{name}" for name in self.slots} | {f"main.{name}" for name in tables}
        return [name for name in self.project.relations() if name not in expected]

    def _count(self, slot: Slot, history: Sequence[Version], this: Round, outcome: Done | Refused) -> None:
        """Keep a tally of what the sequences ran into, so that a tame generator does not pass unnoticed."""
        self.seen["repeated"] += this.again and isinstance(outcome, Done)
        if isinstance(outcome, Refused):
            self.seen.update(outcome.slugs)
        if isinstance(outcome, Done) or outcome.slugs == {"out_of_order"}:
            self.seen.update(_cases(slot, history, this))


def _cases(slot: Slot, history: Sequence[Version], this: Round) -> list[str]:
    """For each key of a sound source, the row of the decision table that it falls into."""
    effective_date = this.effective_date or next((row.effective_date for row in this.rows), None)
    if effective_date is None:
        return []
    recorded = by_key(history)
    source = {row.key: row for row in this.rows}
    cases = []
    for key in recorded | source:
        versions = recorded.get(key, [])
        current = [version for version in versions if version.is_current]
        action, _ = decide(versions, source.get(key), effective_date, slot.options)
        case = f"{'p' if current else 'no p'}, {'s' if key in source else 'no s'}"
        closed = ", closed versions" if versions and not current else ""
        early = ", before its start" if action == "unchanged" and effective_date < current[0].valid_from else ""
        cases.append(f"{case}{closed}: {action}{early}")
        if current and key in source:
            cases += _fine_differences(current[0].tracked, source[key].tracked)
    return cases


def _fine_differences(recorded: Sequence[Any], incoming: Sequence[Any]) -> list[str]:
    """What a careless comparison would take for equal, where it is all that differs."""
    pairs = [{a, b} for a, b in zip(recorded, incoming, strict=True) if a != b]
    if len(pairs) != 1:
        return []
    [pair] = pairs
    if None in pair:
        return ["null and empty" if "" in pair else "null and a value"]
    texts = {str(value) for value in pair}
    return [
        *(["case alone"] if len({text.lower() for text in texts}) == 1 else []),
        *(["trailing blanks alone"] if len({text.rstrip() for text in texts}) == 1 else []),
    ]


def _compare(slot: Slot, outcome: Done | Refused, run: Run, before: Table | None, after: Table | None) -> list[str]:
    """What differs between the oracle's opinion of a run and what the run did."""
    message = run.messages.get(slot.name, "")
    problems = []
    if isinstance(outcome, Refused):
        named = set(re.findall(rf"scd2_master \[(\w+)\] model\.{PROJECT}\.{slot.name}: ", message))
        if not named or named - outcome.slugs:
            problems.append(f"refused with {sorted(named)} where {sorted(outcome.slugs)} may be named")
        if after != before and (after is None or before is None or _ordered(after) != _ordered(before)):
            problems.append("a refused run changed the table")
        return problems
    if after is None or _ordered(after) != _ordered(slot.table(outcome.history)):
        problems.append("the table differs")
    lost = Counter(row for row in before or [] if not row[-1]) - Counter(after or [])
    if lost:
        problems.append(f"closed versions were touched: {sorted(lost, key=repr)}")
    if message != outcome.report:
        problems.append(f"reported {message!r}")
    affected = run.responses.get(slot.name, {}).get("rows_affected")
    if affected != outcome.rows_affected:
        problems.append(f"rows_affected is {affected}, not {outcome.rows_affected}")
    return problems


def _changed_by_a_repeated_run(name: str, run: Run, before: Table, after: Table | None) -> list[str]:
    """A run with the inputs of the one before, which went through, does nothing; no oracle is needed to say so."""
    affected = run.responses.get(name, {}).get("rows_affected")
    same = after is not None and _ordered(after) == _ordered(before)
    return [] if same and affected == 0 else [f"the same inputs again changed something: rows_affected {affected}"]


def _ordered(rows: Any) -> list[str]:
    """Rows as text in a fixed order: nulls sort, and 1, True and 1.0 or a date and a timestamp are not the same."""
    return sorted(map(repr, rows))


def _story(
    slot: Slot,
    rounds: Sequence[Round],
    history: Sequence[Version],
    outcome: Done | Refused,
    run: Run,
    got: Table | None,
) -> list[str]:
    """Everything needed to see the fault, and to play it again."""
    config = slot.full_config(rounds[-1].effective_date)
    expected = history if isinstance(outcome, Refused) else outcome.history
    verdict = f"refused: {sorted(outcome.slugs)}" if isinstance(outcome, Refused) else outcome.report
    columns = [name for name, _ in slot.columns]
    return [
        f"  config{' (under meta)' if slot.meta else ''}: {json.dumps(config)}",
        f"  effective date: {rounds[-1].effective_date or f'in {slot.date_column}'}",
        f"  source {columns}:",
        *(f"    {slot.source_values(row)}" for row in rounds[-1].rows),
        "  before:",
        *(f"    {row}" for row in _ordered(slot.table(history))),
        f"  expected: {verdict}",
        *(f"    {row}" for row in _ordered(slot.table(expected))),
        f"  got: {' '.join(run.messages.get(slot.name, 'no result, see the log: ' + run.log[-2000:]).split())}",
        *(["    no table"] if got is None else [f"    {row}" for row in _ordered(got)]),
        f"  to play it again: {{{slot.name!r}: [",
        *(f"    {_as_code(this)}," for this in rounds),
        "  ]}",
    ]


def _as_code(this: Round) -> str:
    return repr(this).replace("datetime.datetime(", "datetime(").replace("datetime.date(", "date(")


# What dbt writes beside the tables takes a fifth of the time, and nobody reads it here.
LESS_WRITING = {"flags": {"send_anonymous_usage_stats": False, "write_json": False, "log_level_file": "none"}}


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return Player(Project(tmp_path_factory.mktemp("sequences"), project=LESS_WRITING), SLOTS)


@pytest.fixture(scope="module")
def token_player(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return Player(Project(tmp_path_factory.mktemp("tokens"), project=LESS_WRITING), TOKEN_SLOTS)


def _play_random_batches(player: Player, examples: int) -> None:
    # Shrinking would replay hundreds of batches; sequences are independent, and a failure prints its own alone.
    @settings(
        max_examples=examples,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.fixed_dictionaries({name: sequences(slot) for name, slot in player.slots.items()}))
    def play(batch: Batch) -> None:
        player.play(batch)

    play()


def test_every_run_of_a_random_sequence_gives_the_table_of_the_oracle(player: Player) -> None:
    _play_random_batches(player, EXAMPLES or FIXED_EXAMPLES)
    if not EXAMPLES:
        missed = SITUATIONS - {name for name, times in player.seen.items() if times}
        assert not missed, f"the sequences never ran into {sorted(missed)}: {player.seen}"


# dbt parses the whole project again for every new value of a variable, so there is little of this.
def test_every_run_with_a_token_for_the_date_gives_the_table_of_the_oracle(token_player: Player) -> None:
    _play_random_batches(token_player, max(EXAMPLES // 10, 1))


@pytest.mark.parametrize("batch", REPLAYS)
def test_every_run_of_a_kept_sequence_gives_the_table_of_the_oracle(player: Player, batch: Batch) -> None:
    player.play(batch)
