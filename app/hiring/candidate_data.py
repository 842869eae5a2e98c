"""What a team has of one candidate, as plain data: everything but the links, and no key of an item.

It is what a person gets who asks the team for it, and what `hiring/erasure` deletes.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.hiring.erasure import invitations_of_person
from app.hiring.exports import entered
from app.hiring.score_reports import ReportItem, ScoreReport, report_of
from app.models import Delivery, Invitation, PartnerInterview, Quiz, SavedResponse, SessionEvent, Team
from app.models.quiz_session import session_of_invitation
from app.models.rows import plain_row

FORMAT = 1
OURS = ("id", "session_id", "quiz_id", "invitation_id")  # what ties rows together says nothing of the person


def reports_of(
    session: Session, team_id: UUID, invitation: Invitation
) -> Sequence[tuple[Quiz, Invitation, ScoreReport | None]]:
    """Return every invitation of a person in a team with its quiz and, where they started it, its report."""
    found = []
    for one in invitations_of_person(session, team_id, invitation):
        quiz, running = session.get_one(Quiz, one.quiz_id), session_of_invitation(session, one.id)
        found.append((quiz, one, None if running is None else report_of(session, quiz, running.id)))
    return found


def candidate_data(session: Session, team: Team, invitation: Invitation) -> dict[str, Any]:
    """Return what a team has of the person of an invitation."""
    found = reports_of(session, team.id, invitation)
    return {
        "format": FORMAT,
        "team": team.name,
        "mail_address": invitation.email,
        "quizzes": [_quiz(session, quiz, one, report) for quiz, one, report in found],
    }


def _quiz(session: Session, quiz: Quiz, invitation: Invitation, report: ScoreReport | None) -> dict[str, Any]:
    interviews = session.scalars(select(PartnerInterview).where(PartnerInterview.invitation_id == invitation.id)).all()
    about = [invitation.id, *(one.id for one in interviews)]
    sent = session.scalars(select(Delivery).where(Delivery.subject_id.in_(about)).order_by(Delivery.created_at)).all()
    return {
        "quiz": quiz.title,
        "kept_for_days": quiz.retention_days,
        "invitation": plain_row(invitation, (*OURS, "token_hash", "created_by", "public_link_id")),
        "messages": [plain_row(one, (*OURS, "payload", "dedupe", "team_id", "subject_id")) for one in sent],
        "partner": [{"url": one.url, "profile_url": one.profile_url} for one in interviews],
        "session": None if report is None else _session(session, report),
    }


def _session(session: Session, report: ScoreReport) -> dict[str, Any]:
    running = report.running
    saves = select(SavedResponse).where(SavedResponse.session_id == running.id).order_by(SavedResponse.id)
    events = select(SessionEvent).where(SessionEvent.session_id == running.id).order_by(SessionEvent.id)
    return plain_row(running, OURS) | {
        "items": [_item(one) for one in report.items],
        "saves": [plain_row(one, OURS) for one in session.scalars(saves)],
        "events": [plain_row(one, OURS) for one in session.scalars(events)],
        "feedback": [note.text for note in report.notes],
    }


def _item(one: ReportItem) -> dict[str, Any]:
    return {
        "position": one.position,
        "title": one.variant.title,
        "entered": [{"part": part, "text": text} for part, text in entered(one)],
        "own_words": "" if one.response is None else one.response.own_words,
        "reason": "" if one.saved is None else one.saved.reason,
        "confidence": one.confidence,
        "points": None if one.grade is None else one.grade.credit * one.points,
        "points_possible": one.points,
        "problems_reported": [note.text for note in one.notes],
        "marks": [
            {"at": mark.at.isoformat(), "points_named": mark.points_named, "note": mark.note} for mark in one.marks
        ],
    }
