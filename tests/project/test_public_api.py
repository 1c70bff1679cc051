"""`import nnbr_core as nnbr`: cheap, documented by examples, enough for the README's scripts."""

import pydoc
import re
import subprocess
import sys
import types

import pytest

import nnbr_core as nnbr
from nnbr_core.paths import project_root

SCRIPTS = re.findall(r"```python\n(.*?)```", (project_root() / "README.md").read_text(), re.S)


def run_script(text: str, folder) -> str:
    path = folder / "script.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_it_costs_no_torch():
    code = "import sys, nnbr_core; nnbr_core.InputError; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


@pytest.mark.parametrize("name", nnbr.__all__)
def test_every_name_is_on_the_page_and_every_function_has_an_example(name):
    thing = nnbr.__getattr__(name)
    assert f"nnbr.{name}" in nnbr.__doc__ and thing.__doc__
    if isinstance(thing, types.FunctionType):
        assert ">>> " in thing.__doc__ and f"nnbr.{name}" in thing.__doc__


def test_help_is_a_page():
    page = pydoc.plain(pydoc.render_doc(nnbr))
    assert "what will a shopper try next?" in page
    assert all(f"    {name}(" in page for name in ("load", "fit", "recommend", "compare", "masker"))


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(AttributeError, match="nnbr_core has no 'recomend': choose from"):
        nnbr.recomend  # noqa: B018


def test_the_scripts_of_the_readme_have_at_most_ten_lines_and_run(tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_RUNS", str(tmp_path / "runs"))
    first, second = SCRIPTS
    for script in SCRIPTS:
        assert len([line for line in script.splitlines() if line.strip()]) <= 10
    listed = run_script(first, tmp_path)
    assert "3000 shoppers, 168 items" in listed
    assert {"salsa", "tortillas", "oats"} <= set(listed.split())  # the reasons
    compared = run_script(second, tmp_path)
    assert re.search(r"1\s+mine\s+0\.\d+", compared) and "p_holm" in compared


def test_size_rate_and_epochs_are_one_call_away(elsewhere):
    record = nnbr.run("toy", dim=8, heads=2, learning_rate=0.02, epochs=2, profile="quick")
    assert len(record.curve) == 2
    assert {"dim": 8, "learning_rate": 0.02}.items() <= record.config["settings"].items()


def test_training_can_be_watched_and_stopped(elsewhere):
    seen = []
    shop = nnbr.load("toy").select(range(200))

    def watch(row, network):
        seen.append((row["epoch"], row["loss"], sum(p.numel() for p in network.parameters())))
        return len(seen) == 2

    nnbr.fit(shop, masking="item_select", dim=8, heads=2, epochs=5, on_epoch=watch)
    assert [one[0] for one in seen] == [1, 2] and seen[0][2] > 168 * 8
    with pytest.raises(nnbr.InputError, match="popularity has no epochs to watch"):
        nnbr.fit(shop, "popularity", on_epoch=watch)


def test_records_are_one_table_and_leave_out_what_nobody_asked_for(elsewhere):
    class Rare:
        def fit(self, train):
            self.counts = -train.histories.item_counts()

        def score(self, histories):
            import numpy as np

            return np.tile(self.counts, (histories.n_users, 1))

    assert nnbr.records().empty
    plain, own = nnbr.run("toy", "popularity"), nnbr.run("toy", Rare)
    preview = nnbr.run("toy", "popularity", profile="quick")
    table = nnbr.records().set_index("id")
    assert table["is_own"].to_dict() == {plain.id: False, own.id: True}
    assert nnbr.records(own=False)["id"].tolist() == [plain.id]
    assert preview.id in nnbr.records(quick=True)["id"].tolist()
    assert table.loc[own.id, "source"].startswith("class Rare")
    assert table.loc[plain.id, "test recall@10"] == plain.test["recall@10"]
    with pytest.raises(nnbr.InputError, match="no records start with 'zz'"):
        nnbr.record("zz")


def test_a_person_without_a_dataset_is_refused():
    fitted = nnbr.fit(nnbr.load("toy"), "popularity")
    with pytest.raises(nnbr.InputError, match="user 3 of which dataset"):
        nnbr.recommend(fitted, 3)


def test_a_comparison_needs_two_known_methods():
    with pytest.raises(nnbr.InputError, match="a comparison needs at least two methods"):
        nnbr.compare({"one": "popularity"})
    with pytest.raises(nnbr.InputError, match="b: 'user_kn' is no model or masking: did you mean"):
        nnbr.compare({"a": "popularity", "b": "user_kn"})


def test_a_comparison_is_given_away_as_latex_and_csv(elsewhere, tmp_path):
    both = {"user_knn": "user_knn", "pop & co": "popularity"}
    found = nnbr.compare(both, "toy", metrics=["recall@10"], profile="quick")
    found.to_csv(tmp_path / "table.csv")
    head = (tmp_path / "table.csv").read_text().splitlines()[0]
    assert head.startswith("method,metric,mean,low,high,over,difference,")
    latex = found.to_latex(tmp_path / "table.tex")
    assert r"user\_knn & ." in latex and r"pop \& co" in latex and r"$\pm$" in latex
    frame = found.to_frame()
    assert frame["over"].tolist() == ["", "user_knn"]
    assert frame["difference"][1] == pytest.approx(frame["mean"][1] - frame["mean"][0])
