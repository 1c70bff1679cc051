import numpy as np
import pytest

from nnbr_core.baselines.tifuknn import (
    GRID,
    PUBLISHED,
    Tifuknn,
    TifuknnSettings,
    basket_weights,
    nearest,
    neighbour_sums,
    smallest,
    user_vectors,
)
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part, part, split
from nnbr_core.data.prepare import load
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.evaluation import per_user, top_novel
from nnbr_core.metrics import recall_at

HALVES = {"n_groups": 2, "within_decay": 0.5, "group_decay": 0.5}
QUERY = Baskets.from_lists([[[0, 1], [1, 2], [0]]], n_items=5)
# Three training users; each one's last basket, {1}, is a target and in no vector.
TRAIN = part(
    Baskets.from_lists(
        [
            [[0], [0, 3], [1]],
            [[4], [1, 2], [2, 3], [0], [1]],
            [[1], [4], [4], [1]],
        ],
        n_items=5,
    )
)


def fitted(train=TRAIN, validation=TRAIN, **settings):
    given = {**HALVES, "n_neighbours": 2, "alpha": 0.7, **settings}
    model = Tifuknn(TifuknnSettings(**given), train.histories, seed=0)
    model.fit(train, validation, validation.histories)
    return model


@pytest.mark.parametrize(
    ("n_baskets", "n_groups", "semantics", "expected"),
    [
        (3, 2, "code", [1 / 16, 1 / 8, 1 / 4]),  # {1}, {2, 3}
        (3, 2, "paper", [1 / 4, 1 / 8, 1 / 4]),
        (1, 2, "code", [1 / 2]),  # one group is missing, and decays what is there
        (1, 2, "paper", [1]),
        # groups of two, two and three
        (7, 3, "code", [1 / 1536, 1 / 768, 1 / 192, 1 / 96, 1 / 36, 1 / 18, 1 / 9]),
        (7, 3, "paper", [1 / 48, 1 / 24, 1 / 24, 1 / 12, 1 / 36, 1 / 18, 1 / 9]),
    ],
)
def test_weights_by_hand(n_baskets, n_groups, semantics, expected):
    found = basket_weights(np.array([n_baskets]), n_groups, 0.5, 0.5, semantics)
    assert found == pytest.approx(expected, rel=1e-12)


def test_users_are_weighted_apart():
    both = basket_weights(np.array([3, 1]), 2, 0.5, 0.5, "code")
    assert both.tolist() == [1 / 16, 1 / 8, 1 / 4, 1 / 2]


@pytest.mark.parametrize("semantics", ["code", "paper"])
@pytest.mark.parametrize("n_baskets", [3, 6, 12])
def test_without_decay_a_multiple_of_the_groups_gives_plain_frequency(n_baskets, semantics):
    found = basket_weights(np.array([n_baskets]), 3, 1.0, 1.0, semantics)
    assert found == pytest.approx(np.full(n_baskets, 1 / n_baskets))


def test_vectors_add_up_the_baskets_that_hold_an_item():
    query = user_vectors(QUERY, HALVES, "code").toarray()
    assert query.tolist() == [[5 / 16, 3 / 16, 1 / 8, 0, 0]]
    expected = [
        [5 / 8, 0, 0, 1 / 2, 0],
        [1 / 4, 1 / 32, 5 / 32, 1 / 8, 1 / 64],
        [0, 1 / 16, 0, 0, 3 / 8],
    ]
    assert user_vectors(TRAIN.histories, HALVES, "code").toarray().tolist() == expected
    assert QUERY.items.tolist() == [0, 1, 1, 2, 0]  # the histories are left as they were


def test_neighbours_come_by_euclidean_distance():
    vectors = [user_vectors(x, HALVES, "code") for x in (QUERY, TRAIN.histories)]
    distance = np.linalg.norm(vectors[0].toarray() - vectors[1].toarray(), axis=1)
    assert distance == pytest.approx([0.631219, 0.212523, 0.519164], abs=1e-6)
    assert nearest(*vectors, k=3).tolist() == [[1, 2, 0]]


def test_ties_in_distance_go_to_the_first_reference():
    distance = np.array([[2.0, 1, 1, 0, 1], [3, 3, 3, 3, 3]])
    assert smallest(distance, 2).tolist() == [[3, 1], [0, 1]]
    assert smallest(distance, 4).tolist() == [[3, 1, 2, 4], [0, 1, 2, 3]]


def test_sums_of_rising_k_share_their_work():
    vectors = user_vectors(TRAIN.histories, HALVES, "code")
    near = np.array([[1, 2, 0], [2, 1, 0]])
    dense = vectors.toarray()
    for k, total in neighbour_sums(near, vectors, (1, 3)):
        assert total == pytest.approx(dense[near[:, :k]].sum(axis=1))


@pytest.mark.parametrize(
    ("semantics", "expected"),
    [
        ("code", [0.25625, 0.1453125, 0.1109375, 0.01875, 0.05859375]),
        ("paper", [0.3875, 0.31875, 0.125, 0.01875, 0.065625]),
    ],
)
def test_the_whole_pipeline_by_hand(semantics, expected):
    model = fitted(semantics=semantics)
    assert model.score(QUERY) == pytest.approx(np.array([expected]), rel=1e-6)
    assert model.score(QUERY).dtype == np.float32
    assert top_novel(model.score, QUERY, 2).tolist() == [[4, 3]]


def test_neighbours_can_give_their_last_basket_instead():
    # Nearest are the second and third user; both bought {1} last, which was novel for neither.
    assert fitted(neighbour_source="last", alpha=0.0).score(QUERY).tolist() == [[0, 1, 0, 0, 0]]
    explore = fitted(neighbour_source="last", labels="explore", alpha=0.0)
    assert explore.score(QUERY).tolist() == [[0, 0, 0, 0, 0]]


@pytest.fixture(scope="module")
def fold():
    return split(world(300).baskets, 0)


def test_alpha_does_not_change_the_order_of_novel_items(fold):
    tops = [
        top_novel(fitted(fold.train, alpha=alpha).score, fold.test.histories, 10)
        for alpha in (0.0, 0.3, 0.9)
    ]
    assert (tops[0] == tops[1]).all() and (tops[0] == tops[2]).all()


def test_scores_do_not_depend_on_who_else_is_asked(fold):
    model = fitted(fold.train, n_neighbours=20)
    together = model.score(fold.test.histories)
    alone = np.concatenate(
        [model.score(fold.test.histories.select([user])) for user in range(fold.test.n_users)]
    )
    assert (together == alone).all()


def test_all_takes_the_published_setting_and_cuts_neighbours_to_those_there_are():
    model = Tifuknn(TifuknnSettings(), TRAIN.histories, seed=0)
    model.fit(TRAIN, TRAIN, TRAIN.histories)
    assert model.chosen == PUBLISHED | {"n_neighbours": 3}


SMALL = {"n_groups": 3, "within_decay": 0.5}


@pytest.mark.parametrize("labels", ["all", "explore"])
def test_a_search_finds_the_best_of_its_grid_on_validation_users(fold, labels):
    model = Tifuknn(TifuknnSettings(labels, search_all=True, **SMALL), fold.train.histories, 0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    n_neighbours = {min(k, fold.train.n_users) for k in GRID["n_neighbours"]}
    alphas = GRID["alpha"] if labels == "all" else (PUBLISHED["alpha"],)
    assert model.chosen["n_tried"] == 4 * len(n_neighbours) * len(alphas)
    assert {name: model.chosen[name] for name in SMALL} == SMALL

    def recall(group_decay, k, alpha):
        scores = fitted(
            fold.train, group_decay=group_decay, n_neighbours=k, alpha=alpha, **SMALL
        ).score
        if labels == "explore":
            top = top_novel(scores, fold.validation.histories, 10)
            return per_user(top, fold.validation)["recall@10"].mean()
        wanted = fold.validation.labels("all").toarray()
        order = np.argsort(-scores(fold.validation.histories), axis=1, kind="stable")[:, :10]
        hit = np.take_along_axis(wanted, order, axis=1)
        return recall_at(10, hit, wanted.sum(axis=1)).mean()

    chosen = recall(*(model.chosen[name] for name in ("group_decay", "n_neighbours", "alpha")))
    others = [recall(g, k, a) for g in GRID["group_decay"] for k in n_neighbours for a in alphas]
    assert chosen == pytest.approx(max(others), abs=1e-9)


def test_no_score_depends_on_test_users_last_baskets(fold):
    backwards = np.arange(fold.test.n_users)[::-1]
    shuffled = Part(fold.test.histories, fold.test.targets.select(backwards))
    scores = []
    for test in (fold.test, shuffled):
        model = Tifuknn(TifuknnSettings("explore", **SMALL), fold.train.histories, 0)
        model.fit(fold.train, fold.validation, test.histories)
        scores.append(model.score(test.histories))
    assert (scores[0] == scores[1]).all()


def test_wrong_settings_are_refused():
    for wrong in (
        {"labels": "novel"},
        {"semantics": "codes"},
        {"n_groups": 0},
        {"n_neighbours": 0},
        {"within_decay": 0.0},
        {"group_decay": 1.5},
        {"alpha": 2.0},
        {"neighbour_source": "next"},
    ):
        with pytest.raises(InputError, match=next(iter(wrong))):
            TifuknnSettings(**wrong)


@pytest.mark.needs("tafeng")
@pytest.mark.parametrize(
    ("n_groups", "within_decay", "group_decay", "expected"),
    [
        (7, 0.9, 0.7, [0.0660, 0.0779, 0.0741]),  # as published
        (3, 0.5, 0.3, [0.0901, 0.0957, 0.0917]),
        (3, 0.3, 0.9, [0.0900, 0.0937, 0.0898]),
    ],
)
def test_published_tafeng_gives_the_reference_values(n_groups, within_decay, group_decay, expected):
    """Measured by an independent program, which broke ties in distance in another order."""
    baskets = load("tafeng")
    decays = {"within_decay": within_decay, "group_decay": group_decay}
    settings = TifuknnSettings(n_groups=n_groups, **decays)
    found = []
    for number in range(3):
        fold = split(baskets, number)
        model = Tifuknn(settings, baskets, 0)
        model.fit(fold.train, fold.validation, fold.test.histories)
        top = top_novel(model.score, fold.test.histories, 10)
        found.append(per_user(top, fold.test, (10,))["recall@10"].mean())
    assert found == pytest.approx(expected, abs=0.0005)
