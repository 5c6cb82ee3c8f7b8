"""`as_of_join` and `as_of`: which version each fact finds, what a query may be made of, and what is refused.

All queries of the file are models of one project that is compiled once, and asked in a session whose time zone is far
from UTC. The property test asks some of them with random histories and facts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb
import pytest
from engines import ENGINE, Session, in_another_case, local
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project, Run

EXAMPLES = int(os.environ.get("SCD2_EXAMPLES", "0"))
FIXED_EXAMPLES = 40

Row = tuple[Any, ...]
Answer = tuple[list[str], list[Row]]

POLICIES = ("null", "drop", "first")
JAN, FEB, MAR = date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)
MAX = date(2999, 12, 31)
DAY = timedelta(days=1)

# C1 was absent in February, C2 is closed. The null key is one that no sound history has.
VERSIONS: list[Row] = [
    ("C1", "West", "SMB", JAN, FEB, False),
    ("C1", "Central", None, MAR, MAX, True),
    ("C2", "East", "Enterprise", FEB, MAR, False),
    (None, "Nowhere", "SMB", JAN, MAX, True),
]
WEST, CENTRAL, EAST, NOWHERE = VERSIONS
# A fact, the region that it finds, and the one that it finds with unmatched='first'.
STORY: list[tuple[Row, str | None, str | None]] = [
    ((1, "C1", JAN - DAY), None, "West"),
    ((2, "C1", JAN), "West", "West"),
    ((3, "C1", FEB - DAY), "West", "West"),
    ((4, "C1", FEB), None, None),
    ((5, "C1", MAR - DAY), None, None),
    ((6, "C1", MAR), "Central", "Central"),
    ((7, "C1", MAX - DAY), "Central", "Central"),
    ((8, "C1", MAX), None, None),
    ((9, "C1", MAX + DAY), None, None),
    ((10, "C2", date(1, 1, 1)), None, "East"),
    ((11, "C2", MAR), None, None),
    ((12, "C3", JAN), None, None),
    ((13, None, JAN), None, None),
    ((14, "C1", None), None, None),
    ((15, "C1", JAN), "West", "West"),
    ((15, "C1", JAN), "West", "West"),
    ((16, None, None), None, None),
]
SEGMENTS = {"West": "SMB", "Central": None, "East": "Enterprise", None: None}
ALL_FACTS = [fact for fact, _, _ in STORY]
FOUND: dict[str, list[Row]] = {
    "null": [(*fact, region) for fact, region, _ in STORY],
    "drop": [(*fact, region) for fact, region, _ in STORY if region],
    "first": [(*fact, region) for fact, _, region in STORY],
}
FACTS = "order_id integer, customer_id varchar, ordered_on date"
HISTORY = "customer_id varchar, region varchar, segment varchar, valid_from date, valid_to date, is_current boolean"

ODD_FACTS = '"Order No" integer, "Customer No" varchar, "a""b" integer, "select" date, version_number varchar'
ODD_HISTORY = (
    '"customer no" varchar, "C""D" integer, "Group" varchar, "Dim Start" timestamp, "dimEnd" timestamp, flag int'
)
ODD_VERSIONS = [
    ("C1", 7, "gold", datetime(2026, 1, 1, 12), datetime(2026, 2, 1, 12), 0),
    ("C1", 7, "iron", datetime(2026, 2, 1, 12), datetime(2999, 12, 31), 1),
    ("C1", 8, "lead", datetime(2026, 1, 1, 12), datetime(2999, 12, 31), 1),
]
# A date is its midnight, half a day before the boundary of that day.
ODD_STORY: list[tuple[Row, str | None, str | None]] = [
    ((1, "C1", 7, JAN, "mine"), None, "gold"),
    ((2, "C1", 7, FEB, "mine"), "gold", "gold"),
    ((3, "C1", 7, FEB + DAY, "mine"), "iron", "iron"),
    ((4, "C1", 8, FEB, "mine"), "lead", "lead"),
    ((5, "C1", None, FEB, "mine"), None, None),
    ((6, None, 7, FEB, "mine"), None, None),
]
ODD_ON = """{'customer no': 'CUSTOMER NO', 'a"b': 'c"d'}, 'select'"""
ODD_EXACTLY = """{'Customer No': 'customer no', 'a"b': 'C"D'}, 'select'"""
ODD_NAMES_EXACTLY = "column_names={'valid_from': 'Dim Start', 'valid_to': 'dimEnd', 'is_current': 'flag'}"
ODD_NAMES = "column_names={'valid_from': 'dim start', 'valid_to': 'dimEnd', 'is_current': 'FLAG'}"

# Columns named like the aliases in the query, with fields named like the columns that it means.
STRUCTS = """
    select
        'C1' as customer_id,
        {'customer_id': 'C2', 'ordered_on': date '2026-02-15'} as facts,
        {'customer_id': 'C2', 'region': 'wrong', 'valid_from': date '2026-02-01'} as versions
"""
FACTS_FIELDS = {"customer_id": "C2", "ordered_on": date(2026, 2, 15)}
VERSIONS_FIELDS = {"customer_id": "C2", "region": "wrong", "valid_from": FEB}

# The next day in Tokyo.
ZONED_ORDERS = "select 1 as order_id, 'C1' as customer_id, timestamptz '2026-01-31 23:30:00+00' as ordered_on"
# The last nanosecond before a boundary.
FINEST_ORDERS = "select 1 as order_id, 'C1' as customer_id, timestamp_ns '2026-01-31 23:59:59.999999999' as ordered_on"
ZONED_CUSTOMERS = """
    select
        customer_id,
        region,
        segment,
        timezone('UTC', cast(valid_from as timestamp)) as valid_from,
        timezone('UTC', cast(valid_to as timestamp)) as valid_to,
        is_current
    from main.raw_customers
"""
# Types that DuckDB alone has, of those that are tested, and quoted names that it finds in any case.
ONLY_ON_DUCKDB = ("struct", "finest", "a_finer_date", "odd_names_of_ctes_that", "names_of_ctes_in")


def runs_here(name: str) -> bool:
    """Whether the engine has the types of an input or a case."""
    return ENGINE == "duckdb" or not name.startswith(ONLY_ON_DUCKDB)


TYPES = ("date", "timestamp")
FINEST = "timestamp_ns" if ENGINE == "duckdb" else "timestamp"
INPUTS = {
    "orders": "select * from main.raw_orders",
    "customers": "select * from main.raw_customers",
    "no_orders": "select * from main.raw_orders where false",
    "no_customers": "select * from main.raw_customers where false",
    "odd_orders": "select * from main.raw_odd_orders",
    "odd_customers": "select * from main.raw_odd_customers",
    "struct_orders": f"select *, date '2026-01-15' as ordered_on from ({STRUCTS})",
    "struct_customers": f"select * from main.raw_customers join ({STRUCTS}) using (customer_id)",
    "prefixed_orders": "select *, 'mine' as \"C_Region\" from main.raw_orders",
    "stamped_orders": "select order_id, customer_id, ordered_on - interval '1 microsecond' as ordered_on"
    " from main.raw_orders",
    "zoned_orders": ZONED_ORDERS,
    "finest_orders": FINEST_ORDERS,
    "texts": "select customer_id, cast(valid_from as varchar) as valid_from, valid_to from main.raw_customers",
    "zoned_customers": ZONED_CUSTOMERS,
    "endless_customers": f"select 'C1' as customer_id, 'Always' as region, '-infinity'::{FINEST} as valid_from,"
    f" 'infinity'::{FINEST} as valid_to",
    **{f"moments_{type}": f"select * from main.raw_moments_{type}" for type in TYPES},
    **{f"versions_{type}": f"select * from main.raw_versions_{type}" for type in TYPES},
}
INPUTS = {name: sql for name, sql in INPUTS.items() if runs_here(name)}

OTHER_INPUTS = {
    "ephemeral_orders": f"{{{{ config(materialized='ephemeral') }}}} {ZONED_ORDERS}",
    "ephemeral_customers": "{{ config(materialized='ephemeral') }} select * from main.raw_customers",
    "elsewhere": "{{ config(schema='elsewhere') }} select * from main.raw_customers",
}
MOMENTS_TABLE = "id integer, k varchar, n integer, moment {}"
VERSIONS_TABLE = "k varchar, n integer, v integer, valid_from {0}, valid_to {0}"

ON = "'customer_id', 'ordered_on'"
ORDERS, CUSTOMERS = "ref('orders')", "ref('customers')"
REGION = "columns=['region']"


def call(macro: str, *arguments: str) -> str:
    return f"{{{{ scd2_master.{macro}({', '.join(arguments)}) }}}}"


def join(*arguments: str) -> str:
    return call("as_of_join", *arguments)


def of_ctes(query: str, **ctes: str) -> str:
    """A model whose CTEs select everything of other models, with the query in a CTE after them."""
    selects = [f"{name} as (select * from {{{{ ref('{model}') }}}})" for name, model in ctes.items()]
    return f"with {', '.join(selects)}, result as ({query}) select * from result"


def of_query(query: str, columns: str) -> str:
    return f"with result as ({query}) select {columns} from result"


@dataclass(frozen=True)
class Case:
    """A model, and what it gives: the names of its columns, its rows."""

    sql: str
    columns: Sequence[str]
    rows: Sequence[Row]


FACT_COLUMNS = ("order_id", "customer_id", "ordered_on")
ODD_COLUMNS = ("Order No", "Customer No", 'a"b', "select", "version_number")
HISTORY_COLUMNS = ("customer_id", "region", "segment", "valid_from", "valid_to", "is_current")


def policy_cases(policy: str) -> Iterator[tuple[str, Case]]:
    """The story told to relations and to CTEs."""
    columns = (*FACT_COLUMNS, "region")
    unmatched = f"unmatched='{policy}'"
    of_relations = join(ORDERS, CUSTOMERS, ON, REGION, unmatched)
    yield f"{policy}_of_relations", Case(of_relations, columns, FOUND[policy])
    query = join("'o'", "'C'", ON, REGION, unmatched)
    yield f"{policy}_of_ctes", Case(of_ctes(query, o="orders", c="customers"), columns, FOUND[policy])


CASES = {
    **{name: case for policy in POLICIES for name, case in policy_cases(policy)},
    "no_facts": Case(
        join("ref('no_orders')", CUSTOMERS, ON, REGION, "unmatched='first'"), (*FACT_COLUMNS, "region"), []
    ),
    "no_versions": Case(
        join(ORDERS, "ref('no_customers')", ON, REGION, "unmatched='first'"),
        (*FACT_COLUMNS, "region"),
        [(*fact, None) for fact in ALL_FACTS],
    ),
    "no_versions_drop": Case(
        join(ORDERS, "ref('no_customers')", ON, REGION, "unmatched='drop'"), (*FACT_COLUMNS, "region"), []
    ),
    "columns_left_out": Case(
        join(ORDERS, CUSTOMERS, ON),
        (*FACT_COLUMNS, "region", "segment"),
        [(*fact, region, SEGMENTS[region]) for fact, region, _ in STORY],
    ),
    "columns_left_out_with_prefix": Case(
        join(ORDERS, CUSTOMERS, ON, "prefix='Customer '"),
        (*FACT_COLUMNS, "Customer region", "Customer segment"),
        [(*fact, region, SEGMENTS[region]) for fact, region, _ in STORY],
    ),
    "no_columns": Case(
        join(ORDERS, CUSTOMERS, ON, "[]", "unmatched='drop'"), FACT_COLUMNS, [row[:3] for row in FOUND["drop"]]
    ),
    "key_and_interval_columns_by_name": Case(
        join(
            *(ORDERS, CUSTOMERS, "'CUSTOMER_ID', 'Ordered_On'", "['VALID_TO', 'segment', 'customer_id', 'valid_from']"),
            *("'c_'", "unmatched='first'"),
        ),
        (*FACT_COLUMNS, "c_valid_to", "c_segment", "c_customer_id", "c_valid_from"),
        [
            (*fact, *next(((v[4], v[2], v[0], v[3]) for v in VERSIONS if v[1] == region), (None,) * 4))
            for fact, _, region in STORY
        ],
    ),
    "odd_names": Case(
        join("ref('odd_orders')", "ref('odd_customers')", ODD_ON, ODD_NAMES),
        (*ODD_COLUMNS, "Group"),
        [(*fact, group) for fact, group, _ in ODD_STORY],
    ),
    "odd_names_first": Case(
        join("ref('odd_orders')", "ref('odd_customers')", ODD_ON, "['GROUP']", "'x\"y '", "'first'", ODD_NAMES),
        (*ODD_COLUMNS, 'x"y Group'),
        [(*fact, group) for fact, _, group in ODD_STORY],
    ),
    "odd_names_of_ctes_that_are_called_like_ours": Case(
        of_ctes(
            join("'numbered_versions_'", "'NUMBERED_VERSIONS'", ODD_ON, "['group']", "'in_'", "'first'", ODD_NAMES),
            numbered_versions="odd_customers",
            numbered_versions_="odd_orders",
        ),
        (*ODD_COLUMNS, "in_group"),
        [(*fact, group) for fact, _, group in ODD_STORY],
    ),
    "odd_names_of_ctes_as_they_are_written": Case(
        of_ctes(
            join("'facts_'", "'versions_'", ODD_EXACTLY, "['Group']", "'in_'", "'first'", ODD_NAMES_EXACTLY),
            versions_="odd_customers",
            facts_="odd_orders",
        ),
        (*ODD_COLUMNS, "in_Group"),
        [(*fact, group) for fact, _, group in ODD_STORY],
    ),
    "names_of_ctes_in_another_case": Case(
        of_ctes(join("'o'", "'c'", "'CUSTOMER_ID', 'Ordered_On'", "['region']"), o="orders", c="customers"),
        (*FACT_COLUMNS, "region"),
        FOUND["null"],
    ),
    "structs_called_like_our_aliases": Case(
        join("ref('struct_orders')", "ref('struct_customers')", ON, REGION),
        ("customer_id", "facts", "versions", "ordered_on", "region"),
        [("C1", FACTS_FIELDS, VERSIONS_FIELDS, date(2026, 1, 15), "West")],
    ),
    "structs_in_ctes_called_like_our_aliases": Case(
        of_ctes(
            join("'versions'", "'facts'", ON, REGION, "unmatched='first'"),
            facts="struct_customers",
            versions="struct_orders",
        ),
        ("customer_id", "facts", "versions", "ordered_on", "region"),
        [("C1", FACTS_FIELDS, VERSIONS_FIELDS, date(2026, 1, 15), "West")],
    ),
    "a_version_number_of_the_dimension": Case(
        join(
            "ref('orders')",
            "'(select *, 1 as version_number from main.raw_customers)'",
            ON,
            "['version_number']",
            "unmatched='first'",
        ),
        (*FACT_COLUMNS, "version_number"),
        [(*fact, 1 if region else None) for fact, _, region in STORY],
    ),
    "a_dimension_in_another_schema": Case(
        join(ORDERS, "ref('elsewhere')", ON, "prefix='c_'"),
        (*FACT_COLUMNS, "c_region", "c_segment"),
        [(*fact, region, SEGMENTS[region]) for fact, region, _ in STORY],
    ),
    "sources": Case(
        join("source('raw', 'RAW_ORDERS')", "source('raw', 'raw_customers')", ON, "prefix='c_'"),
        (*FACT_COLUMNS, "c_region", "c_segment"),
        [(*fact, region, SEGMENTS[region]) for fact, region, _ in STORY],
    ),
    "an_ephemeral_dimension": Case(
        join(ORDERS, "ref('ephemeral_customers')", ON, f"['{in_another_case('region')}']"),
        (*FACT_COLUMNS, "region"),
        FOUND["null"],
    ),
    "queries": Case(
        join("' (select * from main.raw_orders)'", "' SELECT * from main.raw_customers -- all'", ON, REGION),
        (*FACT_COLUMNS, "region"),
        FOUND["null"],
    ),
    "queries_with_comments_and_semicolons": Case(
        join(
            "'-- select\\n /* all\\n of */ select * from main.raw_orders;\\n'",
            "'with found as (select * from main.raw_customers) select * from found ; /* fin; */ -- all '",
            *(ON, REGION),
        ),
        (*FACT_COLUMNS, "region"),
        FOUND["null"],
    ),
    "one_in_the_other": Case(
        join(
            f"scd2_master.as_of_join({ORDERS}, {CUSTOMERS}, {ON}, {REGION}, unmatched='first')",
            *(CUSTOMERS, ON, "['region']", "'then_'"),
        ),
        (*FACT_COLUMNS, "region", "then_region"),
        [(*fact, first, region) for fact, region, first in STORY],
    ),
    "a_slice_as_the_dimension": Case(
        join(ORDERS, f"scd2_master.as_of({CUSTOMERS}, '2026-02-15')", ON, REGION),
        (*FACT_COLUMNS, "region"),
        [(*fact, None) for fact in ALL_FACTS],
    ),
    "a_column_of_both_where_columns_are_not_known": Case(
        of_ctes(join("'o'", "'c'", ON, "['customer_id']", "unmatched='drop'"), o="orders", c="customers"),
        # DuckDB renames the second one
        (*FACT_COLUMNS, "customer_id_1" if ENGINE == "duckdb" else "customer_id"),
        [(*row[:3], row[1]) for row in FOUND["drop"]],
    ),
    "timestamps_in_a_history_of_dates": Case(
        of_query(join("ref('stamped_orders')", CUSTOMERS, ON, REGION), "order_id, region"),
        ("order_id", "region"),
        [(fact[0], {3: "West", 4: "West", 7: "Central", 8: "Central", 11: "East"}.get(fact[0])) for fact in ALL_FACTS],
    ),
    **{
        f"{name}_is_not_read_in_the_time_zone_of_the_session": Case(
            of_query(join(facts, customers, ON, REGION), "order_id, region"), ("order_id", "region"), [(1, "West")]
        )
        for name, facts, customers in [
            ("a_zoned_date", "ref('zoned_orders')", CUSTOMERS),
            ("a_zoned_date_of_a_query", f'"{ZONED_ORDERS}"', CUSTOMERS),
            ("a_zoned_date_of_an_ephemeral_model", "ref('ephemeral_orders')", CUSTOMERS),
            ("a_zoned_date_in_a_zoned_history", "ref('zoned_orders')", "ref('zoned_customers')"),
            ("a_zoned_date_in_a_query", "ref('zoned_orders')", "'select * from main.zoned_customers'"),
            ("a_finer_date", "ref('finest_orders')", CUSTOMERS),
            ("a_finer_date_of_a_query", "'select * from main.finest_orders'", CUSTOMERS),
        ]
    },
    "a_zoned_date_of_a_cte": Case(
        of_ctes(join("'orders'", "'versions'", ON, REGION), orders="zoned_orders", versions="customers"),
        ("order_id", "customer_id", "ordered_on", "region"),
        [(1, "C1", datetime(2026, 1, 31, 23, 30, tzinfo=UTC), "West")],
    ),
    "a_zoned_date_of_a_nested_call": Case(
        of_query(
            join(
                f"scd2_master.as_of_join(ref('zoned_orders'), {CUSTOMERS}, {ON}, {REGION})",
                *(CUSTOMERS, ON, "['region']", "'then_'"),
            ),
            "order_id, region, then_region",
        ),
        ("order_id", "region", "then_region"),
        [(1, "West", "West")],
    ),
    **{
        f"an_endless_history_{name}": Case(
            of_query(join("ref('zoned_orders')", history, ON, REGION), "order_id, region"),
            ("order_id", "region"),
            [(1, "Always")],
        )
        for name, history in [
            ("stored", "ref('endless_customers')"),
            ("asked", "'select * from main.endless_customers'"),
        ]
    },
    "plain_dates_in_a_zoned_history": Case(
        join(ORDERS, "ref('zoned_customers')", ON, REGION), (*FACT_COLUMNS, "region"), FOUND["null"]
    ),
    "plain_dates_in_a_query_of_a_zoned_history": Case(
        join(ORDERS, "'select * from main.zoned_customers'", ON, REGION, "unmatched='first'"),
        (*FACT_COLUMNS, "region"),
        FOUND["first"],
    ),
    **{
        f"as_of_{name}": Case(
            of_query(call("as_of", history, "'2026-02-01'"), "customer_id, region"),
            ("customer_id", "region"),
            [EAST[:2], NOWHERE[:2]],
        )
        for name, history in [
            ("a_zoned_history", "ref('zoned_customers')"),
            ("a_query_of_a_zoned_history", "'select * from main.zoned_customers'"),
        ]
    },
    **{
        f"as_of_{name}": Case(call("as_of", CUSTOMERS, written), HISTORY_COLUMNS, rows)
        for name, written, rows in [
            ("the_day_before_all", "'2025-12-31'", []),
            ("the_first_day", "'2026-01-01'", [WEST, NOWHERE]),
            ("the_last_instant", "'2026-01-31 23:59:59.999999'", [WEST, NOWHERE]),
            ("a_boundary", "'2026-02-01'", [EAST, NOWHERE]),
            ("midnight", "'2026-02-01 00:00:00'", [EAST, NOWHERE]),
            ("a_date_object", "modules.datetime.date(2026, 3, 1)", [CENTRAL, NOWHERE]),
            ("a_timestamp_object", "modules.datetime.datetime(2026, 2, 28, 23, 59, 59, 5)", [EAST, NOWHERE]),
            ("a_date_of_yaml", "fromyaml('2026-03-01')", [CENTRAL, NOWHERE]),
            ("the_day_before_the_max_date", "'2999-12-30'", [CENTRAL, NOWHERE]),
            ("the_max_date", "'2999-12-31'", []),
        ]
    },
    "as_of_a_cte": Case(
        of_ctes(call("as_of", "'versions'", "'2026-01-01'"), versions="customers"), HISTORY_COLUMNS, [WEST, NOWHERE]
    ),
    "as_of_a_query": Case(
        call("as_of", "'select * from main.raw_customers'", "'2026-01-01'"), HISTORY_COLUMNS, [WEST, NOWHERE]
    ),
    "as_of_nothing": Case(call("as_of", "ref('no_customers')", "'2026-01-01'"), HISTORY_COLUMNS, []),
    "as_of_an_instant": Case(
        call("as_of", "ref('odd_customers')", "'2026-02-01 12:00:00'", ODD_NAMES),
        ("customer no", 'C"D', "Group", "Dim Start", "dimEnd", "flag"),
        ODD_VERSIONS[1:],
    ),
    "as_of_a_day_is_its_midnight": Case(
        call("as_of", "ref('odd_customers')", "'2026-02-01'", ODD_NAMES),
        ("customer no", 'C"D', "Group", "Dim Start", "dimEnd", "flag"),
        [ODD_VERSIONS[0], ODD_VERSIONS[2]],
    ),
}
CASES = {name: case for name, case in CASES.items() if runs_here(name)}


# The type of the facts' dates, that of the dimension's interval, and the policy, by model.
PROPERTIES = {
    f"{facts}s_in_{history}s_{policy}": (facts, history, policy)
    for facts in TYPES
    for history in TYPES
    for policy in POLICIES
}
PROPERTY_MODELS = {
    name: join(f"ref('moments_{facts}')", f"ref('versions_{history}')", "['k', 'n'], 'moment'", f"unmatched='{policy}'")
    for name, (facts, history, policy) in PROPERTIES.items()
}


@dataclass(frozen=True)
class Refusal:
    """A call that is refused, and what the message says: every slug stands there once."""

    sql: str
    says: Sequence[str]


NO_KEY = ["[missing_unique_key]", "key is not set, or empty"]
KEY = "key must be a column name, a list of column names, or a mapping of one table's columns to the other's, it is "
NOT_STORED = ["[invalid_option]", "columns is left out, and ", " is no stored table or view", "List the columns"]
TEXTS = ["[effective_date_type]", "column valid_from of ", "is of type VARCHAR, which is not a date or a timestamp"]
PREFIX = "Set them apart with prefix, as in prefix='customer_'"
REFUSALS = {
    "no_key": Refusal(join(ORDERS, CUSTOMERS, "''", "'ordered_on'"), NO_KEY),
    "an_empty_list_as_the_key": Refusal(join(ORDERS, CUSTOMERS, "[]", "'ordered_on'"), NO_KEY),
    "an_empty_mapping_as_the_key": Refusal(join(ORDERS, CUSTOMERS, "{}", "'ordered_on'"), NO_KEY),
    "a_number_as_the_key": Refusal(join(ORDERS, CUSTOMERS, "7", "'ordered_on'"), ["[invalid_option]", KEY + "7"]),
    "a_text_as_the_date": Refusal(
        join(ORDERS, CUSTOMERS, "'customer_id'", "'customer_id'"),
        [
            "[effective_date_type]",
            "column customer_id (as_of) of ",
            "is of type VARCHAR, which is not a date or a timestamp",
        ],
    ),
    "texts_as_bounds": Refusal(join(ORDERS, "ref('texts')", ON), TEXTS),
    "as_of_with_texts_as_bounds": Refusal(call("as_of", "ref('texts')", "'2026-01-01'"), TEXTS),
    "a_mapping_to_a_list": Refusal(
        join(ORDERS, CUSTOMERS, "{'customer_id': ['customer_id']}", "'ordered_on'"),
        ["[invalid_option]", KEY + "{'customer_id': ['customer_id']}"],
    ),
    "unknown_columns_on_both_sides": Refusal(
        join(ORDERS, CUSTOMERS, "{'customr_id': 'custmer_id'}", "'order_on'", "['regoin']"),
        [
            *("[unknown_column]", " has no column customr_id (key); it has order_id, customer_id, ordered_on. "),
            *("[unknown_column]", "no column order_on (as_of); ", "ordered_on? Correct as_of"),
            *("[unknown_column]", "no column custmer_id (key); ", "Did you mean customer_id? Correct key"),
            *("[unknown_column]", "no column regoin (columns); ", "Did you mean region? Correct columns"),
        ],
    ),
    "no_interval_columns": Refusal(
        join(ORDERS, "ref('odd_customers')", "{'customer_id': 'customer no'}", "'ordered_on'"),
        [
            *(
                "[unknown_column]",
                "has no column valid_from; ",
                "Name the column for valid_from in column_names",
            ),
            *("[unknown_column]", "has no column valid_to; ", "Name the column for valid_to in column_names"),
        ],
    ),
    "no_date_of_the_facts": Refusal(
        join(ORDERS, CUSTOMERS, "'customer_id'", "none", REGION),
        ["[invalid_option]", "as_of must be the name of a column of the facts, it is None"],
    ),
    "columns_as_a_text": Refusal(
        join(ORDERS, CUSTOMERS, ON, "'region'"),
        ["[invalid_option]", "columns must be a list of column names, it is 'region'"],
    ),
    "a_number_as_the_prefix": Refusal(
        join(ORDERS, CUSTOMERS, ON, REGION, "prefix=1"), ["[invalid_option]", "prefix must be a text, it is 1"]
    ),
    "unmatched_of_another_kind": Refusal(
        join(ORDERS, CUSTOMERS, ON, REGION, "unmatched='last'"),
        ["[invalid_option]", "unmatched must be one of null, drop, first, it is 'last'"],
    ),
    "column_names_of_something_else": Refusal(
        join(ORDERS, CUSTOMERS, ON, REGION, "column_names={'valid_until': 'valid_to'}"),
        [
            "[invalid_option]",
            "column_names must be a mapping that gives column names to valid_from, valid_to, is_current",
        ],
    ),
    "no_facts_given": Refusal(
        join("none", CUSTOMERS, ON, REGION),
        ["[invalid_option]", "fact must be a relation, the name of a CTE, or a query, it is None"],
    ),
    "no_dimension_given": Refusal(
        join(ORDERS, "''", ON, REGION),
        ["[invalid_option]", "dimension must be a relation, the name of a CTE, or a query, it is ''"],
    ),
    "columns_left_out_with_a_cte": Refusal(of_ctes(join("'o'", "'c'", ON), o="orders", c="customers"), NOT_STORED),
    "columns_left_out_with_an_ephemeral_model": Refusal(join(ORDERS, "ref('ephemeral_customers')", ON), NOT_STORED),
    "a_column_of_both": Refusal(
        join(ORDERS, CUSTOMERS, ON, "['region', 'CUSTOMER_ID']"),
        ["[reserved_column]", "more than one column named customer_id, from", PREFIX],
    ),
    "columns_of_both_in_another_case": Refusal(
        join("ref('odd_orders')", "ref('odd_customers')", ODD_ON, "['customer no', 'group']", ODD_NAMES),
        ["[reserved_column]", "more than one column named customer no, from", PREFIX],
    ),
    "a_prefix_that_makes_it_a_column_of_both": Refusal(
        join("ref('prefixed_orders')", CUSTOMERS, ON, "prefix='c_'"),
        ["[reserved_column]", "more than one column named c_region, from", PREFIX],
    ),
    "a_column_twice": Refusal(
        join(ORDERS, CUSTOMERS, ON, "['region', 'REGION']"),
        ["[reserved_column]", "more than one column named region, from", PREFIX],
    ),
    "several_at_once": Refusal(
        join(ORDERS, CUSTOMERS, "none", "'on'", "['id']", "none", "'all'", "{'valid_to': 'end'}"),
        [
            *(
                "[missing_unique_key]",
                "[unknown_column]",
                "no column on (as_of)",
                "[unknown_column]",
                "no column id (columns)",
            ),
            *(
                "[unknown_column]",
                "no column end (valid_to)",
                "[invalid_option]",
                "prefix must be",
                "[invalid_option]",
                "'all'",
            ),
        ],
    ),
    "as_of_an_unknown_column": Refusal(
        call("as_of", CUSTOMERS, "'2026-01-01'", "{'valid_from': 'validfrom'}"),
        ["[unknown_column]", "no column validfrom (valid_from); ", "Did you mean valid_from"],
    ),
    "as_of_no_relation": Refusal(
        call("as_of", "7", "'2026-01-01'"), ["[invalid_option]", "relation must be a relation, the name of a CTE"]
    ),
    **{
        f"as_of_no_date_{number}": Refusal(
            call("as_of", CUSTOMERS, written),
            ["[invalid_date]", "is not a real date or timestamp in its format", "YYYY-MM-DD"],
        )
        for number, written in enumerate(
            [
                *(
                    "'2026-02-30'",
                    "'2026-1-1'",
                    "'2026-01-01T00:00:00'",
                    "'2026-01-01 10:00'",
                    "''",
                    "none",
                    "20260101",
                ),
                *("'current_date'", "\"2026-01-01' or '1' = '1\"", "run_started_at"),
            ]
        )
    },
}

UNIT_TESTS: list[dict[str, Any]] = [
    {
        "name": "right",
        "model": "columns_left_out",
        "given": [
            {
                "input": ORDERS,
                "rows": [
                    {"order_id": 1, "customer_id": "A", "ordered_on": "2026-05-31"},
                    {"order_id": 2, "customer_id": "A", "ordered_on": "2026-06-01"},
                ],
            },
            {
                "input": CUSTOMERS,
                "rows": [
                    {"customer_id": "A", "region": "old", "valid_from": "2026-05-01", "valid_to": "2026-06-01"},
                    {"customer_id": "A", "region": "new", "valid_from": "2026-06-01", "valid_to": "9999-12-31"},
                ],
            },
        ],
        "expect": {"rows": [{"order_id": 1, "region": "old"}, {"order_id": 2, "region": "new"}]},
    },
]
UNIT_TESTS += [
    {**UNIT_TESTS[0], "name": "wrong", "expect": {"rows": [{"order_id": 1, "region": "new"}]}},
    {**UNIT_TESTS[0], "name": "right_with_ctes", "model": "null_of_ctes"},
    {
        **UNIT_TESTS[0],
        "name": "not_known",
        "model": "a_dimension_in_another_schema",
        "given": [UNIT_TESTS[0]["given"][0], {**UNIT_TESTS[0]["given"][1], "input": "ref('elsewhere')"}],
    },
    {
        **UNIT_TESTS[0],
        "name": "right_slice",
        "model": "as_of_the_first_day",
        "given": [
            {
                "input": CUSTOMERS,
                "rows": [
                    {"customer_id": "A", "region": "old", "valid_from": "2025-01-01", "valid_to": "2026-01-01"},
                    {"customer_id": "A", "region": "new", "valid_from": "2026-01-01", "valid_to": "2026-01-02"},
                ],
            },
        ],
        "expect": {"rows": [{"customer_id": "A", "region": "new"}]},
    },
]


# DuckDB finds it in another case.
RAW_ORDERS = {"name": "RAW_ORDERS", **({} if ENGINE == "duckdb" else {"identifier": "raw_orders"})}


@dataclass(frozen=True)
class Outcome:
    """The SQL that dbt compiled for the cases, and the run of the refusals."""

    project: Project
    sql: dict[str, str]
    refused: Run

    def __repr__(self) -> str:
        return "Outcome"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Every case and every refusal, compiled once. The inputs are stored as dbt would store them."""
    project = Project(tmp_path_factory.mktemp("joins"))
    project.table("raw_orders", FACTS, ALL_FACTS)
    project.table("raw_customers", HISTORY, VERSIONS)
    project.table("raw_odd_orders", ODD_FACTS, [fact for fact, _, _ in ODD_STORY])
    project.table("raw_odd_customers", ODD_HISTORY, ODD_VERSIONS)
    for type in TYPES:
        project.table(f"raw_moments_{type}", MOMENTS_TABLE.format(type))
        project.table(f"raw_versions_{type}", VERSIONS_TABLE.format(type))
    project.execute("create schema main_elsewhere; create view main_elsewhere.elsewhere as select * from raw_customers")
    project.execute(";".join(f"create view {name} as {sql}" for name, sql in INPUTS.items()))
    cases = {name: case.sql for name, case in CASES.items()}
    refusals = {f"refused/{name}": refusal.sql for name, refusal in REFUSALS.items()}
    for name, sql in {**INPUTS, **OTHER_INPUTS, **PROPERTY_MODELS, **cases, **refusals}.items():
        project.file(f"models/{name}.sql", sql)
    sources = [{"name": "raw", "schema": "main", "tables": [RAW_ORDERS, {"name": "raw_customers"}]}]
    project.file("models/properties.yml", json.dumps({"sources": sources, "unit_tests": UNIT_TESTS}))
    compiled = project.dbt("compile", "--exclude", "path:models/refused")
    assert compiled.success, compiled.log
    refused = project.run("path:models/refused")
    folder = project.root / "target/compiled/shop/models"
    sql = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.sql")}
    return Outcome(project, sql, refused)


@pytest.fixture(scope="module")
def answers(outcome: Outcome) -> dict[str, Answer]:
    """The names of the columns and the rows of each case."""
    with outcome.project.engine.session() as session:
        session.execute("set TimeZone = 'Asia/Tokyo'")
        found = {}
        for name in CASES:
            columns, *rows = session.table(f"({outcome.sql[name]}) as answer")
            found[name] = (list(columns), rows)
        return found


def in_order(rows: Sequence[Row]) -> list[Row]:
    """The rows in an order of their own."""
    return sorted(rows, key=lambda row: [(value is None, 0 if value is None else str(value)) for value in row])


@pytest.mark.parametrize("name", CASES)
def test_a_query_gives_exactly_its_columns_and_rows(answers: dict[str, Answer], name: str) -> None:
    case = CASES[name]
    columns, rows = answers[name]
    assert columns == list(case.columns)
    assert in_order(rows) == in_order(case.rows)


@pytest.mark.parametrize("name", REFUSALS)
def test_a_wrong_argument_is_named_with_what_is_wrong_and_what_to_do(outcome: Outcome, name: str) -> None:
    refusal = REFUSALS[name]
    message = outcome.refused.messages[name]
    assert [text for text in map(local, refusal.says) if text not in message] == [], message
    assert message.count("scd2_master [") == sum(text.startswith("[") for text in refusal.says), message
    macro = "as_of" if name.startswith("as_of") else "as_of_join"
    assert f"] {macro} (model.shop.{name}): " in message


def test_a_query_is_one_statement_that_reads_the_facts_once(outcome: Outcome) -> None:
    assert [name for name in CASES if ";" in outcome.sql[name]] == []
    assert {policy: outcome.sql[f"{policy}_of_relations"].count('"orders"') for policy in POLICIES} == dict.fromkeys(
        POLICIES, 1
    )


def test_unit_tests_of_models_that_use_the_macros_pass_and_fail_as_they_should(outcome: Outcome) -> None:
    run = outcome.project.dbt("test", "--select", "test_type:unit")
    passed = dict.fromkeys(["right", "right_with_ctes", "right_slice"], "pass")
    assert run.statuses == {**passed, "wrong": "fail", "not_known": "error"}, run.log
    assert "columns is left out, and __dbt__cte__elsewhere is no stored table" in run.messages["not_known"]
    assert "new→old" in run.log


def test_where_nothing_is_stored_yet_a_query_needs_the_names_of_its_columns(project: Project) -> None:
    project.file("models/orders.sql", "select 1 as order_id, 'C1' as customer_id, date '2026-01-01' as ordered_on")
    customers = (
        "select 'C1' as customer_id, 'West' as region, date '2026-01-01' as valid_from, date '2999-12-31' as valid_to"
    )
    project.file("models/customers.sql", customers)
    project.file("models/named.sql", join(ORDERS, CUSTOMERS, "'Customer_id', 'ordered_on'", REGION))
    project.file("models/slice.sql", call("as_of", CUSTOMERS, "'2026-01-01'"))
    assert project.dbt("compile").success
    project.file("models/left_out.sql", join(ORDERS, CUSTOMERS, ON))
    compiled = project.dbt("compile")
    assert "[invalid_option] as_of_join (model.shop.left_out): columns is left out, and " in str(
        compiled.exception or compiled.log
    )
    empty = project.run(flags=["--empty"])
    assert set(empty.statuses.values()) == {"success"}, empty.log
    assert [name for name, _ in project.columns("left_out")] == [*FACT_COLUMNS, "region"]


Stamp = datetime
FIRST_DAY = datetime(2026, 1, 1)


@dataclass(frozen=True)
class Version:
    key: Row
    value: int | None
    valid_from: Stamp
    valid_to: Stamp


def look_up(versions: Sequence[Version], key: Row, at: Stamp | None, policy: str) -> Version | None:
    """The version that a fact finds, one by one."""
    own = sorted((version for version in versions if version.key == key), key=lambda version: version.valid_from)
    if at is None or None in key or not own:
        return None
    if policy == "first" and at < own[0].valid_from:
        return own[0]
    return next((version for version in own if version.valid_from <= at < version.valid_to), None)


def stamps(type: str) -> st.SearchStrategy[Stamp]:
    """Few days, so that facts meet boundaries; timestamps are a microsecond beside midnight, too."""
    days = st.integers(0, 7).map(lambda day: FIRST_DAY + timedelta(days=day))
    offsets = st.sampled_from(
        [timedelta(0), timedelta(microseconds=1), timedelta(hours=12), -timedelta(microseconds=1)]
    )
    return days if type == "date" else st.builds(lambda day, offset: day + offset, days, offsets)


KEYS = [("a", 1), ("a", 2), ("b", 1), (None, 1), ("b", None), ("c", 3)]


@st.composite
def histories(draw: st.DrawFn, type: str) -> list[Version]:
    """Versions of some keys, with gaps, and with values that are null."""
    versions = []
    for key in KEYS[:-1]:
        moments = sorted(draw(st.lists(stamps(type), max_size=5, unique=True)))
        for valid_from, valid_to in zip(moments, [*moments[1:], datetime(2999, 12, 31)], strict=False):
            if draw(st.integers(0, 3)):
                versions.append(Version(key, draw(st.none() | st.integers(1, 9)), valid_from, valid_to))
    return versions


def facts(type: str) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(st.integers(1, 3), st.sampled_from(KEYS), st.none() | stamps(type)), max_size=12)


@pytest.fixture(scope="module")
def warehouse(outcome: Outcome) -> Iterator[Session]:
    """The tables and views that the compiled queries of the property name: on DuckDB in memory, which is faster."""
    if ENGINE != "duckdb":
        with outcome.project.engine.session() as session:
            yield session
        return
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as warehouse")
        connection.execute("use warehouse")
        for type in TYPES:
            for table, columns in {"moments": MOMENTS_TABLE, "versions": VERSIONS_TABLE}.items():
                connection.execute(f"create table raw_{table}_{type} ({columns.format(type)})")
                connection.execute(f"create view {table}_{type} as select * from raw_{table}_{type}")
        yield Session(connection)


def sql_rows(table: str, rows: Sequence[Row]) -> str:
    """A statement that replaces the rows of a table."""
    written = ["(" + ", ".join("null" if value is None else f"'{value}'" for value in row) + ")" for row in rows]
    return f"truncate {table};" + (f"insert into {table} values {', '.join(written)};" if rows else "")


@settings(max_examples=EXAMPLES * 20 or FIXED_EXAMPLES, derandomize=not EXAMPLES, deadline=None, database=None)
@given(data=st.data())
def test_each_fact_is_kept_and_finds_what_a_look_up_finds(
    outcome: Outcome, warehouse: Session, data: st.DataObject
) -> None:
    versions = {type: data.draw(histories(type)) for type in TYPES}
    moments = {type: data.draw(facts(type)) for type in TYPES}
    for type in TYPES:
        warehouse.execute(sql_rows(f"raw_moments_{type}", [(id, *key, at) for id, key, at in moments[type]]))
        rows = [(*version.key, version.value, version.valid_from, version.valid_to) for version in versions[type]]
        warehouse.execute(sql_rows(f"raw_versions_{type}", rows))
    for name, (fact_type, version_type, policy) in PROPERTIES.items():
        found = [(fact, look_up(versions[version_type], *fact[1:], policy)) for fact in moments[fact_type]]
        expected = [
            (id, *key, at, version.value if version else None)
            for (id, key, at), version in found
            if version or policy != "drop"
        ]
        got = warehouse.rows(f"select id, k, n, cast(moment as timestamp), v from ({outcome.sql[name]}) as answer")
        assert in_order(got) == in_order(expected), name
