"""What the site has of an account and its person, as plain data, for whom it is about."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from app.models import Account, Attempt, AuditEntry, LoginSession
from app.models.rows import plain_row
from app.models.team import teams_of

FORMAT = 1


def acts_of(session: Session, account_id: UUID, limit: int | None = None) -> Sequence[AuditEntry]:
    """Return what the audit log has of an account, newest first."""
    query = select(AuditEntry).where(AuditEntry.actor_id == account_id)
    return session.scalars(query.order_by(AuditEntry.at.desc(), AuditEntry.id).limit(limit)).all()


def own_data(session: Session, account: Account) -> dict[str, Any]:
    """Return everything that is stored of an account, but for what only proves who somebody is."""
    logins = session.scalars(select(LoginSession).where(LoginSession.account_id == account.id))
    attempts = select(Attempt).where(Attempt.person_id == account.person_id).options(undefer(Attempt.response))
    return {
        "format": FORMAT,
        "account": plain_row(account, ("password_hash",)),
        "browsers": [plain_row(one, ("token_hash", "account_id")) for one in logins],
        "teams": [{"name": team.name, "role": member.role} for team, member in teams_of(session, account.id)],
        "attempts": [
            plain_row(one, ("nonce", "person_id")) for one in session.scalars(attempts.order_by(Attempt.created_at))
        ],
        "acts": [plain_row(one) for one in acts_of(session, account.id)],
    }
