"""Option values that no run may accept, and the dates among them: one model each, all in one dbt invocation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from guards import UNSET, findings, with_options
from project import Project

COLUMNS = "customer_id varchar, region varchar, segment varchar, loaded_on date, order_date date"
BASE = {"unique_key": "customer_id", "tracked_columns": ["region"], "effective_date": "2026-01-01"}
BY_COLUMN = {"effective_date": UNSET}
SERIES = {**BY_COLUMN, "effective_date_column": "order_date", "input_kind": "snapshot_series"}
LOG = {**SERIES, "input_kind": "change_log"}
TIMESTAMP = {"validity_type": "timestamp"}

INVALID_OPTIONS: dict[str, Mapping[str, Any]] = {
    "unique_key_mapping": {"meta": {"unique_key": {"a": "b"}}, "unique_key": UNSET},
    "unique_key_number": {"meta": {"unique_key": 5}, "unique_key": UNSET},
    "unique_key_list_of_numbers": {"meta": {"unique_key": [1]}, "unique_key": UNSET},
    "tracked_columns_text": {"tracked_columns": "region"},
    "tracked_columns_all_in_capitals": {"tracked_columns": "ALL"},
    "tracked_columns_number": {"tracked_columns": 5},
    "tracked_columns_true": {"tracked_columns": True},
    "tracked_columns_mapping": {"tracked_columns": {"region": "x"}},
    "tracked_columns_list_of_numbers": {"tracked_columns": ["region", 1]},
    "tracked_columns_list_with_null": {"tracked_columns": ["region", None]},
    "tracked_columns_list_in_list": {"tracked_columns": [["region"]]},
    "carried_columns_number": {"carried_columns": 5},
    "carried_columns_mapping": {"carried_columns": {"segment": "x"}},
    "carried_columns_list_of_numbers": {"carried_columns": [1]},
    "effective_date_number": {"effective_date": 20260101},
    "effective_date_true": {"effective_date": True},
    "effective_date_list": {"effective_date": ["2026-01-01"]},
    "effective_date_mapping": {"effective_date": {"snapshot_date": None}},
    "effective_date_column_number": {**BY_COLUMN, "effective_date_column": 5},
    "effective_date_column_list": {**BY_COLUMN, "effective_date_column": ["loaded_on"]},
    "max_date_number": {"max_date": 99991231},
    "max_date_false": {"max_date": False},
    "max_date_list": {"max_date": ["9999-12-31"]},
    "close_on_absence_text": {"close_on_absence": "true"},
    "close_on_absence_number": {"close_on_absence": 1},
    "close_on_absence_zero": {"close_on_absence": 0},
    "close_on_absence_list": {"close_on_absence": []},
    "prior_relation_number": {"prior_relation": 5},
    "prior_relation_list": {"prior_relation": ["main", "legacy"]},
    "prior_relation_of_four_parts": {"prior_relation": "a.b.c.d"},
    "prior_relation_with_an_empty_part": {"prior_relation": "main..legacy"},
    "prior_relation_ends_in_a_dot": {"prior_relation": "main."},
    "scd2_strategy_unknown": {"scd2_strategy": "delete+insert"},
    "scd2_strategy_number": {"scd2_strategy": 1},
    "input_kind_unknown": {"input_kind": "snapshots"},
    "input_kind_list": {"input_kind": ["snapshot"]},
    "input_kind_number": {"input_kind": 2},
    "deleted_when_number": {**LOG, "deleted_when": 1},
    "deleted_when_true": {**LOG, "deleted_when": True},
    "deleted_when_empty": {**LOG, "deleted_when": " "},
    "deleted_when_list": {**LOG, "deleted_when": ["region is null"]},
    "validity_type_unknown": {"validity_type": "datetime"},
    "validity_type_true": {"validity_type": True},
    "scd2_column_names_text": {"scd2_column_names": "dim_"},
    "scd2_column_names_list": {"scd2_column_names": ["a", "b", "c"]},
    "scd2_column_names_unknown_key": {"scd2_column_names": {"valid_form": "dim_start"}},
    "scd2_column_names_key_in_capitals": {"scd2_column_names": {"VALID_TO": "dim_end"}},
    "scd2_column_names_number": {"scd2_column_names": {"valid_to": 5}},
    "scd2_column_names_null": {"scd2_column_names": {"valid_to": None}},
    "scd2_column_names_empty": {"scd2_column_names": {"valid_to": ""}},
    "scd2_column_names_equal": {"scd2_column_names": {"valid_from": "dim_date", "valid_to": "dim_date"}},
    "scd2_column_names_equal_but_for_case": {"scd2_column_names": {"valid_from": "Dim", "valid_to": "dIM"}},
    "scd2_column_names_equal_to_a_default": {"scd2_column_names": {"valid_from": "valid_to"}},
    "version_key_column_number": {"version_key_column": 5},
    "version_key_column_true": {"version_key_column": True},
    "version_key_column_empty": {"version_key_column": ""},
    "version_key_column_unknown_token": {"version_key_column": "{entitiy}_id"},
    "scd2_column_names_unknown_token": {"scd2_column_names": {"valid_to": "{snapshot}_to"}},
    "version_key_column_list": {"version_key_column": ["scd_id"]},
    "tracked_hash_column_number": {"tracked_hash_column": 5},
    "tracked_hash_column_mapping": {"tracked_hash_column": {"entity": None}},
    "tracked_hash_column_empty": {"tracked_hash_column": " "},
    "type0_columns_text": {"type0_columns": "segment"},
    "type0_columns_all": {"type0_columns": "all"},
    "type0_columns_number": {"type0_columns": 5},
    "type0_columns_list_of_numbers": {"type0_columns": [1]},
    "type0_columns_mapping": {"type0_columns": {"segment": "x"}},
    "type1_columns_text": {"type1_columns": "segment"},
    "type1_columns_true": {"type1_columns": True},
    "type1_columns_list_with_null": {"type1_columns": ["segment", None]},
    "initial_valid_from_number": {"initial_valid_from": 20200101},
    "initial_valid_from_true": {"initial_valid_from": True},
    "initial_valid_from_list": {"initial_valid_from": ["2020-01-01"]},
    "initial_valid_from_mapping": {"initial_valid_from": {"birth": None}},
    "coalesce_versions_text": {"coalesce_versions": "false"},
    "coalesce_versions_number": {"coalesce_versions": 1},
    "coalesce_versions_list": {"coalesce_versions": []},
    "current_flag_type_unknown": {"current_flag_type": "bool"},
    "current_flag_type_number": {"current_flag_type": 1},
    "entity_name_number": {"entity_name": 5},
    "entity_name_list": {"entity_name": ["customer"]},
    "max_closed_fraction_text": {"max_closed_fraction": "0.5"},
    "max_closed_fraction_negative": {"max_closed_fraction": -0.01},
    "max_closed_fraction_above_one": {"max_closed_fraction": 1.01},
    "max_closed_fraction_percent": {"max_closed_fraction": 50},
    "max_closed_fraction_true": {"max_closed_fraction": True},
    "max_closed_fraction_nan": {"max_closed_fraction": float("nan")},
    "allow_empty_source_text": {"allow_empty_source": "false"},
    "allow_empty_source_number": {"allow_empty_source": 0},
    "on_schema_change_of_incremental": {"on_schema_change": "sync_all_columns"},
    "on_schema_change_in_meta": {"meta": {"on_schema_change": "append"}},
}

CHOICES = {
    "scd2_strategy": ["rebuild", "merge"],
    "input_kind": ["snapshot", "snapshot_series", "change_log"],
    "validity_type": ["date", "timestamp"],
    "current_flag_type": ["boolean", "integer"],
    "on_schema_change": ["append_new_columns", "fail", "ignore"],
    "close_on_absence": ["true", "false"],
    "allow_empty_source": ["true", "false"],
    "coalesce_versions": ["true", "false"],
    "max_closed_fraction": ["0", "1"],
    "tracked_columns": ["list", "all"],
}

# Options that exclude each other or need another, and what the message has.
COMBINATIONS: dict[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "merge_and_another_prior": (
        ("scd2_strategy", "merge", "prior_relation"),
        {"scd2_strategy": "merge", "prior_relation": "main.legacy"},
    ),
    "merge_and_another_prior_of_the_same_name": (
        ("scd2_strategy", "merge", "prior_relation"),
        {"scd2_strategy": "merge", "prior_relation": "other.combined_merge_and_another_prior_of_the_same_name"},
    ),
    "deletions_of_a_snapshot": (("deleted_when", "region is null", "change_log"), {"deleted_when": "region is null"}),
    "deletions_of_a_series": (("deleted_when", "change_log"), {**SERIES, "deleted_when": "region is null"}),
    "absence_from_a_log": (("close_on_absence", "change_log"), {**LOG, "close_on_absence": True}),
    "initial_date_of_a_log": (("initial_valid_from", "change_log"), {**LOG, "initial_valid_from": "2020-01-01"}),
    "date_of_a_log": (("effective_date", "effective_date_column", "change_log"), {"input_kind": "change_log"}),
    "date_of_a_series": (
        ("effective_date", "effective_date_column", "snapshot_series"),
        {"input_kind": "snapshot_series"},
    ),
    "initial_date_at_d": (("initial_valid_from", "2026-01-01"), {"initial_valid_from": "2026-01-01"}),
    "initial_date_after_d": (("initial_valid_from", "2026-01-02", "2026-01-01"), {"initial_valid_from": "2026-01-02"}),
    "initial_date_a_microsecond_late": (
        ("initial_valid_from", "2026-01-01 12:00:00.000001"),
        {
            **TIMESTAMP,
            "effective_date": "2026-01-01 12:00:00",
            "initial_valid_from": "2026-01-01 12:00:00.000001",
        },
    ),
    "version_key_like_an_interval": (("version_key_column", "Valid_From"), {"version_key_column": "Valid_From"}),
    "version_key_like_a_renamed_interval": (
        ("version_key_column", "dim_end"),
        {"version_key_column": "dim_end", "scd2_column_names": {"valid_to": "DIM_END"}},
    ),
    "version_key_like_the_hash": (
        ("version_key_column", "tracked_hash_column"),
        {"version_key_column": "{entity}_id", "tracked_hash_column": "{entity}_ID"},
    ),
    "hash_like_the_flag": (("tracked_hash_column", "is_current"), {"tracked_hash_column": "is_current"}),
}

ROLES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "key_twice": ("customer_id", {"unique_key": ["customer_id", "segment", "customer_id"]}),
    "key_and_tracked": ("customer_id", {"tracked_columns": ["customer_id"]}),
    "key_and_carried": ("customer_id", {"carried_columns": ["customer_id"]}),
    "key_and_carried_under_all": ("customer_id", {"tracked_columns": "all", "carried_columns": ["customer_id"]}),
    "key_and_date_column": (
        "loaded_on",
        {**BY_COLUMN, "unique_key": ["customer_id", "loaded_on"], "effective_date_column": "loaded_on"},
    ),
    "tracked_twice": ("region", {"tracked_columns": ["region", "segment", "region"]}),
    "tracked_and_carried": ("region", {"carried_columns": ["region", "segment"]}),
    "tracked_and_date_column": (
        "loaded_on",
        {**BY_COLUMN, "tracked_columns": ["region", "loaded_on"], "effective_date_column": "loaded_on"},
    ),
    "carried_twice": ("segment", {"carried_columns": ["segment", "segment"]}),
    "key_and_type_0": ("customer_id", {"type0_columns": ["customer_id"]}),
    "tracked_and_type_0": ("region", {"type0_columns": ["region"]}),
    "carried_and_type_0": ("segment", {"carried_columns": ["segment"], "type0_columns": ["segment"]}),
    "type_0_twice": ("segment", {"type0_columns": ["segment", "segment"]}),
    "key_and_type_1": ("customer_id", {"tracked_columns": "all", "type1_columns": ["customer_id"]}),
    "tracked_and_type_1": ("region", {"type1_columns": ["segment", "region"]}),
    "carried_and_type_1": ("segment", {"carried_columns": ["segment"], "type1_columns": ["segment"]}),
    "type_0_and_type_1": (
        "segment",
        {"tracked_columns": "all", "type0_columns": ["segment"], "type1_columns": ["segment"]},
    ),
    "type_1_and_date_column": (
        "loaded_on",
        {**BY_COLUMN, "effective_date_column": "loaded_on", "type1_columns": ["loaded_on"]},
    ),
    "type_0_and_date_column_of_a_log": ("order_date", {**LOG, "type0_columns": ["order_date"]}),
    "tracked_and_type_0_but_for_case": ("region", {"type0_columns": ["REGION"]}),
    "type_0_and_type_1_but_for_case": ("segment", {"type0_columns": ["segment"], "type1_columns": ["Segment"]}),
    "key_twice_but_for_case": ("customer_id", {"unique_key": ["customer_id", "Customer_Id"]}),
    "key_and_tracked_but_for_case": ("customer_id", {"tracked_columns": ["region", "CUSTOMER_ID"]}),
    "tracked_twice_but_for_case": ("region", {"tracked_columns": ["Region", "region"]}),
    "tracked_and_carried_but_for_case": ("region", {"carried_columns": ["REGION"]}),
    "key_and_date_column_but_for_case": (
        "loaded_on",
        {**BY_COLUMN, "unique_key": ["customer_id", "loaded_on"], "effective_date_column": "LOADED_ON"},
    ),
    "tracked_and_date_column_but_for_case": (
        "loaded_on",
        {**BY_COLUMN, "tracked_columns": ["Loaded_On"], "effective_date_column": "LOADED_ON"},
    ),
}

BAD_DATES = [
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "0000-01-01",
    "10000-01-01",
    "-2026-01-01",
    "+2026-01-01",
    "2026-1-1",
    "26-01-01",
    "20260101",
    "2026/01/01",
    "01-02-2026",
    "2026-01",
    "2026-W01-1",
    "today",
    "",
    " ",
    " 2026-01-01",
    "2026-01-01 ",
    "2026-01-01\n",
    "\n2026-01-01",
    "2026-01-01;",
    "2026-01-01' or '1'='1",
    "\uff12\uff10\uff12\uff16-01-01",
    "\u0662\u0660\u0662\u0666-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T10:00:00Z",
    "2026-01-01Z",
    "2026-01-01+00",
    "2026-01-01 10:00:00+00",
    "2026-01-01 10:00:00Z",
    "2026-01-01 10:00:00 UTC",
    "2026-01-01 10:00",
    "2026-01-01 24:00:00",
    "2026-01-01 10:60:00",
    "2026-01-01 10:00:60",
    "2026-01-01 9:00:00",
    "2026-01-01 10:00:00.",
    "2026-01-01 10:00:00,5",
    "2026-01-01 10:00:00.1234567",
    "2026-01-01  10:00:00",
    "2026-01-01 10:00:00\n",
    "2026-02-30 10:00:00",
]
TIMES_UNDER_DATE = ["2026-01-01 00:00:00", "2026-01-01 10:00:00", "2026-01-01 00:00:00.000000"]


def _bad_dates() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Every bad date as effective_date, under both types, every fifth as another date: model -> (option, options)."""
    cases: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for number, text in enumerate([*BAD_DATES, *TIMES_UNDER_DATE]):
        cases[f"bad_date_{number}"] = ("effective_date", {"effective_date": text})
    for number, text in enumerate(BAD_DATES[::5]):
        cases[f"bad_max_date_{number}"] = ("max_date", {"max_date": text})
    for number, text in enumerate([*BAD_DATES[::5], TIMES_UNDER_DATE[0]]):
        cases[f"bad_initial_date_{number}"] = ("initial_valid_from", {"initial_valid_from": text})
    for number, text in enumerate(BAD_DATES):
        cases[f"bad_timestamp_{number}"] = ("effective_date", {**TIMESTAMP, "effective_date": text})
    return cases


BAD = _bad_dates()


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The messages of all these models; a model that wrote something after all has an empty one."""
    project = Project(tmp_path_factory.mktemp("invalid"))
    project.table("source", COLUMNS)
    cases = {
        **{f"option_{name}": options for name, options in INVALID_OPTIONS.items()},
        **{f"combined_{name}": options for name, (_, options) in COMBINATIONS.items()},
        **{f"roles_{name}": options for name, (_, options) in ROLES.items()},
        **{name: options for name, (_, options) in BAD.items()},
    }
    for name, options in cases.items():
        project.model(name, "select * from main.source", with_options(BASE, options))
    run = project.run()
    assert set(run.messages) == set(cases), f"{run.exception}\n{run.log}"
    written = project.relations()
    return {name: "" if f"main.{name}" in written else message for name, message in run.messages.items()}


def _only(messages: dict[str, str], model: str, slug: str) -> str:
    found = findings(messages[model], model)
    assert set(found) == {slug}, messages[model]
    return found[slug]


@pytest.mark.parametrize("name", INVALID_OPTIONS)
def test_a_value_of_a_wrong_type_or_outside_its_choices_is_refused(name: str, messages: dict[str, str]) -> None:
    text = _only(messages, f"option_{name}", "invalid_option")
    option = max((key for key in [*BASE, *CHOICES, *INVALID_OPTIONS[name]] if name.startswith(key)), key=len)
    assert option in text
    for choice in CHOICES.get(option, []):
        assert re.search(rf"\b{choice}\b", text), text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("scd2_column_names_unknown_key", "valid_form"),
        ("close_on_absence_text", "true"),
        ("max_closed_fraction_percent", "50"),
        ("validity_type_unknown", "datetime"),
        ("prior_relation_of_four_parts", "a.b.c.d"),
        ("on_schema_change_of_incremental", "sync_all_columns"),
    ],
)
def test_the_message_shows_the_value_that_came(name: str, shown: str, messages: dict[str, str]) -> None:
    assert shown in _only(messages, f"option_{name}", "invalid_option")


def test_an_unquoted_token_in_yaml_is_a_mapping_and_the_message_says_to_quote_it(messages: dict[str, str]) -> None:
    text = _only(messages, "option_effective_date_mapping", "invalid_option")
    for word in ("mapping", "quote", "snapshot_date"):
        assert word in text, text


@pytest.mark.parametrize("name", COMBINATIONS)
def test_options_that_exclude_each_other_or_need_another_are_refused(name: str, messages: dict[str, str]) -> None:
    text = _only(messages, f"combined_{name}", "invalid_option")
    assert [word for word in COMBINATIONS[name][0] if word not in text] == [], text


@pytest.mark.parametrize("name", ROLES)
def test_a_column_with_two_roles_is_refused(name: str, messages: dict[str, str]) -> None:
    column = ROLES[name][0]
    assert re.search(rf"(?i)\b{column}\b", _only(messages, f"roles_{name}", "overlapping_roles"))


@pytest.mark.parametrize("name", BAD, ids=lambda name: f"{name}: {list(BAD[name][1].values())[-1]!a}")
def test_a_date_that_is_not_a_real_one_in_its_format_is_refused(name: str, messages: dict[str, str]) -> None:
    option, options = BAD[name]
    text = _only(messages, name, "invalid_date")
    assert option in text
    assert options[option].strip() in text
    assert "YYYY-MM-DD" in text
