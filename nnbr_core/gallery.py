"""A gallery: notebooks run in batch, one page each, and an index that says what they found."""

import html
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError
from plotly.offline import get_plotlyjs

from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError, nearest
from nnbr_core.figures.show import FINDING
from nnbr_core.notebooks import check_names, execute, question, to_html

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>nnbr gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; }}
article {{ border-top: 1px solid #ccc; padding: 1rem 0; }} h2 {{ margin: 0; font-size: 1.2rem; }}
.failed {{ color: #a2340b; }} .preview {{ border-left: 6px solid #e69f00; padding-left: .5em; }}
.figure {{ overflow-x: auto; }} .figure .plotly-graph-div {{ min-width: 36rem; }}
small {{ color: #555; }}
</style><script src="plotly.min.js"></script></head><body><h1>{title}</h1>{what}{articles}</body>
</html>
"""
PREVIEW_MARK = 'class="nnbr-preview"'  # of the banner that a preview begins with
BESIDE = '<script src="plotly.min.js"></script>'  # pages of a gallery share one copy


@dataclass(frozen=True)
class Done:
    """One notebook after its run."""

    name: str
    title: str
    seconds: float
    error: str  # empty if it ran to the end
    figure: str  # HTML of its first figure, or nothing
    about: str = ""  # users and folds, as its first line says
    finding: str = ""  # the last sentence that it computed for an index
    is_preview: bool = False


def _outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def about(notebook: nbformat.NotebookNode) -> dict:
    """What an executed notebook says of itself: users and folds, its finding, if a preview."""
    outputs = _outputs(notebook)
    printed = [one.text for one in outputs if one.get("name") == "stdout"]
    findings = [one.metadata[FINDING] for one in outputs if FINDING in one.get("metadata", {})]
    pages = [one.data["text/html"] for one in outputs if "text/html" in one.get("data", {})]
    return {
        "about": printed[0].splitlines()[0] if printed else "",
        "finding": findings[-1] if findings else "",
        "is_preview": any(PREVIEW_MARK in page for page in pages),
    }


def run_notebook(notebook: Path, parameters: dict, folder: Path) -> Done:
    """Run one notebook into `folder`: executed copy and page, also if it fails on the way."""
    check_names(notebook, parameters)
    copy = folder / notebook.name
    started, error = time.perf_counter(), ""
    try:
        execute(notebook, copy, parameters)
    except PapermillExecutionError as failure:
        error = f"{failure.ename}: {failure.evalue}"
    executed = nbformat.read(copy, as_version=4)
    drawn = to_html(executed, folder / f"{notebook.stem}.html", BESIDE)
    seconds = time.perf_counter() - started
    first = drawn[0] if drawn else ""
    return Done(notebook.stem, question(notebook), seconds, error, first, **about(executed))


def _article(done: Done) -> str:
    state = f'<p class="failed">{html.escape(done.error)}</p>' if done.error else ""
    if done.is_preview:
        state += '<p class="preview"><b>PREVIEW</b> few users, small models: nothing is judged</p>'
    if done.finding:
        state += f'<p class="finding">{html.escape(done.finding)}</p>'
    facts = ", ".join(filter(None, (done.name, done.about, f"{done.seconds:.0f} s")))
    return (
        f'<article><h2><a href="{done.name}.html">{html.escape(done.title)}</a></h2>'
        f"<small>{html.escape(facts)}</small>{state}"
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
    dataset = str(parameters.get("dataset", "the default data"))
    title = f"nnbr on {html.escape(dataset)}"
    what = f"<p>{html.escape(find_source(dataset).what)}</p>" if "dataset" in parameters else ""
    articles = "".join(map(_article, results))
    (folder / "index.html").write_text(PAGE.format(title=title, what=what, articles=articles))
    return results
