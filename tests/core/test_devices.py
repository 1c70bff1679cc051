"""The same code where there is no GPU: the meta device knows shapes and refuses to tell values."""

import warnings

import pytest
import torch
import torch.nn.functional as F
from gradients import normal

from nnbr_core import devices
from nnbr_core.batching import collate
from nnbr_core.btbr import Btbr, masked_batch
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.devices import checked_device, warn_if_emulated
from nnbr_core.errors import InputError
from nnbr_core.losses import PRECISIONS
from nnbr_core.network import attention

USERS = Baskets.from_lists([[[0, 1], [2], [0, 3, 4]], [[5], [1, 6]], [[2, 3]]], n_items=9)
SMALL = {"dim": 8, "heads": 2, "dropout": 0.0}


def loss_on(device: str, **settings) -> tuple[Btbr, torch.Tensor]:
    model = Btbr(BtbrSettings(**SMALL, **settings), USERS, device=device)
    rng = torch.Generator().manual_seed(0)
    batch = masked_batch(model.settings.stages()[0], USERS, rng)
    return model, model.network.loss(*batch, None)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("masking", ["item_select", "basket_all"])
def test_a_step_elsewhere_has_the_same_shapes_and_waits_for_nothing(masking, precision):
    gradients = []
    for device in ("cpu", "meta"):
        model, loss = loss_on(device, masking=masking, precision=precision)
        loss.backward()
        assert loss.device.type == device and loss.shape == ()
        gradients.append({n: p.grad.shape for n, p in model.network.named_parameters()})
    assert gradients[0] == gradients[1]


def test_asking_the_meta_device_for_a_value_is_an_error():
    _, loss = loss_on("meta")
    with pytest.raises(RuntimeError, match="meta"):
        loss.item()


def test_torchs_attention_finds_what_ours_does(rng):
    q, k, v = normal(rng, 3, 2, 4, 5), normal(rng, 3, 2, 6, 5), normal(rng, 3, 2, 6, 5)
    is_key = torch.arange(6) < torch.tensor([[6], [1], [3]])
    k, v = (x.detach() * is_key[:, None, :, None] for x in (k, v))
    library = F.scaled_dot_product_attention(q, k, v, attn_mask=is_key[:, None, None])
    torch.testing.assert_close(attention(q, k, v, is_key), library)


def test_scoring_states_elsewhere_gives_a_row_per_mask():
    model = Btbr(BtbrSettings(**SMALL), USERS, device="meta")
    batch = collate(USERS)
    tokens = batch.tokens.index_fill(1, torch.tensor([0]), 1)  # a mask for everybody
    assert model.network.scores(model.network(tokens, batch.positions)).shape == (3, 9)


@pytest.mark.parametrize("name", ["gpu", "cuda:7"])
def test_a_device_that_is_not_there_is_named(name):
    with pytest.raises(InputError, match=f"device '{name}' is not there: this machine has cpu"):
        Btbr(BtbrSettings(), USERS, device=name)


def test_a_precision_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="unknown precision 'float16': did you mean"):
        BtbrSettings(precision="float16")


def test_where_bfloat16_is_emulated_a_sentence_says_so(monkeypatch):
    monkeypatch.setattr(devices, "_has_bfloat16", lambda device: False)
    with pytest.warns(UserWarning, match="processor has no bfloat16 products"):
        warn_if_emulated("bfloat16", checked_device(None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_emulated("float32", "cpu")
