import pytest

from nnbr_core.data.rows import connect, first_bad, label, read_table, whole_number
from nnbr_core.errors import InputError


def table(tmp_path, text: str):
    path = tmp_path / "t.csv"
    path.write_text(text)
    con = connect(tmp_path)
    read_table(con, "t", [path], ["a"])
    return con, [path]


def values(con, expression: str) -> list:
    return [row[0] for row in con.execute(f"SELECT {expression} FROM t").fetchall()]


def test_empty_text_and_nan_are_missing(tmp_path):
    con, _ = table(tmp_path, 'a,b\n1,x\n,x\nnan,x\n"NA",x\n')
    assert values(con, "a") == ["1", None, None, None]


def test_a_byte_order_mark_does_not_hide_the_first_column(tmp_path):
    con, _ = table(tmp_path, "\ufeffa,b\n1,x\n")
    assert values(con, "a") == ["1"]


def test_the_first_bad_row_is_found_by_its_line(tmp_path):
    con, files = table(tmp_path, "a\n1\n2\nx\ny\n")
    assert first_bad(con, "t", "a", "TRY_CAST(a AS BIGINT) IS NULL", files) == (4, "x")
    assert first_bad(con, "t", "a", "a = 'z'", files) is None


def test_ids_are_numbers_only_if_all_are(tmp_path):
    con, files = table(tmp_path, "a\n10\n9\n")
    assert values(con, label(con, "t", "a", files)) == [10, 9]
    con, files = table(tmp_path, "a\n10\n9x\n")
    assert values(con, label(con, "t", "a", files)) == ["10", "9x"]


def test_whole_numbers_are_neither_negative_nor_text(tmp_path):
    for bad in ("-1", "x"):
        con, files = table(tmp_path, f"a\n1\n{bad}\n")
        with pytest.raises(InputError, match=f"column a, line 3: '{bad}' is not an id"):
            whole_number(con, "t", "a", files)
