"""Publishing: the pool of checked variants that a quiz draws from, filled before anybody can start.

    draft -> publishing   the draft is complete: every slot has enough items
    publishing -> publishing   one variant after another is checked live and stored, each in a transaction of its own
    publishing -> published    every slot has what it wants
    publishing -> draft        an item cannot be used after all: `problem` says which and why

Filling can be cut off anywhere and is gone on with by whoever looks next: what is stored is not run again. An item may
be used where its verification has no errors and knowing one of its keys is worth little (`quiz_use`); both are looked
up, or made now. Starting a session later reads the pool and runs nothing.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.bank.catalog import Bank, misconceptions_of
from app.bank.item import Item
from app.bank.variants import Variant, content_hash, survey, to_json, with_parameters
from app.bank.verify import ANY, Cache, verify_alone
from app.clock import now
from app.db import Database
from app.errors import ConflictError, GradproofError
from app.hiring.selection import Candidate, Chosen, NoSelectionError, Place, select_variants
from app.hiring.team_items import read_item
from app.livecheck import LiveCheck
from app.models import PoolVariant, Quiz, QuizSlot, TeamItem
from app.models.audit_entry import record
from app.models.quiz import DrawnFrom, QuizState, pool_of, pool_size, slots_of
from app.models.team_item import usable_items_of

VARIANTS_PER_ITEM = 6
SPARE_ITEMS = 3  # a draw of n items has up to n times this many in the pool
SURVEYED = 64


class NotPublishableError(ConflictError):
    """The draft lacks something; the message says what."""

    title = "This quiz cannot be published yet"


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where items come from: the public bank, and the rows of the team's own that may be used, with their source."""

    bank: Bank
    own: Mapping[UUID, TeamItem]


@dataclass(frozen=True, slots=True)
class Pick:
    """One item that may serve in a slot; `own` is its row where it is one of the team's."""

    slot: QuizSlot
    item_id: str
    own: TeamItem | None = None


def shelf_of(session: Session, quiz: Quiz, bank: Bank) -> Shelf:
    """Return the items that a quiz may ask: now, or those of the moment at which it was frozen."""
    rows = usable_items_of(session, quiz.team_id, quiz.frozen_at if quiz.state != QuizState.DRAFT else None)
    return Shelf(bank, {row.id: row for row in rows})


def picks_for(slot: QuizSlot, shelf: Shelf) -> list[Pick]:
    """Return the items that a slot may ask, before it is known which may be used."""
    if slot.team_item_id:
        own = shelf.own.get(slot.team_item_id)
        return [] if own is None else [Pick(slot, own.item_id, own)]
    if slot.item_id:
        return [] if shelf.bank.get(slot.item_id) is None else [Pick(slot, slot.item_id)]
    picks = (
        [] if slot.drawn_from == DrawnFrom.PUBLIC else [Pick(slot, row.item_id, row) for row in _fitting(slot, shelf)]
    )
    if slot.drawn_from != DrawnFrom.OWN:
        found = shelf.bank.select(topic=slot.topic or None, kind=slot.kind or None, level=slot.level or None)
        mine = {pick.item_id for pick in picks}  # an id that the bank got later than the team is the team's here
        picks += [Pick(slot, item.id) for item in found if item.id not in mine]
    return picks


def _fitting(slot: QuizSlot, shelf: Shelf) -> list[TeamItem]:
    return [
        row
        for row in shelf.own.values()
        if (not slot.topic or row.topic == slot.topic)
        and (not slot.kind or row.kind == slot.kind)
        and (not slot.level or row.level == slot.level)
    ]


def start_publishing(session: Session, quiz: Quiz, bank: Bank, actor: UUID, at: datetime) -> None:
    """Freeze a draft and ask for its pool; the sweeper fills it.

    Raises `NotPublishableError`.
    """
    if quiz.state != QuizState.DRAFT:
        raise NotPublishableError("It is published already.")
    slots = slots_of(session, quiz.id)
    if not slots:
        raise NotPublishableError("Add at least one item, or a draw.")
    shelf = shelf_of(session, quiz, bank)
    wanted = 0
    for slot in slots:
        found = len(picks_for(slot, shelf))
        if found < slot.count:
            raise NotPublishableError(_too_few(slot, found))
        wanted += min(found, slot.count * SPARE_ITEMS) * VARIANTS_PER_ITEM
    quiz.state, quiz.problem, quiz.pool_wanted, quiz.frozen_at = QuizState.PUBLISHING, "", wanted, at
    record(session, at, "quiz.publishing", team_id=quiz.team_id, actor_id=actor, subject=quiz.id)


def _too_few(slot: QuizSlot, found: int) -> str:
    if slot.team_item_id:
        return f"Slot {slot.position} asks an item of the team that is archived, or not verified without problems."
    where = {
        DrawnFrom.PUBLIC: "the bank has",
        DrawnFrom.OWN: "the team has, verified without problems,",
        DrawnFrom.BOTH: "the bank and the team have",
    }[DrawnFrom(slot.drawn_from)]
    return f"Slot {slot.position} asks {slot.count} items and {where} {found} of them."


@dataclass(frozen=True, slots=True)
class Workshop:
    """What running items in the background works with; `cache` keeps verifications."""

    database: Database
    livecheck: LiveCheck
    bank: Bank
    cache: Cache


def fill_pool(workshop: Workshop, quiz_id: UUID) -> int:
    """Fill the pool of a quiz and publish it, or take it back to a draft that says why; return the variants added.

    Raises `UnavailableError` where the sandbox is away: nothing is lost, and the next call goes on.
    """
    database = workshop.database
    with database.reading() as session:
        quiz = session.get_one(Quiz, quiz_id)
        slots = slots_of(session, quiz_id)
        shelf = shelf_of(session, quiz, workshop.bank)
        stored = {(one.slot_id, one.item_id, one.number) for one in pool_of(session, quiz_id)}
    filling = _Filling(workshop, quiz_id, stored)
    try:
        for slot in slots:
            filling.fill(slot, _ordered(picks_for(slot, shelf), quiz_id))
        with database.reading() as session:
            select_from_pool(session, quiz, random.Random(quiz_id.int))  # noqa: S311 - only whether there is one
    except (NotPublishableError, NoSelectionError) as error:
        _finish(database, quiz_id, QuizState.DRAFT, error.message)
        return filling.added
    _finish(database, quiz_id, QuizState.PUBLISHED, "")
    return filling.added


def select_from_pool(session: Session, quiz: Quiz, chance: random.Random) -> list[Chosen]:
    """Return what one candidate is asked, in order; nothing is run for it.

    Raises `NoSelectionError`.
    """
    pool = [
        # An item of the team is never the public one of the same id.
        Candidate(
            one.id, one.slot_id, f"{'own ' if one.team_item_id else ''}{one.item_id}", frozenset(one.misconceptions)
        )
        for one in pool_of(session, quiz.id)
    ]
    places = [
        Place(slot.id, slot.count, slot.points, bool(slot.item_id or slot.team_item_id))
        for slot in slots_of(session, quiz.id)
    ]
    return select_variants(
        pool, places, chance, repeat_misconceptions=quiz.repeat_misconceptions, shuffled=quiz.shuffled
    )


def _ordered(picks: Iterable[Pick], quiz_id: UUID) -> list[Pick]:
    """Return the picks in an order that is this quiz's own, the same whenever filling goes on."""
    listed = sorted(picks, key=lambda pick: pick.item_id)
    random.Random(quiz_id.int).shuffle(listed)  # noqa: S311 - a fair selection, not a secret
    return listed


def _finish(database: Database, quiz_id: UUID, state: QuizState, problem: str) -> None:
    with database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        if quiz.state != QuizState.PUBLISHING:
            return
        quiz.state, quiz.problem = state, problem[:500]
        if state is QuizState.PUBLISHED:
            quiz.published_at = now()
            quiz.pool_wanted = pool_size(session, quiz_id)
        record(session, now(), f"quiz.{state}", team_id=quiz.team_id, subject=quiz_id, problem=problem[:500])


class _Filling:
    """One pass over the slots of a quiz."""

    def __init__(self, workshop: Workshop, quiz_id: UUID, stored: set[tuple[UUID, str, int]]) -> None:
        self._workshop, self._quiz_id, self._stored = workshop, quiz_id, stored
        self._usable: dict[str, str] = {}
        self.added = 0

    def fill(self, slot: QuizSlot, picks: Sequence[Pick]) -> None:
        """Store variants of enough items for one slot.

        Raises `NotPublishableError` where too few may be used.
        """
        wanted = min(len(picks), slot.count * SPARE_ITEMS)
        done, reasons = 0, []
        for pick in picks:
            if done == wanted:
                return
            reason = self._take(pick)
            if reason:
                reasons.append(f"`{pick.item_id}`: {reason}")
            else:
                done += 1
        if done < slot.count:
            why = " ".join(reasons[:3])
            raise NotPublishableError(f"Slot {slot.position} asks {slot.count} items and {done} may be used. {why}")

    def _take(self, pick: Pick) -> str:
        """Store variants of an item; return why it may not be used, or nothing."""
        try:
            item = (
                self._workshop.bank.item(pick.item_id) if pick.own is None else read_item(pick.own, self._workshop.bank)
            )
            return self._why_not(item) or self._fill_item(pick, item)
        except ConflictError as error:  # a file that cannot be used any more, or a run that contradicts it
            return error.message

    def _why_not(self, item: Item) -> str:
        digest = content_hash(item)
        if digest not in self._usable:
            report, use = verify_alone(item, self._workshop.livecheck.run, self._workshop.cache)
            reason = "" if use == ANY else "knowing one key by heart is worth too much here."
            if report.errors:
                reason = f"its verification found an error: {report.errors[0].message}"
            self._usable[digest] = reason
        return self._usable[digest]

    def _fill_item(self, pick: Pick, item: Item) -> str:
        for number, variant in enumerate(_spread(item, self._quiz_id)):
            if (pick.slot.id, item.id, number) not in self._stored:
                self._store(pick, item, number, variant)
        return ""

    def _store(self, pick: Pick, item: Item, number: int, variant: Variant) -> None:
        reading, bank = self._workshop.livecheck.check(variant), self._workshop.bank
        names = misconceptions_of(item)
        row = PoolVariant(
            id=uuid4(),
            quiz_id=self._quiz_id,
            slot_id=pick.slot.id,
            item_id=item.id,
            team_item_id=pick.own and pick.own.id,
            number=number,
            content_hash=variant.content_hash,
            kind=item.kind,
            topic=item.topic,
            level=item.level,
            title=item.title,
            misconceptions=list(names),
            torch=reading.evidence.torch,
            checked_at=now(),
            variant=to_json(variant),
            words={
                "topic": bank.title_of(item.topic),
                "misconceptions": {
                    name: bank.misconceptions[name].sentence for name in names if name in bank.misconceptions
                },
            },
            reading=asdict(reading),
        )
        with self._workshop.database.writing() as session:
            session.add(row)
        self.added += 1


def _spread(item: Item, quiz_id: UUID) -> list[Variant]:
    """Return up to `VARIANTS_PER_ITEM` variants with distinct parameters, chosen by the quiz."""
    found = list(survey(item, SURVEYED).variants)
    chance = random.Random(f"{quiz_id}:{item.id}")  # noqa: S311 - a fair selection, not a secret
    chance.shuffle(found)
    # Made again with a seed of the quiz's own, which orders the options.
    return [with_parameters(item, one.parameters, chance.getrandbits(48)) for one in found[:VARIANTS_PER_ITEM]]


def next_to_fill(database: Database) -> UUID | None:
    """Return a quiz that waits for its pool, the oldest first."""
    with database.reading() as session:
        return session.scalar(
            select(Quiz.id).where(Quiz.state == QuizState.PUBLISHING).order_by(Quiz.created_at, Quiz.id).limit(1)
        )


def give_up(database: Database, quiz_id: UUID, error: GradproofError) -> None:
    """Take a quiz back to a draft that says why."""
    _finish(database, quiz_id, QuizState.DRAFT, error.message)
