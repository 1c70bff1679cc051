"""Commands about what is recorded: parsed arguments -> exit code."""

import argparse
from dataclasses import asdict
from pathlib import Path


def records(args: argparse.Namespace) -> int:
    """Every record, one line each: filtered, sorted, with the columns you name."""
    from nnbr_core.runs.lookup import COLUMNS, frame, listed, where

    columns = args.columns.split(",") if args.columns else COLUMNS
    found = listed(where(frame(args.dataset), args.where or []), args.sort, columns)
    print(found.head(args.head).to_string(index=False, float_format=lambda x: f"{x:.4f}"))
    return 0


def show(args: argparse.Namespace) -> int:
    """One record: settings, metrics, where its training peaked, and the code it ran."""
    from nnbr_core.runs.lookup import by_prefix

    record = by_prefix(args.id)
    n_users = f"{record.users_scored:,} users scored, {record.users_left_out:,} left out"
    print(f"{record.id}: {record.description}")
    print(f"{n_users}; {record.seconds:,.1f} s; commit {record.commit}; data {record.data}")
    for name, value in (record.config["settings"] | record.chosen).items():
        chosen = "  (chosen on validation users)" if name in record.chosen else ""
        print(f"  {name:<28} {value}{chosen}")
    print(f"{'':<20} validation    test")
    for name, value in record.test.items():
        print(f"  {name:<18} {record.validation[name]:>10.4f} {value:>7.4f}")
    if record.curve:
        scores = [epoch["recall@10"] for epoch in record.curve]
        best = scores.index(max(scores))
        print(f"best of {len(scores)} epochs: {best + 1}, validation recall@10 {scores[best]:.4f}")
    for code in asdict(record).get("code", []):
        print(f"\n{code['source']}")
    return 0


def compare(args: argparse.Namespace) -> int:
    """One run over another for the same users: difference, interval, p."""
    from nnbr_core.analysis.leaderboard import compare_records
    from nnbr_core.errors import choose
    from nnbr_core.figures.tables import comparison_table
    from nnbr_core.runs.lookup import by_prefix

    a, b = by_prefix(args.a), by_prefix(args.b)
    metric = choose("metric", args.metric, a.per_user().columns)
    for one in (a, b):
        print(f"{one.id}: {one.description}, {metric} {one.test[metric]:.4f}")
    table = comparison_table([compare_records(a, b, metric)])
    print(table.drop(columns=["paper", "replication"]).to_string())
    return 0


def leaderboard(args: argparse.Namespace) -> int:
    """All recorded methods of a dataset, best first: intervals, users, folds, record ids."""
    from nnbr_core.analysis.leaderboard import leaderboard
    from nnbr_core.analysis.parameters import study_of
    from nnbr_core.errors import InputError, choose
    from nnbr_core.figures.tables import HEADLINE

    study = study_of(args.dataset, "paper", train_missing=False)
    choose("metric", args.metric, HEADLINE)
    if not (tables := leaderboard(study, args.metric)):
        raise InputError(f"nothing is recorded of {study.name}")
    print(study)
    for table in tables:
        print(f"\n{table.to_string(float_format=lambda x: f'{x:.4f}')}")
    return 0


def export(args: argparse.Namespace) -> int:
    """What a notebook shows, as files: tables as CSV and LaTeX, figures as SVG."""
    from nnbr_core.exports import export

    for path in export(args.notebook, args.dataset, Path(args.out)):
        print(path)
    return 0


def html(args: argparse.Namespace) -> int:
    """An executed notebook as one page that holds everything it needs."""
    from nnbr_core.notebooks import write_page

    notebook = Path(args.notebook)
    page = Path(args.out) if args.out else notebook.with_suffix(".html")
    n_figures = write_page(notebook, page)
    print(f"{page}: {n_figures} figures")
    return 0
