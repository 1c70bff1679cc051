"""The command line: python -m nnbr_core COMMAND. Exit code 2 and one sentence for bad input."""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import fields

from nnbr_core import commands, record_commands
from nnbr_core.commands import DEFAULT_DATASET
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.paths import project_root

DEFAULT_MODEL = "btbr"
INTERRUPTED, TERMINATED = 130, 143  # what shells expect after Ctrl-C and after SIGTERM


def _add_fields(parser: argparse.ArgumentParser, settings: type, group: str) -> None:
    """One option per field of a settings dataclass; None means: not given."""
    from nnbr_core.settings import help_line

    options = parser.add_argument_group(group)
    for f in fields(settings):
        flag = "--" + f.name.replace("_", "-")
        options.add_argument(flag, metavar="VALUE", help=help_line(f))


class _Parser(argparse.ArgumentParser):
    """Argparse that raises one sentence, and takes no abbreviated option for another."""

    def __init__(self, **settings) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> None:
        raise InputError(message)


def _add_record_commands(command: Callable) -> None:
    """What can be asked about records, and taken out of notebooks."""
    listing = command("records", record_commands.records)
    listing.add_argument("--dataset", help="a name with records; all of them if not given")
    a_condition = "only where a column has a value, such as masking=joint; can be repeated"
    listing.add_argument("--where", metavar="NAME=VALUE", action="append", help=a_condition)
    listing.add_argument("--sort", metavar="NAME", help="numbers from the largest, text from A")
    listing.add_argument("--columns", metavar="NAMES", help="with commas between; any setting")
    listing.add_argument("--head", metavar="N", type=int, help="only the first so many")
    command("show", record_commands.show).add_argument("id", help="or how it begins")
    comparing = command("compare", record_commands.compare)
    comparing.add_argument("a", help="an id, or how it begins")
    comparing.add_argument("b", help="the one it is compared with")
    ranking = command("leaderboard", record_commands.leaderboard)
    ranking.add_argument("--dataset", default=DEFAULT_DATASET, help="a name with records")
    for one in (comparing, ranking):
        one.add_argument("--metric", default="recall@10", help="default: recall@10")
    exporting = command("export", record_commands.export)
    exporting.add_argument("notebook", help="a name, or rq1 to rq5")
    exporting.add_argument("--dataset", default=DEFAULT_DATASET, help="a name with records")
    exporting.add_argument("--out", default="exports", help="a folder; default: exports")
    converting = command("html", record_commands.html)
    converting.add_argument("notebook", help="an executed notebook")
    converting.add_argument("--out", help="default: its name with .html")


def _named_model(arguments: list[str]) -> str:
    """The model named anywhere in the arguments, checked before its options are read."""
    from nnbr_core.runs.registry import MODELS

    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--model", default=DEFAULT_MODEL)
    return choose("model", early.parse_known_args(arguments)[0].model, MODELS)


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    from nnbr_core.data.recipe import Recipe

    _add_fields(parser, Recipe, "how rows become baskets")


def _add_protocol(parser: argparse.ArgumentParser) -> None:
    """How users are split; None means: not given."""
    parser.add_argument("--protocol", help="users (default), or calendar: a fold is a cut-off day")
    parser.add_argument("--visit-date", help="unknown (default), or known to methods that use it")
    parser.add_argument("--horizon", type=int, help="days from a cut-off to come back; default: 28")


def _add_run(parser: argparse.ArgumentParser, arguments: list[str]) -> None:
    """Everything that decides a run; the settings are those of the model that is named."""
    from nnbr_core.runs.registry import MODELS

    parser.add_argument("--dataset", default=DEFAULT_DATASET, help="a name, or a file")
    names_of_models = f"one of {', '.join(MODELS)}; default: {DEFAULT_MODEL}"
    parser.add_argument("--model", default=DEFAULT_MODEL, help=names_of_models)
    parser.add_argument("--fold", type=int, default=0, help="who is tested; from 0; default: 0")
    parser.add_argument("--seed", type=int, default=0, help="of the training; default: 0")
    parser.add_argument("--profile", default="paper", help="quick or paper; default: paper")
    _add_recipe(parser)
    _add_fields(parser, MODELS[_named_model(arguments)].settings, "settings of the model")


def _parser(arguments: list[str]) -> _Parser:
    """All commands, with the options of the one that is named.

    The others' are left out: most of them need torch or duckdb, seconds that `--help` and
    `datasets` should not wait for.
    """
    named = next((word for word in arguments if not word.startswith("-")), None)
    parser = _Parser(prog="python -m nnbr_core", description=__doc__)
    names = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(name: str, action: Callable) -> argparse.ArgumentParser:
        added = names.add_parser(name, help=action.__doc__, description=action.__doc__)
        added.set_defaults(action=action)
        return added

    command("datasets", commands.datasets)
    command("fetch", commands.fetch).add_argument("dataset")
    preparing = command("prepare", commands.prepare)
    preparing.add_argument("dataset", help="a name, or a CSV or parquet file")
    running = command("run", commands.run)
    running.add_argument("--json", action="store_true", help="print one JSON object")
    recommending = command("recommend", commands.recommend)
    recommending.add_argument("--out", default="lists.csv", help="a .csv or .parquet file")
    recommending.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster")
    recommending.add_argument("--k", type=int, default=10, help="items per user")
    if named == "prepare":
        _add_recipe(preparing)
    for name, one in {"run": running, "recommend": recommending}.items():
        if name == named:
            _add_run(one, arguments)
    _add_protocol(running)
    sweeping = command("sweep", commands.sweep)
    sweeping.add_argument(
        "what",
        help="rq1 to rq5, ablations, claims, calendar: all its notebook needs; or a YAML file",
    )
    sweeping.add_argument("--grid", help="few (default) or paper; or which grid of the file")
    sweeping.add_argument("--dataset", help=f"{DEFAULT_DATASET} if not given, or the file's own")
    sweeping.add_argument("--folds", type=int, default=0, help="how many; 0 (default): all")
    sweeping.add_argument("--profile", help="quick or paper (default)")
    _add_protocol(sweeping)
    sweeping.add_argument("--workers", type=int, help="processes; all cores if not given")
    sweeping.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster")
    sweeping.add_argument("--list", action="store_true", help="only say what would be run")
    planning = command("power", commands.power)
    planning.add_argument("a", help="a method, such as basket_all")
    planning.add_argument("b", help="the one it is compared with, such as user_knn")
    planning.add_argument("--effect", type=float, default=5.0, help="in percent; default: 5")
    planning.add_argument("--dataset", default=DEFAULT_DATASET, help="a name with records")
    showing = command("gallery", commands.gallery)
    showing.add_argument("--dataset", default=DEFAULT_DATASET)
    showing.add_argument("--profile", default="auto", help="auto, quick or paper")
    showing.add_argument("--out", default="gallery")
    showing.add_argument("notebook", nargs="*", help="names; all of them if none is given")
    command("outputs", commands.outputs).add_argument(
        "notebook", nargs="*", help="names; all if none"
    )
    reporting = command("report", commands.report)
    reporting.add_argument("--out", default=str(project_root() / "reports"), help="where to")
    _add_record_commands(command)
    measuring = command("bench", commands.bench)
    measuring.add_argument("name", nargs="*", help="the table of all bounds if none is given")
    measuring.add_argument("--quick", action="store_true", help="the table in small, in seconds")
    return parser


class _Terminated(KeyboardInterrupt):
    """SIGTERM, handled as Ctrl-C is: workers end, finished records stay."""


def _terminate(signum: int, frame: object) -> None:
    raise _Terminated


def main(arguments: list[str]) -> int:
    try:
        parser = _parser(arguments)
        args, unknown = parser.parse_known_args(arguments)
        if unknown:
            valid = ["--" + name.replace("_", "-") for name in vars(args)]
            raise InputError(f"unknown option {unknown[0]!r}: {nearest(unknown[0], valid)}")
        return args.action(args)
    except InputError as error:
        print(f"nnbr: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print("nnbr: stopped; what was finished is kept", file=sys.stderr)
        return TERMINATED if isinstance(stop, _Terminated) else INTERRUPTED
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(main(sys.argv[1:]))
