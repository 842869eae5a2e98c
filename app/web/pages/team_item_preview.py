"""`/teams/{team}/items/{item}/preview` and `/reveal`: one item of a team as a candidate sees it, then what a run says.

Nothing is stored. The reveal runs a variant now, so it takes from the author's share of reveals.
"""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import undefer
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.bank.plans import plan
from app.bank.probing import read
from app.bank.variants import draw
from app.errors import ConflictError
from app.hiring.team_items import find_item, read_item
from app.models import TeamItem
from app.web.access import TeamAccess, TeamAuthor
from app.web.dependencies import CurrentSite, Db, Site
from app.web.forms import Form
from app.web.limiter import Rate
from app.web.pages.preview import Observed, reveal_by_key
from app.web.pages.questions import question_view
from app.web.pages.shell import make_shell, show
from app.web.session_views import SessionItemPage
from app.web.views import Notice, Tone

router = APIRouter(prefix="/teams/{team_id}/items/{item_id}")

PREVIEW = Notice(
    Tone.INFO, "A preview", "One variant as a candidate sees it. Nothing is stored; go on to what a run says."
)
LARGEST_SEED = 2**31


def _source(site: Site, access: TeamAccess, item_id: UUID) -> TeamItem:
    with site.database.reading() as session:
        found = find_item(session, access.team.id, item_id)
        return session.get_one(TeamItem, found.id, options=[undefer(TeamItem.source)], populate_existing=True)


@router.get("/preview")
def preview(request: Request, site: CurrentSite, access: TeamAuthor, item_id: UUID, seed: int = 0) -> HTMLResponse:
    """Show one variant on the screen of a candidate."""
    row, seed = _source(site, access, item_id), seed % LARGEST_SEED
    url = f"/teams/{access.team.id}/items/{item_id}"
    page = SessionItemPage(
        shell=make_shell(request, "teams"),
        title=f"{row.item_id}, variant {seed}",
        position=1,
        count=1,
        question=question_view(draw(read_item(row, site.bank), seed), {}),
        steps=(),
        clock=None,
        action=f"{url}/preview?seed={seed}",
        save_url=f"{url}/preview",
        epoch=1,
        kept_epoch=0,
        sequence=0,
        flagged=False,
        own_reason=None,
        signals_url="",
        finish_url=url,
        report=None,
        notice=PREVIEW,
    )
    return show(request, page)


@router.put("/preview")
def save(access: TeamAuthor, session: Db, item_id: UUID) -> JSONResponse:
    """Answer a save as the quiz would, and store nothing."""
    find_item(session, access.team.id, item_id)
    return JSONResponse({"state": "saved", "position": 1})


@router.post("/preview")
def go_on(access: TeamAuthor, session: Db, _fields: Form, item_id: UUID, seed: int = 0) -> Response:
    """Go on to what a run says of the variant."""
    find_item(session, access.team.id, item_id)
    return RedirectResponse(f"/teams/{access.team.id}/items/{item_id}/reveal?seed={seed % LARGEST_SEED}", 303)


class NoRevealError(ConflictError):
    """A variant has a key that cannot be typed in, so there is no answer to reveal."""

    title = "This variant cannot be revealed"


@router.get("/reveal")
def reveal(request: Request, site: CurrentSite, access: TeamAuthor, item_id: UUID, seed: int = 0) -> HTMLResponse:
    """Run one variant and show what was observed of every option, and where that differs from the file."""
    row, seed = _source(site, access, item_id), seed % LARGEST_SEED
    variant = draw(read_item(row, site.bank), seed)
    settings = site.settings
    site.limiter.admit(
        (f"person {access.account.person_id}", Rate(settings.reveals_burst, settings.reveals_per_minute))
    )
    planned = plan(variant)
    reading = read(variant, planned, site.livecheck.run(planned.programs))
    url = f"/teams/{access.team.id}/items/{item_id}"
    shell = make_shell(request, "teams")
    page = reveal_by_key(shell, Observed(site.bank, variant, reading), f"{url}/preview?seed={seed + 1}")
    differing = [
        f"{one.part}: the file expects {one.expected}, the run shows {one.observed}." for one in reading.disagreements
    ]
    sentences = [*differing, *reading.undecided]
    if page is None:
        raise NoRevealError(" ".join(sentences) or "What its run gave cannot be typed as an answer. Ask another value.")
    notice = Notice(Tone.WARNING, "Where run and file differ", " ".join(sentences)) if sentences else None
    return show(request, replace(page, next_url=url, next_label="Back to the item", notice=notice))
