"""Is the device there, and can it multiply in this precision?"""

import warnings

import torch

from nnbr_core.errors import InputError

BFLOAT16_ARM = "bf16"  # as Linux names it among a processor's features


def _has_bfloat16(device: str) -> bool:
    """Does the hardware multiply bfloat16 itself? If not, it is emulated, slowly."""
    if device.startswith("cuda"):
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported():
        return True
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            features = [line for line in file if line.startswith("Features")]
        return any(BFLOAT16_ARM in line.split() for line in features)
    except OSError:
        return False


def checked_device(name: str | None) -> str:
    """The device with this name, once something fits on it; without a name the best there is."""
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError, ValueError) as error:
        there = "cpu and cuda" if torch.cuda.is_available() else "cpu"
        reason = str(error).splitlines()[0]
        raise InputError(
            f"device {name!r} is not there: this machine has {there} ({reason})"
        ) from None
    return name


def warn_if_emulated(precision: str, device: str) -> None:
    """Say in a sentence that a precision costs time here instead of saving it."""
    if precision == "bfloat16" and device != "meta" and not _has_bfloat16(device):
        warnings.warn(
            f"precision bfloat16: this {'GPU' if device.startswith('cuda') else 'processor'} "
            "has no bfloat16 products and emulates them slowly; float32 is faster here",
            stacklevel=3,
        )
