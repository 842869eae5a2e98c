"""Which part of a history somebody looks at: a time, a topic, a kind, a mode."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from app.clock import zone_of
from app.models.practice_total import Span


class Period(StrEnum):
    """How far back a history is looked at."""

    EVERYTHING = ""
    MONTH = "30-days"
    QUARTER = "90-days"
    YEAR = "12-months"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filters of a history; an empty field leaves everything."""

    period: Period = Period.EVERYTHING
    topic: str = ""
    kind: str = ""
    mode: str = ""

    @property
    def span(self) -> Span:
        """Return the kind of total that covers the period exactly."""
        spans = {Period.EVERYTHING: Span.EVER, Period.YEAR: Span.MONTH}
        return spans.get(self.period, Span.DAY)

    @property
    def has_line(self) -> bool:
        """Say whether the rows of a line tell it apart from the rest: they know the mode alone."""
        return not self.topic and not self.kind


def first_day(period: Period, today: date) -> date | None:
    """Return the first day of a period that ends today; `None` where it has none. Twelve months are whole ones."""
    if period is Period.EVERYTHING:
        return None
    if period is Period.YEAR:
        month = today.month % 12 + 1
        return date(today.year - (month > 1), month, 1)
    return today - timedelta(days=29 if period is Period.MONTH else 89)


def since_of(period: Period, today: date, zone: str) -> datetime | None:
    """Return the moment at which a period begins in a zone; `None` where it has no beginning."""
    first = first_day(period, today)
    return None if first is None else datetime(first.year, first.month, first.day, tzinfo=zone_of(zone))
