"""Cases that provoke a guard, played many at a time: a good run, a refused run, a repaired run.

A case is played in up to two variants: with a history of its own, and on the model's first run, when the table
must not exist afterwards. All variants share the three dbt invocations. Every second one is played under
`scd2_strategy: merge`, unless it starts from another prior.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from project import Project, Run

Rows = Sequence[tuple[Any, ...]]
Options = Mapping[str, Any]

JAN, APR, JUL = date(2026, 1, 1), date(2026, 4, 1), date(2026, 7, 1)
MAX = date(9999, 12, 31)
UNSET = object()

COLUMNS = "customer_id varchar, region varchar, segment varchar"
FIRST: Rows = [("C1", "West", "SMB"), ("C2", "East", "Enterprise")]
SECOND: Rows = [("C1", "Central", "SMB"), ("C2", "East", "Enterprise")]
AFTER: Rows = [
    ("C1", "Central", "SMB", APR, MAX, True),
    ("C1", "West", "SMB", JAN, APR, False),
    ("C2", "East", "Enterprise", JAN, MAX, True),
]
AFTER_FIRST: Rows = [
    ("C1", "Central", "SMB", APR, MAX, True),
    ("C2", "East", "Enterprise", APR, MAX, True),
]


@dataclass(frozen=True)
class Case:
    """One way to provoke one guard.

    `options` hold for all runs, `bad_options` and `good_options` come on top in the refused and in the repaired run.
    `setup` and `repair` are SQL before the refused and the repaired run; in them `{table}` is the model's name. The
    patterns of `says` must be found in the message, those of `silent_on` must not. `after` and `after_first` are
    the whole table after the repaired run; None means that the guard cannot fire in that variant. `needs` names the
    engine whose types the case has, if it is of one alone.
    """

    name: str
    slug: str
    says: tuple[str, ...]
    silent_on: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    columns: str = COLUMNS
    first_rows: Rows = field(default_factory=lambda: FIRST)
    good_rows: Rows = field(default_factory=lambda: SECOND)
    bad_columns: str = ""
    bad_rows: Rows | None = None
    options: Options = field(default_factory=dict)
    bad_options: Options = field(default_factory=dict)
    good_options: Options = field(default_factory=dict)
    setup: str = ""
    repair: str = ""
    after: Rows | None = field(default_factory=lambda: AFTER)
    after_first: Rows | None = field(default_factory=lambda: AFTER_FIRST)
    needs: str = ""


@dataclass(frozen=True)
class Variant:
    """A case with a history or on the model's first run."""

    case: Case
    first_run: bool
    strategy: str = "rebuild"

    @property
    def model(self) -> str:
        return f"{self.case.name}_first" if self.first_run else self.case.name

    @property
    def expected(self) -> Rows:
        return (self.case.after_first if self.first_run else self.case.after) or []


@dataclass(frozen=True)
class Outcome:
    """What was seen of one variant; a table that does not exist is None."""

    before: Rows | None
    refused: Rows | None
    repaired: Rows | None
    refusal: str
    report: str
    left_by_refused: list[str]
    left_by_repaired: list[str]


def variants(cases: Sequence[Case]) -> list[Variant]:
    """Every case in each variant in which its guard can fire."""
    played = [Variant(case, first_run=False) for case in cases if case.after is not None]
    played += [Variant(case, first_run=True) for case in cases if case.after_first is not None]
    return [
        replace(variant, strategy="merge") if number % 2 and not _has_another_prior(variant.case) else variant
        for number, variant in enumerate(played)
    ]


def _has_another_prior(case: Case) -> bool:
    return any("prior_relation" in options for options in (case.options, case.bad_options, case.good_options))


def findings(message: str, model: str) -> dict[str, str]:
    """The message's findings on a model: slug -> text, without dbt's own lines about where it was raised."""
    raised = re.split(r"\n\s*\n\s*> in macro ", message)[0]
    parts = re.split(rf"scd2_master \[(\w+)\] model\.shop\.{re.escape(model)}: ", raised)
    found: dict[str, str] = {}
    for slug, text in zip(parts[1::2], parts[2::2], strict=True):
        found[slug] = found.get(slug, "") + text
    return found


def with_options(*layers: Options) -> dict[str, Any]:
    """The layers one over the other, without what is UNSET in the end."""
    merged = {key: value for layer in layers for key, value in layer.items()}
    return {key: value for key, value in merged.items() if value is not UNSET}


def play(root: Path, cases: Sequence[Case]) -> dict[str, Outcome]:
    """Good run, refused run, repaired run of all variants in one project; outcomes by model."""
    project = Project(root)
    played = variants(cases)
    names = [variant.model for variant in played]

    for variant in played:
        if not variant.first_run:
            _write(project, variant, JAN, variant.case.columns, variant.case.first_rows, {})
    _run(project)

    for variant in played:
        case = variant.case
        rows = case.good_rows if case.bad_rows is None else case.bad_rows
        _write(project, variant, APR, case.bad_columns or case.columns, rows, case.bad_options)
        _execute(project, variant, case.setup)
    before, start = _tables(project, names), project.relations()
    refused_run = _run(project)
    refused, left_by_refused = _tables(project, names), _added(project, start)

    for variant in played:
        case = variant.case
        _write(project, variant, APR, case.columns, case.good_rows, case.good_options)
        _execute(project, variant, case.repair)
    start = [*project.relations(), *(f"main.{name}" for name in names)]
    repaired_run = _run(project)
    repaired, left_by_repaired = _tables(project, names), _added(project, start)

    return {
        name: Outcome(
            before=before[name],
            refused=refused[name],
            repaired=repaired[name],
            refusal=refused_run.messages[name],
            report=repaired_run.messages[name],
            left_by_refused=[relation for relation in left_by_refused if name in relation],
            left_by_repaired=[relation for relation in left_by_repaired if name in relation],
        )
        for name in names
    }


def _write(project: Project, variant: Variant, day: date, columns: str, rows: Rows, options: Options) -> None:
    defaults = {"unique_key": "customer_id", "tracked_columns": ["region"], "effective_date": day.isoformat()}
    source = f"source_of_{variant.model}"
    project.table(source, columns, rows)
    config = with_options({**defaults, "scd2_strategy": variant.strategy}, variant.case.options, options)
    project.model(variant.model, f"select * from main.{source}", _renamed(config, variant.model))


def _renamed(value: Any, model: str) -> Any:
    """`{table}` in option texts replaced by the model's name."""
    if isinstance(value, Mapping):
        return {key: _renamed(item, model) for key, item in value.items()}
    return value.replace("{table}", model) if isinstance(value, str) else value


def _execute(project: Project, variant: Variant, sql: str) -> None:
    if sql:
        project.execute(sql.replace("{table}", variant.model))


def _run(project: Project) -> Run:
    run = project.run()
    assert run.messages, f"dbt did not get as far as a model: {run.exception}\n{run.log}"
    return run


def _tables(project: Project, names: Sequence[str]) -> dict[str, Rows | None]:
    existing = set(project.relations())
    return {name: project.history(name) if f"main.{name}" in existing else None for name in names}


def _added(project: Project, start: Sequence[str]) -> list[str]:
    return [relation for relation in project.relations() if relation not in start]
