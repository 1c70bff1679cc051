import pytest

from nnbr_core.errors import InputError
from nnbr_core.experiments.methods import all_methods
from nnbr_core.show.report_summary import BEGIN, END, SHOWN, with_summary


def test_only_what_is_between_the_marks_changes():
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_summary(readme, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert with_summary(with_summary(readme, "new"), "new") == with_summary(readme, "new")


def test_a_readme_without_marks_is_refused():
    with pytest.raises(InputError, match="README.md needs the lines"):
        with_summary("nothing", "new")


def test_every_method_shown_exists():
    assert set(SHOWN) <= set(all_methods())
