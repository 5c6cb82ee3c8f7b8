"""Run-operations and what they print."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from engines import local
from project import Project, Run


def operate(project: Project, operation: str, **arguments: Any) -> tuple[Run, list[str]]:
    """`dbt run-operation scd2_master.<operation>`: what dbt says of it, and the lines that it prints."""
    return _invoke(project, f"scd2_master.{operation}", arguments)


def operate_each(project: Project, operation: str, calls: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The operation once with each of the arguments, all in one invocation: the lines that each prints."""
    call = f"{{% do scd2_master.{operation}(**call) %}}"
    each = f"{{% for call in calls %}}{{% do print('call') %}}{call}{{% endfor %}}"
    project.file(f"macros/{operation}_each.sql", f"{{% macro {operation}_each(calls) %}}{each}{{% endmacro %}}\n")
    run, lines = _invoke(project, f"{operation}_each", {"calls": [dict(call) for call in calls]})
    assert run.success, run.log
    printed: list[list[str]] = []
    for line in lines:
        if line == "call":
            printed.append([])
        else:
            printed[-1].append(line)
    return printed


def _invoke(project: Project, macro: str, arguments: Mapping[str, Any]) -> tuple[Run, list[str]]:
    text = yaml.safe_dump(dict(arguments), default_flow_style=True, width=100_000)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run = project.dbt("run-operation", macro, "--args", text)
    return run, [line for line in printed.getvalue().splitlines() if line.startswith(("scd2_master ", "  ", "call"))]


def refused(run: Run, slug: str, *words: str) -> bool:
    """Whether the operation ended with this finding, which names what it should."""
    missing = [word for word in (f"scd2_master [{slug}] ", *map(local, words)) if word not in run.log]
    assert not run.success
    assert not missing, f"{missing} not in: {run.log}"
    return True
