"""Erasing a candidate: everything about them is deleted, and what the item statistics need is kept as nobody's.

What stays is copied out and the rest goes with its rows, so that whatever is stored of a candidate one day is erased
unless it is named here. Of a first attempt that was graded there stay the items, what was entered in each, and the
grades: under new random ids, since programs and files of the team know the old ones, and with the times of the quiz in
place of the candidate's. Free text goes, and so do typed values that could be text. Of everything else nothing stays.

One person in one quiz is erased at once, so that which attempt was the first stays true. It is logged without a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.bank.entries import EntryError, parse_entry
from app.errors import ConflictError
from app.grading.grade import Outcome, Response
from app.hiring.deadlines import allowance
from app.models import Delivery, Grade, Invitation, PartnerInterview, Quiz, QuizSession, SavedResponse, SessionItem
from app.models.audit_entry import record
from app.models.quiz_session import items_of_session, newest_grades
from app.tokens import hash_secret, new_secret

TEXT = "?"  # stands for a typed value that could be text: it reads as no value, and was not right


class StillRunningError(ConflictError):
    """A session of the person has not ended."""

    title = "The quiz is being taken"


@dataclass(frozen=True, slots=True)
class Erased:
    """How many invitations were erased, and of how many sessions the anonymous grades stay."""

    invitations: int = 0
    kept: int = 0


def invitations_of_person(session: Session, team_id: UUID, invitation: Invitation) -> Sequence[Invitation]:
    """Return what a team has of the person of an invitation: all of the same address, or this one without any."""
    query = select(Invitation).join(Quiz, Quiz.id == Invitation.quiz_id).where(Quiz.team_id == team_id)
    same = Invitation.email == invitation.email if invitation.email else Invitation.id == invitation.id
    return session.scalars(
        query.where(same, Invitation.erased_at.is_(None)).order_by(Invitation.created_at, Invitation.id)
    ).all()


def erase_person(session: Session, team_id: UUID, invitation: Invitation, actor: UUID | None, now: datetime) -> Erased:
    """Erase the person of an invitation from every quiz of a team.

    Raises `StillRunningError` while they take one: end it, or wait.
    """
    found = invitations_of_person(session, team_id, invitation)
    return erase(session, team_id, found, now, actor=actor, why="asked")


def erase(
    session: Session, team_id: UUID, found: Sequence[Invitation], now: datetime, *, actor: UUID | None, why: str
) -> Erased:
    """Erase invitations of one person, all that they have in each quiz of these.

    Raises `StillRunningError`.
    """
    ids = [one.id for one in found]
    query = select(QuizSession).where(QuizSession.invitation_id.in_(ids)).with_for_update()
    sessions = {one.invitation_id: one for one in session.scalars(query)}
    if any(one.closed_at is None for one in sessions.values()):
        raise StillRunningError("Wait until their session has ended, and erase them then. Nothing was changed.")
    started = sorted(sessions.values(), key=lambda one: (one.started_at, one.id))
    firsts = {one.quiz_id: one for one in reversed(started)} if found and found[0].email else {}
    kept = 0
    for one in found:
        running = sessions.get(one.id)
        counts = running is not None and running.revision > 0 and firsts.get(running.quiz_id, running) is running
        if running is not None and counts:
            _keep_grades(session, session.get_one(Quiz, one.quiz_id), running, now)
            kept += 1
        _forget(session, one, running)
        record(session, now, "candidate.erased", team_id=team_id, actor_id=actor, subject=one.id, why=why, kept=counts)
    return Erased(len(found), kept)


def _keep_grades(session: Session, quiz: Quiz, running: QuizSession, now: datetime) -> None:
    """Copy what the item statistics read of a session into one of nobody."""
    at = quiz.published_at or quiz.created_at
    nobody = Invitation(
        id=uuid4(), quiz_id=quiz.id, token_hash=hash_secret(new_secret()), created_at=at, revoked_at=at, erased_at=now
    )
    copy = QuizSession(
        id=uuid4(),
        quiz_id=quiz.id,
        invitation_id=nobody.id,
        started_at=at,
        minutes=running.minutes,
        extra_percent=0,
        deadline=at + allowance(running.minutes, 0),
        closed_at=at,
        submitted=True,
        to_grade=False,
        revision=1,
        points=running.points,
        points_possible=running.points_possible,
        standard_error=running.standard_error,
        released_at=at,
    )
    session.add(nobody)
    session.flush()
    session.add(copy)
    session.flush()
    session.add_all(
        SessionItem(session_id=copy.id, position=item.position, pool_variant_id=variant.id, points=item.points)
        for item, variant in items_of_session(session, running.id)
    )
    for one in newest_grades(session, [running.id]):
        saved = None if one.response_id is None else session.get_one(SavedResponse, one.response_id)
        anonymous = None if saved is None else _anonymous(saved, Outcome.from_json(one.outcome), copy.id, at)
        if anonymous is not None:
            session.add(anonymous)
            session.flush()
        session.add(
            Grade(
                session_id=copy.id,
                revision=1,
                position=one.position,
                credit=one.credit,
                points=one.points,
                outcome=one.outcome,
                response_id=anonymous and anonymous.id,
                rescore_id=one.rescore_id,
                at=at,
            )
        )
    session.flush()


def _anonymous(saved: SavedResponse, outcome: Outcome, session_id: UUID, at: datetime) -> SavedResponse:
    return SavedResponse(
        session_id=session_id,
        position=saved.position,
        epoch=1,
        sequence=1,
        received_at=at,
        response=without_text(Response.from_json(saved.response), outcome).to_json(),
    )


def without_text(response: Response, outcome: Outcome) -> Response:
    """Return a response without own words, and with `TEXT` for typed values that were wrong and could be text."""
    right = {part.name for part in outcome.parts if part.right}
    entries = [
        one if not one or f"value {place}" in right or _is_plain(one) else TEXT
        for place, one in enumerate(response.entries, 1)
    ]
    return replace(response, own_words="", entries=tuple(entries))


def _is_plain(entry: str) -> bool:
    """Say whether an entry reads as a value that holds no text of its own."""
    try:
        parse_entry(entry)
    except EntryError:
        return False
    return "'" not in entry and '"' not in entry and len(entry) <= 100


def _forget(session: Session, invitation: Invitation, running: QuizSession | None) -> None:
    """Delete an invitation with its session and what left the server about it."""
    interviews = select(PartnerInterview.id).where(PartnerInterview.invitation_id == invitation.id)
    about = [invitation.id, *session.scalars(interviews)]
    session.execute(delete(Delivery).where(Delivery.subject_id.in_(about)))
    if running is not None:
        # Grades name responses, so they go first; everything else hangs on the session alone.
        session.execute(delete(Grade).where(Grade.session_id == running.id))
        session.execute(delete(QuizSession).where(QuizSession.id == running.id))
    session.execute(delete(Invitation).where(Invitation.id == invitation.id))
