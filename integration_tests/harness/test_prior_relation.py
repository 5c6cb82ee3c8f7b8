"""The history to start from: `prior_relation` in all its spellings."""

from __future__ import annotations

from datetime import date

import pytest
from batch import D1, D2, D3, MAX, Day, Stories, Story, Told, play
from engines import ENGINE

STORIES = Stories()
OLD = date(2025, 1, 1)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    return play(tmp_path_factory.mktemp("prior"), STORIES)


@pytest.fixture
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    return outcomes[request.function.story]


def prior(relation: str, kind: str = "table") -> str:
    """The statement that makes a history of C1 ('o' since OLD) and C2 ('a' since OLD)."""
    return f"""
        create {kind} {relation} as
        select k, v, valid_from, date '9999-12-31' as valid_to, true as is_current
        from (values ('C1', 'o', date '{OLD}'), ('C2', 'a', date '{OLD}')) t(k, v, valid_from)
    """


SOURCE = "select * from (values ('C1', 'a'), ('C2', 'a')) t(k, v)"
CHANGED = "select * from (values ('C1', 'b'), ('C2', 'a')) t(k, v)"
FROM_PRIOR = [("C1", "a", D1, MAX, True), ("C1", "o", OLD, D1, False), ("C2", "a", OLD, MAX, True)]

ANOTHER = {
    "prior_one_part": "old_one",
    "prior_two_parts": "archive.old_two",
    "prior_three_parts": "warehouse.archive.old_three",
    "prior_other_case": "Archive.OLD_FOUR",
    "prior_attached": "other.main.old_five",
    "prior_quoted": '"Old History"',
    "prior_quoted_dots": 'archive."old.history of ""C"""',
    "prior_quoted_all": '"other"."main"."Old;--"',
}
if ENGINE != "duckdb":
    # a database of its own is another server's, or one that cannot be reached
    ANOTHER = {model: relation for model, relation in ANOTHER.items() if "other" not in relation}
for _number, (_model, _relation) in enumerate(ANOTHER.items()):
    _before = "create schema if not exists archive; " + prior(_relation)
    STORIES.add(Story(_model, [Day(SOURCE, before=_before), Day(CHANGED)], {"prior_relation": _relation}))


@pytest.mark.parametrize("model", ANOTHER)
def test_a_run_starts_from_another_history_and_would_not_discard_its_own(model: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[model].rows[0] == FROM_PRIOR, outcomes[model].messages
    assert outcomes[model].refused(1, "prior_would_discard", str(D1))


OWN = {
    "own_one_part": "own_one_part",
    "own_two_parts": "main.own_two_parts",
    "own_three_parts": "warehouse.main.own_three_parts",
    "own_other_case": "Main.OWN_OTHER_CASE",
    "own_quoted": '"main"."own_quoted"',
}
for _model, _relation in OWN.items():
    STORIES.add(Story(_model, [Day(SOURCE), Day(CHANGED)], {"prior_relation": _relation}))


@pytest.mark.parametrize("model", OWN)
def test_naming_the_own_table_is_the_default(model: str, outcomes: dict[str, Told]) -> None:
    assert outcomes[model].rows[0] == [("C1", "a", D1, MAX, True), ("C2", "a", D1, MAX, True)]
    assert outcomes[model].rows[1] == [
        ("C1", "a", D1, D2, False),
        ("C1", "b", D2, MAX, True),
        ("C2", "a", D1, MAX, True),
    ], outcomes[model].messages


@STORIES.tell("own_schema", SOURCE, CHANGED, table="main_dim.own_schema", standard={"schema": "dim"},
              prior_relation="own_schema")  # fmt: skip
def test_an_identifier_alone_is_looked_up_in_the_models_own_schema(told: Told) -> None:
    assert told.rows[1] == [("C1", "a", D1, D2, False), ("C1", "b", D2, MAX, True), ("C2", "a", D1, MAX, True)]


@STORIES.tell("from_view", Day(SOURCE, before=prior("old_view", "view")), prior_relation="old_view")
def test_another_prior_may_be_a_view(told: Told) -> None:
    assert told.rows[0] == FROM_PRIOR


@STORIES.tell("missing", SOURCE, Day(before=prior("missing_history")), prior_relation="missing_history")
def test_another_prior_must_exist(told: Told) -> None:
    assert told.refused(0, "prior_not_found", "missing_history")
    assert told.rows == [
        None,
        [("C1", "a", D2, MAX, True), ("C1", "o", OLD, D2, False), ("C2", "a", OLD, MAX, True)],
        told.rows[2],
    ]


@STORIES.tell(
    "moved",
    Day(SOURCE, {"prior_relation": "moved_from"}, prior("moved_from")),
    Day(CHANGED, {"prior_relation": None}),
    Day(SOURCE),
)
def test_a_history_that_was_moved_goes_on_from_its_own_table(told: Told) -> None:
    assert told.rows[0] == FROM_PRIOR
    assert told.rows[2] == [
        ("C1", "a", D1, D2, False),
        ("C1", "a", D3, MAX, True),
        ("C1", "b", D2, D3, False),
        ("C1", "o", OLD, D1, False),
        ("C2", "a", OLD, MAX, True),
    ]


@STORIES.tell(
    "same_day",
    Day(SOURCE, {"prior_relation": "same_day_from", "effective_date": str(D1)}, prior("same_day_from")),
    Day(CHANGED),
)
def test_a_run_from_another_prior_can_be_repeated_on_its_day(told: Told) -> None:
    assert told.rows[0] == FROM_PRIOR
    assert told.rows[1] == [("C1", "b", D1, MAX, True), ("C1", "o", OLD, D1, False), ("C2", "a", OLD, MAX, True)]
    assert told.rows[2] == told.rows[1]


@STORIES.tell("wider_prior", Day(
    "select 'C1' as k, 'a' as v, 3000000000 as n",
    before="create table narrow_prior as select 'C1' as k, 1::integer as n, 'o' as v, 'x' as gone,"
           " date '2025-01-01' as valid_from, date '9999-12-31' as valid_to, true as is_current",
), prior_relation="narrow_prior")  # fmt: skip
def test_another_prior_follows_the_rules_of_schema_changes(told: Told) -> None:
    assert list(told.columns[0].items()) == [
        ("k", "VARCHAR"), ("n", "BIGINT"), ("v", "VARCHAR"), ("gone", "VARCHAR"),
        ("valid_from", "DATE"), ("valid_to", "DATE"), ("is_current", "BOOLEAN"),
    ]  # fmt: skip
    assert told.rows[0] == [
        ("C1", 1, "o", "x", OLD, D1, False),
        ("C1", 3000000000, "a", None, D1, MAX, True),
    ]
