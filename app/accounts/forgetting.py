"""What has expired of signing in is deleted: it is of no use, it names people, and strangers can make it grow."""

from datetime import datetime

from sqlalchemy import delete, exists, select

from app.accounts.sign_in import FORGET_AFTER
from app.db import Database
from app.models import LoginSession, MemberInvitation, PasswordReset, SignInFailure


def forget_expired(database: Database, now: datetime) -> int:
    """Delete browsers, links and counts of failures that mean nothing any more; return how many rows."""
    expired = {
        LoginSession: LoginSession.expires_at <= now,
        PasswordReset: PasswordReset.expires_at <= now,
        MemberInvitation: MemberInvitation.expires_at <= now,
        SignInFailure: SignInFailure.last_at < now - FORGET_AFTER,  # no lock is as long
    }
    with database.reading() as session:
        if not any(session.scalar(select(exists().where(dead))) for dead in expired.values()):
            return 0
    with database.writing() as session:
        return sum(len(session.scalars(delete(row).where(dead).returning(row)).all()) for row, dead in expired.items())
