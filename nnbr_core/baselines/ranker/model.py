"""The ranker: members, their candidates, and a learner that orders them."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.ranker.candidates import Table, candidate_table
from nnbr_core.baselines.ranker.learners import Labels, Trees, recall
from nnbr_core.baselines.ranker.members import Members
from nnbr_core.baselines.ranker.panel import Panel, blocks, cross_fitted
from nnbr_core.baselines.ranker.settings import MANY_SEQUENCES, RankerSettings
from nnbr_core.baselines.ranker.weights import Weights
from nnbr_core.btbr import Btbr
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.training import catalogue_fingerprint

VARIANTS_TRIED = 8  # of features, losses and weights, on cross-fitted users of TaFeng's split 0


def _recalls(tables: list[tuple[Table, Labels]]) -> dict[str, float]:
    """recall@10 of every single member, over all users who wanted something."""
    table = tables[0][0]
    return {
        table.names[column][0]: float(
            np.nanmean(np.concatenate([recall(t.features[:, column], t, y) for t, y in tables]))
        )
        for column in table.columns("score")
    }


class Ranker(BaseRecommender):
    """Learning to rank over cheap members. The score of a candidate is its chance.

    Everything else, repeat items included, follows below 0 in the order of the best member,
    so that lists are always full.
    """

    can_be_saved = True

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        for name, part in {"training": train, "validation": validation}.items():
            if part.labels("explore").nnz == 0:
                raise InputError(f"no {name} user has a novel item: no ranking can be learned")
        settings, self.train = self.settings, train
        crossed = cross_fitted(settings, train, validation, self.seed, progress)
        self.panel = Panel.fit(settings, train, validation, self.seed)
        everyone = np.arange(validation.n_users)
        watched = self.panel.table(validation.histories, everyone, settings.n_each)
        known = [
            (table, Labels(table, part.labels("explore")))
            for table, part in ((crossed, train), (watched, validation))
        ]
        recalls = _recalls(known)
        self.best = max(recalls, key=recalls.get)
        self.names = crossed.names
        self.learner = self._learned(known, list(recalls).index(self.best))
        self.curve = self.learner.curve
        self.chosen = {
            "learner": self.kind,
            **self.learner.chosen,
            "members": list(recalls),
            "best_member": self.best,
            "candidates_per_user": round(len(crossed.user) / train.n_users, 1),
            "ceiling": round(known[1][1].ceiling, 4),
            "ceiling_training": round(known[0][1].ceiling, 4),
            "n_tried": len(recalls) + VARIANTS_TRIED,
        }
        return self

    @property
    def kind(self) -> str:
        """The learner: given, or by the number of training users."""
        if self.settings.learner is not None:
            return self.settings.learner
        return "trees" if self.train.n_users >= MANY_SEQUENCES else "weights"

    def _learned(self, known: list[tuple[Table, Labels]], best: int) -> Trees | Weights:
        if self.kind == "weights":
            return Weights.fit(*known[0], best)
        options = asdict(self.settings)
        names = ("n_models", "learning_rate", "max_trees", "unwanted")
        return Trees.fit(*known, **{name: options[name] for name in names}, seed=self.seed)

    def _block(self, histories: Baskets) -> np.ndarray:
        said = self.panel.scores(histories)
        table = candidate_table(said, self.panel.members, histories, self.settings.n_each)
        best = said[self.best]
        highest = np.maximum(best.max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        scores = (best / highest - 1).astype(np.float32)  # 0 at most
        if len(table.user):
            scores[table.user, table.item] = self.learner.chances(table)
        return scores

    def score(self, histories: Baskets) -> np.ndarray:
        """float32 [users, items]: chances of candidates, and below 0 the best member's order."""
        return np.concatenate(
            [self._block(histories.select(users)) for users in blocks(histories.n_users)]
        )

    def speaking_for(self, history: Baskets, item: int) -> pd.DataFrame:
        """How much each member speaks for an item of one person, the strongest first.

        Members are heard through several features: what these add to the candidate's score,
        against the mean candidate of this person, is added up. `nnbr_core.explain.why` says
        which purchases are behind it.
        """
        said = self.panel.scores(history)
        table = candidate_table(said, self.panel.members, history, self.settings.n_each)
        row = np.flatnonzero((table.user == 0) & (table.item == item))
        if len(row) == 0:
            name = self.catalogue["id"].iloc[item]
            raise InputError(f"item {name} is no candidate: no member has it near its top")
        part = self.learner.contributions(table.features)
        effect = part[row[0]] - part.mean(axis=0)
        members = [member for member, _ in table.names]
        found = pd.Series(effect).groupby(members).sum().rename_axis("member")
        table = found.reset_index(name="effect")
        return table.sort_values("effect", ascending=False, kind="stable", ignore_index=True)

    def save(self, folder: Path) -> None:
        """Trees or weights, BTBR's weights, and the training users the other members consist of."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, baskets in (("histories", self.train.histories), ("targets", self.train.targets)):
            (folder / name).mkdir(exist_ok=True)
            baskets.save(folder / name)
        self.learner.save(folder)
        if self.panel.btbr is not None:
            self.panel.btbr.save(folder / "btbr")
        facts = {"settings": asdict(self.settings), "seed": self.seed, "best": self.best}
        facts |= {"catalogue": catalogue_fingerprint(self.catalogue)}
        (folder / "model.json").write_text(json.dumps(facts, indent=1))

    @classmethod
    def load(cls, folder: Path, baskets: Baskets) -> Self:
        """What `save` wrote; members other than BTBR are counted again, which takes seconds."""
        if not (folder / "model.json").exists():
            raise InputError(f"{folder} holds no ranker: model.json is missing")
        facts = json.loads((folder / "model.json").read_text())
        if facts["catalogue"] != catalogue_fingerprint(baskets.catalogue):
            raise InputError(f"the ranker in {folder} was trained on another dataset")
        model = cls(RankerSettings(**facts["settings"]), baskets, facts["seed"])
        model.best = facts["best"]
        model.train = Part(*(Baskets.load(folder / name) for name in ("histories", "targets")))
        has_btbr = model.settings.btbr
        btbr = Btbr.load(folder / "btbr", baskets) if has_btbr else None
        model.panel = Panel(Members(model.train), btbr)
        model.learner = (Trees if model.kind == "trees" else Weights).load(folder)
        return model
