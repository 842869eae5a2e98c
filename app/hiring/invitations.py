"""Inviting candidates: one or many, by a link that is shown once and stored as its hash.

    open -> started            the candidate pressed start: the link now leads back to their session
    open -> revoked, expired   nobody can start any more; a session that runs goes on

Sending again makes a new link, since nobody knows the old one any more; the old one stops working. A public link makes
an invitation for whoever opens it, at most as often as its cap says.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.addresses import read_email
from app.errors import ConflictError, GradproofError, NotFoundError
from app.hiring.events import invitation_created
from app.models import Invitation, PublicLink, Quiz, QuizSession
from app.models.audit_entry import record
from app.models.delivery import Channel, enqueue
from app.models.invitation import invitation_by_token, public_link_by_token
from app.models.quiz import QuizState
from app.models.quiz_session import session_of_invitation
from app.tokens import hash_secret, new_secret

MOST_EXTRA = 400
OPEN_STATES = (QuizState.PUBLISHED,)


class LinkGoneError(NotFoundError):
    """The link is unknown, revoked, used up or expired, or its quiz is closed; the message says what to do."""

    title = "This link does not work any more"


class InvalidInvitationError(GradproofError):
    """What was entered for an invitation cannot be used."""

    status = 422
    title = "Nobody was invited"


class RetakeTooSoonError(ConflictError):
    """The quiz asks for some days before the same address is invited again."""

    title = "This address was invited before"


@dataclass(frozen=True, slots=True)
class Guest:
    """One candidate to invite. `extra_percent` is extra time, of the quiz's minutes."""

    email: str = ""
    name: str = ""
    extra_percent: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """An invitation with its link, which is known only now."""

    invitation: Invitation
    link: str


def read_guest(email: str, name: str, extra: str) -> Guest:
    """Return a guest of what was typed.

    Raises `InvalidEmailError` or `InvalidInvitationError`.
    """
    return Guest(read_email(email), read_name(name), read_extra(extra))


def read_name(text: str) -> str:
    """Return a name on one line of at most 120 characters.

    Raises `InvalidInvitationError` for characters that no line has.
    """
    name = " ".join(text.split())[:120]
    if not name.isprintable():
        raise InvalidInvitationError("The name has characters that cannot be shown. Write it in plain letters.")
    return name


def read_extra(text: str) -> int:
    """Return extra time in percent, or raise `InvalidInvitationError`."""
    extra = text.strip().removesuffix("%").strip() or "0"
    if not extra.isascii() or not extra.isdecimal() or len(extra) > 4 or int(extra) > MOST_EXTRA:
        raise InvalidInvitationError(f"Extra time is a whole percentage from 0 to {MOST_EXTRA}.")
    return int(extra)


def invite(
    session: Session,
    quiz: Quiz,
    guest: Guest,
    now: datetime,
    *,
    base_url: str,
    actor: UUID | None = None,
    by_key: UUID | None = None,
    invitation_id: UUID | None = None,
    expires_at: datetime | None = None,
    mail: bool = True,
) -> Sent:
    """Invite one candidate to a published quiz; the mail is put into the outbox of this transaction.

    `by_key` is the API key that did it, where it was no account; `invitation_id` a fresh id that a program chose.
    Raises `ConflictError` where the quiz is not open to candidates, or `RetakeTooSoonError`.
    """
    _only_open(quiz)
    _refuse_retake(session, quiz, guest.email, now)
    secret = new_secret()
    invitation = Invitation(
        id=invitation_id or uuid4(),
        quiz_id=quiz.id,
        token_hash=hash_secret(secret),
        email=guest.email,
        name=guest.name,
        extra_percent=guest.extra_percent,
        created_at=now,
        created_by=actor,
        expires_at=expires_at,
    )
    session.add(invitation)
    session.flush()
    sent = Sent(invitation, link_to(base_url, secret))
    if mail and guest.email:
        _mail(session, quiz, sent, now)
    record(session, now, "invitation.made", team_id=quiz.team_id, actor_id=actor or by_key, subject=invitation.id)
    invitation_created(session, quiz, invitation, now)
    return sent


def link_to(base_url: str, secret: str) -> str:
    """Return the address of an invitation."""
    return f"{base_url}/invitations/{secret}"


def _mail(session: Session, quiz: Quiz, sent: Sent, now: datetime) -> None:
    invitation = sent.invitation
    until = (
        f"\nThe last moment to start is {invitation.expires_at:%d %B %Y, %H:%M} UTC." if invitation.expires_at else ""
    )
    hello = f"Hello {invitation.name},\n\n" if invitation.name else ""
    text = (
        f"{hello}you are invited to take the quiz “{quiz.title}”.\n\n{sent.link}\n\n"
        f"The page says how long it takes and what is recorded. Nothing starts before you press start.{until}\n"
        "The link is yours alone: it leads back to your answers, on any device."
    )
    invitation.sent_at = now
    enqueue(
        session,
        now,
        Channel.MAIL,
        invitation.email,
        {"subject": f"Invitation: {quiz.title}", "text": text},
        team_id=quiz.team_id,
        subject_id=invitation.id,
    )


def _only_open(quiz: Quiz) -> None:
    if quiz.state not in OPEN_STATES:
        raise ConflictError("Publish the quiz first: nobody can be invited to a draft or a closed quiz.")


def _refuse_retake(session: Session, quiz: Quiz, email: str, now: datetime) -> None:
    if quiz.retake_days is None or not email:
        return
    since = now - timedelta(days=quiz.retake_days)
    earlier = (
        select(QuizSession.started_at)
        .join(Invitation, Invitation.id == QuizSession.invitation_id)
        .where(Invitation.quiz_id == quiz.id, Invitation.email == email, QuizSession.started_at > since)
    )
    if session.scalar(earlier.limit(1)) is not None:
        raise RetakeTooSoonError(f"It took this quiz less than {quiz.retake_days} days ago, which is the quiz's rule.")


def resend(session: Session, quiz: Quiz, invitation: Invitation, actor: UUID, now: datetime, *, base_url: str) -> Sent:
    """Make a new link for an invitation and send it; the old link stops working.

    Raises `ConflictError` where it was revoked.
    """
    if invitation.revoked_at is not None:
        raise ConflictError("It was revoked. Invite the candidate anew.")
    secret = new_secret()
    invitation.token_hash = hash_secret(secret)
    sent = Sent(invitation, link_to(base_url, secret))
    if invitation.email:
        _mail(session, quiz, sent, now)
    record(session, now, "invitation.sent_again", team_id=quiz.team_id, actor_id=actor, subject=invitation.id)
    return sent


def revoke(session: Session, quiz: Quiz, invitation: Invitation, actor: UUID, now: datetime) -> None:
    """Keep an invitation from being started; a session that runs already goes on."""
    if invitation.revoked_at is None:
        invitation.revoked_at = now
        record(session, now, "invitation.revoked", team_id=quiz.team_id, actor_id=actor, subject=invitation.id)


def make_public_link(
    session: Session, quiz: Quiz, actor: UUID, now: datetime, *, cap: int, expires_at: datetime | None, base_url: str
) -> tuple[PublicLink, str]:
    """Make a link that anybody may use, for at most `cap` candidates.

    Raises `ConflictError` or `InvalidInvitationError`.
    """
    _only_open(quiz)
    if not 1 <= cap <= 100_000:
        raise InvalidInvitationError("Choose a cap between 1 and 100000 candidates.")
    secret = new_secret()
    link = PublicLink(
        id=uuid4(),
        quiz_id=quiz.id,
        token_hash=hash_secret(secret),
        cap=cap,
        used=0,
        created_at=now,
        expires_at=expires_at,
    )
    session.add(link)
    record(session, now, "public_link.made", team_id=quiz.team_id, actor_id=actor, subject=link.id, cap=cap)
    return link, f"{base_url}/open/{secret}"


def find_public_link(session: Session, secret: str, now: datetime) -> tuple[PublicLink, Quiz]:
    """Return a public link that can be used, with its quiz, or raise `LinkGoneError`."""
    link = public_link_by_token(session, hash_secret(secret))
    if link is None or link.revoked_at is not None or (link.expires_at is not None and link.expires_at <= now):
        raise LinkGoneError("Ask who gave it to you for a new one.")
    if link.used >= link.cap:
        raise LinkGoneError("As many people as it was made for have used it. Ask who gave it to you for a new one.")
    return link, session.get_one(Quiz, link.quiz_id)


def redeem(session: Session, secret: str, guest: Guest, now: datetime, *, base_url: str) -> Sent:
    """Turn a public link into an invitation of one candidate, and count it.

    Raises `LinkGoneError`, `ConflictError` or `RetakeTooSoonError`.
    """
    link, quiz = find_public_link(session, secret, now)
    counted = session.execute(
        update(PublicLink)
        .where(PublicLink.id == link.id, PublicLink.used < PublicLink.cap)
        .values(used=PublicLink.used + 1)
    )
    if getattr(counted, "rowcount", 0) != 1:  # two people took the last place at once
        raise LinkGoneError("As many people as it was made for have used it. Ask who gave it to you for a new one.")
    sent = invite(session, quiz, guest, now, base_url=base_url, mail=True)
    sent.invitation.public_link_id = link.id
    return sent


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link leads to: the invitation, its quiz, and the session where it was started."""

    invitation: Invitation
    quiz: Quiz
    running: QuizSession | None


def open_link(session: Session, secret: str) -> Opened:
    """Return what a link leads to, whatever its state, or raise `LinkGoneError` for one that never was."""
    invitation = invitation_by_token(session, hash_secret(secret))
    if invitation is None:
        raise LinkGoneError(
            "Check that the whole address was copied. If a newer mail came, its link is the one that works."
        )
    quiz = session.get_one(Quiz, invitation.quiz_id)
    return Opened(invitation, quiz, session_of_invitation(session, invitation.id))


def why_not_startable(opened: Opened, now: datetime) -> str:
    """Say why nobody can start with this link now; empty where it can be started."""
    invitation, quiz = opened.invitation, opened.quiz
    checks = (
        (invitation.revoked_at is None, "It was withdrawn. Ask who invited you."),
        (
            invitation.expires_at is None or invitation.expires_at > now,
            "It has expired. Ask who invited you for a new one.",
        ),
        (quiz.state != QuizState.CLOSED, "The quiz is closed. Ask who invited you."),
        (quiz.state == QuizState.PUBLISHED, "The quiz is not ready yet. Come back in a few minutes."),
        (quiz.opens_at is None or quiz.opens_at <= now, "The quiz has not opened yet."),
        (quiz.closes_at is None or quiz.closes_at > now, "The quiz has ended. Ask who invited you."),
    )
    return next((sentence for fits, sentence in checks if not fits), "")


class Progress(StrEnum):
    """How far an invitation is."""

    INVITED = "invited"
    RUNNING = "running"
    FINISHED = "finished"
    REVOKED = "revoked"
    EXPIRED = "expired"


def progress_of(invitation: Invitation, running: QuizSession | None, now: datetime) -> Progress:
    """Say how far an invitation is; a session that was started goes on whatever becomes of its link."""
    if running is not None:
        return Progress.RUNNING if running.closed_at is None else Progress.FINISHED
    if invitation.revoked_at is not None:
        return Progress.REVOKED
    gone = invitation.expires_at is not None and invitation.expires_at <= now
    return Progress.EXPIRED if gone else Progress.INVITED


def find_invitation(session: Session, quiz: Quiz, invitation_id: UUID) -> Invitation:
    """Return an invitation of this very quiz, or raise `NotFoundError`."""
    invitation = session.get(Invitation, invitation_id)
    if invitation is None or invitation.quiz_id != quiz.id or invitation.erased_at is not None:
        raise NotFoundError("The quiz has no such invitation.")
    return invitation


def change_extra_time(
    session: Session, quiz: Quiz, invitation: Invitation, actor: UUID, now: datetime, *, extra: str
) -> None:
    """Set extra time before the start.

    Raises `InvalidInvitationError`, or `ConflictError` where it was started: minutes can be added then.
    """
    percent = read_extra(extra)
    if session_of_invitation(session, invitation.id) is not None:
        raise ConflictError("It was started already. Add minutes instead.")
    invitation.extra_percent = percent
    record(
        session,
        now,
        "invitation.extra_time_set",
        team_id=quiz.team_id,
        actor_id=actor,
        subject=invitation.id,
        percent=percent,
    )


def revoke_public_link(session: Session, quiz: Quiz, link_id: UUID, actor: UUID, now: datetime) -> None:
    """Let nobody else use a public link; who came by it goes on.

    Raises `NotFoundError`.
    """
    link = session.get(PublicLink, link_id)
    if link is None or link.quiz_id != quiz.id:
        raise NotFoundError("The quiz has no such link.")
    if link.revoked_at is None:
        link.revoked_at = now
        record(session, now, "public_link.revoked", team_id=quiz.team_id, actor_id=actor, subject=link_id)
