"""Where the effective date comes from: literals, date objects, tokens and a source column."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from engines import ENGINE
from guards import APR, JAN, MAX, findings
from project import Project

KEYS = {"unique_key": "id", "tracked_columns": ["region"]}
ONE_ROW = "select 1 as id, 'West' as region"
LAST = datetime(9999, 12, 31)
CREATED = "{{ config(materialized='scd2_master', unique_key='id', tracked_columns=['region'], "


def _starts(project: Project, model: str) -> list[Any]:
    return [row[0] for row in project.rows(f"select valid_from from {model} order by valid_from")]


def test_a_literal_is_taken_as_it_stands(project: Project) -> None:
    dates = {"2026-01-01": JAN, "2024-02-29": date(2024, 2, 29), "2000-02-29": date(2000, 2, 29)}
    dates |= {"0001-01-01": date(1, 1, 1), "9999-12-30": date(9999, 12, 30)}
    times = {
        "2026-01-01": (datetime(2026, 1, 1), "2026-01-01 00:00:00"),
        "2026-01-01 10:00:00": (datetime(2026, 1, 1, 10), "2026-01-01 10:00:00"),
        "2026-01-01 10:00:00.5": (datetime(2026, 1, 1, 10, 0, 0, 500_000), "2026-01-01 10:00:00.500000"),
        "2026-01-01 23:59:59.999999": (datetime(2026, 1, 1, 23, 59, 59, 999_999), "2026-01-01 23:59:59.999999"),
        "2024-02-29 00:00:00.000001": (datetime(2024, 2, 29, 0, 0, 0, 1), "2024-02-29 00:00:00.000001"),
        "9999-12-30 23:59:59": (datetime(9999, 12, 30, 23, 59, 59), "9999-12-30 23:59:59"),
    }
    until = "2999-12-31 23:59:59.999999"
    project.model(
        "time_to_the_end",
        ONE_ROW,
        {**KEYS, "effective_date": "2999-12-31 23:59:59", "max_date": until, "validity_type": "timestamp"},
    )
    for number, text in enumerate(dates):
        project.model(f"date_{number}", ONE_ROW, {**KEYS, "effective_date": text})
    for number, text in enumerate(times):
        project.model(f"time_{number}", ONE_ROW, {**KEYS, "effective_date": text, "validity_type": "timestamp"})
    run = project.run()
    for number, (text, expected) in enumerate(dates.items()):
        model = f"date_{number}"
        assert project.history(model) == [(1, "West", expected, MAX, True)], run.messages[model]
        assert run.messages[model].startswith(f"SCD2 {text}: 1 opened, ")
    for number, (expected, shown) in enumerate(times.values()):
        model = f"time_{number}"
        assert project.history(model) == [(1, "West", expected, LAST, True)], run.messages[model]
        assert run.messages[model].startswith(f"SCD2 {shown}: 1 opened, ")
        assert [kind for _, kind in project.columns(model)][2:4] == ["TIMESTAMP", "TIMESTAMP"]

    last = datetime(2999, 12, 31, 23, 59, 59, 999_999)
    assert project.history("time_to_the_end") == [(1, "West", last.replace(microsecond=0), last, True)]


def test_date_objects_that_jinja_or_yaml_deliver_are_accepted(project: Project) -> None:
    """Not from Jinja under meta: dbt's own event of a node's start cannot hold one, and under pytest it hangs."""
    day, noon = "modules.datetime.date(2026, 1, 1)", "modules.datetime.datetime(2026, 1, 1, 12, 0, 0)"
    until = "modules.datetime.date(2999, 12, 31)"
    configs = {
        "jinja_date": f"effective_date={day}, max_date={until}",
        "jinja_date_as_timestamp": f"effective_date={day}, max_date={until}, validity_type='timestamp'",
        "jinja_datetime": f"effective_date={noon}, max_date={until}, validity_type='timestamp'",
        "jinja_datetime_under_date": f"effective_date={noon}",
        "yaml_date": "",
        "yaml_date_in_meta": "",
        "yaml_date_in_project": "",
    }
    for model, config in configs.items():
        project.file(f"models/{model}.sql", f"{CREATED}{config}) }}}}\n{ONE_ROW}\n")
    unquoted = "{effective_date: 2026-01-01, max_date: 2999-12-31}"
    project.file(
        "models/properties.yml",
        f"models:\n- {{name: yaml_date, config: {unquoted}}}\n"
        f"- {{name: yaml_date_in_meta, config: {{meta: {unquoted}}}}}\n",
    )
    settings = (project.root / "dbt_project.yml").read_text(encoding="utf-8")
    placed = "models: {shop: {yaml_date_in_project: {+effective_date: 2026-01-01, +max_date: 2999-12-31}}}\n"
    project.file("dbt_project.yml", settings + placed)
    for _ in range(2):
        run = project.run()
        last = datetime(2999, 12, 31)
        for model in configs:
            if "timestamp" in model or model == "jinja_datetime":
                start = datetime(2026, 1, 1, 12 if model == "jinja_datetime" else 0)
                expected = [(1, "West", start, last, True)]
            elif model == "jinja_datetime_under_date":
                assert set(findings(run.messages[model], model)) == {"invalid_date"}, run.log
                continue
            else:
                expected = [(1, "West", JAN, last.date(), True)]
            assert project.history(model) == expected, f"{model}: {run.messages.get(model)}\n{run.exception}"


def test_a_var_gives_the_date_alone_or_inside_a_text(project: Project) -> None:
    texts = {
        "alone": "{day}",
        "in_a_text": "{year}-01-01",
        "two_tokens": "{year}-{month}-01",
        "same_token_twice": "20{two}-{two}-01",
        "with_a_time": "{day} {clock}",
    }
    for model, text in texts.items():
        validity = {"validity_type": "timestamp"} if model == "with_a_time" else {}
        project.model(model, ONE_ROW, {**KEYS, **validity, "effective_date": text})
    values = {"day": "2026-04-01", "year": 2026, "month": "04", "two": "12", "clock": "08:30:00"}
    run = project.run(vars=values)
    assert _starts(project, "alone") == [APR], run.log
    assert _starts(project, "in_a_text") == [JAN]
    assert _starts(project, "two_tokens") == [APR]
    assert _starts(project, "same_token_twice") == [date(2012, 12, 1)]
    assert _starts(project, "with_a_time") == [datetime(2026, 4, 1, 8, 30)]

    # A YAML date without quotes is a date, in --vars too.
    project.execute("drop table alone")
    run = project.run("alone", vars={**values, "day": date(2026, 7, 1)})
    assert _starts(project, "alone") == [date(2026, 7, 1)], run.log


def test_a_var_of_the_project_gives_the_date_and_the_command_line_wins(tmp_path: Path) -> None:
    project = Project(tmp_path, project={"vars": {"day": "2026-01-01"}})
    project.model("customer", ONE_ROW, {**KEYS, "effective_date": "{day}"})
    run = project.run()
    assert _starts(project, "customer") == [JAN], run.log
    project.execute("drop table customer")
    run = project.run(vars={"day": "2026-04-01"})
    assert _starts(project, "customer") == [APR], run.log


def test_an_absent_or_null_var_is_an_undefined_token(project: Project) -> None:
    for model, text in {
        "absent": "{no_such_var}",
        "null_var": "{nothing}",
        "in_a_text": "{year}-{no_such_var}",
    }.items():
        project.model(model, ONE_ROW, {**KEYS, "effective_date": text})
    run = project.run(vars={"nothing": None, "year": 2026})
    for model, token in {"absent": "no_such_var", "null_var": "nothing", "in_a_text": "no_such_var"}.items():
        found = findings(run.messages[model], model)
        assert set(found) == {"undefined_token"}, run.messages[model]
        assert f"{{{token}}}" in found["undefined_token"]
    assert project.relations() == []


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_built_in_tokens_are_the_start_of_the_run_in_the_time_zone_of_the_var(project: Project, zone: str) -> None:
    """Kiritimati and Pago Pago are 25 hours apart: their dates always differ."""
    for model, text in {"day": "{current_date}", "month": "{current_month}", "first_of_year": "{year}-01-01"}.items():
        project.model(model, ONE_ROW, {**KEYS, "effective_date": text})
    timestamp = {**KEYS, "validity_type": "timestamp"}
    for model, text in {
        "now": "{current_timestamp}",
        "now_too": "{current_timestamp}",
        "day_too": "{current_date}",
    }.items():
        project.model(model, ONE_ROW, {**timestamp, "effective_date": text})
    project.model("now_under_date", ONE_ROW, {**KEYS, "effective_date": "{current_timestamp}"})
    # A var named like a built-in token does not win over it.
    mine = {
        "current_date": "1999-01-01",
        "current_month": "1999-01-01",
        "current_timestamp": "1999-01-01",
        "year": 2020,
    }

    before = datetime.now(UTC)
    run = project.run(vars={**mine, "scd2_timezone": zone})
    after = datetime.now(UTC)

    [started] = _starts(project, "now")
    earliest, latest = (moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for moment in (before, after))
    assert earliest <= started <= latest, run.log
    assert _starts(project, "now_too") == [started], "one invocation has one instant"
    assert _starts(project, "day") == [started.date()]
    assert _starts(project, "month") == [started.date().replace(day=1)]
    assert _starts(project, "day_too") == [datetime.combine(started.date(), datetime.min.time())]
    assert _starts(project, "first_of_year") == [date(2020, 1, 1)]
    found = findings(run.messages["now_under_date"], "now_under_date")
    assert set(found) == {"invalid_date"}
    assert str(started.year) in found["invalid_date"]
    assert "main.now_under_date" not in project.relations()


def test_tokens_are_resolved_anew_although_nothing_is_parsed_again(project: Project) -> None:
    options = {**KEYS, "validity_type": "timestamp", "effective_date": "{current_timestamp}"}
    project.model("customer", "select * from main.source", options)
    project.table("source", "id integer, region varchar", [(1, "West")])
    project.run(flags=["--write-json"])
    [first] = _starts(project, "customer")
    parsed = (project.root / "target" / "manifest.json").read_text(encoding="utf-8")
    assert "{current_timestamp}" in parsed, "the config as parsed holds the token, not its value"

    project.execute("update source set region = 'East'")
    before = datetime.now(UTC).replace(tzinfo=None)
    run = project.run()
    assert "Unable to do partial parsing" not in run.log
    first_again, second = _starts(project, "customer")
    assert first_again == first
    assert before <= second <= before + timedelta(minutes=5)
    assert project.history("customer") == [(1, "East", second, LAST, True), (1, "West", first, second, False)]


SECONDS, MILLISECONDS, NANOSECONDS = {
    "duckdb": ("timestamp_s", "timestamp_ms", "timestamp_ns"),
    "postgres": ("timestamp(0)", "timestamp(3)", "timestamp(6)"),
}[ENGINE]
COLUMN_TYPES = [
    ("date", "date", "2026-01-01", JAN),
    ("date", "timestamp", "2026-01-01 00:00:00", JAN),
    ("date", SECONDS, "2026-01-01 00:00:00", JAN),
    ("date", MILLISECONDS, "2026-01-01 00:00:00", JAN),
    ("date", NANOSECONDS, "2026-01-01 00:00:00", JAN),
    ("timestamp", "date", "2026-01-01", datetime(2026, 1, 1)),
    ("timestamp", "timestamp", "2026-01-01 10:20:30.123456", datetime(2026, 1, 1, 10, 20, 30, 123_456)),
    ("timestamp", SECONDS, "2026-01-01 10:20:30", datetime(2026, 1, 1, 10, 20, 30)),
    ("timestamp", MILLISECONDS, "2026-01-01 10:20:30.125", datetime(2026, 1, 1, 10, 20, 30, 125_000)),
    ("timestamp", NANOSECONDS, "2026-01-01 10:20:30.123456000", datetime(2026, 1, 1, 10, 20, 30, 123_456)),
]


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati"])
def test_a_column_of_dates_means_the_same_in_every_session_time_zone(tmp_path: Path, zone: str) -> None:
    """Named like an interval column it is consumed, under another name it is carried."""
    project = Project(tmp_path, zone=zone)
    for number, (validity, kind, text, _) in enumerate(COLUMN_TYPES):
        options = {**KEYS, "validity_type": validity}
        sql = f"select 1 as id, cast('{text}' as {kind}) as %s, 'West' as region"
        project.model(f"consumed_{number}", sql % "Valid_From", {**options, "effective_date_column": "valid_from"})
        project.model(f"carried_{number}", sql % "loaded_on", {**options, "effective_date_column": "LOADED_ON"})
    run = project.run()
    for number, (validity, kind, text, expected) in enumerate(COLUMN_TYPES):
        last = MAX if validity == "date" else LAST
        consumed, carried = f"consumed_{number}", f"carried_{number}"
        assert project.history(consumed) == [(1, "West", expected, last, True)], run.messages[consumed]
        assert [name for name, _ in project.columns(consumed)] == [
            "id",
            "region",
            "valid_from",
            "valid_to",
            "is_current",
        ]
        query = (
            f"select id, region, valid_from, valid_to, is_current, loaded_on = cast('{text}' as {kind}) from {carried}"
        )
        assert project.rows(query) == [(1, "West", expected, last, True, True)], run.messages[carried]
        assert [name for name, _ in project.columns(carried)][:3] == ["id", "loaded_on", "region"]


@pytest.mark.parametrize("session", ["America/New_York", "Pacific/Kiritimati"])
def test_a_zoned_column_is_converted_in_the_time_zone_of_the_var_never_in_the_sessions(
    tmp_path: Path, session: str
) -> None:
    project = Project(tmp_path, zone=session)
    options = {**KEYS, "validity_type": "timestamp"}
    for model, column in {"consumed": "valid_from", "carried": "loaded_at"}.items():
        # In summer and in winter: the offset of the moment counts, not today's.
        for season, month in {"winter": "01", "summer": "07"}.items():
            project.model(
                f"{model}_{season}",
                f"select 1 as id, 'West' as region, timestamptz '2026-{month}-01 22:30:00.000001+00' as {column}",
                {**options, "effective_date_column": column},
            )

    def starts() -> dict[str, list[Any]]:
        models = ["consumed_winter", "carried_winter", "consumed_summer", "carried_summer"]
        return {model: _starts(project, model) for model in models}

    run = project.run()
    winter, summer = datetime(2026, 1, 1, 22, 30, 0, 1), datetime(2026, 7, 1, 22, 30, 0, 1)
    assert starts() == {
        "consumed_winter": [winter],
        "carried_winter": [winter],
        "consumed_summer": [summer],
        "carried_summer": [summer],
    }, run.log

    for model in starts():
        project.execute(f"drop table {model}")
    run = project.run(vars={"scd2_timezone": "Europe/Berlin"})
    winter, summer = datetime(2026, 1, 1, 23, 30, 0, 1), datetime(2026, 7, 2, 0, 30, 0, 1)
    assert starts() == {
        "consumed_winter": [winter],
        "carried_winter": [winter],
        "consumed_summer": [summer],
        "carried_summer": [summer],
    }, run.log
    assert run.messages["consumed_summer"].startswith("SCD2 2026-07-02 00:30:00.000001: 1 opened, ")


def test_only_the_three_output_names_are_consumed_and_renaming_moves_them(project: Project) -> None:
    dated = {**KEYS, "effective_date_column": "dim_start"}
    sql = "select 1 as id, 'West' as region, date '2026-01-01' as dim_start"
    project.model("consumed", sql, {**dated, "scd2_column_names": {"valid_from": "DIM_START"}})
    project.model("consumed_as_valid_to", sql, {**dated, "scd2_column_names": {"valid_to": "dim_start"}})
    project.model("carried", sql, dated)
    project.model(
        "another_is_reserved",
        "select 1 as id, 'West' as region, date '2026-01-01' as valid_from, date '2026-01-01' as valid_to",
        {**KEYS, "effective_date_column": "valid_from"},
    )
    run = project.run()
    assert project.history("consumed") == [(1, "West", JAN, MAX, True)], run.log
    assert [name for name, _ in project.columns("consumed")] == ["id", "region", "DIM_START", "valid_to", "is_current"]
    assert project.history("consumed_as_valid_to") == [(1, "West", JAN, MAX, True)]
    assert [name for name, _ in project.columns("consumed_as_valid_to")] == [
        "id",
        "region",
        "valid_from",
        "dim_start",
        "is_current",
    ]
    assert project.history("carried") == [(1, "West", JAN, JAN, MAX, True)]
    found = findings(run.messages["another_is_reserved"], "another_is_reserved")
    assert set(found) == {"reserved_column"}
    assert "valid_to" in found["reserved_column"]
    assert "main.another_is_reserved" not in project.relations()
