"""Benchmarks: each gives one flat dict; `python -m nnbr_core bench` prints them as JSON."""

from nnbr_core.bench import data, sweeps

BENCHMARKS = {
    "prepare_raw_tafeng": data.prepare_raw_tafeng,
    "load_and_count": data.load_and_count,
    "judge_scores": data.judge_scores,
    "load_records": sweeps.load_records,
    "two_workers": sweeps.two_workers,
}
