"""Stand in the shop on one day: what was selling, what was recommended, what was then bought."""

from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets as widgets
import numpy as np

from nnbr_core.analysis.study import Study
from nnbr_core.baselines.api import Recommender
from nnbr_core.baselines.dated.recent_popularity import RecentPopularity, RecentPopularitySettings
from nnbr_core.baselines.dated.sales import Sales
from nnbr_core.baselines.user_knn import EVERYBODY, UserKnn, UserKnnSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import WEEK, as_date, as_day, cutoffs, split_at
from nnbr_core.data.folds import Part, part
from nnbr_core.data.recipe import Recipe
from nnbr_core.evaluation import top_novel
from nnbr_core.figures.baskets import chip, grid, legend, user_baskets
from nnbr_core.figures.calendar import best_sellers_table
from nnbr_core.figures.colours import GREEN, NOVEL, REPEAT
from nnbr_core.runs.progress import is_interactive
from nnbr_core.widgets._shared import note, rendered, row, show_page, show_widget, watch

K = 10
N_RECENT = 6  # baskets of a long history that are shown
METHODS: dict[str, tuple[type, Any]] = {  # counted in a second, at any day
    "recent_popularity": (RecentPopularity, RecentPopularitySettings(days=WEEK)),
    "user_knn": (UserKnn, UserKnnSettings("last", "explore", EVERYBODY, 2.0)),
}


@dataclass(frozen=True)
class Day:
    """All that a shop knows on one morning, and what happened then."""

    cutoff: int
    test: Part  # everybody who came back within the horizon
    models: dict[str, Recommender]

    @classmethod
    def at(cls, baskets: Baskets, cutoff: int, horizon: int, recipe: Recipe) -> "Day":
        test = split_at(baskets, cutoff, horizon, recipe).test
        past = test.past
        train = part(past.select(np.flatnonzero(past.baskets_per_user >= recipe.min_baskets)))
        models = {
            name: make(settings, past).fit(train, train, past)
            for name, (make, settings) in METHODS.items()
        }
        return cls(cutoff, test, models)


def days_to_pick(baskets: Baskets, horizon: int) -> list[int]:
    """Cut-off days a week apart, from the first that leaves a past to the last of `cutoffs`."""
    found = cutoffs(baskets, horizon)
    return list(range(found[-1], found[0] - 1, -WEEK))[::-1]


def _column(names: list[str], colours: list[str]) -> str:
    return "".join(chip(name, colour) for name, colour in zip(names, colours, strict=True))


def day_page(day: Day, shopper: int) -> str:
    """HTML: the shopper's last baskets, what sold, each method's list, and what was bought."""
    shopper %= day.test.n_users
    person = day.test.histories.select([shopper])
    names = person.catalogue["name"].to_numpy()
    target = day.test.targets.lists(shopper)[0]
    novel = set(target) - set(person.items.tolist())
    sold = Sales.of([day.test.past]).between(day.cutoff - WEEK, day.cutoff)
    best = best_sellers_table(sold, names, K)
    selling = [f"{one.name} ({one.sold})" for one in best.itertuples()]
    columns, heads = [_column(selling, [""] * len(selling))], ["sold in the week before"]
    for name, model in day.models.items():
        top = [i for i in top_novel(model.score, person, min(K, person.n_items))[0] if i >= 0]
        columns.append(_column(names[top], [GREEN if i in novel else "" for i in top]))
        heads.append(name)
    columns.append(_column(names[target], [NOVEL if i in novel else REPEAT for i in target]))
    heads.append("then bought")
    meanings = legend(
        [("recommended, and bought", GREEN), ("bought: novel", NOVEL), ("bought: repeat", REPEAT)]
    )
    recent = person.take(
        np.arange(max(0, person.n_baskets - N_RECENT), person.n_baskets),
        np.array([0, min(N_RECENT, person.n_baskets)]),
        np.array([0]),
    )
    title = f"Shopper {shopper} of {day.test.n_users:,} (user {person.user_ids[0]})"
    heading = f"<p><b>{escape(str(as_date(day.cutoff)))}</b>, before the doors open</p>"
    return (
        heading + user_baskets(recent, 0, f"{title}, last visits") + meanings + grid(columns, heads)
    )


def calendar_explorer(study: Study, cutoff: str = "", shopper: int = 0) -> None:
    """Pick a cut-off day and a shopper; in batch, show those given (the last cut-off if none)."""
    baskets, horizon = study.baskets, study.horizon
    chosen = as_day(cutoff) if cutoff else cutoffs(baskets, horizon)[-1]
    known: dict[int, Day] = {}

    def page_of(day: int, number: int) -> str:
        if day not in known:
            known[day] = Day.at(baskets, day, horizon, study.recipe)
        return day_page(known[day], number)

    if not is_interactive():
        return show_page(page_of(chosen, shopper))
    options = sorted({*days_to_pick(baskets, horizon), chosen})
    picker = widgets.SelectionSlider(
        options=[(str(as_date(day)), day) for day in options],
        value=chosen,
        description="Cut-off day",
        continuous_update=False,
    )
    number = widgets.BoundedIntText(shopper, min=0, max=10**9, description="Shopper no.")
    page = widgets.HTML()

    def draw() -> None:
        page.value = note("Counting ...")
        page.value = rendered(lambda: page_of(picker.value, number.value))

    watch([picker, number], draw)
    draw()
    show_widget(row(picker, number), page)
