"""A throw-away dbt project that consumes the package, driven from Python."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from dbt_common.tests import enable_test_caching
from engines import engine_of

PACKAGE = Path(__file__).resolve().parents[2]
PROJECT = "shop"
# dbt's parse of an earlier project of this test run: a new one starts from it instead of parsing every macro again.
PARSED = Path(tempfile.gettempdir()) / f"scd2_parsed_{os.environ.get('PYTEST_XDIST_TESTRUNUID', uuid.uuid4().hex)}"

# what dbt offers to test suites: macros of the same text are parsed once in a process
enable_test_caching()


@dataclass
class Run:
    """What one dbt invocation did. Statuses are for messages: tests query the table."""

    success: bool
    log: str
    exception: BaseException | None
    statuses: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    responses: dict[str, dict[str, Any]] = field(default_factory=dict)


class Project:
    """Models, tables and runs of one throw-away project.

    Models become `models/<name>.sql`; tables live in the schema `main` of the project's database, whose sessions are in
    the time zone.
    """

    def __init__(
        self,
        root: Path,
        *,
        profile: dict[str, Any] | None = None,
        project: dict[str, Any] | None = None,
        zone: str | None = None,
    ):
        self.root = root
        self.engine = engine_of(root, zone)
        self._parsed: Path | None = None
        for folder in ("models", "dbt_packages", "macros"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        link = root / "dbt_packages" / "scd2_master"
        if not link.exists():
            link.symlink_to(PACKAGE, target_is_directory=True)
        self._yaml(
            "dbt_project.yml",
            {
                "name": PROJECT,
                "version": "1.0.0",
                "profile": PROJECT,
                "flags": {"send_anonymous_usage_stats": False},
                **(project or {}),
            },
        )
        output = {**self.engine.output(), **(profile or {})}
        self._yaml("profiles.yml", {PROJECT: {"target": "dev", "outputs": {"dev": output}}})

    def _yaml(self, file: str, content: dict[str, Any]) -> None:
        (self.root / file).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")

    def file(self, path: str, text: str) -> None:
        """Write any other file of the project: a macro, a properties file, a seed."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def model(
        self, name: str, sql: str, config: dict[str, Any] | None = None, *, meta: bool = False, **standard: Any
    ) -> str:
        """Write a scd2_master model and return its name.

        `config` holds the package's options, placed at top level or (meta=True) under meta; `standard`
        holds dbt's own options. Both travel as JSON inside `config()`, so only JSON values fit; for
        others write the file with `file()`.
        """
        options = dict(config or {})
        merged = {"materialized": "scd2_master", **standard, **({"meta": options} if meta else options)}
        literal = json.dumps(json.dumps(merged))
        text = f"{{{{ config(**fromjson({literal})) }}}}\n{sql}\n"
        self.file(f"models/{name}.sql", text)
        return name

    def table(self, name: str, columns: str, rows: Iterable[Sequence[Any]] = ()) -> None:
        """(Re)create a source table: `columns` is DDL such as 'id varchar, region varchar'."""
        with self.engine.session() as session:
            session.replace(name, f"({columns})")
            session.insert(name, rows)

    def replace(self, name: str, definition: str) -> None:
        """(Re)create a table: `definition` is what stands after its name."""
        with self.engine.session() as session:
            session.replace(name, definition)

    def execute(self, sql: str) -> None:
        """Run one statement against the database."""
        with self.engine.session() as session:
            session.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query against the database."""
        with self.engine.session() as session:
            return session.rows(sql)

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Names and types of a table's columns, in order."""
        with self.engine.session() as session:
            return session.columns(table)

    def history(self, table: str) -> list[tuple[Any, ...]]:
        """The whole table, every column, in a fixed order."""
        with self.engine.session() as session:
            return session.in_order(f"select * from {table}")

    def comments(self, table: str) -> list[tuple[str, str]]:
        """The comments of a table, which comes first, and of its columns in order."""
        with self.engine.session() as session:
            return session.comments(table)

    def indexes(self, table: str) -> list[tuple[bool, str]]:
        """Of each index of a table whether it is unique, and the columns it is on, in order."""
        with self.engine.session() as session:
            return session.indexes(table)

    def constraints(self, table: str) -> list[tuple[str, list[str]]]:
        """Type and columns of each primary key and check of a table."""
        with self.engine.session() as session:
            return session.constraints(table)

    def relations(self) -> list[str]:
        """Every table and view in the database, 'schema.name', sorted: to see leftovers."""
        return [
            row[0]
            for row in self.rows(
                "select table_schema || '.' || table_name from information_schema.tables "
                "where table_schema not in ('information_schema', 'pg_catalog') order by 1"
            )
        ]

    def dbt(self, *args: str, vars: dict[str, Any] | None = None) -> Run:
        """Invoke dbt in this process, e.g. dbt('run', '-s', 'customer_scd2')."""
        lines: list[str] = []
        runner = dbtRunner(callbacks=[lambda event: lines.append(event.info.msg)])
        arguments = [
            *args,
            *(["--vars", yaml.safe_dump(vars, default_flow_style=True, width=100_000)] if vars else []),
            "--project-dir",
            str(self.root),
            "--profiles-dir",
            str(self.root),
            "--no-use-colors",
            "--quiet",
        ]
        parsed = self._reuse_parse(vars)
        self.engine.ready()
        with contextlib.chdir(self.root):
            outcome = runner.invoke(arguments)
        self.engine.close()
        if not parsed.exists() and self._partial_parse.exists():
            PARSED.mkdir(exist_ok=True)
            # in one step: another process may look for it
            Path(shutil.copy(self._partial_parse, f"{parsed}.{os.getpid()}")).replace(parsed)
        run = Run(outcome.success, "\n".join(lines), outcome.exception)
        # a run-operation has no node
        for result in (result for result in getattr(outcome.result, "results", []) if hasattr(result, "node")):
            run.statuses[result.node.name] = str(result.status)
            run.messages[result.node.name] = result.message or ""
            run.responses[result.node.name] = result.adapter_response
        return run

    @property
    def _partial_parse(self) -> Path:
        return self.root / "target" / "partial_parse.msgpack"

    def _reuse_parse(self, vars: dict[str, Any] | None) -> Path:
        """Start from the parse of any project with the same settings and vars, unless the last one here had them too.

        Returns where the parse with these settings and vars is kept.
        """
        files = [self.root / "dbt_project.yml", self.root / "profiles.yml"]
        settings = [file.read_text(encoding="utf-8") for file in files]
        parsed = PARSED / hashlib.md5(repr([settings, vars]).encode()).hexdigest()
        if parsed != self._parsed and parsed.exists():
            self._partial_parse.parent.mkdir(exist_ok=True)
            shutil.copy(parsed, self._partial_parse)
        self._parsed = parsed
        return parsed

    def run(self, *models: str, vars: dict[str, Any] | None = None, flags: Sequence[str] = ()) -> Run:
        """`dbt run`, of all models or of those named; manifest.json and the like only with the flag --write-json."""
        select = ["--select", *models] if models else []
        return self.dbt("run", "--no-write-json", *select, *flags, vars=vars)
