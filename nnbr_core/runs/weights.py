"""Trained weights by record id: a cache. Losing them costs a training, never a record."""

import shutil
import tempfile
import warnings
from pathlib import Path

from nnbr_core import paths
from nnbr_core.baselines.api import Recommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.prepared import BUILDING, clean


def keep(model: Recommender, record_id: str) -> None:
    """Save a model's weights; a disk that is full or read-only is one warning."""
    building = None
    try:
        paths.weights().mkdir(parents=True, exist_ok=True)
        clean(paths.weights())
        building = Path(tempfile.mkdtemp(prefix=BUILDING, dir=paths.weights()))
        model.save(building)
        shutil.rmtree(paths.weights() / record_id, ignore_errors=True)
        building.rename(paths.weights() / record_id)
    except Exception as error:  # safetensors has errors of its own
        what = f"weights of run {record_id} were not kept ({error}): its record is"
        warnings.warn(what, stacklevel=2)
        if building is not None:
            shutil.rmtree(building, ignore_errors=True)


def load(make: type[Recommender], record_id: str, baskets: Baskets) -> Recommender | None:
    """The model of a run from its weights; None if there are none that can be used, and says so.

    Truncated, foreign or broken files are removed: they would fail again.
    """
    folder = paths.weights() / record_id
    if not folder.is_dir():
        return None
    try:
        return make.load(folder, baskets)
    except Exception as error:  # whatever a damaged file can do
        reason = " ".join(str(error).split())
        warnings.warn(f"{folder} cannot be used ({reason}): trained again", stacklevel=2)
        shutil.rmtree(folder, ignore_errors=True)
        return None
