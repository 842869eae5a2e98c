"""What somebody entered, part by part, in words."""

from app.bank.item import EdgeCase
from app.bank.parts import Part
from app.bank.variants import Variant
from app.grading.grade import Response
from app.web.answers import PART_LEGENDS, asked_parts
from app.web.report_views import GivenView


def given_views(variant: Variant, response: Response | None) -> tuple[GivenView, ...]:
    """Return a line for each part that was entered; none where nothing was."""
    if response is None:
        return ()
    chosen = [_chosen(part, response.choices.get(part.name)) for part in asked_parts(variant)]
    item = variant.item
    asks = item.asks if isinstance(item, EdgeCase) else ()
    typed = [GivenView(f"`{ask}`", "", entry) for ask, entry in zip(asks, response.entries, strict=False) if entry]
    return (*(one for one in chosen if one is not None), *typed)


def _chosen(part: Part, option_id: str | None) -> GivenView | None:
    option = next((one for one in part.options if one.id == option_id), None)
    if option is None:
        return None
    label = PART_LEGENDS.get(part.name, part.legend)
    if part.name == "culprit":
        return GivenView(label, f"Line {option.id}", option.text)
    return GivenView(label, "", option.text) if option.code else GivenView(label, option.text, "")
