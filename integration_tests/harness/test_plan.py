"""`--vars '{scd2_plan: true}'`: what a run would do, printed; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from engines import local
from project import Project, Run

BASE = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "2026-04-01"}
FIRST = BASE | {"effective_date": "2026-01-01"}
COLUMNS = "k varchar, v varchar, w integer, t varchar"
PLAN = {"scd2_plan": True}

# model: (options, recorded versions, source)
SNAPSHOT: list[tuple[Any, ...]] = [
    ("C1", "West", 1, "a"),
    ("C2", None, 2, "b"),
    ("C3", "North", 3, "c"),
    ("C4", "South", 4, "d"),
]
NEXT_SNAPSHOT: list[tuple[Any, ...]] = [
    ("C1", "Central", 2, "a"),
    ("C2", "East", 2, "b"),
    ("C4", "South", 5, "x"),
    ("C5", "a text of more than forty letters,\nin two lines", None, "e"),
]
MANY = [(f"C{number}", "West", number, "a") for number in range(1, 8)]


@dataclass
class Planned:
    """The project before and after the plan and after the run that was planned."""

    before: dict[str, Any]
    after: dict[str, Any]
    relations: tuple[list[str], list[str]]
    hooked: tuple[list[Any], list[Any]]
    plan: Run
    real: Run

    def text(self, model: str) -> list[str]:
        """What was printed for a model."""
        lines = self.plan.log.splitlines()
        start = next(n for n, line in enumerate(lines) if line.startswith(f"scd2_master plan of model.shop.{model},"))
        rest = lines[start + 1 :]
        end = next((n for n, line in enumerate(rest) if not line.startswith("  ")), len(rest))
        return lines[start : start + 1 + end]


def state(project: Project) -> dict[str, Any]:
    return {name: (project.columns(name), project.history(name)) for name in project.relations()}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    project = Project(tmp_path_factory.mktemp("plan"))
    project.table("snap", COLUMNS, SNAPSHOT)
    project.table("same_day", "k varchar, v varchar, w integer", [("C1", "West", 1), ("C2", "East", 2)])
    project.table("returned", "k varchar, v varchar", [("C1", "West")])
    project.table("many", COLUMNS, [])
    project.table("log", "k varchar, v varchar, t varchar, d date", [("C1", "West", "1", "2026-01-01")])
    project.table("series", "k varchar, v varchar, d date", [("C1", "West", "2026-01-01")])
    project.table("hooked", "x varchar", [])
    closing = {"close_on_absence": True}
    project.model("rebuilt", "select * from main.snap", FIRST | closing)
    project.model("merged", "select * from main.snap", FIRST | closing | {"scd2_strategy": "merge"})
    project.model("typed", "select k, v, t from main.snap where k < 'C5'", FIRST | {"type1_columns": ["t"]})
    project.model("same_day_scd2", "select * from main.same_day", BASE | closing)
    project.model("returned_scd2", "select * from main.returned", FIRST | closing | {"coalesce_versions": True})
    log = {"input_kind": "change_log", "deleted_when": "v = 'gone'", "type1_columns": ["t"]}
    dated = {"unique_key": "k", "tracked_columns": ["v"], "effective_date_column": "d"}
    project.model("logged", "select * from main.log", dated | log)
    project.model("stacked", "select * from main.series", dated | closing | {"input_kind": "snapshot_series"})
    project.model("widened", "select k, v, w from main.snap", FIRST)
    first = project.run()
    assert first.success, first.log

    project.execute("delete from main.returned")
    project.execute("insert into main.returned values ('C9', 'x')")
    project.model("returned_scd2", "select * from main.returned", BASE | closing | {"coalesce_versions": True})
    assert project.run("returned_scd2").success
    project.execute("insert into main.returned values ('C1', 'West')")

    project.table("snap", COLUMNS, NEXT_SNAPSHOT)
    project.table("same_day", "k varchar, v varchar, w integer", [("C1", "Central", 7)])
    project.table("many", COLUMNS, MANY)
    project.execute("""insert into main.log values ('C1', 'gone', '2', '2026-05-01'), ('C1', 'East', '2', '2026-06-01'),
        ('C1', 'South', '2', '2026-07-01')""")
    project.execute("insert into main.series values ('C1', 'East', '2026-02-01'), ('C2', 'x', '2026-03-01')")
    for model, config, sql in [
        ("rebuilt", closing, "select * from main.snap"),
        ("merged", closing | {"scd2_strategy": "merge"}, "select * from main.snap"),
        ("typed", {"type1_columns": ["t"]}, "select k, v, t from main.snap where k < 'C5'"),
        ("new", {}, "select * from main.many"),
        ("widened", {}, "select k, v, cast(w as bigint) as w, current_date as seen from main.snap where k = 'C4'"),
    ]:
        hooks = {f"{kind}_hook": f"insert into main.hooked values ('{kind} {model}')" for kind in ("pre", "post")}
        project.model(model, sql, BASE | config, **hooks)
    before = state(project)
    plan = project.run(vars=PLAN)
    assert plan.success, plan.log
    after = state(project)
    hooked = project.history("hooked")
    real = project.run()
    assert real.success, real.log
    both = (before.pop("main.hooked")[1], hooked)
    after.pop("main.hooked")
    return Planned(before, after, (list(before), list(after)), both, plan, real)


def test_a_plan_writes_nothing_and_creates_nothing(planned: Planned) -> None:
    assert planned.after == planned.before
    assert planned.relations[0] == planned.relations[1]
    assert "main.new" not in planned.relations[1]


def test_a_plan_runs_no_hooks(planned: Planned) -> None:
    assert planned.hooked == ([], [])


def test_a_plan_announces_what_the_run_then_reports(planned: Planned) -> None:
    announced = {model: message.replace("SCD2 plan ", "SCD2 ") for model, message in planned.plan.messages.items()}
    assert announced == planned.real.messages
    assert all(response["rows_affected"] == 0 for response in planned.plan.responses.values())


@pytest.mark.parametrize("model", ["rebuilt", "merged"])
def test_a_plan_shows_the_first_rows_of_each_action_with_old_and_new_values(planned: Planned, model: str) -> None:
    assert planned.text(model) == [
        f"scd2_master plan of model.shop.{model}, nothing is written: "
        "2026-04-01: 1 opened, 2 changed, 0 restated, 1 closed, 0 removed, 1 unchanged",
        "  opened (1)",
        "    C5: v a text of more than forty letters, in..., w null, t e",
        "  changed (2)",
        "    C1: v West -> Central, w 1 -> 2",
        "    C2: v null -> East",
        "  closed (1)",
        "    C3: v North, w 3, t c",
    ]


def test_a_plan_shows_restated_and_removed_versions(planned: Planned) -> None:
    assert planned.text("same_day_scd2")[1:] == [
        "  restated (1)",
        "    C1: v West -> Central, w 1 -> 7",
        "  removed (1)",
        "    C2: v East, w 2",
    ]


def test_a_plan_shows_reopened_versions(planned: Planned) -> None:
    assert planned.text("returned_scd2")[1:] == ["  reopened (1)", "    C1: v West"]


def test_a_plan_shows_type_1_values(planned: Planned) -> None:
    assert planned.text("typed")[1:] == [
        "  changed (2)",
        "    C1: v West -> Central",
        "    C2: v null -> East",
        "  type 1 updated (1)",
        "    C4: t x",
    ]


def test_a_plan_of_a_change_log_shows_each_event_with_its_date(planned: Planned) -> None:
    assert planned.text("logged")[1:] == [
        "  opened (1)",
        "    C1 at 2026-06-01: v East, t 2",
        "  changed (1)",
        "    C1 at 2026-07-01: v East -> South",
        "  closed (1)",
        "    C1 at 2026-05-01: v West, t 1",
        "  type 1 updated (1)",
        "    C1: t 2",
    ]


def test_a_plan_of_a_series_shows_each_event_with_its_date(planned: Planned) -> None:
    assert planned.text("stacked")[1:] == [
        "  opened (1)",
        "    C2 at 2026-03-01: v x",
        "  changed (1)",
        "    C1 at 2026-02-01: v West -> East",
        "  closed (1)",
        "    C1 at 2026-03-01: v East",
    ]


def test_a_plan_shows_five_rows_of_an_action_and_the_number_of_the_others(planned: Planned) -> None:
    assert planned.text("new")[1:] == [
        "  opened (7)",
        *[f"    C{number}: v West, w {number}, t a" for number in range(1, 6)],
        "    and 2 more",
    ]


def test_a_plan_names_the_columns_that_the_run_would_add_or_widen(planned: Planned) -> None:
    assert planned.text("widened")[1:] == [
        local("  column w becomes BIGINT, it was INTEGER"),
        "  column seen is added",
    ]


def test_a_plan_shows_values_whole_that_differ_late_and_no_control_characters(tmp_path: Path) -> None:
    project = Project(tmp_path)
    long = "a" * 45
    project.table("source", "k varchar, v varchar", [("C1", f"{long}1"), ("C2", "b")])
    project.model("late", "select * from main.source", FIRST)
    assert project.run("late").success
    project.table("source", "k varchar, v varchar", [("C1", f"{long}2"), ("C2", "x\ry\x1b[31m")])
    project.model("late", "select * from main.source", BASE)
    log = project.run("late", vars=PLAN).log
    assert f"    C1: v {long}1 -> {long}2\n    C2: v b -> x y [31m\n" in log


def test_a_guard_stops_a_plan_as_it_stops_the_run(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.model("double", "select 'C1' as k, v from (values (1), (2)) as t(v)", BASE)
    run = project.run(vars=PLAN)
    assert "scd2_master [duplicate_key] model.shop.double" in run.messages["double"]
    assert project.relations() == []


def test_a_plan_var_that_is_no_boolean_is_refused(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.model("one", "select 'C1' as k, 1 as v", BASE)
    run = project.run(vars={"scd2_plan": "yes"})
    assert "scd2_master [invalid_option] model.shop.one: var('scd2_plan') is 'yes', it must be true or false" in run.log
    assert project.relations() == []
