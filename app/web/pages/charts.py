"""Figures of a history as places in a picture, with the table that says the same. Pure; the templates draw."""

from collections.abc import Sequence
from datetime import date

from app.history.figures import Bucket, Share, Speed, Streak, Sureness, Unit, share_of
from app.web.answers import CONFIDENCE_LABELS
from app.web.history_views import Bar, BarChart, Chart, ChartPoint, ShareRow

# The picture is 480 wide and 210 high; its axes meet at LEFT, BOTTOM.
LEFT, RIGHT, TOP, BOTTOM = 48.0, 468.0, 14.0, 172.0
COLUMN = 64  # of the picture of confidence


def percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{share:.0%}".replace("%", "\N{NO-BREAK SPACE}%")


def interval_words(share: Share) -> str:
    """Return the interval of a share."""
    low, high = share.interval
    return f"{low:.0%} to {high:.0%}".replace("%", "\N{NO-BREAK SPACE}%")


def day_words(day: date) -> str:
    """Return a day such as `1 Dec 2026`."""
    return f"{day.day} {day:%b %Y}"


def unit_words(start: date, unit: Unit) -> str:
    """Return the name of a unit of time by its first day."""
    if unit is Unit.MONTH:
        return f"{start:%b %Y}"
    if unit is Unit.QUARTER:
        return f"{start:%b} to {start.replace(month=start.month + 2):%b %Y}"
    return f"{start:%Y}" if unit is Unit.YEAR else day_words(start)


def _height(share: float) -> float:
    return round(BOTTOM - share * (BOTTOM - TOP), 1)


def _point(x: float, share: Share, cells: tuple[str, ...], tick: str = "") -> ChartPoint:
    low, high = share.interval
    return ChartPoint(round(x, 1), _height(share.value), _height(high), _height(low), cells, tick)


def _joined(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in places)


def over_time(unit: Unit, buckets: Sequence[Bucket]) -> Chart | None:
    """Return the share that was right over time, with its interval; empty units have no point."""
    if not buckets:
        return None
    last, points = buckets[-1].place, []
    for one in buckets:
        x = (LEFT + RIGHT) / 2 if last == 0 else LEFT + 12 + one.place / last * (RIGHT - LEFT - 24)
        share = share_of(one.tally)
        name = unit_words(one.start, unit)
        cells = (name, str(one.tally.attempts), percent(share.value), interval_words(share), _credit(one))
        points.append(_point(x, share, cells, name if one in {buckets[0], buckets[-1]} else ""))
    several = len(points) > 1
    band = [(one.x, one.top) for one in points] + [(one.x, one.bottom) for one in reversed(points)]
    span = "" if not several else f" It goes from {points[0].cells[2]} to {points[-1].cells[2]}."
    return Chart(
        label=f"Share of answers with every part right, by {unit}.{span} The table below has all points.",
        caption=f"Answers with every part right, by {unit}, with the 95 % interval.",
        columns=(unit.capitalize(), "answers", "right", "95 % interval", "credit"),
        points=tuple(points),
        line=_joined([(one.x, one.y) for one in points]) if several else "",
        band=_joined(band) if several else "",
    )


def _credit(one: Bucket) -> str:
    return percent(one.tally.credit / one.tally.attempts)


def sureness(found: Sequence[Sureness]) -> Chart | None:
    """Return how often each word of confidence was right, beside what the word says."""
    told = [one for one in found if one.share.count]
    if not told:
        return None
    words = [CONFIDENCE_LABELS[one.confidence] for one in told]
    places = {one.confidence: LEFT + COLUMN + 2 * COLUMN * place for place, one in enumerate(found)}
    points = []
    for word, one in zip(words, told, strict=True):
        cells = (word, str(one.share.count), percent(one.share.value), interval_words(one.share), percent(one.meant))
        points.append(_point(places[one.confidence], one.share, cells, word))
    said = ", ".join(f"{one.cells[0]} {one.cells[2]} of {one.cells[1]}" for one in points)
    return Chart(
        label=f"How often answers were right, by how sure they were given: {said}.",
        caption="On the dashed line, sure and right agree.",
        columns=("said", "answers", "right", "95 % interval", "the word says"),
        points=tuple(points),
        meant=_joined([(places[one.confidence], _height(one.meant)) for one in found]),
    )


def bracket_words(start: int, limit: int | None) -> str:
    """Return a span of seconds as people read it."""
    if limit is None:
        return f"over {start // 60} min"
    if limit <= 60:
        return f"{start} to {limit} s"
    return f"{start // 60} to {limit // 60} min"


def _short_words(start: int, limit: int | None) -> str:
    if limit is None:
        return f"{start // 60}+ min"
    return f"<{limit} s" if limit < 60 else f"<{limit // 60} min"


def speed(found: Speed) -> BarChart | None:
    """Return how long answers took, as bars."""
    rows = tuple((bracket_words(start, limit), count) for start, limit, count in found.brackets)
    if found.middle is None:
        return None
    return _bars(
        "How many answers took how long: " + ", ".join(f"{name} {count}" for name, count in rows) + ".",
        f"Half of the answers took {_at_most(found.middle)}. Fast is no aim of its own.",
        ("time to answer", "answers"),
        rows,
        ticks=tuple(_short_words(start, limit) for start, limit, _ in found.brackets),
    )


def _at_most(middle: tuple[int, int | None]) -> str:
    start, limit = middle
    if limit is None:
        return f"{start // 60} minutes or more"
    return f"less than {limit} seconds" if limit <= 60 else f"less than {limit // 60} minutes"


def days(found: Streak) -> BarChart | None:
    """Return on how many days of each of twelve weeks there was practice, as bars; nothing where on none."""
    if not any(count for _, count in found.weeks):
        return None
    rows = tuple((f"{monday.day} {monday:%b}", count) for monday, count in found.weeks)
    row = f" The last {found.in_a_row} days were in a row." if found.in_a_row > 1 else ""
    return _bars(
        "Days with practice in each of the last twelve weeks: " + ", ".join(str(count) for _, count in rows) + ".",
        f"Practice on {found.of_28} of the last 28 days.{row}",
        ("week from", "days"),
        rows,
        ticks=tuple("" if place % 3 else name for place, (name, _) in enumerate(rows)),
        most=7,
    )


def _bars(
    label: str,
    caption: str,
    columns: tuple[str, str],
    rows: tuple[tuple[str, int], ...],
    *,
    ticks: tuple[str, ...],
    most: int = 0,
) -> BarChart:
    most = most or max(count for _, count in rows)
    step = (RIGHT - LEFT) / len(rows)
    bars = []
    for place, (_, count) in enumerate(rows):
        top = _height(count / most)
        left = LEFT + place * step + step * 0.12
        value = f"{count}" if count else ""
        bars.append(Bar(round(left, 1), top, round(step * 0.76, 1), round(BOTTOM - top, 1), ticks[place], value))
    return BarChart(label, caption, columns, tuple(bars), tuple((name, str(count)) for name, count in rows))


def share_row(label: str, url: str, share: Share) -> ShareRow:
    """Return how much of something was right, as a bar in a table."""
    low, high = share.interval
    value = round(100 * share.value)
    return ShareRow(label, url, value, round(100 * low, 1), round(100 * high, 1), percent(share.value), share.count)
