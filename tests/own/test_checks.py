"""What a masker, swap or model of one's own may not return, and what is said then."""

import numpy as np
import pytest
from cells import Notebook

import nnbr_core as nnbr
from nnbr_core.batching import collate
from nnbr_core.masking import MASKERS, hide
from nnbr_core.swapping import SWAPS, move

BATCH = collate([[[0, 1], [1, 2]], [[3]]])  # (2, 4), the second row padded
MASKERS_REFUSED = {
    "nnbr.hide(batch, batch.positions > 9)": "wrong hides nothing in a batch of 2 users",
    "nnbr.hide(batch, batch.positions < 2)": r"wrong hides padding \(3 places\)",
    "None": r"wrong returned nothing: what hide\(batch, hidden\) gives is needed",
    "batch.tokens": r"wrong returned torch.int64 of shape \(2, 4\): what hide",
    "(batch.tokens, batch.tokens[:, :2])": r"wrong returned torch.int64 of shape \(2, 2\): int64",
    "(batch.tokens, batch.tokens.float())": r"wrong returned torch.float32 of shape \(2, 4\)",
    "(batch.tokens, [1, 2])": "wrong returned a list: int64 of shape",
    "(batch.tokens, nnbr.hide(batch, batch.positions == 1)[1])": "returned other items than it",
}
SWAPS_REFUSED = {
    "None": r"wrong returned nothing: a Batch, as move\(batch, target, ratio, rng\) gives",
    "replace(batch, tokens=batch.tokens + 1)": "wrong changed items: a swap moves them",
    "replace(batch, positions=batch.positions[:, :1])": r"positions torch.int64 of shape \(2, 1\)",
    "replace(batch, positions=batch.positions + 1)": "wrong moved an item to position 3: 1 to",
    "replace(batch, positions=batch.positions * 0)": "wrong moved an item to position 0",
}


def wrong(decorator: str, arguments: str, result: str) -> None:
    head = "import nnbr_core as nnbr\nfrom dataclasses import replace\n"
    Notebook().run(f"{head}@nnbr.{decorator}\ndef wrong({arguments}):\n    return {result}")


@pytest.mark.parametrize("result", MASKERS_REFUSED)
def test_a_masker_that_returns_something_else_is_refused(result, rng):
    wrong("masker", "batch, ratio, rng", result)
    with pytest.raises(nnbr.InputError, match=MASKERS_REFUSED[result]):
        MASKERS["wrong"](BATCH, 0.5, rng)


def test_a_run_of_such_a_masker_says_the_same(elsewhere):
    wrong("masker", "batch, ratio, rng", "nnbr.hide(batch, batch.positions < 0)")
    with pytest.raises(nnbr.InputError, match="wrong hides nothing in a batch of 16 users"):
        nnbr.run("toy", masking="wrong", profile="quick")


@pytest.mark.parametrize("result", SWAPS_REFUSED)
def test_a_swap_that_returns_something_else_is_refused(result, rng):
    wrong("swap", "batch, ratio, hop, rng", result)
    with pytest.raises(nnbr.InputError, match=SWAPS_REFUSED[result]):
        SWAPS["wrong"](BATCH, 0.5, 1, rng)


@pytest.mark.parametrize(
    ("decorator", "arguments", "said"),
    [
        (
            "masker",
            "batch",
            r"wrong\(batch\) is no masker: it is called with \(batch, ratio, rng\)",
        ),
        (
            "swap",
            "batch, ratio",
            r"wrong\(batch, ratio\) is no swap: it is called with \(batch, ra",
        ),
    ],
)
def test_a_function_with_other_arguments_is_refused_at_once(decorator, arguments, said):
    with pytest.raises(nnbr.InputError, match=said):
        wrong(decorator, arguments, "batch")


def test_names_of_the_package_are_taken():
    def item_select(batch, ratio, rng):
        return hide(batch, batch.is_item)

    def code(batch, ratio, hop, rng):
        return move(batch, batch.positions, ratio, rng)

    class user_knn:
        pass

    for decorate, thing in ((nnbr.masker, item_select), (nnbr.swap, code), (nnbr.model, user_knn)):
        with pytest.raises(
            nnbr.InputError, match=f"{thing.__name__} is the name of a .* that comes"
        ):
            decorate(thing)


class NoScore:
    def fit(self, train):
        pass


class NoFit:
    def score(self, histories):
        return np.zeros((histories.n_users, histories.n_items))


class OddFit(NoFit):
    def fit(self, train, labels):
        pass


class OddSetting(NoFit):
    words: list = ()

    def fit(self, train):
        pass


MODELS_REFUSED = {
    NoScore: "NoScore has no score: a model needs fit and score",
    NoFit: "NoFit has no fit: a model needs fit and score",
    OddFit: "OddFit.fit takes 'labels': choose from train, validation, context, progress",
    OddSetting: "OddSetting.words: a setting is a bool, int, float or str with a default",
}


@pytest.mark.parametrize("cls", MODELS_REFUSED)
def test_a_class_that_is_no_model_is_refused_at_once(cls):
    with pytest.raises(nnbr.InputError, match=MODELS_REFUSED[cls]):
        nnbr.model(cls)


def test_a_function_is_no_model_and_an_object_is_no_masker():
    with pytest.raises(nnbr.InputError, match="is no model: a class with fit and score is needed"):
        nnbr.model(print)
    with pytest.raises(nnbr.InputError, match="is no masker: a function is needed"):
        nnbr.masker(NoFit())


SCORES_REFUSED = {
    "np.full((histories.n_users, histories.n_items), np.nan)": "Odd.score returned nan for user 0",
    "np.full((histories.n_users, histories.n_items), np.inf)": "Odd.score returned inf for user 0",
    "np.zeros((histories.n_users, 3))": r"Odd.score returned shape \(\d+, 3\): \(\d+, 168\), a row",
    "np.zeros(histories.n_users)": r"Odd.score returned float64 of shape \(\d+,\): an array",
    "histories.matrix()": "Odd.score returned a csr_matrix: an array is needed",
    "None": "Odd.score returned nothing: an array is needed",
    "np.full((histories.n_users, histories.n_items), 'a')": "Odd.score returned <U1 of shape",
}


@pytest.mark.parametrize("result", SCORES_REFUSED)
def test_scores_that_cannot_be_ranked_are_refused(result, elsewhere):
    notebook = Notebook().run(
        "import numpy as np\n"
        "class Odd:\n"
        "    def fit(self, train):\n"
        "        pass\n"
        "    def score(self, histories):\n"
        f"        return {result}\n"
    )
    with pytest.raises(nnbr.InputError, match=SCORES_REFUSED[result]):
        nnbr.run("toy", notebook.Odd, profile="quick")
