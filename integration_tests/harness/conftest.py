from __future__ import annotations

from pathlib import Path

import pytest
from batch import Told
from dated import STRATEGIES
from project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty dbt project on its own DuckDB file that has the package installed."""
    return Project(tmp_path)


@pytest.fixture(params=STRATEGIES)
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    """What the test's story left behind under each strategy; a file of stories with one strategy has its own."""
    return outcomes[f"{request.function.story}_{request.param}"]


@pytest.fixture
def once(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    """What a story told under one strategy left behind."""
    return outcomes[request.function.story]
