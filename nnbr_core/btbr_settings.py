"""What a BTBR run can vary, checked before anything is trained."""

from dataclasses import dataclass, replace

from nnbr_core.batching import NUMBERINGS
from nnbr_core.errors import InputError, choose
from nnbr_core.losses import PRECISIONS
from nnbr_core.masking import BASKET_VIEWS, MASKERS
from nnbr_core.settings import (
    COUNT,
    DROPOUT,
    RATE,
    SHARE,
    SIZE,
    Limits,
    Settings,
    check_heads,
    setting,
)
from nnbr_core.swapping import SWAPS
from nnbr_core.training import CRITERIA

NAMED_PAIRS = {"joint": "item_select+basket_all"}  # the paper's pre-training and fine-tuning


def maskings() -> list[str]:
    """What can be trained by name: single maskings, then the named pairs."""
    return [*MASKERS, *NAMED_PAIRS]


@dataclass(frozen=True)
class BtbrSettings(Settings):
    """Everything a BTBR run can vary. The defaults are the paper's."""

    masking: str = setting("basket_all", "what is hidden", choices=maskings, joined_by="+")
    mask_ratio: float = setting(
        0.1, "share of items to hide; item-level maskings only", Limits(above=0, below=1)
    )
    swap: str = setting("code", "move items exactly swap_hop baskets, or within", choices=SWAPS)
    swap_ratio: float = setting(0.0, "share of items to move; item-level maskings only", SHARE)
    swap_hop: int = setting(1, "how many baskets far", COUNT)
    item_level_sees_last_basket: bool | None = setting(
        None, "train item-level maskings on last baskets too; None: only when pre-training"
    )
    positions: str = setting(
        "start", "count baskets from the first, or back from the last", choices=NUMBERINGS
    )
    mask_tokens: str = setting(
        "item", "masks of a hidden last basket: one per item, or just one", choices=["item", "one"]
    )
    shuffle_baskets: bool = setting(False, "a control: the baskets read lose their order")
    correct_shift: bool = setting(False, "add what is bought more in last baskets than before")
    dim: int = setting(64, "numbers per item", SIZE)
    heads: int = setting(8, "of attention; dim must be a multiple", SIZE)
    layers: int = setting(2, "of the transformer", Limits(low=1, high=64))
    dropout: float = setting(0.1, "on embeddings and residual branches, not attention", DROPOUT)
    max_length: int = setting(256, "items of a history that are read, the latest", COUNT)
    batch_size: int = setting(128, "users per step", COUNT)
    learning_rate: float = setting(1e-3, "of Adam", RATE)
    epochs: int = setting(100, "per stage, at most", COUNT)
    patience: int = setting(8, "epochs without improvement before a stage ends", COUNT)
    select_on: str = setting(
        CRITERIA[0], "validation metrics, summed, that choose the epoch", choices=CRITERIA
    )
    precision: str = setting(
        PRECISIONS[0],
        "of products: of layers, and of the loss; scores are float32",
        choices=PRECISIONS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.dim, self.heads)
        for name in self.stage_names:  # a named pair is no part of a pair
            choose("masking", name, MASKERS)
        is_basket_level = [name in BASKET_VIEWS for name in self.stage_names]
        if self.swap_ratio > 0 and all(is_basket_level):
            raise InputError(f"{self.masking} is basket-level and cannot be combined with swapping")
        if self.mask_tokens == "one" and not any(is_basket_level):
            raise InputError(
                f"mask_tokens 'one' means nothing to {self.masking}: it hides items of many baskets"
            )

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
