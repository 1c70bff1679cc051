"""Raw files -> prepared baskets, built once and kept until a file or a setting changes."""

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from tqdm.auto import tqdm

from nnbr_core import paths
from nnbr_core.data import readers
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.recipe import Recipe, Step, cook
from nnbr_core.data.rows import connect
from nnbr_core.data.sources import Source, find_source
from nnbr_core.errors import InputError

VERSION = 1  # raise when the same files and settings would give other baskets
STEPS = 5
OWN_COLUMNS = ["user_column", "time_column", "item_column", "name_column", "group_column"]


def _settled(source: Source, recipe: Recipe) -> Recipe:
    """The recipe with the source's own weeks filled in; settings it cannot use are refused."""
    unusable = list(recipe.changed()) if source.read_rows is None else []
    if source.read_rows is not readers.own_file:
        unusable += [c for c in OWN_COLUMNS if getattr(recipe, c) and c not in unusable]
    if unusable:
        raise InputError(f"{source.name}: {unusable[0]} cannot be set for this dataset")
    if source.default_weeks and not recipe.weeks and not recipe.window_weeks:
        return replace(recipe, weeks=source.default_weeks)
    return recipe


def _key(source: Source, files: list[Path], recipe: Recipe) -> str:
    """Changes when a source file, a setting or the recipe's code changes."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    text = json.dumps([VERSION, stamps, recipe.changed()], sort_keys=True)
    return f"{source.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def build(
    source: Source, files: list[Path], recipe: Recipe, step: Step = lambda name: None
) -> tuple[Baskets, dict]:
    """Baskets and notes from raw files, nothing kept; `step` is told what is going on."""
    if source.read_baskets:
        step("reading")
        baskets = source.read_baskets(files)
        return baskets, {"rows": len(baskets.items)}
    with tempfile.TemporaryDirectory() as scratch, connect(Path(scratch)) as con:
        source.read_rows(con, files, recipe, Path(scratch))
        return cook(con, recipe, source.name, source.first_users_if_large, step)


def _write(baskets: Baskets, notes: dict, folder: Path) -> None:
    """Write next to the final place and rename, so that a killed build is never seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        baskets.save(building)
        (building / "notes.json").write_text(json.dumps(notes, indent=1))
        try:
            os.rename(building, folder)
        except OSError:  # another process was faster, and wrote the same
            if not (folder / "notes.json").is_file():
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def load(dataset: str, recipe: Recipe | None = None, progress: bool = False) -> Baskets:
    """The baskets of a registered dataset or of a file, prepared now if need be."""
    return load_with_notes(dataset, recipe, progress)[0]


def load_with_notes(
    dataset: str, recipe: Recipe | None = None, progress: bool = False
) -> tuple[Baskets, dict]:
    """The same, with what was read and dropped on the way."""
    source = find_source(dataset)
    recipe = _settled(source, recipe or Recipe())
    files = source.files(recipe)
    folder = paths.prepared_data() / _key(source, files, recipe)
    if files and (folder / "notes.json").is_file():
        return Baskets.load(folder), json.loads((folder / "notes.json").read_text())
    hidden = not (progress and files)
    with tqdm(total=STEPS, desc=f"preparing {source.name}", unit="step", disable=hidden) as bar:

        def step(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        baskets, notes = build(source, files, recipe, step)
        if files:  # the toy world is quicker made than read
            bar.set_postfix_str("saving")
            try:
                _write(baskets, notes, folder)
            except OSError as error:
                raise InputError(f"{folder} cannot be written: {error.strerror}") from None
        bar.update(bar.total - bar.n)
    return baskets, notes


def count_rows(source: Source) -> int:
    """How many raw rows (or, for ready-made baskets, purchases) a source has."""
    recipe = _settled(source, Recipe())
    files = source.files(recipe)
    if source.read_rows is None:
        return load_with_notes(source.name)[1]["rows"]
    with tempfile.TemporaryDirectory() as scratch, connect(Path(scratch)) as con:
        source.read_rows(con, files, recipe, Path(scratch))
        return con.execute("SELECT count(*) FROM rows").fetchone()[0]
