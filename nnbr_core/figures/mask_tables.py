"""What maskers and swaps do on average, over many users."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import torch

from nnbr_core.batching import MASK, PAD, collate
from nnbr_core.btbr import masked_batch, stage_view
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.figures.colours import look
from nnbr_core.figures.data import figure
from nnbr_core.masking import BASKET_VIEWS, MASKERS
from nnbr_core.swapping import SWAPS

RATIOS = [n / 10 for n in range(1, 10)]


def first_users(baskets: Baskets, n_users: int) -> Baskets:
    return baskets.select(np.arange(min(n_users, baskets.n_users)))


def _means(users: Baskets, stage: BtbrSettings, seed: int) -> dict[str, float]:
    """What one stage hides of these users, per user it keeps."""
    rows = stage_view(stage, part(users))
    inputs = masked_batch(stage, rows, torch.Generator().manual_seed(seed)).inputs
    is_hidden = (inputs == MASK)[inputs != PAD].numpy()
    owned = rows.user_of_token * np.int64(rows.n_items) + rows.items  # a number per user and item
    hidden, visible = np.unique(owned[is_hidden]), np.unique(owned[~is_hidden])
    n_novel = len(np.setdiff1d(hidden, visible, assume_unique=True))
    return {
        "users": rows.n_users,
        "hidden": is_hidden.sum() / rows.n_users,
        "distinct": len(hidden) / rows.n_users,
        "novel": n_novel / rows.n_users,
        "novel_share": n_novel / len(hidden),
    }


def masker_table(users: Baskets, mask_ratio: float, seed: int = 0) -> pd.DataFrame:
    """One row per masker: the users it keeps, and what it hides of each of them on average.

    `hidden` are purchases, `distinct` the items among them and `novel` those of which no copy
    is visible. Their share is the one to look at: only a novel item cannot be copied.
    """
    stages = [BtbrSettings(masking=name, mask_ratio=mask_ratio).stages()[0] for name in MASKERS]
    return pd.DataFrame([_means(users, stage, seed) for stage in stages], index=list(MASKERS))


def novel_by_ratio(users: Baskets, seed: int = 0) -> go.Figure:
    """How much of what item-level maskers hide has no visible copy, over the mask ratio."""
    drawn = figure(
        "Hidden items without a visible copy",
        "mask ratio",
        "share of distinct hidden items",
        yaxis={"range": [0, 1.05], "tickformat": ".0%"},
    )
    for masking in (name for name in MASKERS if name not in BASKET_VIEWS):
        stages = [BtbrSettings(masking=masking, mask_ratio=r).stages()[0] for r in RATIOS]
        share = [_means(users, stage, seed)["novel_share"] for stage in stages]
        colour, symbol = look(masking)
        drawn.add_scatter(x=RATIOS, y=share, name=masking, marker_symbol=symbol, line_color=colour)
    return drawn


def swap_table(users: Baskets, ratio: float, hop: int, seed: int = 0) -> pd.DataFrame:
    """One row per swap: the share of purchases that end up so many baskets later (- is earlier)."""
    batch = collate(users.histories())
    rows = {}
    for name, swap in SWAPS.items():
        moved = swap(batch, ratio, hop, torch.Generator().manual_seed(seed))
        distance = (moved.positions - batch.positions)[batch.is_item].numpy()
        rows[name] = {by: (distance == by).mean() for by in range(-hop, hop + 1)}
    return pd.DataFrame(rows).T.rename_axis(columns="baskets later")
