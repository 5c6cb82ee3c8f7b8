"""What a hierarchy costs beside a recursive query written by hand.

Makes members of a tree, then times these, each in a process of its own on a fresh copy of the same DuckDB file:

    hierarchy   the package's model `dimension_hierarchy`, by dbt
    cycle       the same where the root stands under a member of the lowest level: it must be refused
    table       the recursive query as a dbt model of the kind table, without any check
    query       the same by DuckDB alone

Limits and figures are those of strategies.py. The rows that the package wrote are compared with those of the query.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strategies import DBT, MIB, PACKAGE, Cost, Limits, arguments, dbt, middle, run_process, run_sql, statements

LEVELS = 10
WAYS = ("hierarchy", "cycle", "table", "query")


@dataclass(frozen=True)
class Size:
    """A tree in which each member has `fan_out` children, as far as there are members."""

    members: int
    fan_out: int

    @property
    def depth(self) -> int:
        depth, covered = 1, 1
        while covered < self.members:
            covered += self.fan_out**depth
            depth += 1
        return depth


def make_data(database: Path, size: Size, limits: Limits) -> None:
    """Store the members in random order. With `cycle`, the root has a parent: the last member."""
    members = f"""
        create table members as
        select
            i as member_id, case when i > 0 then (i - 1) // {size.fan_out} end as parent_id,
            'member ' || i as member_name, i % 7 as kind, i * 1.5 as amount
        from range({size.members}) as numbers(i) order by hash(i)
    """
    run_sql(database, limits, members, "checkpoint")


def by_hand() -> str:
    """The same columns as the model's, by a query that trusts its source."""
    first = ", ".join(f"null::bigint as level_{level}" for level in range(2, LEVELS + 1))
    further = ", ".join(
        f"if(places.level = {level - 1}, members.member_id, level_{level})" for level in range(2, LEVELS + 1)
    )
    return f"""
        with recursive places as (
            select
                member_id, 1 as level, member_id as root, member_id::varchar as path, member_id as level_1, {first}
            from members where parent_id is null
            union all
            select
                members.member_id, places.level + 1, root, path || ' > ' || members.member_id, level_1, {further}
            from places inner join members on members.parent_id = places.member_id
        )
        select
            members.*, level, root, path, member_id not in (select parent_id from members where parent_id is not null)
            as is_leaf, columns('level_[0-9]+')
        from members inner join places using (member_id)
    """


def make_project(folder: Path, database: Path, limits: Limits) -> None:
    """A dbt project that uses the package. The database file is replaced before each run."""
    profile = {"type": "duckdb", "path": str(database), "threads": 1, "settings": limits.settings}
    config = f"""{{{{ config(
        materialized='dimension_hierarchy', unique_key='member_id', parent_key='parent_id', levels={LEVELS}
    ) }}}}
    select * {{}} from members"""
    last = "replace (coalesce(parent_id, (select max(member_id) from members)) as parent_id)"
    files = {
        "dbt_project.yml": json.dumps(
            {"name": "benchmark", "profile": "benchmark", "flags": {"send_anonymous_usage_stats": False}}
        ),
        "profiles.yml": json.dumps({"benchmark": {"target": "dev", "outputs": {"dev": profile}}}),
        "models/hierarchy.sql": config.replace("{}", ""),
        "models/cycle.sql": config.replace("{}", last),
        "models/table.sql": "{{ config(materialized='table') }}" + by_hand(),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / "scd2_master").symlink_to(PACKAGE, target_is_directory=True)


def run_model(project: Path, database: Path, limits: Limits, model: str) -> tuple[dict[str, Any], Cost]:
    """Run one model, which may fail; its entry in run_results.json and its cost."""
    (project / "logs" / "dbt.log").unlink(missing_ok=True)
    folders = ["--project-dir", str(project), "--profiles-dir", str(project)]
    command = [str(DBT), "--log-format-file", "json", "run", "--select", model, *folders]
    ended = run_process(["sh", "-c", '"$@" || true', "sh", *command], limits)
    (result,) = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return result, ended.cost(result["execution_time"], database)


def check(database: Path, size: Size, limits: Limits, results: dict[str, dict[str, Any]]) -> None:
    """Compare the hierarchy with the query's rows, and look at what the runs said."""
    difference = f"select count(*) from ((from hierarchy) except all ({by_hand()}))"
    rows, _ = run_sql(database, limits, f"select (select count(*) from hierarchy), ({difference})")
    reported = results["hierarchy"]["message"], results["cycle"]["message"].splitlines()[1].strip()
    print(*reported, sep="\n")
    if rows != [[size.members, 0]] or reported[0] != f"HIERARCHY: {size.members} members, 1 root, {size.depth} levels":
        sys.exit(f"The run wrote something wrong: {rows} rows and differences")
    if f" > {size.members - 1} > 0 ({size.depth} rows)" not in reported[1]:
        sys.exit("The cycle was not found.")


def table(costs: dict[str, list[Cost]]) -> str:
    """The medians."""
    lines = [f"{'':<13} {'node s':>8} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9} {'file MiB':>9}"]
    for name, runs in costs.items():
        cost = middle(runs)
        lines.append(
            f"{name:<13} {cost.seconds:>8.2f} {cost.wall:>8.2f} {cost.cpu:>8.2f} {cost.peak / MIB:>9.0f}"
            f" {cost.file / MIB:>9.0f}"
        )
    return "\n".join(lines)


def benchmark(folder: Path, size: Size, limits: Limits, runs: int, slowest: int) -> None:
    """Make the data, run everything `runs` times in turn, check, print."""
    base, database, project = folder / "base.duckdb", folder / "warehouse.duckdb", folder / "project"
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {limits}")
    print(f"{size.members:,} members, {size.depth} levels", flush=True)
    make_data(base, size, limits)
    make_project(project, database, limits)
    dbt(project, limits, "parse")
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    timed: dict[str, list[tuple[float, str]]] = {}
    results: dict[str, dict[str, Any]] = {}
    for run in range(runs):
        for model in WAYS[:-1]:
            shutil.copyfile(base, database)
            results[model], cost = run_model(project, database, limits, model)
            costs[model].append(cost)
            timed[model] = statements(project)
            if model == "hierarchy":
                shutil.copyfile(database, folder / "hierarchy.duckdb")
        shutil.copyfile(base, database)
        queried = run_sql(database, limits, "begin", f"create table query as {by_hand()}", "commit")
        costs["query"].append(queried[1])
        print(
            f"run {run + 1}: {', '.join(f'{name} {done[-1].seconds:.2f} s' for name, done in costs.items())}",
            flush=True,
        )
    check(folder / "hierarchy.duckdb", size, limits, results)
    print(f"\nmedian of {runs} runs\n{table(costs)}\n")
    for model in ("hierarchy", "cycle"):
        print(f"{model}, of {len(timed[model])} statements")
        print("\n".join(f"{seconds:>8.2f} s  {sql[:110]}" for seconds, sql in timed[model][:slowest]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=int, default=1_000_000, help="members of the tree (1,000,000)")
    parser.add_argument("--fan-out", type=int, default=8, help="children of each member: 8 levels with 8 (8)")
    parser.add_argument("--slowest", type=int, default=6, help="statements of the node to list (6)")
    given, limits = arguments(parser)
    with tempfile.TemporaryDirectory(prefix="scd2_benchmark_", dir=given.folder) as folder:
        benchmark(Path(folder), Size(given.members, given.fan_out), limits, given.runs, given.slowest)


if __name__ == "__main__":
    main()
