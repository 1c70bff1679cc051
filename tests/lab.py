"""A real JupyterLab in a real browser, for tests of what a reader sees and clicks.

How to use it: ask for the fixture `lab`, mark the test `@pytest.mark.needs("chromium")`, and open
a notebook by name. Lab works on a copy of it without stored outputs, and on a run store of its own
(one server and one store per test session). `tab.page` is Playwright's page; `run_all` waits
until every cell has run; `slide`, `choose` and `type` work a control by its label; Playwright's
`expect` waits for what that changes. Leaving the block fails the test if a cell, a widget
(class nnbr-error) or the browser's console reported an error. Screenshots: test-artifacts/.

    def test_the_slider_hides_more(lab):
        with lab.open("02_masks_and_swaps") as tab:
            tab.run_all()
            tab.slide("Mask ratio", "ArrowRight", times=3)
            expect(tab.page.locator(".nnbr-hidden")).to_have_count(5)
            tab.screenshot("masks")
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, Page, expect, sync_playwright

from nnbr_core.paths import project_root

ARTIFACTS = project_root() / "test-artifacts"
LAPTOP, NARROW = 1366, 480  # widths of a window
HEIGHT = 900
START_SECONDS = 180
RUN_SECONDS = 480
ANSWER_MS = 60_000  # how long a click may take on a busy machine
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SETTINGS = {  # every cell is in the page, not only those in sight; nobody is asked anything
    "notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@dataclass
class Tab:
    """One notebook in a browser tab."""

    page: Page
    complaints: list[str] = field(default_factory=list)  # errors of the browser's console

    def run_all(self) -> None:
        """Run menu, Run All Cells; returns when each has run, or one has failed."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_function(
            """() => {
                const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
                const failed = document.querySelector('[data-mime-type$="jupyter.error"]');
                return failed || prompts.every(p => /[0-9]/.test(p.textContent));
            }""",
            timeout=1000 * RUN_SECONDS,
        )

    def wait_idle(self) -> None:
        """Until the kernel has nothing left to do."""
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text(
            re.compile(r"\| Idle"), timeout=ANSWER_MS
        )

    def control(self, label: str) -> Locator:
        """The widget with this label, as a box around the label and what it names."""
        exactly = re.compile(f"^{re.escape(label)}$")
        named = self.page.locator(".widget-label", has_text=exactly)
        return self.page.locator(".jupyter-widgets").filter(has=named).last

    def slide(self, label: str, key: str, times: int = 1) -> None:
        """Focus the handle of a slider and press an arrow key."""
        handle = self.control(label).locator(".noUi-handle").first
        handle.focus()
        for _ in range(times):
            handle.press(key)

    def choose(self, label: str, option: str) -> None:
        """Pick from a dropdown."""
        self.control(label).locator("select").select_option(option)

    def type(self, label: str, text: str) -> None:
        """Type into a field and leave it with Enter."""
        field = self.control(label).locator("input").first
        field.fill(text)
        field.press("Enter")

    def screenshot(self, name: str) -> list[Path]:
        """The whole notebook, a picture per screenful: test-artifacts/<name>-1.png and so on."""
        ARTIFACTS.mkdir(exist_ok=True)
        scroller = self.page.locator(".jp-NotebookPanel-notebook .jp-WindowedPanel-outer")
        height = scroller.evaluate("panel => panel.clientHeight")
        pictures = []
        for top in range(0, scroller.evaluate("panel => panel.scrollHeight"), height):
            scroller.evaluate("(panel, top) => { panel.scrollTop = top; }", top)
            self.page.wait_for_timeout(200)  # figures are drawn when they come into sight
            pictures.append(ARTIFACTS / f"{name}-{len(pictures) + 1}.png")
            self.page.screenshot(path=pictures[-1])
        return pictures

    def check(self) -> None:
        """Raise if anything on the page went wrong."""
        wrong = '[data-mime-type$="jupyter.error"], [data-mime-type$="jupyter.stderr"], .nnbr-error'
        assert self.page.locator(wrong).all_inner_texts() == []
        assert self.complaints == []


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab server on this machine."""

    url: str
    folder: Path  # of the notebooks it shows

    @contextmanager
    def open(self, notebook: str, width: int = LAPTOP) -> Iterator[Tab]:
        """A browser with one notebook open, nothing run yet; checked when the block ends."""
        copy_notebook(notebook, self.folder)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            page = browser.new_page(viewport={"width": width, "height": HEIGHT})
            page.set_default_timeout(ANSWER_MS)
            tab = Tab(page)
            page.on("pageerror", lambda error: tab.complaints.append(str(error)))
            page.on(
                "console", lambda m: tab.complaints.append(m.text) if m.type == "error" else None
            )
            page.goto(f"{self.url}/lab/tree/{notebook}.ipynb?reset")
            try:
                page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=1000 * START_SECONDS)
                page.keyboard.press("Control+b")  # the file list leaves no room in a narrow window
                tab.wait_idle()
                yield tab
                tab.check()
            except BaseException:
                ARTIFACTS.mkdir(exist_ok=True)
                page.screenshot(path=ARTIFACTS / f"failed-{notebook}.png")
                raise
            finally:
                browser.close()
                self.end_kernels()

    def end_kernels(self) -> None:
        """So that the next tab starts from nothing."""
        with urllib.request.urlopen(f"{self.url}/api/kernels") as answer:
            for kernel in json.load(answer):
                url = f"{self.url}/api/kernels/{kernel['id']}"
                urllib.request.urlopen(urllib.request.Request(url, method="DELETE")).close()


def copy_notebook(name: str, folder: Path) -> None:
    """A notebook without outputs, so that a number at a cell means: it has run."""
    notebook = nbformat.read(project_root() / "notebooks" / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, folder / f"{name}.ipynb")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url: str, server: subprocess.Popen) -> None:
    """Until the server answers; it must not have died."""
    give_up = time.monotonic() + START_SECONDS
    while True:
        try:
            return urllib.request.urlopen(f"{url}/api/status").close()
        except OSError:
            assert server.poll() is None, "JupyterLab ended before it answered"
            assert time.monotonic() < give_up, "JupyterLab does not answer"
            time.sleep(0.2)


@contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """JupyterLab on loopback without a token; whatever it writes goes below `folder`."""
    (folder / "notebooks").mkdir()
    for name, values in SETTINGS.items():
        path = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    own = {"NNBR_RUNS": "runs", "IPYTHONDIR": "ipython", "JUPYTERLAB_SETTINGS_DIR": "settings"}
    own |= {f"JUPYTER_{name}_DIR": name.lower() for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command += [
        f"--ServerApp.root_dir={folder / 'notebooks'}",
        "--LabApp.extension_manager=readonly",
    ]
    command += ["--ServerApp.allow_root=True", "--ServerApp.disable_check_xsrf=True"]
    with open(folder / "server.log", "w") as log:
        server = subprocess.Popen(
            command,
            env=os.environ | {name: str(folder / below) for name, below in own.items()},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}", server)
            yield Lab(f"http://127.0.0.1:{port}", folder / "notebooks")
        finally:
            server.terminate()
            server.wait(timeout=START_SECONDS)
