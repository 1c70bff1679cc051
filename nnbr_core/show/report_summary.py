"""What we found, for the project's README: one table of all datasets and the plain answers."""

from collections.abc import Mapping, Sequence

import pandas as pd

from nnbr_core.errors import InputError
from nnbr_core.experiments.ablations import StrictOrder
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.methods import Method, all_methods
from nnbr_core.experiments.questions import printed
from nnbr_core.experiments.study import CHOICE, Study, fold_interval, fold_mean
from nnbr_core.show import markdown
from nnbr_core.show.claim_tables import sentence
from nnbr_core.show.report_parts import order_answer
from nnbr_core.show.tables import NONE, score

BEGIN, END = "<!-- written by `python -m nnbr_core report` -->", "<!-- end of it -->"
SHOWN = (
    "popularity",
    "tifuknn, explore",
    "dream, explore",
    "beacon, explore",
    "clea, explore",
    "dnntsp, all",
    "last_popularity, all",
    "item_knn",
    "user_knn",
    "item_random",
    "item_select",
    "basket_all",
    "basket_explore",
    "joint",
)


def _cell(study: Study, method: Method) -> str:
    """Mean, half a 95 % interval, and in brackets the number of folds."""
    row = study.row(method)
    if not row.folds:
        return NONE
    low, high = fold_interval(row.records, CHOICE)
    mean = score(fold_mean(row.records, CHOICE))
    return f"{mean} ± {score((high - low) / 2)} ({row.folds})"


def _table(studies: Mapping[str, Study]) -> str:
    methods, columns = all_methods(), {}
    shown = [methods[name] for name in SHOWN]
    for dataset, study in studies.items():
        columns[dataset] = [_cell(study, method) for method in shown]
        if dataset == "tafeng":
            theirs = [printed(method, dataset, CHOICE) for method in shown]
            columns["tafeng, paper"] = [score(value) for value in theirs]
    return markdown.table(pd.DataFrame(columns, index=pd.Index(SHOWN, name=CHOICE)))


def summary(
    studies: Mapping[str, Study],
    findings: Mapping[str, Sequence[Finding]],
    order: Mapping[str, StrictOrder],
    windows: Sequence[Finding],
) -> str:
    """The table, and the answers to what matters most."""
    every = [*(one for found in findings.values() for one in found), *windows]
    beyond = [sentence(one) for one in every if one.claim.question == "beyond"]
    return "\n\n".join(
        [
            _table(studies),
            "± is half of a 95 % interval over users, in brackets the number of folds behind it: "
            "where these differ, the numbers are about different users. Settings are chosen on "
            "validation users. All metrics, methods and tests: [reports](reports/README.md).",
            "Does the best BTBR beat last-basket popularity, item kNN and user kNN? "
            + " ".join(beyond),
            "Does item-level masking lose on TaFeng because order is strict there? "
            + order_answer(order["tafeng"]),
        ]
    )


def with_summary(readme: str, text: str) -> str:
    """The README with `text` between its two marks."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise InputError(f"README.md needs the lines {BEGIN} and {END}, once each")
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}"
