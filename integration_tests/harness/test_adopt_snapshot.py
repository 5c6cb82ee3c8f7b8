"""Snapshots that dbt itself took on several days become histories, and the next run of the model continues them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import pytest
from dated import report
from engines import ENGINE, needs_duckdb
from operations import operate, operate_each, refused
from oracle import tracked_hash, version_key
from project import Project
from sequences import LESS_WRITING

Row = tuple[Any, ...]

# When the snapshots were taken, and when the source says that its rows changed. The last two are on one day.
R1, R2, R3, R4 = datetime(2026, 1, 2, 10), datetime(2026, 2, 2, 10), datetime(2026, 3, 2, 10), datetime(2026, 3, 2, 15)
U1, U2, U3, U4 = datetime(2026, 1, 1, 9), datetime(2026, 2, 1, 9), datetime(2026, 3, 1, 9), datetime(2026, 3, 2, 14)
MAX = datetime(9999, 12, 31)
SENTINEL = "cast('9999-12-31' as timestamp)"
# dbt does not quote the name
SCD_ID = "SCD_Id" if ENGINE == "duckdb" else "scd_id"
META = {
    "dbt_valid_from": "valid_from",
    "dbt_valid_to": "valid_to",
    "dbt_scd_id": "SCD_Id",
    "dbt_updated_at": "updated",
    "dbt_is_deleted": "is_gone",
}

# What the source holds then: k, v, note, u. c is deleted and comes back with a new u.
SOURCE = {
    R1: [("a", "1", "x", U1), ("b", "1", None, U1), ("c", "1", "x", U1)],
    R2: [("a", "2", "y", U2), ("b", "1", None, U1)],
    R3: [("a", "2", "y", U2), ("b", None, None, U3), ("c", "1", "x", U3)],
    R4: [("a", "2", "y", U2), ("b", "3", None, U4), ("c", "1", "x", U3)],
}
# c comes back as it was, and there are a null key and a key that occurs twice.
UNSOUND = [(None, "1", "x", U1), ("d", "1", "x", U1), ("d", "2", "x", U1)]
UNSOUND_SOURCE = {R1: [("c", "1", "x", U1), *UNSOUND], R2: UNSOUND, R3: [("c", "1", "x", U1), *UNSOUND]}

# What that makes: k, v, valid_from, valid_to.
CHECKED = [
    *(("a", "1", R1, R2), ("a", "2", R2, MAX)),
    *(("b", "1", R1, R3), ("b", None, R3, R4), ("b", "3", R4, MAX)),
]
DATED = [
    *(("a", "1", U1, U2), ("a", "2", U2, MAX)),
    *(("b", "1", U1, U3), ("b", None, U3, U4), ("b", "3", U4, MAX)),
]
CHECKED_GAP = [*CHECKED, ("c", "1", R1, R2), ("c", "1", R3, MAX)]
DATED_GAP = [*DATED, ("c", "1", U1, R2), ("c", "1", U3, MAX)]


def in_days(versions: Sequence[Row]) -> list[Row]:
    """The versions with whole days as boundaries, without those that then end where they begin."""
    days = [(k, v, start.date(), end.date()) for k, v, start, end in versions]
    return [version for version in days if version[2] < version[3]]


CHECK = {"strategy": "check", "check_cols": ["v", "note"]}
TIMESTAMP = {"strategy": "timestamp", "updated_at": "u"}
INVALIDATE = {"hard_deletes": "invalidate"}
NEW_RECORD = {"hard_deletes": "new_record"}
STAMPED = {"validity_type": "timestamp"}
HASHED = {"version_key_column": "version_key", "tracked_hash_column": "datahash"}

SNAPSHOTS: dict[str, dict[str, Any]] = {
    "check_ignore": CHECK,
    "check_invalidate": {**CHECK, **INVALIDATE, "dbt_valid_to_current": SENTINEL},
    "check_new_record": {**CHECK, **NEW_RECORD, "snapshot_meta_column_names": META, "schema": "old"},
    "timestamp_ignore": {**TIMESTAMP, "dbt_valid_to_current": SENTINEL},
    "timestamp_invalidate": {**TIMESTAMP, **INVALIDATE},
    "timestamp_new_record": {**TIMESTAMP, **NEW_RECORD, "dbt_valid_to_current": "cast('2999-12-31' as timestamp)"},
    "named": {**CHECK, **INVALIDATE, "unique_key": ['"Customer Id"', "n"], "check_cols": ['"select"']},
    "unsound": {**TIMESTAMP, **INVALIDATE},
}
QUERIES = {
    "timestamp_ignore": "select k, v, note, timezone('UTC', u) as u from main.source",
    "named": 'select k as "Customer Id", 1 as n, v as "select", v as "from x" from main.source',
    "unsound": "select * from main.unsound_source",
}


@dataclass(frozen=True)
class Adopted:
    """A model, the snapshot that it adopts with these arguments, the versions that this gives, and what is lost."""

    snapshot: str
    versions: list[Row]
    lost: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    show: str = "k, v, valid_from, valid_to"
    table: str = ""
    flag: str = "is_current"
    columns: str = "dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to"

    def table_of(self, model: str) -> str:
        return self.table or f"main.{model}"


WITHIN_A_DAY = "versions that begin and end on one day: b (1 row)"
DELETION = "records of a deletion, which are gaps now: c (1 row)"

ADOPTED = {
    "a_check_ignore": Adopted("check_ignore", [*CHECKED, ("c", "1", R1, MAX)], config=STAMPED),
    "a_check_invalidate": Adopted(
        "check_invalidate", CHECKED_GAP, config={**STAMPED, "close_on_absence": True, "scd2_strategy": "merge"}
    ),
    "a_check_new_record": Adopted(
        "check_new_record",
        CHECKED_GAP,
        [DELETION],
        {**STAMPED, "current_flag_type": "integer", "tracked_columns": "all", "schema": "fresh"},
        table="main_fresh.a_check_new_record",
        columns=f"{SCD_ID}, updated, valid_from, valid_to, is_gone",
    ),
    "a_timestamp_ignore": Adopted(
        "timestamp_ignore",
        [*DATED, ("c", "1", U1, U3), ("c", "1", U3, MAX)],
        config={**STAMPED, "tracked_columns": "all"},
    ),
    "a_timestamp_invalidate": Adopted("timestamp_invalidate", DATED_GAP, config={**STAMPED, "scd2_strategy": "merge"}),
    "a_timestamp_new_record": Adopted(
        "timestamp_new_record",
        DATED_GAP,
        [DELETION],
        {**STAMPED, "scd2_column_names": {"valid_from": "Dim From", "valid_to": "dim_to", "is_current": "flag"}},
        show='k, v, "Dim From", dim_to',
        flag="flag",
        columns="dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to, dbt_is_deleted",
    ),
    "a_named": Adopted(
        "named",
        CHECKED_GAP,
        config={**STAMPED, **HASHED, "unique_key": ["Customer Id", "n"], "tracked_columns": ["select"]},
        show='"Customer Id", "select", valid_from, valid_to',
    ),
    "a_table_outside": Adopted(
        "main_old.check_new_record",
        CHECKED_GAP,
        [DELETION],
        STAMPED,
        {"snapshot_meta_column_names": META},
        columns=f"{SCD_ID}, updated, valid_from, valid_to, is_gone",
    ),
    "a_day": Adopted(
        "timestamp_invalidate",
        in_days(DATED_GAP),
        ["times of day in boundaries: those of 7 versions"],
    ),
    "a_last_of_the_day": Adopted(
        "check_invalidate",
        in_days(CHECKED_GAP),
        [WITHIN_A_DAY, "times of day in boundaries: those of 6 versions"],
        HASHED,
        {"same_day": "last"},
    ),
}
CONTINUED = ["a_check_invalidate", "a_check_new_record", "a_named", "a_last_of_the_day"]
LATER = [("a", "2", "y", U2), ("b", "4", None, datetime(2026, 4, 1, 9)), ("c", "1", "x", U3)]


def query(snapshot: str) -> str:
    return QUERIES.get(snapshot.rpartition(".")[2], "select * from main.source")


COLUMNS = "k varchar, v varchar, note varchar, u timestamp"


def take_snapshots(project: Project) -> None:
    """`dbt snapshot` at every moment, by the clock of the project."""
    for name, config in SNAPSHOTS.items():
        block = f"{{{{ config(**{ {'unique_key': 'k', **config} }) }}}}\n{query(name)}"
        project.file(f"snapshots/{name}.sql", f"{{% snapshot {name} %}}\n{block}\n{{% endsnapshot %}}\n")
    clock = f"{{% macro {ENGINE}__snapshot_get_time() %}}(select min(instant) from main.clock){{% endmacro %}}"
    project.file("macros/clock.sql", clock)
    for moment, rows in SOURCE.items():
        project.table("clock", "instant timestamp", [(moment,)])
        project.table("source", COLUMNS, rows)
        project.table("unsound_source", COLUMNS, UNSOUND_SOURCE.get(moment, UNSOUND_SOURCE[R3]))
        run = project.dbt("snapshot")
        assert run.success, run.log


def snapshot_table(name: str) -> str:
    schema = "main_old" if name.endswith("check_new_record") else "main"
    return f"{schema}.{name.rpartition('.')[2]}"


def snapshot_tables(project: Project) -> dict[str, list[Row]]:
    return {name: project.history(snapshot_table(name)) for name in SNAPSHOTS}


def quoted(table: str) -> str:
    """A relation as dbt writes it."""
    return ".".join(f'"{part}"' for part in ["warehouse", *table.split(".")])


@dataclass
class Outcome:
    """An adoption's lines and its table: after it, after the next run, and after a run of changed source."""

    prints: list[str]
    tables: list[list[Row]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@dataclass
class Moved:
    """The project in which everything was adopted, and the snapshots before and after."""

    project: Project
    outcomes: dict[str, Outcome]
    before: dict[str, list[Row]]
    after: dict[str, list[Row]]


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Moved:
    root = tmp_path_factory.mktemp("adopted")
    project = Project(root, zone="America/New_York", project=LESS_WRITING)
    for name, adopted in ADOPTED.items():
        config = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "2026-05-01", **adopted.config}
        project.model(name, query(adopted.snapshot), config)
    write_other_models(project)
    take_snapshots(project)
    before = snapshot_tables(project)
    asked = [{"snapshot": adopted.snapshot, "model": name, **adopted.arguments} for name, adopted in ADOPTED.items()]
    outcomes = dict(zip(ADOPTED, map(Outcome, operate_each(project, "adopt_snapshot", asked)), strict=True))
    after = snapshot_tables(project)
    record(project, outcomes)
    run_models(project, outcomes, ADOPTED)
    project.table("source", COLUMNS, LATER)
    run_models(project, outcomes, CONTINUED)
    return Moved(project, outcomes, before, after)


def write_other_models(project: Project) -> None:
    """Models for snapshots that are made by hand; what they select does not matter, as they are not run."""
    config = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "{no_such_var}"}
    project.model("stamped", "select 1 as k", {**config, **STAMPED})
    project.model("by_day", "select 1 as k", config)
    typed = {"type0_columns": ["first"], "type1_columns": ["phone"], "carried_columns": ["loaded"]}
    project.model("typed", "select 1 as k", {**config, **typed})
    project.file("models/plain.sql", "select 1 as k")


def record(project: Project, outcomes: dict[str, Outcome]) -> None:
    for name, adopted in ADOPTED.items():
        outcomes[name].tables.append(
            sorted(project.rows(f"select {adopted.show}, {adopted.flag} from {adopted.table_of(name)}"), key=repr)
        )


def run_models(project: Project, outcomes: dict[str, Outcome], models: Iterable[str]) -> None:
    run = project.run(*models)
    assert run.success, run.log
    record(project, outcomes)
    for name in models:
        outcomes[name].messages.append(run.messages[name])


def flagged(adopted: Adopted, versions: Sequence[Row]) -> list[Row]:
    """The versions with their flag, which is set where they are open."""
    as_flag = int if adopted.config.get("current_flag_type") == "integer" else bool
    return sorted(((*version, as_flag(version[3].year == 9999)) for version in versions), key=repr)


def continued(adopted: Adopted) -> list[Row]:
    """What the run at 2026-05-01 makes of the versions: b is 4."""
    at, end = (datetime(2026, 5, 1), MAX) if "validity_type" in adopted.config else (date(2026, 5, 1), MAX.date())
    versions = [(k, v, start, at if v == "3" else to) for k, v, start, to in adopted.versions]
    return [*versions, ("b", "4", at, end)]


@pytest.mark.parametrize("model", ADOPTED)
def test_a_snapshot_becomes_a_history_that_the_next_run_leaves_as_it_is(moved: Moved, model: str) -> None:
    adopted, outcome = ADOPTED[model], moved.outcomes[model]
    assert outcome.tables[0] == flagged(adopted, adopted.versions)
    assert outcome.tables[1] == outcome.tables[0]
    assert outcome.messages[0] == report("2026-05-01" + " 00:00:00" * ("validity_type" in adopted.config), unchanged=3)


@pytest.mark.parametrize("model", CONTINUED)
def test_a_run_after_a_change_continues_the_adopted_history(moved: Moved, model: str) -> None:
    assert moved.outcomes[model].tables[2] == flagged(ADOPTED[model], continued(ADOPTED[model]))


@pytest.mark.parametrize("model", ADOPTED)
def test_what_was_done_and_what_is_not_carried_over_is_said(moved: Moved, model: str) -> None:
    adopted = ADOPTED[model]
    rows = len(moved.before[adopted.snapshot.rpartition(".")[2]])
    table, snapshot = (quoted(name) for name in (adopted.table_of(model), snapshot_table(adopted.snapshot)))
    counts = f"{len(adopted.versions)} versions of 3 keys, 3 open, from {rows} rows"
    assert moved.outcomes[model].prints == [
        f"scd2_master adopt_snapshot: {table} has {counts} of {snapshot}",
        *(f"  not carried over: {loss}" for loss in [f"columns: {adopted.columns}", *adopted.lost]),
    ]


def test_the_tables_of_the_snapshots_are_not_touched(moved: Moved) -> None:
    assert moved.after == moved.before
    assert snapshot_tables(moved.project) == moved.before


def test_the_hash_columns_are_those_that_a_run_writes(moved: Moved) -> None:
    hashes = moved.project.rows('select version_key, datahash, "Customer Id", n, valid_from, "select" from a_named')
    assert len(hashes) == 8
    for key, tracked, *parts, start, value in hashes:
        assert (key, tracked) == (version_key(tuple(parts), start), tracked_hash((value,)))
    days = moved.project.rows("select version_key, k, valid_from from a_last_of_the_day")
    assert [key for key, _, _ in days] == [version_key((k,), start) for _, k, start in days]


# --- snapshots that cannot be adopted as they are -----------------------------------------------------------------

BY_HAND = "k varchar, v varchar, dbt_scd_id varchar, dbt_updated_at timestamp, dbt_valid_from {0}, dbt_valid_to {0}"
JAN, FEB, MAR = datetime(2026, 1, 1), datetime(2026, 2, 1), datetime(2026, 3, 1)


def by_hand(project: Project, *rows: tuple[str | None, str, Any, Any], kind: str = "timestamp") -> None:
    """The table of a snapshot that is not in the project: rows of k, v, dbt_valid_from, dbt_valid_to."""
    project.table("by_hand", BY_HAND.format(kind), [(k, v, "", None, start, end) for k, v, start, end in rows])


def refuses(moved: Moved, model: str, slug: str, *words: str, snapshot: str = "main.by_hand", **arguments: Any) -> bool:
    """Whether the adoption is refused with these words and nothing is there that was not there before."""
    relations = moved.project.relations()
    run, prints = operate(moved.project, "adopt_snapshot", snapshot=snapshot, model=model, **arguments)
    assert not any(line.startswith("scd2_master adopt_snapshot: ") for line in prints)
    return refused(run, slug, *words) and moved.project.relations() == relations


REPAIR = "Repair it in a view over the snapshot, and adopt the view."


def test_null_keys_doubled_keys_and_a_key_that_came_back_with_its_old_date_are_refused(moved: Moved) -> None:
    origin = 'adopt_snapshot for model.shop.stamped: {} "warehouse"."main"."unsound" '
    assert refuses(
        moved,
        "stamped",
        "prior_corrupt",
        f"{origin.format('keys of')}have more than one open version: d (2 rows). {REPAIR}",
        f"{origin.format('versions of')}have a null in unique_key (k): null (4 rows). {REPAIR}",
        f"{origin.format('versions of')}overlap: null (3 rows), c (1 row), d (1 row). {REPAIR}",
        snapshot="unsound",
    )


def test_a_start_that_is_null_and_an_end_before_the_start_are_refused(moved: Moved) -> None:
    by_hand(moved.project, ("a", "1", None, FEB), ("b", "1", FEB, JAN), ("c", "1", JAN, None))
    assert refuses(
        moved, "stamped", "prior_corrupt", "have no valid_from: a (1 row)", "end before they begin: b (1 row)", REPAIR
    )


def test_versions_within_a_day_are_refused_where_boundaries_are_days(moved: Moved) -> None:
    noon = JAN.replace(hour=12)
    by_hand(moved.project, ("a", "1", JAN, noon), ("a", "2", noon, None), ("b", "1", JAN, noon), ("c", "1", JAN, None))
    words = ["that begin and end on one day: a (1 row), b (1 row)", "validity_type to timestamp", "same_day: last"]
    assert refuses(moved, "by_day", "effective_date_type", *words)


def test_open_versions_with_a_sentinel_that_nobody_named_are_refused(moved: Moved) -> None:
    by_hand(moved.project, ("a", "1", JAN, FEB), ("a", "2", FEB, datetime(2999, 12, 31)))
    words = ["not at max date: 2999-12-31 00:00:00 (1 row)", "say so with dbt_valid_to_current"]
    assert refuses(moved, "stamped", "prior_max_date_mismatch", *words)


@needs_duckdb("there are none")
def test_instants_finer_than_microseconds_are_refused_where_boundaries_are_timestamps(moved: Moved) -> None:
    by_hand(
        moved.project, ("a", "1", "2026-01-01 00:00:00.000000001", None), ("b", "1", JAN, None), kind="timestamp_ns"
    )
    assert refuses(moved, "stamped", "effective_date_type", "not a timestamp of microseconds: a (1 row)")


def test_texts_are_refused_as_boundaries(moved: Moved) -> None:
    by_hand(moved.project, ("a", "1", "2026-01-01", None), kind="varchar")
    assert refuses(
        moved, "stamped", "effective_date_type", "column dbt_valid_from is of type VARCHAR", "Cast it in a view"
    )


def test_a_table_that_is_no_snapshot_is_refused(moved: Moved) -> None:
    words = ["it has no column dbt_valid_from (dbt_valid_from)", "it has no column gone (dbt_valid_to)"]
    renamed = {"dbt_valid_to": "gone"}
    assert refuses(
        moved, "stamped", "prior_not_scd2", *words, snapshot="main.source", snapshot_meta_column_names=renamed
    )


def test_columns_that_the_history_needs_and_the_snapshot_lacks_are_named(moved: Moved) -> None:
    by_hand(moved.project, ("a", "1", JAN, None))
    words = [
        "type0_columns names first, which the snapshot does not have; it has k, v.",
        "type1_columns names phone, which the snapshot does not have; it has k, v.",
        "adopt a view over the snapshot that has the column",
    ]
    assert refuses(moved, "typed", "unknown_column", *words)


def test_wrong_arguments_are_all_named(moved: Moved) -> None:
    by_hand(moved.project)
    words = [
        "adopt_snapshot for stampd: there is no scd2_master model 'stampd'. Did you mean stamped? ",
        "same_day must be one of error, last, it is 'first'",
        "dbt_valid_to_current must be a SQL expression, it is 1",
        "snapshot_meta_column_names must be a mapping that gives column names to dbt_scd_id, dbt_updated_at, ",
    ]
    wrong = {"same_day": "first", "dbt_valid_to_current": 1, "snapshot_meta_column_names": {"valid_from": "x"}}
    assert refuses(moved, "stampd", "invalid_option", *words, **wrong)


def test_a_model_of_another_kind_and_a_table_that_is_not_there_are_refused(moved: Moved) -> None:
    words = [
        "there is no scd2_master model 'plain'",
        "there is no model, seed, snapshot, source or table 'no_such_table'",
    ]
    assert refuses(moved, "plain", "invalid_option", *words, snapshot="no_such_table")


def test_a_history_is_never_overwritten(moved: Moved) -> None:
    rows = moved.project.history("a_day")
    words = ['"warehouse"."main"."a_day" has 7 versions, and adopting a snapshot would overwrite them']
    assert refuses(moved, "a_day", "prior_would_discard", *words, snapshot="check_ignore")
    assert moved.project.history("a_day") == rows


def test_a_view_in_the_place_of_the_history_is_refused(moved: Moved) -> None:
    moved.project.execute("create view stamped as select 1 as k")
    assert refuses(moved, "stamped", "target_not_table", snapshot="check_ignore")
    moved.project.execute("drop view stamped")


def test_what_loses_nothing_is_repaired_and_an_empty_table_is_replaced(moved: Moved) -> None:
    moved.project.execute("create table stamped (old_column integer)")
    end = datetime(2999, 12, 31)
    rows = [
        ("a", "1", JAN, FEB),
        ("a", "2", FEB, end),
        ("a", "2", FEB, end),
        ("a", "3", FEB, FEB),
        ("b", None, JAN, MAX),
    ]
    by_hand(moved.project, *rows)
    moved.project.execute('alter table by_hand add column "other ""one""" integer default 7')
    run, prints = operate(
        moved.project, "adopt_snapshot", snapshot="by_hand", model="stamped", dbt_valid_to_current="2999-12-31"
    )
    assert run.success, run.log
    assert prints == [
        'scd2_master adopt_snapshot: "warehouse"."main"."stamped" has 3 versions of 2 keys, 2 open, from 5 rows of '
        '"warehouse"."main"."by_hand"',
        "  not carried over: columns: dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to",
        "  not carried over: rows that end where they begin, so that they held at no time: a (1 row)",
        "  not carried over: rows that are the same as another: 1",
    ]
    assert [name for name, _ in moved.project.columns("stamped")][:3] == ["k", "v", 'other "one"']
    assert moved.project.history("stamped") == [
        ("a", "1", 7, JAN, FEB, False),
        ("a", "2", 7, FEB, MAX, True),
        ("b", None, 7, JAN, MAX, True),
    ]


def test_type_0_and_type_1_columns_have_one_value_per_key_as_after_runs(moved: Moved) -> None:
    moved.project.replace(
        "by_hand",
        """
        as
        select *, null as dbt_scd_id, null as dbt_updated_at
        from (values
            ('a', '1', null, 'x', date '2026-01-01', date '2026-02-01'),
            ('a', '2', 'f', null, date '2026-02-01', null),
            ('b', '1', 'f', 'x', date '2026-01-01', date '2026-02-01'),
            ('b', '2', 'g', 'y', date '2026-03-01', date '2026-04-01'),
            ('c', '1', 'f', 'x', date '2026-01-01', null)
        ) t(k, v, first, phone, dbt_valid_from, dbt_valid_to)
        """,
    )
    run, prints = operate(moved.project, "adopt_snapshot", snapshot="by_hand", model="typed")
    assert run.success, run.log
    assert prints[2:] == [
        "  not carried over: later values of first, which is in type0_columns: those of 2 keys",
        "  not carried over: earlier values of phone, which is in type1_columns: those of 2 keys",
    ]
    first, second, third, fourth = (date(2026, month, 1) for month in (1, 2, 3, 4))
    assert moved.project.history("typed") == [
        ("a", "1", None, None, first, second, False),
        ("a", "2", None, None, second, MAX.date(), True),
        ("b", "1", "f", "y", first, second, False),
        ("b", "2", "f", "y", third, fourth, False),
        ("c", "1", "f", "x", first, MAX.date(), True),
    ]
