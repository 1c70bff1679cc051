"""Lists for everybody, block by block: what a grocer would load into a campaign tool.

Every finished block of users is kept in a folder beside the file to come, so that a killed
process loses one block at most. The file itself appears at the end, complete.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from distributed import Client, as_completed
from tqdm.auto import tqdm

from nnbr_core.baselines.api import Recommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.prepare import load
from nnbr_core.data.rows import connect
from nnbr_core.errors import InputError, choose
from nnbr_core.evaluation import NOBODY, USERS_AT_ONCE, novel_scores, top_k
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import Config
from nnbr_core.runs.protocols import fingerprint_of
from nnbr_core.runs.sweep import GONE
from nnbr_core.runs.trained import trained_model

FORMATS = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet"}  # as DuckDB writes them
JOB = "job.json"  # what the blocks of a folder belong to


def block_lists(model: Recommender, baskets: Baskets, k: int, number: int) -> pd.DataFrame:
    """Of one block of users: user, rank, item, name, group, score of the best k novel items.

    Everything a user has bought counts as history here, the last basket too: the question is
    what comes after it.
    """
    start = number * USERS_AT_ONCE
    block = baskets.select(np.arange(start, min(start + USERS_AT_ONCE, baskets.n_users)))
    scores = novel_scores(model.score, block)
    top = top_k(scores, k)  # (U, k)
    user, rank = np.nonzero(top != NOBODY)
    item = top[user, rank]
    labels = baskets.catalogue.iloc[item].reset_index(drop=True)
    return pd.DataFrame(
        {"user": block.user_ids[user], "rank": rank + 1}
        | {"item": labels["id"], "name": labels["name"], "group": labels["group"]}
        | {"score": scores[user, item]}
    )


def _job(config: Config, baskets: Baskets, k: int) -> str:
    """Changes whenever a finished block would not be the one that is wanted."""
    labels = hashlib.sha256(baskets.catalogue.to_csv().encode()).hexdigest()
    run = config.identity(fingerprint_of(config, runs.data_for(config)))
    data = [baskets.fingerprint, labels]
    return json.dumps({"run": run, "data": data, "k": k, "users_at_once": USERS_AT_ONCE})


def _open(folder: Path, job: str) -> None:
    """The folder of finished blocks; those of any other job are dropped."""
    if folder.is_dir() and (folder / JOB).is_file() and (folder / JOB).read_text() == job:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / JOB).write_text(job)


def _keep(block: pd.DataFrame, path: Path) -> None:
    """Write a block under another name and rename it: what is there is whole."""
    unfinished = path.with_suffix(".unfinished")
    block.to_parquet(unfinished, index=False)
    os.replace(unfinished, path)


def _here(
    model: Recommender, baskets: Baskets, k: int, todo: list[int]
) -> Iterator[tuple[int, pd.DataFrame]]:
    for number in todo:
        yield number, block_lists(model, baskets, k, number)


def _on(
    client: Client, model: Recommender, baskets: Baskets, k: int, todo: list[int]
) -> Iterator[tuple[int, pd.DataFrame]]:
    """The same on a cluster: model and baskets travel once, blocks come back as they are ready."""
    try:
        parts = client.scatter([model, baskets], broadcast=True)
        futures = {client.submit(block_lists, *parts, k, n, pure=False): n for n in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except GONE as error:
        raise InputError(
            f"the Dask scheduler went away ({type(error).__name__}): finished blocks are kept; "
            "start again to go on"
        ) from None


def _join(blocks: list[Path], path: Path) -> None:
    """All blocks in order as one CSV or parquet file, streamed."""
    unfinished = blocks[0].parent / path.name
    target = str(unfinished).replace("'", "''")
    with connect(blocks[0].parent) as con:
        con.execute(
            f"COPY (SELECT * FROM read_parquet($blocks)) TO '{target}' ({FORMATS[path.suffix]})",
            {"blocks": [str(block) for block in blocks]},
        )
    os.replace(unfinished, path)


def write_lists(
    config: Config, k: int, path: Path, progress: bool = False, client: Client | None = None
) -> int:
    """Novel lists for every user of the dataset as CSV or parquet; returns how many users.

    Blocks that an earlier call finished, with the same settings and data, are used again.
    """
    choose("type of file", path.suffix, FORMATS)
    baskets = load(config.dataset, config.recipe, progress)
    if not 1 <= k <= baskets.n_items:
        raise InputError(f"k = {k}: 1 to {baskets.n_items}, the number of items")
    folder = path.absolute().with_name(f"{path.name}.blocks")
    blocks = [
        folder / f"{number:06d}.parquet" for number in range(-(-baskets.n_users // USERS_AT_ONCE))
    ]
    try:
        _open(folder, _job(config, baskets, k))
        todo = [number for number, block in enumerate(blocks) if not block.is_file()]
        n_done = baskets.n_users - sum(_size(number, baskets) for number in todo)
        with tqdm(total=baskets.n_users, initial=n_done, unit="user", disable=not progress) as bar:
            if todo:
                model = trained_model(config, progress)
                bar.unpause()  # training was not listing: time left is that of lists
                asked = (model, baskets, k, todo)
                for number, found in _here(*asked) if client is None else _on(client, *asked):
                    _keep(found, blocks[number])
                    bar.update(_size(number, baskets))
        _join(blocks, path)
        shutil.rmtree(folder)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    except duckdb.Error as error:
        raise InputError(f"{path} cannot be written: {str(error).splitlines()[0]}") from None
    return baskets.n_users


def _size(number: int, baskets: Baskets) -> int:
    """How many users a block has."""
    return min(USERS_AT_ONCE, baskets.n_users - number * USERS_AT_ONCE)
