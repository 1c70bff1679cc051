import pytest

from nnbr_core.errors import InputError
from nnbr_core.runs.config import configure
from nnbr_core.runs.grids import expand, read_grid

GRID = """
dataset: toy
model: last_popularity
grids:
  few:
    - {labels: explore, fold: 0}
  paper:
    - {labels: [all, explore], fold: [0, 1]}
    - {model: popularity, fold: 0}
    - {labels: all, fold: 0}
"""


@pytest.fixture
def grid(tmp_path):
    def write(text: str):
        path = tmp_path / "grid.yaml"
        path.write_text(text)
        return path

    return write


def test_a_block_is_every_combination_of_its_values():
    configs = expand({"model": "last_popularity", "labels": ["all", "explore"], "fold": [0, 1]})
    assert configs == [
        configure("toy", "last_popularity", fold, labels=labels)
        for labels in ("all", "explore")
        for fold in (0, 1)
    ]


def test_settings_of_the_recipe_belong_to_the_data(grid):
    (config,) = expand({"dataset": "dunnhumby", "window_weeks": 8})
    assert config.recipe.window_weeks == 8


def test_two_grids_of_a_file_are_one_word_apart(grid):
    path = grid(GRID)
    assert len(read_grid(path, "few")) == 1
    assert len(read_grid(path, "paper")) == 5  # the last block repeats a run of the first


def test_what_is_given_beside_the_file_wins(grid):
    configs = read_grid(grid(GRID), "paper", dataset="tafeng", profile="quick")
    assert {(config.dataset, config.profile) for config in configs} == {("tafeng", "quick")}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GRID.replace("labels: explore", "lables: explore"), "did you mean 'labels'"),
        (GRID.replace("labels: explore", "labels: novel"), "few, block 1: unknown labels"),
        (GRID.replace("fold: 0}\n  paper", "fold: x}\n  paper"), "block 1: fold = 'x'"),
        (GRID.replace("few", "feww"), "unknown grid of grid.yaml 'few': did you mean"),
        ("model: popularity", "has no 'grids'"),
        ("grids: [", "is not valid YAML"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_anything_runs(grid, text, complaint):
    with pytest.raises(InputError, match=complaint):
        read_grid(grid(text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="none.yaml cannot be read"):
        read_grid(tmp_path / "none.yaml")
