"""Requests that another site's page makes."""

import httpx
import pytest

from tests.live import LiveSite, form_of
from tests.practising import attempts


@pytest.mark.parametrize("header", [{"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.example"}])
def test_form_sent_by_another_site_is_refused(live: LiveSite, visitor: httpx.Client, header: dict[str, str]) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    assert visitor.post(form.action, data=form.filled(), headers=header).status_code == 403
    assert attempts(live) == 0


def test_own_page_may_send_its_form(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    headers = {"origin": live.url, "sec-fetch-site": "same-origin"}
    assert visitor.post(form.action, data=form.filled(), headers=headers).status_code == 303
