"""`/history`: where a person stands, what they misunderstand and what to do next; then every attempt, newest first."""

import re
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from app.bank.catalog import Bank
from app.bank.item import KINDS
from app.clock import day_of, now
from app.errors import BadRequestError, NotFoundError
from app.history.advice import Advice, advise
from app.history.listing import HistorySlice, read_cursor, showing, slice_of
from app.history.overview import Overview, overview_of
from app.history.wanted import Period, Wanted, since_of
from app.models.attempt import Mode
from app.web.dependencies import CurrentSite, CurrentVisitor, Db, Visitor
from app.web.history_views import BeliefPage, BeliefsPage, HistoryPage, Picker
from app.web.pages.history_words import FEW, MODES, attempt_list, belief_rows, figures, next_step, sentence_of, summary
from app.web.pages.item_links import item_link, last_attempts
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.shell import make_shell, show
from app.web.views import Choice

router = APIRouter(prefix="/history")

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_ID = 120
PERIODS = {
    Period.EVERYTHING: "all of it",
    Period.MONTH: "the last 30 days",
    Period.QUARTER: "the last 90 days",
    Period.YEAR: "the last 12 months",
}


def read_wanted(period: str = "", topic: str = "", kind: str = "", mode: str = "") -> Wanted:
    """Return the filters of a query; a topic that the bank has no more can still be looked at.

    Raises `BadRequestError` for what no page of ours offers.
    """
    if period not in list(Period):
        raise BadRequestError(f"There is no such period. It is one of {', '.join(filter(None, Period))}, or left out.")
    if topic and not is_id(topic):
        raise BadRequestError("That is no topic. The list of filters names them all.")
    if kind and kind not in KINDS:
        raise BadRequestError(f"There is no such kind of item. It is one of {', '.join(KINDS)}.")
    if mode and mode not in list(Mode):
        raise BadRequestError(f"There is no such mode. It is one of {', '.join(Mode)}.")
    return Wanted(Period(period), topic, kind, mode)


def is_id(text: str) -> bool:
    """Say whether a text can be the id of a topic or a misconception."""
    return len(text) <= LONGEST_ID and ID.fullmatch(text) is not None


CurrentWanted = Annotated[Wanted, Depends(read_wanted)]


def query_of(wanted: Wanted) -> str:
    """Return the query of some filters, empty for none."""
    fields = {"period": wanted.period, "topic": wanted.topic, "kind": wanted.kind, "mode": wanted.mode}
    return urlencode({name: str(value) for name, value in fields.items() if value})


@router.get("")
def index(
    request: Request,
    site: CurrentSite,
    visitor: CurrentVisitor,
    session: Db,
    wanted: CurrentWanted,
    before: str = "",
    after: str = "",
) -> HTMLResponse:
    """Show where this person stands, and a page of their attempts."""
    cursor = read_cursor(before, after)
    today = day_of(now(), visitor.zone)
    overview, attempts = Overview(), HistorySlice()
    if visitor.person is not None:
        overview = overview_of(session, visitor.person, wanted, today)
        attempts = slice_of(session, visitor.person, wanted, cursor, since_of(wanted.period, today, visitor.zone))
    if cursor is not None and not attempts.attempts:
        raise NotFoundError("There is no such page of the history.")
    bank = site.bank
    link, why = next_step(bank, _advice(bank, overview, wanted))
    page = HistoryPage(
        shell=make_shell(request, "history"),
        summary_md=_nobody(visitor) or summary(bank, overview),
        next_link=link,
        next_why=why,
        filters=_filters(bank, wanted) if overview.ever >= FEW or wanted != Wanted() else (),
        filtered=wanted != Wanted(),
        figures=figures(bank, overview, today) if overview.total.attempts else None,
        attempts=attempt_list(bank, attempts, "/history", query_of(wanted)),
    )
    return show(request, page)


def _advice(bank: Bank, overview: Overview, wanted: Wanted) -> Advice:
    topics = [topic.id for topic in bank.topics]
    if wanted == Wanted():
        return advise(overview, topics)
    # Of a part of the history one cannot tell what was never tried.
    return advise(overview, [topic for topic in topics if topic in overview.topics])


def _nobody(visitor: Visitor) -> str:
    if visitor.person is None and visitor.unreadable:
        return (
            "This browser's profile cannot be read here: its cookie was signed with another key. Your next answer "
            "starts a new one."
        )
    return ""


def _filters(bank: Bank, wanted: Wanted) -> tuple[Picker, ...]:
    topics = {"": "any topic"} | {topic.id: topic.title for topic in bank.topics}
    if wanted.topic and wanted.topic not in topics:
        topics[wanted.topic] = wanted.topic
    return (
        _picker("period", "Time", {str(period): words for period, words in PERIODS.items()}, wanted.period),
        _picker("topic", "Topic", topics, wanted.topic),
        _picker("kind", "Kind", {"": "any kind"} | KIND_TITLES, wanted.kind),
        _picker("mode", "Mode", {"": "any mode"} | {str(mode): words for mode, words in MODES.items()}, wanted.mode),
    )


def _picker(name: str, label: str, labels: dict[str, str], current: str) -> Picker:
    return Picker(name, label, tuple(Choice(value, words, value == current, 0) for value, words in labels.items()))


@router.get("/beliefs")
def beliefs(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db) -> HTMLResponse:
    """List every misconception that answers showed."""
    overview = Overview()
    if visitor.person is not None:
        overview = overview_of(session, visitor.person, Wanted(), day_of(now(), visitor.zone))
    return show(request, BeliefsPage(make_shell(request, "history"), belief_rows(site.bank, overview.beliefs)))


@router.get("/beliefs/{belief}")
def belief_page(
    request: Request,
    site: CurrentSite,
    visitor: CurrentVisitor,
    session: Db,
    belief: str,
    before: str = "",
    after: str = "",
) -> HTMLResponse:
    """Show one misconception: each attempt that showed it, and the items that ask about it."""
    known = site.bank.misconceptions.get(belief)
    attempts = HistorySlice()
    cursor = read_cursor(before, after)
    if visitor.person is not None and is_id(belief):
        attempts = showing(session, visitor.person, belief, cursor)
    if not attempts.attempts and (known is None or cursor is not None):
        raise NotFoundError("None of your answers showed such a belief. The history lists those that did.")
    last = last_attempts(session, visitor)
    items = (
        item for item in site.bank.select(misconception=belief) if site.livecheck.may_issue(site.bank.hashes[item.id])
    )
    page = BeliefPage(
        shell=make_shell(request, "history"),
        sentence_md=sentence_of(site.bank, belief),
        axis=known.axis if known else "",
        attempts=attempt_list(site.bank, attempts, f"/history/beliefs/{belief}", ""),
        items=tuple(item_link(site.bank, item, last) for item in items),
    )
    return show(request, page)
