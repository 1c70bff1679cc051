"""Each raw format in miniature, through the same door as the real files."""

import gzip
import json
import zipfile

import pytest

from nnbr_core.data.prepare import load
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError

ALL = Recipe(min_item_count=1)


@pytest.fixture
def raw(elsewhere, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(elsewhere / "raw"))

    def put(name: str, text: str):
        path = elsewhere / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return put


def tafeng_csv(*dates: str) -> str:
    head = '\ufeff"TRANSACTION_DT","CUSTOMER_ID","PRODUCT_SUBCLASS","PRODUCT_ID"\n'
    return head + "".join(f'"{date}","007","11","a"\n"{date}","007","12","b"\n' for date in dates)


def test_raw_tafeng_reads_month_first_dates_and_keeps_leading_zeros(raw):
    raw("tafeng/ta_feng_all_months_merged.csv", tafeng_csv("11/2/2000", "12/1/2000", "1/5/2001"))
    baskets = load("tafeng_raw", ALL)
    assert baskets.user_ids.tolist() == ["007"]
    assert baskets.lists(0) == [[0, 1]] * 3
    assert baskets.catalogue["group"].tolist() == ["subclass 11", "subclass 12"]


def test_raw_tafeng_may_be_zipped(raw):
    path = raw("tafeng/ta_feng_all_months_merged.csv.zip", "")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inside.csv", tafeng_csv("11/2/2000", "11/3/2000", "11/4/2000"))
    assert load("tafeng_raw", ALL).n_baskets == 3


def test_a_date_written_the_other_way_is_named(raw):
    raw("tafeng/ta_feng_all_months_merged.csv", tafeng_csv("11/2/2000", "30/11/2000"))
    with pytest.raises(InputError, match="TRANSACTION_DT, line 4: '30/11/2000' is not a date"):
        load("tafeng_raw", ALL)


def dunnhumby_week(raw, week: int, days: list[int], gz: bool = False) -> None:
    head = "SHOP_WEEK,SHOP_DATE,PROD_CODE,PROD_CODE_10,CUST_CODE\n"
    rows = [f"{week},{day},PRD{n},CL1,{who}\n" for day in days for n in (1, 2) for who in ("C", "")]
    raw(f"dunnhumby/transactions_{week}.csv{'.gz' if gz else ''}", head + "".join(rows))


def test_dunnhumby_reads_eight_weeks_and_ignores_rows_without_a_customer(raw):
    for week in range(200609, 200619):
        dunnhumby_week(raw, week, [20060400 + week % 100], gz=week % 2 == 0)
    baskets = load("dunnhumby", ALL)
    assert baskets.user_ids.tolist() == ["C"]
    assert baskets.n_baskets == 8
    assert load("dunnhumby", Recipe(min_item_count=1, weeks="200610-200613")).n_baskets == 4


def test_dunnhumby_without_such_weeks_says_so(raw):
    dunnhumby_week(raw, 200609, [20060410])
    with pytest.raises(InputError, match="weeks 200701-200702"):
        load("dunnhumby", Recipe(weeks="200701-200702"))


def instacart(raw, n_users: int = 1) -> None:
    orders = "order_id,user_id,eval_set,order_number\n"
    bought = {"prior": "order_id,product_id\n", "train": "order_id,product_id\n"}
    for user in range(1, n_users + 1):
        for number in range(1, 5):
            order = 10 * user + number
            kind = {3: "train", 4: "test"}.get(number, "prior")
            orders += f"{order},{user},{kind},{number}\n"
            if kind != "test":
                bought[kind] += f"{order},7\n{order},{8 if number == 2 else 7}\n"
    raw("instacart/orders.csv", orders)
    for kind, text in bought.items():
        raw(f"instacart/order_products__{kind}.csv", text)
    raw(
        "instacart/products.csv",
        'product_id,product_name,aisle_id,department_id\n7,"Eggs, free range",1,2\n8,Milk,1,2\n',
    )
    raw("instacart/aisles.csv", "aisle_id,aisle\n1,dairy aisle\n")
    raw("instacart/departments.csv", "department_id,department\n2,dairy\n")


def test_instacart_joins_orders_products_and_names(raw):
    instacart(raw)
    baskets = load("instacart", ALL)
    assert baskets.lists(0) == [[0], [0, 1], [0]]  # the test order has no products
    assert baskets.catalogue["name"].tolist() == ["Eggs, free range", "Milk"]
    assert baskets.catalogue["group"].tolist() == ["dairy / dairy aisle"] * 2


def test_a_large_instacart_keeps_the_first_tenth_of_its_users(raw, monkeypatch):
    instacart(raw, n_users=20)
    monkeypatch.setattr("nnbr_core.data.recipe.MANY_SEQUENCES", 10)
    assert load("instacart", ALL).user_ids.tolist() == ["1", "2"]


def test_instacart_names_every_missing_file(raw):
    raw("instacart/orders.csv", "")
    with pytest.raises(InputError, match="order_products__prior.csv.*departments.csv not found"):
        load("instacart")


def published(raw, users: dict, **keys) -> None:
    raw("tafeng/published/tafeng_merged.json", json.dumps(users))
    for number in range(3):
        parts = {"train": ["1"], "val": ["2"], "test": ["3"]} | keys
        raw(f"tafeng/published/tafeng_keyset_{number}.json", json.dumps(parts))


USERS = {"1": [[0], [1]], "2": [[1], [0]], "3": [[2], [0, 1]]}


def test_published_tafeng_keeps_its_splits(raw):
    published(raw, USERS)
    baskets = load("tafeng")
    assert baskets.splits.tolist() == [[0, 1, 2]] * 3
    assert baskets.lists(2) == [[2], [0, 1]]


@pytest.mark.parametrize(
    ("users", "keys", "complaint"),
    [
        (USERS, {"val": ["99"]}, "val names user '99', who has no baskets"),
        (USERS, {"test": ["1"]}, "test names a user twice"),
        (USERS, {"test": []}, "user '3' is in no part"),
        (USERS | {"3": [[-2]]}, {}, "user '3' has item -2"),
        (USERS | {"3": [[float("nan")]]}, {}, "user '3' has item nan"),
        ({}, {}, "holds no users"),
    ],
)
def test_published_files_that_do_not_fit_are_refused(raw, users, keys, complaint):
    published(raw, users, **keys)
    with pytest.raises(InputError, match=complaint):
        load("tafeng")


def test_published_files_that_are_cut_off_are_refused(raw):
    published(raw, USERS)
    raw("tafeng/published/tafeng_merged.json", '{"1": [[0')
    with pytest.raises(InputError, match="tafeng_merged.json is not valid JSON"):
        load("tafeng")
