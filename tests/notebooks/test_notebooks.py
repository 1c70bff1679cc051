"""The notebook runner, on small notebooks made here, with the real papermill."""

import nbformat
import papermill
import plotly.graph_objects as go
import pytest
from lab import ARGUMENTS, CHROMIUM
from playwright.sync_api import sync_playwright

from nnbr_core.errors import InputError
from nnbr_core.gallery import gallery
from nnbr_core.notebooks import (
    all_notebooks,
    check_names,
    draw_figures,
    named_notebook,
    store_outputs,
)

FIGURE = "import plotly.graph_objects as go\ngo.Figure(go.Bar(y=[number]), layout={'title': 'one'})"


def write(folder, name: str, *code: str):
    tagged = nbformat.v4.new_code_cell("number = 1", metadata={"tags": ["parameters"]})
    cells = [nbformat.v4.new_markdown_cell(f"# What is {name}?"), tagged]
    notebook = nbformat.v4.new_notebook(cells=cells + [nbformat.v4.new_code_cell(c) for c in code])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A gallery of one good and one failing notebook."""
    folder = tmp_path_factory.mktemp("notebooks")
    good = write(folder, "good", FIGURE, "print(number)")
    bad = write(folder, "bad", "raise ValueError('on purpose')")
    return gallery([bad, good], {"number": 7}, folder / "out"), folder / "out"


def test_a_failure_is_kept_with_its_error_and_the_rest_goes_on(shown):
    (bad, good), folder = shown
    assert bad.error == "ValueError: on purpose"
    assert good.error == ""
    assert "on purpose" in (folder / "bad.html").read_text()
    assert "ValueError: on purpose" in (folder / "index.html").read_text()


def test_parameters_reach_the_notebook(shown):
    executed = nbformat.read(shown[1] / "good.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "7\n"


def test_the_index_links_every_page_by_its_question(shown):
    index = (shown[1] / "index.html").read_text()
    assert '<a href="good.html">What is good?</a>' in index
    assert '<a href="bad.html">What is bad?</a>' in index


@pytest.fixture
def offline_page():
    """A page of a browser that has no network."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser.new_context(offline=True).new_page()
        browser.close()


@pytest.mark.needs("chromium")
def test_figures_are_drawn_without_a_network(shown, offline_page):
    errors = []
    offline_page.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("good.html", "index.html"):
        offline_page.goto(f"file://{shown[1]}/{name}")
        offline_page.wait_for_selector(".plotly .bars .point")
        assert offline_page.locator(".gtitle").text_content() == "one"
    assert errors == []


def test_no_widget_state_is_stored(tmp_path):
    path = write(tmp_path, "slider", "import ipywidgets\nipywidgets.IntSlider()")
    gallery([path], {}, tmp_path / "out")
    assert "widgets" not in nbformat.read(tmp_path / "out/slider.ipynb", as_version=4).metadata


def test_outputs_are_kept_in_place_and_nothing_else(tmp_path):
    path = write(tmp_path, "good", "print(number)")
    before = nbformat.read(path, as_version=4)
    store_outputs(path)
    after = nbformat.read(path, as_version=4)
    assert after.cells[-1].outputs[0].text == "1\n"
    assert [cell.source for cell in after.cells] == [cell.source for cell in before.cells]
    assert [cell.metadata for cell in after.cells] == [cell.metadata for cell in before.cells]
    assert after.metadata == before.metadata


@pytest.mark.needs("chromium")
def test_every_figure_of_a_real_notebook_is_drawn_without_a_network(tmp_path, offline_page):
    (done,) = gallery([named_notebook("01_explore_data")], {"dataset": "toy"}, tmp_path)
    assert done.error == ""
    executed = nbformat.read(tmp_path / "01_explore_data.ipynb", as_version=4)
    n_figures = len(draw_figures(executed))
    assert n_figures >= 8
    offline_page.goto(f"file://{tmp_path}/01_explore_data.html")
    offline_page.wait_for_selector(".js-plotly-plot .main-svg")
    assert offline_page.locator(".js-plotly-plot .gtitle").count() == n_figures


def test_an_unknown_parameter_is_refused_before_anything_runs(tmp_path):
    path = write(tmp_path, "good", "print(number)")
    with pytest.raises(InputError, match="good.ipynb has no parameter 'numbr'"):
        check_names(path, {"numbr": 1})
    with pytest.raises(InputError, match="no notebook has a parameter 'numbr': did you mean"):
        gallery([path], {"numbr": 1}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_drawing_replaces_the_figures_data():
    data = {"application/vnd.plotly.v1+json": go.Figure(go.Bar(y=[1])).to_plotly_json()}
    output = nbformat.v4.new_output("display_data", data=data)
    cell = nbformat.v4.new_code_cell("", outputs=[output])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert len(draw_figures(notebook)) == 1
    assert list(notebook.cells[0].outputs[0].data) == ["text/html"]


def test_notebooks_are_found_by_name():
    assert named_notebook("01_explore_data") in all_notebooks()
    with pytest.raises(InputError, match="did you mean '01_explore_data'"):
        named_notebook("01_explor_data")


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"dataste": "toy"}, "unknown parameter 'dataste': did you mean 'dataset'"),
        ({"dataset": "tafang"}, "unknown dataset 'tafang': did you mean 'tafeng'"),
        ({"profile": "fast"}, "unknown profile 'fast'"),
    ],
)
def test_plain_papermill_stops_at_a_typo(tmp_path, parameters, complaint):
    notebook = str(named_notebook("rq1_baselines"))
    with pytest.raises(papermill.PapermillExecutionError, match=complaint) as failure:
        papermill.execute_notebook(
            notebook, str(tmp_path / "out.ipynb"), parameters, progress_bar=False
        )
    assert failure.value.ename == "InputError"
