import pytest

from nnbr_core.experiments.claim_list import CLAIMS
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import Check
from nnbr_core.experiments.verdicts import HOLDS, MISSING, VERDICTS
from nnbr_core.show.claim_plots import LOOKS, forest

CLAIM = {claim.id: claim for claim in CLAIMS}
UP = Check("a over b", 0.02, 0.01, 0.04, 0.001, 0.1, n=400, folds=2)


def test_the_deciding_comparison_is_drawn_relative_to_its_reference():
    held = Finding(CLAIM["5b"], "toy", HOLDS, (UP,))
    nothing = Finding(CLAIM["2e"], "toy", MISSING, (Check("c over d"),))
    drawn = forest([held, nothing])
    (trace,) = [trace for trace in drawn.data if len(trace.x)]
    assert trace.name == HOLDS and list(trace.y) == ["5b (toy)"]
    assert trace.x[0] == pytest.approx(0.2)
    assert trace.error_x.array[0] == pytest.approx(0.2)
    assert trace.error_x.arrayminus[0] == pytest.approx(0.1)


def test_verdicts_differ_in_colour_and_shape():
    assert set(LOOKS) == set(VERDICTS)
    assert len({look.colour for look in LOOKS.values()}) == len(VERDICTS)
    assert len({look.symbol for look in LOOKS.values()}) == len(VERDICTS)


def test_nothing_to_draw_is_said():
    assert "No claim can be judged" in forest([]).layout.annotations[0].text
