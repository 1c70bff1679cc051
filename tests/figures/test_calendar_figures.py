"""The leak meter and both protocols as pictures, from rows and shoppers worked out by hand."""

import pandas as pd
import pytest
from made import made_row

from nnbr_core.analysis.calendar import leak_table, order_agreement
from nnbr_core.analysis.study import Study
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.toy import season_world, world
from nnbr_core.errors import InputError
from nnbr_core.figures import calendar, days
from nnbr_core.widgets.calendar import Day, calendar_explorer, day_page, days_to_pick


def rows(**recalls: list[float]) -> dict:
    return {name: made_row(name, values) for name, values in recalls.items()}


@pytest.fixture
def table() -> pd.DataFrame:
    by_users = rows(popularity=[0.1, 0.1], user_knn=[0.4, 0.4], item_knn=[0.2, 0.2], tifuknn=[1, 1])
    by_calendar = rows(popularity=[0.2, 0.2], user_knn=[0.1, 0.1], item_knn=[0.3, 0.3])
    return leak_table(by_users, by_calendar)


def test_the_leak_table_holds_what_is_recorded_both_ways(table):
    assert table["method"].tolist() == ["popularity", "user_knn", "item_knn"] * 2
    assert table["protocol"].tolist() == ["users"] * 3 + ["calendar"] * 3
    assert table["value"].tolist() == pytest.approx([0.1, 0.4, 0.2, 0.2, 0.1, 0.3])
    assert table["place"].tolist() == [3, 1, 2, 2, 3, 1]
    assert table["lead"].tolist() == pytest.approx([1, 4, 2, 1, 0.5, 1.5])


def test_what_has_fewer_folds_is_about_other_shoppers_and_left_out():
    part = {"popularity": made_row("popularity", [0.1], [0.1]), "user_knn": made_row("u", [0.4])}
    assert leak_table(part, part)["method"].tolist() == ["popularity"] * 2
    assert leak_table({}, part).empty


def test_sentences_say_what_fell_and_whether_the_order_changed(table):
    assert calendar.leak_sentence(table) == (
        "user_knn depends most on the calendar: +300% over popularity split by users, -50% by "
        "calendar (2 and 2 shoppers)."
    )
    assert order_agreement(table) == pytest.approx(-0.5)
    said = calendar.order_sentence(table)
    assert said.startswith("user_knn is first by users, item_knn by calendar; rank correlation")
    assert calendar.order_sentence(table, is_preview=True) == "A preview ranks nobody."
    assert "no order to compare" in calendar.order_sentence(table[:0])
    assert "No method is recorded both ways" in calendar.leak_sentence(table[:0])


def test_the_meter_draws_both_ways(table):
    drawn = calendar.leak_meter(table)
    assert [trace.name for trace in drawn.data] == ["by users", "by calendar"]
    assert list(drawn.data[1].x) == pytest.approx([0.2, 0.1, 0.3])
    assert "Nothing to draw" in calendar.leak_meter(table[:0]).layout.title.text
    shown = calendar.leak_columns(table)
    assert shown.loc["user_knn", "lead over popularity, by calendar"] == "-50%"
    assert not any(name.startswith("place") for name in calendar.leak_columns(table, True))


def test_the_picture_shows_what_either_protocol_reads():
    own = [[10, 20, 30], [10, 20, 40], [12, 22, 50], [15, 25, 35]]  # the first two are tested
    lists = [[[0]] * len(one) for one in own]
    drawn = calendar.protocols(Baskets.from_lists(lists, days=own), cutoff=32, horizon=10)
    n: dict[str, list[int]] = {}
    for trace in drawn.data:
        n.setdefault(trace.name, []).append(len(trace.x))
    assert n == {
        calendar.READ: [8, 9],
        calendar.LEAK: [2, 0],  # days 35 and 50, where day 30 is to be predicted
        calendar.WANTED: [2, 2],  # by calendar those of days 40 and 35
        calendar.UNREAD: [0, 1],
    }


def test_dated_figures_are_drawn_and_without_dates_it_is_one_sentence(capsys):
    baskets = season_world(60)
    assert sum(days.visits_per_week(baskets).data[0].y) == baskets.n_baskets
    assert days.best_sellers(baskets).data[0].z.shape == (24, 20)
    assert sum(days.last_basket_distances(baskets).data[0].y) == pytest.approx(1)
    assert len(days.repeat_by_gap(baskets).data[0].y) == len(days.repeat_by_gap(baskets).data[0].x)
    assert max(days.days_between_visits(baskets).data[0].x) <= 13
    days.show_days(world(20).baskets)
    assert "Markdown" in capsys.readouterr().out


def test_the_shop_on_one_day_shows_sales_lists_and_what_was_bought():
    study = Study("toy_season", protocol="calendar")
    baskets, days_offered = study.baskets, days_to_pick(study.baskets, study.horizon)
    assert (set(b - a for a, b in zip(days_offered, days_offered[1:], strict=False))) == {7}
    day = Day.at(baskets, days_offered[0], study.horizon, study.recipe)
    page = day_page(day, 3)
    for head in ("sold in the week before", "recent_popularity", "user_knn", "then bought"):
        assert head in page
    bought = day.test.targets.lists(3)[0]
    assert all(
        baskets.catalogue["name"][int(day.test.targets.catalogue["id"][i])] in page for i in bought
    )


@pytest.mark.parametrize(
    ("cutoff", "complaint"),
    [
        ("1999-01-01", "leaves no day before"),
        ("2030-01-01", "after the last day"),
        ("soon", "date"),
    ],
)
def test_a_day_outside_the_data_is_one_sentence(cutoff, complaint):
    with pytest.raises(InputError, match=complaint):
        calendar_explorer(Study("toy_season", protocol="calendar"), cutoff)
