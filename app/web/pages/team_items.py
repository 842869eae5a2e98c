"""`/teams/{team}/items/…`: a team's own items: the upload, the list, one item, its file, its preview and its reveal."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session, undefer
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.bank.documents import MAX_BYTES
from app.bank.verify import QUIZ_LIMIT
from app.clock import now
from app.errors import GradproofError
from app.hiring.team_items import (
    MOST_FILES,
    MOST_ITEMS,
    CheckedFile,
    ItemFile,
    StoredFile,
    archive_item,
    check_files,
    find_item,
    ids_of,
    store_files,
    verify_again,
)
from app.models import TeamItem
from app.models.team import Role
from app.models.team_item import Exposure, exposures_of, team_items_of, versions_of
from app.web.access import TeamAccess, TeamAuthor, TeamReviewer
from app.web.dependencies import CurrentSite, Db, Site
from app.web.fields import Field, FormView
from app.web.forms import LARGEST_UPLOAD, Files, FormDb
from app.web.item_views import FileProblems, OwnItemPage, OwnItemRow, OwnItemsPage, VersionRow
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.views import Notice, Tone

router = APIRouter(prefix="/teams/{team_id}/items")

LIMITS = (
    f"Up to {MOST_FILES} files and {LARGEST_UPLOAD // 1024 // 1024} MB at once, {MAX_BYTES // 1024} kB each, and "
    f"{MOST_ITEMS} items in all. A file with problems is not stored: mend it where they point to, and upload it again."
)
WAITING, VERIFYING, VERIFIED, PROBLEMS, ARCHIVED = "waiting", "being verified", "verified", "has problems", "archived"
STATE_WORDS = {
    WAITING: "It waits to be verified. Until then no quiz asks it.",
    VERIFYING: "Its variants are being run in the sandbox.",
    VERIFIED: "Every variant that was run agrees with the file. Quizzes of the team may ask it.",
    PROBLEMS: "No quiz asks it. Mend the file and upload it again: that is a new version.",
    ARCHIVED: "Out of use. Quizzes that were published with it keep their copies.",
}
BECAME = {
    "new": "stored, and waits to be verified",
    "new version": "stored as a new version, and waits to be verified; the older one is archived",
    "unchanged": "the same as the team has; nothing changed",
    "brought back": "the same as an earlier version, which is back in use",
}


def _state(item: TeamItem) -> str:
    if item.archived_at is not None:
        return ARCHIVED
    if item.verified_at is not None:
        return PROBLEMS if item.problems else VERIFIED
    return WAITING if item.verifying_at is None else VERIFYING


TONES = {VERIFIED: Tone.RIGHT, PROBLEMS: Tone.WRONG}


def _about(site: Site, item: TeamItem) -> str:
    return f"{site.bank.title_of(item.topic)}, {KIND_TITLES[item.kind]}, level {item.level}"


def _shown(exposure: Exposure | None) -> str:
    if exposure is None:
        return "nobody yet"
    people = f"{exposure.candidates} candidate{'' if exposure.candidates == 1 else 's'}"
    return f"{people} in {exposure.quizzes} quiz{'' if exposure.quizzes == 1 else 'zes'}"


def _memorisation(item: TeamItem) -> str:
    return "" if item.memorisation is None else f"{item.memorisation:.0%}"


def _row(site: Site, item: TeamItem, exposure: Exposure | None, url: str) -> OwnItemRow:
    state = _state(item)
    detail = f"{item.runs} runs so far" if state == VERIFYING else next(iter(item.problems), "")
    return OwnItemRow(
        url=f"{url}/{item.id}",
        title=item.title,
        item_id=item.item_id,
        about=_about(site, item),
        state=state,
        tone=TONES.get(state, Tone.INFO),
        detail=detail,
        memorisation=_memorisation(item),
        shown=_shown(exposure),
    )


def _items_page(
    request: Request,
    site: Site,
    access: TeamAccess,
    session: Session,
    *,
    checked: Sequence[CheckedFile] = (),
    stored: Sequence[StoredFile] = (),
    notice: Notice | None = None,
) -> OwnItemsPage:
    url = f"/teams/{access.team.id}/items"
    items, exposures = team_items_of(session, access.team.id), exposures_of(session, access.team.id)
    files = Field(
        "files", "Files", "file", help=LIMITS, attributes=(("multiple", "multiple"), ("accept", ".yaml,.yml,.zip"))
    )
    author = access.membership.may(Role.AUTHOR)
    return OwnItemsPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "items"),
        items=tuple(_row(site, one, exposures.get(one.item_id), url) for one in items),
        waiting=sum(one.verified_at is None for one in items),
        upload=FormView(url, (files,), "Upload", files=True) if author else None,
        limit=f"{QUIZ_LIMIT:.0%}",
        stored=tuple((one.name, f"{one.title}: {BECAME[one.became]}") for one in stored),
        refused=tuple(
            FileProblems(one.file.name, tuple((found.line, found.field, found.message) for found in one.problems))
            for one in checked
            if one.problems
        ),
        following=request.method == "GET",
        notice=notice,
    )


@router.get("")
def index(request: Request, site: CurrentSite, access: TeamReviewer, session: Db) -> HTMLResponse:
    """Show the items of a team."""
    return show(request, _items_page(request, site, access, session))


@router.post("")
def upload(request: Request, site: CurrentSite, access: TeamAuthor, files: Files) -> Response:
    """Check files, with no transaction open, and store the good ones; show every problem of the others."""
    sent = [ItemFile(one.name, one.content) for one in files]
    with site.database.reading() as session:
        own = ids_of(session, access.team.id)
    try:
        checked = check_files(sent, site.bank, own)
        with site.database.writing() as session:
            stored = store_files(session, access.team.id, access.account.id, checked, now())
    except GradproofError as error:
        notice = Notice(Tone.WARNING, error.title, error.message, refused=True)
        with site.database.reading() as session:
            return show(request, _items_page(request, site, access, session, notice=notice), error.status)
    refused = any(one.problems for one in checked)
    if not refused and all(one.became.startswith("new") for one in stored):
        return RedirectResponse(f"/teams/{access.team.id}/items", 303)
    with site.database.reading() as session:
        page = _items_page(request, site, access, session, checked=checked, stored=stored)
    return show(request, page, 422 if refused else 200)


def _facts(item: TeamItem, exposure: Exposure | None, zone: str) -> tuple[tuple[str, str], ...]:
    facts = [("Uploaded", show_time(item.created_at, zone)), ("Shown to", _shown(exposure))]
    if item.verified_at is not None:
        facts.append(("Verified", f"{show_time(item.verified_at, zone)}, {item.runs} runs"))
    if item.memorisation is not None:
        words = f"{item.memorisation:.0%} of the points for knowing one of its keys by heart; a quiz takes up to"
        facts.append(("Memorisation", f"{words} {QUIZ_LIMIT:.0%}"))
    return tuple(facts)


def _actions(item: TeamItem, url: str) -> tuple[FormView, ...]:
    if item.archived_at is not None:
        return ()
    again = (FormView(f"{url}/verify", (), "Verify again"),) if item.problems else ()
    return (*again, FormView(f"{url}/archive", (), "Archive", danger=True))


@router.get("/{item_id}")
def item_page(request: Request, site: CurrentSite, access: TeamReviewer, session: Db, item_id: UUID) -> HTMLResponse:
    """Show one version of an item."""
    item = find_item(session, access.team.id, item_id)
    list_url = f"/teams/{access.team.id}/items"
    url, state, author = f"{list_url}/{item.id}", _state(item), access.membership.may(Role.AUTHOR)
    words = STATE_WORDS[state] + (f" {item.runs} runs so far." if state == VERIFYING else "")
    zone = access.team.time_zone
    exposure = exposures_of(session, access.team.id).get(item.item_id)
    page = OwnItemPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "items"),
        title=item.title,
        item_id=item.item_id,
        about=_about(site, item),
        state=state,
        tone=TONES.get(state, Tone.INFO),
        state_words=words,
        following=state in {WAITING, VERIFYING},
        problems=tuple(item.problems),
        warnings=tuple(item.warnings),
        facts=_facts(item, exposure, zone),
        versions=tuple(
            VersionRow(f"{list_url}/{one.id}", show_time(one.created_at, zone), _state(one), one.id == item.id)
            for one in versions_of(session, item)
        ),
        preview_url=f"{url}/preview" if author else None,
        source_url=f"{url}/source" if author else None,
        actions=_actions(item, url) if author else (),
        back_url=list_url,
    )
    return show(request, page)


@router.get("/{item_id}/source")
def source(access: TeamAuthor, session: Db, item_id: UUID) -> Response:
    """Return the file as it was uploaded."""
    item = session.get_one(TeamItem, find_item(session, access.team.id, item_id).id, options=[undefer(TeamItem.source)])
    headers = {"content-disposition": f'attachment; filename="{item.item_id}.yaml"', "cache-control": "no-store"}
    return Response(item.source, media_type="application/yaml; charset=utf-8", headers=headers)


@router.post("/{item_id}/archive")
def archive(access: TeamAuthor, session: FormDb, item_id: UUID) -> Response:
    """Take an item out of use."""
    archive_item(session, find_item(session, access.team.id, item_id, lock=True), access.account.id, now())
    return RedirectResponse(f"/teams/{access.team.id}/items", 303)


@router.post("/{item_id}/verify")
def verify(access: TeamAuthor, session: FormDb, item_id: UUID) -> Response:
    """Ask for another verification."""
    verify_again(session, find_item(session, access.team.id, item_id, lock=True), access.account.id, now())
    return RedirectResponse(f"/teams/{access.team.id}/items/{item_id}", 303)
