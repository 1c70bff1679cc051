"""Tables as CSV and LaTeX, figures as SVG: what a notebook shows, for a paper or a spreadsheet."""

import re
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from IPython import get_ipython
from IPython.core.formatters import BaseFormatter
from pandas.io.formats.style import Styler
from traitlets import ObjectName, Unicode

from nnbr_core.errors import InputError, choose
from nnbr_core.figures.tables import BEST, NO_BREAK, NONE
from nnbr_core.pictures import picture

NUMBER = r"[+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?"
WITH_PAPER = re.compile(rf"({NUMBER}) ± ({NUMBER})(?: [¹²])? \(({NUMBER}|{NONE})\)")
WITH_ERROR = re.compile(rf"({NUMBER}) ± ({NUMBER})(?: [¹²])?")
SPAN = re.compile(rf"\[({NUMBER}), ({NUMBER})\]")
PERCENT = re.compile(rf"({NUMBER})%")
PLAIN = re.compile(rf"({NUMBER})")
PARTS = {
    WITH_PAPER: ("", " ±", " in the paper"),
    WITH_ERROR: ("", " ±"),
    SPAN: (" low", " high"),
    PERCENT: (" %",),
    PLAIN: ("",),
}
IN_LATEX = {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$"}
IN_LATEX |= {"±": r"$\pm$", NO_BREAK: "~", NONE: "--", "×": r"$\times$", "…": r"\dots{}"}
MARKED = dict(zip(BEST, (r"\textbf", r"\underline"), strict=True))  # best and second best


def _number(text: str) -> float | None:
    return None if text == NONE else float(text.replace(",", ""))


def _numbers(column: pd.Series) -> pd.DataFrame:
    """A column as numbers, if that is what its text says: `.05 ± .01` becomes two columns."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_frame()
    name = str(column.name).removesuffix(" (paper)")
    text = column.astype(str).str.replace(NO_BREAK, " ")
    is_missing = text.isin([NONE, "nan", "<NA>", "None"])
    for pattern, endings in PARTS.items():
        found = [pattern.fullmatch(cell) for cell in text]
        if all(one or gone for one, gone in zip(found, is_missing, strict=True)) and any(found):
            nothing = (NONE,) * len(endings)
            rows = [[_number(part) for part in (m.groups() if m else nothing)] for m in found]
            parts = {name + end: [row[i] for row in rows] for i, end in enumerate(endings)}
            return pd.DataFrame(parts, index=column.index)
    return pd.DataFrame({name: text.where(~is_missing)}, index=column.index)


def to_csv(table: pd.DataFrame) -> str:
    """Numbers as numbers: an interval is two columns, a missing cell is empty."""
    columns = [_numbers(table.iloc[:, i]) for i in range(table.shape[1])]
    return (pd.concat(columns, axis=1) if columns else table).to_csv(lineterminator="\n")


def _in_latex(text: object) -> str:
    written = str(text)
    for mark, command in MARKED.items():
        if mark in written:  # what stands behind it, the paper's number, is not marked
            best, _, rest = written.partition(mark)
            return f"{command}{{{_in_latex(best)}}}{_in_latex(rest)}"
    return "".join(IN_LATEX.get(sign, sign) for sign in written)


def to_latex(table: pd.DataFrame) -> str:
    """For the booktabs package, methods down and metrics across: the best bold, the second best
    underlined.
    """
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    head = [_in_latex(name) for name in ("", *table.columns)]
    body = [
        " & ".join([_in_latex(name), *(_in_latex(cell) for cell in row)]) + r" \\"
        for name, row in zip(table.index, table.astype(str).to_numpy(), strict=True)
    ]
    looks_numeric = [
        is_number or table.iloc[:, i].astype(str).str.match(r"[+\-.\d–]").all()
        for i, is_number in enumerate(numeric)
    ]
    columns = "l" + "".join("r" if one else "l" for one in looks_numeric)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", " & ".join(head) + r" \\"]
    return "\n".join([*lines, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]) + "\n"


WRITERS = {  # by the end of a file's name
    ".csv": (pd.DataFrame, to_csv),
    ".tex": (pd.DataFrame, to_latex),
    ".svg": (go.Figure, picture),
}


def save(thing: pd.DataFrame | go.Figure, path: str | Path) -> Path:
    """Write a table as .csv or .tex, a figure as .svg: the name of the file says which."""
    path = Path(path)
    kind, write = WRITERS[choose("file type", path.suffix, WRITERS)]
    if not isinstance(thing, kind):
        raise InputError(f"{path.name}: a {kind.__name__} is needed, not a {type(thing).__name__}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write(thing), encoding="utf-8")
    return path


CSV, LATEX = "text/csv", "text/latex"  # of a table, in the output of a cell


class _CsvFormatter(BaseFormatter):
    """Jupyter knows how to ask for LaTeX; it has to be told about CSV."""

    format_type = Unicode(CSV)
    print_method = ObjectName("_repr_csv_")


def keep_tables() -> None:
    """From now on every table that a cell shows is in its output as CSV and LaTeX, too."""
    formatters = get_ipython().display_formatter.formatters
    formatters[CSV] = _CsvFormatter()
    for kind, write in {CSV: to_csv, LATEX: to_latex}.items():
        formatters[kind].for_type(pd.DataFrame, write)
        formatters[kind].for_type(Styler, lambda styled, write=write: write(styled.data))
