"""What PostgreSQL alone has: views and indexes that hang on the table, types without equality, long names."""

from __future__ import annotations

from datetime import date

import pytest
from engines import ENGINE
from project import Project

pytestmark = pytest.mark.skipif(ENGINE != "postgres", reason="is about PostgreSQL")

JAN, FEB, MAX = date(2026, 1, 1), date(2026, 2, 1), date(9999, 12, 31)
CONFIG = {"unique_key": "k", "tracked_columns": ["v"]}


def run(project: Project, day: date, source: str, **config: object) -> str:
    """Run the model `history` over the query `source`, effective on `day`; returns dbt's message."""
    project.model("history", source, {**CONFIG, "effective_date": str(day), **config})
    return project.run().messages["history"]


@pytest.mark.parametrize("strategy", ["rebuild", "merge"])
def test_views_indexes_and_grants_survive_a_changed_run(project: Project, strategy: str) -> None:
    run(project, JAN, "select 1 as k, 'a'::text as v", scd2_strategy=strategy)
    project.execute("create view seen as select k, v, valid_from from history")
    project.execute("create index by_hand on history (v)")
    project.execute("grant select on history to public")
    message = run(project, FEB, "select 1 as k, 'b'::text as v", scd2_strategy=strategy)
    assert project.history("seen") == [(1, "a", JAN), (1, "b", FEB)], message
    assert project.rows("select indexname from pg_indexes where tablename = 'history'") == [("by_hand",)]
    assert project.rows("select has_table_privilege('public', 'main.history', 'select')") == [(True,)]


def test_a_column_that_is_added_keeps_the_view(project: Project) -> None:
    run(project, JAN, "select 1 as k, 'a'::text as v")
    project.execute("create view seen as select k, v, valid_from from history")
    message = run(project, FEB, "select 1 as k, 'a'::text as v, 2 as w")
    assert project.history("seen") == [(1, "a", JAN)], message
    assert [name for name, _ in project.columns("history")] == ["k", "v", "valid_from", "valid_to", "is_current", "w"]


@pytest.mark.parametrize("strategy", ["rebuild", "merge"])
@pytest.mark.parametrize(
    ("type_", "old", "new"),
    [("json", '{"a": 1}', '{"a": 2}'), ("point", "(1,2)", "(2,1)"), ("circle", "<(0,0),1>", "<(5,5),1>")],
)
def test_a_type_without_equality_is_compared_as_text(
    project: Project, type_: str, old: str, new: str, strategy: str
) -> None:
    source = "select 1 as k, '{}'::" + type_ + " as v"
    roles = {"scd2_strategy": strategy}
    for day in (JAN, FEB):
        message = run(project, day, source.replace("{}", old), **roles)
        assert project.rows("select k, v::text, valid_from, valid_to from history") == [(1, old, JAN, MAX)], message
    message = run(project, FEB, source.replace("{}", new), **roles)
    versions = project.rows("select k, v::text, valid_from, valid_to from history order by valid_from")
    assert versions == [(1, old, JAN, FEB), (1, new, FEB, MAX)], message


def test_a_key_without_equality_is_refused(project: Project) -> None:
    message = run(project, JAN, "select '{}'::json as k, 1 as v")
    assert "scd2_master [invalid_option] model.shop.history: column k of unique_key is of type json" in message
    assert project.relations() == []


def test_an_output_name_that_would_be_cut_off_is_refused(project: Project) -> None:
    name = "é" * 32
    message = run(project, JAN, "select 1 as k, 1 as v", version_key_column=name)
    assert (
        f"[invalid_option] model.shop.history: the name of the output column {name} is longer than 63 bytes" in message
    )
    assert project.relations() == []
