"""`/practice`: the list with its filters, the next item, an item, and the response to it."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app import practice
from app.bank.item import Item
from app.bank.variants import Variant
from app.clock import now
from app.errors import GradproofError, TooManyRequestsError, UnavailableError
from app.livecheck import ItemWithheldError
from app.practice import Filter, Submission
from app.sandbox.client import SandboxAwayError
from app.tokens import ForgedFormError, FormToken
from app.web.answers import read_answer
from app.web.dependencies import CurrentSite, CurrentVisitor, Db, Site, Visitor, remember_person
from app.web.forms import Form
from app.web.pages.filters import LEVELS, Wanted, query_of
from app.web.pages.item_links import item_link, last_attempts
from app.web.pages.item_page import KIND_TITLES, ShownForm, heading_of, item_page
from app.web.pages.shell import make_shell, show
from app.web.shares import shares_of
from app.web.views import Choice, Notice, PracticePage, Tone, WithheldPage

router = APIRouter(prefix="/practice")


class StaleFormError(practice.ItemChangedError):
    """The form is genuine, but too old to be answered."""

    title = "This item was opened too long ago"


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
        next_url=f"/practice/next{query_of(wanted)}" if items else None,
        items=tuple(item_link(site.bank, item, last, query_of(wanted)) for item in items),
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
    return RedirectResponse(f"/practice{'' if item is None else f'/{item.id}'}{query_of(wanted)}", 303)


@router.get("/{item_id}")
def show_item(
    request: Request, site: CurrentSite, visitor: CurrentVisitor, wanted: Wanted, item_id: str
) -> HTMLResponse:
    """Show a variant that was run: a fresh one, or where that cannot be, one that was run before.

    A new browser gets its profile's cookie with it, so that everybody who takes cookies is a person of their own from
    the first press on; nothing is stored for that.
    """
    item = practice.find_item(site.bank, item_id)
    try:
        opening = practice.open_item(site.livecheck, item, visitor.person, now())
    except ItemWithheldError as error:
        return withheld(request, site, item, error, wanted)
    opened = Opened(request, site, opening.variant, opening.token, wanted)
    response = opened.show(notice=AWAY if isinstance(opening.problem, SandboxAwayError) else None)
    if visitor.person is None or visitor.renew:
        remember_person(site, response, opening.token.person)
    return response


@router.post("/{item_id}")
def answer_item(
    request: Request, site: CurrentSite, visitor: CurrentVisitor, fields: Form, wanted: Wanted, item_id: str
) -> Response:
    """Take a response: check, store, and go to its reveal; or show the page again with what was entered."""
    token = site.signer.read_form(fields.get("token", ""))
    if token.item_id != item_id:
        raise ForgedFormError("It belongs to another item. Open this item again and answer it there.")
    asked = Asked(request, site, visitor, wanted, token, fields)
    person = visitor.person or token.person
    earlier = practice.earlier_attempt(site.database, token, person)
    try:
        if visitor.person is None and not practice.may_begin(site.database, token, earlier, now()):
            raise NoCookieError(
                "This form was opened with a cookie that your browser did not send now, so it is unclear whose answer "
                "this is. Nothing was stored. Here is the item again, with what you entered: commit once more."
            )
        if earlier is not None:
            return _reveal(asked, earlier.attempt, again=_is_other(site, fields, earlier, token))
        opened = Opened(request, site, _fresh_enough(site, token), token, wanted, fields)
    except practice.ItemChangedError as error:
        return _reopened(asked, error)
    answer = read_answer(opened.variant, fields)
    if answer.errors:
        return opened.show(answer.errors, INCOMPLETE, 422)
    submission = Submission(token, person, opened.variant, answer.response, now(), visitor.zone)
    try:
        site.limiter.admit(*shares_of(site, visitor))
        attempt = practice.submit(site.database, site.livecheck, site.bank, submission)
    except ItemWithheldError as error:
        return withheld(request, site, opened.variant.item, error, wanted)
    except (UnavailableError, TooManyRequestsError) as error:
        return opened.refuse(error)
    return _reveal(asked, attempt)


class NoCookieError(practice.ItemChangedError):
    """A form that was shown to a profile came back without its cookie."""

    title = "Your browser sent no cookie"


@dataclass(frozen=True, slots=True)
class Asked:
    """A form that was sent: by whom, under which filter, and with which fields."""

    request: Request
    site: Site
    visitor: Visitor
    wanted: Filter
    token: FormToken
    fields: dict[str, str]


def _is_other(site: Site, fields: dict[str, str], earlier: practice.Earlier, token: FormToken) -> bool:
    """Say whether a form that was used comes back with something else entered."""
    try:
        variant = practice.variant_of(site.bank, token)
    except GradproofError:
        return False
    return read_answer(variant, fields).response != earlier.response


@dataclass(frozen=True, slots=True)
class Opened:
    """An item that a request has before it: its variant, its form, and the fields entered so far."""

    request: Request
    site: Site
    variant: Variant
    token: FormToken
    wanted: Filter
    fields: dict[str, str] = field(default_factory=dict)

    def show(
        self, errors: dict[str, str] | None = None, notice: Notice | None = None, status: int = 200
    ) -> HTMLResponse:
        """Render the page with what was entered."""
        token = self.site.signer.sign_form(self.token)
        form = ShownForm(token, self.fields, errors or {}, notice, query_of(self.wanted))
        page = item_page(make_shell(self.request, "practice"), self.site.bank, self.variant, form)
        response = show(self.request, page, status)
        response.headers["cache-control"] = "no-store"  # going back draws anew: choices must not land on another order
        return response

    def refuse(self, error: GradproofError) -> HTMLResponse:
        """Render the page with what was entered, and why it was not taken."""
        notice = Notice(Tone.WARNING, error.title, error.message, refused=True)
        response = self.show(notice=notice, status=error.status)
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


def _reopened(asked: Asked, error: practice.ItemChangedError) -> HTMLResponse:
    site, visitor = asked.site, asked.visitor
    try:
        opening = practice.reopen_item(site.bank, site.livecheck, asked.token, now(), person=visitor.person)
    except ItemWithheldError as wrong:
        return withheld(asked.request, site, practice.find_item(site.bank, asked.token.item_id), wrong, asked.wanted)
    opened = Opened(asked.request, site, opening.variant, opening.token, asked.wanted, asked.fields)
    response = opened.refuse(error)
    if visitor.person is None:
        remember_person(site, response, opening.token.person)
    return response


def _reveal(asked: Asked, attempt: UUID, *, again: bool = False) -> RedirectResponse:
    query = query_of(asked.wanted)
    if again:
        query = f"{query}&again=1" if query else "?again=1"
    response = RedirectResponse(f"/attempts/{attempt}{query}", 303)
    if asked.visitor.person is None:
        remember_person(asked.site, response, asked.token.person)
    return response


def withheld(request: Request, site: Site, item: Item, error: ItemWithheldError, wanted: Filter) -> HTMLResponse:
    """Show where the run of an item contradicts its file."""
    reading = error.reading
    page = WithheldPage(
        shell=make_shell(request, "practice"),
        heading=heading_of(item, site.bank.title_of(item.topic)),
        disagreements=()
        if reading is None
        else tuple((one.part, one.expected, one.observed) for one in reading.disagreements),
        undecided=() if reading is None else reading.undecided,
        next_url=f"/practice/next{query_of(wanted, item.id)}",
    )
    return show(request, page, error.status)
