"""What the range join of `as_of_join` costs beside DuckDB's own as-of join.

Makes facts and a history with 1, 5 and 50 versions per key, then times these, each in a process of its own, on the same
DuckDB file and in an order that changes from run to run:

    range     `create table as` what the package's macro renders
    native    the same by `asof left join` on the begin of the version, and a comparison of its end

Every process may use `--cores` cores, `--memory` of address space and `--memory-limit` of DuckDB memory. Both
results are compared by their number of rows, their number of matches and a checksum over all values.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from strategies import MIB, PACKAGE, Cost, Limits, arguments, dbt, run_sql

MODEL = """
{{ scd2_master.as_of_join(
    source('main', 'facts'), source('main', 'history'), 'customer_id', 'ordered_on', ['region', 'segment']
) }}
"""
NATIVE = """
    select
        facts.*,
        case when facts.ordered_on < versions.valid_to then versions.region end as region,
        case when facts.ordered_on < versions.valid_to then versions.segment end as segment
    from facts
    asof left join history as versions
        on facts.customer_id = versions.customer_id and facts.ordered_on >= versions.valid_from
"""
WAYS = ("range", "native")


def make_data(database: Path, facts: int, versions: int, versions_per_key: int, limits: Limits) -> None:
    """Facts in no order; versions of 100 days in the order of time, every seventh one followed by a gap.

    One fact in 1,000 has no key, one in 100 a key without versions, some lie before the first version.
    """
    keys = versions // versions_per_key
    last = versions_per_key - 1
    history = f"""
        create table history as
        select
            'C' || key as customer_id,
            'region ' || ((key * 7 + version) % 50) as region,
            'segment ' || ((key + version * 3) % 12) as segment,
            date '2020-01-01' + cast(version * 100 as integer) as valid_from,
            case
                when version = {last} then date '9999-12-31'
                else valid_from + if((key + version) % 7 = 0, 70, 100)
            end as valid_to,
            version = {last} as is_current
        from (select i % {keys} as key, i // {keys} as version from range({keys * versions_per_key}) as numbers(i))
    """
    orders = f"""
        create table facts as
        select
            i as order_id,
            if(hash(i, 1) % 1000 = 0, null, 'C' || hash(i, 2) % {max(keys * 101 // 100, keys + 1)}) as customer_id,
            date '2019-12-01' + cast(hash(i, 3) % {versions_per_key * 100 + 30} as integer) as ordered_on,
            cast(hash(i, 4) % 1000000 / 100 as decimal(12, 2)) as amount
        from range({facts}) as numbers(i)
    """
    run_sql(database, limits, history, orders, "checkpoint")


def render(folder: Path, database: Path, limits: Limits) -> str:
    """What the macro makes of the two tables."""
    profile = {"type": "duckdb", "path": str(database), "threads": 1, "settings": limits.settings}
    sources = [{"name": "main", "tables": [{"name": "facts"}, {"name": "history"}]}]
    files = {
        "dbt_project.yml": json.dumps(
            {"name": "benchmark", "profile": "benchmark", "flags": {"send_anonymous_usage_stats": False}}
        ),
        "profiles.yml": json.dumps({"benchmark": {"target": "dev", "outputs": {"dev": profile}}}),
        "models/sources.yml": json.dumps({"sources": sources}),
        "models/range_join.sql": MODEL,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / "scd2_master").symlink_to(PACKAGE, target_is_directory=True)
    dbt(folder, limits, "compile")
    return (folder / "target/compiled/benchmark/models/range_join.sql").read_text(encoding="utf-8")


def check(database: Path, limits: Limits, facts: int) -> str:
    """Compare the two results, which lie side by side in the database."""
    summary = """
        count(*), count(region), sum(cast(hash(order_id, customer_id, ordered_on, amount, region, segment) as hugeint))
    """
    found = [run_sql(database, limits, f"select {summary} from result_{way}")[0][0] for way in WAYS]
    if found[0] != found[1] or found[0][0] != facts:
        sys.exit(
            f"The results differ from each other, or from the number of facts: {dict(zip(WAYS, found, strict=True))}"
        )
    return f"both give {found[0][0]:,} rows, {found[0][1]:,} of them with a version, and the same checksum"


def compare(folder: Path, queries: dict[str, str], base: Path, limits: Limits, facts: int, runs: int) -> str:
    """Run both in turn, check them once; returns a line of the table."""
    database = folder / "warehouse.duckdb"
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for run in range(runs):
        shutil.copyfile(base, database)
        order = WAYS if run % 2 == 0 else WAYS[::-1]
        for way in order:
            costs[way].append(run_sql(database, limits, f"create table result_{way} as {queries[way]}")[1])
        if run == 0:
            print(f"  {check(database, limits, facts)}")
        seconds = [costs[way][-1].seconds for way in WAYS]
        print(f"  run {run + 1}: range {seconds[0]:.2f} s, native {seconds[1]:.2f} s", flush=True)
    middle = {way: median(cost.seconds for cost in costs[way]) for way in WAYS}
    peak = {way: median(cost.peak for cost in costs[way]) / MIB for way in WAYS}
    ratios = sorted(mine.seconds / other.seconds for mine, other in zip(costs["range"], costs["native"], strict=True))
    return (
        f"{middle['range']:.2f} | {middle['native']:.2f} | {peak['range']:.0f} | {peak['native']:.0f} "
        f"| {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |"
    )


def benchmark(folder: Path, given: argparse.Namespace, limits: Limits) -> None:
    """Everything for each number of versions per key."""
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {limits}")
    lines = []
    sql = ""
    for per_key in given.versions_per_key:
        base = folder / "base.duckdb"
        base.unlink(missing_ok=True)
        make_data(base, given.facts, given.versions, per_key, limits)
        if not sql:
            shutil.copyfile(base, folder / "warehouse.duckdb")
            sql = render(folder / "project", folder / "warehouse.duckdb", limits)
            print(sql)
        print(f"{given.facts:,} facts, {given.versions:,} versions, {per_key} per key", flush=True)
        line = compare(folder, {"range": sql, "native": NATIVE}, base, limits, given.facts, given.runs)
        lines.append(f"| {per_key} | {line}")
    print(f"\nmedian of {given.runs} runs; ratios of one run, range / native\n")
    print("| versions per key | range s | native s | range peak MiB | native peak MiB | ratio (least to greatest) |")
    print("|---|---|---|---|---|---|")
    print("\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=10_000_000, help="facts (10,000,000)")
    parser.add_argument("--versions", type=int, default=10_000_000, help="versions in the history (10,000,000)")
    parser.add_argument(
        "--versions-per-key", type=int, nargs="+", default=[1, 5, 50], help="one comparison each (1 5 50)"
    )
    given, limits = arguments(parser)
    with tempfile.TemporaryDirectory(prefix="scd2_benchmark_", dir=given.folder) as folder:
        benchmark(Path(folder), given, limits)


if __name__ == "__main__":
    main()
