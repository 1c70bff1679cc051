"""A notebook's parameters: checked in its first seconds, and turned into a study."""

import ast
from dataclasses import fields, replace
from typing import Any

from IPython.display import HTML, display

from nnbr_core.analysis.study import Study
from nnbr_core.data.calendar import HORIZON, VISITS
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.pictures import keep_pictures
from nnbr_core.runs.config import PROFILES, QUICK_USERS, USERS
from nnbr_core.runs.dataset_facts import other_version
from nnbr_core.settings import checked

INJECTED = "# Parameters"  # papermill starts the cell it adds with this line
AUTO = "auto"  # recorded results in full size where there are any, otherwise a preview
PREVIEW = (
    '<p class="nnbr-preview" role="status" style="border-left: 6px solid #E69F00; '
    'background: #E69F0033; padding: .5em 1em"><b>PREVIEW</b> {text}</p>'
)
SHARED = {  # what a notebook may set, and of which type
    "dataset": str,
    "profile": str,
    "folds": int,
    "seed": int,
    "train_missing": bool | None,
    "protocol": str,
    "visit_date": str,
    "horizon": int,
}


def _assigned(source: str) -> list[str]:
    """Names that a cell assigns at its top level."""
    lines = ast.parse(source).body
    plain = [target for line in lines if isinstance(line, ast.Assign) for target in line.targets]
    return [target.id for target in plain if isinstance(target, ast.Name)]


def _refuse_unknown(cells: list[str]) -> None:
    """Raise if papermill was given a name that the notebook's parameters cell does not have.

    `cells` are the sources run so far, this one last. Papermill itself only warns.
    """
    if len(cells) < 3 or not cells[-2].startswith(INJECTED):
        return
    known = _assigned(cells[-3])
    for name in _assigned(cells[-2]):
        if name not in known:
            raise InputError(f"unknown parameter {name!r}: {nearest(name, known)}")


def study_of(
    dataset: str = "toy",
    profile: str = AUTO,
    folds: int = 0,
    seed: int = 0,
    train_missing: bool | None = None,
    recipe: Recipe | None = None,
    protocol: str = USERS,
    visit_date: str = VISITS[0],
    horizon: int = HORIZON,
) -> Study:
    """The study that these parameters describe.

    `auto` shows recorded results in full size where there are any, and trains nothing; without
    records it is a preview. Where training is neither asked for nor forbidden, what takes up to
    ten minutes is computed. No folds means: all of them, or one in a preview.
    """
    choose("profile", profile, (AUTO, *PROFILES))
    recipe = recipe or Recipe()
    days = {"protocol": protocol, "visit_date": visit_date, "horizon": horizon}
    study = Study(dataset, "paper", 1, seed, train_missing, recipe, **days)
    study.config("popularity", 0)  # checks seed, protocol and horizon
    if profile == AUTO and study.has_records:
        study = replace(study, train_missing=bool(train_missing))
    elif profile != "paper":
        study = replace(study, profile="quick")
    n_folds = study.facts.n_folds
    if not 0 <= folds <= n_folds:
        raise InputError(f"folds = {folds}: 1 to {n_folds} for {study.name}, or 0 for all")
    return study.over(folds or (1 if study.is_preview else n_folds))


def banner(study: Study) -> str:
    """What a preview is, in colour; nothing for full-size results."""
    if not study.is_preview:
        return ""
    users = f"{study.facts.n_users:,} users"
    if study.facts.n_users == QUICK_USERS:
        users = f"at most {QUICK_USERS} users"
    fifth = round(study.facts.n_users / 5)
    text = (
        f"{users}, of whom some {fifth:,} are scored, and small models trained for a few epochs. "
        "It shows how things work; nothing here is ranked or judged."
    )
    return PREVIEW.format(text=text)


def begin(namespace: dict[str, Any]) -> Study:
    """Check a notebook's parameters, say what it will work on, and hand it over.

    From here on figures are displayed with a static picture.
    Called with globals() in the cell after the parameters. A typo, a wrong type or a missing
    dataset stops the notebook here, in its first seconds.
    """
    _refuse_unknown(namespace.get("In", []))
    columns = {f.name: f.type for f in fields(Recipe)}
    given = {k: checked(k, namespace[k], kind) for k, kind in SHARED.items() if k in namespace}
    cooked = {k: checked(k, v or None, t) for k, t in columns.items() if (v := namespace.get(k))}
    study = study_of(**given, recipe=Recipe(**cooked))
    print(study)
    if note := keep_pictures():
        print(note)
    if note := other_version(study.config("popularity", 0)):
        print(note)
    if shown := banner(study):
        display(HTML(shown))
    return study
