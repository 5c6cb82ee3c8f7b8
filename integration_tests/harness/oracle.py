"""What a run must do to a history, in plain Python: the other opinion that the tests compare the package with.

Written from the specification, not from any SQL, and meant to be read beside its decision table. It knows versions and
source rows, not tables or column names. `decide` is the table itself, `run_snapshot` puts a whole snapshot through it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

Values = tuple[Any, ...]
Moment = date  # or datetime, which is a date to Python; one history holds one kind
Key = Values

ACTIONS = ("opened", "changed", "restated", "closed", "removed", "unchanged")
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


@dataclass(frozen=True)
class Row:
    """One row of the source; `effective_date` counts only where the rows bring the date along."""

    key: Key
    tracked: Values
    carried: Values = ()
    effective_date: Moment | None = None


@dataclass(frozen=True)
class Options:
    """The options that decide what happens to a key, with their defaults."""

    max_date: Moment = date(9999, 12, 31)
    date_from_rows: bool = False
    close_on_absence: bool = False
    allow_empty_source: bool = False
    max_closed_fraction: float = 1.0


@dataclass(frozen=True)
class Done:
    """A run that went through: the whole new history and what became of the keys."""

    history: list[Version]
    counts: Mapping[str, int]
    effective_date: Moment | None

    @property
    def rows_affected(self) -> int:
        """A change closes one version and opens another; every other action touches one."""
        return sum(
            self.counts[action] * (2 if action == "changed" else 1) for action in ACTIONS if action != "unchanged"
        )

    @property
    def report(self) -> str:
        """The line of the run in dbt's log."""
        counted = ", ".join(f"{self.counts[action]} {action}" for action in ACTIONS)
        return f"SCD2 {_moment_text(self.effective_date)}: {counted}"


@dataclass(frozen=True)
class Refused:
    """A run that must change nothing: its message names at least one of these slugs and no other."""

    slugs: frozenset[str]


def decide(
    versions: Sequence[Version], row: Row | None, effective_date: Moment, options: Options
) -> tuple[str, list[Version]]:
    """The decision table for one key: the action, and all versions of the key after it.

    `versions` are the key's recorded ones, `row` is its source row, None when the source does not have it.
    """
    current = [version for version in versions if version.is_current]
    others = [version for version in versions if not version.is_current]

    if not current:
        if row is None:
            return STAYS_AWAY, others
        if any(effective_date < version.valid_to for version in others):
            return OUT_OF_ORDER, others
        return "opened", [*others, _opened(row, effective_date, options)]

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
        return "restated", [*others, replace(p, tracked=row.tracked, carried=row.carried)]

    closed = replace(p, valid_to=effective_date, is_current=False)
    if row is None:
        return "closed", [*others, closed]
    return "changed", [*others, closed, _opened(row, effective_date, options)]


def run_snapshot(
    history: Iterable[Version], rows: Sequence[Row], effective_date: Moment | None, options: Options
) -> Done | Refused:
    """One run with one snapshot. With `options.date_from_rows` the date comes from the rows, else it must be given."""
    history = list(history)
    dates = _dates(rows, effective_date, options)
    slugs = _source_findings(rows, options) | _date_findings(dates, options)
    slugs |= _empty_source_findings(history, rows, options)
    # With a source at fault it can be open which date and which row of a key counts: what any of them would raise may
    # be named too.
    for candidate in dates:
        slugs |= _step_findings(history, rows, candidate, options)
    if slugs:
        return Refused(frozenset(slugs))
    if not dates:
        unchanged = sum(version.is_current for version in history)
        return Done(history, _counts({"unchanged": unchanged}), None)
    [only] = dates
    return _step(history, rows, only, options)


def _step(history: list[Version], rows: Sequence[Row], effective_date: Moment, options: Options) -> Done:
    """Every key, recorded or new, through the decision table."""
    recorded = by_key(history)
    source = {row.key: row for row in rows}
    counts: Counter[str] = Counter()
    after: list[Version] = []
    for key in recorded | source:
        action, versions = decide(recorded.get(key, []), source.get(key), effective_date, options)
        counts[action] += 1
        after += versions
    return Done(after, _counts(counts), effective_date)


def _source_findings(rows: Sequence[Row], options: Options) -> set[str]:
    """What is wrong with the source whatever the history holds."""
    slugs = set()
    if any(part is None for row in rows for part in row.key):
        slugs.add("null_key")
    if len({row.key for row in rows}) < len(rows):
        slugs.add("duplicate_key")
    if options.date_from_rows and any(row.effective_date is None for row in rows):
        slugs.add("effective_date_null")
    return slugs


def _date_findings(dates: Sequence[Moment], options: Options) -> set[str]:
    slugs = set()
    if len(dates) > 1:
        slugs.add("effective_date_not_uniform")
    if any(candidate >= options.max_date for candidate in dates):
        slugs.add("effective_date_not_before_max_date")
    return slugs


def _empty_source_findings(history: Sequence[Version], rows: Sequence[Row], options: Options) -> set[str]:
    """An empty source would close everything: it has to be allowed, and there has to be a date to close at."""
    would_close = options.close_on_absence and not rows and any(version.is_current for version in history)
    allowed = options.allow_empty_source and not options.date_from_rows
    return {"empty_source"} if would_close and not allowed else set()


def _step_findings(
    history: Sequence[Version], rows: Sequence[Row], effective_date: Moment, options: Options
) -> set[str]:
    """What the decision table refuses, and the limit on closing."""
    recorded = by_key(history)
    in_source = {row.key for row in rows}
    absent: list[Row | None] = [None]
    slugs = set()
    for key in recorded | dict.fromkeys(in_source):
        for row in [row for row in rows if row.key == key] or absent:
            if decide(recorded.get(key, []), row, effective_date, options)[0] == OUT_OF_ORDER:
                slugs.add(OUT_OF_ORDER)
    open_keys = {version.key for version in history if version.is_current}
    closing = open_keys - in_source if options.close_on_absence else set()
    if open_keys and len(closing) / len(open_keys) > options.max_closed_fraction:
        slugs.add("too_many_closed")
    return slugs


def _dates(rows: Sequence[Row], effective_date: Moment | None, options: Options) -> list[Moment]:
    """The run's date; several or none only where the rows bring it and disagree or are missing."""
    if options.date_from_rows:
        return sorted({row.effective_date for row in rows if row.effective_date is not None})
    assert effective_date is not None, "give a date or let it come from the rows"
    return [effective_date]


def _opened(row: Row, effective_date: Moment, options: Options) -> Version:
    return Version(row.key, row.tracked, row.carried, effective_date, options.max_date, True)


def _same(left: Values, right: Values) -> bool:
    """Column by column and null-safe: two nulls are the same, a null and a value are not."""
    return all(a is b if a is None or b is None else a == b for a, b in zip(left, right, strict=True))


def by_key(history: Iterable[Version]) -> dict[Key, list[Version]]:
    """The versions of each key."""
    versions: dict[Key, list[Version]] = {}
    for version in history:
        versions.setdefault(version.key, []).append(version)
    return versions


def _counts(counted: Mapping[str, int]) -> dict[str, int]:
    return {action: counted.get(action, 0) for action in ACTIONS}


def _moment_text(moment: Moment | None) -> str:
    if moment is None:
        return "no effective date"
    return moment.isoformat(sep=" ") if isinstance(moment, datetime) else moment.isoformat()
