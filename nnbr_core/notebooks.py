"""Notebooks in batch: run with papermill, turned into pages that need no network."""

import tempfile
from pathlib import Path

import nbformat
import papermill
import plotly.io
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from plotly.offline import get_plotlyjs

from nnbr_core import paths
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.pictures import PLOTLY, SVG


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
                data.pop(SVG, None)  # the picture for those who cannot draw
                drawn.append(_figure_html(data.pop(PLOTLY)))
                data["text/html"] = drawn[-1]
    return drawn


def to_html(notebook: nbformat.NotebookNode, path: Path, script: str) -> list[str]:
    """Write a page that needs no network; `script` brings plotly. Returns the figures on it."""
    drawn = draw_figures(notebook)
    exporter = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.mathjax_url = exporter.require_js_url = exporter.jquery_url = ""
    page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": path.stem}})
    path.write_text(page.replace("<head>", f"<head>{script}", 1))
    return drawn


def write_page(notebook: Path, path: Path) -> int:
    """One page that holds all it needs, plotly once included; returns its number of figures."""
    try:
        content = nbformat.read(notebook, as_version=4)
    except OSError as error:
        raise InputError(f"{notebook} cannot be read: {error.strerror}") from None
    except (ValueError, nbformat.ValidationError):  # NotJSONError is a ValueError
        raise InputError(f"{notebook} is not a notebook") from None
    return len(to_html(content, path, f"<script>{get_plotlyjs()}</script>"))


def question(notebook: Path) -> str:
    """The first line of a notebook, which asks what it answers."""
    return nbformat.read(notebook, as_version=4).cells[0].source.splitlines()[0].lstrip("# ")


class SharedKernel:
    """One kernel for many notebooks, each in a clean namespace.

    Starting a kernel and importing torch takes seconds, and what one notebook has read of the
    records, the next need not read again.
    """

    def __enter__(self) -> "SharedKernel":
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(notebook_folder()))
        return self

    def __exit__(self, *error: object) -> None:
        self.manager.shutdown_kernel()  # not at once: it closes its browser first

    def execute(self, notebook: Path, parameters: dict, first: str = "") -> nbformat.NotebookNode:
        """The executed copy; nothing is written. A failing cell raises with its error.

        `first` is code to run before the notebook.
        """
        check_names(notebook, parameters)
        copy = parameterize_notebook(load_notebook_node(str(notebook)), parameters)
        copy.cells.insert(0, nbformat.v4.new_code_cell(f"%reset -f\n{first}"))
        NotebookClient(copy, km=self.manager, timeout=None).execute()
        is_input = [_is_injected(cell) for cell in copy.cells]
        copy.cells = [c for c, skip in zip(copy.cells, is_input, strict=True) if not skip][1:]
        return copy


def _is_injected(cell: nbformat.NotebookNode) -> bool:
    return "injected-parameters" in cell.metadata.get("tags", [])


def execute(notebook: Path, copy: Path, parameters: dict) -> None:
    papermill.execute_notebook(
        str(notebook),
        str(copy),
        parameters,
        cwd=str(notebook.parent),
        kernel_name="python3",
        store_widget_state=False,
    )


def store_outputs(notebook: Path) -> None:
    """Run a notebook with its defaults and keep its outputs in place.

    Only what a reader needs stays: no timings, no widget state, no names of this machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / notebook.name
        execute(notebook, copy, {})
        executed = nbformat.read(copy, as_version=4)
    for cell in executed.cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
    executed.metadata = nbformat.read(notebook, as_version=4).metadata
    nbformat.write(executed, notebook)
