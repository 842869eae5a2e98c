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


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher one score is than another, as a share; no standard error where a score has none."""

    value: float
    standard_error: float | None

    @property
    def within_error(self) -> bool:
        """Say whether the two cannot be told apart: the difference is at most twice its standard error, or has none."""
        return self.standard_error is None or abs(self.value) <= 2 * self.standard_error


def difference(one: Mapping[str, Marked], other: Mapping[str, Marked]) -> Difference:
    """Return the difference of two scores, given by item.

    Where both were asked the same items for the same points, it is judged item by item, so that a hard item weighs on
    neither. Otherwise the two are taken as independent samples.
    """
    left, right = score(one.values()), score(other.values())
    if {name: mark.points for name, mark in one.items()} == {name: mark.points for name, mark in other.items()}:
        # The score of the credits' differences is their mean, and its standard error that of paired samples.
        paired = score(Marked(mark.credit - other[name].credit, mark.points) for name, mark in one.items())
        return Difference(paired.share, paired.standard_error)
    if left.standard_error is None or right.standard_error is None:
        return Difference(left.share - right.share, None)
    return Difference(left.share - right.share, math.hypot(left.standard_error, right.standard_error))
