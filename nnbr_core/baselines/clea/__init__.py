"""CLEA: model.py fits and scores it, network.py encodes histories, selector.py chooses items."""

from nnbr_core.baselines.clea.model import Clea, CleaSettings

__all__ = ["Clea", "CleaSettings"]
