"""The slots of a quiz as its page shows them: what each asks in words, its buttons, and the forms that add one."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from app.bank.item import KINDS
from app.errors import BadRequestError
from app.hiring.quizzes import SlotSpec
from app.models import QuizSlot, TeamItem
from app.models.quiz import DrawnFrom
from app.web.dependencies import Site
from app.web.fields import Field, FieldChoice, FormView
from app.web.hiring_views import SlotView
from app.web.pages.item_page import KIND_TITLES

DRAWN_FROM = {
    DrawnFrom.PUBLIC: "public items",
    DrawnFrom.OWN: "the team's own items",
    DrawnFrom.BOTH: "public items and the team's own",
}


def uses_public_items(slot: QuizSlot) -> bool:
    """Say whether a slot may ask an item that everybody can read."""
    return bool(slot.item_id) or (not slot.team_item_id and slot.drawn_from != DrawnFrom.OWN)


def _words(slot: QuizSlot, site: Site, own: Mapping[UUID, TeamItem]) -> tuple[str, str]:
    if slot.team_item_id:
        item = own.get(slot.team_item_id)
        if item is None:
            return "an item that was archived", "the team's own item"
        state = "" if item.usable else ", has problems" if item.problems else ", not verified yet"
        return item.title, f"the team's own item{state}"
    if slot.item_id:
        found = site.bank.get(slot.item_id)
        return (found.title if found else slot.item_id), "public item"
    parts = [
        site.bank.title_of(slot.topic) if slot.topic else "any topic",
        KIND_TITLES[slot.kind] if slot.kind else "any kind",
        f"level {slot.level}" if slot.level else "any level",
    ]
    return f"{slot.count} drawn: {', '.join(parts)}", DRAWN_FROM[DrawnFrom(slot.drawn_from)]


def slot_views(
    site: Site, slots: Sequence[QuizSlot], own: Mapping[UUID, TeamItem], url: str, draft: bool
) -> tuple[SlotView, ...]:
    def button(slot: QuizSlot, action: str, label: str) -> FormView:
        return FormView(f"{url}/slots/{slot.position}/{action}", (), label, danger=action == "remove")

    views = []
    for slot in slots:
        words, detail = _words(slot, site, own)
        views.append(
            SlotView(
                position=slot.position,
                words=words,
                detail=detail,
                points=f"{slot.points:g}",
                move_up=button(slot, "up", "Up") if draft and slot.position > 1 else None,
                move_down=button(slot, "down", "Down") if draft and slot.position < len(slots) else None,
                remove=button(slot, "remove", "Remove") if draft else None,
            )
        )
    return tuple(views)


POINTS = Field(
    "points", "Points for each item", "number", "1", attributes=(("min", "0.5"), ("max", "100"), ("step", "0.5"))
)


def add_forms(site: Site, url: str, own: Sequence[TeamItem]) -> tuple[FormView, FormView]:
    public = [FieldChoice(item.id, f"{site.bank.title_of(item.topic)}: {item.title}") for item in site.bank.select()]
    mine = [FieldChoice(f"own:{one.id}", f"Own: {one.title}") for one in own if one.usable]
    topics = (FieldChoice("", "any topic"), *(FieldChoice(one.id, one.title) for one in site.bank.topics))
    kinds = (FieldChoice("", "any kind"), *(FieldChoice(kind, KIND_TITLES[kind]) for kind in KINDS))
    levels = (
        FieldChoice("0", "any level"),
        FieldChoice("1", "1, warm-up"),
        FieldChoice("2", "2, core"),
        FieldChoice("3", "3, deep"),
    )
    whose = tuple(FieldChoice(one, words) for one, words in DRAWN_FROM.items())
    item = FormView(
        f"{url}/slots", (Field("item", "Item", "select", choices=(*mine, *public)), POINTS), "Add this item"
    )
    draw = FormView(
        f"{url}/slots",
        (
            Field("topic", "Topic", "select", choices=topics),
            Field("kind", "Kind", "select", choices=kinds),
            Field("level", "Level", "select", "0", choices=levels),
            Field("drawn_from", "From", "select", "public", choices=whose),
            Field("count", "How many", "number", "1", attributes=(("min", "1"), ("max", "50"), ("step", "1"))),
            POINTS,
        ),
        "Add this draw",
    )
    return item, draw


def read_slot(fields: Mapping[str, str]) -> SlotSpec:
    """Return the slot that a form asks to add.

    Raises `BadRequestError` where a number is none.
    """
    try:
        points = float(fields.get("points", "1"))
        count, level = int(fields.get("count", "1")), int(fields.get("level", "0"))
        item = fields.get("item", "")
        own = UUID(item.removeprefix("own:")) if item.startswith("own:") else None
    except ValueError as error:
        raise BadRequestError("Points, count and level are numbers. Nothing was added.") from error
    if item:
        return SlotSpec("" if own else item, own, points=points)
    whose = fields.get("drawn_from", DrawnFrom.PUBLIC)
    return SlotSpec("", None, fields.get("topic", ""), fields.get("kind", ""), level, count, points, whose)
