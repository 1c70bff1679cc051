"""Defects that readers met in a real JupyterLab, each mended: swaps, own baskets, dark theme."""

import re

import pytest
from lab import ANSWER_MS, Lab, Tab
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.needs("chromium")
COMPUTED_MS = 240_000  # small trainings on a busy machine
SLACK = 3  # pixels
expect.set_options(timeout=ANSWER_MS)


def heatmap(tab: Tab, title: str) -> Locator:
    figures = tab.page.locator(".nnbr-widget .js-plotly-plot")
    return figures.filter(has=tab.page.locator(".gtitle", has_text=re.compile(f"^{title}")))


def button(tab: Tab, name: str) -> Locator:
    return tab.page.get_by_role("button", name=re.compile(name))


def tick(tab: Tab, label: str) -> None:
    tab.page.locator(".widget-checkbox", has_text=label).locator("input").first.click()


def set_parameters(tab: Tab, lines: str) -> None:
    """Type below what the parameters cell says."""
    tab.page.locator(".jp-CodeCell .cm-content").first.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type(f"\n{lines}")


def run_cell_again(tab: Tab, code: str) -> None:
    cell = tab.page.locator(".jp-CodeCell", has_text=code).locator(".cm-content").last
    cell.click()
    tab.page.keyboard.press("Control+Enter")


def use_dark_theme(tab: Tab) -> None:
    tab.page.keyboard.press("Control+Shift+C")
    tab.page.locator(".lm-CommandPalette-input").last.fill("JupyterLab Dark")
    tab.page.locator(".lm-CommandPalette-item", has_text="Dark").first.click()
    tab.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")


def wait_until_as_wide_as_its_box(figure: Locator) -> None:
    figure.page.wait_for_function(
        """([figure, slack]) => {
            const box = figure.closest(".nnbr-figure").clientWidth;
            const drawn = figure.querySelector(".main-svg").clientWidth;
            return Math.abs(box - drawn) <= slack;
        }""",
        arg=[figure.element_handle(), SLACK],
    )


def brightness(tab: Tab, where: str, what: str) -> float:
    """Of a computed colour, 0 to 255."""
    colour = tab.page.locator(where).first.evaluate(
        "(one, what) => getComputedStyle(one)[what]", what
    )
    red, green, blue = map(float, re.findall(r"[\d.]+", colour)[:3])
    return 0.3 * red + 0.6 * green + 0.1 * blue


def test_a_missing_cell_is_computed_by_keyboard_and_the_others_fill_one_by_one(lab: Lab):
    with lab.open("rq3_swap") as tab:
        set_parameters(tab, "seed = 2\ntrain_missing = False")
        tab.run_all()
        shown = heatmap(tab, "item_random: recall@10")
        missing = shown.locator(".annotation-text", has_text="missing")
        expect(missing).to_have_count(4)
        expect(button(tab, "Compute this cell")).to_be_hidden()
        tab.choose("Cell", "ratio 0.5, hop 5")
        expect(tab.page.get_by_text("This run is not recorded yet.")).to_be_visible()
        button(tab, "Compute this cell, ").focus()
        tab.page.keyboard.press("Enter")
        expect(tab.page.locator(".nnbr-run")).to_contain_text(
            "swap_ratio 0.5, swap_hop 5", timeout=COMPUTED_MS
        )
        expect(missing).to_have_count(3)
        expect(tab.page.locator("#jp-main-statusbar")).to_contain_text("Mode: Command")
        every = button(tab, "Compute all 4 missing, about [0-9]+ s")
        expect(every).to_be_enabled(timeout=COMPUTED_MS)
        every.click()
        expect(missing).to_have_count(2, timeout=COMPUTED_MS)
        expect(button(tab, "Stop after this run")).to_be_enabled()  # and yet a cell was filled
        button(tab, "Stop after this run").click()
        done = tab.page.get_by_text(re.compile(r"[23] of 4 runs are computed and recorded\."))
        expect(done).to_be_visible(timeout=COMPUTED_MS)
        wait_until_as_wide_as_its_box(shown)


def test_another_strategy_empties_the_panel_and_choices_survive_a_second_run(lab: Lab):
    with lab.open("rq3_swap") as tab:
        tab.run_all()
        tab.choose("Cell", "ratio 0.1, hop 5")
        expect(tab.page.locator(".nnbr-run")).to_contain_text("masking item_random")
        tab.choose("Strategy", "item_select")
        expect(tab.page.locator(".nnbr-run")).to_have_count(0)
        expect(tab.control("Folds").locator("option")).to_have_text(["fold 0"])
        tab.choose("Metric", "ndcg@20")
        tick(tab, "two side by side")
        expect(heatmap(tab, "item_select: ndcg@20")).to_be_visible()
        expect(heatmap(tab, "item_random: ndcg@20")).to_be_visible()
        run_cell_again(tab, "swap_explorer(study, frames)")
        tab.wait_idle()
        for masking in ("item_select", "item_random"):
            again = heatmap(tab, f"{masking}: ndcg@20")
            expect(again).to_have_count(1)
            wait_until_as_wide_as_its_box(again)


def test_an_own_basket_is_searched_filled_and_emptied_by_keyboard(lab: Lab):
    with lab.open("recommend") as tab:
        tab.run_all()
        box = tab.page.get_by_role("combobox", name="Add an item")
        matches = tab.page.get_by_role("option").and_(tab.page.locator(".nnbr-matches li"))
        chips = tab.page.locator(".nnbr-own")
        expect(tab.page.get_by_text("Row 0: user 0")).to_be_visible()
        box.fill("cat")
        expect(matches.filter(has_text="cat food")).to_be_visible()
        tab.page.keyboard.press("Enter")  # several items: nothing is lost
        expect(tab.page.get_by_text("items contain 'cat'")).to_be_visible()
        expect(tab.page.locator(".nnbr-item")).to_have_count(4 * 10)
        expect(chips).to_have_count(0)
        tab.page.keyboard.press("ArrowDown")
        tab.page.keyboard.press("Enter")
        expect(chips).to_have_count(1)
        expect(tab.page.get_by_text("Your basket")).to_be_visible()
        box.fill("litter")
        tab.page.keyboard.press("Enter")
        expect(chips).to_have_text([re.compile("^cat"), "litter ×"])
        chips.first.focus()
        tab.page.keyboard.press("Enter")
        expect(chips).to_have_text(["litter ×"])
        box.fill("dragon")
        tab.page.keyboard.press("Enter")
        expect(tab.page.get_by_text("No item contains 'dragon'")).to_be_visible()
        expect(tab.page.locator(".nnbr-chip")).to_have_text(["litter"])
        tab.page.get_by_role("button", name="Empty the basket").click()
        expect(tab.page.get_by_text("Row 0: user 0")).to_be_visible()


def test_chips_and_figures_can_be_read_in_the_dark_theme(lab: Lab):
    with lab.open("02_masks_and_swaps") as tab:
        tab.run_all()
        use_dark_theme(tab)
        page = brightness(tab, ".jp-Notebook", "backgroundColor")
        assert page < 60
        for chip in (".nnbr-hidden", ".nnbr-chip:not(.nnbr-hidden):not(.nnbr-removed)"):
            ground = brightness(tab, chip, "backgroundColor")
            assert abs(brightness(tab, chip, "color") - ground) > 100
            assert ground - page > 30
        paper = tab.page.locator(".js-plotly-plot .main-svg").first
        assert paper.evaluate("svg => getComputedStyle(svg).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert brightness(tab, ".js-plotly-plot .xtick text", "fill") - page > 80
        expect(tab.page.locator(".nnbr-widget").get_by_text("position 1")).to_be_visible()
        tab.screenshot("02_masks_and_swaps-dark")


@pytest.mark.parametrize("width", [1400, 1000])
def test_no_table_is_cut_at_the_right(lab: Lab, width: int):
    with lab.open("rq3_swap", width=width) as tab:
        tab.run_all()
        cut = tab.page.evaluate(
            """() => {
                const edge = document.querySelector(".jp-NotebookPanel-notebook")
                    .getBoundingClientRect().right;
                const scrolls = (one) => one && (
                    ["auto", "scroll"].includes(getComputedStyle(one).overflowX)
                    || scrolls(one.parentElement.closest(".jp-OutputArea *")));
                return [...document.querySelectorAll(".jp-OutputArea table")]
                    .filter(one => one.getBoundingClientRect().right > edge && !scrolls(one))
                    .map(one => one.textContent.slice(0, 80));
            }"""
        )
        assert cut == []
        assert tab.page.locator(".jp-OutputArea table").count() >= 3
