"""Widgets remember what was chosen; tests start without memories."""

import pytest

from nnbr_core.widgets import _shared


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch):
    monkeypatch.setattr(_shared, "_chosen", {})
