"""How the items of a quiz did over the first attempts of its candidates. All is read; nothing is stored.

A first attempt is the first session of an address; who took a quiz again knew it, and is left out. People without an
address (invited without one, or erased since) count as one each. Only sessions that ended and were graded count, and an
item that was withdrawn counts for nothing: everybody got its points.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.bank.evidence import Key
from app.bank.item import Item
from app.bank.parts import Part
from app.bank.variants import from_json
from app.grading.grade import Outcome, Response
from app.grading.item_analysis import Estimate, Sitting, cronbach_alpha, difficulty, discrimination
from app.grading.misconceptions import shown_by
from app.grading.score import Marked
from app.hiring.closing import key_of
from app.models import Grade, Invitation, PoolVariant, Quiz, QuizSession, QuizSlot, Rescore, SavedResponse, SessionItem
from app.models.quiz import whole_variants

EMPTY, RIGHT, OTHER = "", "right", "other"  # ids of counts that are no option


@dataclass(frozen=True, slots=True)
class OptionCount:
    """How often an option was chosen, and how often it was right then: what is right may differ between variants.

    `option` is an option id, or for typed values `right`, the id of a misconception, or `other`; empty where nothing
    was entered. `text` is how one of the variants words it.
    """

    option: str
    text: str
    chosen: int
    right: int


@dataclass(frozen=True, slots=True)
class PartCounts:
    """The counts of one part of an item."""

    part: Part
    options: tuple[OptionCount, ...]


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """How one item did."""

    item_id: str
    variant: PoolVariant  # one of its variants, whole
    difficulty: Estimate | None
    discrimination: Estimate | None
    parts: tuple[PartCounts, ...]


@dataclass(frozen=True, slots=True)
class QuizStatistics:
    """How a quiz did: `people` first attempts count, `again` later ones do not."""

    people: int
    again: int
    places: int  # how many items each person was asked
    drawn: bool  # whether people were asked different items
    score: Estimate | None
    reliability: Estimate | None
    items: tuple[ItemStatistics, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """One graded item of a first attempt."""

    session_id: UUID
    position: int
    slot: int
    variant: PoolVariant
    marked: Marked
    outcome: Outcome
    response: Response | None
    rescore: Rescore | None


def statistics_of(session: Session, quiz: Quiz) -> QuizStatistics:
    """Return the statistics of a quiz: a handful of queries, whatever the number of candidates."""
    firsts, again = _first_attempts(session, quiz)
    answers = _answers(session, quiz, firsts)
    variants = whole_variants(session, list({one.variant.id for one in answers}))
    sittings = _sittings(answers)
    by_item: dict[str, list[_Answer]] = {}
    for one in answers:
        by_item.setdefault(one.variant.item_id, []).append(one)
    rows = _rows(answers)
    places = max(map(len, rows), default=0)
    shares = [sum(one.points * one.credit for one in sitting.values()) for sitting in sittings]
    possible = [sum(one.points for one in sitting.values()) for sitting in sittings]
    return QuizStatistics(
        people=len(rows),
        again=again,
        places=places,
        drawn=len({frozenset(sitting) for sitting in sittings}) > 1,
        score=difficulty([share / most for share, most in zip(shares, possible, strict=True) if most]),
        reliability=cronbach_alpha([row for row in rows if len(row) == places]),
        items=tuple(_item_statistics(name, ones, sittings, variants) for name, ones in by_item.items()),
    )


def _first_attempts(session: Session, quiz: Quiz) -> tuple[set[UUID], int]:
    """Return the sessions that are first attempts and were graded, and how many graded ones are not."""
    query = (
        select(QuizSession.id, QuizSession.revision, QuizSession.closed_at, Invitation.email)
        .join(Invitation, Invitation.id == QuizSession.invitation_id)
        .where(QuizSession.quiz_id == quiz.id)
        .order_by(QuizSession.started_at, QuizSession.id)
    )
    seen: set[str] = set()
    firsts, again = set(), 0
    for session_id, revision, closed_at, email in session.execute(query):
        first = not email or email.lower() not in seen
        seen.add(email.lower())
        graded = closed_at is not None and revision > 0
        if first and graded:
            firsts.add(session_id)
        again += graded and not first
    return firsts, again


def _answers(session: Session, quiz: Quiz, firsts: set[UUID]) -> list[_Answer]:
    """Return every graded item of the first attempts, in the order of the quiz's slots."""
    rescores = {one.id: one for one in session.scalars(select(Rescore).where(Rescore.quiz_id == quiz.id))}
    newest = and_(QuizSession.id == Grade.session_id, QuizSession.revision == Grade.revision)
    same = and_(SessionItem.session_id == Grade.session_id, SessionItem.position == Grade.position)
    query = (
        select(Grade, PoolVariant, QuizSlot.position, SavedResponse)
        .join(QuizSession, newest)
        .join(SessionItem, same)
        .join(PoolVariant, PoolVariant.id == SessionItem.pool_variant_id)
        .join(QuizSlot, QuizSlot.id == PoolVariant.slot_id)
        .outerjoin(SavedResponse, SavedResponse.id == Grade.response_id)
        .where(QuizSession.quiz_id == quiz.id)
        .order_by(QuizSlot.position, Grade.position, Grade.session_id)
    )
    found = []
    for grade, variant, slot, saved in session.execute(query):
        rescore = rescores.get(grade.rescore_id) if grade.rescore_id else None
        if grade.session_id in firsts and not (rescore is not None and rescore.retracted):
            found.append(
                _Answer(
                    session_id=grade.session_id,
                    position=grade.position,
                    slot=slot,
                    variant=variant,
                    marked=Marked(grade.credit, grade.points),
                    outcome=Outcome.from_json(grade.outcome),
                    response=_response(saved),
                    rescore=rescore,
                )
            )
    return found


def _response(saved: SavedResponse | None) -> Response | None:
    return None if saved is None else Response.from_json(saved.response)


def _sittings(answers: Iterable[_Answer]) -> list[Sitting]:
    sittings: dict[UUID, dict[str, Marked]] = {}
    for one in answers:
        sittings.setdefault(one.session_id, {})[one.variant.item_id] = one.marked
    return list(sittings.values())


def _rows(answers: Iterable[_Answer]) -> list[list[float]]:
    """Return the points of each person, place by place: the answers come in the order of the slots."""
    rows: dict[UUID, list[float]] = {}
    for one in answers:
        rows.setdefault(one.session_id, []).append(one.marked.credit * one.marked.points)
    return list(rows.values())


def _item_statistics(
    name: str, answers: Sequence[_Answer], sittings: Sequence[Sitting], variants: Mapping[UUID, PoolVariant]
) -> ItemStatistics:
    tally = _Tally()
    for one in answers:
        whole = variants[one.variant.id]
        tally.count(whole, key_of(whole, one.rescore), one)
    return ItemStatistics(
        item_id=name,
        variant=variants[answers[0].variant.id],
        difficulty=difficulty([one.marked.credit for one in answers]),
        discrimination=discrimination(name, sittings),
        parts=tally.parts(),
    )


@dataclass(slots=True)
class _Tally:
    """Counts of an item's options while its answers are read."""

    chosen: dict[str, Counter[str]] = field(default_factory=dict)
    right: dict[str, Counter[str]] = field(default_factory=dict)
    asked: dict[str, Part] = field(default_factory=dict)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def count(self, variant: PoolVariant, key: Key, answer: _Answer) -> None:
        """Count one answer."""
        frozen = from_json(variant.variant)
        response = answer.response or Response({})
        for part in frozen.parts:
            self.asked.setdefault(part.name, part)
            for option in part.options:
                self.texts.setdefault((part.name, option.id), option.text)
            if part.options:
                option_id = response.choices.get(part.name, EMPTY)
                self._add(part.name, option_id, option_id in key.right.get(part.name, ()))
            else:
                option_id = _typed(frozen.item, response, key, answer.outcome)
                sentences = variant.words["misconceptions"]
                self.texts.setdefault((part.name, option_id), sentences.get(option_id, ""))
                self._add(part.name, option_id, option_id == RIGHT)

    def _add(self, part: str, option_id: str, right: bool) -> None:
        self.chosen.setdefault(part, Counter())[option_id] += 1
        self.right.setdefault(part, Counter())[option_id] += right

    def parts(self) -> tuple[PartCounts, ...]:
        """Return the counts, in the order of the file, with what nobody chose and then what was left empty."""
        return tuple(PartCounts(part, tuple(self._options(part))) for part in self.asked.values())

    def _options(self, part: Part) -> Iterable[OptionCount]:
        chosen, right = self.chosen[part.name], self.right[part.name]
        known = [option.id for option in part.options if part.name != "culprit" or chosen[option.id]]
        ordered = [*sorted(known, key=_place), *(one for one in chosen if one not in known and one != EMPTY), EMPTY]
        for option_id in ordered:
            if option_id != EMPTY or chosen[EMPTY]:
                text = self.texts.get((part.name, option_id), "")
                yield OptionCount(option_id, text, chosen[option_id], right[option_id])


def _place(option_id: str) -> tuple[int, str]:
    return (int(option_id), "") if option_id.isdecimal() else (1000, option_id)


def _typed(item: Item, response: Response, key: Key, outcome: Outcome) -> str:
    if not response.is_answered:
        return EMPTY
    if outcome.all_right:
        return RIGHT
    return next(iter(shown_by(item, response, key)), OTHER)
