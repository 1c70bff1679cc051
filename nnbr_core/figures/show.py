"""What a cell of a notebook shows: sentences, tables and the records behind them."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import pandas as pd
from IPython.display import HTML, Markdown, display

from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.findings import Finding, judge
from nnbr_core.analysis.outcomes import THRESHOLDS
from nnbr_core.analysis.power import power as analysis_power
from nnbr_core.analysis.rows import Row
from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError
from nnbr_core.figures import claim_tables, sentences, tables

SHORT = 8  # characters of a record id that are shown
NOTHING = "Nothing of this is recorded yet."
NO_VERDICTS = "A preview judges no claims."
FINDING = "nnbr_finding"  # in an output's metadata: what it shows, in a sentence for an index


def say(sentence: str, is_finding: bool = False) -> None:
    """A sentence as text that flows with the window; `print` would break words."""
    if sentence:
        display(Markdown(sentence), metadata={FINDING: sentence} if is_finding else None)


def methods(study: Study, rows: dict[str, Row], metrics: Sequence[str] = tables.HEADLINE) -> None:
    """Every method's scores beside the paper's: one table for all that share their users."""
    found = tables.method_tables(rows, study.name, metrics, study.is_preview)
    finding = {} if study.is_preview else {FINDING: sentences.leader(rows, metrics[0])}
    for heading, table in found.items():
        display(Markdown(f"**{heading}**"))
        display(table, metadata=finding)
    if not found:
        say(NOTHING)
    elif not study.is_preview:
        say(sentences.best_sentence(rows, metrics))


def comparisons(study: Study, found: Sequence[Comparison]) -> None:
    """Paired differences; in a preview without a verdict."""
    there = [one for one in found if not one.is_missing]
    absent = [one.label for one in found if one.is_missing]
    if there:
        finding = {} if study.is_preview else {FINDING: sentences.comparison_sentence(there[0])}
        display(tables.comparison_table(there, study.is_preview), metadata=finding)
        say(f"p Holm: corrected for the {there[0].family} comparisons of this page.")
    if absent:
        say(f"Not recorded: {'; '.join(absent)}.")


def claims(study: Study, question: str) -> list[Finding]:
    """What became of the paper's claims on one question."""
    if study.is_preview:
        say(NO_VERDICTS)
        return []
    found = judge(study, question)
    if found:
        finding = {FINDING: sentences.clearest(found)}
        display(claim_tables.claim_table(found), metadata=finding)
        say(THRESHOLDS)
    else:
        say(f"The paper claims nothing about {study.name} here.")
    return found


def power(study: Study, a: str, b: str, percent: float) -> None:
    """How many users would tell two recorded methods apart, or why that cannot be said."""
    try:
        say(str(analysis_power(study, a, b, percent)))
    except InputError as error:
        say(f"{error}.")


def records(behind: Mapping[str, Iterable[str]]) -> None:
    """Which records stand behind each row of a page, folded away until somebody asks."""
    lines = "".join(
        f"<li>{escape(name)}: {' '.join(f'<code>{one[:SHORT]}</code>' for one in ids)}</li>"
        for name, ids in behind.items()
        if ids
    )
    head = "<summary>Records behind these numbers</summary>"
    display(HTML(f"<details>{head}<ul>{lines}</ul></details>"))


def records_of(rows: Mapping[str, Row]) -> None:
    records({name: row.ids for name, row in rows.items()})


def listed(frame: pd.DataFrame) -> None:
    """A table of words, with lines that break."""
    shown = frame.style.set_uuid("listed")  # not a random one: the same page for the same words
    display(shown.set_properties(**{"text-align": "left", "white-space": "normal"}))
