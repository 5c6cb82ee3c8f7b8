"""Every guard: nothing is written, nothing is left behind, the message helps, and the next run works."""

from __future__ import annotations

import re

import guard_cases_configuration
import guard_cases_history
import guard_cases_source
import pytest
from engines import ENGINE, local
from guards import Outcome, Variant, findings, play, variants
from project import Project

ALL_CASES = [*guard_cases_configuration.CASES, *guard_cases_source.CASES, *guard_cases_history.CASES]
CASES = [case for case in ALL_CASES if case.needs in ("", ENGINE)]
SLUGS = {
    "missing_unique_key",
    "missing_tracked_columns",
    "overlapping_roles",
    "reserved_column",
    "effective_date_choice",
    "invalid_date",
    "effective_date_not_before_max_date",
    "invalid_option",
    "conflicting_config",
    "undefined_token",
    "target_not_table",
    "prior_not_found",
    "prior_not_scd2",
    "prior_max_date_mismatch",
    "prior_corrupt",
    "prior_would_discard",
    "unknown_column",
    "null_key",
    "duplicate_key",
    "effective_date_null",
    "effective_date_not_uniform",
    "effective_date_type",
    "out_of_order",
    "empty_source",
    "too_many_closed",
    "schema_changed",
    "type_changed",
}

each_variant = pytest.mark.parametrize("variant", variants(CASES), ids=lambda variant: variant.model)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """A good, a refused and a repaired run of all cases, in one project."""
    return play(tmp_path_factory.mktemp("guards"), CASES)


def test_every_guard_is_provoked() -> None:
    assert {case.slug for case in CASES} == SLUGS


@each_variant
def test_a_refused_run_leaves_the_table_as_it_was(variant: Variant, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[variant.model]
    assert findings(outcome.refusal, variant.model), outcome.refusal
    if not variant.first_run:
        assert outcome.before, "the good run before it left no history"
    assert outcome.refused == outcome.before


@each_variant
def test_a_refused_run_leaves_no_helper_relation(variant: Variant, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[variant.model]
    assert findings(outcome.refusal, variant.model), outcome.refusal
    assert outcome.left_by_refused == []


@each_variant
def test_the_message_names_slug_model_values_and_remedy(variant: Variant, outcomes: dict[str, Outcome]) -> None:
    case, message = variant.case, outcomes[variant.model].refusal
    found = findings(message, variant.model)
    assert case.slug in found, message
    assert set(found) <= {case.slug, *case.also}, message
    text = found[case.slug]
    for pattern in map(local, case.says):
        assert re.search(pattern.replace("{table}", variant.model), text), f"{pattern} not in: {text}"
    for pattern in case.silent_on:
        assert not re.search(pattern, text), f"{pattern} in: {text}"


@each_variant
def test_the_next_run_works_once_the_fault_is_repaired(variant: Variant, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[variant.model]
    assert outcome.repaired == list(variant.expected), outcome.report
    assert outcome.left_by_repaired == []


def test_a_message_names_five_of_many_offenders_with_their_counts(project: Project) -> None:
    copies = {f"K{number}": number for number in range(2, 9)}
    project.table(
        "doubled", "id varchar, region varchar", [(key, "West") for key, n in copies.items() for _ in range(n)]
    )
    project.table(
        "nulls",
        "id varchar, part varchar, region varchar",
        [(key, None, "West") for key, n in copies.items() for _ in range(n)],
    )
    project.table("ordered", "id varchar, region varchar", [(f"K{number}", "West") for number in range(2, 9)])
    options = {"unique_key": "id", "tracked_columns": ["region"], "effective_date": "{day}"}
    project.model("doubled_scd2", "select * from main.doubled", options)
    project.model("nulls_scd2", "select * from main.nulls", {**options, "unique_key": ["id", "part"]})
    project.model("ordered_scd2", "select * from main.ordered", options)
    project.run("ordered_scd2", vars={"day": "2026-04-01"})
    ordered = project.history("ordered_scd2")
    assert [row[0] for row in ordered] == list(copies)

    project.execute("update ordered set region = 'East'")
    run = project.run(vars={"day": "2026-01-01"})

    for model, slug in [
        ("doubled_scd2", "duplicate_key"),
        ("nulls_scd2", "null_key"),
        ("ordered_scd2", "out_of_order"),
    ]:
        text = findings(run.messages[model], model)[slug]
        named = re.findall(r"\bK[2-8]\b", text)
        assert len(named) == len(set(named)) == 5, text
        assert re.search(r"\b(7 keys|2 more)\b", text), f"how many offenders there are is not in: {text}"
        if slug != "out_of_order":
            for key in named:
                assert re.search(rf"\b{key}\b\D*{copies[key]}\b", text), text
    assert project.relations() == ["main.doubled", "main.nulls", "main.ordered", "main.ordered_scd2"]
    assert project.history("ordered_scd2") == ordered


def test_several_data_guards_at_once_change_nothing(project: Project) -> None:
    project.table("source", "id varchar, region varchar", [("A", "West"), ("A", "East"), (None, "West")])
    project.model(
        "customer",
        "select * from main.source",
        {"unique_key": "id", "tracked_columns": ["regoin"], "effective_date": "2026-01-01"},
    )
    run = project.run()
    found = findings(run.messages["customer"], "customer")
    assert found, run.log
    assert set(found) <= {"unknown_column", "null_key", "duplicate_key"}
    assert project.relations() == ["main.source"]


def test_a_refused_model_does_not_disturb_the_others(project: Project) -> None:
    project.table("source", "id varchar, region varchar", [("A", "West")])
    options = {"unique_key": "id", "tracked_columns": ["region"], "effective_date": "2026-01-01"}
    project.model("refused", "select * from main.source union all select * from main.source", options)
    project.model("good", "select * from main.source", options)
    run = project.run()
    assert set(findings(run.messages["refused"], "refused")) == {"duplicate_key"}
    assert [row[:2] for row in project.history("good")] == [("A", "West")]
    assert project.relations() == ["main.good", "main.source"]
