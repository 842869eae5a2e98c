"""What the candidates find: a database of its own, a published quiz with its pool checked for real, a link for each."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from sqlalchemy import select

from app.accounts.sign_in import make_account
from app.accounts.teams import create_team
from app.bank.loader import load
from app.bank.verified import Records, here
from app.bank.verify import DEFAULT_LIMIT, Cache
from app.clock import now
from app.db import open_database
from app.errors import GradproofError
from app.hiring.invitations import Guest, invite
from app.hiring.pools import Workshop, fill_pool, start_publishing
from app.hiring.quizzes import create_quiz, set_slots
from app.hiring.ready_made import load_ready_made
from app.livecheck import LiveCheck
from app.models import Quiz, SavedResponse
from app.models.quiz import QuizState
from app.sandbox.client import SandboxClient

READY_MADE = "first-gradients"
OWNER, NO_PASSWORD = "owner@example.org", "-"


@dataclass(frozen=True, slots=True)
class Written:
    """A write that the server acknowledged: which one, and the reason it carried, which no other write has."""

    session_id: UUID
    position: int
    epoch: int
    sequence: int
    reason: str


class Stage:
    """A database in `folder` with one published quiz."""

    def __init__(self, folder: Path, bank: Path) -> None:
        self.url = f"sqlite:///{folder / 'load.db'}"
        self._folder = folder
        self._bank = load(bank)
        self._bank_folder = bank
        self._database = open_database(self.url)
        self._quiz: UUID | None = None

    def publish(self, sandbox: SandboxClient, minutes: int) -> None:
        """Publish a ready-made quiz; every variant of its pool is run in the sandbox.

        Raises `GradproofError` where the bank lacks it or it cannot be published.
        """
        found, problems = load_ready_made(self._bank_folder, self._bank)
        ready = next((one for one in found if one.id == READY_MADE), None)
        if ready is None:
            why = problems.get(f"{READY_MADE}.yaml", "it is not there")
            raise GradproofError(f"The bank's quiz {READY_MADE} cannot be used: {why}. Name another bank.")
        at = now()
        with self._database.writing() as session:
            owner = make_account(session, email=OWNER, name="", password_hash=NO_PASSWORD, person=None, now=at)
            team = create_team(session, owner, "Load test", "UTC", at)
            quiz = create_quiz(
                session, team.id, owner.id, replace(ready.settings, minutes=minutes, ask_reasons=True), at
            )
            set_slots(session, quiz, owner.id, at, specs=ready.slots, bank=self._bank)
            start_publishing(session, quiz, self._bank, owner.id, at)
            self._quiz = quiz.id
        cache = Cache(Records(self._folder / "verified"), here(DEFAULT_LIMIT))
        fill_pool(Workshop(self._database, LiveCheck(sandbox), self._bank, cache), self._quiz)
        with self._database.reading() as session:
            quiz = session.get_one(Quiz, self._quiz)
        if quiz.state != QuizState.PUBLISHED:
            raise GradproofError(f"The bank's quiz {READY_MADE} could not be published: {quiz.problem}")

    def invite(self, candidates: int) -> list[str]:
        """Return the path of a link for each candidate."""
        with self._database.writing() as session:
            quiz = session.get_one(Quiz, self._quiz)
            return [invite(session, quiz, Guest(), now(), base_url="").link for _ in range(candidates)]

    def lost(self, acknowledged: Iterable[Written]) -> list[Written]:
        """Return the acknowledged writes that the database does not hold."""
        with self._database.reading() as session:
            rows = session.execute(
                select(
                    SavedResponse.session_id,
                    SavedResponse.position,
                    SavedResponse.epoch,
                    SavedResponse.sequence,
                    SavedResponse.reason,
                ).where(SavedResponse.late.is_(False))
            )
            held = {Written(*row) for row in rows}
        return [one for one in acknowledged if one not in held]

    def close(self) -> None:
        """Close the database."""
        self._database.dispose()
