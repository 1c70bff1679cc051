"""Frames and record ids as Markdown: the same text for the same numbers."""

from collections.abc import Iterable, Mapping

import pandas as pd

SHORT = 8  # characters of a record id that are shown


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(frame: pd.DataFrame) -> str:
    """A Markdown table; the index is its first column."""
    head = [frame.index.name or "", *frame.columns]
    lines = [head, ["---"] * len(head)]
    lines += [[index, *row] for index, row in zip(frame.index, frame.to_numpy(), strict=True)]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def links(ids: Iterable[str], dataset: str) -> str:
    """Record ids, shortened, each a link to its file."""
    return " ".join(f"[{one[:SHORT]}](runs/{dataset}/{one}.json)" for one in ids) or "none"


def folded(summary: str, text: str) -> str:
    """Text that a reader opens with a click."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def runs(behind: Mapping[str, Iterable[str]], dataset: str) -> str:
    """Which records stand behind each row of a table."""
    lines = [f"- {name}: {links(ids, dataset)}" for name, ids in behind.items()]
    return folded("Records behind each row", "\n".join(lines))


def image(name: str, words: str) -> str:
    return f"![{words}](figures/{name}.svg)"
