"""`/bank`: whether each item's runs agree with its file, in words and without a key."""

from collections import Counter
from collections.abc import Iterable

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.evidence import Reading
from app.bank.item import Item
from app.bank.problems import Problem
from app.web.dependencies import CurrentSite, Site
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.shell import make_shell, show
from app.web.views import BankPage, ItemStateView, Tone

router = APIRouter()

TONES = {"verified": Tone.RIGHT, "withheld": Tone.WRONG}


@router.get("/bank")
def bank(request: Request, site: CurrentSite) -> HTMLResponse:
    """Show the state of every item, with counts."""
    items = tuple(_state(site, item) for item in site.bank.items.values())
    counted = Counter(item.state for item in items)
    page = BankPage(
        shell=make_shell(request, "none"),
        counts=tuple((state, counted[state]) for state in ("verified", "withheld", "not checked yet")),
        items=items,
        problems=left_out(site.bank.problems),
        drafts=site.bank.drafts,
    )
    return show(request, page)


def _state(site: Site, item: Item) -> ItemStateView:
    digest = site.bank.hashes[item.id]
    state = site.livecheck.state_of(digest)
    reading = site.livecheck.withheld().get(digest) if state == "withheld" else None
    return ItemStateView(
        url=f"/practice/{item.id}",
        title=item.title,
        topic=site.bank.title_of(item.topic),
        kind=KIND_TITLES[item.kind],
        state=state,
        tone=TONES.get(state, Tone.INFO),
        reason=why_withheld(reading) if state == "withheld" else "",
    )


def why_withheld(reading: Reading | None) -> str:
    """Say where run and file differ: the part by name, and neither what the file says nor what was seen."""
    if reading is None:
        return "Its last verification found errors: `gradproof bank verify` lists them."
    parts = ", ".join(dict.fromkeys(one.part for one in reading.disagreements))
    sentences = [f"Its run and its file differ on: {parts}."] if parts else []
    if reading.undecided:
        count = len(reading.undecided)
        sentences.append("A probe is undecided." if count == 1 else f"{count} probes are undecided.")
    return " ".join(sentences)


def left_out(problems: Iterable[Problem]) -> tuple[str, ...]:
    """Say per file how many problems it has and where they begin; what each is stays with its author."""
    lines: dict[str, list[int]] = {}
    for problem in problems:
        lines.setdefault(problem.file, []).append(problem.line)
    return tuple(
        f"{file}: {len(found)} {'problem' if len(found) == 1 else 'problems'}, the first in line {min(found)}"
        for file, found in lines.items()
    )
