"""Nothing of a key leaves the server before the answer is stored: sentinels are planted, and a session is searched."""

import base64
import logging
import re
import warnings
import zlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from app.sandbox.client import SandboxAwayError
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running

SENTINEL = re.compile(rb"zq[a-z]+zq")
# What a person must not read before they answered, by field name, wherever it stands in an item.
PROBES = {"holds", "healthy", "effect"}
PATCHES = {"patch", "without", "also_heals"}
TEXTS = {"explanation", "rubric", "good_answer", "red_flags", "answer", "condition"}


def planted(value: Any, field: str = "") -> Any:
    """Return the data with a sentinel in everything that tells of the key."""
    if isinstance(value, dict):
        if field in PATCHES:
            return {line: f"{text}  # zqpatchzq" for line, text in value.items()}
        # The lines of a bug are part of what is asked; those of a repair are not.
        return {name: inner if name == "bugs" else planted(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [planted(inner, field) for inner in value]
    if field in PROBES:
        return f"({value}) and 'zqprobezq' == 'zqprobezq'"
    return f"{value} zqtextzq" if field in TEXTS else value


def sentinel_items() -> dict[str, dict[str, Any]]:
    items = deepcopy(ITEMS)
    for item in items.values():
        follow_up = {"text": "zqfollowzq: and then?", "snippet": "x = 1  # zqfollowzq"}
        item["interview"] = {"good_answer": ["Names it."], "red_flags": ["Guesses."], "follow_ups": [follow_up]}
        item["misconceptions"] = ["zqregistryzq-note"]
        for options in ("reasons", "symptoms", "repairs", "causes", "distractors"):
            for option in item.get(options, ()):
                option["misconception"] = "zqregistryzq-note"
        item["source"] = {"document": "guide", "reference": "X1", "answer": "It says so."}
        item["status"] = "conditional"
        item["condition"] = "Only here."
    return {name: planted(item) for name, item in items.items()}


@pytest.fixture
def guarded(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> Iterator[LiveSite]:
    bank = write_bank(tmp_path / "bank", sentinel_items())
    registry = bank / "misconceptions.yaml"
    registry.write_text(
        registry.read_text() + '- {id: zqregistryzq-note, sentence: "zqsentencezq", axis: accumulation}\n'
    )
    with running(settings.model_copy(update={"bank": bank}), fake) as site:
        assert site.site.bank.problems == ()
        yield site


def unpacked(text: str) -> bytes:
    """Return what a signed value says when it is decoded."""
    parts = text.lstrip(".").split(".")
    found = text.encode()
    for part in parts:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        found += raw
        try:
            found += zlib.decompress(raw)
        except zlib.error:
            continue
    return found


def recorded(response: httpx.Response) -> bytes:
    """Return everything a response carries: headers, cookies, body, and signed values decoded."""
    found = repr(response.headers).encode() + response.content
    for token in re.findall(r'name="token" value="([^"]+)"', response.text):
        found += unpacked(token)
    for cookie in response.cookies.values():
        found += unpacked(cookie)
    return found


@pytest.mark.parametrize("item", ITEMS)
def test_no_key_probe_patch_or_explanation_leaves_before_the_answer_is_stored(
    guarded: LiveSite, fake: FakeSandbox, item: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)  # what every library says, the server among them
    with (
        warnings.catch_warnings(record=True) as warned,
        structlog.testing.capture_logs() as logs,
        guarded.visitor() as visitor,
    ):
        session = [visitor.get(path) for path in ("/", "/practice", "/practice/next", "/history", "/patterns", "/x")]
        page = visitor.get(f"/practice/{item}")
        assert page.status_code == 200
        session.append(page)
        for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text):
            session.append(visitor.get(address))
        form = form_of(page)
        session.append(visitor.post(form.action, data={"token": form.fields["token"]}))
        fake.failure = SandboxAwayError("Away.")
        session.append(visitor.post(form.action, data=form.filled()))
        fake.failure = None
        session.append(visitor.post(form.action, data=form.filled(token="forged")))
        stored = visitor.post(form.action, data=form.filled())
        session.append(stored)
        for response in session:
            assert not SENTINEL.findall(recorded(response)), response.url
        assert not SENTINEL.findall(repr(logs).encode())
        assert logs
        said = "".join([caplog.text, *capfd.readouterr(), *(str(one.message) for one in warned)])
        assert not SENTINEL.findall(said.encode())
        reveal = visitor.get(stored.headers["location"])
        assert b"zqtextzq" in reveal.content  # so that the search above can fail


def test_item_page_shows_positions_and_not_the_order_of_the_file(guarded: LiveSite) -> None:
    orders = set()
    with guarded.visitor() as visitor:
        for _ in range(12):
            page = visitor.get("/practice/two-walks").text
            orders.add(page.index("The second call adds.") < page.index("The second call replaces."))
            assert re.findall(r'name="reason"[^>]*value="(\d+)"', page) == ["1", "2"]
    assert orders == {True, False}
