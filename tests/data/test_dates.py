"""A column of dates has one format; where it could be two, the file's owner is asked."""

from datetime import date, timedelta

import pytest

from nnbr_core.data.dates import moments
from nnbr_core.data.rows import connect, read_table
from nnbr_core.errors import InputError


def read(tmp_path, values: list[str], date_format: str | None = None) -> tuple[list, str | None]:
    """The column's days or numbers, in the file's order, and the format that was used."""
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f'"{value}"\n' for value in values))
    con = connect(tmp_path)
    read_table(con, "t", [path], ["a"])
    found = moments(con, "t", "a", [path], date_format)
    rows = con.execute(f"SELECT {found.expression} FROM t").fetchall()
    return [row[0] for row in rows], found.date_format


DAYS = [date(2013, 2, 11), date(2013, 2, 28), date(2013, 12, 1)]


@pytest.mark.parametrize(
    "written",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d-%b-%Y", "%d %B %Y", "%B %d, %Y"),
        *("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    ],
)
@pytest.mark.parametrize("time", ["", " 23:59", " 11:59:59 PM", "T00:00:00.123", "T09:00:00Z"])
def test_every_usual_way_of_writing_is_found(tmp_path, written, time):
    if written == "%Y%m%d" and time:
        return  # nobody writes this
    found = read(tmp_path, [day.strftime(written) + time for day in DAYS])
    assert found == (DAYS, written)


def test_numbers_without_a_leading_zero_are_read(tmp_path):
    assert read(tmp_path, ["1/2/2013", "1/31/2013"])[0] == [date(2013, 1, 2), date(2013, 1, 31)]


def test_order_numbers_stay_numbers(tmp_path):
    assert read(tmp_path, ["3", "12", "-1"]) == ([3, 12, -1], None)
    assert read(tmp_path, ["3.0", "12."]) == ([3, 12], None)  # as pandas writes them
    assert read(tmp_path, ["20130211", "20139999"]) == ([20130211, 20139999], None)  # no date


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (["02/11/13", "03/11/13"], "'02/11/13', '03/11/13' can be read as %d/%m/%y or %m/%d/%y or"),
        (["02.11.2013"], "can be read as %d.%m.%Y or %m.%d.%Y; say which with date_format"),
        (["1880-01-01"], "days are 1880-01-01 to 1880-01-01, before 1990 or in the future"),
        (["0002-11-13"], "before 1990 or in the future; give the right date_format"),
        (["2024-01-01", "2999-01-01"], "2024-01-01 to 2999-01-01, before 1990 or in the future"),
        (["1", "1.5"], "column a, line 3: '1.5' is not a whole order number"),
        (["1e3", "1"], "column a, line 2: '1e3' is not a whole order number"),
        (["2024-01-01", "infinity"], "column a, line 3: 'infinity' is not an order number or a"),
        (["infinity"], "column a, line 2: 'infinity' is not an order number"),
        (["2024-01-01", "epoch"], "column a, line 3: 'epoch' is not"),
        (["2024-01-01", "soon"], "column a, line 3: 'soon' is not"),
        (["2024-01-01", "7"], "column a, line 3: '7' is not"),
        (["2024-02-30"], "column a, line 2: '2024-02-30' is not"),
        (["2024-01-01 25:00"], "column a, line 2: '2024-01-01 25:00' is not"),
        (["99999999999999999999"], "column a, line 2: '99999999999999999999' is not a whole"),
        (["2024-01-01T09:00+01:00", "2024-01-02T09:00Z"], "several time zones, such as"),
        (["2024-01-01 09:00+01", "2024-01-02 09:00"], "several time zones, such as"),
    ],
)
def test_what_cannot_be_read_without_a_guess_is_said(tmp_path, values, complaint):
    with pytest.raises(InputError, match=complaint):
        read(tmp_path, values)


def test_one_time_zone_written_in_two_ways_is_one(tmp_path):
    days, _ = read(tmp_path, ["2024-01-01T23:00Z", "2024-01-02T23:00+00:00"])
    assert days == [date(2024, 1, 1), date(2024, 1, 2)]  # as written, not moved


def test_a_given_format_decides(tmp_path):
    assert read(tmp_path, ["02/11/13"], "%d/%m/%y")[0] == [date(2013, 11, 2)]
    assert read(tmp_path, ["02/11/13"], "%m/%d/%y")[0] == [date(2013, 2, 11)]
    assert read(tmp_path, ["02/11/1913 10h"], "%d/%m/%Y %Hh")[0] == [date(1913, 11, 2)]


@pytest.mark.parametrize(
    ("values", "date_format", "complaint"),
    [
        (["02/11/2013", "2013-11-02"], "%d/%m/%Y", "line 3: '2013-11-02' is not a date written as"),
        (["02/11/13"], "%d/%m/%Y", "'02/11/13' read as %d/%m/%Y lies in the future or centuries"),
        (["02/11/2013"], "dd/mm/yyyy", "date_format 'dd/mm/yyyy': write it with %Y or %y"),
        (["02/11/2013"], "%d/%m", "date_format '%d/%m': write it with"),
        (["02/11/2013"], "%d/%m/%Y/%Q", "date_format '%d/%m/%Y/%Q': write it with"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(tmp_path, values, date_format, complaint):
    with pytest.raises(InputError, match=complaint):
        read(tmp_path, values, date_format)


def test_tomorrow_may_be_today_elsewhere_but_next_week_is_the_future(tmp_path):
    assert read(tmp_path, [str(date.today() + timedelta(days=1))])[1] == "%Y-%m-%d"
    late = str(date.today() + timedelta(days=7))
    with pytest.raises(InputError, match="in the future"):
        read(tmp_path, [late])
    with pytest.raises(InputError, match="lies in the future"):
        read(tmp_path, [late], "%Y-%m-%d")
