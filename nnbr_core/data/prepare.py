"""Raw files -> prepared baskets, built once and kept until a file or a setting changes."""

import hashlib
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from tqdm.auto import tqdm

from nnbr_core import paths
from nnbr_core.data import prepared, readers
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import as_date
from nnbr_core.data.recipe import Recipe, Step, cook, whole
from nnbr_core.data.rows import connect
from nnbr_core.data.sources import Source, find_source
from nnbr_core.errors import InputError

VERSION = 2  # raise when the same files and settings would give other baskets
STEPS = 5
FILTERS = ("min_baskets", "min_item_count")  # applied at the cut-off
SAMPLING = ("first_users", "window_weeks", "max_baskets")
OWN_COLUMNS = ["user_column", "time_column", "item_column", "name_column", "group_column"]
OWN_SETTINGS = [*OWN_COLUMNS, "date_format", "encoding"]  # of a file of your own, and no other


def _settled(source: Source, recipe: Recipe) -> Recipe:
    """The recipe with the source's own weeks filled in; settings it cannot use are refused."""
    unusable = list(recipe.changed()) if source.read_rows is None else []
    if source.read_rows is not readers.own_file:
        unusable += [c for c in OWN_SETTINGS if getattr(recipe, c) and c not in unusable]
    if unusable:
        raise InputError(f"{source.name}: {unusable[0]} cannot be set for this dataset")
    if source.default_weeks and not recipe.weeks and not recipe.window_weeks:
        return replace(recipe, weeks=source.default_weeks)
    if source.default_window_weeks and not recipe.window_weeks:
        return replace(recipe, window_weeks=source.default_window_weeks)
    return recipe


def _unfiltered(recipe: Recipe) -> Recipe:
    """The recipe without its filters, for baskets that are filtered at a cut-off day instead."""
    for name in set(SAMPLING) & set(recipe.changed()):
        raise InputError(f"{name} cannot be combined with cut-off days, which use all sequences")
    return Recipe(**{n: value for n, value in recipe.changed().items() if n not in FILTERS})


def _key(source: Source, files: list[Path], recipe: Recipe, is_whole: bool) -> str:
    """Changes when a source file, a setting or the recipe's code changes."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    how = ["whole"] if is_whole else []
    text = json.dumps([VERSION, stamps, recipe.changed(), *how], sort_keys=True)
    return f"{source.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def build(
    source: Source,
    files: list[Path],
    recipe: Recipe,
    step: Step = lambda name: None,
    is_whole: bool = False,
) -> tuple[Baskets, dict]:
    """Baskets and notes from raw files, nothing kept; `step` is told what is going on."""
    if source.read_baskets:
        step("reading")
        baskets = source.read_baskets(files)
        return baskets, {"rows": len(baskets.items)}
    with tempfile.TemporaryDirectory() as scratch, connect(Path(scratch)) as con:
        found = source.read_rows(con, files, recipe, Path(scratch)) or {}
        if is_whole:
            baskets, notes = whole(con, recipe, source.name, step)
        else:
            baskets, notes = cook(con, recipe, source.name, source.first_users_if_large, step)
    return baskets, notes | found | _span(baskets)


def _span(baskets: Baskets) -> dict[str, str]:
    """The first and last day, for notes: a wrongly read date shows there."""
    if baskets.days is None:
        return {}
    days = {"first_day": baskets.days.min(), "last_day": baskets.days.max()}
    return {name: str(as_date(day)) for name, day in days.items()}


def notes_line(notes: dict) -> str:
    """Notes as one line: rows 817,741, ..., first_day 2000-11-01."""
    return ", ".join(
        f"{name} {value if isinstance(value, str) else format(value, ',')}"
        for name, value in notes.items()
    )


def load(dataset: str, recipe: Recipe | None = None, progress: bool = False) -> Baskets:
    """The baskets of a registered dataset or of a file, prepared now if need be."""
    return load_with_notes(dataset, recipe, progress)[0]


def load_with_notes(
    dataset: str, recipe: Recipe | None = None, progress: bool = False
) -> tuple[Baskets, dict]:
    """The same, with what was read and dropped on the way."""
    source = find_source(dataset)
    recipe = _settled(source, recipe or Recipe())
    return _load(source, source.files(recipe), recipe, progress)


def load_whole(dataset: str, recipe: Recipe | None = None, progress: bool = False) -> Baskets:
    """Every basket of a dated source, of all its weeks unless the recipe names some.

    Nothing is filtered by what happens later: calendar.py filters at the cut-off day.
    """
    source = find_source(dataset)
    recipe = _unfiltered(recipe or Recipe())
    _settled(source, recipe)
    # Asked for windows, a source names the files of all its weeks.
    files = source.files(recipe if recipe.weeks else replace(recipe, window_weeks=1))
    baskets, _ = _load(source, files, recipe, progress, is_whole=True)
    if baskets.days is None:
        raise InputError(f"{source.name} has no dates, only the order of baskets: no day to cut at")
    return baskets


def _load(
    source: Source, files: list[Path], recipe: Recipe, progress: bool, is_whole: bool = False
) -> tuple[Baskets, dict]:
    """From the prepared folder, or built and written there."""
    folder = paths.prepared_data() / _key(source, files, recipe, is_whole)
    if files and (found := prepared.read(folder)):
        return found
    hidden = not (progress and files)
    with tqdm(total=STEPS, desc=f"preparing {source.name}", unit="step", disable=hidden) as bar:

        def step(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        baskets, notes = build(source, files, recipe, step, is_whole)
        if files:  # the toy world is quicker made than read
            bar.set_postfix_str("saving")
            try:
                prepared.write(baskets, notes, folder)
            except OSError as error:
                raise InputError(f"{folder} cannot be written: {error.strerror}") from None
        bar.update(bar.total - bar.n)
    return baskets, notes
