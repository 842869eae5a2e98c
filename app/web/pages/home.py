"""`/`: what this is, and the first question one click away."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.models.attempt import LastAttempt, count_of, last_of_each_item
from app.practice import Filter, matching
from app.web.dependencies import CurrentSite, CurrentVisitor, Db
from app.web.pages.shell import make_shell, show
from app.web.views import HomePage, TopicCard

router = APIRouter()


@router.get("/")
def home(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db) -> HTMLResponse:
    """Show the topics and where this person stands in each."""
    last: dict[str, LastAttempt] = {} if visitor.person is None else last_of_each_item(session, visitor.person)
    cards = []
    for topic in site.bank.topics:
        items = matching(site.bank, Filter(topic=topic.id))
        if items:
            answered = sum(item.id in last for item in items)
            url = f"/practice?topic={topic.id}"
            cards.append(TopicCard(topic.title, topic.introduction, url, len(items), answered))
    page = HomePage(
        shell=make_shell(request, "home"),
        items=sum(card.items for card in cards),
        topics=tuple(cards),
        next_url="/practice/next",
        attempts=0 if visitor.person is None else count_of(session, visitor.person),
    )
    return show(request, page)
