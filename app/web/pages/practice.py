"""`/practice`: the list with its filters, the next item, an item, and the response to it."""

from dataclasses import dataclass, field, replace
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app import practice
from app.bank.item import KINDS, Item
from app.bank.variants import Variant
from app.clock import now
from app.errors import BadRequestError, GradproofError, NotFoundError, TooManyRequestsError, UnavailableError
from app.livecheck import ItemWithheldError
from app.practice import Filter, Submission
from app.sandbox.client import SandboxAwayError
from app.tokens import ForgedFormError, FormToken
from app.web.answers import read_answer
from app.web.dependencies import PROFILE_COOKIE, CurrentSite, CurrentVisitor, Db, Site, Visitor
from app.web.forms import Form
from app.web.limiter import Rate
from app.web.pages.item_links import item_link, last_attempts
from app.web.pages.item_page import KIND_TITLES, ShownForm, heading_of, item_page
from app.web.pages.shell import make_shell, show
from app.web.views import Choice, Notice, PracticePage, Tone, WithheldPage

router = APIRouter(prefix="/practice")

LEVELS = {"1": "1, warm-up", "2": "2, core", "3": "3, deep"}
COOKIE_SECONDS = 400 * 24 * 3600


class StaleFormError(practice.ItemChangedError):
    """The form is genuine, but too old to be answered."""

    title = "This item was opened too long ago"


def read_filter(site: CurrentSite, topic: str = "", kind: str = "", level: str = "") -> Filter:
    """Return the filter of a query.

    Raises `NotFoundError` for a topic and `BadRequestError` for a kind or a level that does not exist.
    """
    if topic and topic not in {one.id for one in site.bank.topics}:
        raise NotFoundError("There is no such topic. The list of items names them all.")
    if kind and kind not in KINDS:
        raise BadRequestError(f"There is no such kind of item. It is one of {', '.join(KINDS)}.")
    if level and level not in LEVELS:
        raise BadRequestError("There is no such level. It is 1, 2 or 3.")
    return Filter(topic, kind, int(level or 0))


Wanted = Annotated[Filter, Depends(read_filter)]


def _query(wanted: Filter, after: str = "") -> str:
    parts = {"topic": wanted.topic, "kind": wanted.kind, "level": wanted.level or "", "after": after}
    text = "&".join(f"{name}={value}" for name, value in parts.items() if value)
    return f"?{text}" if text else ""


def _choices(site: Site, wanted: Filter, field: str, labels: dict[str, str]) -> tuple[Choice, ...]:
    current = str(getattr(wanted, field) or "")
    entries = {"": "any"} | labels
    return tuple(
        Choice(
            value,
            label,
            value == current,
            len(practice.matching(site.bank, _with(wanted, field, value), site.livecheck)),
        )
        for value, label in entries.items()
    )


def _with(wanted: Filter, field: str, value: str) -> Filter:
    if field == "level":
        return replace(wanted, level=int(value or 0))
    return replace(wanted, topic=value) if field == "topic" else replace(wanted, kind=value)


@router.get("")
def index(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db, wanted: Wanted) -> HTMLResponse:
    """List the items a filter leaves."""
    items = practice.matching(site.bank, wanted, site.livecheck)
    last = last_attempts(session, visitor)
    page = PracticePage(
        shell=make_shell(request, "practice"),
        topics=_choices(site, wanted, "topic", {one.id: one.title for one in site.bank.topics}),
        kinds=_choices(site, wanted, "kind", KIND_TITLES),
        levels=_choices(site, wanted, "level", LEVELS),
        filtered=wanted != Filter(),
        next_url=f"/practice/next{_query(wanted)}" if items else None,
        items=tuple(item_link(site.bank, item, last) for item in items),
    )
    return show(request, page)


@router.get("/next")
def next_item(
    site: CurrentSite, visitor: CurrentVisitor, session: Db, wanted: Wanted, after: str = ""
) -> RedirectResponse:
    """Go to the item to practise next."""
    item = practice.choose_next(
        practice.matching(site.bank, wanted, site.livecheck),
        last_attempts(session, visitor),
        after,
        practice.in_doubt(site.bank, site.livecheck),
    )
    return RedirectResponse(f"/practice{_query(wanted)}" if item is None else f"/practice/{item.id}", 303)


@router.get("/{item_id}")
def show_item(request: Request, site: CurrentSite, visitor: CurrentVisitor, item_id: str) -> HTMLResponse:
    """Show a variant that was run: a fresh one, or where that cannot be, one that was run before."""
    item = practice.find_item(site.bank, item_id)
    try:
        opening = practice.open_item(site.livecheck, item, visitor.person or uuid4(), now())
    except ItemWithheldError as error:
        return withheld(request, site, item, error)
    opened = Opened(request, site, opening.variant, opening.token)
    return opened.show(notice=AWAY if isinstance(opening.problem, SandboxAwayError) else None)


@router.post("/{item_id}")
def answer_item(request: Request, site: CurrentSite, visitor: CurrentVisitor, fields: Form, item_id: str) -> Response:
    """Take a response: check, store, and go to its reveal; or show the page again with what was entered."""
    token = site.signer.read_form(fields.get("token", ""))
    if token.item_id != item_id:
        raise ForgedFormError("It belongs to another item. Open this item again and answer it there.")
    person = visitor.person or token.person
    earlier = practice.earlier_attempt(site.database, token, person)
    if earlier is not None:
        return _reveal(site, earlier, token, visitor)
    try:
        opened = Opened(request, site, _fresh_enough(site, token), token, fields)
    except practice.ItemChangedError as error:
        return _reopened(request, site, token, fields, error)
    answer = read_answer(opened.variant, fields)
    if answer.errors:
        return opened.show(answer.errors, INCOMPLETE, 422)
    submission = Submission(token, person, opened.variant, answer.response, now())
    try:
        site.limiter.admit(*_shares(site, visitor))
        attempt = practice.submit(site.database, site.livecheck, site.bank, submission)
    except ItemWithheldError as error:
        return withheld(request, site, opened.variant.item, error)
    except (UnavailableError, TooManyRequestsError) as error:
        return opened.refuse(error)
    return _reveal(site, attempt, token, visitor)


@dataclass(frozen=True, slots=True)
class Opened:
    """An item that a request has before it: its variant, its form, and the fields entered so far."""

    request: Request
    site: Site
    variant: Variant
    token: FormToken
    fields: dict[str, str] = field(default_factory=dict)

    def show(
        self, errors: dict[str, str] | None = None, notice: Notice | None = None, status: int = 200
    ) -> HTMLResponse:
        """Render the page with what was entered."""
        form = ShownForm(self.site.signer.sign_form(self.token), self.fields, errors or {}, notice)
        page = item_page(make_shell(self.request, "practice"), self.site.bank, self.variant, form)
        return show(self.request, page, status)

    def refuse(self, error: GradproofError) -> HTMLResponse:
        """Render the page with what was entered, and why it was not taken."""
        response = self.show(notice=Notice(Tone.WARNING, error.title, error.message), status=error.status)
        if error.retry_after is not None:
            response.headers["retry-after"] = str(error.retry_after)
        return response


AWAY = Notice(
    Tone.WARNING,
    "The sandbox is away for the moment",
    "Read the item and choose meanwhile. Committing needs the sandbox; where it is still away then, what you entered "
    "is kept.",
)
INCOMPLETE = Notice(Tone.WARNING, "Something is missing", "Nothing was stored yet, and what you entered is kept.")


def _fresh_enough(site: Site, token: FormToken) -> Variant:
    if now().timestamp() - token.issued_at > site.settings.form_max_hours * 3600:
        raise StaleFormError(
            f"It was opened more than {site.settings.form_max_hours} hours ago, so nothing was stored. Here it is "
            "afresh, with what you entered: look once more, then commit."
        )
    return practice.variant_of(site.bank, token)


def _reopened(
    request: Request, site: Site, token: FormToken, fields: dict[str, str], error: practice.ItemChangedError
) -> HTMLResponse:
    try:
        opening = practice.reopen_item(site.bank, site.livecheck, token, now())
    except ItemWithheldError as wrong:
        return withheld(request, site, practice.find_item(site.bank, token.item_id), wrong)
    return Opened(request, site, opening.variant, opening.token, fields).refuse(error)


def _shares(site: Site, visitor: Visitor) -> tuple[tuple[str, Rate], ...]:
    # Without a cookie every request would be a new person, so the address is the person.
    settings = site.settings
    person = Rate(settings.reveals_burst, settings.reveals_per_minute)
    if visitor.person is None:
        return ((f"nobody at {visitor.address}", person),)
    everybody = Rate(settings.address_burst, settings.address_per_minute)
    return ((f"person {visitor.person}", person), (f"address {visitor.address}", everybody))


def _reveal(site: Site, attempt: UUID, token: FormToken, visitor: Visitor) -> RedirectResponse:
    response = RedirectResponse(f"/attempts/{attempt}", 303)
    if visitor.person is None:
        response.set_cookie(
            PROFILE_COOKIE,
            site.signer.sign_profile(token.person),
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=site.settings.cookie_secure,
        )
    return response


def withheld(request: Request, site: Site, item: Item, error: ItemWithheldError) -> HTMLResponse:
    """Show where the run of an item contradicts its file."""
    reading = error.reading
    page = WithheldPage(
        shell=make_shell(request, "practice"),
        heading=heading_of(item, site.bank.title_of(item.topic)),
        disagreements=()
        if reading is None
        else tuple((one.part, one.expected, one.observed) for one in reading.disagreements),
        undecided=() if reading is None else reading.undecided,
        next_url=f"/practice/next?after={item.id}",
    )
    return show(request, page, error.status)
