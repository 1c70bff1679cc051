"""Everything that a notebook shows, as files: its tables as CSV and LaTeX, its figures as SVG."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError

from nnbr_core.errors import InputError
from nnbr_core.figures.export import CSV, LATEX
from nnbr_core.notebooks import SharedKernel, all_notebooks, named_notebook
from nnbr_core.pictures import SVG

ENDINGS = {CSV: ".csv", LATEX: ".tex", SVG: ".svg"}
FIRST = "from nnbr_core.figures.export import keep_tables; keep_tables()"
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LONGEST = 40  # characters of a heading in the name of a file


def notebook_of(name: str) -> Path:
    """A notebook by its name, or by the experiment it starts with: rq1 is rq1_baselines."""
    names = {path.stem: path for path in all_notebooks()}
    short = {stem.split("_")[0]: path for stem, path in names.items() if stem.startswith("rq")}
    return short[name] if name in short else named_notebook(name)


def contents(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, str]]:
    """File name and text of every table and figure, numbered and named after its heading."""
    heading, number = "", 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (HEADING.findall(cell.source) or [heading])[-1]
        for output in cell.get("outputs", []):
            found = {kind: output.get("data", {}).get(kind) for kind in ENDINGS}
            number += any(found.values())
            slug = re.sub(r"\W+", "_", heading.lower()).strip("_")[:LONGEST]
            for kind, text in found.items():
                if text:
                    yield f"{number:02d}_{slug}{ENDINGS[kind]}", text


def export(name: str, dataset: str, folder: Path) -> list[Path]:
    """Run a notebook on what is recorded of a dataset, and write what it shows into a folder."""
    path = notebook_of(name)
    parameters = {"dataset": dataset, "train_missing": False}
    written = []
    with SharedKernel() as kernel:
        try:
            executed = kernel.execute(path, parameters, FIRST)
        except CellExecutionError as error:
            raise InputError(f"{path.name}: {error.evalue}") from None
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in contents(executed):
        written.append(folder / f"{path.stem}_{dataset}_{file}")
        written[-1].write_text(text, encoding="utf-8")
    return written
