"""What every public macro, model and column owes its reader, checked on the manifest and on the macro files."""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pytest
from dbt.cli.main import dbtRunner
from jinja2 import nodes
from project import PACKAGE

PACKAGE_NAME = "scd2_master"
CONSUMER = PACKAGE / "integration_tests"
CONSUMER_NAME = "scd2_master_integration_tests"
IMPLEMENTATION = re.compile(r"[a-z]+__\w+")


@dataclass(frozen=True)
class Macro:
    """A macro as the manifest knows it."""

    project: Path
    name: str
    file: Path
    description: str
    arguments: list[dict[str, Any]]
    sql: str

    @property
    def is_public(self) -> bool:
        return not self.name.startswith("_") and not IMPLEMENTATION.fullmatch(self.name)

    @property
    def is_generic_test(self) -> bool:
        return self.file.parts[:2] == ("tests", "generic") and self.name.startswith("test_")

    def documented(self) -> list[str]:
        """The names of the arguments that its properties describe.

        dbt knows no arguments of a generic test, so `validate_macro_args` lets none be listed: they stand in the text.
        """
        if self.is_generic_test:
            return re.findall(r"(?m)^- `(\w+)`: \w", self.description)
        return [argument["name"] for argument in self.arguments if argument["description"].strip()]

    def signature(self) -> list[str]:
        """The names of the macro's arguments, from its code."""
        if self.name.startswith("materialization_"):
            return []
        code = re.sub(r"({%-?\s*)(end)?test\b", r"\1\2macro", self.sql)
        tree = jinja2.Environment(extensions=["jinja2.ext.do"]).parse(code)
        definition = next(tree.find_all(nodes.Macro))
        return [argument.name for argument in definition.args]


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The manifest of the integration project, parsed in a copy with warnings as errors."""
    folder = tmp_path_factory.mktemp("quality") / "consumer"
    apart = shutil.ignore_patterns("harness", "target", "logs", "dbt_packages", "__pycache__")
    shutil.copytree(CONSUMER, folder, ignore=apart)
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / PACKAGE_NAME).symlink_to(PACKAGE, target_is_directory=True)
    place = ["--project-dir", str(folder), "--profiles-dir", str(folder)]
    outcome = dbtRunner().invoke(["--quiet", "--warn-error", "--no-partial-parse", "parse", *place])
    assert outcome.success, outcome.exception
    return json.loads((folder / "target" / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def macros(manifest: dict[str, Any]) -> list[Macro]:
    """Every macro of the package and of the integration project."""
    projects = {PACKAGE_NAME: PACKAGE, CONSUMER_NAME: CONSUMER}
    return [
        Macro(
            project=projects[macro["package_name"]],
            name=macro["name"],
            file=Path(macro["original_file_path"]),
            description=macro["description"],
            arguments=[] if macro["name"].startswith("materialization_") else macro["arguments"],
            sql=macro["macro_sql"],
        )
        for macro in manifest["macros"].values()
        if macro["package_name"] in projects
    ]


@pytest.fixture(scope="module")
def public_macros(macros: list[Macro]) -> list[Macro]:
    """The macros that users and other steps call: no helper, no implementation for one engine."""
    public = [macro for macro in macros if macro.is_public]
    assert {"materialization_scd2_master_default", "configure"} <= {macro.name for macro in public}
    return public


def consumer_nodes(manifest: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    """The integration project's own nodes of these kinds."""
    found = [
        node
        for node in manifest["nodes"].values()
        if node["package_name"] == CONSUMER_NAME and node["resource_type"] in kinds
    ]
    assert found, f"no {kinds} in the manifest"
    return found


def macro_files() -> Iterator[tuple[Path, str]]:
    """Path inside the package and text, without Jinja comments, of every macro file."""
    files = sorted([*PACKAGE.glob("macros/**/*.sql"), *PACKAGE.glob("tests/**/*.sql")])
    assert files
    for file in files:
        yield file.relative_to(PACKAGE), re.sub(r"{#.*?#}", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_every_public_macro_has_a_description(public_macros: list[Macro]) -> None:
    assert [macro.name for macro in public_macros if not macro.description.strip()] == []


def test_every_public_macro_stands_in_a_file_of_its_own_name(public_macros: list[Macro]) -> None:
    strays = [
        f"{macro.name} in {macro.file}"
        for macro in public_macros
        if macro.file.stem != (macro.name.removeprefix("test_") if macro.is_generic_test else macro.name)
    ]
    assert strays == []


def test_every_engine_s_implementation_stands_beside_the_macro_that_dispatches_to_it(macros: list[Macro]) -> None:
    implementations = [macro for macro in macros if IMPLEMENTATION.fullmatch(macro.name)]
    strays = [macro.name for macro in implementations if macro.file.stem != macro.name.split("__", 1)[1]]
    assert strays == []


def test_every_argument_of_a_public_macro_is_described_in_the_order_of_the_code(public_macros: list[Macro]) -> None:
    assert {macro.name: macro.documented() for macro in public_macros if macro.documented() != macro.signature()} == {}


def test_every_argument_of_a_public_macro_has_a_type(public_macros: list[Macro]) -> None:
    bare = [
        f"{macro.name}({argument['name']})"
        for macro in public_macros
        for argument in macro.arguments
        if not argument["type"]
    ]
    assert bare == []


def test_every_folder_of_public_macros_has_its_own_properties_file(public_macros: list[Macro]) -> None:
    folders = {macro.project / macro.file.parent for macro in public_macros}
    assert sorted(str(folder) for folder in folders if not (folder / f"_{folder.name}.yml").is_file()) == []


def test_every_model_seed_and_test_of_the_integration_project_has_a_description(manifest: dict[str, Any]) -> None:
    described = consumer_nodes(manifest, "model", "seed", "snapshot", "analysis")
    singular_tests = [node for node in consumer_nodes(manifest, "test") if node.get("test_metadata") is None]
    assert [node["name"] for node in [*described, *singular_tests] if not node["description"].strip()] == []


def test_every_documented_column_has_a_description(manifest: dict[str, Any]) -> None:
    bare = [
        f"{node['name']}.{column['name']}"
        for node in consumer_nodes(manifest, "model", "seed", "snapshot")
        for column in node["columns"].values()
        if not column["description"].strip()
    ]
    assert bare == []


def test_every_model_and_seed_documents_columns(manifest: dict[str, Any]) -> None:
    assert [node["name"] for node in consumer_nodes(manifest, "model", "seed") if not node["columns"]] == []


def test_columns_of_one_name_have_one_description(manifest: dict[str, Any]) -> None:
    descriptions: dict[str, set[str]] = defaultdict(set)
    for node in consumer_nodes(manifest, "model", "seed", "snapshot"):
        for column in node["columns"].values():
            descriptions[column["name"]].add(column["description"].strip())
    assert {name: found for name, found in descriptions.items() if len(found) > 1} == {}


def test_every_model_has_a_test(manifest: dict[str, Any]) -> None:
    tested = {parent for test in consumer_nodes(manifest, "test") for parent in test["depends_on"]["nodes"]}
    assert [node["name"] for node in consumer_nodes(manifest, "model") if node["unique_id"] not in tested] == []


def test_every_history_is_tested_for_sound_intervals(manifest: dict[str, Any]) -> None:
    wanted = {"valid_intervals", "non_overlapping_intervals", "single_current_row", "current_flag_matches_max_date"}
    histories = {
        node["unique_id"]
        for node in consumer_nodes(manifest, "model")
        if node["config"]["materialized"] == "scd2_master"
    }
    used: dict[str, set[str]] = {unique_id: set() for unique_id in histories}
    for test in consumer_nodes(manifest, "test"):
        metadata = test.get("test_metadata")
        if metadata and metadata["namespace"] == PACKAGE_NAME and test["attached_node"] in used:
            used[test["attached_node"]].add(metadata["name"])
    assert {unique_id: wanted - names for unique_id, names in used.items() if wanted - names} == {}
    assert len(histories) >= 2


def test_the_package_brings_no_node_of_its_own_into_a_user_s_project(manifest: dict[str, Any]) -> None:
    leaked = [
        unique_id
        for kind in ("nodes", "sources", "exposures", "unit_tests")
        for unique_id, node in manifest[kind].items()
        if node["package_name"] == PACKAGE_NAME and not node.get("test_metadata")
    ]
    assert leaked == []


def test_configuration_is_read_only_where_it_is_configured() -> None:
    allowed = {"configure", "materializations"}
    readers = [
        str(path)
        for path, text in macro_files()
        if path.parent.name not in allowed and re.search(r"\bconfig\.(get|require|meta_get|meta_require)\b", text)
    ]
    assert readers == []


def test_only_dialects_ask_which_engine_runs() -> None:
    question = re.compile(r"\btarget\.type\b|\btarget\[|\badapter\.type\(|\badapter\.dispatch\(")
    askers = [str(path) for path, text in macro_files() if path.parent.name != "dialects" and question.search(text)]
    assert askers == []


def test_a_materialization_is_a_short_flat_recipe() -> None:
    recipes = {path: text for path, text in macro_files() if path.parent.name == "materializations"}
    assert Path("macros/materializations/materialization_scd2_master_default.sql") in recipes
    for path, text in recipes.items():
        lines = (PACKAGE / path).read_text(encoding="utf-8").splitlines()
        assert len(lines) < 100, f"{path} has {len(lines)} lines"
        assert re.findall(r"(?<![|.(])\b(?:join|case)\b", text) == [], path


def test_no_sql_comment_of_a_macro_reaches_the_warehouse() -> None:
    comments = {
        str(path): found
        for path, text in macro_files()
        if (found := re.findall(r"(?m)(?:^|\s)--(?:\s.*)?$", re.sub(r"{[{%].*?[%}]}", "", text, flags=re.DOTALL)))
    }
    assert comments == {}


def test_no_singular_test_of_the_package_runs_in_a_user_s_project() -> None:
    assert sorted(path.name for path in (PACKAGE / "tests").glob("*.sql")) == []


def test_the_lock_file_names_no_index() -> None:
    lock = (PACKAGE / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"(?m)^[a-z0-9][\w.-]*==\S+", lock)
    assert "://" not in lock
    assert "--index-url" not in lock
    assert {"dbt-core", "dbt-duckdb", "duckdb", "sqlfluff"} <= {pin.split("==")[0] for pin in pins}
