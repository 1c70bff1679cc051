"""Figures as SVG files: the notebooks' plotly figures, drawn by plotly itself in a browser.

A second drawing library would mean a second copy of every figure. The browser is the one that
the tests of the notebooks use (playwright with Debian's Chromium), and it needs no network.

Each file carries a stamp of the figure it was drawn from. A figure that has not changed is not
drawn again, and whether files are up to date can be checked without a browser.
"""

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from nnbr_core.errors import InputError

BROWSER = "chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDTH = 900
DIGITS = 6  # of numbers in a stamp: the last bits of a mean differ between processors
DRAW = "([figure, size]) => Plotly.toImage(figure, {...size, format: 'svg', imageDataOnly: true})"


def _plain(value: Any) -> Any:
    """The same figure as lists, dicts and rounded numbers."""
    if isinstance(value, Mapping) and "bdata" in value:  # plotly packs arrays
        packed = base64.b64decode(value["bdata"])
        return _plain(np.frombuffer(packed, dtype=value["dtype"]))
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else float(f"{value:.{DIGITS}g}")
    return value.item() if isinstance(value, np.generic) else value


def stamp(figure: go.Figure) -> str:
    """The same for the same picture."""
    text = json.dumps(_plain(figure.to_dict()), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_current(path: Path, figure: go.Figure) -> bool:
    """Was this file drawn from this figure?"""
    return path.is_file() and f"<!-- {stamp(figure)} -->" in path.read_text()


def _finished(svg: str, figure: go.Figure) -> str:
    """Stamped, and with numbers in place of the random names that plotly gives to parts."""
    names = dict.fromkeys(re.findall(r"(?:defs-|trace)([0-9a-f]{6})", svg))
    for number, name in enumerate(names):
        svg = svg.replace(name, f"{number:06d}")
    return re.sub(r"^(<svg[^>]*>)", rf"\1<!-- {stamp(figure)} -->", svg, count=1) + "\n"


def write_svgs(figures: dict[Path, go.Figure]) -> list[Path]:
    """Draw those figures whose files are not up to date; returns the files written."""
    todo = {path: one for path, one in figures.items() if not is_current(path, one)}
    if not todo:
        return []
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise InputError("drawing figures needs the test extra: pip install -e .[test]") from None
    if not (browser_path := shutil.which(BROWSER)):
        raise InputError(f"drawing figures needs {BROWSER}, for instance from your distribution")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=ARGUMENTS)
        page = browser.new_page()
        page.add_script_tag(content=get_plotlyjs())
        for path, one in todo.items():
            size = {"width": WIDTH, "height": one.layout.height}
            svg = page.evaluate(DRAW, [json.loads(one.to_json()), size])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_finished(svg, one))
        browser.close()
    return list(todo)
