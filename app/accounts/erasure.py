"""Erasing an account with its person: everything is deleted, also teams that nobody else is in.

Every row that hangs on the person goes, in whatever table, so that one that is added later is erased as well. The audit
log keeps ids only, which lead nowhere then.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.orm import Session

from app.accounts.passwords import verify
from app.accounts.sign_in import WrongPasswordError, forget_failures
from app.accounts.teams import LastOwnerError
from app.db import Database
from app.errors import ConflictError
from app.models import (
    Account,
    ApiKey,
    Base,
    Delivery,
    Grade,
    Invitation,
    MemberInvitation,
    Membership,
    Person,
    PoolVariant,
    Quiz,
    QuizSession,
    QuizSlot,
    Team,
)
from app.models.audit_entry import record
from app.models.team import Role, teams_of


def teams_of_nobody_else(session: Session, account_id: UUID) -> Sequence[Team]:
    """Return the teams that an account alone is in: they are erased with it."""
    return [team for team, _ in teams_of(session, account_id) if _count(session, team.id) == 1]


def teams_without_owner(session: Session, account_id: UUID) -> Sequence[Team]:
    """Return the teams that have other members and would be left without an owner."""
    return [
        team
        for team, member in teams_of(session, account_id)
        if member.role == Role.OWNER
        and _count(session, team.id) > 1
        and _count(session, team.id, Membership.role == Role.OWNER) == 1
    ]


def _count(session: Session, team_id: UUID, *such: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(Membership).where(Membership.team_id == team_id, *such)
    return session.scalar(query) or 0


def erase_account(database: Database, account_id: UUID, *, password: str, now: datetime) -> None:
    """Erase an account, its person, and the teams that nobody else is in.

    Raises `WrongPasswordError`, `LastOwnerError`, or `ConflictError` while a candidate takes a quiz of such a team.
    """
    with database.reading() as session:
        account = session.get_one(Account, account_id)
    if not verify(password, account.password_hash)[0]:
        raise WrongPasswordError("The password is another one. Nothing was erased.")
    with database.writing() as session:
        erase(session, session.get_one(Account, account_id), now)


def erase(session: Session, account: Account, now: datetime) -> None:
    """Erase an account in this transaction.

    Raises `LastOwnerError` or `ConflictError`.
    """
    left = teams_without_owner(session, account.id)
    if left:
        names = ", ".join(team.name for team in left)
        raise LastOwnerError(f"Make somebody else an owner first: {names}. Nothing was erased.")
    for team in teams_of_nobody_else(session, account.id):
        _erase_team(session, team, account.id, now)
    record(session, now, "account.erased", actor_id=account.id)
    asked = session.scalars(select(MemberInvitation.id).where(MemberInvitation.email == account.email)).all()
    mails = (Delivery.target == account.email) & (Delivery.team_id.is_(None) | Delivery.subject_id.in_(asked))
    session.execute(delete(Delivery).where(mails))
    session.execute(delete(MemberInvitation).where(MemberInvitation.id.in_(asked)))
    forget_failures(session, account.email)
    session.execute(delete(Account).where(Account.id == account.id))
    _erase_person(session, account.person_id)


def _erase_person(session: Session, person_id: UUID) -> None:
    for table in reversed(Base.metadata.sorted_tables):
        for column in table.columns:
            if any(key.column is Person.__table__.c.id for key in column.foreign_keys):
                session.execute(delete(table).where(column == person_id))
    session.execute(delete(Person).where(Person.id == person_id))


def _erase_team(session: Session, team: Team, actor: UUID, now: datetime) -> None:
    """Delete a team with all it has, what names other rows before those."""
    quizzes = select(Quiz.id).where(Quiz.team_id == team.id)
    sessions = select(QuizSession.id).where(QuizSession.quiz_id.in_(quizzes))
    running = sessions.where(QuizSession.closed_at.is_(None))
    if session.scalar(select(exists(running))):
        raise ConflictError(f"A candidate is taking a quiz of {team.name}. Wait for its end. Nothing was erased.")
    session.execute(delete(Grade).where(Grade.session_id.in_(sessions)))
    session.execute(delete(QuizSession).where(QuizSession.quiz_id.in_(quizzes)))
    for table in (Invitation, PoolVariant, QuizSlot):
        session.execute(delete(table).where(table.quiz_id.in_(quizzes)))
    session.execute(delete(Quiz).where(Quiz.team_id == team.id))
    session.execute(delete(ApiKey).where(ApiKey.team_id == team.id))
    session.execute(delete(Delivery).where(Delivery.team_id == team.id))
    record(session, now, "team.erased", team_id=team.id, actor_id=actor)
    session.execute(delete(Team).where(Team.id == team.id))
