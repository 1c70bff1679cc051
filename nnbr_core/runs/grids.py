"""Grids of runs written as YAML: every combination of the values given.

    model: btbr                 settings here hold for every block of every grid
    grids:
      few:
        - {masking: item_select, mask_ratio: [0.1, 0.5], fold: 0}
      paper:
        - {masking: [item_random, item_select], mask_ratio: [0.1, 0.3, 0.5], fold: [0, 1, 2]}

A list means: each of these. `few` and `paper` are one word apart on the command line.
"""

from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError, choose
from nnbr_core.runs.config import Config, configure

RECIPE_NAMES = {f.name for f in fields(Recipe)}


def expand(block: dict[str, Any]) -> list[Config]:
    """Every combination of a block's values, each checked."""
    values = [value if isinstance(value, list) else [value] for value in block.values()]
    configs = []
    for combination in product(*values):
        given = dict(zip(block, combination, strict=True))
        recipe = Recipe(**{name: given.pop(name) for name in RECIPE_NAMES & set(given)})
        configs.append(configure(**given, recipe=recipe))
    return configs


def read_grid(path: Path, grid: str = "few", **overrides: Any) -> list[Config]:
    """The runs of one grid of a file; `overrides` (such as the dataset) hold for all of them."""
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict) or not isinstance(content.get("grids"), dict):
        raise InputError(f"{path} has no 'grids'")
    shared = {name: value for name, value in content.items() if name != "grids"}
    blocks = content["grids"][choose(f"grid of {path.name}", grid, content["grids"])]
    configs: dict[Config, None] = {}
    for number, block in enumerate(blocks, start=1):
        try:
            configs |= dict.fromkeys(expand(shared | block | overrides))
        except (InputError, TypeError) as error:
            raise InputError(f"{path}, {grid}, block {number}: {error}") from None
    return list(configs)
