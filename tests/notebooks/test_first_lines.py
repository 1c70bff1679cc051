"""The lines that everybody types first: papermill, nbconvert, and a clone without any data."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from nnbr_core.gallery import about
from nnbr_core.notebooks import notebook_folder, write_page
from nnbr_core.pictures import PLOTLY, SVG
from nnbr_core.runs.dataset_facts import read_facts

LARGEST = 600_000  # bytes of a stored notebook


def papermilled(notebook: str, dataset: str, folder: Path, **environment: str) -> Path:
    """`papermill notebook out.ipynb -p dataset ...`, as typed inside notebooks/."""
    out = folder / f"{notebook}_{dataset}.ipynb"
    command = [sys.executable, "-m", "papermill", f"{notebook}.ipynb", str(out)]
    subprocess.run(
        [*command, "-p", "dataset", dataset, "--no-progress-bar"],
        cwd=notebook_folder(),
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    return out


def outputs(path: Path) -> list:
    notebook = nbformat.read(path, as_version=4)
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("typed")


@pytest.fixture(scope="module", params=["completejourney", "dunnhumby"])
def swaps(request, folder) -> tuple[str, Path]:
    return request.param, papermilled("rq3_swap", request.param, folder)


def test_plain_papermill_shows_what_is_recorded_in_full_size(swaps):
    dataset, path = swaps
    said = about(nbformat.read(path, as_version=4))
    facts = read_facts(dataset)
    assert said["about"].startswith(f"{dataset}: {facts.n_users:,} users")
    assert said["about"].endswith(f"{facts.n_folds} of {facts.n_folds} folds")
    assert not said["is_preview"]
    assert said["finding"]


@pytest.mark.needs("chromium")
def test_plain_nbconvert_keeps_every_picture(swaps):
    _, path = swaps
    drawn = [one for one in outputs(path) if PLOTLY in one.get("data", {})]
    assert len(drawn) >= 4 and all(SVG in one.data for one in drawn)
    convert = [sys.executable, "-m", "nbconvert", "--to", "html", str(path)]
    subprocess.run(convert, check=True, capture_output=True)
    page = path.with_suffix(".html").read_text()
    assert page.count('src="data:image/svg+xml;base64,') == len(drawn)
    assert path.stat().st_size < LARGEST


def test_one_page_holds_plotly_once_and_all_figures(swaps):
    _, path = swaps
    page = path.with_name("one.html")
    n_figures = write_page(path, page)
    text = page.read_text()
    assert n_figures == sum(PLOTLY in one.get("data", {}) for one in outputs(path)) >= 4
    assert text.count("Plotly.newPlot(") >= n_figures
    assert 3_000_000 < len(text) < 8_000_000  # plotly is four megabytes and a half
    assert not re.search(r'<script src="[^"]', text)  # all inline


def test_a_clone_without_data_shows_tafeng_from_its_records(folder, tmp_path):
    path = papermilled("rq2_masking", "tafeng", folder, NNBR_DATA=str(tmp_path / "nothing"))
    said = about(nbformat.read(path, as_version=4))
    assert said["about"] == "tafeng: 13,858 users, 3 of 3 folds"
    assert not said["is_preview"]
    tables = [one.data["text/html"] for one in outputs(path) if "text/html" in one.get("data", {})]
    assert any("basket_all" in table and "±" in table for table in tables)
