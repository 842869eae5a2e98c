"""`/api/v1/…/invitations`: inviting candidates, how far they are, and more time for them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session
from starlette.responses import Response

from app.addresses import read_email
from app.clock import now
from app.errors import ConflictError, NotFoundError
from app.hiring.invitations import (
    Guest,
    InvalidInvitationError,
    Sent,
    change_extra_time,
    find_invitation,
    invite,
    progress_of,
    read_name,
    resend,
    revoke,
)
from app.hiring.quiz_sessions import add_minutes, lock
from app.hiring.quizzes import find_quiz
from app.models import Invitation, Quiz, QuizSession
from app.models.invitation import page_of_invitations
from app.models.quiz_session import session_of_invitation
from app.web.api import schemas
from app.web.api.access import ApiDb, InvitationReader, Inviter, KeyAccess, TimeGiver, api_router
from app.web.api.paging import After, Limit, page_of
from app.web.dependencies import CurrentSite, Db

router = api_router("invitations")
THERE: dict[int | str, dict[str, Any]] = {200: {"description": "It was made before.", "model": schemas.Invitation}}


def _shown(one: Invitation, running: QuizSession | None, at: datetime, link: str | None = None) -> schemas.Invitation:
    return schemas.Invitation(
        id=one.id,
        quiz_id=one.quiz_id,
        email=one.email,
        name=one.name,
        state=progress_of(one, running, at),
        extra_percent=one.extra_percent,
        created_at=one.created_at,
        expires_at=one.expires_at,
        revoked_at=one.revoked_at,
        mailed_at=one.sent_at,
        session_id=None if running is None else running.id,
        link=link,
    )


def of_team(session: Session, access: KeyAccess, invitation_id: UUID) -> tuple[Quiz, Invitation]:
    """Return an invitation of this very team, with its quiz.

    Raises `NotFoundError`.
    """
    one = session.get(Invitation, invitation_id)
    quiz = None if one is None else session.get(Quiz, one.quiz_id)
    if one is None or quiz is None or quiz.team_id != access.team_id:
        raise NotFoundError("The team has no such invitation.")
    return quiz, one


@router.get("/quizzes/{quiz_id}/invitations")
def list_invitations(
    access: InvitationReader, session: Db, quiz_id: UUID, limit: Limit = 50, after: After = None
) -> schemas.Page[schemas.Invitation]:
    """List who is invited to a quiz, and how far they are."""
    quiz, at = find_quiz(session, access.team_id, quiz_id), now()
    before = None if after is None else find_invitation(session, quiz, after)
    found = page_of_invitations(session, quiz.id, limit + 1, before)
    return page_of(found, limit, lambda row: _shown(*row, at), lambda row: row[0].id)


@router.get("/invitations/{invitation_id}")
def read_invitation(access: InvitationReader, session: Db, invitation_id: UUID) -> schemas.Invitation:
    """Read one invitation."""
    _, one = of_team(session, access, invitation_id)
    return _shown(one, session_of_invitation(session, one.id), now())


@router.post("/quizzes/{quiz_id}/invitations", status_code=201, responses=THERE)
def make_invitation(
    site: CurrentSite,
    access: Inviter,
    session: ApiDb,
    response: Response,
    quiz_id: UUID,
    sent: schemas.NewInvitation,
) -> schemas.Invitation:
    """Invite one candidate. The answer has the link, which nobody can read again."""
    quiz, at = find_quiz(session, access.team_id, quiz_id), now()
    guest = Guest(read_email(sent.email), read_name(sent.name), sent.extra_percent)
    there = None if sent.id is None else _there(session, quiz, sent.id, guest)
    if there is not None:
        response.status_code = 200
        return _shown(there, session_of_invitation(session, there.id), at)
    if sent.expires_at is not None and sent.expires_at <= at:
        raise InvalidInvitationError("The last moment to start is over. Name a later one, or none.")
    made = invite(
        session,
        quiz,
        guest,
        at,
        base_url=site.base_url,
        by_key=access.key.id,
        invitation_id=sent.id,
        expires_at=sent.expires_at,
        mail=sent.mail,
    )
    return _shown(made.invitation, None, at, made.link)


def _there(session: Session, quiz: Quiz, invitation_id: UUID, guest: Guest) -> Invitation | None:
    """Return an invitation that was made with an id before.

    Raises `ConflictError` where it is not the same candidate's.
    """
    session.get_one(Quiz, quiz.id, with_for_update=True)  # of two requests at once the later one finds the invitation
    one = session.get(Invitation, invitation_id)
    if one is not None and (one.quiz_id != quiz.id or one.email != guest.email):
        raise ConflictError("This id belongs to another invitation. Nobody was invited: choose a fresh one.")
    return one


@router.post("/invitations/{invitation_id}/revoke")
def revoke_invitation(access: Inviter, session: ApiDb, invitation_id: UUID) -> schemas.Invitation:
    """Keep a candidate from starting; a session that runs goes on. Doing it twice is doing it once."""
    quiz, one = of_team(session, access, invitation_id)
    revoke(session, quiz, one, access.key.id, now())
    return _shown(one, session_of_invitation(session, one.id), now())


@router.post("/invitations/{invitation_id}/resend")
def resend_invitation(site: CurrentSite, access: Inviter, session: ApiDb, invitation_id: UUID) -> schemas.Invitation:
    """Make a new link and mail it; the old one stops working."""
    quiz, one = of_team(session, access, invitation_id)
    made: Sent = resend(session, quiz, one, access.key.id, now(), base_url=site.base_url)
    return _shown(one, session_of_invitation(session, one.id), now(), made.link)


@router.post("/invitations/{invitation_id}/extra-time")
def set_extra_time(
    access: TimeGiver, session: ApiDb, invitation_id: UUID, sent: schemas.ExtraTime
) -> schemas.Invitation:
    """Set the extra time of a candidate who has not started."""
    quiz, one = of_team(session, access, invitation_id)
    change_extra_time(session, quiz, one, access.key.id, now(), extra=str(sent.extra_percent))
    return _shown(one, None, now())


@router.post("/invitations/{invitation_id}/minutes")
def give_minutes(access: TimeGiver, session: ApiDb, invitation_id: UUID, sent: schemas.Minutes) -> schemas.Clock:
    """Add minutes to a session that was started; one that the clock ended opens again."""
    _, one = of_team(session, access, invitation_id)
    running = session_of_invitation(session, one.id)
    if running is None:
        raise ConflictError("It has not been started. Set extra time instead.")
    running = lock(session, running.id)
    deadline = add_minutes(session, running, sent.minutes, access.key.id, now())
    return schemas.Clock(session_id=running.id, added_minutes=running.added_minutes, deadline=deadline)
