"""Every failure is a page: with the site's headers, and without a trace."""

import httpx

from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, words_of


def test_wrong_method_and_unknown_page_are_pages(visitor: httpx.Client) -> None:
    assert "Not found" in words_of(visitor.get("/nowhere"))
    response = visitor.post("/practice")
    assert response.status_code == 405
    assert "<main" in response.text


def test_our_own_mistake_is_a_page_with_headers_and_without_a_trace(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/two-walks"))

    def broken() -> None:
        raise ZeroDivisionError("sentinel of a broken sandbox client")

    fake.before = broken
    response = visitor.post(form.action, data=form.filled())
    assert response.status_code == 500
    assert "our mistake" in words_of(response)
    assert "sentinel" not in response.text
    assert "content-security-policy" in response.headers
