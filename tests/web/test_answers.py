"""What a form says about a variant: what is missing or unreadable is named, and the rest is kept."""

import httpx
import pytest

from tests.live import LiveSite, form_of, words_of
from tests.practising import answer, attempts


@pytest.mark.parametrize("missing", ["verdict", "reason"])
def test_missing_choice_is_named_and_the_rest_is_kept(live: LiveSite, visitor: httpx.Client, missing: str) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    data = form.filled(confidence="guess")
    del data[missing]
    refused = visitor.post(form.action, data=data)
    assert refused.status_code == 422
    assert form_of(refused).fields == data
    assert attempts(live) == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [("verdict", "maybe"), ("reason", "9"), ("reason", "0"), ("reason", "-1"), ("reason", "²")],
)
def test_choice_that_is_not_offered_is_refused(visitor: httpx.Client, field: str, value: str) -> None:
    assert answer(visitor, **{field: value}).status_code == 422


@pytest.mark.parametrize("entry", ["", "   ", "__import__('os')", "[" * 200, "9" * 401, "a.grad", "1 +", "\x00"])
def test_entry_that_is_no_value_is_explained_and_kept(live: LiveSite, visitor: httpx.Client, entry: str) -> None:
    response = answer(visitor, "three-leaves", **{"entry-1": entry, "entry-2": "None"})
    assert response.status_code == 422
    assert form_of(response).fields["entry-2"] == "None"
    assert attempts(live) == 0


def test_too_many_own_words_are_refused_and_kept(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-square-and-more", own_words="word " * 1000)
    assert response.status_code == 422
    assert form_of(response).fields["own_words"].count("word") == 1000


def test_unknown_confidence_is_named(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    answer = visitor.post(form.action, data=form.filled(confidence="very"))
    assert answer.status_code == 400
    assert "confidence" in words_of(answer).lower()
    assert attempts(live) == 0
