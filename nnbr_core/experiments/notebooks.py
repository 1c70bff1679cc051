"""Notebooks in batch: run with papermill, turned into pages that need no network."""

import html
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
import plotly.io
from nbconvert import HTMLExporter
from papermill.exceptions import PapermillExecutionError
from plotly.offline import get_plotlyjs

from nnbr_core import paths
from nnbr_core.errors import InputError, choose, nearest

PLOTLY = "application/vnd.plotly.v1+json"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>nnbr gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; }}
article {{ border-top: 1px solid #ccc; padding: 1rem 0; }} h2 {{ margin: 0; font-size: 1.2rem; }}
.failed {{ color: #a2340b; }}
.figure {{ overflow-x: auto; }} .figure .plotly-graph-div {{ min-width: 36rem; }}
small {{ color: #555; }}
</style><script src="plotly.min.js"></script></head><body><h1>{title}</h1>{articles}</body></html>
"""


@dataclass(frozen=True)
class Done:
    """One notebook after its run."""

    name: str
    title: str
    seconds: float
    error: str  # empty if it ran to the end
    figure: str  # HTML of its first figure, or nothing


def notebook_folder() -> Path:
    return paths.project_root() / "notebooks"


def all_notebooks() -> list[Path]:
    return sorted(notebook_folder().glob("*.ipynb"))


def named_notebook(name: str) -> Path:
    found = {path.stem: path for path in all_notebooks()}
    return found[choose("notebook", name.removesuffix(".ipynb"), found)]


def check_names(notebook: Path, parameters: dict) -> None:
    """Raise if the notebook has no such parameter; papermill would only warn."""
    known = papermill.inspect_notebook(str(notebook))
    for name in parameters:
        if name not in known:
            raise InputError(f"{notebook.name} has no parameter {name!r}: {nearest(name, known)}")


def _figure_html(figure: dict) -> str:
    size = figure.get("layout", {}).get("height", 450)
    return plotly.io.to_html(
        figure, include_plotlyjs=False, full_html=False, default_height=f"{size}px"
    )


def draw_figures(notebook: nbformat.NotebookNode) -> list[str]:
    """Replace plotly's data by HTML that draws it, in place; nbconvert would drop it silently."""
    drawn = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PLOTLY in data:
                drawn.append(_figure_html(data.pop(PLOTLY)))
                data["text/html"] = drawn[-1]
    return drawn


def to_html(notebook: nbformat.NotebookNode, path: Path) -> list[str]:
    """Write a page that works offline beside plotly.min.js; returns the figures drawn on it."""
    drawn = draw_figures(notebook)
    exporter = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.mathjax_url = exporter.require_js_url = exporter.jquery_url = ""
    page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": path.stem}})
    path.write_text(page.replace("<head>", '<head><script src="plotly.min.js"></script>', 1))
    return drawn


def question(notebook: Path) -> str:
    """The first line of a notebook, which asks what it answers."""
    return nbformat.read(notebook, as_version=4).cells[0].source.splitlines()[0].lstrip("# ")


def _execute(notebook: Path, copy: Path, parameters: dict) -> None:
    papermill.execute_notebook(
        str(notebook),
        str(copy),
        parameters,
        cwd=str(notebook.parent),
        kernel_name="python3",
        store_widget_state=False,
    )


def run_notebook(notebook: Path, parameters: dict, folder: Path) -> Done:
    """Run one notebook into `folder`: executed copy and page, also if it fails on the way."""
    check_names(notebook, parameters)
    copy = folder / notebook.name
    started, error = time.perf_counter(), ""
    try:
        _execute(notebook, copy, parameters)
    except PapermillExecutionError as failure:
        error = f"{failure.ename}: {failure.evalue}"
    executed = nbformat.read(copy, as_version=4)
    drawn = to_html(executed, folder / f"{notebook.stem}.html")
    seconds = time.perf_counter() - started
    return Done(notebook.stem, question(notebook), seconds, error, drawn[0] if drawn else "")


def store_outputs(notebook: Path) -> None:
    """Run a notebook with its defaults and keep its outputs in place.

    Only what a reader needs stays: no timings, no widget state, no names of this machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / notebook.name
        _execute(notebook, copy, {})
        executed = nbformat.read(copy, as_version=4)
    for cell in executed.cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
    executed.metadata = nbformat.read(notebook, as_version=4).metadata
    nbformat.write(executed, notebook)


def _article(done: Done) -> str:
    state = f'<p class="failed">{html.escape(done.error)}</p>' if done.error else ""
    return (
        f'<article><h2><a href="{done.name}.html">{html.escape(done.title)}</a></h2>'
        f"<small>{done.name}, {done.seconds:.0f} s</small>{state}"
        f'<div class="figure">{done.figure}</div></article>'
    )


def gallery(notebooks: list[Path], parameters: dict, folder: Path) -> list[Done]:
    """Run all of them, go on after a failure, and write an index page; returns what happened.

    Each gets those of the parameters it has; one that no notebook has is refused.
    """
    known = {path: papermill.inspect_notebook(str(path)) for path in notebooks}
    for name in parameters:
        if not any(name in names for names in known.values()):
            everything = {n for names in known.values() for n in names}
            raise InputError(f"no notebook has a parameter {name!r}: {nearest(name, everything)}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plotly.min.js").write_text(get_plotlyjs())
    results = []
    for number, notebook in enumerate(notebooks, start=1):
        print(f"[{number}/{len(notebooks)}] {notebook.stem}", flush=True)
        own = {name: value for name, value in parameters.items() if name in known[notebook]}
        results.append(run_notebook(notebook, own, folder))
    title = f"nnbr on {html.escape(str(parameters.get('dataset', 'the default data')))}"
    articles = "".join(map(_article, results))
    (folder / "index.html").write_text(PAGE.format(title=title, articles=articles))
    return results
