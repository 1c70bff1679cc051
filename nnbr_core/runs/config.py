"""One run's settings: validated, frozen, and the same text for the same run."""

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from nnbr_core.data.calendar import HORIZON, N_CUTOFFS, VISITS
from nnbr_core.data.prepare import FILTERS
from nnbr_core.data.recipe import Recipe, changed
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.own.code import Code
from nnbr_core.runs import own_code
from nnbr_core.runs.registry import MODELS, Model
from nnbr_core.settings import SEED, Limits, checked

PROFILES = ("quick", "paper")
QUICK_USERS = 500  # at most, in the quick profile
USERS, CALENDAR = PROTOCOLS = ("users", "calendar")


@dataclass(frozen=True)
class Config:
    """Everything that decides a run. Make one with `configure`."""

    dataset: str  # a registered name, or a path to a file
    model: str
    fold: int
    seed: int  # training only; folds never depend on it
    profile: str  # "quick": at most 500 users and small models; "paper": the full setting
    settings: Any  # the model's own
    recipe: Recipe = field(default_factory=Recipe)
    code: tuple[Code, ...] = ()  # what somebody wrote, and the run executes
    protocol: str = USERS  # split by users, as the paper does, or by calendar: a fold is a cut-off
    visit_date: str = VISITS[0]  # is the day of the visit told? Two tracks, never ranked together
    horizon: int = HORIZON  # days from a cut-off in which a shopper must come back

    @property
    def kind(self) -> Model:
        return own_code.model_kind(self.model, self.code)

    @property
    def reads_days(self) -> bool:
        """Do the numbers depend on dates? Then dates are part of the data."""
        return self.protocol == CALENDAR or self.kind.make.reads_days

    def identity(self, fingerprint: str) -> str:
        """Canonical JSON of all that the numbers depend on.

        Defaults are left out, so that a new option orphans no record. The data counts by
        its contents, not by its name.
        """
        kind = self.kind
        read = {"model": self.model, "version": kind.version, "fold": self.fold}
        read |= {"data": fingerprint, "settings": changed(self.settings)}
        if kind.is_seeded:
            read["seed"] = self.seed
        if self.code:
            read["code"] = [asdict(one) for one in self.code]
        return json.dumps(read | self._calendar(), sort_keys=True)

    def _calendar(self) -> dict:
        """What a run by calendar depends on beside its data, which are not filtered before."""
        told = {} if self.visit_date == VISITS[0] else {"visit_date": self.visit_date}
        if self.protocol == USERS:
            return told
        filters = {k: v for k, v in self.recipe.changed().items() if k in FILTERS}
        days = {"protocol": CALENDAR, "horizon": self.horizon, "cutoffs": N_CUTOFFS}
        return told | days | {"filters": filters}

    def as_dict(self) -> dict:
        """Plain values, for a record, which keeps the code apart."""
        plain = asdict(self) | {"recipe": self.recipe.changed()}
        plain.pop("code")
        return plain

    def __reduce__(self) -> tuple:
        """To another process goes what a record keeps: classes of a notebook stay here."""
        return restored, (self.as_dict(), [asdict(one) for one in self.code])

    def __str__(self) -> str:
        options, recipe = (
            "".join(f", {name} {value}" for name, value in changed(settings).items())
            for settings in (self.settings, self.recipe)
        )
        seed = f", seed {self.seed}" if self.kind.is_seeded else ""
        where = f"{self.dataset}{recipe}, fold {self.fold}"
        if self.protocol == CALENDAR:
            days = "" if self.horizon == HORIZON else f", horizon {self.horizon} days"
            where = f"{self.dataset}{recipe} by calendar, cut-off {self.fold}{days}"
        told = "" if self.visit_date == VISITS[0] else ", visit date known"
        return f"{self.model}{options} on {where}{told}{seed}"


def restored(config: dict, code: list[dict]) -> Config:
    """The Config that a record, or another process, wrote down as plain values."""
    own = tuple(Code(**one) for one in code)
    if not own:
        choose("model", config["model"], MODELS)
    with own_code.installed(own):
        settings = own_code.model_kind(config["model"], own).settings(**config["settings"])
    recipe = Recipe(**config["recipe"])
    return Config(**config | {"settings": settings, "recipe": recipe, "code": own})


def _named(kind: str, given: Any) -> Any:
    """The name of a function or class that was given itself; it is registered then."""
    is_thing = isinstance(given, type) or (callable(given) and not isinstance(given, str))
    return own_code.register(kind, given) if is_thing else given


def configure(
    dataset: str = "toy",
    model: str | type = "popularity",
    fold: int = 0,
    seed: int = 0,
    profile: str = "paper",
    recipe: Recipe | None = None,
    protocol: str = USERS,
    visit_date: str = VISITS[0],
    horizon: int = HORIZON,
    **settings: Any,
) -> Config:
    """A checked Config from flat names; an unknown one is refused with the nearest valid name.

    A model may be a class, and `masking` and `swap` functions, of somebody's own. A model that
    reads no dates is the same run whether the date of the visit is told or not.
    """
    model = choose("model", _named("model", model), MODELS)
    choose("profile", profile, PROFILES)
    choose("protocol", protocol, PROTOCOLS)
    choose("visit_date", visit_date, VISITS)
    for name, role in own_code.SETTINGS.items():
        if name in settings:
            settings[name] = _named(role, settings[name])
    kind = MODELS[model]
    known = {f.name: f.type for f in fields(kind.settings)}
    for name in settings:
        if name not in known:
            raise InputError(f"{model} has no setting {name!r}: {nearest(name, known)}")
    if profile == "quick":
        settings = kind.quick | settings
    values = {name: checked(name, value, known[name]) for name, value in settings.items()}
    checked("fold", fold, int, Limits(low=0))
    checked("seed", seed, int, SEED)
    checked("horizon", horizon, int, Limits(low=1))
    made = kind.settings(**values)
    code = own_code.captured(model, made)
    if any(one.kind == "model" for one in code):  # the same class in every process
        made = own_code.model_kind(model, code).settings(**values)
    told = visit_date if kind.make.reads_days else VISITS[0]
    days = {"protocol": protocol, "visit_date": told, "horizon": horizon}
    return Config(dataset, model, fold, seed, profile, made, recipe or Recipe(), code, **days)
