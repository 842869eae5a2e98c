"""A history as sentences, rows and charts: from its figures to what the page shows."""

from collections.abc import Sequence
from datetime import date

from app.bank.catalog import Bank
from app.grading.grade import Confidence, Outcome
from app.history.advice import Advice, Why, costliest
from app.history.figures import Sureness, Trend, share_of
from app.history.listing import HistorySlice
from app.history.overview import BeliefShown, Overview
from app.models import Attempt
from app.models.attempt import Mode
from app.web.answers import CONFIDENCE_LABELS
from app.web.history_views import AttemptList, AttemptRow, BeliefRow, HistoryFigures
from app.web.pages import charts
from app.web.pages.charts import day_words, percent
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.outcomes import outcome_words, show_time, tone_of
from app.web.views import Link

MODES = {Mode.PRACTICE: "practice", Mode.DECK: "deck", Mode.CHECK: "self-check", Mode.MOCK: "mock quiz"}
LEVEL_NAMES = {1: "warm-up", 2: "core", 3: "deep"}
MOST_BELIEFS = 8  # what one can keep in mind
FEW = 5  # answers of which a share says nothing
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def attempt_row(bank: Bank, attempt: Attempt) -> AttemptRow:
    """Return the row of an attempt."""
    outcome, mode = Outcome.from_json(attempt.outcome), Mode(attempt.mode)
    return AttemptRow(
        url=f"/attempts/{attempt.id}",
        title=attempt.title,
        topic=bank.title_of(attempt.topic),
        kind=KIND_TITLES.get(attempt.kind, attempt.kind),
        level=attempt.level,
        tone=tone_of(outcome),
        outcome=outcome_words(outcome),
        confidence=CONFIDENCE_LABELS[Confidence(attempt.confidence)] if attempt.confidence else "",
        when=show_time(attempt.created_at),
        when_iso=attempt.created_at.isoformat(),
        took=took_words(attempt.seconds),
        mode="" if mode is Mode.PRACTICE else MODES[mode],
    )


def took_words(seconds: int) -> str:
    """Return how long an answer took; what took over a day was left open and not thought about."""
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7200:
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h" if seconds < 86_400 else "over a day"


def attempt_list(bank: Bank, found: HistorySlice, path: str, query: str) -> AttemptList:
    """Return a page of attempts; `query` are the filters to keep, without a question mark."""
    kept = f"{query}&" if query else ""
    return AttemptList(
        tuple(attempt_row(bank, one) for one in found.attempts),
        f"{path}?{kept}after={found.newer}" if found.newer else "",
        f"{path}?{kept}before={found.older}" if found.older else "",
    )


def sentence_of(bank: Bank, belief: str) -> str:
    """Return the sentence of a misconception; one that the bank has no more reads as its id."""
    known = bank.misconceptions.get(belief)
    return known.sentence if known else belief.replace("-", " ")


def summary(bank: Bank, overview: Overview) -> str:
    """Return where a person stands, as Markdown."""
    total = overview.total
    if not overview.ever:
        return "Nothing answered yet in this browser."
    if not total.attempts:
        return f"None of your {_answers(overview.ever)} fits these filters. Widen one of them."
    if total.attempts < FEW:
        right = "it is right" if total.right else "it is not right yet"
        start = (
            f"{total.right} of {total.attempts} answers are right" if total.attempts > 1 else f"One answer, and {right}"
        )
        return f"{start}. A few more, and this page says where you stand."
    share = share_of(total)
    said = [f"You are right on {percent(share.value)} of {_answers(total.attempts)}{_trend(overview.trend)}."]
    belief = costliest(overview)
    if belief is not None:
        said.append(_belief(bank, belief))
    return " ".join(said)


def _answers(count: int) -> str:
    return f"{count:,} answer{'' if count == 1 else 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _trend(trend: Trend | None) -> str:
    if trend is None:
        return ""
    now, then = percent(trend.recent.value), percent(trend.earlier.value)
    if trend.direction == 0:
        return f", and since {day_words(trend.since)} neither better nor worse than before"
    word = "up" if trend.direction > 0 else "down"
    return f"; since {day_words(trend.since)} on {now}, {word} from {then} before"


def _belief(bank: Bank, belief: BeliefShown) -> str:
    sentence = sentence_of(bank, belief.belief).rstrip(".")
    return f"One belief costs you most: *{sentence}*, {times_words(belief.tally.attempts)}{_certain(belief)}."


def number_words(count: int) -> str:
    """Return a small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def times_words(count: int) -> str:
    """Return how often in words."""
    return {1: "once", 2: "twice"}.get(count, f"{number_words(count)} times")


def _certain(belief: BeliefShown) -> str:
    certain = belief.tally.certain
    if not certain:
        return ""
    if certain == belief.tally.attempts:
        return ", and certain" if certain == 1 else ", certain each time"
    return f", {number_words(certain)} of them certain"


def next_step(bank: Bank, advice: Advice) -> tuple[Link, str]:
    """Return what to do next, and why."""
    topic = bank.title_of(advice.topic)
    url = f"/practice/next?topic={advice.topic}" if advice.topic else "/practice"
    if advice.why is Why.BEGIN:
        return Link("/practice", "Answer a first item"), "Predict, commit, then see what the run shows."
    if advice.why is Why.BELIEF and advice.belief is not None:
        return Link(url, f"Practise {topic}"), "There that belief showed most."
    if advice.why is Why.WEAK:
        return Link(url, f"Practise {topic}"), "Of the topics with at least five answers it goes worst."
    if advice.why is Why.UNTRIED:
        return Link(url, f"Try {topic}"), "Nothing stands out in what you tried, and this is new to you."
    return Link(url, "Go on practising"), "Nothing stands out: every topic was tried."


def sureness_words(found: tuple[Sureness, ...]) -> tuple[str, ...]:
    """Return what each word of confidence was worth, in sentences."""
    return tuple(_sureness(one) for one in found if one.share.count)


def _sureness(one: Sureness) -> str:
    word, count = CONFIDENCE_LABELS[one.confidence], _answers(one.share.count)
    said = f"When you say {word} you are right {percent(one.share.value)} of the time ({count})"
    if one.verdict < 0:
        return f"{said}: less often than the word says."
    if one.verdict > 0:
        return f"{said}: you know more than you think."
    return f"{said}." if one.share.count >= FEW else f"{said}: too few to tell."


def figures(bank: Bank, overview: Overview, today: date) -> HistoryFigures:
    """Return every figure that has something to show; of a few answers only what was believed wrongly."""
    beliefs = belief_rows(bank, overview.beliefs[:MOST_BELIEFS])
    if overview.total.attempts < FEW:
        return HistoryFigures(None, None, (), None, (), (), beliefs, 0, None)
    return HistoryFigures(
        over_time=charts.over_time(overview.unit, overview.buckets),
        sureness=charts.sureness(overview.sureness),
        sureness_words=sureness_words(overview.sureness),
        speed=charts.speed(overview.speed),
        topics=tuple(
            charts.share_row(bank.title_of(topic), f"/history?topic={topic}", share_of(tally))
            for topic, tally in sorted(overview.topics.items(), key=lambda one: share_of(one[1]).interval[1])
        ),
        levels=tuple(
            charts.share_row(f"{level}, {LEVEL_NAMES[level]}", "", share_of(tally))
            for level, tally in overview.levels.items()
        ),
        beliefs=beliefs,
        more_beliefs=max(0, len(overview.beliefs) - MOST_BELIEFS),
        days=charts.days(overview.streak(today)),
    )


def belief_rows(bank: Bank, beliefs: Sequence[BeliefShown]) -> tuple[BeliefRow, ...]:
    """Return rows of the ledger."""
    return tuple(_belief_row(bank, belief) for belief in beliefs)


def _belief_row(bank: Bank, belief: BeliefShown) -> BeliefRow:
    tally = belief.tally
    return BeliefRow(
        sentence_md=sentence_of(bank, belief.belief),
        url=f"/history/beliefs/{belief.belief}",
        seen=tally.attempts,
        sure=f"{tally.certain} of {tally.attempts} certain" if tally.certain else "",
        last=day_words(belief.last),
        last_url=f"/attempts/{belief.newest}",
    )
