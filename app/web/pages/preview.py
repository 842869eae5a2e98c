"""`/preview/{item}`: an item file while it is written. It shows keys, so only the setting `preview` brings it up."""

import re
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from app.bank.catalog import Bank
from app.bank.entries import EntryError
from app.bank.evidence import Reading
from app.bank.item import EdgeCase, Item
from app.bank.loader import MISCONCEPTIONS, TOPICS, load
from app.bank.plans import plan
from app.bank.probing import read
from app.bank.showing import show_observation
from app.bank.variants import NoVariantError, Variant, draw
from app.clock import now
from app.errors import NotFoundError, UnavailableError
from app.grading.grade import Response
from app.livecheck import LiveCheck
from app.practice import Submission, attempt_of, new_form
from app.web.dependencies import CurrentSite, Site
from app.web.pages.item_page import ShownForm, item_page
from app.web.pages.reveal import reveal_page
from app.web.pages.shell import make_shell, show
from app.web.views import PreviewPage, RevealPage, Shell

router = APIRouter(prefix="/preview")

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
LARGEST_SEED = 2**31


@router.get("/{item_id}")
def preview(request: Request, site: CurrentSite, item_id: str, seed: int = 0) -> HTMLResponse:
    """Show the item as its file is now: problems, the page people see, and what a run says of every option."""
    path = _file(site, item_id)
    seed = seed % LARGEST_SEED
    page = PreviewPage(
        shell=make_shell(request, "none"),
        item_id=item_id,
        file=f"{path.parent.name}/{path.name}",
        stamp=_stamp(site, path),
        stamp_url=f"/preview/{item_id}/stamp",
        another_url=f"/preview/{item_id}?seed={seed + 1}",
        problems=(),
        note="",
        disagreements=(),
        undecided=(),
        item=None,
        reveal=None,
    )
    return show(request, _filled(page, site.livecheck, load(site.settings.bank), seed))


@router.get("/{item_id}/stamp")
def stamp(site: CurrentSite, item_id: str) -> JSONResponse:
    """Say which version of the file there is; the page asks every second."""
    return JSONResponse({"stamp": _stamp(site, _file(site, item_id))}, headers={"cache-control": "no-store"})


@router.post("/{item_id}")
def committed(site: CurrentSite, item_id: str) -> RedirectResponse:
    """Answer the form of a preview: nothing is stored, and the key is below it already."""
    return RedirectResponse(f"/preview/{_file(site, item_id).stem}", 303)


def _file(site: Site, item_id: str) -> Path:
    found = sorted(site.settings.bank.glob(f"*/{item_id}.yaml")) if ID.match(item_id) else []
    if not found:
        raise NotFoundError("The bank's folder has no file of this name. `gradproof bank new` writes one.")
    return found[0]


def _stamp(site: Site, path: Path) -> str:
    """Return a text that changes when the item's file or the lists it refers to change."""
    folder = site.settings.bank
    files = (path, folder / TOPICS, folder / MISCONCEPTIONS)
    return "-".join(str(file.stat().st_mtime_ns) if file.exists() else "0" for file in files)


def _filled(page: PreviewPage, livecheck: LiveCheck, bank: Bank, seed: int) -> PreviewPage:
    problems = tuple((one.line, one.field, one.message) for one in bank.problems if one.file == page.file)
    page, item = replace(page, problems=problems), bank.get(page.item_id)
    if item is None:
        return page
    try:
        variant = draw(item, seed)
    except NoVariantError as error:
        return replace(page, note=error.message)
    form = ShownForm(token="")
    shown = replace(item_page(page.shell, bank, variant, form), action=f"/preview/{item.id}")
    return _run(replace(page, item=shown), livecheck, bank, variant)


def _run(page: PreviewPage, livecheck: LiveCheck, bank: Bank, variant: Variant) -> PreviewPage:
    """Add what a run says; nothing is remembered, so that a half-written file withholds nothing."""
    planned = plan(variant)
    try:
        reading = read(variant, planned, livecheck.run(planned.programs))
    except UnavailableError as error:
        return replace(page, note=error.message)
    return replace(
        page,
        disagreements=tuple((one.part, one.expected, one.observed) for one in reading.disagreements),
        undecided=reading.undecided,
        reveal=reveal_by_key(page.shell, Observed(bank, variant, reading), page.another_url),
    )


@dataclass(frozen=True, slots=True)
class Observed:
    """A variant of a bank and what its run was read as."""

    bank: Bank
    variant: Variant
    reading: Reading


def reveal_by_key(shell: Shell, observed: Observed, another_url: str) -> RevealPage | None:
    """Return the reveal of whoever answers by the key; none where a typed key cannot be typed."""
    person, at = uuid.uuid4(), now()
    variant = observed.variant
    token = new_form(variant.item, variant.content_hash, person, at)
    submission = Submission(token, person, variant, response_by_key(variant, observed.reading), at)
    try:
        attempt = attempt_of(observed.bank, submission, observed.reading)
    except EntryError:
        return None
    page = reveal_page(shell, attempt)
    sections = tuple(
        replace(section, options=tuple(replace(option, yours=False) for option in section.options))
        for section in page.sections
    )
    return replace(
        page,
        sections=sections,
        verdict="What the run says of every option",
        verdict_detail="Options in the key are marked. People see this after they committed.",
        next_url=another_url,
        vary_url=another_url,
    )


def response_by_key(variant: Variant, reading: Reading) -> Response:
    """Return the response that chooses the first right option of every part, or the first where none is right."""
    choices = {}
    for part in variant.parts:
        right = reading.key.right.get(part.name, ())
        if part.options:
            choices[part.name] = right[0] if right else part.options[0].id
    return Response(choices, _typed(variant.item, reading))


def _typed(item: Item, reading: Reading) -> tuple[str, ...]:
    typed = isinstance(item, EdgeCase) and item.entry == "enter"
    return tuple(map(show_observation, reading.key.values)) if typed else ()
