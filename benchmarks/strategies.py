"""What a run of either strategy costs beside a plain copy of the same history.

Makes a source and a history, then times these, each in a process of its own on a fresh copy of the same DuckDB file:

    merge     the package's model with that strategy, by dbt
    rebuild   the same with the other one
    table     `select * from history` as a dbt model of the kind table
    copy      `create table as select * from history`, by DuckDB alone

Every process may use `--cores` cores, `--memory` of address space and `--memory-limit` of DuckDB memory. The rows that
the package wrote are compared with a direct computation.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
DBT = Path(sys.executable).with_name("dbt")
STRATEGIES = ("merge", "rebuild")
EFFECTIVE_DATE = "2026-07-01"
MIB = 2**20

# This process stays small and never loads DuckDB: on Linux a child's peak memory starts from its parent's.
RUN_SQL = """
import json, sys, time
import duckdb

job = json.load(sys.stdin)
connection = duckdb.connect(job["database"], config=job["settings"])
connection.execute("set enable_progress_bar = false")
start = time.perf_counter()
rows = [connection.execute(statement).fetchall() for statement in job["statements"]]
print(json.dumps({"seconds": time.perf_counter() - start, "rows": rows[-1]}, default=str))
"""


@dataclass(frozen=True)
class Size:
    """How much data. Every `every`-th key has changed; 0 is none."""

    keys: int
    versions_per_key: int
    every: int

    @property
    def changed(self) -> int:
        return self.keys // self.every if self.every else 0

    @property
    def versions(self) -> int:
        return self.keys * self.versions_per_key

    def is_changed(self, key: str) -> str:
        return f"({key} % {self.every} = 0)" if self.every else "(false)"


@dataclass(frozen=True)
class Limits:
    """What one process may use."""

    cores: int
    memory: int
    memory_limit: str

    @property
    def settings(self) -> dict[str, Any]:
        return {"threads": self.cores, "memory_limit": self.memory_limit}

    def apply(self) -> None:
        """Bind the calling process to the first cores and limit its address space."""
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: self.cores])
        resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))


@dataclass(frozen=True)
class Cost:
    """What one run took. `seconds` is the node's time, or the statement's and its commit's; the rest the command's."""

    seconds: float
    wall: float
    cpu: float
    peak: int
    file: int


@dataclass(frozen=True)
class Ended:
    """A command that ended well: what it printed, its seconds, its peak memory in bytes."""

    printed: str
    wall: float
    cpu: float
    peak: int

    def cost(self, seconds: float, database: Path) -> Cost:
        return Cost(seconds, self.wall, self.cpu, self.peak, database.stat().st_size)


def run_process(command: list[str], limits: Limits, text: str = "") -> Ended:
    """Run a command to its end, within the limits."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as output:
        given.write(text)
        given.seek(0)
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=given, stdout=output, stderr=subprocess.STDOUT, preexec_fn=limits.apply
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}:\n{printed}")
    return Ended(printed, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def run_sql(database: Path, limits: Limits, *statements: str) -> tuple[list[Any], Cost]:
    """Execute statements in a process of its own; returns the rows of the last one."""
    job = {"database": str(database), "settings": limits.settings, "statements": statements}
    ended = run_process([sys.executable, "-c", RUN_SQL], limits, json.dumps(job))
    answer = json.loads(ended.printed)
    return answer["rows"], ended.cost(answer["seconds"], database)


def values_sql(version: str) -> str:
    """The data columns of a key's version: few, some and many distinct values."""
    return f"""
        'region ' || ((key * 7 + {version}) % 50) as region,
        'segment ' || ((key + {version} * 3) % 12) as segment,
        cast(((key * 31 + {version} * 17) % 1000000) / 100 as decimal(12, 2)) as credit_limit,
        md5(cast(key * 1000 + {version} as varchar)) as note
    """


def make_data(database: Path, size: Size, limits: Limits) -> None:
    """History and source. A changed key has a version in the source that the history does not have."""
    last = size.versions_per_key - 1
    history = f"""
        create table history as
        select
            key as customer_id,
            {values_sql("version")},
            date '2020-01-01' + cast(version * 100 as integer) as valid_from,
            if(version = {last}, date '9999-12-31', cast(valid_from + interval 100 day as date)) as valid_to,
            version = {last} as is_current
        from (
            select i % {size.keys} + 1 as key, i // {size.keys} as version
            from range({size.versions}) as numbers(i)
        )
    """
    source = f"""
        create table customer_master as
        select key as customer_id, {values_sql(f"if({size.is_changed('key')}, {last + 1}, {last})")}
        from (select i + 1 as key from range({size.keys}) as numbers(i) order by hash(i))
    """
    run_sql(database, limits, history, source, "checkpoint")


def make_project(folder: Path, database: Path, limits: Limits) -> None:
    """A dbt project that uses the package. The database file is replaced before each run."""
    profile = {"type": "duckdb", "path": str(database), "threads": 1, "settings": limits.settings}
    files = {
        "dbt_project.yml": json.dumps(
            {"name": "benchmark", "profile": "benchmark", "flags": {"send_anonymous_usage_stats": False}}
        ),
        "profiles.yml": json.dumps({"benchmark": {"target": "dev", "outputs": {"dev": profile}}}),
        "models/history_copy.sql": "{{ config(materialized='table') }} select * from history",
    }
    for strategy in STRATEGIES:
        files[f"models/{strategy}.sql"] = f"""{{{{ config(
            materialized='scd2_master',
            unique_key='customer_id',
            tracked_columns=['region', 'segment'],
            effective_date='{EFFECTIVE_DATE}',
            close_on_absence=true,
            scd2_strategy='{strategy}',
        ) }}}}
        select * from customer_master"""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / "scd2_master").symlink_to(PACKAGE, target_is_directory=True)


def dbt(project: Path, limits: Limits, *arguments: str) -> Ended:
    """Run dbt in the project."""
    folders = ["--project-dir", str(project), "--profiles-dir", str(project)]
    return run_process([str(DBT), "--log-format-file", "json", *arguments, *folders], limits)


def run_model(project: Path, database: Path, limits: Limits, model: str) -> tuple[dict[str, Any], Cost]:
    """Run one model; its entry in run_results.json and its cost."""
    (project / "logs" / "dbt.log").unlink(missing_ok=True)
    ended = dbt(project, limits, "run", "--select", model)
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))
    (result,) = results["results"]
    return result, ended.cost(result["execution_time"], database)


def statements(project: Path) -> list[tuple[float, str]]:
    """Seconds and first words of the statements of the last dbt run, slowest first."""
    timed: list[tuple[float, str]] = []
    sql = ""
    for line in (project / "logs" / "dbt.log").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["info"]["name"] == "SQLQuery":
            sql = " ".join(event["data"]["sql"].split("*/", 1)[-1].split())
        elif event["info"]["name"] == "SQLQueryStatus":
            timed.append((event["data"]["elapsed"], sql))
    return sorted(timed, reverse=True)


def check(database: Path, base: Path, size: Size, limits: Limits, model: str, result: dict[str, Any]) -> None:
    """Compare what the model wrote with the rows that the rule 'every n-th key has changed' gives."""
    is_changed = size.is_changed("customer_id")
    summary = """
        count(*), count(*) filter (is_current), count(distinct customer_id),
        sum(cast(hash(customer_id, region, segment, credit_limit, note, valid_from, valid_to, is_current) as hugeint))
    """
    expected = f"""
        select {summary} from (
            select
                * replace (
                    if(is_current and {is_changed}, date '{EFFECTIVE_DATE}', valid_to) as valid_to,
                    is_current and not {is_changed} as is_current
                )
            from base.history
            union all
            select customer_master.*, date '{EFFECTIVE_DATE}', date '9999-12-31', true
            from base.customer_master
            where {is_changed}
        )
    """
    attach = f"attach '{base}' as base (read_only)"
    wanted, _ = run_sql(database, limits, attach, expected)
    got, _ = run_sql(database, limits, f'select {summary} from "{model}"')
    relations, _ = run_sql(database, limits, "select table_name from duckdb_tables() where not internal order by 1")
    problems = []
    if got != wanted:
        problems.append(f"rows: {got}, expected {wanted}")
    if wanted[0][:3] != [size.versions + size.changed, size.keys, size.keys]:
        problems.append(f"the direct computation itself is off: {wanted}")
    if result["adapter_response"].get("rows_affected") != 2 * size.changed:
        problems.append(f"report: {result['adapter_response']}")
    if relations != [["customer_master"], [model]]:
        problems.append(f"relations: {relations}")
    if problems:
        sys.exit("The run wrote something wrong.\n" + "\n".join(problems))


def middle(costs: list[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        median(cost.seconds for cost in costs),
        median(cost.wall for cost in costs),
        median(cost.cpu for cost in costs),
        int(median(cost.peak for cost in costs)),
        int(median(cost.file for cost in costs)),
    )


def table(costs: dict[str, list[Cost]]) -> str:
    """The medians, and the ratios of node time, CPU time and peak memory to the plain copy's."""
    base = middle(costs["copy"])
    lines = [f"{'':<13} {'node s':>8} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9} {'file MiB':>9}   ratios"]
    for name, runs in costs.items():
        cost = middle(runs)
        ratios = [cost.seconds / base.seconds, cost.cpu / base.cpu, cost.peak / base.peak]
        lines.append(
            f"{name:<13} {cost.seconds:>8.2f} {cost.wall:>8.2f} {cost.cpu:>8.2f} {cost.peak / MIB:>9.0f}"
            f" {cost.file / MIB:>9.0f}   {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
        )
    return "\n".join(lines)


def benchmark(folder: Path, size: Size, limits: Limits, runs: int, slowest: int) -> None:
    """Make the data, run everything `runs` times in turn, check, print."""
    base, database, project = folder / "base.duckdb", folder / "warehouse.duckdb", folder / "project"
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {limits}")
    print(f"{size.keys:,} source rows, {size.versions:,} versions, {size.changed:,} keys changed", flush=True)
    make_data(base, size, limits)
    print(f"database before the run: {base.stat().st_size / MIB:.0f} MiB", flush=True)
    make_project(project, database, limits)
    dbt(project, limits, "parse")
    costs: dict[str, list[Cost]] = {name: [] for name in (*STRATEGIES, "table", "copy")}
    timed: dict[str, list[tuple[float, str]]] = {}
    for run in range(runs):
        for strategy in STRATEGIES:
            shutil.copyfile(base, database)
            run_sql(database, limits, f'alter table history rename to "{strategy}"', "checkpoint")
            result, cost = run_model(project, database, limits, strategy)
            costs[strategy].append(cost)
            timed[strategy] = statements(project)
            if run == 0:
                check(database, base, size, limits, strategy, result)
        shutil.copyfile(base, database)
        costs["table"].append(run_model(project, database, limits, "history_copy")[1])
        shutil.copyfile(base, database)
        copied = run_sql(database, limits, "begin", "create table history_copy as select * from history", "commit")
        costs["copy"].append(copied[1])
        last = [f"{name} {done[-1].seconds:.2f} s" for name, done in costs.items()]
        print(f"run {run + 1}: {', '.join(last)}", flush=True)
    print(f"\n{result['message']}: the rows are as expected\n\nmedian of {runs} runs\n{table(costs)}\n")
    for strategy in STRATEGIES:
        print(strategy)
        print("\n".join(f"{seconds:>8.2f} s  {sql[:110]}" for seconds, sql in timed[strategy][:slowest]))


def arguments(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, Limits]:
    """What the command line says, with the runs, limits and folder that every benchmark takes."""
    parser.add_argument("--runs", type=int, default=3, help="runs of each way (3)")
    parser.add_argument("--cores", type=int, default=2, help="cores and DuckDB threads of each process (2)")
    parser.add_argument("--memory", type=float, default=8, help="address space of each process in GiB (8)")
    parser.add_argument("--memory-limit", default="6GB", help="DuckDB's memory_limit (6GB)")
    parser.add_argument("--folder", type=Path, help="where to put the temporary files")
    given = parser.parse_args()
    return given, Limits(given.cores, int(given.memory * 2**30), given.memory_limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=2_000_000, help="source rows and open versions (2,000,000)")
    parser.add_argument("--versions", type=int, default=5, help="versions of each key in the history (5)")
    parser.add_argument("--every", type=int, default=100, help="every n-th key has changed; 0: none (100)")
    parser.add_argument("--slowest", type=int, default=10, help="statements of the node to list (10)")
    given, limits = arguments(parser)
    size = Size(given.keys, given.versions, given.every)
    with tempfile.TemporaryDirectory(prefix="scd2_benchmark_", dir=given.folder) as folder:
        benchmark(Path(folder), size, limits, given.runs, given.slowest)


if __name__ == "__main__":
    main()
