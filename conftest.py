"""For all tests, those in docstrings too: what one of them registers, the next does not see."""

from collections.abc import Iterator

import pytest
from _pytest.doctest import DoctestItem


@pytest.fixture(autouse=True)
def registries_as_before() -> Iterator[None]:
    from nnbr_core.runs.own_code import REGISTRIES

    before = {kind: dict(registry) for kind, registry in REGISTRIES.items()}
    yield
    for kind, registry in REGISTRIES.items():
        registry.clear()
        registry.update(before[kind])


@pytest.fixture(autouse=True)
def examples_elsewhere(request, tmp_path, monkeypatch) -> None:
    """Examples keep their records and weights in a folder of their own."""
    if isinstance(request.node, DoctestItem):
        monkeypatch.setattr("nnbr_core.paths.weights", lambda: tmp_path / "weights")
        monkeypatch.setenv("NNBR_RUNS", str(tmp_path / "runs"))
