"""Drafting a quiz: its settings and its slots, and what keeps it from being published.

A draft can be changed freely. Publishing freezes it: from then on only when it opens and closes, what candidates see,
and how long their data is kept can be changed, since none of that touches what anybody was asked or how it counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.bank.catalog import Bank
from app.bank.item import KINDS
from app.errors import ConflictError, GradproofError, NotFoundError
from app.models import Quiz, QuizSlot, TeamItem
from app.models.audit_entry import record
from app.models.quiz import DrawnFrom, QuizState, Shown, slots_of

MOST_SLOTS = 50
MOST_ITEMS = 100
ALWAYS = ("opens_at", "closes_at", "show_score", "show_items", "retention_days", "title")


class InvalidQuizError(GradproofError):
    """Settings cannot be used; `errors` has a sentence per field."""

    status = 422
    title = "The quiz could not be saved"

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


class QuizFrozenError(ConflictError):
    """The quiz was published, so what it asks cannot change any more."""

    title = "This quiz is published"


@dataclass(frozen=True, slots=True)
class QuizSettings:
    """What a team decides about a quiz, as plain values; times in UTC, shares from 0 to 1."""

    title: str
    minutes: int
    introduction: str = ""
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    window_cuts: bool = False
    shuffled: bool = True
    verdict_only: float = 0.0
    repeat_misconceptions: bool = False
    show_score: str = Shown.NEVER
    show_items: str = Shown.NEVER
    pass_mark: float | None = None
    retake_days: int | None = None
    ask_reasons: bool = False
    signals: bool = False
    retention_days: int | None = None


@dataclass(frozen=True, slots=True)
class SlotSpec:
    """What one place of a quiz asks: an item by its id, an item of the team, or `count` drawn by a filter."""

    item_id: str = ""
    team_item_id: UUID | None = None
    topic: str = ""
    kind: str = ""
    level: int = 0
    count: int = 1
    points: float = 1.0
    drawn_from: str = DrawnFrom.PUBLIC

    @property
    def fixed(self) -> bool:
        """Say whether this names one item."""
        return bool(self.item_id or self.team_item_id)


def problems_of(settings: QuizSettings) -> dict[str, str]:
    """Return a sentence for each setting that cannot be used, by its name."""
    checks = {
        "title": (1 <= len(settings.title.strip()) <= 200, "Give it a title of at most 200 characters."),
        "introduction": (len(settings.introduction) <= 4000, "Shorten it to 4000 characters."),
        "minutes": (1 <= settings.minutes <= 480, "Choose between 1 and 480 minutes."),
        "closes_at": (
            settings.opens_at is None or settings.closes_at is None or settings.opens_at < settings.closes_at,
            "It has to close after it opens.",
        ),
        "window_cuts": (
            not settings.window_cuts or settings.closes_at is not None,
            "Say when it closes, or let the window limit starts only.",
        ),
        "verdict_only": (0 <= settings.verdict_only <= 1, "Choose a share between 0 and 1."),
        "pass_mark": (settings.pass_mark is None or 0 <= settings.pass_mark <= 1, "Choose between 0 and 100 percent."),
        "retake_days": (settings.retake_days is None or 0 <= settings.retake_days <= 3650, "Choose 0 to 3650 days."),
        "retention_days": (
            settings.retention_days is None or 1 <= settings.retention_days <= 3650,
            "Choose 1 to 3650 days.",
        ),
        "show_score": (settings.show_score in set(Shown), "Choose one of the three."),
        "show_items": (settings.show_items in set(Shown), "Choose one of the three."),
    }
    return {name: sentence for name, (fits, sentence) in checks.items() if not fits}


def create_quiz(session: Session, team_id: UUID, actor: UUID, settings: QuizSettings, now: datetime) -> Quiz:
    """Make a draft.

    Raises `InvalidQuizError`.
    """
    errors = problems_of(settings)
    if errors:
        raise InvalidQuizError(errors)
    quiz = Quiz(id=uuid4(), team_id=team_id, created_at=now, created_by=actor, state=QuizState.DRAFT)
    _apply(quiz, asdict(settings))
    session.add(quiz)
    session.flush()
    record(session, now, "quiz.created", team_id=team_id, actor_id=actor, subject=quiz.id, title=quiz.title)
    return quiz


def settings_of(quiz: Quiz) -> QuizSettings:
    """Return the settings of a quiz as plain values."""
    return QuizSettings(**{one.name: getattr(quiz, one.name) for one in fields(QuizSettings)})


def change_quiz(session: Session, quiz: Quiz, actor: UUID, settings: QuizSettings, now: datetime) -> None:
    """Save the settings of a draft, or of a published quiz those that may still change.

    Raises `InvalidQuizError`, or `QuizFrozenError` where another one differs.
    """
    errors = problems_of(settings)
    if errors:
        raise InvalidQuizError(errors)
    changed = {name: value for name, value in asdict(settings).items() if getattr(quiz, name) != value}
    frozen = [name for name in changed if name not in ALWAYS]
    if quiz.state != QuizState.DRAFT and frozen:
        raise QuizFrozenError(
            f"Candidates were promised its {', '.join(one.replace('_', ' ') for one in frozen)}. Nothing was saved: "
            "make a copy to change it."
        )
    _apply(quiz, changed)
    record(session, now, "quiz.changed", team_id=quiz.team_id, actor_id=actor, subject=quiz.id, fields=sorted(changed))


def _apply(quiz: Quiz, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(quiz, name, value.strip() if name == "title" else value)


def set_slots(
    session: Session, quiz: Quiz, actor: UUID, now: datetime, *, specs: Sequence[SlotSpec], bank: Bank
) -> Sequence[QuizSlot]:
    """Replace the slots of a draft.

    Raises `QuizFrozenError`, or `InvalidQuizError` with a sentence per slot (`slot-1`, `slot-2` …).
    """
    _only_draft(quiz)
    errors = {} if len(specs) <= MOST_SLOTS else {"slots": f"A quiz has at most {MOST_SLOTS} slots."}
    if sum(spec.count for spec in specs) > MOST_ITEMS:
        errors["slots"] = f"A quiz asks at most {MOST_ITEMS} items."
    mine = set(session.scalars(select(TeamItem.id).where(TeamItem.team_id == quiz.team_id)))
    for place, spec in enumerate(specs, 1):
        problem = _slot_problem(spec, bank, mine)
        if problem:
            errors[f"slot-{place}"] = problem
    if errors:
        raise InvalidQuizError(errors)
    for old in slots_of(session, quiz.id):
        session.delete(old)
    session.flush()
    made = [QuizSlot(id=uuid4(), quiz_id=quiz.id, position=n, **asdict(spec)) for n, spec in enumerate(specs, 1)]
    session.add_all(made)
    record(session, now, "quiz.slots_set", team_id=quiz.team_id, actor_id=actor, subject=quiz.id, slots=len(made))
    return made


def _slot_problem(spec: SlotSpec, bank: Bank, team_items: set[UUID]) -> str:
    mixed = spec.fixed and (spec.count != 1 or spec.topic or spec.kind or spec.level)
    known = spec.team_item_id in team_items if spec.team_item_id else bank.get(spec.item_id) is not None
    checks = (
        (0 < spec.points <= 100, "Choose points above 0 and up to 100."),
        (1 <= spec.count <= 50, "Draw between 1 and 50 items."),
        (not mixed, "Name one item, or draw by topic, kind and level."),
        (not spec.fixed or known, "There is no such item."),
        (not spec.topic or spec.topic in {topic.id for topic in bank.topics}, "There is no such topic."),
        (not spec.kind or spec.kind in KINDS, "There is no such kind."),
        (spec.level in {0, 1, 2, 3}, "The level is 1, 2 or 3."),
        (spec.drawn_from in set(DrawnFrom), "Draw from public items, the team's own, or both."),
    )
    return next((sentence for fits, sentence in checks if not fits), "")


def spec_of(slot: QuizSlot) -> SlotSpec:
    """Return what a slot asks as plain values."""
    return SlotSpec(**{one.name: getattr(slot, one.name) for one in fields(SlotSpec)})


def copy_quiz(session: Session, quiz: Quiz, bank: Bank, actor: UUID, now: datetime) -> Quiz:
    """Make a draft with the settings and slots of a quiz."""
    settings = settings_of(quiz)
    titled = QuizSettings(**asdict(settings) | {"title": f"{settings.title[:190]} (copy)"})
    made = create_quiz(session, quiz.team_id, actor, titled, now)
    specs = [spec_of(slot) for slot in slots_of(session, quiz.id)]
    set_slots(session, made, actor, now, specs=specs, bank=bank)
    return made


def remove_draft(session: Session, quiz: Quiz, actor: UUID, now: datetime) -> None:
    """Remove a draft; a quiz that was published stays.

    Raises `QuizFrozenError`.
    """
    _only_draft(quiz)
    record(session, now, "quiz.removed", team_id=quiz.team_id, actor_id=actor, subject=quiz.id, title=quiz.title)
    session.delete(quiz)  # its slots go with it, by their foreign key


def close_quiz(session: Session, quiz: Quiz, actor: UUID, now: datetime) -> None:
    """Let nobody else start; running sessions go on to their own end."""
    if quiz.state != QuizState.PUBLISHED:
        raise ConflictError("Only a published quiz can be closed.")
    quiz.state = QuizState.CLOSED
    record(session, now, "quiz.closed", team_id=quiz.team_id, actor_id=actor, subject=quiz.id)


def reopen_quiz(session: Session, quiz: Quiz, actor: UUID, now: datetime) -> None:
    """Let candidates start again."""
    if quiz.state != QuizState.CLOSED:
        raise ConflictError("Only a closed quiz can be opened again.")
    quiz.state = QuizState.PUBLISHED
    record(session, now, "quiz.reopened", team_id=quiz.team_id, actor_id=actor, subject=quiz.id)


def find_quiz(session: Session, team_id: UUID, quiz_id: UUID) -> Quiz:
    """Return a quiz of this very team, or raise `NotFoundError`."""
    quiz = session.scalar(select(Quiz).where(Quiz.id == quiz_id, Quiz.team_id == team_id))
    if quiz is None:
        raise NotFoundError("The team has no such quiz.")
    return quiz


def count_items(session: Session, quiz_id: UUID) -> int:
    """Return how many items a candidate is asked."""
    return session.scalar(select(func.sum(QuizSlot.count)).where(QuizSlot.quiz_id == quiz_id)) or 0


def _only_draft(quiz: Quiz) -> None:
    if quiz.state != QuizState.DRAFT:
        raise QuizFrozenError("What it asks cannot change any more. Make a copy to change it.")
