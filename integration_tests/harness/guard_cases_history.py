"""Cases for the guards on the target, on the prior, and on what a run would do to the history."""

from __future__ import annotations

from datetime import date

from guards import AFTER, APR, FIRST, JAN, MAX, UNSET, Case, Rows

LEGACY = {"prior_relation": "main.{table}_legacy"}
WITH_LEGACY_OF_2025 = """
    create table {table}_legacy as
    select
        customer_id,
        region,
        segment,
        date '2025-01-01' as valid_from,
        date '9999-12-31' as valid_to,
        true as is_current
    from (values ('C1', 'West', 'SMB'), ('C2', 'East', 'Enterprise')) as t (customer_id, region, segment)
"""
WITH_CORRUPT_LEGACY = """
    create table {table}_legacy as
    select
        customer_id,
        region,
        segment,
        date '2026-01-01' as valid_from,
        date '9999-12-31' as valid_to,
        true as is_current
    from (values ('C1', 'West', 'SMB'), ('C1', 'North', 'SMB'), ('C2', 'East', 'Enterprise'))
        as t (customer_id, region, segment)
"""

TARGETS = [
    Case(
        "target_is_a_view",
        "target_not_table",
        ("view", "{table}"),
        setup="alter table {table} rename to {table}_kept; create view {table} as select * from {table}_kept",
        repair="drop view {table}; alter table {table}_kept rename to {table}",
        after_first=None,
    ),
    Case(
        "target_is_a_view_at_once",
        "target_not_table",
        ("view", "{table}"),
        setup="create view {table} as select 1 as customer_id",
        repair="drop view {table}",
        after=None,
    ),
]

PRIORS = [
    Case(
        "prior_missing",
        "prior_not_found",
        ("{table}_legacy", "prior_relation"),
        bad_options=LEGACY,
    ),
    Case(
        "prior_schema_missing",
        "prior_not_found",
        (r"no_such_schema\W+{table}_legacy", "prior_relation"),
        bad_options={"prior_relation": "no_such_schema.{table}_legacy"},
    ),
    Case(
        "prior_without_intervals",
        "prior_not_scd2",
        ("{table}_legacy", "valid_from", "valid_to"),
        setup="create table {table}_legacy as select 'C1' as customer_id, 'West' as region, 'SMB' as segment",
        bad_options=LEGACY,
    ),
    Case(
        "own_table_without_valid_to",
        "prior_not_scd2",
        ("valid_to",),
        silent_on=("valid_from",),
        setup="alter table {table} drop column valid_to",
        repair="alter table {table} add column valid_to date default date '9999-12-31'",
        after=[(*row[:4], row[5], row[4]) for row in AFTER],
        after_first=None,
    ),
    Case(
        "own_table_without_flag",
        "prior_not_scd2",
        ("is_current",),
        silent_on=("valid_from",),
        setup="alter table {table} drop column is_current",
        repair="alter table {table} add column is_current boolean default true",
        after_first=None,
    ),
    Case(
        "own_table_without_key",
        "prior_not_scd2",
        ("customer_id",),
        silent_on=("valid_from",),
        setup="alter table {table} rename column customer_id to customer",
        repair="alter table {table} rename column customer to customer_id",
        after_first=None,
    ),
    Case(
        "own_table_with_intervals_as_text",
        "prior_not_scd2",
        ("valid_from", "VARCHAR"),
        silent_on=("valid_to",),
        setup="alter table {table} alter column valid_from type varchar",
        repair="alter table {table} alter column valid_from type date using cast(valid_from as date)",
        after_first=None,
    ),
    Case(
        "interval_columns_renamed_between_runs",
        "prior_not_scd2",
        ("dim_end",),
        bad_options={"scd2_column_names": {"valid_to": "dim_end"}},
        after_first=None,
    ),
    Case(
        "max_date_changed",
        "prior_max_date_mismatch",
        (r"9999-12-31\D*2\b", "2999-12-31", "max_date"),
        bad_options={"max_date": "2999-12-31"},
        after_first=None,
    ),
    Case(
        "one_open_version_with_another_max_date",
        "prior_max_date_mismatch",
        (r"2999-12-31\D*1\b", "max_date"),
        setup="update {table} set valid_to = '2999-12-31' where customer_id = 'C2'",
        repair="update {table} set valid_to = '9999-12-31'",
        after_first=None,
    ),
    Case(
        "open_version_without_valid_to",
        "prior_max_date_mismatch",
        (r"(?i)null\D*1\b", "max_date"),
        setup="update {table} set valid_to = null where customer_id = 'C2'",
        repair="update {table} set valid_to = '9999-12-31'",
        after_first=None,
    ),
]

CORRUPT_PRIORS = [
    Case(
        "two_open_versions",
        "prior_corrupt",
        (r"\bC1\D*2\b",),
        silent_on=("C2",),
        setup="insert into {table} values ('C1', 'North', 'SMB', '2026-02-01', '9999-12-31', true)",
        repair="delete from {table} where region = 'North'",
        after_first=None,
    ),
    Case(
        "null_key_in_prior",
        "prior_corrupt",
        ("(?i)null", r"\b1\b"),
        setup="insert into {table} values (null, 'North', 'SMB', '2025-01-01', '2025-02-01', false)",
        repair="delete from {table} where customer_id is null",
        after_first=None,
    ),
    Case(
        "null_flag_in_prior",
        "prior_corrupt",
        ("flag|is_current", r"\bC2\b"),
        silent_on=("C1",),
        setup="update {table} set is_current = null where customer_id = 'C2'",
        repair="update {table} set is_current = true",
        after_first=None,
    ),
    Case(
        "flag_of_seven_in_prior",
        "prior_corrupt",
        ("flag|is_current", r"\bC2\b"),
        silent_on=("C1",),
        options={"current_flag_type": "integer"},
        setup="update {table} set is_current = 7 where customer_id = 'C2'",
        repair="update {table} set is_current = 1",
        after=[(*row[:5], int(row[5])) for row in AFTER],
        after_first=None,
    ),
    Case(
        "closed_at_max_date",
        "prior_corrupt",
        (r"\bC2\b", "max_date|9999-12-31"),
        silent_on=("C1",),
        setup="update {table} set is_current = false where customer_id = 'C2'",
        repair="update {table} set is_current = true",
        after_first=None,
    ),
    Case(
        "null_valid_from_in_prior",
        "prior_corrupt",
        ("valid_from", r"\bC2\b"),
        silent_on=("C1",),
        setup="update {table} set valid_from = null where customer_id = 'C2'",
        repair="update {table} set valid_from = '2026-01-01' where customer_id = 'C2'",
        after_first=None,
    ),
    Case(
        "corrupt_legacy",
        "prior_corrupt",
        (r"\bC1\D*2\b", "{table}_legacy"),
        silent_on=("C2",),
        setup=WITH_CORRUPT_LEGACY,
        bad_options=LEGACY,
        repair="delete from {table}_legacy where region = 'North'",
        good_options=LEGACY,
        after_first=AFTER,
    ),
    Case(
        "legacy_older_than_own_valid_from",
        "prior_would_discard",
        ("{table}_legacy", "2026-01-01", "prior_relation"),
        setup=WITH_LEGACY_OF_2025,
        bad_options=LEGACY,
        repair="update {table}_legacy set valid_from = '2026-01-01'",
        good_options=LEGACY,
        after_first=None,
    ),
    Case(
        "legacy_older_than_own_valid_to",
        "prior_would_discard",
        ("{table}_legacy", "2026-02-01", "prior_relation"),
        setup=f"""
            {WITH_LEGACY_OF_2025};
            update {{table}} set valid_from = '2024-01-01';
            update {{table}} set valid_to = '2026-02-01', is_current = false where customer_id = 'C2'
        """,
        bad_options=LEGACY,
        repair="update {table}_legacy set valid_to = '2026-02-01', is_current = false where customer_id = 'C2'",
        good_options=LEGACY,
        after=[
            ("C1", "Central", "SMB", APR, MAX, True),
            ("C1", "West", "SMB", date(2025, 1, 1), APR, False),
            ("C2", "East", "Enterprise", date(2025, 1, 1), date(2026, 2, 1), False),
            ("C2", "East", "Enterprise", APR, MAX, True),
        ],
        after_first=None,
    ),
]

OUT_OF_ORDER = [
    Case(
        "changed_before_its_valid_from",
        "out_of_order",
        (r"\bC1\b", "2025-12-31", "2026-01-01"),
        silent_on=("C2",),
        bad_options={"effective_date": "2025-12-31"},
        after_first=None,
    ),
    Case(
        "absent_before_its_valid_from",
        "out_of_order",
        (r"\bC2\b", "2025-12-31"),
        silent_on=("C1",),
        options={"close_on_absence": True},
        bad_options={"effective_date": "2025-12-31"},
        bad_rows=[FIRST[0]],
        after_first=None,
    ),
    Case(
        "returned_before_its_last_valid_to",
        "out_of_order",
        (r"\bC2\b", "2026-04-01", "2026-06-01"),
        silent_on=("C1",),
        setup="update {table} set valid_to = '2026-06-01', is_current = false where customer_id = 'C2'",
        repair="update {table} set valid_to = '2026-04-01' where customer_id = 'C2'",
        after=[
            *AFTER[:2],
            ("C2", "East", "Enterprise", JAN, APR, False),
            ("C2", "East", "Enterprise", APR, MAX, True),
        ],
        after_first=None,
    ),
    Case(
        "composite_key_out_of_order",
        "out_of_order",
        (r"\(C1, SMB\)",),
        silent_on=("C2",),
        options={"unique_key": ["customer_id", "segment"]},
        bad_options={"effective_date": "2025-12-31"},
        after_first=None,
    ),
]

FOUR: Rows = [("C1", "West", "SMB"), ("C2", "East", "SMB"), ("C3", "West", "SMB"), ("C4", "East", "SMB")]
FOUR_AFTER: Rows = [(*row, JAN, MAX, True) for row in FOUR]
ABSENCE = {"close_on_absence": True}
CONSUMED = {**ABSENCE, "effective_date": UNSET, "effective_date_column": "valid_from"}

ABSENCES = [
    Case(
        "source_without_rows",
        "empty_source",
        ("allow_empty_source", r"\b2\b"),
        options=ABSENCE,
        bad_rows=[],
        after_first=None,
    ),
    Case(
        "source_without_rows_and_date",
        "empty_source",
        ("effective_date_column", r"\b2\b"),
        options={**CONSUMED, "allow_empty_source": True},
        columns="customer_id varchar, region varchar, segment varchar, valid_from date",
        first_rows=[(*row, JAN) for row in FIRST],
        bad_rows=[],
        good_rows=[("C1", "Central", "SMB", APR), ("C2", "East", "Enterprise", APR)],
        after_first=None,
    ),
    Case(
        "three_of_four_closed",
        "too_many_closed",
        (r"\b3\b", r"\b4\b", r"\b0\.5\b", "max_closed_fraction"),
        options={**ABSENCE, "max_closed_fraction": 0.5},
        first_rows=FOUR,
        bad_rows=FOUR[:1],
        good_rows=FOUR,
        after=FOUR_AFTER,
        after_first=None,
    ),
    Case(
        "three_of_four_removed",
        "too_many_closed",
        (r"\b3\b", r"\b4\b", r"\b0\.5\b", "max_closed_fraction"),
        options={**ABSENCE, "max_closed_fraction": 0.5},
        first_rows=FOUR,
        bad_rows=FOUR[:1],
        bad_options={"effective_date": "2026-01-01"},
        good_rows=FOUR,
        after=FOUR_AFTER,
        after_first=None,
    ),
    Case(
        "closed_and_removed_together",
        "too_many_closed",
        (r"\b3\b", r"\b4\b", r"\b0\.5\b", "max_closed_fraction"),
        options={**ABSENCE, "max_closed_fraction": 0.5},
        first_rows=FOUR,
        bad_rows=FOUR[:1],
        setup="update {table} set valid_from = '2026-04-01' where customer_id = 'C2'",
        good_rows=FOUR,
        after=[(*row, APR if row[0] == "C2" else JAN, MAX, True) for row in FOUR],
        after_first=None,
    ),
    Case(
        "one_closed_when_none_may_be",
        "too_many_closed",
        (r"\b1\b", r"\b4\b", "max_closed_fraction"),
        options={**ABSENCE, "max_closed_fraction": 0},
        first_rows=FOUR,
        bad_rows=FOUR[:3],
        good_rows=FOUR,
        after=FOUR_AFTER,
        after_first=None,
    ),
    Case(
        "all_closed_by_an_allowed_empty_source",
        "too_many_closed",
        (r"\b4\b", r"\b0\.9\b", "max_closed_fraction"),
        options={**ABSENCE, "allow_empty_source": True, "max_closed_fraction": 0.9},
        first_rows=FOUR,
        bad_rows=[],
        good_rows=FOUR,
        after=FOUR_AFTER,
        after_first=None,
    ),
]

CASES = [*TARGETS, *PRIORS, *CORRUPT_PRIORS, *OUT_OF_ORDER, *ABSENCES]
