"""Reading what is stored and erasing it, in a real browser: in both themes, narrow and without scripts."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.settings import Settings
from tests.banks import write_bank
from tests.browser.pages import Keep, Open, check, follow
from tests.browser.test_report_journey import signed_in_page
from tests.live import LiveSite
from tests.web.reported import ITEMS, fixed_quiz, member, taken
from tests.web.test_privacy import candidate_url


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS), "contact": "the Vision group"})


@pytest.mark.parametrize("way", [(1280, True, "light"), (390, False, "dark")], ids=str)
def test_owner_reads_and_erases_a_candidate(
    opened: Open, picture: Keep, live: LiveSite, way: tuple[int, bool, str]
) -> None:
    width, javascript, scheme = way
    quiz = fixed_quiz(live, ask_reasons=True, retention_days=30)
    session = taken(live, quiz, right=(False, True), reason="The second call replaces the first.")
    client, url = member(live, quiz, "owner")
    page = signed_in_page(live, opened, client, width=width, javascript=javascript, scheme=scheme)
    for name, address in {"privacy": "/privacy", "own": "/account/data", "invitations": f"{url}/invitations"}.items():
        page.goto(address)
        check(page)
        picture(page, f"privacy-{width}-{scheme}-{name}")
    follow(page.get_by_role("link", name="Data stored of Ada"))
    assert page.url.endswith(candidate_url(live, url, session))
    check(page)
    picture(page, f"privacy-{width}-{scheme}-candidate")
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Erase this person").click()
    expect(page.get_by_text("Nobody is invited yet.")).to_be_visible()
