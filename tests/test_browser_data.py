"""Notebooks about data, masks and recommendations, clicked through in a real JupyterLab."""

import pytest
from playwright.sync_api import expect


@pytest.mark.needs("chromium")
def test_another_user_is_shown_when_picked(lab):
    with lab.open("01_explore_data") as tab:
        tab.run_all()
        tab.type("User", "3")
        expect(tab.page.get_by_text("User 3")).to_be_visible()
        tab.screenshot("01_explore_data")
