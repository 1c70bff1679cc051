"""What sells now: the best-sellers of the last days before the visit."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.counting import TIE_BREAK
from nnbr_core.baselines.dated.sales import WINDOWS, known_sales
from nnbr_core.baselines.search import Candidates, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import COUNT, Settings, setting


@dataclass(frozen=True)
class RecentPopularitySettings(Settings):
    days: int | None = setting(None, "how far back sales count; None: searched", COUNT)


class RecentPopularity(BaseRecommender):
    """Items by how often they were sold in the days before the visit, or before today.

    Items that sold equally often are ordered by the sales of the longest window.
    """

    reads_days = True

    def _scores(self, histories: Baskets, days: int) -> np.ndarray:
        longer = self.sales.recent(histories, max(WINDOWS))
        return self.sales.recent(histories, days) + np.float32(TIE_BREAK) * longer

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        self.sales = known_sales(train, validation, context)
        tried = values(self.settings, {"days": WINDOWS})

        def candidates(histories: Baskets) -> Candidates:
            for days in tried["days"]:
                yield {"days": days}, self._scores(histories, days)

        self.chosen = search(candidates, tried, validation, progress=progress)
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        return self._scores(histories, self.chosen["days"])
