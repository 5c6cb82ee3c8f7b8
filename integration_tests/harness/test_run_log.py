"""The run log: `vars: {scd2_run_log: true}` appends a row per run to a table of the package."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from project import Project

LOG = {"scd2_run_log": True}
OPTIONS = {"unique_key": "k", "tracked_columns": ["v"], "close_on_absence": True}
SHOWN = """model, first_effective_date, effective_date, scd2_strategy, source_rows, opened, changed,
    restated, closed, removed, unchanged, reopened, type_1_updated, skipped"""
ROWS = f"select {SHOWN} from main.scd2_run_log order by started_at, model"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.table("source", "k varchar, v varchar", [("C1", "West"), ("C2", "East"), ("C3", "North")])
    project.model("customers", "select * from main.source", OPTIONS | {"effective_date": "2026-01-01"})
    return project


def test_each_run_appends_a_row_with_its_date_counts_and_time(shop: Project) -> None:
    before = datetime.now(UTC).replace(tzinfo=None)
    shop.table(
        "dated", "k varchar, v varchar, d timestamp", [("C1", "a", "2026-02-01"), ("C1", "b", "2026-03-01 08:00")]
    )
    dated = {
        "unique_key": "k",
        "tracked_columns": ["v"],
        "effective_date_column": "d",
        "validity_type": "timestamp",
        "input_kind": "snapshot_series",
        "scd2_strategy": "merge",
        "coalesce_versions": True,
    }
    shop.model("dated_scd2", "select * from main.dated", dated)
    first = shop.run("customers", "dated_scd2", vars=LOG)
    assert first.success, first.log
    shop.table("source", "k varchar, v varchar", [("C1", "Central"), ("C2", "East"), ("C4", "South"), ("C5", "South")])
    shop.model("customers", "select * from main.source", OPTIONS | {"effective_date": "2026-04-01"})
    second = shop.run("customers", vars=LOG)
    assert second.success, second.log
    # one parse with the var, two days: the rows are in the order of the runs
    assert sorted(shop.rows(ROWS)[:2]) == [
        ("model.shop.customers", *[datetime(2026, 1, 1)] * 2, "rebuild", 3, 3, 0, 0, 0, 0, 0, None, None, None),
        (
            *("model.shop.dated_scd2", datetime(2026, 2, 1), datetime(2026, 3, 1, 8), "merge"),
            *(2, 1, 1, 0, 0, 0, 0, 0, None, 0),
        ),
    ]
    assert shop.rows(ROWS)[2:] == [
        ("model.shop.customers", *[datetime(2026, 4, 1)] * 2, "rebuild", 4, 2, 1, 0, 1, 0, 1, None, None, None),
    ]
    now = datetime.now(UTC).replace(tzinfo=None)
    times = shop.rows("select invocation_id, started_at, seconds from main.scd2_run_log order by started_at")
    assert [row[0] == times[0][0] for row in times] == [True, True, False]
    assert all(before <= started and seconds > 0 for _, started, seconds in times)
    assert all(started + timedelta(seconds=float(seconds)) <= now for _, started, seconds in times)


def test_without_the_var_there_is_no_log_and_no_model(shop: Project) -> None:
    run = shop.run()
    assert run.statuses == {"customers": "success"}
    assert shop.relations() == ["main.customers", "main.source"]


def test_a_run_that_fails_before_its_commit_leaves_no_row(shop: Project) -> None:
    shop.model(
        "customers",
        "select * from main.source",
        OPTIONS | {"effective_date": "2026-01-01"},
        post_hook="select error('stopped')",
    )
    run = shop.run("customers", vars=LOG)
    assert "stopped" in run.messages["customers"]
    assert shop.rows(ROWS) == []


def test_plans_and_refused_runs_are_not_logged(shop: Project) -> None:
    plan = shop.run(vars=LOG | {"scd2_plan": True})
    assert plan.statuses == {"customers": "success", "scd2_run_log": "success"}
    assert shop.relations() == ["main.source"]
    shop.table("source", "k varchar, v varchar", [("C1", "West"), ("C1", "East")])
    assert not shop.run("customers", vars=LOG).success
    assert shop.rows(ROWS) == []


def test_the_log_is_a_model_with_tests_that_keeps_its_rows(shop: Project) -> None:
    build = shop.dbt("build", vars=LOG)
    assert build.success, build.log
    rows = shop.rows("select * from main.scd2_run_log")
    assert len(rows) == 1
    again = shop.dbt("build", "-s", "scd2_run_log", "--full-refresh", vars=LOG)
    assert again.statuses == {
        "scd2_run_log": "success",
        **{f"not_null_scd2_run_log_{name}": "pass" for name in NOT_NULL},
    }
    assert shop.rows("select * from main.scd2_run_log") == rows


NOT_NULL = ["invocation_id", "model", "source_rows", "started_at", "seconds"]


def test_the_tests_of_the_log_fail_on_nulls(shop: Project) -> None:
    shop.dbt("build", "-s", "scd2_run_log", vars=LOG)
    shop.execute("insert into main.scd2_run_log (opened) values (1)")
    run = shop.dbt("test", "-s", "scd2_run_log", vars=LOG)
    assert run.statuses == {f"not_null_scd2_run_log_{name}": "fail" for name in NOT_NULL}


def test_many_models_at_once_share_a_log_that_none_of_them_finds(tmp_path: Path) -> None:
    project = Project(tmp_path, profile={"threads": 8})
    names = [f"m{number:02}" for number in range(12)]
    for name in names:
        project.model(name, "select 1 as k, 2 as v", OPTIONS | {"effective_date": "2026-01-01"})
    for flags in (["--select", "*"], ["--exclude", "scd2_run_log"]):
        run = project.dbt("run", *flags, vars=LOG)
        assert run.success, run.log
        logged = project.rows("select model from main.scd2_run_log order by 1")
        assert logged == [(f"model.shop.{name}",) for name in names]
        project.execute("drop table main.scd2_run_log")


def test_the_log_stands_where_the_project_configures_its_model(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"models": {"scd2_master": {"+schema": "audit", "+alias": "history runs"}}}
    project = Project(tmp_path, project=settings)
    project.model("customers", "select 1 as k, 2 as v", OPTIONS | {"effective_date": "2026-01-01"})
    run = project.run("customers", vars=LOG)
    assert run.success, run.log
    assert project.rows('select model, opened from main_audit."history runs"') == [("model.shop.customers", 1)]


def test_a_log_model_that_the_project_disables_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path, project={"models": {"scd2_master": {"+enabled": False}}})
    project.model("customers", "select 1 as k, 2 as v", OPTIONS | {"effective_date": "2026-01-01"})
    run = project.run("customers", vars=LOG)
    assert (
        "scd2_master [invalid_option] model.shop.customers: var('scd2_run_log') is True, and the project disables the "
        "model scd2_run_log of the package. Correct the option, or remove it."
    ) in run.messages["customers"]
    assert project.relations() == []


def test_a_view_in_the_place_of_the_log_is_refused_before_anything_is_written(shop: Project) -> None:
    shop.execute("create view main.scd2_run_log as select 1 as x")
    run = shop.run(vars=LOG)
    for model in ("model.shop.customers", "model.scd2_master.scd2_run_log"):
        said = f'scd2_master [target_not_table] {model}: "warehouse"."main"."scd2_run_log" exists and is a view'
        assert said in run.messages[model.split(".")[-1]]
    assert shop.relations() == ["main.scd2_run_log", "main.source"]
