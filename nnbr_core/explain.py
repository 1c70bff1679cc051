"""One person: what would they be shown, and which of their purchases is the reason?"""

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nnbr_core.baselines.api import Recommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError, nearest
from nnbr_core.evaluation import NOBODY, top_novel

Person = Baskets | Sequence[Sequence[str | int]]  # one user's baskets, or lists of item ids
N_NAMED = 5  # unknown items that are listed before a message gets too long


def one_person(model: Recommender, person: Person) -> Baskets:
    """One user's baskets in the model's item numbers.

    Lists hold the catalogue's own ids. Items the model does not know are left out with a
    warning, because the others still say something; with nothing left there is no question.
    """
    if isinstance(person, Baskets):
        if person.n_users != 1:
            raise InputError(f"one person is needed, and these are {person.n_users}")
        return person
    number = {item: i for i, item in enumerate(model.catalogue["id"])}
    baskets = [list(dict.fromkeys(map(str, basket))) for basket in person]
    known = [[number[item] for item in basket if item in number] for basket in baskets]
    bought = dict.fromkeys(item for basket in baskets for item in basket)
    unknown = [item for item in bought if item not in number]
    if not bought:
        raise InputError("the history is empty: at least one item is needed to go by")
    named = ", ".join(unknown[:N_NAMED]) + (", ..." if len(unknown) > N_NAMED else "")
    message = f"{len(unknown)} of {len(bought)} items are unknown to the model: {named}"
    if len(unknown) == len(bought):
        raise InputError(message)
    if unknown:
        warnings.warn(f"{message}; they are left out", stacklevel=3)
    return Baskets.from_lists([[basket for basket in known if basket]], catalogue=model.catalogue)


def recommend(model: Recommender, person: Person, k: int = 10) -> pd.DataFrame:
    """The best k items this person has never bought: id, name, group, score, best first."""
    history = one_person(model, person)
    top = top_novel(model.score, history, k)[0]
    top = top[top != NOBODY]
    table = history.catalogue.iloc[top].reset_index(drop=True)
    return table.assign(score=model.score(history)[0, top])


def without_each(history: Baskets) -> tuple[np.ndarray, Baskets]:
    """The person's distinct items, and for each a copy of the person who never bought it.

    Baskets stay where they are, even emptied: only the item goes, not the visit.
    """
    items = np.unique(history.items)
    n_copies, n_baskets = len(items), history.n_baskets
    copies = history.select(np.zeros(n_copies, dtype=np.int64))
    is_kept = copies.items != items[copies.user_of_token]
    basket_of_token = np.repeat(np.arange(n_copies * n_baskets), copies.basket_sizes)
    sizes = np.bincount(basket_of_token[is_kept], minlength=n_copies * n_baskets)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    return items, replace(copies, items=copies.items[is_kept], basket_ptr=ptr)


def effects(model: Recommender, history: Baskets) -> tuple[np.ndarray, np.ndarray]:
    """The person's distinct items, and float32 [distinct items, items]: what each does to scores.

    An effect is what the score of an item, measured from the mean over all items, loses when
    every copy of the history item is taken away. Leave-one-out asks the model itself, whatever
    is inside it, and costs one score per distinct item, some milliseconds. Attention rollout
    would only say where the model looked, not what it concluded.
    """
    items, others = without_each(history)
    if len(items) < 2:
        raise InputError("the history is one item: without it nothing is left to compare with")
    before, after = (
        scores - scores.mean(axis=1, keepdims=True)
        for scores in (model.score(history), model.score(others))
    )
    return items, before - after


def why(model: Recommender, person: Person, item: str | int) -> pd.DataFrame:
    """How much each item of the history speaks for recommending `item`, the strongest first.

    Negative effects speak against it.
    """
    history = one_person(model, person)
    wanted = np.flatnonzero(history.catalogue["id"] == str(item))
    if len(wanted) == 0:
        raise InputError(f"unknown item {item!r}: {nearest(str(item), history.catalogue['id'])}")
    items, effect = effects(model, history)
    table = history.catalogue.iloc[items].assign(effect=effect[:, wanted[0]])
    return table.sort_values("effect", ascending=False, kind="stable", ignore_index=True)
