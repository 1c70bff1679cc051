"""One dataset's page: the paper's questions in order, every table with the records behind it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import pandas as pd
import plotly.graph_objects as go

from nnbr_core.experiments import methods, questions
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import Evidence
from nnbr_core.experiments.facts import Facts
from nnbr_core.experiments.lineup import best_baseline, swap_pairs
from nnbr_core.experiments.study import CHOICE, Row, Study
from nnbr_core.show import markdown, record_plots, report_parts
from nnbr_core.show.claim_tables import claim_table
from nnbr_core.show.colours import NOVEL, REPEAT
from nnbr_core.show.plots import figure
from nnbr_core.show.tables import statistics_table

READING = (
    "Scores are means over folds of test users who bought something novel, with 95 % bootstrap "
    "intervals; in tests, users of several folds are averaged first. nDCG is `ndcg_code`, as the "
    "paper prints it. In the paper's columns the number in brackets is ours minus the paper's. "
    "Settings are chosen on validation users, within each fold. ¹ and ² mark the best and second "
    "best mean; the sentence below each table says whether a paired test can tell them apart. "
    '"Cannot be told apart" means that a difference is below the noise of these users.'
)


def repeat_figure(name: str, facts: Facts) -> go.Figure:
    """Repeat and novel share by basket number, from the recorded facts."""
    drawn = figure(
        f"{name}: repeat and novel items by basket number",
        "basket number",
        "share of the basket",
        yaxis={"range": [0, 1], "tickformat": ".0%"},
    )
    numbers = [int(number) for number in facts.repeat_by_number]
    repeat = list(facts.repeat_by_number.values())
    for label, colour, values in (
        ("repeat", REPEAT, repeat),
        ("novel", NOVEL, [1 - value for value in repeat]),
    ):
        drawn.add_scatter(x=numbers, y=values, name=label, mode="lines+markers", line_color=colour)
    return drawn


@dataclass(frozen=True)
class Page:
    """Text and figures of one dataset."""

    text: str
    figures: dict[str, go.Figure]  # by file name, without ending


def _title(study: Study) -> str:
    n_folds, n_users = study.facts.n_folds, study.facts.n_users
    return (
        f"# {study.name}\n\nRecords of {n_users:,} users, {n_folds} folds. Written by "
        "`python -m nnbr_core report`; [all findings](README.md), "
        f"[how they were made](reproducibility.md).\n\n{READING}"
    )


def _verdicts(study: Study, findings: list[Finding]) -> str:
    shown = claim_table(findings)
    behind = {f"{one.claim.id}, {one.claim.compared}": one.ids for one in findings}
    missing = [f"- {one.claim.id}: {'; '.join(one.missing)}" for one in findings if one.missing]
    parts = [markdown.table(shown), markdown.runs(behind, study.name)]
    if missing:
        parts.append(markdown.folded("What is missing", "\n".join(missing)))
    return "\n\n".join(parts)


class Material:
    """What a page is about, looked up once, and not before it is asked for."""

    def __init__(self, study: Study) -> None:
        self.study, self.name = study, study.name
        self.evidence = Evidence(study)
        self.rows = study.rows(self.evidence.methods)
        self.best_baseline = best_baseline(self.among(methods.baselines()))

    @cached_property
    def swaps(self) -> dict[str, pd.DataFrame]:
        return {
            masking: questions.scored(
                questions.swap_runs(self.study, masking), questions.BY_SWAP, CHOICE
            )
            for masking in methods.ITEM_LEVEL
        }

    @cached_property
    def ratios(self) -> pd.DataFrame:
        runs = questions.ratio_runs(self.study)
        return questions.scored(runs, questions.BY_RATIO, CHOICE, intervals=True)

    @cached_property
    def curves(self) -> pd.DataFrame:
        return questions.learning_curves(questions.curve_runs(self.study))

    def among(self, names: Iterable[str]) -> dict[str, Row]:
        return {name: self.rows[name] for name in names}

    def differences(self, pairs: list[tuple[Row, Row]]) -> str:
        return report_parts.differences(self.name, pairs)


def _baselines(about: Material) -> list[str]:
    rows, baselines = about.rows, about.among(methods.baselines())
    models = [n.removesuffix(", all") for n in methods.baselines() if n.endswith(", all")]
    return [
        "## RQ1: existing methods on novel items",
        report_parts.method_section(about.study, baselines),
        report_parts.unlearned(baselines),
        "Trained on novel labels (explore) against all labels:",
        about.differences([(rows[f"{m}, explore"], rows[f"{m}, all"]) for m in models]),
    ]


def _best_against_references(about: Material) -> list[str]:
    names = [*methods.strategies(), *methods.swapped()]
    best = about.evidence.best("BTBR", names, most_folds=True)
    return [
        f"The best BTBR by validation users is {best.method.name}:",
        about.differences([(best, row) for row in about.among(methods.references()).values()]),
    ]


def _references(about: Material) -> list[str]:
    return [
        "## Honest references, and whether the best BTBR beats them",
        report_parts.method_section(about.study, about.among(methods.references())),
        *_best_against_references(about),
    ]


def _each_other(about: Material) -> list[str]:
    pairs = [("item_select", "item_random"), ("basket_explore", "basket_all")]
    pairs += [("basket_all", "item_select"), ("basket_all", "item_random")]
    return [
        "Strategies against each other:",
        about.differences([(about.rows[a], about.rows[b]) for a, b in pairs]),
    ]


def _strategies(about: Material) -> list[str]:
    rows, best = about.rows, about.best_baseline
    return [
        "## RQ2: masking strategies",
        report_parts.method_section(about.study, about.among(methods.strategies())),
        "Against the best baseline by validation users:",
        about.differences([(rows[name], best) for name in methods.strategies()]),
        *_each_other(about),
        "### Seeds",
        report_parts.seed_section(about.study),
    ]


def _settings(about: Material) -> list[str]:
    return [
        "## RQ3: swapping",
        report_parts.method_section(about.study, about.among(methods.swapped())),
        about.differences(swap_pairs(about.study)),
        *(report_parts.swap_section(about.study, *one) for one in about.swaps.items()),
        "## RQ4: mask ratio and training time",
        report_parts.ratio_section(about.study, about.ratios),
        "Learning curves of 30 epochs without stopping, validation users of fold 0:",
        report_parts.curve_section(about.study, about.curves),
    ]


def _joint(about: Material) -> list[str]:
    singles = [name for name in (*methods.strategies(), *methods.swapped()) if name != "joint"]
    others = [*about.among(singles).values(), about.best_baseline]
    return [
        "## RQ5: joint training",
        about.differences([(about.rows["joint"], row) for row in others]),
        "## Ablations that the paper lacks",
        report_parts.ablation_section(about.study, about.rows["basket_all"]),
    ]


def _windows(study: Study) -> list[str]:
    """The same shoppers with every so many weeks as a sequence of its own, for more power."""
    about, weeks = Material(study), study.recipe.window_weeks
    names = ["popularity", *methods.references(), *methods.strategies()]
    return [
        f"## Windows of {weeks} weeks",
        f"All weeks instead of the first {weeks}, cut into windows of {weeks} weeks, each a "
        f"sequence of its own: {study.facts.n_users:,} in all. A shopper's windows share a fold, "
        "and are averaged before a test: the tables count shoppers.",
        report_parts.method_section(study, about.among(names)),
        *_best_against_references(about),
        *_each_other(about),
    ]


def figures(about: Material) -> dict[str, go.Figure]:
    """By file name, without its ending; only those that have something to show."""
    name = about.name
    recorded = {method: row for method, row in about.rows.items() if row.folds}
    found = {f"{name}_repeat": repeat_figure(name, about.study.facts)}
    if recorded:
        found[f"{name}_scores"] = record_plots.scores(recorded, CHOICE)
    for masking, scored in about.swaps.items():
        if scored.loc[scored["swap_ratio"] > 0, "value"].notna().any():
            found[f"{name}_swap_{masking}"] = record_plots.swap_heatmap(scored, CHOICE)
    if about.ratios["value"].notna().any():
        found[f"{name}_mask_ratio"] = record_plots.ratio_curves(about.ratios, CHOICE)
    if len(about.curves):
        found[f"{name}_curves"] = record_plots.learning_curves(about.curves)
    return found


def page(study: Study, findings: list[Finding], windows: Study | None = None) -> Page:
    """Everything that is recorded about a dataset."""
    about = Material(study)
    drawn = figures(about)
    glance = f"{study.name}_scores"
    parts = [
        _title(study),
        "## The data",
        markdown.table(statistics_table(study.facts.statistics, study.name)),
        markdown.image(f"{study.name}_repeat", "Repeat and novel items by basket number"),
        "## Verdicts on the paper's claims",
        _verdicts(study, findings),
        "## All methods at a glance",
        markdown.image(glance, f"{CHOICE} of all methods") if glance in drawn else "",
        *_baselines(about),
        *_references(about),
        *_strategies(about),
        *_settings(about),
        *_joint(about),
        *(_windows(windows) if windows else []),
    ]
    return Page("\n\n".join(part for part, _ in groupby(filter(None, parts))) + "\n", drawn)
