"""Many short histories told in few dbt invocations.

A story is one model and what its source holds on successive days. All stories of a test file share a project:
each day is one `dbt run` of every story that is still being told. After its last day a story is run once more
with the same source (unless repeat=False), so that a test can say that a repeated run changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import pytest
from engines import ENGINE, Session, local
from project import Project

MAX = date(9999, 12, 31)
DATES = D1, D2, D3, D4, D5 = [date(2026, month, 1) for month in range(1, 6)]
DEFAULTS = {"unique_key": "k", "tracked_columns": ["v"]}

Row = tuple[Any, ...]
Test = TypeVar("Test", bound=Callable[..., None])


def text(value: str | None) -> str:
    """A text as SQL."""
    return "null" if value is None else "'" + value.replace("'", "''") + "'"


def kv(*rows: tuple[str, str | None]) -> str:
    """A source of a text key `k` and one text column `v`."""
    lines = ", ".join(f"({text(k)}, {text(v)})" for k, v in rows)
    return f"select k::varchar as k, v::varchar as v from (values {lines}) t(k, v)"


@dataclass(frozen=True)
class Day:
    """One run of a story: the source as a query (None: as it was), options that differ from now on (None: no
    longer set), and statements that are executed before the run."""

    source: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    before: str = ""


@dataclass(frozen=True)
class Story:
    """A model and its days. `{source}` in the model's SQL is the table that holds the day's source.

    `needs` names the engine whose SQL the story is written in, if only one understands it; the others do not play it.
    """

    model: str
    days: Sequence[Day]
    config: dict[str, Any]
    sql: str = "select * from {source}"
    table: str = ""
    show: str = "*"
    standard: dict[str, Any] = field(default_factory=dict)
    repeat: bool = True
    needs: str = ""

    @property
    def runs(self) -> int:
        return len(self.days) + self.repeat

    @property
    def source(self) -> str:
        return f"main.src_{self.model}"

    def config_on(self, number: int) -> dict[str, Any]:
        """The options of a run. The effective date is a literal: a var that changes would parse everything anew."""
        config = DEFAULTS | {"effective_date": str(DATES[number])} | self.config
        for day in self.days[: number + 1]:
            config = config | day.config
        return {key: value for key, value in config.items() if value is not None}


@dataclass
class Told:
    """What a story left behind: after each run the whole table (None: there is none), its columns, dbt's message."""

    model: str
    rows: list[list[Row] | None] = field(default_factory=list)
    columns: list[dict[str, str]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    @property
    def changed_by_repetition(self) -> bool:
        return (self.rows[-1], self.columns[-1]) != (self.rows[-2], self.columns[-2])

    def refused(self, run: int, slug: str, *words: str) -> bool:
        """Whether a guard stopped the run, named what it should and left the table as it was."""
        message = self.messages[run]
        expected = (f"scd2_master [{slug}] model.shop.{self.model}: ", *map(local, words))
        missing = [word for word in expected if word not in message]
        assert not missing, f"{missing} not in: {message}"
        if run:
            assert self.rows[run] == self.rows[run - 1]
            assert self.columns[run] == self.columns[run - 1]
        return True


class Stories:
    """The stories of one test file, in the order in which they are written down."""

    def __init__(self) -> None:
        self._stories: dict[str, Story] = {}

    def __iter__(self) -> Iterator[Story]:
        return (story for story in self._stories.values() if story.needs in ("", ENGINE))

    def add(self, story: Story) -> None:
        assert story.model not in self._stories, f"two stories are called {story.model}"
        self._stories[story.model] = story

    def repeated(self) -> list[str]:
        """The models whose last run repeated the one before it."""
        return [story.model for story in self if story.repeat]

    def tell(
        self,
        model: str,
        *days: str | Day,
        sql: str = "select * from {source}",
        table: str = "",
        show: str = "*",
        standard: dict[str, Any] | None = None,
        repeat: bool = True,
        needs: str = "",
        **config: Any,
    ) -> Callable[[Test], Test]:
        """Tell a story for the decorated test, which receives its end as `told`."""
        parts = [day if isinstance(day, Day) else Day(day) for day in days]
        self.add(Story(model, parts, config, sql, table, show, standard or {}, repeat, needs))

        def remember(test: Test) -> Test:
            test.story = model  # type: ignore[attr-defined]
            if needs not in ("", ENGINE):
                return pytest.mark.skip(reason=f"is written in the SQL of {needs}")(test)
            return test

        return remember


def play(root: Path, stories: Stories) -> dict[str, Told]:
    """Run every story in a project under `root` to its end."""
    return perform(stage(root), stories)


def stage(root: Path) -> Project:
    """A project for stories under `root`. On DuckDB a second database `other` is attached."""
    other = {"attach": [{"path": str(root / "other.duckdb"), "alias": "other"}]}
    return Project(root, profile=other if ENGINE == "duckdb" else None)


def perform(project: Project, stories: Stories) -> dict[str, Told]:
    """Run every story to its end."""
    other = project.root / "other.duckdb"
    attach = f"attach if not exists '{other}' as other" if ENGINE == "duckdb" else "select 1"
    told = {story.model: Told(story.model) for story in stories}
    for number in range(max(story.runs for story in stories)):
        playing = [story for story in stories if number < story.runs]
        with project.engine.session() as session:
            session.execute(attach)
            for story in playing:
                _prepare(project, session, story, number)
        run = project.run(*[story.model for story in playing])
        assert run.statuses, run.log
        with project.engine.session() as session:
            session.execute(attach)
            for story in playing:
                _record(session, story, told[story.model])
                told[story.model].messages.append(run.messages[story.model])
    return told


def _prepare(project: Project, session: Session, story: Story, number: int) -> None:
    sql = story.sql.replace("{source}", story.source)
    project.model(story.model, sql, story.config_on(number), **story.standard)
    if number < len(story.days):
        day = story.days[number]
        if day.source is not None:
            session.replace(story.source, f"as {day.source}")
        if day.before:
            session.execute(day.before)


def _record(session: Session, story: Story, told: Told) -> None:
    table = story.table or f"main.{story.model}"
    exists = session.exists(table)
    told.columns.append(dict(session.columns(table)) if exists else {})
    told.rows.append(session.in_order(f"select {story.show} from {table}") if exists else None)
