"""A quiz whose items name misconceptions and follow-ups, and candidates who took it, for the pages about results."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import httpx
import pytest

from app.accounts.sign_in import make_account
from app.accounts.teams import create_team
from app.clock import now
from app.hiring import pools
from app.hiring.pools import Workshop, fill_pool, start_publishing
from app.hiring.quizzes import QuizSettings, SlotSpec, create_quiz, set_slots
from app.models import Membership, Quiz
from app.models.account import account_by_email
from tests.banks import ITEMS as EVERY_KIND
from tests.hiring.content import ITEMS as PLAIN
from tests.hiring.content import kept_verifications
from tests.live import LiveSite, form_of
from tests.web.test_accounts import signed_up
from tests.web.test_quiz_sessions import Candidate, epoch_of, invited, publish, right_answer

FOLLOW_UP = {"text": "What if the square were a cube?", "snippet": "print(torch.tensor(2.0).pow(3))\n"}
ITEMS: dict[str, dict[str, Any]] = PLAIN | {
    "a-square": PLAIN["a-square"]
    | {
        "distractors": [{"value": "$k", "misconception": "replaces"}],
        "interview": {
            "good_answer": ["Names the slope of a square", "Says that `backward()` adds"],
            "red_flags": ["Expects the value itself"],
            "follow_ups": [FOLLOW_UP],
        },
    },
}


def member(live: LiveSite, quiz_id: UUID, role: str = "reviewer") -> tuple[httpx.Client, str]:
    """Return the browser of a member, and the address of the quiz."""
    client = signed_up(live, f"{role}@example.org")
    with live.site.database.writing() as session:
        quiz, account = session.get_one(Quiz, quiz_id), account_by_email(session, f"{role}@example.org")
        assert account is not None
        session.add(Membership(team_id=quiz.team_id, account_id=account.id, role=role, created_at=now()))
        return client, f"/teams/{quiz.team_id}/quizzes/{quiz.id}"


def wrong_answer(live: LiveSite, session: str, position: int) -> str:
    """Return what the distractor of `a-square` says, and something else wrong for the other item."""
    right = float(right_answer(live, session, position))
    return str(right / 2) if right % 2 == 0 else str(right + 1)


def enter(candidate: Candidate, session: str, position: int, fields: Mapping[str, str], sequence: int = 1) -> None:
    """Open an item and save what is entered there."""
    body = {"epoch": epoch_of(candidate.page(session, position)), "sequence": sequence, "fields": dict(fields)}
    assert candidate.client.put(f"{session}/responses/{position}", json=body).status_code == 200


def taken(
    live: LiveSite, quiz_id: UUID, *, right: tuple[bool, bool], sure: str = "", reason: str = "", name: str = "Ada"
) -> str:
    """Let a new candidate enter both items and hand in; return the address of the session."""
    candidate = invited(live, quiz_id, name)
    session = candidate.start()
    for position in (1, 2):
        entry = (right_answer if right[position - 1] else wrong_answer)(live, session, position)
        fields = {"entry-1": entry, "confidence": sure, "own_reason": reason}
        enter(candidate, session, position, {name: value for name, value in fields.items() if value})
    candidate.client.post(f"{session}/finish", data={"": ""})
    return session


def fixed_quiz(live: LiveSite, **changes: object) -> UUID:
    """Publish a quiz that asks `a-square` first and `two-terms` second."""
    return publish(live, **{"shuffled": False} | changes)


def quiz_of_every_kind(live: LiveSite, monkeypatch: pytest.MonkeyPatch, **changes: object) -> UUID:
    """Publish a quiz of the six items of the tests; that their keys can be learned by heart does not matter here."""
    monkeypatch.setattr(pools._Filling, "_why_not", lambda *_: "")
    at, site = now(), live.site
    with site.database.writing() as session:
        owner = make_account(session, email="o@example.org", name="O", password_hash="-", person=None, now=at)
        team = create_team(session, owner, "Vision", "Europe/Berlin", at)
        kept = {"title": "Every kind", "minutes": 30, "shuffled": False, "repeat_misconceptions": True}
        settings = QuizSettings(**kept | changes)  # type: ignore[arg-type]  # mixed values
        quiz = create_quiz(session, team.id, owner.id, settings, at)
        specs = [SlotSpec(item_id=name) for name in EVERY_KIND]
        set_slots(session, quiz, owner.id, at, specs=specs, bank=site.bank)
        start_publishing(session, quiz, site.bank, owner.id, at)
    fill_pool(Workshop(site.database, site.livecheck, site.bank, kept_verifications()), quiz.id)
    return quiz.id


def fields_at(page: httpx.Response, how: str) -> Mapping[str, str]:
    """Return what somebody enters who enters nothing, the first group only, or everything."""
    form = form_of(page)
    groups = [name for name in form.choices if name != "confidence"]
    kept = {"nothing": [], "half": groups[:1], "all": groups}[how]
    typed = [] if how == "nothing" else form.texts[: 1 if how == "half" else None]
    fields = {name: form.choices[name][-1] for name in kept} | dict.fromkeys(typed, "6.5")
    return (
        fields
        if how == "nothing"
        else fields | {"confidence": "certain", "own_words": "Two paths.", "own_reason": "So."}
    )


def taken_of_every_kind(live: LiveSite, quiz_id: UUID, how: str) -> str:
    """Let a candidate enter nothing, half or all of every item and hand in; return the address of the session."""
    candidate = invited(live, quiz_id)
    session = candidate.start()
    for position in range(1, len(EVERY_KIND) + 1):
        enter(candidate, session, position, fields_at(candidate.page(session, position), how))
    candidate.client.post(f"{session}/finish", data={"": ""})
    return session
