"""A model whose numbers change gets a new version, or old records would answer for new code."""

import json

import pytest
from golden import CASES, TABLE, is_close, numbers, rewritten

from nnbr_core.masking import MASKERS
from nnbr_core.runs.registry import MODELS
from nnbr_core.swapping import SWAPS

REWRITE = "python tests/golden.py"
GOLDEN = json.loads(TABLE.read_text())


@pytest.mark.parametrize("case", CASES)
def test_numbers_change_only_with_the_version(case):
    name, _ = CASES[case]
    assert case in GOLDEN, f"{case} is new: run {REWRITE}"
    known, version = GOLDEN[case], MODELS[name].version
    assert known["version"] == version, f"{name} has a new version: run {REWRITE}"
    found = numbers(case)
    assert is_close(known["numbers"], found), (
        f"the numbers of {name} changed and its version did not: records of version {version} "
        f"would be found and be wrong. If the change is meant, raise `version` of {name} in "
        f"MODELS and run {REWRITE}; was {known['numbers']}, is {found}"
    )


def test_every_model_masking_and_swap_is_in_the_table():
    assert set(GOLDEN) == set(CASES)
    assert {name for name, _ in CASES.values()} == set(MODELS)
    btbr = [
        MODELS[name].settings(**settings) for name, settings in CASES.values() if name == "btbr"
    ]
    assert {one.masking for one in btbr} == {*MASKERS, "joint"}
    assert {one.swap for one in btbr if one.swap_ratio} == set(SWAPS)


def test_the_table_is_not_rewritten_over_the_same_version(monkeypatch):
    monkeypatch.setattr("golden.CASES", {"popularity": CASES["popularity"]})
    known = GOLDEN["popularity"]
    assert rewritten({"popularity": known}) == {"popularity": known}
    other = {"popularity": known | {"numbers": known["numbers"] | {"spread": 99.0}}}
    with pytest.raises(SystemExit, match="raise the version of popularity"):
        rewritten(other)
    other["popularity"]["version"] = 0
    assert rewritten(other)["popularity"]["numbers"]["spread"] == pytest.approx(
        known["numbers"]["spread"]
    )
