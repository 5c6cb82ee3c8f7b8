"""The run-operation `timeline`: its text exactly, its SVG measured against the data, its Mermaid, and its refusals."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from engines import local
from project import Project

MAX = date(9999, 12, 31)
Drawn = dict[tuple[str, str, int], str]  # by case, format and width
RENAMED = {"valid_from": "dim from", "valid_to": "dim to", "is_current": "flag"}
HOSTILE = "a:b; c#d \"q\" 'x' <b>&amp;</b> %%{`\\ \x1b[31m\nnext \u202eabc \U0001f600 日本"
DRAW = """{% macro draw(cases) %}
    {% for case in cases %}
        {% do print('#### ' ~ loop.index0) %}
        {% do scd2_master.timeline(**case) %}
    {% endfor %}
{% endmacro %}
{% macro refuse(cases) %}
    {% for case in cases %}
        {% set findings = [] %}
        {% set arguments = dict({'keys': none, 'columns': none, 'format': 'text', 'width': 80, 'unique_key': none,
            'column_names': none, 'max_date': none}, **case) %}
        {% set history = scd2_master._timeline_history(case['relation'], arguments, findings) %}
        {% do scd2_master._timeline_drawing(history, findings) if not findings %}
        {% do print('#### ' ~ loop.index0 ~ '\n' ~ scd2_master._finding_lines('timeline', findings) | join('\n')) %}
    {% endfor %}
{% endmacro %}
"""
BY_K = {"unique_key": "k"}


def day(number: int) -> date:
    return date(2026, 1, 1) + timedelta(days=number)


def chain(key: str, days: Sequence[int]) -> list[tuple[Any, ...]]:
    """Versions of a key that follow each other, the last one open."""
    ends = [*[day(number) for number in days[1:]], MAX]
    return [(key, f"v{i}", day(number), end) for i, (number, end) in enumerate(zip(days, ends, strict=True))]


THIRTY = [number * number for number in range(30)]
TABLES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "gaps": (
        "k int, v varchar, valid_from date, valid_to date, is_current int",
        [
            (1, "a", day(0), day(10), 0),
            (1, "b", day(20), day(30), 0),
            (1, "c", day(30), MAX, 1),
            (2, None, day(10), day(20), 0),
            (10, "", day(5), MAX, 1),
        ],
    ),
    "initial": (
        "k varchar, v varchar, valid_from date, valid_to date",
        [("A", "x", date(1900, 1, 1), day(0)), ("A", "y", day(0), day(90)), ("A", "z", day(90), MAX)],
    ),
    "one": ("k varchar, v varchar, valid_from date, valid_to date", [("A", "x", day(0), MAX)]),
    "same_day": (
        "k varchar, v varchar, valid_from date, valid_to date",
        [("A", "x", day(0), MAX), ("B", "y", day(0), MAX)],
    ),
    "clock": (
        'k varchar, v varchar, "dim from" timestamp, "dim to" timestamp',
        [
            ("A", "x", datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 10, 30)),
            ("A", "y", datetime(2026, 1, 1, 10, 30), datetime(2026, 1, 1, 11, 0, 0, 500_000)),
            ("A", "z", datetime(2026, 1, 1, 11, 0, 0, 500_000), None),
        ],
    ),
    "instants": (
        "k varchar, v varchar, valid_from timestamp, valid_to timestamp",
        [
            ("A", "x", datetime(2026, 1, 1), datetime(2026, 1, 2, 10)),
            ("A", "y", datetime(2026, 1, 2, 10), datetime(2026, 1, 2, 10, 0, 1)),
            ("A", "z", datetime(2026, 1, 2, 10, 0, 1), datetime(9999, 12, 31)),
        ],
    ),
    "thirty": ("k varchar, v varchar, valid_from date, valid_to date", chain("A", THIRTY)),
    "crowd": (
        "k varchar, v varchar, valid_from date, valid_to date",
        [row for key in range(12) for row in chain(f"K{key:02}", [key, 40 + key])],
    ),
    "long": ("k varchar, v varchar, valid_from date, valid_to date", chain("A", range(150))),
    "hostile": (
        '"Customer: No" varchar, "re""gion" varchar, valid_from date, valid_to date',
        [
            (HOSTILE * 3, HOSTILE, day(0), day(9)),
            (HOSTILE * 3, "日本語のとても長い名前とその続きのまた続き", day(9), day(11)),
            (HOSTILE * 3, "e\u0301" * 40, day(11), MAX),
        ],
    ),
    "broken": (
        "k varchar, v varchar, valid_from date, valid_to date",
        [
            ("A", "overlaps", day(0), day(20)),
            ("A", "zero", day(10), day(10)),
            ("A", "no start", None, day(5)),
            ("A", "inverted", day(30), day(25)),
        ],
    ),
    "nothing": ("k varchar, v varchar, valid_from date, valid_to date", []),
    "parts": (
        "country varchar, no int, a varchar, b varchar, valid_from date, valid_to date",
        [
            ("NL", 1, "x", "same", day(0), day(5)),
            ("NL", 1, "y", "same", day(5), MAX),
            ("BE", 1, "z", "same", day(0), MAX),
        ],
    ),
    "texts": ("k varchar, v varchar, valid_from varchar, valid_to varchar", [("A", "x", "2026-01-01", "2026-02-01")]),
}
PARTS = {"relation": "parts", "unique_key": ["country", "no"]}
CASES: dict[str, dict[str, Any]] = {
    "customers": {"relation": "customer_scd2"},
    "tokens": {"relation": "tokens_scd2"},
    "renamed": {"relation": "renamed_scd2"},
    "gaps": {"relation": "gaps", **BY_K},
    "initial": {"relation": "initial", **BY_K},
    "one": {"relation": "one", **BY_K},
    "same_day": {"relation": "main.same_day", **BY_K},
    "clock": {"relation": "clock", **BY_K, "column_names": RENAMED},
    "instants": {"relation": "instants", **BY_K},
    "thirty": {"relation": "thirty", **BY_K},
    "crowd": {"relation": "crowd", **BY_K},
    "long": {"relation": "long", **BY_K},
    "hostile": {"relation": "hostile", "unique_key": "customer: no"},
    "broken": {"relation": "broken", **BY_K},
    "nothing": {"relation": "nothing", **BY_K},
    "other_max": {"relation": "gaps", **BY_K, "keys": 1, "max_date": "2026-01-31"},
    "key_order": {"relation": "gaps", **BY_K, "keys": [10, 1]},
    "one_key": {"relation": "gaps", **BY_K, "keys": 2},
    "columns": {"relation": "customer_scd2", "columns": ["segment", "REGION"], "keys": ["C1"]},
    "parts": PARTS,
    "parts_list": {**PARTS, "keys": [["NL", 1]]},
    "parts_mapping": {**PARTS, "keys": {"NO": 1, "country": "NL"}},
    "parts_mappings": {**PARTS, "keys": [{"no": "1", "country": "NL"}]},
}
RESIZED = ["renamed", "thirty", "hostile", "instants"]
PICTURES = ["customers", "gaps", "initial", "one", "thirty", "hostile", "broken", "nothing"]
REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "format": (
        {"relation": "gaps", **BY_K, "format": "png"},
        ["[invalid_option]", "format must be text, mermaid or svg", "'png'"],
    ),
    "width": (
        {"relation": "gaps", **BY_K, "width": 59},
        ["[invalid_option]", "a whole number from 60 to 500, it is 59"],
    ),
    "no_key": ({"relation": "gaps"}, ["[missing_unique_key]", "Give the argument, with the columns"]),
    "column": (
        {"relation": "gaps", **BY_K, "columns": "w"},
        ["[unknown_column]", "no column w (columns)"],
    ),
    "key": (
        {"relation": "gaps", "unique_key": "kk"},
        ["[unknown_column]", "kk (unique_key); it has k, v, valid_from"],
    ),
    "interval": (
        {"relation": "clock", **BY_K},
        ["[unknown_column]", "no column valid_from; ", "Name the column for valid_from in column_names"],
    ),
    "names_as_text": (
        {"relation": "texts", **BY_K, "column_names": "x"},
        ["[invalid_option]", "column_names must be a mapping"],
    ),
    "interval_type": ({"relation": "texts", **BY_K}, ["[invalid_option]", "valid_from is VARCHAR", "column_names"]),
    "max_date": ({"relation": "gaps", **BY_K, "max_date": "2026-02-30"}, ["[invalid_date]", "'2026-02-30'"]),
    "missing_keys": ({"relation": "gaps", **BY_K, "keys": [1, 3, "x"]}, ["[invalid_option]", "no version of 3; x (k)"]),
    "half_a_key": ({**PARTS, "keys": ["NL"]}, ["[invalid_option]", "a list of 2 values or a mapping, for country, no"]),
    "no_table": (
        {"relation": "customer_scd", **BY_K},
        ["[invalid_option]", "'customer_scd'", "Did you mean customer_scd2?"],
    ),
    "several": (
        {"relation": "gaps", "unique_key": "x", "columns": "y", "max_date": "z"},
        ["no column x (unique_key)", "no column y (columns)", "max_date 'z'"],
    ),
}


def operate(project: Project, macro: str, arguments: dict[str, Any]) -> tuple[bool, str, str]:
    """Whether a run-operation went well, what it wrote to standard output, and dbt's log."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        run = project.dbt("run-operation", macro, "--args", json.dumps(arguments))
    return run.success, written.getvalue(), run.log


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("timeline"))
    project.file("macros/draw.sql", DRAW)
    columns = "customer_id varchar, region varchar, segment varchar"
    options = {"unique_key": "customer_id", "tracked_columns": ["region"]}
    renamed = {**options, "tracked_columns": "all", "validity_type": "timestamp", "current_flag_type": "integer"}
    renamed |= {
        "scd2_column_names": RENAMED,
        "max_date": "2999-12-31",
        "version_key_column": "version",
        "close_on_absence": True,
    }
    snapshots = [
        [("C1", "West", "SMB"), ("C2", "East", "Enterprise")],
        [("C1", "Central", "SMB"), ("C2", "East", "Enterprise")],
    ]
    for effective_date, rows in zip(["2026-01-01", "2026-04-01"], snapshots, strict=True):
        project.table("customer_master", columns, rows)
        project.model(
            "customer_scd2", "select * from main.customer_master", {**options, "effective_date": effective_date}
        )
        # a token that no operation can resolve
        project.model(
            "tokens_scd2", "select * from main.customer_master", {**options, "effective_date": "{no_such_var}"}
        )
        sql = f"select * from main.customer_master where customer_id = 'C1' or '{effective_date}' < '2026-04-01'"
        project.model("renamed_scd2", sql, {**renamed, "effective_date": f"{effective_date} 12:30:00"})
        run = project.run("customer_scd2", "renamed_scd2")
        assert run.success, run.log
    for name, (ddl, table_rows) in TABLES.items():
        project.table(name, ddl, table_rows)
    project.execute("create table tokens_scd2 as select * from customer_scd2")
    return project


@pytest.fixture(scope="module")
def drawn(shop: Project) -> Drawn:
    """The cases as text, some in other widths, some as SVG and as Mermaid."""
    wanted = [(name, "text", 80) for name in CASES]
    wanted += [(name, "text", width) for name in RESIZED for width in (60, 200)]
    wanted += [(name, form, 80) for name in PICTURES for form in ("svg", "mermaid")]
    cases = [{**CASES[name], "format": form, "width": width} for name, form, width in wanted]
    success, written, log = operate(shop, "draw", {"cases": cases})
    assert success, log[-3000:]
    parts = re.split(r"(?m)^#### \d+\n", written)[1:]
    return {what: part.rstrip("\n") for what, part in zip(wanted, parts, strict=True)}


TEXTS = {
    "customers": """\
customer_id  valid_from  region   2026-01-01                        2026-04-01
                                  |                                      |
C1           2026-01-01  West     [======================================)
             2026-04-01  Central                                         [=====>
C2           2026-01-01  East     [============================================>""",
    "renamed": """\
customer_id  dim from             region        2026-01-01            2026-04-01
                                                |                          |
C1           2026-01-01 12:30:00  West          [==========================)
             2026-04-01 12:30:00  Central                                  [===>
C2           2026-01-01 12:30:00  East          [==========================)
             2026-04-01 12:30:00  (no version)                             ....""",
    "gaps": """\
k   valid_from  v             2026-01-01             2026-01-21    2026-01-31
                              |                           |             |
1   2026-01-01  a             [=============)
    2026-01-11  (no version)                ..............
    2026-01-21  b                                         [=============)
    2026-01-31  c                                                       [======>
2   2026-01-11  null                        [=============)
    2026-01-21  (no version)                              .....................
10  2026-01-06  ''                   [=========================================>""",
    "initial": """\
k  valid_from  v  1900-01-01           2026-01-01                2026-04-01
                  |                         |                         |
A  1900-01-01  x  [=========================)
   2026-01-01  y                            [=========================)
   2026-04-01  z                                                      [========>

Not to scale: equal steps from boundary to boundary.""",
    "same_day": """\
k  valid_from  v  2026-01-01
                  |
A  2026-01-01  x  [============================================================>
B  2026-01-01  y  [============================================================>""",
    "clock": """\
k  dim from         v  10:00:00            10:30:00             11:00:00.500000
                       |                       |                       |
A  10:00:00         x  [=======================)
   10:30:00         y                          [=======================)
   11:00:00.500000  z                                                  [=======>

All on 2026-01-01.""",
    "broken": """\
k  valid_from  v             2026-01-01              2026-01-21    2026-01-31
                             |                            |             |
A  null        no start      <======)
   2026-01-01  overlaps      [============================)
   2026-01-11  zero                        |
   2026-01-21  (no version)                               ..............
   2026-01-31  inverted                                                 |
   2026-01-26  (no version)                                      ..............""",
    "nothing": """\
k  valid_from  v


There are no versions.""",
    "other_max": """\
k  valid_from  v             2026-01-01              2026-01-21    2026-01-31
                             |                            |             |
1  2026-01-01  a             [=============)
   2026-01-11  (no version)                ...............
   2026-01-21  b                                          [====================>
   2026-01-31  c                                                        [======>""",
    "columns": """\
customer_id  valid_from  segment, region  2026-01-01                 2026-04-01
                                          |                               |
C1           2026-01-01  SMB, West        [===============================)
             2026-04-01  SMB, Central                                     [====>""",
    "parts": """\
country, no  valid_from  a  2026-01-01                             2026-01-06
                            |                                           |
BE, 1        2026-01-01  z  [==================================================>
NL, 1        2026-01-01  x  [===========================================)
             2026-01-06  y                                              [======>""",
    "hostile": """\
Customer: No      valid_from  re"gion                   2026-01-01    2026-01-12
                                                        |                   |
a:b; c#d "q" ...  2026-01-01  a:b; c#d "q" 'x' <b>&...  [===============)
                  2026-01-10  日本語のとても長い名...                   [===)
                  2026-01-12  COMBINED...                      [==>""".replace("COMBINED", "e\u0301" * 21),
}
WIDTHS = [(name, 80) for name in CASES] + [(name, width) for name in RESIZED for width in (60, 200)]


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_exactly_this(drawn: Drawn, name: str) -> None:
    assert drawn[name, "text", 80] == TEXTS[name]


def cells(line: str) -> int:
    """The width of a line in a terminal."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in line)
    return len(line) + wide - sum(unicodedata.combining(sign) > 0 for sign in line)


@pytest.mark.parametrize(("name", "width"), WIDTHS)
def test_no_line_is_wider_than_asked_and_an_open_version_ends_at_the_edge(drawn: Drawn, name: str, width: int) -> None:
    lines = drawn[name, "text", width].splitlines()
    assert [line for line in lines if cells(line) > width] == []
    assert [line for line in lines if line.endswith(">") and cells(line) != width] == []


@pytest.mark.parametrize(("name", "width"), WIDTHS)
def test_dates_above_the_plot_stand_apart_and_over_their_tick(drawn: Drawn, name: str, width: int) -> None:
    dates, ticks = drawn[name, "text", width].splitlines()[:2]
    plot = min((place for place in (ticks.find("|"),) if place >= 0), default=len(dates))
    pattern = r"(?:\d{4}-\d{2}-\d{2})(?: [\d:.]+)?|\d{2}:\d{2}:[\d.]+"
    labels = list(re.finditer(pattern, dates[plot:]))
    assert re.sub(pattern, "", dates[plot:]).strip() == ""
    for label, tick in zip(labels, re.finditer("[|]", ticks[plot:]), strict=True):
        assert label.start() <= tick.start() < label.end()
    assert [pair for pair in pairwise(labels) if pair[1].start() - pair[0].end() < 2] == []


@pytest.mark.parametrize("width", [60, 80, 200])
def test_thirty_versions_are_thirty_bars_each_after_the_other(drawn: Drawn, width: int) -> None:
    lines = drawn["thirty", "text", width].splitlines()[2:32]
    versions = TABLES["thirty"][1]
    assert [re.findall(r"\d{4}-\d{2}-\d{2}  v\d+", line) for line in lines] == [
        [f"{row[2]}  {row[1]}"] for row in versions
    ]
    bars = [line.index("[") for line in lines]
    assert bars == sorted(set(bars))
    assert [line.rindex(")") for line in lines[:-1]] == bars[1:]


@pytest.mark.parametrize("form", ["parts_list", "parts_mapping", "parts_mappings"])
def test_a_key_of_several_columns_is_a_list_or_a_mapping(drawn: Drawn, form: str) -> None:
    lines = TEXTS["parts"].splitlines()
    assert drawn[form, "text", 80].splitlines() == [*lines[:2], *lines[3:]]


def test_keys_are_drawn_in_the_order_in_which_they_are_asked_for(drawn: Drawn) -> None:
    lines = TEXTS["gaps"].splitlines()
    assert drawn["key_order", "text", 80].splitlines() == [*lines[:2], lines[8], *lines[2:6]]


def test_without_keys_the_first_ten_are_drawn_and_the_text_says_so(drawn: Drawn) -> None:
    lines = drawn["crowd", "text", 80].splitlines()
    assert re.findall(r"(?m)^K\d+", "\n".join(lines)) == [f"K{key:02}" for key in range(10)]
    assert lines[-2:] == ["", "The first 10 keys: name others in keys."]


def test_of_a_key_with_many_versions_the_newest_hundred_are_drawn_and_the_text_says_so(drawn: Drawn) -> None:
    text = drawn["long", "text", 80]
    assert re.findall(r" v(\d+) ", text) == [str(number) for number in range(50, 150)]
    assert "A has 150 versions: the newest 100 are drawn." in text.splitlines()


def test_the_model_s_configuration_is_enough_even_when_a_token_has_no_value(drawn: Drawn) -> None:
    assert drawn["tokens", "text", 80] == TEXTS["customers"]


# SVG

SVG = "{http://www.w3.org/2000/svg}"


def picture(drawn: Drawn, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawn[name, "svg", 80])


def bars(root: ElementTree.Element) -> list[tuple[str, float, float, float]]:
    """Class, left, right and top of each version's bar, in the order of the file."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") != "page":
            left, width, top = (float(rect.attrib[name]) for name in ("x", "width", "y"))
            found.append((rect.attrib["class"], left, left + width, top))
    return found


def lines_of(root: ElementTree.Element, kind: str) -> list[list[float]]:
    """The numbers in the path of each line of a class."""
    paths = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.get("class") == kind]
    return [[float(number) for number in re.findall(r"[\d.]+", path)] for path in paths]


def test_bars_of_the_svg_begin_and_end_where_their_versions_do(drawn: Drawn) -> None:
    root = picture(drawn, "gaps")
    versions = TABLES["gaps"][1]
    drawn_bars = bars(root)
    assert [bar[0] for bar in drawn_bars] == ["open" if row[3] == MAX else "closed" for row in versions]
    origin, last = drawn_bars[0][1], drawn_bars[2][1]
    per_day = (last - origin) / 30
    for (kind, left, right, _), (_, _, valid_from, valid_to, _) in zip(drawn_bars, versions, strict=True):
        assert left == pytest.approx(origin + per_day * (valid_from - day(0)).days, abs=0.11)
        if kind == "closed":
            assert right == pytest.approx(origin + per_day * (valid_to - day(0)).days, abs=0.11)
    gaps = lines_of(root, "gap")
    assert [(gap[0], gap[2]) for gap in gaps] == [
        (pytest.approx(origin + per_day * 10, abs=0.11), pytest.approx(origin + per_day * 20, abs=0.11)),
        (pytest.approx(origin + per_day * 20, abs=0.11), drawn_bars[2][2]),
    ]
    assert {bar[2] for bar in drawn_bars if bar[0] == "open"} == {drawn_bars[2][2]}
    assert last < drawn_bars[2][2]


def test_thirty_versions_of_the_svg_meet_end_to_start_in_rows_of_their_own(drawn: Drawn) -> None:
    drawn_bars = bars(picture(drawn, "thirty"))
    assert len(drawn_bars) == 30
    assert [bar[2] for bar in drawn_bars[:-1]] == pytest.approx([bar[1] for bar in drawn_bars[1:]], abs=0.11)
    assert {round(below[3] - above[3]) for above, below in pairwise(drawn_bars)} == {24}
    steps = [bar[2] - bar[1] for bar in drawn_bars[:-1]]
    assert steps == pytest.approx([steps[0]] * 29, abs=0.21)
    assert steps[0] > 8


@pytest.mark.parametrize("name", PICTURES)
def test_everything_in_the_svg_lies_within_it_and_needs_nothing_from_outside(drawn: Drawn, name: str) -> None:
    text = drawn[name, "svg", 80]
    root = ElementTree.fromstring(text)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width:.0f} {height:.0f}"
    assert [bar for bar in bars(root) if bar[1] < 0 or bar[2] > width or bar[3] + 14 > height] == []
    texts = [(float(node.attrib["x"]), float(node.attrib["y"]), node.text or "") for node in root.iter(f"{SVG}text")]
    assert [found for found in texts if found[0] + 8 * cells(found[2]) > width or found[1] > height] == []
    assert text.isascii()
    assert re.findall(r"https?://[^\"]+|url\(|@import|<script|href", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme:dark" in text


def test_values_come_out_of_the_svg_as_they_are_on_one_line(drawn: Drawn) -> None:
    root = picture(drawn, "hostile")
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    one_line = HOSTILE.replace("\x1b", " ").replace("\n", " ").replace("\u202e", " ")
    assert titles[0] == 'hostile: re"gion by Customer: No'
    assert titles[1] == f"{one_line * 3}: {one_line}, from 2026-01-01 until before 2026-01-10"
    assert titles[3] == f"{one_line * 3}: {'e' + chr(0x301)}{('e' + chr(0x301)) * 39}, from 2026-01-12, open"


# Mermaid

INSTANT = r"(\d{4}-\d\d-\d\d [\d:.]{12})"
TASK = re.compile(rf"    since ((?:[^:;#\"%<>{{}}`\\]|#\d+;)+) :(active|done), {INSTANT}, {INSTANT}")


def test_the_mermaid_text_is_exactly_this(drawn: Drawn) -> None:
    assert (
        drawn["customers", "mermaid", 80]
        == """\
gantt
    title customer_scd2#58; region by customer_id
    dateFormat YYYY-MM-DD HH:mm:ss.SSS
    axisFormat %Y-%m
    tickInterval 1month
    todayMarker off
    section C1
    since 2026-01-01 West :done, 2026-01-01 00:00:00.000, 2026-04-01 00:00:00.000
    since 2026-04-01 Central :active, 2026-04-01 00:00:00.000, 2026-04-10 00:00:00.000
    section C2
    since 2026-01-01 East :active, 2026-01-01 00:00:00.000, 2026-04-10 00:00:00.000"""
    )


@pytest.mark.parametrize("name", PICTURES)
def test_every_task_of_the_mermaid_text_has_the_form_that_its_grammar_takes(drawn: Drawn, name: str) -> None:
    lines = drawn[name, "mermaid", 80].splitlines()
    tasks = [line for line in lines if line.startswith("    since")]
    assert [line for line in tasks if not TASK.fullmatch(line)] == []
    ends = [TASK.fullmatch(line).groups()[2:] for line in tasks]  # type: ignore[union-attr]
    assert [pair for pair in ends if pair[0] > pair[1]] == []
    heads = (
        "gantt",
        "    title ",
        "    dateFormat ",
        "    axisFormat ",
        "    tickInterval ",
        "    todayMarker ",
        "    section ",
        "    %% ",
    )
    assert [line for line in lines if not line.startswith(heads) and line not in tasks] == []


def test_values_come_out_of_mermaid_as_they_are_on_one_line(drawn: Drawn) -> None:
    lines = drawn["hostile", "mermaid", 80].splitlines()
    task = next(line for line in lines if line.startswith("    since"))
    decoded = re.sub(r"#(\d+);", lambda entity: chr(int(entity[1])), TASK.fullmatch(task)[1])  # type: ignore[index]
    assert decoded == "2026-01-01 " + HOSTILE.replace("\x1b", " ").replace("\n", " ").replace("\u202e", " ")


def test_a_far_initial_date_does_not_squash_the_mermaid_chart(drawn: Drawn) -> None:
    tasks = [line for line in drawn["initial", "mermaid", 80].splitlines() if line.startswith("    since")]
    assert tasks == [
        "    since 1900-01-01 x :done, 2025-12-23 00:00:00.000, 2026-01-01 00:00:00.000",
        "    since 2026-01-01 y :done, 2026-01-01 00:00:00.000, 2026-04-01 00:00:00.000",
        "    since 2026-04-01 z :active, 2026-04-01 00:00:00.000, 2026-04-10 21:36:00.000",
    ]


# Refusals and the command line


@pytest.fixture(scope="module")
def findings(shop: Project) -> dict[str, str]:
    success, written, log = operate(shop, "refuse", {"cases": [case for case, _ in REFUSED.values()]})
    assert success, log[-3000:]
    return dict(zip(REFUSED, re.split(r"(?m)^#### \d+\n", written)[1:], strict=True))


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_argument_is_named_with_what_is_allowed_and_what_came(findings: dict[str, str], name: str) -> None:
    message = findings[name]
    assert [text for text in map(local, REFUSED[name][1]) if text not in message] == [], message
    lines = message.strip().splitlines()
    assert [line for line in lines if not re.match(r"scd2_master \[\w+\] timeline: .*[.]$", line)] == []


def test_a_finding_stops_the_operation_and_nothing_is_drawn(shop: Project) -> None:
    success, written, log = operate(
        shop, "scd2_master.timeline", {"relation": "gaps", "unique_key": "k", "keys": ["7"]}
    )
    assert not success
    assert "has no version of 7 (k)" in log
    assert "[=" not in written


def test_the_svg_alone_goes_to_standard_output(shop: Project, drawn: Drawn) -> None:
    arguments = json.dumps({"relation": "customer_scd2", "format": "svg"})
    command = [str(Path(sys.executable).with_name("dbt")), "--quiet", "run-operation", "scd2_master.timeline"]
    done = subprocess.run(
        [*command, "--args", arguments], cwd=shop.root, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == drawn["customers", "svg", 80] + "\n"
