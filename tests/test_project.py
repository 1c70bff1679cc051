"""The repository itself: dependencies, layers, notebooks and tests belong together."""

import ast
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from nnbr_core.paths import project_root

ROOT = project_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TAGS = {"parameters", "nbval-check-output", "nbval-ignore-output", "nbval-skip"}
MAX_NOTEBOOK = 300_000  # bytes
MAX_LINES = 12  # of a code cell

# A module imports only from its own layer or those above it in this list.
LAYERS = [
    {"errors", "paths"},
    {"data"},
    {"metrics", "evaluation", "significance"},
    {"batching", "kernels", "masking", "swapping"},
    {"training", "btbr_settings", "transformer", "btbr", "explain"},
    {"baselines"},
    {"experiments"},
    {"show", "bench"},
    {"commands"},
    {"__main__"},
]


def test_environment_lists_the_dependencies_of_the_project():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
    assert sorted(pip) == sorted([*wanted, "--editable ."])
    assert f"python{PROJECT['requires-python']}" in environment["dependencies"]


def test_every_dependency_is_locked_and_no_index_is_named():
    lock = (ROOT / "requirements.txt").read_text()
    locked = {line.split("==")[0] for line in lock.splitlines() if "==" in line}
    for wanted in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]:
        assert wanted.replace(">", "=").split("=")[0] in locked
    assert "://" not in lock and "--index" not in lock


def layer_of(module: str) -> int:
    name = module.split(".")[1]
    return next(i for i, layer in enumerate(LAYERS) if name in layer)


def imports(path: Path) -> set[str]:
    """The modules of this package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nnbr_core"):
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= set(below) if node.module == "nnbr_core" else {node.module}
    return found


MODULES = sorted((ROOT / "nnbr_core").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_import_only_from_above(path):
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    if module == "nnbr_core.__init__":
        assert imports(path) == set()
        return
    assert all(layer_of(other) <= layer_of(module) for other in imports(path))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_has_a_test_file(path):
    if path.name == "__init__.py":
        return
    tests = {test.stem for test in (ROOT / "tests").glob("test_*.py")}
    own = "bench" if path.parent.name == "bench" else path.stem.strip("_")
    assert f"test_{own}" in tests


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_follows_the_house_rules(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert notebook.cells[0].source.startswith("# ")
    assert notebook.cells[1].metadata.tags == ["parameters"]
    assert {"dataset", "profile", "folds", "seed"} <= {
        line.split(" = ")[0] for line in notebook.cells[1].source.splitlines()
    }
    assert code[1].source.startswith(("import", "from")) and "begin(globals())" in code[1].source
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for cell in code:
        assert len(cell.source.splitlines()) <= MAX_LINES
        nodes = ast.walk(ast.parse(cell.source))
        assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in nodes)
        assert set(cell.metadata.get("tags", [])) <= TAGS
        assert not any(o.output_type == "error" or o.get("name") == "stderr" for o in cell.outputs)
    assert any("nbval-check-output" in cell.metadata.get("tags", []) for cell in code)
    assert path.stat().st_size < MAX_NOTEBOOK
    assert "widgets" not in notebook.metadata
