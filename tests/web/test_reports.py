"""The report of a session over real HTTP: what it says, what it keeps apart, and what only the quiz's words allow."""

from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select

from app.models import QuizSession, ReviewMark, SavedResponse, SessionEvent
from app.settings import Settings
from tests.banks import write_bank
from tests.live import LiveSite, words_of
from tests.web.reported import ITEMS, enter, fixed_quiz, member, taken
from tests.web.test_quiz_sessions import invited, right_answer


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def id_of(session: str) -> UUID:
    return UUID(session.rpartition("/")[2])


def test_misconception_that_was_held_with_certainty_is_named_with_its_item(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(False, True), sure="certain")
    client, url = member(live, quiz)
    words = words_of(client.get(f"{url}{session}"))
    assert "1 misconception held with confidence" in words
    assert "A call replaces the gradient. certain and wrong in 1. A square" in words
    assert "1 of 2 points" in words
    assert "2 of 2 items answered" in words


def test_answer_without_confidence_shows_a_misconception_that_is_only_seen(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(False, True))
    client, url = member(live, quiz)
    words = words_of(client.get(f"{url}{session}"))
    assert "1 misconception seen" in words
    assert "not said in 1. A square" in words


def test_late_save_is_shown_apart_and_counts_nothing(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(True, True))
    with live.site.database.writing() as db:
        saved = db.scalars(select(SavedResponse).where(SavedResponse.position == 2)).one()
        late: dict[str, object] = {"choices": {}, "entries": ["123.5"], "own_words": "", "confidence": None}
        db.add(
            SavedResponse(
                session_id=saved.session_id,
                position=2,
                epoch=saved.epoch,
                sequence=9,
                received_at=saved.received_at + timedelta(hours=1),
                response=late,
                late=True,
            )
        )
    client, url = member(live, quiz)
    words = words_of(client.get(f"{url}{session}"))
    assert "2 of 2 points" in words
    assert "1 save came after the end, kept apart: nothing of it counts." in words
    item = words_of(client.get(f"{url}{session}/items/2"))
    assert "What came too late" in item
    assert "w.grad 123.5" in item
    assert "What came too late" not in words_of(client.get(f"{url}{session}/items/1"))


@pytest.mark.parametrize("disclosed", [True, False])
def test_focus_notes_are_shown_only_where_the_quiz_disclosed_them(live: LiveSite, disclosed: bool) -> None:
    quiz = fixed_quiz(live, signals=disclosed)
    session = taken(live, quiz, right=(True, True))
    with live.site.database.writing() as db:
        at = db.get_one(QuizSession, id_of(session)).started_at
        for second, kind in ((3, "focus_lost"), (15, "focus_returned")):
            db.add(SessionEvent(session_id=id_of(session), at=at + timedelta(seconds=second), kind=kind, detail={}))
    client, url = member(live, quiz)
    words = words_of(client.get(f"{url}{session}"))
    assert ("Focus notes" in words) is disclosed
    assert ("0:12" in words) is disclosed


def test_reviewer_marks_own_words_and_the_newest_mark_counts(live: LiveSite) -> None:
    quiz = fixed_quiz(live, ask_reasons=True)
    session = taken(live, quiz, right=(True, False), reason="The slope of a square <b>doubles</b>.")
    client, url = member(live, quiz)
    item = f"{url}{session}/items/1"
    page = client.get(item)
    assert "The slope of a square &lt;b&gt;doubles&lt;/b&gt;." in page.text
    assert "Names the slope of a square" in words_of(page)
    assert client.post(f"{item}/marks", data={"point-1": "on", "note": "Clear."}).status_code == 303
    assert client.post(f"{item}/marks", data={"point-1": "on", "point-2": "on", "note": ""}).status_code == 303
    words = words_of(client.get(item))
    assert "replaced since" in words
    report = words_of(client.get(f"{url}{session}"))
    assert "Marked: 2 of 2 points named, by" in report
    assert "1 of 2 points" in report  # the score is what it was
    with live.site.database.reading() as db:
        kept = db.scalars(select(ReviewMark).order_by(ReviewMark.id)).all()
    assert [(one.points_named, one.note) for one in kept] == [([1], "Clear."), ([1, 2], "")]
    assert all(one.reviewer_id is not None for one in kept)


def test_mark_needs_words_an_end_and_a_short_note(live: LiveSite) -> None:
    quiz = fixed_quiz(live, ask_reasons=True)
    client, url = member(live, quiz)
    silent = taken(live, quiz, right=(True, True))
    assert client.post(f"{url}{silent}/items/1/marks", data={"point-1": "on"}).status_code == 409
    candidate = invited(live, quiz)
    running = candidate.start()
    enter(candidate, running, 1, {"entry-1": "1", "own_reason": "So."})
    assert client.post(f"{url}{running}/items/1/marks", data={"point-1": "on"}).status_code == 409
    candidate.client.post(f"{running}/finish", data={"": ""})
    assert client.post(f"{url}{running}/items/1/marks", data={"note": "x" * 2001}).status_code == 400
    assert client.post(f"{url}{running}/items/1/marks", data={"note": "x" * 2000}).status_code == 303


def test_no_key_of_a_session_that_runs_reaches_the_team(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    candidate = invited(live, quiz)
    session = candidate.start()
    enter(candidate, session, 1, {"entry-1": "0.25"})
    client, url = member(live, quiz)
    assert client.get(f"{url}{session}/items/1").status_code == 409
    page = client.get(f"{url}{session}")
    assert "still running" in words_of(page)
    assert f"{session}/items/1" not in page.text


def test_item_page_speaks_of_the_candidate(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(True, False), sure="guess")
    client, url = member(live, quiz)
    words = words_of(client.get(f"{url}{session}/items/1"))
    assert "They were guessing." in words
    assert "What they entered, what the run gave" in words
    assert "item 1 of 2" in words
    assert right_answer(live, session, 1) in words


def test_interview_sheet_has_snippet_answer_evidence_and_a_follow_up_that_runs(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(False, True), sure="certain")
    client, url = member(live, quiz)
    page = client.get(f"{url}{session}/interview")
    words = words_of(page)
    assert words.index("item 1, certain and wrong") < words.index("item 2, certain and right")
    assert "The belief behind it A call replaces the gradient." in words
    assert "What they entered, what the run gave" in words
    assert "What if the square were a cube?" in words
    assert "import torch" in words
    assert "pow" in words


def test_interview_sheet_waits_for_the_end(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = invited(live, quiz).start()
    client, url = member(live, quiz)
    assert client.get(f"{url}{session}/interview").status_code == 409
