"""A team's quizzes over real HTTP: drafting, publishing and who may do what."""

import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from app.hiring.pools import Workshop, fill_pool
from app.models import Quiz
from app.settings import Settings
from tests.banks import write_bank
from tests.fakes import FakeSandbox
from tests.hiring.content import ITEMS, kept_verifications
from tests.live import LiveSite, running, words_of
from tests.web.test_accounts import new_team, signed_up

SETTINGS = {
    "title": "Slopes",
    "minutes": "40",
    "opens_at": "2026-12-01T09:00",
    "closes_at": "2026-12-24T18:00",
    "shuffled": "on",
    "verdict_only": "25",
    "pass_mark": "60",
    "show_score": "after_submit",
    "show_items": "never",
}


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def owner(live: LiveSite) -> httpx.Client:
    return signed_up(live, "owner@example.org")


@pytest.fixture
def team(owner: httpx.Client) -> str:
    return new_team(owner)


def drafted(owner: httpx.Client, team: str, **changes: str) -> str:
    answer = owner.post(f"{team}/quizzes/new", data=SETTINGS | changes)
    assert answer.status_code == 303, words_of(answer)
    return answer.headers["location"]


def stored(live: LiveSite, url: str) -> Quiz:
    with live.site.database.reading() as session:
        return session.get_one(Quiz, UUID(url.rpartition("/")[2]))


def fill(live: LiveSite, url: str) -> None:
    site = live.site
    fill_pool(Workshop(site.database, site.livecheck, site.bank, kept_verifications()), UUID(url.rpartition("/")[2]))


def test_empty_list_says_what_to_do(owner: httpx.Client, team: str) -> None:
    assert "No quiz yet" in words_of(owner.get(team))


def test_settings_are_stored_as_instants_and_shares_and_come_back_as_typed(
    live: LiveSite, owner: httpx.Client, team: str
) -> None:
    url = drafted(owner, team)
    quiz = stored(live, url)
    assert quiz.opens_at == datetime(2026, 12, 1, 8, tzinfo=UTC)  # nine o'clock in Berlin
    assert (quiz.verdict_only, quiz.pass_mark, quiz.shuffled, quiz.signals) == (0.25, 0.6, True, False)
    page = owner.get(f"{url}/edit").text
    for shown in ('value="2026-12-01T09:00"', 'value="2026-12-24T18:00"', 'value="25"', 'value="60"'):
        assert shown in page


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("title", " ", "Give it a title"),
        ("minutes", "0", "between 1 and 480"),
        ("minutes", "x", "whole number"),
        ("closes_at", "2026-12-01T08:00", "close after it opens"),
        ("opens_at", "soon", "Write it like"),
        ("opens_at", "2026-03-29T02:30", "spring forward"),
        ("pass_mark", "101", "from 0 to 100"),
        ("pass_mark", "nan", "from 0 to 100"),
        ("show_score", "now", "one of the three"),
        ("retention_days", "0", "1 to 3650"),
    ],
)
def test_setting_that_cannot_be_used_is_named_and_the_rest_is_kept(
    owner: httpx.Client, team: str, field: str, value: str, says: str
) -> None:
    answer = owner.post(f"{team}/quizzes/new", data=SETTINGS | {"introduction": "Kept words", field: value})
    assert answer.status_code == 422
    assert says in words_of(answer)
    assert "Kept words" in answer.text


def test_window_that_cuts_needs_an_end(owner: httpx.Client, team: str) -> None:
    answer = owner.post(f"{team}/quizzes/new", data=SETTINGS | {"closes_at": "", "window_cuts": "on"})
    assert "Say when it closes" in words_of(answer)


def test_items_and_draws_are_added_moved_and_removed(owner: httpx.Client, team: str) -> None:
    url = drafted(owner, team)
    owner.post(f"{url}/slots", data={"item": "a-square", "points": "2"})
    owner.post(f"{url}/slots", data={"topic": "basics", "level": "2", "count": "1", "points": "1.5"})
    words = words_of(owner.get(url))
    assert "2 items, 3.5 points" in words
    assert words.index("A square") < words.index("1 drawn: The basics, any kind, level 2")
    assert "Open book" in words
    owner.post(f"{url}/slots/1/down", data={"": ""})
    words = words_of(owner.get(url))
    assert words.index("1 drawn: The basics, any kind, level 2") < words.index("A square public item")
    owner.post(f"{url}/slots/1/remove", data={"": ""})
    assert "1 item, 2 points" in words_of(owner.get(url))
    assert owner.post(f"{url}/slots/7/up", data={"": ""}).status_code == 409


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"item": "no-such-item", "points": "1"}, 422),
        ({"item": "own:not-an-id", "points": "1"}, 400),
        ({"topic": "nowhere", "count": "1", "points": "1"}, 422),
        ({"kind": "riddle", "count": "1", "points": "1"}, 422),
        ({"level": "9", "count": "1", "points": "1"}, 422),
        ({"count": "0", "points": "1"}, 422),
        ({"count": "x", "points": "1"}, 400),
        ({"count": "1", "points": "nan"}, 422),
        ({"count": "1", "points": "-1"}, 422),
        ({"count": "1000", "points": "1"}, 422),
    ],
)
def test_slot_that_cannot_be_asked_is_refused(
    owner: httpx.Client, team: str, sent: dict[str, str], status: int
) -> None:
    url = drafted(owner, team)
    assert owner.post(f"{url}/slots", data=sent).status_code == status
    assert "0 items" in words_of(owner.get(url))


def test_quiz_is_published_with_progress_and_is_frozen_then(live: LiveSite, owner: httpx.Client, team: str) -> None:
    url = drafted(owner, team)
    assert owner.post(f"{url}/publish", data={"": ""}).status_code == 409  # nothing in it
    owner.post(f"{url}/slots", data={"item": "a-square", "points": "1"})
    owner.post(f"{url}/publish", data={"": ""})
    assert "variants checked" in words_of(owner.get(url))
    fill(live, url)
    words = words_of(owner.get(url))
    assert "Published" in words
    assert "Add one item" not in words
    assert owner.post(f"{url}/slots", data={"item": "a-cube", "points": "1"}).status_code == 409
    refused = owner.post(f"{url}/edit", data=SETTINGS | {"minutes": "41"})
    assert refused.status_code == 409
    assert "make a copy" in words_of(refused)
    assert owner.post(f"{url}/edit", data=SETTINGS | {"show_items": "after_window"}).status_code == 303
    assert owner.post(f"{url}/remove", data={"": ""}).status_code == 409


def test_quiz_is_closed_opened_copied_and_a_draft_removed(live: LiveSite, owner: httpx.Client, team: str) -> None:
    url = drafted(owner, team)
    owner.post(f"{url}/slots", data={"item": "a-square", "points": "1"})
    owner.post(f"{url}/publish", data={"": ""})
    fill(live, url)
    owner.post(f"{url}/close", data={"": ""})
    assert stored(live, url).state == "closed"
    owner.post(f"{url}/reopen", data={"": ""})
    assert stored(live, url).state == "published"
    copy = owner.post(f"{url}/copy", data={"": ""}).headers["location"]
    assert stored(live, copy).state == "draft"
    assert "1 item" in words_of(owner.get(copy))
    assert owner.post(f"{copy}/remove", data={"": ""}).headers["location"] == team
    assert owner.get(copy).status_code == 404
    assert owner.post(f"{url}/explode", data={"": ""}).status_code == 404


def test_reviewer_reads_and_does_not_write_and_another_team_sees_nothing(
    live: LiveSite, owner: httpx.Client, team: str
) -> None:
    url = drafted(owner, team)
    reviewer = signed_up(live, "reviewer@example.org")
    page = owner.post(f"{team}/members", data={"email": "reviewer@example.org", "role": "reviewer"})
    reviewer.post(f"/join/{page.text.partition('/join/')[2].partition('<')[0]}", data={"": ""})
    assert reviewer.get(url).status_code == 200
    assert "Change settings" not in words_of(reviewer.get(url))
    for path, data in (("/edit", SETTINGS), ("/slots", {"item": "a-square"}), ("/publish", {"": ""})):
        assert reviewer.post(url + path, data=data).status_code == 403
    other = signed_up(live, "other@example.org")
    theirs = new_team(other)
    assert other.get(url).status_code == 404
    assert other.get(theirs + "/quizzes/" + url.rpartition("/")[2]).status_code == 404


def test_published_quiz_fills_its_pool_by_itself(settings: Settings, fake: FakeSandbox) -> None:
    with running(settings.model_copy(update={"sweep": True}), fake) as live:
        owner = signed_up(live, "owner@example.org")
        url = drafted(owner, new_team(owner))
        owner.post(f"{url}/slots", data={"item": "a-square", "points": "1"})
        owner.post(f"{url}/publish", data={"": ""})
        until = time.monotonic() + 60
        while stored(live, url).state == "publishing" and time.monotonic() < until:
            time.sleep(0.2)
        assert stored(live, url).state == "published"
