"""A real browser for tests: an installed one, or else the npm package's (on Linux)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.conftest import ROOT
from voxpolis.environment import node_executable

INSTALLED = ("chromium", "chromium-browser", "google-chrome")
ON_A_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
PATIENCE_MS = 60_000
# Error of an expression while a page is reloaded.
OF_A_PAGE_THAT_LOADS = ("context was destroyed", "properties of null")
# Warning that a browser without a graphics card gives when a WebGL canvas is copied.
READING_PIXELS = "GPU stall due to ReadPixels"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def open_browser(unpacked: Path) -> Iterator[Browser]:
    """Start a headless browser; ``unpacked`` is a folder for the bundled one."""
    found = os.environ.get("VOXPOLIS_BROWSER") or next(
        filter(None, map(shutil.which, INSTALLED)), None
    )
    if found is None and sys.platform == "darwin":
        found = ON_A_MAC
    environment = dict(os.environ)
    if found is None:
        told = _unpack(unpacked)
        found, environment["LD_LIBRARY_PATH"] = told["path"], told["libraries"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=ARGUMENTS, env=environment, timeout=PATIENCE_MS
        )
        yield browser
        browser.close()


def _unpack(folder: Path) -> dict[str, str]:
    done = subprocess.run(
        [node_executable(), ROOT / "tests" / "browser.mjs"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, f"no browser; name one in VOXPOLIS_BROWSER\n{done.stderr}"
    told: dict[str, str] = json.loads(done.stdout)
    return told


def open_page(
    browser: Browser | BrowserContext, address: str, width: int = 1400, **looks: Any
) -> tuple[Page, list[str]]:
    """Open a page, wait until it is ready, and return it with its console errors.

    ``looks``: further options of the page, such as ``color_scheme``.
    """
    if isinstance(browser, Browser):
        looks["viewport"] = {"width": width, "height": 1200}
        looks.setdefault("reduced_motion", "reduce")  # otherwise pages play when they are opened
    page = browser.new_page(**looks)
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on(
        "console",
        lambda m: (
            complaints.append(m.text)
            if m.type in ("error", "warning") and READING_PIXELS not in m.text
            else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    return page, complaints


def violations(page: Page) -> list[str]:
    """Return axe-core's findings on the current page: rules, and the elements that violate them."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(
        """axe.run().then(({violations}) =>
            violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`)))"""
    )
    return found


def until(page: Page, expression: str, argument: object = None) -> None:
    """Wait until an expression is true in the page, which may still be loading.

    Playwright's own wait cannot be used, because it needs unsafe eval.
    """
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not _holds(page, expression, argument):
        assert time.monotonic() < deadline, f"never held: {expression} ({argument})"
        page.wait_for_timeout(50)


def _holds(page: Page, expression: str, argument: object) -> bool:
    try:
        return bool(page.evaluate(expression, argument))
    except Error as error:
        if any(words in str(error) for words in OF_A_PAGE_THAT_LOADS):
            return False
        raise
