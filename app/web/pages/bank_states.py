"""`/bank`: whether each item's runs agree with its file, in words and without a key."""

from collections import Counter
from collections.abc import Iterable

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.catalog import Bank
from app.bank.evidence import Reading
from app.bank.item import Item
from app.bank.problems import Problem
from app.livecheck import RECORDED, LiveCheck
from app.web.dependencies import CurrentSite, Site
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.shell import make_shell, show
from app.web.views import BankPage, ItemStateView, Tone

router = APIRouter()

TONES = {"verified": Tone.RIGHT, "withheld": Tone.WRONG}
WITHDRAWN = "withdrawn"
STATES = ("verified", "withheld", "not checked yet", WITHDRAWN)


@router.get("/bank")
def bank(request: Request, site: CurrentSite) -> HTMLResponse:
    """Show the state of every item, with counts."""
    items = [_state(site, item) for item in site.bank.items.values()]
    items.sort(key=lambda item: item.state != "withheld")  # what needs a hand is seen first
    counted = Counter(item.state for item in items)
    page = BankPage(
        shell=make_shell(request, "none"),
        counts=tuple((state, counted[state]) for state in STATES),
        items=tuple(items),
        problems=left_out(site.bank.problems),
        drafts=site.bank.drafts,
    )
    return show(request, page)


def _state(site: Site, item: Item) -> ItemStateView:
    digest = site.bank.hashes[item.id]
    gone = why_withdrawn(site.bank, item)
    state = WITHDRAWN if gone else site.livecheck.state_of(digest)
    return ItemStateView(
        url="" if gone else f"/practice/{item.id}",
        title=item.title,
        topic=site.bank.title_of(item.topic),
        kind=KIND_TITLES[item.kind],
        state=state,
        tone=TONES.get(state, Tone.INFO),
        reason=gone or why(site.livecheck, digest, state),
    )


def why_withdrawn(bank: Bank, item: Item) -> str:
    """Say why an item is no longer asked, whatever its run shows; "" where it is."""
    if item.superseded_by:
        other = bank.get(item.superseded_by)
        return f"Another item took its place: {item.superseded_by if other is None else other.title}."
    return "Its author took it back." if item.status == "retracted" else ""


def why(livecheck: LiveCheck, digest: str, state: str) -> str:
    """Say why an item is in its state; "" where there is no more to say."""
    if state == "withheld":
        return why_withheld(livecheck.withheld().get(digest))
    if state == "not checked yet":
        return livecheck.doubts().get(digest, "")
    return ""


def why_withheld(reading: Reading | None) -> str:
    """Say where run and file differ: the part by name, and neither what the file says nor what was seen."""
    if reading is None:
        return RECORDED
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
