import pytest

from nnbr_core.__main__ import main
from nnbr_core.bench import BENCHMARKS
from nnbr_core.bench.scale import QUICK_SIZES
from nnbr_core.bench.table import STAGE_BOUNDS


def test_ten_million_items_are_loaded_and_all_counted():
    found = BENCHMARKS["load_and_count"]()
    assert found["items"] == 10_000_000


@pytest.mark.needs("tafeng")
def test_counting_popularity_is_a_matter_of_seconds():
    found = BENCHMARKS["popularity"]()
    assert found["settings_tried"] == 1
    assert found["seconds_to_fit"] + found["seconds_per_1000_users"] < 5


@pytest.mark.needs("tafeng_raw")
def test_preparing_is_measured():
    assert BENCHMARKS["prepare_raw_tafeng"]()["seconds"] > 0


def test_the_table_has_every_figure_beside_its_bound(capsys):
    assert main(["bench", "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["measured", "bound", "kept"]
    for figure in ("catalogue loss", "judging 2,772 x 11,997", "python -m nnbr_core --help"):
        assert sum(line.startswith(figure) for line in lines) == 1
    for stage in STAGE_BOUNDS:
        assert sum(line.startswith(f"{stage}, ") for line in lines) == 2 * len(QUICK_SIZES) + 1
