"""A candidate and a team in a real browser: saving by itself, offline, the clock, two tabs, and pages for everybody."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from app.clock import now
from app.hiring.quiz_sessions import add_minutes
from app.models import QuizSession
from app.settings import Settings
from tests.banks import write_bank
from tests.browser.pages import Keep, Open, check, follow
from tests.hiring.content import ITEMS
from tests.live import LiveSite
from tests.web.test_accounts import PASSWORD
from tests.web.test_quiz_sessions import Candidate, invited, kept, publish

WAYS = [(1280, True, "light"), (390, True, "dark"), (1280, False, "dark"), (390, False, "light")]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def candidate(live: LiveSite) -> Candidate:
    return invited(live, publish(live, introduction="Take your *time*.", show_score="after_submit"))


def started(page: Page, candidate: Candidate) -> str:
    """Open the link, press start, and return the address of the session."""
    page.goto(candidate.link)
    page.get_by_role("button", name="Start the clock").click()
    page.wait_for_url("**/items/1")
    return page.url.removeprefix(candidate.live.url).rpartition("/items/")[0]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_candidate_goes_from_the_link_to_the_end(
    opened: Open, picture: Keep, candidate: Candidate, way: tuple[int, bool, str]
) -> None:
    width, javascript, scheme = way
    page = opened(width=width, javascript=javascript, scheme=scheme)
    look = f"quiz-{width}-{scheme}{'' if javascript else '-plain'}"
    page.goto(candidate.link)
    check(page)
    picture(page, f"{look}-1-landing")
    follow(page.get_by_role("link", name="Rehearse"))
    check(page)
    picture(page, f"{look}-2-rehearsal")
    page.goto(candidate.link)
    page.get_by_role("button", name="Start the clock").click()
    page.wait_for_url("**/items/1")
    page.locator("input[name=entry-1]").fill("4.0")
    check(page)
    picture(page, f"{look}-3-item")
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_url("**/items/2")
    page.get_by_role("button", name="Flag to come back").click()
    expect(page.get_by_role("button", name="Remove the flag")).to_be_visible()
    page.get_by_role("button", name="Save and review").click()
    page.wait_for_url("**/finish")
    expect(page.get_by_text("1 of 2 items is empty")).to_be_visible()
    check(page)
    picture(page, f"{look}-4-review")
    page.get_by_role("button", name="Hand it in").click()
    page.wait_for_url("**/end")
    check(page)
    picture(page, f"{look}-5-end")
    assert kept(candidate.live, _session_of(candidate))[0] == ["4.0"]


def _session_of(candidate: Candidate) -> str:
    with candidate.live.site.database.reading() as session:
        return f"/sessions/{session.query(QuizSession).one().id}"


def test_each_change_is_saved_by_itself_and_offline_ones_are_sent_later(opened: Open, candidate: Candidate) -> None:
    page = opened()
    session = started(page, candidate)
    entry, state = page.locator("input[name=entry-1]"), page.locator("[data-save-state]")
    entry.fill("1")
    expect(state).to_have_text("Saved.")
    assert kept(candidate.live, session) == [["1"]]
    page.context.set_offline(True)
    entry.fill("2")
    expect(state).to_contain_text("Offline")
    assert kept(candidate.live, session) == [["1"]]
    page.context.set_offline(False)
    expect(state).to_have_text("Saved.", timeout=20_000)
    assert kept(candidate.live, session) == [["2"]]


def test_what_was_entered_offline_survives_a_reload(opened: Open, candidate: Candidate) -> None:
    page = opened()
    session = started(page, candidate)
    page.route("**/responses/*", lambda route: route.abort())
    page.locator("input[name=entry-1]").fill("7")
    expect(page.locator("[data-save-state]")).to_contain_text("Offline")
    page.unroute("**/responses/*")
    page.reload()
    expect(page.locator("input[name=entry-1]")).to_have_value("7")
    expect(page.locator("[data-save-state]")).to_have_text("Saved.")
    assert kept(candidate.live, session) == [["7"]]


def test_second_tab_takes_over_and_the_first_says_so(opened: Open, candidate: Candidate) -> None:
    page = opened()
    session = started(page, candidate)
    second = page.context.new_page()
    second.goto(f"{session}/items/1")
    page.locator("input[name=entry-1]").fill("1")
    expect(page.locator("[data-save-state]")).to_contain_text("opened somewhere else")
    second.locator("input[name=entry-1]").fill("2")
    expect(second.locator("[data-save-state]")).to_have_text("Saved.")
    assert kept(candidate.live, session) == [["2"]]


def test_time_left_is_the_servers_can_be_hidden_and_grows_without_a_reload(opened: Open, candidate: Candidate) -> None:
    page = opened()
    session = started(page, candidate)
    timer = page.get_by_role("timer")
    before = page.locator("[data-clock]").get_attribute("data-seconds")
    assert before is not None
    assert int(before) <= 36 * 60
    page.get_by_role("button", name="Hide the time").click()
    expect(timer).not_to_be_visible()
    page.get_by_role("button", name="Show the time").click()
    with candidate.live.site.database.writing() as db:
        add_minutes(db, db.get_one(QuizSession, UUID(session.rpartition("/")[2])), 60, None, now())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # the page asks again when it is looked at
    expect(page.locator("[data-announce]")).to_have_text("You were given more time.")
    shown = timer.inner_text()
    assert timedelta(minutes=90) < timedelta(minutes=int(shown.partition(":")[0])) <= timedelta(minutes=96)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_team_drafts_a_quiz_and_invites(
    opened: Callable[..., Page], picture: Keep, live: LiveSite, width: int, scheme: str
) -> None:
    page = opened(width=width, scheme=scheme)
    look = f"team-{width}-{scheme}"
    page.goto("/sign-up")
    check(page)
    picture(page, f"{look}-1-sign-up")
    page.get_by_label("Mail address").fill("owner@example.org")
    page.get_by_label("Name", exact=True).fill("Owner")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/teams/new")
    check(page)
    page.get_by_label("Team name").fill("Vision group")
    follow(page.get_by_role("button", name="Make the team"))
    check(page)
    picture(page, f"{look}-2-quizzes")
    follow(page.get_by_role("link", name="New quiz"))
    check(page)
    picture(page, f"{look}-3-settings")
    page.get_by_label("Title").fill("Slopes")
    page.get_by_role("button", name="Make the draft").click()
    page.get_by_label("Item", exact=True).select_option(label="The basics: A square")
    page.get_by_role("button", name="Add this item").click()
    expect(page.get_by_text("1 item, 1 point")).to_be_visible()
    check(page)
    picture(page, f"{look}-4-draft")
    for name in ("members", "audit", "settings"):
        follow(page.get_by_role("navigation", name="Team").get_by_role("link", name=name.capitalize()))
        check(page)
        picture(page, f"{look}-5-{name}")
    page.goto("/account")
    check(page)
    picture(page, f"{look}-6-account")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_invitations_page_is_for_everybody(
    opened: Callable[..., Page], picture: Keep, live: LiveSite, width: int, scheme: str
) -> None:
    quiz = publish(live)
    page = opened(width=width, scheme=scheme)
    page.goto("/sign-up")
    page.get_by_label("Mail address").fill("second@example.org")
    page.get_by_label("Name", exact=True).fill("Second")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/teams/new")
    address = _let_in(live, quiz, "second@example.org")
    page.goto(f"{address}/invitations")
    check(page)
    page.get_by_label("Mail address").fill("ada@example.org")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("The link is shown this once")).to_be_visible()
    check(page)
    picture(page, f"invitations-{width}-{scheme}")


def _let_in(live: LiveSite, quiz_id: UUID, email: str) -> str:
    """Make an account an owner of the team of a quiz and return the address of the quiz."""
    from app.models import Membership, Quiz
    from app.models.account import account_by_email

    with live.site.database.writing() as session:
        quiz, account = session.get_one(Quiz, quiz_id), account_by_email(session, email)
        assert account is not None
        session.add(Membership(team_id=quiz.team_id, account_id=account.id, role="owner", created_at=now()))
        return f"/teams/{quiz.team_id}/quizzes/{quiz.id}"
