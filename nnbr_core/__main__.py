"""The command line: python -m nnbr_core COMMAND. Exit code 2 and one sentence for bad input."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import fields

from nnbr_core import commands
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.paths import project_root

DEFAULT_DATASET = "completejourney"
DEFAULT_MODEL = "btbr"
INTERRUPTED = 130  # what shells expect after Ctrl-C


def _add_fields(parser: argparse.ArgumentParser, settings: type, group: str) -> None:
    """One option per field of a settings dataclass; None means: not given."""
    options = parser.add_argument_group(group)
    for f in fields(settings):
        flag = "--" + f.name.replace("_", "-")
        options.add_argument(flag, metavar="VALUE", help=f"default: {f.default}")


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
    names = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(name: str, action: Callable) -> argparse.ArgumentParser:
        added = names.add_parser(name, help=action.__doc__, description=action.__doc__)
        added.set_defaults(action=action)
        return added

    command("datasets", commands.datasets)
    command("fetch", commands.fetch).add_argument("dataset")
    preparing = command("prepare", commands.prepare)
    preparing.add_argument("dataset", help="a name, or a CSV or parquet file")
    _add_fields(preparing, Recipe, "how rows become baskets")
    running = command("run", commands.run)
    running.add_argument("--json", action="store_true", help="print one JSON object")
    recommending = command("recommend", commands.recommend)
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
    sweeping = command("sweep", commands.sweep)
    sweeping.add_argument("file", help="a YAML file such as notebooks/grids/rq3_swap.yaml")
    sweeping.add_argument("--grid", default="pruned", help="which grid of the file")
    sweeping.add_argument("--dataset", help="instead of the file's")
    sweeping.add_argument("--profile", help="instead of the file's")
    sweeping.add_argument("--workers", type=int, help="processes; all cores if not given")
    sweeping.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster")
    sweeping.add_argument("--list", action="store_true", help="only say what would be run")
    showing = command("gallery", commands.gallery)
    showing.add_argument("--dataset", default=DEFAULT_DATASET)
    showing.add_argument("--profile", default="quick", help="quick or paper")
    showing.add_argument("--out", default="gallery")
    showing.add_argument("notebook", nargs="*", help="names; all of them if none is given")
    command("outputs", commands.outputs).add_argument(
        "notebook", nargs="*", help="names; all if none"
    )
    reporting = command("report", commands.report)
    reporting.add_argument("--out", default=str(project_root() / "reports"), help="where to")
    command("bench", commands.bench).add_argument(
        "name", nargs="*", help="all of them if none is given"
    )
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
