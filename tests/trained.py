"""A small BTBR, trained on one fold."""

from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.folds import Fold

SMALL = BtbrSettings(dim=16, heads=2, epochs=2, batch_size=16)


def fitted(fold: Fold, settings: BtbrSettings = SMALL, seed: int = 0) -> Btbr:
    model = Btbr(settings, fold.train.histories, seed, device="cpu")
    return model.fit(fold.train, fold.validation, fold.test.histories)
