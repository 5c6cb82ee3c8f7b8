"""Cases for the guards on the source: its columns, its keys, its effective-date column."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from guards import APR, FIRST, JAN, MAX, UNSET, Case, Rows

TWO_KEYS = {"unique_key": ["country", "customer_id"]}
TWO_KEYS_COLUMNS = "country varchar, customer_id varchar, region varchar"
TWO_KEYS_FIRST: Rows = [("NL", "1", "West"), ("BE", "1", "East")]
TWO_KEYS_GOOD: Rows = [("NL", "1", "Central"), ("BE", "1", "East")]
TWO_KEYS_AFTER: Rows = [
    ("BE", "1", "East", JAN, MAX, True),
    ("NL", "1", "Central", APR, MAX, True),
    ("NL", "1", "West", JAN, APR, False),
]
TWO_KEYS_AFTER_FIRST: Rows = [("BE", "1", "East", APR, MAX, True), ("NL", "1", "Central", APR, MAX, True)]

UNKNOWN_COLUMNS = [
    Case(
        "key_misspelt",
        "unknown_column",
        ("custmer_id", "customer_id", "region", "segment"),
        bad_options={"unique_key": "custmer_id"},
        # The recorded table has no such key column either.
        also=("prior_not_scd2",),
    ),
    Case(
        "tracked_misspelt",
        "unknown_column",
        ("regoin", "region", "customer_id", "segment"),
        bad_options={"tracked_columns": ["regoin"]},
    ),
    Case(
        "date_column_misspelt",
        "unknown_column",
        ("segmnt", "segment", "customer_id", "region"),
        bad_options={"effective_date": UNSET, "effective_date_column": "segmnt"},
    ),
    Case(
        "carried_misspelt",
        "unknown_column",
        ("segmet", "segment"),
        bad_options={"carried_columns": ["segmet"]},
    ),
    Case(
        "tracked_left",
        "unknown_column",
        ("region", "customer_id", "segment"),
        bad_columns="customer_id varchar, segment varchar",
        bad_rows=[("C1", "SMB")],
    ),
    Case(
        "recorded_left_under_all",
        "unknown_column",
        ("segment", "carried_columns"),
        options={"tracked_columns": "all"},
        bad_columns="customer_id varchar, region varchar",
        bad_rows=[("C1", "Central")],
        after_first=None,
    ),
]

KEYS = [
    Case(
        "null_key",
        "null_key",
        ("customer_id|unique_key", r"\b2\b"),
        bad_rows=[(None, "West", "SMB"), (None, "East", "SMB"), ("C1", "West", "SMB")],
    ),
    Case(
        "null_in_one_part",
        "null_key",
        (r"\(null, 1\)\D*2\b", r"\(FR, null\)\D*1\b"),
        silent_on=("NL", "BE"),
        options=TWO_KEYS,
        columns=TWO_KEYS_COLUMNS,
        first_rows=TWO_KEYS_FIRST,
        bad_rows=[*TWO_KEYS_GOOD, ("FR", None, "West"), (None, "1", "West"), (None, "1", "East")],
        also=("duplicate_key",),
        good_rows=TWO_KEYS_GOOD,
        after=TWO_KEYS_AFTER,
        after_first=TWO_KEYS_AFTER_FIRST,
    ),
    Case(
        "duplicate_key",
        "duplicate_key",
        (r"\bC2\D*3\b", "unique_key"),
        silent_on=("C1",),
        bad_rows=[*FIRST, ("C2", "East", "Enterprise"), ("C2", "West", "SMB")],
    ),
    Case(
        "duplicate_of_equal_rows",
        "duplicate_key",
        (r"\bC1\D*2\b",),
        silent_on=("C2",),
        bad_rows=[*FIRST, FIRST[0]],
    ),
    Case(
        "duplicate_composite_key",
        "duplicate_key",
        (r"\(NL, 1\)\D*2\b",),
        silent_on=("BE",),
        options=TWO_KEYS,
        columns=TWO_KEYS_COLUMNS,
        first_rows=TWO_KEYS_FIRST,
        bad_rows=[*TWO_KEYS_GOOD, ("NL", "1", "West"), ("NL", "2", "West"), ("BE", "2", "West")],
        good_rows=TWO_KEYS_GOOD,
        after=TWO_KEYS_AFTER,
        after_first=TWO_KEYS_AFTER_FIRST,
    ),
    Case(
        "duplicates_that_look_like_something_else",
        "duplicate_key",
        (r"\b007\D*2\b", r"O'Brien\D*2\b", r"\{\{ x \}\}\D*2\b", r'a"b\D*2\b', r"%s\D*2\b"),
        silent_on=("C1",),
        bad_rows=[(key, "West", "SMB") for key in ["007", "O'Brien", "{{ x }}", 'a"b', "%s"] * 2] + [FIRST[0]],
    ),
    Case(
        "duplicate_and_null_key",
        "duplicate_key",
        (r"\bC1\D*2\b",),
        also=("null_key",),
        bad_rows=[*FIRST, FIRST[0], (None, "West", "SMB")],
    ),
]

# The effective-date column is named like an interval column: it is consumed, so that its type is not recorded.
DATE_COLUMN = {"effective_date": UNSET, "effective_date_column": "valid_from"}
TIMESTAMP_COLUMN = {**DATE_COLUMN, "validity_type": "timestamp"}
BY_COLUMN = "customer_id varchar, region varchar, segment varchar, valid_from "
NOON, LATER, LAST = datetime(2026, 1, 1, 12), datetime(2026, 4, 1, 12), datetime(9999, 12, 31)
TIMESTAMP_AFTER: Rows = [
    ("C1", "Central", "SMB", LATER, LAST, True),
    ("C1", "West", "SMB", NOON, LATER, False),
    ("C2", "East", "Enterprise", NOON, LAST, True),
]
TIMESTAMP_AFTER_FIRST: Rows = [
    ("C1", "Central", "SMB", LATER, LAST, True),
    ("C2", "East", "Enterprise", LATER, LAST, True),
]


def _dated(name: str, slug: str, says: tuple[str, ...], bad_type: str, c1: object, c2: object) -> Case:
    """Under `date`, with a date in the good runs, and c1 and c2 as the dates of the refused run's two rows."""
    return Case(
        name,
        slug,
        says,
        options=DATE_COLUMN,
        columns=BY_COLUMN + "date",
        first_rows=[("C1", "West", "SMB", JAN), ("C2", "East", "Enterprise", JAN)],
        bad_columns=BY_COLUMN + bad_type,
        bad_rows=[("C1", "Central", "SMB", c1), ("C2", "East", "Enterprise", c2)],
        good_rows=[("C1", "Central", "SMB", APR), ("C2", "East", "Enterprise", APR)],
    )


def _timed(name: str, slug: str, says: tuple[str, ...], bad_type: str, c1: object, c2: object) -> Case:
    """The same under `timestamp`."""
    return Case(
        name,
        slug,
        says,
        options=TIMESTAMP_COLUMN,
        columns=BY_COLUMN + "timestamp",
        first_rows=[("C1", "West", "SMB", NOON), ("C2", "East", "Enterprise", NOON)],
        bad_columns=BY_COLUMN + bad_type,
        bad_rows=[("C1", "Central", "SMB", c1), ("C2", "East", "Enterprise", c2)],
        good_rows=[("C1", "Central", "SMB", LATER), ("C2", "East", "Enterprise", LATER)],
        after=TIMESTAMP_AFTER,
        after_first=TIMESTAMP_AFTER_FIRST,
    )


ONE_NULL = ("valid_from", r"\b1\b")
NOT_UNIFORM = ("2026-04-01", "2026-04-02", "valid_from", "input_kind")
SHORT_MAX = {"max_date": "2026-05-01"}

EFFECTIVE_DATES = [
    _dated("date_null_once", "effective_date_null", ONE_NULL, "date", None, APR),
    _dated("date_null_everywhere", "effective_date_null", ("valid_from", r"\b2\b"), "date", None, None),
    _dated("date_not_uniform", "effective_date_not_uniform", NOT_UNIFORM, "date", "2026-04-01", "2026-04-02"),
    _timed(
        "timestamp_not_uniform",
        "effective_date_not_uniform",
        ("2026-04-01 12:00:00", "input_kind"),
        "timestamp",
        "2026-04-01 12:00:00",
        "2026-04-01 12:00:00.000001",
    ),
    _dated("date_as_text", "effective_date_type", ("valid_from", "VARCHAR"), "varchar", "2026-04-01", "2026-04-01"),
    _dated("date_as_integer", "effective_date_type", ("valid_from", "INTEGER"), "integer", 20260401, 20260401),
    _dated("date_infinite", "effective_date_type", ("valid_from", "infinity"), "date", "infinity", "infinity"),
    _dated("date_minus_infinite", "effective_date_type", ("-infinity",), "date", "-infinity", "-infinity"),
    _dated(
        "time_part",
        "effective_date_type",
        ("2026-04-01 12:00:00", "without a time|validity_type"),
        "timestamp",
        LATER,
        LATER,
    ),
    _dated(
        "one_microsecond_of_a_time_part",
        "effective_date_type",
        ("2026-04-01 00:00:00.000001",),
        "timestamp",
        "2026-04-01 00:00:00.000001",
        "2026-04-01 00:00:00.000001",
    ),
    _dated(
        "zone_under_date",
        "effective_date_type",
        ("valid_from", "TIMESTAMP WITH TIME ZONE"),
        "timestamptz",
        "2026-04-01 00:00:00+00",
        "2026-04-01 00:00:00+00",
    ),
    _timed("timestamp_as_text", "effective_date_type", ("valid_from", "VARCHAR"), "varchar", str(LATER), str(LATER)),
    _timed("timestamp_infinite", "effective_date_type", ("infinity",), "timestamp", "infinity", "infinity"),
    replace(
        _timed(
            "nanoseconds",
            "effective_date_type",
            ("valid_from", "2026-04-01 12:00:00.123456789"),
            "timestamp_ns",
            "2026-04-01 12:00:00.123456789",
            "2026-04-01 12:00:00.123456789",
        ),
        needs="duckdb",
    ),
    Case(
        "date_column_reaches_max_date",
        "effective_date_not_before_max_date",
        ("2026-05-01", "max_date"),
        options={**DATE_COLUMN, **SHORT_MAX},
        columns=BY_COLUMN + "date",
        first_rows=[("C1", "West", "SMB", JAN)],
        bad_rows=[("C1", "Central", "SMB", "2026-05-01")],
        good_rows=[("C1", "Central", "SMB", "2026-04-30")],
        after=[
            ("C1", "Central", "SMB", date(2026, 4, 30), date(2026, 5, 1), True),
            ("C1", "West", "SMB", JAN, date(2026, 4, 30), False),
        ],
        after_first=[("C1", "Central", "SMB", date(2026, 4, 30), date(2026, 5, 1), True)],
    ),
]

ON_FIRST_RUNS_TOO = {
    "date_null_once",
    "date_not_uniform",
    "date_as_text",
    "nanoseconds",
    "date_column_reaches_max_date",
}
CASES = [
    *UNKNOWN_COLUMNS,
    *KEYS,
    *(case if case.name in ON_FIRST_RUNS_TOO else replace(case, after_first=None) for case in EFFECTIVE_DATES),
]
