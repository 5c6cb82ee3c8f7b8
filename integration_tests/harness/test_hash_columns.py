"""version_key_column and tracked_hash_column: known answers, computed here from the texts that are hashed."""

from __future__ import annotations

import hashlib
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from batch import D1, D2, D3, MAX, Day, Row, Story, Told, kv, play
from dated import GONE, LOG, STRATEGIES, BothStrategies, dated, jan
from engines import ENGINE, local
from project import Project

STORIES = BothStrategies()
HASHES = {"version_key_column": "vk", "tracked_hash_column": "h"}
AT_D2 = {"effective_date": str(D2)}
MIDNIGHT = " 00:00:00.000000"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("hashes"), STORIES)


def digest(*texts: str | None) -> str:
    """The hash of values from their texts."""
    parts = ("-" if value is None else f"{len(value)}:{value}" for value in texts)
    return hashlib.md5("".join(parts).encode()).hexdigest()


def key(value: str, start: date) -> str:
    """The version key of a key of one text and a date."""
    return digest(value, f"{start}{MIDNIGHT}")


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


# Known answers

ANSWERS = {
    # what is hashed: its md5
    "2:C126:2026-01-01 00:00:00.000000": "9f133aa4cdb89ec44d6cc9a7d1a1988d",
    "-": "336d5ebc5436534e61d16e63ddfca327",
    "0:": "9a1c7ee2c7ce38d4bbbaf29ab9f2ac1e",
    "1:-": "567ba2717e31c1e4bb5d9056d333b546",
    "4:West": "2132d7336e49c85a9e4d6b0486ea738c",
}

# type, SQL of the value, its text
TYPED = [
    ("varchar", "'a'", "a"),
    ("varchar", "''", ""),
    ("varchar", "'-'", "-"),
    ("varchar", "'1:a'", "1:a"),
    ("varchar", "'West '", "West "),
    ("varchar", "'it''s'", "it's"),
    ("varchar", "'two' || chr(10) || 'lines'", "two\nlines"),
    ("varchar", "'Stra\u00dfe'", "Stra\u00dfe"),
    ("varchar", "'e\u0301'", "e\u0301"),
    ("varchar", "'\u65e5\u672c\u8a9e'", "\u65e5\u672c\u8a9e"),
    ("varchar", "'\U0001f600'", "\U0001f600"),
    ("tinyint", "-128", "-128"),
    ("smallint", "0", "0"),
    ("integer", "2147483647", "2147483647"),
    ("bigint", "-9223372036854775808", "-9223372036854775808"),
    ("hugeint", "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"),
    ("utinyint", "255", "255"),
    ("ubigint", "18446744073709551615", "18446744073709551615"),
    ("decimal(5,2)", "1.10", "1.1"),
    ("decimal(5,2)", "100.00", "100"),
    ("decimal(5,2)", "0.00", "0"),
    ("decimal(5,2)", "-0.50", "-0.5"),
    ("decimal(5,2)", "-12.34", "-12.34"),
    ("decimal(2,2)", "0.00", "0"),
    ("decimal(2,2)", "-0.50", "-0.5"),
    ("decimal(6,0)", "1000", "1000"),
    ("decimal(38,10)", "1234567890123456789012345678.0123456789", "1234567890123456789012345678.0123456789"),
    ("decimal(38,10)", "1000.0000000000", "1000"),
    ("boolean", "true", "true"),
    ("boolean", "false", "false"),
    ("date", "'2026-01-02'", "2026-01-02"),
    ("date", "'0001-01-01'", "0001-01-01"),
    ("timestamp", "'2026-01-02'", "2026-01-02 00:00:00.000000"),
    ("timestamp", "'2026-01-02 03:04:05.1'", "2026-01-02 03:04:05.100000"),
    ("timestamp", "'1969-12-31 23:59:59.999999'", "1969-12-31 23:59:59.999999"),
    ("timestamp_s", "'2026-01-02 03:04:05'", "2026-01-02 03:04:05.000000"),
    ("timestamp_ms", "'2026-01-02 03:04:05.125'", "2026-01-02 03:04:05.125000"),
    ("timestamp_ns", "'2026-01-02 03:04:05.123456'", "2026-01-02 03:04:05.123456000"),
    ("timestamptz", "'2026-01-02 03:04:05.5+02:00'", "2026-01-02 01:04:05.500000Z"),
    ("timestamptz", "'2026-07-02 00:00:00+00:00'", "2026-07-02 00:00:00.000000Z"),
    ("BLOB", r"'\xAA\x00b'" if ENGINE == "duckdb" else r"'\xAA0062'", "aa0062"),
    ("BLOB", "''", ""),
    ("uuid", "'4AC7A9E9-607C-4C8A-84F3-843F0191E3FD'", "4ac7a9e9-607c-4c8a-84f3-843f0191e3fd"),
    ("time", "'03:04:05'", "03:04:05"),
    ("double precision", "1.5", "1.5"),
    ("enum ('West', 'East')", "'West'", "West"),
    ("integer[]", "[1, 2]", "[1, 2]"),
]
ONLY_ON_DUCKDB = ("tinyint", "u", "hugeint", "timestamp_", "enum", "integer[]")
if ENGINE != "duckdb":
    TYPED = [(local(type_), *rest) for type_, *rest in TYPED if type_ == "uuid" or not type_.startswith(ONLY_ON_DUCKDB)]
    TYPED += [
        ("decimal", "1.500", "1.5"),
        ("decimal(48,20)", "123456789012345678901234567.5", "123456789012345678901234567.5"),
        ("timestamp(3)", "'2026-01-02 03:04:05.125'", "2026-01-02 03:04:05.125000"),
        ("timestamp", "'-infinity'", "-infinity"),
        # compared without the spaces at its end
        ("char(3)", "'a'", "a"),
    ]
TYPES = list(dict.fromkeys(type_ for type_, *_ in TYPED))
ALL = {"unique_key": "id", "tracked_columns": "all"}
IDS = [f"{type_}: {value!a}" for type_, value, _ in TYPED]


def _typed(*numbers: int) -> str:
    """A row per value with the value in the column of its type and nulls in the others, and one of nulls alone."""
    rows = ["select 'nulls' as id, " + ", ".join(f"null::{type_} as c{n}" for n, type_ in enumerate(TYPES))]
    for number in numbers:
        type_, value, _ = TYPED[number]
        values = (f"cast({value if type_ == other else 'null'} as {other})" for other in TYPES)
        rows.append(f"select '{number}', {', '.join(values)}")
    return " union all ".join(rows)


def _typed_digest(number: int) -> str:
    type_, _, shown = TYPED[number]
    return digest(*(shown if type_ == other else None for other in TYPES), None)


# The hash of a version as it is written by either strategy, and as it is computed when the column is configured later.
WITH_NULL = {"sql": "select *, null as n from {source}", "repeat": False}
EVERY = range(len(TYPED))
for _name, _strategy in {"typed_written": "rebuild", "typed_merged": "merge"}.items():
    _days = [_typed(*EVERY)] if _strategy == "rebuild" else [_typed(), _typed(*EVERY)]
    _config = {**ALL, "tracked_hash_column": "h", "scd2_strategy": _strategy}
    STORIES.add(Story(_name, [Day(day) for day in _days], _config, **WITH_NULL))
_days_later = [Day(_typed(*EVERY)), Day(config={"tracked_hash_column": "h"})]
STORIES.add(Story("typed_later", _days_later, {**ALL, "scd2_strategy": "merge"}, **WITH_NULL))


def _hashes(told: Told) -> dict[str, str]:
    """By id: the hash that stands in the table at last."""
    assert told.rows[-1], told.messages
    names = list(told.columns[-1])
    return {row[names.index("id")]: row[names.index("h")] for row in told.rows[-1]}


@pytest.mark.parametrize("number", EVERY, ids=IDS)
@pytest.mark.parametrize("model", ["typed_written", "typed_merged", "typed_later"])
def test_a_value_is_hashed_as_the_text_of_its_type(model: str, number: int, outcomes: dict[str, Told]) -> None:
    assert _hashes(outcomes[model])[str(number)] == _typed_digest(number)


@pytest.mark.parametrize("model", ["typed_written", "typed_merged", "typed_later"])
def test_nulls_are_hashed_as_hyphens(model: str, outcomes: dict[str, Told]) -> None:
    hashes = _hashes(outcomes[model])
    assert hashes["nulls"] == hashlib.md5(b"-" * (len(TYPES) + 1)).hexdigest()
    assert len(hashes) == len(TYPED) + 1


@STORIES.tell(
    "known",
    kv(("C1", None), ("C2", ""), ("C3", "-"), ("C4", "West")),
    **HASHES,
    scd2_strategy="merge",
    repeat=False,
)
def test_the_answers_are_known(once: Told) -> None:
    assert all(hashlib.md5(what.encode()).hexdigest() == answer for what, answer in ANSWERS.items())
    assert once.rows[0] is not None, once.messages
    assert once.rows[0][0][2] == ANSWERS["2:C126:2026-01-01 00:00:00.000000"]
    assert [row[3] for row in once.rows[0]] == [ANSWERS[what] for what in ("-", "0:", "1:-", "4:West")]


@STORIES.tell(
    "typed_key",
    "select 1.50::decimal(4,2) as a, true as b, date '2026-01-02' as c, timestamp '2026-01-02 03:04:05' as d,"
    " 7::bigint as e, 'x' as f, null::integer as v",
    unique_key=["d", "b", "a", "f", "e", "c"],
    repeat=False,
    show="vk",
    **HASHES,
    scd2_strategy="rebuild",
)
def test_a_version_key_is_the_hash_of_the_key_columns_in_the_order_of_unique_key_and_of_valid_from(once: Told) -> None:
    texts = ("2026-01-02 03:04:05.000000", "true", "1.5", "x", "7", "2026-01-02")
    assert once.rows[0] == [(digest(*texts, "2026-01-01 00:00:00.000000"),)], once.messages


CONFUSING = [("a|b", "c"), ("a", "b|c"), ("", "1:a"), ("1:a", ""), ("a1:b", "-"), ("a", "1:b-"), ("-", "-")]


@STORIES.tell(
    "confusing",
    f"select *, k1 as t1, nullif(k2, '-') as t2 from (values {', '.join(map(str, CONFUSING))}) t(k1, k2)",
    unique_key=["k1", "k2"], tracked_columns=["t1", "t2"], scd2_strategy="merge", repeat=False, show="k1, k2, vk, h",
    **HASHES,
)  # fmt: skip
def test_values_that_join_to_the_same_text_have_different_hashes(once: Told) -> None:
    assert once.rows[0] == sorted(
        (k1, k2, digest(k1, k2, f"2026-01-01{MIDNIGHT}"), digest(k1, None if k2 == "-" else k2)) for k1, k2 in CONFUSING
    ), once.messages
    for column in (2, 3):
        assert len({row[column] for row in once.rows[0]}) == len(CONFUSING)


# From run to run


@STORIES.tell(
    "life",
    kv(("C1", "a"), ("C2", "a"), ("C3", "a"), ("C4", None)),
    kv(("C1", "b"), ("C3", "a"), ("C4", "")),
    Day(kv(("C1", "c"), ("C2", "a"), ("C3", "a"), ("C4", None)), AT_D2),
    close_on_absence=True,
    coalesce_versions=True,
    **HASHES,
)
def test_a_version_keeps_its_key_and_its_hash_until_it_is_restated(told: Told) -> None:
    def row(k: str, v: str | None, start: date, end: date = MAX) -> Row:
        return (k, v, key(k, start), digest(v), start, end, end == MAX)

    assert list(told.columns[0]) == ["k", "v", "vk", "h", "valid_from", "valid_to", "is_current"], told.messages
    assert told.rows[0] == [row("C1", "a", D1), row("C2", "a", D1), row("C3", "a", D1), row("C4", None, D1)]
    assert told.rows[1] == [
        row("C1", "a", D1, D2),
        row("C1", "b", D2),
        row("C2", "a", D1, D2),
        row("C3", "a", D1),
        row("C4", "", D2),
        row("C4", None, D1, D2),
    ]
    # C1 is restated: its key stays, its hash is that of the new values. C2 and C4 are reopened with their own.
    assert told.rows[2] == [
        row("C1", "a", D1, D2),
        row("C1", "c", D2),
        row("C2", "a", D1),
        row("C3", "a", D1),
        row("C4", None, D1),
    ]


@STORIES.tell(
    "later",
    kv(("C1", "a"), ("C2", "a")),
    Day(kv(("C1", "b"), ("C2", None))),
    Day(kv(("C1", "b"), ("C2", "c")), HASHES),
    repeat=False,
)
def test_hashes_that_are_configured_later_are_appended_and_computed_for_recorded_versions(told: Told) -> None:
    assert list(told.columns[2]) == ["k", "v", "valid_from", "valid_to", "is_current", "vk", "h"], told.messages
    assert told.rows[2] == [
        (k, v, start, end, end == MAX, key(k, start), digest(v))
        for k, v, start, end in [
            ("C1", "a", D1, D2),
            ("C1", "b", D2, MAX),
            ("C2", "a", D1, D2),
            ("C2", "c", D3, MAX),
            ("C2", None, D2, D3),
        ]
    ]


@STORIES.tell(
    "later_one",
    Day(kv(("C1", "a"))),
    Day(kv(("C1", "b")), {"tracked_hash_column": "h"}),
    Day(kv(("C1", "b"), ("C2", "a")), {"version_key_column": "vk"}),
    scd2_strategy="merge",
    repeat=False,
)
def test_the_two_hashes_may_come_one_after_the_other(once: Told) -> None:
    assert list(once.columns[2]) == ["k", "v", "valid_from", "valid_to", "is_current", "h", "vk"], once.messages
    assert once.rows[2] == [
        ("C1", "a", D1, D2, False, digest("a"), key("C1", D1)),
        ("C1", "b", D2, MAX, True, digest("b"), key("C1", D2)),
        ("C2", "a", D3, MAX, True, digest("a"), key("C2", D3)),
    ]


@STORIES.tell(
    "to_timestamp",
    kv(("C1", "a"), ("C2", "a")),
    Day(kv(("C1", "b"), ("C2", "a")), {"validity_type": "timestamp", "effective_date": "2026-02-01 12:00:00.5"}),
    **HASHES,
    repeat=False,
)
def test_a_version_key_survives_the_change_from_dates_to_timestamps(told: Told) -> None:
    start, noon, last = datetime(2026, 1, 1), datetime(2026, 2, 1, 12, 0, 0, 500_000), datetime(9999, 12, 31)
    assert told.rows[1] == [
        ("C1", "a", key("C1", D1), digest("a"), start, noon, False),
        ("C1", "b", digest("C1", "2026-02-01 12:00:00.500000"), digest("b"), noon, last, True),
        ("C2", "a", key("C2", D1), digest("a"), start, last, True),
    ], told.messages


@STORIES.tell(
    "to_wider",
    "select date '2025-01-01' as k, date '2025-01-01' as v",
    "select timestamp '2025-01-01' as k, timestamp '2025-01-01' as v"
    " union all select timestamp '2025-01-01 12:00:00', timestamp '2025-01-01'",
    **HASHES,
    repeat=False,
)
def test_recorded_hashes_stay_when_a_type_widens(told: Told) -> None:
    old, midnight, noon = "2025-01-01", f"2025-01-01{MIDNIGHT}", "2025-01-01 12:00:00.000000"
    day = datetime(2025, 1, 1)
    assert told.columns[1]["k"] == told.columns[1]["v"] == "TIMESTAMP", told.messages
    assert told.rows[1] == [
        (day, day, digest(old, f"2026-01-01{MIDNIGHT}"), digest(old), D1, MAX, True),
        (datetime(2025, 1, 1, 12), day, digest(noon, f"2026-02-01{MIDNIGHT}"), digest(midnight), D2, MAX, True),
    ]


@STORIES.tell("log", dated(("C1", "a", 10), ("C1", "b", 12), ("C1", GONE, 14), ("C1", "a", 16)), **HASHES, **LOG,
              scd2_strategy="merge", show="k, v, vk, h, valid_from", repeat=False,
)  # fmt: skip
def test_each_version_of_a_log_has_its_own_key(once: Told) -> None:
    assert once.rows[0] == [
        ("C1", "a", key("C1", jan(10)), digest("a"), jan(10)),
        ("C1", "a", key("C1", jan(16)), digest("a"), jan(16)),
        ("C1", "b", key("C1", jan(12)), digest("b"), jan(12)),
    ], once.messages


@STORIES.tell(
    "initial",
    kv(("C1", "a")),
    initial_valid_from="2020-01-01",
    scd2_strategy="rebuild",
    **HASHES,
    repeat=False,
)
def test_the_valid_from_of_a_version_key_is_the_recorded_one(once: Told) -> None:
    start = date(2020, 1, 1)
    assert once.rows[0] == [("C1", "a", key("C1", start), digest("a"), start, MAX, True)], once.messages


# What is hashed


@STORIES.tell(
    "other_roles",
    "select 'C1' as k, 'a' as v, 'z' as zero, 'o' as one, 'c' as c",
    "select 'C1' as k, 'a' as v, 'y' as zero, 'p' as one, 'd' as c",
    tracked_columns="all", type0_columns=["zero"], type1_columns=["one"], carried_columns=["c"], repeat=False,
    show="k, one, vk, h", **HASHES, scd2_strategy="merge",
)  # fmt: skip
def test_only_tracked_columns_are_hashed(once: Told) -> None:
    assert once.rows == [
        [("C1", one, key("C1", D1), digest("a"))] for one in ("o", "p")
    ], once.messages  # fmt: skip


@STORIES.tell(
    "order_of_the_list",
    "select 'x' as a, 'C1' as k, 'y' as b",
    "select 'y' as b, 'z' as a, 'C1' as k",
    tracked_columns=["b", "a"], scd2_strategy="merge", show="a, b, h", **HASHES, repeat=False,
)  # fmt: skip
def test_listed_columns_are_hashed_in_the_order_of_the_list(once: Told) -> None:
    assert once.rows[1] == [("x", "y", digest("y", "x")), ("z", "y", digest("y", "z"))], once.messages


@STORIES.tell(
    "order_of_the_table",
    "select 'C1' as k, 'y' as b, 'x' as a union all select 'C2', 'y', 'x'",
    "select 'n' as n, 'z' as a, 'C1' as k, 'y' as b union all select null, 'x', 'C2', 'y'",
    tracked_columns="all", scd2_strategy="merge", show="k, a, b, h", **HASHES, repeat=False,
)  # fmt: skip
def test_under_all_columns_are_hashed_in_the_order_of_the_table(once: Told) -> None:
    assert once.rows[1] == [
        ("C1", "x", "y", digest("y", "x")),
        ("C1", "z", "y", digest("y", "z", "n")),
        ("C2", "x", "y", digest("y", "x")),
    ], once.messages


# Names


@STORIES.tell("names", kv(("C1", "a")), kv(("C1", "b")), repeat=False,
              version_key_column='The "{entity}" key', tracked_hash_column="{entity}_HASH", scd2_strategy="rebuild",
)  # fmt: skip
def test_the_names_may_hold_the_models_name_and_quotes(once: Told) -> None:
    assert list(once.columns[1]) == [
        "k", "v", f'The "{once.model}" key', f"{once.model}_HASH", "valid_from", "valid_to", "is_current"
    ], once.messages  # fmt: skip
    assert once.rows[1] == [
        ("C1", "a", key("C1", D1), digest("a"), D1, D2, False),
        ("C1", "b", key("C1", D2), digest("b"), D2, MAX, True),
    ]


@STORIES.tell("entity", kv(("C1", "a")), Day(kv(("C1", "b")), {"version_key_column": "CLIENT_scd_id"}),
              scd2_strategy="merge", repeat=False, entity_name="client",
              version_key_column="{entity}_scd_id", tracked_hash_column="datahash")  # fmt: skip
def test_the_names_may_hold_the_entitys_name_and_change_their_case(once: Told) -> None:
    names = ["k", "v", "client_scd_id", "datahash", "valid_from", "valid_to", "is_current"]
    assert [list(columns) for columns in once.columns] == [names, names], once.messages
    assert once.rows[1] == [
        ("C1", "a", key("C1", D1), digest("a"), D1, D2, False),
        ("C1", "b", key("C1", D2), digest("b"), D2, MAX, True),
    ]


RESERVED = {"vk_in_the_source": "VK", "hash_in_the_source": "H"}
for _name, _column in RESERVED.items():
    _sql = f'select k, v, 1 as "{_column}" from {{source}}'
    STORIES.add(Story(_name, [Day(kv(("C1", "a")))], {**HASHES, "scd2_strategy": "rebuild"}, _sql, repeat=False))


@pytest.mark.parametrize("name", RESERVED)
def test_a_source_column_named_like_a_hash_column_is_reserved(name: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[name].refused(0, "reserved_column", RESERVED[name])
    assert outcomes[name].rows[0] is None


# Sessions


def test_the_time_zone_of_the_session_has_no_say(tmp_path: Path) -> None:
    project = Project(tmp_path, zone="America/New_York")
    moment = "timestamptz '2026-01-02 03:04:05+00'"
    config: dict[str, Any] = {"unique_key": "k", "tracked_columns": ["v"], "effective_date_column": "d", **HASHES}
    for strategy in STRATEGIES:
        options = {**config, "validity_type": "timestamp", "scd2_strategy": strategy}
        project.model(strategy, f"select {moment} as k, {moment} as v, {moment} as d", options)
    run = project.run()
    shown = "2026-01-02 03:04:05.000000"
    for strategy in STRATEGIES:
        assert project.rows(f"select vk, h from {strategy}") == [
            (digest(f"{shown}Z", shown), digest(f"{shown}Z"))
        ], run.messages[strategy]  # fmt: skip
