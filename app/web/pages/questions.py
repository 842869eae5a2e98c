"""A variant as a candidate sees it, and what they entered, both ways. Titles, topics and ids stay away."""

from collections.abc import Mapping

from app.bank.item import Why
from app.bank.variants import Variant
from app.grading.grade import Response
from app.web.answers import asked_parts, entry_names, option_values, read_answer
from app.web.pages.item_page import confidence_views, entry_views, own_words_view, part_view, question_of
from app.web.session_views import QuestionView

NO_ERRORS: Mapping[str, str] = {}


def question_view(variant: Variant, fields: Mapping[str, str]) -> QuestionView:
    """Return what is asked, with what was entered before."""
    item = variant.item
    return QuestionView(
        prompt_md=item.prompt,
        snippet=item.snippet,
        question_md=question_of(item),
        parts=tuple(part_view(item, part, fields, NO_ERRORS) for part in asked_parts(variant)),
        entries=entry_views(item, fields, NO_ERRORS),
        reason=own_words_view(item, fields, NO_ERRORS),
        confidence=confidence_views(fields),
    )


def read_draft(variant: Variant, fields: Mapping[str, str]) -> Response:
    """Return the response so far: what is missing stays empty, and a value that cannot be read yet stays as typed."""
    return read_answer(variant, fields).response


def fields_of(variant: Variant, response: Response) -> dict[str, str]:
    """Return the form fields that a stored response fills in."""
    fields: dict[str, str] = {}
    for part in asked_parts(variant):
        values = {option: value for value, option in option_values(part).items()}
        chosen = response.choices.get(part.name)
        if chosen in values:
            fields[part.name] = values[chosen]
    fields |= dict(zip(entry_names(variant.item), response.entries, strict=False))
    if isinstance(variant.item, Why) and response.own_words:
        fields["own_words"] = response.own_words
    if response.confidence is not None:
        fields["confidence"] = response.confidence
    return fields
