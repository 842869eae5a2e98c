"""What other programs are told: each event once, in the transaction that made it, and nothing that is a secret."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.hiring import closing
from app.hiring.deadlines import GRACE
from app.hiring.events import Event
from app.hiring.invitations import Guest, invite, open_link
from app.hiring.quiz_sessions import add_minutes, start
from app.models import ApiKey, Delivery, PartnerInterview, Quiz, QuizSession, WebhookEndpoint
from app.models.delivery import Channel
from tests.hiring.content import NOW, Hiring
from tests.hiring.test_quiz_sessions import END, answer_of, page, write


@pytest.fixture
def quiz_id(hiring: Hiring) -> UUID:
    return hiring.published()


def listen(hiring: Hiring, *events: str) -> UUID:
    with hiring.database.writing() as session:
        endpoint = WebhookEndpoint(
            id=uuid4(),
            team_id=hiring.team_id,
            url="https://hooks.example.org/",
            events=list(events or Event),
            secret="sealed",
            created_at=NOW,
        )
        session.add(endpoint)
        return endpoint.id


def told(hiring: Hiring, channel: Channel = Channel.WEBHOOK) -> list[dict[str, Any]]:
    with hiring.database.reading() as session:
        rows = session.scalars(select(Delivery).where(Delivery.channel == channel).order_by(Delivery.created_at))
        return [one.payload for one in rows]


def types(hiring: Hiring) -> list[str]:
    return sorted(one["type"] for one in told(hiring))


def test_each_step_of_a_session_is_told_once(hiring: Hiring, quiz_id: UUID) -> None:
    listen(hiring)
    secret = hiring.invited(quiz_id, email="ada@example.org", name="Ada Unmistakable")
    for _ in range(2):
        with hiring.database.writing() as session:
            running = start(session, open_link(session, secret), NOW)
    write(hiring, running.id, (page(hiring, running.id), 1), answer_of(hiring, running.id))
    for _ in range(2):
        closing.finish(hiring.database, running.id, NOW, submitted=True)
    assert types(hiring) == ["invitation.created", "session.completed", "session.graded", "session.started"]
    graded = next(one for one in told(hiring) if one["type"] == "session.graded")
    assert graded["data"] == {
        "quiz_id": str(quiz_id),
        "invitation_id": str(running.invitation_id),
        "session_id": str(running.id),
        "started_at": NOW.isoformat(),
        "revision": 1,
        "points": 1.0,
        "points_possible": 1.0,
        "standard_error": None,
    }
    everything = repr(told(hiring))
    for private in (secret, "ada@example.org", "Unmistakable", answer_of(hiring, running.id) + "'"):
        assert private not in everything


def test_event_that_nobody_asked_for_is_told_to_nobody(hiring: Hiring, quiz_id: UUID) -> None:
    listen(hiring, Event.SESSION_GRADED)
    closing.finish(hiring.database, hiring.started(quiz_id), END + GRACE * 2)
    assert types(hiring) == ["session.graded"]


def test_what_is_rolled_back_is_not_told(hiring: Hiring, quiz_id: UUID) -> None:
    listen(hiring)
    with pytest.raises(RuntimeError), hiring.database.writing() as session:
        invite(session, session.get_one(Quiz, quiz_id), Guest("ada@example.org"), NOW, base_url="")
        raise RuntimeError
    assert told(hiring) == []


def asked_for(hiring: Hiring, session_id: UUID) -> None:
    """Make a session one that a partner asked for."""
    with hiring.database.writing() as session:
        key = ApiKey(
            id=uuid4(),
            team_id=hiring.team_id,
            name="ATS",
            scopes=[],
            prefix="gp_a",
            key_hash="h",
            callback_hosts=["partner.example.org"],
            created_at=NOW,
        )
        session.add(key)
        session.flush()
        session.add(
            PartnerInterview(
                id=uuid4(),
                team_id=hiring.team_id,
                api_key_id=key.id,
                invitation_id=session.get_one(QuizSession, session_id).invitation_id,
                url="https://partner.example.org/7",
                created_at=NOW,
            )
        )


def test_partner_is_called_when_a_score_is_there_and_again_for_a_new_one(hiring: Hiring, quiz_id: UUID) -> None:
    listen(hiring, Event.SESSION_GRADED, Event.SESSION_RESCORED)
    session_id, other = hiring.started(quiz_id), hiring.started(quiz_id)
    asked_for(hiring, session_id)
    late = END + GRACE * 2
    with hiring.database.writing() as session:
        closing.close(session, session_id, late, submitted=False)
    assert told(hiring, Channel.PARTNER) == []  # nothing to ask for yet
    for one in (session_id, other):
        closing.finish(hiring.database, one, late)
    assert told(hiring, Channel.PARTNER) == [{}]
    with hiring.database.writing() as session:
        add_minutes(session, session.get_one(QuizSession, session_id), 5, None, late)
    closing.finish(hiring.database, session_id, late, submitted=True)
    assert told(hiring, Channel.PARTNER) == [{}, {}]
    assert types(hiring) == ["session.graded", "session.graded", "session.rescored"]
    assert [one["data"]["revision"] for one in told(hiring)][-1] == 2
