"""By calendar nothing on or after the cut-off can matter, for any model that can be named."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pytest

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import cutoffs
from nnbr_core.data.toy import season_world
from nnbr_core.runs.config import Config, configure
from nnbr_core.runs.protocols import counted_again, split_for
from nnbr_core.runs.registry import MODELS, Model
from nnbr_core.runs.run import run, train

N_USERS = 120
CUT_OFF = 1  # of three
TRACKS = ("unknown", "known")


@dataclass(frozen=True)
class OwnSettings:
    """None: everything follows from the data."""


class Own(BaseRecommender):
    """Somebody's own method: it reads all that it is given, and remembers every number of it."""

    reads_days = True

    def fit(self, train, validation, context, progress=False) -> Self:
        given = [train.histories, train.targets, validation.histories, validation.targets, context]
        self.counts = sum((1 + n) * one.item_counts() for n, one in enumerate(given))
        dated = [one for one in given if one.days is not None]
        self.total = float(sum(one.days.astype(np.int64).sum() for one in dated) % 97)
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        return np.tile((self.counts + self.total).astype(np.float32), (histories.n_users, 1))


@pytest.fixture(autouse=True)
def own(monkeypatch):
    monkeypatch.setitem(MODELS, "own", Model(Own, OwnSettings, is_seeded=False))


@pytest.fixture(scope="module")
def baskets() -> Baskets:
    return season_world(N_USERS)


def before(baskets: Baskets, cutoff: int) -> tuple[list, list]:
    """Everybody's baskets before the cut-off, as lists, and their days."""
    lists = [baskets.lists(user) for user in range(baskets.n_users)]
    days = np.split(baskets.days, baskets.user_ptr[1:-1])
    n_past = [int((own < cutoff).sum()) for own in days]
    return (
        [own[:n] for own, n in zip(lists, n_past, strict=True)],
        [own[:n].tolist() for own, n in zip(days, n_past, strict=True)],
    )


def with_future(baskets: Baskets, cutoff: int, kind: str) -> Baskets:
    """The same before the cut-off, and from it on other purchases on other days, or none at all.

    Two baskets are always there: one on the last day of the data, which cut-offs are counted
    from, and one at the cut-off, without which there would be nothing to predict.
    """
    rng, last = np.random.default_rng(5), int(baskets.days.max())
    lists, days = before(baskets, cutoff)
    lists[0].append([3])
    days[0].append(last)
    lists[1].append(list(range(0, baskets.n_items, 20)))
    days[1].append(cutoff)
    for user in range(2, baskets.n_users if kind == "shuffled" else 2):
        when = np.sort(rng.choice(np.arange(cutoff, last), rng.integers(1, 4), replace=False))
        days[user] += when.tolist()
        lists[user] += [np.sort(rng.choice(baskets.n_items, 3, False)).tolist() for _ in when]
    return Baskets.from_lists(lists, catalogue=baskets.catalogue, days=days)


def cut_off(config: Config, baskets: Baskets) -> int:
    return cutoffs(baskets, config.horizon)[config.fold]


def scores(config: Config, baskets: Baskets, asked: Baskets) -> np.ndarray:
    fold = split_for(config, baskets)
    return counted_again(config, train(config, fold), fold).score(asked)


@pytest.mark.parametrize("visit_date", TRACKS)
@pytest.mark.parametrize("name", [*MODELS, "own"])
def test_another_future_changes_no_score(name, visit_date, baskets):
    days = {"protocol": "calendar", "visit_date": visit_date}
    if visit_date == "known" and not MODELS[name].make.reads_days:
        return  # the same run as without
    config = configure("toy_season", name, CUT_OFF, profile="quick", **days)
    cutoff, asked = cut_off(config, baskets), split_for(config, baskets).test.histories
    usual = scores(config, baskets, asked)
    for kind in ("shuffled", "deleted"):
        other = with_future(baskets, cutoff, kind)
        assert cut_off(config, other) == cutoff
        np.testing.assert_array_equal(scores(config, other, asked), usual)


def test_another_past_does_change_scores(baskets):
    """Otherwise the test above would prove nothing."""
    config = configure("toy_season", "recent_popularity", CUT_OFF, protocol="calendar")
    cutoff, asked = cut_off(config, baskets), split_for(config, baskets).test.histories
    other = with_future(baskets, cutoff - 7, "shuffled")
    assert not np.array_equal(scores(config, other, asked), scores(config, baskets, asked))


def test_a_leak_is_worth_a_half_by_users_and_nothing_by_calendar(elsewhere):
    by_users = run(configure("toy_season", "last_popularity"))
    by_calendar = run(configure("toy_season", "last_popularity", protocol="calendar"))
    assert by_users.test["recall@10"] > 0.5
    assert by_calendar.test["recall@10"] < 0.1
