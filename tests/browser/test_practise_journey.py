"""The practise journey in a real browser: with and without JavaScript, wide and narrow, light and dark, by keyboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.pages import Keep, Open, check, choose_first_of_everything, follow

WAYS = [(1280, True, "light"), (390, True, "dark"), (1280, False, "dark"), (390, False, "light")]
KINDS = {
    "two-passes": "true_false",
    "a-shift-before-backward": "spot_the_error",
    "three-leaves-one-loss": "edge_case",
    "a-square-and-a-product": "why",
}


@pytest.mark.parametrize(("width", "javascript", "scheme"), WAYS)
def test_first_item_is_one_click_away_and_the_journey_ends_in_the_history(
    opened: Open, picture: Keep, width: int, javascript: bool, scheme: str
) -> None:
    page = opened(width=width, javascript=javascript, scheme=scheme)
    way = f"{width}-{'js' if javascript else 'plain'}-{scheme}"
    page.goto("/")
    check(page)
    picture(page, f"home-{way}")
    page.locator("main a.button").first.click()
    expect(page.locator("form[data-answer]")).to_be_visible()
    check(page)
    choose_first_of_everything(page)
    picture(page, f"item-{way}")
    page.get_by_role("button", name="Commit and run").click()
    page.wait_for_url("**/attempts/*")
    check(page)
    picture(page, f"reveal-{way}")
    first_reveal = page.locator("main").inner_text()
    address = page.url
    page.reload()
    assert page.locator("main").inner_text() == first_reveal
    follow(page.get_by_role("link", name="History"))
    check(page)
    picture(page, f"history-{way}")
    follow(page.locator(".attempts a").first)
    assert page.url == address
    assert page.locator("main").inner_text() == first_reveal
    page.get_by_role("link", name="Next").first.click()
    expect(page.locator("form[data-answer]")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("item", KINDS)
def test_each_kind_is_answered_and_revealed(opened: Open, picture: Keep, item: str, width: int, scheme: str) -> None:
    page = opened(width=width, scheme=scheme)
    page.goto(f"/practice/{item}")
    check(page)
    picture(page, f"item-{KINDS[item]}-{width}")
    choose_first_of_everything(page)
    page.get_by_role("button", name="Commit and run").click()
    page.wait_for_url("**/attempts/*")
    for details in page.locator("details:not([open]) > summary").all():
        details.click()
    check(page)
    picture(page, f"reveal-{KINDS[item]}-{width}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize(
    "path",
    [
        "/practice",
        "/practice?topic=leaves",
        "/practice?kind=why&level=3",
        "/history",
        "/patterns",
        "/glossary",
        "/topics/leaves",
        "/bank",
    ],
)
def test_every_other_page_is_accessible(opened: Open, picture: Keep, path: str, width: int, scheme: str) -> None:
    page = opened(width=width, scheme=scheme)
    page.goto(path)
    check(page)
    picture(page, f"page-{re.sub(r'[/?=&]', '-', path.strip('/'))}-{width}")


def test_whole_item_is_answered_by_keyboard(opened: Open) -> None:
    page = opened()
    page.goto("/practice/two-passes")
    page.keyboard.press("f")
    assert page.locator("input[name=verdict]:checked").get_attribute("value") == "false"
    page.keyboard.press("2")
    assert page.locator("input[name=reason]:checked").get_attribute("value") == "2"
    page.keyboard.press("3")
    assert page.locator("input[name=confidence]:checked").get_attribute("value") == "certain"
    page.keyboard.press("Enter")
    page.wait_for_url("**/attempts/*")
    page.keyboard.press("n")
    page.wait_for_url("**/practice/*")


def test_keys_are_listed_on_a_sheet(opened: Open) -> None:
    page = opened()
    page.goto("/practice/two-passes")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()


def test_typing_own_words_never_triggers_a_key(opened: Open) -> None:
    page = opened()
    page.goto("/practice/a-square-and-a-product")
    page.locator("textarea").fill("")
    page.locator("textarea").press_sequentially("n 1 t f ?")
    assert page.locator("textarea").input_value() == "n 1 t f ?"
    assert page.locator("form[data-answer] input:checked").count() == 0


def test_two_presses_are_one_attempt(opened: Open) -> None:
    page = opened()
    page.goto("/practice/two-passes")
    choose_first_of_everything(page)
    page.get_by_role("button", name="Commit and run").dblclick()
    page.wait_for_url("**/attempts/*")
    follow(page.get_by_role("link", name="History"))
    expect(page.locator(".attempts > li")).to_have_count(1)


@pytest.mark.parametrize("javascript", [True, False])
def test_missing_choice_is_named_and_reached_from_the_summary(opened: Open, picture: Keep, javascript: bool) -> None:
    page = opened(javascript=javascript)
    page.goto("/practice/two-passes")
    page.locator("form[data-answer] fieldset").first.locator("label.option").first.click()
    with page.expect_response(lambda response: response.status == 422):
        page.get_by_role("button", name="Commit and run").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose the reason.")
    assert page.locator("input[name=verdict]:checked").count() == 1
    check(page)
    picture(page, f"item-missing-{'js' if javascript else 'plain'}")


def test_theme_switch_stays_switched(opened: Open) -> None:
    page = opened(scheme="light")
    page.goto("/")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    page.goto("/practice")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_nothing_jumps_while_a_page_loads(opened: Open) -> None:
    page = opened()
    for path in ("/", "/practice", "/practice/two-passes"):
        page.goto(path)
        shift = page.evaluate(
            """() => new Promise(done => { let sum = 0;
            new PerformanceObserver(list => list.getEntries().forEach(entry => sum += entry.value))
              .observe({type: 'layout-shift', buffered: true});
            setTimeout(() => done(sum), 300); })"""
        )
        assert shift == 0, path


def test_a_page_weighs_less_than_sixty_kilobytes(opened: Open) -> None:
    page = opened()
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto("/practice/two-passes", wait_until="networkidle")
    assert sum(sizes) < 60_000
