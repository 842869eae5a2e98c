"""`/glossary` and `/topics/{topic}`: what to read beside the items."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.catalog import Bank, misconceptions_of
from app.bank.glossary import GlossaryEntry
from app.errors import NotFoundError
from app.practice import Filter, matching
from app.web.dependencies import CurrentSite, CurrentVisitor, Db
from app.web.pages.item_links import item_link, last_attempts
from app.web.pages.shell import make_shell, show
from app.web.views import GlossaryPage, Link, TermView, TopicPage

router = APIRouter()


@router.get("/glossary")
def glossary(request: Request, site: CurrentSite) -> HTMLResponse:
    """Show every term with its definition."""
    entries = sorted(site.bank.glossary.values(), key=lambda entry: entry.term.lower())
    page = GlossaryPage(make_shell(request, "none"), tuple(_term(site.bank, entry) for entry in entries))
    return show(request, page)


@router.get("/topics/{topic_id}")
def topic(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db, topic_id: str) -> HTMLResponse:
    """Introduce a topic and list its items with where this person stands."""
    found = site.bank.topic(topic_id)
    if found is None:
        raise NotFoundError("There is no such topic. The home page lists them all.")
    items = matching(site.bank, Filter(topic=found.id), site.livecheck)
    last = last_attempts(session, visitor)
    named = {name for item in items for name in misconceptions_of(item)}
    page = TopicPage(
        shell=make_shell(request, "practice"),
        title=found.title,
        introduction_md=found.introduction,
        reading_md=found.reading,
        terms=tuple(
            Link(f"/glossary#{entry.id}", entry.term) for entry in site.bank.glossary.values() if found.id in entry.see
        ),
        beliefs=tuple((one.sentence, one.axis) for one in site.bank.misconceptions.values() if one.id in named),
        items=tuple(replace(item_link(site.bank, item, last), topic="") for item in items),
        answered=sum(item.id in last for item in items),
        next_url=f"/practice/next?topic={found.id}" if items else None,
    )
    return show(request, page)


def _term(bank: Bank, entry: GlossaryEntry) -> TermView:
    links = tuple(link for name in entry.see if (link := _link(bank, name)) is not None)
    return TermView(entry.id, entry.term, entry.also, entry.definition, links)


def _link(bank: Bank, name: str) -> Link | None:
    """Return the link to a topic or an item; none where its file is left out."""
    found = bank.topic(name)
    if found is not None:
        return Link(f"/topics/{name}", found.title)
    item = bank.get(name)
    return None if item is None else Link(f"/practice/{name}", item.title)
