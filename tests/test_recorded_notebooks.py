"""The paper's setting in the notebooks, from the committed records alone."""

import nbformat
import pytest

from nnbr_core import paths
from nnbr_core.experiments.facts import read_facts
from nnbr_core.experiments.notebooks import named_notebook, run_notebook
from nnbr_core.show.report import DATASETS

NAMES = ("rq1_baselines", "rq2_masking", "rq3_swap", "rq4_mask_ratio", "rq5_joint", "claims")


@pytest.mark.parametrize(
    "dataset", [pytest.param(name, marks=pytest.mark.needs(name)) for name in DATASETS]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_question_is_answered_without_training(name, dataset, tmp_path):
    parameters = {"dataset": dataset, "profile": "paper", "train_missing": False}
    parameters["folds"] = folds = read_facts(dataset).n_folds
    before = set(paths.runs().rglob("*.json"))
    done = run_notebook(named_notebook(name), parameters, tmp_path)
    assert done.error == ""
    assert set(paths.runs().rglob("*.json")) == before
    executed = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4)
    printed = [
        output.text
        for cell in executed.cells
        for output in cell.get("outputs", [])
        if "text" in output
    ]
    assert printed[0].startswith(f"{dataset}: ")
    assert f"{folds} of {folds} folds" in printed[0]
