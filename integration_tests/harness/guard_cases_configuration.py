"""Cases for the guards on a model's configuration."""

from __future__ import annotations

from dataclasses import replace

from guards import APR, JAN, MAX, UNSET, Case

# Raised from the options alone, before anything is looked at; test_invalid_options has many more of them on first runs.
FROM_OPTIONS = [
    Case("no_unique_key", "missing_unique_key", ("unique_key",), bad_options={"unique_key": UNSET}),
    Case("empty_unique_key", "missing_unique_key", ("unique_key",), bad_options={"unique_key": []}),
    Case("no_tracked", "missing_tracked_columns", ("tracked_columns",), bad_options={"tracked_columns": UNSET}),
    Case("empty_tracked", "missing_tracked_columns", ("tracked_columns",), bad_options={"tracked_columns": []}),
    Case(
        "key_is_tracked",
        "overlapping_roles",
        ("customer_id", "unique_key", "tracked_columns"),
        silent_on=("region",),
        bad_options={"tracked_columns": ["region", "customer_id"]},
    ),
    Case(
        "tracked_twice",
        "overlapping_roles",
        ("region", "tracked_columns"),
        silent_on=("segment",),
        bad_options={"tracked_columns": ["region", "segment", "region"]},
    ),
    Case(
        "both_dates",
        "effective_date_choice",
        (r"effective_date\b", "effective_date_column"),
        bad_options={"effective_date_column": "segment"},
    ),
    Case(
        "no_date",
        "effective_date_choice",
        (r"effective_date\b", "effective_date_column"),
        bad_options={"effective_date": UNSET},
    ),
    Case(
        "impossible_date",
        "invalid_date",
        ("2026-02-30", "effective_date", "YYYY-MM-DD"),
        bad_options={"effective_date": "2026-02-30"},
    ),
    Case(
        "impossible_max_date",
        "invalid_date",
        ("2999-02-29", "max_date", "YYYY-MM-DD"),
        silent_on=("effective_date",),
        bad_options={"max_date": "2999-02-29"},
    ),
    Case(
        "date_is_max_date",
        "effective_date_not_before_max_date",
        ("9999-12-31", "max_date"),
        bad_options={"effective_date": "9999-12-31"},
    ),
    Case(
        "date_after_max_date",
        "effective_date_not_before_max_date",
        ("2026-04-01", "2026-03-31", "max_date"),
        bad_options={"max_date": "2026-03-31"},
    ),
    Case(
        "text_before_digits",
        "invalid_date",
        ("on 2026-04-01", "effective_date", "YYYY-MM-DD"),
        bad_options={"effective_date": "on 2026-04-01"},
    ),
    Case(
        "option_outside_its_choices",
        "invalid_option",
        ("on_schema_change", "sync_all_columns", "append_new_columns", "fail", "ignore"),
        bad_options={"on_schema_change": "sync_all_columns"},
    ),
    Case(
        "option_of_a_wrong_type",
        "invalid_option",
        ("close_on_absence", "yes", "true", "false"),
        bad_options={"close_on_absence": "yes"},
    ),
    Case(
        "merge_from_another_prior",
        "invalid_option",
        ("scd2_strategy", "merge", "prior_relation"),
        bad_options={"scd2_strategy": "merge", "prior_relation": "main.{table}_legacy"},
    ),
    Case(
        "version_key_like_the_hash",
        "invalid_option",
        ("version_key_column", "tracked_hash_column"),
        bad_options={"version_key_column": "scd_id", "tracked_hash_column": "SCD_ID"},
    ),
    Case(
        "type_0_and_type_1",
        "overlapping_roles",
        ("segment", "type0_columns", "type1_columns"),
        silent_on=("region",),
        bad_options={"type0_columns": ["segment"], "type1_columns": ["segment"]},
    ),
    Case(
        "impossible_initial_date",
        "invalid_date",
        ("2025-02-29", "initial_valid_from", "YYYY-MM-DD"),
        silent_on=("effective_date",),
        bad_options={"initial_valid_from": "2025-02-29"},
    ),
    Case(
        "config_against_meta",
        "conflicting_config",
        ("tracked_columns", "meta", "region", "segment"),
        bad_options={"meta": {"tracked_columns": ["segment"]}},
    ),
    Case(
        "unknown_token",
        "undefined_token",
        (r"\{no_such_var\}", r"var\(|vars"),
        bad_options={"effective_date": "{no_such_var}"},
    ),
]

FROM_COLUMNS = [
    Case(
        "tracked_twice_in_two_cases",
        "overlapping_roles",
        ("(?i)region",),
        bad_options={"tracked_columns": ["region", "REGION"]},
    ),
    Case(
        "reserved_in_another_case",
        "reserved_column",
        ("Valid_From", "scd2_column_names"),
        bad_columns='customer_id varchar, region varchar, "Valid_From" varchar',
    ),
    Case(
        "reserved_after_renaming",
        "reserved_column",
        ("(?i)segment", "scd2_column_names"),
        bad_options={"scd2_column_names": {"is_current": "SEGMENT"}},
        # The recorded table has no flag of that name either.
        also=("prior_not_scd2", "prior_corrupt"),
    ),
    Case(
        "reserved_by_the_version_key",
        "reserved_column",
        ("(?i)segment", "version_key_column"),
        bad_options={"version_key_column": "SEGMENT"},
    ),
    Case(
        "type_0_misspelt",
        "unknown_column",
        ("segmnt", "segment", "type0_columns"),
        bad_options={"type0_columns": ["segmnt"]},
    ),
    Case(
        "new_column_under_fail",
        "schema_changed",
        ("country", "on_schema_change"),
        silent_on=("region", "segment"),
        options={"on_schema_change": "fail"},
        bad_columns="customer_id varchar, region varchar, segment varchar, country varchar",
        bad_rows=[("C1", "Central", "SMB", "NL")],
        after_first=None,
    ),
    Case(
        "carried_column_left_under_fail",
        "schema_changed",
        ("segment", "on_schema_change"),
        silent_on=("region",),
        options={"on_schema_change": "fail"},
        bad_columns="customer_id varchar, region varchar",
        bad_rows=[("C1", "Central")],
        after_first=None,
    ),
    Case(
        "type_under_fail",
        "schema_changed",
        ("segment", "VARCHAR", "INTEGER", "on_schema_change"),
        silent_on=("region",),
        also=("type_changed",),
        options={"on_schema_change": "fail"},
        bad_columns="customer_id varchar, region varchar, segment integer",
        bad_rows=[("C1", "Central", 1)],
        after_first=None,
    ),
    Case(
        "tracked_type_without_a_common_one",
        "type_changed",
        ("rating", "INTEGER", "VARCHAR"),
        silent_on=("region",),
        columns="customer_id varchar, region varchar, rating integer",
        options={"tracked_columns": ["region", "rating"]},
        first_rows=[("C1", "West", 1), ("C2", "East", 2)],
        bad_columns="customer_id varchar, region varchar, rating varchar",
        bad_rows=[("C1", "West", "A+"), ("C2", "East", "2")],
        good_rows=[("C1", "West", 3), ("C2", "East", 2)],
        after=[
            ("C1", "West", 1, JAN, APR, False),
            ("C1", "West", 3, APR, MAX, True),
            ("C2", "East", 2, JAN, MAX, True),
        ],
        after_first=None,
    ),
    Case(
        "key_type_of_another_family",
        "type_changed",
        ("customer_id", "INTEGER", "VARCHAR"),
        silent_on=("region",),
        columns="customer_id integer, region varchar, segment varchar",
        first_rows=[(1, "West", "SMB"), (2, "East", "Enterprise")],
        bad_columns="customer_id varchar, region varchar, segment varchar",
        bad_rows=[("01", "Central", "SMB"), ("2", "East", "Enterprise")],
        good_rows=[(1, "Central", "SMB"), (2, "East", "Enterprise")],
        after=[
            (1, "Central", "SMB", APR, MAX, True),
            (1, "West", "SMB", JAN, APR, False),
            (2, "East", "Enterprise", JAN, MAX, True),
        ],
        after_first=None,
    ),
]

CASES = [*(replace(case, after_first=None) for case in FROM_OPTIONS[1:]), FROM_OPTIONS[0], *FROM_COLUMNS]
