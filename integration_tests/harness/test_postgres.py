"""What PostgreSQL alone has: views and indexes that hang on the table, types without equality, long names."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date

import pytest
from engines import ENGINE, Session
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


def test_a_rebuild_of_a_table_that_a_foreign_key_refers_to_is_refused(project: Project) -> None:
    """PostgreSQL does not truncate such a table."""
    source = "select 1 as k, '{}'::text as v"
    run(project, JAN, source.replace("{}", "a"))
    project.execute("alter table history add unique (k, valid_from)")
    project.execute("create table facts (k int, day date, foreign key (k, day) references history (k, valid_from))")
    before = project.history("history")
    message = run(project, FEB, source.replace("{}", "b"))
    refusal = "the run fills the table anew, and foreign keys refer to it: facts_k_day_fkey of facts"
    assert f"[invalid_option] model.shop.history: {refusal}" in message
    assert project.history("history") == before
    message = run(project, FEB, source.replace("{}", "b"), scd2_strategy="merge")
    assert project.history("history") == [(1, "a", JAN, FEB, False), (1, "b", FEB, MAX, True)], message


# Runs at once: the second one waits until the test, which stands for the first one, commits.


@contextlib.contextmanager
def other_run(project: Project, lock: str) -> Iterator[Session]:
    """A transaction that holds a lock until it commits."""
    with project.engine.session() as session:
        session.execute("begin")
        session.execute(lock)
        yield session


@contextlib.contextmanager
def waiting_run(project: Project) -> Iterator[subprocess.Popen[str]]:
    """`dbt run`, once it waits for a lock."""
    folders = ["--project-dir", str(project.root), "--profiles-dir", str(project.root)]
    command = [sys.executable, "-m", "dbt.cli.main", "run", "--no-use-colors", *folders]
    with subprocess.Popen(command, cwd=project.root, stdout=subprocess.PIPE, text=True) as dbt:
        give_up = time.monotonic() + 60
        while not project.rows("select 1 from pg_locks where not granted"):
            assert dbt.poll() is None, "dbt did not wait"
            assert time.monotonic() < give_up
            time.sleep(0.1)
        yield dbt


@pytest.mark.parametrize("strategy", ["rebuild", "merge"])
def test_a_second_run_waits_and_sees_what_the_first_one_wrote(project: Project, strategy: str) -> None:
    run(project, JAN, "select 1 as k, 'a'::text as v")
    changed = "select 1 as k, 'b'::text as v union all select 2, 'a'"
    project.model("history", changed, {**CONFIG, "effective_date": str(FEB), "scd2_strategy": strategy})
    written = [(1, "a", JAN, FEB, False), (1, "b", FEB, MAX, True), (2, "a", FEB, MAX, True)]
    lock = "lock table history in share row exclusive mode"
    with other_run(project, lock) as first, waiting_run(project) as second:
        assert first.rows("select k, v from history") == [(1, "a")]
        first.execute("update history set valid_to = '2026-02-01', is_current = false")
        first.insert("history", written[1:])
        first.execute("commit")
        log = second.communicate()[0]
    assert "0 opened, 0 changed, 0 restated, 0 closed, 0 removed, 2 unchanged" in log, log
    assert project.history("history") == written


def test_of_two_first_runs_at_once_the_second_one_stops_and_says_so(project: Project) -> None:
    project.model("history", "select 1 as k, 'a'::text as v", {**CONFIG, "effective_date": str(JAN)})
    lock = """select pg_advisory_xact_lock(hashtextextended('"main"."history"', 0))"""
    with other_run(project, lock) as first, waiting_run(project) as second:
        first.execute("create table history as select 1 as k, 'first'::text as v")
        first.execute("commit")
        log = second.communicate()[0]
    assert 'another run has just made "warehouse"."main"."history". Run the model again' in log, log
    assert project.history("history") == [(1, "first")]
