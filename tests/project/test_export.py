"""Tables as CSV and LaTeX, figures as SVG."""

import io

import nbformat
import pandas as pd
import pytest

from nnbr_core.errors import InputError
from nnbr_core.exports import contents, notebook_of
from nnbr_core.figures.data import figure
from nnbr_core.figures.export import save, to_csv, to_latex

TABLE = pd.DataFrame(
    {
        "recall@10": [".0587\u00a0±\u00a0.0045 ¹", ".0012\u00a0±\u00a0.0003 ²", "–"],
        "95 % interval": ["[+.0109,\u00a0+.0181]", "[-.0001,\u00a0+.0002]", "–"],
        "relative": ["+24.9%", "-3.0%", "–"],
        "users": [6369, 6369, 12],
        "result": ["higher", "level", "–"],
    },
    index=["item_knn", "popularity", "mine"],
)


def test_csv_has_numbers_where_the_table_has_text_for_readers():
    read = pd.read_csv(io.StringIO(to_csv(TABLE)), index_col=0)
    assert read["recall@10"].tolist()[:2] == [0.0587, 0.0012]
    assert read["recall@10 ±"].tolist()[:2] == [0.0045, 0.0003]
    assert read["95 % interval low"].tolist()[:2] == [0.0109, -0.0001]
    assert read["95 % interval high"].tolist()[:2] == [0.0181, 0.0002]
    assert read["relative %"].tolist()[:2] == [24.9, -3.0]
    assert read["users"].tolist() == [6369, 6369, 12]
    assert read.loc["mine"].isna().sum() == 6  # all but the users
    assert read["result"].tolist()[:2] == ["higher", "level"]


def test_the_papers_number_in_brackets_is_a_column_of_its_own():
    table = pd.DataFrame({"recall@10 (paper)": [".05 ± .01 ¹ (.06)", ".04 ± .01 (–)"]})
    read = pd.read_csv(io.StringIO(to_csv(table)), index_col=0)
    assert read.columns.tolist() == ["recall@10", "recall@10 ±", "recall@10 in the paper"]
    assert read["recall@10 in the paper"].tolist()[0] == 0.06
    assert r"\textbf{.05 $\pm$ .01} (.06)" in to_latex(table)


def test_latex_is_booktabs_with_the_best_two_marked():
    lines = to_latex(TABLE).splitlines()
    assert lines[0] == r"\begin{tabular}{lrlrrl}"
    assert [lines[1], lines[3], *lines[-2:]] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert lines[2].startswith(r" & recall@10 & 95 \% interval & relative & users")
    assert lines[4].startswith(r"item\_knn & \textbf{.0587~$\pm$~.0045} & ")
    assert lines[5].startswith(r"popularity & \underline{.0012~$\pm$~.0003} & ")
    assert lines[6] == r"mine & -- & -- & -- & 12 & -- \\"


def test_one_call_writes_what_the_name_says(tmp_path):
    assert save(TABLE, tmp_path / "deep" / "table.tex").read_text() == to_latex(TABLE)
    assert save(TABLE, tmp_path / "table.csv").read_text() == to_csv(TABLE)
    with pytest.raises(InputError, match="unknown file type '.xlsx'"):
        save(TABLE, tmp_path / "table.xlsx")
    with pytest.raises(InputError, match="table.svg: a Figure is needed, not a DataFrame"):
        save(TABLE, tmp_path / "table.svg")


@pytest.mark.needs("chromium")
def test_a_figure_is_written_as_svg(tmp_path):
    line = figure("A line", "x", "y").add_scatter(x=[1, 2], y=[1, 2])
    svg = save(line, tmp_path / "line.svg").read_text()
    assert svg.startswith("<svg") and "A line" in svg


def test_files_are_numbered_and_named_after_their_heading():
    def shown(**data):
        return nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data", data)])

    cells = [
        nbformat.v4.new_markdown_cell("# Title\n\ntext\n\n## What is compared?\n\nmore"),
        shown(**{"text/csv": "a,b", "text/latex": "a & b"}),
        nbformat.v4.new_markdown_cell("no heading"),
        shown(**{"text/plain": "nothing to keep"}),
        shown(**{"image/svg+xml": "<svg/>"}),
    ]
    found = dict(contents(nbformat.v4.new_notebook(cells=cells)))
    assert found == {
        "01_what_is_compared.csv": "a,b",
        "01_what_is_compared.tex": "a & b",
        "02_what_is_compared.svg": "<svg/>",
    }


def test_an_experiment_is_named_like_its_notebook():
    assert notebook_of("rq1").stem == notebook_of("rq1_baselines").stem == "rq1_baselines"
    assert notebook_of("claims").stem == "claims"
