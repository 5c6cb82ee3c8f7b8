"""What dbt offers every model works for a history too."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb
import pytest
import yaml
from batch import D1, D2, D3, MAX
from engines import ENGINE, constraint_error, needs_duckdb
from project import Project, Run

OPTIONS = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": str(D1)}
SELECT = "select k, v, c from {{ ref('stg_customers') }}"
HISTORY = [(1, "a", "x", D1, D2, False), (1, "b", "z", D2, MAX, True), (2, "a", "y", D1, MAX, True)]
TYPES = {"k": "integer", "v": "varchar", "c": "varchar", "valid_from": "date", "valid_to": "date"}
NO_WARNING = {"warn_unsupported": False}

MODELS: dict[str, dict[str, Any]] = {
    "aliased": {"alias": "Odd Name", "tags": ["nightly"]},
    "disabled": {"enabled": False},
    "in_new_schema": {"schema": "dim"},
    "hooked": {
        "pre_hook": [
            {"sql": "insert into hooks select nextval('hook'), 'pre', txid_current(), null", "transaction": False},
            "insert into hooks select nextval('hook'), 'pre inside', txid_current(), null",
        ],
        "post_hook": [
            "insert into hooks select nextval('hook'), 'post inside', txid_current(), count(*) from {{ this }}",
            {
                "sql": "insert into hooks select nextval('hook'), 'post', txid_current(), count(*) from {{ this }}",
                "transaction": False,
            },
        ],
    },
    "granted": {"grants": {"select": ["reporter"]}},
    "documented": {"persist_docs": {"relation": True, "columns": True}},
    "contracted": {"contract": {"enforced": True}},
    "mismatched": {"contract": {"enforced": True}},
    "violated": {"contract": {"enforced": True}},
    "indexed": {"indexes": [{"columns": ["k"]}, {"columns": ["k", "valid_from"], "unique": True}]},
    "headed": {"sql_header": "create temp table doubled as select 2 as times;"},
    "always_refreshed": {"full_refresh": True},
    "never_refreshed": {"full_refresh": False},
    "emptied": {"tags": ["later"]},
    "sampled": {"tags": ["later"]},
    "sampled_history": {},
    "built": {},
}
if ENGINE == "duckdb":
    MODELS |= {
        "in_database": {"database": "other"},
        "in_new_schema_of_database": {"database": "other", "schema": "dim"},
    }


def columns(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The final columns of a contract."""
    return [
        {"name": name, "data_type": type_, **changes.get(name, {})}
        for name, type_ in (TYPES | {"is_current": "boolean"}).items()
    ]


def properties(**mismatched: dict[str, Any]) -> str:
    """The properties file. `mismatched`: what the columns of the model of this name get besides."""
    key = {"type": "primary_key", "columns": ["k", "valid_from"], **NO_WARNING}
    check = {"type": "check", "expression": "valid_from < valid_to", **NO_WARNING}
    content = {
        "models": [
            {
                "name": "documented",
                "description": 'It\'s a "history"',
                "columns": [
                    {"name": "v", "description": "The customer's value"},
                    {"name": "valid_to", "description": "Exclusive"},
                ],
            },
            {
                "name": "contracted",
                "constraints": [key, check],
                "columns": columns(v={"constraints": [{"type": "not_null", **NO_WARNING}]}),
            },
            {"name": "mismatched", "columns": columns(**mismatched)},
            {
                "name": "violated",
                "constraints": [{"type": "check", "expression": "v <> 'b'", **NO_WARNING}],
                "columns": columns(),
            },
            {"name": "versioned", "latest_version": 2, "versions": [{"v": 1}, {"v": 2}]},
            {"name": "built", "columns": [{"name": "k", "data_tests": ["not_null"]}]},
        ],
        "unit_tests": [
            {
                "name": "the_snapshot_of_a_customer",
                "model": "built",
                "given": [{"input": "ref('stg_customers')", "rows": [{"k": 7, "v": "new", "c": None}]}],
                "expect": {"rows": [{"k": 7, "v": "new", "c": None}]},
            }
        ],
    }
    return yaml.safe_dump(content, sort_keys=False)


def write_models(project: Project, day: date) -> None:
    """Every model with its effective date. A var that changes would parse everything anew."""
    options = OPTIONS | {"effective_date": str(day)}
    for name, standard in MODELS.items():
        headed = "select k, repeat(v, times) as v, c from {{ ref('stg_customers') }}, doubled"
        sql = headed if name == "headed" else SELECT
        project.model(name, sql, options, **standard)
    project.model("versioned_v1", SELECT, options)
    project.model("versioned_v2", "select k, v from {{ ref('stg_customers') }}", options)


@dataclass
class Shop:
    project: Project
    first: Run
    second: Run

    def other(self, table: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.project.root / "other.duckdb")) as connection:
            return connection.execute(f"select * from {table} order by all").fetchall()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Every model of MODELS run at D1 and, with customer 1 changed, at D2."""
    root = tmp_path_factory.mktemp("features")
    other = {"attach": [{"path": str(root / "other.duckdb"), "alias": "other"}]}
    project = Project(root, profile=other if ENGINE == "duckdb" else None)
    project.file(
        "models/stg_customers.sql",
        "{{ config(materialized='view', event_time='loaded_at') }} select * from main.customers",
    )
    project.file("models/on_top.sql", "{{ config(materialized='view') }} select * from {{ ref('aliased') }}")
    project.file("models/properties.yml", properties())
    write_models(project, D1)
    project.execute("create table hooks (n integer, what varchar, transaction bigint, versions bigint)")
    project.execute("create sequence hook")
    customers = "k integer, v varchar, c varchar, loaded_at timestamp"
    project.table("customers", customers, [(1, "a", "x", "2026-01-01"), (2, "a", "y", "2026-01-01")])
    later = ["--exclude", "tag:later"]
    first = project.run(flags=later)
    write_models(project, D2)
    project.table("customers", customers, [(1, "b", "z", "2026-02-01"), (2, "a", "w", "2026-02-01")])
    project.file("models/properties.yml", properties(v={"data_type": "integer"}))
    second = project.run(flags=later)
    return Shop(project, first, second)


def test_alias_names_the_table(shop: Shop) -> None:
    assert shop.project.history('"Odd Name"') == HISTORY, shop.second.log
    assert "main.aliased" not in shop.project.relations()


def test_a_view_on_the_history_survives_its_replacement(shop: Shop) -> None:
    assert shop.project.history("on_top") == HISTORY


def test_tags_select_the_model_and_disabled_ones_do_not_exist(shop: Shop) -> None:
    tagged = shop.project.dbt("ls", "--select", "tag:nightly", "--output", "name")
    assert [line for line in tagged.log.splitlines() if line in MODELS] == ["aliased"]
    every = shop.project.dbt("ls", "--resource-type", "model", "--output", "name")
    assert {line for line in every.log.splitlines() if line in MODELS} == set(MODELS) - {"disabled"}
    assert "main.disabled" not in shop.project.relations()


def test_schema_puts_the_table_into_a_new_schema(shop: Shop) -> None:
    assert shop.project.history("main_dim.in_new_schema") == HISTORY, shop.second.messages["in_new_schema"]
    assert "main.in_new_schema" not in shop.project.relations()


@needs_duckdb("another database cannot be reached")
def test_database_puts_the_table_into_an_attached_database(shop: Shop) -> None:
    assert shop.other("main.in_database") == HISTORY, shop.second.messages["in_database"]
    model = "in_new_schema_of_database"
    assert shop.other(f"main_dim.{model}") == HISTORY, shop.second.messages[model]
    assert not {"main.in_database", f"main_dim.{model}"} & set(shop.project.relations())


def test_hooks_run_in_order_and_those_inside_share_one_transaction(shop: Shop) -> None:
    assert shop.project.history("hooked") == HISTORY, shop.second.log
    hooks = shop.project.rows("select what, versions from hooks order by n")
    expected = [("pre", None), ("pre inside", None), ("post inside", 2), ("post", 2)]
    expected += [("pre", None), ("pre inside", None), ("post inside", 3), ("post", 3)]
    assert hooks == expected
    transactions = [row[0] for row in shop.project.rows("select transaction from hooks order by n")]
    for before, first, last, after in (transactions[:4], transactions[4:]):
        assert before != first == last != after


def test_grants_stay_and_are_no_error_on_duckdb_which_has_none(shop: Shop) -> None:
    assert [run.statuses["granted"] for run in (shop.first, shop.second)] == ["success", "success"]
    assert shop.project.history("granted") == HISTORY
    if ENGINE == "postgres":
        assert shop.project.rows("select has_table_privilege('reporter', 'main.granted', 'select')") == [(True,)]


def test_persist_docs_comments_on_table_and_columns_survive_each_run(shop: Shop) -> None:
    assert shop.project.history("documented") == HISTORY
    assert shop.project.comments("documented") == [
        ("documented", 'It\'s a "history"'),
        ("v", "The customer's value"),
        ("valid_to", "Exclusive"),
    ]


def test_a_contract_lists_the_final_columns_and_its_constraints_reach_the_table(shop: Shop) -> None:
    assert shop.project.history("contracted") == HISTORY, shop.second.messages["contracted"]
    assert shop.project.constraints("contracted") == [
        ("CHECK", ["valid_from", "valid_to"]),
        ("PRIMARY KEY", ["k", "valid_from"]),
    ]
    not_null = (
        "select column_name from information_schema.columns where is_nullable = 'NO' and table_name = 'contracted'"
    )
    assert sorted(shop.project.rows(not_null)) == [("k",), ("v",), ("valid_from",)]
    with pytest.raises(constraint_error()):
        shop.project.execute("insert into contracted select * from contracted where k = 2")
    assert "Constraint types are not supported" not in shop.first.log


def test_a_contract_that_does_not_match_is_dbts_own_error(shop: Shop) -> None:
    assert "enforced contract that failed" in shop.second.messages["mismatched"]
    assert shop.project.history("mismatched") == [(1, "a", "x", D1, MAX, True), (2, "a", "y", D1, MAX, True)]


def test_a_violated_constraint_leaves_the_table_as_it_was(shop: Shop) -> None:
    assert re.search("(?i)check constraint", shop.second.messages["violated"])
    assert shop.project.history("violated") == [(1, "a", "x", D1, MAX, True), (2, "a", "y", D1, MAX, True)]


def test_indexes_exist_after_each_run(shop: Shop) -> None:
    assert shop.project.history("indexed") == HISTORY
    assert shop.project.indexes("indexed") == [(False, "k"), (True, "k, valid_from")]


def test_the_sql_header_precedes_the_models_sql(shop: Shop) -> None:
    assert shop.project.history("headed") == [
        (1, "aa", "x", D1, D2, False),
        (1, "bb", "z", D2, MAX, True),
        (2, "aa", "y", D1, MAX, True),
    ], shop.second.messages["headed"]


def test_model_versions_are_histories_of_their_own(shop: Shop) -> None:
    assert shop.project.history("versioned_v1") == HISTORY
    assert shop.project.history("versioned_v2") == [
        (1, "a", D1, D2, False),
        (1, "b", D2, MAX, True),
        (2, "a", D1, MAX, True),
    ]


def test_no_run_leaves_a_helper_relation_behind(shop: Shop) -> None:
    extra = {"on_top", "stg_customers", "customers", "hooks", "Odd Name", "versioned_v1", "versioned_v2"}
    models = extra | set(MODELS) | {"main_dim.in_new_schema"}
    assert {name.removeprefix("main.") for name in shop.project.relations()} <= models


@needs_duckdb("another database cannot be reached")
def test_no_run_leaves_a_helper_relation_behind_in_another_database(shop: Shop) -> None:
    with duckdb.connect(str(shop.project.root / "other.duckdb")) as connection:
        tables = connection.execute("select table_name from information_schema.tables order by 1").fetchall()
    assert tables == [("in_database",), ("in_new_schema_of_database",)]


def test_full_refresh_in_config_keeps_the_history_without_the_var(shop: Shop) -> None:
    assert shop.project.history("always_refreshed") == HISTORY
    assert "model.shop.always_refreshed: a full refresh does not discard history" in shop.second.log
    assert "model.shop.never_refreshed: a full refresh" not in shop.second.log


def test_full_refresh_in_config_decides_when_the_var_allows_it(shop: Shop) -> None:
    models = ("always_refreshed", "never_refreshed")
    for model in models:
        shop.project.model(model, SELECT, OPTIONS | {"effective_date": str(D3)}, **MODELS[model])
    shop.project.run(*models, vars={"scd2_allow_full_refresh": True}, flags=["--full-refresh"])
    assert shop.project.history("never_refreshed") == HISTORY
    assert shop.project.history("always_refreshed") == [(1, "b", "z", D3, MAX, True), (2, "a", "w", D3, MAX, True)]


def test_empty_creates_the_empty_table_with_the_right_columns(shop: Shop) -> None:
    shop.project.run("emptied", flags=["--empty"])
    assert shop.project.columns("emptied") == [(name, type_.upper()) for name, type_ in TYPES.items()] + [
        ("is_current", "BOOLEAN")
    ]
    assert shop.project.history("emptied") == []
    shop.project.run("emptied")
    assert shop.project.history("emptied") == [(1, "b", "z", D2, MAX, True), (2, "a", "w", D2, MAX, True)]


def test_sample_never_changes_a_history_and_creates_an_empty_table(shop: Shop) -> None:
    run = shop.project.run("sampled", "sampled_history", flags=["--sample", "1 day"])
    assert shop.project.history("sampled_history") == HISTORY
    assert run.messages["sampled_history"].startswith("SCD2 skipped"), run.log
    assert shop.project.history("sampled") == []
    assert list(dict(shop.project.columns("sampled"))) == [*TYPES, "is_current"]


def test_build_runs_the_tests_of_the_history(shop: Shop) -> None:
    build = shop.project.dbt("build", "--select", "built")
    assert build.statuses["not_null_built_k"] == "pass", build.log
    assert build.statuses["the_snapshot_of_a_customer"] == "pass", build.log
    assert shop.project.history("built") == HISTORY


def test_compile_shows_the_snapshot_and_runs_nothing(shop: Shop) -> None:
    shop.project.dbt("compile", "--select", "aliased")
    compiled = (shop.project.root / "target/compiled/shop/models/aliased.sql").read_text(encoding="utf-8")
    assert compiled.strip() == 'select k, v, c from "warehouse"."main"."stg_customers"'
    assert shop.project.history('"Odd Name"') == HISTORY


def test_show_shows_the_snapshot(shop: Shop) -> None:
    shown = shop.project.dbt("show", "--select", "aliased", "--output", "json")
    start = shown.log.index("{", shown.log.index('"show"') - 500)
    rows = json.loads(shown.log[shown.log.index("[", start) : shown.log.rindex("]") + 1])
    assert sorted(rows, key=lambda row: row["k"]) == [{"k": 1, "v": "b", "c": "z"}, {"k": 2, "v": "a", "c": "w"}]
    assert shop.project.history('"Odd Name"') == HISTORY


def test_docs_list_the_final_columns(shop: Shop) -> None:
    shop.project.dbt("docs", "generate")
    catalog = json.loads((shop.project.root / "target/catalog.json").read_text(encoding="utf-8"))
    documented = catalog["nodes"]["model.shop.documented"]
    assert list(documented["columns"]) == [*TYPES, "is_current"]
    assert documented["metadata"]["comment"] == 'It\'s a "history"'


@pytest.fixture
def two_targets(project: Project) -> Project:
    """A history and its source in the schema of the target `prod`; the target `dev` is empty, `state` is prod's."""
    targets = {
        name: {**project.engine.output(), "schema": schema} for name, schema in (("dev", "main"), ("prod", "prod"))
    }
    project.file("profiles.yml", yaml.safe_dump({"shop": {"target": "dev", "outputs": targets}}))
    project.file("models/stg.sql", "{{ config(materialized='table') }} select 1 as k, 'a' as v")
    project.model("dim", "select * from {{ ref('stg') }}", OPTIONS)
    run = project.run(flags=["--target", "prod", "--write-json"])
    assert project.history("prod.dim") == [(1, "a", D1, MAX, True)], run.log
    state = (project.root / "target/manifest.json").read_text(encoding="utf-8")
    project.file("state/manifest.json", state)
    return project


def test_defer_and_clone(two_targets: Project) -> None:
    project, state = two_targets, str(two_targets.root / "state")
    project.dbt("clone", "--select", "dim", "--state", state)
    assert project.history("main.dim") == [(1, "a", D1, MAX, True)]
    refused = project.run("dim", flags=["--defer", "--state", state])
    assert "scd2_master [target_not_table] model.shop.dim: " in refused.messages["dim"]
    assert "clone" in refused.messages["dim"]
    assert project.relations() == ["main.dim", "prod.dim", "prod.stg"]

    project.execute("drop view main.dim")
    project.execute("update prod.stg set v = 'b'")
    deferred = project.run("dim", flags=["--defer", "--state", state])
    assert project.history("main.dim") == [(1, "b", D1, MAX, True)], deferred.log
    assert project.history("prod.dim") == [(1, "a", D1, MAX, True)]


def test_retry_runs_what_failed_and_its_children(project: Project) -> None:
    project.model("dim", "select * from main.customers", OPTIONS)
    project.model("other_dim", "select 1 as k, 'a' as v", OPTIONS)
    project.file("models/report.sql", "{{ config(materialized='table') }} select count(*) as n from {{ ref('dim') }}")
    failed = project.run(flags=["--write-json"])
    assert (failed.statuses["dim"], failed.statuses["report"]) == ("error", "skipped")
    project.table("customers", "k integer, v varchar", [(1, "a")])
    retried = project.dbt("retry")
    assert project.history("dim") == [(1, "a", D1, MAX, True)]
    assert project.history("report") == [(1,)]
    assert sorted(retried.statuses) == ["dim", "report"]
