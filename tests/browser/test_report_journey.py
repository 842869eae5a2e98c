"""A reviewer reads what candidates did, in a real browser: in both themes, narrow, without scripts and on paper."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page

from app.settings import Settings
from tests.banks import ITEMS as EVERY_KIND
from tests.banks import write_bank
from tests.browser.pages import Keep, Open, check
from tests.live import LiveSite
from tests.web.reported import ITEMS, fixed_quiz, member, quiz_of_every_kind, taken, taken_of_every_kind

WAYS = [(1280, True, "light"), (390, True, "dark"), (1280, False, "dark"), (390, False, "light")]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", EVERY_KIND | ITEMS)})


def read_by_reviewer(live: LiveSite, opened: Callable[..., Page], **how: object) -> tuple[Page, str, tuple[str, str]]:
    """Return a signed-in reviewer's page, the address of a quiz with results, and those of two sessions."""
    quiz = fixed_quiz(live, ask_reasons=True, signals=True, pass_mark=0.5)
    session = taken(live, quiz, right=(False, True), sure="certain", reason="The second call replaces the first.")
    other = taken(live, quiz, right=(True, True), sure="fairly_sure", name="Bo")
    client, url = member(live, quiz)
    client.post(f"{url}{session}/items/1/marks", data={"point-2": "on", "note": "Says it plainly."})
    return signed_in_page(live, opened, client, **how), url, (session, other)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_reviewer_reads_results_reports_and_items(
    opened: Open, picture: Keep, live: LiveSite, way: tuple[int, bool, str]
) -> None:
    width, javascript, scheme = way
    page, url, (session, other) = read_by_reviewer(live, opened, width=width, javascript=javascript, scheme=scheme)
    pages = {
        "results": f"{url}/results",
        "report": f"{url}{session}",
        "item": f"{url}{session}/items/1",
        "interview": f"{url}{session}/interview",
        "items": f"{url}/results/items",
        "compare": f"{url}/results/compare?session={session.rpartition('/')[2]}&session={other.rpartition('/')[2]}",
    }
    for name, address in pages.items():
        page.goto(address)
        assert urlsplit(page.url).path == urlsplit(address).path
        check(page)
        picture(page, f"reports-{width}-{scheme}{'' if javascript else '-plain'}-{name}")
        if (width, scheme) == (1280, "light"):
            page.emulate_media(media="print")
            picture(page, f"reports-print-{name}")
            page.emulate_media(media="screen")


def signed_in_page(live: LiveSite, opened: Callable[..., Page], client: httpx.Client, **how: object) -> Page:
    """Return a page of a browser with the cookies of a client."""
    page = opened(**how)
    page.context.add_cookies(
        [{"name": one.name, "value": one.value or "", "url": live.url} for one in client.cookies.jar]
    )
    return page


@pytest.mark.parametrize("way", [(1280, "light"), (390, "dark")], ids=str)
def test_items_of_every_kind_are_for_everybody_and_print(
    opened: Callable[..., Page], picture: Keep, live: LiveSite, monkeypatch: pytest.MonkeyPatch, way: tuple[int, str]
) -> None:
    width, scheme = way
    quiz = quiz_of_every_kind(live, monkeypatch, ask_reasons=True)
    session = taken_of_every_kind(live, quiz, "all")
    client, url = member(live, quiz)
    page = signed_in_page(live, opened, client, width=width, scheme=scheme)
    pages = {"report": f"{url}{session}", "interview": f"{url}{session}/interview", "items": f"{url}/results/items"}
    pages |= {f"item-{place}": f"{url}{session}/items/{place}" for place in range(1, 7)}
    for name, address in pages.items():
        page.goto(address)
        check(page)
        picture(page, f"kinds-{width}-{scheme}-{name}")
        if name in {"report", "interview"} and width == 1280:
            printed = page.pdf(format="A4")
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= {"report": 2, "interview": 6}[name]
