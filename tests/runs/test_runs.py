import subprocess
import sys

import numpy as np
import pytest

from nnbr_core.analysis.rows import per_user
from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.toy import world
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
from nnbr_core.runs.registry import MODELS, Model
from nnbr_core.runs.run import data_for, find, frame, run, run_id

POPULARITY = configure("toy", "popularity")


def test_a_run_is_done_once(elsewhere, monkeypatch):
    first = run(POPULARITY)
    monkeypatch.setattr(runs, "train", lambda *args: pytest.fail("it was trained again"))
    assert run(POPULARITY) == first
    assert find(POPULARITY) == first
    assert find(configure("toy", "popularity", fold=1)) is None


def test_a_record_says_what_it_stands_on(elsewhere):
    record = run(POPULARITY)
    baskets = data_for(POPULARITY)
    assert record.data == baskets.fingerprint
    assert record.users_scored + record.users_left_out == 600
    assert record.per_user()["recall@10"].mean() == record.test["recall@10"]
    assert record.per_user("validation")["ndcg@20"].mean() == record.validation["ndcg@20"]
    assert record.versions["numpy"] == np.__version__
    assert record.seconds > 0 and record.peak_mb > 10


def test_a_broken_record_is_reported_and_made_again(elsewhere):
    record = run(POPULARITY)
    path = elsewhere / "runs" / "toy" / f"{record.id}.json"
    path.write_text(path.read_text()[:100])
    with pytest.warns(UserWarning, match="not a whole record"):
        assert run(POPULARITY).test == record.test
    assert find(POPULARITY).test == record.test


def test_windows_of_a_person_count_as_one_user_when_values_are_compared(elsewhere):
    config = configure("completejourney", "popularity", recipe=Recipe(window_weeks=8))
    record, baskets = run(config), data_for(config)
    judged = record.per_user().index
    wanted = split(baskets, 0).test.histories.user_ids
    assert baskets.user_ids[judged].tolist() == wanted.tolist()
    assert len(per_user([record], "recall@10")) == len(set(wanted)) < len(wanted) / 2


def test_one_purchase_more_is_another_run():
    toy = world().baskets
    lists = [toy.lists(user) for user in range(toy.n_users)]
    lists[0][0] = sorted({*lists[0][0], 100})
    other = Baskets.from_lists(lists, n_items=toy.n_items)
    assert run_id(POPULARITY, toy) != run_id(POPULARITY, other)


def test_the_quick_profile_sees_500_users_and_keeps_its_records_apart(elsewhere):
    quick = configure("toy", "popularity", profile="quick")
    record = run(quick)
    assert data_for(quick).n_users == 500
    assert record.users_scored + record.users_left_out == 100
    assert len(frame("toy")) == 0
    assert frame("toy", profile="quick")["id"].tolist() == [record.id]


def test_the_frame_has_a_row_per_record(elsewhere):
    for fold in range(2):
        run(configure("toy", "popularity", fold=fold))
    table = frame("toy").sort_values("fold")
    assert table["fold"].tolist() == [0, 1]
    assert table["scope"].tolist() == ["all_users"] * 2
    assert table["test recall@10"].tolist() == [
        run(configure("toy", "popularity", fold=fold)).test["recall@10"] for fold in range(2)
    ]


class Spy(BaseRecommender):
    """Remembers what it was given, and saves a file as weights."""

    can_be_saved = True
    given: list = []

    def fit(self, train, validation, context, progress=False):
        Spy.given = [train, validation, context]
        self.curve, self.chosen = [{"epoch": 1}], {"k": 5}

    def score(self, histories):
        return np.zeros((histories.n_users, histories.n_items), dtype=np.float32)

    def save(self, folder):
        (folder / "weights").write_text("these")


@pytest.fixture
def spy(monkeypatch, elsewhere):
    monkeypatch.setitem(MODELS, "spy", Model(Spy, type(POPULARITY.settings)))
    return run(configure("toy", "spy"))


def test_a_model_is_given_no_test_target(spy):
    train, validation, context = Spy.given
    assert isinstance(context, Baskets)  # histories alone
    toy = world().baskets
    known = {*train.histories.user_ids, *validation.histories.user_ids}
    for row, user in enumerate(context.user_ids):
        assert user not in known
        assert context.lists(row) == toy.lists(int(user))[:-1]


def test_curves_choices_and_weights_are_kept_with_the_record(spy, elsewhere):
    assert (spy.curve, spy.chosen) == ([{"epoch": 1}], {"k": 5})
    assert (elsewhere / "weights" / spy.id / "weights").read_text() == "these"


SLOW = """
import sys, time, pathlib
from nnbr_core import paths
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
train = runs.train
def slow(*args):
    with open(sys.argv[1], "a") as log:
        log.write("trained\\n")
    time.sleep(1)
    return train(*args)
runs.train = slow
runs.run(configure("toy", "popularity", fold=4))
"""


def test_two_processes_train_the_same_run_once(elsewhere):
    log = elsewhere / "log"
    processes = [subprocess.Popen([sys.executable, "-c", SLOW, str(log)]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert log.read_text() == "trained\n"


def test_a_catalogue_with_few_items_fills_fewer_places(elsewhere):
    path = elsewhere / "few.csv"
    rows = [f"u{u},{t},{i}" for u in range(9) for t in range(3) for i in {u % 3, t, (u + t) % 4}]
    path.write_text("who,when,what\n" + "\n".join(rows) + "\n")
    recipe = Recipe(user_column="who", time_column="when", item_column="what", min_item_count=1)
    record = run(configure(str(path), "popularity", recipe=recipe))
    assert record.dataset.startswith("own-few-")
    assert 0 <= record.test["recall@10"] <= 1


class Stopped(Spy):
    """A training that somebody interrupted."""

    was_interrupted = True


def test_an_interrupted_training_is_not_kept_as_a_run(monkeypatch, elsewhere):
    monkeypatch.setitem(MODELS, "stopped", Model(Stopped, type(POPULARITY.settings)))
    config = configure("toy", "stopped")
    record = run(config)
    assert record.users_scored > 0
    assert find(config) is None
    assert not (elsewhere / "weights" / record.id).exists()


def test_a_record_names_the_commit_its_code_was_loaded_from(elsewhere, monkeypatch):
    def git(*words: str) -> str:
        command = ["git", "-C", str(elsewhere), "-c", "user.name=me", "-c", "user.email=me", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    train = runs.train

    def train_while_somebody_commits(*args):
        git("commit", "--allow-empty", "-qm", "later")
        return train(*args)

    git("init", "-q")
    git("commit", "--allow-empty", "-qm", "first")
    first = git("rev-parse", "--short", "HEAD")
    monkeypatch.setattr("nnbr_core.paths.project_root", lambda: elsewhere)
    monkeypatch.setattr(runs, "train", train_while_somebody_commits)
    runs._commit.cache_clear()
    found = [run(configure("toy", "popularity", fold=fold)).commit for fold in (0, 1)]
    runs._commit.cache_clear()
    assert found == [first, first]
