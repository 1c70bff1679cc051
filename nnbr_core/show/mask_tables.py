"""What maskers and swaps do on average, over many users."""

from contextlib import suppress

import numpy as np
import pandas as pd
import torch

from nnbr_core.batching import collate
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError
from nnbr_core.masking import MASKERS
from nnbr_core.show.mask_view import counts, example
from nnbr_core.swapping import SWAPS


def masker_table(baskets: Baskets, mask_ratio: float, n_users: int, seed: int = 0) -> pd.DataFrame:
    """Per masker: the mean of `counts` over the first users, and how many were not left out.

    `novel_share` is the one to look at: how many of the distinct hidden items cannot be copied
    from a visible one.
    """
    rows = {}
    for masking in MASKERS:
        (stage,) = BtbrSettings(masking=masking, mask_ratio=mask_ratio).stages()
        found = []
        for user in range(min(n_users, baskets.n_users)):
            with suppress(InputError):  # a user that basket_explore leaves out
                found.append(counts(example(baskets, user, stage, seed + user).items))
        table = pd.DataFrame(found, columns=["hidden", "distinct", "novel", "removed"])
        share = table["novel"].sum() / max(table["distinct"].sum(), 1)
        rows[masking] = dict(table.mean(), novel_share=share, users=len(table))
    return pd.DataFrame(rows).T


def swap_table(
    baskets: Baskets, ratio: float, hop: int, n_users: int, seed: int = 0
) -> pd.DataFrame:
    """Per swap: the share of the first users' purchases that end up so many baskets away."""
    batch = collate(baskets.select(np.arange(min(n_users, baskets.n_users))).histories())
    rows = {}
    for name, swap in SWAPS.items():
        moved = swap(batch, ratio, hop, torch.Generator().manual_seed(seed))
        distance = (moved.positions - batch.positions)[batch.is_item].numpy()
        rows[name] = {by: (distance == by).mean() for by in range(-hop, hop + 1)}
    return pd.DataFrame(rows).T.rename_axis(columns="baskets later")
