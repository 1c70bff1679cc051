"""Browser tests get a second try.

Plotly's FigureWidget sometimes arrives in JupyterLab without its data when the machine is busy; a
bare one does so too, without any code of this project. A test that fails twice is a failure.
"""

import pytest
from playwright.sync_api import Error


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not pyfuncitem.path.name.startswith("test_browser_"):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    try:
        pyfuncitem.obj(**given)
    except (AssertionError, Error):
        pyfuncitem.obj(**given)
    return True
