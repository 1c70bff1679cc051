"""The split by calendar: everything before a cut-off day may be read, nothing from it on.

The split by users (folds.py) tells a method what *other* shoppers bought in their last baskets,
which may lie later than the basket it has to predict. A shop knows today's date and all that was
sold before it; this split knows as much:

              past of everybody             V    horizon    T    horizon
    ann    ..a....b.......c..............d..|.e.....f.......|....g....h...
    bob    ......a.....b....................|...............|.c...........
    cleo   ...............................a.|..b........c...|.............

    train        ann   a b c -> d        the last basket before V, from those before it
    validation   ann   a b c d -> e      the first one within the horizon from V = T - horizon
    test         ann   a b c d e f -> g      the first one within the horizon from T
                 bob   a b -> c

- A target is novel where it holds what the shopper never bought before the cut-off.
- A shopper needs `min_baskets - 1` earlier baskets, two by default: cleo has too few at V, and
  no basket after T. Nobody is left out for having many: over two years a limit of fifty would
  drop two shoppers in three.
- Items are kept that lie in enough baskets before T: 17 if more than 10,000 shoppers have a
  history there, otherwise 5, or as the recipe says. Baskets emptied by that are gone before
  histories and targets are looked for. So a model tuned at V has heard which items sell up to
  T; of what comes from T on, neither it nor any filter knows anything.
- V + horizon = T: validation targets lie before T, and tuning tells nothing about the test.
- Cut-offs are equally spaced, whole weeks apart, the last one a horizon before the data ends,
  and their horizons do not overlap. A shopper can be in the test of several; `Part.rows`, the
  shopper's row in the dataset, is the same in all of them, so that means can be taken first.
"""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Fold, Part, has_novel, known_visits
from nnbr_core.data.recipe import MANY_SEQUENCES, MIN_ITEM_COUNT, Recipe
from nnbr_core.errors import InputError, choose

HORIZON = 28  # days from the cut-off in which a shopper must come back
N_CUTOFFS = 5  # at most
WEEK = 7
VISITS = ("unknown", "known")  # is a model told the day of the visit it has to predict?
EPOCH = date(1970, 1, 1)  # day 0


def as_date(day: int) -> date:
    """A day of `Baskets.days` as a date."""
    return EPOCH + timedelta(days=int(day))


def as_day(text: str) -> int:
    """A date such as 2001-02-28 as a day of `Baskets.days`."""
    try:
        return (date.fromisoformat(text) - EPOCH).days
    except ValueError:
        raise InputError(f"cut-off {text!r}: write it as a date such as 2001-02-28") from None


def _between(baskets: Baskets, first: int, end: int) -> Baskets:
    """Everybody's baskets of the days from `first` up to, not including, `end`.

    A user without any keeps an empty row, so that rows stay those of the dataset.
    """
    is_kept = (baskets.dated >= first) & (baskets.dated < end)
    user_ptr = np.concatenate([[0], np.cumsum(is_kept)])[baskets.user_ptr]
    return baskets.take(np.flatnonzero(is_kept), user_ptr, np.arange(baskets.n_users))


def _with_items(baskets: Baskets, is_kept: np.ndarray) -> Baskets:
    """Baskets of the kept items alone, numbered anew; a basket without any is gone."""
    token = is_kept[baskets.items]
    basket_ptr = np.concatenate([[0], np.cumsum(token)])[baskets.basket_ptr]
    has_items = np.diff(basket_ptr) > 0
    number = np.cumsum(is_kept) - 1
    return replace(
        baskets,
        items=number[baskets.items[token]].astype(np.int32),
        basket_ptr=np.append(0, basket_ptr[1:][has_items]).astype(np.int64),
        user_ptr=np.concatenate([[0], np.cumsum(has_items)])[baskets.user_ptr].astype(np.int64),
        catalogue=baskets.catalogue[is_kept].reset_index(drop=True),
        days=baskets.dated[has_items],
    )


def _known_items(baskets: Baskets, cutoff: int, recipe: Recipe) -> np.ndarray:
    """bool [n_items]: which lie in enough baskets before the cut-off."""
    past = _between(baskets, 0, cutoff)
    n_shoppers = (past.baskets_per_user >= recipe.min_baskets - 1).sum()
    size = "large" if n_shoppers > MANY_SEQUENCES else "small"
    return past.item_counts() >= (recipe.min_item_count or MIN_ITEM_COUNT[size])


def _part(baskets: Baskets, cutoff: int, horizon: int, n_earlier: int, visit: str) -> Part:
    """Who came back within the horizon: everything before the cut-off, and the first basket."""
    past, ahead = _between(baskets, 0, cutoff), _between(baskets, cutoff, cutoff + horizon)
    rows = np.flatnonzero((past.baskets_per_user >= n_earlier) & (ahead.baskets_per_user > 0))
    if len(rows) == 0:
        raise InputError(
            f"nobody with {n_earlier} baskets before {as_date(cutoff)} bought anything in the "
            f"{horizon} days from then on: choose another cut-off or a longer horizon"
        )
    part = Part(
        histories=replace(past.select(rows), cutoff=cutoff),
        targets=ahead.take(ahead.user_ptr[rows], np.arange(len(rows) + 1), rows),
        rows=rows,
        past=replace(past.select(np.flatnonzero(past.baskets_per_user)), cutoff=cutoff),
    )
    told = known_visits(part) if visit == "known" else part
    return replace(told, targets=replace(part.targets, days=None))  # no other way to the day


def _train(baskets: Baskets, cutoff: int, n_earlier: int) -> Part:
    """Everybody's last basket before the cut-off, from those before it."""
    past = _between(baskets, 0, cutoff)
    rows = np.flatnonzero(past.baskets_per_user > n_earlier)
    if len(rows) == 0:
        raise InputError(
            f"nobody has {n_earlier + 1} baskets before {as_date(cutoff)}: there is nothing to "
            "train on; choose a later cut-off"
        )
    shoppers = replace(past.select(rows), cutoff=cutoff)
    return Part(shoppers.histories(), shoppers.targets(), rows=rows)


def _check(baskets: Baskets, cutoff: int, horizon: int) -> None:
    first, last = int(baskets.dated.min()), int(baskets.dated.max())
    if horizon < 1:
        raise InputError(f"horizon {horizon}: at least one day")
    if baskets.baskets_per_user.max() < 2:
        raise InputError("every shopper came once: without a history nothing can be predicted")
    span = f"the data reaches from {as_date(first)} to {as_date(last)}"
    if cutoff > last:
        raise InputError(f"cut-off {as_date(cutoff)} lies after the last day: {span}")
    if cutoff - horizon <= first:
        raise InputError(
            f"cut-off {as_date(cutoff)} leaves no day before the validation cut-off "
            f"{horizon} days earlier: {span}"
        )


def split_at(
    baskets: Baskets,
    cutoff: int,
    horizon: int = HORIZON,
    recipe: Recipe | None = None,
    visit: str = "unknown",
) -> Fold:
    """Train, validation and test around one cut-off day, as drawn above.

    `baskets` come from `prepare.load_whole`. With `visit` "known", histories of validation and
    test carry `visit_days`, the day of the basket to predict; otherwise nothing tells it.
    """
    choose("visit", visit, VISITS)
    recipe = recipe or Recipe()
    _check(baskets, cutoff, horizon)
    known = _with_items(baskets, _known_items(baskets, cutoff, recipe))
    n_earlier = recipe.min_baskets - 1
    return has_novel(
        Fold(
            train=_train(known, cutoff - horizon, n_earlier),
            validation=_part(known, cutoff - horizon, horizon, n_earlier, visit),
            test=_part(known, cutoff, horizon, n_earlier, visit),
        )
    )


def cutoffs(baskets: Baskets, horizon: int = HORIZON, n: int = N_CUTOFFS) -> list[int]:
    """Up to n cut-off days, oldest first, equally spaced and whole weeks apart.

    The last one has its whole horizon in the data. The first one leaves at least as much before
    the validation cut-off as the horizon is long.
    """
    last = int(baskets.dated.max()) + 1 - horizon
    earliest = int(baskets.dated.min()) + 2 * horizon
    if horizon < 1 or n < 1 or last < earliest:
        n_days = int(baskets.dated.max() - baskets.dated.min()) + 1
        raise InputError(
            f"{n_days} days are too few for {n} cut-offs with a horizon of {horizon} days: three "
            "horizons are needed, for the past, validation and test"
        )
    shortest = -(-horizon // WEEK) * WEEK  # whole weeks, so that horizons do not overlap
    n = min(n, 1 + (last - earliest) // shortest)
    step = (last - earliest) // max(n - 1, 1) // WEEK * WEEK
    return [last - step * back for back in reversed(range(n))]


def split(
    baskets: Baskets,
    fold: int,
    horizon: int = HORIZON,
    recipe: Recipe | None = None,
    visit: str = "unknown",
) -> Fold:
    """The fold of the fold-th of `cutoffs`."""
    days = cutoffs(baskets, horizon)
    if not 0 <= fold < len(days):
        raise InputError(f"fold {fold} does not exist: choose 0 to {len(days) - 1}")
    return split_at(baskets, days[fold], horizon, recipe, visit)
