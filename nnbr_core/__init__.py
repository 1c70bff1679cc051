"""A workbench for next novel basket recommendation: what will a shopper try next?

    import nnbr_core as nnbr

Data
    nnbr.datasets()                       what there is, and how to get it
    nnbr.load("completejourney")          baskets of a dataset, or of your own file

One model
    nnbr.fit("toy", "btbr", masking="joint")      train it, or load what was trained
    nnbr.recommend(fitted, ["milk", "oats"])      what would this person try?
    nnbr.why(fitted, ["milk", "oats"], "honey")   and because of what?

Experiments
    nnbr.run("toy", "btbr", dim=32, epochs=20)    one run: found, or trained and kept
    nnbr.sweep("toy", mask_ratio=[0.1, 0.5])      many, on all cores or a Dask cluster
    nnbr.compare({"kNN": "user_knn", "mine": mine}, "toy")   paired tests, table, figure
    nnbr.records()                                all runs on record, one table
    nnbr.record("3f2a")                           one of them

Your own idea, in a cell, a script or a module
    @nnbr.masker                          what is hidden in training: use nnbr.hide
    @nnbr.swap                            what is moved: use nnbr.move
    @nnbr.model                           a class with fit and score
    nnbr.metrics                          recall, nDCG, ... of lists of your own

Each has an example: help(nnbr.run). Bad input raises nnbr.InputError with one sentence.
The notebook 03_your_own_idea shows it all on a few lines of code.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {  # nothing is imported before it is asked for: torch takes seconds
    "workbench": "datasets load fit recommend why run sweep records record compare",
    "runs.own_code": "masker swap model",
    "masking": "hide",
    "swapping": "move",
    "errors": "InputError",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

__all__ = [*_MODULE_OF, "metrics"]


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return import_module("nnbr_core.metrics")
    if name not in _MODULE_OF:
        raise AttributeError(f"nnbr_core has no {name!r}: choose from {', '.join(__all__)}")
    found = globals()[name] = vars(import_module(f"nnbr_core.{_MODULE_OF[name]}"))[name]
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "__doc__"])
