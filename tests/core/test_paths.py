from pathlib import Path

from nnbr_core import paths


def test_folders_count_from_the_projects_root_wherever_a_notebook_runs(monkeypatch, tmp_path):
    monkeypatch.delenv("NNBR_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert paths.raw_data() == paths.project_root() / "data"
    monkeypatch.setenv("NNBR_DATA", "elsewhere")
    assert paths.raw_data() == paths.project_root() / "elsewhere"


def test_absolute_folders_stay(monkeypatch):
    monkeypatch.setenv("NNBR_RUNS", "/some/where")
    assert paths.runs() == Path("/some/where")


def test_the_root_is_this_checkout():
    assert (paths.project_root() / "pyproject.toml").is_file()
    assert paths.prepared_data().is_relative_to(paths.project_root())
