"""`/`: what this is, and the first item one click away."""

from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.item import TrueFalse
from app.bank.variants import NoVariantError, draw
from app.models.attempt import LastAttempt, count_of, last_of_each_item
from app.practice import Filter, matching
from app.tokens import new_sub_seed
from app.web.dependencies import CurrentSite, CurrentVisitor, Db, Site
from app.web.pages.item_page import question_of
from app.web.pages.shell import make_shell, show
from app.web.views import HomePage, SpecimenView, TopicCard

router = APIRouter()


@router.get("/")
def home(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db) -> HTMLResponse:
    """Show the topics and where this person stands in each."""
    last: dict[str, LastAttempt] = {} if visitor.person is None else last_of_each_item(session, visitor.person)
    cards = []
    for topic in site.bank.topics:
        items = matching(site.bank, Filter(topic=topic.id), site.livecheck)
        if items:
            answered = sum(item.id in last for item in items)
            practise = f"/practice/next?topic={topic.id}"
            url = f"/topics/{topic.id}"
            cards.append(TopicCard(topic.title, topic.introduction, url, len(items), answered, practise))
    page = HomePage(
        shell=make_shell(request, "home"),
        items=sum(card.items for card in cards),
        topics=tuple(cards),
        next_url="/practice/next",
        attempts=0 if visitor.person is None else count_of(session, visitor.person),
        specimen=_specimen(site),
    )
    return show(request, page)


def _specimen(site: Site) -> SpecimenView | None:
    """Return an easy item to show beside the promise: its code and statement, not its answer."""
    for item in matching(site.bank, Filter(level=1), site.livecheck):
        if isinstance(item, TrueFalse):
            with suppress(NoVariantError):
                shown = draw(item, new_sub_seed()).item
                return SpecimenView(shown.title, shown.snippet, question_of(shown), f"/practice/{item.id}")
    return None
