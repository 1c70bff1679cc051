"""The pages of reports/: executed notebooks as Markdown, and an index that opens with the outcomes.

No data is needed: pages are made from records, and from what reports/datasets says about the
data behind them. The notebooks are the authors; nothing here writes a table of its own.
"""

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

from nnbr_core.analysis.claims import QUESTIONS
from nnbr_core.analysis.findings import Finding, judge, judge_across
from nnbr_core.analysis.methods import every_row
from nnbr_core.analysis.outcomes import THRESHOLDS
from nnbr_core.analysis.rows import CHOICE
from nnbr_core.analysis.study import Study
from nnbr_core.data.sources import SOURCES
from nnbr_core.errors import InputError
from nnbr_core.figures import claims, sentences, tables
from nnbr_core.notebooks import SharedKernel, named_notebook
from nnbr_core.pictures import NO_BROWSER, PLOTLY, SVG, has_browser, picture, write_pictures
from nnbr_core.runs.dataset_facts import facts_path, measure_for, read_facts, write_facts

DATASETS = ("tafeng", "dunnhumby", "instacart", "completejourney")
JUDGED = ("tafeng", "dunnhumby", "instacart")  # one for each of the paper's datasets
DEMONSTRATION = ("completejourney",)  # simulated rows: shown, and counted nowhere
PAGES = (
    "rq1_baselines",
    "rq2_masking",
    "rq3_swap",
    "rq4_mask_ratio",
    "rq5_joint",
    "ablations",
    "claims",
)
ONCE = {"differences": "tafeng"}  # pages about one dataset only
STYLE = re.compile(r"<style.*?</style>\s*", re.DOTALL)
BEGIN, END = "<!-- written by `python -m nnbr_core report` -->", "<!-- end of it -->"


def recorded(dataset: str) -> Study:
    """All folds of a dataset in the paper's setting; nothing is trained."""
    one = Study(dataset, "paper", train_missing=False)
    return one.over(read_facts(dataset).n_folds)


def present() -> list[str]:
    """The datasets that something is recorded about."""
    return [name for name in DATASETS if facts_path(name).is_file()]


def refresh_facts() -> None:
    """Measure again what is recorded about the datasets that are here and have records."""
    for dataset in DATASETS:
        study = Study(dataset, "paper", train_missing=False)
        try:
            if study.has_records:
                write_facts(dataset, measure_for(study.config("popularity", 0)))
        except InputError:
            continue  # its data is not here: what was measured before stands


def to_markdown(notebook: nbformat.NotebookNode, prefix: str) -> tuple[str, dict[str, str]]:
    """A page without input cells, and its pictures by file name, in the order they come."""
    pictures: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PLOTLY in data:
                name = f"figures/{prefix}_{len(pictures) + 1}.svg"
                pictures[name] = data[SVG]
                output["data"] = {"text/markdown": f"![{_title(data[PLOTLY])}](../{name})"}
            elif "text/html" in data:
                data["text/html"] = STYLE.sub("", data["text/html"])
    page, _ = MarkdownExporter(exclude_input=True).from_notebook_node(notebook)
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n", pictures


def _title(figure: Mapping) -> str:
    title = figure.get("layout", {}).get("title", {}).get("text") or "figure"
    return re.sub(r"<.*?>", " ", title)


def page(kernel: SharedKernel, name: str, dataset: str) -> tuple[str, dict[str, str]]:
    """One notebook on one dataset: its text and its pictures."""
    parameters = {"dataset": dataset, "profile": "paper", "train_missing": False}
    executed = kernel.execute(named_notebook(name), parameters)
    return to_markdown(executed, f"{dataset}_{name}")


def _links(datasets: Sequence[str]) -> str:
    lines = []
    for dataset in datasets:
        names = [*PAGES, *(name for name, own in ONCE.items() if own == dataset)]
        pages = ", ".join(f"[{name}]({dataset}/{name}.md)" for name in names)
        note = " A demonstration, no evidence." if dataset in DEMONSTRATION else ""
        lines.append(f"- {dataset}, {SOURCES[dataset].what}.{note} {pages}")
    return "\n".join(lines)


def _findings(found: Mapping[str, Sequence[Finding]]) -> str:
    """One line per claim and dataset, by question."""
    parts = []
    for question, (asked, _) in QUESTIONS.items():
        own = [one for findings in found.values() for one in findings]
        own = [one for one in own if one.claim.question == question]
        lines = [
            f"- {one.claim.id}, {one.claim.text}. {sentences.finding_sentence(one)}" for one in own
        ]
        if own:
            head = f"<details><summary>{asked} {sentences.counts(own)}</summary>"
            parts.append("\n".join([head, "", *lines, "", "</details>"]))
    return "\n\n".join(parts)


def judged(datasets: Sequence[str]) -> dict[str, list[Finding]]:
    """What is found on each dataset that stands for one of the paper's, and across them."""
    studies = {name: recorded(name) for name in datasets if name in JUDGED}
    found = {name: judge(study) for name, study in studies.items()}
    return found | {"across": [judge_across(list(studies.values()))]} if found else {}


def index(datasets: Sequence[str], found: Mapping[str, Sequence[Finding]]) -> str:
    every = [one for findings in found.values() for one in findings]
    parts = [
        "# What was found",
        f"{len(every)} claims: {sentences.counts(every)}",
        "![What became of the paper's claims](figures/outcomes.svg)",
        THRESHOLDS,
        _findings(found),
        f"## {CHOICE} of all methods",
        tables.overview({name: recorded(name).rows(every_row()) for name in datasets}, CHOICE),
        "Means over test users ± half of a 95 % interval; a column is about the same users.",
        "## All pages",
        _links(datasets),
        "Every page is a notebook that was run on the records in `runs/`: `make reports`.",
    ]
    return "\n\n".join(parts) + "\n"


def summary(found: Mapping[str, Sequence[Finding]]) -> str:
    """What we found, for the project's README."""
    every = [one for findings in found.values() for one in findings]
    beyond = [one for one in every if one.claim.question == "beyond"]
    lines = [f"- {one.claim.text}: {sentences.finding_sentence(one)}" for one in beyond]
    head = f"Of {len(every)} claims of the paper and our own: {sentences.counts(every)}"
    return "\n\n".join(
        [head, "\n".join(lines), "All of them, with every table: [reports](reports/README.md)."]
    )


def write_dataset(dataset: str, folder: Path) -> dict[str, str]:
    """Write all pages of a dataset; returns their pictures."""
    pictures = {}
    with SharedKernel() as kernel:
        for name in [*PAGES, *(name for name, own in ONCE.items() if own == dataset)]:
            print(f"{dataset}: {name}", flush=True)
            text, drawn = page(kernel, name, dataset)
            pictures |= drawn
            path = folder / dataset / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return pictures


def write_reports(folder: Path, readme: Path | None = None) -> list[Path]:
    """Write all pages and figures into a folder; returns the pictures that have changed."""
    if not has_browser():
        raise InputError(NO_BROWSER)
    datasets, pictures = present(), {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each thread waits for a kernel of its own
        made = pool.map(lambda dataset: write_dataset(dataset, folder), datasets)
        found = judged(datasets)
        for drawn in made:
            pictures |= drawn
    pictures["figures/outcomes.svg"] = picture(claims.outcome_matrix(found))
    (folder / "README.md").write_text(index(datasets, found))
    if readme:
        readme.write_text(with_summary(readme.read_text(), summary(found)))
    wanted = {folder / name: svg for name, svg in pictures.items()}
    for path in (folder / "figures").glob("*.svg"):
        if path not in wanted:
            path.unlink()
    return write_pictures(wanted)


def with_summary(readme: str, text: str) -> str:
    """The README with `text` between its two marks."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise InputError(f"README.md needs the lines {BEGIN} and {END}, once each")
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}"
