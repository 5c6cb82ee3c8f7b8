"""What stands close to a guard and is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from guards import APR, JAN, JUL, MAX, findings
from project import Project, Run

LEGACY_2025 = date(2025, 1, 1)


def _model(project: Project, name: str, day: date, rows: Sequence[tuple[Any, ...]], **options: Any) -> None:
    project.table(f"source_of_{name}", "id varchar, region varchar", rows)
    base: Mapping[str, Any] = {"unique_key": "id", "tracked_columns": ["region"], "effective_date": day.isoformat()}
    project.model(name, f"select * from main.source_of_{name}", {**base, **options})


def _report(run: Run, model: str) -> str:
    return run.messages[model]


def test_another_prior_may_be_used_again_on_the_same_date_and_once_it_has_caught_up(project: Project) -> None:
    prior = {"prior_relation": "main.legacy"}
    project.table(
        "legacy",
        "id varchar, region varchar, valid_from date, valid_to date, is_current boolean",
        [("A", "West", LEGACY_2025, MAX, True), ("B", "East", LEGACY_2025, MAX, True)],
    )
    from_legacy = [
        ("A", "Central", APR, MAX, True),
        ("A", "West", LEGACY_2025, APR, False),
        ("B", "East", LEGACY_2025, MAX, True),
    ]
    _model(project, "customer", APR, [("A", "Central"), ("B", "East")], **prior)
    run = project.run()
    assert project.history("customer") == from_legacy, run.log

    run = project.run()
    assert project.history("customer") == from_legacy, run.log

    _model(project, "customer", JUL, [("A", "Central"), ("B", "North")], **prior)
    run = project.run()
    assert set(findings(_report(run, "customer"), "customer")) == {"prior_would_discard"}
    assert "2026-04-01" in _report(run, "customer")
    assert project.history("customer") == from_legacy

    # The prior's latest boundary is now the own table's latest: nothing that is later would be lost.
    project.execute("update legacy set region = 'Central', valid_from = '2026-04-01' where id = 'A'")
    run = project.run()
    assert project.history("customer") == [
        ("A", "Central", APR, MAX, True),
        ("B", "East", LEGACY_2025, JUL, False),
        ("B", "North", JUL, MAX, True),
    ], run.log


def test_another_prior_may_be_named_in_one_two_or_three_parts_and_be_a_view(project: Project) -> None:
    project.table(
        "Legacy",
        "id varchar, region varchar, valid_from date, valid_to date, is_current boolean",
        [("A", "West", LEGACY_2025, MAX, True)],
    )
    project.execute("create view legacy_view as select * from main.legacy")
    project.execute("create schema old")
    project.execute(
        "create table old.legacy as"
        " select id, 'East'::varchar as region, valid_from, valid_to, is_current from main.legacy"
    )
    names = {
        "one_part": "Legacy",
        "one_part_in_another_case": "LEGACY",
        "two_parts": "main.legacy",
        "three_parts": "warehouse.main.legacy",
        "a_view": "legacy_view",
        "another_schema": "old.legacy",
        "another_schema_in_three_parts": "warehouse.old.legacy",
    }
    for model, name in names.items():
        _model(project, model, APR, [("A", "Central")], prior_relation=name)
    run = project.run()
    for model in names:
        before = "East" if "another_schema" in model else "West"
        assert project.history(model) == [
            ("A", "Central", APR, MAX, True),
            ("A", before, LEGACY_2025, APR, False),
        ], run.messages[model]


def test_an_empty_source_changes_nothing_unless_it_is_allowed_to_close(project: Project) -> None:
    rows = [("A", "West"), ("B", "East")]
    _model(project, "kept", JAN, rows)
    _model(project, "closed", JAN, rows, close_on_absence=True, allow_empty_source=True)
    _model(project, "removed", APR, rows, close_on_absence=True, allow_empty_source=True)
    run = project.run()
    opened = [("A", "West", JAN, MAX, True), ("B", "East", JAN, MAX, True)]
    assert project.history("kept") == project.history("closed") == opened, run.log
    assert project.history("removed") == [("A", "West", APR, MAX, True), ("B", "East", APR, MAX, True)]

    _model(project, "kept", APR, [])
    _model(project, "closed", APR, [], close_on_absence=True, allow_empty_source=True)
    _model(project, "removed", APR, [], close_on_absence=True, allow_empty_source=True)
    _model(project, "never_any", APR, [], close_on_absence=True)
    dated = {"effective_date": None, "effective_date_column": "valid_from", "close_on_absence": True}
    project.table("no_dates", "id varchar, region varchar, valid_from date")
    project.model(
        "no_date", "select * from main.no_dates", {"unique_key": "id", "tracked_columns": ["region"], **dated}
    )
    run = project.run()
    assert project.history("kept") == opened, run.log
    assert _report(run, "kept") == "SCD2 2026-04-01: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 2 unchanged"
    assert project.history("closed") == [("A", "West", JAN, APR, False), ("B", "East", JAN, APR, False)]
    assert (
        _report(run, "closed") == "SCD2 2026-04-01: 0 opened, 0 changed, 0 restated, 2 closed, 0 removed, 0 unchanged"
    )
    assert project.history("removed") == []
    assert _report(run, "removed") == (
        "SCD2 2026-04-01: 0 opened, 0 changed, 0 restated, 0 closed, 2 removed, 0 unchanged"
    )
    result = [("id", "VARCHAR"), ("region", "VARCHAR"), ("valid_from", "DATE"), ("valid_to", "DATE")]
    for empty in ("never_any", "no_date"):
        assert project.history(empty) == []
        assert project.columns(empty) == [*result, ("is_current", "BOOLEAN")]
    assert _report(run, "no_date") == (
        "SCD2 no effective date: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 0 unchanged"
    )

    # All versions are closed: an empty source has nothing left to close and is no error.
    _model(project, "closed", JUL, [], close_on_absence=True)
    run = project.run("closed")
    assert project.history("closed") == [("A", "West", JAN, APR, False), ("B", "East", JAN, APR, False)]
    assert (
        _report(run, "closed") == "SCD2 2026-07-01: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 0 unchanged"
    )


def test_an_empty_source_with_a_date_column_changes_nothing_when_absence_means_nothing(project: Project) -> None:
    options = {"unique_key": "id", "tracked_columns": ["region"], "effective_date_column": "valid_from"}
    project.table("dated", "id varchar, region varchar, valid_from date", [("A", "West", JAN)])
    project.model("customer", "select * from main.dated", options)
    project.run()
    project.execute("delete from dated")
    run = project.run()
    assert project.history("customer") == [("A", "West", JAN, MAX, True)]
    assert _report(run, "customer") == (
        "SCD2 no effective date: 0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 1 unchanged"
    )


def test_as_many_versions_may_be_closed_as_the_fraction_says(project: Project) -> None:
    four = [(key, "West") for key in "ABCD"]
    hundred = [(f"K{number:02}", "West") for number in range(100)]
    limits = {"at_half": 0.5, "below_half": 0.5, "at_none": 0, "at_all": 1, "changes_do_not_count": 0.0}
    for model, limit in limits.items():
        _model(project, model, JAN, four, close_on_absence=True, max_closed_fraction=limit)
    _model(project, "hundred", JAN, hundred, close_on_absence=True, max_closed_fraction=0.29)
    project.run()

    sources = {
        "at_half": four[:2],
        "below_half": four[:3],
        "at_none": four,
        "at_all": [("E", "West")],
        "changes_do_not_count": [(key, "East") for key, _ in four],
    }
    for model, limit in limits.items():
        _model(project, model, APR, sources[model], close_on_absence=True, max_closed_fraction=limit)
    _model(project, "hundred", APR, hundred[29:], close_on_absence=True, max_closed_fraction=0.29)
    run = project.run()

    def closed(keys: str) -> list[tuple[Any, ...]]:
        return [(key, "West", JAN, APR if key in keys else MAX, key not in keys) for key in "ABCD"]

    assert project.history("at_half") == closed("CD"), run.log
    assert project.history("below_half") == closed("D")
    assert project.history("at_none") == closed("")
    assert project.history("at_all") == [*closed("ABCD"), ("E", "West", APR, MAX, True)]
    assert project.history("changes_do_not_count") == sorted(
        [*closed("ABCD"), *((key, "East", APR, MAX, True) for key in "ABCD")]
    )
    assert project.history("hundred") == [
        (key, region, JAN, APR if number < 29 else MAX, number >= 29) for number, (key, region) in enumerate(hundred)
    ]


def test_one_more_than_the_fraction_of_a_hundred_is_refused(project: Project) -> None:
    hundred = [(f"K{number:02}", "West") for number in range(100)]
    _model(project, "hundred", JAN, hundred, close_on_absence=True, max_closed_fraction=0.29)
    project.run()
    before = project.history("hundred")
    _model(project, "hundred", APR, hundred[30:], close_on_absence=True, max_closed_fraction=0.29)
    run = project.run()
    assert set(findings(_report(run, "hundred"), "hundred")) == {"too_many_closed"}
    assert project.history("hundred") == before
    assert len(before) == 100


def test_keys_that_the_run_does_not_affect_may_begin_after_the_effective_date(project: Project) -> None:
    rows = [("A", "West"), ("B", "East"), ("C", "East")]
    for model in ("absence_off", "absence_on"):
        _model(project, model, JAN, rows, close_on_absence=model == "absence_on")
    project.run()
    for model in ("absence_off", "absence_on"):
        project.execute(f"update {model} set valid_from = '2026-07-01' where id = 'B'")
        project.execute(
            f"insert into {model} values ('Z', 'North', '2026-05-01', '2026-06-01', false),"
            " ('C', 'South', '2025-05-01', '2025-06-01', false)"
        )
    # B starts later than D and is equal; Z ended later than D and is still absent; C is absent with absence off.
    _model(project, "absence_off", APR, [("A", "Central"), ("B", "East")])
    _model(project, "absence_on", APR, [("A", "Central"), ("B", "East")], close_on_absence=True)
    run = project.run()
    untouched = [
        ("A", "Central", APR, MAX, True),
        ("A", "West", JAN, APR, False),
        ("B", "East", JUL, MAX, True),
    ]
    ended = ("Z", "North", date(2026, 5, 1), date(2026, 6, 1), False)
    early = ("C", "South", date(2025, 5, 1), date(2025, 6, 1), False)
    assert project.history("absence_off") == [*untouched, ("C", "East", JAN, MAX, True), early, ended], run.log
    assert project.history("absence_on") == [*untouched, ("C", "East", JAN, APR, False), early, ended]


def test_a_key_may_return_on_the_day_it_ended_and_may_lack_an_open_version(project: Project) -> None:
    _model(project, "customer", JAN, [("A", "West")])
    project.run()
    project.execute("update customer set valid_to = '2026-04-01', is_current = false")
    _model(project, "customer", APR, [("A", "East")])
    run = project.run()
    assert project.history("customer") == [("A", "East", APR, MAX, True), ("A", "West", JAN, APR, False)], run.log
