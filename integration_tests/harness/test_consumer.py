"""A project elsewhere on disk installs the package with `dbt deps` and uses it from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from project import PACKAGE

D1, D2, MAX = date(2026, 1, 1), date(2026, 4, 1), date(9999, 12, 31)
STRICT = ("--warn-error", "--show-all-deprecations", "--no-use-colors")
SELECT = "select customer_id, region, segment from {{ source('crm', 'customers') }}"
HISTORY = [
    ("C1", "Central", "SMB", D2, MAX, True),
    ("C1", "West", "SMB", D1, D2, False),
    ("C2", "East", "Enterprise", D1, MAX, True),
]
OPTIONS: dict[str, Any] = {"unique_key": "customer_id", "tracked_columns": ["region"], "effective_date": "{load_date}"}
IN_SQL = "unique_key='customer_id', tracked_columns=['region'], effective_date='{load_date}'"
MODELS = {
    "dim_top_level_in_sql": f"{{{{ config(materialized='scd2_master', {IN_SQL}) }}}} {SELECT}",
    "dim_meta_in_sql": f"{{{{ config(materialized='scd2_master', meta=dict({IN_SQL})) }}}} {SELECT}",
    "dim_meta_in_yaml": f"{{{{ config(materialized='scd2_master') }}}} {SELECT}",
    "dim_top_level_in_yaml": SELECT,
    "in_project/dim_meta_in_project": SELECT,
}
DIMENSIONS = [Path(path).name for path in MODELS]
FILES = {
    "dbt_project.yml": {
        "name": "acme",
        "version": "1.0.0",
        "profile": "acme",
        "flags": {"send_anonymous_usage_stats": False},
        "models": {"acme": {"in_project": {"+materialized": "scd2_master", "+meta": OPTIONS}}},
    },
    "packages.yml": {"packages": [{"local": str(PACKAGE)}]},
    "profiles.yml": {"acme": {"target": "dev", "outputs": {"dev": {"type": "duckdb", "path": "acme.duckdb"}}}},
    "models/acme.yml": {
        "sources": [{"name": "crm", "schema": "main", "tables": [{"name": "customers"}]}],
        "models": [
            {"name": "dim_meta_in_yaml", "config": {"meta": OPTIONS}},
            {"name": "dim_top_level_in_yaml", "config": {"materialized": "scd2_master", **OPTIONS}},
            {"name": "dim_meta_in_sql", "columns": [{"name": "customer_id", "data_tests": ["not_null"]}]},
        ],
    },
}


@dataclass
class Consumer:
    root: Path

    def dbt(self, *command: str, day: date) -> str:
        """Run dbt as a user would; every warning is an error."""
        done = subprocess.run(
            [Path(sys.executable).with_name("dbt"), *command, "--vars", f"{{load_date: {day}}}", *STRICT],
            cwd=self.root,
            env={name: value for name, value in os.environ.items() if not name.startswith("DBT_")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.root / "acme.duckdb")) as connection:
            return connection.execute(sql).fetchall()

    def artifact(self, name: str) -> dict[str, Any]:
        return json.loads((self.root / "target" / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Consumer:
    """The customer example in five spellings: `dbt run` on the first day, `dbt build` on the second."""
    consumer = Consumer(tmp_path_factory.mktemp("acme"))
    for path, content in FILES.items():
        _write(consumer.root / path, yaml.safe_dump(content, sort_keys=False))
    for path, sql in MODELS.items():
        _write(consumer.root / "models" / f"{path}.sql", sql)
    consumer.execute("create table customers (customer_id varchar, region varchar, segment varchar)")
    consumer.execute("insert into customers values ('C1', 'West', 'SMB'), ('C2', 'East', 'Enterprise')")
    consumer.dbt("deps", day=D1)
    consumer.dbt("run", day=D1)
    consumer.execute("update customers set region = 'Central' where customer_id = 'C1'")
    consumer.dbt("build", day=D2)
    return consumer


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("model", DIMENSIONS)
def test_run_and_build_make_the_history_wherever_the_options_stand(model: str, consumer: Consumer) -> None:
    assert consumer.execute(f"select * from {model} order by all") == HISTORY


def test_build_runs_the_tests_of_the_consumer_and_no_others(consumer: Consumer) -> None:
    results = {result["unique_id"]: result["status"] for result in consumer.artifact("run_results.json")["results"]}
    tests = {name: status for name, status in results.items() if name.startswith("test.")}
    assert list(tests.values()) == ["pass"]
    assert all(name.startswith("test.acme.not_null_dim_meta_in_sql_customer_id") for name in tests)
    assert {name for name in results if name not in tests} == {f"model.acme.{model}" for model in DIMENSIONS}


def test_only_the_consumers_relations_exist(consumer: Consumer) -> None:
    tables = consumer.execute("select table_schema, table_name from information_schema.tables order by all")
    assert tables == sorted(("main", name) for name in (*DIMENSIONS, "customers"))


def test_ls_lists_the_consumers_nodes_alone(consumer: Consumer) -> None:
    listed = consumer.dbt("ls", "--quiet", "--output", "name", day=D2).split()
    assert sorted(listed) == sorted([*DIMENSIONS, "crm.customers", "not_null_dim_meta_in_sql_customer_id"])


def test_the_manifest_holds_nothing_of_the_package_but_macros(consumer: Consumer) -> None:
    manifest = consumer.artifact("manifest.json")
    kinds = ("nodes", "sources", "exposures", "metrics", "semantic_models", "saved_queries", "unit_tests")
    assert [name for kind in kinds for name in manifest[kind] if ".scd2_master." in name] == []
    asleep = [name for name in manifest["disabled"] if ".scd2_master." in name]
    assert [name for name in asleep if "scd2_run_log" not in name] == []


def test_compile_writes_the_snapshots_query(consumer: Consumer) -> None:
    consumer.dbt("compile", day=D2)
    compiled = consumer.root / "target/compiled/acme/models/dim_meta_in_yaml.sql"
    assert compiled.read_text(encoding="utf-8").split() == [
        *("select", "customer_id,", "region,", "segment", "from"),
        '"acme"."main"."customers"',
    ]
    assert consumer.execute("select * from dim_meta_in_yaml order by all") == HISTORY


def test_docs_list_the_columns_of_the_history(consumer: Consumer) -> None:
    consumer.dbt("docs", "generate", day=D2)
    nodes = consumer.artifact("catalog.json")["nodes"]
    assert sorted(nodes) == sorted(f"model.acme.{model}" for model in DIMENSIONS)
    for node in nodes.values():
        assert list(node["columns"]) == ["customer_id", "region", "segment", "valid_from", "valid_to", "is_current"]


def test_no_command_logs_a_warning_or_a_deprecation(consumer: Consumer) -> None:
    log = (consumer.root / "logs/dbt.log").read_text(encoding="utf-8")
    lines = [line for line in log.splitlines() if " running dbt with arguments " not in line]
    assert [line for line in lines if "[warn" in line.lower() or "deprecat" in line.lower()] == []
