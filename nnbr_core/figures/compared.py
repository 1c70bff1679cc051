"""A comparison as a cell shows it, as a tidy frame, and as LaTeX or CSV for a paper."""

from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from IPython.display import Markdown, display

from nnbr_core.analysis.compare import Compared
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.figures import tables
from nnbr_core.figures.runs import scores
from nnbr_core.figures.show import records_of, say

PREVIEW = "A preview: few users and small models; nothing is ranked or judged."


class ShownComparison:
    """What `compare` gives: in a notebook its tables and figure, elsewhere a frame."""

    def __init__(self, found: Compared):
        self.study, self.metrics = found.study, found.metrics
        self.rows, self.comparisons = found.rows, found.comparisons

    def to_frame(self) -> pd.DataFrame:
        """One row per method and metric: mean with interval, and its difference to the first."""
        first = next(iter(self.rows))
        lines = []
        for metric in self.metrics:
            against = dict(zip(list(self.rows)[1:], self.comparisons[metric], strict=True))
            for name, row in self.rows.items():
                low, high = row.interval(metric)
                line = {"method": name, "metric": metric, "mean": row.mean(metric)}
                line |= {"low": low, "high": high, "over": "" if name == first else first}
                one = against.get(name, Comparison(""))  # the first has nothing to be over
                line |= {"difference": one.difference, "difference_low": one.low}
                line |= {"difference_high": one.high, "p": one.p, "p_holm": one.p_holm}
                line |= {"users": int(row.values(metric).notna().sum()), "folds": row.folds}
                lines.append(line | {"settings": row.n_settings, "ids": " ".join(row.ids)})
        return pd.DataFrame(lines)

    def _texts(self) -> pd.DataFrame:
        """Means ± half an interval, and differences to the first, as a reader wants them."""
        table = pd.DataFrame(index=pd.Index(list(self.rows), name="method"))
        for metric in self.metrics:
            means = [(r.mean(metric), *r.interval(metric)) for r in self.rows.values()]
            table[metric] = [tables.with_error(*one).replace("\u00a0", " ") for one in means]
            differences = [tables.difference(one) for one in self.comparisons[metric]]
            table[f"difference, {metric}"] = [tables.NONE, *differences]
            table[f"p, {metric}"] = [
                tables.NONE,
                *(tables.p_value(one.p_holm) for one in self.comparisons[metric]),
            ]
        return table

    def to_latex(self, path: str | Path | None = None) -> str:
        """The table for a paper; written to `path` if there is one."""
        shown = self._texts().replace({"±": r"$\\pm$", "–": "--"}, regex=True)
        escaped = shown.rename(index=_escaped, columns=_escaped)
        text = escaped.to_latex(column_format="l" + "r" * shown.shape[1])
        if path is not None:
            Path(path).write_text(text)
        return text

    def to_csv(self, path: str | Path | None = None) -> str:
        """The tidy frame as CSV; written to `path` if there is one."""
        text = self.to_frame().to_csv(index=False)
        if path is not None:
            Path(path).write_text(text)
        return text

    def figure(self, metric: str | None = None) -> go.Figure:
        """Every method with its interval."""
        return scores(self.rows, metric or self.metrics[0])

    def _ipython_display_(self) -> None:
        is_preview = self.study.is_preview
        if is_preview:
            say(PREVIEW)
        found = tables.method_tables(self.rows, self.study.name, self.metrics, is_preview)
        for heading, table in found.items():
            display(Markdown(f"**{heading}**"), table)
        display(self.figure())
        say(f"Differences in {self.metrics[0]}; `.to_frame()` has those of the other metrics.")
        display(tables.comparison_table(self.comparisons[self.metrics[0]], is_preview))
        records_of(self.rows)

    def __repr__(self) -> str:
        return self._texts().to_string()


def _escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("%", r"\%").replace("&", r"\&")
