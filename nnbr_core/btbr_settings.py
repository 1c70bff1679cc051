"""What a BTBR run can vary, checked before anything is trained."""

from dataclasses import dataclass, replace

from nnbr_core.errors import InputError, choose
from nnbr_core.masking import BASKET_VIEWS, MASKERS
from nnbr_core.swapping import SWAPS
from nnbr_core.training import CRITERIA

NAMED_PAIRS = {"joint": "item_select+basket_all"}  # the paper's pre-training and fine-tuning


@dataclass(frozen=True)
class BtbrSettings:
    """Everything a BTBR run can vary. The defaults are the paper's."""

    masking: str = "basket_all"  # a key of MASKERS, two joined by "+", or "joint"
    mask_ratio: float = 0.1  # share of items to hide; item-level maskings only
    swap: str = "code"  # a key of SWAPS
    swap_ratio: float = 0.0  # share of items to move; 0 is no swapping; item-level maskings only
    swap_hop: int = 1  # how many baskets far
    item_level_sees_last_basket: bool | None = None  # None: as published, only when pre-training
    mask_tokens: str = "item"  # hide a last basket behind one mask per "item", or just "one"
    shuffle_baskets: bool = False  # a control: the baskets that are read lose their order
    correct_shift: bool = False  # add what is bought more in last baskets than before them
    dim: int = 64  # numbers per item
    heads: int = 8  # of attention
    layers: int = 2  # of the transformer
    dropout: float = 0.1  # on embeddings and residual branches, not on attention weights
    max_length: int = 256  # items of a history that are read, the latest
    batch_size: int = 128  # users per step
    learning_rate: float = 1e-3  # of Adam
    epochs: int = 100  # per stage, at most
    patience: int = 8  # epochs without improvement before a stage ends
    select_on: str = CRITERIA[0]  # validation metrics that choose the epoch, joined by "+"

    def __post_init__(self) -> None:
        for name in self.stage_names:
            choose("masking", name, [*MASKERS, *NAMED_PAIRS])
        choose("swap", self.swap, SWAPS)
        choose("mask_tokens", self.mask_tokens, ["item", "one"])
        choose("select_on", self.select_on, CRITERIA)
        is_basket_level = [name in BASKET_VIEWS for name in self.stage_names]
        wrong = {
            f"mask_ratio {self.mask_ratio} is not between 0 and 1": not 0 < self.mask_ratio < 1,
            f"swap_ratio {self.swap_ratio} is not between 0 and 1": not 0 <= self.swap_ratio <= 1,
            f"swap_hop {self.swap_hop} is below 1": self.swap_hop < 1,
            f"dim {self.dim} cannot be divided by {self.heads} heads": self.dim % self.heads != 0,
            f"dropout {self.dropout} is not between 0 and 1": not 0 <= self.dropout < 1,
            f"{self.masking} is basket-level and cannot be combined with swapping": (
                self.swap_ratio > 0 and all(is_basket_level)
            ),
            f"mask_tokens 'one' means nothing to {self.masking}: it hides items of many baskets": (
                self.mask_tokens == "one" and not any(is_basket_level)
            ),
        }
        for name in ("layers", "max_length", "batch_size", "learning_rate", "epochs", "patience"):
            wrong[f"{name} {getattr(self, name)} is not positive"] = getattr(self, name) <= 0
        for message, is_so in wrong.items():
            if is_so:
                raise InputError(message)

    @property
    def stage_names(self) -> list[str]:
        """The maskings trained one after the other."""
        return NAMED_PAIRS.get(self.masking, self.masking).split("+")

    def stages(self) -> list["BtbrSettings"]:
        """One settings per stage, each with a single masking and only the options it reads."""
        return [self._stage(name) for name in self.stage_names]

    @property
    def sees_last_basket(self) -> bool:
        """Of a single stage: do its rows end with the last basket?"""
        return self.masking in BASKET_VIEWS or bool(self.item_level_sees_last_basket)

    def _stage(self, name: str) -> "BtbrSettings":
        if name in BASKET_VIEWS:
            return replace(self, masking=name, swap_ratio=0.0)
        sees_last = self.item_level_sees_last_basket
        if sees_last is None:  # the public code shows the last basket in joint training only
            sees_last = len(self.stage_names) > 1
        return replace(
            self, masking=name, mask_tokens="item", item_level_sees_last_basket=sees_last
        )
