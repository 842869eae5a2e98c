"""Quizzes taken for teams stand beside practice, for whoever holds their invitation, as far as the team shows them."""

from pathlib import Path
from uuid import uuid4

import pytest

from app.settings import Settings
from app.web.access import candidate_cookie
from tests.banks import write_bank
from tests.hiring.content import ITEMS
from tests.live import LiveSite, words_of
from tests.web.test_quiz_sessions import epoch_of, invited, publish, right_answer

NONE = "None in this browser."


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def test_a_quiz_is_listed_with_what_its_team_shows_and_never_counted_as_practice(live: LiveSite) -> None:
    candidate = invited(live, publish(live, show_score="after_submit", show_items="after_submit"))
    assert NONE in words_of(candidate.client.get("/history/quizzes"))
    session = candidate.start()
    running = words_of(candidate.client.get("/history/quizzes"))
    assert "running until" in running
    assert "The team shows nothing of it yet." in running
    candidate.put(session, epoch_of(candidate.page(session)), 1, right_answer(live, session, 1))
    candidate.client.post(f"{session}/finish", data={"": ""})
    page = candidate.client.get("/history/quizzes")
    assert "handed in" in words_of(page)
    assert "1 of 2 points, 50 ± 50 percent" in words_of(page)
    assert f'href="{session}"' in page.text
    assert "Read its items again" in page.text
    assert candidate.client.get(session, follow_redirects=True).status_code == 200
    assert "Nothing answered yet in this browser." in words_of(candidate.client.get("/history"))


def test_a_team_that_shows_nothing_shows_nothing_here_either(live: LiveSite) -> None:
    candidate = invited(live, publish(live))
    session = candidate.start()
    candidate.client.post(f"{session}/finish", data={"": ""})
    page = candidate.client.get("/history/quizzes")
    assert "The team shows nothing of it yet." in words_of(page)
    assert "points" not in words_of(page)


def test_nobody_sees_a_quiz_by_a_cookie_that_is_not_theirs(live: LiveSite) -> None:
    candidate = invited(live, publish(live))
    candidate.start()
    (name,) = [one for one in candidate.client.cookies if one.startswith("gradproof_candidate_")]
    value = candidate.client.cookies[name]
    for cookie, content in ((candidate_cookie(uuid4()), value), (name, f"{value}x"), (name, str(uuid4()))):
        with live.visitor() as other:
            other.cookies.set(cookie, content)
            assert NONE in words_of(other.get("/history/quizzes"))
    with live.visitor() as same:
        same.cookies.set(name, value)
        assert "running until" in words_of(same.get("/history/quizzes"))
