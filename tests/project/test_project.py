"""The repository itself: dependencies, layers, notebooks and tests belong together."""

import ast
import re
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
MAX_NOTEBOOK = 600_000  # bytes
MAX_LINES = 12  # of a code cell
OWN_IDEA = "03_your_own_idea"  # where a function or class is the point

# A module imports only from its own layer or those above it in this list.
LAYERS = [
    {"errors", "paths", "settings", "devices", "pictures"},
    {"data"},
    {"metrics", "evaluation", "significance", "people"},
    {"batching", "masking", "swapping", "losses"},
    {"baselines.api"},  # the contract of all models
    {"own"},  # somebody's own masks, swaps and models
    {"training", "btbr_settings", "network", "btbr", "explain"},
    {"baselines", "btbr_recent"},
    {"runs"},
    {"analysis"},
    {"figures"},
    {"widgets", "notebooks", "bench", "workbench"},
    {"reports", "gallery", "exports"},
    {"commands", "record_commands"},
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
    _, *names = module.split(".")
    known = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    return known.get(".".join(names[:2]), known.get(names[0]))


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


def test_every_package_has_a_folder_of_tests():
    packages = {path.parent.name for path in (ROOT / "nnbr_core").glob("*/__init__.py")}
    folders = {path.name for path in (ROOT / "tests").glob("*/") if any(path.glob("test_*.py"))}
    assert folders == packages - {"bench"} | {"core", "notebooks", "project"}
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert len(names) == len(set(names))  # pytest imports them by these
    assert not list((ROOT / "tests").glob("test_*.py"))


def mapped() -> dict[str, Path | None]:
    """Every file and folder that a row of the README's map names, and where it is."""
    section = (ROOT / "README.md").read_text().split("## The map")[1].split("\n## ")[0]
    found = {}
    for row in (line for line in section.splitlines() if line.startswith("| `")):
        names = [one for one in re.findall("`(.+?)`", row) if one.endswith((".py", "/"))]
        first = ROOT / names[0]
        places = [ROOT, ROOT / "nnbr_core", first if first.is_dir() else first.parent]
        for name in names:
            found[name] = next((at / name for at in places if (at / name).exists()), None)
    return found


def test_the_map_of_the_readme_leads_to_files_that_exist():
    found = mapped()
    assert [name for name, path in found.items() if path is None] == []
    packages = {path.parent for path in (ROOT / "nnbr_core").glob("*/__init__.py")}
    assert packages - set(found.values()) <= {ROOT / "nnbr_core" / "bench"}


NEWCOMERS_MINUTE = {  # what somebody looks for, and the file that has it
    "the swap heatmap": ("nnbr_core/figures/runs.py", "def swap_heatmap"),
    "the threshold of a verdict": ("nnbr_core/significance.py", "MARGIN ="),
    "the list of runs behind rq2": ("nnbr_core/analysis/methods.py", "def strategies"),
    "the loss": ("nnbr_core/losses.py", "def catalogue_loss"),
    "a repeat item in basket_explore": ("nnbr_core/masking.py", "basket_explore"),
}


@pytest.mark.parametrize("looked_for", NEWCOMERS_MINUTE)
def test_the_map_names_the_file_that_a_newcomer_looks_for(looked_for):
    path, line = NEWCOMERS_MINUTE[looked_for]
    assert ROOT / path in mapped().values()
    assert line in (ROOT / path).read_text()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_is_probed_for_what_the_protocol_promises(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    named = [(call.func.id, len(call.args)) for call in calls if isinstance(call.func, ast.Name)]
    assert not [call for call in named if call[0] == "hasattr" or call == ("getattr", 3)]


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
        has_idea = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in nodes)
        assert not has_idea or path.stem == OWN_IDEA
        assert set(cell.metadata.get("tags", [])) <= TAGS
        assert not any(o.output_type == "error" or o.get("name") == "stderr" for o in cell.outputs)
    assert any("nbval-check-output" in cell.metadata.get("tags", []) for cell in code)
    assert path.stat().st_size < MAX_NOTEBOOK
    assert "widgets" not in notebook.metadata
