"""The pages of reports/ are notebooks, run on the committed records alone."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import nbformat
import plotly.graph_objects as go
import pytest

from nnbr_core import paths, reports
from nnbr_core.__main__ import main
from nnbr_core.analysis.findings import Finding
from nnbr_core.errors import InputError
from nnbr_core.pictures import PLOTLY, SVG
from nnbr_core.notebooks import SharedKernel
from nnbr_core.paths import project_root
from nnbr_core.reports import BEGIN, END, PAGES, index, judged, page, present, with_summary
from nnbr_core.runs.dataset_facts import facts_path, measure, read_facts
from nnbr_core.runs.run import data_for

REPORTS = project_root() / "reports"
STALE = "make reports was not run since"
COUNT = """
from nnbr_core.runs import records

def count(read, counted):
    records.counted = counted
    records.read = lambda path: counted.append(str(path)) or read(path)

count(records.read, [])
"""
COUNTED = "from nnbr_core.runs import records; print('\\n'.join(records.counted))"
Page = tuple[str, dict[str, go.Figure]]


def run_cell(kernel: SharedKernel, folder: Path, source: str) -> str:
    """What a cell prints, in the kernel that makes the pages."""
    path = folder / "cell.ipynb"
    cells = [nbformat.v4.new_code_cell(source)]
    kernelspec = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernelspec), path)
    (cell,) = kernel.execute(path, {}).cells
    return cell.outputs[0].text if cell.outputs else ""


@pytest.fixture(scope="module", params=present())
def made(request, tmp_path_factory) -> Iterator[tuple[str, dict[str, Page], list[str]]]:
    """All pages of a dataset from one kernel, where no data lies; and what was read for them."""
    folder = tmp_path_factory.mktemp("no_data")
    before = set(paths.runs().rglob("*.json"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNBR_DATA", str(folder))
        with SharedKernel() as kernel:
            run_cell(kernel, folder, COUNT)
            pages = {name: page(kernel, name, request.param) for name in PAGES}
            counted = run_cell(kernel, folder, COUNTED).split()
    assert set(paths.runs().rglob("*.json")) == before  # nothing was trained
    return request.param, pages, counted


def test_all_pages_of_a_dataset_read_a_record_once(made):
    dataset, _, counted = made
    assert len(counted) == len(set(counted))
    own = {path for path in counted if Path(path).parent.name == dataset}
    assert len(own) <= len(list((paths.runs() / dataset).glob("*.json")))


def test_a_page_answers_from_records_on_all_folds(made):
    dataset, pages, _ = made
    folds = read_facts(dataset).n_folds
    for text, figures in pages.values():
        assert text.startswith("# ") and f"{folds} of {folds} folds" in text
        assert "begin(globals())" not in text and "PREVIEW" not in text and "Traceback" not in text
        shown = re.findall(r"\]\(\.\./(figures/.+?\.svg)\)", text)
        assert shown == list(figures)


def test_every_number_of_a_page_leads_to_a_record(made):
    dataset, pages, _ = made
    known = {path.stem[:8] for path in paths.runs().rglob("*.json")}
    for text, _ in pages.values():
        named = set(re.findall(r"<code>([0-9a-f]{8})</code>", text))
        assert named <= known and "Records behind these numbers" in text
    has_records = any((paths.runs() / dataset).glob("*.json"))
    assert bool(named) == has_records


def test_committed_pages_are_byte_for_byte_what_the_records_give(made):
    dataset, pages, _ = made
    for name, (text, figures) in pages.items():
        committed = REPORTS / dataset / f"{name}.md"
        assert committed.is_file() and committed.read_text() == text, STALE
        assert all((REPORTS / path).read_text() == svg for path, svg in figures.items()), STALE


@pytest.fixture(scope="module")
def found() -> dict[str, list[Finding]]:
    return judged(present())


def test_the_readme_and_the_index_say_what_the_records_say(found):
    readme = (project_root() / "README.md").read_text()
    assert with_summary(readme, reports.summary(found)) == readme, STALE
    assert (REPORTS / "README.md").read_text() == index(present(), found), STALE


def test_the_index_opens_with_the_outcomes_and_links_every_page(found):
    text = index(["tafeng", "completejourney"], {"tafeng": found["tafeng"]})
    assert text.startswith(f"# What was found\n\n{len(found['tafeng'])} claims: ")
    assert text.index("figures/outcomes.svg") < text.index("<details>") < text.index("## All pages")
    assert "- 2d, item_select beats item_random on all metrics. tafeng: smaller than" in text
    links = set(re.findall(r"\]\((.+?)\)", text)) - {"figures/outcomes.svg"}
    wanted = {f"{dataset}/{name}.md" for dataset in ("tafeng", "completejourney") for name in PAGES}
    assert links == wanted | {"tafeng/differences.md"}
    assert "- completejourney, Complete Journey, weeks 1-17: simulated rows" in text


def test_what_is_simulated_counts_nowhere(found):
    assert "completejourney" not in found and "tafeng" in found and "across" in found


def test_a_page_has_no_input_and_its_figures_by_name():
    figure = go.Figure(layout={"title": "one<br><sub>two</sub>"})
    drawn = {PLOTLY: figure.to_plotly_json(), SVG: "<svg/>"}
    data = [drawn, {"text/html": "<style>x</style><b>table</b>"}]
    outputs = [nbformat.v4.new_output("display_data", data=one) for one in data]
    cells = [nbformat.v4.new_markdown_cell("# Why?"), nbformat.v4.new_code_cell("1", outputs=outputs)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    text, figures = reports.to_markdown(notebook, "toy_why")
    assert figures == {"figures/toy_why_1.svg": "<svg/>"}
    assert text == "# Why?\n\n![one  two ](../figures/toy_why_1.svg)\n\n<b>table</b>\n"


@pytest.mark.parametrize("dataset", present())
def test_recorded_facts_are_those_of_the_data(dataset):
    try:
        baskets = data_for(reports.recorded(dataset).config("popularity", 0))
    except InputError as error:
        pytest.skip(f"needs {dataset}: {error}")
    assert json.dumps(asdict(measure(baskets)), indent=1) + "\n" == facts_path(dataset).read_text()


def test_only_what_is_between_the_marks_changes():
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = with_summary(readme, "new")
    assert once == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n" == with_summary(once, "new")
    with pytest.raises(InputError, match=r"README.md needs the lines"):
        with_summary("nothing", "new")


@pytest.mark.needs("chromium")
def test_the_command_writes_facts_pages_and_figures(tmp_path, monkeypatch, capsys):
    def facts_here(dataset: str) -> Path:
        return tmp_path / "datasets" / f"{dataset}.json"

    monkeypatch.setattr("nnbr_core.runs.dataset_facts.facts_path", facts_here)
    monkeypatch.setattr(reports, "DATASETS", ("completejourney",))
    monkeypatch.setattr(reports, "PAGES", ("rq4_mask_ratio",))
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "old.svg").write_text("<svg/>")  # no page shows it any more
    assert main(["report", "--out", str(tmp_path)]) == 0
    assert f"The reports are in {tmp_path}; 3 figures were drawn anew" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        "completejourney_rq4_mask_ratio_1.svg",
        "completejourney_rq4_mask_ratio_2.svg",
        "outcomes.svg",
    }
    assert (tmp_path / "completejourney" / "rq4_mask_ratio.md").read_text().startswith("# ")
    assert facts_here("completejourney").read_bytes() == facts_path("completejourney").read_bytes()
