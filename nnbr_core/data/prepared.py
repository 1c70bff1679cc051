"""The folder of prepared baskets: written whole or not at all, and looked over before use."""

import hashlib
import json
import os
import shutil
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path

from nnbr_core.data.baskets import Baskets

BUILDING = ".building-"  # how the name of a folder begins while it is written
CHECKSUMS = "checksums.json"
ABANDONED = 3600  # seconds after which nobody is writing any more


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.name != CHECKSUMS)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def sync(path: Path) -> None:
    """Make sure that a file, or a folder's list of names, has reached the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clean(parent: Path) -> None:
    """Remove what killed builds have left behind."""
    for left in parent.glob(f"{BUILDING}*"):
        if time.time() - left.stat().st_mtime > ABANDONED:
            shutil.rmtree(left, ignore_errors=True)


def write(baskets: Baskets, notes: dict, folder: Path) -> None:
    """Write next to the final place and rename, so that a killed build is never seen.

    Everything is on the disk before the rename, and the rename itself before this returns:
    after a power cut there is a whole folder or none.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    clean(folder.parent)
    building = Path(tempfile.mkdtemp(prefix=BUILDING, dir=folder.parent))
    try:
        baskets.save(building)
        (building / "notes.json").write_text(json.dumps(notes, indent=1))
        (building / CHECKSUMS).write_text(json.dumps(_checksums(building), indent=1))
        for path in [*building.iterdir(), building]:
            sync(path)
        try:
            os.rename(building, folder)
            sync(folder.parent)
        except OSError:  # another process was faster, and wrote the same
            if not (folder / CHECKSUMS).is_file():
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


@cache
def _is_whole(folder: Path, written: int) -> bool:
    """Do all files have their checksum? Asked once by a process, of a folder of this age."""
    try:
        return json.loads((folder / CHECKSUMS).read_text()) == _checksums(folder)
    except (OSError, ValueError):
        return False


def read(folder: Path) -> tuple[Baskets, dict] | None:
    """What `write` wrote, or None if it is not there; a damaged folder is removed, and said."""
    if not folder.is_dir():
        return None
    if not _is_whole(folder, folder.stat().st_mtime_ns):
        warnings.warn(f"{folder} is damaged: it is built again", stacklevel=4)
        shutil.rmtree(folder)
        return None
    return Baskets.load(folder), json.loads((folder / "notes.json").read_text())
