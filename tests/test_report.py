"""The committed reports are what the committed records say."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from nnbr_core.__main__ import main
from nnbr_core.errors import InputError
from nnbr_core.experiments.facts import facts_path, measure
from nnbr_core.experiments.runs import data_for
from nnbr_core.paths import project_root
from nnbr_core.show.images import is_current
from nnbr_core.show.report import (
    STUDIED,
    Report,
    recorded,
    report,
    write_figures,
    write_pages,
)
from nnbr_core.show.report_summary import with_summary

REPORTS = project_root() / "reports"


@pytest.fixture(scope="module")
def made() -> Report:
    """Written where no data can be loaded: records are enough."""

    def refuse(*arguments, **options):
        raise AssertionError("a report needs no data")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nnbr_core.experiments.runs.load", refuse)
        patch.setattr("nnbr_core.experiments.study.load", refuse)
        return report()


def test_pages_are_byte_for_byte_what_the_records_give(made, tmp_path):
    write_pages(made, tmp_path)
    assert {path.name for path in REPORTS.glob("*.md")} == set(made.pages)
    stale = [
        name
        for name in made.pages
        if (tmp_path / name).read_bytes() != (REPORTS / name).read_bytes()
    ]
    assert stale == []


def test_the_readme_says_what_the_records_say(made):
    readme = (project_root() / "README.md").read_text()
    assert with_summary(readme, made.summary) == readme


def test_figures_are_drawn_from_the_records(made):
    there = {str(path.relative_to(REPORTS)) for path in (REPORTS / "figures").glob("*")}
    assert there == set(made.figures)
    assert [n for n, figure in made.figures.items() if not is_current(REPORTS / n, figure)] == []


def test_every_link_of_a_page_leads_somewhere(made):
    for text in made.pages.values():
        links = [part.split(")")[0] for part in text.split("](")[1:]]
        assert links and all((REPORTS / link).is_file() for link in set(links))


@pytest.mark.parametrize(("dataset", "recipe"), STUDIED)
def test_recorded_facts_are_those_of_the_data(dataset, recipe):
    study = recorded(dataset, recipe)
    try:
        baskets = data_for(study.config("popularity", 0))
    except InputError as error:
        pytest.skip(f"needs {dataset}: {error}")
    text = json.dumps(asdict(measure(baskets)), indent=1) + "\n"
    assert text == facts_path(study.noted).read_text()


@pytest.mark.needs("chromium")
def test_figures_that_are_no_longer_shown_are_removed(made, tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "old.svg").write_text("<svg/>")
    name, figure = next(iter(made.figures.items()))
    drawn = write_figures(Report({}, {name: figure}, ""), tmp_path)
    assert drawn == [tmp_path / name] == list((tmp_path / "figures").iterdir())


@pytest.mark.needs("chromium")
def test_the_command_writes_facts_pages_and_figures(made, tmp_path, monkeypatch, capsys):
    def facts_here(dataset: str) -> Path:
        return tmp_path / "datasets" / f"{dataset}.json"

    monkeypatch.setattr("nnbr_core.experiments.facts.facts_path", facts_here)
    monkeypatch.setattr("nnbr_core.show.report.report", lambda: made)  # it took its time once
    assert main(["report", "--out", str(tmp_path)]) == 0
    n = len(made.figures)
    assert capsys.readouterr().out == (
        f"{len(made.pages)} pages in {tmp_path}\n{n} figures, {n} of them drawn anew\n"
    )
    assert (tmp_path / "README.md").read_text() == made.pages["README.md"]
    assert all(is_current(tmp_path / name, figure) for name, figure in made.figures.items())
    recorded_facts = facts_path("completejourney").read_bytes()
    assert facts_here("completejourney").read_bytes() == recorded_facts
