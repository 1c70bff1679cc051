"""Text in many encodings and shapes, through the same door as every file of one's own."""

import gzip

import pytest

from nnbr_core.data.prepare import load
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError

HEAD = "who,when,what\n"
ROWS = "".join(f"Zoë,2024-01-0{day},crème {day % 2}\n" for day in (1, 2, 3))
TEXT = HEAD + ROWS


def loaded(folder, content: bytes, name: str = "shop.csv", **settings):
    path = folder / name
    path.write_bytes(content)
    columns = {"user_column": "who", "time_column": "when", "item_column": "what"}
    return load(str(path), Recipe(**columns, min_item_count=1, **settings))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["shop.csv", "shop.csv.gz"])
def test_unicode_is_simply_read(elsewhere, encoding, name):
    content = TEXT.encode(encoding)
    baskets = loaded(elsewhere, gzip.compress(content) if "gz" in name else content, name)
    assert baskets.user_ids.tolist() == ["Zoë"]
    assert baskets.catalogue["id"].tolist() == ["crème 0", "crème 1"]


def test_another_encoding_is_guessed_aloud_and_read_when_given(elsewhere):
    content = TEXT.encode("cp1252")
    with pytest.raises(InputError, match=r"not UTF-8, it seems to be cp1252; if so, give encoding"):
        loaded(elsewhere, content)
    assert loaded(elsewhere, content, encoding="cp1252").user_ids.tolist() == ["Zoë"]


def test_a_late_line_that_is_not_utf8_is_named(elsewhere):
    plain = "".join(f"ann,{day},a\n" for day in range(1, 40_001))
    content = (HEAD + plain).encode() + "Zoë,1,a\n".encode("cp1252")
    with pytest.raises(InputError, match=r"shop.csv, line 40002: the text is not UTF-8"):
        loaded(elsewhere, content, max_baskets=50_000)


def test_an_encoding_that_does_not_exist_or_fit_is_refused(elsewhere):
    with pytest.raises(InputError, match="encoding 'klingon' is not known"):
        loaded(elsewhere, TEXT.encode(), encoding="klingon")
    with pytest.raises(InputError, match="cannot be read as ascii: ordinal not in range"):
        loaded(elsewhere, TEXT.encode(), encoding="ascii")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends_are_found(elsewhere, separator, end):
    text = TEXT.replace(",", separator).replace("\n", end)
    assert loaded(elsewhere, text.encode()).n_baskets == 3


def test_line_ends_of_two_kinds_are_read(elsewhere):
    baskets = loaded(elsewhere, (HEAD + ROWS.replace("\n", "\r\n") + "Al,5,a\n").encode()[:-7])
    assert baskets.catalogue["id"].tolist() == ["crème 0", "crème 1"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("ann,2024-01-01\n", "shop.csv, line 5: 2 values in 3 columns"),
        ("ann,2024-01-01,a,b\n", "shop.csv, line 5: 4 values in 3 columns"),
        ('ann,2024-01-01,"a\n', 'shop.csv, line 5: a value in " is not closed'),
    ],
)
def test_a_row_that_does_not_fit_is_named_by_line(elsewhere, row, complaint):
    with pytest.raises(InputError, match=complaint):
        loaded(elsewhere, (TEXT + row + ROWS).encode())


def test_quoted_separators_line_breaks_and_quotes_are_part_of_a_name(elsewhere):
    rows = "".join(f'ann,{day},"a,""b""\nc"\n' for day in (1, 2, 3))
    baskets = loaded(elsewhere, (HEAD + rows).encode())
    assert baskets.catalogue["id"].tolist() == ['a,"b"\nc']


def test_columns_that_differ_in_case_or_are_written_twice(elsewhere):
    twice = "who,Who,when,what,x,x\n" + "".join(f"ann,bob,{d},a,1,2\n" for d in (1, 2, 3))
    assert loaded(elsewhere, twice.encode()).user_ids.tolist() == ["ann"]
    with pytest.raises(InputError, match="two columns called 'who'"):
        loaded(elsewhere, twice.replace("Who", "who").encode())


def test_a_file_that_is_not_what_its_name_says_is_refused(elsewhere):
    with pytest.raises(InputError, match="shop.csv.gz cannot be read"):
        loaded(elsewhere, TEXT.encode(), "shop.csv.gz")
    with pytest.raises(InputError, match="shop.csv.gz cannot be read"):
        loaded(elsewhere, gzip.compress(TEXT.encode() * 9999)[:200], "shop.csv.gz")
    broken = bytearray(gzip.compress(TEXT.encode("utf-16") * 9999))
    broken[20:40] = b"x" * 20
    with pytest.raises(InputError, match="shop.csv.gz cannot be read"):
        loaded(elsewhere, bytes(broken), "shop.csv.gz")
    with pytest.raises(InputError, match="not UTF-8"):
        loaded(elsewhere, bytes(range(256)) * 4)
