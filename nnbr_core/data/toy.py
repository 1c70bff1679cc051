"""A generated world with a planted answer, so that tests and newcomers know what is right.

Every shopper has three tastes out of twenty. A basket serves one taste: the items of a taste
go together, and what is novel next comes from the tastes seen so far (complements). Each
shopper re-buys two favourites again and again (repeats that a novel list must ignore). Last
baskets fall into a season of its own, whose items histories hardly know (a late shift).

A second world, `season_world`, has dates and best-sellers that change every week. There the
split by users leaks: a known half of what is found is calendar.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets

TASTES = {
    "breakfast": "oats granola honey blueberries yoghurt almond-milk maple-syrup bananas",
    "tacos": "tortillas salsa avocado black-beans lime coriander sour-cream jalapenos",
    "pasta": "spaghetti passata parmesan basil olives garlic pancetta chianti",
    "baking": "flour yeast butter baking-powder vanilla brown-sugar cocoa eggs",
    "curry": "rice coconut-milk curry-paste ginger lentils naan turmeric chutney",
    "sushi": "nori sushi-rice wasabi soy-sauce salmon cucumber rice-vinegar pickled-ginger",
    "barbecue": "burgers buns charcoal ketchup mustard coleslaw corn ribs",
    "salad": "lettuce rocket tomatoes feta vinaigrette radishes croutons walnuts",
    "soup": "leeks potatoes stock celery carrots barley cream chives",
    "baby": "nappies wipes baby-food formula baby-shampoo rusks bibs baby-oil",
    "cat": "cat-food litter cat-treats catnip cat-milk scratch-post flea-drops cat-toy",
    "dog": "dog-food chews leash dog-treats poo-bags dog-shampoo tennis-ball dog-bed",
    "cleaning": "detergent bleach sponges bin-bags window-spray mop gloves descaler",
    "bath": "shampoo soap toothpaste razors bath-salt towels deodorant floss",
    "tea": "black-tea green-tea biscuits lemon scones clotted-cream jam shortbread",
    "coffee": "espresso filter-paper oat-milk syrup cups sugar-cubes cantuccini grinder",
    "cocktails": "gin tonic vermouth bitters mint ice-cubes cherries soda",
    "cinema": "popcorn crisps cola nachos cheese-dip liquorice gummy-bears peanuts",
    "cheese": "brie cheddar grapes crackers chutney-fig port quince gouda",
    "fitness": "protein-bar whey rice-cakes tuna electrolytes chicken broccoli peanut-butter",
    "season": "gingerbread mulled-wine chestnuts candles stollen clementines cards tinsel",
}
SEASON = len(TASTES) - 1  # the last taste belongs to nobody and shows up in last baskets
N_TASTES = 3  # a shopper's
N_FAVOURITES = 2
REBUY = 0.6  # chance that a favourite is in a basket
BASKETS = (4, 10)  # fewest and most baskets of a shopper, the last one included
SIZE = (2, 4)  # fewest and most taste items in a basket
NOISE = 0.15  # chance of one item from anywhere
IN_SEASON = 0.3  # chance that a last basket holds a seasonal item


@dataclass(frozen=True)
class World:
    """Baskets, and the planting behind them."""

    baskets: Baskets
    taste_of_item: np.ndarray  # int [n_items]

    def oracle(self, histories: Baskets) -> np.ndarray:
        """float32 [users, n_items]: scores by someone who knows which items go together.

        An item is as likely as its taste is frequent among the distinct items bought so
        far; seasonal items get the chance they have in a last basket.
        """
        membership = np.eye(len(TASTES), dtype=np.float32)[self.taste_of_item]
        seen = (histories.matrix() > 0).astype(np.float32) @ membership  # (U, tastes)
        share = seen / seen.sum(axis=1, keepdims=True)
        n_per_basket = np.mean(SIZE)
        per_item = share * n_per_basket / membership.sum(axis=0)
        per_item[:, SEASON] = IN_SEASON / membership[:, SEASON].sum()
        return per_item[:, self.taste_of_item].astype(np.float32)


def _shopper(rng: np.random.Generator, items_of: list[np.ndarray], n_items: int) -> list[list]:
    """One shopper's baskets, oldest first."""
    tastes = rng.choice(SEASON, N_TASTES, replace=False)
    favourites = rng.choice(np.concatenate([items_of[t] for t in tastes]), N_FAVOURITES, False)
    n_baskets = rng.integers(BASKETS[0], BASKETS[1] + 1)
    baskets = []
    for number in range(n_baskets):
        basket = set(favourites[rng.random(N_FAVOURITES) < REBUY])
        size = rng.integers(SIZE[0], SIZE[1] + 1)
        basket |= set(rng.choice(items_of[rng.choice(tastes)], size, replace=False))
        if rng.random() < NOISE:
            basket.add(rng.integers(n_items))
        if number == n_baskets - 1 and rng.random() < IN_SEASON:
            basket.add(rng.choice(items_of[SEASON]))
        baskets.append(sorted(int(item) for item in basket))
    return baskets


def _catalogue() -> tuple[pd.DataFrame, np.ndarray]:
    """All items with their names, and int [n_items]: the taste of each."""
    names = [(name, taste) for taste, line in TASTES.items() for name in line.split()]
    catalogue = pd.DataFrame(
        {
            "id": [str(i) for i in range(len(names))],
            "name": [name.replace("-", " ") for name, _ in names],
            "group": [taste for _, taste in names],
        }
    )
    n_per_taste = [len(line.split()) for line in TASTES.values()]
    return catalogue, np.repeat(np.arange(len(TASTES)), n_per_taste)


def world(n_users: int = 3000, seed: int = 0) -> World:
    """The same world for the same seed."""
    rng = np.random.default_rng(seed)
    catalogue, taste_of_item = _catalogue()
    items_of = [np.flatnonzero(taste_of_item == taste) for taste in range(len(TASTES))]
    shoppers = [_shopper(rng, items_of, len(catalogue)) for _ in range(n_users)]
    return World(Baskets.from_lists(shoppers, catalogue=catalogue), taste_of_item)


N_WEEKS = 20  # as many as there are tastes that somebody can have
FIRST_DAY = 19723  # Monday, 2024-01-01
WEEK = 7
LATEST_START = 10  # everybody has come by this week, and comes every week from then on


def season_world(n_users: int = 1200, seed: int = 0) -> Baskets:
    """Dated shoppers in whose world the items of another taste sell best each week.

    Everybody comes once a week, on any day of it, from a first week of their own until the end.
    A basket holds one of the eight best-sellers of that week (in week w those of taste w), one
    item from anywhere and, from the second visit on, one item bought before:

        week 3    baking week      yeast (best-seller)    mop (anywhere)
        week 4    curry week       ginger                 corn             yeast (again)

    So about two items of a basket are novel, and one of them is a best-seller of its week.
    Split by users, last baskets of other shoppers show the best-sellers of the last week, and
    popularity of last baskets finds that one: recall@10 a little above a half. Split by calendar on
    a Monday, nobody has yet seen what sells this week, and the same method finds next to
    nothing. The difference, about a half, is what the leak is worth.
    """
    rng = np.random.default_rng(seed)
    catalogue, taste_of_item = _catalogue()
    items_of = [np.flatnonzero(taste_of_item == taste) for taste in range(len(TASTES))]
    users, days = [], []
    for _ in range(n_users):
        weeks = np.arange(rng.integers(LATEST_START + 1), N_WEEKS)
        baskets: list[list[int]] = []
        for week in weeks:
            basket = {int(rng.choice(items_of[week])), int(rng.integers(len(catalogue)))}
            if baskets:
                basket.add(int(rng.choice(baskets[rng.integers(len(baskets))])))
            baskets.append(sorted(basket))
        users.append(baskets)
        days.append((FIRST_DAY + WEEK * weeks + rng.integers(WEEK, size=len(weeks))).tolist())
    return Baskets.from_lists(users, catalogue=catalogue, days=days)
