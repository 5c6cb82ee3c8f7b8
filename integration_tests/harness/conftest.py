from __future__ import annotations

from pathlib import Path

import pytest
from batch import Told
from dated import STRATEGIES
from engines import stop_server
from project import Project


def pytest_unconfigure() -> None:
    stop_server()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty dbt project on its own database that has the package installed."""
    return Project(tmp_path)


@pytest.fixture(params=STRATEGIES)
def told(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    """What the test's story left behind under each strategy; a file of stories with one strategy has its own."""
    return outcomes[f"{request.function.story}_{request.param}"]


@pytest.fixture
def once(request: pytest.FixtureRequest, outcomes: dict[str, Told]) -> Told:
    """What a story told under one strategy left behind."""
    return outcomes[request.function.story]
