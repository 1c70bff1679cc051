import numpy as np
import pytest

from nnbr_core.errors import InputError
from nnbr_core.figures.recommend import recommendation_page
from nnbr_core.widgets.recommend import YOURS, recommender, someone


class Backwards:
    """Items by number, the last one first."""

    def score(self, histories):
        return np.tile(np.arange(5, dtype=np.float32), (histories.n_users, 1))


MODELS = {"backwards": Backwards()}


def test_a_typed_basket_stands_in_for_the_user(three):
    assert someone(three, 1, []).user_ids.tolist() == ["B"]
    assert someone(three, 1, ["4", "0"]).lists(0) == [[4, 0]]
    with pytest.raises(InputError, match="row 3 does not exist"):
        someone(three, 3, [])


def test_in_batch_the_plain_result_is_shown(three, shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    recommender(three, MODELS, user=1, k=2)
    recommender(three, MODELS, typed=["4"], k=2)
    title = "Row 1: user B"
    assert shown[0].data == recommendation_page(MODELS, someone(three, 1, []), 2, title=title)
    assert YOURS in shown[1].data
