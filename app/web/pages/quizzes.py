"""`/teams/{team}` and `/teams/{team}/quizzes/…`: a team's quizzes, from the draft to the end."""

from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.clock import now
from app.errors import ConflictError, NotFoundError
from app.hiring.pools import start_publishing
from app.hiring.quizzes import (
    InvalidQuizError,
    change_quiz,
    close_quiz,
    copy_quiz,
    create_quiz,
    find_quiz,
    remove_draft,
    reopen_quiz,
    set_slots,
    settings_of,
    spec_of,
)
from app.hiring.ready_made import load_ready_made
from app.models import Invitation, Quiz, QuizSession, QuizSlot
from app.models.quiz import QuizState, pool_size, public_items_of, quizzes_of, slots_of
from app.models.team import Role
from app.models.team_item import team_items_of
from app.web.access import TeamAccess, TeamAuthor, TeamReviewer
from app.web.account_views import LinkView
from app.web.dependencies import CurrentSite, Db, Site
from app.web.fields import FormView
from app.web.forms import Form, FormDb
from app.web.hiring_views import FactRow, QuizFormPage, QuizPage, QuizRow, QuizzesPage, ReadyMadeView
from app.web.pages.invitations import minutes_words, shown_words
from app.web.pages.quiz_forms import fields_of_settings, read_settings, settings_form
from app.web.pages.quiz_slots import add_forms, read_slot, slot_views, uses_public_items
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.views import Notice, Tone

router = APIRouter(prefix="/teams/{team_id}")

STATE_WORDS = {
    QuizState.DRAFT: "A draft: nobody can take it yet, and everything can be changed.",
    QuizState.PUBLISHING: "Its variants are being checked live. Nobody can start before all of them are.",
    QuizState.PUBLISHED: "Published: invited candidates can take it. What it asks is frozen.",
    QuizState.CLOSED: "Closed: nobody can start any more.",
}


def _count(session: Session, table: type[Invitation] | type[QuizSession], *more: object) -> dict[UUID, int]:
    query = select(table.quiz_id, func.count()).where(*more).group_by(table.quiz_id)  # type: ignore[arg-type]  # clauses
    return {row[0]: row[1] for row in session.execute(query)}


def _rows(session: Session, access: TeamAccess) -> tuple[QuizRow, ...]:
    quizzes = quizzes_of(session, access.team.id)
    ids = [quiz.id for quiz in quizzes]
    invited = _count(session, Invitation, Invitation.quiz_id.in_(ids))
    started = _count(session, QuizSession, QuizSession.quiz_id.in_(ids))
    finished = _count(session, QuizSession, QuizSession.quiz_id.in_(ids), QuizSession.closed_at.is_not(None))
    asked = select(QuizSlot.quiz_id, func.sum(QuizSlot.count)).where(QuizSlot.quiz_id.in_(ids))
    items = {row[0]: row[1] for row in session.execute(asked.group_by(QuizSlot.quiz_id))}
    return tuple(
        QuizRow(
            url=f"/teams/{access.team.id}/quizzes/{quiz.id}",
            title=quiz.title,
            state=quiz.state,
            items=items.get(quiz.id, 0),
            minutes=quiz.minutes,
            invited=invited.get(quiz.id, 0),
            started=started.get(quiz.id, 0),
            finished=finished.get(quiz.id, 0),
        )
        for quiz in quizzes
    )


@router.get("")
def index(request: Request, site: CurrentSite, access: TeamReviewer, session: Db) -> HTMLResponse:
    """Show the quizzes of a team."""
    url = f"/teams/{access.team.id}/quizzes"
    author = access.membership.may(Role.AUTHOR)
    made, _ = load_ready_made(site.settings.bank, site.bank) if author else ((), {})
    page = QuizzesPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quizzes=_rows(session, access),
        new_url=f"{url}/new" if author else None,
        ready_made=tuple(
            ReadyMadeView(
                one.settings.title,
                one.about,
                one.items,
                one.settings.minutes,
                FormView(f"{url}/ready-made/{one.id}", (), "Begin with it"),
            )
            for one in made
        ),
    )
    return show(request, page)


def _form_page(request: Request, access: TeamAccess, title: str, form: FormView, back: LinkView) -> QuizFormPage:
    return QuizFormPage(make_shell(request, "teams"), team_heading(access, "quizzes"), title, form, back)


def _all_quizzes(access: TeamAccess) -> LinkView:
    return LinkView(f"/teams/{access.team.id}", "All quizzes")


@router.get("/quizzes/new")
def new(request: Request, access: TeamAuthor) -> HTMLResponse:
    """Ask for the settings of a new quiz."""
    form = settings_form(f"/teams/{access.team.id}/quizzes/new", "Make the draft", access.team.time_zone)
    return show(request, _form_page(request, access, "New quiz", form, _all_quizzes(access)))


@router.post("/quizzes/new")
def create(request: Request, access: TeamAuthor, session: FormDb, fields: Form) -> Response:
    """Make a draft."""
    try:
        settings = read_settings(fields, access.team.time_zone)
        quiz = create_quiz(session, access.team.id, access.account.id, settings, now())
    except InvalidQuizError as error:
        form = settings_form(f"/teams/{access.team.id}/quizzes/new", "Make the draft", access.team.time_zone)
        page = _form_page(request, access, "New quiz", form.filled(fields, error.errors), _all_quizzes(access))
        return show(request, page, error.status)
    return RedirectResponse(f"/teams/{access.team.id}/quizzes/{quiz.id}", 303)


@router.post("/quizzes/ready-made/{name}")
def begin_with(site: CurrentSite, access: TeamAuthor, session: FormDb, name: str) -> Response:
    """Make a draft of a ready-made quiz."""
    made, _ = load_ready_made(site.settings.bank, site.bank)
    found = next((one for one in made if one.id == name), None)
    if found is None:
        raise NotFoundError("There is no such ready-made quiz.")
    quiz = create_quiz(session, access.team.id, access.account.id, found.settings, now())
    set_slots(session, quiz, access.account.id, now(), specs=found.slots, bank=site.bank)
    return RedirectResponse(f"/teams/{access.team.id}/quizzes/{quiz.id}", 303)


def _actions(quiz: Quiz, url: str) -> tuple[FormView, ...]:
    by_state = {
        QuizState.DRAFT: (("publish", "Publish", False), ("copy", "Copy", False), ("remove", "Remove the draft", True)),
        QuizState.PUBLISHING: (),
        QuizState.PUBLISHED: (("close", "Close it", True), ("copy", "Copy", False)),
        QuizState.CLOSED: (("reopen", "Open it again", False), ("copy", "Copy", False)),
    }
    return tuple(
        FormView(f"{url}/{action}", (), label, danger) for action, label, danger in by_state[QuizState(quiz.state)]
    )


def _facts(quiz: Quiz, zone: str) -> tuple[FactRow, ...]:
    window = [f"from {show_time(quiz.opens_at, zone)}"] if quiz.opens_at else []
    window += [f"until {show_time(quiz.closes_at, zone)}"] if quiz.closes_at else []
    limits = "and ends running sessions" if quiz.window_cuts else "and limits starts only"
    facts = [
        ("Time", minutes_words(quiz.minutes)),
        ("Window", f"{' '.join(window)}, {limits}" if window else "always open while it is published"),
        ("Order", "each candidate's own" if quiz.shuffled else "the same for everybody"),
        ("Right verdict, wrong reason", f"{100 * quiz.verdict_only:g} % of the points"),
        ("Pass mark", "none" if quiz.pass_mark is None else f"{100 * quiz.pass_mark:g} %"),
        ("Shown", shown_words(quiz, zone)),
        ("Again", "as often as invited" if quiz.retake_days is None else f"after {quiz.retake_days} days"),
        ("Reasons", "asked in own words" if quiz.ask_reasons else "not asked"),
        ("Focus notes", "on, and disclosed" if quiz.signals else "off"),
        ("Kept", "until erased" if quiz.retention_days is None else f"{quiz.retention_days} days"),
    ]
    return tuple(FactRow(*fact) for fact in facts)


def quiz_links(access: TeamAccess, quiz: Quiz) -> tuple[LinkView, ...]:
    """Return what can be opened about a quiz in its state."""
    url = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    if quiz.state in {QuizState.DRAFT, QuizState.PUBLISHING}:
        return ()
    links = [LinkView(f"{url}/results", "Results")]
    if access.membership.may(Role.AUTHOR):
        links = [
            LinkView(f"{url}/preview/1", "Preview as a candidate"),
            LinkView(f"{url}/invitations", "Invitations"),
            *links,
        ]
    return tuple(links)


def _quiz_page(
    request: Request, site: Site, access: TeamAccess, session: Session, quiz: Quiz, **changes: object
) -> QuizPage:
    url = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    slots, own_items = slots_of(session, quiz.id), team_items_of(session, access.team.id)
    own = {one.id: one for one in own_items}
    author = access.membership.may(Role.AUTHOR)
    draft = author and quiz.state == QuizState.DRAFT
    add_item, add_draw = add_forms(site, url, own_items) if draft else (None, None)
    notice = Notice(Tone.WARNING, "Publishing stopped", quiz.problem) if quiz.problem else None
    fields: dict[str, object] = {
        "shell": make_shell(request, "teams"),
        "team": team_heading(access, "quizzes"),
        "title": quiz.title,
        "state": quiz.state,
        "state_words": STATE_WORDS[QuizState(quiz.state)],
        "introduction_md": quiz.introduction,
        "facts": _facts(quiz, access.team.time_zone),
        "slots": slot_views(site, slots, own, url, draft),
        "items": sum(slot.count for slot in slots),
        "points": f"{sum(slot.count * slot.points for slot in slots):g}",
        "open_book": any(map(uses_public_items, slots)),
        "public_items": tuple(public_items_of(session, quiz.id)) if quiz.published_at else (),
        "add_item": add_item,
        "add_draw": add_draw,
        "edit_url": f"{url}/edit" if author else None,
        "actions": _actions(quiz, url) if author else (),
        "pool_done": pool_size(session, quiz.id),
        "pool_wanted": quiz.pool_wanted,
        "links": quiz_links(access, quiz),
        "notice": notice,
    }
    return QuizPage(**fields | changes)  # type: ignore[arg-type]  # a dict of mixed values


@router.get("/quizzes/{quiz_id}")
def quiz_page(request: Request, site: CurrentSite, access: TeamReviewer, session: Db, quiz_id: UUID) -> HTMLResponse:
    """Show one quiz."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return show(request, _quiz_page(request, site, access, session, quiz))


@router.get("/quizzes/{quiz_id}/edit")
def edit(request: Request, access: TeamAuthor, session: Db, quiz_id: UUID) -> HTMLResponse:
    """Show the settings to change."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    url = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    form = settings_form(f"{url}/edit", "Save", access.team.time_zone)
    filled = form.filled(fields_of_settings(settings_of(quiz), access.team.time_zone))
    return show(
        request, _form_page(request, access, f"Settings of {quiz.title}", filled, LinkView(url, "Back to the quiz"))
    )


@router.post("/quizzes/{quiz_id}/edit")
def change(request: Request, access: TeamAuthor, session: FormDb, fields: Form, quiz_id: UUID) -> Response:
    """Save settings."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    url = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    try:
        change_quiz(session, quiz, access.account.id, read_settings(fields, access.team.time_zone), now())
    except InvalidQuizError as error:
        form = settings_form(f"{url}/edit", "Save", access.team.time_zone).filled(fields, error.errors)
        page = _form_page(request, access, f"Settings of {quiz.title}", form, LinkView(url, "Back to the quiz"))
        return show(request, page, error.status)
    return RedirectResponse(url, 303)


@router.post("/quizzes/{quiz_id}/slots")
def add_slot(
    request: Request, site: CurrentSite, access: TeamAuthor, session: FormDb, fields: Form, quiz_id: UUID
) -> Response:
    """Add an item or a draw at the end of a draft."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    specs = [*(spec_of(slot) for slot in slots_of(session, quiz.id)), read_slot(fields)]
    try:
        set_slots(session, quiz, access.account.id, now(), specs=specs, bank=site.bank)
    except InvalidQuizError as error:
        notice = Notice(Tone.WARNING, "Nothing was added", error.message)
        return show(request, _quiz_page(request, site, access, session, quiz, notice=notice), error.status)
    return RedirectResponse(f"/teams/{access.team.id}/quizzes/{quiz.id}", 303)


@router.post("/quizzes/{quiz_id}/slots/{position}/{action}")
def change_slot(
    site: CurrentSite, access: TeamAuthor, session: FormDb, quiz_id: UUID, position: int, action: str
) -> Response:
    """Move a slot up or down, or take it out."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    specs = [spec_of(slot) for slot in slots_of(session, quiz.id)]
    target = position + {"up": -1, "down": 1, "remove": 0}.get(action, 10_000)
    if not (1 <= position <= len(specs) and 1 <= target <= len(specs)):
        raise ConflictError("The slots changed meanwhile. Open the quiz again.")
    spec = specs.pop(position - 1)
    if action != "remove":
        specs.insert(target - 1, spec)
    set_slots(session, quiz, access.account.id, now(), specs=specs, bank=site.bank)
    return RedirectResponse(f"/teams/{access.team.id}/quizzes/{quiz.id}", 303)


@router.post("/quizzes/{quiz_id}/{action}")
def act(site: CurrentSite, access: TeamAuthor, session: FormDb, quiz_id: UUID, action: str) -> Response:
    """Publish, close, open again, copy or remove a quiz."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    actor, at, url = access.account.id, now(), f"/teams/{access.team.id}/quizzes"
    match action:
        case "publish":
            start_publishing(session, quiz, site.bank, actor, at)
        case "close":
            close_quiz(session, quiz, actor, at)
        case "reopen":
            reopen_quiz(session, quiz, actor, at)
        case "copy":
            return RedirectResponse(f"{url}/{copy_quiz(session, quiz, site.bank, actor, at).id}", 303)
        case "remove":
            remove_draft(session, quiz, actor, at)
            return RedirectResponse(f"/teams/{access.team.id}", 303)
        case _:
            raise NotFoundError("There is no page at this address.")
    return RedirectResponse(f"{url}/{quiz.id}", 303)
