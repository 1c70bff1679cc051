"""Widgets about runs in a real JupyterLab: what a reader sees after a click."""

import re
from collections.abc import Callable

import pytest
from lab import Lab, Tab
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.needs("chromium")
Place = tuple[float, float]  # pixels from the window's left and top
COMPUTED_MS = 60_000  # five small trainings on a busy machine


def plot(tab: Tab, title: str) -> Locator:
    """The widget's figure whose title starts like this."""
    figures = tab.page.locator(".jupyter-widgets .js-plotly-plot")
    return figures.filter(has=tab.page.locator(".gtitle", has_text=re.compile(f"^{title}")))


def click(figure: Locator, place: Callable[[], Place], hovering: str) -> None:
    """Click a place of the window, once the figure says `hovering` there.

    A figure that was just redrawn may still change its size: the pointer follows.
    """
    label, mouse = figure.locator(".hoverlayer"), figure.page.mouse
    for _ in range(30):
        here = place()
        mouse.move(*here)
        figure.page.wait_for_timeout(300)  # plotly finds what is under the pointer
        if hovering in label.text_content() and place() == here:
            break
        mouse.move(0, 0)
    mouse.click(*here)


def inside(area: Locator, across: float, down: float) -> Callable[[], Place]:
    """A place in an element, given as shares of its size; found anew at every call."""

    def place() -> Place:
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    return place


def switch(tab: Tab, label: str) -> None:
    """Press a checkbox by its label."""
    tab.page.locator(".widget-checkbox", has_text=label).locator("input").first.click()


def add_parameters(tab: Tab, lines: str) -> None:
    """Type below what the parameters cell says."""
    tab.page.locator(".jp-CodeCell .cm-content").first.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type(f"\n{lines}")


def test_the_swap_heatmap_answers(lab: Lab):
    with lab.open("rq3_swap") as tab:
        tab.run_all()
        expect(plot(tab, "item_random: recall@10")).to_be_visible()
        tab.choose("Strategy", "item_select")
        expect(plot(tab, "item_select: recall@10")).to_be_visible()
        switch(tab, "relative to no swap")
        relative = plot(tab, re.escape("item_select: change of recall@10 against no swap"))
        expect(relative.locator(".heatmaplayer image")).to_be_visible()
        expect(relative.locator(".heatmap-label").first).to_contain_text("%")
        cell = inside(relative.locator(".nsewdrag").first, 0.75, 0.25)
        click(relative, cell, hovering="swap ratio 0.5, hop 5")
        run = tab.page.locator(".nnbr-run")
        expect(run).to_contain_text("masking item_select")
        expect(run).to_contain_text("swap_ratio 0.5, swap_hop 5")
        expect(plot(tab, "Validation recall@10 while training")).to_be_visible()
        tab.screenshot("rq3_swap")


def test_missing_cells_are_shown_as_missing_and_computed_on_demand(lab: Lab):
    with lab.open("rq3_swap") as tab:
        add_parameters(tab, "seed = 1\ntrain_missing = False")
        tab.run_all()
        heatmap = plot(tab, "item_random: recall@10")
        expect(heatmap.locator(".annotation-text", has_text="missing")).to_have_count(4)
        expect(heatmap.locator(".gtitle")).to_contain_text("no swap missing")
        tab.page.get_by_role("button", name=re.compile("Compute all 5 missing")).click()
        done = tab.page.get_by_text("5 of 5 runs are computed and recorded.")
        expect(done).to_be_visible(timeout=COMPUTED_MS)
        expect(heatmap.locator(".gtitle")).to_contain_text(re.compile(r"no swap 0\.\d+"))
        expect(heatmap.locator(".annotation-text")).to_have_count(0)
        expect(tab.page.get_by_role("button", name="Nothing is missing")).to_be_disabled()


def test_mask_ratios_and_learning_curves_answer(lab: Lab):
    with lab.open("rq4_mask_ratio") as tab:
        tab.run_all()
        ratios = plot(tab, "recall@10 over mask ratio")
        expect(ratios.locator(".scatterlayer .trace")).to_have_count(2)
        switch(tab, "item_random")
        expect(ratios.locator(".scatterlayer .trace")).to_have_count(1)
        tab.choose("Metric", "ndcg@20")
        ratios = plot(tab, "ndcg@20 over mask ratio")
        expect(ratios).to_be_visible()
        click(ratios, inside(ratios.locator(".point").first, 0.5, 0.5), hovering="mask ratio")
        expect(tab.page.locator(".nnbr-run")).to_contain_text("masking item_select")
        curves = plot(tab, "Validation recall@10 while training").last
        expect(curves.locator(".xtitle")).to_have_text("epochs")
        tab.choose("Axis", "seconds")
        expect(curves.locator(".xtitle")).to_contain_text("seconds")
        tab.screenshot("rq4_mask_ratio")


def test_figures_fit_a_narrow_window(lab: Lab):
    with lab.open("rq3_swap", width=480) as tab:
        tab.run_all()
        heatmap = plot(tab, "item_random: recall@10")
        heatmap.scroll_into_view_if_needed()
        expect(heatmap.locator(".main-svg").first).to_be_visible()
        tab.page.wait_for_function(
            """() => [...document.querySelectorAll('.jupyter-widgets .main-svg')]
                .every(svg => svg.getBoundingClientRect().right <= window.innerWidth)"""
        )
        tab.screenshot("rq3_swap-narrow")
