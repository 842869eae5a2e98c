"""Which three items of a session are the best to talk about, by a rule that anybody can follow. Pure.

Items go by what their answer was, in this order:

1. confident and wrong: no part right, though the candidate was certain or fairly sure;
2. partly right: some of the parts, such as the verdict without its reason;
3. right, but a guess;
4. wrong, and not sure or not said;
5. left empty;
6. right: to hear how they came to it.

Among equals the certain come before the fairly sure, then those that show a misconception, then those with a follow-up
that can be run, then the higher level, the more points, the earlier place. An item that shows only misconceptions which
an item before it shows already waits until all others had their turn, so that three conversations are not one. Items
that were withdrawn, or not graded, are not talked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.grading.grade import Confidence
from app.hiring.score_reports import SURE, SURENESS, ReportItem

HOW_MANY = 3


class Why(IntEnum):
    """Why an item is worth talking about; the lowest first."""

    CONFIDENTLY_WRONG = 1
    PARTLY_RIGHT = 2
    RIGHT_BUT_A_GUESS = 3
    WRONG = 4
    LEFT_EMPTY = 5
    RIGHT = 6


@dataclass(frozen=True, slots=True)
class Answered:
    """What the rule looks at."""

    position: int
    answered: bool
    right_parts: int
    parts: int
    confidence: Confidence | None
    misconceptions: tuple[str, ...] = ()
    runnable: bool = False  # whether there is a follow-up with a snippet
    level: int = 1
    points: float = 1.0

    @property
    def why(self) -> Why:
        """Return why one would talk about it."""
        if not self.answered:
            return Why.LEFT_EMPTY
        if self.right_parts == self.parts:
            return Why.RIGHT_BUT_A_GUESS if self.confidence is Confidence.GUESS else Why.RIGHT
        if self.right_parts:
            return Why.PARTLY_RIGHT
        return Why.CONFIDENTLY_WRONG if self.confidence in SURE else Why.WRONG


def choose(answered: Sequence[Answered], count: int = HOW_MANY) -> tuple[Answered, ...]:
    """Return the items to talk about, the best first; fewer where there are not as many."""
    ordered = sorted(answered, key=_rank)
    seen: set[str] = set()
    fresh: list[Answered] = []
    again: list[Answered] = []  # what it shows was shown by an item before it
    for one in ordered:
        repeated = bool(one.misconceptions) and seen.issuperset(one.misconceptions)
        (again if repeated else fresh).append(one)
        seen.update(one.misconceptions)
    return tuple([*fresh, *again][:count])


def _rank(one: Answered) -> tuple[int, int, bool, bool, int, float, int]:
    sure = SURENESS.index(one.confidence)
    return (one.why, sure, not one.misconceptions, not one.runnable, -one.level, -one.points, one.position)


def talking_points(items: Sequence[ReportItem]) -> tuple[tuple[ReportItem, Why], ...]:
    """Return the items of a report to talk about, each with why."""
    by_position = {one.position: one for one in items}
    answered = [found for one in items if (found := _answered(one)) is not None]
    return tuple((by_position[one.position], one.why) for one in choose(answered))


def _answered(one: ReportItem) -> Answered | None:
    outcome, interview = one.outcome, one.item.interview
    if outcome is None or one.withdrawn:
        return None
    return Answered(
        position=one.position,
        answered=one.answered,
        right_parts=outcome.right_parts,
        parts=len(outcome.parts),
        confidence=one.confidence,
        misconceptions=one.misconceptions,
        runnable=interview is not None and any(follow_up.snippet for follow_up in interview.follow_ups),
        level=one.variant.level,
        points=one.points,
    )
