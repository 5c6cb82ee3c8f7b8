"""The run-operation `check_configs`: every configuration error of the project at once, and no data touched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from project import Project

OPTIONS = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "2026-01-01"}
MISTAKES = {"effective_date": "2026-02-30", "close_on_absense": True}
CHECK = ("run-operation", "scd2_master.check_configs")


def test_every_finding_of_every_model_comes_in_one_error_and_good_models_are_named(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.model("good", "select 1 as k, 2 as v", OPTIONS)
    project.model("under_meta", "select 1 as k, 2 as v", OPTIONS, meta=True)
    project.model("bad_date", "select 1 as k, 2 as v", OPTIONS | MISTAKES)
    project.model("empty", "select this is not sql", {"effective_date": "{day}"})
    project.model("disabled", "select 1 as k", {}, enabled=False)
    project.file("models/plain.sql", "select 1 as k")
    run = project.dbt(*CHECK)
    assert not run.success
    found = [line.strip() for line in run.log.splitlines() if line.strip().startswith("scd2_master ")]
    assert list(dict.fromkeys(found)) == [
        "scd2_master model.shop.bad_date: the config has close_on_absense, which is not an option. "
        "Did you mean close_on_absence?",
        "scd2_master model.shop.bad_date: 1 found",
        "scd2_master model.shop.empty: 3 found",
        "scd2_master model.shop.good: ok",
        "scd2_master model.shop.under_meta: ok",
        "scd2_master [invalid_date] model.shop.bad_date: effective_date '2026-02-30' is not a real date in its format. "
        "Use the form 'YYYY-MM-DD'.",
        "scd2_master [missing_unique_key] model.shop.empty: unique_key is not set, or empty. Name the business key.",
        "scd2_master [missing_tracked_columns] model.shop.empty: tracked_columns is not set, or empty. "
        "List the columns whose change opens a version, or write 'all'.",
        "scd2_master [undefined_token] model.shop.empty: effective_date uses {day} and there is no var of that name. "
        "Pass it with --vars, or use {current_date}, {current_month} or {current_timestamp}.",
    ]
    assert project.relations() == []


def test_the_exit_code_says_whether_something_was_found(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.model("customers", "select 1 as k, 2 as v", OPTIONS | {"effective_date": "{day}"})
    command = [str(Path(sys.executable).with_name("dbt")), "--quiet", *CHECK, "--profiles-dir", "."]
    bad = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (bad.returncode, "[undefined_token] model.shop.customers" in bad.stdout) == (1, True)
    vars = ["--vars", json.dumps({"day": "2026-01-01"})]
    good = subprocess.run([*command, *vars], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout) == (0, "scd2_master model.shop.customers: ok\n")
    assert project.relations() == []


def test_vars_of_the_project_itself_count_in_a_macro_of_the_project(tmp_path: Path) -> None:
    project = Project(tmp_path, project={"vars": {"shop": {"day": "2026-01-01"}, "month": "2026-01-01"}})
    project.model("by_day", "select 1 as k, 2 as v", OPTIONS | {"effective_date": "{day}"})
    project.model("by_month", "select 1 as k, 2 as v", OPTIONS | {"effective_date": "{month}"})
    project.file("macros/check.sql", "{% macro check() %}{{ scd2_master.check_configs() }}{% endmacro %}")
    run = project.dbt("run-operation", "check")
    assert run.success, run.log
    assert "[undefined_token] model.shop.by_day" in project.dbt(*CHECK).log


def test_a_project_without_such_models_passes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.file("models/plain.sql", "select 1 as k")
    run = project.dbt(*CHECK)
    assert run.success, run.log
