"""How good a model is, for tests that compare two of them."""

from nnbr_core.data.folds import Fold
from nnbr_core.training import validation_metrics


def fitted_recall(model, fold: Fold) -> float:
    """Fit a model, and its recall@10 of the fold's test users."""
    model.fit(fold.train, fold.validation, fold.test.histories)
    return validation_metrics(model.score, fold.test)["recall@10"]
