"""BTBR told what sells: the log of recent sales is added to its scores as a prior."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from nnbr_core.baselines.dated.prior import (
    choose_prior,
    recent_days_setting,
    strength_setting,
    with_prior,
)
from nnbr_core.baselines.dated.sales import Sales, known_sales
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part


@dataclass(frozen=True)
class RecentBtbrSettings(BtbrSettings):
    """BTBR's, and the prior's."""

    recent_days: int | None = recent_days_setting()
    strength: float | None = strength_setting()


class RecentBtbr(Btbr):
    """BTBR, trained as ever; then days and strength of the prior are chosen on validation."""

    reads_days = True
    settings_type = RecentBtbrSettings
    sales: Sales | None = None  # none while the network is trained

    def fit(self, train: Part, validation: Part, context: Baskets, *args, **options) -> Self:
        self.sales = None
        super().fit(train, validation, context, *args, **options)
        sales = known_sales(train, validation, context)
        self.chosen |= choose_prior(self.score, sales, self.settings, validation)
        self.sales = sales
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        scores = super().score(histories)
        if self.sales is None:
            return scores
        return with_prior(scores, self.sales, histories, self.chosen)

    def save(self, folder: Path) -> None:
        super().save(folder)
        np.save(folder / "sold_items.npy", self.sales.items, allow_pickle=False)
        np.save(folder / "sold_days.npy", self.sales.days, allow_pickle=False)
        (folder / "chosen.json").write_text(json.dumps(self.chosen))

    @classmethod
    def load(cls, folder: Path, baskets: Baskets, device: str | None = None) -> Self:
        model = super().load(folder, baskets, device)
        items, days = (np.load(folder / f"sold_{name}.npy") for name in ("items", "days"))
        model.sales = Sales(items, days, baskets.n_items)
        model.chosen = json.loads((folder / "chosen.json").read_text())
        return model
