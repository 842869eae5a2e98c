"""Scores: pure functions of (credits, points). Shares are from 0 to 1."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """The credit (0 to 1) somebody earned on one item, and the points it is worth."""

    credit: float
    points: float


@dataclass(frozen=True, slots=True)
class Score:
    """Points earned and possible, and the standard error of their share; `None` with fewer than two items."""

    earned: float
    possible: float
    standard_error: float | None

    @property
    def share(self) -> float:
        """Return the score from 0 to 1; 0 where nothing was possible."""
        return self.earned / self.possible if self.possible else 0.0


def score(marked: Iterable[Marked]) -> Score:
    """Return the score of some items.

    The standard error takes the items as a sample of those that the quiz could have asked, and the score as the ratio
    of earned to possible points (the linearised variance of a ratio, Cochran, Sampling Techniques, section 6.4).
    """
    listed = list(marked)
    possible = math.fsum(one.points for one in listed)
    earned = math.fsum(one.points * one.credit for one in listed)
    if len(listed) < 2 or possible == 0:
        return Score(earned, possible, None)
    share, count = earned / possible, len(listed)
    spread = math.fsum((one.points * (one.credit - share)) ** 2 for one in listed)
    return Score(earned, possible, math.sqrt(count / (count - 1) * spread) / possible)


def by_group(marked: Sequence[tuple[str, Marked]]) -> Mapping[str, Score]:
    """Return a score per group (a topic, a level), in the order in which groups first appear."""
    groups: dict[str, list[Marked]] = {}
    for name, one in marked:
        groups.setdefault(name, []).append(one)
    return {name: score(ones) for name, ones in groups.items()}
