"""Notebooks about data, masks and recommendations, clicked through in a real JupyterLab."""

import pytest
from lab import HEIGHT, NARROW
from playwright.sync_api import expect

from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.describe import last_basket_table
from nnbr_core.data.toy import world
from nnbr_core.figures.masks import counts, example, summary
from nnbr_core.widgets.data import matching_users

pytestmark = pytest.mark.needs("chromium")
TOY = world().baskets
LOADING_MS = 90_000  # a dataset may have to be prepared first


def shown(tab, text: str):
    return expect(tab.page.locator(".widget-html", has_text=text).first)


def check_narrow(tab, name: str) -> None:
    """Make the window narrow: every control must still lie inside it."""
    tab.page.set_viewport_size({"width": NARROW, "height": HEIGHT})
    tab.screenshot(f"{name}-narrow")
    panel = tab.page.locator(".jp-NotebookPanel-notebook").bounding_box()
    boxes = [c.bounding_box() for c in tab.page.locator(".widget-inline-hbox").all()]
    assert len(boxes) > 2
    assert all(box["x"] + box["width"] <= panel["x"] + panel["width"] for box in boxes)


def test_the_tour_runs_to_its_end(lab):
    with lab.open("00_tour") as tab:
        tab.run_all()
        expect(tab.page.locator(".gtitle")).to_have_text("recall@10 of novel items, 95 % intervals")
        expect(tab.page.get_by_role("link", name="recommend")).to_be_visible()
        tab.screenshot("00_tour")


def test_another_user_is_shown_and_filters_leave_those_who_match(lab):
    table = last_basket_table(TOY)
    with lab.open("01_explore_data") as tab:
        tab.run_all()
        tab.type("Row", "3")
        shown(tab, "Row 3: user 3").to_be_visible()
        expect(tab.page.locator(".nnbr-chip")).to_have_count(len(TOY.select([3]).items))
        tab.slide("Repeat ratio", "ArrowRight", times=20)  # both handles at 1: repeats alone
        n_matching = len(matching_users(table, (0, 99), (1, 1)))
        shown(tab, f"{n_matching} of 3,000 users match.").to_be_visible()
        tab.choose("Dataset", "completejourney")
        loaded = tab.page.locator(".widget-html", has_text="1,945 of 1,945 users match.")
        expect(loaded).to_be_visible(timeout=LOADING_MS)
        tab.screenshot("01_explore_data")
        check_narrow(tab, "01_explore_data")


def test_slider_masker_and_user_change_what_is_hidden(lab):
    settings = {"swap_ratio": 0.2, "swap_hop": 2}
    with lab.open("02_masks_and_swaps") as tab:
        tab.run_all()
        explorer = tab.page.locator(".jp-OutputArea-output .widget-vbox").first
        tab.slide("Mask ratio", "ArrowRight", times=4)  # 0.30 to 0.50
        (stage,) = BtbrSettings(masking="item_select", mask_ratio=0.5, **settings).stages()
        items = example(TOY, 0, stage).items
        expect(explorer).to_contain_text(summary(items))
        expect(explorer.locator(".nnbr-hidden")).to_have_count(counts(items)["hidden"])
        expect(explorer.locator(".nnbr-moved")).to_have_count(counts(items)["moved"])
        expect(explorer).to_contain_text("this is it")
        tab.choose("Masker", "basket_all")
        last = TOY.select([0]).targets()
        expect(explorer.locator(".nnbr-hidden")).to_have_count(len(last.items))
        expect(explorer.locator(".nnbr-moved")).to_have_count(0)
        tab.type("Row", "5")
        expect(explorer).to_contain_text("Row 5: user 5")
        tab.choose("Dataset", "completejourney")
        expect(explorer).to_contain_text("hidden, ", timeout=LOADING_MS)
        tab.screenshot("02_masks_and_swaps")
        check_narrow(tab, "02_masks_and_swaps")


def test_a_typed_basket_gets_lists_of_its_own(lab):
    with lab.open("recommend") as tab:
        tab.run_all()
        expect(tab.page.locator(".nnbr-item")).to_have_count(4 * 10)
        tab.slide("K", "ArrowLeft", times=7)
        expect(tab.page.locator(".nnbr-item")).to_have_count(4 * 3)
        search = tab.page.get_by_role("combobox", name="Add an item")
        for number, item in enumerate(("cat food", "litter"), start=1):
            search.fill(item)
            search.press("Enter")
            expect(tab.page.locator(".nnbr-chip")).to_have_count(number)
        shown(tab, "Your basket").to_be_visible()
        expect(tab.page.locator(".nnbr-chip")).to_have_text(["cat food", "litter"])
        tab.choose("Group", "cat")
        expect(tab.page.locator(".nnbr-list")).to_contain_text(["cat"] * 4)
        expect(tab.page.locator(".nnbr-list").first).not_to_contain_text("coffee")
        tab.page.get_by_role("button", name="Empty the basket").click()
        shown(tab, "Row 0: user 0").to_be_visible()
        tab.screenshot("recommend")
        check_narrow(tab, "recommend")
