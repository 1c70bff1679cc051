from dataclasses import fields, is_dataclass

import pytest

from nnbr_core.data.toy import world
from nnbr_core.experiments.models import MODELS


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_frozen_settings_with_defaults_and_can_be_made(name):
    kind = MODELS[name]
    assert is_dataclass(kind.settings) and kind.settings.__dataclass_params__.frozen
    model = kind.make(kind.settings(), world(20).baskets, 0)
    assert callable(model.fit) and callable(model.score)
    assert set(kind.quick) <= {field.name for field in fields(kind.settings)}
