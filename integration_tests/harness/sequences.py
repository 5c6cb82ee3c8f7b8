"""Sequences of runs and what they are compared with: models, what their sources hold, and the player of both.

A batch is one sequence of rounds for each of several slots; round n of all sequences is one dbt invocation. A slot is
played by a model per strategy, with the same source, and each must do what the oracle says, refused runs included. A
failure prints its sequence in a form that can be pasted into the REPLAYS of a test file.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from oracle import (
    Done,
    Key,
    Moment,
    Options,
    Refused,
    Row,
    Values,
    Version,
    by_key,
    decide,
    last_boundary,
    moment_text,
    run_log,
    run_series,
    run_snapshot,
    tracked_hash,
    version_key,
)
from project import PROJECT, Project, Run

Table = list[tuple[Any, ...]]
INTERVAL = ("valid_from", "valid_to", "is_current")
HASHES = ("version_key_column", "tracked_hash_column")
BOTH = ("rebuild", "merge")
SWITCHING = "switching"  # from round to round between the two

# What dbt writes beside the tables takes a fifth of the time, and nobody reads it here.
LESS_WRITING = {"flags": {"send_anonymous_usage_stats": False, "write_json": False, "log_level_file": "none"}}

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
    values: tuple[Key, ...]


TEXT = Domain("varchar", ("a", "A", "a ", "", None))
NUMBER = Domain("decimal(10,2)", (Decimal("1.10"), Decimal("1.11"), None))
COUNT = Domain("integer", (0, 1, None))
FLAG = Domain("boolean", (True, False, None))
DAY = Domain("date", (date(2026, 1, 1), date(9999, 12, 31), None))
# So few values that a key comes back to one it had; and texts, numbers and moments that are easily hashed wrongly.
COIN = Domain("varchar", ("heads", None))
WORD = Domain("varchar", ("a", "é€", "1:a", "-", "", None))
AMOUNT = Domain("decimal(10,2)", (Decimal("1.10"), Decimal("100.00"), Decimal("0.00"), Decimal("-0.50"), None))
INSTANT = Domain("timestamp", (datetime(2026, 1, 1), datetime(2026, 1, 1, 2, 3, 4, 5), None))

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

ABSENCE = {"close_on_absence": True}
INTEGER_FLAG = {"current_flag_type": "integer"}
COALESCES = {"coalesce_versions": True}
TIMESTAMP = {"validity_type": "timestamp"}
RENAMED = {"scd2_column_names": {"valid_from": "dim_start", "valid_to": "dim_end", "is_current": "dim_flag"}}
HASHED = {"version_key_column": "{entity}_id", "tracked_hash_column": "datahash"}
SERIES = {"input_kind": "snapshot_series"}
LOG = {"input_kind": "change_log"}
DELETIONS = {**LOG, "deleted_when": "op = 'delete'"}


@dataclass(frozen=True)
class Slot:
    """One configuration and what its source may hold. It is played by a model for each of its strategies.

    `date_from` says how the effective date reaches the model: as a source column, as a literal in its file, or as a
    token. The columns of the source are c1.., k1.., t1.., n1.., y1..: carried, key, tracked, type 0 (no change) and
    type 1 (yes); the date's and `op`, which tells deletions in a change log, are among the carried ones.
    """

    name: str
    keys: Keys = WORDS
    tracked: tuple[Domain, ...] = (TEXT, NUMBER)
    carried: tuple[Domain, ...] = (COUNT,)
    type0: tuple[Domain, ...] = ()
    type1: tuple[Domain, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    strategies: tuple[str, ...] = BOTH
    meta: bool = False
    axis: Sequence[Moment] = DAYS
    date_from: str = "column"
    date_column: str = "dated"
    date_type: str = "date"
    as_stored: Callable[[Any], Any] = lambda moment: moment

    @property
    def models(self) -> dict[str, str]:
        """Each model's strategy."""
        return {self.name if way == "rebuild" else f"{self.name}_{way}": way for way in self.strategies}

    @property
    def input_kind(self) -> str:
        return self.config.get("input_kind", "snapshot")

    @property
    def date_is_consumed(self) -> bool:
        return self.date_column in self.intervals

    @property
    def has_deletions(self) -> bool:
        return "deleted_when" in self.config

    @property
    def intervals(self) -> list[str]:
        return [self.config.get("scd2_column_names", {}).get(name, name) for name in INTERVAL]

    @property
    def options(self) -> Options:
        """What the oracle has to know of the configuration."""
        known = ("close_on_absence", "allow_empty_source", "max_closed_fraction", "coalesce_versions")
        initial = self.config.get("initial_valid_from")
        return Options(
            max_date=self._moment(self.config.get("max_date", "9999-12-31")),
            date_from_rows=self.date_from == "column",
            initial_valid_from=None if initial is None else self._moment(initial),
            type1_columns=bool(self.type1),
            **{name: self.config[name] for name in known if name in self.config},
        )

    def _moment(self, text: str) -> Moment:
        timestamp = self.config.get("validity_type") == "timestamp"
        return datetime.fromisoformat(text) if timestamp else date.fromisoformat(text)

    def expect(self, history: Sequence[Version], this: Round) -> Done | Refused:
        """The oracle's opinion of a round."""
        if self.input_kind == "snapshot":
            return run_snapshot(history, this.rows, this.effective_date, self.options)
        return {"snapshot_series": run_series, "change_log": run_log}[self.input_kind](history, this.rows, self.options)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The source's columns in their order; a consumed date stands last."""
        dated = [(self.date_column, self.date_type)] if self.date_from == "column" else []
        return [
            *_named("c", self.carried),
            *([("op", "varchar")] if self.has_deletions else []),
            *(dated if not self.date_is_consumed else []),
            *((f"k{n}", type_) for n, type_ in enumerate(self.keys.types, 1)),
            *_named("t", self.tracked),
            *_named("n", self.type0),
            *_named("y", self.type1),
            *(dated if self.date_is_consumed else []),
        ]

    def finished(self, row: Row, moment: Moment | None) -> Row:
        """The row with what it carries besides: whether it is a deletion, and its date unless that is consumed."""
        op = ("delete" if row.deleted else None,) if self.has_deletions else ()
        stored = (None if moment is None else self.as_stored(moment),) if self.date_from == "column" else ()
        carried = (*row.carried, *op, *(() if self.date_is_consumed else stored))
        return replace(row, carried=carried, effective_date=moment if self.date_from == "column" else None)

    def source_values(self, row: Row) -> Values:
        consumed = (None if row.effective_date is None else self.as_stored(row.effective_date),)
        return (
            *(*row.carried, *row.key, *row.tracked, *row.type0, *row.type1),
            *(consumed if self.date_from == "column" and self.date_is_consumed else ()),
        )

    def table(self, model: str, history: Sequence[Version]) -> Table:
        """The table that says this: a first row with the column names, then a row per version."""
        hashes = [self.config[option].replace("{entity}", model) for option in HASHES if option in self.config]
        header = (*(name for name, _ in self.columns if name not in self.intervals), *hashes, *self.intervals)
        return [header, *map(self._table_row, history)]

    def _table_row(self, version: Version) -> Values:
        hashes = {
            "version_key_column": version_key(self._in_order("unique_key", version.key), version.valid_from),
            "tracked_hash_column": tracked_hash(self._in_order("tracked_columns", version.tracked)),
        }
        flag = int(version.is_current) if self.config.get("current_flag_type") == "integer" else version.is_current
        return (
            *(*version.carried, *version.key, *version.tracked, *version.type0, *version.type1),
            *(value for option, value in hashes.items() if option in self.config),
            *(version.valid_from, version.valid_to, flag),
        )

    def _in_order(self, option: str, values: Values) -> Values:
        """The values in the order in which the option lists their columns, else as they stand in the table."""
        names = self.config.get(option)
        return tuple(values[int(name[1:]) - 1] for name in names) if isinstance(names, list) else values

    def full_config(self, model: str, number: int, effective_date: Moment | None = None) -> dict[str, Any]:
        """The options of a model in a round."""
        keys = [f"k{n}" for n in range(1, len(self.keys.types) + 1)]
        dated = {
            "column": {"effective_date_column": self.date_column},
            "literal": {"effective_date": str(effective_date)},
            "token": {"effective_date": f"{{{self.name}_date}}"},
        }
        own = {"prior_relation": model} if "prior_relation" in self.config else {}
        way = self.models[model]
        return {
            "unique_key": keys if len(keys) > 1 else keys[0],
            "tracked_columns": [name for name, _ in _named("t", self.tracked)],
            **({"type0_columns": [name for name, _ in _named("n", self.type0)]} if self.type0 else {}),
            **({"type1_columns": [name for name, _ in _named("y", self.type1)]} if self.type1 else {}),
            **dated[self.date_from],
            **self.config,
            **own,
            "scd2_strategy": BOTH[(number + 1) % 2] if way == SWITCHING else way,
        }


def _named(letter: str, domains: Sequence[Domain]) -> list[tuple[str, str]]:
    return [(f"{letter}{n}", domain.type) for n, domain in enumerate(domains, 1)]


@dataclass(frozen=True)
class Round:
    """What one run of one slot finds. `again`: the very inputs of the round before."""

    rows: tuple[Row, ...]
    effective_date: Moment | None = None
    again: bool = False


Batch = Mapping[str, Sequence[Round]]
Rounds = Callable[[Slot], st.SearchStrategy[list[Round]]]

# --- what a source holds from day to day --------------------------------------------------------------------------

ROW_EVENTS = ["keep"] * 5 + ["absent"] * 2 + ["new value"] * 4 + ["new values", "new carried"]


class Chooser:
    """Hypothesis's choices for one slot."""

    def __init__(self, draw: st.DrawFn, name: str):
        self._draw = draw
        # Hypothesis plays the first choice everywhere first: shuffled, that batch is as good as any other.
        self._shuffle = random.Random(name)

    def pick(self, choices: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(self._shuffle.sample(list(choices), len(choices))))

    def values(self, domains: Sequence[Domain]) -> Values:
        return tuple(self.pick(domain.values) for domain in domains)


class MasterData:
    """The rows of a slot that come, change and go; without their dates."""

    def __init__(self, slot: Slot, choose: Chooser):
        self._slot, self._choose = slot, choose
        self._rows = {key: self.row(key) for key in slot.keys.values}
        self._present = {key for key in slot.keys.values if choose.pick([True, True, False])}
        self._before = dict(self._rows)
        self._events = [
            *ROW_EVENTS,
            *(["new type 1"] * 2 if slot.type1 else []),
            *(["back"] * 5 if slot.options.coalesce_versions else []),
        ]

    def row(self, key: Key) -> Row:
        """Any row of the key."""
        slot, values = self._slot, self._choose.values
        return Row(key, values(slot.tracked), values(slot.carried), None, values(slot.type0), values(slot.type1))

    def move_on(self) -> None:
        """Something happens to every key, or nothing."""
        for key, row in self._rows.items():
            event = self._choose.pick(self._events)
            self._rows[key] = self._changed(row, event)
            if event != "keep":
                self._before[key] = row
                self._present = self._present - {key} if event == "absent" else self._present | {key}

    def _changed(self, row: Row, event: str) -> Row:
        pick, values, slot = self._choose.pick, self._choose.values, self._slot
        match event:
            case "new value":
                at = pick(range(len(row.tracked)))
                tracked = (*row.tracked[:at], pick(slot.tracked[at].values), *row.tracked[at + 1 :])
                return replace(row, tracked=tracked, type0=values(slot.type0))
            case "new values":
                return self.row(row.key)
            case "new carried":
                return replace(row, carried=values(slot.carried))
            case "new type 1":
                return replace(row, type1=values(slot.type1))
            case "back":
                return replace(self.row(row.key), tracked=self._before[row.key].tracked, type1=row.type1)
        return row

    def snapshot(self) -> list[Row]:
        return [row for key, row in self._rows.items() if key in self._present]


def null_key(slot: Slot, choose: Chooser) -> Row:
    """A row of which a part of the key is null."""
    key = list(choose.pick(slot.keys.values))
    key[choose.pick(range(len(key)))] = None
    first = [tuple(domain.values[0] for domain in domains) for domains in (slot.tracked, slot.type0, slot.type1)]
    return Row(tuple(key), first[0], (None,) * len(slot.carried), None, first[1], first[2])


# --- playing them -------------------------------------------------------------------------------------------------


def given_batches(batches: st.SearchStrategy[Any], play: Callable[[Any], None], examples: int, fixed: bool) -> None:
    """Play random batches, the same ones every time or fresh ones.

    Shrinking would replay hundreds of them; sequences are independent, and a failure prints its own alone.
    """
    run = settings(
        max_examples=examples,
        derandomize=fixed,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    run(given(batches)(play))()


class Player:
    """One project for all batches; tables are dropped in between, models stay."""

    def __init__(self, project: Project, slots: Sequence[Slot]):
        self.project = project
        self.slots = {slot.name: slot for slot in slots}
        self.seen: Counter[str] = Counter()
        for slot in slots:
            for model in slot.models:
                self._model(slot, model, 0, slot.axis[-1])

    def _model(self, slot: Slot, model: str, number: int, effective_date: Moment | None) -> None:
        columns = ", ".join(name for name, _ in slot.columns)
        sql = f"select {columns} from main.source_{slot.name}"
        self.project.model(model, sql, slot.full_config(model, number, effective_date), meta=slot.meta)

    def _models(self, names: Collection[str]) -> Iterator[tuple[str, str]]:
        """The slots' names and those of their models."""
        return ((name, model) for name in names for model in self.slots[name].models)

    def play(self, batch: Batch) -> None:
        """All rounds of a batch, from no tables at all; raises with the sequences that went wrong."""
        self._forget()
        self.seen += self.situations(batch)
        histories: dict[str, list[Version]] = {name: [] for name in batch}
        before: dict[str, Table] = {}
        repeatable: dict[str, bool] = {}
        for number in range(max(map(len, batch.values()))):
            current = {name: rounds[number] for name, rounds in batch.items() if number < len(rounds)}
            self._write_sources(current, number)
            run = self._run(current)
            after = self._tables(current)
            faults = []
            expected = {name: self.slots[name].expect(histories[name], this) for name, this in current.items()}
            for name, model in self._models(current):
                slot, this, outcome = self.slots[name], current[name], expected[name]
                problems = _compare(slot, model, this, outcome, run, before.get(model), after.get(model))
                if this.again and repeatable[name]:
                    problems += _changed_by_a_repeated_run(model, run, before[model], after.get(model))
                if problems:
                    told = _story(
                        slot, model, batch[name][: number + 1], histories[name], outcome, run, after.get(model)
                    )
                    faults.append("\n".join([f"{model}, round {number + 1}: " + "; ".join(problems), *told]))
            for name, outcome in expected.items():
                repeatable[name] = _repeatable(outcome)
                histories[name] = outcome.history if isinstance(outcome, Done) else histories[name]
            leftovers = self._leftovers(before.keys() | after.keys())
            if leftovers:
                faults.append(f"round {number + 1}: relations that do not belong here: {leftovers}")
            if faults:
                raise AssertionError("\n\n".join([f"{len(faults)} models went wrong", *faults[:4]]))
            before.update(after)

    def play_random_batches(self, rounds: Rounds, examples: int, fixed: bool) -> None:
        """Batches with a sequence for every slot."""
        given_batches(
            st.fixed_dictionaries({name: rounds(slot) for name, slot in self.slots.items()}), self.play, examples, fixed
        )

    def situations(self, batch: Batch) -> Counter[str]:
        """What the sequences of a batch run into, so that tame ones do not pass unnoticed."""
        seen: Counter[str] = Counter()
        for name, rounds in batch.items():
            history: list[Version] = []
            for this in rounds:
                outcome = self.slots[name].expect(history, this)
                seen.update(_situations(self.slots[name], history, this, outcome))
                history = outcome.history if isinstance(outcome, Done) else history
        return seen

    def tell(self, batch: Mapping[str, Sequence[Round | None]]) -> dict[str, Table]:
        """All rounds of a batch in which nothing is refused, from no tables at all: the tables in the end, by slot."""
        self._forget()
        return self.tell_on(batch)

    def tell_on(self, batch: Mapping[str, Sequence[Round | None]]) -> dict[str, Table]:
        """The same on top of the tables that there are."""
        for number in range(max(map(len, batch.values()))):
            told = {name: rounds[number] for name, rounds in batch.items() if number < len(rounds)}
            current = {name: this for name, this in told.items() if this is not None}
            self._write_sources(current, number)
            run = self._run(current)
            went = [run.statuses.get(model) == "success" for _, model in self._models(current)]
            assert all(went), f"{run.messages}\n{run.log[-2000:]}"
        return self.told(batch)

    def told(self, names: Collection[str]) -> dict[str, Table]:
        """The tables of these slots as they are."""
        tables = self._tables(names)
        return {name: tables[model] for name, model in self._models(names) if model in tables}

    def _forget(self) -> None:
        with self.project.engine.session() as session:
            for name, model in self._models(self.slots):
                session.execute(f"drop table if exists {model}")
                session.execute(f"drop table if exists source_{name}")

    def _write_sources(self, current: Mapping[str, Round], number: int) -> None:
        with self.project.engine.session() as session:
            for name, this in current.items():
                slot = self.slots[name]
                columns = ", ".join(f"{column} {type_}" for column, type_ in slot.columns)
                session.replace(f"source_{name}", f"({columns})")
                session.insert(f"source_{name}", (slot.source_values(row) for row in this.rows))
                for model, way in slot.models.items():
                    if slot.date_from == "literal" or way == SWITCHING:
                        self._model(slot, model, number, this.effective_date)

    def _run(self, current: Mapping[str, Round]) -> Run:
        tokens = {
            f"{name}_date": str(this.effective_date)
            for name, this in current.items()
            if self.slots[name].date_from == "token"
        }
        return self.project.run(*(model for _, model in self._models(current)), vars=tokens)

    def _tables(self, current: Collection[str]) -> dict[str, Table]:
        """Every model's table that there is, in the form of `Slot.table`."""
        tables: dict[str, Table] = {}
        with self.project.engine.session() as session:
            names = session.rows("select table_name from information_schema.tables")
            for model in {model for _, model in self._models(current)} & {row[0] for row in names}:
                tables[model] = session.table(model)
        return tables

    def _leftovers(self, tables: Collection[str]) -> list[str]:
        expected = {f"main.source_{name}" for name in self.slots} | {f"main.{model}" for model in tables}
        return [name for name in self.project.relations() if name not in expected]


def _compare(
    slot: Slot,
    model: str,
    this: Round,
    outcome: Done | Refused,
    run: Run,
    before: Table | None,
    after: Table | None,
) -> list[str]:
    """What differs between the oracle's opinion of a run and what the run did."""
    message = run.messages.get(model, "")
    problems = []
    if isinstance(outcome, Refused):
        named = set(re.findall(rf"scd2_master \[(\w+)\] model\.{PROJECT}\.{model}: ", message))
        if not named or named - outcome.slugs:
            problems.append(f"refused with {sorted(named)} where {sorted(outcome.slugs)} may be named")
        if after != before and (after is None or before is None or ordered(after) != ordered(before)):
            problems.append("a refused run changed the table")
        return problems
    if after is None or ordered(after) != ordered(slot.table(model, outcome.history)):
        problems.append("the table differs")
    touched = _touched(slot, outcome, before or [], after or [])
    if touched:
        problems.append(f"closed versions were touched: {sorted(touched, key=repr)}")
    if message != outcome.report:
        problems.append(f"reported {message!r}")
    affected = run.responses.get(model, {}).get("rows_affected")
    if affected != outcome.rows_affected:
        problems.append(f"rows_affected is {affected}, not {outcome.rows_affected}")
    if outcome.counts.get("skipped"):
        skipped = sorted({row.effective_date for row in this.rows if row.effective_date} - set(outcome.dates))
        listed = f"skipped: {', '.join(map(moment_text, skipped))}"
        if not re.search(rf"scd2_master model\.{PROJECT}\.{model}: .*{re.escape(listed)}", run.log):
            problems.append(f"no warning of {listed}")
    return problems


def _touched(slot: Slot, outcome: Done, before: Table, after: Table) -> list[Values]:
    """Closed versions that are no longer there; no oracle is needed to say so.

    Type 1 values may differ, and with coalesce_versions one that ended at a date of the run may be open again.
    """
    kept = [at for at, name in enumerate(before[0]) if not re.fullmatch(r"y\d", name)] if before else []
    was = [tuple(row[at] for at in kept) for row in before if not row[-1]]
    now = [tuple(row[at] for at in kept) for row in after]
    lost = Counter(was) - Counter(now)
    begun = {row[:-2] for row in now}
    return [
        row for row in lost if not (slot.options.coalesce_versions and row[-2] in outcome.dates and row[:-2] in begun)
    ]


def _repeatable(outcome: Done | Refused) -> bool:
    """Whether the same inputs once more must do nothing: a series may lose the boundary before which it skipped."""
    return isinstance(outcome, Done) and not (outcome.counts.get("skipped") and outcome.counts["removed"])


def _changed_by_a_repeated_run(model: str, run: Run, before: Table, after: Table | None) -> list[str]:
    """A run with the inputs of the one before, which went through, does nothing; no oracle is needed to say so."""
    affected = run.responses.get(model, {}).get("rows_affected")
    same = after is not None and ordered(after) == ordered(before)
    return [] if same and affected == 0 else [f"the same inputs again changed something: rows_affected {affected}"]


def ordered(rows: Any) -> list[str]:
    """Rows as text in a fixed order: nulls sort, and 1, True and 1.0 or a date and a timestamp are not the same."""
    return sorted(map(repr, rows))


def _story(
    slot: Slot,
    model: str,
    rounds: Sequence[Round],
    history: Sequence[Version],
    outcome: Done | Refused,
    run: Run,
    got: Table | None,
) -> list[str]:
    """Everything needed to see the fault, and to play it again."""
    config = slot.full_config(model, len(rounds) - 1, rounds[-1].effective_date)
    expected = history if isinstance(outcome, Refused) else outcome.history
    verdict = f"refused: {sorted(outcome.slugs)}" if isinstance(outcome, Refused) else outcome.report
    columns = [name for name, _ in slot.columns]
    return [
        f"  config{' (under meta)' if slot.meta else ''}: {json.dumps(config)}",
        f"  effective date: {rounds[-1].effective_date or f'in {slot.date_column}'}",
        f"  source {columns}:",
        *(f"    {slot.source_values(row)}" for row in rounds[-1].rows),
        "  before:",
        *(f"    {row}" for row in ordered(slot.table(model, history))),
        f"  expected: {verdict}",
        *(f"    {row}" for row in ordered(slot.table(model, expected))),
        f"  got: {' '.join(run.messages.get(model, 'no result, see the log: ' + run.log[-2000:]).split())}",
        *(["    no table"] if got is None else [f"    {row}" for row in ordered(got)]),
        f"  to play it again: {{{slot.name!r}: [",
        *(f"    {_as_code(this)}," for this in rounds),
        "  ]}",
    ]


def _as_code(this: Round) -> str:
    return repr(this).replace("datetime.datetime(", "datetime(").replace("datetime.date(", "date(")


# --- what they run into -------------------------------------------------------------------------------------------


def _situations(slot: Slot, history: Sequence[Version], this: Round, outcome: Done | Refused) -> list[str]:
    """What a round runs into: guards, actions, and the cases that are easily got wrong."""
    cases = sorted(outcome.slugs) if isinstance(outcome, Refused) else ["repeated"] * this.again
    sound = isinstance(outcome, Done) or outcome.slugs == {"out_of_order"}
    if slot.input_kind == "snapshot":
        return cases + (_snapshot_cases(slot, history, this) if sound else [])
    if isinstance(outcome, Done):
        cases += [action for action, count in outcome.counts.items() if count]
        cases += ["several dates"] if len(outcome.dates) > 1 else []
    if slot.input_kind == "change_log" and sound:
        cases += _log_cases(history, this, outcome)
    return [f"{slot.input_kind}: {case}" for case in cases]


def _log_cases(history: Sequence[Version], this: Round, outcome: Done | Refused) -> list[str]:
    recorded = by_key(history)
    ends = {key: last_boundary(versions) for key, versions in recorded.items()}
    early = [row for row in this.rows if row.key in ends and row.effective_date < ends[row.key]]
    went_through = isinstance(outcome, Done)
    cases = [f"early {'deletion' if row.deleted else 'row'}{'' if went_through else ' refused'}" for row in early]
    if went_through:
        for key, versions in by_key(outcome.history).items():
            starts = {version.valid_from for version in recorded.get(key, [])}
            new = [version for version in versions if version.valid_from not in starts]
            cases += ["several versions of a key"] if len(new) > 1 else []
            cases += ["opened and closed"] if any(not version.is_current for version in new) else []
    return cases


def _snapshot_cases(slot: Slot, history: Sequence[Version], this: Round) -> list[str]:
    """For each key of a sound source, the row of the decision table that it falls into."""
    effective_date = this.effective_date or next((row.effective_date for row in this.rows), None)
    if effective_date is None:
        return []
    recorded = by_key(history)
    source = {row.key: row for row in this.rows}
    cases = ["begun earlier"] if source and not history and slot.options.initial_valid_from else []
    for key in recorded | source:
        versions, row = recorded.get(key, []), source.get(key)
        current = [version for version in versions if version.is_current]
        action, _ = decide(versions, row, effective_date, slot.options)
        case = f"{'p' if current else 'no p'}, {'s' if row else 'no s'}"
        closed = ", closed versions" if versions and not current else ""
        early = ", before its start" if action == "unchanged" and effective_date < current[0].valid_from else ""
        cases.append(f"{case}{closed}: {action}{early}")
        if row:
            cases += _fine_differences(current[0].tracked, row.tracked) if current else []
            cases += _type_cases(versions, current, row, action)
    return cases


def _type_cases(versions: Sequence[Version], current: Sequence[Version], row: Row, action: str) -> list[str]:
    """What becomes of type 0 and type 1 values that are not those of the row."""
    if not versions:
        return []
    first = min(versions, key=lambda version: version.valid_from)
    only = " the only one" if action == "restated" and len(versions) == 1 else ""
    cases = [f"type 0 differs: {action}{only}"] if first.type0 != row.type0 else []
    if any(version.type1 != row.type1 for version in versions):
        alone = " alone" if current and current[0].tracked == row.tracked else ""
        cases.append(f"type 1 differs{alone}: {action}")
        cases += ["type 1 on closed versions"] if action != "out_of_order" and len(versions) > len(current) else []
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
