"""Where things live: raw data, prepared baskets, records, weights."""

import os
from pathlib import Path


def project_root() -> Path:
    """The checkout this package was installed from, or the current folder if there is none."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() else Path.cwd()


def _from_environment(variable: str, default: str) -> Path:
    """A folder named by an environment variable; relative names count from the project's root."""
    return project_root() / os.environ.get(variable, default)


def raw_data() -> Path:
    """Raw files as their owners publish them. Only `fetch` writes here."""
    return _from_environment("NNBR_DATA", "data")


def prepared_data() -> Path:
    """Baskets built from raw files; safe to delete, rebuilt on demand."""
    return project_root() / "data" / "prepared"


def runs() -> Path:
    """Records of runs, one folder per dataset."""
    return _from_environment("NNBR_RUNS", "reports/runs")


def weights() -> Path:
    """Trained weights by record id; a cache, safe to delete."""
    return project_root() / "data" / "weights"
