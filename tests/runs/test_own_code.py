"""Maskers, swaps and models of one's own: registered, run, edited, sent away, done again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cells import Notebook
from distributed import Client, LocalCluster

import nnbr_core as nnbr
from nnbr_core.analysis.methods import Method
from nnbr_core.analysis.study import Study
from nnbr_core.masking import MASKERS
from nnbr_core.runs import records
from nnbr_core.runs.config import configure
from nnbr_core.widgets._figure import run_table

QUICK = {"profile": "quick", "epochs": 1}
MASK = """
import torch
import nnbr_core as nnbr

SHARE = 0.5

@nnbr.masker
def mine(batch, ratio, rng):
    draw = torch.rand(batch.tokens.shape, generator=rng)
    return nnbr.hide(batch, batch.is_item & (draw < SHARE))
"""
MODEL = """
import nnbr_core as nnbr

@nnbr.model
class Together:
    power: float = 0.5

    def fit(self, train):
        bought = (train.histories.matrix() > 0).astype(float)
        n_buyers = bought.sum(axis=0).A1 + 1
        self.pairs = (bought.T @ bought).toarray() / n_buyers**self.power

    def score(self, histories):
        return (histories.matrix() > 0) @ self.pairs
"""
SWAP = """
import nnbr_core as nnbr

@nnbr.swap
def to_the_end(batch, ratio, hop, rng):
    return nnbr.move(batch, batch.last_position.expand_as(batch.positions), ratio, rng)
"""
pytestmark = pytest.mark.usefixtures("elsewhere")


def stored(store: Path) -> list[Path]:
    return sorted(path.relative_to(store) for path in store.rglob("*.json"))


def test_an_edit_is_a_new_run_and_undoing_it_finds_the_old_one(elsewhere):
    notebook = Notebook().run(MASK)
    first = nnbr.run("toy", masking="mine", **QUICK)
    notebook.run(MASK.replace("draw < SHARE", "draw >= SHARE"))
    second = nnbr.run("toy", masking="mine", **QUICK)
    assert second.id != first.id and second.curve[0]["loss"] != first.curve[0]["loss"]
    notebook.run("SHARE = 0.25")
    third = nnbr.run("toy", masking="mine", **QUICK)
    assert len({first.id, second.id, third.id}) == 3
    notebook.run(MASK)
    assert nnbr.run("toy", masking=notebook.mine, **QUICK) == first
    assert len(stored(elsewhere / "runs" / "own" / "quick" / "toy")) == 3
    assert [path.parts[0] for path in stored(elsewhere / "runs")] == ["own"] * 3


def test_the_number_is_that_of_the_same_function_in_the_package(monkeypatch):
    notebook = Notebook().run(MASK)
    own = nnbr.run("toy", masking="mine", **QUICK)
    monkeypatch.setitem(MASKERS, "item_random", notebook.mine)  # by hand, under a known name
    other = nnbr.run("toy", masking="item_random", **QUICK)
    assert own.test == other.test and own.id != other.id and other.code


def test_a_function_put_into_the_registry_by_hand_is_not_stale_either(monkeypatch):
    notebook = Notebook().run(MASK.replace("@nnbr.masker", ""))
    monkeypatch.setitem(MASKERS, "by_hand", notebook.mine)
    before = configure("toy", "btbr", masking="by_hand")
    notebook.run("SHARE = 0.1")
    assert configure("toy", "btbr", masking="by_hand").code != before.code


def test_two_functions_of_one_name_are_two_methods():
    old = Notebook().run(MASK).mine
    new = Notebook().run(MASK.replace("0.5", "0.05")).mine
    entries = {
        name: {"masking": one, "epochs": 1} for name, one in {"old": old, "new": new}.items()
    }
    found = nnbr.compare(entries, "toy", metrics=["recall@10"], profile="quick")
    assert found.rows["old"].ids != found.rows["new"].ids
    assert found.to_frame()["difference"][1] != 0


def test_maskers_join_pairs_and_swaps_are_named_too():
    Notebook().run(MASK).run(SWAP)
    record = nnbr.run("toy", masking="mine+basket_all", swap="to_the_end", swap_ratio=0.3, **QUICK)
    assert [one["name"] for one in record.code] == ["mine", "to_the_end"]
    assert [row["stage"] for row in record.curve] == ["mine", "basket_all"]
    unused = configure("toy", "btbr", masking="mine", swap="to_the_end")
    assert [one.name for one in unused.code] == ["mine"]


def test_a_model_has_the_settings_it_annotates(three):
    notebook = Notebook().run(MODEL)
    weak, strong = (nnbr.run("toy", "Together", power=p, profile="quick") for p in (0.0, 1.0))
    assert weak.id != strong.id and weak.test != strong.test
    with pytest.raises(
        nnbr.InputError, match="Together has no setting 'powr': did you mean 'power'"
    ):
        nnbr.run("toy", notebook.Together, powr=1.0)
    with pytest.raises(nnbr.InputError, match="power = 'high': float is needed"):
        nnbr.run("toy", notebook.Together, power="high")


def test_a_model_may_inherit_from_one_of_the_package():
    notebook = Notebook().run(
        "from nnbr_core.baselines.popularity import Popularity\n"
        "class Rare(Popularity):\n"
        "    def score(self, histories):\n"
        "        return -super().score(histories)\n"
    )
    rare = nnbr.run("toy", notebook.Rare, profile="quick", scope="train_users")
    popular = nnbr.run("toy", "popularity", profile="quick", scope="train_users")
    assert rare.test["popularity@10"] < popular.test["popularity@10"]


ALONE = """
import json, sys
import nnbr_core as nnbr
from nnbr_core.runs.records import read
from pathlib import Path

record = read(Path(sys.argv[1]))
again = nnbr.run(record, again=True)
shown = nnbr.compare({"popularity": "popularity", "theirs": record}, "toy", profile="quick")
listed = nnbr.records(quick=True).set_index("id").loc[record.id, "source"]
print(json.dumps([again.id, again.test, len(shown.to_frame()), listed]))
"""


@pytest.mark.parametrize(
    ("text", "settings"),
    [(MASK, {"masking": "mine", **QUICK}), (MODEL, {"model": "Together", "profile": "quick"})],
)
def test_a_record_is_shown_compared_and_done_again_where_the_code_is_not(elsewhere, text, settings):
    Notebook().run(text)
    record = nnbr.run("toy", **settings)
    (path,) = (elsewhere / "runs").rglob(f"{record.id}.json")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=True
    )
    again, test, n_rows, listed = json.loads(done.stdout.splitlines()[-1])
    assert (again, test) == (record.id, record.test)
    assert n_rows == 8
    assert listed == record.code[0]["source"]
    assert "@nnbr" not in listed and f'nnbr-source">{listed[:6]}' in run_table([record])


def test_a_record_without_code_is_written_as_before(elsewhere):
    record = nnbr.run("toy", "popularity", profile="quick")
    (path,) = (elsewhere / "runs").rglob("*.json")
    content = json.loads(path.read_text())
    assert "code" not in content and list(content)[-2:] == ["versions", "sha256"]
    assert records.read(path) == record


def test_two_processes_that_never_saw_the_notebook_compute_the_same(elsewhere):
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as two,
        Client(two) as client,
    ):
        client.wait_for_workers(2)
        notebook = Notebook().run(MASK).run(MODEL)  # after the workers
        masked = nnbr.sweep(
            "toy",
            masking=["mine", notebook.mine],
            seed=[0, 1],
            client=client,
            progress=False,
            **QUICK,
        )
        fitted = nnbr.sweep(
            "toy",
            notebook.Together,
            power=[0.5, 1.0],
            client=client,
            progress=False,
            profile="quick",
        )
    assert [*masked["error"], *fitted["error"]] == [""] * 4
    away = {path.stem: records.read(path) for path in (elsewhere / "runs").rglob("*.json")}
    assert set(away) == {*masked["id"], *fitted["id"]}
    here = nnbr.run("toy", masking="mine", seed=1, **QUICK)
    assert here == away[here.id]  # found, not trained
    assert nnbr.run("toy", masking="mine", seed=1, again=True, **QUICK).test == here.test


def test_in_full_size_too_on_this_machine_in_processes_of_its_own(elsewhere):
    notebook = Notebook().run(MASK).run(MODEL)
    small = {"epochs": 1, "dim": 16, "heads": 2}
    entries = {"mine": {"masking": notebook.mine} | small, "Together": notebook.Together}
    found = nnbr.compare(entries, "toy", folds=2, metrics=["recall@10"], profile="paper")
    table = found.to_frame()
    assert table["folds"].tolist() == [2, 2] and table["mean"][1] > table["mean"][0]
    assert len(stored(elsewhere / "runs" / "own" / "toy")) == 4


def test_an_edited_function_is_a_new_row_of_the_same_study():

    study, notebook = Study(), Notebook().run(MASK)
    method = Method("mine", "btbr", ({"masking": "mine", "epochs": 1},))
    before = study.row(method).ids
    notebook.run("SHARE = 0.1")
    assert study.row(method).ids != before
    notebook.run("SHARE = 0.5")
    assert study.row(method).ids == before
