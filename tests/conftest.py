"""What every test may use: a tiny dataset worked out by hand, and a rule about skipping."""

import os
import shutil
from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings
from lab import Lab, running_lab

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Fold, split
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError

BROWSER = "chromium"
settings.register_profile("busy", deadline=None)  # how long a case takes says nothing here
settings.load_profile("busy")
torch.set_num_threads(1)  # small models: a second thread costs more than it brings


def absent(name: str) -> str:
    """Why this test cannot run here, or nothing."""
    if name == BROWSER:
        return "" if shutil.which(BROWSER) else f"{BROWSER} is not installed"
    try:
        SOURCES[name].files(Recipe())
    except InputError as error:
        return str(error)
    return ""


def pytest_runtest_setup(item):
    for marker in item.iter_markers("needs"):
        if reason := absent(marker.args[0]):
            pytest.skip(f"needs {marker.args[0]}: {reason}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """A skip is fine only where something is missing.

    NNBR_NO_SKIPS names what is there, such as "chromium", or "everything": a test that was
    skipped for want of it is a failure.
    """
    present = os.environ.get("NNBR_NO_SKIPS", "nothing")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    wrong = [
        report.nodeid
        for report in skipped
        if present == "everything"
        or "needs " not in str(report.longrepr)
        or f"needs {present}" in str(report.longrepr)
    ]
    if wrong and exitstatus == 0:
        reporter.write_line(f"skipped without need: {', '.join(wrong)}", red=True)
        session.exitstatus = 1


@pytest.fixture
def three() -> Baskets:
    """Three users. A re-buys 1 and tries 3; B tries 0 and 2; C repeats all of the last basket."""
    return Baskets.from_lists(
        [
            [[0, 1], [1, 2], [1, 3]],
            [[1], [3], [0, 2]],
            [[0], [4], [0, 4]],
        ],
        user_ids=["A", "B", "C"],
    )


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture(scope="session")
def toy_fold() -> Fold:
    """200 users of the toy world."""
    return split(world(200).baskets, 0)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Prepared data, records, weights and locks go to a folder of this test alone."""
    monkeypatch.setattr("nnbr_core.paths.prepared_data", lambda: tmp_path / "prepared")
    monkeypatch.setattr("nnbr_core.paths.weights", lambda: tmp_path / "weights")
    monkeypatch.setenv("NNBR_RUNS", str(tmp_path / "runs"))
    return tmp_path


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """A real JupyterLab; tests/lab.py says how to use it."""
    with running_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def shown(monkeypatch):
    """What a cell would display, with somebody there to click."""
    things = []
    monkeypatch.setattr("nnbr_core.widgets._shared.display", things.append)
    monkeypatch.setenv("JPY_SESSION_NAME", "here.ipynb")
    return things
