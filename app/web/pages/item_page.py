"""A variant as a page to answer: its parts, the fields it kept, and a message where something went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.bank.catalog import Bank
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import Part, bug_part
from app.bank.variants import Variant
from app.web.answers import CONFIDENCE_LABELS, PART_LEGENDS, asked_parts, entry_names, option_values
from app.web.views import EntryView, Heading, ItemPage, Notice, OptionView, PartView, ReasonView, Shell

KIND_TITLES = {
    "true_false": "true or false, and why",
    "spot_the_error": "spot the error",
    "edge_case": "predict the value",
    "why": "find the cause",
    "repair_matrix": "match bugs and repairs",
}
STYLES = {"verdict": "pair", "culprit": "lines"}
VERDICT_HINTS = {"true": "t", "false": "f"}
MATRIX_QUESTION = "The snippet is healthy. Each bug below breaks it. Which repair cures which bug?"
SPOT_QUESTION = "One line is the culprit. Which one, what happens, and which repair works?"


def heading_of(item: Item, topic_title: str) -> Heading:
    """Return where an item stands."""
    return Heading(item.id, item.title, topic_title, f"/topics/{item.topic}", KIND_TITLES[item.kind], item.level)


def question_of(item: Item) -> str:
    """Return the statement or the question, as Markdown."""
    if isinstance(item, TrueFalse):
        return item.statement
    if isinstance(item, EdgeCase | Why):
        return item.question
    return SPOT_QUESTION if isinstance(item, SpotTheError) else MATRIX_QUESTION


def bug_lines(item: Item, part: str) -> tuple[tuple[int, str], ...]:
    """Return the lines that the bug of a part puts in place of the snippet's; none for other parts."""
    if not isinstance(item, RepairMatrix):
        return ()
    patches = {bug_part(place): bug.patch for place, bug in enumerate(item.bugs, start=1)}
    return tuple(sorted(patches[part].items()))


@dataclass(frozen=True, slots=True)
class ShownForm:
    """The form of an item page: its signed token, what was entered already, a sentence per wrong field, a message."""

    token: str
    fields: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: Notice | None = None
    query: str = ""  # of the filter to go on with


def item_page(shell: Shell, bank: Bank, variant: Variant, form: ShownForm) -> ItemPage:
    """Return the page that asks a variant."""
    item, kept, wrong = variant.item, form.fields, form.errors
    return ItemPage(
        shell=shell,
        heading=heading_of(item, bank.title_of(item.topic)),
        prompt_md=item.prompt,
        snippet=item.snippet,
        question_md=question_of(item),
        parts=tuple(part_view(item, part, kept, wrong) for part in asked_parts(variant)),
        entries=entry_views(item, kept, wrong),
        reason=own_words_view(item, kept, wrong),
        confidence=confidence_views(kept),
        action=f"/practice/{item.id}{form.query}",
        token=form.token,
        notice=form.notice,
    )


def part_view(item: Item, part: Part, kept: Mapping[str, str], wrong: Mapping[str, str]) -> PartView:
    """Return one part to decide."""
    style = STYLES.get(part.name, "list")
    legend = PART_LEGENDS.get(part.name, part.legend)
    values = option_values(part)
    options = tuple(
        OptionView(
            value=value,
            text_md="" if option.code else option.text,
            code=option.text if option.code else None,
            hint=_hint(style, place, value),
            checked=kept.get(part.name) == value,
        )
        for place, (value, option) in enumerate(zip(values, part.options, strict=True), start=1)
    )
    return PartView(part.name, legend, style, options, wrong.get(part.name, ""), bug_lines(item, part.name))


def _hint(style: str, place: int, value: str) -> str:
    if style == "pair":
        return VERDICT_HINTS[value]
    shown = value if style == "lines" else str(place)
    return shown if len(shown) == 1 else ""


def entry_views(item: Item, kept: Mapping[str, str], wrong: Mapping[str, str]) -> tuple[EntryView, ...]:
    """Return the values to type in, where there are any."""
    if not isinstance(item, EdgeCase):
        return ()
    names = entry_names(item)
    asks = item.asks if names else ()
    return tuple(
        EntryView(name, ask, kept.get(name, ""), wrong.get(name, "")) for name, ask in zip(names, asks, strict=True)
    )


def own_words_view(item: Item, kept: Mapping[str, str], wrong: Mapping[str, str]) -> ReasonView | None:
    """Return the free text that a `why` asks for."""
    if not isinstance(item, Why):
        return None
    return ReasonView("Why? In your own words", kept.get("own_words", ""), wrong.get("own_words", ""))


def confidence_views(kept: Mapping[str, str]) -> tuple[OptionView, ...]:
    """Return the three degrees of confidence."""
    return tuple(
        OptionView(value.value, label, None, str(place), kept.get("confidence") == value.value)
        for place, (value, label) in enumerate(CONFIDENCE_LABELS.items(), start=1)
    )
