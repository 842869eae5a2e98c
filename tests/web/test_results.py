"""Results and reports over real HTTP: scores that were graded, items with their evidence, and who sees which when."""

import csv
import io
from pathlib import Path

import httpx
import pytest

from app.clock import now
from app.models import Membership, Quiz
from app.models.account import account_by_email
from app.settings import Settings
from tests.banks import write_bank
from tests.hiring.content import ITEMS
from tests.live import LiveSite, form_of, words_of
from tests.web.test_accounts import signed_up
from tests.web.test_quiz_sessions import Candidate, epoch_of, invited, publish, right_answer


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def reviewer_of(live: LiveSite, candidate: Candidate, role: str = "reviewer") -> tuple[httpx.Client, str]:
    """Return the browser of a member, and the address of the quiz."""
    client = signed_up(live, f"{role}@example.org")
    with live.site.database.writing() as session:
        quiz, account = session.get_one(Quiz, candidate.quiz_id), account_by_email(session, f"{role}@example.org")
        assert account is not None
        session.add(Membership(team_id=quiz.team_id, account_id=account.id, role=role, created_at=now()))
        return client, f"/teams/{quiz.team_id}/quizzes/{quiz.id}"


def finished(live: LiveSite, **changes: object) -> tuple[Candidate, str]:
    """Return a candidate who answered one of two items right and handed it in, and the address of the session."""
    candidate = invited(live, publish(live, **changes))
    session = candidate.start()
    candidate.put(session, epoch_of(candidate.page(session)), 1, right_answer(live, session, 1))
    candidate.client.post(f"{session}/finish", data={"": ""})
    return candidate, session


def test_team_reads_score_error_topics_and_every_item(live: LiveSite) -> None:
    candidate, session = finished(live, pass_mark=0.5)
    client, quiz = reviewer_of(live, candidate)
    words = words_of(client.get(f"{quiz}/results"))
    assert "Ada" in words
    assert "1 of 2, 50 % ± 50 at or above the pass mark" in words
    report = client.get(f"{quiz}{session}")
    words = words_of(report)
    assert "A person decides, not the mark" in words
    assert "left empty" in words
    assert "The basics" in words
    right = words_of(client.get(f"{quiz}{session}/items/1"))
    assert "Back to the report" in right
    assert "torch 2." in right
    empty = client.get(f"{quiz}{session}/items/2")
    assert empty.status_code == 200
    assert "was entered here" in words_of(empty)
    assert client.get(f"{quiz}{session}/items/3").status_code == 404


def test_session_whose_time_is_over_is_graded_by_who_looks_first(live: LiveSite) -> None:
    candidate = invited(live, publish(live))
    session = candidate.start()
    client, quiz = reviewer_of(live, candidate)
    assert "No score yet" in words_of(client.get(f"{quiz}{session}"))
    assert "running" in words_of(client.get(f"{quiz}/results"))


def test_csv_opens_in_a_spreadsheet_and_runs_nothing_there(live: LiveSite) -> None:
    candidate, _ = finished(live)
    client, quiz = reviewer_of(live, candidate)
    answer = client.get(f"{quiz}/results.csv")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    head, row = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert dict(zip(head, row, strict=True))["share"] == "0.5"
    assert all(not cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_candidate_sees_the_items_only_where_and_when_the_quiz_shows_them(live: LiveSite) -> None:
    hidden, session = finished(live)
    assert hidden.client.get(f"{session}/reveals/1").status_code == 404
    shown, session = finished(live, show_items="after_submit")
    page = shown.client.get(f"{session}/reveals/1")
    assert page.status_code == 200
    assert "What it gave" in words_of(page) or "torch 2." in words_of(page)
    assert hidden.client.get(f"{session}/reveals/1").status_code == 404
    running = invited(live, shown.quiz_id)
    assert running.client.get(f"{running.start()}/reveals/1").status_code == 404


def test_released_report_is_final(live: LiveSite) -> None:
    candidate, session = finished(live)
    reviewer, quiz = reviewer_of(live, candidate)
    assert reviewer.post(f"{quiz}{session}/release", data={"": ""}).status_code == 403
    author, _ = reviewer_of(live, candidate, "author")
    assert author.post(f"{quiz}{session}/release", data={"": ""}).status_code == 303
    assert "Released" in words_of(author.get(f"{quiz}{session}"))
    open_ = invited(live, candidate.quiz_id)
    assert author.post(f"{quiz}{open_.start()}/release", data={"": ""}).status_code == 409


def test_session_of_another_quiz_is_not_found(live: LiveSite) -> None:
    candidate, session = finished(live)
    other, _ = finished(live)
    client, quiz = reviewer_of(live, other)
    assert client.get(f"{quiz}{session}").status_code == 404
    assert client.get(f"{quiz}{session}/items/1").status_code == 404
    assert candidate.client.get(f"{quiz}/results").headers["location"].startswith("/sign-in")


def test_author_previews_what_a_candidate_sees_and_nothing_is_stored(live: LiveSite) -> None:
    candidate = invited(live, publish(live))
    client, quiz = reviewer_of(live, candidate, "author")
    page = client.get(f"{quiz}/preview/1")
    assert "A preview" in words_of(page)
    form = form_of(page)
    assert client.put(form.action, json={}).json()["state"] == "saved"
    assert client.post(form.action, data=form.filled(go="next")).headers["location"] == f"{quiz}/preview/2"
    assert client.post(f"{quiz}/preview/2", data=form.filled(go="next")).headers["location"] == quiz
    assert client.get(f"{quiz}/preview/3").status_code == 404
