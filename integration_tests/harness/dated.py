"""Dated inputs in few words, and stories that are told under each strategy."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from batch import MAX, Row, Stories, Story, text

STRATEGIES = ("rebuild", "merge")
LOG: dict[str, Any] = {
    "input_kind": "change_log",
    "effective_date": None,
    "effective_date_column": "d",
    "deleted_when": "gone",
}
SERIES: dict[str, Any] = {"input_kind": "snapshot_series", "effective_date": None, "effective_date_column": "d"}
VERSIONS = "k, v, valid_from, valid_to, is_current"
GONE = "(gone)"


class BothStrategies(Stories):
    """Stories that are told twice, `<model>_rebuild` and `<model>_merge`, unless they name their strategy.

    In the statements before a day and in the options `{model}` is the model's name. Only `merge` is run once more at
    the end.
    """

    def add(self, story: Story) -> None:
        if "scd2_strategy" in story.config:
            super().add(story)
            return
        for strategy in STRATEGIES:
            model = f"{story.model}_{strategy}"
            days = [
                replace(day, before=day.before.replace("{model}", model), config=_named(day.config, model))
                for day in story.days
            ]
            config = _named({**story.config, "scd2_strategy": strategy}, model)
            table = story.table.replace("{model}", model)
            repeat = story.repeat and strategy == "merge"
            super().add(replace(story, model=model, days=days, config=config, table=table, repeat=repeat))


def _named(options: dict[str, Any], model: str) -> dict[str, Any]:
    return {key: value.replace("{model}", model) if isinstance(value, str) else value for key, value in options.items()}


def jan(day: int) -> date:
    """A day of January 2026."""
    return date(2026, 1, day)


def version(key: str, value: str | None, start: int, end: int | None = None) -> Row:
    """A version by days of January 2026; without an end it is open."""
    return (key, value, jan(start), jan(end) if end else MAX, end is None)


def dated(*rows: tuple[str, str | None, int | str], kind: str = "date") -> str:
    """A source of k, v, d, gone from (key, value, day of January 2026 or a date as text).

    GONE as the value makes a deletion, which has no values.
    """
    lines = [
        f"({text(key)}, {text(None if value == GONE else value)}, {text(str(jan(d)) if isinstance(d, int) else d)},"
        f" {'true' if value == GONE else 'false'})"
        for key, value, d in rows or [("", None, 1)]
    ]
    return (
        f"select k::varchar as k, v::varchar as v, d::{kind} as d, gone::boolean as gone"
        f" from (values {', '.join(lines)}) t(k, v, d, gone){'' if rows else ' where false'}"
    )


def report(
    dates: str,
    opened: int = 0,
    changed: int = 0,
    restated: int = 0,
    closed: int = 0,
    removed: int = 0,
    unchanged: int = 0,
    **more: int,
) -> str:
    """The report line; `more` are the counts that only some configurations have, e.g. skipped=1."""
    counts = {"opened": opened, "changed": changed, "restated": restated, "closed": closed, "removed": removed}
    counts |= {"unchanged": unchanged, **more}
    return f"SCD2 {dates}: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
