"""What to do next, said by a rule: what was believed wrongly, then what goes worst, then what was never tried. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.history.figures import share_of
from app.history.overview import BeliefShown, Overview

FEWEST = 5  # answers in a topic, before its share says anything
WELL = 0.8  # a topic of which more is right needs no help
NOTABLE = 2  # what a belief must cost, before it leads: two answers, or one that was certain


class Why(StrEnum):
    """Why something comes next."""

    BEGIN = "begin"
    BELIEF = "belief"
    WEAK = "weak"
    UNTRIED = "untried"
    GO_ON = "go on"


@dataclass(frozen=True, slots=True)
class Advice:
    """What to practise next: a topic, or any item where it is empty; with the belief that leads there."""

    why: Why
    topic: str = ""
    belief: BeliefShown | None = None


def costliest(overview: Overview) -> BeliefShown | None:
    """Return the misconception that costs most, where it costs enough to speak of."""
    belief = next(iter(overview.beliefs), None)
    return belief if belief is not None and belief.weight[0] >= NOTABLE else None


def weakest(overview: Overview) -> str | None:
    """Return the topic of which least is right, among those with enough answers and room to grow."""
    shares = {topic: share_of(tally) for topic, tally in overview.topics.items() if tally.attempts >= FEWEST}
    weak = {topic: share for topic, share in shares.items() if share.value < WELL}
    return min(weak, key=lambda topic: (weak[topic].interval[1], topic), default=None)


def advise(overview: Overview, topics: Sequence[str]) -> Advice:
    """Return what to practise next; `topics` are those of the bank, in its order."""
    if not overview.ever:
        return Advice(Why.BEGIN)
    belief = costliest(overview)
    if belief is not None and belief.topic in topics:
        return Advice(Why.BELIEF, belief.topic, belief)
    weak = weakest(overview)
    if weak is not None and weak in topics:
        return Advice(Why.WEAK, weak)
    untried = next((topic for topic in topics if topic not in overview.topics), None)
    return Advice(Why.GO_ON) if untried is None else Advice(Why.UNTRIED, untried)
