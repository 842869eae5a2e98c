"""All tables, so that importing this package is enough for the metadata to be complete."""

from app.models.account import Account, LoginSession, PasswordReset, SignInFailure
from app.models.attempt import Attempt
from app.models.audit_entry import AuditEntry
from app.models.base import Base
from app.models.delivery import Delivery, Lease
from app.models.integration import ApiKey, PartnerInterview, WebhookEndpoint
from app.models.invitation import Invitation, PublicLink
from app.models.person import Person
from app.models.practice_total import AttemptBelief, PracticeTotal
from app.models.quiz import PoolVariant, Quiz, QuizSlot
from app.models.quiz_session import (
    CandidateNote,
    Grade,
    QuizSession,
    Rescore,
    ReviewMark,
    SavedResponse,
    SessionEvent,
    SessionItem,
)
from app.models.team import MemberInvitation, Membership, Team
from app.models.team_item import TeamItem

__all__ = [
    "Account",
    "ApiKey",
    "Attempt",
    "AttemptBelief",
    "AuditEntry",
    "Base",
    "CandidateNote",
    "Delivery",
    "Grade",
    "Invitation",
    "Lease",
    "LoginSession",
    "MemberInvitation",
    "Membership",
    "PartnerInterview",
    "PasswordReset",
    "Person",
    "PoolVariant",
    "PracticeTotal",
    "PublicLink",
    "Quiz",
    "QuizSession",
    "QuizSlot",
    "Rescore",
    "ReviewMark",
    "SavedResponse",
    "SessionEvent",
    "SessionItem",
    "SignInFailure",
    "Team",
    "TeamItem",
    "WebhookEndpoint",
]
