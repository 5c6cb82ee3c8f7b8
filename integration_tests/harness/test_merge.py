"""What is special about scd2_strategy: merge - what stays on the table, what is written, and when it is rewritten."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import pytest
import yaml
from batch import D1, D2, D3, D4, MAX, Day, Row, Stories, Story, Told, kv, perform, stage
from dated import STRATEGIES, report
from engines import ENGINE
from project import Project, Run

STORIES = Stories()
MERGE = {"scd2_strategy": "merge"}
ABSENCE = {"close_on_absence": True}
AT_D2 = {"effective_date": str(D2)}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project of the stories."""
    return stage(tmp_path_factory.mktemp("merge"))


@pytest.fixture(scope="module")
def outcomes(played: Project) -> dict[str, Told]:
    return perform(played, STORIES)


@pytest.fixture
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    return outcomes[request.function.story]


def test_a_run_repeated_with_the_same_source_changes_nothing(outcomes: dict[str, Told]) -> None:
    assert [model for model in STORIES.repeated() if outcomes[model].changed_by_repetition] == []


A, B = kv(("C1", "a"), ("C2", "a")), kv(("C1", "b"), ("C2", "a"))
AFTER_B = [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True), ("C2", "a", D1, MAX, True)]


# Every event of the decision table


@STORIES.tell(
    "table",
    kv(("C1", "a"), ("C2", "a"), ("C3", "a"), ("C4", "a"), ("C5", "a")),
    kv(("C1", "b"), ("C2", "a"), ("C4", "b"), ("C5", "b"), ("C6", "a")),
    Day(kv(("C1", "c"), ("C2", "a"), ("C3", "a"), ("C4", "b")), AT_D2),
    Day(kv(("C1", "c"), ("C3", "a"), ("C4", "a"), ("C5", "a")), {"effective_date": str(D3)}),
    **MERGE, **ABSENCE,
)  # fmt: skip
def test_a_first_run_and_every_event_of_the_decision_table(told: Told) -> None:
    assert told.rows[0] == [(f"C{number}", "a", D1, MAX, True) for number in range(1, 6)], told.messages
    assert told.rows[1] == [
        ("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True),
        ("C2", "a", D1, MAX, True),
        ("C3", "a", D1, D2, False),
        ("C4", "a", D1, D2, False), ("C4", "b", D2, MAX, True),
        ("C5", "a", D1, D2, False), ("C5", "b", D2, MAX, True),
        ("C6", "a", D2, MAX, True),
    ]  # fmt: skip
    assert told.messages[1] == report("2026-02-01", opened=1, changed=3, closed=1, unchanged=1)
    assert told.rows[2] == [
        ("C1", "a", D1, D2, False), ("C1", "c", D2, MAX, True),
        ("C2", "a", D1, MAX, True),
        ("C3", "a", D1, D2, False), ("C3", "a", D2, MAX, True),
        ("C4", "a", D1, D2, False), ("C4", "b", D2, MAX, True),
        ("C5", "a", D1, D2, False),
    ]  # fmt: skip
    assert told.messages[2] == report("2026-02-01", opened=1, restated=1, removed=2, unchanged=2)
    assert told.rows[3] == [
        ("C1", "a", D1, D2, False), ("C1", "c", D2, MAX, True),
        ("C2", "a", D1, D3, False),
        ("C3", "a", D1, D2, False), ("C3", "a", D2, MAX, True),
        ("C4", "a", D1, D2, False), ("C4", "a", D3, MAX, True), ("C4", "b", D2, D3, False),
        ("C5", "a", D1, D2, False), ("C5", "a", D3, MAX, True),
    ]  # fmt: skip
    assert told.messages[3] == report("2026-03-01", opened=1, changed=1, closed=1, unchanged=2)


@STORIES.tell(
    "switched", A, Day(B, MERGE), Day(kv(("C1", "b"), ("C2", "b")), {"scd2_strategy": None}),
    Day(kv(("C1", "a"), ("C2", "b")), MERGE),
)  # fmt: skip
def test_a_model_may_switch_between_the_strategies_from_run_to_run(told: Told) -> None:
    assert told.rows[1] == AFTER_B, told.messages
    third = [("C2", "a", D1, D3, False), ("C2", "b", D3, MAX, True)]
    assert told.rows[2] == [*AFTER_B[:2], *third]
    assert told.rows[3] == [
        ("C1", "a", D1, D2, False),
        ("C1", "a", D4, MAX, True),
        ("C1", "b", D2, D4, False),
        *third,
    ]


# Runs that rewrite the table


@STORIES.tell(
    "new_columns",
    "select 1 as k, 1::integer as v, 'x' as c union all select 2, 1, 'x'",
    "select 1 as k, 2::integer as v, 'x' as c, 'n' as n union all select 2, 1, 'x', 'n'",
    "select 1 as k, 3000000000 as v, 'y' as c, 'm' as n union all select 2, 1, 'y', 'm'",
    "select 1 as k, 3000000000 as v, 'm' as n union all select 2, 2, 'm'",
    **MERGE,
)
def test_a_run_that_adds_or_widens_a_column_or_lacks_one_makes_the_same_rows(told: Told) -> None:
    assert list(told.columns[2].items()) == [
        ("k", "INTEGER"), ("v", "BIGINT"), ("c", "VARCHAR"),
        ("valid_from", "DATE"), ("valid_to", "DATE"), ("is_current", "BOOLEAN"), ("n", "VARCHAR"),
    ], told.messages  # fmt: skip
    assert told.rows[1] == [
        (1, 1, "x", D1, D2, False, None),
        (1, 2, "x", D2, MAX, True, "n"),
        (2, 1, "x", D1, MAX, True, None),
    ]
    assert told.rows[3] == [
        (1, 1, "x", D1, D2, False, None),
        (1, 2, "x", D2, D3, False, "n"),
        (1, 3_000_000_000, "y", D3, MAX, True, "m"),
        (2, 1, "x", D1, D4, False, None),
        (2, 2, None, D4, MAX, True, "m"),
    ]


@STORIES.tell(
    "narrower",
    "select 1 as k, 3000000000 as v, 'a' as c union all select 2, 1, 'a'",
    "select 2::smallint as v, 'b' as c, 1::smallint as k union all select 1, 'b', 2",
    **MERGE,
)
def test_a_narrower_type_and_another_order_of_columns_are_written_into_the_table_as_it_is(told: Told) -> None:
    assert list(told.columns[1].items())[:3] == [("k", "INTEGER"), ("v", "BIGINT"), ("c", "VARCHAR")], told.messages
    assert told.rows[1] == [
        (1, 2, "b", D2, MAX, True),
        (1, 3_000_000_000, "a", D1, D2, False),
        (2, 1, "a", D1, MAX, True),
    ]


@STORIES.tell(
    "flag", A, Day(B, {"current_flag_type": "integer"}),
    Day(kv(("C1", "b"), ("C2", "b")), {"current_flag_type": None}), repeat=False, **MERGE,
)  # fmt: skip
def test_the_type_of_the_flag_may_change(told: Told) -> None:
    assert [columns["is_current"] for columns in told.columns] == ["BOOLEAN", "INTEGER", "BOOLEAN"], told.messages
    assert told.rows[1] == [(*row[:4], int(row[4])) for row in AFTER_B]
    assert told.rows[2] == [*AFTER_B[:2], ("C2", "a", D1, D3, False), ("C2", "b", D3, MAX, True)]


@STORIES.tell(
    "to_timestamp", A, Day(B, {"validity_type": "timestamp", "effective_date": "2026-02-01 12:00:00"}),
    Day(A, {"effective_date": "2026-02-01 12:00:00.000001"}), repeat=False, **MERGE,
)  # fmt: skip
def test_dates_may_become_timestamps(told: Told) -> None:
    start, noon, last = datetime(2026, 1, 1), datetime(2026, 2, 1, 12), datetime(9999, 12, 31)
    after = noon.replace(microsecond=1)
    assert told.rows[2] == [
        ("C1", "a", start, noon, False),
        ("C1", "a", after, last, True),
        ("C1", "b", noon, after, False),
        ("C2", "a", start, last, True),
    ], told.messages
    assert told.columns[2]["valid_from"] == told.columns[2]["valid_to"] == "TIMESTAMP"


# Names and places


ODD = """select 1 as "select", 'C1' as "Customer Id", '{}' as "it's", 'x' as "a""b" """


@STORIES.tell(
    "odd_names",
    ODD.format("a"),
    ODD.format("b"),
    unique_key=["customer id", "SELECT"],
    tracked_columns=["it's"],
    scd2_column_names={"valid_from": "From", "valid_to": 'Valid "To"', "is_current": "order"},
    version_key_column="Group",
    type1_columns=['a"b'],
    **MERGE,
)
def test_columns_may_have_any_name(told: Told) -> None:
    names = ["select", "Customer Id", "it's", 'a"b', "Group", "From", 'Valid "To"', "order"]
    assert list(told.columns[1]) == names, told.messages
    assert [(*row[:4], *row[5:]) for row in told.rows[1] or []] == [
        (1, "C1", "a", "x", D1, D2, False),
        (1, "C1", "b", "x", D2, MAX, True),
    ]


PLACES: dict[str, tuple[dict[str, Any], str, str]] = {
    "in_schema": ({"schema": "dim", "alias": "Odd Name"}, 'main_dim."Odd Name"', "main.src_in_schema"),
    "in_database": ({"database": "other", "alias": "Other Way"}, 'other.main."Other Way"', "main.src_in_database"),
    "from_database": ({"database": "other", "schema": "dim"}, "other.main_dim.from_database", "other.main.customers"),
}
if ENGINE != "duckdb":
    # another database cannot be reached
    PLACES = {model: place for model, place in PLACES.items() if "other" not in place[1]}
for _model, (_standard, _table, _source) in PLACES.items():
    _from = (
        f"create or replace table other.main.customers as {A}",
        "update other.main.customers set v = 'b' where k = 'C1'",
    )
    _before = _from if _model == "from_database" else ("", "")
    _days = [Day(A, before=_before[0]), Day(B, before=_before[1])]
    STORIES.add(Story(_model, _days, MERGE, f"select * from {_source}", _table, standard=_standard, repeat=False))


@pytest.mark.parametrize("model", PLACES)
def test_the_table_may_have_any_name_and_be_in_any_schema_and_database(model: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[model].rows[1] == AFTER_B, outcomes[model].messages


OWN = {"own_parts": "Warehouse.Main.OWN_PARTS", "own_quoted": 'main."own_quoted"'}
for _model, _relation in OWN.items():
    STORIES.add(Story(_model, [Day(A), Day(B)], {**MERGE, "prior_relation": _relation}, repeat=False))


@pytest.mark.parametrize("model", OWN)
def test_the_prior_may_be_named_if_it_is_the_own_table(model: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[model].rows == [[("C1", "a", D1, MAX, True), ("C2", "a", D1, MAX, True)], AFTER_B], outcomes[
        model
    ].messages


# What is attached to the table by hand

for _strategy in STRATEGIES:
    _by_hand = f"""
        comment on table main.attached_{_strategy} is 'by hand';
        comment on column main.attached_{_strategy}.v is 'by hand, too';
        create index index_of_{_strategy} on main.attached_{_strategy} (k, valid_from)
    """
    _days = [Day(A), Day(B, before=_by_hand), Day(kv(("C1", "c"), ("C3", "a")), {**AT_D2, **ABSENCE})]
    STORIES.add(Story(f"attached_{_strategy}", _days, {"scd2_strategy": _strategy}, repeat=False))


def test_comments_and_indexes_made_by_hand_stay(played: Project, outcomes: dict[str, Told]) -> None:
    for strategy in STRATEGIES:
        told = outcomes[f"attached_{strategy}"]
        assert told.rows[1:3] == [
            AFTER_B,
            [
                ("C1", "a", D1, D2, False),
                ("C1", "c", D2, MAX, True),
                ("C2", "a", D1, D2, False),
                ("C3", "a", D2, MAX, True),
            ],
        ], told.messages
    stays = {"attached_merge": True, "attached_rebuild": ENGINE != "duckdb"}
    for model, stay in stays.items():
        assert played.comments(model) == ([(model, "by hand"), ("v", "by hand, too")] if stay else []), model
        assert played.indexes(model) == ([(False, "k, valid_from")] if stay else []), model


# What needs a project of its own: contracts, hooks, flags, failures, and what is written

SELECT = "select * from {{ source('main', 'customers') }}"
OPTIONS = {"unique_key": "k", "tracked_columns": ["v"], "close_on_absence": True}
NO_WARNING = {"warn_unsupported": False}
TYPES = {"k": "varchar", "v": "varchar", "valid_from": "date", "valid_to": "date", "is_current": "boolean"}
KEYS = {"interval_key": ["k", "valid_from"], "hash_key": ["vk"]}
HOOKS: dict[str, Any] = {
    "pre_hook": [
        {"sql": "insert into hooks select nextval('hook'), 'pre', txid_current(), null", "transaction": False},
        "insert into hooks select nextval('hook'), 'pre inside', txid_current(), null",
    ],
    "post_hook": [
        "insert into hooks select nextval('hook'), 'post inside', txid_current(), count(*) from {{ this }}",
        {
            "sql": "insert into hooks select nextval('hook'), 'post', txid_current(), count(*) from {{ this }}",
            "transaction": False,
        },
    ],
}


def _trap(model: str) -> dict[str, Any]:
    spring = f"update trap_{model} set hits = case when armed then error('sprung in {model}') else hits + 1 end"
    return {"post_hook": spring}


TRAPS = ["fails_inside"]
EQUIPPED = {
    "indexes": [{"columns": ["k", "valid_from"], "unique": True}],
    "persist_docs": {"relation": True, "columns": True},
    **HOOKS,
}
MODELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "interval_key": ({"coalesce_versions": True}, {"contract": {"enforced": True}}),
    "hash_key": ({"coalesce_versions": True, "version_key_column": "vk"}, {"contract": {"enforced": True}}),
    "equipped": ({}, EQUIPPED),
    "fails_inside": ({}, _trap("fails_inside")),
    "kept": ({}, {}),
    "anew": ({}, {}),
}
FLAGGED = ["kept", "anew"]


@dataclass
class Shop:
    """A project, and after each of its runs the histories by model."""

    project: Project
    runs: list[Run] = field(default_factory=list)
    histories: list[dict[str, list[Row]]] = field(default_factory=list)

    def run(self, day: date, source: str, *flags: str) -> None:
        for model, (options, standard) in MODELS.items():
            config = {**OPTIONS, **options, **MERGE, "effective_date": str(day)}
            self.project.model(model, SELECT, config, **standard)
        self.project.replace("customers", f"as {source}")
        armed = len(self.runs) == 1
        for model in TRAPS:
            self.project.replace(f"trap_{model}", f"as select {armed} as armed, 0 as hits")
        self.runs.append(self.project.run(*(FLAGGED if flags else MODELS), flags=flags))
        tables = {name.removeprefix("main.") for name in self.project.relations()}
        self.histories.append({model: self.project.history(model) for model in MODELS if model in tables})

    def rows(self, model: str) -> list[list[Row]]:
        """The history after each run, without a version key."""
        return [[row[:2] + row[-3:] for row in histories[model]] for histories in self.histories]


def _properties() -> str:
    contracts = []
    for model, columns in KEYS.items():
        types = {"k": "varchar", "v": "varchar", **({"vk": "varchar"} if model == "hash_key" else {}), **TYPES}
        contracts.append(
            {
                "name": model,
                "constraints": [
                    {"type": "primary_key", "columns": columns, **NO_WARNING},
                    {"type": "check", "expression": "valid_from < valid_to", **NO_WARNING},
                ],
                "columns": [{"name": name, "data_type": type_} for name, type_ in types.items()],
            }
        )
    equipped = {
        "name": "equipped",
        "description": "A history",
        "columns": [{"name": "v", "description": "A value"}],
    }
    sources = [{"name": "main", "tables": [{"name": "customers"}]}]
    return yaml.safe_dump({"models": [*contracts, equipped], "sources": sources}, sort_keys=False)


FIRST = [("C1", "a", D1, MAX, True), ("C2", "a", D1, MAX, True), ("C3", "a", D1, MAX, True)]
SECOND = [
    ("C1", "a", D1, D2, False),
    ("C1", "b", D2, MAX, True),
    ("C2", "a", D1, D2, False),
    ("C3", "a", D1, D2, False),
    ("C3", "b", D2, MAX, True),
]
# At D2 again C1 is restated, C2 is back and C3's change is taken back.
THIRD = [
    ("C1", "a", D1, D2, False),
    ("C1", "c", D2, MAX, True),
    ("C2", "a", D1, D2, False),
    ("C2", "a", D2, MAX, True),
    ("C3", "a", D1, D2, False),
    ("C3", "a", D2, MAX, True),
]
COALESCED = [*THIRD[:2], ("C2", "a", D1, MAX, True), ("C3", "a", D1, MAX, True)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Runs at D1, D2 and D2 again; one with the flag --empty and one with --full-refresh, which `anew` allows."""
    settings = {"vars": {"scd2_allow_full_refresh": ["anew"]}}
    shop = Shop(Project(tmp_path_factory.mktemp("shop"), project=settings))
    shop.project.file("models/properties.yml", _properties())
    shop.project.execute("create table hooks (n integer, what varchar, transaction bigint, versions bigint)")
    shop.project.execute("create sequence hook")
    shop.run(D1, kv(("C1", "a"), ("C2", "a"), ("C3", "a")))
    shop.run(D2, kv(("C1", "b"), ("C3", "b")))
    shop.run(D2, kv(("C1", "c"), ("C2", "a"), ("C3", "a")))
    shop.run(D3, kv(("C1", "d")), "--empty")
    shop.run(D2, kv(("C1", "c"), ("C2", "a"), ("C3", "a")), "--full-refresh")
    return shop


@pytest.mark.parametrize("model", KEYS)
def test_a_primary_key_holds_while_versions_are_closed_restated_removed_and_reopened(model: str, shop: Shop) -> None:
    assert shop.rows(model)[:3] == [FIRST, SECOND, COALESCED], [run.messages[model] for run in shop.runs[:3]]
    # C1 is restated, C2 and C3 are reopened.
    assert shop.runs[2].responses[model]["rows_affected"] == 1
    assert shop.project.constraints(model) == [("CHECK", ["valid_from", "valid_to"]), ("PRIMARY KEY", KEYS[model])]


def test_a_unique_index_holds_and_is_there_once_and_docs_are_persisted(shop: Shop) -> None:
    assert shop.rows("equipped")[:3] == [FIRST, SECOND, THIRD], [run.messages["equipped"] for run in shop.runs[:3]]
    assert shop.project.indexes("equipped") == [(True, "k, valid_from")]
    assert shop.project.comments("equipped") == [("equipped", "A history"), ("v", "A value")]


def test_hooks_run_in_order_and_those_inside_share_the_transaction(shop: Shop) -> None:
    hooks = shop.project.rows("select what, versions, transaction from hooks order by n")
    assert len(hooks) == 12
    for number, versions in enumerate((3, 5, 6)):
        four = hooks[number * 4 : number * 4 + 4]
        expected = [("pre", None), ("pre inside", None), ("post inside", versions), ("post", versions)]
        assert [hook[:2] for hook in four] == expected
        before, first, last, after = (hook[2] for hook in four)
        assert before != first == last != after


def test_a_post_hook_that_fails_inside_the_transaction_leaves_the_table_as_it_was(shop: Shop) -> None:
    assert "sprung in fails_inside" in shop.runs[1].messages["fails_inside"]
    # The third run is the first that closes what C2 and C3 were: C2 and C3 stand as they were.
    third = [("C1", "a", D1, D2, False), ("C1", "c", D2, MAX, True), *FIRST[1:]]
    assert shop.rows("fails_inside")[:3] == [FIRST, FIRST, third]


def test_empty_changes_nothing_and_a_full_refresh_only_what_is_allowed_to_start_anew(shop: Shop) -> None:
    assert shop.histories[3] == shop.histories[2], shop.runs[3].log
    assert shop.rows("kept")[4] == THIRD
    assert "model.shop.kept: a full refresh does not discard history" in shop.runs[4].log
    assert shop.rows("anew")[4] == [("C1", "c", D2, MAX, True), ("C2", "a", D2, MAX, True), ("C3", "a", D2, MAX, True)]


def test_no_run_leaves_a_helper_relation_behind(shop: Shop) -> None:
    expected = {*MODELS, "customers", "hooks", *(f"trap_{model}" for model in TRAPS)}
    assert set(shop.project.relations()) == {f"main.{name}" for name in expected}


# What is written: a check constraint that counts the rows that it checks, on a table made by hand

COUNTED = """
    create sequence writes_of_quiet;
    create sequence writes_of_busy;
    create table counted (
        k varchar, v varchar, c varchar, valid_from date, valid_to date, is_current boolean,
        check (
            case k when 'quiet' then nextval('writes_of_quiet') else nextval('writes_of_busy') end > 0
            and concat(k, v, c, valid_from, valid_to, is_current) is not null
        )
    );
    insert into counted values
        ('quiet', 'a', 'x', '2025-01-01', '2025-06-01', false),
        ('quiet', 'b', 'x', '2025-06-01', '9999-12-31', true),
        ('busy', 'a', 'x', '2025-01-01', '2025-06-01', false),
        ('busy', 'b', 'x', '2025-06-01', '9999-12-31', true),
        ('gone', 'a', 'x', '2025-01-01', '2025-06-01', false)
"""


def _writes(project: Project) -> dict[str, int]:
    sequences = {"duckdb": "sequence_name, last_value from duckdb_sequences()"}
    return dict(project.rows(f"select {sequences.get(ENGINE, 'sequencename, last_value from pg_sequences')}"))


def _bytes(project: Project) -> str:
    """What stands for all that is stored: on PostgreSQL the table's file, the places of its rows and who wrote them."""
    if ENGINE == "postgres":
        return str(project.rows("select pg_relation_filenode('counted'), ctid::text, xmin::text from counted"))
    assert not project.engine.path.with_suffix(".duckdb.wal").exists()
    return hashlib.sha256(project.engine.path.read_bytes()).hexdigest()


def test_only_changed_versions_are_written_and_nothing_if_nothing_changed(project: Project) -> None:
    def write(strategy: str, **more: Any) -> None:
        options = {"unique_key": "k", "tracked_columns": ["v"], "effective_date": "2026-01-01", **ABSENCE}
        project.model("counted", "select * from main.customers", {**options, "scd2_strategy": strategy, **more})

    project.execute(COUNTED)
    write("merge")
    project.execute(
        "create table customers as select 'busy' as k, 'c' as v, 'y' as c union all select 'quiet', 'b', 'y'"
    )
    before = _writes(project)
    run = project.run()
    rows = [
        ("busy", "a", "x", date(2025, 1, 1), date(2025, 6, 1), False),
        ("busy", "b", "x", date(2025, 6, 1), D1, False),
        ("busy", "c", "y", D1, MAX, True),
        ("gone", "a", "x", date(2025, 1, 1), date(2025, 6, 1), False),
        ("quiet", "a", "x", date(2025, 1, 1), date(2025, 6, 1), False),
        ("quiet", "b", "x", date(2025, 6, 1), MAX, True),
    ]
    assert project.history("counted") == rows, run.log
    after = _writes(project)
    assert after["writes_of_busy"] > before["writes_of_busy"]
    assert after["writes_of_quiet"] == before["writes_of_quiet"], "an unchanged version was written"

    file = _bytes(project)
    run = project.run()
    assert run.messages["counted"] == report("2026-01-01", unchanged=2)
    assert _writes(project) == after, "a version was written although nothing changed"
    assert _bytes(project) == file, "the database file was written although nothing changed"

    write("merge", type1_columns=["c"])
    run = project.run()
    newest = sorted((k, v, "x" if k == "gone" else "y", *interval) for k, v, _, *interval in rows)
    assert project.history("counted") == newest, run.log
    assert run.messages["counted"] == report("2026-01-01", unchanged=1, type_1_updated=2)
    assert run.responses["counted"]["rows_affected"] == 0, "type 1 values are not counted"

    file = _bytes(project)
    write("rebuild")
    run = project.run()
    assert project.history("counted") == newest, run.log
    assert _bytes(project) != file, "a rebuild writes the table"
