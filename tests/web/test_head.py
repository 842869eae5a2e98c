"""HEAD and the caching of static files, on a running site."""

import pytest

from tests.live import LiveSite


@pytest.mark.parametrize("path", ["/", "/practice", "/history", "/static/gradproof.css", "/nothing-here", "/healthz"])
def test_head_is_answered_as_get_without_a_body(live: LiveSite, path: str) -> None:
    visitor = live.visitor()
    head, get = visitor.head(path), visitor.get(path)
    assert head.status_code == get.status_code
    assert head.headers["content-type"] == get.headers["content-type"]
    assert head.content == b""


def test_file_is_immutable_under_its_own_version_only(live: LiveSite) -> None:
    visitor = live.visitor()
    named = visitor.get("/").text.partition("/static/gradproof.css?v=")[2].partition('"')[0]
    caching = {
        query: visitor.get(f"/static/gradproof.css{query}").headers["cache-control"]
        for query in (f"?v={named}", "?v=anything", "", f"?v={named}&x=1")
    }
    assert "immutable" in caching.pop(f"?v={named}")
    assert set(caching.values()) == {"no-cache"}
