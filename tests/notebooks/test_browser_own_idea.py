"""A masker that nobody has written before, typed into a cell of a real JupyterLab."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.needs("chromium")
TRAINING_MS = 120_000
TYPED = """@nnbr.masker
def typed_by_hand(batch, ratio, rng):
    return nnbr.hide(batch, batch.positions == batch.last_position)

small = {"dim": 16, "epochs": 1}
mine = {"masking": typed_by_hand, **small}
nnbr.compare({"item_select": {"masking": "item_select", **small}, "typed": mine}, study)"""


def test_a_masker_typed_into_a_cell_is_a_row_of_the_table(lab):
    with lab.open("03_your_own_idea") as tab:
        tab.run_all()
        tab.page.locator(".jp-Notebook .jp-Cell").last.click()
        tab.page.keyboard.press("Escape")
        tab.page.keyboard.press("b")
        cell = tab.page.locator(".jp-Notebook .jp-CodeCell").last
        cell.locator(".cm-content").click()
        tab.page.keyboard.insert_text(TYPED)
        tab.page.keyboard.press("Control+Enter")
        row = cell.locator(".jp-RenderedHTMLCommon table th", has_text="typed over item_select")
        expect(row).to_be_visible(timeout=TRAINING_MS)
        expect(cell.locator("table th", has_text="typed").first).to_have_text("typed")
        expect(cell.locator(".gtitle")).to_contain_text("recall@10 of novel items")
        tab.screenshot("03_your_own_idea")
