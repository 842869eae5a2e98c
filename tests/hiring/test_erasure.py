"""Erasing candidates: nothing of them is left in any table or file, and the item statistics stay what they were."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text, update

from app.grading.grade import Outcome, PartOutcome, Response
from app.grading.item_analysis import Estimate
from app.hiring import closing
from app.hiring.erasure import Erased, StillRunningError, erase_person, without_text
from app.hiring.invitations import open_link, revoke
from app.hiring.item_statistics import QuizStatistics
from app.hiring.quiz_sessions import Change, save
from app.hiring.retention import due_of, erase_expired
from app.models import (
    ApiKey,
    AuditEntry,
    Base,
    CandidateNote,
    Delivery,
    Grade,
    Invitation,
    PartnerInterview,
    Quiz,
    QuizSession,
    ReviewMark,
    SavedResponse,
    SessionEvent,
)
from app.models.delivery import Channel, enqueue
from tests.hiring.content import NOW, Hiring
from tests.hiring.test_item_statistics import SLOTS, statistics, taken
from tests.hiring.test_quiz_sessions import page

ADA = "ada@example.org"
WORDS = "Zanzibar"  # in everything that Ada wrote and that was written of her


@pytest.fixture
def quiz_id(hiring: Hiring) -> UUID:
    return hiring.published(*SLOTS, repeat_misconceptions=True, shuffled=False, ask_reasons=True, retention_days=30)


def invitation_of(hiring: Hiring, session_id: UUID) -> Invitation:
    with hiring.database.reading() as session:
        return session.get_one(Invitation, session.get_one(QuizSession, session_id).invitation_id)


def erase_of(hiring: Hiring, session_id: UUID) -> Erased:
    invitation = invitation_of(hiring, session_id)
    with hiring.database.writing() as session:
        return erase_person(session, hiring.team_id, invitation, hiring.actor, NOW)


def write_everywhere(hiring: Hiring, session_id: UUID) -> None:
    """Put words into every place where a candidate, a reviewer or a partner can leave some."""
    with hiring.database.writing() as session:
        running = session.get_one(QuizSession, session_id)
        session.execute(update(Invitation).where(Invitation.id == running.invitation_id).values(name=WORDS))
        session.add(CandidateNote(session_id=session_id, position=1, at=NOW, text=WORDS))
        session.add(ReviewMark(session_id=session_id, position=1, at=NOW, points_named=[], note=WORDS))
        session.add(SessionEvent(session_id=session_id, at=NOW, kind="away", detail={"where": WORDS}))
        key = ApiKey(id=uuid4(), team_id=hiring.team_id, name="k", scopes=[], prefix="", key_hash="h", created_at=NOW)
        session.add(key)
        session.flush()
        interview = PartnerInterview(
            id=uuid4(),
            team_id=hiring.team_id,
            api_key_id=key.id,
            invitation_id=running.invitation_id,
            url=f"https://partner.example/{WORDS}",
            created_at=NOW,
        )
        session.add(interview)
        enqueue(session, NOW, Channel.PARTNER, interview.url, {}, subject_id=interview.id)


def rows_with(hiring: Hiring, *needles: str) -> Iterator[str]:
    """Yield each table and row that holds one of some texts, whatever the column."""
    with hiring.database.reading() as session:
        for table in Base.metadata.sorted_tables:
            for row in session.execute(select(table)):
                said = str(tuple(row)).lower()
                yield from (f"{table.name}: {said}" for one in needles if one.lower() in said)


def value_of(estimate: Estimate | None) -> float | None:
    return None if estimate is None else round(estimate.value, 9)


def figures(of: QuizStatistics) -> object:
    """Return every figure of the item statistics, in an order that no random id decides."""
    items = [
        (
            one.item_id,
            value_of(one.difficulty),
            value_of(one.discrimination),
            sorted((count.option, count.chosen, count.right) for part in one.parts for count in part.options),
        )
        for one in of.items
    ]
    return of.people, of.again, of.places, of.drawn, value_of(of.score), value_of(of.reliability), items


def test_nothing_is_left_of_a_candidate_and_the_statistics_stay(hiring: Hiring, quiz_id: UUID) -> None:
    session_id = taken(hiring, quiz_id, [1, 0, -1], ADA)
    taken(hiring, quiz_id, [1, 1, 0], "bo@example.org")
    write_everywhere(hiring, session_id)
    before, invitation = statistics(hiring, quiz_id), invitation_of(hiring, session_id)
    assert list(rows_with(hiring, WORDS))
    assert erase_of(hiring, session_id) == Erased(1, 1)
    known = [str(session_id), str(invitation.id)]
    named = list(rows_with(hiring, ADA, WORDS, *known, *(one.replace("-", "") for one in known)))
    assert all(one.startswith("audit_entries") for one in named), named
    assert not list(rows_with(hiring, ADA, WORDS))
    assert figures(statistics(hiring, quiz_id)) == figures(before)


def test_erasure_is_logged_without_a_name(hiring: Hiring, quiz_id: UUID) -> None:
    session_id = taken(hiring, quiz_id, [1, 1, 1], ADA)
    invitation = invitation_of(hiring, session_id)
    erase_of(hiring, session_id)
    with hiring.database.reading() as session:
        (entry,) = session.scalars(select(AuditEntry).where(AuditEntry.action == "candidate.erased"))
    assert (entry.actor_id, entry.subject, entry.detail) == (
        hiring.actor,
        str(invitation.id),
        {"why": "asked", "kept": True},
    )


def test_what_stays_tells_neither_when_nor_with_how_much_time(hiring: Hiring, quiz_id: UUID) -> None:
    erase_of(hiring, taken(hiring, quiz_id, [1, 1, 1], ADA, later=17))
    published = hiring.quiz(quiz_id).published_at
    assert published is not None
    with hiring.database.reading() as session:
        (kept,) = session.scalars(select(QuizSession))
        assert {kept.started_at, kept.closed_at, session.get_one(Invitation, kept.invitation_id).created_at} == {
            published
        }
        assert {one.at for one in session.scalars(select(Grade))} == {published}
        assert not session.scalars(select(SessionEvent)).all()


def test_person_is_erased_from_every_quiz_of_the_team_at_once(hiring: Hiring, quiz_id: UUID) -> None:
    other = hiring.published()
    first = taken(hiring, quiz_id, [1, 1, 1], ADA)
    hiring.invited(other, email=ADA)
    taken(hiring, quiz_id, [0, 0, 0], ADA, later=5)
    assert erase_of(hiring, first) == Erased(3, 1)
    assert (statistics(hiring, quiz_id).people, statistics(hiring, quiz_id).again) == (1, 0)
    score = statistics(hiring, quiz_id).score
    assert score is not None
    assert score.value == 1
    assert not list(rows_with(hiring, ADA))


def test_nobody_is_erased_while_they_take_a_quiz(hiring: Hiring, quiz_id: UUID) -> None:
    taken(hiring, quiz_id, [1, 1, 1], ADA)
    running = hiring.started(quiz_id, email=ADA)
    with pytest.raises(StillRunningError):
        erase_of(hiring, running)
    closing.finish(hiring.database, running, NOW, submitted=True)
    assert erase_of(hiring, running) == Erased(2, 1)


def test_session_without_grades_leaves_nothing(hiring: Hiring, quiz_id: UUID) -> None:
    session_id = hiring.started(quiz_id, email=ADA)
    with hiring.database.writing() as session:
        closing.close(session, session_id, NOW, submitted=True)
    assert erase_of(hiring, session_id) == Erased(1, 0)
    with hiring.database.reading() as session:
        assert not session.scalars(select(QuizSession)).all()


@pytest.mark.parametrize(
    ("entry", "right", "stays"),
    [
        ("0.125", False, True),
        ("tensor([1., 2.])", False, True),
        ("RuntimeError", False, True),
        ("call me, Ada", False, False),
        ("'Ada Lovelace'", False, False),
        ("'cpu'", True, True),
        ("", False, True),
    ],
)
def test_typed_values_stay_and_typed_text_goes(entry: str, right: bool, stays: bool) -> None:
    outcome = Outcome(float(right), (PartOutcome("value 1", right),))
    kept = without_text(Response({}, (entry,), own_words="I am Ada"), outcome)
    assert kept.own_words == ""
    assert (kept.entries == (entry,)) is stays
    assert kept.is_answered == bool(entry)


def test_reasons_and_earlier_saves_go(hiring: Hiring, quiz_id: UUID) -> None:
    session_id = hiring.started(quiz_id, email=ADA)
    epoch = page(hiring, session_id)
    for sequence, said in enumerate(("first", "second"), 1):
        with hiring.database.writing() as session:
            response: dict[str, Any] = {"choices": {}, "entries": ["4.0"], "own_words": said, "confidence": None}
            save(session, session_id, Change(1, epoch, sequence, response, f"because {said}"), NOW)
    closing.finish(hiring.database, session_id, NOW, submitted=True)
    erase_of(hiring, session_id)
    with hiring.database.reading() as session:
        (kept,) = session.scalars(select(SavedResponse))
    assert (kept.reason, kept.response["own_words"], kept.response["entries"]) == ("", "", ["4.0"])


def test_erased_text_is_not_left_in_the_file(hiring: Hiring, quiz_id: UUID) -> None:
    if hiring.database.engine.dialect.name != "sqlite":
        return  # a server's own vacuum does it there
    session_id = taken(hiring, quiz_id, [1, 1, 1], ADA)
    write_everywhere(hiring, session_id)
    file = hiring.database.engine.url.database
    assert file
    erase_of(hiring, session_id)
    hiring.database.drop_traces()
    for suffix in ("", "-wal"):
        assert WORDS.encode() not in Path(file + suffix).read_bytes()


# --- retention


def days(number: float) -> timedelta:
    return timedelta(days=number)


def test_candidates_are_erased_after_the_days_of_their_quiz(hiring: Hiring, quiz_id: UUID) -> None:
    forever = hiring.published()
    taken(hiring, quiz_id, [1, 0, 0], ADA)
    kept = hiring.started(forever, email="bo@example.org")
    closing.finish(hiring.database, kept, NOW, submitted=True)
    assert erase_expired(hiring.database, NOW + days(30) - timedelta(seconds=1)) == 0
    assert erase_expired(hiring.database, NOW + days(30)) == 1
    assert erase_expired(hiring.database, NOW + days(90)) == 0
    assert not list(rows_with(hiring, ADA))
    assert statistics(hiring, quiz_id).people == 1
    assert invitation_of(hiring, kept).email == "bo@example.org"


def test_days_of_a_person_count_from_their_last_session(hiring: Hiring, quiz_id: UUID) -> None:
    taken(hiring, quiz_id, [0, 0, 0], ADA)
    taken(hiring, quiz_id, [1, 1, 1], ADA, later=20 * 24 * 60)
    assert erase_expired(hiring.database, NOW + days(49)) == 0
    assert erase_expired(hiring.database, NOW + days(51)) == 2
    score = statistics(hiring, quiz_id).score
    assert score is not None
    assert score.value == 0  # the first attempt counted before, and does still


def test_running_session_is_not_erased(hiring: Hiring, quiz_id: UUID) -> None:
    hiring.started(quiz_id, email=ADA)
    assert erase_expired(hiring.database, NOW + days(400)) == 0


@pytest.mark.parametrize(
    ("changes", "after"), [({}, 30), ({"expires_at": NOW + days(10)}, 40), ({"revoked": True}, 32)]
)
def test_link_that_nobody_used_is_kept_so_long(
    hiring: Hiring, quiz_id: UUID, changes: dict[str, object], after: int
) -> None:
    secret = hiring.invited(quiz_id, email=ADA)
    with hiring.database.writing() as session:
        invitation = open_link(session, secret).invitation
        if changes.pop("revoked", False):
            revoke(session, session.get_one(Quiz, quiz_id), invitation, hiring.actor, NOW + days(2))
        for name, value in changes.items():
            setattr(invitation, name, value)
    assert erase_expired(hiring.database, NOW + days(after - 0.5)) == 0
    assert erase_expired(hiring.database, NOW + days(after)) == 1
    with hiring.database.reading() as session:
        assert not session.scalars(select(Invitation)).all()
        assert not session.scalars(select(Delivery).where(Delivery.target == ADA)).all()


def test_open_window_keeps_links_and_many_go_in_bounded_rounds(hiring: Hiring, quiz_id: UUID) -> None:
    for number in range(23):
        hiring.invited(quiz_id, email=f"c{number}@example.org")
    with hiring.database.writing() as session:
        session.get_one(Quiz, quiz_id).closes_at = NOW + days(60)
    assert erase_expired(hiring.database, NOW + days(80)) == 0
    assert [erase_expired(hiring.database, NOW + days(91)) for _ in range(3)] == [20, 3, 0]


def test_person_who_cannot_be_erased_holds_up_no_other(hiring: Hiring, quiz_id: UUID) -> None:
    broken = taken(hiring, quiz_id, [1, 1, 1], ADA)
    taken(hiring, quiz_id, [1, 1, 1], "bo@example.org", later=1)
    with hiring.database.writing() as session:
        session.execute(update(Grade).where(Grade.session_id == broken).values(outcome={"not": "an outcome"}))
    assert erase_expired(hiring.database, NOW + days(40)) == 1
    with pytest.raises(ExceptionGroup):
        erase_expired(hiring.database, NOW + days(40))
    assert invitation_of(hiring, broken).email == ADA


def test_quiz_without_days_keeps_everybody(hiring: Hiring) -> None:
    quiz_id = hiring.published()
    hiring.started(quiz_id)
    with hiring.database.reading() as session:
        assert due_of(session, session.get_one(Quiz, quiz_id), NOW + days(9999)) == ()
        assert session.execute(text("SELECT count(*) FROM invitations")).scalar() == 1
