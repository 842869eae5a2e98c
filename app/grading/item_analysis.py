"""How the items of a test did: difficulty, discrimination and reliability. Pure functions over what many people earned.

A sitting is what one person earned on each item they were asked, by the item's name. Where items are drawn, two people
need not have the same ones, so every figure says how many people it rests on, and a caller shows none that rests on
fewer than the numbers below: the standard error of a correlation of 0.3 over 20 people is 0.2 still.

- difficulty: the mean credit, so the lower the harder (classical test theory calls it p);
- discrimination: the correlation of an item's credit with the share of points on all *other* items of the same sitting
  (the corrected item-total correlation: an item that is part of its own total would flatter itself);
- reliability: Cronbach's alpha, a lower bound of it where all places of a test measure one thing.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.grading.score import Marked, score

FEWEST_FOR_A_MEAN = 5
FEWEST_FOR_A_CORRELATION = 20

Sitting = Mapping[str, Marked]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, its standard error (`None` for a single observation) and how many people it rests on."""

    value: float
    standard_error: float | None
    count: int


def difficulty(earned: Sequence[float]) -> Estimate | None:
    """Return the mean of the credits that people earned, `None` where there are none."""
    if not earned:
        return None
    error = statistics.stdev(earned) / math.sqrt(len(earned)) if len(earned) > 1 else None
    return Estimate(statistics.fmean(earned), error, len(earned))


def discrimination(name: str, sittings: Sequence[Sitting]) -> Estimate | None:
    """Return the corrected item-total correlation of an item.

    It rests on the people who were asked the item and at least one other. `None` where they are fewer than three, or
    all earned the same on the item or on the rest. The standard error is that of a large sample, (1 - r²) / √(n - 1).
    """
    pairs = []
    for sitting in sittings:
        rest = [one for other, one in sitting.items() if other != name]
        if name in sitting and rest:
            pairs.append((sitting[name].credit, score(rest).share))
    if len(pairs) < 3:
        return None
    value = _correlation([own for own, _ in pairs], [rest for _, rest in pairs])
    return None if value is None else Estimate(value, (1 - value**2) / math.sqrt(len(pairs) - 1), len(pairs))


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation, `None` where one side does not vary by more than rounding."""
    mean, other = statistics.fmean(left), statistics.fmean(right)
    spread = math.fsum((one - mean) ** 2 for one in left)
    other_spread = math.fsum((one - other) ** 2 for one in right)
    if min(spread, other_spread) < 1e-12:
        return None
    together = math.fsum((one - mean) * (two - other) for one, two in zip(left, right, strict=True))
    return max(-1.0, min(1.0, together / math.sqrt(spread * other_spread)))


def cronbach_alpha(rows: Sequence[Sequence[float]]) -> Estimate | None:
    """Return Cronbach's alpha of a table with a row per person and a column per place of the test.

    `None` for fewer than three people or two places, and where all totals are the same. Where a place holds a drawn
    item, the difference between the items drawn there counts as error, so alpha is lower than for the same test without
    draws. The standard error is that of equally correlated places, (1 - alpha) √(2k / ((k - 1) n)) (van Zyl, Neudecker
    and Nel, Psychometrika 65, 2000). A value below 0 says that the places do not measure one thing.
    """
    if len(rows) < 3 or len(rows[0]) < 2:
        return None
    count, places = len(rows), len(rows[0])
    total = statistics.variance([math.fsum(row) for row in rows])
    if total < 1e-12:
        return None
    within = math.fsum(statistics.variance(column) for column in zip(*rows, strict=True))
    value = places / (places - 1) * (1 - within / total)
    return Estimate(value, (1 - value) * math.sqrt(2 * places / ((places - 1) * count)), count)
