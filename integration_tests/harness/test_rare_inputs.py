"""Inputs that are rare and once went wrong: each with its right value."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from engines import ENGINE
from guards import findings
from project import Project

JAN, FEB, MAR, MAX = date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1), date(9999, 12, 31)
OPTIONS = {"unique_key": "id", "tracked_columns": ["v"], "effective_date": "2026-02-01"}
INTERVALS = "date '2026-01-01' as valid_from, date '9999-12-31' as valid_to, true as is_current"

# model: the own table as it stands, the model's SQL, its options
REFUSED: dict[str, tuple[str, str, dict[str, Any], str, str]] = {
    "inverted": (
        "select 1 as id, 1 as v, date '2026-03-01' as valid_from, date '2026-01-01' as valid_to, false as is_current",
        "select 1 as id, 2 as v",
        {},
        "prior_corrupt",
        r"end before they begin: 1 \(1 row\)",
    ),
    "swapped_names": (
        "select 1 as id, 1 as v, date '2026-01-01' as valid_from, date '2026-03-01' as valid_to, false as is_current",
        "select 1 as id, 2 as v",
        {"scd2_column_names": {"valid_from": "valid_to", "valid_to": "valid_from"}},
        "prior_corrupt",
        r"end before they begin: 1 \(1 row\)",
    ),
    "nothing_recorded_of_what_is_tracked": (
        f"select 1 as id, 1 as w, {INTERVALS}",
        "select 1 as id, 2 as v, 1 as w",
        {"on_schema_change": "ignore"},
        "missing_tracked_columns",
        "on_schema_change",
    ),
    "date_beyond_every_timestamp": (
        "select 1 as id, 1 as v, date '300000-01-01' as d, timestamp '2026-01-01' as valid_from, "
        "timestamp '9999-12-31' as valid_to, true as is_current",
        "select 1 as id, 2 as v, date '300000-01-01' as d",
        {"effective_date": None, "effective_date_column": "d", "validity_type": "timestamp"},
        "effective_date_type",
        r"300000-01-01 \(1 row\)",
    ),
    "quoted_alias": ("", "select 1 as id, 2 as v", {}, "invalid_option", "alias"),
    "foreign_key": ("", "select 1 as id, 2 as v", {}, "invalid_option", "foreign_key"),
}
WIDENED = {
    "bigint_and_decimal": ("bigint", "decimal(18,0)", "BIGINT"),
    "decimal_and_bigint": ("decimal(5,0)", "bigint", "BIGINT"),
    "bigint_and_long_decimal": ("bigint", "decimal(19,0)", "DECIMAL(19,0)"),
    "integer_and_fraction": ("integer", "decimal(4,1)", "DECIMAL(11,1)"),
}
if ENGINE == "duckdb":
    WIDENED |= {
        "hugeint_and_decimal": ("hugeint", "decimal(5,0)", "HUGEINT"),
        "unsigned_and_decimal": ("utinyint", "decimal(2,0)", "DECIMAL(3,0)"),
    }
else:
    # only DuckDB could never replace the referenced table again
    del REFUSED["foreign_key"]
    # a date that Python does not have
    del REFUSED["date_beyond_every_timestamp"]
CONTRACT = """
models:
  - name: foreign_key
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: integer}
      - name: v
        data_type: integer
        constraints: [{type: foreign_key, expression: "main.parent (v)", warn_unsupported: false}]
      - {name: valid_from, data_type: date}
      - {name: valid_to, data_type: date}
      - {name: is_current, data_type: boolean}
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, str], dict[str, list[Any]]]:
    """All models of this file after one run, its messages, and the tables of the refused models before it."""
    project = Project(Path(tmp_path_factory.mktemp("rare")))
    project.execute("create table parent as select 1 as v")
    for model, (table, sql, options, *_) in REFUSED.items():
        if table:
            project.execute(f"create table {model} as {table}")
        standard = {"alias": 'q"q'} if model == "quoted_alias" else {}
        project.model(model, sql, {**OPTIONS, **options}, **standard)
    project.file("models/contract.yml", CONTRACT)
    for model, (recorded, comes, _) in WIDENED.items():
        project.execute(f"create table {model} as select 1 as id, 5::{recorded} as v, {INTERVALS}")
        project.model(model, f"select 1 as id, 6::{comes} as v", OPTIONS)
    project.execute(f'create table two_letters as select 1 as id, 1 as v, 2 as "Ä", 3 as "ä", {INTERVALS}')
    project.model("two_letters", 'select 1 as id, 2 as v, 5 as "ä"', OPTIONS)
    before = {model: project.history(model) for model, (table, *_) in REFUSED.items() if table}
    return project, project.run().messages, before


@pytest.mark.parametrize("model", REFUSED)
def test_what_cannot_be_right_is_refused_and_the_table_stays(model: str, played: Any) -> None:
    project, messages, before = played
    *_, slug, says = REFUSED[model]
    found = findings(messages[model], model)
    assert set(found) == {slug}, messages[model]
    assert re.search(says, found[slug]), messages[model]
    if model in before:
        assert project.history(model) == before[model]
    else:
        assert f"main.{model}" not in project.relations()


@pytest.mark.parametrize("model", WIDENED)
def test_whole_numbers_widen_to_the_narrowest_type_that_holds_both(model: str, played: Any) -> None:
    project, messages, _ = played
    assert project.history(model) == [
        (1, 5, JAN, FEB, False),
        (1, 6, FEB, MAX, True),
    ], messages[model]
    assert dict(project.columns(model))["v"] == WIDENED[model][2]


def test_columns_that_only_a_foreign_alphabet_s_case_tells_apart_stay_apart(played: Any) -> None:
    project, messages, _ = played
    assert project.history("two_letters") == [
        (1, 1, 2, 3, JAN, FEB, False),
        (1, 2, None, 5, FEB, MAX, True),
    ], messages["two_letters"]
