"""A static picture of every figure, drawn by plotly itself in a browser without a window.

nbconvert, code hosts and mail programs show nothing where an output holds only plotly's JSON. So
a notebook displays every figure together with its picture, and everything else that needs one
(reports, exports) takes the same. Where there is no Chromium, figures stay interactive only.

Each picture carries a stamp of the figure it shows: a file is written again only if that changed.
"""

import asyncio
import atexit
import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
from choreographer.browsers.chromium import Chromium
from kaleido import Kaleido
from plotly.io.base_renderers import MimetypeRenderer

from nnbr_core.errors import InputError
from nnbr_core.paths import project_root

PLOTLY = "application/vnd.plotly.v1+json"  # a figure in the output of a cell
SVG = "image/svg+xml"  # its picture, beside it
RENDERER = "nnbr_picture"
NO_BROWSER = (
    "No Chromium or Chrome is found: figures are interactive here, but carry no static picture "
    "for other formats."
)
WIDTH, HEIGHT = 900, 450  # of figures that do not say
PATIENCE = 60.0  # seconds to wait for the browser
DIGITS = 6  # of numbers in a stamp: the last bits of a mean differ between processors
STAMP = re.compile(r"<!-- ([0-9a-f]{16}) -->")


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


def _finished(svg: str, stamped: str) -> str:
    """Stamped, and with names made from the stamp in place of plotly's random ones.

    Several pictures stand in one page: a name must be the same every time, and no other's.
    """
    for number, name in enumerate(dict.fromkeys(re.findall(r"(?:defs-|trace)([0-9a-f]{6})", svg))):
        own = hashlib.sha256(f"{stamped} {number}".encode()).hexdigest()[: len(name)]
        svg = svg.replace(name, own)
    return re.sub(r"^(<svg[^>]*>)", rf"\1<!-- {stamped} -->", svg, count=1) + "\n"


class Browser:
    """One Chromium for all pictures of a process, in a thread with an event loop of its own.

    A kernel's own loop is busy with the cell that displays the figure.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        Thread(target=self.loop.run_forever, daemon=True).start()
        self.opened = asyncio.run_coroutine_threadsafe(self._open(), self.loop)
        atexit.register(self.close)

    async def _open(self) -> Kaleido:
        kaleido = Kaleido(n=1, mathjax=False, timeout=PATIENCE)
        await kaleido.open()
        return kaleido

    def draw(self, figure: go.Figure) -> str:
        size = {"width": figure.layout.width or WIDTH, "height": figure.layout.height or HEIGHT}
        work = self.opened.result(PATIENCE).calc_fig(figure, opts={"format": "svg", **size})
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE).decode()

    def close(self) -> None:
        if self.opened.done() and not self.opened.exception():
            closing = self.opened.result().close()
            asyncio.run_coroutine_threadsafe(closing, self.loop).result(PATIENCE)


@cache
def has_browser() -> bool:
    return bool(Chromium.find_browser(skip_local=False))


@cache
def browser() -> Browser:
    """The browser of this process, started the first time that something is to be drawn."""
    if not has_browser():
        raise InputError(NO_BROWSER)
    return Browser()


@cache
def _drawn_before() -> dict[str, Path]:
    """The pictures of the reports by their stamps: what has not changed is not drawn again."""
    paths = (project_root() / "reports" / "figures").glob("*.svg")
    found = {path: STAMP.search(path.read_text()) for path in paths}
    return {stamped[1]: path for path, stamped in found.items() if stamped}


def picture(figure: go.Figure) -> str:
    """A figure as SVG: the same text for the same figure."""
    stamped = stamp(figure)
    before = _drawn_before().get(stamped)
    if before is not None and before.is_file():
        return before.read_text()
    return _finished(browser().draw(figure), stamped)


class _Picture(MimetypeRenderer):
    """What plotly adds to the output of a cell that shows a figure."""

    def to_mimebundle(self, fig_dict: dict) -> dict[str, str]:
        return {SVG: picture(go.Figure(fig_dict))}


def keep_pictures() -> str:
    """From now on figures are displayed with a picture; returns a sentence if they cannot be."""
    if not has_browser():
        plotly.io.renderers.default = "plotly_mimetype"
        return NO_BROWSER
    plotly.io.renderers[RENDERER] = _Picture()
    plotly.io.renderers.default = f"plotly_mimetype+{RENDERER}"
    return ""


def write_pictures(pictures: Mapping[Path, str]) -> list[Path]:
    """Write those whose figure has changed since; returns the files written."""
    written = []
    for path, svg in pictures.items():
        before = STAMP.search(path.read_text()) if path.is_file() else None
        if before is None or before[1] not in STAMP.findall(svg):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(svg)
            written.append(path)
    return written
