"""Whatever fails before the commit leaves the table as it was and nothing beside it, and the next run works."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from batch import D1, D2, D3, MAX, Row
from engines import ENGINE, needs_duckdb
from project import Project, Run

FIRST = [(1, "a", D1, MAX, True), (2, "a", D1, MAX, True)]
SECOND = [(1, "a", D1, D2, False), (1, "b", D2, MAX, True), (2, "a", D1, MAX, True)]
THIRD = [(1, "a", D1, D3, False), (1, "b", D3, MAX, True), (2, "a", D1, MAX, True)]
BEGUN_AT_SECOND = [(1, "b", D2, MAX, True), (2, "a", D2, MAX, True)]


def hook(model: str, *, transaction: bool) -> dict[str, Any]:
    """A hook that fails while the trap of its model is armed."""
    spring = f"update trap_{model} set hits = case when armed then error('sprung in {model}') else hits + 1 end"
    return {"sql": spring, "transaction": transaction}


@dataclass(frozen=True)
class Failure:
    """What breaks one of three builds, and a part of its message: a hook, the model's SQL or an option."""

    message: str
    sql: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    hooks: dict[str, Any] = field(default_factory=dict)
    build: int = 1


SELECT = "select k, v from main.src"
LAST_ROW = "select i as k, case when i < 5000 then 'x' else cast(error('sprung at the end') as varchar) end as v"
LAST_ROW += " from range(5001) t(i)"
NO_INTEGER = "Conversion Error" if ENGINE == "duckdb" else "invalid input syntax for type integer"
FAILURES = {
    "pre_outside": Failure("sprung in pre_outside", hooks={"pre_hook": [hook("pre_outside", transaction=False)]}),
    "pre_inside": Failure("sprung in pre_inside", hooks={"pre_hook": [hook("pre_inside", transaction=True)]}),
    "post_inside": Failure("sprung in post_inside", hooks={"post_hook": [hook("post_inside", transaction=True)]}),
    "syntax": Failure("syntax error", "select k, v, from main.src order by where"),
    "missing_column": Failure("nothing_like_it", "select k, nothing_like_it as v from main.src"),
    "missing_table": Failure("no_such_table", "select k, v from main.no_such_table"),
    "jinja": Failure("sprung in jinja", "{{ exceptions.raise_compiler_error('sprung in jinja') if execute }}"),
    "first_row": Failure(NO_INTEGER, "select k, v::integer::varchar as v from main.src"),
    "last_row": Failure("sprung at the end", LAST_ROW),
    "guard_on_rows": Failure("duplicate_key", f"{SELECT} union all {SELECT}"),
    "guard_on_changes": Failure("out_of_order", config={"effective_date": "2020-01-01"}),
    "guard_on_columns": Failure("unknown_column", config={"tracked_columns": ["v", "nothing_like_it"]}),
    "guard_on_options": Failure("invalid_date", config={"effective_date": "2026-02-30"}),
}
FIRST_FAILURES = {
    "new_hook": Failure("sprung in new_hook", hooks={"post_hook": [hook("new_hook", transaction=True)]}, build=0),
    "new_row": Failure("sprung at the end", LAST_ROW, build=0),
    "new_guard": Failure("duplicate_key", f"{SELECT} union all {SELECT}", build=0),
}
AFTER_COMMIT = Failure("sprung in post_outside", hooks={"post_hook": [hook("post_outside", transaction=False)]})
GOOD = Failure("")
MODELS = (
    FAILURES | FIRST_FAILURES | {"post_outside": AFTER_COMMIT, "tested": GOOD, "left_table": GOOD, "left_view": GOOD}
)
TRAPS = [f"trap_{model}" for model, failure in MODELS.items() if failure.hooks]


@dataclass
class Shop:
    """What three builds left: after each one the histories by model and all relations."""

    project: Project
    builds: list[Run] = field(default_factory=list)
    histories: list[dict[str, list[Row]]] = field(default_factory=list)
    relations: list[list[str]] = field(default_factory=list)

    def build(self) -> None:
        number = len(self.builds)
        for model, failure in MODELS.items():
            broken = failure.build == number
            options = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": str((D1, D2, D3)[number])}
            sql = failure.sql if broken and failure.sql else SELECT
            self.project.model(model, sql, options | (failure.config if broken else {}), **failure.hooks)
            if failure.hooks:
                self.project.replace(f"trap_{model}", f"as select {broken} as armed, 0 as hits")
        for suffix in ("__dbt_tmp", "__dbt_backup"):
            self.project.replace(f"left_table{suffix}", "as select 'from a crash' as left_over")
            self.project.execute(f"create or replace view left_view{suffix} as select 'from a crash' as left_over")
        self.builds.append(self.project.dbt("build"))
        relations = self.project.relations()
        self.relations.append([name for name in relations if not name.startswith("main.left_")])
        existing = [model for model in MODELS if f"main.{model}" in relations]
        self.histories.append({model: self.project.history(model) for model in existing})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Builds at D1, D2 and D3. Between the first two, key 1 changes from a to b."""
    shop = Shop(Project(tmp_path_factory.mktemp("failures")))
    project = shop.project
    project.table("src", "k integer, v varchar", [(1, "a"), (2, "a")])
    project.file(
        "models/report.sql", "{{ config(materialized='table') }} select count(*) as n from {{ ref('tested') }}"
    )
    only_a = "[{accepted_values: {arguments: {values: ['a']}}}]"
    project.file("models/tested.yml", f"models: [{{name: tested, columns: [{{name: v, data_tests: {only_a}}}]}}]")
    shop.build()
    project.execute("update src set v = 'b' where k = 1")
    shop.build()
    shop.build()
    return shop


@pytest.mark.parametrize("model", FAILURES)
def test_a_failure_before_the_commit_leaves_the_table_as_it_was(model: str, shop: Shop) -> None:
    assert shop.histories[0][model] == FIRST, shop.builds[0].messages[model]
    assert FAILURES[model].message in shop.builds[1].messages[model]
    assert shop.histories[1][model] == FIRST


@pytest.mark.parametrize("model", FAILURES)
def test_the_run_after_a_failure_works(model: str, shop: Shop) -> None:
    assert shop.histories[2][model] == THIRD, shop.builds[2].messages[model]


@pytest.mark.parametrize("model", FIRST_FAILURES)
def test_a_first_run_that_fails_leaves_no_table_and_the_next_one_is_the_first(model: str, shop: Shop) -> None:
    assert FIRST_FAILURES[model].message in shop.builds[0].messages[model]
    assert model not in shop.histories[0]
    assert shop.histories[1][model] == BEGUN_AT_SECOND, shop.builds[1].messages[model]


def test_a_post_hook_that_fails_after_the_commit_leaves_the_new_table(shop: Shop) -> None:
    assert AFTER_COMMIT.message in shop.builds[1].messages["post_outside"]
    assert shop.histories[1]["post_outside"] == SECOND
    assert shop.histories[2]["post_outside"] == SECOND, shop.builds[2].messages["post_outside"]


def test_a_data_test_that_fails_comes_after_the_commit_and_stops_what_depends_on_the_history(shop: Shop) -> None:
    names = ("accepted_values_tested_v__a", "report")
    assert [[build.statuses[name] for name in names] for build in shop.builds[:2]] == [
        ["pass", "success"],
        ["fail", "skipped"],
    ]
    assert [histories["tested"] for histories in shop.histories] == [FIRST, SECOND, SECOND]
    assert shop.project.rows("select n from report") == [(2,)]


def test_no_build_leaves_a_helper_relation_behind(shop: Shop) -> None:
    first = {*FAILURES, *TRAPS, "post_outside", "tested", "src", "report"}
    assert set(shop.relations[0]) == {f"main.{name}" for name in first}
    assert set(shop.relations[1]) == {f"main.{name}" for name in first | set(FIRST_FAILURES)}
    assert shop.relations[2] == shop.relations[1]


@pytest.mark.parametrize("model", ["left_table", "left_view"])
def test_what_a_crash_left_under_dbts_helper_names_breaks_nothing(model: str, shop: Shop) -> None:
    histories = [shop.histories[number].get(model) for number in (0, 1, 2)]
    assert histories == [FIRST, SECOND, SECOND], [build.messages[model] for build in shop.builds]
    assert f"main.{model}__dbt_tmp" not in shop.project.relations()


@needs_duckdb("there is no such option")
def test_a_failure_is_undone_even_where_the_profile_turns_dbt_s_transactions_off(tmp_path: Path) -> None:
    project = Project(tmp_path, profile={"disable_transactions": True})
    config = {"unique_key": "k", "tracked_columns": ["v"], "effective_date_column": "d"}
    select = "select k, v, d from main.src"

    def build(value: str, day: date, **standard: Any) -> Run:
        project.model("untied", select, config, **standard)
        project.table("src", "k integer, v varchar, d date", [(1, value, day)])
        return project.run()

    build("a", D1)
    before = [(1, "a", D1, D1, MAX, True)]
    assert project.history("untied") == before
    failed = build("b", D2, post_hook="select error('sprung after the swap')")
    assert "sprung after the swap" in failed.messages["untied"]
    assert project.history("untied") == before
    assert project.relations() == ["main.src", "main.untied"]
    build("b", D2)
    assert project.history("untied") == [(1, "a", D1, D1, D2, False), (1, "b", D2, D2, MAX, True)]
