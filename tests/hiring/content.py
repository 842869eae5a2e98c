"""A small bank whose keys move with their parameters, so that a quiz may use it, and a published quiz over it."""

import atexit
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from app.accounts.sign_in import make_account
from app.accounts.teams import create_team
from app.bank.catalog import Bank
from app.bank.loader import load
from app.bank.verified import Records, here
from app.bank.verify import DEFAULT_LIMIT, Cache
from app.db import Database, open_database
from app.hiring.invitations import Guest, invite, open_link
from app.hiring.pools import Workshop, fill_pool, start_publishing
from app.hiring.quiz_sessions import start
from app.hiring.quizzes import QuizSettings, SlotSpec, create_quiz, set_slots
from app.livecheck import LiveCheck
from app.models import Quiz, QuizSession
from tests.banks import write_bank
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@cache
def kept_verifications() -> Cache:
    """Return records that the tests of one process share: the same few items are published again and again."""
    folder = Path(tempfile.mkdtemp(prefix="gradproof-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Cache(Records(folder), here(DEFAULT_LIMIT))


def typed(title: str, snippet: str, ask: str, expect: str, values: list[float], **more: Any) -> dict[str, Any]:
    """Return an edge case whose value is typed and moves with `k`."""
    return {
        "kind": "edge_case",
        "level": 1,
        "title": title,
        "prompt": "One leaf.",
        "parameters": {"k": values},
        "snippet": snippet,
        "question": f"What does `{ask}` hold?",
        "ask": ask,
        "entry": "enter",
        "expect": expect,
        "explanation": "The slope.",
        **more,
    }


LEAF = "w = torch.tensor($k, requires_grad=True)\n"
VALUES = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
ITEMS: dict[str, dict[str, Any]] = {
    "a-square": typed(
        "A square", LEAF + "w.square().backward()\n", "w.grad", "2 * $k", VALUES, misconceptions=["replaces"]
    ),
    "a-cube": typed(
        "A cube", LEAF + "w.pow(3).backward()\n", "w.grad", "3 * $k * $k", VALUES, misconceptions=["replaces"]
    ),
    "a-factor": typed("A factor", LEAF + "(w * $k).backward()\n", "w.grad", "$k", VALUES, misconceptions=["data-safe"]),
    "two-terms": typed("Two terms", LEAF + "(w + w.square()).backward()\n", "w.grad", "1 + 2 * $k", VALUES, level=2),
}


@dataclass
class Hiring:
    """A team with a database, a bank and a live check."""

    database: Database
    bank: Bank
    livecheck: LiveCheck
    team_id: UUID
    actor: UUID
    quizzes: list[UUID] = field(default_factory=list)

    def draft(self, *specs: SlotSpec, **changes: Any) -> UUID:
        """Make a draft."""
        settings = replace(QuizSettings("Slopes", 30), **changes)
        with self.database.writing() as session:
            quiz = create_quiz(session, self.team_id, self.actor, settings, NOW)
            set_slots(session, quiz, self.actor, NOW, specs=specs or (SlotSpec(item_id="a-square"),), bank=self.bank)
            return quiz.id

    def fill(self, quiz_id: UUID) -> int:
        """Fill the pool of a quiz that is being published."""
        return fill_pool(Workshop(self.database, self.livecheck, self.bank, kept_verifications()), quiz_id)

    def published(self, *specs: SlotSpec, **changes: Any) -> UUID:
        """Make a quiz and publish it."""
        quiz_id = self.draft(*specs, **changes)
        with self.database.writing() as session:
            start_publishing(session, session.get_one(Quiz, quiz_id), self.bank, self.actor, NOW)
        self.fill(quiz_id)
        assert self.quiz(quiz_id).state == "published", self.quiz(quiz_id).problem
        return quiz_id

    def quiz(self, quiz_id: UUID) -> Quiz:
        """Read a quiz."""
        with self.database.reading() as session:
            return session.get_one(Quiz, quiz_id)

    def invited(self, quiz_id: UUID, at: datetime = NOW, email: str = "", **changes: Any) -> str:
        """Invite a candidate and return the secret of the link."""
        with self.database.writing() as session:
            quiz = session.get_one(Quiz, quiz_id)
            sent = invite(session, quiz, Guest(email, **changes), at, base_url="https://site")
        return sent.link.rpartition("/")[2]

    def started(self, quiz_id: UUID, at: datetime = NOW, **changes: Any) -> UUID:
        """Invite a candidate, start their session, and return its id."""
        secret = self.invited(quiz_id, at, **changes)
        with self.database.writing() as session:
            return start(session, open_link(session, secret), at).id

    def session(self, session_id: UUID) -> QuizSession:
        """Read a session."""
        with self.database.reading() as session:
            return session.get_one(QuizSession, session_id)


def make_hiring(folder: Path, livecheck: LiveCheck) -> Hiring:
    """Make a team over a fresh database and the small bank."""
    bank = load(write_bank(folder / "bank", ITEMS))
    assert not bank.problems, bank.problems
    database = open_database(url_for(folder))
    with database.writing() as session:
        owner = make_account(session, email="owner@example.org", name="Owner", password_hash="-", person=None, now=NOW)
        team = create_team(session, owner, "Vision", "Europe/Berlin", NOW)
    return Hiring(database, bank, livecheck, team.id, owner.id)
