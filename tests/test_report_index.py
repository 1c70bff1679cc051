import pytest
from written import write

from nnbr_core.experiments.ablations import StrictOrder
from nnbr_core.experiments.claim_list import CLAIMS
from nnbr_core.experiments.claims import ACROSS, Finding
from nnbr_core.experiments.evidence import Check
from nnbr_core.experiments.methods import baselines
from nnbr_core.experiments.study import Row, Study
from nnbr_core.show.report_index import Found, index

CLAIM = {claim.id: claim for claim in CLAIMS}
UP = Check("joint over user_knn", 0.02, 0.01, 0.03, 0.001, 0.1, n=400, folds=2, ids=("x",))
BEATEN = Check("dream, all over popularity, toy", 0.1, 0.09, 0.2, 0.01, 1, folds=1, ids=("abc",))
ORDER = StrictOrder("not enough runs", Check("a"), Check("b"), Check("c"))


@pytest.fixture
def popularity(elsewhere) -> Row:
    study = Study("toy", "quick", folds=2, train_missing=False)
    for fold, found in enumerate((0.1, 0.3)):
        write(study, "popularity", fold, found=found)
    return study.row(baselines()["popularity"])


def test_the_index_tells_what_decides_a_claim_and_names_the_undecided(popularity):
    findings = [
        Finding(CLAIM["5b"], "toy", "cannot be told apart", (UP,)),
        Finding(CLAIM["5a"], "toy", "holds", (UP,)),
        Finding(CLAIM["X1"], "toy", "not enough runs", (Check("nothing"),)),
    ]
    across = Finding(ACROSS, "several", "not enough runs", (BEATEN, Check("a second dataset")))
    windows = [Finding(CLAIM["X1"], "toy in windows", "holds", (UP,))]
    text = index(Found({"toy": findings}, across, {"toy": ORDER}, popularity, windows))
    assert "2 verdicts; holds: 1, cannot be told apart: 1." in text
    assert "- 5a, joint training beats the best baseline. toy: holds (joint over user_knn" in text
    said = "joint training is not different from the best single strategy"
    assert f"- 5b, {said}: cannot be told apart (toy)." in text
    assert "- X1, the best BTBR beats the honest references. toy: not enough runs." in text
    assert "honest references. toy in windows: holds (joint over user_knn" in text
    assert "mean over 2 splits as the paper takes it: recall@10 .2000 (paper .0587)" in text
    assert "those behind 1a: toy [abc](runs/toy/abc.json)." in text
    assert "| 5a | joint training beats the best baseline | holds<br>+.0200, 2 folds | – |" in text
    assert "[toy](toy.md)" in text and "not recorded yet" in text
