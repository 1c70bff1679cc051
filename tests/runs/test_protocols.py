"""Runs split by users or by calendar: what is in an id, what a model is given, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nnbr_core.analysis.study import Study
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import cutoffs
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.toy import season_world
from nnbr_core.errors import InputError
from nnbr_core.runs import protocols
from nnbr_core.runs.config import configure
from nnbr_core.runs.grids import expand
from nnbr_core.runs.protocols import context_of, counted_again, split_for
from nnbr_core.runs.run import run, run_id, train

BY_USERS = configure("toy_season", "popularity")
BY_CALENDAR = configure("toy_season", "popularity", protocol="calendar")
DATED = configure("toy_season", "recent_popularity")


@pytest.fixture(scope="module")
def baskets() -> Baskets:
    return season_world(150)


def test_by_users_an_identity_says_nothing_of_protocols():
    assert set(json.loads(BY_USERS.identity("data"))) == {
        *("model", "version", "fold", "data", "settings")
    }


def test_protocol_horizon_track_and_filters_make_another_run():
    told = replace(DATED, visit_date="known")
    cut = [
        BY_CALENDAR,
        replace(BY_CALENDAR, horizon=14),
        replace(BY_CALENDAR, recipe=Recipe(min_item_count=3)),
        replace(BY_CALENDAR, fold=1),
    ]
    every = [BY_USERS, DATED, told, replace(told, protocol="calendar"), *cut]
    assert len({config.identity("data") for config in every}) == len(every)


def test_days_are_part_of_a_run_that_reads_them_and_of_no_other(baskets):
    later = replace(baskets, days=baskets.days + 1)
    assert later.fingerprint == baskets.fingerprint
    assert run_id(BY_USERS, later) == run_id(BY_USERS, baskets)
    for config in (DATED, BY_CALENDAR):
        assert run_id(config, later) != run_id(config, baskets)


def test_a_method_that_reads_no_dates_is_one_run_in_both_tracks():
    assert configure("toy_season", "popularity", visit_date="known") == BY_USERS
    known = configure("toy_season", "recent_popularity", visit_date="known")
    assert known.visit_date == "known" != DATED.visit_date


def test_a_run_says_how_it_was_split():
    assert str(BY_CALENDAR) == "popularity on toy_season by calendar, cut-off 0"
    told = configure("toy_season", "recent_popularity", visit_date="known")
    assert str(told) == "recent_popularity on toy_season, fold 0, visit date known"
    short = replace(BY_CALENDAR, horizon=7, fold=2)
    assert str(short) == "popularity on toy_season by calendar, cut-off 2, horizon 7 days"


def test_grids_name_the_protocol():
    found = expand({"dataset": "toy_season", "protocol": ["users", "calendar"], "fold": [0, 1]})
    assert [(one.protocol, one.fold) for one in found] == [
        *(("users", 0), ("users", 1), ("calendar", 0), ("calendar", 1))
    ]


def test_the_visit_day_is_told_in_one_track_alone(baskets):
    for protocol in ("users", "calendar"):
        for visit_date in ("unknown", "known"):
            config = replace(DATED, protocol=protocol, visit_date=visit_date)
            fold = split_for(config, baskets)
            for part in (fold.validation, fold.test):
                assert (part.histories.visit_days is not None) == (visit_date == "known")


def test_what_is_counted_is_counted_again_up_to_the_cutoff(baskets):
    config = configure("toy_season", "last_popularity", protocol="calendar")
    fold = split_for(config, baskets)
    cutoff = cutoffs(baskets)[0]
    assert context_of(config, fold).cutoff == cutoff - config.horizon
    model = train(config, fold)
    later = counted_again(config, model, fold)
    assert later is not model
    past = fold.test.past
    is_long = np.flatnonzero(past.baskets_per_user >= 3)
    assert later.counts.tolist() == past.select(is_long).targets().item_counts().tolist()


def test_settings_chosen_up_to_validation_are_kept(baskets):
    config = configure("toy_season", "recent_popularity", protocol="calendar")
    fold = split_for(config, baskets)
    model = train(config, fold)
    assert model.chosen["n_tried"] == 5
    assert counted_again(config, model, fold).chosen == {"days": model.chosen["days"]}


def test_what_is_trained_is_not_trained_again(baskets):
    config = configure("toy_season", "btbr", profile="quick", protocol="calendar", epochs=1)
    fold = split_for(config, baskets)
    assert context_of(config, fold) is fold.test.past
    model = train(config, fold)
    assert counted_again(config, model, fold) is model
    by_users = replace(config, protocol="users")
    fold = split_for(by_users, baskets)
    assert context_of(by_users, fold) is fold.test.histories


def test_a_record_by_calendar_is_found_by_its_study(elsewhere):
    study = Study("toy_season", protocol="calendar")
    assert study.facts.n_folds == 3
    assert str(study).endswith("by calendar, 1 of 3 cut-offs, 28 days each")
    config = study.config("popularity", 0)
    record = run(config)
    assert record.config["protocol"] == "calendar"
    assert record.data == study.facts.data_of(config)
    assert study.find([config]) == [record]
    assert study.has_records
    assert Study("toy_season").find([replace(config, protocol="users")]) == [None]
    assert not Study("toy_season").has_records


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"protocol": "calender"}, "unknown protocol 'calender': did you mean 'calendar'"),
        ({"visit_date": "maybe"}, "unknown visit_date 'maybe'"),
        ({"horizon": 0}, "horizon = 0: at least 1"),
        ({"horizon": "28"}, "horizon = '28': int is needed"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, complaint):
    with pytest.raises(InputError, match=complaint):
        configure("toy_season", **given)


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (configure("toy", "popularity", protocol="calendar"), "toy has no dates, only the order"),
        (configure("toy", "recent_popularity"), "toy has no dates.*: recent_popularity cannot be"),
        (replace(BY_CALENDAR, horizon=100), "140 days are too few for 5 cut-offs"),
        (replace(BY_CALENDAR, fold=3), "fold 3 does not exist: choose 0 to 2"),
    ],
)
def test_data_that_cannot_be_split_so_is_one_sentence(elsewhere, config, complaint):
    with pytest.raises(InputError, match=complaint):
        run(config)


def test_facts_that_know_no_days_name_no_data_of_a_dated_run():
    with pytest.raises(InputError, match="has no dates, only the order of baskets"):
        protocols.data_of(DATED, "fingerprint", "")
    assert protocols.data_of(BY_USERS, "fingerprint", "") == "fingerprint"
    assert protocols.data_of(DATED, "fingerprint", "days") == "fingerprint-days"
