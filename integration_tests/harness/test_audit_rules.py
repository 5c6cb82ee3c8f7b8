"""The audit rules of the brokerage: each is green on what the runs write, and red once a table is broken by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from project import PACKAGE, Project

INTEGRATION = PACKAGE / "integration_tests"
CUSTOMERS, ACCOUNTS = "brokerage_customer_scd2", "brokerage_account_scd2"
A1_THEN = "account_id = 'A1' and valid_from = '2026-01-05'"
A1_NOW = "account_id = 'A1' and is_current"

# By what is wrong: statements that break a table, and all rules that turn red, (dimension, rule).
FAULTS: dict[str, tuple[str, set[tuple[str, str]]]] = {
    "a version key stands twice": (
        f"""update {ACCOUNTS} set account_version = (
            select account_version from {ACCOUNTS} where {A1_NOW}
        ) where {A1_THEN}""",
        {(ACCOUNTS, "unique account_version")},
    ),
    "a version key is missing": (
        f"update {ACCOUNTS} set account_version = null where {A1_THEN}",
        {(ACCOUNTS, "not_null account_version")},
    ),
    "an end meets no start": (
        f"update {ACCOUNTS} set valid_to = '2026-02-20' where {A1_THEN}",
        {(ACCOUNTS, "contiguous_intervals")},
    ),
    "two versions overlap": (
        f"update {CUSTOMERS} set valid_to = '2026-03-10' where customer_id = 'B1' and not is_current",
        {(CUSTOMERS, "contiguous_intervals"), (CUSTOMERS, "non_overlapping_intervals")},
    ),
    "no row lasts until the end of time": (
        f"update {ACCOUNTS} set valid_to = '2026-06-01', is_current = false where account_id = 'A4'",
        {(ACCOUNTS, "single_current_row")},
    ),
    "two rows last until the end of time": (
        f"update {CUSTOMERS} set valid_to = '9999-12-31', is_current = true where customer_id = 'B2'",
        {
            (CUSTOMERS, "single_current_row"),
            (CUSTOMERS, "non_overlapping_intervals"),
            (CUSTOMERS, "contiguous_intervals"),
        },
    ),
    "a row has zero width": (
        f"update {ACCOUNTS} set valid_from = valid_to where {A1_THEN}",
        {(ACCOUNTS, "valid_intervals"), (ACCOUNTS, "non_overlapping_intervals")},
    ),
    "a row is current and ends": (
        f"update {CUSTOMERS} set is_current = true where customer_id = 'B1'",
        {(CUSTOMERS, "current_flag_matches_max_date"), (CUSTOMERS, "single_current_row")},
    ),
    "a row lasts until the end of time and is not current": (
        f"update {CUSTOMERS} set is_current = false where customer_id = 'B3'",
        {(CUSTOMERS, "current_flag_matches_max_date"), (CUSTOMERS, "single_current_row")},
    ),
    "an account begins before its customer": (
        f"update {ACCOUNTS} set valid_from = '2026-02-20' where account_id = 'A4'",
        {(ACCOUNTS, "contained_intervals customer_id"), (ACCOUNTS, "contained_intervals customer_version")},
    ),
    "an account has no customer": (
        f"delete from {CUSTOMERS} where customer_id = 'B3'",
        {(ACCOUNTS, "contained_intervals customer_id"), (ACCOUNTS, "contained_intervals customer_version")},
    ),
    "a customer's change did not reach an account": (
        f"""delete from {ACCOUNTS} where {A1_THEN};
        update {ACCOUNTS} set valid_from = '2026-01-05' where account_id = 'A1'""",
        {(ACCOUNTS, "contained_intervals customer_version")},
    ),
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[tuple[str, str], str]]:
    """The brokerage as it is after the first and the last day: its database, and each rule's query."""
    project = Project(tmp_path_factory.mktemp("audit"))
    for folder in ("models", "seeds"):
        shutil.copytree(INTEGRATION / folder / "brokerage", project.root / folder / "brokerage")
    for day, flags in (("2026-01-05", ["--exclude-resource-type", "test"]), ("2026-03-02", [])):
        run = project.dbt("build", *flags, vars={"brokerage_date": day})
        assert run.success, run.log
    target = project.root / "target"
    tests = json.loads((target / "manifest.json").read_text(encoding="utf-8"))["nodes"]
    results = json.loads((target / "run_results.json").read_text(encoding="utf-8"))["results"]
    queries = {}
    for result in results:
        metadata = tests[result["unique_id"]].get("test_metadata")
        dimension = str(tests[result["unique_id"]].get("attached_node")).removeprefix("model.shop.")
        if metadata and dimension in (CUSTOMERS, ACCOUNTS):
            subject = metadata["kwargs"].get("foreign_key") or metadata["kwargs"].get("column_name") or ""
            queries[dimension, f"{metadata['name']} {subject}".strip()] = result["compiled_code"]
    return project.engine.path, queries


@pytest.fixture
def brokerage(rules: tuple[Path, dict[tuple[str, str], str]]) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database; what a test does to it is taken back."""
    with duckdb.connect(str(rules[0])) as connection:
        connection.begin()
        yield connection
        connection.rollback()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_table_turns_the_rules_red_that_are_for_it(
    rules: tuple[Path, dict[tuple[str, str], str]], brokerage: duckdb.DuckDBPyConnection, fault: str
) -> None:
    statements, red = FAULTS[fault]
    brokerage.execute(statements)
    failing = {rule for rule, query in rules[1].items() if brokerage.execute(query).fetchall()}
    assert failing == red


def test_each_rule_has_a_fault_that_turns_it_red_for_one_of_the_dimensions(
    rules: tuple[Path, dict[tuple[str, str], str]], brokerage: duckdb.DuckDBPyConnection
) -> None:
    assert {rule for rule, query in rules[1].items() if brokerage.execute(query).fetchall()} == set()
    kinds = {name.split()[0] for _, name in rules[1]}
    assert kinds == {name.split()[0] for _, red in FAULTS.values() for _, name in red}
    versions = brokerage.execute(f"select account_id, valid_from, is_current from {ACCOUNTS} order by all").fetchall()
    assert [(account, str(start), is_current) for account, start, is_current in versions] == [
        *(("A1", "2026-01-05", False), ("A1", "2026-03-02", True)),
        *(("A2", "2026-01-05", False), ("A2", "2026-03-02", True)),
        *(("A3", "2026-01-05", False), ("A3", "2026-03-02", True)),
        ("A4", "2026-03-02", True),
    ]
