"""Code from cells as one text: right, or refused with a sentence, never something older."""

import numpy as np
import pytest
import torch
from cells import Notebook

from nnbr_core.errors import InputError
from nnbr_core.masking import item_select
from nnbr_core.own.capture import capture
from nnbr_core.own.code import build


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def again(thing, name=None):
    """What the captured text makes of a thing, in a namespace that knows nothing else."""
    name = name or thing.__name__
    return vars(build(capture("masker", name, thing).source))[name]


def test_a_function_brings_the_values_and_helpers_it_reads(notebook):
    notebook.run("import math\nLIMIT = 3\nNAMES = {'a': (1, 2.5)}")
    notebook.run("def helper(x):\n    return x + LIMIT")
    notebook.run("def mine(x):\n    return helper(x) + NAMES['a'][1] + math.pi")
    assert again(notebook.mine)(1) == 1 + 3 + 2.5 + np.pi


def test_an_edited_helper_changes_the_text_and_undoing_it_gives_the_old_one_back(notebook):
    notebook.run("def helper(x):\n    return x + 1")
    notebook.run("def mine(x):\n    return helper(x)")
    before = capture("masker", "mine", notebook.mine)
    notebook.run("def helper(x):\n    return x + 2")
    assert capture("masker", "mine", notebook.mine) != before
    assert again(notebook.mine)(0) == 2
    notebook.run("def helper(x):\n    return x + 1")
    assert capture("masker", "mine", notebook.mine) == before


def test_a_global_array_is_kept_to_the_bit(notebook):
    notebook.run("import numpy as np\nimport torch")
    notebook.run("W = np.array([0.1, np.nan, np.inf], dtype=np.float32)")
    notebook.run("T = torch.arange(6).reshape(2, 3)\nS = np.float32(0.1)")
    notebook.run("def mine():\n    return W, T, S")
    w, t, s = again(notebook.mine)()
    assert w.tobytes() == notebook.W.tobytes() and w.dtype == np.float32
    assert torch.equal(t, notebook.T) and s == notebook.S and type(s) is np.float32
    before = capture("masker", "mine", notebook.mine)
    notebook.W[0] = 0.2
    assert capture("masker", "mine", notebook.mine) != before


def test_a_lambda_is_found_among_others_of_its_line(notebook):
    notebook.run("K = 2\nboth = [lambda x: x + K, lambda x: x * (lambda y: y + K)(5)]")
    first, second = notebook.both
    assert again(first, "first")(3) == 5
    assert again(second, "second")(3) == 21


def test_what_a_function_closes_over_counts(notebook):
    notebook.run("def make(n):\n    def mine(x):\n        return x + n\n    return mine")
    notebook.run("one, two = make(1), make(2)")
    assert again(notebook.one)(0) == 1 and again(notebook.two)(0) == 2


def test_a_default_is_what_it_was_when_the_function_was_made(notebook):
    notebook.run("n = 1\ndef mine(x, n=n):\n    return x + n")
    notebook.run("n = 5")
    assert again(notebook.mine)(0) == 1


def test_decorators_of_others_stay_if_they_show_what_they_wrap(notebook):
    notebook.run(
        "import functools\n"
        "def twice(f):\n"
        "    @functools.wraps(f)\n"
        "    def both(x):\n"
        "        return f(f(x))\n"
        "    return both\n"
    )
    notebook.run("@twice\ndef mine(x):\n    return x + 1")
    assert again(notebook.mine)(0) == 2
    notebook.run("def bare(f):\n    return lambda x: f(f(x))")
    notebook.run("@bare\ndef hidden(x):\n    return x + 1")
    with pytest.raises(InputError, match="hidden is hidden by a decorator"):
        again(notebook.hidden, "hidden")


CLASS = "class Base:\n    def part(self):\n        return 1\n"
CHILD = (
    "class Mine(Base):\n    power: float = 2.0\n    def fit(self):\n        return super().part()\n"
)


def test_a_class_brings_its_bases_and_the_methods_of_other_cells(notebook):
    notebook.run(CLASS).run(CHILD)
    notebook.run("def later(self):\n    return self.fit() + K\nK = 5\nMine.score = later")
    assert again(notebook.Mine)().score() == 6
    before = capture("model", "Mine", notebook.Mine)
    notebook.run("def later(self):\n    return self.fit() - K\nMine.score = later")
    assert capture("model", "Mine", notebook.Mine) != before
    assert again(notebook.Mine)().score() == -4


def test_a_class_whose_base_was_edited_must_be_run_again(notebook):
    notebook.run(CLASS).run(CHILD).run(CLASS.replace("1", "3"))
    with pytest.raises(InputError, match="Mine was made from an older Base: run its cell again"):
        again(notebook.Mine)
    notebook.run(CHILD)
    assert again(notebook.Mine)().fit() == 3


def test_a_value_of_a_class_that_its_text_would_not_give_is_refused(notebook):
    notebook.run("K = 2\nclass Mine:\n    k = K\n    def f(self):\n        return self.k")
    assert again(notebook.Mine)().f() == 2
    notebook.run("K = 7")
    with pytest.raises(InputError, match=r"Mine.k is 2, and its source says 7: run its cell again"):
        again(notebook.Mine)


REFUSED = {
    "shop = open('/dev/null')": "mine reads shop, a _io.TextIOWrapper, which cannot be kept",
    "shop = object()": "mine reads shop, a object, which cannot be kept",
    "import numpy as np\nshop = np.zeros(50_000)": "mine reads shop, an array of 400,000 bytes",
    "shop = []\nshop.append(shop)": "mine reads shop, a value that contains itself",
    "import cells as shop": "mine reads the module cells, which does not travel with a run",
    "pass": "mine reads shop, which is not defined",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_written_down_is_refused_by_name(notebook, text):
    notebook.run(text).run("def mine():\n    return shop")
    with pytest.raises(InputError, match=REFUSED[text]):
        capture("masker", "mine", notebook.mine)


def test_two_things_of_one_name_are_refused(notebook):
    other = Notebook().run("K = 1\ndef helper():\n    return K")
    notebook.run("K = 2\ndef mine():\n    return helper() + K")
    vars(notebook._module)["helper"] = other.helper
    with pytest.raises(InputError, match="mine reads two different things called 'K'"):
        capture("masker", "mine", notebook.mine)


def test_a_function_without_a_text_is_refused():
    space = {"__name__": "nowhere"}
    exec("def mine(x):\n    return x", space)
    with pytest.raises(InputError, match="the source of mine cannot be read"):
        capture("masker", "mine", space["mine"])


def test_a_file_that_was_edited_but_not_loaded_again_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "my_ideas.py"
    path.write_text("def mine(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    import my_ideas

    assert again(my_ideas.mine)(0) == 1
    path.write_text("def mine(x):\n    return x + 22\n")
    with pytest.raises(InputError, match="mine is not what its source says now: load or run it"):
        again(my_ideas.mine)


def test_installed_packages_count_by_name(notebook):
    notebook.run("from nnbr_core.masking import hide\nfrom torch import rand\nfrom math import pi")
    notebook.run("import torch.nn.functional as F")
    notebook.run("def mine(x):\n    return hide, rand, pi, F.relu")
    text = capture("masker", "mine", notebook.mine).source
    assert text.startswith(
        "from nnbr_core.masking import hide\nfrom torch import rand\n"
        "import torch.nn.functional as F\n\npi = 3.14"
    )
    assert capture("masker", "other", item_select).source == (
        "from nnbr_core.masking import item_select as other\n"
    )
