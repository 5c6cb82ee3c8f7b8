"""Where options may stand, what they mean there, and that all their errors come at once before any SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from guards import APR, JAN, MAX, findings
from project import Project

BASE = {"unique_key": "id", "tracked_columns": ["region"], "effective_date": "2026-01-01"}
SOURCE = "select * from main.source"
PLACES = ["sql", "sql_meta", "yaml", "yaml_meta", "project", "project_meta"]


def _place(project: Project, options: Mapping[str, Mapping[str, Any]], sql: str = SOURCE) -> None:
    """Models whose options stand in the place that begins the model's name: `<place>__<rest>`."""
    in_yaml, in_project = [], {}
    for model, config in options.items():
        place = model.split("__")[0]
        if place == "sql":
            arguments = ", ".join(f"{key}={json.dumps(value)}" for key, value in config.items())
            head = f"{{{{ config(materialized='scd2_master', {arguments}) }}}}"
        elif place == "sql_meta":
            head = f"{{{{ config(materialized='scd2_master', meta={json.dumps(config)}) }}}}"
        else:
            head = "{{ config(materialized='scd2_master') }}"
        if place in ("yaml", "yaml_meta"):
            in_yaml.append({"name": model, "config": {"meta": config} if place == "yaml_meta" else config})
        if place in ("project", "project_meta"):
            in_project[model] = {"+meta": config} if place == "project_meta" else _plus(config)
        project.file(f"models/{model}.sql", f"{head}\n{sql}\n")
    project.file("models/properties.yml", yaml.safe_dump({"version": 2, "models": in_yaml}))
    settings = yaml.safe_load((project.root / "dbt_project.yml").read_text(encoding="utf-8"))
    project.file("dbt_project.yml", yaml.safe_dump({**settings, "models": {"shop": in_project}}, sort_keys=False))


def _plus(config: Mapping[str, Any]) -> dict[str, Any]:
    return {f"+{key}": value for key, value in config.items()}


WHOLE = {
    "unique_key": ["{entity}_id", "country"],
    "tracked_columns": "all",
    "carried_columns": ["segment"],
    "effective_date": "{day}",
    "max_date": "2999-12-31",
    "close_on_absence": True,
    "prior_relation": "main.legacy",
    "scd2_strategy": "rebuild",
    "input_kind": "snapshot",
    "validity_type": "timestamp",
    "scd2_column_names": {"valid_from": "{entity}_from", "valid_to": "dim_end", "is_current": "newest"},
    "current_flag_type": "integer",
    "entity_name": "client",
    "max_closed_fraction": 0.5,
    "allow_empty_source": False,
    "on_schema_change": "ignore",
}


def test_every_option_works_in_every_place(project: Project) -> None:
    project.table(
        "source",
        "client_id integer, country varchar, region varchar, segment varchar, added varchar",
        [(1, "NL", "Central", "new", "x"), (2, "NL", "East", "new", "x"), (4, "NL", "South", "new", "x")],
    )
    last = datetime(2999, 12, 31)
    project.table(
        "legacy",
        "client_id integer, country varchar, region varchar, segment varchar,"
        " client_from timestamp, dim_end timestamp, newest integer",
        [
            (key, "NL", region, "old", datetime(2025, 1, 1), last, 1)
            for key, region in enumerate(["West", "East", "X"], 1)
        ],
    )
    models = [f"{place}__whole" for place in PLACES]
    _place(project, dict.fromkeys(models, WHOLE))
    run = project.run(vars={"day": "2026-01-01"})
    new_year = datetime(2026, 1, 1)
    for model in models:
        assert project.history(model) == [
            (1, "NL", "Central", "new", new_year, last, 1),
            (1, "NL", "West", "old", datetime(2025, 1, 1), new_year, 0),
            (2, "NL", "East", "old", datetime(2025, 1, 1), last, 1),
            (3, "NL", "X", "old", datetime(2025, 1, 1), new_year, 0),
            (4, "NL", "South", "new", new_year, last, 1),
        ], f"{model}: {run.messages.get(model)}\n{run.exception}"
        assert project.columns(model) == project.columns("legacy")


WRONG = {
    "unique_key": [],
    "tracked_columns": 1,
    "carried_columns": 1,
    "effective_date": 1,
    "effective_date_column": 1,
    "max_date": 1,
    "close_on_absence": 1,
    "prior_relation": 1,
    "scd2_strategy": "x",
    "input_kind": "x",
    "deleted_when": 1,
    "validity_type": "x",
    "scd2_column_names": 1,
    "current_flag_type": "x",
    "version_key_column": 1,
    "tracked_hash_column": 1,
    "entity_name": 1,
    "type0_columns": 1,
    "type1_columns": 1,
    "initial_valid_from": 1,
    "coalesce_versions": 1,
    "max_closed_fraction": "x",
    "allow_empty_source": 1,
    "on_schema_change": "x",
}


def test_every_option_is_read_in_every_place_and_all_errors_come_at_once_before_any_sql(project: Project) -> None:
    hook = {"pre_hook": "create table main.hook_of_{{ this.name }} (i integer)"}
    models = {f"{place}__wrong": WRONG for place in PLACES}
    _place(project, models, "this is } not SQL at all")
    settings = yaml.safe_load((project.root / "dbt_project.yml").read_text(encoding="utf-8"))
    settings["models"]["shop"] = {**_plus(hook), **settings["models"]["shop"]}
    project.file("dbt_project.yml", yaml.safe_dump(settings, sort_keys=False))
    project.file("models/good.sql", f"{{{{ config(materialized='scd2_master', **{BASE!r}) }}}}\n{SOURCE}\n")
    project.table("source", "id integer, region varchar", [(1, "West")])

    run = project.run()

    for model in models:
        message = run.messages[model]
        found = findings(message, model)
        assert set(found) == {"missing_unique_key", "invalid_option"}, message
        lines = [line for line in message.splitlines() if "[invalid_option]" in line]
        for key in [key for key in WRONG if key != "unique_key"]:
            assert any(f": {key} " in line for line in lines), f"{key} is not in: {message}"
    assert project.relations() == ["main.good", "main.hook_of_good", "main.source"], run.messages["good"]


def test_errors_of_different_guards_come_in_one_message_before_any_sql(project: Project) -> None:
    project.model(
        "customer",
        "this is } not SQL at all",
        {
            "tracked_columns": ["region", "region"],
            "effective_date": "{no_such_var}",
            "effective_date_column": "loaded_on",
            "max_date": "2999-02-29",
            "close_on_absence": "yes",
            "current_flag_type": "integer",
            "meta": {"current_flag_type": "boolean"},
        },
        pre_hook="create table main.hook_ran (i integer)",
    )
    # Without quotes a token is a mapping in YAML.
    project.file("models/unquoted.sql", "{{ config(materialized='scd2_master') }}\nselect 1 as id, 2 as region\n")
    options = "{unique_key: id, tracked_columns: [region], effective_date: {snapshot_date}}"
    project.file("models/properties.yml", f"models: [{{name: unquoted, config: {options}}}]\n")

    run = project.run(vars={"scd2_timezone": "Mars/Olympus_Mons"})

    found = findings(run.messages["customer"], "customer")
    assert set(found) == {
        "missing_unique_key",
        "overlapping_roles",
        "effective_date_choice",
        "undefined_token",
        "invalid_date",
        "invalid_option",
        "conflicting_config",
    }
    assert "close_on_absence" in found["invalid_option"]
    assert "Mars/Olympus_Mons" in found["invalid_option"]
    found = findings(run.messages["unquoted"], "unquoted")
    assert set(found) == {"invalid_option"}
    for word in ("effective_date", "snapshot_date", "mapping", "quote"):
        assert word in found["invalid_option"]
    assert project.relations() == []


def test_a_wrong_date_that_comes_from_a_var_stops_the_run_before_any_sql(project: Project) -> None:
    project.table("source", "id integer, region varchar", [(1, "West")])
    project.model(
        "customer", SOURCE, {**BASE, "effective_date": "{day}"}, pre_hook="create table main.hook_ran (i int)"
    )
    for day, slug in [("2026-02-30", "invalid_date"), ("9999-12-31", "effective_date_not_before_max_date")]:
        run = project.run(vars={"day": day})
        found = findings(run.messages["customer"], "customer")
        assert set(found) == {slug}
        assert day in found[slug]
    assert project.relations() == ["main.source"]


CONFLICTS: dict[str, tuple[Any, Any]] = {
    "unique_key": ("id", "region"),
    "tracked_columns": (["region"], ["segment"]),
    "carried_columns": (["segment"], []),
    "effective_date": ("2026-01-01", "2026-01-02"),
    "max_date": ("9999-12-31", "2999-12-31"),
    "close_on_absence": (True, False),
    "allow_empty_source": (False, True),
    "validity_type": ("date", "timestamp"),
    "scd2_column_names": ({"valid_to": "dim_end"}, {"valid_to": "dim_until"}),
    "max_closed_fraction": (1.0, 0.0),
    "entity_name": ("customer", "client"),
    "on_schema_change": ("ignore", "append_new_columns"),
}


def test_an_option_set_differently_in_config_and_meta_is_a_conflict_and_set_equally_is_fine(project: Project) -> None:
    project.table("source", "id integer, region varchar, segment varchar", [(1, "West", "SMB")])
    for key, (value, other) in CONFLICTS.items():
        project.model(f"{key}_differs", SOURCE, {**BASE, key: value, "meta": {key: other}})
        project.model(f"{key}_agrees", SOURCE, {**BASE, key: value, "meta": {key: value}})
    run = project.run()
    for key, (value, other) in CONFLICTS.items():
        model = f"{key}_differs"
        found = findings(run.messages[model], model)
        assert set(found) == {"conflicting_config"}, run.messages[model]
        for text in (key, "meta", *_texts(value), *_texts(other)):
            assert text.lower() in found["conflicting_config"].lower()
        model = f"{key}_agrees"
        assert project.history(model) == [(1, "West", "SMB", JAN, MAX, True)], run.messages[model]
    assert project.relations() == sorted([*(f"main.{key}_agrees" for key in CONFLICTS), "main.source"])


def _texts(value: Any) -> list[str]:
    """The single values in an option's value, as text."""
    if isinstance(value, Mapping):
        return [str(item) for item in value.values()]
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


SCHEMA_CHANGES = ["append_new_columns", "ignore", "fail"]


@pytest.mark.parametrize("more_unrendered", [False, True], ids=["dbt's default flags", "more unrendered values"])
def test_on_schema_change_counts_only_where_somebody_set_it(tmp_path: Path, more_unrendered: bool) -> None:
    """Left out it means append_new_columns, although dbt writes its own default `ignore` into every model."""
    flags = {"send_anonymous_usage_stats": False, "state_modified_compare_more_unrendered_values": more_unrendered}
    project = Project(tmp_path, project={"flags": flags})
    project.table("source", "id integer, region varchar", [(1, "West"), (2, "East")])
    models = {
        f"{place}__{value}": {**BASE, "effective_date": "{day}", "on_schema_change": value}
        for place in PLACES
        for value in SCHEMA_CHANGES
    }
    left_out = {f"{place}__left_out": {**BASE, "effective_date": "{day}"} for place in PLACES}
    _place(project, {**models, **left_out})
    run = project.run(vars={"day": "2026-01-01"})
    first = [(1, "West", JAN, MAX, True), (2, "East", JAN, MAX, True)]
    for model in [*models, *left_out]:
        assert project.history(model) == first, f"{model}: {run.messages.get(model)}\n{run.exception}"

    project.table("source", "id integer, added varchar, region varchar", [(1, "x", "Central"), (2, "y", "East")])
    run = project.run(vars={"day": "2026-04-01"})

    appended = [
        (1, "Central", APR, MAX, True, "x"),
        (1, "West", JAN, APR, False, None),
        (2, "East", JAN, MAX, True, None),
    ]
    ignored = [row[:5] for row in appended]
    for model in [*models, *left_out]:
        if model.endswith("__fail"):
            assert set(findings(run.messages[model], model)) == {"schema_changed"}, run.messages[model]
            assert project.history(model) == first
        else:
            expected = ignored if model.endswith("__ignore") else appended
            assert project.history(model) == expected, f"{model}: {run.messages[model]}"


def test_an_option_in_a_folder_is_overridden_by_the_model_and_a_mapping_is_replaced_whole(project: Project) -> None:
    project.table("source", "id integer, region varchar", [(1, "West")])
    settings = yaml.safe_load((project.root / "dbt_project.yml").read_text(encoding="utf-8"))
    folder = {
        "+materialized": "scd2_master",
        "+unique_key": "id",
        "+tracked_columns": ["region"],
        "+effective_date": "2026-01-01",
        "+scd2_column_names": {"valid_from": "folder_from", "valid_to": "folder_to"},
    }
    project.file("dbt_project.yml", yaml.safe_dump({**settings, "models": {"shop": folder}}, sort_keys=False))
    project.file("models/plain.sql", SOURCE)
    project.file(
        "models/own.sql",
        "{{ config(scd2_column_names={'valid_to': 'own_to'}, effective_date='2026-04-01') }}\n" + SOURCE,
    )
    run = project.run()
    assert project.history("plain") == [(1, "West", JAN, MAX, True)], run.log
    assert [name for name, _ in project.columns("plain")] == ["id", "region", "folder_from", "folder_to", "is_current"]
    assert project.history("own") == [(1, "West", APR, MAX, True)]
    assert [name for name, _ in project.columns("own")] == ["id", "region", "valid_from", "own_to", "is_current"]


def test_the_entity_stands_for_the_model_or_for_what_entity_name_says(project: Project) -> None:
    """One set of defaults for two models whose keys are named after them."""
    names = {"valid_from": "{entity}_from", "valid_to": "{entity}_to", "is_current": "is_current_{entity}"}
    defaults = {**BASE, "unique_key": ["{entity}_id", "{entity}_no"], "scd2_column_names": names}
    project.model("customer", "select 1 as customer_id, 2 as customer_no, 'West' as region", defaults)
    client = {**defaults, "entity_name": "client"}
    project.model("dim_customer", "select 1 as client_id, 2 as client_no, 'West' as region", client)
    single = {**BASE, "unique_key": "{entity}_id"}
    project.model("product", "select 1 as product_id, 'West' as region", single)
    project.model("missing", "select 1 as product_id, 'West' as region", single)
    run = project.run()
    for model, entity in [("customer", "customer"), ("dim_customer", "client")]:
        assert project.history(model) == [(1, 2, "West", JAN, MAX, True)], run.log
        assert [name for name, _ in project.columns(model)] == [
            f"{entity}_id",
            f"{entity}_no",
            "region",
            f"{entity}_from",
            f"{entity}_to",
            f"is_current_{entity}",
        ]
    assert project.history("product") == [(1, "West", JAN, MAX, True)]
    found = findings(run.messages["missing"], "missing")
    assert set(found) == {"unknown_column"}
    assert "missing_id" in found["unknown_column"]


def test_renamed_columns_and_an_integer_flag_hold_over_several_runs(project: Project) -> None:
    names = {"valid_from": "Dim Start", "valid_to": "order", "is_current": 'new"est'}
    options = {**BASE, "effective_date": "{day}", "scd2_column_names": names, "current_flag_type": "integer"}
    project.model("customer", SOURCE, {**options, "close_on_absence": True})
    project.table("source", "id integer, region varchar", [(1, "West"), (2, "East")])
    project.run(vars={"day": "2026-01-01"})
    project.table("source", "id integer, region varchar", [(1, "Central")])
    for _ in range(2):
        run = project.run(vars={"day": "2026-04-01"})
        assert project.history("customer") == [
            (1, "Central", APR, MAX, 1),
            (1, "West", JAN, APR, 0),
            (2, "East", JAN, APR, 0),
        ], run.log
    assert project.columns("customer") == [
        ("id", "INTEGER"),
        ("region", "VARCHAR"),
        ("Dim Start", "DATE"),
        ("order", "DATE"),
        ('new"est', "INTEGER"),
    ]


def test_the_key_may_be_a_text_or_a_list_and_carried_columns_may_repeat_what_is_left(project: Project) -> None:
    project.table("source", "id integer, region varchar, segment varchar, loaded_on date", [(1, "West", "SMB", JAN)])
    dated = {"unique_key": "id", "tracked_columns": ["region"], "effective_date_column": "loaded_on"}
    cases = {
        "key_text": BASE,
        "key_list": {**BASE, "unique_key": ["id"]},
        "carried_listed": {**BASE, "carried_columns": ["segment"]},
        "carried_empty": {**BASE, "carried_columns": []},
        "defaults_spelt_out": {
            **BASE,
            "max_date": "9999-12-31",
            "close_on_absence": False,
            "scd2_strategy": "rebuild",
            "input_kind": "snapshot",
            "validity_type": "date",
            "scd2_column_names": {},
            "current_flag_type": "boolean",
            "type0_columns": [],
            "type1_columns": [],
            "coalesce_versions": False,
            "max_closed_fraction": 1,
            "allow_empty_source": False,
            "prior_relation": "defaults_spelt_out",
        },
        "names_in_another_case": {**BASE, "unique_key": "ID", "tracked_columns": ["Region"]},
        "dated_by_column": dated,
    }
    for model, options in cases.items():
        project.model(model, SOURCE, options)
    for _ in range(2):
        run = project.run()
        for model in cases:
            assert project.history(model) == [(1, "West", "SMB", JAN, JAN, MAX, True)], run.messages[model]
            assert [name for name, _ in project.columns(model)][:4] == ["id", "region", "segment", "loaded_on"]


def test_under_all_only_what_has_no_other_role_is_tracked(project: Project) -> None:
    options = {"unique_key": "id", "tracked_columns": "all", "carried_columns": ["segment"]}
    project.model("customer", SOURCE, {**options, "effective_date_column": "loaded_on"})
    columns = "id integer, region varchar, segment varchar, loaded_on date"
    project.table("source", columns, [(1, "West", "SMB", JAN), (2, "East", "SMB", JAN)])
    project.run()
    # Carried segment and the date itself differ for 2: no version. Region differs for 1: a version.
    project.table("source", columns, [(1, "Central", "SMB", APR), (2, "East", "Large", APR)])
    run = project.run()
    assert project.history("customer") == [
        (1, "Central", "SMB", APR, APR, MAX, True),
        (1, "West", "SMB", JAN, JAN, APR, False),
        (2, "East", "SMB", JAN, JAN, MAX, True),
    ], run.log


def test_a_misspelt_option_is_warned_of_and_other_keys_are_not(project: Project) -> None:
    options = {"unique_key": "id", "tracked_columns": ["v"], "effective_date": "2026-01-01"}
    project.table("src", "id varchar, v varchar", [("C1", "a")])
    project.model("top", "select * from main.src", {**options, "closes_on_absence": True, "effective_cost": 1})
    project.model("low", "select * from main.src", {**options, "max_close_fraction": 0.1, "owner": "me"}, meta=True)
    run = project.run()
    start = "scd2_master model.shop."
    assert sorted(line for line in run.log.splitlines() if line.startswith(start)) == [
        f"{start}low: the config has max_close_fraction, which is not an option. Did you mean max_closed_fraction?",
        f"{start}top: the config has closes_on_absence, which is not an option. Did you mean close_on_absence?",
    ]
    assert project.history("top") == project.history("low") == [("C1", "a", JAN, MAX, True)]
