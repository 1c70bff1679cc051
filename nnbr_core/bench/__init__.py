"""Benchmarks: each gives one flat dict; `python -m nnbr_core bench` prints them as JSON."""

from nnbr_core.bench import btbr, data, knn, neural_baselines, sweeps

BENCHMARKS = {
    "prepare_raw_tafeng": data.prepare_raw_tafeng,
    "load_and_count": data.load_and_count,
    "judge_scores": data.judge_scores,
    "load_records": sweeps.load_records,
    "two_workers": sweeps.two_workers,
    "training_step": btbr.training_step,
    "evaluation": btbr.evaluation,
    "growth": btbr.growth,
    "memory": btbr.memory,
    "popularity": knn.popularity,
    "last_popularity": knn.last_popularity,
    "tifuknn": knn.tifuknn,
    "item_knn": knn.item_knn,
    "user_knn": knn.user_knn,
    "dream": neural_baselines.dream,
    "dnntsp": neural_baselines.dnntsp,
    "beacon": neural_baselines.beacon,
    "clea": neural_baselines.clea,
}
