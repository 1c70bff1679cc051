"""The reports, from records alone: pages of Markdown, and figures beside them.

No data is needed: what is to be known about a dataset lies in reports/datasets. The same
records give the same bytes.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import plotly.graph_objects as go

from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.experiments.ablations import strict_order
from nnbr_core.experiments.claims import Finding, judge, judge_across
from nnbr_core.experiments.facts import Facts, measure, read_facts, write_facts
from nnbr_core.experiments.methods import baselines
from nnbr_core.experiments.runs import data_for
from nnbr_core.experiments.study import Study
from nnbr_core.show.images import write_svgs
from nnbr_core.show.report_index import Found, index
from nnbr_core.show.report_notes import notes
from nnbr_core.show.report_page import page
from nnbr_core.show.report_summary import summary, with_summary

DATASETS = ("tafeng", "dunnhumby", "instacart", "completejourney")
PLAIN = Recipe()
WINDOWS = {"dunnhumby": Recipe(window_weeks=8)}  # once more, in more sequences
STUDIED = (*((name, PLAIN) for name in DATASETS), *WINDOWS.items())


@dataclass(frozen=True)
class Recorded(Study):
    """A study of records alone: the data is not looked for, and nothing is trained."""

    @property
    def noted(self) -> str:
        """The name that its facts are recorded under."""
        return f"{self.dataset}_windows" if self.recipe.window_weeks else self.dataset

    @cached_property
    def facts(self) -> Facts:
        return read_facts(self.noted)


def recorded(dataset: str, recipe: Recipe = PLAIN) -> Recorded:
    """All folds of a dataset in the paper's setting."""
    one = Recorded(dataset, "paper", train_missing=False, recipe=recipe)
    return replace(one, folds=one.facts.n_folds)


def refresh_facts() -> None:
    """Measure again what is recorded about the datasets that are here."""
    for dataset, recipe in STUDIED:
        study = Recorded(dataset, "paper", recipe=recipe)
        try:
            baskets = data_for(study.config("popularity", 0))
        except InputError:
            continue
        write_facts(study.noted, measure(baskets))


@dataclass(frozen=True)
class Report:
    """Everything to be written, by file name."""

    pages: dict[str, str]
    figures: dict[str, go.Figure]
    summary: str  # for the project's README


def _beyond(name: str, windows: Study) -> list[Finding]:
    """What windows of a dataset say about what the paper does not ask."""
    found = [one for one in judge(windows) if one.claim.question == "beyond"]
    return [replace(one, dataset=f"{name} in windows") for one in found]


def report() -> Report:
    studies = {dataset: recorded(dataset) for dataset in DATASETS}
    windows = {dataset: recorded(dataset, recipe) for dataset, recipe in WINDOWS.items()}
    findings = {name: judge(study) for name, study in studies.items()}
    pages, figures = {}, {}
    for name, study in studies.items():
        made = page(study, findings[name], windows.get(name))
        pages[f"{name}.md"] = made.text
        figures |= {f"figures/{figure}.svg": drawn for figure, drawn in made.figures.items()}
    order = {name: strict_order(study) for name, study in studies.items()}
    beyond = [finding for name, study in windows.items() for finding in _beyond(name, study)]
    found = Found(
        findings,
        judge_across(list(studies.values())),
        order,
        studies["tafeng"].row(baselines()["popularity"]),
        beyond,
    )
    pages["README.md"] = index(found)
    pages["reproducibility.md"] = notes(studies)
    return Report(pages, figures, summary(studies, findings, order, beyond))


def write_pages(made: Report, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.pages.items():
        (folder / name).write_text(text)


def write_summary(made: Report, readme: Path) -> None:
    readme.write_text(with_summary(readme.read_text(), made.summary))


def write_figures(made: Report, folder: Path) -> list[Path]:
    """Draw what has changed; files of figures that are no longer shown are removed."""
    wanted = {folder / name: figure for name, figure in made.figures.items()}
    for path in (folder / "figures").glob("*.svg"):
        if path not in wanted:
            path.unlink()
    return write_svgs(wanted)
