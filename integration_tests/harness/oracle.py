"""What a run must do to a history, in plain Python: the other opinion that the tests compare the package with.

Written from the specification, not from any SQL, and meant to be read beside its decision table. It knows versions and
source rows, not tables or column names. `decide` is the table itself; `run_snapshot` puts a whole snapshot through it,
`run_series` several snapshots one after the other, `run_log` dated changes of single keys. `version_key` and
`tracked_hash` say what stands in the optional columns.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

Values = tuple[Any, ...]
Moment = date  # or datetime, which is a date to Python; one history holds one kind
Key = Values

ACTIONS = ("opened", "changed", "restated", "closed", "removed", "unchanged")
REOPENED, TYPE_1_UPDATED, SKIPPED = "reopened", "type 1 updated", "skipped"  # reported where they can occur
OUT_OF_ORDER = "out_of_order"
STAYS_AWAY = "stays away"  # a key that has no open version and is not in the source: counted nowhere


@dataclass(frozen=True)
class Version:
    """One row of the history."""

    key: Key
    tracked: Values
    carried: Values
    valid_from: Moment
    valid_to: Moment
    is_current: bool
    type0: Values = ()
    type1: Values = ()


@dataclass(frozen=True)
class Row:
    """One row of the source; `effective_date` counts only where the rows bring the date along."""

    key: Key
    tracked: Values
    carried: Values = ()
    effective_date: Moment | None = None
    type0: Values = ()
    type1: Values = ()
    deleted: bool = False  # in a change log: the key is retired at this date


@dataclass(frozen=True)
class Options:
    """The options that decide what happens to a key, with their defaults."""

    max_date: Moment = date(9999, 12, 31)
    date_from_rows: bool = False
    close_on_absence: bool = False
    allow_empty_source: bool = False
    max_closed_fraction: float = 1.0
    initial_valid_from: Moment | None = None
    coalesce_versions: bool = False
    type1_columns: bool = False  # whether there are any: the report says so


@dataclass(frozen=True)
class Done:
    """A run that went through: the whole new history, how often each action happened, the dates of its rows.

    Of a series only the dates that were applied.
    """

    history: list[Version]
    counts: Mapping[str, int]
    dates: tuple[Moment, ...]

    @property
    def rows_affected(self) -> int:
        """A change closes one version and opens another; opening, restating, closing and removing touch one."""
        return sum(self.counts[action] * (2 if action == "changed" else 1) for action in ACTIONS[:-1])

    @property
    def report(self) -> str:
        """The line of the run in dbt's log."""
        ends = self.dates if len(self.dates) < 2 else (self.dates[0], self.dates[-1])
        dates = "..".join(map(moment_text, ends)) or "no effective date"
        return f"SCD2 {dates}: {', '.join(f'{count} {action}' for action, count in self.counts.items())}"


@dataclass(frozen=True)
class Refused:
    """A run that must change nothing: its message names at least one of these slugs and no other."""

    slugs: frozenset[str]


# --- what happens to a key ----------------------------------------------------------------------------------------


def decide(
    versions: Sequence[Version], row: Row | None, effective_date: Moment, options: Options
) -> tuple[str, list[Version]]:
    """The decision table for one key: the action, and all versions of the key after it.

    `versions` are the key's recorded ones, `row` is its source row, None when the source does not have it.
    """
    action, after = _decide_versions(versions, row, effective_date, options)
    if row is None or action == OUT_OF_ORDER:
        return action, after
    # Type 1: whatever the action was, every version of the key takes the row's value, closed ones too.
    if effective_date < last_boundary(versions, effective_date) and any(
        not _same(version.type1, row.type1) for version in versions
    ):
        return OUT_OF_ORDER, list(versions)
    return action, [replace(version, type1=row.type1) for version in after]


def _decide_versions(
    versions: Sequence[Version], row: Row | None, effective_date: Moment, options: Options
) -> tuple[str, list[Version]]:
    """The decision table without type 1."""
    current = [version for version in versions if version.is_current]
    others = [version for version in versions if not version.is_current]

    if not current:
        if row is None:
            return STAYS_AWAY, others
        if effective_date < last_boundary(others, effective_date):
            return OUT_OF_ORDER, others
        if ended := _ended_with(others, row, effective_date, options):
            return REOPENED, _reopened(others, ended, options)
        return "opened", [*others, _opened(others, row, effective_date, options)]

    [p] = current
    if row is None and not options.close_on_absence:
        return "unchanged", [*others, p]
    if row is not None and _same(p.tracked, row.tracked):
        return "unchanged", [*others, p]

    if effective_date < p.valid_from:
        return OUT_OF_ORDER, [*others, p]

    if effective_date == p.valid_from:
        if row is None:
            return "removed", others
        if ended := _ended_with(others, row, effective_date, options):
            return REOPENED, _reopened(others, ended, options)
        # Its own restatement decides the type 0 values of a key's first version, and of no other.
        type0 = _first(others).type0 if others else row.type0
        return "restated", [*others, replace(p, tracked=row.tracked, carried=row.carried, type0=type0)]

    closed = replace(p, valid_to=effective_date, is_current=False)
    if row is None:
        return "closed", [*others, closed]
    return "changed", [*others, closed, _opened(versions, row, effective_date, options)]


def _opened(recorded: Sequence[Version], row: Row, effective_date: Moment, options: Options) -> Version:
    """A new version of the key: type 0 values are those of its first recorded version, if it has one."""
    type0 = _first(recorded).type0 if recorded else row.type0
    return Version(row.key, row.tracked, row.carried, effective_date, options.max_date, True, type0, row.type1)


def _ended_with(closed: Sequence[Version], row: Row, effective_date: Moment, options: Options) -> Version | None:
    """Coalescing: the one version that ended at this very date, if it has the row's tracked values."""
    ended = [version for version in closed if version.valid_to == effective_date]
    same = len(ended) == 1 and _same(ended[0].tracked, row.tracked)
    return ended[0] if same and options.coalesce_versions else None


def _reopened(closed: Sequence[Version], ended: Version, options: Options) -> list[Version]:
    reopened = replace(ended, valid_to=options.max_date, is_current=True)
    return [reopened if version is ended else version for version in closed]


def _first(versions: Sequence[Version]) -> Version:
    return min(versions, key=lambda version: version.valid_from)


def last_boundary(versions: Iterable[Version], otherwise: Any = None) -> Any:
    """The latest valid_from of all versions and valid_to of closed ones."""
    ends = [version.valid_from if version.is_current else version.valid_to for version in versions]
    return max(ends, default=otherwise)


def _same(left: Values, right: Values) -> bool:
    """Column by column and null-safe: two nulls are the same, a null and a value are not."""
    return all(a is b if a is None or b is None else a == b for a, b in zip(left, right, strict=True))


# --- runs ---------------------------------------------------------------------------------------------------------


def run_snapshot(
    history: Iterable[Version], rows: Sequence[Row], effective_date: Moment | None, options: Options
) -> Done | Refused:
    """One run with one snapshot. With `options.date_from_rows` the date comes from the rows, else it must be given."""
    history = list(history)
    dates = _dates(rows) if options.date_from_rows else [effective_date]
    assert None not in dates, "give a date or let it come from the rows"
    slugs = _source_findings(rows, options) | _date_findings(dates, options)
    if options.date_from_rows and len(dates) > 1:
        slugs.add("effective_date_not_uniform")
    slugs |= _empty_source_findings(history, rows, options)
    # With a source at fault it can be open which date and which row of a key counts: what any of them would raise may
    # be named too.
    for candidate in dates:
        slugs |= _order_findings(history, rows, candidate, options)
        slugs |= _limit_findings(history, _closing(history, rows, options), options)
    if slugs:
        return Refused(frozenset(slugs))
    after, events = history, Counter[str]()
    for only in dates:
        after = _apply_snapshot(history, rows, only, options, events)
    return _done(history, after, events, dates, options)


def run_series(history: Iterable[Version], rows: Sequence[Row], options: Options) -> Done | Refused:
    """One run with several snapshots: those before the last boundary of the whole history are not compared with it, the
    others go through the decision table one by one in date order."""
    history = list(history)
    dates = _dates(rows)
    begin = last_boundary(history)
    skipped = [moment for moment in dates if begin is not None and moment < begin]
    applied = dates[len(skipped) :]
    slugs = _source_findings(rows, options) | _date_findings(applied, options)
    after, events = history, Counter[str]()
    for moment in applied:
        snapshot = [row for row in rows if row.effective_date == moment]
        slugs |= _limit_findings(after, _closing(after, snapshot, options), options)
        after = _apply_snapshot(after, snapshot, moment, options, events)
    if slugs:
        return Refused(frozenset(slugs))
    return _done(history, after, events, applied, options, {SKIPPED: len(skipped)})


def run_log(history: Iterable[Version], rows: Sequence[Row], options: Options) -> Done | Refused:
    """One run with dated changes: rows before their key's last recorded boundary must be what the history says, the
    others go through the decision table in date order. A deletion is to its key what absence is to a snapshot."""
    history = list(history)
    options = replace(options, close_on_absence=True)
    recorded = by_key(history)
    dated = [row for row in rows if row.effective_date is not None]
    early = [row for row in dated if row.effective_date < last_boundary(recorded.get(row.key, []), row.effective_date)]
    # Of a row and a deletion at the same instant, which is refused, the deletion counts for the limit on closing.
    applied = sorted((row for row in dated if row not in early), key=lambda row: (row.effective_date, row.deleted))
    slugs = _source_findings(rows, options) | _date_findings(_dates(rows), options)
    slugs |= {OUT_OF_ORDER for row in early if not _says(recorded[row.key], row)}
    after, events = recorded, Counter[str]()
    for row in applied:
        action, versions = decide(after.get(row.key, []), None if row.deleted else row, row.effective_date, options)
        events[action] += 1
        after = {**after, row.key: versions}
    slugs |= _limit_findings(
        history, {v.key for v in history if v.is_current and not any(w.is_current for w in after[v.key])}, options
    )
    if slugs:
        return Refused(frozenset(slugs))
    return _done(history, [v for versions in after.values() for v in versions], events, _dates(rows), options)


def _says(versions: Sequence[Version], row: Row) -> bool:
    """Whether the history as of the row's date is already what the row wants it to be."""
    covering = [version for version in versions if version.valid_from <= row.effective_date < version.valid_to]
    if row.deleted:
        return not covering
    return any(_same(version.tracked, row.tracked) for version in covering)


def _apply_snapshot(
    history: Sequence[Version], rows: Sequence[Row], effective_date: Moment, options: Options, events: Counter[str]
) -> list[Version]:
    """The history after one snapshot: every key, recorded or new, through the decision table."""
    recorded = by_key(history)
    source = {row.key: row for row in rows}
    after: list[Version] = []
    for key in recorded | source:
        action, versions = decide(recorded.get(key, []), source.get(key), effective_date, options)
        events[action] += 1
        if action == "opened" and not history and options.initial_valid_from is not None:
            versions = [replace(version, valid_from=options.initial_valid_from) for version in versions]
        after += versions
    return after


def _done(
    before: Sequence[Version],
    after: list[Version],
    events: Mapping[str, int],
    dates: Sequence[Moment],
    options: Options,
    skipped: Mapping[str, int] | None = None,
) -> Done:
    """The run's counts: events as they happened, `unchanged` and `type 1 updated` by comparing before and after."""
    counts = {action: events.get(action, 0) for action in ACTIONS}
    counts["unchanged"] = sum(version in after for version in before if version.is_current)
    if options.coalesce_versions:
        counts[REOPENED] = events.get(REOPENED, 0)
    if options.type1_columns:
        now = {(version.key, version.valid_from): version.type1 for version in after}
        was = {(version.key, version.valid_from): version.type1 for version in before}
        counts[TYPE_1_UPDATED] = len({at[0] for at in was.keys() & now if not _same(was[at], now[at])})
    return Done(after, {**counts, **(skipped or {})}, tuple(dates))


# --- guards -------------------------------------------------------------------------------------------------------


def _source_findings(rows: Sequence[Row], options: Options) -> set[str]:
    """What is wrong with the source whatever the history holds."""
    slugs = set()
    if any(part is None for row in rows for part in row.key):
        slugs.add("null_key")
    if len({(row.key, row.effective_date) for row in rows}) < len(rows):
        slugs.add("duplicate_key")
    if options.date_from_rows and any(row.effective_date is None for row in rows):
        slugs.add("effective_date_null")
    return slugs


def _date_findings(dates: Sequence[Moment], options: Options) -> set[str]:
    slugs = set()
    if any(candidate >= options.max_date for candidate in dates):
        slugs.add("effective_date_not_before_max_date")
    if options.initial_valid_from is not None and any(options.initial_valid_from >= moment for moment in dates[:1]):
        slugs.add("invalid_option")
    return slugs


def _empty_source_findings(history: Sequence[Version], rows: Sequence[Row], options: Options) -> set[str]:
    """An empty source would close everything: it has to be allowed, and there has to be a date to close at."""
    would_close = options.close_on_absence and not rows and any(version.is_current for version in history)
    allowed = options.allow_empty_source and not options.date_from_rows
    return {"empty_source"} if would_close and not allowed else set()


def _order_findings(
    history: Sequence[Version], rows: Sequence[Row], effective_date: Moment, options: Options
) -> set[str]:
    """What the decision table refuses."""
    recorded = by_key(history)
    absent: list[Row | None] = [None]
    for key in recorded | dict.fromkeys(row.key for row in rows):
        for row in [row for row in rows if row.key == key] or absent:
            if decide(recorded.get(key, []), row, effective_date, options)[0] == OUT_OF_ORDER:
                return {OUT_OF_ORDER}
    return set()


def _closing(history: Sequence[Version], rows: Sequence[Row], options: Options) -> set[Key]:
    """The keys whose open version a snapshot closes or removes."""
    open_keys = {version.key for version in history if version.is_current}
    return open_keys - {row.key for row in rows} if options.close_on_absence else set()


def _limit_findings(history: Sequence[Version], closing: set[Key], options: Options) -> set[str]:
    """The limit on closing is a share of the open versions."""
    open_versions = sum(version.is_current for version in history)
    too_many = open_versions and len(closing) / open_versions > options.max_closed_fraction
    return {"too_many_closed"} if too_many else set()


# --- hashes -------------------------------------------------------------------------------------------------------


def version_key(key: Key, valid_from: Moment) -> str:
    """The hash of a business key and valid_from, which is a timestamp to it under either validity type."""
    midnight = valid_from if isinstance(valid_from, datetime) else datetime.combine(valid_from, datetime.min.time())
    return _hash((*key, midnight))


def tracked_hash(tracked: Values) -> str:
    """The hash of the tracked columns in their order."""
    return _hash(tracked)


def _hash(values: Values) -> str:
    """Each value preceded by its length, so that no two lists of values read the same; a null is not an empty text."""
    texts = [None if value is None else hash_text(value) for value in values]
    joined = "".join("-" if text is None else f"{len(text)}:{text}" for text in texts)
    return hashlib.md5(joined.encode("utf-8")).hexdigest()


def hash_text(value: Any) -> str:
    """A value as text, the same on every engine."""
    texts: dict[type, Callable[[Any], str]] = {
        str: str,
        bool: lambda flag: "true" if flag else "false",
        int: str,
        Decimal: _decimal_text,
        date: date.isoformat,
        datetime: _timestamp_text,
        bytes: bytes.hex,
    }
    return texts[type(value)](value)


def _decimal_text(number: Decimal) -> str:
    whole, _, fraction = f"{number:f}".partition(".")
    digits = fraction.rstrip("0")
    return f"{whole}.{digits}" if digits else whole


def _timestamp_text(moment: datetime) -> str:
    zoned = moment.tzinfo is not None
    plain = moment.astimezone(UTC).replace(tzinfo=None) if zoned else moment
    return plain.isoformat(sep=" ", timespec="microseconds") + ("Z" if zoned else "")


# --- small things -------------------------------------------------------------------------------------------------


def by_key(history: Iterable[Version]) -> dict[Key, list[Version]]:
    """The versions of each key."""
    versions: dict[Key, list[Version]] = {}
    for version in history:
        versions.setdefault(version.key, []).append(version)
    return versions


def _dates(rows: Sequence[Row]) -> list[Moment]:
    """The dates that the rows bring, in order."""
    return sorted({row.effective_date for row in rows if row.effective_date is not None})


def moment_text(moment: Moment) -> str:
    return moment.isoformat(sep=" ") if isinstance(moment, datetime) else moment.isoformat()
