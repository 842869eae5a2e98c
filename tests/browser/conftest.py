"""A real Chromium, once per file; each test gets contexts of its own.

Playwright keeps an event loop running in its thread while it is open, in which no other test could start one.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.live import LiveSite

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {1280: 900, 390: 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield instance
        instance.close()


WANTED = ("status of 4", "net::ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED")


def is_fault(said: ConsoleMessage) -> bool:
    """Say whether a console message is an error of ours; some tests want a page that answers 4xx, or no network."""
    return said.type == "error" and not any(one in said.text for one in WANTED)


@pytest.fixture
def opened(browser: Browser, live: LiveSite) -> Iterator[Callable[..., Page]]:
    """Open pages that fail the test for a script error or a request to anywhere else."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_page(*, width: int = 1280, javascript: bool = True, scheme: str = "light") -> Page:
        context = browser.new_context(
            base_url=live.url,
            viewport={"width": width, "height": WIDTHS[width]},
            java_script_enabled=javascript,
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("console", lambda said: faults.append(said.text) if is_fault(said) else None)
        page.on("request", lambda sent: None if sent.url.startswith((live.url, "data:")) else faults.append(sent.url))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keep a full-page screenshot where SCREENSHOTS names a folder."""
    folder = os.environ.get("SCREENSHOTS")

    def keep(page: Page, name: str) -> None:
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return keep
