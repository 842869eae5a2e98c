"""What every journey in a browser does: open pages, follow links, check what it sees and keep pictures."""

import re
from collections.abc import Callable
from typing import Literal

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

Open = Callable[..., Page]
Keep = Callable[[Page, str], None]


def follow(target: Locator) -> None:
    """Press a link or a button that leads to another page, and wait until that page is there."""
    with target.page.expect_navigation():
        target.click()


def check(page: Page) -> None:
    """Fail for any accessibility violation, and for a page that scrolls sideways."""
    width = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width[0] <= width[1], f"{page.url} is {width[0]} px wide in {width[1]} px"
    if page.evaluate("document.documentElement.classList.contains('js')"):
        found = Axe().run(page)
    else:
        found = without_scripts(page)
    assert found.violations_count == 0, found.generate_report()


def without_scripts(page: Page) -> AxeResults:
    """Run axe, which is a script, on a copy of a page whose own scripts never ran."""
    browser, viewport, dark = (
        page.context.browser,
        page.viewport_size,
        "matchMedia('(prefers-color-scheme: dark)').matches",
    )
    assert browser is not None
    scheme: Literal["dark", "light"] = "dark" if page.evaluate(dark) else "light"
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    copy, body = context.new_page(), re.sub(r"<script\b.*?</script>", "", page.content(), flags=re.DOTALL)
    copy.route(page.url, lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
    copy.goto(page.url)
    found = Axe().run(copy)
    context.close()
    return found


def choose_first_of_everything(page: Page) -> None:
    """Press the first option of every group, as a person with a pointer would."""
    groups = page.locator("form[data-answer] fieldset")
    for number in range(groups.count()):
        groups.nth(number).locator("label.option").first.click()
    for field in page.locator("form[data-answer] input[type=text]").all():
        field.fill("1.0")
