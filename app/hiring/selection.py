"""Which items one candidate gets: chosen from the pool, so that nobody gets the same mistake twice. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.errors import ConflictError

TRIES = 200


class NoSelectionError(ConflictError):
    """The pool has no selection that keeps the quiz's own rules."""

    title = "This quiz cannot be drawn"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A variant of the pool, as far as choosing it matters."""

    id: UUID
    slot_id: UUID
    item_id: str
    misconceptions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """One slot to fill: how many items, and what each is worth."""

    slot_id: UUID
    count: int
    points: float
    fixed: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """A variant that was drawn, and what it is worth."""

    id: UUID
    points: float


def select_variants(
    pool: Sequence[Candidate],
    places: Sequence[Place],
    chance: random.Random,
    *,
    repeat_misconceptions: bool,
    shuffled: bool,
) -> list[Chosen]:
    """Return one variant for each item of the quiz, in the order in which they are asked.

    No item comes twice. Without `repeat_misconceptions` no drawn item shares a misconception with another; items the
    team fixed are taken as they are.

    Raises `NoSelectionError`.
    """
    by_slot: dict[UUID, dict[str, list[Candidate]]] = {}
    for one in pool:
        by_slot.setdefault(one.slot_id, {}).setdefault(one.item_id, []).append(one)
    for _ in range(TRIES):
        found = _attempt(by_slot, places, chance, repeat_misconceptions)
        if found is not None:
            if shuffled:
                chance.shuffle(found)
            return found
    raise NoSelectionError(
        "The pool has too few items that differ in their misconceptions. Allow repeats, ask fewer, or widen a draw."
    )


def _attempt(
    by_slot: dict[UUID, dict[str, list[Candidate]]],
    places: Sequence[Place],
    chance: random.Random,
    repeat_misconceptions: bool,
) -> list[Chosen] | None:
    items: set[str] = set()
    seen: set[str] = set()
    drawn: dict[UUID, list[Chosen]] = {}
    for place in sorted(places, key=lambda one: not one.fixed):  # fixed items first: draws go around them
        found = drawn[place.slot_id] = []
        names = list(by_slot.get(place.slot_id, {}))
        chance.shuffle(names)
        for name in names:
            variants = by_slot[place.slot_id][name]
            mistakes = variants[0].misconceptions
            if len(found) == place.count or name in items:
                continue
            if not place.fixed and not repeat_misconceptions and mistakes & seen:
                continue
            items.add(name)
            seen |= mistakes
            found.append(Chosen(chance.choice(variants).id, place.points))
        if len(found) < place.count:
            return None
    return [one for place in places for one in drawn[place.slot_id]]
