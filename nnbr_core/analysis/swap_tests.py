"""Which cells of a swap heatmap differ from no swap by more than noise."""

import pandas as pd

from nnbr_core.analysis.comparisons import Comparison, compare_rows, corrected
from nnbr_core.analysis.grid_runs import BY_SWAP, leading
from nnbr_core.analysis.methods import Method
from nnbr_core.analysis.rows import Row

Cell = tuple[float, int]  # swap ratio, hop
NO_SWAP = "no swap"


def _row(name: str, runs: pd.DataFrame) -> Row:
    return Row(Method(name, "btbr"), tuple(leading(runs)))


def against_no_swap(frame: pd.DataFrame, metric: str) -> dict[Cell, Comparison]:
    """Every recorded cell of `grid_runs.swap_runs` against no swap, for the same users.

    All cells are one family: of nine, at least one is below 5 % by chance in every third heatmap.
    """
    plain = _row(NO_SWAP, frame[frame["swap_ratio"] == 0])
    swapped = frame[frame["swap_ratio"] > 0].groupby(BY_SWAP[1:])
    rows = {cell: _row(f"ratio {cell[0]}, hop {cell[1]}", runs) for cell, runs in swapped}
    found = corrected([compare_rows(row, plain, metric) for row in rows.values()])
    return {cell: one for cell, one in zip(rows, found, strict=True) if not one.is_missing}
