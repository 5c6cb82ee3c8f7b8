from __future__ import annotations

from pathlib import Path

import pytest
from project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty dbt project on its own DuckDB file that has the package installed."""
    return Project(tmp_path)
