"""The history in a real browser: with much to say and with little, wide and narrow, with and without JavaScript."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.history_bench import fill
from app.web.dependencies import PROFILE_COOKIE
from tests.browser.pages import Keep, check, choose_first_of_everything, follow
from tests.live import LiveSite

Open = Callable[..., Page]
WIDE = (1280, True, "dark")


def as_somebody_with(live: LiveSite, page: Page, attempts: int) -> None:
    """Make the browser that of a person with so many attempts."""
    person = fill(live.site.database, live.site.bank, attempts)
    value = live.site.signer.sign_profile(person)
    page.context.add_cookies([{"name": PROFILE_COOKIE, "value": value, "url": live.url}])


@pytest.mark.parametrize(("attempts", "way"), [(1, (390, True, "dark")), (400, (390, False, "light")), (400, WIDE)])
def test_a_history_of_any_length_says_what_to_do_next(
    opened: Open, picture: Keep, live: LiveSite, attempts: int, way: tuple[int, bool, str]
) -> None:
    width, javascript, scheme = way
    page = opened(width=width, javascript=javascript, scheme=scheme)
    as_somebody_with(live, page, attempts)
    page.goto("/history")
    picture(page, f"history-{attempts}-{width}")
    for details in page.locator("main details > summary").all():
        details.click()
    check(page)
    if attempts > 1:
        page.get_by_label("Mode").select_option("practice")
        follow(page.get_by_role("button", name="Filter"))
        assert "mode=practice" in page.url
        check(page)
        page.goto("/history/beliefs")
        check(page)
        follow(page.locator("tbody th a").first)
        picture(page, f"belief-{width}")
        check(page)
    page.goto("/history/quizzes")
    check(page)


def test_an_attempt_is_run_again_by_keyboard_and_compared(opened: Open, picture: Keep) -> None:
    page = opened(width=390)
    page.goto("/practice/two-passes")
    choose_first_of_everything(page)
    page.get_by_role("button", name="Commit and run").click()
    page.wait_for_url("**/attempts/*")
    page.get_by_role("button", name="Run it again").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Then and now")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("it shows the same")
    check(page)
    picture(page, "then-and-now-390")
